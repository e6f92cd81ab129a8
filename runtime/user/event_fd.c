/* Descriptors behind which the simulator stands (event_fd.h): their pipes, forks, read(). */
#include "runtime/user/event_fd.h"

#include "runtime/base/alloc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Below FEW event_fds, closed ones are not collected until there are 2 * FEW. */
enum { FEW = 8 };

/* Most bytes of one read(): 16 signals. */
enum { MAX_ANSWER = 2048 };

struct event_fd *event_fd_of(const struct process *p, int fd)
{
    struct stat st;

    if (fstat(fd, &st) || !S_ISFIFO(st.st_mode))
        return NULL;
    for (size_t n = 0; n < p->event_fds.len; n++) {
        struct event_fd *e = p->event_fds.data[n];

        if (e->inode == st.st_ino && e->device == st.st_dev)
            return e;
    }
    return NULL;
}

bool event_fd_waits(int fd)
{
    return !(fcntl(fd, F_GETFL) & O_NONBLOCK);
}

/* ---- life ------------------------------------------------------------------------------------ */

bool event_fd_closed(const struct event_fd *e)
{
    struct pollfd p = {.fd = e->end, .events = POLLOUT};

    return poll(&p, 1, 0) > 0 && (p.revents & (POLLERR | POLLNVAL));
}

static void free_one(struct event_fd *e)
{
    clock_cancel(&e->process->clock, &e->event);
    if (e->timer)
        munmap(e->timer, sizeof(*e->timer));
    if (e->timer_file >= 0)
        fd_drop(e->process, e->timer_file);
    fd_drop(e->process, e->end);
    free(e);
}

/* Frees event_fds that the program has closed, when their number has doubled since last time. */
static void collect_closed(struct process *p)
{
    size_t kept = 0;

    if (p->event_fds.len < p->event_fds_limit)
        return;
    for (size_t n = 0; n < p->event_fds.len; n++) {
        if (event_fd_closed(p->event_fds.data[n]))
            free_one(p->event_fds.data[n]);
        else
            p->event_fds.data[kept++] = p->event_fds.data[n];
    }
    p->event_fds.len = kept;
    p->event_fds_limit = kept < FEW ? 2 * FEW : 2 * kept;
}

/* Makes a pipe: the program gets the reading end, `e` the writing end. Only the reading end counts
 * against the program's limit of open files. */
static int64_t make_pipe(struct process *p, struct event_fd *e, int flags)
{
    int ends[2], high, fd = -1;
    struct stat st;

    nofile_lift(p);
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK)) {
        nofile_drop(p);
        return -errno;
    }
    fcntl(ends[1], F_SETPIPE_SZ, CPU_PAGE_SIZE);
    e->end = fd_keep(p, ends[1]);
    high = fcntl(ends[0], F_DUPFD_CLOEXEC, ends[1] + 1);
    close(ends[0]);
    close(ends[1]);
    nofile_drop(p);
    if (e->end >= 0 && high >= 0 && !fstat(high, &st))
        fd = fcntl(high, flags & O_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, 0);
    if (high >= 0)
        close(high);
    if (fd < 0) {
        if (e->end >= 0)
            fd_drop(p, e->end);
        return -EMFILE;
    }
    if (!(flags & O_NONBLOCK))
        fcntl(fd, F_SETFL, 0);
    e->inode = st.st_ino;
    e->device = st.st_dev;
    return fd;
}

int64_t event_fd_new(struct process *p, int flags, struct event_fd **out)
{
    struct event_fd *e = xcalloc(1, sizeof(*e));
    int64_t fd;

    collect_closed(p);
    e->process = p;
    e->timer_file = -1;
    fd = make_pipe(p, e, flags);
    if (fd < 0) {
        free(e);
        return fd;
    }
    vec_push(&p->event_fds, e);
    *out = e;
    return fd;
}

