/*
 * System calls: the host's System V message queues, semaphores and shared memory. A call that would
 * block is retried every millisecond, so GETNCNT and GETZCNT do not count a waiting process.
 */
#include "runtime/base/alloc.h"
#include "runtime/user/user.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <time.h>

#include "runtime/base/bits.h"

/* Flag of commands in 32-bit ABIs that selects the current structures; all ABIs here have only
 * these. */
#define IPC_64 0x100

/* Bytes of the longest message that is received; Linux's default limit is 8 KB. */
#define MAX_MESSAGE (UINT64_C(1) << 20)

/* Most operations of one semop(): SEMOPM of Linux. */
enum { MAX_OPERATIONS = 500 };

static int command_of(uint64_t arg)
{
    return (int)arg & ~IPC_64;
}

/* ---- message queues -------------------------------------------------------------------------- */

int64_t sys_msgget(struct thread *t, const uint64_t *arg)
{
    (void)t;
    return host_result(msgget((key_t)arg[0], (int)arg[1]));
}

int64_t sys_msgctl(struct thread *t, const uint64_t *arg)
{
    int id = (int)arg[0], command = command_of(arg[1]), result;
    struct msginfo info;
    struct msqid_ds ds;

    switch (command) {
    case IPC_RMID:
        return host_result(msgctl(id, command, NULL));
    case IPC_SET:
        if (guest_get_struct(t, arg[2], user_layout(OWN_MSQID), &ds))
            return -EFAULT;
        return host_result(msgctl(id, command, &ds));
    case IPC_STAT:
    case MSG_STAT:
    case MSG_STAT_ANY:
        result = msgctl(id, command, &ds);
        if (result >= 0 && guest_put_struct(t, arg[2], user_layout(OWN_MSQID), &ds))
            return -EFAULT;
        return host_result(result);
    case IPC_INFO:
    case MSG_INFO:
        result = msgctl(id, command, (struct msqid_ds *)(void *)&info);
        if (result >= 0 && guest_put(t, arg[2], &info, sizeof(info)))
            return -EFAULT;
        return host_result(result);
    default:
        return -EINVAL;
    }
}

/* The result of an operation that was tried with IPC_NOWAIT; if it would block, the call is
 * retried, unless `no_wait` is set. */
static int64_t result_or_retry(struct thread *t, int64_t result, bool no_wait, int would_block,
                               uint64_t deadline)
{
    if (result < 0 && errno == EINVAL && t->wait.why != RESUME_FIRST)
        return -EIDRM; /* the object existed when the wait began */
    if (result >= 0 || errno != would_block || no_wait)
        return host_result(result);
    return thread_wait(t, WAIT_RETRY, deadline);
}

/* A message begins with a word, its type; the text follows. */
int64_t sys_msgsnd(struct thread *t, const uint64_t *arg)
{
    uint64_t type, bytes = arg[2];
    const void *text = bytes <= INT_MAX ? guest_read(t, arg[1] + user_abi.word_bytes, bytes) : NULL;
    struct msgbuf *host;
    int64_t result;

    if (t->wait.why == RESUME_SIGNAL)
        return CALL_REPEAT;
    if (bytes > INT_MAX)
        return -EINVAL;
    if (guest_get_word(t, arg[1], &type) || !text)
        return -EFAULT;
    if (bytes > MAX_MESSAGE)
        return -EINVAL;
    host = xcalloc(1, sizeof(*host) + bytes);
    host->mtype = user_abi.word_bytes == 4 ? (int32_t)type : (long)type;
    memcpy(host->mtext, text, bytes);
    result = msgsnd((int)arg[0], host, bytes, (int)arg[3] | IPC_NOWAIT);
    result = result_or_retry(t, result, arg[3] & IPC_NOWAIT, EAGAIN, CLOCK_NEVER);
    free(host);
    return result;
}

