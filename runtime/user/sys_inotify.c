/* System calls: watching files. Events have the same layout in all ABIs, so that the host's read()
 * serves them. */
#include "runtime/user/user.h"

#include <errno.h>
#include <sys/inotify.h>

int64_t sys_inotify_init1(struct thread *t, const uint64_t *arg)
{
    (void)t;
    return host_result(inotify_init1((int)arg[0]));
}

int64_t sys_inotify_add_watch(struct thread *t, const uint64_t *arg)
{
    PATH_IN_ROOT(path, arg[1]);
    return host_result(inotify_add_watch((int)arg[0], path, (uint32_t)arg[2]));
}

int64_t sys_inotify_rm_watch(struct thread *t, const uint64_t *arg)
{
    (void)t;
    return host_result(inotify_rm_watch((int)arg[0], (int)arg[1]));
}
