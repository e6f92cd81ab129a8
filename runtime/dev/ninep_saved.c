/*
 * 9P: fids in snapshots of a machine. A file is found again by its path, so one that was removed or
 * replaced meanwhile is absent or another.
 *
 * Bounds      P9_FIDS fids, each with a path of less than PATH_MAX bytes
 */
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/state.h"
#include "runtime/dev/ninep_internal.h"

/* A fid in a snapshot; the path follows. */
struct saved_fid {
    uint32_t number, user, flags, open, path_len;
};

void ninep_save(const struct ninep *n, struct state_buf *buf)
{
    const uint64_t head[2] = {n->message, n->fid_count};

    state_put(buf, head, sizeof(head));
    for (size_t i = 0; i < n->fid_count; i++) {
        const struct p9_fid *fid = &n->fids[i];
        const struct saved_fid saved = {fid->number, fid->user, fid->flags, fid->file >= 0,
                                        (uint32_t)strlen(fid->path)};

        state_put(buf, &saved, sizeof(saved));
        state_put(buf, fid->path, saved.path_len);
    }
}

static void load_fid(struct ninep *n, const struct saved_fid *saved, const char *path)
{
    struct p9_fid *fid;

    if (p9_fid_add(n, saved->number, saved->user, path, p9_handle_of(n, path)))
        return; /* a number that is there twice */
    fid = p9_fid(n, saved->number);
    if (saved->open)
        p9_reopen(n, fid, saved->flags);
}

/* Takes all fids from the reader. */
static bool take_fids(struct ninep *n, struct state_reader *from, uint64_t count, bool apply)
{
    while (count--) {
        struct saved_fid saved;
        char path[PATH_MAX];

        if (!state_take(from, &saved, sizeof(saved)) || saved.path_len >= PATH_MAX ||
            !state_take(from, path, saved.path_len))
            return false;
        path[saved.path_len] = '\0';
        if (apply)
            load_fid(n, &saved, path);
    }
    return !from->left;
}

bool ninep_load(struct ninep *n, const uint8_t *bytes, size_t len, bool apply, struct error *err)
{
    struct state_reader from = {bytes, len}, again;
    uint64_t head[2];

    if (!state_take(&from, head, sizeof(head)) || head[0] > NINEP_MAX_MESSAGE || head[1] > P9_FIDS)
        return error_set(err, "the open files of a shared folder are damaged");
    again = from;
    if (!take_fids(n, &from, head[1], false))
        return error_set(err, "the open files of a shared folder are damaged");
    if (!apply)
        return true;
    ninep_reset(n);
    n->message = (size_t)head[0];
    return take_fids(n, &again, head[1], true);
}
