/*
 * What a program of the host keeps that a guest's program executes: timerfds with their unread
 * expirations, signalfds, pending signals, interval timers, the personality. Nothing is lost if the
 * host cannot execute the file. The lines are those of the program on Linux, without a simulator.
 */
//= failed -8: unread 1, pending 3, descriptor 8 1
//= pending [10, 12], blocked [10, 12]
//= signal 12 with 7
//= once 1, periodic True, far 0
//= not blocking: BlockingIOError
//= alarm True
//= personality 0x40000
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000L

enum { ONCE = 40, PERIODIC, FAR, SIGNALS, WAITING };

static const char script[] =
    "import os, signal\n"
    "def number(data, at=0, size=8): return int.from_bytes(data[at:at + size], 'little')\n"
    "def numbers(signals): return sorted(int(s) for s in signals)\n"
    "print('pending %s, blocked %s' % (numbers(signal.sigpending()),\n"
    "      numbers(signal.pthread_sigmask(signal.SIG_BLOCK, []))))\n"
    "info = os.read(43, 128)\n"
    "print('signal %d with %d' % (number(info, 0, 4), number(info, 44, 4)))\n"
    "once, periodic = number(os.read(40, 8)), number(os.read(41, 8))\n"
    "periodic = 2 <= periodic and 1 <= number(os.read(41, 8))\n"
    "os.set_blocking(42, False)\n"
    "try: far = number(os.read(42, 8))\n"
    "except BlockingIOError: far = 0\n"
    "print('once %d, periodic %s, far %d' % (once, periodic, far))\n"
    "try: print('not blocking: %d' % len(os.read(44, 8)))\n"
    "except BlockingIOError as e: print('not blocking:', type(e).__name__)\n"
    "print('alarm', 90 < signal.getitimer(signal.ITIMER_REAL)[0] <= 100)\n"
    "print('personality', hex(int(open('/proc/self/personality').read(), 16)))\n";

static void start_timer(int fd, int flags, long first_ns, long interval_ns)
{
    struct itimerspec t = {.it_interval = {0, interval_ns},
                           .it_value = {first_ns / 1000000000, first_ns % 1000000000}};
    int timer = timerfd_create(CLOCK_MONOTONIC, flags);

    timerfd_settime(timer, 0, &t, NULL);
    dup2(timer, fd);
    close(timer);
}

/* A file that may be executed, but is no program. */
static int execute_nothing(char **environment)
{
    char path[] = "/tmp/hostprogram.XXXXXX", *args[] = {path, NULL};
    int file = mkstemp(path), failed;

    if (write(file, "\1\2\3\n", 4) != 4)
        return 0;
    fchmod(file, 0700);
    close(file);
    execve(path, args, environment);
    failed = -errno;
    unlink(path);
    return failed;
}

static void block_and_send(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, NULL);
    sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = 5});
    sigqueue(getpid(), SIGUSR2, (union sigval){.sival_int = 7});
    sigdelset(&set, SIGUSR1);
    dup2(signalfd(-1, &set, 0), SIGNALS);
}

int main(int argc, char **argv, char **environment)
{
    const struct itimerval alarm = {.it_value = {100, 0}};
    const struct itimerspec again = {.it_value = {0, MS}};
    char *args[] = {"env", "python3", "-c", (char *)(uintptr_t)script, NULL};
    uint64_t count = 0;
    sigset_t pending;
    int failed, got;

    (void)argc, (void)argv;
    personality(ADDR_NO_RANDOMIZE);
    block_and_send();
    start_timer(ONCE, 0, MS, 0);
    start_timer(PERIODIC, 0, MS, MS);
    start_timer(FAR, 0, 1000 * 1000 * MS, 0);
    start_timer(WAITING, TFD_NONBLOCK, 1000 * 1000 * MS, 0);
    setitimer(ITIMER_REAL, &alarm, NULL);
    nanosleep(&(struct timespec){0, 20 * MS}, NULL);

    failed = execute_nothing(environment);
    sigpending(&pending);
    got = (int)read(ONCE, &count, sizeof(count));
    printf("failed %d: unread %d, pending %d, descriptor %d %d\n", failed, (int)count,
           2 * sigismember(&pending, SIGUSR1) + sigismember(&pending, SIGUSR2), got,
           fcntl(ONCE, F_GETFD) == 0);
    fflush(stdout);

    if (timerfd_settime(ONCE, 0, &again, NULL))
        return 2; /* the failed execve() did not give the timer back */
    nanosleep(&(struct timespec){0, 20 * MS}, NULL);
    execve("/usr/bin/env", args, environment);
    return 1;
}
