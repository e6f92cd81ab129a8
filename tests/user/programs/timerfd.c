/*
 * Timers through descriptors. Waiting for a timer alone takes no host time here, so QEMU cannot be
 * the reference.
 */
// flags: -DLONG=1000
//= timerfd_create(CLOCK_MONOTONIC, 1): -22
//= timerfd_create(CLOCK_PROCESS_CPUTIME_ID, 0): -22
//= timerfd_create(99, 0): -22
//= flags 1 1
//= read(fd, &count, 8): -11
//= timerfd_settime(fd, 0, &once, NULL): 0
//= poll(&p, 1, 0): 0
//= poll(&p, 1, -1): 1
//= revents 0x1
//= read(fd, &count, 7): -22
//= read(fd, &count, 8): 8
//= count 1, late 1
//= read(fd, &count, 8): -11
//= write(fd, &count, 8): -22
//= timerfd_settime(99, 0, &once, NULL): -9
//= timerfd_settime(1, 0, &once, NULL): -22
//= timerfd_settime(fd, 8, &once, NULL): -22
//= syscall(SYS_timerfd_settime, fd, 0, (void *)16, NULL): -14
//= timerfd_settime(fd, 0, &bad, NULL): -22
//= timerfd_gettime(1, &now): -22
//= timerfd_gettime(99, &now): -9
//= timerfd_settime(fd, 0, &every, NULL): 0
//= three 8 3
//= again 8 1
//= again 8 1
//= timerfd_gettime(fd, &now): 0
//= interval 0 10000000, left 1
//= words 0: 0 10000000, left 1
//= timerfd_settime(fd, 0, &none, &now): 0
//= interval 0 10000000, left 1
//= timerfd_gettime(fd, &now): 0
//= left 0 0
//= none: -11
//= timerfd_settime(fd, TFD_TIMER_ABSTIME, &now, NULL): 0
//= absolute 8 1, late 1
//= timerfd_settime(fd, TFD_TIMER_ABSTIME, &past, NULL): 0
//= past 8 1
//= timerfd_settime(other, TFD_TIMER_ABSTIME, &now, NULL): 0
//= realtime 8 1, late 1
//= select 1 1
//= epoll 0, then 1 77
//= copy 8 1
//= interrupted -4, handled 1
//= parts 8: 1
//= small 1
//= long 8 1, late 1
//= descriptors 0, the host's at most 2048: 1, then EMFILE 1
//= child 8 1, then -11, parent -11
//= orphan 8 1
//= closed at exec -9
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000

static const struct itimerspec once = {{0, 0}, {0, 20 * MS}};
static const struct itimerspec every = {{0, 10 * MS}, {0, 10 * MS}};
static const struct itimerspec bad = {{0, 0}, {0, 1000 * MS}};
static const struct itimerspec none = {{0, 10 * MS}, {0, 0}};
static const struct itimerspec past = {{0, 0}, {0, 1}};
static uint64_t count;
static volatile int handled;

static int result_or_errno(long value)
{
    return value < 0 ? -errno : (int)value;
}

#define SHOW(x) printf("%s: %d\n", #x, result_or_errno(x))

static int64_t clock_of(int clock)
{
    struct timespec ts;

    clock_gettime(clock, &ts);
    return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

static void show_read(const char *what, int fd)
{
    count = 0;
    printf("%s %d", what, result_or_errno(read(fd, &count, 8)));
    printf(" %d", (int)count);
}

static void on_alarm(int signal)
{
    handled++;
}

static void use_single_timer(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN | POLLOUT};
    int64_t from = clock_of(CLOCK_MONOTONIC);
    struct itimerspec now;

    SHOW(timerfd_create(CLOCK_MONOTONIC, 1));
    SHOW(timerfd_create(CLOCK_PROCESS_CPUTIME_ID, 0));
    SHOW(timerfd_create(99, 0));
    printf("flags %d %d\n", fcntl(fd, F_GETFD) == FD_CLOEXEC, !!(fcntl(fd, F_GETFL) & O_NONBLOCK));
    SHOW(read(fd, &count, 8));
    SHOW(timerfd_settime(fd, 0, &once, NULL));
    SHOW(poll(&p, 1, 0));
    SHOW(poll(&p, 1, -1));
    printf("revents %#x\n", p.revents);
    SHOW(read(fd, &count, 7));
    SHOW(read(fd, &count, 8));
    printf("count %d, late %d\n", (int)count, clock_of(CLOCK_MONOTONIC) - from >= 20 * MS);
    SHOW(read(fd, &count, 8));
    SHOW(write(fd, &count, 8));
    SHOW(timerfd_settime(99, 0, &once, NULL));
    SHOW(timerfd_settime(1, 0, &once, NULL));
    SHOW(timerfd_settime(fd, 8, &once, NULL));
    SHOW(syscall(SYS_timerfd_settime, fd, 0, (void *)16, NULL));
    SHOW(timerfd_settime(fd, 0, &bad, NULL));
    SHOW(timerfd_gettime(1, &now));
    SHOW(timerfd_gettime(99, &now));
}

