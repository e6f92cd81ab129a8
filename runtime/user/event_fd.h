/*
 * Descriptors of the program behind which the simulator stands: timerfd, on the program's clock, and signalfd, for the
 * program's signals. Each is the reading end of a pipe of the host, so that poll(), epoll, dup() and fork() treat it as
 * they should. The simulator keeps the writing end, makes the pipe readable, and gives the answers of read().
 */
#ifndef RUNTIME_USER_EVENT_FD_H
#define RUNTIME_USER_EVENT_FD_H

#include <stdatomic.h>

#include "runtime/user/user.h"

/* A timer's state, in memory that processes share after a fork: whose clock comes first, counts. */
struct timer_state {
    _Atomic uint64_t when; /* it expires next, as in clock_now(); CLOCK_NEVER: not armed */
    _Atomic uint64_t interval;
};

struct event_fd {
    struct process *process;
    int end;      /* the writing one, an own descriptor */
    dev_t device; /* of the pipe */
    ino_t inode;
    struct timer_state *timer; /* NULL: a signalfd */
    struct event event;        /* of a timer */
    int clock;
    uint64_t unsent; /* expirations that the pipe had no room for */
    uint64_t mask;   /* of a signalfd */
    bool readable;   /* this process has written what nobody has read as far as it knows */
};

/* A new one, without a timer; `flags` are O_CLOEXEC and O_NONBLOCK. The program's descriptor, or a negative errno. */
int64_t event_fd_new(struct process *p, int flags, struct event_fd **out);
struct event_fd *event_fd_of(const struct process *p, int fd);
/* What is behind a descriptor of the program; NULL: the host. */
static inline struct event_fd *event_fd_find(const struct process *p, int fd)
{
    return p->event_fds.len ? event_fd_of(p, fd) : NULL;
}
/* read() and readv(). */
int64_t event_fd_read(struct thread *t, int fd, const struct iovec *vec, size_t count);
/* Writes into the pipe; false: it is full, or nobody can read it any more. */
bool event_fd_put(struct event_fd *e, const void *data, size_t len);
/* Nobody has the reading end any more, no other process either. */
bool event_fd_closed(const struct event_fd *e);
/* An own descriptor has moved. */
void event_fd_follows(struct process *p, int from, int to);
/* In the child. */
void event_fd_after_fork(struct process *p);
void event_fd_free_all(struct process *p);
/* Pending or blocked signals have changed: sys_signalfd.c. */
void event_fd_signals_of(struct process *p);
static inline void event_fd_signals(struct process *p)
{
    if (p->event_fds.len)
        event_fd_signals_of(p);
}

/* sys_timerfd.c and sys_signalfd.c: the answer of read() into `to`, which has `room`; bytes, or as a call's function. */
int64_t timerfd_read(struct thread *t, struct event_fd *e, int fd, void *to, size_t room);
int64_t signalfd_read(struct thread *t, struct event_fd *e, int fd, void *to, size_t room);
bool event_fd_waits(int fd); /* no O_NONBLOCK */

#endif
