/*
 * Workers that enter and leave windows, and how long they wait without sleep.
 *
 * One word says how many workers are where. It changes by atomic operations, so that exactly one
 * worker finds that it is the last to leave, and no worker enters afterwards:
 *
 *     bits 0 to 9    asleep: workers in the window that sleep for a page, a turn or a permission
 *     bits 10 to 19  active: workers in the window that run
 *     bits 20 to 29  absent: workers that have not entered the window and may do so
 *     bit 30         the step lasts: a window is open, or another will follow
 *     bit 31         a window is worth a moment's wait
 *     bits 32 to 63  number of the window
 *
 * Bounds      waiting without sleep: MOMENT_NS
 */
#include "runtime/gpu/shader/crew.h"

#include <time.h>

#include "runtime/gpu/shader/core.h"

enum {
    COUNT_BITS = 10,
    ACTIVE_SHIFT = COUNT_BITS,
    ABSENT_SHIFT = 2 * COUNT_BITS,
    STEP_SHIFT = 3 * COUNT_BITS,
    SOON_SHIFT,
    NUMBER_SHIFT,
    MOMENT_NS = 100000, /* about the time to sleep and be woken */
    LOOKS = 32,         /* looks at memory per look at the clock */
};

#define ONE_ASLEEP UINT64_C(1)
#define ONE_ACTIVE (UINT64_C(1) << ACTIVE_SHIFT)
#define ONE_ABSENT (UINT64_C(1) << ABSENT_SHIFT)
#define STEP_LASTS (UINT64_C(1) << STEP_SHIFT)
#define SOON       (UINT64_C(1) << SOON_SHIFT)

_Static_assert(GPU_MAX_WORKERS < 1 << COUNT_BITS, "a count has room for all workers");

static unsigned asleep(uint64_t crew)
{
    return crew & ((1 << COUNT_BITS) - 1);
}

static unsigned active(uint64_t crew)
{
    return asleep(crew >> ACTIVE_SHIFT);
}

static unsigned absent(uint64_t crew)
{
    return asleep(crew >> ABSENT_SHIFT);
}

/* ---- waiting without sleep ------------------------------------------------------------------- */

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

struct gpu_moment gpu_moment_begin(const struct gpu_cores *c)
{
    return (struct gpu_moment){.end = c->patient ? now_ns() + MOMENT_NS : 0};
}

bool gpu_moment_lasts(struct gpu_moment *m)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
    if (m->end && ++m->looks % LOOKS == 0 && now_ns() >= m->end)
        m->end = 0;
    return m->end != 0;
}

/* ---- windows --------------------------------------------------------------------------------- */

void gpu_crew_open(struct gpu_cores *c, unsigned workers)
{
    uint64_t number = (__atomic_load_n(&c->crew, __ATOMIC_RELAXED) >> NUMBER_SHIFT) + 1;

    if (__atomic_load_n(&c->ends_soon, __ATOMIC_RELAXED))
        __atomic_store_n(&c->ends_soon, false, __ATOMIC_RELAXED);
    /* The opener writes `crew`, then reads `sleepers`. A worker that falls asleep writes
     * `sleepers`, then reads `crew`. So at least one of the two sees the other. */
    __atomic_store_n(&c->crew, number << NUMBER_SHIFT | SOON | STEP_LASTS | workers * ONE_ABSENT,
                     __ATOMIC_SEQ_CST);
    if (!__atomic_load_n(&c->sleepers, __ATOMIC_SEQ_CST))
        return;
    /* A sleeper that was between its look at `crew` and its sleep sleeps when the lock is free.
     * Those that are woken take the lock. */
    pthread_mutex_lock(&c->lock);
    pthread_mutex_unlock(&c->lock);
    pthread_cond_broadcast(&c->go);
}

void gpu_crew_announce_end(struct gpu_cores *c)
{
    if (!c->patient || __atomic_load_n(&c->ends_soon, __ATOMIC_RELAXED) ||
        __atomic_exchange_n(&c->ends_soon, true, __ATOMIC_RELAXED))
        return;
    /* If the thread that waits does not sleep yet, the end wakes it. */
    pthread_cond_signal(&c->idle);
}

/* Waits a moment for the end, if it was announced. */
static void await_end(struct gpu_cores *c)
{
    struct gpu_moment moment = gpu_moment_begin(c);

    while (__atomic_load_n(&c->ends_soon, __ATOMIC_RELAXED) && !gpu_crew_is_idle(c) &&
           gpu_moment_lasts(&moment))
        continue;
}

