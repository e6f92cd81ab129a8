/* The watch of a thread that executes instructions: a second thread that reads its processor
 * time. */
#include "runtime/cpu/watch.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "runtime/base/alloc.h"

enum { NS_PER_MS = 1000000, MS_PER_S = 1000 };
enum { PERIOD_MS = 200 }; /* between two looks at the watched thread */

struct cpu_watch {
    uint64_t turns;
    clockid_t time; /* processor time of the watched thread */
    bool (*executes)(void *opaque);
    void (*stuck)(void *opaque);
    void *opaque;
    pthread_t thread;
    pthread_mutex_t lock; /* guards `over`, whose change `changed` signals */
    pthread_cond_t changed;
    bool over;
};

static double seconds_of(clockid_t clock)
{
    struct timespec t = {0};

    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Waits for PERIOD_MS, or for the end of the watch: true. */
static bool wait_for_end(struct cpu_watch *w)
{
    struct timespec until;
    bool over;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += PERIOD_MS * NS_PER_MS;
    until.tv_sec += until.tv_nsec / (MS_PER_S * NS_PER_MS);
    until.tv_nsec %= MS_PER_S * NS_PER_MS;
    pthread_mutex_lock(&w->lock);
    if (!w->over)
        pthread_cond_timedwait(&w->changed, &w->lock, &until);
    over = w->over;
    pthread_mutex_unlock(&w->lock);
    return over;
}

static void *run_watch(void *opaque)
{
    struct cpu_watch *w = opaque;
    double since = seconds_of(w->time);
    uint64_t turns = 0, now;

    while (!wait_for_end(w)) {
        now = __atomic_load_n(&w->turns, __ATOMIC_RELAXED);
        if (now != turns || (w->executes && !w->executes(w->opaque)))
            since = seconds_of(w->time);
        turns = now;
        if (seconds_of(w->time) - since >= CPU_WATCH_SECONDS) {
            w->stuck(w->opaque);
            break;
        }
    }
    return NULL;
}

struct cpu_watch *cpu_watch_start(bool (*executes)(void *opaque), void (*stuck)(void *opaque),
                                  void *opaque)
{
    struct cpu_watch *w = xcalloc(1, sizeof(*w));

    w->executes = executes;
    w->stuck = stuck;
    w->opaque = opaque;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    if (!pthread_getcpuclockid(pthread_self(), &w->time) &&
        !pthread_create(&w->thread, NULL, run_watch, w))
        return w;
    free(w);
    return NULL;
}

void cpu_watch_turn(struct cpu_watch *w)
{
    if (w)
        __atomic_fetch_add(&w->turns, 1, __ATOMIC_RELAXED);
}

void cpu_watch_end(struct cpu_watch *w)
{
    if (!w)
        return;
    pthread_mutex_lock(&w->lock);
    w->over = true;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    free(w);
}
