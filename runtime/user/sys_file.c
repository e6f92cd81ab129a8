/* System calls on open files: reading, writing, positions, descriptors. */
#include "runtime/user/user.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <termios.h>
#include <unistd.h>

#include "runtime/user/event_fd.h"

/* Most bytes of one call, as in Linux. */
#define MAX_BYTES UINT64_C(0x7ffff000)

/* Bytes of struct termios and its successor in the kernel. */
#define TERMIOS_BYTES  36
#define TERMIOS2_BYTES 44

/* ---- waiting before what would block --------------------------------------------------------- */

bool fd_may_wait(int fd)
{
    struct stat st;
    int flags;

    /* The kind first: of most calls it is that of a file, which needs no second look. */
    if (fstat(fd, &st) || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) || S_ISBLK(st.st_mode))
        return false;
    flags = fcntl(fd, F_GETFL);
    return flags >= 0 && !(flags & O_NONBLOCK);
}

static bool is_ready(int fd, short events)
{
    struct pollfd p = {.fd = fd, .events = events};

    return poll(&p, 1, 0) != 0;
}

bool fd_must_wait(int fd, short events)
{
    return fd_may_wait(fd) && !is_ready(fd, events);
}

/* ---- reading and writing --------------------------------------------------------------------- */

static bool is_anonymous(int fd, const char *what)
{
    char link[32], name[64];
    ssize_t len;

    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    len = readlink(link, name, sizeof(name) - 1);
    name[len < 0 ? 0 : len] = 0;
    return !strcmp(name, what);
}

/* Puts numbers that the host's kernel has read or will write into the other byte order: the count
 * of an eventfd, the heads of inotify's events. */
static void order_events(int fd, uint8_t *buf, int64_t bytes)
{
    enum { HEAD = 16, NAME_LENGTH = 12 };
    uint32_t length;

    if (is_anonymous(fd, "anon_inode:[eventfd]")) {
        guest_order(buf, sizeof(uint64_t));
    } else if (is_anonymous(fd, "anon_inode:inotify")) {
        for (int64_t at = 0; at + HEAD <= bytes; at += HEAD + (int64_t)length) {
            memcpy(&length, buf + at + NAME_LENGTH, sizeof(length));
            guest_order_all(buf + at, sizeof(uint32_t), HEAD / sizeof(uint32_t));
        }
    }
}

int64_t sys_read(struct thread *t, const uint64_t *arg)
{
    int fd = (int)arg[0];
    uint64_t len = arg[2] < MAX_BYTES ? arg[2] : MAX_BYTES;
    int64_t result;
    void *buf;

    if (event_fd_find(t->process, fd))
        return event_fd_read(t, fd, &(struct iovec){guest_write(t, arg[1], len), len}, 1);
    if (len && fd_must_wait(fd, POLLIN))
        return thread_wait_fd(t, fd, POLLIN);
    buf = guest_write(t, arg[1], len);
    if (!buf)
        return -EFAULT;
    result = host_result(read(fd, buf, len));
    if (user_abi.big_endian && result >= (int64_t)sizeof(uint64_t))
        order_events(fd, buf, result);
    return result;
}

/*
 * Writes to a descriptor that may be a pipe. A part has at most PIPE_BUF bytes, so that the host
 * never blocks. Returns the bytes written; waits only before the first byte.
 */
static int64_t write_some(struct thread *t, int fd, const uint8_t *buf, uint64_t len)
{
    uint64_t done = 0;
    bool careful = fd_may_wait(fd);

    if (event_fd_find(t->process, fd))
        return -EINVAL;
    while (done < len || !len) {
        uint64_t part = careful && len - done > PIPE_BUF ? PIPE_BUF : len - done;
        ssize_t wrote;

        if (careful && !is_ready(fd, POLLOUT))
            return done ? (int64_t)done : thread_wait_fd(t, fd, POLLOUT);
        wrote = write(fd, buf + done, part);
        if (wrote <= 0)
            return done ? (int64_t)done : host_result(wrote);
        done += (uint64_t)wrote;
        if ((uint64_t)wrote < part)
            break;
    }
    return (int64_t)done;
}

