/* The virtual clock: order of events, moving and cancelling, the running CPU's offset, posting. */
#include "tests/dev/bench.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

struct fixture {
    struct clock clock;
    struct event event[8];
    struct tag {
        struct fixture *f;
        char name;
    } tags[8];
    char order[64];
    uint64_t times[64];
    unsigned ran;
};

static void note_time(void *opaque)
{
    struct tag *tag = opaque;
    struct fixture *f = tag->f;

    f->times[f->ran] = clock_now(&f->clock);
    f->order[f->ran++] = tag->name;
}

static int setup(void **state)
{
    static struct fixture fixture;

    memset(&fixture, 0, sizeof(fixture));
    clock_init(&fixture.clock);
    for (unsigned i = 0; i < 8; i++) {
        fixture.tags[i] = (struct tag){&fixture, (char)('a' + i)};
        event_init(&fixture.event[i], note_time, &fixture.tags[i]);
    }
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    clock_free(&f->clock);
    return 0;
}

static void test_time_order(void **state)
{
    static const uint64_t when[8] = {50, 20, 70, 10, 60, 30, 80, 40};
    struct fixture *f = *state;

    for (unsigned i = 0; i < 8; i++)
        clock_add(&f->clock, &f->event[i], when[i]);
    assert_int_equal(clock_next(&f->clock), 10);
    clock_advance_to(&f->clock, 45);
    assert_string_equal(f->order, "dbfh");
    assert_int_equal(f->times[1], 20);
    assert_int_equal(clock_now(&f->clock), 45);
    assert_int_equal(clock_next(&f->clock), 50);
    clock_advance_to(&f->clock, 1000);
    assert_string_equal(f->order, "dbfhaecg");
    assert_true(clock_next(&f->clock) == CLOCK_NEVER);
}

static void test_equal_times_run_as_added(void **state)
{
    struct fixture *f = *state;

    for (unsigned i = 0; i < 8; i++)
        clock_add(&f->clock, &f->event[7 - i], 100);
    clock_add(&f->clock, &f->event[0], 100); /* same time: keeps its place, the last */
    clock_add(&f->clock, &f->event[7], 99);
    clock_add(&f->clock, &f->event[7], 100); /* moved away and back: after the others */
    clock_advance_to(&f->clock, 100);
    assert_string_equal(f->order, "gfedcbah");
}

static void test_move_and_cancel(void **state)
{
    struct fixture *f = *state;

    for (unsigned i = 0; i < 4; i++)
        clock_add(&f->clock, &f->event[i], 10 * (i + 1));
    clock_add(&f->clock, &f->event[0], 35);
    clock_cancel(&f->clock, &f->event[1]);
    clock_cancel(&f->clock, &f->event[1]);
    clock_add(&f->clock, &f->event[3], CLOCK_NEVER);
    assert_false(event_pending(&f->event[3]));
    assert_true(event_pending(&f->event[0]));
    clock_advance_to(&f->clock, 100);
    assert_string_equal(f->order, "ca");
    assert_false(event_pending(&f->event[0]));
}

static void test_late_events_run_and_time_never_goes_back(void **state)
{
    struct fixture *f = *state;

    clock_advance_to(&f->clock, 100);
    clock_add(&f->clock, &f->event[0], 5);
    assert_int_equal(clock_next(&f->clock), 5);
    clock_advance_to(&f->clock, 100);
    assert_string_equal(f->order, "a");
    assert_int_equal(f->times[0], 100);
    clock_advance_to(&f->clock, 50);
    assert_int_equal(clock_now(&f->clock), 100);
}

/* An event that schedules itself again within the span is called within the span. */
static void repeat_event(void *opaque)
{
    struct fixture *f = opaque;

    f->times[f->ran++] = clock_now(&f->clock);
    clock_add(&f->clock, &f->event[0], clock_now(&f->clock) + 10);
}

static void test_events_may_add_events(void **state)
{
    struct fixture *f = *state;

    event_init(&f->event[0], repeat_event, f);
    clock_add(&f->clock, &f->event[0], 10);
    clock_advance_to(&f->clock, 45);
    assert_int_equal(f->ran, 4);
    assert_int_equal(f->times[3], 40);
    assert_int_equal(clock_next(&f->clock), 50);
}

