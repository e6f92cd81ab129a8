/* System calls of older ABIs that newer ABIs have replaced. */
#include "runtime/user/user.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

/* ---- time ------------------------------------------------------------------------------------ */

int64_t sys_time(struct thread *t, const uint64_t *arg)
{
    uint64_t seconds = process_realtime(t->process) / NS_PER_SEC;

    return arg[0] && guest_put_word(t, arg[0], seconds) ? -EFAULT : (int64_t)seconds;
}

/* Returns the seconds left of the alarm before, rounded but at least 1; 0: there was none. */
int64_t sys_alarm(struct thread *t, const uint64_t *arg)
{
    struct process *p = t->process;
    const struct event *e = &p->alarm[ITIMER_REAL];
    uint64_t now = process_now(p), seconds = (uint32_t)arg[0], left = 0;

    if (event_pending(e))
        left = e->when > now ? (e->when - now + NS_PER_SEC / 2) / NS_PER_SEC : 0;
    if (event_pending(e) && !left)
        left = 1;
    alarm_set(p, ITIMER_REAL, seconds ? now + seconds * NS_PER_SEC : CLOCK_NEVER, 0);
    return (int64_t)left;
}

/* The structure at arg[1] has the times of access and modification, in seconds. */
int64_t sys_utime(struct thread *t, const uint64_t *arg)
{
    struct timespec times[2] = {{0}};

    PATH(path, arg[0]);
    for (unsigned n = 0; arg[1] && n < 2; n++) {
        uint64_t seconds;

        if (guest_get_word(t, arg[1] + n * user_abi.word_bytes, &seconds))
            return -EFAULT;
        times[n].tv_sec = user_abi.word_bytes == 4 ? (int32_t)seconds : (time_t)seconds;
    }
    return host_result(utimensat(AT_FDCWD, path, arg[1] ? times : NULL, 0));
}

/* ---- System V IPC by one call ---------------------------------------------------------------- */

/* Values of ipc()'s first argument, from include/uapi/linux/ipc.h. */
enum ipc_call {
    SEMAPHORES_OPERATE = 1,
    SEMAPHORES_GET,
    SEMAPHORES_CONTROL,
    SEMAPHORES_OPERATE_TIMED,
    MESSAGES_SEND = 11,
    MESSAGES_RECEIVE,
    MESSAGES_GET,
    MESSAGES_CONTROL,
    MEMORY_ATTACH = 21,
    MEMORY_DETACH,
    MEMORY_GET,
    MEMORY_CONTROL,
};

static int64_t receive_message(struct thread *t, const uint64_t *arg)
{
    uint64_t at = arg[4], type = arg[5];

    if (!(arg[0] >> 16) && /* version 0 of the call: both are in memory */
        (guest_get_word(t, arg[4], &at) || guest_get_word(t, arg[4] + user_abi.word_bytes, &type)))
        return -EFAULT;
    if (user_abi.word_bytes == 4)
        type = (uint64_t)(int32_t)type;
    return sys_msgrcv(t, (const uint64_t[]){arg[1], at, arg[2], type, arg[3]});
}

static int64_t attach_memory(struct thread *t, const uint64_t *arg)
{
    int64_t at = sys_shmat(t, (const uint64_t[]){arg[1], arg[4], arg[2]});

    if (at < 0 && at >= -4095)
        return at;
    return guest_put_word(t, arg[3], (uint64_t)at) ? -EFAULT : 0;
}

int64_t sys_ipc(struct thread *t, const uint64_t *arg)
{
    uint64_t first = arg[1], second = arg[2], third = arg[3], at = arg[4], value;

    switch ((enum ipc_call)(arg[0] & 0xffff)) {
    case SEMAPHORES_OPERATE:
        return sys_semop(t, (const uint64_t[]){first, at, second});
    case SEMAPHORES_OPERATE_TIMED:
        return sys_semtimedop(t, (const uint64_t[]){first, at, second, arg[5]});
    case SEMAPHORES_GET:
        return sys_semget(t, (const uint64_t[]){first, second, third});
    case SEMAPHORES_CONTROL:
        if (!at || guest_get_word(t, at, &value))
            return at ? -EFAULT : -EINVAL;
        return sys_semctl(t, (const uint64_t[]){first, second, third, value});
    case MESSAGES_SEND:
        return sys_msgsnd(t, (const uint64_t[]){first, at, second, third});
    case MESSAGES_RECEIVE:
        return receive_message(t, arg);
    case MESSAGES_GET:
        return sys_msgget(t, (const uint64_t[]){first, second});
    case MESSAGES_CONTROL:
        return sys_msgctl(t, (const uint64_t[]){first, second, at});
    case MEMORY_ATTACH:
        return attach_memory(t, arg);
    case MEMORY_DETACH:
        return sys_shmdt(t, (const uint64_t[]){at});
    case MEMORY_GET:
        return sys_shmget(t, (const uint64_t[]){first, second, third});
    case MEMORY_CONTROL:
        return sys_shmctl(t, (const uint64_t[]){first, second, at});
    default:
        return -ENOSYS;
    }
}