int64_t sys_write(struct thread *t, const uint64_t *arg)
{
    uint64_t len = arg[2] < MAX_BYTES ? arg[2] : MAX_BYTES;
    const void *buf = guest_read(t, arg[1], len);

    uint8_t count[8];

    if (buf && user_abi.big_endian && len == sizeof(count)) {
        memcpy(count, buf, sizeof(count));
        order_events((int)arg[0], count, 0);
        buf = count;
    }
    return buf ? write_some(t, (int)arg[0], buf, len) : -EFAULT;
}

int64_t guest_get_vector(struct thread *t, uint64_t va, uint64_t count, struct iovec *out,
                         bool write)
{
    if (count > IOV_MAX)
        return -EINVAL;
    for (uint64_t n = 0; n < count; n++) {
        uint64_t at;

        if (guest_get_struct(t, va + n * layout_bytes(&layout_iovec, guest_widths(t)),
                             &layout_iovec, &out[n]))
            return -EFAULT;
        at = (uint64_t)(uintptr_t)out[n].iov_base;
        if (out[n].iov_len > MAX_BYTES)
            return -EINVAL;
        out[n].iov_base =
            write ? guest_write(t, at, out[n].iov_len) : guest_read(t, at, out[n].iov_len);
        if (!out[n].iov_base)
            return -EFAULT;
    }
    return (int64_t)count;
}

int64_t sys_readv(struct thread *t, const uint64_t *arg)
{
    struct iovec vec[IOV_MAX];
    int64_t count = guest_get_vector(t, arg[1], arg[2], vec, true);

    if (count < 0)
        return count;
    if (event_fd_find(t->process, (int)arg[0]))
        return event_fd_read(t, (int)arg[0], vec, (size_t)count);
    if (fd_must_wait((int)arg[0], POLLIN))
        return thread_wait_fd(t, (int)arg[0], POLLIN);
    return host_result(readv((int)arg[0], vec, (int)count));
}

int64_t sys_writev(struct thread *t, const uint64_t *arg)
{
    struct iovec vec[IOV_MAX];
    int64_t count = guest_get_vector(t, arg[1], arg[2], vec, false);

    if (count < 0)
        return count;
    if (fd_must_wait((int)arg[0], POLLOUT))
        return thread_wait_fd(t, (int)arg[0], POLLOUT);
    return host_result(writev((int)arg[0], vec, (int)count));
}

int64_t sys_pread64(struct thread *t, const uint64_t *arg)
{
    uint64_t len = arg[2] < MAX_BYTES ? arg[2] : MAX_BYTES;
    void *buf = guest_write(t, arg[1], len);

    return buf ? host_result(pread((int)arg[0], buf, len, (off_t)arg[3])) : -EFAULT;
}

int64_t sys_pwrite64(struct thread *t, const uint64_t *arg)
{
    uint64_t len = arg[2] < MAX_BYTES ? arg[2] : MAX_BYTES;
    const void *buf = guest_read(t, arg[1], len);

    return buf ? host_result(pwrite((int)arg[0], buf, len, (off_t)arg[3])) : -EFAULT;
}

int64_t sys_preadv(struct thread *t, const uint64_t *arg)
{
    struct iovec vec[IOV_MAX];
    int64_t count = guest_get_vector(t, arg[1], arg[2], vec, true);

    return count < 0 ? count : host_result(preadv((int)arg[0], vec, (int)count, (off_t)arg[3]));
}

int64_t sys_pwritev(struct thread *t, const uint64_t *arg)
{
    struct iovec vec[IOV_MAX];
    int64_t count = guest_get_vector(t, arg[1], arg[2], vec, false);

    return count < 0 ? count : host_result(pwritev((int)arg[0], vec, (int)count, (off_t)arg[3]));
}

/* Offset -1: at the current position, as readv() and writev(). */
int64_t sys_preadv2(struct thread *t, const uint64_t *arg)
{
    struct iovec vec[IOV_MAX];
    int64_t count = guest_get_vector(t, arg[1], arg[2], vec, true);

    if (count < 0)
        return count;
    if ((int64_t)arg[3] == -1 && !(arg[4] & RWF_NOWAIT) && fd_must_wait((int)arg[0], POLLIN))
        return thread_wait_fd(t, (int)arg[0], POLLIN);
    return host_result(preadv2((int)arg[0], vec, (int)count, (off_t)arg[3], (int)arg[4]));
}

