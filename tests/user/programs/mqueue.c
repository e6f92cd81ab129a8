/* POSIX message queues, which QEMU 7.2 does not have: attributes, order, waiting, notification. */
//= mq_open(name, O_RDWR): -2
//= excluded -17
//= mq_getattr(q, &a): 0
//= flags 0, most 4 of 100, now 0
//= mq_send(q, "low", 3, 1): 0
//= mq_send(q, "high", 4, 7): 0
//= mq_send(q, "low again", 9, 1): 0
//= mq_send(q, text, 101, 1): -90
//= mq_send(q, (char *)16, 5, 1): -14
//= mq_send(q, text, 5, 32768): -22
//= mq_receive(q, text, 99, NULL): -90
//= mq_getattr(q, &a): 0
//= flags 0, most 4 of 100, now 3
//= received 4 high, priority 7
//= received 3 low, priority 1
//= received 9 low again, priority 1
//= mq_timedreceive(q, text, sizeof(text), NULL, &soon): -110
//= late 1
//= mq_timedreceive(q, text, sizeof(text), NULL, &bad): -22
//= mq_timedreceive(q, text, sizeof(text), NULL, &soon): -110
//= poll(&p, 1, 0): 1
//= revents 0x4
//= received 14 from the child, priority 3
//= status 0
//= mq_timedsend(q, "more", 4, 0, &soon): -110
//= poll(&p, 1, 0): 1
//= revents 0x1
//= mq_send(q, "more", 4, 31): 0
//= status 0
//= received 4 more, priority 31
//= received 7 filling, priority 0
//= received 7 filling, priority 0
//= received 7 filling, priority 0
//= mq_receive(q, text, sizeof(text), NULL): -4
//= mq_notify(q, &event): 0
//= mq_notify(q, &event): -16
//= noticed 1, value 4711, code -3
//= once 1
//= received 1 a, priority 0
//= received 1 b, priority 0
//= mq_notify(q, &event): 0
//= mq_notify(q, NULL): 0
//= no more 1
//= received 1 c, priority 0
//= mq_notify(q, &event): -22
//= mq_notify(99, &event): -22
//= mq_setattr(q, &a, &old): 0
//= old 0 4
//= mq_getattr(q, &a): 0
//= flags 2048, most 4 of 100, now 0
//= received -11 , priority 99
//= mq_unlink(name): 0
//= mq_unlink(name): -2
//= mq_close(q): 0
//= mq_close(q): -9
//= mq_receive(1, text, 128, NULL): -9
//= syscall(SYS_mq_open, (void *)16, 0, 0, NULL): -14
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char name[64], text[128];
static volatile int noticed, value, code;

static int result_or_errno(long value)
{
    return value < 0 ? -errno : (int)value;
}

#define SHOW(x) printf("%s: %d\n", #x, result_or_errno(x))

static void on_notice(int signal, siginfo_t *info, void *context)
{
    noticed++;
    value = info->si_value.sival_int;
    code = info->si_code;
}

static void on_alarm(int signal)
{
}

static void show_attr(mqd_t q)
{
    struct mq_attr a = {0};

    SHOW(mq_getattr(q, &a));
    printf("flags %ld, most %ld of %ld, now %ld\n", a.mq_flags & O_NONBLOCK, a.mq_maxmsg,
           a.mq_msgsize, a.mq_curmsgs);
}

static void receive_message(mqd_t q)
{
    unsigned priority = 99;
    int bytes = result_or_errno(mq_receive(q, text, sizeof(text), &priority));

    printf("received %d %.*s, priority %u\n", bytes, bytes > 0 ? bytes : 0, text, priority);
}

static struct timespec after_ms(int ms)
{
    struct timespec ts;

    clock_gettime(CLOCK_REALTIME, &ts);
    ts.tv_nsec += ms * 1000000L;
    ts.tv_sec += ts.tv_nsec / 1000000000;
    ts.tv_nsec %= 1000000000;
    return ts;
}