/*
 * Two events schedule each other and themselves for past times: none is called twice at one time.
 */
static void schedule_both(void *opaque)
{
    struct fixture *f = opaque;

    f->times[f->ran++ % 64] = clock_now(&f->clock);
    clock_add(&f->clock, &f->event[0], clock_now(&f->clock));
    clock_add(&f->clock, &f->event[1], 0);
}

static void test_time_goes_on_whatever_events_do(void **state)
{
    struct fixture *f = *state;

    event_init(&f->event[0], schedule_both, f);
    event_init(&f->event[1], schedule_both, f);
    clock_add(&f->clock, &f->event[0], 10);
    clock_advance_to(&f->clock, 10);
    assert_int_equal(f->ran, 1);
    assert_int_equal(clock_next(&f->clock), 11);
    clock_advance_to(&f->clock, 20);
    assert_int_equal(f->times[1], 11);
    assert_int_equal(clock_now(&f->clock), 20);
    assert_in_range(f->ran, 11, 21);
}

static void test_restore(void **state)
{
    struct fixture *f = *state;

    clock_add(&f->clock, &f->event[0], 10);
    clock_restore(&f->clock, 5000);
    assert_false(event_pending(&f->event[0]));
    assert_int_equal(clock_now(&f->clock), 5000);
    clock_add(&f->clock, &f->event[0], 5001);
    clock_advance_to(&f->clock, 6000);
    assert_int_equal(f->times[0], 5001);
}

/* All events are removed, and can be added again. */
static void test_restore_of_many(void **state)
{
    struct fixture *f = *state;

    for (unsigned i = 0; i < 5; i++)
        clock_add(&f->clock, &f->event[i], 10 + i);
    clock_restore(&f->clock, 5000);
    for (unsigned i = 0; i < 5; i++)
        assert_false(event_pending(&f->event[i]));
    assert_true(clock_next(&f->clock) == CLOCK_NEVER);
    for (unsigned i = 0; i < 5; i++)
        clock_add(&f->clock, &f->event[i], 6000 - i);
    clock_advance_to(&f->clock, 6000);
    assert_string_equal(f->order, "edcba");
}

static uint64_t read_offset(void *opaque)
{
    return *(uint64_t *)opaque;
}

static void test_running_cpu_offset(void **state)
{
    struct fixture *f = *state;
    uint64_t progress = 0;

    clock_advance_to(&f->clock, 1000);
    clock_set_offset_fn(&f->clock, read_offset, &progress);
    progress = 123;
    assert_int_equal(clock_now(&f->clock), 1123);
    progress = 0;
    assert_int_equal(clock_now(&f->clock), 1000);
}

/* Only an event that another one adds has to wait until time advances. */
static void test_late_events_after_events(void **state)
{
    struct fixture *f = *state;

    clock_add(&f->clock, &f->event[0], 100);
    clock_advance_to(&f->clock, 100);
    clock_add(&f->clock, &f->event[1], 50);
    assert_int_equal(clock_next(&f->clock), 50);
    clock_advance_to(&f->clock, 100);
    assert_string_equal(f->order, "ab");
    assert_int_equal(f->times[1], 100);
}

static void note_sooner(void *opaque, uint64_t when)
{
    *(uint64_t *)opaque = when;
}

static void test_sooner_hook(void **state)
{
    struct fixture *f = *state;
    uint64_t sooner = 0;

    clock_set_sooner_fn(&f->clock, note_sooner, &sooner);
    clock_add(&f->clock, &f->event[0], 100);
    assert_int_equal(sooner, 100);
    clock_add(&f->clock, &f->event[1], 200);
    assert_int_equal(sooner, 100);
    clock_add(&f->clock, &f->event[1], 50);
    assert_int_equal(sooner, 50);
}