int64_t sys_pwritev2(struct thread *t, const uint64_t *arg)
{
    struct iovec vec[IOV_MAX];
    int64_t count = guest_get_vector(t, arg[1], arg[2], vec, false);

    if (count < 0)
        return count;
    if ((int64_t)arg[3] == -1 && !(arg[4] & RWF_NOWAIT) && fd_must_wait((int)arg[0], POLLOUT))
        return thread_wait_fd(t, (int)arg[0], POLLOUT);
    return host_result(pwritev2((int)arg[0], vec, (int)count, (off_t)arg[3], (int)arg[4]));
}

/* A pointer to an offset of the guest, which is put into the host's order for a call and back by
 * with_offsets(). */
#define SWAPPED(p) ((p) ? (guest_order((p), sizeof(*(p))), (p)) : NULL)

static int64_t with_offsets(int64_t result, off_t *a, off_t *b)
{
    int64_t value = host_result(result);

    (void)SWAPPED(a);
    (void)SWAPPED(b);
    return value;
}

int64_t sys_sendfile64(struct thread *t, const uint64_t *arg)
{
    off_t *offset = arg[2] ? guest_write(t, arg[2], sizeof(*offset)) : NULL;

    if (arg[2] && !offset)
        return -EFAULT;
    return with_offsets(sendfile((int)arg[0], (int)arg[1], SWAPPED(offset), arg[3]), offset, NULL);
}

/* As sendfile64(), but the offset in memory is a word. */
int64_t sys_sendfile(struct thread *t, const uint64_t *arg)
{
    uint64_t word = 0;
    int64_t result;
    off_t offset;

    if (arg[2] && (guest_get_word(t, arg[2], &word) || guest_put_word(t, arg[2], word)))
        return -EFAULT;
    offset = (off_t)word;
    result = host_result(sendfile((int)arg[0], (int)arg[1], arg[2] ? &offset : NULL, arg[3]));
    if (result >= 0 && arg[2])
        guest_put_word(t, arg[2], (uint64_t)offset);
    return result;
}

int64_t sys_copy_file_range(struct thread *t, const uint64_t *arg)
{
    off_t *in = arg[1] ? guest_write(t, arg[1], sizeof(*in)) : NULL;
    off_t *out = arg[3] ? guest_write(t, arg[3], sizeof(*out)) : NULL;

    if ((arg[1] && !in) || (arg[3] && !out))
        return -EFAULT;
    return with_offsets(copy_file_range((int)arg[0], SWAPPED(in), (int)arg[2], SWAPPED(out), arg[4],
                                        (unsigned)arg[5]),
                        in, out);
}

int64_t sys_lseek(struct thread *t, const uint64_t *arg)
{
    (void)t;
    return host_result(lseek((int)arg[0], (off_t)arg[1], (int)arg[2]));
}

/* For words of 4 bytes: the offset is two halves, and the result is stored in memory. */
int64_t sys_llseek(struct thread *t, const uint64_t *arg)
{
    int64_t result = host_result(lseek((int)arg[0], (off_t)arg[1], (int)arg[3]));

    if (result >= 0 && guest_put_number(t, arg[2], (uint64_t)result, sizeof(result)))
        return -EFAULT;
    return result < 0 ? result : 0;
}

/* Puts entries of a directory into the guest's order. */
static void order_entries(uint8_t *buf, int64_t bytes)
{
    enum { LENGTH_AT = 16 };
    uint16_t length;

    for (int64_t at = 0; at + LENGTH_AT + 2 <= bytes; at += length) {
        memcpy(&length, buf + at + LENGTH_AT, sizeof(length));
        guest_order_all(buf + at, 8, 2);
        guest_order(buf + at + LENGTH_AT, sizeof(length));
    }
}

int64_t sys_getdents64(struct thread *t, const uint64_t *arg)
{
    uint64_t len = (uint32_t)arg[2] < MAX_BYTES ? (uint32_t)arg[2] : MAX_BYTES;
    void *buf = guest_write(t, arg[1], len);
    const struct served_entry *entry = served_find_fd(t->process, (int)arg[0]);
    int64_t got = -EFAULT;

    if (buf && entry)
        got = served_list(t->process, (int)arg[0], entry, buf, len);
    else if (buf)
        got = listing_read(t->process, (int)arg[0], buf, len);
    if (got > 0 && user_abi.big_endian)
        order_entries(buf, got);
    return got;
}

