/* System calls: sockets. Addresses and options are laid out alike everywhere. */
#include "runtime/user/user.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAX_CONTROL 65536

/* struct msghdr as a 64-bit guest has it. */
struct guest_msghdr {
    uint64_t name;
    uint32_t name_len, pad0;
    uint64_t iov, iov_count, control, control_len;
    int32_t flags;
    uint32_t pad1;
};

/* True: the operation would make the host wait. */
static bool must_wait(int fd, short events, uint64_t flags)
{
    struct pollfd p = {.fd = fd, .events = events};
    int mode = fcntl(fd, F_GETFL);

    return mode >= 0 && !(mode & O_NONBLOCK) && !(flags & MSG_DONTWAIT) && !poll(&p, 1, 0);
}

int64_t sys_socket(struct thread *t, const uint64_t *arg)
{
    (void)t;
    return host_result(socket((int)arg[0], (int)arg[1], (int)arg[2]));
}

int64_t sys_socketpair(struct thread *t, const uint64_t *arg)
{
    int *fds = guest_write(t, arg[3], 2 * sizeof(*fds));

    return fds ? host_result(socketpair((int)arg[0], (int)arg[1], (int)arg[2], fds)) : -EFAULT;
}

int64_t sys_bind(struct thread *t, const uint64_t *arg)
{
    const void *addr = guest_read(t, arg[1], (uint32_t)arg[2]);

    return addr ? host_result(bind((int)arg[0], addr, (socklen_t)arg[2])) : -EFAULT;
}

int64_t sys_listen(struct thread *t, const uint64_t *arg)
{
    (void)t;
    return host_result(listen((int)arg[0], (int)arg[1]));
}

int64_t sys_connect(struct thread *t, const uint64_t *arg)
{
    const void *addr = guest_read(t, arg[1], (uint32_t)arg[2]);

    return addr ? host_result(connect((int)arg[0], addr, (socklen_t)arg[2])) : -EFAULT;
}

/* An address that the host fills in, or none, and the place of its length. */
struct out_address {
    struct sockaddr *addr;
    socklen_t len;
    uint64_t len_va;
};

static bool get_out(struct thread *t, uint64_t addr, uint64_t len, struct out_address *out)
{
    *out = (struct out_address){.len_va = len};
    if (!addr)
        return true;
    if (guest_get(t, len, &out->len, sizeof(out->len)))
        return false;
    out->addr = guest_write(t, addr, out->len);
    return out->addr;
}

/* The host's result, after which the length goes back to the guest. */
static int64_t put_out(struct thread *t, const struct out_address *out, int64_t result)
{
    result = host_result(result);
    if (result >= 0 && out->addr && guest_put(t, out->len_va, &out->len, sizeof(out->len)))
        return -EFAULT;
    return result;
}

int64_t sys_accept4(struct thread *t, const uint64_t *arg)
{
    struct out_address out;

    if (!get_out(t, arg[1], arg[2], &out))
        return -EFAULT;
    if (must_wait((int)arg[0], POLLIN, 0))
        return thread_wait_fd(t, (int)arg[0], POLLIN);
    return put_out(t, &out,
                   accept4((int)arg[0], out.addr, out.addr ? &out.len : NULL, (int)arg[3]));
}

int64_t sys_accept(struct thread *t, const uint64_t *arg)
{
    const uint64_t as_accept4[4] = {arg[0], arg[1], arg[2], 0};

    return sys_accept4(t, as_accept4);
}

int64_t sys_getsockname(struct thread *t, const uint64_t *arg)
{
    struct out_address out;

    if (!get_out(t, arg[1], arg[2], &out) || !out.addr)
        return -EFAULT;
    return put_out(t, &out, getsockname((int)arg[0], out.addr, &out.len));
}

int64_t sys_getpeername(struct thread *t, const uint64_t *arg)
{
    struct out_address out;

    if (!get_out(t, arg[1], arg[2], &out) || !out.addr)
        return -EFAULT;
    return put_out(t, &out, getpeername((int)arg[0], out.addr, &out.len));
}

int64_t sys_sendto(struct thread *t, const uint64_t *arg)
{
    const void *data = guest_read(t, arg[1], arg[2]);
    const struct sockaddr *to = arg[4] ? guest_read(t, arg[4], (uint32_t)arg[5]) : NULL;

    if (!data || (arg[4] && !to))
        return -EFAULT;
    if (must_wait((int)arg[0], POLLOUT, arg[3]))
        return thread_wait_fd(t, (int)arg[0], POLLOUT);
    return host_result(
        sendto((int)arg[0], data, arg[2], (int)arg[3], to, to ? (socklen_t)arg[5] : 0));
}

