/* System calls: identity, limits, scheduling, the system. */
#include "runtime/base/alloc.h"
#include "runtime/user/user.h"

#include <errno.h>
#include <grp.h>
#include <linux/prctl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

/* ---- the system ------------------------------------------------------------------------------ */

int64_t sys_uname(struct thread *t, const uint64_t *arg)
{
    struct utsname name;

    if (uname(&name))
        return -errno;
    memset(name.machine, 0, sizeof(name.machine));
    snprintf(name.machine, sizeof(name.machine), "%s", user_abi.machine);
    return guest_put(t, arg[0], &name, sizeof(name));
}

int64_t sys_sethostname(struct thread *t, const uint64_t *arg)
{
    (void)t, (void)arg;
    return -EPERM;
}

int64_t sys_setdomainname(struct thread *t, const uint64_t *arg)
{
    return sys_sethostname(t, arg);
}

/* Doubles the unit of the sizes, so that words of 4 bytes can hold them. */
static void scale_sizes(struct sysinfo *info)
{
    info->totalram >>= 1;
    info->freeram >>= 1;
    info->sharedram >>= 1;
    info->bufferram >>= 1;
    info->totalswap >>= 1;
    info->freeswap >>= 1;
    info->mem_unit <<= 1;
}

int64_t sys_sysinfo(struct thread *t, const uint64_t *arg)
{
    struct sysinfo info;

    if (sysinfo(&info))
        return -errno;
    info.uptime = (long)(process_now(t->process) / NS_PER_SEC);
    while (user_abi.word_bytes == 4 && (info.totalram | info.totalswap) >> 32)
        scale_sizes(&info);
    return guest_put_struct(t, arg[0], &layout_sysinfo, &info);
}

int64_t sys_getrandom(struct thread *t, const uint64_t *arg)
{
    uint64_t len = arg[1] < 0x2000000 ? arg[1] : 0x1ffffff;
    uint8_t *out = guest_write(t, arg[0], len);

    if (!out)
        return -EFAULT;
    for (uint64_t n = 0; n < len; n += 8) {
        uint64_t value = process_random(t->process);

        memcpy(out + n, &value, len - n < 8 ? len - n : 8);
    }
    return (int64_t)len;
}

int64_t sys_syslog(struct thread *t, const uint64_t *arg)
{
    (void)t, (void)arg;
    return -EPERM;
}

/* ---- limits ---------------------------------------------------------------------------------- */

/* Sets the limit unless `new` is NULL, and returns the old limit. */
static int64_t exchange_limit(struct thread *t, pid_t pid, int resource, const struct rlimit64 *new,
                              struct rlimit64 *old)
{
    /* The guest cannot set limits that would restrict the simulator too. */
    bool ours = resource == RLIMIT_AS || resource == RLIMIT_DATA || resource == RLIMIT_STACK ||
                resource == RLIMIT_CPU;

    if (resource == RLIMIT_NOFILE && (!pid || pid == t->process->pid)) {
        *old = t->process->nofile;
        return new ? nofile_set(t->process, new) : 0;
    }
    if (t->process->options->sandbox && pid && pid != t->process->pid)
        return -EPERM;
    if (prlimit64(pid, (enum __rlimit_resource)resource, ours ? NULL : new, old))
        return -errno;
    if (resource == RLIMIT_STACK)
        old->rlim_cur = t->process->options->stack_bytes;
    return 0;
}

int64_t sys_prlimit64(struct thread *t, const uint64_t *arg)
{
    struct rlimit64 new, old;
    int64_t failed;

    if (arg[2] && guest_get(t, arg[2], &new, sizeof(new)))
        return -EFAULT;
    guest_order_all(&new, sizeof(uint64_t), 2);
    failed = exchange_limit(t, (pid_t)arg[0], (int)arg[1], arg[2] ? &new : NULL, &old);
    guest_order_all(&old, sizeof(uint64_t), 2);
    return failed || !arg[3] ? failed : guest_put(t, arg[3], &old, sizeof(old));
}

/* The largest word, which means no limit. */
static uint64_t no_limit(void)
{
    if (user_abi.no_limit)
        return user_abi.no_limit;
    return user_abi.word_bytes == 4 ? UINT32_MAX : UINT64_MAX;
}

int64_t sys_getrlimit(struct thread *t, const uint64_t *arg)
{
    struct rlimit64 old;
    int64_t failed = exchange_limit(t, 0, (int)arg[0], NULL, &old);

    old.rlim_cur = old.rlim_cur < no_limit() ? old.rlim_cur : no_limit();
    old.rlim_max = old.rlim_max < no_limit() ? old.rlim_max : no_limit();
    return failed ? failed : guest_put_struct(t, arg[1], &layout_rlimit, &old);
}

int64_t sys_setrlimit(struct thread *t, const uint64_t *arg)
{
    struct rlimit64 new, old;

    if (guest_get_struct(t, arg[1], &layout_rlimit, &new))
        return -EFAULT;
    new.rlim_cur = new.rlim_cur == no_limit() ? RLIM64_INFINITY : new.rlim_cur;
    new.rlim_max = new.rlim_max == no_limit() ? RLIM64_INFINITY : new.rlim_max;
    return exchange_limit(t, 0, (int)arg[0], &new, &old);
}