/* The heap against a linear search, in thousands of random operations. */
static void test_heap_against_reference(void **state)
{
    struct fixture *f = *state;
    uint64_t when[8] = {0}, seed = 1;

    for (unsigned round = 0; round < 20000; round++) {
        unsigned i = (seed = seed * 6364136223846793005u + 1442695040888963407u) >> 61;
        uint64_t t = 1 + (seed >> 40 & 0xff), least = CLOCK_NEVER;

        if (seed >> 33 & 1) {
            clock_add(&f->clock, &f->event[i], t);
            when[i] = t;
        } else {
            clock_cancel(&f->clock, &f->event[i]);
            when[i] = 0;
        }
        for (unsigned k = 0; k < 8; k++) {
            if (when[k] && when[k] < least)
                least = when[k];
        }
        assert_true(clock_next(&f->clock) == least);
    }
}

static void count_call(void *opaque)
{
    ++*(unsigned *)opaque;
}

static void *post_many(void *opaque)
{
    void **args = opaque;

    for (int i = 0; i < 1000; i++)
        clock_post(args[0], count_call, args[1]);
    return NULL;
}

static void test_posting_from_threads(void **state)
{
    struct fixture *f = *state;
    unsigned counter = 0;
    void *args[2] = {&f->clock, &counter};
    pthread_t threads[4];

    assert_false(clock_run_posted(&f->clock));
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, post_many, args), 0);
    while (counter < 4000) {
        assert_true(clock_wait_posted(&f->clock, CLOCK_NEVER));
        clock_run_posted(&f->clock);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_false(clock_run_posted(&f->clock));
    assert_false(clock_wait_posted(&f->clock, 1000000));
    clock_post(&f->clock, count_call, &counter);
    clock_unpost(&f->clock, &counter);
    assert_false(clock_run_posted(&f->clock));
    clock_post(&f->clock, count_call, &counter); /* dropped by clock_free() */
}

static void post_again(void *opaque)
{
    struct fixture *f = opaque;

    f->ran++;
    clock_post(&f->clock, post_again, f);
}

/* Posted work that posts itself again runs once, then the machine continues. */
static void test_posted_work_may_post(void **state)
{
    struct fixture *f = *state;

    clock_post(&f->clock, count_call, f); /* withdrawn work does not count */
    clock_unpost(&f->clock, f);
    clock_post(&f->clock, post_again, f);
    assert_true(clock_run_posted(&f->clock));
    assert_int_equal(f->ran, 1);
    assert_true(clock_run_posted(&f->clock));
    assert_int_equal(f->ran, 2);
}

static void *post_later(void *opaque)
{
    void **args = opaque;

    usleep(20000);
    clock_post(args[0], count_call, args[1]);
    return NULL;
}

/* A wait ends when work is posted, long before its time. */
static void test_waiting(void **state)
{
    struct fixture *f = *state;
    unsigned counter = 0;
    void *args[2] = {&f->clock, &counter};
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, post_later, args), 0);
    assert_true(clock_wait_posted(&f->clock, 3600 * NS_PER_SEC));
    assert_true(clock_run_posted(&f->clock));
    assert_int_equal(counter, 1);
    pthread_join(thread, NULL);
}

static void test_ticks(void **state)
{
    (void)state;
    assert_int_equal(clock_ns_to_ticks(19, 50000000), 0);
    assert_int_equal(clock_ns_to_ticks(20, 50000000), 1);
    assert_int_equal(clock_ticks_to_ns(1, 50000000), 20);
    assert_int_equal(clock_ticks_to_ns(1, 3), 333333334);
    assert_true(clock_ticks_to_ns(UINT64_MAX, 1) == CLOCK_NEVER);
    for (uint64_t t = 0; t < 10000; t++)
        assert_int_equal(clock_ns_to_ticks(clock_ticks_to_ns(t, 32768), 32768), t);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_time_order),
        TEST(test_equal_times_run_as_added),
        TEST(test_move_and_cancel),
        TEST(test_late_events_run_and_time_never_goes_back),
        TEST(test_events_may_add_events),
        TEST(test_time_goes_on_whatever_events_do),
        TEST(test_restore),
        TEST(test_restore_of_many),
        TEST(test_running_cpu_offset),
        TEST(test_late_events_after_events),
        TEST(test_sooner_hook),
        TEST(test_heap_against_reference),
        TEST(test_posting_from_threads),
        TEST(test_posted_work_may_post),
        TEST(test_waiting),
        cmocka_unit_test(test_ticks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
