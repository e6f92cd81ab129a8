/*
 * What a program keeps when it executes another: clocks, interval timers, pending signals, the
 * personality, and descriptors of timers and signals. QEMU leaves execve() to the host's kernel,
 * which cannot run the program, so the expected lines are given here; the host's Linux prints them.
 */
//= keeps going 1
//= personality 0x40000
//= closed -9, its copy 8 1
//= periodic: interval 10000000, 8, more 1
//= again 1
//= absolute 8 1, late 1
//= disarmed -11, rearmed 8 1
//= epoll 1 5
//= pending 3
//= 10, 34 7, 34 8, then -11
//= changed 12
//= waits for 12 from the child
//= alarm every 5 s, rings 14 at 30 ms 1
//= the parent's 8 1
//= unread 8, some 1
//= chain 8 1
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/personality.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS INT64_C(1000000)

enum {
    PERIODIC = 40,
    ABSOLUTE,
    DISARMED,
    CLOSED,
    COPY,
    SIGNALS,
    EPOLL,
    SHARED,
    UNREAD,
    READY,
    GO = READY + 2
};

static uint64_t count;

static int result_or_errno(long value)
{
    return value < 0 ? -errno : (int)value;
}

static int64_t clock_of(int clock)
{
    struct timespec ts;

    clock_gettime(clock, &ts);
    return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

static void arm_timer(int fd, int64_t first, int64_t interval)
{
    timerfd_settime(fd, 0, &(struct itimerspec){{0, interval}, {0, first}}, NULL);
}

static int timer_at(int number, int clock, int flags)
{
    int fd = timerfd_create(clock, flags);

    dup3(fd, number, flags & TFD_CLOEXEC);
    close(fd);
    return number;
}

static int read_count(int fd)
{
    count = 0;
    return result_or_errno(read(fd, &count, 8));
}

static void execute_itself(const char *what)
{
    char from[32];

    sprintf(from, "%lld", (long long)clock_of(CLOCK_MONOTONIC));
    execl("/proc/self/exe", "handover", what, from, (char *)NULL);
    _exit(99);
}

/* ---- the program that is executed ------------------------------------------------------------ */

static void show_timers(void)
{
    struct itimerspec now;
    struct epoll_event event;
    int got;

    printf("closed %d", result_or_errno(fcntl(CLOSED, F_GETFD)));
    got = read_count(COPY);
    printf(", its copy %d %d\n", got, (int)count);
    timerfd_gettime(PERIODIC, &now);
    got = read_count(PERIODIC);
    printf("periodic: interval %ld, %d, more %d\n", now.it_interval.tv_nsec, got, count > 0);
    got = read_count(PERIODIC);
    printf("again %d\n", got == 8 && count > 0);
    got = read_count(ABSOLUTE);
    timerfd_gettime(ABSOLUTE, &now);
    printf("absolute %d %d, late %d\n", got, (int)count, !now.it_value.tv_nsec);
    got = read_count(DISARMED);
    fcntl(DISARMED, F_SETFL, 0);
    arm_timer(DISARMED, MS, 0);
    printf("disarmed %d, rearmed", got);
    got = read_count(DISARMED);
    printf(" %d %d\n", got, (int)count);
    arm_timer(DISARMED, MS, 0);
    got = epoll_wait(EPOLL, &event, 1, -1);
    printf("epoll %d %d\n", got, (int)event.data.u32);
}

static void show_signals(void)
{
    struct signalfd_siginfo info[4] = {0};
    struct itimerval left;
    sigset_t set;
    int got, signal;

    sigpending(&set);
    printf("pending %d\n", sigismember(&set, SIGUSR1) + 2 * sigismember(&set, 34));
    got = result_or_errno(read(SIGNALS, info, sizeof(info)));
    printf("%d, %d %d, %d %d", info[0].ssi_signo, info[1].ssi_signo, info[1].ssi_int,
           info[2].ssi_signo, info[2].ssi_int);
    printf(", then %d\n",
           got == 3 * 128 ? result_or_errno(read(SIGNALS, info, sizeof(info))) : got);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    signalfd(SIGNALS, &set, 0);
    raise(SIGUSR2);
    read(SIGNALS, info, sizeof(info));
    printf("changed %d\n", info[0].ssi_signo);
    fcntl(SIGNALS, F_SETFL, 0);
    if (!fork()) {
        usleep(2000);
        kill(getppid(), SIGUSR2);
        _exit(0);
    }
    read(SIGNALS, info, sizeof(info));
    printf("waits for %d from the child\n", info[0].ssi_signo);
    wait(NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    getitimer(ITIMER_REAL, &left);
    sigwait(&set, &signal);
    printf("alarm every %d s, rings %d", (int)left.it_interval.tv_sec, signal);
}

static int run_after_exec(const char *what, const char *from)
{
    int64_t past = clock_of(CLOCK_MONOTONIC) - atoll(from);
    int got;

    if (!strcmp(what, "child")) {
        write(READY + 1, "", 1);
        got = read_count(SHARED);
        printf("the parent's %d %d\n", got, (int)count);
        return 0;
    }
    if (!strcmp(what, "chain"))
        execute_itself("last");
    if (!strcmp(what, "last")) {
        got = read_count(UNREAD);
        printf("chain %d %d\n", got, (int)count);
        return 0;
    }
    printf("keeps going %d\n", past >= 0 && past < 1000000 * MS);
    printf("personality %#x\n", personality(0xffffffff) & ADDR_NO_RANDOMIZE);
    show_timers();
    show_signals();
    past = clock_of(CLOCK_MONOTONIC) - atoll(from);
    printf(" at 30 ms %d\n", past >= 29 * MS);
    return 0;
}

/* ---- the program that executes it ------------------------------------------------------------ */

static void prepare_descriptors(void)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = 5};
    sigset_t set;
    int fd;

    personality(personality(0xffffffff) | ADDR_NO_RANDOMIZE);
    arm_timer(timer_at(PERIODIC, CLOCK_MONOTONIC, 0), 10 * MS, 10 * MS);
    arm_timer(timer_at(ABSOLUTE, CLOCK_REALTIME, 0), 20 * MS, 0);
    timer_at(DISARMED, CLOCK_MONOTONIC, TFD_NONBLOCK);
    arm_timer(timer_at(CLOSED, CLOCK_MONOTONIC, TFD_CLOEXEC), MS, 0);
    dup2(CLOSED, COPY);
    dup2(epoll_create1(0), EPOLL);
    epoll_ctl(EPOLL, EPOLL_CTL_ADD, DISARMED, &event);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    sigaddset(&set, SIGALRM);
    sigaddset(&set, 34);
    sigprocmask(SIG_BLOCK, &set, NULL);
    sigdelset(&set, SIGALRM);
    fd = signalfd(-1, &set, SFD_NONBLOCK);
    dup2(fd, SIGNALS);
    close(fd);
    sigqueue(getpid(), 34, (union sigval){.sival_int = 7});
    kill(getpid(), SIGUSR1);
    sigqueue(getpid(), 34, (union sigval){.sival_int = 8});
    setitimer(ITIMER_REAL, &(struct itimerval){{5, 0}, {0, 30000}}, NULL);
}

