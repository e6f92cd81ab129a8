/* The thread that ends the program by Ctrl-A x or a signal, even if the machine does not stop. */
#include "runtime/machine/leave.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <unistd.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/dev/chardev.h"

#define GRACE_MS     500    /* time for the machine to stop by itself */
#define FLUSH_US     200000 /* time to flush stdio, when the machine has not stopped */
#define STATUS_ENDED 1      /* exit status when Ctrl-A x ended a machine that did not stop */

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

struct leave {
    const char *program;
    sigset_t blocked, old_mask; /* signals that are taken over; the mask before */
    int signal_fd, event_fd;
    pthread_t thread;

    pthread_mutex_t lock; /* protects all following fields; event_fd is written when they change */
    bool wanted, stopped, over;
    int signal;          /* signal that ends the program; 0: Ctrl-A x */
    int status;          /* exit status, if `signal` is 0 */
    struct clock *clock; /* NULL: no machine to stop */
    void (*stop)(void *opaque);
    void *opaque;
};

static void wake_watcher(struct leave *l)
{
    eventfd_write(l->event_fd, 1); /* fails if the counter is full, which wakes as well */
}

/* Waits for a signal or wake_watcher(), at most `timeout` ms (-1: no limit). Returns the signal,
 * or 0. */
static int wait_for(struct leave *l, int timeout)
{
    struct pollfd fds[2] = {{l->event_fd, POLLIN, 0}, {l->signal_fd, POLLIN, 0}};
    struct signalfd_siginfo info;
    eventfd_t count;

    if (poll(fds, 2, timeout) <= 0)
        return 0;
    if (fds[0].revents)
        eventfd_read(l->event_fd, &count);
    if (!fds[1].revents || read(l->signal_fd, &info, sizeof(info)) != sizeof(info))
        return 0;
    return (int)info.ssi_signo;
}

/* Posts `stop` to the machine's clock, if there is one. The lock must be held. */
static void post_stop(struct leave *l)
{
    if (l->wanted && l->clock)
        clock_post(l->clock, l->stop, l->opaque);
}

/* Ends the process by the signal, or with the status if there was no signal. */
static void end_process(const struct leave *l)
{
    if (l->signal) {
        signal(l->signal, SIG_DFL);
        kill(getpid(), l->signal);
        pthread_sigmask(SIG_SETMASK, &l->old_mask, NULL);
    }
    _exit(l->status);
}

/* Ends the process although the machine's thread has not finished. The lock must be held, so that
 * the machine's thread cannot finish meanwhile. */
static void force_end(const struct leave *l)
{
    struct itimerval patience = {.it_value = {.tv_usec = FLUSH_US}};
    sigset_t alarm;

    chardev_restore_terminal();
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    signal(SIGALRM, SIG_DFL); /* may be ignored since exec */
    pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
    setitimer(ITIMER_REAL, &patience, NULL); /* SIGALRM ends a flush that blocks */
    if (!l->stopped)
        fprintf(stderr, "\n%s: the machine does not stop; ended as it is\n", l->program);
    fflush(NULL);
    end_process(l);
}

/* Notes the signal `number` (0: none). Returns whether the program is to end, or has ended. */
static bool is_wanted(struct leave *l, int number)
{
    bool wanted;

    pthread_mutex_lock(&l->lock);
    if (number && !l->wanted) {
        __atomic_store_n(&l->wanted, true, __ATOMIC_RELAXED);
        l->signal = number;
        post_stop(l);
    }
    wanted = l->wanted || l->over;
    pthread_mutex_unlock(&l->lock);
    return wanted;
}

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Whether the program has ended by itself; after `until` ms, ends the process. */
static bool is_over(struct leave *l, uint64_t until)
{
    bool over;

    pthread_mutex_lock(&l->lock);
    over = l->over;
    if (!over && now_ms() >= until)
        force_end(l);
    pthread_mutex_unlock(&l->lock);
    return over;
}

static void *watch_signals(void *opaque)
{
    struct leave *l = opaque;
    uint64_t until;

    while (!is_wanted(l, wait_for(l, -1)))
        ;
    until = now_ms() + GRACE_MS;
    while (!is_over(l, until)) /* further signals are ignored */
        wait_for(l, GRACE_MS / 10);
    return NULL;
}

/* Blocks the signals that are not ignored (nohup ignores SIGHUP). */
static void take_signals(struct leave *l)
{
    struct sigaction action;

    sigemptyset(&l->blocked);
    for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
        if (!sigaction(signals[i], NULL, &action) && action.sa_handler != SIG_IGN)
            sigaddset(&l->blocked, signals[i]);
    }
    pthread_sigmask(SIG_BLOCK, &l->blocked, &l->old_mask);
}

static void release_handlers(struct leave *l)
{
    pthread_sigmask(SIG_SETMASK, &l->old_mask, NULL);
    if (l->signal_fd >= 0)
        close(l->signal_fd);
    if (l->event_fd >= 0)
        close(l->event_fd);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

struct leave *leave_new(const char *program, struct error *err)
{
    struct leave *l = xcalloc(1, sizeof(*l));
    int rc;

    l->program = program;
    l->status = STATUS_ENDED;
    pthread_mutex_init(&l->lock, NULL);
    take_signals(l);
    l->signal_fd = signalfd(-1, &l->blocked, SFD_CLOEXEC);
    l->event_fd = eventfd(0, EFD_CLOEXEC);
    rc = l->signal_fd < 0 || l->event_fd < 0 ? errno
                                             : pthread_create(&l->thread, NULL, watch_signals, l);
    if (!rc)
        return l;
    release_handlers(l);
    return error_null(err, "no thread waits for signals: %s", strerror(rc));
}

void leave_watch(struct leave *l, struct clock *clock, void (*stop)(void *opaque), void *opaque)
{
    pthread_mutex_lock(&l->lock);
    l->clock = clock;
    l->stop = stop;
    l->opaque = opaque;
    post_stop(l);
    pthread_mutex_unlock(&l->lock);
}

void leave_stopped(struct leave *l, int status)
{
    pthread_mutex_lock(&l->lock);
    l->clock = NULL;
    l->stopped = true;
    l->status = status;
    pthread_mutex_unlock(&l->lock);
}

const bool *leave_wanted(const struct leave *l)
{
    return &l->wanted;
}

void leave_request(struct leave *l)
{
    if (!l)
        return;
    pthread_mutex_lock(&l->lock);
    if (!l->wanted) {
        __atomic_store_n(&l->wanted, true, __ATOMIC_RELAXED);
        post_stop(l);
    }
    pthread_mutex_unlock(&l->lock);
    wake_watcher(l);
}

void leave_free(struct leave *l)
{
    if (!l)
        return;
    pthread_mutex_lock(&l->lock);
    l->over = true;
    pthread_mutex_unlock(&l->lock);
    wake_watcher(l);
    pthread_join(l->thread, NULL);
    if (l->signal)
        end_process(l);
    release_handlers(l);
}
