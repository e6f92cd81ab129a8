/*
 * Mutexes with priority inheritance: the C library's use of FUTEX_LOCK_PI and related calls, the
 * calls themselves, robust mutexes whose owner has ended, and a timeout in memory that two
 * processes share. QEMU has no list of robust mutexes, so Linux's results are given here.
 */
// flags: -pthread
//= protocol 0 init 0
//= counted 4000
//= protocol 0 init 0
//= lock 0 again 1
//= other: try 1 timed 1 unlock 1
//= unlock 0
//= not ours 1
//= protocol 0 init 0
//= turns 60
//= timed wait 1 unlock 0
//= lock 0 mine 1
//= again -35, try -35
//= waiters 1
//= waiter: lock 0, owner 1
//= waiter: unlock 0
//= free 0, unlock -1
//= no owner -3
//= differs -11, itself -22, late -110
//= other value -11, two at once -22
//= requeue 2
//= requeued: 0, owner 1
//= requeued: 0, owner 1
//= unlocked 2, word 0
//= its owner died: 1 consistent 0 unlock 0 lock 0
//= its owner died: 1 consistent 0 unlock 0 lock 0
//= its process died: 1
//= timed out
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex, robust;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int counter, turn;
static uint32_t word, from, unlocked;

static long call_futex(uint32_t *at, int op, uint32_t value, const void *timeout, uint32_t *at2,
                       uint32_t value3)
{
    long result = syscall(SYS_futex, at, op, value, timeout, at2, value3);

    return result < 0 ? -errno : result;
}

static void set_up(pthread_mutex_t *m, int type, int is_robust, int shared)
{
    pthread_mutexattr_t attr;

    pthread_mutexattr_init(&attr);
    printf("protocol %d", pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT));
    pthread_mutexattr_settype(&attr, type);
    if (is_robust)
        pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    if (shared)
        pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    printf(" init %d\n", pthread_mutex_init(m, &attr));
}

