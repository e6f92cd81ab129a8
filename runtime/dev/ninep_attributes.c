/* The 9P server: attributes of files and of the file system. */
#include <errno.h>
#include <fcntl.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "runtime/dev/ninep_internal.h"

static void put_time(struct p9_out *out, const struct timespec *t)
{
    p9_put(out, 8, (uint64_t)t->tv_sec);
    p9_put(out, 8, (uint64_t)t->tv_nsec);
}

int p9_getattr(struct ninep *n, struct p9_fid *fid, struct p9_in *in, struct p9_out *out)
{
    static const struct timespec unknown = {0, 0};
    const uint64_t basic = 0x7ff; /* all but birth time, generation and data version */
    struct stat st;

    p9_get(in, 8); /* the wanted attributes; the basic ones are returned in any case */
    if (in->bad)
        return EINVAL;
    if (p9_stat(n, fid->handle, &st))
        return errno;
    p9_put(out, 8, basic);
    p9_put_qid(out, &st);
    p9_put(out, 4, st.st_mode);
    p9_put(out, 4, st.st_uid);
    p9_put(out, 4, st.st_gid);
    p9_put(out, 8, st.st_nlink);
    p9_put(out, 8, st.st_rdev);
    p9_put(out, 8, (uint64_t)st.st_size);
    p9_put(out, 8, (uint64_t)st.st_blksize);
    p9_put(out, 8, (uint64_t)st.st_blocks);
    put_time(out, &st.st_atim);
    put_time(out, &st.st_mtim);
    put_time(out, &st.st_ctim);
    put_time(out, &unknown);
    p9_put(out, 8, 0);
    p9_put(out, 8, 0);
    return 0;
}

/* ---- changing them --------------------------------------------------------------------------- */

enum { /* attributes that Tsetattr sets */
       SET_MODE = 1,
       SET_USER = 2,
       SET_GROUP = 4,
       SET_SIZE = 8,
       SET_ATIME = 16,
       SET_MTIME = 32,
       SET_ATIME_GIVEN = 128,
       SET_MTIME_GIVEN = 256,
};

struct changes {
    uint32_t valid, mode, user, group;
    uint64_t size, atime[2], mtime[2]; /* seconds, nanoseconds */
};

static bool get_changes(struct p9_in *in, struct changes *c)
{
    c->valid = (uint32_t)p9_get(in, 4);
    c->mode = (uint32_t)p9_get(in, 4);
    c->user = (uint32_t)p9_get(in, 4);
    c->group = (uint32_t)p9_get(in, 4);
    c->size = p9_get(in, 8);
    for (unsigned i = 0; i < 2; i++)
        c->atime[i] = p9_get(in, 8);
    for (unsigned i = 0; i < 2; i++)
        c->mtime[i] = p9_get(in, 8);
    return !in->bad;
}

static int set_mode(const struct ninep *n, int handle, const struct stat *st, uint32_t mode)
{
    mode = (mode & 07777) | (st->st_mode & S_IFMT);
    if (!p9_mode_allowed(n, mode, st->st_mode))
        return EPERM;
    return p9_change_mode(n, handle, mode) ? errno : 0;
}

static int set_size(int handle, uint64_t size)
{
    if (size > INT64_MAX)
        return EFBIG;
    return truncate(p9_proc(handle).path, (off_t)size) ? errno : 0;
}

static struct timespec time_of(uint32_t valid, uint32_t set, uint32_t given, const uint64_t time[2])
{
    struct timespec t = {.tv_sec = (time_t)time[0], .tv_nsec = (long)time[1]};

    if (!(valid & set))
        t.tv_nsec = UTIME_OMIT;
    else if (!(valid & given))
        t.tv_nsec = UTIME_NOW;
    return t;
}

static int set_times(int handle, const struct changes *c)
{
    const struct timespec when[2] = {time_of(c->valid, SET_ATIME, SET_ATIME_GIVEN, c->atime),
                                     time_of(c->valid, SET_MTIME, SET_MTIME_GIVEN, c->mtime)};

    if (c->atime[1] >= 1000000000 || c->mtime[1] >= 1000000000)
        return EINVAL;
    return utimensat(AT_FDCWD, p9_proc(handle).path, when, 0) ? errno : 0;
}

int p9_setattr(struct ninep *n, struct p9_fid *fid, struct p9_in *in, struct p9_out *out)
{
    struct changes c;
    struct stat st;
    int err = 0;

    (void)out;
    if (!get_changes(in, &c))
        return EINVAL;
    if (p9_stat(n, fid->handle, &st))
        return errno;
    if (S_ISLNK(st.st_mode) && c.valid & (SET_MODE | SET_SIZE | SET_ATIME | SET_MTIME))
        return EOPNOTSUPP;
    /* The owner first: a change of it takes set-user-ID bits away. */
    if (c.valid & (SET_USER | SET_GROUP) &&
        p9_change_owner(n, fid->handle, c.valid & SET_USER ? c.user : UINT32_MAX,
                        c.valid & SET_GROUP ? c.group : UINT32_MAX))
        return errno;
    if (c.valid & SET_MODE)
        err = set_mode(n, fid->handle, &st, c.mode);
    if (!err && c.valid & SET_SIZE)
        err = set_size(fid->handle, c.size);
    if (!err && c.valid & (SET_ATIME | SET_MTIME))
        err = set_times(fid->handle, &c);
    return err;
}

/* ---- the file system ------------------------------------------------------------------------- */

int p9_statfs(struct ninep *n, struct p9_fid *fid, struct p9_in *in, struct p9_out *out)
{
    enum { V9FS_MAGIC = 0x01021997 };
    struct statfs st;

    (void)n, (void)in;
    if (fstatfs(fid->handle, &st))
        return errno;
    p9_put(out, 4, V9FS_MAGIC);
    p9_put(out, 4, (uint64_t)st.f_bsize);
    p9_put(out, 8, st.f_blocks);
    p9_put(out, 8, st.f_bfree);
    p9_put(out, 8, st.f_bavail);
    p9_put(out, 8, st.f_files);
    p9_put(out, 8, st.f_ffree);
    p9_put(out, 8, 0);
    p9_put(out, 4, (uint64_t)st.f_namelen);
    return 0;
}
