/*
 * The simulator's own descriptors: the log, the trace of -strace, a pipe's end that resumes a
 * vfork()ing parent, a pipe's end per timerfd and signalfd, and a file in memory per timerfd. They
 * do not exist for the program: its calls on them fail with EBADF. A descriptor whose number the
 * program needs is moved.
 */
#include "runtime/user/user.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/user/event_fd.h"

/* Own descriptors are numbered from HIGH on, if the host's limit allows. */
enum { HIGH = 1000 };

bool fd_is_own(const struct process *p, uint64_t fd)
{
    for (size_t n = 0; n < p->own.len; n++) {
        if (p->own.data[n] == (int)fd)
            return true;
    }
    return false;
}

/* A copy with a high number; -1: none. The program's limit of open files is lifted for it. */
static int copy_high(struct process *p, int fd, int but)
{
    int copy, low;

    nofile_lift(p);
    copy = fcntl(fd, F_DUPFD_CLOEXEC, HIGH);
    if (copy < 0)
        copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (copy >= 0 && copy == but) {
        low = copy;
        copy = fcntl(fd, F_DUPFD_CLOEXEC, low + 1);
        close(low);
    }
    nofile_drop(p);
    return copy;
}

int fd_keep(struct process *p, int fd)
{
    int copy = copy_high(p, fd, -1);

    if (copy >= 0)
        vec_push(&p->own, copy);
    return copy;
}

bool fd_adopt(struct process *p, int fd)
{
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) || fd_is_own(p, (uint64_t)fd))
        return false;
    vec_push(&p->own, fd);
    return true;
}

void fd_drop(struct process *p, int fd)
{
    size_t kept = 0;

    for (size_t n = 0; n < p->own.len; n++) {
        if (p->own.data[n] != fd)
            p->own.data[kept++] = p->own.data[n];
    }
    p->own.len = kept;
    close(fd);
}

/* Makes the log use its descriptor's new number. */
static void log_follows(struct process *p, int from, int to)
{
    FILE *out = p->log->out;

    if (!out || fileno(out) != from)
        return;
    fflush(out);
    out = fdopen(to, "w");
    if (out) {
        setvbuf(out, NULL, _IOLBF, 0);
        fclose(p->log->out);
        p->log->out = out;
    }
}

/* Makes the event_fd that has the descriptor use its new number. */
static void event_fd_follows(struct process *p, int from, int to)
{
    for (size_t n = 0; n < p->event_fds.len; n++) {
        struct event_fd *e = p->event_fds.data[n];

        if (e->end == from)
            e->end = to;
        if (e->timer_file == from)
            e->timer_file = to;
    }
}

void fd_keep_log(struct process *p)
{
    int from = p->log->out ? fileno(p->log->out) : -1, to = from < 0 ? -1 : fd_keep(p, from);

    if (to >= 0)
        log_follows(p, from, to);
}

/* Keeps a copy of standard error for the trace, whatever the program does to its own. After
 * execve() the earlier copy is kept. */
void fd_keep_strace(struct process *p)
{
    int from = p->options->strace_fd ? (int)p->options->strace_fd : 2;

    p->strace_fd = p->options->strace ? fd_keep(p, from) : -1;
    if (from > 2)
        close(from);
}

void fd_make_way(struct process *p, uint64_t fd)
{
    for (size_t n = 0; n < p->own.len; n++) {
        int to = p->own.data[n] == (int)fd ? copy_high(p, (int)fd, (int)fd) : -1;

        if (to < 0)
            continue;
        p->own.data[n] = to;
        log_follows(p, (int)fd, to);
        event_fd_follows(p, (int)fd, to);
        if (p->strace_fd == (int)fd)
            p->strace_fd = to;
        close((int)fd);
    }
}

int64_t fd_close_range(struct process *p, unsigned first, unsigned last, unsigned flags)
{
    int64_t result = 0;

    if (first > last)
        return -EINVAL;
    for (uint64_t from = first; from <= last && !result;) {
        uint64_t to = last; /* up to the next own descriptor */

        for (size_t n = 0; n < p->own.len; n++) {
            if ((uint64_t)p->own.data[n] >= from && (uint64_t)p->own.data[n] <= to)
                to = (uint64_t)p->own.data[n] - 1;
        }
        if (to + 1 > from)
            result = host_result(syscall(SYS_close_range, (unsigned)from, (unsigned)to, flags));
        from = to + 1 + (to != last);
    }
    return result;
}

/* ---- RLIMIT_NOFILE --------------------------------------------------------------------------- */

/*
 * The host's soft limit is the program's, so that the host enforces it; it is lifted while the
 * simulator opens files. The program's hard limit is not set on the host, since a process cannot
 * raise it again.
 */
void nofile_lift(struct process *p)
{
    struct rlimit64 now;

    if (!prlimit64(0, RLIMIT_NOFILE, NULL, &now)) {
        now.rlim_cur = now.rlim_max;
        prlimit64(0, RLIMIT_NOFILE, &now, NULL);
    }
    (void)p;
}

void nofile_drop(struct process *p)
{
    struct rlimit64 now;

    if (!prlimit64(0, RLIMIT_NOFILE, NULL, &now)) {
        now.rlim_cur = p->nofile.rlim_cur < now.rlim_max ? p->nofile.rlim_cur : now.rlim_max;
        prlimit64(0, RLIMIT_NOFILE, &now, NULL);
    }
}

void nofile_init(struct process *p)
{
    if (prlimit64(0, RLIMIT_NOFILE, NULL, &p->nofile))
        p->nofile = (struct rlimit64){1024, 1024};
    if (p->options->nofile_given)
        p->nofile = (struct rlimit64){p->options->nofile[0], p->options->nofile[1]};
}

int64_t nofile_set(struct process *p, const struct rlimit64 *new)
{
    struct rlimit64 now;

    if (new->rlim_cur > new->rlim_max)
        return -EINVAL;
    if (prlimit64(0, RLIMIT_NOFILE, NULL, &now))
        return -errno;
    if (new->rlim_max > p->nofile.rlim_max && geteuid())
        return -EPERM;
    if (new->rlim_max > now.rlim_max && prlimit64(0, RLIMIT_NOFILE, new, NULL))
        return -errno;
    p->nofile = *new;
    nofile_drop(p);
    return 0;
}
