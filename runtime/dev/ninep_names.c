/* The 9P server: names in folders, and what is made under them. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "runtime/dev/ninep_internal.h"

/* ---- making names ---------------------------------------------------------------------------- */

/* Gives a new file its owner and mode, and answers with its qid. `failed` is the result of the call
 * that made the file. Returns 0 or an errno; a file that cannot get its owner is removed again. */
static int answer_new_file(const struct ninep *n, const struct p9_fid *folder, const char *name,
                           int failed, const struct p9_new *new, struct p9_out *out)
{
    struct stat st;
    int handle, err = 0;

    if (failed)
        return errno;
    handle = openat(folder->handle, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (handle < 0)
        return errno;
    if (p9_adopt(n, handle, new) || p9_stat(n, handle, &st)) {
        err = errno;
        unlinkat(folder->handle, name, S_ISDIR(new->mode) ? AT_REMOVEDIR : 0);
    } else {
        p9_put_qid(out, &st);
    }
    close(handle);
    return err;
}

/* Makes a regular file that holds `text`, which stands for a special file of the guest. 0, or -1
 * and errno. */
static int make_mapped(const struct p9_fid *folder, const char *name, const char *text, mode_t mode)
{
    const size_t len = strlen(text);
    int file = openat(folder->handle, name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode);
    ssize_t put;

    if (file < 0)
        return -1;
    put = write(file, text, len);
    close(file);
    if (put == (ssize_t)len)
        return 0;
    unlinkat(folder->handle, name, 0);
    errno = ENOSPC;
    return -1;
}

int p9_symlink(struct ninep *n, struct p9_fid *fid, struct p9_in *in, struct p9_out *out)
{
    struct p9_new new = {.mode = S_IFLNK | 0777, .user = fid->user};
    char name[P9_NAME], target[PATH_MAX];
    int failed;

    if (!p9_get_name(in, name) || !p9_get_string(in, target, sizeof(target)))
        return EINVAL;
    new.group = (uint32_t)p9_get(in, 4);
    if (in->bad)
        return EINVAL;
    failed = p9_mapped(n, new.mode) ? make_mapped(fid, name, target, p9_host_mode(n, new.mode))
                                    : symlinkat(target, fid->handle, name);
    return answer_new_file(n, fid, name, failed, &new, out);
}

int p9_readlink(struct ninep *n, struct p9_fid *fid, struct p9_in *in, struct p9_out *out)
{
    char target[PATH_MAX + 1];
    struct stat st, host;
    ssize_t len;

    (void)in;
    if (p9_stat(n, fid->handle, &st) || fstat(fid->handle, &host))
        return errno;
    if (S_ISLNK(st.st_mode) && S_ISREG(host.st_mode)) {
        int file = open(p9_proc(fid->handle).path, O_RDONLY | O_CLOEXEC);

        if (file < 0)
            return errno;
        len = read(file, target, PATH_MAX);
        close(file);
    } else {
        len = readlinkat(fid->handle, "", target, PATH_MAX);
    }
    if (len < 0)
        return errno;
    target[len] = '\0';
    p9_put_string(out, target);
    return 0;
}

int p9_mknod(struct ninep *n, struct p9_fid *fid, struct p9_in *in, struct p9_out *out)
{
    struct p9_new new = {.user = fid->user};
    char name[P9_NAME];
    unsigned major, minor;
    mode_t host_mode;
    int failed;

    if (!p9_get_name(in, name))
        return EINVAL;
    new.mode = (uint32_t)p9_get(in, 4);
    major = (unsigned)p9_get(in, 4);
    minor = (unsigned)p9_get(in, 4);
    new.group = (uint32_t)p9_get(in, 4);
    new.device = makedev(major, minor);
    if (in->bad || S_ISDIR(new.mode) || S_ISLNK(new.mode))
        return EINVAL;
    if (!(new.mode &S_IFMT)) /* as in mknod() */
        new.mode |= S_IFREG;
    if (!p9_mode_allowed(n, new.mode, 0))
        return EPERM;
    host_mode = p9_host_mode(n, new.mode);
    failed = p9_mapped(n, new.mode)
                 ? make_mapped(fid, name, "", host_mode)
                 : mknodat(fid->handle, name, (new.mode &S_IFMT) | host_mode, new.device);
    return answer_new_file(n, fid, name, failed, &new, out);
}

int p9_mkdir(struct ninep *n, struct p9_fid *fid, struct p9_in *in, struct p9_out *out)
{
    struct p9_new new = {.user = fid->user};
    char name[P9_NAME];
    struct stat folder;

    if (!p9_get_name(in, name))
        return EINVAL;
    new.mode = (p9_get(in, 4) & 07777) | S_IFDIR;
    new.group = (uint32_t)p9_get(in, 4);
    if (in->bad)
        return EINVAL;
    if (p9_stat(n, fid->handle, &folder))
        return errno;
    /* In a set-group-ID folder the host makes new folders set-group-ID too, and Linux's client
     * requests it. */
    if (!p9_mode_allowed(n, new.mode, folder.st_mode & S_ISGID))
        return EPERM;
    return answer_new_file(n, fid, name, mkdirat(fid->handle, name, p9_host_mode(n, new.mode)),
                           &new, out);
}

int p9_link(struct ninep *n, struct p9_fid *fid, struct p9_in *in, struct p9_out *out)
{
    const struct p9_fid *file = p9_fid(n, (uint32_t)p9_get(in, 4));
    char name[P9_NAME];

    (void)out;
    if (!p9_get_name(in, name))
        return EINVAL;
    if (!file)
        return EBADF;
    return linkat(AT_FDCWD, p9_proc(file->handle).path, fid->handle, name, AT_SYMLINK_FOLLOW)
               ? errno
               : 0;
}

/* ---- moving and removing them ---------------------------------------------------------------- */

int p9_renameat(struct ninep *n, struct p9_fid *fid, struct p9_in *in, struct p9_out *out)
{
    char from[P9_NAME], to[P9_NAME], old_path[PATH_MAX], new_path[PATH_MAX];
    const struct p9_fid *folder;

    (void)out;
    if (!p9_get_name(in, from))
        return EINVAL;
    folder = p9_fid(n, (uint32_t)p9_get(in, 4));
    if (!p9_get_name(in, to))
        return EINVAL;
    if (!folder)
        return EBADF;
    if (!p9_join(old_path, fid->path, from) || !p9_join(new_path, folder->path, to))
        return ENAMETOOLONG;
    if (renameat(fid->handle, from, folder->handle, to))
        return errno;
    p9_fids_moved(n, old_path, new_path);
    return 0;
}

int p9_unlinkat(struct ninep *n, struct p9_fid *fid, struct p9_in *in, struct p9_out *out)
{
    enum { REMOVE_FOLDER = 0x200 };
    char name[P9_NAME];
    uint32_t flags;

    (void)n, (void)out;
    if (!p9_get_name(in, name))
        return EINVAL;
    flags = (uint32_t)p9_get(in, 4);
    if (in->bad)
        return EINVAL;
    return unlinkat(fid->handle, name, flags & REMOVE_FOLDER ? AT_REMOVEDIR : 0) ? errno : 0;
}
