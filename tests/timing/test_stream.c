/* Streams of warps: what is written is what is read; what is damaged is refused. */
#include "make.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/random.h"

enum { BUNDLES = 50, STEPS = 400 };

struct step {
    uint32_t index, lanes;
    bool barrier;
    uint64_t address; /* 0: no access */
    unsigned bytes;
    enum timing_access access;
};

static struct step random_step(uint64_t *seed, const struct step *before)
{
    struct step s = *before;
    uint64_t what = random_next(seed);

    s.barrier = what % 37 == 0;
    s.index = what % 3 ? (s.index + 1) % BUNDLES : (uint32_t)(what >> 8) % 4;
    if (what % 11 == 0)
        s.lanes = (uint32_t)(what >> 16) | 1;
    s.address = what % 5 == 0 ? (random_next(seed) >> 16) + 1 : 0;
    s.bytes = 1 + (what >> 40) % 40;
    s.access = (enum timing_access)((what >> 50) % TIMING_ACCESSES);
    return s;
}

/* The next bundle that the stream says, RUNs taken apart. */
static void expect(struct timing_cursor *c, uint32_t *at, const struct step *s)
{
    if (c->event == TIMING_RUN && *at == c->count && --c->times)
        *at = 0;
    if (*at == c->count || c->event == TIMING_BARRIER) {
        timing_cursor_next(c);
        *at = 0;
    }
    if (s->barrier) {
        assert_int_equal(c->event, TIMING_BARRIER);
        return;
    }
    assert_int_equal(c->event, s->address ? TIMING_MEMORY : TIMING_RUN);
    assert_int_equal(c->lanes, s->lanes);
    assert_int_equal(c->first + (*at)++, s->index);
    if (!s->address)
        return;
    assert_true(timing_cursor_access(c));
    assert_int_equal(c->access, s->access);
    assert_int_equal(c->segment, s->address / 16);
    assert_int_equal(c->segments, (s->address + s->bytes - 1) / 16 - s->address / 16 + 1);
    assert_false(timing_cursor_access(c));
}

static void round_trip(void **state)
{
    uint64_t seed = 1;

    (void)state;
    for (unsigned round = 0; round < 200; round++) {
        struct timing_writer w = {0};
        struct timing_warp out = {.lanes = 4};
        struct timing_cursor c = {0};
        struct step steps[STEPS], before = {.lanes = 15};
        uint32_t at = 0;

        timing_writer_begin(&w, 15);
        for (unsigned i = 0; i < STEPS; i++) {
            struct step *s = &steps[i];

            *s = before = random_step(&seed, &before);
            if (s->barrier) {
                s->lanes = i ? steps[i - 1].lanes : 15;
                before = *s;
                timing_writer_barrier(&w);
                continue;
            }
            if (s->address)
                timing_writer_access(&w, s->access, s->address, s->bytes);
            timing_writer_bundle(&w, s->index, s->lanes);
        }
        timing_writer_end(&w, &out);
        timing_writer_release(&w);
        timing_cursor_begin(&c, &out);
        c.event = TIMING_BARRIER; /* so that the first step takes the first event */
        for (unsigned i = 0; i < STEPS; i++)
            expect(&c, &at, &steps[i]);
        timing_cursor_next(&c);
        assert_int_equal(c.event, TIMING_END);
        free(out.data);
    }
}

static void loops_fold(void **state)
{
    struct timing_job job;
    char *text = make_times("a", 1000000);

    (void)state;
    make_job(&job, 1, 1);
    make_group(&job, text, NULL); /* one bundle a million times */
    assert_true(job.groups.data[0].warps[0].bytes < 10);
    assert_int_equal(timing_job_instructions(&job), 1000000);
    timing_job_release(&job);
    free(text);
}

static void neighbours_are_one_access(void **state)
{
    struct timing_writer w = {0};
    struct timing_warp out = {.lanes = 4};
    struct timing_cursor c;

    (void)state;
    timing_writer_begin(&w, 15);
    for (unsigned lane = 8; lane-- > 0;)
        timing_writer_access(&w, TIMING_LOAD, 0x1000 + 8 * lane, 8);
    timing_writer_access(&w, TIMING_STORE, 0x1040, 4);
    timing_writer_bundle(&w, 0, 15);
    timing_writer_end(&w, &out);
    timing_writer_release(&w);
    timing_cursor_begin(&c, &out);
    timing_cursor_next(&c);
    assert_int_equal(c.accesses, 2);
    assert_true(timing_cursor_access(&c));
    assert_int_equal(c.segment, 0x100);
    assert_int_equal(c.segments, 4);
    assert_true(timing_cursor_access(&c));
    assert_int_equal(c.segment, 0x104);
    assert_int_equal(c.access, TIMING_STORE);
    free(out.data);
}

static void damage(void **state)
{
    static const struct {
        uint8_t bytes[6];
        unsigned count;
        bool good;
    } rows[] = {
        {{0x04, 0x00}, 2, true},              /* RUN of bundle 0 */
        {{0x04}, 1, false},                   /* cut off */
        {{0x84}, 1, false},                   /* in a number */
        {{0x00, 0x00}, 2, false},             /* RUN of none */
        {{0x0c, 0x00}, 2, false},             /* of bundles 0 to 2, but there are two */
        {{0x04, 0x01}, 2, false},             /* of bundle -1 */
        {{0x07}, 1, false},                   /* again, and there was nothing */
        {{0x04, 0x00, 0x07}, 3, true},        /* again */
        {{0x04, 0x00, 0x03, 0x07}, 4, false}, /* a barrier stands between */
        {{0x05, 0x02, 0x00, 0x00}, 4, true},  /* MEMORY with a load */
        {{0x05, 0x02, 0x07, 0x00}, 4, false}, /* with an access of no kind */
        {{0x01, 0x02}, 2, false},             /* without one */
        {{0x02}, 1, false},                   /* no lanes */
        {{0x06}, 1, true},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct timing_job job;
        struct error err = {""};

        make_job(&job, 4, 4);
        make_group(&job, "", NULL);
        free(job.groups.data[0].warps[0].data);
        job.groups.data[0].warps[0].data = xcalloc(8, 1);
        memcpy(job.groups.data[0].warps[0].data, rows[i].bytes, rows[i].count);
        job.groups.data[0].warps[0].bytes = rows[i].count;
        if (timing_job_check(&job, &err) != rows[i].good)
            fail_msg("row %u: %s", i, err.text);
        timing_job_release(&job);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(loops_fold),
        cmocka_unit_test(neighbours_are_one_access),
        cmocka_unit_test(damage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
