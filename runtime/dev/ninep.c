/* The 9P server: sessions, fids, opening, reading and writing. */
#include "runtime/dev/ninep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/dev/ninep_internal.h"

#define PROTOCOL "9P2000.L"

/* ---- fids ------------------------------------------------------------------------------------ */

struct p9_fid *p9_fid(struct ninep *n, uint32_t number)
{
    for (size_t i = 0; i < n->fid_count; i++) {
        if (n->fids[i].number == number)
            return &n->fids[i];
    }
    return NULL;
}

struct p9_fid *p9_get_fid(struct ninep *n, struct p9_in *in)
{
    return p9_fid(n, (uint32_t)p9_get(in, 4));
}

int p9_fid_add(struct ninep *n, uint32_t number, int handle)
{
    if (p9_fid(n, number) || n->fid_count == P9_FIDS) {
        close(handle);
        return n->fid_count == P9_FIDS ? EMFILE : EBADF;
    }
    n->fids[n->fid_count++] = (struct p9_fid){.number = number, .handle = handle, .file = -1};
    return 0;
}

static void close_file(struct p9_fid *fid)
{
    if (fid->dir)
        closedir(fid->dir);
    else if (fid->file >= 0)
        close(fid->file);
    fid->dir = NULL;
    fid->file = -1;
}

void p9_fid_drop(struct ninep *n, struct p9_fid *fid)
{
    close_file(fid);
    close(fid->handle);
    *fid = n->fids[--n->fid_count];
}

void ninep_reset(struct ninep *n)
{
    while (n->fid_count)
        p9_fid_drop(n, &n->fids[n->fid_count - 1]);
}

/* ---- sessions -------------------------------------------------------------------------------- */

static int version(struct ninep *n, struct p9_in *in, struct p9_out *out)
{
    uint32_t size = (uint32_t)p9_get(in, 4);
    char name[32];
    bool known = p9_get_string(in, name, sizeof(name)) && !strcmp(name, PROTOCOL);

    if (in->bad || size < NINEP_MIN_MESSAGE)
        return EINVAL;
    ninep_reset(n);
    n->message = size < NINEP_MAX_MESSAGE ? size : NINEP_MAX_MESSAGE;
    p9_put(out, 4, n->message);
    p9_put_string(out, known ? PROTOCOL : "unknown");
    return 0;
}

