/*
 * The 9P server: opening files and folders, reading and writing them, locks.
 *
 * Bounds      a request moves no more bytes than its message or its answer has; a list of a folder
 *             ends with the answer's room
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/bits.h"
#include "runtime/dev/ninep_internal.h"

/* ---- opening --------------------------------------------------------------------------------- */

/* Flags of the protocol, with Linux's most common numbers. */
enum {
    OPEN_ACCESS = 3,
    OPEN_EXCLUSIVE = 0200,
    OPEN_TRUNCATE = 01000,
    OPEN_APPEND = 02000,
    OPEN_DIRECTORY = 0200000,
};

static int open_flags(uint32_t flags)
{
    static const struct {
        uint32_t wire;
        int host;
    } map[] = {{OPEN_TRUNCATE, O_TRUNC}, {OPEN_APPEND, O_APPEND}, {OPEN_DIRECTORY, O_DIRECTORY}};
    int host = (int)(flags & OPEN_ACCESS) | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;

    for (size_t i = 0; i < ARRAY_SIZE(map); i++)
        host |= flags & map[i].wire ? map[i].host : 0;
    return host;
}

/* Opens the file of the handle; -1 and errno on failure. */
static int open_handle(const struct ninep *n, int handle, uint32_t flags)
{
    struct stat st;

    if (p9_stat(n, handle, &st))
        return -1;
    if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) { /* no pipes or devices of the host */
        errno = S_ISLNK(st.st_mode) ? ELOOP : EPERM;
        return -1;
    }
    return open(p9_proc(handle).path, open_flags(flags));
}

/* Assigns the open `file` to the fid, or closes it. */
static int set_file(const struct ninep *n, struct p9_fid *fid, int file, struct stat *st)
{
    DIR *dir = NULL;

    if (p9_stat(n, file, st) || (S_ISDIR(st->st_mode) && !(dir = fdopendir(file)))) {
        int err = errno;

        close(file);
        return err;
    }
    fid->file = file;
    fid->dir = dir;
    return 0;
}

/* The same, with the answer to the guest. */
static int take_file(const struct ninep *n, struct p9_fid *fid, int file, struct p9_out *out)
{
    struct stat st;
    int err = set_file(n, fid, file, &st);

    if (err)
        return err;
    p9_put_qid(out, &st);
    p9_put(out, 4, 0);
    return 0;
}

void p9_reopen(struct ninep *n, struct p9_fid *fid, uint32_t flags)
{
    struct stat st;
    int file;

    flags &= ~(uint32_t)OPEN_TRUNCATE;
    fid->flags = flags;
    if (fid->handle < 0 || (n->read_only && flags & OPEN_ACCESS))
        return;
    file = open_handle(n, fid->handle, flags);
    if (file >= 0)
        set_file(n, fid, file, &st);
}

int p9_lopen(struct ninep *n, struct p9_fid *fid, struct p9_in *in, struct p9_out *out)
{
    uint32_t flags = (uint32_t)p9_get(in, 4);
    int file;

    if (in->bad || fid->file >= 0)
        return EINVAL;
    if (n->read_only && flags & (OPEN_ACCESS | OPEN_TRUNCATE))
        return EROFS;
    fid->flags = flags;
    file = open_handle(n, fid->handle, flags);
    return file < 0 ? errno : take_file(n, fid, file, out);
}

/* Makes and opens a file, which must not exist; -1 and errno on failure. */
static int create_file(const struct ninep *n, const struct p9_fid *folder, const char *name,
                       uint32_t flags, const struct p9_new *new)
{
    int file = openat(folder->handle, name, open_flags(flags) | O_CREAT | O_EXCL,
                      p9_host_mode(n, new->mode));

    if (file >= 0 && p9_adopt(n, file, new)) {
        int err = errno;

        close(file);
        unlinkat(folder->handle, name, 0);
        errno = err;
        return -1;
    }
    return file;
}

static int open_existing(const struct ninep *n, const struct p9_fid *folder, const char *name,
                         uint32_t flags)
{
    int handle = openat(folder->handle, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), file, err;

    if (handle < 0)
        return -1;
    file = open_handle(n, handle, flags);
    err = errno;
    close(handle);
    errno = err;
    return file;
}

int p9_lcreate(struct ninep *n, struct p9_fid *fid, struct p9_in *in, struct p9_out *out)
{
    struct p9_new new = {.user = fid->user};
    char name[P9_NAME];
    uint32_t flags;
    int file, err;

    if (!p9_get_name(in, name))
        return EINVAL;
    flags = (uint32_t)p9_get(in, 4);
    new.mode = (p9_get(in, 4) & 07777) | S_IFREG;
    new.group = (uint32_t)p9_get(in, 4);
    if (in->bad || fid->file >= 0)
        return EINVAL;
    fid->flags = flags;
    if (!p9_mode_allowed(n, new.mode, 0))
        return EPERM;
    file = create_file(n, fid, name, flags, &new);
    if (file < 0 && errno == EEXIST && !(flags & OPEN_EXCLUSIVE))
        file = open_existing(n, fid, name, flags);
    if (file < 0)
        return errno;
    err = p9_fid_descend(fid, name, open(p9_proc(file).path, O_PATH | O_CLOEXEC));
    if (!err)
        return take_file(n, fid, file, out);
    close(file);
    return err;
}

