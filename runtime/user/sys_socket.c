/* System calls: sockets. Addresses and most options have the same layout in all ABIs. */
#include "runtime/base/alloc.h"
#include "runtime/user/user.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/base/bits.h"

/* Most bytes of control messages on the host; a guest's layout may need 1/2 of that. */
#define MAX_CONTROL 65536

/* Whether the operation would block the host; false if the guest does not wait either. */
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
    int64_t result;

    if (!fds)
        return -EFAULT;
    result = host_result(socketpair((int)arg[0], (int)arg[1], (int)arg[2], fds));
    if (!result)
        guest_order_all(fds, sizeof(*fds), 2);
    return result;
}

/* ---- addresses ------------------------------------------------------------------------------- */

/* An address of the guest in the host's byte order: the family, and numbers that are not the
 * network's. */
struct address {
    union {
        struct sockaddr any;
        struct sockaddr_in6 in6;
        struct sockaddr_nl netlink;
        struct sockaddr_storage storage;
    };
};

static void order_address(struct address *a, sa_family_t family)
{
    if (family == AF_INET6)
        guest_order(&a->in6.sin6_scope_id, sizeof(a->in6.sin6_scope_id));
    if (family == AF_NETLINK)
        guest_order_all(&a->netlink.nl_pid, sizeof(a->netlink.nl_pid), 2);
}

/* Reads an address; NULL: not readable, or longer than any. */
static const struct sockaddr *get_address(struct thread *t, uint64_t va, uint64_t len,
                                          struct address *a)
{
    *a = (struct address){0};
    if ((uint32_t)len > sizeof(*a) || guest_get(t, va, a, (uint32_t)len))
        return NULL;
    guest_order(&a->any.sa_family, sizeof(a->any.sa_family));
    order_address(a, a->any.sa_family);
    return &a->any;
}

/* Puts an address from the host, of which `len` bytes are there, into the guest's byte order. */
static void give_address(struct sockaddr *to, socklen_t len)
{
    struct address a = {0};
    sa_family_t family;

    if (!user_abi.big_endian || len < sizeof(family))
        return;
    memcpy(&a, to, len < sizeof(a) ? len : sizeof(a));
    family = a.any.sa_family;
    order_address(&a, family);
    guest_order(&a.any.sa_family, sizeof(family));
    memcpy(to, &a, len < sizeof(a) ? len : sizeof(a));
}

int64_t sys_bind(struct thread *t, const uint64_t *arg)
{
    struct address a;
    const struct sockaddr *addr = get_address(t, arg[1], arg[2], &a);

    return addr ? host_result(bind((int)arg[0], addr, (socklen_t)arg[2])) : -EFAULT;
}

int64_t sys_listen(struct thread *t, const uint64_t *arg)
{
    (void)t;
    return host_result(listen((int)arg[0], (int)arg[1]));
}

int64_t sys_connect(struct thread *t, const uint64_t *arg)
{
    struct address a;
    const struct sockaddr *addr = get_address(t, arg[1], arg[2], &a);

    return addr ? host_result(connect((int)arg[0], addr, (socklen_t)arg[2])) : -EFAULT;
}

/* The guest's buffer for an address from the host (NULL: none), and its length's address. */
struct out_address {
    struct sockaddr *addr;
    socklen_t len, room;
    uint64_t len_va;
};

static bool get_out(struct thread *t, uint64_t addr, uint64_t len, struct out_address *out)
{
    *out = (struct out_address){.len_va = len};
    if (!addr)
        return true;
    if (guest_get(t, len, &out->len, sizeof(out->len)))
        return false;
    guest_order(&out->len, sizeof(out->len));
    out->room = out->len;
    out->addr = guest_write(t, addr, out->len);
    return out->addr;
}

/* Writes the address's length to the guest, and returns the host's result. */
static int64_t put_out(struct thread *t, const struct out_address *out, int64_t result)
{
    result = host_result(result);
    if (result >= 0 && out->addr && guest_put_number(t, out->len_va, out->len, sizeof(out->len)))
        return -EFAULT;
    return result;
}

