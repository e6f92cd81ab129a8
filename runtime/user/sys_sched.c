/*
 * System calls: scheduling of one thread, newer calls than those in sys_misc.c. All threads have
 * the policy SCHED_OTHER and run in turns. Niceness and I/O priority are the simulator process's.
 */
#include "runtime/user/user.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Linux's time slice of SCHED_OTHER, in ns. */
#define SLICE 4000000

/* The kernel's structure, whose header conflicts with <sched.h>. All ABIs have the same layout. */
struct sched_attr {
    uint32_t size, sched_policy;
    uint64_t sched_flags;
    int32_t sched_nice;
    uint32_t sched_priority;
    uint64_t sched_runtime, sched_deadline, sched_period;
    uint32_t sched_util_min, sched_util_max;
};

enum { LEAST_ATTR = 48, MOST_ATTR = 4096, ALL_FLAGS = 0x7f };

/* 0, or a negative errno for a bad thread number. */
static int64_t check_thread(const struct thread *t, int tid)
{
    if (tid < 0)
        return -EINVAL;
    return !tid || thread_find(t->process, tid) ? 0 : -ESRCH;
}

int64_t sys_sched_rr_get_interval(struct thread *t, const uint64_t *arg)
{
    const struct timespec slice = {.tv_nsec = SLICE};
    int64_t failed = check_thread(t, (int)arg[0]);

    return failed ? failed : guest_put_struct(t, arg[1], &layout_timespec, &slice);
}

/* Puts all members into the guest's byte order, or back. */
static void order_attr(struct sched_attr *attr)
{
    guest_order_all(&attr->size, 4, 2);
    guest_order(&attr->sched_flags, 8);
    guest_order_all(&attr->sched_nice, 4, 2);
    guest_order_all(&attr->sched_runtime, 8, 3);
    guest_order_all(&attr->sched_util_min, 4, 2);
}

/* Reads the guest's structure, which may be shorter than `attr`, or longer with zeros at its
 * end. */
static int64_t get_attr(struct thread *t, uint64_t va, struct sched_attr *attr)
{
    uint32_t size, own = sizeof(*attr);
    const uint8_t *from;

    if (guest_get(t, va, &size, sizeof(size)))
        return -EFAULT;
    guest_order(&size, sizeof(size));
    size = size ? size : LEAST_ATTR;
    if (size < LEAST_ATTR || size > MOST_ATTR)
        return guest_put_number(t, va, own, sizeof(own)) ? -EFAULT : -E2BIG;
    from = guest_read(t, va, size);
    if (!from)
        return -EFAULT;
    for (uint32_t n = own; n < size; n++) {
        if (from[n])
            return guest_put_number(t, va, own, sizeof(own)) ? -EFAULT : -E2BIG;
    }
    memset(attr, 0, sizeof(*attr));
    memcpy(attr, from, size < own ? size : own);
    order_attr(attr);
    return 0;
}

int64_t sys_sched_setattr(struct thread *t, const uint64_t *arg)
{
    struct sched_attr attr;
    int64_t failed;

    if ((int)arg[0] < 0 || arg[2])
        return -EINVAL;
    failed = get_attr(t, arg[1], &attr);
    if (!failed)
        failed = check_thread(t, (int)arg[0]);
    if (failed)
        return failed;
    if ((int)attr.sched_policy < 0 || attr.sched_policy > SCHED_DEADLINE ||
        (attr.sched_policy == SCHED_OTHER && attr.sched_priority) ||
        (attr.sched_flags & ~(uint64_t)ALL_FLAGS))
        return -EINVAL;
    if (attr.sched_policy != SCHED_OTHER)
        return -EPERM;
    return host_result(setpriority(PRIO_PROCESS, 0, attr.sched_nice));
}

int64_t sys_sched_getattr(struct thread *t, const uint64_t *arg)
{
    uint32_t size = (uint32_t)arg[2];
    struct sched_attr attr = {.sched_policy = SCHED_OTHER};
    int64_t failed;

    if (!arg[1] || (int)arg[0] < 0 || size < LEAST_ATTR || size > MOST_ATTR || arg[3])
        return -EINVAL;
    failed = check_thread(t, (int)arg[0]);
    if (failed)
        return failed;
    attr.size = size < sizeof(attr) ? size : sizeof(attr);
    attr.sched_nice = getpriority(PRIO_PROCESS, 0);
    size = attr.size;
    order_attr(&attr);
    return guest_put(t, arg[1], &attr, size);
}

/* ---- input and output ------------------------------------------------------------------------ */

enum { OF_THREAD = 1 }; /* IOPRIO_WHO_PROCESS */

/* Sets *who for the host, 0 for the program's own threads; false: not allowed in the sandbox. */
static bool find_who(const struct thread *t, int which, int *who)
{
    if (which == OF_THREAD && thread_find(t->process, *who))
        *who = 0;
    return !t->process->options->sandbox || (which == OF_THREAD && !*who);
}

int64_t sys_ioprio_get(struct thread *t, const uint64_t *arg)
{
    int which = (int)arg[0], who = (int)arg[1];

    return find_who(t, which, &who) ? host_result(syscall(SYS_ioprio_get, which, who)) : -EPERM;
}

int64_t sys_ioprio_set(struct thread *t, const uint64_t *arg)
{
    int which = (int)arg[0], who = (int)arg[1];

    if (!find_who(t, which, &who))
        return -EPERM;
    return host_result(syscall(SYS_ioprio_set, which, who, (int)arg[2]));
}
