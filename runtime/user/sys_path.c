/* System calls that take paths. */
#include "runtime/user/user.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/bits.h"

/* Declares the entry that the simulator serves for a path argument; NULL: the host's file. */
#define SERVED(name, folder, va, follow)                                                   \
    const struct served_entry *name =                                                      \
        (t)->process->served                                                               \
            ? served_find_at((t)->process, (int)(folder), guest_string((t), (va)), follow) \
            : NULL

int64_t sys_openat(struct thread *t, const uint64_t *arg)
{
    int flags = open_flags_to_host(arg[2]), fd;

    SERVED(entry, arg[0], arg[1], !(flags & O_NOFOLLOW));
    if (entry)
        return served_open(t->process, entry, flags);
    PATH_IN_ROOT(path, arg[1]);
    fd = path_open_special(t->process, path, flags);
    if (fd == -2)
        fd = openat((int)arg[0], path, flags, (mode_t)arg[3]);
    else if (fd >= 0 && (flags & O_CLOEXEC))
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    if (fd >= 0 && !sandbox_may_open(t->process, fd)) {
        close(fd);
        return -EACCES;
    }
    return host_result(fd);
}

int64_t sys_faccessat(struct thread *t, const uint64_t *arg)
{
    SERVED(entry, arg[0], arg[1], true);
    if (entry)
        return served_access(t->process, entry, (int)arg[2]);
    PATH_IN_ROOT(path, arg[1]);
    return host_result(syscall(SYS_faccessat, (int)arg[0], path, (int)arg[2]));
}

int64_t sys_faccessat2(struct thread *t, const uint64_t *arg)
{
    SERVED(entry, arg[0], arg[1], true);
    if (entry)
        return served_access(t->process, entry, (int)arg[2]);
    PATH_IN_ROOT(path, arg[1]);
    return host_result(faccessat((int)arg[0], path, (int)arg[2], (int)arg[3]));
}

int64_t sys_newfstatat(struct thread *t, const uint64_t *arg)
{
    SERVED(entry, arg[0], arg[1], !(arg[3] & AT_SYMLINK_NOFOLLOW));
    struct stat st;

    if (entry) {
        st = served_stat(t->process, entry);
        return guest_put_struct(t, arg[2], user_layout(OWN_STAT), &st);
    }
    PATH_IN_ROOT(path, arg[1]);
    if (path_is_exe(t->process, path) && !(arg[3] & AT_SYMLINK_NOFOLLOW))
        path = t->process->exe;
    if (fstatat((int)arg[0], path, &st, (int)arg[3]))
        return -errno;
    return guest_put_struct(t, arg[2], user_layout(OWN_STAT), &st);
}

/* Puts what the host has filled into the guest's order. */
static void order_statx(struct statx *x)
{
    struct statx_timestamp *times[] = {&x->stx_atime, &x->stx_btime, &x->stx_ctime, &x->stx_mtime};

    guest_order_all(&x->stx_mask, 4, 2);
    guest_order(&x->stx_attributes, 8);
    guest_order_all(&x->stx_nlink, 4, 3);
    guest_order(&x->stx_mode, 2);
    guest_order_all(&x->stx_ino, 8, 4);
    for (unsigned n = 0; n < ARRAY_SIZE(times); n++) {
        guest_order(&times[n]->tv_sec, 8);
        guest_order(&times[n]->tv_nsec, 4);
    }
    guest_order_all(&x->stx_rdev_major, 4, 4);
    guest_order(&x->stx_mnt_id, 8);
    guest_order_all(&x->stx_dio_mem_align, 4, 2);
}

/* What statx() tells of an entry that the simulator serves. */
static struct statx served_statx(const struct process *p, const struct served_entry *e)
{
    struct stat st = served_stat(p, e);

    return (struct statx){
        .stx_mask = STATX_BASIC_STATS,
        .stx_blksize = (uint32_t)st.st_blksize,
        .stx_nlink = (uint32_t)st.st_nlink,
        .stx_mode = (uint16_t)st.st_mode,
        .stx_ino = st.st_ino,
        .stx_size = (uint64_t)st.st_size,
        .stx_rdev_major = major(st.st_rdev),
        .stx_rdev_minor = minor(st.st_rdev),
    };
}