/* ---- attributes ------------------------------------------------------------------------------ */

int64_t sys_fstat(struct thread *t, const uint64_t *arg)
{
    const struct served_entry *entry = served_find_fd(t->process, (int)arg[0]);
    struct stat st;

    if (entry)
        st = served_stat(t->process, entry);
    else if (fstat((int)arg[0], &st))
        return -errno;
    return guest_put_struct(t, arg[1], user_layout(OWN_STAT), &st);
}

int64_t sys_fstatfs(struct thread *t, const uint64_t *arg)
{
    struct statfs fs;

    if (fstatfs((int)arg[0], &fs))
        return -errno;
    return guest_put_struct(t, arg[1], user_layout(OWN_STATFS), &fs);
}

int64_t sys_ftruncate(struct thread *t, const uint64_t *arg)
{
    (void)t;
    return host_result(ftruncate((int)arg[0], (off_t)arg[1]));
}

int64_t sys_fallocate(struct thread *t, const uint64_t *arg)
{
    (void)t;
    return host_result(fallocate((int)arg[0], (int)arg[1], (off_t)arg[2], (off_t)arg[3]));
}

int64_t sys_fchmod(struct thread *t, const uint64_t *arg)
{
    (void)t;
    return host_result(fchmod((int)arg[0], (mode_t)arg[1]));
}

int64_t sys_fchown(struct thread *t, const uint64_t *arg)
{
    (void)t;
    return host_result(fchown((int)arg[0], (uid_t)arg[1], (gid_t)arg[2]));
}

/* The result of trying a lock; if another open file has the lock, the call is retried. */
static int64_t result_of_lock(struct thread *t, int result)
{
    if (result < 0 && (errno == EAGAIN || errno == EACCES))
        return thread_wait(t, WAIT_RETRY, CLOCK_NEVER);
    return host_result(result);
}

int64_t sys_flock(struct thread *t, const uint64_t *arg)
{
    int operation = (int)arg[1];

    if (operation & LOCK_NB)
        return host_result(flock((int)arg[0], operation));
    return result_of_lock(t, flock((int)arg[0], operation | LOCK_NB));
}

int64_t sys_fsync(struct thread *t, const uint64_t *arg)
{
    (void)t;
    return host_result(fsync((int)arg[0]));
}

int64_t sys_fdatasync(struct thread *t, const uint64_t *arg)
{
    (void)t;
    return host_result(fdatasync((int)arg[0]));
}

int64_t sys_syncfs(struct thread *t, const uint64_t *arg)
{
    (void)t;
    return host_result(syncfs((int)arg[0]));
}

int64_t sys_sync_file_range(struct thread *t, const uint64_t *arg)
{
    (void)t;
    return host_result(
        sync_file_range((int)arg[0], (off_t)arg[1], (off_t)arg[2], (unsigned)arg[3]));
}

int64_t sys_readahead(struct thread *t, const uint64_t *arg)
{
    (void)t;
    return host_result(readahead((int)arg[0], (off_t)arg[1], arg[2]));
}

int64_t sys_sync(struct thread *t, const uint64_t *arg)
{
    (void)t, (void)arg;
    sync();
    return 0;
}

int64_t sys_fadvise64(struct thread *t, const uint64_t *arg)
{
    (void)t;
    return -posix_fadvise((int)arg[0], (off_t)arg[1], (off_t)arg[2], (int)arg[3]);
}

/* ---- descriptors ----------------------------------------------------------------------------- */

int64_t sys_close(struct thread *t, const uint64_t *arg)
{
    const struct served_entry *entry = served_find_fd(t->process, (int)arg[0]);

    if (close((int)arg[0]))
        return -errno;
    if (entry && entry->kind == SERVED_NODE)
        served_collect(t->process);
    return 0;
}

int64_t sys_close_range(struct thread *t, const uint64_t *arg)
{
    return fd_close_range(t->process, (unsigned)arg[0], (unsigned)arg[1], (unsigned)arg[2]);
}

int64_t sys_dup(struct thread *t, const uint64_t *arg)
{
    (void)t;
    return host_result(dup((int)arg[0]));
}

