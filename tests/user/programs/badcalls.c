// run: 1
// run: 2
// run: 3
/*
 * System calls with arguments that make no sense. Whatever they answer, the simulator goes on and
 * so does this program. An alarm ends those that wait.
 */
//= survived
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

enum { PAGES = 16, PAGE = 4096, CALLS = 20000 };

/* What would end this program, change its identity, or reach other processes. */
static const unsigned char skipped[512] = {
    [23 ... 25] = 1,   /* dup, dup3, fcntl: of our output */
    [46 ... 47] = 1,   /* ftruncate, fallocate: of all the host's memory */
    [51] = 1,          /* chroot */
    [52 ... 55] = 1,   /* fchmod to fchown: of our input and output, also unnamed */
    [57] = 1,          /* close */
    [93 ... 94] = 1,   /* exit */
    [103] = 1,         /* setitimer: ours */
    [118 ... 119] = 1, /* sched_setparam */
    [129 ... 131] = 1, /* kill */
    [132] = 1,         /* sigaltstack */
    [134 ... 135] = 1, /* sigaction, sigprocmask */
    [138 ... 140] = 1, /* sigqueueinfo, sigreturn, setpriority */
    [143 ... 152] = 1, /* identity */
    [154] = 1,         /* setpgid */
    [157] = 1,         /* setsid */
    [159] = 1,         /* setgroups */
    [164] = 1,         /* setrlimit */
    [214 ... 215] = 1, /* brk, munmap */
    [216] = 1,         /* mremap */
    [220 ... 222] = 1, /* clone, execve, mmap */
    [226] = 1,         /* mprotect */
    [233] = 1,         /* madvise */
    [240] = 1,         /* tgsigqueueinfo */
    [261] = 1,         /* prlimit64 */
    [281] = 1,         /* execveat */
    [435 ... 436] = 1, /* clone3, close_range */
};

static uint64_t state;
static char *area;

static uint64_t pick(void)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return state >> 20;
}

static uint64_t argument(void)
{
    static const uint64_t odd[] = {0,
                                   1,
                                   2,
                                   7,
                                   8,
                                   16,
                                   24,
                                   64,
                                   PAGE,
                                   UINT64_MAX,
                                   0x80000000,
                                   0x7fffffff,
                                   UINT64_C(1) << 63,
                                   UINT64_C(1) << 38,
                                   0x7fffffffff,
                                   (uint64_t)-100,
                                   UINT64_MAX - 4095};

    switch (pick() % 4) {
    case 0:
        return odd[pick() % (sizeof(odd) / sizeof(odd[0]))];
    case 1: /* the end of the area: what is larger is outside */
        return (uint64_t)area + PAGES * PAGE - pick() % 64;
    case 2:
        return (uint64_t)area + pick() % (PAGES * PAGE);
    default:
        return pick() % 8 ? pick() % 16 + 3 : pick();
    }
}

/* Calls that change mappings, kept to the area. */
static void mapping(void)
{
    static const int calls[] = {SYS_munmap, SYS_mprotect, SYS_mremap, SYS_madvise, SYS_mmap};
    int call = calls[pick() % 5];
    uint64_t at = (uint64_t)area + pick() % PAGES * PAGE, len = pick() % (4 * PAGE);

    if (at + len > (uint64_t)area + PAGES * PAGE)
        len = PAGE;
    if (call == SYS_mmap)
        syscall(call, at, len, pick() % 8, pick() % 64 | 0x10, (int)(pick() % 5) - 1,
                pick() % 3 * PAGE);
    else
        syscall(call, at, len, call == SYS_mremap ? len : pick() % 24, pick() % 2, at);
}

static void on_alarm(int signal)
{
    (void)signal;
}

int main(int argc, char **argv)
{
    struct itimerval often = {{0, 1000}, {0, 1000}};
    struct sigaction action = {.sa_handler = on_alarm};

    state = argc > 1 ? strtoul(argv[1], NULL, 0) : 0;
    area = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int signal = 1; signal <= 64; signal++) {
        if (signal != SIGALRM && signal != SIGSEGV && signal != SIGBUS)
            sigaction(signal, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
    }
    for (unsigned n = 0; n < CALLS; n++) {
        unsigned call = pick() % 450;

        if (n % 50 == 0)
            mapping();
        if (!skipped[call])
            syscall(call, argument(), argument(), argument(), argument(), argument(), argument());
    }
    (void)!write(1, "survived\n", 9);
    _exit(0);
}
