/* 9P requests about names and attributes: what a file is, and where it stands. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "runtime/dev/ninep_internal.h"

static void put_time(struct p9_out *out, const struct timespec *t)
{
    p9_put(out, 8, (uint64_t)t->tv_sec);
    p9_put(out, 8, (uint64_t)t->tv_nsec);
}

int p9_getattr(struct ninep *n, struct p9_in *in, struct p9_out *out)
{
    static const struct timespec unknown = {0, 0};
    const uint64_t basic = 0x7ff; /* all but birth time, generation and data version */
    struct p9_fid *fid = p9_get_fid(n, in);
    struct stat st;

    if (!fid)
        return EBADF;
    if (fstat(fid->file >= 0 ? fid->file : fid->handle, &st))
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

enum { /* which attributes Tsetattr sets */
       SET_MODE = 1,
       SET_UID = 2,
       SET_GID = 4,
       SET_SIZE = 8,
       SET_ATIME = 16,
       SET_MTIME = 32,
       SET_ATIME_GIVEN = 128,
       SET_MTIME_GIVEN = 256,
};

static struct timespec time_of(uint32_t valid, uint32_t set, uint32_t given, uint64_t sec,
                               uint64_t nsec)
{
    struct timespec t = {.tv_sec = (time_t)sec, .tv_nsec = (long)(nsec % 1000000000)};

    if (!(valid & set))
        t.tv_nsec = UTIME_OMIT;
    else if (!(valid & given))
        t.tv_nsec = UTIME_NOW;
    return t;
}

int p9_setattr(struct ninep *n, struct p9_in *in, struct p9_out *out)
{
    struct p9_fid *fid = p9_get_fid(n, in);
    uint32_t valid = (uint32_t)p9_get(in, 4), mode = (uint32_t)p9_get(in, 4);
    uint32_t uid = (uint32_t)p9_get(in, 4), gid = (uint32_t)p9_get(in, 4);
    uint64_t size = p9_get(in, 8), times[4];
    struct timespec when[2];
    struct stat st;
    char path[64];

    (void)out;
    for (unsigned i = 0; i < 4; i++)
        times[i] = p9_get(in, 8);
    if (!fid || in->bad)
        return EBADF;
    if (n->read_only)
        return EROFS;
    if (fstat(fid->handle, &st))
        return errno;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fid->handle);
    /* The path leads to what the handle stands for, which for a link would be its target. */
    if (S_ISLNK(st.st_mode) && valid & (SET_MODE | SET_SIZE | SET_ATIME | SET_MTIME))
        return EOPNOTSUPP;
    if (valid & SET_MODE && chmod(path, mode & 0777))
        return errno;
    if (valid & (SET_UID | SET_GID) && fchownat(fid->handle, "", valid & SET_UID ? uid : (uid_t)-1,
                                                valid & SET_GID ? gid : (gid_t)-1, AT_EMPTY_PATH))
        return errno;
    if (valid & SET_SIZE && (size > INT64_MAX ? (errno = EFBIG, -1) : truncate(path, (off_t)size)))
        return errno;
    when[0] = time_of(valid, SET_ATIME, SET_ATIME_GIVEN, times[0], times[1]);
    when[1] = time_of(valid, SET_MTIME, SET_MTIME_GIVEN, times[2], times[3]);
    if (valid & (SET_ATIME | SET_MTIME) && utimensat(AT_FDCWD, path, when, 0))
        return errno;
    return 0;
}

int p9_readlink(struct ninep *n, struct p9_in *in, struct p9_out *out)
{
    struct p9_fid *fid = p9_get_fid(n, in);
    char target[PATH_MAX + 1];
    ssize_t len;

    if (!fid)
        return EBADF;
    len = readlinkat(fid->handle, "", target, PATH_MAX);
    if (len < 0)
        return errno;
    target[len] = '\0';
    p9_put_string(out, target);
    return 0;
}

