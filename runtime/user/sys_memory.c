/* System calls: memory. */
#include "runtime/user/user.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/base/bits.h"

int64_t sys_brk(struct thread *t, const uint64_t *arg)
{
    return (int64_t)space_brk(&t->process->space, arg[0]);
}

int64_t sys_mmap(struct thread *t, const uint64_t *arg)
{
    char link[32], name[4096];
    ssize_t len = -1;
    int64_t failed;

    if (!((int)arg[3] & MAP_ANONYMOUS)) {
        if (fd_is_own(t->process, arg[4]))
            return -EBADF;
        failed = served_map(t->process, (int)arg[4], arg[5], arg[1], (int)arg[3] & MAP_SHARED);
        if (failed)
            return failed;
        snprintf(link, sizeof(link), "/proc/self/fd/%d", (int)arg[4]);
        len = readlink(link, name, sizeof(name) - 1);
        name[len < 0 ? 0 : len] = 0;
    }
    return space_map(&t->process->space, arg[0], arg[1], (int)arg[2], (int)arg[3],
                     &(struct space_source){(int)arg[4], arg[5], len > 0 ? name : NULL});
}

int64_t sys_munmap(struct thread *t, const uint64_t *arg)
{
    return space_unmap(&t->process->space, arg[0], arg[1]);
}

int64_t sys_mprotect(struct thread *t, const uint64_t *arg)
{
    return space_protect(&t->process->space, arg[0], arg[1], (int)arg[2]);
}

int64_t sys_mremap(struct thread *t, const uint64_t *arg)
{
    return space_remap(&t->process->space, arg[0], arg[1], arg[2], (int)arg[3], arg[4]);
}

int64_t sys_madvise(struct thread *t, const uint64_t *arg)
{
    return space_advise(&t->process->space, arg[0], arg[1], (int)arg[2]);
}

int64_t sys_msync(struct thread *t, const uint64_t *arg)
{
    void *at = space_read(&t->process->space, arg[0], arg[1]);

    if (!at)
        return -ENOMEM;
    return host_result(msync(at, arg[1], (int)arg[2]));
}

int64_t sys_mincore(struct thread *t, const uint64_t *arg)
{
    uint64_t pages = align_up(arg[1], CPU_PAGE_SIZE) / CPU_PAGE_SIZE;
    unsigned char *out = guest_write(t, arg[2], pages);

    if (arg[0] & CPU_PAGE_MASK)
        return -EINVAL;
    if (!out)
        return -EFAULT;
    for (uint64_t n = 0; n < pages; n++) {
        if (!space_find(&t->process->space, arg[0] + n * CPU_PAGE_SIZE))
            return -ENOMEM;
        out[n] = 1;
    }
    return 0;
}

/* Checks the arguments only: locked memory is resident, and residency is not simulated. */
int64_t sys_mlock(struct thread *t, const uint64_t *arg)
{
    return space_read(&t->process->space, arg[0], arg[1]) ? 0 : -ENOMEM;
}

int64_t sys_munlock(struct thread *t, const uint64_t *arg)
{
    return sys_mlock(t, arg);
}

int64_t sys_mlockall(struct thread *t, const uint64_t *arg)
{
    (void)t, (void)arg;
    return 0;
}

int64_t sys_munlockall(struct thread *t, const uint64_t *arg)
{
    (void)t, (void)arg;
    return 0;
}

/* Checks the arguments only, since writes to code drop its decoded blocks. There are no flags. */
int64_t sys_cacheflush(struct thread *t, const uint64_t *arg)
{
    (void)t;
    return arg[1] < arg[0] || arg[2] ? -EINVAL : 0;
}

int64_t sys_flush_icache(struct thread *t, const uint64_t *arg)
{
    enum { LOCAL = 1 };

    (void)t;
    return arg[2] & ~(uint64_t)LOCAL ? -EINVAL : 0;
}

/* All CPUs run in turns on one host thread, so that memory is always ordered. */
int64_t sys_membarrier(struct thread *t, const uint64_t *arg)
{
    enum { QUERY = 0, ALL_COMMANDS = 0x7f };

    (void)t;
    if ((int)arg[0] == QUERY)
        return ALL_COMMANDS;
    return (arg[0] & ~(uint64_t)ALL_COMMANDS) ? -EINVAL : 0;
}
