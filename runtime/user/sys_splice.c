/* System calls: splice, tee and vmsplice, which copy data to or from pipes. They never block the
 * host. */
#include "runtime/user/user.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "runtime/user/event_fd.h"

static bool is_pipe(int fd)
{
    struct stat st;

    return !fstat(fd, &st) && S_ISFIFO(st.st_mode);
}

/* The result of an operation from `in` to `out` (-1: memory) that was tried with SPLICE_F_NONBLOCK.
 * If it would block, the call waits, unless `no_wait` is set. */
static int64_t result_or_wait(struct thread *t, int64_t result, int in, int out, bool no_wait)
{
    if (result >= 0 || errno != EAGAIN || no_wait)
        return host_result(result);
    if (in >= 0 && fd_must_wait(in, POLLIN))
        return thread_wait_fd(t, in, POLLIN);
    if (out >= 0 && fd_must_wait(out, POLLOUT))
        return thread_wait_fd(t, out, POLLOUT);
    return thread_wait(t, WAIT_RETRY, CLOCK_NEVER);
}

/* One descriptor is a pipe. The other may be a socket or terminal, which blocks in spite of
 * SPLICE_F_NONBLOCK: it is polled first, and gets no more than it takes at once. */
int64_t sys_splice(struct thread *t, const uint64_t *arg)
{
    int in = (int)arg[0], out = (int)arg[2], flags = (int)arg[5];
    off_t *in_at = arg[1] ? guest_write(t, arg[1], sizeof(*in_at)) : NULL;
    off_t *out_at = arg[3] ? guest_write(t, arg[3], sizeof(*out_at)) : NULL;
    uint64_t len = arg[4];

    if ((arg[1] && !in_at) || (arg[3] && !out_at))
        return -EFAULT;
    if (event_fd_find(t->process, in))
        return -EINVAL;
    if (is_pipe(out) && !is_pipe(in) && fd_must_wait(in, POLLIN))
        return thread_wait_fd(t, in, POLLIN);
    if (is_pipe(in) && !is_pipe(out)) {
        if (fd_must_wait(out, POLLOUT))
            return thread_wait_fd(t, out, POLLOUT);
        len = len > PIPE_BUF && fd_may_wait(out) ? PIPE_BUF : len;
    }
    return result_or_wait(t,
                          splice(in, in_at, out, out_at, len, (unsigned)flags | SPLICE_F_NONBLOCK),
                          in, out, flags & SPLICE_F_NONBLOCK);
}

int64_t sys_tee(struct thread *t, const uint64_t *arg)
{
    int in = (int)arg[0], out = (int)arg[1], flags = (int)arg[3];

    if (event_fd_find(t->process, in))
        return -EINVAL;
    return result_or_wait(t, tee(in, out, arg[2], (unsigned)flags | SPLICE_F_NONBLOCK), in, out,
                          flags & SPLICE_F_NONBLOCK);
}

/* The end of the pipe decides the direction. SPLICE_F_GIFT is ignored: the space keeps its
 * pages. */
int64_t sys_vmsplice(struct thread *t, const uint64_t *arg)
{
    int fd = (int)arg[0], mode = fcntl(fd, F_GETFL), flags = (int)arg[3];
    bool to_memory = (mode & O_ACCMODE) == O_RDONLY;
    struct iovec vec[IOV_MAX];
    int64_t count;

    if (mode < 0 || event_fd_find(t->process, fd))
        return -EBADF;
    count = guest_get_vector(t, arg[1], arg[2], vec, to_memory);
    if (count < 0)
        return count;
    return result_or_wait(
        t,
        vmsplice(fd, vec, (size_t)count,
                 ((unsigned)flags & ~(unsigned)SPLICE_F_GIFT) | SPLICE_F_NONBLOCK),
        to_memory ? fd : -1, to_memory ? -1 : fd, flags & SPLICE_F_NONBLOCK);
}
