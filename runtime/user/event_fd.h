/*
 * Descriptors of the program that the simulator serves: timerfd, on the program's clock, and
 * signalfd, for the program's signals. Each is the reading end of a host pipe, so that the host's
 * poll(), epoll, dup() and fork() work on it. The simulator keeps the writing end, makes the pipe
 * readable, and serves read(). A program that this one executes has them, too.
 */
#ifndef RUNTIME_USER_EVENT_FD_H
#define RUNTIME_USER_EVENT_FD_H

#include <stdatomic.h>

#include "runtime/user/user.h"

/* A timer's state, shared by processes after a fork, also if they execute programs: the process
 * whose clock first reaches `when` counts the expiration. */
struct timer_state {
    _Atomic uint64_t when; /* next expiration, as process_now(); CLOCK_NEVER: not armed */
    _Atomic uint64_t interval;
};

struct event_fd;

/* Serves read() of at most `room` bytes into `to`. The result is that of a call's function. */
typedef int64_t event_fd_reader(struct thread *t, struct event_fd *e, int fd, void *to,
                                size_t room);

/* Makes a descriptor of the host's kernel with the state of `e`; what is unread stays with `e` too.
 * -1: not possible. The caller closes it. */
typedef int event_fd_maker(struct event_fd *e);

struct event_fd {
    struct process *process;
    event_fd_reader *read;
    event_fd_maker *make_host;
    int end;      /* writing end of the pipe, a descriptor of the simulator */
    dev_t device; /* device and inode identify the pipe */
    ino_t inode;
    struct timer_state *timer; /* NULL: a signalfd */
    int timer_file;            /* own descriptor of the memory that has *timer */
    struct event event;        /* a timerfd's next expiration */
    int clock;
    uint64_t unsent; /* expirations not yet written to the pipe */
    uint64_t mask;   /* a signalfd's signals */
    bool readable;   /* this process has written, and has seen no read since */
};

/* An event_fd as it is passed through execve(); the host keeps its descriptors open. */
struct event_fd_state {
    int end, timer; /* timer: event_fd.timer_file; -1: a signalfd */
    dev_t device;
    ino_t inode;
    int clock;
    uint64_t unsent, mask;
    bool readable;
};

/* Returns the state of `e` that execve() has to pass on. */
struct event_fd_state event_fd_state(const struct event_fd *e);
/* Restores the event_fd in the new process image; the caller then sets its kind (timer or signals).
 * NULL: a descriptor of the state is not open. */
struct event_fd *event_fd_take_over(struct process *p, const struct event_fd_state *state);

/* A descriptor of the program that became one of the host's kernel, and an own copy of what it
 * was. */
struct event_fd_given {
    int fd, copy;
};
struct event_fds_given {
    VEC(struct event_fd_given) list;
};

/* Replaces the program's descriptors of event_fds by timerfds and signalfds of the host's kernel,
 * for a program that the kernel executes; event_fds_take_back() undoes it. */
void event_fds_give(struct process *p, struct event_fds_given *given);
void event_fds_take_back(struct process *p, struct event_fds_given *given);

/* sys_timerfd.c: makes `e` a timer, whose state is in e->timer_file; false: not possible. */
bool timerfd_begin(struct event_fd *e);
/* sys_signalfd.c: makes `e` a signalfd. */
void signalfd_begin(struct event_fd *e);

/* Makes an event_fd whose kind (timer or signals) the caller then sets; `flags` are O_CLOEXEC and
 * O_NONBLOCK. Returns the program's descriptor, or a negative errno. */
int64_t event_fd_new(struct process *p, int flags, struct event_fd **out);
struct event_fd *event_fd_of(const struct process *p, int fd);
/* The event_fd of a program's descriptor; NULL: a descriptor of the host. */
static inline struct event_fd *event_fd_find(const struct process *p, int fd)
{
    return p->event_fds.len ? event_fd_of(p, fd) : NULL;
}
/* read() and readv(). */
int64_t event_fd_read(struct thread *t, int fd, const struct iovec *vec, size_t count);
/* Writes to the pipe; false: the pipe is full, or its reading end is closed. */
bool event_fd_put(struct event_fd *e, const void *data, size_t len);
/* Whether the pipe's reading end is closed in all processes. */
bool event_fd_closed(const struct event_fd *e);
/* To be called in the child. */
void event_fd_after_fork(struct process *p);
void event_fd_free_all(struct process *p);
/* Updates signalfds after pending or blocked signals have changed. */
void event_fd_signals_of(struct process *p);
static inline void event_fd_signals(struct process *p)
{
    if (p->event_fds.len)
        event_fd_signals_of(p);
}

/* Whether reading of the descriptor waits: it has no O_NONBLOCK. */
bool event_fd_waits(int fd);

#endif
