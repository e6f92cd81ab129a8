/* Clocks, timers and timeouts. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t alarms;

static void on_alarm(int signal)
{
    (void)signal;
    alarms++;
}

static int64_t monotonic_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

int main(void)
{
    struct itimerval repeat = {{0, 20000}, {0, 20000}}, left;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec once = {{0, 0}, {0, 10000000}};
    struct timespec ts = {0, 30000000}, rest;
    struct sigaction action = {.sa_handler = on_alarm};
    struct timeval tv = {0, 20000};
    int64_t start = monotonic_ns(), late;
    int ends[2];
    struct pollfd p;
    fd_set set;
    timer_t timer;
    char c;

    sigaction(SIGALRM, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    nanosleep(&ts, NULL);
    printf("slept %d\n", monotonic_ns() - start >= 30000000);
    alarm(1);
    printf("pause %d", pause());
    printf(" %d, alarms %d, left %u\n", errno, alarms, alarm(0));
    setitimer(ITIMER_REAL, &repeat, NULL);
    while (alarms < 5)
        pause();
    memset(&repeat, 0, sizeof(repeat));
    setitimer(ITIMER_REAL, &repeat, &left);
    printf("interval %ld, left %d\n", (long)left.it_interval.tv_usec,
           left.it_value.tv_usec <= 20000);
    alarm(1);
    ts = (struct timespec){100, 0};
    printf("interrupted %d", nanosleep(&ts, &rest));
    printf(" %d, rest %d\n", errno, rest.tv_sec == 98 || rest.tv_sec == 99);
    alarms = 0;
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &once, NULL);
    while (!alarms)
        pause();
    printf("timer %d\n", timer_delete(timer));
    pipe(ends);
    p = (struct pollfd){.fd = ends[0], .events = POLLIN};
    start = monotonic_ns();
    printf("poll %d %d\n", poll(&p, 1, 20), monotonic_ns() - start >= 20000000);
    write(ends[1], "x", 1);
    printf("poll %d %d\n", poll(&p, 1, 1000), p.revents);
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    printf("select %d %d\n", select(ends[0] + 1, &set, NULL, NULL, &tv), FD_ISSET(ends[0], &set));
    read(ends[0], &c, 1);
    tv = (struct timeval){0, 20000};
    printf("select %d %d\n", select(ends[0] + 1, &set, NULL, NULL, &tv), FD_ISSET(ends[0], &set));
    clock_gettime(CLOCK_MONOTONIC, &ts);
    late = monotonic_ns() + 5000000;
    ts.tv_nsec += 5000000;
    ts.tv_sec += ts.tv_nsec / 1000000000;
    ts.tv_nsec %= 1000000000;
    printf("until %d %d\n", clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL),
           monotonic_ns() >= late - 1000000);
    ts.tv_nsec = 1000000000;
    printf("bad %d %d\n", nanosleep(&ts, NULL), errno);
    printf("bad clock %d %d\n", clock_gettime(99, &ts), errno);
    return 0;
}