int64_t sys_msgrcv(struct thread *t, const uint64_t *arg)
{
    uint64_t room = arg[2] < MAX_MESSAGE ? arg[2] : MAX_MESSAGE;
    struct msgbuf *host;
    int64_t result;

    if (t->wait.why == RESUME_SIGNAL)
        return CALL_REPEAT;
    if (arg[2] > INT_MAX)
        return -EINVAL;
    host = xcalloc(1, sizeof(*host) + room);
    result = msgrcv((int)arg[0], host, room, (long)arg[3], (int)arg[4] | IPC_NOWAIT);
    result = result_or_retry(t, result, arg[4] & IPC_NOWAIT, ENOMSG, CLOCK_NEVER);
    if (result >= 0 && (guest_put_word(t, arg[1], (uint64_t)host->mtype) ||
                        guest_put(t, arg[1] + user_abi.word_bytes, host->mtext, (uint64_t)result)))
        result = -EFAULT;
    free(host);
    return result;
}

/* ---- semaphores ------------------------------------------------------------------------------ */

union semun {
    int val;
    void *ptr;
};

int64_t sys_semget(struct thread *t, const uint64_t *arg)
{
    (void)t;
    return host_result(semget((key_t)arg[0], (int)arg[1], (int)arg[2]));
}

/* The guest's array with one value per semaphore of the set; NULL with *failed. */
static void *value_array(struct thread *t, int id, uint64_t va, bool write, int64_t *failed)
{
    struct semid_ds ds;
    uint64_t bytes;
    void *array;

    if (semctl(id, 0, IPC_STAT, (union semun){.ptr = &ds}) < 0) {
        *failed = -errno;
        return NULL;
    }
    bytes = ds.sem_nsems * sizeof(unsigned short);
    array = write ? guest_write(t, va, bytes) : guest_read(t, va, bytes);
    *failed = array ? 0 : -EFAULT;
    return array;
}

/* GETALL and SETALL */
static int64_t control_values(struct thread *t, int id, int command, uint64_t va)
{
    struct semid_ds ds;
    uint16_t *values;
    int64_t failed;
    void *array = value_array(t, id, va, command == GETALL, &failed);

    if (failed || semctl(id, 0, IPC_STAT, (union semun){.ptr = &ds}) < 0)
        return failed ? failed : -errno;
    values = xcalloc(ds.sem_nsems + 1, sizeof(*values));
    if (command == SETALL)
        memcpy(values, array, ds.sem_nsems * sizeof(*values));
    guest_order_all(values, sizeof(*values), ds.sem_nsems);
    failed = host_result(semctl(id, 0, command, (union semun){.ptr = values}));
    guest_order_all(values, sizeof(*values), ds.sem_nsems);
    if (command == GETALL && failed >= 0)
        memcpy(array, values, ds.sem_nsems * sizeof(*values));
    free(values);
    return failed;
}

static int64_t control_set(struct thread *t, int id, int number, int command, uint64_t va)
{
    struct seminfo info;
    struct semid_ds ds;
    int64_t result;

    switch (command) {
    case IPC_SET:
        if (guest_get_struct(t, va, user_layout(OWN_SEMID), &ds))
            return -EFAULT;
        return host_result(semctl(id, number, command, (union semun){.ptr = &ds}));
    case IPC_STAT:
    case SEM_STAT:
    case SEM_STAT_ANY:
        result = host_result(semctl(id, number, command, (union semun){.ptr = &ds}));
        return result >= 0 && guest_put_struct(t, va, user_layout(OWN_SEMID), &ds) ? -EFAULT
                                                                                   : result;
    case IPC_INFO:
    case SEM_INFO:
        result = host_result(semctl(id, number, command, (union semun){.ptr = &info}));
        return result >= 0 && guest_put(t, va, &info, sizeof(info)) ? -EFAULT : result;
    default:
        return -EINVAL;
    }
}

int64_t sys_semctl(struct thread *t, const uint64_t *arg)
{
    int id = (int)arg[0], number = (int)arg[1], command = command_of(arg[2]);
    union semun un = {.val = (int)arg[3]};

    switch (command) {
    case GETALL:
    case SETALL:
        return control_values(t, id, command, arg[3]);
    case IPC_RMID:
    case GETVAL:
    case SETVAL:
    case GETPID:
    case GETNCNT:
    case GETZCNT:
        return host_result(semctl(id, number, command, un));
    default:
        return control_set(t, id, number, command, arg[3]);
    }
}

