/* System calls: extended attributes of a path, of a link itself, or of a descriptor. */
#include "runtime/user/user.h"

#include <errno.h>
#include <linux/limits.h>
#include <sys/xattr.h>

enum target { OF_PATH, OF_LINK, OF_FD };

/* The path of a call's first argument; "" for a descriptor, NULL: a bad pointer. */
static const char *path_of(struct thread *t, uint64_t arg, enum target target)
{
    return target == OF_FD ? "" : path_allowed(t->process, guest_string(t, arg));
}

static int64_t set_attribute(struct thread *t, const uint64_t *arg, enum target target)
{
    const char *path = path_of(t, arg[0], target), *name = guest_string(t, arg[1]);
    const void *value = guest_read(t, arg[2], arg[3]);
    int flags = (int)arg[4];

    if (arg[3] > XATTR_SIZE_MAX)
        return -E2BIG;
    if (!path || !name || (!value && arg[3]))
        return -EFAULT;
    if (target == OF_PATH)
        return host_result(setxattr(path, name, value, arg[3], flags));
    if (target == OF_LINK)
        return host_result(lsetxattr(path, name, value, arg[3], flags));
    return host_result(fsetxattr((int)arg[0], name, value, arg[3], flags));
}

/* Copies the host's result of `result` bytes in `answer` to the guest. */
static int64_t put_answer(struct thread *t, uint64_t va, const void *answer, int64_t result,
                          uint64_t room)
{
    result = host_result(result);
    if (result > 0 && room && guest_put(t, va, answer, (uint64_t)result))
        return -EFAULT;
    return result;
}

static int64_t get_attribute(struct thread *t, const uint64_t *arg, enum target target)
{
    const char *path = path_of(t, arg[0], target), *name = guest_string(t, arg[1]);
    uint64_t room = arg[3] < XATTR_SIZE_MAX ? arg[3] : XATTR_SIZE_MAX;
    char value[XATTR_SIZE_MAX];
    ssize_t result;

    if (!path || !name)
        return -EFAULT;
    if (target == OF_PATH)
        result = getxattr(path, name, value, room);
    else if (target == OF_LINK)
        result = lgetxattr(path, name, value, room);
    else
        result = fgetxattr((int)arg[0], name, value, room);
    return put_answer(t, arg[2], value, result, room);
}

static int64_t list_attributes(struct thread *t, const uint64_t *arg, enum target target)
{
    const char *path = path_of(t, arg[0], target);
    uint64_t room = arg[2] < XATTR_LIST_MAX ? arg[2] : XATTR_LIST_MAX;
    char names[XATTR_LIST_MAX];
    ssize_t result;

    if (!path)
        return -EFAULT;
    if (target == OF_PATH)
        result = listxattr(path, names, room);
    else if (target == OF_LINK)
        result = llistxattr(path, names, room);
    else
        result = flistxattr((int)arg[0], names, room);
    return put_answer(t, arg[1], names, result, room);
}

static int64_t remove_one(struct thread *t, const uint64_t *arg, enum target target)
{
    const char *path = path_of(t, arg[0], target), *name = guest_string(t, arg[1]);

    if (!path || !name)
        return -EFAULT;
    if (target == OF_PATH)
        return host_result(removexattr(path, name));
    if (target == OF_LINK)
        return host_result(lremovexattr(path, name));
    return host_result(fremovexattr((int)arg[0], name));
}

#define ATTRIBUTE_CALL(name, fn, target)                      \
    int64_t sys_##name(struct thread *t, const uint64_t *arg) \
    {                                                         \
        return fn(t, arg, target);                            \
    }

ATTRIBUTE_CALL(setxattr, set_attribute, OF_PATH)
ATTRIBUTE_CALL(lsetxattr, set_attribute, OF_LINK)
ATTRIBUTE_CALL(fsetxattr, set_attribute, OF_FD)
ATTRIBUTE_CALL(getxattr, get_attribute, OF_PATH)
ATTRIBUTE_CALL(lgetxattr, get_attribute, OF_LINK)
ATTRIBUTE_CALL(fgetxattr, get_attribute, OF_FD)
ATTRIBUTE_CALL(listxattr, list_attributes, OF_PATH)
ATTRIBUTE_CALL(llistxattr, list_attributes, OF_LINK)
ATTRIBUTE_CALL(flistxattr, list_attributes, OF_FD)
ATTRIBUTE_CALL(removexattr, remove_one, OF_PATH)
ATTRIBUTE_CALL(lremovexattr, remove_one, OF_LINK)
ATTRIBUTE_CALL(fremovexattr, remove_one, OF_FD)