static void *count_locked(void *arg)
{
    for (int n = 0; n < 1000; n++) {
        pthread_mutex_lock(&mutex);
        int seen = counter;
        if (n % 100 == 0)
            sched_yield();
        counter = seen + 1;
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

static struct timespec time_soon(void)
{
    struct timespec at;

    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_nsec += 20000000;
    at.tv_sec += at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    return at;
}

static void *try_locked_mutex(void *arg)
{
    struct timespec at = time_soon();

    printf("other: try %d", pthread_mutex_trylock(&mutex) == EBUSY);
    printf(" timed %d", pthread_mutex_timedlock(&mutex, &at) == ETIMEDOUT);
    printf(" unlock %d\n", pthread_mutex_unlock(&mutex) == EPERM);
    return NULL;
}

static void use_mutexes(void)
{
    pthread_t thread[4];

    set_up(&mutex, PTHREAD_MUTEX_NORMAL, 0, 0);
    for (int n = 0; n < 4; n++)
        pthread_create(&thread[n], NULL, count_locked, NULL);
    for (int n = 0; n < 4; n++)
        pthread_join(thread[n], NULL);
    printf("counted %d\n", counter);
    set_up(&mutex, PTHREAD_MUTEX_ERRORCHECK, 0, 0);
    printf("lock %d", pthread_mutex_lock(&mutex));
    printf(" again %d\n", pthread_mutex_lock(&mutex) == EDEADLK);
    pthread_create(&thread[0], NULL, try_locked_mutex, NULL);
    pthread_join(thread[0], NULL);
    printf("unlock %d\n", pthread_mutex_unlock(&mutex));
    printf("not ours %d\n", pthread_mutex_unlock(&mutex) == EPERM);
}

static void *take_turns(void *arg)
{
    long me = (long)arg;

    pthread_mutex_lock(&mutex);
    for (int n = 0; n < 20; n++) {
        while (turn % 3 != me)
            pthread_cond_wait(&condition, &mutex);
        turn++;
        pthread_cond_broadcast(&condition);
    }
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void use_conditions(void)
{
    struct timespec at = time_soon();
    pthread_t thread[3];

    set_up(&mutex, PTHREAD_MUTEX_NORMAL, 0, 0);
    for (long n = 0; n < 3; n++)
        pthread_create(&thread[n], NULL, take_turns, (void *)n);
    for (int n = 0; n < 3; n++)
        pthread_join(thread[n], NULL);
    printf("turns %d\n", turn);
    pthread_mutex_lock(&mutex);
    printf("timed wait %d", pthread_cond_timedwait(&condition, &mutex, &at) == ETIMEDOUT);
    printf(" unlock %d\n", pthread_mutex_unlock(&mutex));
}

/* ---- the calls themselves -------------------------------------------------------------------- */

static uint32_t tid_of(void)
{
    return (uint32_t)syscall(SYS_gettid);
}

static void *wait_for_lock(void *arg)
{
    long result = call_futex(&word, FUTEX_LOCK_PI, 0, NULL, NULL, 0);

    printf("waiter: lock %ld, owner %d\n", result, (word & FUTEX_TID_MASK) == tid_of());
    printf("waiter: unlock %ld\n", call_futex(&word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0));
    return NULL;
}

static void *wait_for_requeue(void *arg)
{
    long result = call_futex(&from, FUTEX_WAIT_REQUEUE_PI, 0, NULL, &word, 0);

    printf("requeued: %ld, owner %d\n", result, (word & FUTEX_TID_MASK) == tid_of());
    result = call_futex(&word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0);
    __sync_fetch_and_add(&unlocked, result == 0);
    return NULL;
}

static void call_directly(void)
{
    struct timespec past = {1, 0};
    pthread_t thread[2];

    printf("lock %ld", call_futex(&word, FUTEX_LOCK_PI, 0, NULL, NULL, 0));
    printf(" mine %d\n", word == tid_of());
    printf("again %ld, try %ld\n", call_futex(&word, FUTEX_LOCK_PI, 0, NULL, NULL, 0),
           call_futex(&word, FUTEX_TRYLOCK_PI, 0, NULL, NULL, 0));
    pthread_create(&thread[0], NULL, wait_for_lock, NULL);
    usleep(20000);
    printf("waiters %d\n", (word & FUTEX_WAITERS) != 0);
    call_futex(&word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0);
    pthread_join(thread[0], NULL);
    printf("free %u, unlock %ld\n", word, call_futex(&word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0));
    word = 0x3ffffff0; /* a thread number that no thread has */
    printf("no owner %ld\n", call_futex(&word, FUTEX_LOCK_PI, 0, NULL, NULL, 0));
    word = 0;
    printf("differs %ld, itself %ld, late %ld\n",
           call_futex(&from, FUTEX_WAIT_REQUEUE_PI, 1, NULL, &word, 0),
           call_futex(&from, FUTEX_WAIT_REQUEUE_PI, 0, NULL, &from, 0),
           call_futex(&from, FUTEX_WAIT_REQUEUE_PI, 0, &past, &word, 0));
    call_futex(&word, FUTEX_LOCK_PI, 0, NULL, NULL, 0);
    for (int n = 0; n < 2; n++)
        pthread_create(&thread[n], NULL, wait_for_requeue, NULL);
    usleep(20000);
    printf("other value %ld, two at once %ld\n",
           call_futex(&from, FUTEX_CMP_REQUEUE_PI, 1, (void *)9, &word, 5),
           call_futex(&from, FUTEX_CMP_REQUEUE_PI, 2, (void *)9, &word, 0));
    printf("requeue %ld\n", call_futex(&from, FUTEX_CMP_REQUEUE_PI, 1, (void *)9, &word, 0));
    call_futex(&word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0);
    for (int n = 0; n < 2; n++)
        pthread_join(thread[n], NULL);
    printf("unlocked %u, word %u\n", unlocked, word);
}

/* ---- owners that end ------------------------------------------------------------------------- */

static void *leave_locked(void *arg)
{
    pthread_mutex_lock(arg);
    return NULL;
}

static void leave_owners(void)
{
    pthread_t thread;

    for (int inherit = 0; inherit < 2; inherit++) {
        pthread_mutexattr_t attr;

        pthread_mutexattr_init(&attr);
        pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
        pthread_mutexattr_setprotocol(&attr, inherit ? PTHREAD_PRIO_INHERIT : PTHREAD_PRIO_NONE);
        pthread_mutex_init(&robust, &attr);
        pthread_create(&thread, NULL, leave_locked, &robust);
        pthread_join(thread, NULL);
        printf("its owner died: %d", pthread_mutex_lock(&robust) == EOWNERDEAD);
        printf(" consistent %d", pthread_mutex_consistent(&robust));
        printf(" unlock %d", pthread_mutex_unlock(&robust));
        printf(" lock %d\n", pthread_mutex_lock(&robust));
        pthread_mutex_unlock(&robust);
    }
}

/* In memory shared with a process: an owner that ends, and a timeout. */
static void share_with_process(void)
{
    struct {
        pthread_mutex_t mutex;
        uint32_t word;
    } *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct timespec in = {0, 30000000};
    pthread_mutexattr_t attr;
    int status, fds[2];
    char byte;

    pipe(fds);
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&shared->mutex, &attr);
    if (!fork()) {
        pthread_mutex_lock(&shared->mutex);
        write(fds[1], "", 1);
        usleep(20000);
        _exit(0);
    }
    read(fds[0], &byte, 1);
    printf("its process died: %d\n", pthread_mutex_lock(&shared->mutex) == EOWNERDEAD);
    wait(&status);
    while (call_futex(&shared->word, FUTEX_WAIT, 0, &in, NULL, 0) != -ETIMEDOUT)
        ;
    printf("timed out\n");
}

int main(void)
{
    setbuf(stdout, NULL);
    use_mutexes();
    use_conditions();
    call_directly();
    leave_owners();
    share_with_process();
    return 0;
}