/* As put_out() of an address. */
static int64_t put_address(struct thread *t, const struct out_address *out, int64_t result)
{
    if (result >= 0 && out->addr)
        give_address(out->addr, out->len < out->room ? out->len : out->room);
    return put_out(t, out, result);
}

int64_t sys_accept4(struct thread *t, const uint64_t *arg)
{
    struct out_address out;

    if (!get_out(t, arg[1], arg[2], &out))
        return -EFAULT;
    if (must_wait((int)arg[0], POLLIN, 0))
        return thread_wait_fd(t, (int)arg[0], POLLIN);
    return put_address(t, &out,
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
    return put_address(t, &out, getsockname((int)arg[0], out.addr, &out.len));
}

int64_t sys_getpeername(struct thread *t, const uint64_t *arg)
{
    struct out_address out;

    if (!get_out(t, arg[1], arg[2], &out) || !out.addr)
        return -EFAULT;
    return put_address(t, &out, getpeername((int)arg[0], out.addr, &out.len));
}

int64_t sys_sendto(struct thread *t, const uint64_t *arg)
{
    const void *data = guest_read(t, arg[1], arg[2]);
    struct address a;
    const struct sockaddr *to = arg[4] ? get_address(t, arg[4], arg[5], &a) : NULL;

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
    return put_address(
        t, &out,
        recvfrom((int)arg[0], data, arg[2], (int)arg[3], out.addr, out.addr ? &out.len : NULL));
}

/* Whether the option's value is a time, in words of the guest. */
static bool is_time(const uint64_t *arg)
{
    return (int)arg[1] == SOL_SOCKET && ((int)arg[2] == SO_RCVTIMEO || (int)arg[2] == SO_SNDTIMEO);
}

static int64_t set_time(struct thread *t, const uint64_t *arg)
{
    struct timeval tv;

    if ((uint32_t)arg[4] < layout_bytes(&layout_timeval, guest_widths(t)))
        return -EINVAL;
    if (guest_get_struct(t, arg[3], &layout_timeval, &tv))
        return -EFAULT;
    return host_result(setsockopt((int)arg[0], SOL_SOCKET, (int)arg[2], &tv, sizeof(tv)));
}

static int64_t get_time(struct thread *t, const uint64_t *arg)
{
    uint32_t room, bytes = layout_bytes(&layout_timeval, guest_widths(t));
    struct timeval tv;
    socklen_t len = sizeof(tv);

    if (guest_get(t, arg[4], &room, sizeof(room)))
        return -EFAULT;
    guest_order(&room, sizeof(room));
    if (room < bytes)
        return -EINVAL;
    if (getsockopt((int)arg[0], SOL_SOCKET, (int)arg[2], &tv, &len))
        return -errno;
    if (guest_put_struct(t, arg[3], &layout_timeval, &tv))
        return -EFAULT;
    return guest_put_number(t, arg[4], bytes, sizeof(bytes));
}

/* The arguments of a call, with the host's numbers of level and option. */
struct option {
    uint64_t arg[5];
};

static struct option host_option(const uint64_t *arg)
{
    struct option o;

    memcpy(o.arg, arg, sizeof(o.arg));
    o.arg[1] = number_to_host(USER_LEVEL, (uint32_t)arg[1]);
    if ((int)o.arg[1] == SOL_SOCKET)
        o.arg[2] = number_to_host(USER_OPTION, (uint32_t)arg[2]);
    return o;
}

/* Options are numbers of 4 bytes, or structures of them, unless they are addresses and filters. */
static bool is_numbers(const struct option *o, uint64_t bytes)
{
    enum { MOST = 12 }; /* struct ucred */

    return bytes == sizeof(int) ||
           ((int)o->arg[1] == SOL_SOCKET && bytes <= MOST && bytes % sizeof(int) == 0);
}

int64_t sys_setsockopt(struct thread *t, const uint64_t *arg)
{
    struct option o = host_option(arg);
    uint64_t bytes = (uint32_t)arg[4];
    void *value = (void *)(uintptr_t)guest_read(t, arg[3], bytes);
    uint32_t numbers[3];

    if (is_time(o.arg))
        return set_time(t, o.arg);
    if (!value)
        return -EFAULT;
    if (is_numbers(&o, bytes)) {
        memcpy(numbers, value, bytes);
        guest_order_all(numbers, sizeof(int), bytes / sizeof(int));
        value = numbers;
    }
    return host_result(
        setsockopt((int)arg[0], (int)o.arg[1], (int)o.arg[2], value, (socklen_t)bytes));
}

/* Converts the value of an option. The numbers of SO_TYPE and SO_ERROR differ between ABIs. */
static void order_option(const struct option *o, void *value, socklen_t len)
{
    uint32_t *number = value;

    if (!is_numbers(o, len))
        return;
    if ((int)o->arg[1] == SOL_SOCKET && (int)o->arg[2] == SO_TYPE)
        *number = number_to_guest(USER_SOCKET, *number);
    if ((int)o->arg[1] == SOL_SOCKET && (int)o->arg[2] == SO_ERROR)
        *number = number_to_guest(USER_ERRNO, *number);
    guest_order_all(value, sizeof(int), len / sizeof(int));
}

int64_t sys_getsockopt(struct thread *t, const uint64_t *arg)
{
    struct option o = host_option(arg);
    struct out_address out;
    int64_t result;

    if (is_time(o.arg))
        return get_time(t, o.arg);
    if (!get_out(t, arg[3], arg[4], &out) || !out.addr)
        return -EFAULT;
    result = getsockopt((int)arg[0], (int)o.arg[1], (int)o.arg[2], out.addr, &out.len);
    if (!result)
        order_option(&o, out.addr, out.len);
    return put_out(t, &out, result);
}

int64_t sys_shutdown(struct thread *t, const uint64_t *arg)
{
    (void)t;
    return host_result(shutdown((int)arg[0], (int)arg[1]));
}

/* ---- messages -------------------------------------------------------------------------------- */

/* A guest's message: `g` has the guest's addresses, `h` the host's. */
struct message {
    struct msghdr g, h;
    struct address name;
    struct iovec vec[IOV_MAX];
    _Alignas(struct cmsghdr) uint8_t control[MAX_CONTROL];
};

static const struct layout_widths host_widths = {sizeof(long), sizeof(long), false};

/* Converts the level of a control message, in the direction that the level itself shows where the
 * numbers differ. Returns whether it is SOL_SOCKET. */
static bool convert_level(struct cmsghdr *head, bool to_host)
{
    uint32_t level = (uint32_t)head->cmsg_level;
    bool ours = to_host ? number_to_host(USER_LEVEL, level) == SOL_SOCKET : level == SOL_SOCKET;

    if (ours)
        head->cmsg_level = (int)(to_host ? SOL_SOCKET : number_to_guest(USER_LEVEL, SOL_SOCKET));
    return ours;
}

/* Copies the control messages at `from` to `to` in another layout. A message is a head, whose first
 * word is its length, and data; both are aligned to words. Returns the bytes written. */
static size_t copy_control(struct layout_widths from_widths, const uint8_t *from, size_t len,
                           struct layout_widths to_widths, uint8_t *to, size_t room)
{
    size_t from_head = layout_bytes(&layout_cmsghdr, from_widths);
    size_t to_head = layout_bytes(&layout_cmsghdr, to_widths), done = 0;

    while (len >= from_head) {
        struct cmsghdr head;
        size_t data, whole;
        bool is_ours;

        layout_to_host(&layout_cmsghdr, from_widths, from, &head);
        if (head.cmsg_len < from_head || head.cmsg_len > len)
            break;
        data = head.cmsg_len - from_head;
        if (done + to_head + data > room)
            break;
        whole = align_up(head.cmsg_len, from_widths.word);
        head.cmsg_len = to_head + data;
        is_ours = convert_level(&head, to_widths.word == host_widths.word &&
                                           to_widths.swap == host_widths.swap);
        layout_to_guest(&layout_cmsghdr, to_widths, to + done, &head);
        memcpy(to + done + to_head, from + from_head, data);
        if (is_ours && data % sizeof(int) == 0) /* descriptors, or struct ucred */
            guest_order_all(to + done + to_head, sizeof(int), data / sizeof(int));
        done += align_up(to_head + data, to_widths.word);
        done = done < room ? done : room;
        from += whole < len ? whole : len;
        len -= whole < len ? whole : len;
    }
    return done;
}

/* 0 or a negative errno. */
static int64_t get_message(struct thread *t, uint64_t va, struct message *m, bool receive)
{
    struct msghdr *g = &m->g, *h = &m->h;
    int64_t count;

    if (guest_get_struct(t, va, &layout_msghdr, g))
        return -EFAULT;
    if (g->msg_iovlen > IOV_MAX || g->msg_controllen > MAX_CONTROL / 2)
        return -EMSGSIZE;
    count = guest_get_vector(t, (uint64_t)(uintptr_t)g->msg_iov, g->msg_iovlen, m->vec, receive);
    if (count < 0)
        return count;
    *h = *g;
    h->msg_iov = m->vec;
    h->msg_control = g->msg_control ? m->control : NULL;
    h->msg_controllen = g->msg_control ? MAX_CONTROL : 0;
    h->msg_namelen = g->msg_name ? g->msg_namelen : 0;
    if (g->msg_name && receive)
        h->msg_name = guest_write(t, (uint64_t)(uintptr_t)g->msg_name, g->msg_namelen);
    else if (g->msg_name)
        h->msg_name = (void *)(uintptr_t)get_address(t, (uint64_t)(uintptr_t)g->msg_name,
                                                     g->msg_namelen, &m->name);
    return g->msg_name && !h->msg_name ? -EFAULT : 0;
}

/* Whether the control messages pass a descriptor of the simulator. */
static bool sends_own(const struct process *p, struct msghdr *h)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c; c = CMSG_NXTHDR(h, c)) {
        const uint8_t *end = (const uint8_t *)c + c->cmsg_len;

        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        for (const uint8_t *at = CMSG_DATA(c); at + sizeof(int) <= end; at += sizeof(int)) {
            int fd;

            memcpy(&fd, at, sizeof(fd));
            if (fd_is_own(p, (uint64_t)fd))
                return true;
        }
    }
    return false;
}