static void wait_for_message(mqd_t q)
{
    struct timespec soon = after_ms(20), bad = {0, 1000000000}, now;
    struct sigaction action = {.sa_handler = on_alarm};
    struct pollfd p = {.fd = q, .events = POLLIN | POLLOUT};
    int status;

    SHOW(mq_timedreceive(q, text, sizeof(text), NULL, &soon));
    clock_gettime(CLOCK_REALTIME, &now);
    printf("late %d\n",
           now.tv_sec > soon.tv_sec || (now.tv_sec == soon.tv_sec && now.tv_nsec >= soon.tv_nsec));
    SHOW(mq_timedreceive(q, text, sizeof(text), NULL, &bad));
    SHOW(mq_timedreceive(q, text, sizeof(text), NULL, &soon));
    SHOW(poll(&p, 1, 0));
    printf("revents %#x\n", p.revents);
    if (!fork()) {
        usleep(20000);
        _exit(mq_send(q, "from the child", 14, 3) != 0);
    }
    receive_message(q);
    wait(&status);
    printf("status %d\n", status);
    for (int n = 0; n < 4; n++)
        mq_send(q, "filling", 7, 0);
    soon = after_ms(20);
    SHOW(mq_timedsend(q, "more", 4, 0, &soon));
    SHOW(poll(&p, 1, 0));
    printf("revents %#x\n", p.revents);
    if (!fork()) {
        usleep(20000);
        _exit(mq_receive(q, text, sizeof(text), NULL) != 7);
    }
    SHOW(mq_send(q, "more", 4, 31));
    wait(&status);
    printf("status %d\n", status);
    for (int n = 0; n < 4; n++)
        receive_message(q);
    sigaction(SIGALRM, &action, NULL);
    ualarm(20000, 0);
    SHOW(mq_receive(q, text, sizeof(text), NULL));
}

static void request_notice(mqd_t q)
{
    struct sigaction action = {.sa_sigaction = on_notice, .sa_flags = SA_SIGINFO};
    struct sigevent event = {
        .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value.sival_int = 4711};

    sigaction(SIGUSR1, &action, NULL);
    SHOW(mq_notify(q, &event));
    SHOW(mq_notify(q, &event));
    mq_send(q, "a", 1, 0);
    while (!noticed)
        usleep(1000);
    printf("noticed %d, value %d, code %d\n", noticed, value, code);
    mq_send(q, "b", 1, 0);
    printf("once %d\n", noticed);
    receive_message(q);
    receive_message(q);
    SHOW(mq_notify(q, &event));
    SHOW(mq_notify(q, NULL));
    mq_send(q, "c", 1, 0);
    printf("no more %d\n", noticed);
    receive_message(q);
    event.sigev_signo = 99;
    SHOW(mq_notify(q, &event));
    SHOW(mq_notify(99, &event));
}

int main(void)
{
    struct mq_attr a = {.mq_maxmsg = 4, .mq_msgsize = 100}, old = {0};
    mqd_t q;

    setbuf(stdout, NULL);
    sprintf(name, "/gencc-test-%d", (int)getpid());
    SHOW(mq_open(name, O_RDWR));
    q = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &a);
    printf("excluded %d\n", result_or_errno(mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &a)));
    show_attr(q);
    SHOW(mq_send(q, "low", 3, 1));
    SHOW(mq_send(q, "high", 4, 7));
    SHOW(mq_send(q, "low again", 9, 1));
    SHOW(mq_send(q, text, 101, 1));
    SHOW(mq_send(q, (char *)16, 5, 1));
    SHOW(mq_send(q, text, 5, 32768));
    SHOW(mq_receive(q, text, 99, NULL));
    show_attr(q);
    receive_message(q);
    receive_message(q);
    receive_message(q);
    wait_for_message(q);
    request_notice(q);
    a.mq_flags = O_NONBLOCK;
    SHOW(mq_setattr(q, &a, &old));
    printf("old %ld %ld\n", old.mq_flags & O_NONBLOCK, old.mq_maxmsg);
    show_attr(q);
    receive_message(q);
    SHOW(mq_unlink(name));
    SHOW(mq_unlink(name));
    SHOW(mq_close(q));
    SHOW(mq_close(q));
    SHOW(mq_receive(1, text, 128, NULL));
    SHOW(syscall(SYS_mq_open, (void *)16, 0, 0, NULL));
    return 0;
}
