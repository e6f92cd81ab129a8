/* Which places of a window workers take: each one once, from an equal share on, then from others'
 * shares. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "runtime/base/alloc.h"
#include "runtime/base/random.h"
#include "runtime/gpu/shader/window.h"

enum { WORKERS = 5, PLACES = 1003 };

struct crew {
    struct gpu_cores cores;
    struct gpu_compute job;
    struct gpu_worker *workers[WORKERS];
    unsigned taken[PLACES]; /* how often, by place */
};

static struct crew *crew_new(unsigned places)
{
    struct crew *x = xalloc_apart(sizeof(*x));

    x->cores.job = &x->job;
    x->cores.workers = x->workers;
    x->cores.worker_count = WORKERS;
    x->job.window.count = places;
    for (unsigned i = 0; i < WORKERS; i++) {
        x->workers[i] = xalloc_apart(sizeof(struct gpu_worker));
        x->workers[i]->cores = &x->cores;
        x->workers[i]->number = i;
    }
    return x;
}

static void crew_free(struct crew *x)
{
    for (unsigned i = 0; i < WORKERS; i++)
        free(x->workers[i]);
    free(x);
}

/* A worker takes places once. Returns whether there were some. */
static bool take(struct crew *x, unsigned worker)
{
    struct gpu_worker *k = x->workers[worker];

    if (!gpu_share_take(k))
        return false;
    assert_true(k->place < k->places_end && k->places_end <= x->job.window.count);
    for (unsigned n = k->place; n < k->places_end; n++)
        x->taken[n]++;
    return true;
}

static void expect_all_taken(struct crew *x)
{
    for (unsigned n = 0; n < x->job.window.count; n++)
        assert_int_equal(x->taken[n], 1);
    memset(x->taken, 0, sizeof(x->taken));
}

/* Workers take in a random order, and some come late or never, in windows of several sizes one
 * after the other. */
static void takes_each_place_once(void **state)
{
    static const unsigned places[] = {PLACES, 1, 4, 64, PLACES};
    const char *text = getenv("GENCC_SEED");
    uint64_t seed = text ? strtoull(text, NULL, 0) : 1;
    struct crew *x = crew_new(0);

    (void)state;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (unsigned round = 0; round < 200; round++) {
        unsigned present = 1 + (unsigned)(random_next(&seed) % WORKERS), done = 0;

        x->job.window.count = places[round % 5];
        x->job.window.unfinished = round % 3 ? 0 : x->job.window.count;
        x->cores.share_number++;
        while (done != (1u << present) - 1) {
            unsigned worker = (unsigned)(random_next(&seed) % present);

            if (!take(x, worker))
                done |= 1u << worker;
        }
        expect_all_taken(x);
    }
    crew_free(x);
}

static void begins_with_equal_share(void **state)
{
    struct crew *x = crew_new(100);

    (void)state;
    x->cores.share_number = 1;
    for (unsigned i = WORKERS; i-- > 0;) {
        assert_true(take(x, i));
        assert_int_equal(x->workers[i]->place, 20 * i);
    }
    crew_free(x);
}

/* The rear half of the share that has the most left: worker 0 has taken its own. */
static void goes_on_with_largest_share(void **state)
{
    struct crew *x = crew_new(100);

    (void)state;
    x->cores.share_number = 1;
    x->job.window.unfinished = 100; /* places are taken one by one */
    for (unsigned i = 1; i < WORKERS; i++)
        if (i != 3)
            assert_true(take(x, i));
    for (unsigned n = 0; n < 20; n++)
        assert_true(take(x, 0));
    assert_int_equal(x->workers[0]->place, 19);
    assert_true(take(x, 0));
    assert_int_equal(x->workers[0]->place, 70);
    crew_free(x);
}

/* An inspected job has one worker, which takes the places in their order. */
static void inspected_in_order(void **state)
{
    static const struct gpu_inspector inspector;
    struct crew *x = crew_new(100);
    unsigned next = 0;

    (void)state;
    x->cores.share_number = 1;
    x->cores.inspector = &inspector;
    for (; take(x, 0); next = x->workers[0]->places_end)
        assert_int_equal(x->workers[0]->place, next);
    assert_int_equal(next, 100);
    crew_free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_each_place_once),
        cmocka_unit_test(begins_with_equal_share),
        cmocka_unit_test(goes_on_with_largest_share),
        cmocka_unit_test(inspected_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