static int64_t send_message(struct thread *t, const uint64_t *arg, struct message *m)
{
    int64_t failed = get_message(t, arg[1], m, false);

    if (failed)
        return failed;
    if (m->h.msg_control) {
        size_t len = m->g.msg_controllen;
        const void *from = guest_read(t, (uint64_t)(uintptr_t)m->g.msg_control, len);

        if (!from)
            return -EFAULT;
        m->h.msg_controllen =
            copy_control(guest_widths(t), from, len, host_widths, m->control, MAX_CONTROL);
        if (sends_own(t->process, &m->h))
            return -EBADF;
    }
    if (must_wait((int)arg[0], POLLOUT, arg[2]))
        return thread_wait_fd(t, (int)arg[0], POLLOUT);
    return host_result(sendmsg((int)arg[0], &m->h, (int)arg[2]));
}

static int64_t receive_message(struct thread *t, const uint64_t *arg, struct message *m)
{
    int64_t result = get_message(t, arg[1], m, true);
    uint8_t *to;

    if (result)
        return result;
    to = guest_write(t, (uint64_t)(uintptr_t)m->g.msg_control, m->g.msg_controllen);
    if (m->h.msg_control && !to)
        return -EFAULT;
    if (m->h.msg_control && user_abi.word_bytes == sizeof(long))
        m->h.msg_controllen = m->g.msg_controllen; /* the host reports truncation */
    if (must_wait((int)arg[0], POLLIN, arg[2]))
        return thread_wait_fd(t, (int)arg[0], POLLIN);
    result = recvmsg((int)arg[0], &m->h, (int)arg[2]);
    if (result < 0)
        return host_result(result);
    if (m->h.msg_name)
        give_address(m->h.msg_name,
                     m->h.msg_namelen < m->g.msg_namelen ? m->h.msg_namelen : m->g.msg_namelen);
    m->g.msg_namelen = m->h.msg_namelen;
    m->g.msg_controllen = copy_control(host_widths, m->control, m->h.msg_controllen,
                                       guest_widths(t), to, m->g.msg_controllen);
    m->g.msg_flags = m->h.msg_flags;
    return guest_put_struct(t, arg[1], &layout_msghdr, &m->g) ? -EFAULT : result;
}