int64_t sys_statx(struct thread *t, const uint64_t *arg)
{
    void *out = guest_write(t, arg[4], sizeof(struct statx));
    SERVED(entry, arg[0], arg[1], !(arg[2] & AT_SYMLINK_NOFOLLOW));
    int64_t result;

    PATH_IN_ROOT(path, arg[1]);
    if (!out)
        return -EFAULT;
    if (entry) {
        *(struct statx *)out = served_statx(t->process, entry);
        order_statx(out);
        return 0;
    }
    result = host_result(syscall(SYS_statx, (int)arg[0], path, (int)arg[2], (unsigned)arg[3], out));
    if (!result)
        order_statx(out);
    return result;
}

int64_t sys_statfs(struct thread *t, const uint64_t *arg)
{
    struct statfs fs;

    PATH_IN_ROOT(path, arg[0]);
    if (statfs(path, &fs))
        return -errno;
    return guest_put_struct(t, arg[1], user_layout(OWN_STATFS), &fs);
}

int64_t sys_readlinkat(struct thread *t, const uint64_t *arg)
{
    char *out = guest_write(t, arg[2], arg[3]);
    SERVED(entry, arg[0], arg[1], false);
    const char *target;
    size_t len;

    PATH_IN_ROOT(path, arg[1]);
    if ((int64_t)arg[3] <= 0 || (entry && entry->kind != SERVED_LINK))
        return -EINVAL;
    if (!out)
        return -EFAULT;
    if (!entry && !path_is_exe(t->process, path))
        return host_result(readlinkat((int)arg[0], path, out, arg[3]));
    target = entry ? entry->text : t->process->exe;
    len = strlen(target);
    len = len < arg[3] ? len : arg[3];
    memcpy(out, target, len);
    return (int64_t)len;
}

int64_t sys_mkdirat(struct thread *t, const uint64_t *arg)
{
    PATH(path, arg[1]);
    return host_result(mkdirat((int)arg[0], path, (mode_t)arg[2]));
}

int64_t sys_mknodat(struct thread *t, const uint64_t *arg)
{
    PATH(path, arg[1]);
    return host_result(mknodat((int)arg[0], path, (mode_t)arg[2], (dev_t)arg[3]));
}

int64_t sys_unlinkat(struct thread *t, const uint64_t *arg)
{
    PATH(path, arg[1]);
    return host_result(unlinkat((int)arg[0], path, (int)arg[2]));
}

int64_t sys_symlinkat(struct thread *t, const uint64_t *arg)
{
    const char *target = guest_string(t, arg[0]);

    PATH(path, arg[2]);
    if (!target)
        return -EFAULT;
    return host_result(symlinkat(target, (int)arg[1], path));
}

int64_t sys_linkat(struct thread *t, const uint64_t *arg)
{
    PATH(from, arg[1]);
    PATH(to, arg[3]);
    return host_result(linkat((int)arg[0], from, (int)arg[2], to, (int)arg[4]));
}

int64_t sys_renameat(struct thread *t, const uint64_t *arg)
{
    PATH(from, arg[1]);
    PATH(to, arg[3]);
    return host_result(renameat((int)arg[0], from, (int)arg[2], to));
}

int64_t sys_renameat2(struct thread *t, const uint64_t *arg)
{
    PATH(from, arg[1]);
    PATH(to, arg[3]);
    return host_result(renameat2((int)arg[0], from, (int)arg[2], to, (unsigned)arg[4]));
}

int64_t sys_truncate(struct thread *t, const uint64_t *arg)
{
    PATH(path, arg[0]);
    return host_result(truncate(path, (off_t)arg[1]));
}

int64_t sys_chdir(struct thread *t, const uint64_t *arg)
{
    PATH(path, arg[0]);
    return host_result(chdir(path));
}

int64_t sys_chroot(struct thread *t, const uint64_t *arg)
{
    PATH(path, arg[0]);
    return host_result(chroot(path));
}

int64_t sys_fchdir(struct thread *t, const uint64_t *arg)
{
    (void)t;
    return host_result(fchdir((int)arg[0]));
}

int64_t sys_getcwd(struct thread *t, const uint64_t *arg)
{
    char *out = guest_write(t, arg[0], arg[1]);

    return out ? host_result(syscall(SYS_getcwd, out, arg[1])) : -EFAULT;
}

int64_t sys_fchmodat(struct thread *t, const uint64_t *arg)
{
    PATH(path, arg[1]);
    return host_result(fchmodat((int)arg[0], path, (mode_t)arg[2], 0));
}

int64_t sys_fchownat(struct thread *t, const uint64_t *arg)
{
    PATH(path, arg[1]);
    return host_result(fchownat((int)arg[0], path, (uid_t)arg[2], (gid_t)arg[3], (int)arg[4]));
}