void gpu_crew_await(struct gpu_cores *c)
{
    pthread_mutex_lock(&c->lock);
    while (!gpu_crew_is_idle(c)) {
        pthread_cond_wait(&c->idle, &c->lock);
        pthread_mutex_unlock(&c->lock);
        await_end(c);
        pthread_mutex_lock(&c->lock);
    }
    pthread_mutex_unlock(&c->lock);
}

void gpu_crew_end(struct gpu_cores *c, bool soon)
{
    pthread_mutex_lock(&c->lock);
    __atomic_and_fetch(&c->crew, ~(STEP_LASTS | (soon ? 0 : SOON)), __ATOMIC_RELEASE);
    pthread_mutex_unlock(&c->lock);
    pthread_cond_signal(&c->idle); /* the thread that wakes takes the lock */
}

/* ---- workers --------------------------------------------------------------------------------- */

/* Whether a window with this word needs the worker. Inspected jobs have one worker. */
static bool is_wanted(const struct gpu_worker *k, uint64_t crew)
{
    const struct gpu_cores *c = k->cores;

    return absent(crew) && crew >> NUMBER_SHIFT != k->window &&
           (!c->inspector || k == c->workers[0]);
}

static bool try_to_enter(struct gpu_worker *k)
{
    struct gpu_cores *c = k->cores;
    uint64_t crew = __atomic_load_n(&c->crew, __ATOMIC_SEQ_CST);

    do
        if (!is_wanted(k, crew))
            return false;
    while (!__atomic_compare_exchange_n(&c->crew, &crew, crew - ONE_ABSENT + ONE_ACTIVE, true,
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    k->window = crew >> NUMBER_SHIFT;
    return true;
}

/* Waits a moment for a window, if one is expected. */
static bool enter_soon(struct gpu_worker *k)
{
    struct gpu_moment moment = gpu_moment_begin(k->cores);

    do
        if (try_to_enter(k))
            return true;
    while (__atomic_load_n(&k->cores->crew, __ATOMIC_RELAXED) & SOON && gpu_moment_lasts(&moment));
    return false;
}

bool gpu_crew_enter(struct gpu_worker *k)
{
    struct gpu_cores *c = k->cores;
    bool entered;

    if (enter_soon(k))
        return true;
    pthread_mutex_lock(&c->lock);
    __atomic_add_fetch(&c->sleepers, 1, __ATOMIC_SEQ_CST);
    while (!(entered = try_to_enter(k)) && !c->quit)
        pthread_cond_wait(&c->go, &c->lock);
    __atomic_sub_fetch(&c->sleepers, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&c->lock);
    return entered;
}

bool gpu_crew_leave(struct gpu_worker *k)
{
    struct gpu_cores *c = k->cores;
    uint64_t crew = __atomic_load_n(&c->crew, __ATOMIC_RELAXED), left;
    bool last;

    do {
        left = crew - ONE_ACTIVE;
        last = !active(left) && !asleep(left);
        /* An absent worker would find no groups either, and need not enter. */
        if (last)
            left -= absent(left) * ONE_ABSENT;
    } while (!__atomic_compare_exchange_n(&c->crew, &crew, left, true, __ATOMIC_ACQ_REL,
                                          __ATOMIC_RELAXED));
    if (!last && !active(left) && !absent(left)) {
        pthread_mutex_lock(&c->lock);
        pthread_cond_signal(&c->idle);
        pthread_mutex_unlock(&c->lock);
    }
    return last;
}

void gpu_crew_sleep(struct gpu_cores *c)
{
    __atomic_add_fetch(&c->crew, ONE_ASLEEP - ONE_ACTIVE, __ATOMIC_ACQ_REL);
    if (gpu_crew_is_idle(c))
        pthread_cond_signal(&c->idle);
}

void gpu_crew_wake(struct gpu_cores *c, unsigned workers)
{
    __atomic_add_fetch(&c->crew, workers * (ONE_ACTIVE - ONE_ASLEEP), __ATOMIC_ACQ_REL);
}

bool gpu_crew_is_idle(const struct gpu_cores *c)
{
    uint64_t crew = __atomic_load_n(&c->crew, __ATOMIC_ACQUIRE);

    return !absent(crew) && !active(crew) && (asleep(crew) || !(crew & STEP_LASTS));
}
