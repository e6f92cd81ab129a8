/* Threads: mutexes, atomics, pthread_once, thread-local storage, timed waits, cancellation. */
// flags: -pthread
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 8, ROUNDS = 2000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t semaphore;
static __thread int own = 5;
static int counter, turn, onces;
static atomic_int atomics;

static void count_once(void)
{
    onces++;
}

static void *count_rounds(void *arg)
{
    int id = (int)(long)arg;

    pthread_once(&once, count_once);
    for (int n = 0; n < ROUNDS; n++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
        atomic_fetch_add(&atomics, 1);
        own++;
    }
    pthread_barrier_wait(&barrier);
    pthread_mutex_lock(&lock);
    while (turn != id)
        pthread_cond_wait(&changed, &lock);
    printf("thread %d: counter %d, own %d\n", id, counter, own);
    turn++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    sem_post(&semaphore);
    return (void *)(long)(id * id);
}

static void *post_when_detached(void *arg)
{
    (void)arg;
    usleep(1000);
    sem_post(&semaphore);
    return NULL;
}

static void *sleep_until_cancelled(void *arg)
{
    (void)arg;
    for (;;)
        sleep(1000);
}

int main(void)
{
    pthread_t thread[THREADS], other;
    struct timespec soon;
    void *result;
    long sum = 0;

    pthread_barrier_init(&barrier, NULL, THREADS);
    sem_init(&semaphore, 0, 0);
    for (long n = 0; n < THREADS; n++)
        pthread_create(&thread[n], NULL, count_rounds, (void *)n);
    for (int n = 0; n < THREADS; n++)
        sem_wait(&semaphore);
    for (int n = 0; n < THREADS; n++) {
        pthread_join(thread[n], &result);
        sum += (long)result;
    }
    printf("counter %d, atomics %d, onces %d, sum %ld, own %d\n", counter, atomics, onces, sum,
           own);
    for (int n = 0; n < 50; n++) {
        pthread_create(&other, NULL, post_when_detached, NULL);
        pthread_detach(other);
    }
    for (int n = 0; n < 50; n++)
        sem_wait(&semaphore);
    puts("detached");
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_nsec += 1000000;
    soon.tv_sec += soon.tv_nsec / 1000000000;
    soon.tv_nsec %= 1000000000;
    pthread_mutex_lock(&lock);
    printf("timed wait %d\n", pthread_cond_timedwait(&changed, &lock, &soon));
    pthread_mutex_unlock(&lock);
    printf("timed semaphore %d\n", sem_timedwait(&semaphore, &soon));
    pthread_create(&other, NULL, sleep_until_cancelled, NULL);
    usleep(1000);
    pthread_cancel(other);
    pthread_join(other, &result);
    printf("cancelled %d\n", result == PTHREAD_CANCELED);
    pthread_create(&other, NULL, post_when_detached, NULL);
    pthread_exit(NULL);
}