int64_t sys_recvfrom(struct thread *t, const uint64_t *arg)
{
    void *data = guest_write(t, arg[1], arg[2]);
    struct out_address out;

    if (!data || !get_out(t, arg[4], arg[5], &out))
        return -EFAULT;
    if (must_wait((int)arg[0], POLLIN, arg[3]))
        return thread_wait_fd(t, (int)arg[0], POLLIN);
    return put_out(
        t, &out,
        recvfrom((int)arg[0], data, arg[2], (int)arg[3], out.addr, out.addr ? &out.len : NULL));
}

int64_t sys_setsockopt(struct thread *t, const uint64_t *arg)
{
    const void *value = guest_read(t, arg[3], (uint32_t)arg[4]);

    if (!value)
        return -EFAULT;
    return host_result(setsockopt((int)arg[0], (int)arg[1], (int)arg[2], value, (socklen_t)arg[4]));
}

int64_t sys_getsockopt(struct thread *t, const uint64_t *arg)
{
    struct out_address out;

    if (!get_out(t, arg[3], arg[4], &out) || !out.addr)
        return -EFAULT;
    return put_out(t, &out, getsockopt((int)arg[0], (int)arg[1], (int)arg[2], out.addr, &out.len));
}

int64_t sys_shutdown(struct thread *t, const uint64_t *arg)
{
    (void)t;
    return host_result(shutdown((int)arg[0], (int)arg[1]));
}

/* ---- messages -------------------------------------------------------------------------------- */

/* The host's msghdr for the guest's, over `vec` with room for IOV_MAX; 0 or a negative errno. */
static int64_t get_message(struct thread *t, uint64_t va, struct guest_msghdr *g, struct msghdr *h,
                           struct iovec *vec, bool receive)
{
    if (guest_get(t, va, g, sizeof(*g)))
        return -EFAULT;
    if (g->iov_count > IOV_MAX || g->control_len > MAX_CONTROL)
        return -EMSGSIZE;
    if (guest_get(t, g->iov, vec, g->iov_count * sizeof(*vec)))
        return -EFAULT;
    for (uint64_t n = 0; n < g->iov_count; n++) {
        uint64_t at = (uint64_t)(uintptr_t)vec[n].iov_base;

        vec[n].iov_base =
            receive ? guest_write(t, at, vec[n].iov_len) : guest_read(t, at, vec[n].iov_len);
        if (!vec[n].iov_base)
            return -EFAULT;
    }
    *h = (struct msghdr){
        .msg_name = g->name ? guest_write(t, g->name, g->name_len) : NULL,
        .msg_namelen = g->name ? g->name_len : 0,
        .msg_iov = vec,
        .msg_iovlen = g->iov_count,
        .msg_control = g->control ? guest_write(t, g->control, g->control_len) : NULL,
        .msg_controllen = g->control ? g->control_len : 0,
        .msg_flags = g->flags,
    };
    return (g->name && !h->msg_name) || (g->control && !h->msg_control) ? -EFAULT : 0;
}

int64_t sys_sendmsg(struct thread *t, const uint64_t *arg)
{
    struct iovec vec[IOV_MAX];
    struct guest_msghdr g;
    struct msghdr h;
    int64_t failed = get_message(t, arg[1], &g, &h, vec, false);

    if (failed)
        return failed;
    if (must_wait((int)arg[0], POLLOUT, arg[2]))
        return thread_wait_fd(t, (int)arg[0], POLLOUT);
    return host_result(sendmsg((int)arg[0], &h, (int)arg[2]));
}

int64_t sys_recvmsg(struct thread *t, const uint64_t *arg)
{
    struct iovec vec[IOV_MAX];
    struct guest_msghdr g;
    struct msghdr h;
    int64_t result = get_message(t, arg[1], &g, &h, vec, true);

    if (result)
        return result;
    if (must_wait((int)arg[0], POLLIN, arg[2]))
        return thread_wait_fd(t, (int)arg[0], POLLIN);
    result = recvmsg((int)arg[0], &h, (int)arg[2]);
    if (result < 0)
        return host_result(result);
    g.name_len = h.msg_namelen;
    g.control_len = h.msg_controllen;
    g.flags = h.msg_flags;
    return guest_put(t, arg[1], &g, sizeof(g)) ? -EFAULT : result;
}