/* ---- reading and writing --------------------------------------------------------------------- */

int p9_read(struct ninep *n, struct p9_fid *fid, struct p9_in *in, struct p9_out *out)
{
    uint64_t offset = p9_get(in, 8), count = p9_get(in, 4);
    uint8_t *length = out->at;
    ssize_t got;

    (void)n;
    if (in->bad || offset > INT64_MAX)
        return EINVAL;
    if (fid->file < 0 || fid->dir)
        return EBADF;
    p9_put(out, 4, 0);
    if (out->full)
        return EMSGSIZE;
    got = pread(fid->file, out->at, count < p9_room(out) ? count : p9_room(out), (off_t)offset);
    if (got < 0)
        return errno;
    le_put(length, 4, (uint64_t)got);
    out->at += got;
    return 0;
}

int p9_write(struct ninep *n, struct p9_fid *fid, struct p9_in *in, struct p9_out *out)
{
    uint64_t offset = p9_get(in, 8), count = p9_get(in, 4);
    ssize_t put;

    (void)n;
    if (in->bad || offset > INT64_MAX || count > (uint64_t)(in->end - in->at))
        return EINVAL;
    if (fid->file < 0 || fid->dir)
        return EBADF;
    put = pwrite(fid->file, in->at, count, (off_t)offset);
    if (put < 0)
        return errno;
    p9_put(out, 4, (uint64_t)put);
    return 0;
}

int p9_fsync(struct ninep *n, struct p9_fid *fid, struct p9_in *in, struct p9_out *out)
{
    uint32_t data_only = (uint32_t)p9_get(in, 4);

    (void)n, (void)out;
    if (fid->file < 0)
        return EBADF;
    return (data_only ? fdatasync(fid->file) : fsync(fid->file)) ? errno : 0;
}

/* ---- folders --------------------------------------------------------------------------------- */

/* Adds one entry; false: no room. */
static bool put_entry(const struct ninep *n, const struct p9_fid *folder,
                      const struct dirent *entry, struct p9_out *out)
{
    const size_t fixed = 13 + 8 + 1 + 2;
    struct stat st = {.st_ino = entry->d_ino,
                      .st_mode = entry->d_type == DT_DIR   ? S_IFDIR
                                 : entry->d_type == DT_LNK ? S_IFLNK
                                                           : S_IFREG};
    bool is_kept = p9_mapped(n, st.st_mode); /* the attributes have its kind */

    if (p9_room(out) < fixed + strlen(entry->d_name))
        return false;
    if (!*folder->path && !strcmp(entry->d_name, "..")) { /* the root's parent is the root */
        struct stat root;

        if (!fstat(n->root, &root))
            st.st_ino = root.st_ino;
    }
    p9_put_qid(out, &st);
    p9_put(out, 8, (uint64_t)entry->d_off);
    p9_put(out, 1, is_kept ? DT_UNKNOWN : entry->d_type); /* DT_* are the protocol's numbers */
    p9_put_string(out, entry->d_name);
    return true;
}

int p9_readdir(struct ninep *n, struct p9_fid *fid, struct p9_in *in, struct p9_out *out)
{
    uint64_t offset = p9_get(in, 8), count = p9_get(in, 4);
    uint8_t *length = out->at;
    struct dirent *entry;

    if (in->bad || offset > INT64_MAX)
        return EINVAL;
    if (!fid->dir)
        return EBADF;
    p9_put(out, 4, 0);
    if (out->full)
        return EMSGSIZE;
    if (count < p9_room(out))
        out->end = out->at + count;
    seekdir(fid->dir, (long)offset);
    while ((entry = readdir(fid->dir)) && put_entry(n, fid, entry, out))
        continue;
    le_put(length, 4, (uint64_t)(out->at - length - 4));
    return 0;
}

/* ---- locks ----------------------------------------------------------------------------------- */

/* Locks need nothing from the host: the guest is the only client. */
int p9_lock(struct ninep *n, struct p9_fid *fid, struct p9_in *in, struct p9_out *out)
{
    enum { SUCCESS = 0 };

    (void)n, (void)fid, (void)in;
    p9_put(out, 1, SUCCESS);
    return 0;
}

int p9_getlock(struct ninep *n, struct p9_fid *fid, struct p9_in *in, struct p9_out *out)
{
    enum { UNLOCKED = 2 };
    char client[P9_NAME];
    uint64_t start, length;
    uint32_t process;

    (void)n, (void)fid;
    p9_get(in, 1);
    start = p9_get(in, 8);
    length = p9_get(in, 8);
    process = (uint32_t)p9_get(in, 4);
    if (!p9_get_string(in, client, sizeof(client)))
        return EINVAL;
    p9_put(out, 1, UNLOCKED);
    p9_put(out, 8, start);
    p9_put(out, 8, length);
    p9_put(out, 4, process);
    p9_put_string(out, client);
    return 0;
}
