/*
 * The 9P server: what owners, modes and device numbers of the guest are on the host. The attributes
 * are those of QEMU (hw/9pfs/9p-local.c): little-endian, 4 bytes each, the device number 8.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "runtime/base/bits.h"
#include "runtime/dev/ninep_internal.h"

#define ATTRIBUTE_USER   "user.virtfs.uid"
#define ATTRIBUTE_GROUP  "user.virtfs.gid"
#define ATTRIBUTE_MODE   "user.virtfs.mode"
#define ATTRIBUTE_DEVICE "user.virtfs.rdev"

enum { SET_ID = S_ISUID | S_ISGID, ALL_BITS = 07777, PLAIN_BITS = 01777 };

bool ninep_model_by_name(const char *name, enum ninep_model *model)
{
    static const struct {
        const char *name;
        enum ninep_model model;
    } models[] = {{"none", NINEP_NONE},
                  {"passthrough", NINEP_PASSTHROUGH},
                  {"mapped-xattr", NINEP_MAPPED_XATTR},
                  {"mapped", NINEP_MAPPED_XATTR}};

    for (size_t i = 0; i < ARRAY_SIZE(models); i++) {
        if (!strcmp(name, models[i].name)) {
            *model = models[i].model;
            return true;
        }
    }
    return false;
}

struct p9_proc p9_proc(int fd)
{
    struct p9_proc p;

    snprintf(p.path, sizeof(p.path), "/proc/self/fd/%d", fd);
    return p;
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* The value of an attribute of `size` bytes, or `otherwise`. */
static uint64_t get_attribute(int handle, const char *name, unsigned size, uint64_t otherwise)
{
    uint8_t bytes[8];

    if (getxattr(p9_proc(handle).path, name, bytes, sizeof(bytes)) != (ssize_t)size)
        return otherwise;
    return le_get(bytes, size);
}

static int set_attribute(int handle, const char *name, unsigned size, uint64_t value)
{
    uint8_t bytes[8];

    le_put(bytes, size, value);
    return setxattr(p9_proc(handle).path, name, bytes, size, 0);
}

/* The user UINT32_MAX, "no one in particular", is not stored. */
static int set_owner_attribute(int handle, const char *name, uint32_t id)
{
    return id == UINT32_MAX ? 0 : set_attribute(handle, name, 4, id);
}

bool p9_model_works(enum ninep_model model, int root)
{
    return model != NINEP_MAPPED_XATTR ||
           getxattr(p9_proc(root).path, ATTRIBUTE_USER, NULL, 0) >= 0 || errno == ENODATA;
}

/* ---- what a file is -------------------------------------------------------------------------- */

bool p9_mapped(const struct ninep *n, uint32_t mode)
{
    return n->model == NINEP_MAPPED_XATTR && !S_ISDIR(mode);
}

int p9_stat(const struct ninep *n, int handle, struct stat *st)
{
    uint32_t mode;

    if (fstat(handle, st))
        return -1;
    if (n->model != NINEP_MAPPED_XATTR || (!S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode)))
        return 0;
    st->st_uid = (uid_t)get_attribute(handle, ATTRIBUTE_USER, 4, st->st_uid);
    st->st_gid = (gid_t)get_attribute(handle, ATTRIBUTE_GROUP, 4, st->st_gid);
    st->st_rdev = get_attribute(handle, ATTRIBUTE_DEVICE, 8, st->st_rdev);
    mode = (uint32_t)get_attribute(handle, ATTRIBUTE_MODE, 4, st->st_mode);
    /* A folder stays a folder whatever its attributes say, as does a file whose attribute has no
     * type. */
    if (S_ISDIR(st->st_mode) || S_ISDIR(mode) || !(mode & S_IFMT))
        mode = (mode & ALL_BITS) | (st->st_mode & S_IFMT);
    st->st_mode = mode;
    return 0;
}

bool p9_mode_allowed(const struct ninep *n, uint32_t mode, uint32_t had)
{
    if (n->model != NINEP_NONE)
        return true;
    return (S_ISREG(mode) || S_ISDIR(mode) || S_ISLNK(mode)) && !(mode & ~had & SET_ID);
}

/* ---- making it that -------------------------------------------------------------------------- */

mode_t p9_host_mode(const struct ninep *n, uint32_t mode)
{
    if (n->model == NINEP_MAPPED_XATTR)
        return S_ISDIR(mode) ? 0700 : 0600;
    return mode & PLAIN_BITS;
}

int p9_change_owner(const struct ninep *n, int handle, uint32_t user, uint32_t group)
{
    if (n->model != NINEP_MAPPED_XATTR)
        return fchownat(handle, "", user, group, AT_EMPTY_PATH);
    return set_owner_attribute(handle, ATTRIBUTE_USER, user) ||
                   set_owner_attribute(handle, ATTRIBUTE_GROUP, group)
               ? -1
               : 0;
}

int p9_change_mode(const struct ninep *n, int handle, uint32_t mode)
{
    if (n->model != NINEP_MAPPED_XATTR)
        return chmod(p9_proc(handle).path, mode & ALL_BITS);
    return set_attribute(handle, ATTRIBUTE_MODE, 4, mode);
}

int p9_adopt(const struct ninep *n, int handle, const struct p9_new *new)
{
    if (n->model == NINEP_NONE)
        return 0;
    if (p9_change_owner(n, handle, new->user, new->group))
        return -1;
    /* Links of the host have no mode. */
    if ((!S_ISLNK(new->mode) || p9_mapped(n, new->mode)) && p9_change_mode(n, handle, new->mode))
        return -1;
    if (n->model == NINEP_MAPPED_XATTR && (S_ISCHR(new->mode) || S_ISBLK(new->mode)))
        return set_attribute(handle, ATTRIBUTE_DEVICE, 8, new->device);
    return 0;
}