int64_t sys_getpriority(struct thread *t, const uint64_t *arg)
{
    (void)t;
    return host_result(syscall(SYS_getpriority, (int)arg[0], (int)arg[1]));
}

int64_t sys_setpriority(struct thread *t, const uint64_t *arg)
{
    if (t->process->options->sandbox && ((int)arg[0] != PRIO_PROCESS || arg[1]))
        return -EPERM;
    return host_result(setpriority((int)arg[0], (id_t)arg[1], (int)arg[2]));
}

int64_t sys_nice(struct thread *t, const uint64_t *arg)
{
    int now = getpriority(PRIO_PROCESS, 0), by = (int)arg[0];

    (void)t;
    by = by < -40 ? -40 : by > 40 ? 40 : by;
    if (!setpriority(PRIO_PROCESS, 0, now + by))
        return 0;
    return errno == EACCES ? -EPERM : -errno;
}

/* ---- scheduling: threads run in turns, and that is all --------------------------------------- */

int64_t sys_sched_yield(struct thread *t, const uint64_t *arg)
{
    (void)arg;
    cpu_end_turn(t->cpu);
    return 0;
}

int64_t sys_sched_getaffinity(struct thread *t, const uint64_t *arg)
{
    unsigned word = user_abi.word_bytes;

    if (arg[1] < word || arg[1] % word)
        return -EINVAL;
    return guest_put_word(t, arg[2], 1) ? -EFAULT : (int64_t)word;
}

int64_t sys_sched_setaffinity(struct thread *t, const uint64_t *arg)
{
    const uint8_t *mask = guest_read(t, arg[2], arg[1]);
    uint64_t lowest = user_abi.big_endian ? user_abi.word_bytes - 1 : 0; /* byte of CPU 0 */

    if (!mask)
        return -EFAULT;
    return arg[1] > lowest && (mask[lowest] & 1) ? 0 : -EINVAL;
}

int64_t sys_sched_getscheduler(struct thread *t, const uint64_t *arg)
{
    (void)t, (void)arg;
    return SCHED_OTHER;
}

int64_t sys_sched_setscheduler(struct thread *t, const uint64_t *arg)
{
    (void)t;
    return (int)arg[1] == SCHED_OTHER ? 0 : -EPERM;
}

int64_t sys_sched_getparam(struct thread *t, const uint64_t *arg)
{
    int32_t priority = 0;

    return guest_put(t, arg[1], &priority, sizeof(priority));
}

int64_t sys_sched_setparam(struct thread *t, const uint64_t *arg)
{
    (void)t, (void)arg;
    return 0;
}

int64_t sys_sched_get_priority_max(struct thread *t, const uint64_t *arg)
{
    (void)t;
    return host_result(sched_get_priority_max((int)arg[0]));
}

int64_t sys_sched_get_priority_min(struct thread *t, const uint64_t *arg)
{
    (void)t;
    return host_result(sched_get_priority_min((int)arg[0]));
}

int64_t sys_getcpu(struct thread *t, const uint64_t *arg)
{
    uint32_t zero = 0;

    if ((arg[0] && guest_put(t, arg[0], &zero, 4)) || (arg[1] && guest_put(t, arg[1], &zero, 4)))
        return -EFAULT;
    return 0;
}

/* ---- identity -------------------------------------------------------------------------------- */

int64_t sys_getpid(struct thread *t, const uint64_t *arg)
{
    (void)arg;
    return t->process->pid;
}

int64_t sys_gettid(struct thread *t, const uint64_t *arg)
{
    (void)arg;
    return t->tid;
}

int64_t sys_set_tls(struct thread *t, const uint64_t *arg)
{
    user_set_tls(t->cpu, arg[0]);
    return 0;
}

int64_t sys_set_tid_address(struct thread *t, const uint64_t *arg)
{
    t->clear_tid = arg[0];
    return t->tid;
}

/* Calls without pointers, passed to the host unchanged. */
#define PASS_THROUGH(name, ...)                               \
    int64_t sys_##name(struct thread *t, const uint64_t *arg) \
    {                                                         \
        (void)t, (void)arg;                                   \
        return host_result(__VA_ARGS__);                      \
    }

PASS_THROUGH(getppid, getppid())
PASS_THROUGH(getuid, getuid())
PASS_THROUGH(geteuid, geteuid())
PASS_THROUGH(getgid, getgid())
PASS_THROUGH(getegid, getegid())
PASS_THROUGH(setuid, setuid((uid_t)arg[0]))
PASS_THROUGH(setgid, setgid((gid_t)arg[0]))
PASS_THROUGH(setreuid, setreuid((uid_t)arg[0], (uid_t)arg[1]))
PASS_THROUGH(setregid, setregid((gid_t)arg[0], (gid_t)arg[1]))
PASS_THROUGH(setresuid, setresuid((uid_t)arg[0], (uid_t)arg[1], (uid_t)arg[2]))
PASS_THROUGH(setresgid, setresgid((gid_t)arg[0], (gid_t)arg[1], (gid_t)arg[2]))
PASS_THROUGH(setfsuid, syscall(SYS_setfsuid, (uid_t)arg[0]))
PASS_THROUGH(setfsgid, syscall(SYS_setfsgid, (gid_t)arg[0]))
PASS_THROUGH(getpgid, getpgid((pid_t)arg[0]))
PASS_THROUGH(setpgid, setpgid((pid_t)arg[0], (pid_t)arg[1]))
PASS_THROUGH(getsid, getsid((pid_t)arg[0]))
PASS_THROUGH(setsid, setsid())
PASS_THROUGH(umask, syscall(SYS_umask, (mode_t)arg[0]))

