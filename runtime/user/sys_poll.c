/* System calls that wait for several files: poll, select, epoll. */
#include "runtime/user/user.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#define MAX_FDS 65536

static uint64_t after_ms(struct thread *t, int ms)
{
    return ms < 0 ? CLOCK_NEVER : process_now(t->process) + (uint64_t)ms * 1000000;
}

/* Sets the signal mask at va (0: none) until the call ends. */
static int64_t borrow_mask(struct thread *t, uint64_t va, uint64_t bytes)
{
    uint64_t mask;

    if (!va || t->wait.why != RESUME_FIRST)
        return 0;
    if (bytes != user_abi.set_bytes)
        return -EINVAL;
    if (guest_get_signals(t, va, &mask))
        return -EFAULT;
    signal_borrow_mask(t, mask);
    return 0;
}

/* Waits for w.fds: CALL_WAITS; CALL_REPEAT: interrupted; 0: the deadline has passed. */
static int64_t wait_for(struct thread *t, uint64_t deadline)
{
    if (t->wait.why == RESUME_SIGNAL)
        return CALL_REPEAT;
    if (t->wait.why == RESUME_TIMEOUT || deadline <= process_now(t->process))
        return 0;
    return thread_wait(t, WAIT_FDS, deadline);
}

/* ---- poll ------------------------------------------------------------------------------------ */

/* arg: address of the structures, and their count. */
static int64_t poll_until(struct thread *t, const uint64_t *arg, uint64_t deadline)
{
    uint64_t bytes = arg[1] * sizeof(struct pollfd);
    struct wait *w = &t->wait;
    int64_t waits;
    void *fds;
    int ready;

    if (arg[1] > MAX_FDS)
        return -EINVAL;
    fds = guest_write(t, arg[0], bytes);
    if (!fds)
        return -EFAULT;
    w->fds.len = 0;
    for (uint64_t n = 0; n < arg[1]; n++)
        vec_push(&w->fds, (struct pollfd){0});
    if (bytes)
        memcpy(w->fds.data, fds, bytes);
    for (uint64_t n = 0; n < arg[1]; n++) {
        struct pollfd *p = &w->fds.data[n];

        guest_order(&p->fd, sizeof(p->fd));
        guest_order(&p->events, sizeof(p->events));
        p->events = (short)flags_to_host(USER_POLL, (uint16_t)p->events);
    }
    for (uint64_t n = 0; n < arg[1]; n++) {
        if (fd_is_own(t->process, (uint64_t)w->fds.data[n].fd))
            w->fds.data[n].fd = INT_MAX; /* no descriptor */
    }
    ready = poll(w->fds.data, arg[1], 0);
    if (!ready) {
        waits = wait_for(t, deadline);
        if (waits)
            return waits;
    }
    for (uint64_t n = 0; n < arg[1]; n++) {
        uint16_t events = (uint16_t)flags_to_guest(USER_POLL, (uint16_t)w->fds.data[n].revents);

        guest_order(&events, sizeof(events));
        ((struct pollfd *)fds)[n].revents = (short)events;
    }
    return host_result(ready);
}

int64_t sys_ppoll(struct thread *t, const uint64_t *arg)
{
    uint64_t deadline;
    int64_t failed = guest_get_deadline(t, arg[2], DEADLINE_RELATIVE, &deadline);

    if (!failed)
        failed = borrow_mask(t, arg[3], arg[4]);
    return failed ? failed : poll_until(t, arg, deadline);
}

int64_t sys_poll(struct thread *t, const uint64_t *arg)
{
    return poll_until(t, arg, after_ms(t, (int)arg[2]));
}

/* ---- select ---------------------------------------------------------------------------------- */

/* The sets of a select() call: read, write, exceptional. */
struct sets {
    uint64_t bits[3][FD_SETSIZE / 64];
    uint64_t va[3]; /* 0: not given */
    unsigned count; /* file descriptors 0 .. count - 1 */
};

static uint64_t set_bytes(const struct sets *s)
{
    unsigned word = user_abi.word_bytes;

    return (s->count + 8 * word - 1) / (8 * word) * word;
}

static bool is_set(const struct sets *s, unsigned k, unsigned fd)
{
    return s->bits[k][fd / 64] >> fd % 64 & 1;
}

static int64_t get_sets(struct thread *t, const uint64_t *arg, struct sets *s)
{
    *s = (struct sets){.va = {arg[1], arg[2], arg[3]}, .count = (unsigned)arg[0]};
    if (s->count > FD_SETSIZE)
        return -EINVAL;
    for (unsigned k = 0; k < 3; k++) {
        if (s->va[k] && guest_get(t, s->va[k], s->bits[k], set_bytes(s)))
            return -EFAULT;
        guest_order_all(s->bits[k], user_abi.word_bytes, set_bytes(s) / user_abi.word_bytes);
    }
    return 0;
}