static void show_timer(const struct itimerspec *t)
{
    printf("interval %ld %ld, left %d\n", (long)t->it_interval.tv_sec, t->it_interval.tv_nsec,
           !t->it_value.tv_sec && t->it_value.tv_nsec > 0 && t->it_value.tv_nsec <= 10 * MS);
}

static void use_periods(int fd)
{
    struct itimerspec now;
    long words[4];
    int got;

    SHOW(timerfd_settime(fd, 0, &every, NULL));
    usleep(35000);
    show_read("three", fd);
    printf("\n");
    fcntl(fd, F_SETFL, 0);
    for (int n = 0; n < 2; n++) {
        show_read("again", fd);
        printf("\n");
    }
    fcntl(fd, F_SETFL, O_NONBLOCK);
    SHOW(timerfd_gettime(fd, &now));
    show_timer(&now);
    got = (int)syscall(SYS_timerfd_gettime, fd, words); /* with longs of the ABI's own size */
    printf("words %d: %ld %ld, left %d\n", got, words[0], words[1],
           !words[2] && words[3] > 0 && words[3] <= 10 * MS);
    SHOW(timerfd_settime(fd, 0, &none, &now));
    show_timer(&now);
    SHOW(timerfd_gettime(fd, &now));
    printf("left %ld %ld\n", (long)now.it_value.tv_sec, now.it_value.tv_nsec);
    usleep(20000);
    printf("none: %d\n", result_or_errno(read(fd, &count, 8)));
}

static void set_at(struct itimerspec *spec, int64_t at)
{
    *spec = (struct itimerspec){.it_value = {at / 1000000000, at % 1000000000}};
}

static void use_absolute_times(int fd)
{
    int other = timerfd_create(CLOCK_REALTIME, 0);
    int64_t at = clock_of(CLOCK_MONOTONIC) + 20 * MS;
    struct itimerspec now;

    fcntl(fd, F_SETFL, 0);
    set_at(&now, at);
    SHOW(timerfd_settime(fd, TFD_TIMER_ABSTIME, &now, NULL));
    show_read("absolute", fd);
    printf(", late %d\n", clock_of(CLOCK_MONOTONIC) >= at);
    SHOW(timerfd_settime(fd, TFD_TIMER_ABSTIME, &past, NULL));
    show_read("past", fd);
    printf("\n");
    at = clock_of(CLOCK_REALTIME) + 20 * MS;
    set_at(&now, at);
    SHOW(timerfd_settime(other, TFD_TIMER_ABSTIME, &now, NULL));
    show_read("realtime", other);
    printf(", late %d\n", clock_of(CLOCK_REALTIME) >= at);
    close(other);
}

