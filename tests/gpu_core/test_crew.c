/*
 * The crew alone: workers that take numbers instead of work-groups.
 *
 * A window is a range of numbers, each of which one worker takes and notes in plain memory. The
 * worker that leaves last adds all notes up, and writes plain memory that the next window reads. So
 * a worker that enters or leaves too early or too late gives a wrong sum, and a data race that
 * ThreadSanitizer reports. A wake-up that is lost ends the test by a signal.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/base/alloc.h"
#include "runtime/gpu/shader/core.h"
#include "tests/dev/locks.h"

enum { WORKERS = 8, NUMBERS = 24, WINDOWS = 30, STEPS = 24, SECONDS = 30 };

struct fixture {
    struct gpu_cores *cores;
    unsigned next;    /* first number of the window that no worker has taken */
    unsigned windows; /* windows of this step that have ended */
    unsigned windows_per_step;
    uint64_t sum;    /* of all numbers of all windows */
    uint64_t factor; /* of the numbers of the window */
    uint64_t note[NUMBERS];
    unsigned sleep_at;  /* workers sleep before they take a multiple of it; 0: they never do */
    unsigned slept;     /* sleeps that were ended */
    unsigned announces; /* in one of so many windows, workers tell that the step ends; 0: in none */
};

static struct fixture f;

/* ---- workers --------------------------------------------------------------------------------- */

