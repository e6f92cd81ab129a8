/* How a system call makes its thread wait, and how another thread ends the wait. */
#include <errno.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "runtime/user/user.h"

struct thread *thread_find(const struct process *p, int tid)
{
    for (size_t n = 0; n < p->threads.len; n++) {
        if (p->threads.data[n]->tid == tid && !p->threads.data[n]->dead)
            return p->threads.data[n];
    }
    for (size_t n = 0; n < p->new_threads.len; n++) {
        if (p->new_threads.data[n]->tid == tid && !p->new_threads.data[n]->dead)
            return p->new_threads.data[n];
    }
    return NULL;
}

int64_t thread_wait(struct thread *t, enum wait_kind kind, uint64_t deadline)
{
    struct wait *w = &t->wait;

    if (w->why == RESUME_SIGNAL)
        return CALL_RESTART;
    if (w->why == RESUME_FIRST) {
        w->deadline = deadline;
        w->due = false;
        if (deadline != CLOCK_NEVER)
            clock_add(&t->process->clock, &w->timer, deadline);
    }
    w->kind = kind;
    return CALL_WAITS;
}

/* The deadline by a socket's SO_RCVTIMEO or SO_SNDTIMEO; CLOCK_NEVER: none. */
static uint64_t fd_deadline(const struct thread *t, int fd, short events)
{
    uint64_t now = process_now(t->process);
    struct timeval tv;
    socklen_t len = sizeof(tv);

    if (getsockopt(fd, SOL_SOCKET, events & POLLIN ? SO_RCVTIMEO : SO_SNDTIMEO, &tv, &len) ||
        !(tv.tv_sec | tv.tv_usec) || (uint64_t)tv.tv_sec > CLOCK_NEVER / NS_PER_SEC / 2)
        return CLOCK_NEVER;
    return now + (uint64_t)tv.tv_sec * NS_PER_SEC + (uint64_t)tv.tv_usec * 1000;
}

int64_t thread_wait_fd(struct thread *t, int fd, short events)
{
    if (t->wait.why == RESUME_TIMEOUT)
        return -EAGAIN;
    t->wait.fds.len = 0;
    vec_push(&t->wait.fds, (struct pollfd){.fd = fd, .events = events});
    return thread_wait(t, WAIT_FDS,
                       t->wait.why == RESUME_FIRST ? fd_deadline(t, fd, events) : CLOCK_NEVER);
}

void thread_wake(struct thread *t, int64_t result)
{
    clock_cancel(&t->process->clock, &t->wait.timer);
    t->wait.kind = WAIT_NOT;
    t->waits = false;
    user_set_result(t->cpu, result);
    if (t->process->options->strace)
        strace_result(t, t->wait.row->call, result);
    cpu_set_power(t->cpu, true);
}