int64_t sys_dup2(struct thread *t, const uint64_t *arg)
{
    fd_make_way(t->process, arg[1]);
    return host_result(dup2((int)arg[0], (int)arg[1]));
}

int64_t sys_dup3(struct thread *t, const uint64_t *arg)
{
    fd_make_way(t->process, arg[1]);
    return host_result(dup3((int)arg[0], (int)arg[1], open_flags_to_host(arg[2])));
}

int64_t sys_pipe2(struct thread *t, const uint64_t *arg)
{
    int fds[2];

    if (!guest_write(t, arg[0], sizeof(fds)))
        return -EFAULT;
    if (pipe2(fds, open_flags_to_host(arg[1])))
        return -errno;
    if (guest_put_number(t, arg[0], (uint32_t)fds[0], 4))
        return -EFAULT;
    return guest_put_number(t, arg[0] + 4, (uint32_t)fds[1], 4);
}

/* The call of some ABIs that returns both descriptors in registers. */
int64_t sys_pipe(struct thread *t, const uint64_t *arg)
{
    int fds[2];

    (void)arg;
    if (pipe2(fds, 0))
        return -errno;
    user_set_second(t->cpu, (uint64_t)fds[1]);
    return fds[0];
}

int64_t sys_eventfd2(struct thread *t, const uint64_t *arg)
{
    (void)t;
    return host_result(eventfd((unsigned)arg[0], (int)arg[1]));
}

int64_t sys_memfd_create(struct thread *t, const uint64_t *arg)
{
    const char *name = guest_string(t, arg[0]);

    return name ? host_result(syscall(SYS_memfd_create, name, (unsigned)arg[1])) : -EFAULT;
}

/* Commands of locks; `command` is the host's. */
static int64_t lock_file(struct thread *t, int fd, int command, uint64_t va,
                         const struct layout *layout)
{
    bool waits = command == F_SETLKW || command == F_OFD_SETLKW;
    bool asks = command == F_GETLK || command == F_OFD_GETLK;
    struct flock lock;
    int result;

    if (guest_get_struct(t, va, layout, &lock))
        return -EFAULT;
    if (waits)
        command = command == F_SETLKW ? F_SETLK : F_OFD_SETLK;
    result = fcntl(fd, command, &lock);
    if (waits)
        return result_of_lock(t, result);
    if (!result && asks && guest_put_struct(t, va, layout, &lock))
        return -EFAULT;
    return host_result(result);
}

/* Commands for struct flock64, in ABIs with words of 4 bytes. */
enum { GETLK64 = 12, SETLK64 = 13, SETLKW64 = 14 };

/* fcntl64() of ABIs with words of 4 bytes, which have two sets of lock commands. */
int64_t sys_fcntl64(struct thread *t, const uint64_t *arg)
{
    static const int host[] = {F_GETLK, F_SETLK, F_SETLKW};
    int command = (int)arg[1];

    if (command >= GETLK64 && command <= SETLKW64)
        return lock_file(t, (int)arg[0], host[command - GETLK64], arg[2], user_layout(OWN_FLOCK64));
    return sys_fcntl(t, arg);
}

int64_t sys_fcntl(struct thread *t, const uint64_t *arg)
{
    int fd = (int)arg[0], command = (int)arg[1];
    int64_t result;

    if (command == F_SETOWN && !sandbox_may_signal(t->process, (int)arg[2]))
        return -EPERM;
    switch (command) {
    case F_GETFL:
        result = fcntl(fd, F_GETFL);
        return result < 0 ? -errno : (int64_t)open_flags_to_guest((int)result);
    case F_SETFL:
        return host_result(fcntl(fd, F_SETFL, open_flags_to_host(arg[2])));
    case F_GETLK:
    case F_SETLK:
    case F_SETLKW:
        return lock_file(t, fd, command, arg[2], user_layout(OWN_FLOCK));
    case F_OFD_GETLK:
    case F_OFD_SETLK:
    case F_OFD_SETLKW:
        return lock_file(t, fd, command, arg[2], user_layout(OWN_FLOCK64));
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
    case F_GETFD:
    case F_SETFD:
    case F_GETOWN:
    case F_SETOWN:
    case F_GETPIPE_SZ:
    case F_SETPIPE_SZ:
    case F_ADD_SEALS:
    case F_GET_SEALS:
        return host_result(fcntl(fd, command, (int)arg[2]));
    default:
        return -EINVAL;
    }
}