int p9_statfs(struct ninep *n, struct p9_in *in, struct p9_out *out)
{
    enum { V9FS_MAGIC = 0x01021997 };
    struct p9_fid *fid = p9_get_fid(n, in);
    struct statfs st;

    if (!fid)
        return EBADF;
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

/* ---- making names ---------------------------------------------------------------------------- */

/* A name in a folder, where a request makes or removes something. */
struct place {
    struct p9_fid *folder;
    char name[P9_NAME];
};

/* Reads one that is to change; the error number when that cannot be. */
static int get_place(struct ninep *n, struct p9_in *in, struct place *place)
{
    place->folder = p9_get_fid(n, in);
    if (!place->folder || !p9_get_name(in, place->name))
        return EINVAL;
    return n->read_only ? EROFS : 0;
}

/* Answers with what is now at the place; `failed` is the result of the call that made it. */
static int made(const struct place *place, int failed, struct p9_out *out)
{
    struct stat st;

    if (failed || fstatat(place->folder->handle, place->name, &st, AT_SYMLINK_NOFOLLOW))
        return errno;
    p9_put_qid(out, &st);
    return 0;
}

int p9_symlink(struct ninep *n, struct p9_in *in, struct p9_out *out)
{
    struct place at;
    char target[PATH_MAX];
    int err = get_place(n, in, &at);

    if (err)
        return err;
    if (!p9_get_string(in, target, sizeof(target)))
        return EINVAL;
    return made(&at, symlinkat(target, at.folder->handle, at.name), out);
}

/* Regular files, pipes and sockets; a device would be one of the host's. */
int p9_mknod(struct ninep *n, struct p9_in *in, struct p9_out *out)
{
    struct place at;
    int err = get_place(n, in, &at);
    uint32_t mode = (uint32_t)p9_get(in, 4);

    if (err)
        return err;
    if (S_ISCHR(mode) || S_ISBLK(mode))
        return EPERM;
    return made(&at, mknodat(at.folder->handle, at.name, mode & (S_IFMT | 0777), 0), out);
}

int p9_mkdir(struct ninep *n, struct p9_in *in, struct p9_out *out)
{
    struct place at;
    int err = get_place(n, in, &at);

    if (err)
        return err;
    return made(&at, mkdirat(at.folder->handle, at.name, (mode_t)p9_get(in, 4) & 0777), out);
}

int p9_link(struct ninep *n, struct p9_in *in, struct p9_out *out)
{
    struct p9_fid *folder = p9_get_fid(n, in), *fid = p9_get_fid(n, in);
    char name[P9_NAME], path[64];

    (void)out;
    if (!folder || !fid || !p9_get_name(in, name))
        return EINVAL;
    if (n->read_only)
        return EROFS;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fid->handle);
    return linkat(AT_FDCWD, path, folder->handle, name, AT_SYMLINK_FOLLOW) ? errno : 0;
}

/* ---- moving and removing them ---------------------------------------------------------------- */

int p9_renameat(struct ninep *n, struct p9_in *in, struct p9_out *out)
{
    struct place from, to;
    int err = get_place(n, in, &from);

    (void)out;
    if (!err)
        err = get_place(n, in, &to);
    if (err)
        return err;
    return renameat(from.folder->handle, from.name, to.folder->handle, to.name) ? errno : 0;
}

/* The older requests name a file by its fid alone; Linux uses the ones with folder and name. */
int p9_rename(struct ninep *n, struct p9_in *in, struct p9_out *out)
{
    (void)n, (void)in, (void)out;
    return EOPNOTSUPP;
}

int p9_remove(struct ninep *n, struct p9_in *in, struct p9_out *out)
{
    struct p9_fid *fid = p9_get_fid(n, in);

    (void)out;
    if (fid) /* a fid is gone after it, whatever became of the file */
        p9_fid_drop(n, fid);
    return EOPNOTSUPP;
}

int p9_unlinkat(struct ninep *n, struct p9_in *in, struct p9_out *out)
{
    enum { REMOVE_FOLDER = 0x200 };
    struct place at;
    int err = get_place(n, in, &at);
    int flags = p9_get(in, 4) & REMOVE_FOLDER ? AT_REMOVEDIR : 0;

    (void)out;
    if (err)
        return err;
    return unlinkat(at.folder->handle, at.name, flags) ? errno : 0;
}
