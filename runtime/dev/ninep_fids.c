/*
 * 9P: fids, the client's names of files, and the paths that they stand for.
 *
 * Bounds      P9_FIDS fids, each with a path of less than PATH_MAX bytes; a rename goes through all
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/alloc.h"
#include "runtime/dev/ninep_internal.h"

struct p9_fid *p9_fid(struct ninep *n, uint32_t number)
{
    for (size_t i = 0; i < n->fid_count; i++) {
        if (n->fids[i].number == number)
            return &n->fids[i];
    }
    return NULL;
}

int p9_fid_add(struct ninep *n, uint32_t number, uint32_t user, const char *path, int handle)
{
    if (p9_fid(n, number) || n->fid_count == P9_FIDS) {
        close(handle);
        return n->fid_count == P9_FIDS ? EMFILE : EBADF;
    }
    n->fids[n->fid_count++] = (struct p9_fid){
        .number = number, .user = user, .path = xstrdup(path), .handle = handle, .file = -1};
    return 0;
}

void p9_fid_move(struct p9_fid *fid, const char *path, int handle)
{
    close(fid->handle);
    free(fid->path);
    fid->handle = handle;
    fid->path = xstrdup(path);
}

bool p9_join(char to[PATH_MAX], const char *folder, const char *name)
{
    return snprintf(to, PATH_MAX, "%s%s%s", folder, *folder ? "/" : "", name) < PATH_MAX;
}

int p9_fid_descend(struct p9_fid *fid, const char *name, int handle)
{
    char path[PATH_MAX];

    if (handle < 0)
        return errno;
    if (!p9_join(path, fid->path, name)) {
        close(handle);
        return ENAMETOOLONG;
    }
    p9_fid_move(fid, path, handle);
    return 0;
}

void p9_fid_drop(struct ninep *n, struct p9_fid *fid)
{
    if (fid->dir)
        closedir(fid->dir);
    else if (fid->file >= 0)
        close(fid->file);
    close(fid->handle);
    free(fid->path);
    *fid = n->fids[--n->fid_count];
}

void ninep_reset(struct ninep *n)
{
    while (n->fid_count)
        p9_fid_drop(n, &n->fids[n->fid_count - 1]);
}

void p9_fids_moved(struct ninep *n, const char *from, const char *to)
{
    const size_t len = strlen(from);

    for (size_t i = 0; i < n->fid_count; i++) {
        char **path = &n->fids[i].path, moved[PATH_MAX];

        if (strncmp(*path, from, len) || ((*path)[len] && (*path)[len] != '/'))
            continue;
        if (snprintf(moved, sizeof(moved), "%s%s", to, *path + len) >= PATH_MAX)
            continue;
        free(*path);
        *path = xstrdup(moved);
    }
}
