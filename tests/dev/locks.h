/*
 * Checks a program's use of mutexes and threads: a mutex is released by the thread that took it,
 * never taken twice, waited with only while held, and free when destroyed; threads are joined. The
 * test's program is linked with LOCK_WRAPS of tests/CMakeLists.txt.
 */
#ifndef TESTS_DEV_LOCKS_H
#define TESTS_DEV_LOCKS_H

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>

/* Number of wrong uses of a mutex. */
static unsigned lock_faults;

/* The linker's names of the C library's functions and of those that replace them. */
int __wrap_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr);
int __real_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr);

/* Makes every mutex check errors, whatever attributes the program passes. */
int __wrap_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr)
{
    pthread_mutexattr_t checks;
    int rc;

    (void)attr;
    pthread_mutexattr_init(&checks);
    pthread_mutexattr_settype(&checks, PTHREAD_MUTEX_ERRORCHECK);
    rc = __real_pthread_mutex_init(mutex, &checks);
    pthread_mutexattr_destroy(&checks);
    return rc;
}

static int count_lock_fault(int rc)
{
    if (rc)
        __atomic_add_fetch(&lock_faults, 1, __ATOMIC_RELAXED);
    return rc;
}

#define CHECK_MUTEX(function)                              \
    int __wrap_##function(pthread_mutex_t *mutex);         \
    int __real_##function(pthread_mutex_t *mutex);         \
    int __wrap_##function(pthread_mutex_t *mutex)          \
    {                                                      \
        return count_lock_fault(__real_##function(mutex)); \
    }

CHECK_MUTEX(pthread_mutex_lock)
CHECK_MUTEX(pthread_mutex_unlock)
CHECK_MUTEX(pthread_mutex_destroy)

/* A wait with a mutex that is not held counts as a wrong use. */
int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
int __real_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);

int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    return count_lock_fault(__real_pthread_cond_wait(condition, mutex));
}

/* ---- threads --------------------------------------------------------------------------------- */

static unsigned threads_begun, threads_joined;
static bool no_threads; /* makes pthread_create() fail */

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
                          void *opaque);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
                          void *opaque);
int __wrap_pthread_join(pthread_t thread, void **result);
int __real_pthread_join(pthread_t thread, void **result);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
                          void *opaque)
{
    int rc = no_threads ? EAGAIN : __real_pthread_create(thread, attr, run, opaque);

    threads_begun += !rc;
    return rc;
}

int __wrap_pthread_join(pthread_t thread, void **result)
{
    threads_joined++;
    return __real_pthread_join(thread, result);
}

/* ---- what a test asks ------------------------------------------------------------------------ */

/*
 * Returns the number of wrong uses since the last call, plus the number of threads not yet joined.
 */
static unsigned lock_faults_seen(void)
{
    return __atomic_exchange_n(&lock_faults, 0, __ATOMIC_RELAXED) +
           (threads_begun - threads_joined);
}

#endif