static void sleep_in_window(struct gpu_worker *k)
{
    struct gpu_cores *c = k->cores;

    pthread_mutex_lock(&c->lock);
    k->parked = true;
    gpu_crew_sleep(c);
    while (k->parked)
        pthread_cond_wait(&c->go, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

static void run_window(struct gpu_worker *k)
{
    unsigned n;

    while ((n = __atomic_fetch_add(&f.next, 1, __ATOMIC_RELAXED)) < NUMBERS) {
        if (f.sleep_at && n % f.sleep_at == 0)
            sleep_in_window(k);
        f.note[n] += (n + 1) * f.factor;
    }
}

static void open_window(unsigned workers)
{
    f.factor++;
    __atomic_store_n(&f.next, 0, __ATOMIC_RELAXED);
    gpu_crew_open(f.cores, workers);
}

static void end_window(void)
{
    for (unsigned n = 0; n < NUMBERS; n++) {
        f.sum += f.note[n];
        f.note[n] = 0;
    }
    if (++f.windows < f.windows_per_step)
        open_window(f.cores->worker_count);
    else
        gpu_crew_end(f.cores, f.factor % 2);
}

static void *worker_main(void *opaque)
{
    struct gpu_worker *k = opaque;

    while (gpu_crew_enter(k)) {
        run_window(k);
        if (f.announces && f.windows % f.announces == 0)
            gpu_crew_announce_end(k->cores);
        if (gpu_crew_leave(k))
            end_window();
    }
    return NULL;
}

/* ---- the thread that waits for them ---------------------------------------------------------- */

static void start(unsigned workers, bool patient, unsigned sleep_at)
{
    struct gpu_cores *c = xalloc_apart(sizeof(*c));

    f = (struct fixture){.cores = c, .sleep_at = sleep_at, .windows_per_step = WINDOWS};
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->go, NULL);
    pthread_cond_init(&c->idle, NULL);
    c->patient = patient;
    c->worker_count = workers;
    c->workers = xcalloc(workers, sizeof(struct gpu_worker *));
    for (unsigned i = 0; i < workers; i++) {
        c->workers[i] = xalloc_apart(sizeof(struct gpu_worker));
        c->workers[i]->cores = c;
        assert_int_equal(pthread_create(&c->workers[i]->thread, NULL, worker_main, c->workers[i]),
                         0);
    }
}

static void await_idle(void)
{
    gpu_crew_await(f.cores);
    assert_true(gpu_crew_is_idle(f.cores));
}

/* Wakes the workers that sleep in the window. Returns their number. */
static unsigned wake_all(void)
{
    struct gpu_cores *c = f.cores;
    unsigned parked = 0;

    pthread_mutex_lock(&c->lock);
    for (unsigned i = 0; i < c->worker_count; i++) {
        parked += c->workers[i]->parked;
        c->workers[i]->parked = false;
    }
    gpu_crew_wake(c, parked);
    pthread_cond_broadcast(&c->go);
    pthread_mutex_unlock(&c->lock);
    return parked;
}

/* Runs a step. Its first window needs `workers` workers. */
static void run_step(unsigned workers)
{
    unsigned woken;

    f.windows = 0;
    open_window(workers);
    do {
        await_idle();
        woken = wake_all();
        f.slept += woken;
    } while (woken);
    assert_int_equal(f.windows, f.windows_per_step);
}

static void stop(void)
{
    struct gpu_cores *c = f.cores;

    pthread_mutex_lock(&c->lock);
    c->quit = true;
    pthread_cond_broadcast(&c->go);
    pthread_mutex_unlock(&c->lock);
    for (unsigned i = 0; i < c->worker_count; i++) {
        pthread_join(c->workers[i]->thread, NULL);
        free(c->workers[i]);
    }
    assert_int_equal(c->sleepers, 0);
    pthread_cond_destroy(&c->go);
    pthread_cond_destroy(&c->idle);
    pthread_mutex_destroy(&c->lock);
    assert_int_equal(lock_faults_seen(), 0);
    free(c->workers);
    free(c);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void run_steps(unsigned workers, bool patient, unsigned sleep_at, unsigned announces)
{
    const uint64_t windows = (uint64_t)STEPS * WINDOWS;

    start(workers, patient, sleep_at);
    f.announces = announces;
    for (unsigned i = 0; i < STEPS; i++)
        run_step(1 + i % workers);
    assert_int_equal(f.sum, windows * (windows + 1) / 2 * (NUMBERS * (NUMBERS + 1) / 2));
    if (sleep_at)
        assert_int_equal(f.slept, windows * ((NUMBERS + sleep_at - 1) / sleep_at));
    stop();
}

/* Workers find windows as they spin, and windows find them asleep. */
static void each_number_once(void **state)
{
    (void)state;
    for (unsigned workers = 1; workers <= WORKERS; workers *= 2) {
        run_steps(workers, false, 0, 0);
        run_steps(workers, true, 0, 0);
    }
}

/* A window does not end while workers sleep in it, and who waits for them learns that they do. */
static void sleep_and_wake(void **state)
{
    (void)state;
    run_steps(1, false, 5, 0);
    run_steps(WORKERS, false, 9, 0);
    run_steps(WORKERS, true, 23, 0);
}

/* The thread that waits goes on at the step's end, whether workers announce it in the last window,
 * too early, or all the time; also if they sleep then. */
static void announced_ends(void **state)
{
    (void)state;
    for (unsigned announces = 1; announces <= WINDOWS - 1; announces += WINDOWS - 2) {
        run_steps(2, true, 0, announces);
        run_steps(WORKERS, true, 0, announces);
        run_steps(WORKERS, false, 0, announces);
        run_steps(WORKERS, true, 9, announces);
    }
}

/* Who waits is told once in a step, and not by workers that share processors. */
static void tells_once(void **state)
{
    (void)state;
    start(0, false, 0);
    gpu_crew_open(f.cores, 0);
    gpu_crew_announce_end(f.cores);
    assert_false(f.cores->ends_soon);
    f.cores->patient = true;
    gpu_crew_announce_end(f.cores);
    assert_true(f.cores->ends_soon);
    gpu_crew_open(f.cores, 0);
    assert_false(f.cores->ends_soon);
    stop();
}

/* A window for one worker, as of an inspected job, takes the first. */
static void first_worker_only(void **state)
{
    static const struct gpu_inspector in;

    (void)state;
    start(WORKERS, false, 0);
    f.cores->inspector = &in;
    f.windows_per_step = 1;
    for (uint64_t i = 1; i <= STEPS; i++) {
        run_step(1);
        assert_int_equal(f.cores->workers[0]->window, i);
    }
    stop();
}

/* A step lasts between its windows too, although no worker is in one. */
static void steps_last_until_their_end(void **state)
{
    struct gpu_worker *k = xalloc_apart(sizeof(*k));

    (void)state;
    start(0, false, 0);
    k->cores = f.cores;
    for (unsigned window = 1; window <= 3; window++) {
        gpu_crew_open(f.cores, 1);
        assert_false(gpu_crew_is_idle(f.cores));
        assert_true(gpu_crew_enter(k));
        assert_int_equal(k->window, window);
        assert_false(gpu_crew_is_idle(f.cores));
        assert_true(gpu_crew_leave(k));
        assert_false(gpu_crew_is_idle(f.cores));
    }
    gpu_crew_end(f.cores, false);
    assert_true(gpu_crew_is_idle(f.cores));
    stop();
    free(k);
}

/* A moment ends at its first look if workers share processors, else after more than one look. */
static void moments_need_processors(void **state)
{
    struct gpu_moment m;

    (void)state;
    start(0, false, 0);
    m = gpu_moment_begin(f.cores);
    assert_false(gpu_moment_lasts(&m));
    f.cores->patient = true;
    m = gpu_moment_begin(f.cores);
    assert_true(gpu_moment_lasts(&m));
    while (gpu_moment_lasts(&m))
        ;
    assert_false(gpu_moment_lasts(&m));
    stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_number_once),
        cmocka_unit_test(sleep_and_wake),
        cmocka_unit_test(first_worker_only),
        cmocka_unit_test(steps_last_until_their_end),
        cmocka_unit_test(moments_need_processors),
        cmocka_unit_test(announced_ends),
        cmocka_unit_test(tells_once),
    };

    alarm(SECONDS);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