void event_fd_free_all(struct process *p)
{
    for (size_t n = 0; n < p->event_fds.len; n++)
        free_one(p->event_fds.data[n]);
    vec_free(&p->event_fds);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Blocks SIGPIPE, which the program must not see if another process closes the pipe meanwhile. */
bool event_fd_put(struct event_fd *e, const void *data, size_t len)
{
    const struct timespec now = {0, 0};
    sigset_t pipe, old;
    ssize_t wrote;

    if (event_fd_closed(e))
        return false;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigprocmask(SIG_BLOCK, &pipe, &old);
    wrote = write(e->end, data, len);
    if (wrote < 0 && errno == EPIPE)
        sigtimedwait(&pipe, NULL, &now);
    sigprocmask(SIG_SETMASK, &old, NULL);
    return wrote == (ssize_t)len;
}

/* Empties a pipe. The program's number of the reading end is unknown, so that end is opened
 * again. */
static void empty_pipe(struct event_fd *e)
{
    char path[32], byte;
    int fd;

    snprintf(path, sizeof(path), "/proc/self/fd/%d", e->end);
    nofile_lift(e->process);
    fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    nofile_drop(e->process);
    while (fd >= 0 && read(fd, &byte, 1) == 1)
        ;
    if (fd >= 0)
        close(fd);
}

/* A pipe is readable while a signal of its mask is pending and blocked. */
void event_fd_signals_of(struct process *p)
{
    uint64_t pending = 0;

    for (size_t n = 0; n < p->threads.len; n++)
        pending |= signal_pending(p->threads.data[n]) & p->threads.data[n]->mask;
    for (size_t n = 0; n < p->event_fds.len; n++) {
        struct event_fd *e = p->event_fds.data[n];
        bool readable = pending & e->mask;

        if (e->timer)
            continue;
        if (readable && !e->readable)
            e->readable = event_fd_put(e, "", 1);
        if (e->readable && !readable)
            empty_pipe(e);
        e->readable &= readable;
    }
}

/* ---- after a fork ---------------------------------------------------------------------------- */

/* Makes all the program's descriptors of `e` copies of `to`. Adds what they were to `given`, unless
 * that is NULL; one of which no copy can be kept stays as it is. */
static void redirect_descriptors(struct process *p, const struct event_fd *e, int to,
                                 struct event_fds_given *given)
{
    DIR *dir = opendir("/proc/self/fd");

    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        int fd = *entry->d_name == '.' ? -1 : atoi(entry->d_name), status;

        if (fd < 0 || fd_is_own(p, (uint64_t)fd) || event_fd_find(p, fd) != e)
            continue;
        if (given) {
            struct event_fd_given one = {fd, fd_keep(p, fd)};

            if (one.copy < 0)
                continue;
            vec_push(&given->list, one);
        }
        status = fcntl(fd, F_GETFL);
        dup3(to, fd, fcntl(fd, F_GETFD) & FD_CLOEXEC ? O_CLOEXEC : 0);
        fcntl(fd, F_SETFL, status & O_NONBLOCK);
    }
    if (dir)
        closedir(dir);
}

/* Gives a signalfd of a child a new pipe, since a signalfd shows the signals of its reader. */
static void renew_pipe(struct process *p, struct event_fd *e)
{
    struct stat st;
    int ends[2];

    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
        return;
    redirect_descriptors(p, e, ends[0], NULL);
    if (!fstat(ends[0], &st)) {
        e->inode = st.st_ino;
        e->device = st.st_dev;
    }
    dup3(ends[1], e->end, O_CLOEXEC);
    e->readable = false;
    close(ends[0]);
    close(ends[1]);
}

void event_fd_after_fork(struct process *p)
{
    if (!p->event_fds.len)
        return;
    nofile_lift(p);
    for (size_t n = 0; n < p->event_fds.len; n++) {
        p->event_fds.data[n]->unsent = 0; /* the parent writes them */
        if (!p->event_fds.data[n]->timer)
            renew_pipe(p, p->event_fds.data[n]);
    }
    nofile_drop(p);
    event_fd_signals(p);
}

/* ---- execve ---------------------------------------------------------------------------------- */

struct event_fd_state event_fd_state(const struct event_fd *e)
{
    return (struct event_fd_state){
        .end = e->end,
        .timer = e->timer_file,
        .device = e->device,
        .inode = e->inode,
        .clock = e->clock,
        .unsent = e->unsent,
        .mask = e->mask,
        .readable = e->readable,
    };
}

struct event_fd *event_fd_take_over(struct process *p, const struct event_fd_state *state)
{
    struct event_fd *e;

    if (!fd_adopt(p, state->end) || (state->timer >= 0 && !fd_adopt(p, state->timer)))
        return NULL;
    e = xcalloc(1, sizeof(*e));
    *e = (struct event_fd){
        .process = p,
        .end = state->end,
        .device = state->device,
        .inode = state->inode,
        .clock = state->clock,
        .timer_file = state->timer,
        .unsent = state->unsent,
        .mask = state->mask,
        .readable = state->readable,
    };
    vec_push(&p->event_fds, e);
    return e;
}

void event_fds_give(struct process *p, struct event_fds_given *given)
{
    nofile_lift(p);
    for (size_t n = 0; n < p->event_fds.len; n++) {
        struct event_fd *e = p->event_fds.data[n];
        int host = e->make_host(e);

        if (host < 0)
            continue;
        redirect_descriptors(p, e, host, given);
        close(host);
    }
    nofile_drop(p);
}

void event_fds_take_back(struct process *p, struct event_fds_given *given)
{
    nofile_lift(p);
    for (size_t n = 0; n < given->list.len; n++) {
        struct event_fd_given one = given->list.data[n];

        dup3(one.copy, one.fd, fcntl(one.fd, F_GETFD) & FD_CLOEXEC ? O_CLOEXEC : 0);
        fd_drop(p, one.copy);
    }
    vec_free(&given->list);
    nofile_drop(p);
}

/* ---- reading --------------------------------------------------------------------------------- */

int64_t event_fd_read(struct thread *t, int fd, const struct iovec *vec, size_t count)
{
    struct event_fd *e = event_fd_find(t->process, fd);
    uint8_t answer[MAX_ANSWER];
    size_t room = 0, done = 0;
    int64_t bytes;

    for (size_t n = 0; n < count; n++) {
        if (!vec[n].iov_base)
            return -EFAULT;
        room += vec[n].iov_len < MAX_ANSWER - room ? vec[n].iov_len : MAX_ANSWER - room;
    }
    bytes = e->read(t, e, fd, answer, room);
    for (size_t n = 0; bytes > 0 && n < count; n++) {
        size_t part = (size_t)bytes - done < vec[n].iov_len ? (size_t)bytes - done : vec[n].iov_len;

        memcpy(vec[n].iov_base, answer + done, part);
        done += part;
    }
    return bytes;
}