/* A timer that its owner sets while another program waits for it. */
static void share_timer(void)
{
    int ends[2];
    char byte;

    pipe(ends);
    dup2(ends[0], READY);
    dup2(ends[1], READY + 1);
    timer_at(SHARED, CLOCK_MONOTONIC, 0);
    if (!fork())
        execute_itself("child");
    read(READY, &byte, 1);
    arm_timer(SHARED, MS, 0);
    wait(NULL);
}

/* Expirations that nothing has read, here and through two programs. */
static void leave_unread(void)
{
    int got;

    timer_at(UNREAD, CLOCK_MONOTONIC, 0);
    arm_timer(UNREAD, MS, MS);
    usleep(2500);
    arm_timer(UNREAD, 0, 0);
    arm_timer(UNREAD, MS, MS);
    usleep(2500);
    got = read_count(UNREAD);
    printf("unread %d, some %d\n", got, count > 1);
    arm_timer(UNREAD, MS, 0);
    usleep(2000);
    execute_itself("chain");
}

int main(int argc, char **argv)
{
    setbuf(stdout, NULL);
    if (argc > 2)
        return run_after_exec(argv[1], argv[2]);
    if (!fork()) {
        prepare_descriptors();
        execute_itself("after");
    }
    wait(NULL);
    share_timer();
    leave_unread();
}