static int attach(struct ninep *n, struct p9_in *in, struct p9_out *out)
{
    uint32_t number = (uint32_t)p9_get(in, 4);
    struct stat st;
    int handle;

    if (in->bad)
        return EINVAL;
    handle = openat(n->root, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (handle < 0 || fstat(handle, &st)) {
        int err = errno;

        if (handle >= 0)
            close(handle);
        return err;
    }
    p9_put_qid(out, &st);
    return p9_fid_add(n, number, handle);
}

static int flush(struct ninep *n, struct p9_in *in, struct p9_out *out)
{
    (void)n, (void)in, (void)out; /* every request was answered when it came */
    return 0;
}

static bool is_root(const struct ninep *n, int handle)
{
    struct stat root, st;

    return !fstat(n->root, &root) && !fstat(handle, &st) && root.st_dev == st.st_dev &&
           root.st_ino == st.st_ino;
}

/* One step: a handle of `name` in the folder `from`; above the root there is nothing. */
static int step(const struct ninep *n, int from, const char *name)
{
    if (!*name || strchr(name, '/')) {
        errno = ENOENT;
        return -1;
    }
    if (!strcmp(name, "..") && is_root(n, from))
        name = ".";
    return openat(from, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

static int walk(struct ninep *n, struct p9_in *in, struct p9_out *out)
{
    struct p9_fid *fid = p9_get_fid(n, in);
    uint32_t number = (uint32_t)p9_get(in, 4);
    unsigned steps = (unsigned)p9_get(in, 2), done = 0;
    uint8_t *count = out->at;
    int at, err = 0;

    if (!fid || in->bad || steps > P9_WALK)
        return EBADF;
    at = fcntl(fid->handle, F_DUPFD_CLOEXEC, 0);
    if (at < 0)
        return errno;
    p9_put(out, 2, 0);
    for (; done < steps && !err; done++) {
        char name[P9_NAME];
        struct stat st;
        int next = p9_get_string(in, name, sizeof(name)) ? step(n, at, name) : (errno = EINVAL, -1);

        if (next < 0 || fstat(next, &st)) {
            err = errno;
            if (next >= 0)
                close(next);
            break;
        }
        close(at);
        at = next;
        p9_put_qid(out, &st);
    }
    le_put(count, 2, done);
    if (done < steps) { /* a walk that comes part of the way gives no fid */
        close(at);
        return done ? 0 : err;
    }
    if (number == fid->number) {
        close(fid->handle);
        fid->handle = at;
        return 0;
    }
    return p9_fid_add(n, number, at);
}

static int clunk(struct ninep *n, struct p9_in *in, struct p9_out *out)
{
    struct p9_fid *fid = p9_get_fid(n, in);

    (void)out;
    if (!fid)
        return EBADF;
    p9_fid_drop(n, fid);
    return 0;
}

/* ---- opening --------------------------------------------------------------------------------- */

/* The host's flags for those of the protocol, which are numbered as on most of Linux. */
static int open_flags(uint32_t flags)
{
    static const struct {
        uint32_t wire;
        int host;
    } map[] = {{0200, O_EXCL}, {01000, O_TRUNC}, {02000, O_APPEND}, {0200000, O_DIRECTORY}};
    int host = (int)(flags & 3) | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;

    for (size_t i = 0; i < ARRAY_SIZE(map); i++)
        host |= flags & map[i].wire ? map[i].host : 0;
    return host;
}

static bool writes(uint32_t flags)
{
    return (flags & 3) != 0 || flags & 01000;
}

static int take_file(struct p9_fid *fid, int file, struct p9_out *out)
{
    struct stat st;

    if (file < 0 || fstat(file, &st)) {
        int err = errno;

        if (file >= 0)
            close(file);
        return err;
    }
    if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) { /* no pipes or devices of the host */
        close(file);
        return EPERM;
    }
    close_file(fid);
    fid->file = file;
    if (S_ISDIR(st.st_mode)) {
        fid->dir = fdopendir(file);
        if (!fid->dir) {
            close_file(fid);
            return ENOMEM;
        }
    }
    p9_put_qid(out, &st);
    p9_put(out, 4, 0);
    return 0;
}

static int lopen(struct ninep *n, struct p9_in *in, struct p9_out *out)
{
    struct p9_fid *fid = p9_get_fid(n, in);
    uint32_t flags = (uint32_t)p9_get(in, 4);
    char path[64];
    struct stat st;

    if (!fid || in->bad)
        return EBADF;
    if (n->read_only && writes(flags))
        return EROFS;
    if (fstat(fid->handle, &st))
        return errno;
    if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return S_ISLNK(st.st_mode) ? ELOOP : EPERM;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fid->handle);
    return take_file(fid, open(path, open_flags(flags) & ~O_EXCL), out);
}

static int lcreate(struct ninep *n, struct p9_in *in, struct p9_out *out)
{
    struct p9_fid *fid = p9_get_fid(n, in);
    char name[P9_NAME];
    uint32_t flags, mode;
    int file, handle;

    if (!fid || !p9_get_name(in, name))
        return EINVAL;
    flags = (uint32_t)p9_get(in, 4);
    mode = (uint32_t)p9_get(in, 4);
    if (in->bad)
        return EINVAL;
    if (n->read_only)
        return EROFS;
    file = openat(fid->handle, name, open_flags(flags) | O_CREAT | O_NOFOLLOW, mode & 0777);
    if (file < 0)
        return errno;
    handle = openat(fid->handle, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (handle < 0) {
        int err = errno;

        close(file);
        return err;
    }
    close(fid->handle);
    fid->handle = handle; /* the fid of the folder becomes that of the file */
    return take_file(fid, file, out);
}

/* ---- reading and writing --------------------------------------------------------------------- */

static int read_file(struct ninep *n, struct p9_in *in, struct p9_out *out)
{
    struct p9_fid *fid = p9_get_fid(n, in);
    uint64_t offset = p9_get(in, 8), count = p9_get(in, 4);
    uint8_t *length = out->at;
    ssize_t got;

    if (!fid || fid->file < 0 || fid->dir || in->bad || offset > INT64_MAX)
        return EBADF;
    p9_put(out, 4, 0);
    if (out->full)
        return EINVAL;
    got = pread(fid->file, out->at, count < p9_room(out) ? count : p9_room(out), (off_t)offset);
    if (got < 0)
        return errno;
    le_put(length, 4, (uint64_t)got);
    out->at += got;
    return 0;
}

static int write_file(struct ninep *n, struct p9_in *in, struct p9_out *out)
{
    struct p9_fid *fid = p9_get_fid(n, in);
    uint64_t offset = p9_get(in, 8), count = p9_get(in, 4);
    ssize_t put;

    if (!fid || fid->file < 0 || fid->dir || in->bad || offset > INT64_MAX)
        return EBADF;
    if (count > (uint64_t)(in->end - in->at))
        return EINVAL;
    put = pwrite(fid->file, in->at, count, (off_t)offset);
    if (put < 0)
        return errno;
    p9_put(out, 4, (uint64_t)put);
    return 0;
}

static int readdir_file(struct ninep *n, struct p9_in *in, struct p9_out *out)
{
    struct p9_fid *fid = p9_get_fid(n, in);
    uint64_t offset = p9_get(in, 8), count = p9_get(in, 4);
    uint8_t *length = out->at;
    struct dirent *entry;

    if (!fid || !fid->dir || in->bad)
        return EBADF;
    p9_put(out, 4, 0);
    if (out->full)
        return EINVAL;
    if (count < p9_room(out))
        out->end = out->at + count;
    seekdir(fid->dir, (long)offset);
    while ((entry = readdir(fid->dir))) {
        struct stat st = {.st_ino = entry->d_ino,
                          .st_mode = entry->d_type == DT_DIR   ? S_IFDIR
                                     : entry->d_type == DT_LNK ? S_IFLNK
                                                               : S_IFREG};

        if (p9_room(out) < 13 + 8 + 1 + 2 + strlen(entry->d_name))
            break;
        p9_put_qid(out, &st);
        p9_put(out, 8, (uint64_t)telldir(fid->dir));
        p9_put(out, 1, entry->d_type); /* DT_* are the protocol's */
        p9_put_string(out, entry->d_name);
    }
    le_put(length, 4, (uint64_t)(out->at - length - 4));
    return 0;
}

static int fsync_file(struct ninep *n, struct p9_in *in, struct p9_out *out)
{
    struct p9_fid *fid = p9_get_fid(n, in);
    uint32_t data_only = (uint32_t)p9_get(in, 4);

    (void)out;
    if (!fid || fid->file < 0)
        return EBADF;
    return (data_only ? fdatasync(fid->file) : fsync(fid->file)) ? errno : 0;
}

/* Locks are the guest's own affair: it is the only client. */
static int lock(struct ninep *n, struct p9_in *in, struct p9_out *out)
{
    if (!p9_get_fid(n, in))
        return EBADF;
    p9_put(out, 1, 0);
    return 0;
}

static int getlock(struct ninep *n, struct p9_in *in, struct p9_out *out)
{
    enum { UNLOCKED = 2 };
    char client[P9_NAME];
    uint64_t start, length;
    uint32_t process;

    if (!p9_get_fid(n, in))
        return EBADF;
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

/* ---- dispatch -------------------------------------------------------------------------------- */

static p9_request *const requests[256] = {
    [P9_TSTATFS] = p9_statfs,     [P9_TLOPEN] = lopen,          [P9_TLCREATE] = lcreate,
    [P9_TSYMLINK] = p9_symlink,   [P9_TMKNOD] = p9_mknod,       [P9_TRENAME] = p9_rename,
    [P9_TREADLINK] = p9_readlink, [P9_TGETATTR] = p9_getattr,   [P9_TSETATTR] = p9_setattr,
    [P9_TREADDIR] = readdir_file, [P9_TFSYNC] = fsync_file,     [P9_TLOCK] = lock,
    [P9_TGETLOCK] = getlock,      [P9_TLINK] = p9_link,         [P9_TMKDIR] = p9_mkdir,
    [P9_TRENAMEAT] = p9_renameat, [P9_TUNLINKAT] = p9_unlinkat, [P9_TVERSION] = version,
    [P9_TATTACH] = attach,        [P9_TFLUSH] = flush,          [P9_TWALK] = walk,
    [P9_TREAD] = read_file,       [P9_TWRITE] = write_file,     [P9_TCLUNK] = clunk,
    [P9_TREMOVE] = p9_remove,
};

static size_t finish(struct p9_out *out, unsigned type, uint16_t tag)
{
    size_t len = (size_t)(out->at - out->start);

    le_put(out->start, 4, len);
    out->start[4] = (uint8_t)type;
    le_put(out->start + 5, 2, tag);
    return len;
}

size_t ninep_serve(struct ninep *n, const uint8_t *message, size_t len, uint8_t *reply, size_t room)
{
    struct p9_in in = {.at = message + P9_HEADER, .end = message + len};
    struct p9_out out = {.start = reply, .at = reply + P9_HEADER};
    unsigned type;
    uint16_t tag;
    int err;

    if (len < P9_HEADER || room < P9_HEADER + 4 || le_get(message, 4) > len)
        return 0;
    in.end = message + (le_get(message, 4) < P9_HEADER ? P9_HEADER : le_get(message, 4));
    type = message[4];
    tag = (uint16_t)le_get(message + 5, 2);
    out.end = reply + (room < n->message ? room : n->message);
    err = requests[type] ? requests[type](n, &in, &out) : EOPNOTSUPP;
    if (!err && out.full)
        err = EMSGSIZE;
    if (!err)
        return finish(&out, type + 1, tag);
    out.at = reply + P9_HEADER;
    out.full = false;
    p9_put(&out, 4, (uint64_t)err);
    return finish(&out, P9_RLERROR, tag);
}

/* ---- life ------------------------------------------------------------------------------------ */

/* A handle for each file the guest knows: more than the usual limit allows. */
static void raise_file_limit(void)
{
    struct rlimit limit;

    if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

struct ninep *ninep_new(const char *path, bool read_only, struct error *err)
{
    struct ninep *n;
    int root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

    if (root < 0)
        return error_null(err, "%s: %s", path, strerror(errno));
    raise_file_limit();
    n = xcalloc(1, sizeof(*n));
    n->fids = xcalloc(P9_FIDS, sizeof(*n->fids));
    n->root = root;
    n->read_only = read_only;
    n->message = NINEP_MAX_MESSAGE;
    return n;
}

void ninep_free(struct ninep *n)
{
    if (!n)
        return;
    ninep_reset(n);
    close(n->root);
    free(n->fids);
    free(n);
}