int64_t sys_sendmsg(struct thread *t, const uint64_t *arg)
{
    struct message *m = xcalloc(1, sizeof(*m));
    int64_t result = send_message(t, arg, m);

    free(m);
    return result;
}

int64_t sys_recvmsg(struct thread *t, const uint64_t *arg)
{
    struct message *m = xcalloc(1, sizeof(*m));
    int64_t result = receive_message(t, arg, m);

    free(m);
    return result;
}

/* ---- several messages ------------------------------------------------------------------------ */

typedef int64_t message_fn(struct thread *t, const uint64_t *arg, struct message *m);

/* Calls fn for each message, whose length follows it, until one fails. wait.done counts finished
 * messages across waits. */
static int64_t call_for_messages(struct thread *t, const uint64_t *arg, uint64_t flags,
                                 message_fn *fn)
{
    uint64_t count = (uint32_t)arg[2] < IOV_MAX ? (uint32_t)arg[2] : IOV_MAX, *done = &t->wait.done;
    unsigned head = layout_bytes(&layout_msghdr, guest_widths(t));
    unsigned step = (unsigned)align_up(head + sizeof(uint32_t), user_abi.word_bytes);
    struct message *m = xcalloc(1, sizeof(*m));
    int64_t result = 0;

    while (*done < count && result >= 0) {
        uint64_t one[] = {arg[0], arg[1] + *done * step, flags & ~(uint64_t)MSG_WAITFORONE};
        uint32_t len;

        if (*done && t->wait.until <= process_now(t->process))
            break;
        if (*done && (flags & MSG_WAITFORONE))
            one[2] |= MSG_DONTWAIT;
        result = fn(t, one, m);
        len = (uint32_t)result;
        if (result >= 0 && guest_put_number(t, one[1] + head, len, sizeof(len)))
            result = -EFAULT;
        *done += result >= 0;
    }
    free(m);
    return result == CALL_WAITS || (result < 0 && !*done) ? result : (int64_t)*done;
}

int64_t sys_sendmmsg(struct thread *t, const uint64_t *arg)
{
    if (t->wait.why == RESUME_FIRST) {
        t->wait.done = 0;
        t->wait.until = CLOCK_NEVER;
    }
    return call_for_messages(t, arg, (uint32_t)arg[3], send_message);
}

/* As in Linux, the timeout is checked after each message and does not end a wait. */
int64_t sys_recvmmsg(struct thread *t, const uint64_t *arg)
{
    uint64_t now = process_now(t->process), left;
    struct timespec rest;
    int64_t result;

    if (t->wait.why == RESUME_FIRST) {
        t->wait.done = 0;
        result = guest_get_deadline(t, arg[4], DEADLINE_RELATIVE, &t->wait.until);
        if (result)
            return result;
    }
    result = call_for_messages(t, arg, (uint32_t)arg[3], receive_message);
    if (result <= 0 || !arg[4])
        return result;
    left = t->wait.until > now ? t->wait.until - now : 0;
    rest = (struct timespec){(time_t)(left / NS_PER_SEC), (long)(left % NS_PER_SEC)};
    return guest_put_struct(t, arg[4], &layout_timespec, &rest) ? -EFAULT : result;
}
