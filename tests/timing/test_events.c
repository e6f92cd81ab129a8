/* The event queue: the next event is the one that a linear search finds. */
#include "make.h"

#include "runtime/base/random.h"
#include "runtime/timing/events.h"

enum { THINGS = 300 };

/* Returns the first event by time, then by the order in which they were made. */
static unsigned first_event(const struct timing_event_entry *all, const bool *there)
{
    unsigned best = THINGS;

    for (unsigned i = 0; i < THINGS; i++)
        if (there[i] && (best == THINGS || all[i].time < all[best].time ||
                         (all[i].time == all[best].time && all[i].order < all[best].order)))
            best = i;
    return best;
}

/* A random delay: zero, whole cycles, fractions of a cycle, or more than the wheel's range. */
static uint64_t random_delay(uint64_t *seed)
{
    uint64_t n = random_next(seed);

    switch (n >> 8 & 3) {
    case 0:
        return 0;
    case 1:
        return (n >> 16 & 127) * TIMING_TICKS;
    case 2:
        return n >> 16 & 0x3fff;
    default:
        return (n >> 16) % (3 * TIMING_WHEEL * (uint64_t)TIMING_TICKS);
    }
}

static void in_order(void **state)
{
    struct timing_events events = {0};
    struct timing_event_entry all[THINGS], e;
    bool there[THINGS] = {false};
    uint64_t seed = 1, now = 0;
    uint32_t made = 0, taken = 0;

    (void)state;
    while (made < 30000 || taken < made) {
        uint32_t what = (uint32_t)(random_next(&seed) >> 20) % THINGS;

        if (made < 30000 && !there[what]) {
            all[what] = (struct timing_event_entry){now + random_delay(&seed), made++, what};
            there[what] = true;
            timing_events_push(&events, all[what].time, what);
            continue;
        }
        assert_true(timing_events_take(&events, &e));
        assert_int_equal(e.warp, first_event(all, there));
        assert_true(e.time == all[e.warp].time);
        there[e.warp] = false;
        now = e.time;
        taken++;
    }
    assert_false(timing_events_take(&events, &e));
    timing_events_release(&events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_order)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