int64_t sys_utimensat(struct thread *t, const uint64_t *arg)
{
    const char *path = arg[1] ? path_allowed(t->process, guest_string(t, arg[1])) : NULL;
    unsigned bytes = layout_bytes(&layout_timespec, guest_widths(t));
    struct timespec times[2];

    if ((arg[1] && !path) ||
        (arg[2] && (guest_get_struct(t, arg[2], &layout_timespec, &times[0]) ||
                    guest_get_struct(t, arg[2] + bytes, &layout_timespec, &times[1]))))
        return -EFAULT;
    return host_result(
        syscall(SYS_utimensat, (int)arg[0], path, arg[2] ? times : NULL, (int)arg[3]));
}

/* Times are in us; for older C libraries. */
int64_t sys_futimesat(struct thread *t, const uint64_t *arg)
{
    unsigned bytes = layout_bytes(&layout_timeval, guest_widths(t));
    struct timespec times[2];
    struct timeval tv;

    PATH(path, arg[1]);
    for (unsigned n = 0; arg[2] && n < 2; n++) {
        if (guest_get_struct(t, arg[2] + n * bytes, &layout_timeval, &tv))
            return -EFAULT;
        if (tv.tv_usec < 0 || tv.tv_usec >= 1000000)
            return -EINVAL;
        times[n] = (struct timespec){tv.tv_sec, tv.tv_usec * 1000};
    }
    return host_result(syscall(SYS_utimensat, (int)arg[0], path, arg[2] ? times : NULL, 0));
}

/* ---- handles --------------------------------------------------------------------------------- */

/* Bytes of a handle's head: the number of bytes behind the head, and the type. */
enum { HANDLE_HEAD = 8 };

/* The guest's handle, for the host to write or read; NULL with *failed: a bad handle. */
static void *handle_at(struct thread *t, uint64_t va, bool write, int64_t *failed)
{
    uint32_t bytes;
    void *handle;

    *failed = guest_get(t, va, &bytes, sizeof(bytes));
    if (*failed)
        return NULL;
    guest_order(&bytes, sizeof(bytes));
    *failed = -EINVAL;
    if (bytes > MAX_HANDLE_SZ)
        return NULL;
    handle =
        write ? guest_write(t, va, HANDLE_HEAD + bytes) : guest_read(t, va, HANDLE_HEAD + bytes);
    *failed = handle ? 0 : -EFAULT;
    return handle;
}

int64_t sys_name_to_handle_at(struct thread *t, const uint64_t *arg)
{
    /* A later kernel's flag is refused, by which the mount's number has 64 bits. */
    const int known = AT_SYMLINK_FOLLOW | AT_EMPTY_PATH;
    int *mount = guest_write(t, arg[3], sizeof(*mount));
    int64_t failed, result;
    void *handle;

    PATH(path, arg[1]);
    if ((int)arg[4] & ~known)
        return -EINVAL;
    handle = handle_at(t, arg[2], true, &failed);
    if (failed || !mount)
        return failed ? failed : -EFAULT;
    guest_order_all(handle, 4, 2);
    result = host_result(name_to_handle_at((int)arg[0], path, handle, mount, (int)arg[4]));
    guest_order_all(handle, 4, 2);
    if (result >= 0)
        guest_order(mount, sizeof(*mount));
    return result;
}

int64_t sys_open_by_handle_at(struct thread *t, const uint64_t *arg)
{
    int64_t failed;
    const void *handle = handle_at(t, arg[1], false, &failed);
    union {
        struct file_handle handle;
        uint8_t bytes[HANDLE_HEAD + MAX_HANDLE_SZ];
    } own;
    uint32_t bytes;
    int fd;

    if (failed)
        return failed;
    memcpy(&own, handle, HANDLE_HEAD);
    guest_order_all(&own, 4, 2);
    bytes = own.handle.handle_bytes;
    if (bytes > MAX_HANDLE_SZ) /* changed by another process */
        return -EINVAL;
    memcpy(own.bytes + HANDLE_HEAD, (const uint8_t *)handle + HANDLE_HEAD, bytes);
    fd = open_by_handle_at((int)arg[0], &own.handle, open_flags_to_host(arg[2]));
    if (fd >= 0 && !sandbox_may_open(t->process, fd)) {
        close(fd);
        return -EACCES;
    }
    return host_result(fd);
}