static void wait_for_timer(int fd)
{
    int epoll = epoll_create1(0), copy;
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT, .data.u32 = 77}, got = {0};
    struct iovec parts[2] = {{(char *)&count, 3}, {(char *)&count + 3, 5}};
    struct sigaction action = {.sa_handler = on_alarm};
    int64_t from;
    fd_set set;

    FD_ZERO(&set);
    FD_SET(fd, &set);
    timerfd_settime(fd, 0, &once, NULL);
    printf("select %d", result_or_errno(select(fd + 1, &set, NULL, NULL, NULL)));
    printf(" %d\n", !!FD_ISSET(fd, &set));
    read(fd, &count, 8);
    epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
    timerfd_settime(fd, 0, &once, NULL);
    printf("epoll %d", epoll_wait(epoll, &got, 1, 0));
    printf(", then %d", epoll_wait(epoll, &got, 1, -1));
    printf(" %d\n", (int)got.data.u32);
    copy = dup2(fd, 50);
    epoll_ctl(epoll, EPOLL_CTL_DEL, fd, NULL);
    close(fd);
    show_read("copy", copy);
    printf("\n");
    dup2(copy, fd);
    sigaction(SIGALRM, &action, NULL);
    timerfd_settime(fd, 0, &(struct itimerspec){.it_value = {100, 0}}, NULL);
    ualarm(20000, 0);
    printf("interrupted %d", result_or_errno(read(fd, &count, 8)));
    printf(", handled %d\n", handled);
    timerfd_settime(copy, 0, &once, NULL);
    count = 0;
    printf("parts %d", result_or_errno(readv(fd, parts, 2)));
    printf(": %d\n", (int)count);
    timerfd_settime(fd, 0, &(struct itimerspec){{0, 100}, {0, 100}}, NULL);
    usleep(20000);
    read(fd, &count, 8);
    printf("small %d\n", count >= 200000);
    from = clock_of(CLOCK_MONOTONIC);
    timerfd_settime(fd, 0, &(struct itimerspec){.it_value = {LONG, 0}}, NULL);
    show_read("long", fd);
    printf(", late %d\n", clock_of(CLOCK_MONOTONIC) - from >= LONG * INT64_C(1000000000));
    close(epoll);
    close(copy);
}

/* Returns how many descriptors the host permits this process, including the simulator's own. */
static int table_size(void)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    int size = 0;

    while (status && fgets(line, sizeof(line), status))
        sscanf(line, "FDSize: %d", &size);
    fclose(status);
    return size ? size : 1 << 30;
}

/*
 * The simulator keeps nothing of closed timers, and the program's limit applies to its own
 * descriptors only.
 */
static void make_many_timers(void)
{
    struct rlimit few = {20, 20};
    int first = -1, differ = 0, fd;

    for (int n = 0; n < 2000; n++) {
        fd = timerfd_create(CLOCK_MONOTONIC, 0);
        first = first < 0 ? fd : first;
        differ += fd != first;
        timerfd_settime(fd, 0, &every, NULL);
        close(fd);
    }
    printf("descriptors %d, the host's at most 2048: %d", differ, table_size() <= 2048);
    setrlimit(RLIMIT_NOFILE, &few);
    for (fd = 0; fd < 100 && timerfd_create(CLOCK_MONOTONIC, 0) >= 0; fd++)
        ;
    printf(", then EMFILE %d\n", errno == EMFILE && fd > 5 && fd < 20);
    for (fd = 3; fd < 20; fd++)
        close(fd);
}

static void share_with_child(void)
{
    int fd = timerfd_create(CLOCK_MONOTONIC, 0), ends[2];
    char path[64], byte;

    timerfd_settime(fd, 0, &once, NULL);
    if (!fork()) {
        show_read("child", fd);
        usleep(30000); /* both clocks reach the time during this wait */
        fcntl(fd, F_SETFL, O_NONBLOCK);
        printf(", then %d", result_or_errno(read(fd, &count, 8)));
        exit(0);
    }
    wait(NULL);
    printf(", parent %d\n", result_or_errno(read(fd, &count, 8)));
    fcntl(fd, F_SETFL, 0);
    pipe(ends);
    if (!fork()) {
        timerfd_settime(fd, 0, &once, NULL);
        if (!fork()) { /* continues after its parent has ended */
            show_read("orphan", fd);
            printf("\n");
            exit(0);
        }
        _exit(0);
    }
    close(ends[1]);
    read(ends[0], &byte, 1);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    sprintf(path, "%d", fd);
    execl("/proc/self/exe", "timerfd", path, NULL);
}

int main(int argc, char **argv)
{
    int fd;

    setbuf(stdout, NULL);
    if (argc > 1) {
        printf("closed at exec %d\n", result_or_errno(fcntl(atoi(argv[1]), F_GETFD)));
        return 0;
    }
    fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    use_single_timer(fd);
    use_periods(fd);
    use_absolute_times(fd);
    wait_for_timer(fd);
    close(fd);
    make_many_timers();
    share_with_child();
    return 0;
}
