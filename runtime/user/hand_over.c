/*
 * The state that survives execve(). A program of the guest is executed by another process image of
 * the simulator, which starts with the state that the host's kernel keeps: files, blocked and
 * ignored signals. The rest of the state goes through a file in memory: the clock, interval timers,
 * pending signals, the personality, and timerfds and signalfds. For a program of the host, the
 * host's kernel gets timers, signals, and descriptors of its own instead.
 */
#include "runtime/user/hand_over.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <unistd.h>

#include "runtime/base/bits.h"
#include "runtime/user/event_fd.h"

/* Bounds of what is taken over: per process, and per set of pending signals. */
enum { MAX_EVENT_FDS = 1 << 20, MAX_SIGNALS = 1 << 12 };

/* Distinguishes the file from another descriptor that -handed-over names by mistake. */
#define MAGIC UINT64_C(0x7265766f646e6168)

struct state {
    uint64_t magic;
    uint64_t now, start_ns;
    uint64_t alarm[3], alarm_interval[3]; /* CLOCK_NEVER: not running */
    uint64_t signals[2];                  /* pending of the thread, and of the process */
    uint64_t event_fds;
    uint32_t personality;
};

/* ---- writing --------------------------------------------------------------------------------- */

static bool put_bytes(int fd, const void *data, size_t len)
{
    return write(fd, data, len) == (ssize_t)len;
}

static bool put_signals(int fd, const struct pending_signals *s)
{
    return put_bytes(fd, s->queue.data, s->queue.len * sizeof(*s->queue.data));
}

static bool put_all(int fd, const struct thread *t)
{
    const struct process *p = t->process;
    struct state s = {.magic = MAGIC,
                      .now = process_now(p),
                      .start_ns = p->start_ns,
                      .signals = {t->pending.queue.len, p->pending.queue.len},
                      .event_fds = p->event_fds.len,
                      .personality = p->personality};

    for (unsigned n = 0; n < ARRAY_SIZE(s.alarm); n++) {
        s.alarm[n] = event_pending(&p->alarm[n]) ? p->alarm[n].when : CLOCK_NEVER;
        s.alarm_interval[n] = p->alarm_interval[n];
    }
    if (!put_bytes(fd, &s, sizeof(s)) || !put_signals(fd, &t->pending) ||
        !put_signals(fd, &p->pending))
        return false;
    for (size_t n = 0; n < p->event_fds.len; n++) {
        struct event_fd_state e = event_fd_state(p->event_fds.data[n]);

        if (!put_bytes(fd, &e, sizeof(e)))
            return false;
    }
    return !lseek(fd, 0, SEEK_SET);
}

static void close_at_exec(const struct process *p, int flag)
{
    for (size_t n = 0; n < p->event_fds.len; n++) {
        struct event_fd_state e = event_fd_state(p->event_fds.data[n]);

        fcntl(e.end, F_SETFD, flag);
        if (e.timer >= 0)
            fcntl(e.timer, F_SETFD, flag);
    }
}

int hand_over(struct thread *t)
{
    int fd = memfd_create("handed-over", 0);

    if (fd < 0)
        return -1;
    if (!put_all(fd, t)) {
        close(fd);
        return -1;
    }
    close_at_exec(t->process, 0);
    return fd;
}

void hand_over_undo(struct process *p, int fd)
{
    if (fd < 0)
        return;
    close(fd);
    close_at_exec(p, FD_CLOEXEC);
}

/* ---- programs of the host -------------------------------------------------------------------- */

void give_to_host(struct thread *t, struct given_to_host *given)
{
    struct process *p = t->process;

    *given = (struct given_to_host){0};
    host_signal_collect(p);
    event_fds_give(p, &given->fds);
    host_signal_give(t);
    for (int n = 0; n < (int)ARRAY_SIZE(p->alarm); n++) {
        struct itimerval left = alarm_state(p, n);

        setitimer((__itimer_which_t)n, &left, NULL);
    }
    given->personality = personality(p->personality & ~user_abi.personality);
}

void take_back(struct process *p, struct given_to_host *given)
{
    const struct itimerval stopped = {0};

    for (int n = 0; n < (int)ARRAY_SIZE(p->alarm); n++)
        setitimer((__itimer_which_t)n, &stopped, NULL);
    if (given->personality >= 0)
        personality((unsigned long)given->personality);
    event_fds_take_back(p, &given->fds);
    host_signal_restore(0); /* pending signals arrive again */
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool get_bytes(int fd, void *data, size_t len)
{
    return read(fd, data, len) == (ssize_t)len;
}

static bool get_signals(int fd, struct pending_signals *s, uint64_t count)
{
    siginfo_t info;

    for (uint64_t n = 0; n < count; n++) {
        if (!get_bytes(fd, &info, sizeof(info)) || info.si_signo < 1 || info.si_signo > SIGNALS)
            return false;
        s->set |= signal_bit(info.si_signo);
        vec_push(&s->queue, info);
    }
    return true;
}

/* The new image's host clock may have another offset from the program's. */
static void set_clock(struct process *p, const struct state *s)
{
    p->host_start_ns -= s->now;
    p->start_ns = s->start_ns;
    clock_advance_to(&p->clock, s->now);
}

static bool get_event_fd(struct process *p, int fd)
{
    struct event_fd_state state;
    struct event_fd *e =
        get_bytes(fd, &state, sizeof(state)) ? event_fd_take_over(p, &state) : NULL;

    if (e && e->timer_file >= 0)
        return timerfd_begin(e);
    if (e)
        signalfd_begin(e);
    return e != NULL;
}

static bool get_all(struct process *p, int fd)
{
    struct state s;

    if (!get_bytes(fd, &s, sizeof(s)) || s.magic != MAGIC || s.event_fds > MAX_EVENT_FDS ||
        s.signals[0] > MAX_SIGNALS || s.signals[1] > MAX_SIGNALS || s.now == CLOCK_NEVER)
        return false;
    set_clock(p, &s);
    p->personality |= s.personality & ~(uint32_t)READ_IMPLIES_EXEC;
    for (unsigned n = 0; n < ARRAY_SIZE(s.alarm); n++)
        alarm_set(p, n, s.alarm[n], s.alarm_interval[n]);
    if (!get_signals(fd, &p->new_threads.data[0]->pending, s.signals[0]) ||
        !get_signals(fd, &p->pending, s.signals[1]))
        return false;
    for (uint64_t n = 0; n < s.event_fds; n++) {
        if (!get_event_fd(p, fd))
            return false;
    }
    return true;
}

bool take_over(struct process *p, int fd, struct error *err)
{
    bool ok = get_all(p, fd);

    close(fd);
    return ok || error_set(err, "-handed-over: not a state that execve() has written");
}
