/*
 * Signals through descriptors. They must be the program's own, which QEMU 7.2 does not separate
 * from its host's.
 */
//= signalfd(-1, &set, 1): -22
//= signalfd(99, &set, 0): -9
//= signalfd(1, &set, 0): -22
//= raw -22, bad pointer -14
//= read(fd, &info, sizeof(info)): -11
//= ready 0
//= ready 1
//= read(fd, &info, 127): -22
//= write(fd, &info, 128): -22
//= 10 code 0, pid 1, uid 1, value 0
//= ready 0
//= 10 code -6, pid 1, uid 1, value 0
//= 40 code -1, pid 1, uid 1, value 1234
//= two 256: 40 5, 40 6
//= 17 code 1, pid 1, uid 1, value 0
//= status 7
//= 12 code -2, pid 0, uid 0, value 99
//= waited for 10 from the child 1
//= before 1, sigtimedwait 10, after 0
//= before 1, delivered 1, after 0
//= not in it 0, changed 1, 12
//= kill and stop 0
//= epoll 1 5
//= interrupted -4, delivered 2
//= child: ready 0, then 1 10
//= parent: ready 1, 12
//= thread: 10
//= left 0
// flags: -pthread
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct signalfd_siginfo info, infos[4];
static volatile int delivered;

static int result_or_errno(long value)
{
    return value < 0 ? -errno : (int)value;
}

#define SHOW(x) printf("%s: %d\n", #x, result_or_errno(x))

static int is_ready(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN | POLLOUT};

    return poll(&p, 1, 0) == 1 && p.revents == POLLIN;
}

static void take_signal(int fd)
{
    int got;

    memset(&info, 0, sizeof(info));
    got = result_or_errno(read(fd, &info, sizeof(info)));
    if (got != sizeof(info))
        printf("read %d\n", got);
}

static void show_signal(int fd, int pid)
{
    take_signal(fd);
    printf("%d code %d, pid %d, uid %d, value %d\n", info.ssi_signo, info.ssi_code,
           info.ssi_pid == pid && pid, info.ssi_uid == getuid() && pid, info.ssi_int);
}

static void on_signal(int signal)
{
    delivered++;
}

static void show_errors(int fd, sigset_t set)
{
    SHOW(signalfd(-1, &set, 1));
    SHOW(signalfd(99, &set, 0));
    SHOW(signalfd(1, &set, 0));
    printf("raw %d", result_or_errno(syscall(SYS_signalfd4, -1, &set, 4, 0)));
    printf(", bad pointer %d\n", result_or_errno(syscall(SYS_signalfd4, -1, (void *)16, 8, 0)));
    SHOW(read(fd, &info, sizeof(info)));
    printf("ready %d\n", is_ready(fd));
    kill(getpid(), SIGUSR1);
    printf("ready %d\n", is_ready(fd));
    SHOW(read(fd, &info, 127));
    SHOW(write(fd, &info, 128));
    show_signal(fd, getpid());
    printf("ready %d\n", is_ready(fd));
}

static void show_kinds(int fd)
{
    struct sigevent event = {
        .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2, .sigev_value.sival_int = 99};
    struct itimerspec soon = {{0, 0}, {0, 1000000}};
    timer_t timer;
    int got, child;

    sigqueue(getpid(), 40, (union sigval){.sival_int = 1234});
    raise(SIGUSR1);
    show_signal(fd, getpid());
    show_signal(fd, getpid());
    sigqueue(getpid(), 40, (union sigval){.sival_int = 5});
    sigqueue(getpid(), 40, (union sigval){.sival_int = 6});
    got = result_or_errno(read(fd, infos, 3 * sizeof(info)));
    printf("two %d: %d %d, %d %d\n", got, infos[0].ssi_signo, infos[0].ssi_int, infos[1].ssi_signo,
           infos[1].ssi_int);
    fcntl(fd, F_SETFL, 0);
    child = fork();
    if (!child)
        _exit(7);
    show_signal(fd, child);
    printf("status %d\n", info.ssi_status);
    wait(NULL);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &soon, NULL);
    show_signal(fd, 0);
    timer_delete(timer);
    child = fork();
    if (!child) {
        usleep(20000);
        kill(getppid(), SIGUSR1);
        _exit(0);
    }
    take_signal(fd);
    printf("waited for %d from the child %d\n", info.ssi_signo, info.ssi_pid == child);
    take_signal(fd); /* SIGCHLD */
    wait(NULL);
    fcntl(fd, F_SETFL, O_NONBLOCK);
}

static void consume_elsewhere(int fd, sigset_t set)
{
    struct timespec none = {0, 0};
    sigset_t usr1, usr2;
    int epoll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT, .data.u32 = 5}, got;

    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    sigemptyset(&usr2);
    sigaddset(&usr2, SIGUSR2);
    raise(SIGUSR1);
    printf("before %d", is_ready(fd));
    printf(", sigtimedwait %d", sigtimedwait(&set, NULL, &none));
    printf(", after %d\n", is_ready(fd));
    raise(SIGUSR1);
    printf("before %d", is_ready(fd));
    sigprocmask(SIG_UNBLOCK, &usr1, NULL);
    printf(", delivered %d, after %d\n", delivered, is_ready(fd));
    sigprocmask(SIG_BLOCK, &usr1, NULL);
    signalfd(fd, &usr1, 0);
    raise(SIGUSR2);
    printf("not in it %d", is_ready(fd));
    signalfd(fd, &usr2, 0);
    printf(", changed %d", is_ready(fd));
    take_signal(fd);
    printf(", %d\n", info.ssi_signo);
    sigfillset(&usr2);
    signalfd(fd, &usr2, 0);
    printf("kill and stop %d\n", is_ready(fd));
    signalfd(fd, &set, 0);
    epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
    raise(SIGUSR2);
    printf("epoll %d", epoll_wait(epoll, &got, 1, -1));
    printf(" %d\n", (int)got.data.u32);
    take_signal(fd);
    close(epoll);
    fcntl(fd, F_SETFL, 0);
    ualarm(20000, 0);
    printf("interrupted %d", result_or_errno(read(fd, &info, sizeof(info))));
    printf(", delivered %d\n", delivered);
    fcntl(fd, F_SETFL, O_NONBLOCK);
}

static void share_with_child(int fd)
{
    raise(SIGUSR2);
    if (!fork()) {
        printf("child: ready %d", is_ready(fd));
        raise(SIGUSR1);
        printf(", then %d", is_ready(fd));
        take_signal(fd);
        printf(" %d\n", info.ssi_signo);
        exit(0);
    }
    wait(NULL);
    printf("parent: ready %d", is_ready(fd));
    take_signal(fd);
    printf(", %d\n", info.ssi_signo);
    take_signal(fd); /* SIGCHLD */
}

static void *read_in_thread(void *fd)
{
    take_signal(*(int *)fd);
    printf("thread: %d\n", info.ssi_signo);
    return NULL;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    pthread_t thread;
    sigset_t set;
    int fd;

    setbuf(stdout, NULL);
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGALRM, &action, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, 40);
    sigprocmask(SIG_BLOCK, &set, NULL);
    fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    show_errors(fd, set);
    show_kinds(fd);
    consume_elsewhere(fd, set);
    share_with_child(fd);
    fcntl(fd, F_SETFL, 0);
    pthread_create(&thread, NULL, read_in_thread, &fd);
    usleep(20000);
    kill(getpid(), SIGUSR1);
    pthread_join(thread, NULL);
    printf("left %d\n", is_ready(fd));
    return 0;
}