/* ---- ioctl ----------------------------------------------------------------------------------- */

/* Bytes that a request's argument points to; -1: the argument is a number; -2: unknown request. */
static int ioctl_bytes(unsigned long request)
{
    switch (request) {
    case TCGETS:
    case TCSETS:
    case TCSETSW:
    case TCSETSF:
        return TERMIOS_BYTES;
    case 0x802c542a: /* TCGETS2, TCSETS2, TCSETSW2, TCSETSF2 */
    case 0x402c542b:
    case 0x402c542c:
    case 0x402c542d:
        return TERMIOS2_BYTES;
    case TIOCGWINSZ:
    case TIOCSWINSZ:
        return sizeof(struct winsize);
    case TIOCGPGRP:
    case TIOCSPGRP:
    case TIOCGSID:
    case FIONREAD:
    case FIONBIO:
    case FIOASYNC:
    case TIOCOUTQ:
    case TIOCGPTN:
    case TIOCSPTLCK:
        return sizeof(int);
    case TCSBRK:
    case TCSBRKP:
    case TCXONC:
    case TCFLSH:
    case TIOCSCTTY:
    case TIOCNOTTY:
    case FIOCLEX:
    case FIONCLEX:
    case TIOCGPTPEER:
        return -1;
    default:
        return -2;
    }
}

/* The kernel's struct termios, whose flags and order of characters an ABI may have of its own. */
struct terminal {
    uint32_t input, output, control, local;
    uint8_t line, character[TERMIOS_BYTES - 17];
};
_Static_assert(sizeof(struct terminal) == TERMIOS_BYTES, "struct termios of the kernel");

static struct terminal convert_terminal(const struct terminal *from, bool to_host)
{
    struct terminal to = *from;

    if (to_host)
        guest_order_all(&to, sizeof(uint32_t), 4);
    to.input = to_host ? flags_to_host(USER_INPUT, to.input) : flags_to_guest(USER_INPUT, to.input);
    to.local = to_host ? flags_to_host(USER_LOCAL, to.local) : flags_to_guest(USER_LOCAL, to.local);
    for (unsigned n = 0; n < sizeof(to.character); n++) {
        unsigned guest = number_to_guest(USER_CONTROL, n);

        if (guest >= sizeof(to.character) || number_to_host(USER_CONTROL, guest) != n)
            continue; /* the place belongs to another character */
        to.character[to_host ? n : guest] = from->character[to_host ? guest : n];
    }
    if (!to_host)
        guest_order_all(&to, sizeof(uint32_t), 4);
    return to;
}

static int64_t terminal_ioctl(int fd, unsigned long request, struct terminal *guest)
{
    struct terminal host = convert_terminal(guest, true);
    int64_t result = host_result(ioctl(fd, request, &host));

    if (!result && request == TCGETS)
        *guest = convert_terminal(&host, false);
    return result;
}

int64_t sys_ioctl(struct thread *t, const uint64_t *arg)
{
    unsigned long request = (uint32_t)arg[1];
    int bytes = ioctl_bytes(request);
    int64_t result;
    void *data;

    if (served_ioctl(t, (int)arg[0], (uint32_t)request, arg[2], &result))
        return result;
    if (bytes == -2) {
        log_printf(t->process->log, LOG_UNIMP, "ioctl %#lx is not known\n", request);
        return fcntl((int)arg[0], F_GETFD) < 0 ? -EBADF : -ENOTTY;
    }
    if (bytes == -1)
        return host_result(ioctl((int)arg[0], request, arg[2]));
    data = guest_write(t, arg[2], (uint64_t)bytes);
    if (!data)
        return -EFAULT;
    if (bytes == TERMIOS_BYTES)
        return terminal_ioctl((int)arg[0], request, data);
    guest_order_all(data, bytes == sizeof(int) ? sizeof(int) : sizeof(short),
                    (size_t)bytes / (bytes == sizeof(int) ? sizeof(int) : sizeof(short)));
    result = host_result(ioctl((int)arg[0], request, data));
    guest_order_all(data, bytes == sizeof(int) ? sizeof(int) : sizeof(short),
                    (size_t)bytes / (bytes == sizeof(int) ? sizeof(int) : sizeof(short)));
    return result;
}
