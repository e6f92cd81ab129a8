/* System calls: the host's POSIX message queues. A call that would block the host waits here. */
#include "runtime/user/user.h"

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Bytes of the message of SIGEV_THREAD, which is sent through a socket. */
enum { COOKIE = 32 };

int64_t sys_mq_open(struct thread *t, const uint64_t *arg)
{
    const char *name = guest_string(t, arg[0]);
    int flags = open_flags_to_host(arg[1]);
    struct mq_attr attr;
    bool with_attr = (flags & O_CREAT) && arg[3];

    if (!name || (with_attr && guest_get_struct(t, arg[3], &layout_mq_attr, &attr)))
        return -EFAULT;
    return host_result(syscall(SYS_mq_open, name, flags, (mode_t)arg[2], with_attr ? &attr : NULL));
}

int64_t sys_mq_unlink(struct thread *t, const uint64_t *arg)
{
    const char *name = guest_string(t, arg[0]);

    return name ? host_result(syscall(SYS_mq_unlink, name)) : -EFAULT;
}

int64_t sys_mq_getsetattr(struct thread *t, const uint64_t *arg)
{
    struct mq_attr new, old;

    if (arg[1] && guest_get_struct(t, arg[1], &layout_mq_attr, &new))
        return -EFAULT;
    if (syscall(SYS_mq_getsetattr, (int)arg[0], arg[1] ? &new : NULL, &old))
        return -errno;
    return arg[2] ? guest_put_struct(t, arg[2], &layout_mq_attr, &old) : 0;
}

/* ---- messages -------------------------------------------------------------------------------- */

/* The result of a host call whose deadline had passed, so that the host did not block. */
static int64_t result_or_wait(struct thread *t, int fd, short events, uint64_t deadline,
                              int64_t result)
{
    if (result >= 0 || errno != ETIMEDOUT)
        return host_result(result);
    if (t->wait.why == RESUME_TIMEOUT || deadline <= process_now(t->process))
        return -ETIMEDOUT;
    t->wait.fds.len = 0;
    vec_push(&t->wait.fds, (struct pollfd){.fd = fd, .events = events});
    return thread_wait(t, WAIT_FDS, deadline);
}

static const struct timespec passed = {0, 0};

/* Bytes of the queue's longest message; negative: fd is no queue. */
static int64_t longest_message(int fd)
{
    struct mq_attr attr;

    return syscall(SYS_mq_getsetattr, fd, NULL, &attr) ? -errno : attr.mq_msgsize;
}

int64_t sys_mq_timedsend(struct thread *t, const uint64_t *arg)
{
    int fd = (int)arg[0];
    int64_t most = longest_message(fd), failed;
    uint64_t deadline;
    const void *text;

    failed = guest_get_deadline(t, arg[4], DEADLINE_REALTIME, &deadline);
    if (failed || most < 0)
        return failed ? failed : most;
    if (arg[2] > (uint64_t)most)
        return -EMSGSIZE;
    text = guest_read(t, arg[1], arg[2]);
    if (!text)
        return -EFAULT;
    return result_or_wait(t, fd, POLLOUT, deadline,
                          syscall(SYS_mq_timedsend, fd, text, arg[2], (unsigned)arg[3], &passed));
}

int64_t sys_mq_timedreceive(struct thread *t, const uint64_t *arg)
{
    int fd = (int)arg[0];
    int64_t most = longest_message(fd), failed;
    unsigned *priority = arg[3] ? guest_write(t, arg[3], sizeof(*priority)) : NULL;
    uint64_t deadline;
    void *text;

    failed = guest_get_deadline(t, arg[4], DEADLINE_REALTIME, &deadline);
    if (failed || most < 0)
        return failed ? failed : most;
    if (arg[2] < (uint64_t)most)
        return -EMSGSIZE;
    text = guest_write(t, arg[1], (uint64_t)most);
    if (!text || (arg[3] && !priority))
        return -EFAULT;
    failed =
        result_or_wait(t, fd, POLLIN, deadline,
                       syscall(SYS_mq_timedreceive, fd, text, (size_t)most, priority, &passed));
    if (failed >= 0 && priority)
        guest_order(priority, sizeof(*priority));
    return failed;
}

/* The host sends a notification's signal to this process. For SIGEV_THREAD, whose C library listens
 * to a socket, the kernel reads the message during the call. */
int64_t sys_mq_notify(struct thread *t, const uint64_t *arg)
{
    struct user_sigevent how = {0};
    struct sigevent host = {0};

    if (!arg[1])
        return host_result(syscall(SYS_mq_notify, (int)arg[0], NULL));
    if (guest_get_struct(t, arg[1], &layout_sigevent, &how))
        return -EFAULT;
    host.sigev_notify = how.notify;
    host.sigev_signo = (int)number_to_host(USER_SIGNAL, (uint32_t)how.signal);
    host.sigev_value.sival_ptr = (void *)(uintptr_t)how.value;
    if (how.notify == SIGEV_THREAD) {
        if (fd_is_own(t->process, (uint64_t)how.signal))
            return -EBADF;
        host.sigev_value.sival_ptr = guest_read(t, how.value, COOKIE);
        if (!host.sigev_value.sival_ptr)
            return -EFAULT;
    }
    return host_result(syscall(SYS_mq_notify, (int)arg[0], &host));
}
