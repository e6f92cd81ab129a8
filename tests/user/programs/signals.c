/* Signals: handlers and their contexts, masks, alternate stacks, waiting, restarted calls. */
// flags: -pthread
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static volatile sig_atomic_t count, order;
static volatile int last_value;
static sigjmp_buf back;
static char stack[65536];

static void on_count(int signal)
{
    (void)signal;
    count++;
}

static void on_info(int signal, siginfo_t *info, void *context)
{
    (void)context;
    last_value = info->si_value.sival_int;
    printf("signal %d code %d value %d from me %d\n", signal, info->si_code, last_value,
           info->si_pid == getpid());
}

/* Continues after the failed instruction. */
static void on_skip(int signal, siginfo_t *info, void *context)
{
    ucontext_t *u = context;

    /* SIGILL's code differs: QEMU has ILL_ILLOPN where Linux has ILL_ILLOPC. */
    printf("signal %d code %d at pc %d\n", signal, signal == SIGILL ? 0 : info->si_code,
           (uint64_t)info->si_addr == u->uc_mcontext.pc);
    u->uc_mcontext.pc += 4;
    u->uc_mcontext.regs[0] = 77;
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    ucontext_t *u = context;

    printf("fault %d code %d address %lx %lx\n", signal, info->si_code,
           (unsigned long)info->si_addr, (unsigned long)u->uc_mcontext.fault_address);
    siglongjmp(back, 1);
}

static void on_stack(int signal)
{
    char here;

    (void)signal;
    printf("on the other stack %d\n", &here >= stack && &here < stack + sizeof(stack));
}

/* Overwrites registers of all kinds, which the interrupted code must not notice. */
static void on_spoil(int signal)
{
    (void)signal;
    __asm__ volatile("movi v0.16b, #1\n movi v8.16b, #2\n movi v31.16b, #3\n"
                     "mov x3, #5\n mov x28, #6\n cmp x3, #5\n" ::
                         : "v0", "v8", "v31", "x3", "x28", "cc");
}

static void on_nested(int signal)
{
    printf("in %d\n", signal);
    if (signal == SIGUSR1)
        raise(SIGUSR2);
    printf("out %d\n", signal);
}

static void set_handler(int signal, void *handler, int flags)
{
    struct sigaction action = {.sa_flags = flags};

    action.sa_sigaction = handler;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, NULL);
}

static void block_signals(void)
{
    sigset_t usr, old, pending;

    set_handler(SIGUSR1, on_count, 0);
    sigemptyset(&usr);
    sigaddset(&usr, SIGUSR1);
    sigprocmask(SIG_BLOCK, &usr, &old);
    raise(SIGUSR1);
    raise(SIGUSR1);
    sigpending(&pending);
    printf("blocked: count %d, pending %d\n", count, sigismember(&pending, SIGUSR1));
    sigsuspend(&old);
    printf("suspended: count %d, errno %d\n", count, errno);
    raise(SIGUSR1);
    sigprocmask(SIG_SETMASK, &old, NULL);
    printf("unblocked: count %d\n", count);
    set_handler(SIGUSR1, SIG_IGN, 0);
    raise(SIGUSR1);
    set_handler(SIGUSR1, on_count, SA_RESETHAND);
    raise(SIGUSR1);
    printf("reset: count %d\n", count);
}

static void queue_signals(void)
{
    struct timespec short_time = {0, 1000000};
    union sigval value = {.sival_int = 1234};
    sigset_t set_rt;
    siginfo_t info;

    set_handler(SIGRTMIN, on_info, SA_SIGINFO);
    set_handler(SIGTERM, on_info, SA_SIGINFO);
    sigemptyset(&set_rt);
    sigaddset(&set_rt, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &set_rt, NULL);
    for (int n = 0; n < 3; n++) {
        value.sival_int = n + 100;
        sigqueue(getpid(), SIGRTMIN, value);
    }
    printf("waited for %d", sigtimedwait(&set_rt, &info, &short_time));
    printf(": %d\n", info.si_value.sival_int);
    sigprocmask(SIG_UNBLOCK, &set_rt, NULL);
    sigprocmask(SIG_BLOCK, &set_rt, NULL);
    printf("none left %d %d\n", sigtimedwait(&set_rt, &info, &short_time), errno);
    kill(getpid(), SIGTERM);
}