static int64_t operate_semaphores(struct thread *t, const uint64_t *arg, uint64_t deadline)
{
    struct sembuf ops[MAX_OPERATIONS];
    bool no_wait = t->wait.why == RESUME_TIMEOUT;
    uint64_t count = (uint32_t)arg[2];

    if (t->wait.why == RESUME_SIGNAL)
        return -EINTR; /* also with SA_RESTART */
    if (!count)
        return -EINVAL;
    if (count > MAX_OPERATIONS)
        return -E2BIG;
    if (guest_get(t, arg[1], ops, count * sizeof(*ops)))
        return -EFAULT;
    guest_order_all(ops, 2, count * sizeof(*ops) / 2);
    for (uint64_t n = 0; n < count; n++) {
        no_wait |= ops[n].sem_flg & IPC_NOWAIT;
        ops[n].sem_flg |= IPC_NOWAIT;
    }
    return result_or_retry(t, semop((int)arg[0], ops, count), no_wait, EAGAIN, deadline);
}

int64_t sys_semop(struct thread *t, const uint64_t *arg)
{
    return operate_semaphores(t, arg, CLOCK_NEVER);
}

int64_t sys_semtimedop(struct thread *t, const uint64_t *arg)
{
    uint64_t now = process_now(t->process), deadline = CLOCK_NEVER;
    struct timespec ts;

    if (arg[3]) {
        if (guest_get_struct(t, arg[3], &layout_timespec, &ts))
            return -EFAULT;
        if (ts.tv_sec < 0 || (uint64_t)ts.tv_nsec >= NS_PER_SEC)
            return -EINVAL;
        if ((uint64_t)ts.tv_sec < CLOCK_NEVER / NS_PER_SEC / 2)
            deadline = now + (uint64_t)ts.tv_sec * NS_PER_SEC + (uint64_t)ts.tv_nsec;
    }
    return operate_semaphores(t, arg, deadline);
}

/* ---- shared memory --------------------------------------------------------------------------- */

int64_t sys_shmget(struct thread *t, const uint64_t *arg)
{
    (void)t;
    return host_result(shmget((key_t)arg[0], arg[1], (int)arg[2]));
}

int64_t sys_shmctl(struct thread *t, const uint64_t *arg)
{
    int id = (int)arg[0], command = command_of(arg[1]);
    const struct layout *layout = command == IPC_INFO   ? &layout_shminfo
                                  : command == SHM_INFO ? &layout_shm_info
                                                        : user_layout(OWN_SHMID);
    union {
        struct shmid_ds ds;
        struct shminfo limits;
        struct shm_info use;
    } u;
    int64_t result;

    switch (command) {
    case IPC_RMID:
    case SHM_LOCK:
    case SHM_UNLOCK:
        return host_result(shmctl(id, command, NULL));
    case IPC_SET:
        if (guest_get_struct(t, arg[2], layout, &u.ds))
            return -EFAULT;
        return host_result(shmctl(id, command, &u.ds));
    case IPC_STAT:
    case SHM_STAT:
    case SHM_STAT_ANY:
    case IPC_INFO:
    case SHM_INFO:
        result = host_result(shmctl(id, command, &u.ds));
        return result >= 0 && guest_put_struct(t, arg[2], layout, &u) ? -EFAULT : result;
    default:
        return -EINVAL;
    }
}

int64_t sys_shmat(struct thread *t, const uint64_t *arg)
{
    int id = (int)arg[0], flags = (int)arg[2];
    uint64_t va = arg[1], lowest = user_abi.segment_align;
    struct shmid_ds ds;

    if (flags & SHM_RND)
        va = align_down(va, lowest);
    if (va % lowest || (!va && (flags & SHM_REMAP)))
        return -EINVAL;
    if (shmctl(id, IPC_STAT, &ds))
        return -errno;
    t->process->related = true; /* other processes may attach the segment */
    return space_attach(&t->process->space, va, ds.shm_segsz, flags, id);
}

int64_t sys_shmdt(struct thread *t, const uint64_t *arg)
{
    return space_detach(&t->process->space, arg[0]);
}