static int64_t put_ids(struct thread *t, const uint64_t *arg, const uint32_t id[3])
{
    for (unsigned n = 0; n < 3; n++) {
        if (guest_put_number(t, arg[n], id[n], sizeof(id[n])))
            return -EFAULT;
    }
    return 0;
}

int64_t sys_getresuid(struct thread *t, const uint64_t *arg)
{
    uint32_t id[3];

    return getresuid(&id[0], &id[1], &id[2]) ? -errno : put_ids(t, arg, id);
}

int64_t sys_getresgid(struct thread *t, const uint64_t *arg)
{
    uint32_t id[3];

    return getresgid(&id[0], &id[1], &id[2]) ? -errno : put_ids(t, arg, id);
}

int64_t sys_getgroups(struct thread *t, const uint64_t *arg)
{
    gid_t *list = guest_write(t, arg[1], (uint64_t)(uint32_t)arg[0] * sizeof(*list));

    int count = !list && arg[0] ? -1 : getgroups((int)arg[0], list);

    if (count > 0 && arg[0])
        guest_order_all(list, sizeof(*list), (size_t)count);
    return !list && arg[0] ? -EFAULT : host_result(count);
}

int64_t sys_setgroups(struct thread *t, const uint64_t *arg)
{
    enum { MOST = 65536 }; /* NGROUPS_MAX */
    uint64_t count = (uint32_t)arg[0];
    gid_t *list = count > MOST ? NULL : xcalloc(count + 1, sizeof(*list));
    int64_t failed = list ? guest_get(t, arg[1], list, count * sizeof(*list)) : -EINVAL;

    if (!failed) {
        guest_order_all(list, sizeof(*list), count);
        failed = host_result(setgroups(count, list));
    }
    free(list);
    return failed;
}

int64_t sys_prctl(struct thread *t, const uint64_t *arg)
{
    char *name;

    switch ((int)arg[0]) {
    case PR_SET_NAME:
        name = (char *)(uintptr_t)guest_string(t, arg[1]);
        if (!name)
            return -EFAULT;
        snprintf(t->name, sizeof(t->name), "%s", name);
        return 0;
    case PR_GET_NAME:
        return guest_put(t, arg[1], t->name, sizeof(t->name));
    case PR_GET_DUMPABLE:
        return 1;
    case PR_SET_PDEATHSIG:
    case PR_SET_NO_NEW_PRIVS:
    case PR_GET_NO_NEW_PRIVS:
    case PR_SET_CHILD_SUBREAPER:
        return host_result(prctl((int)arg[0], arg[1], arg[2], arg[3], arg[4]));
    case PR_SET_DUMPABLE:
    case PR_SET_TIMERSLACK:
    case PR_SET_KEEPCAPS:
        return 0;
    default:
        return -EINVAL;
    }
}

int64_t sys_personality(struct thread *t, const uint64_t *arg)
{
    struct process *p = t->process;
    uint32_t old = p->personality;

    if ((uint32_t)arg[0] != 0xffffffff) /* only reads the value */
        p->personality = (uint32_t)arg[0];
    p->space.read_implies_exec = p->personality & READ_IMPLIES_EXEC;
    return old;
}

int64_t sys_capget(struct thread *t, const uint64_t *arg)
{
    uint32_t *header = guest_write(t, arg[0], 8);
    void *data = arg[1] ? guest_write(t, arg[1], 24) : NULL;

    int64_t result;

    if (!header || (arg[1] && !data))
        return -EFAULT;
    guest_order_all(header, 4, 2);
    result = host_result(syscall(SYS_capget, header, data));
    guest_order_all(header, 4, 2);
    if (data && result >= 0)
        guest_order_all(data, 4, 6);
    return result;
}

/* Sets the capabilities of the simulator's thread, which makes all of the program's host calls. */
int64_t sys_capset(struct thread *t, const uint64_t *arg)
{
    uint32_t *header = guest_write(t, arg[0], 8);
    uint32_t data[6];
    int64_t result;

    if (!header || guest_get(t, arg[1], data, sizeof(data)))
        return -EFAULT;
    guest_order_all(header, 4, 2);
    guest_order_all(data, 4, 6);
    result = host_result(syscall(SYS_capset, header, data));
    guest_order_all(header, 4, 2);
    return result;
}

int64_t sys_rseq(struct thread *t, const uint64_t *arg)
{
    (void)t, (void)arg;
    return -ENOSYS; /* the C library works without it */
}