static void raise_faults(void)
{
    char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    set_handler(SIGSEGV, on_fault, SA_SIGINFO);
    set_handler(SIGBUS, on_fault, SA_SIGINFO);
    set_handler(SIGTRAP, on_skip, SA_SIGINFO);
    set_handler(SIGILL, on_skip, SA_SIGINFO);
    if (!sigsetjmp(back, 1))
        *(volatile int *)0x1238 = 1;
    if (!sigsetjmp(back, 1)) {
        page = mmap((void *)0x10000000, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                    -1, 0);
        page[16] = 1;
    }
    if (!sigsetjmp(back, 1))
        ((void (*)(void))0x10000000)();
    if (!sigsetjmp(back, 1))
        ((void (*)(void))0x20000000)();
    __asm__ volatile("brk #1");
    __asm__ volatile(".inst 0" ::: "x0");
    {
        register long x0 __asm__("x0") = 1;

        __asm__ volatile("mrs x0, sctlr_el1" : "+r"(x0));
        printf("changed register %ld\n", x0);
    }
}

static void kept_registers(void)
{
    uint64_t v[3] = {0}, x3 = 0, flags = 0;

    set_handler(SIGUSR1, on_spoil, 0);
    __asm__ volatile("movi v0.16b, #11\n movi v8.16b, #12\n movi v31.16b, #13\n"
                     "mov x3, #99\n cmp x3, #100\n"
                     "mov x8, #172\n svc #0\n"               /* getpid */
                     "mov x1, #10\n mov x8, #129\n svc #0\n" /* kill(pid, SIGUSR1) */
                     "fmov %0, d0\n fmov %1, d8\n fmov %2, d31\n mov %3, x3\n mrs %4, nzcv"
                     : "=&r"(v[0]), "=&r"(v[1]), "=&r"(v[2]), "=&r"(x3), "=&r"(flags)
                     :
                     : "x0", "x1", "x3", "x8", "v0", "v8", "v31", "cc", "memory");
    printf("kept %lx %lx %lx %lu %lx\n", v[0], v[1], v[2], x3, flags);
}

/* Long enough for the reader to wait, even under QEMU on a busy host. */
enum { PAUSE_US = 200000 };

static void *send_to_thread(void *arg)
{
    usleep(PAUSE_US);
    pthread_kill(*(pthread_t *)arg, SIGUSR1);
    usleep(PAUSE_US);
    return (void *)(write(order, "x", 1) == 1);
}

/* A signal interrupts read(), or read() is restarted, by SA_RESTART. */
static void interrupt_read(int flags)
{
    pthread_t me = pthread_self(), thread;
    int ends[2];
    char c = '-';
    ssize_t n;

    pipe(ends);
    order = ends[1];
    count = 0;
    set_handler(SIGUSR1, on_count, flags);
    pthread_create(&thread, NULL, send_to_thread, &me);
    n = read(ends[0], &c, 1);
    printf("read %zd %d, %c, count %d\n", n, n < 0 ? errno : 0, c, count);
    pthread_join(thread, NULL);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    stack_t alt = {.ss_sp = stack, .ss_size = sizeof(stack)}, old;

    setvbuf(stdout, NULL, _IOLBF, 0);
    block_signals();
    queue_signals();
    raise_faults();
    kept_registers();
    sigaltstack(&alt, NULL);
    set_handler(SIGUSR1, on_stack, SA_ONSTACK);
    raise(SIGUSR1);
    sigaltstack(NULL, &old);
    printf("alternate stack %d %zu %d\n", old.ss_sp == stack, old.ss_size, old.ss_flags);
    set_handler(SIGUSR1, on_nested, 0);
    set_handler(SIGUSR2, on_nested, 0);
    raise(SIGUSR1);
    interrupt_read(0);
    interrupt_read(SA_RESTART);
    signal(SIGUSR2, SIG_DFL);
    raise(SIGUSR2);
    return 0;
}
