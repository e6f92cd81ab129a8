/* Objects with a fence, for order between jobs and the program: DRM's syncobj. A job's fence is
 * signalled when the call that submits it returns, so an object has a signalled fence or none. */
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>

#include "runtime/user/render/internal.h"

struct render_sync *render_sync_find(struct render_file *f, uint32_t handle)
{
    if (!handle || handle > f->syncs.len || !f->syncs.data[handle - 1].exists)
        return NULL;
    return &f->syncs.data[handle - 1];
}

int64_t render_sync_get(struct thread *t, struct render_file *f, uint64_t handles, uint32_t n,
                        struct render_sync **out)
{
    uint64_t handle;

    if (guest_get_number(t, handles + UINT64_C(4) * n, &handle, 4))
        return -EFAULT;
    *out = render_sync_find(f, (uint32_t)handle);
    return *out ? 0 : -ENOENT;
}

struct create {
    uint32_t handle, flags;
};

int64_t render_sync_create(struct thread *t, struct render_file *f, void *arg)
{
    enum { SIGNALED = 1 };
    struct create *c = arg;
    size_t n = 0;

    (void)t;
    if (c->flags & ~(uint32_t)SIGNALED)
        return -EINVAL;
    while (n < f->syncs.len && f->syncs.data[n].exists)
        n++;
    if (n == f->syncs.len)
        vec_push(&f->syncs, (struct render_sync){0});
    f->syncs.data[n] = (struct render_sync){.exists = true, .signalled = c->flags & SIGNALED};
    c->handle = (uint32_t)n + 1;
    return 0;
}

int64_t render_sync_destroy(struct thread *t, struct render_file *f, void *arg)
{
    const struct create *c = arg; /* the second field is padding, which must be zero */
    struct render_sync *s = render_sync_find(f, c->handle);

    (void)t;
    if (c->flags || !s)
        return -EINVAL;
    s->exists = false;
    return 0;
}

struct wait_sync {
    uint64_t handles;
    int64_t timeout_ns; /* absolute, of CLOCK_MONOTONIC */
    uint32_t count, flags, first_signaled, pad;
    uint64_t deadline_ns; /* a hint */
};

enum { WAIT_ALL = 1, WAIT_FOR_SUBMIT = 2, WAIT_DEADLINE = 8 };

/* Counts the objects with a fence, and notes the first; a negative errno for a bad handle. */
static int64_t count_fences(struct thread *t, struct render_file *f, struct wait_sync *w)
{
    int64_t count = 0;

    for (uint32_t n = 0; n < w->count; n++) {
        struct render_sync *s;
        int64_t failed = render_sync_get(t, f, w->handles, n, &s);

        if (failed)
            return failed;
        if (!s->signalled && !(w->flags & WAIT_FOR_SUBMIT))
            return -EINVAL;
        if (s->signalled && !count++)
            w->first_signaled = n;
    }
    return count;
}

int64_t render_sync_wait(struct thread *t, struct render_file *f, void *arg)
{
    struct wait_sync *w = arg;
    int64_t count;

    if (w->flags & ~(uint32_t)(WAIT_ALL | WAIT_FOR_SUBMIT | WAIT_DEADLINE))
        return -EINVAL;
    if (!w->count)
        return 0;
    count = count_fences(t, f, w);
    if (count < 0)
        return count;
    if (count == w->count || (count && !(w->flags & WAIT_ALL)))
        return 0;
    if (w->timeout_ns <= (int64_t)process_now(t->process) || t->wait.why == RESUME_TIMEOUT)
        return -ETIME;
    return thread_wait(t, WAIT_RETRY, (uint64_t)w->timeout_ns);
}

struct sync_array {
    uint64_t handles;
    uint32_t count, pad;
};

/* Removes the fences of the objects, or gives each a signalled one. */
static int64_t set_fences(struct thread *t, struct render_file *f, const struct sync_array *a,
                          bool signalled)
{
    if (a->pad || !a->count)
        return -EINVAL;
    for (unsigned pass = 0; pass < 2; pass++) { /* nothing is changed if a handle is bad */
        for (uint32_t n = 0; n < a->count; n++) {
            struct render_sync *s;
            int64_t failed = render_sync_get(t, f, a->handles, n, &s);

            if (failed)
                return failed;
            if (pass)
                s->signalled = signalled;
        }
    }
    return 0;
}

int64_t render_sync_reset(struct thread *t, struct render_file *f, void *arg)
{
    return set_fences(t, f, arg, false);
}

int64_t render_sync_signal(struct thread *t, struct render_file *f, void *arg)
{
    return set_fences(t, f, arg, true);
}

/* ---- files of fences ------------------------------------------------------------------------- */

/* A new file of a signalled fence: its descriptor, or a negative errno. */
static int64_t new_file(struct thread *t, const struct served_entry *e)
{
    return served_open(t->process, e, O_RDONLY | O_CLOEXEC);
}

struct sync_handle {
    uint32_t handle, flags;
    int32_t fd;
    uint32_t pad;
};

/* The flag that asks for a file of the object's fence, not of the object. */
enum { SYNC_FILE = 1 };

int64_t render_sync_export(struct thread *t, struct render_file *f, void *arg)
{
    struct sync_handle *s = arg;
    const struct render_sync *sync = render_sync_find(f, s->handle);
    int64_t fd;

    if (s->pad || (s->flags & ~(uint32_t)SYNC_FILE))
        return -EINVAL;
    if (!s->flags) /* objects are not shared with other open files */
        return -EOPNOTSUPP;
    if (!sync)
        return -ENOENT;
    if (!sync->signalled)
        return -EINVAL;
    fd = new_file(t, f->device->entries);
    if (fd < 0)
        return fd;
    s->fd = (int32_t)fd;
    return 0;
}

int64_t render_sync_import(struct thread *t, struct render_file *f, void *arg)
{
    const struct sync_handle *s = arg;
    struct render_sync *sync = render_sync_find(f, s->handle);

    if (s->pad || (s->flags & ~(uint32_t)SYNC_FILE))
        return -EINVAL;
    if (!s->flags)
        return -EOPNOTSUPP;
    if (served_find_fd(t->process, s->fd) != f->device->entries)
        return -EINVAL;
    if (!sync)
        return -ENOENT;
    sync->signalled = true;
    return 0;
}

struct merge {
    char name[32];
    int32_t other, merged;
    uint32_t flags, pad;
};

/* Of two signalled fences one is made by Linux's SYNC_IOC_MERGE. */
static int64_t sync_ioctl(struct thread *t, const struct served_entry *e, uint32_t request,
                          uint64_t argument)
{
    struct merge m;
    int64_t fd;

    if (request != _IOWR('>', 3, struct merge))
        return -ENOTTY;
    if (guest_get(t, argument, &m, sizeof(m)))
        return -EFAULT;
    if (m.flags || m.pad)
        return -EINVAL;
    if (served_find_fd(t->process, m.other) != e)
        return -ENOENT;
    fd = new_file(t, e);
    if (fd < 0)
        return fd;
    m.merged = (int32_t)fd;
    return guest_put(t, argument, &m, sizeof(m));
}

const struct served_entry render_sync_file = {
    .path = "anon_inode:sync_file",
    .kind = SERVED_TEXT,
    .ioctl = sync_ioctl,
};