/* Writes poll()'s results to the sets; returns the number of bits set. */
static int64_t report_sets(struct thread *t, const struct sets *s)
{
    static const short shown[3] = {POLLIN | POLLHUP | POLLERR, POLLOUT | POLLERR, POLLPRI};
    struct sets found = {.count = s->count};
    int64_t bits = 0;

    vec_for_each (&t->wait.fds, p) {
        for (unsigned k = 0; k < 3; k++) {
            if (is_set(s, k, (unsigned)p->fd) && (p->revents & shown[k])) {
                found.bits[k][p->fd / 64] |= UINT64_C(1) << p->fd % 64;
                bits++;
            }
        }
    }
    for (unsigned k = 0; k < 3; k++) {
        guest_order_all(found.bits[k], user_abi.word_bytes, set_bytes(s) / user_abi.word_bytes);
        if (s->va[k] && guest_put(t, s->va[k], found.bits[k], set_bytes(s)))
            return -EFAULT;
    }
    return bits;
}

static int64_t select_until(struct thread *t, const uint64_t *arg, uint64_t deadline)
{
    struct sets s;
    int64_t failed = get_sets(t, arg, &s);

    if (failed)
        return failed;
    t->wait.fds.len = 0;
    for (unsigned fd = 0; fd < s.count; fd++) {
        short events =
            (short)((is_set(&s, 0, fd) ? POLLIN : 0) | (is_set(&s, 1, fd) ? POLLOUT : 0) |
                    (is_set(&s, 2, fd) ? POLLPRI : 0));

        if (events && fd_is_own(t->process, fd))
            return -EBADF;
        if (events)
            vec_push(&t->wait.fds, (struct pollfd){.fd = (int)fd, .events = events});
    }
    if (poll(t->wait.fds.data, t->wait.fds.len, 0) > 0) {
        vec_for_each (&t->wait.fds, p) {
            if (p->revents & POLLNVAL)
                return -EBADF;
        }
        return report_sets(t, &s);
    }
    failed = wait_for(t, deadline);
    return failed ? failed : report_sets(t, &s);
}

int64_t sys_pselect6(struct thread *t, const uint64_t *arg)
{
    struct user_masked m = {0};
    uint64_t deadline;
    int64_t failed = 0;

    if (arg[5])
        failed = guest_get_struct(t, arg[5], &layout_masked, &m);
    if (!failed)
        failed = guest_get_deadline(t, arg[4], DEADLINE_RELATIVE, &deadline);
    if (!failed)
        failed = borrow_mask(t, m.mask, m.bytes);
    return failed ? failed : select_until(t, arg, deadline);
}

int64_t sys_select(struct thread *t, const uint64_t *arg)
{
    uint64_t deadline = CLOCK_NEVER;
    struct timeval tv;

    if (arg[4]) {
        if (guest_get_struct(t, arg[4], &layout_timeval, &tv))
            return -EFAULT;
        if (tv.tv_sec < 0 || tv.tv_usec < 0)
            return -EINVAL;
        if ((uint64_t)tv.tv_sec < CLOCK_NEVER / NS_PER_SEC / 2)
            deadline = process_now(t->process) + (uint64_t)tv.tv_sec * NS_PER_SEC +
                       (uint64_t)tv.tv_usec * 1000;
    }
    return select_until(t, arg, deadline);
}

/* ---- epoll ----------------------------------------------------------------------------------- */

int64_t sys_epoll_create1(struct thread *t, const uint64_t *arg)
{
    (void)t;
    return host_result(epoll_create1((int)arg[0]));
}

int64_t sys_epoll_ctl(struct thread *t, const uint64_t *arg)
{
    struct epoll_event event = {0};

    if (arg[3] && guest_get_struct(t, arg[3], &layout_epoll_event, &event))
        return -EFAULT;
    return host_result(epoll_ctl((int)arg[0], (int)arg[1], (int)arg[2], &event));
}

int64_t sys_epoll_pwait(struct thread *t, const uint64_t *arg)
{
    enum { MAX_EVENTS = 256 };
    struct epoll_event events[MAX_EVENTS];
    int max = (int)arg[2] < MAX_EVENTS ? (int)arg[2] : MAX_EVENTS, count;
    unsigned bytes = layout_bytes(&layout_epoll_event, guest_widths(t));
    int64_t failed;

    if (max <= 0)
        return -EINVAL;
    if (!guest_write(t, arg[1], (uint64_t)max * bytes))
        return -EFAULT;
    failed = borrow_mask(t, arg[4], arg[5]);
    if (failed)
        return failed;
    count = epoll_wait((int)arg[0], events, max, 0);
    if (count) {
        for (int n = 0; n < count; n++)
            guest_put_struct(t, arg[1] + (unsigned)n * bytes, &layout_epoll_event, &events[n]);
        return host_result(count);
    }
    t->wait.fds.len = 0;
    vec_push(&t->wait.fds, (struct pollfd){.fd = (int)arg[0], .events = POLLIN});
    return wait_for(t, after_ms(t, (int)arg[3]));
}
