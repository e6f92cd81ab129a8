/*
 * The 9P server: sessions, walks, and the function that serves each request.
 *
 * Bounds      a request: P9_WALK names, NINEP_MAX_MESSAGE bytes, and a path of less than PATH_MAX
 *             bytes, which is what ".." walks
 */
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

/* ---- walks ----------------------------------------------------------------------------------- */

/* The present place of a walk. */
struct place {
    int handle;
    char path[PATH_MAX];
};

/* Opens the root as a place; false and errno. */
static bool start_at_root(const struct ninep *n, struct place *at)
{
    at->path[0] = '\0';
    at->handle = openat(n->root, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    return at->handle >= 0;
}

/* Keeps errno. */
static void leave_place(const struct place *at)
{
    int err = errno;

    close(at->handle);
    errno = err;
}

/* Steps to a name in the folder, or to the folder itself for "."; false and errno: the place is
 * kept. */
static bool step_down(struct place *at, const char *name)
{
    char path[PATH_MAX];
    int handle;

    if (!*name || strchr(name, '/') || !strcmp(name, "..")) {
        errno = ENOENT;
        return false;
    }
    if (!strcmp(name, ".")) {
        strcpy(path, at->path);
    } else if (!p9_join(path, at->path, name)) {
        errno = ENAMETOOLONG;
        return false;
    }
    handle = openat(at->handle, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (handle < 0)
        return false;
    close(at->handle);
    at->handle = handle;
    strcpy(at->path, path);
    return true;
}

/* Goes to a path from the root; *at needs no leave_place() on failure. */
static bool find_place(const struct ninep *n, const char *path, struct place *at)
{
    char names[PATH_MAX], *rest = *path ? names : NULL;
    bool ok = start_at_root(n, at);

    if (!ok)
        return false;
    strcpy(names, path);
    while (ok && rest)
        ok = step_down(at, strsep(&rest, "/"));
    if (!ok)
        leave_place(at);
    return ok;
}

/* Steps to the parent, by the names from the root; the root's parent is the root. */
static bool step_up(const struct ninep *n, struct place *at)
{
    char path[PATH_MAX], *slash;
    struct place up;
    struct stat st;

    if (fstat(at->handle, &st) || !S_ISDIR(st.st_mode)) {
        errno = ENOTDIR;
        return false;
    }
    strcpy(path, at->path);
    slash = strrchr(path, '/');
    *(slash ? slash : path) = '\0';
    if (!find_place(n, path, &up))
        return false;
    leave_place(at);
    *at = up;
    return true;
}

int p9_handle_of(const struct ninep *n, const char *path)
{
    struct place at;

    return strlen(path) < PATH_MAX && find_place(n, path, &at) ? at.handle : -1;
}

/* ---- sessions -------------------------------------------------------------------------------- */

static int serve_version(struct ninep *n, struct p9_fid *fid, struct p9_in *in, struct p9_out *out)
{
    uint32_t size = (uint32_t)p9_get(in, 4);
    char name[32];
    bool known = p9_get_string(in, name, sizeof(name)) && !strcmp(name, PROTOCOL);

    (void)fid;
    if (in->bad || size < NINEP_MIN_MESSAGE)
        return EINVAL;
    ninep_reset(n);
    n->message = size < NINEP_MAX_MESSAGE ? size : NINEP_MAX_MESSAGE;
    p9_put(out, 4, n->message);
    p9_put_string(out, known ? PROTOCOL : "unknown");
    return 0;
}

static int serve_attach(struct ninep *n, struct p9_fid *fid, struct p9_in *in, struct p9_out *out)
{
    uint32_t number = (uint32_t)p9_get(in, 4), user;
    char name[P9_NAME], folder[PATH_MAX];
    struct place root;
    struct stat st;

    (void)fid;
    p9_get(in, 4); /* a fid of authentication, which is not supported */
    if (!p9_get_string(in, name, sizeof(name)) || !p9_get_string(in, folder, sizeof(folder)))
        return EINVAL;
    user = (uint32_t)p9_get(in, 4);
    if (in->bad)
        return EINVAL;
    if (!start_at_root(n, &root))
        return errno;
    if (p9_stat(n, root.handle, &st)) {
        leave_place(&root);
        return errno;
    }
    p9_put_qid(out, &st);
    return p9_fid_add(n, number, user, root.path, root.handle);
}

static int serve_flush(struct ninep *n, struct p9_fid *fid, struct p9_in *in, struct p9_out *out)
{
    (void)n, (void)fid, (void)in, (void)out; /* every request was answered before */
    return 0;
}

/* Takes up to `steps` steps and adds a qid for each; returns their number, with the error that
 * ended the walk. */
static unsigned walk_names(const struct ninep *n, struct place *at, unsigned steps,
                           struct p9_in *in, struct p9_out *out, int *err)
{
    for (unsigned done = 0; done < steps; done++) {
        char name[P9_NAME];
        struct stat st;

        *err = EINVAL;
        if (!p9_get_string(in, name, sizeof(name)))
            return done;
        if (!(strcmp(name, "..") ? step_down(at, name) : step_up(n, at)) ||
            p9_stat(n, at->handle, &st)) {
            *err = errno;
            return done;
        }
        p9_put_qid(out, &st);
    }
    return steps;
}

static int serve_walk(struct ninep *n, struct p9_fid *fid, struct p9_in *in, struct p9_out *out)
{
    uint32_t number = (uint32_t)p9_get(in, 4);
    unsigned steps = (unsigned)p9_get(in, 2), done;
    uint8_t *count = out->at;
    struct place at;
    int err = 0;

    if (in->bad || steps > P9_WALK || (number == fid->number && fid->file >= 0))
        return EINVAL;
    if (number != fid->number && p9_fid(n, number))
        return EBADF;
    p9_put(out, 2, 0);
    if (out->full)
        return EMSGSIZE;
    strcpy(at.path, fid->path);
    at.handle = fcntl(fid->handle, F_DUPFD_CLOEXEC, 0);
    if (at.handle < 0)
        return errno;
    done = walk_names(n, &at, steps, in, out, &err);
    le_put(count, 2, done);
    if (done < steps) { /* a walk that comes part of the way gives no fid */
        leave_place(&at);
        return done ? 0 : err;
    }
    if (number != fid->number)
        return p9_fid_add(n, number, fid->user, at.path, at.handle);
    p9_fid_move(fid, at.path, at.handle);
    return 0;
}

static int serve_clunk(struct ninep *n, struct p9_fid *fid, struct p9_in *in, struct p9_out *out)
{
    (void)in, (void)out;
    p9_fid_drop(n, fid);
    return 0;
}

/* Tremove and Trename name a file by its fid alone; Linux uses the requests with folder and
 * name. */
static int remove_file(struct ninep *n, struct p9_fid *fid, struct p9_in *in, struct p9_out *out)
{
    (void)in, (void)out;
    p9_fid_drop(n, fid); /* a fid is gone after it, whatever became of the file */
    return EOPNOTSUPP;
}

/* ---- dispatch -------------------------------------------------------------------------------- */

enum {
    HAS_FID = 1, /* begins with a fid */
    CHANGES = 2, /* changes what is in a folder, or a file's attributes */
};

static const struct {
    p9_request *serve;
    unsigned kind;
} requests[256] = {
    [P9_TSTATFS] = {p9_statfs, HAS_FID},
    [P9_TLOPEN] = {p9_lopen, HAS_FID},
    [P9_TLCREATE] = {p9_lcreate, HAS_FID | CHANGES},
    [P9_TSYMLINK] = {p9_symlink, HAS_FID | CHANGES},
    [P9_TMKNOD] = {p9_mknod, HAS_FID | CHANGES},
    [P9_TREADLINK] = {p9_readlink, HAS_FID},
    [P9_TGETATTR] = {p9_getattr, HAS_FID},
    [P9_TSETATTR] = {p9_setattr, HAS_FID | CHANGES},
    [P9_TREADDIR] = {p9_readdir, HAS_FID},
    [P9_TFSYNC] = {p9_fsync, HAS_FID},
    [P9_TLOCK] = {p9_lock, HAS_FID},
    [P9_TGETLOCK] = {p9_getlock, HAS_FID},
    [P9_TLINK] = {p9_link, HAS_FID | CHANGES},
    [P9_TMKDIR] = {p9_mkdir, HAS_FID | CHANGES},
    [P9_TRENAMEAT] = {p9_renameat, HAS_FID | CHANGES},
    [P9_TUNLINKAT] = {p9_unlinkat, HAS_FID | CHANGES},
    [P9_TVERSION] = {serve_version, 0},
    [P9_TATTACH] = {serve_attach, 0},
    [P9_TFLUSH] = {serve_flush, 0},
    [P9_TWALK] = {serve_walk, HAS_FID},
    [P9_TREAD] = {p9_read, HAS_FID},
    [P9_TWRITE] = {p9_write, HAS_FID},
    [P9_TCLUNK] = {serve_clunk, HAS_FID},
    [P9_TREMOVE] = {remove_file, HAS_FID},
};

/* Serves one request; returns 0 or an errno. */
static int serve_request(struct ninep *n, unsigned type, struct p9_in *in, struct p9_out *out)
{
    const unsigned kind = requests[type].kind;
    struct p9_fid *fid = NULL;
    int err;

    if (!requests[type].serve)
        return EOPNOTSUPP;
    if (kind & HAS_FID) {
        fid = p9_fid(n, (uint32_t)p9_get(in, 4));
        if (in->bad)
            return EINVAL;
        if (!fid)
            return EBADF;
    }
    if (kind & CHANGES && n->read_only)
        return EROFS;
    err = requests[type].serve(n, fid, in, out);
    return !err && out->full ? EMSGSIZE : err;
}

static size_t finish_message(struct p9_out *out, unsigned type, uint16_t tag)
{
    size_t len = (size_t)(out->at - out->start);

    le_put(out->start, 4, len);
    out->start[4] = (uint8_t)type;
    le_put(out->start + 5, 2, tag);
    return len;
}

size_t ninep_serve(struct ninep *n, const uint8_t *message, size_t len, uint8_t *reply, size_t room)
{
    struct p9_in in = {.at = message + P9_HEADER};
    struct p9_out out = {.start = reply, .at = reply + P9_HEADER};
    uint64_t said;
    uint16_t tag;
    int err;

    if (len < P9_HEADER || room < P9_HEADER + 4)
        return 0;
    said = le_get(message, 4);
    if (said < P9_HEADER || said > len)
        return 0;
    tag = (uint16_t)le_get(message + 5, 2);
    in.end = message + said;
    out.end = reply + (room < n->message ? room : n->message);
    err = serve_request(n, message[4], &in, &out);
    if (!err)
        return finish_message(&out, message[4] + 1u, tag);
    out.at = reply + P9_HEADER;
    p9_put(&out, 4, (uint64_t)err);
    return finish_message(&out, P9_RLERROR, tag);
}

/* ---- life ------------------------------------------------------------------------------------ */

/* Raises the limit of open files: there is one handle per file that the guest uses. */
static void raise_file_limit(void)
{
    struct rlimit limit;

    if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

struct ninep *ninep_new(const char *path, enum ninep_model model, bool read_only, struct error *err)
{
    struct ninep *n;
    int root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

    if (root < 0)
        return error_null(err, "%s: %s", path, strerror(errno));
    if (!p9_model_works(model, root)) {
        close(root);
        return error_null(
            err, "%s: its file system keeps no attributes for security_model=mapped-xattr", path);
    }
    raise_file_limit();
    n = xcalloc(1, sizeof(*n));
    n->fids = xcalloc(P9_FIDS, sizeof(*n->fids));
    n->root = root;
    n->model = model;
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
