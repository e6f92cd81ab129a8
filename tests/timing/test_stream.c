/* Streams of rows: records read back as written, and damaged streams are refused. */
#include "make.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/random.h"

enum { BUNDLES = 50, STEPS = 400, LANES = 16, WIDTH = 4, MOST = 3 };

struct part { /* a part of an access */
    enum timing_access access;
    uint32_t lanes;
    unsigned bytes;
    uint64_t address[LANES];
};

struct step {
    uint32_t index, lanes;
    bool barrier;
    unsigned parts;
    struct part part[MOST];
};

static void random_part(uint64_t *seed, struct part *p, uint32_t lanes)
{
    uint64_t what = random_next(seed), base = random_next(seed) >> 8;
    uint64_t stride = what % 4 ? (uint64_t)((int64_t)(what << 20) >> 52) : 0;

    p->access = (enum timing_access)((what >> 50) % TIMING_ACCESSES);
    p->lanes = what % 3 ? lanes : lanes & (uint32_t)(what >> 32);
    p->bytes = 1 + (what >> 40) % 40;
    if (what % 7 == 0)
        stride = p->bytes;
    unsigned block = what % 3 ? LANES : 1u << (what >> 60) % 5;
    for (unsigned l = 0; l < LANES; l++)
        p->address[l] =
            what % 5 ? base + l % block * stride + l / block * 12345 : random_next(seed);
}

static struct step random_step(uint64_t *seed, const struct step *before)
{
    struct step s = *before;
    uint64_t what = random_next(seed);

    s.barrier = what % 37 == 0;
    s.index = what % 3 ? (s.index + 1) % BUNDLES : (uint32_t)(what >> 8) % 4;
    if (what % 11 == 0 && !s.barrier)
        s.lanes = ((uint32_t)(what >> 16) & 0xffff) | 1u << (what >> 60);
    s.parts = what % 5 == 0 ? 1 + (what >> 32) % MOST : 0;
    for (unsigned i = 0; i < s.parts; i++)
        random_part(seed, &s.part[i], s.lanes);
    return s;
}

static bool by_lane(const struct part *p)
{
    return p->bytes & 1;
}

static void write_step(struct timing_writer *w, const struct step *s)
{
    if (s->barrier) {
        timing_writer_barrier(w);
        return;
    }
    for (unsigned i = 0; i < s->parts; i++) {
        const struct part *p = &s->part[i];

        for (uint32_t left = by_lane(p) ? p->lanes : 0; left; left &= left - 1) {
            unsigned l = (unsigned)__builtin_ctz(left);

            timing_writer_access(w, p->access, l, p->address[l], p->bytes);
        }
        if (!by_lane(p))
            timing_writer_touch(w, p->access, p->lanes, p->address, p->bytes);
    }
    timing_writer_bundle(w, s->index, s->lanes);
}

/* Bytes of one kind that a lane accesses: their number, and the sum of their addresses. */
struct touched {
    uint64_t bytes, places;
};

static void add_touched(struct touched *t, uint64_t address, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        t->bytes++;
        t->places += (address + i) * 0x9e3779b97f4a7c15;
    }
}

static void expect_accesses(struct timing_cursor *c, const struct step *s)
{
    struct touched want[TIMING_ACCESSES][LANES] = {0}, got[TIMING_ACCESSES][LANES] = {0};
    struct timing_touch t;

    for (unsigned i = 0; i < s->parts; i++)
        for (unsigned l = 0; l < LANES; l++)
            if (s->part[i].lanes & c->warp_lanes & 1u << l)
                add_touched(&want[s->part[i].access][l], s->part[i].address[l], s->part[i].bytes);
    while (timing_cursor_access(c, &t)) {
        assert_int_not_equal(t.lanes, 0);
        assert_int_equal(t.lanes & ~(c->warp_lanes & s->lanes), 0);
        for (unsigned l = 0; l < LANES; l++)
            if (t.lanes >> l & 1)
                add_touched(&got[t.access][l], timing_touch_at(&t, l), t.bytes);
    }
    assert_memory_equal(want, got, sizeof(want));
}

/* Checks the next bundle of the stream, after expansion of RUN records. */
static void expect_step(struct timing_cursor *c, uint32_t *at, const struct step *s)
{
    uint32_t touching = 0;

    if (!(s->lanes & c->warp_lanes))
        return;
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
    for (unsigned i = 0; i < s->parts; i++)
        touching |= s->part[i].lanes & c->warp_lanes;
    assert_int_equal(c->event, touching ? TIMING_MEMORY : TIMING_RUN);
    assert_int_equal(c->lanes, s->lanes);
    assert_int_equal(c->first + (*at)++, s->index);
    if (touching)
        expect_accesses(c, s);
}

/* Checks that the stream contains for each warp of a row exactly what its own lanes did. */
static void expect_all(const struct step *steps)
{
    static struct timing_bundle bundles[BUNDLES];
    struct timing_writer w = {0};
    struct timing_row out = {.lanes = LANES};
    struct timing_group group = {.row_count = 1, .rows = &out};
    struct timing_job job = {.group_threads = LANES,
                             .warp_width = WIDTH,
                             .row_width = LANES,
                             .group_total = 1,
                             .bundles = {.data = bundles, .len = BUNDLES},
                             .groups = {.data = &group, .len = 1}};
    struct error err = {""};

    timing_writer_begin(&w, 0xffff);
    for (unsigned i = 0; i < STEPS; i++)
        write_step(&w, &steps[i]);
    timing_writer_end(&w, &out);
    timing_writer_release(&w);
    if (!timing_job_check(&job, &err))
        fail_msg("%s", err.text);
    for (unsigned warp = 0; warp < timing_row_warps(&job, &out); warp++) {
        struct timing_cursor c;
        uint32_t at = 0;

        timing_cursor_begin(&c, &job, &out, warp);
        c.event = TIMING_BARRIER; /* so that the first step expects the first event */
        for (unsigned i = 0; i < STEPS; i++)
            expect_step(&c, &at, &steps[i]);
        timing_cursor_next(&c);
        assert_int_equal(c.event, TIMING_END);
    }
    free(out.data);
}

static void round_trip(void **state)
{
    uint64_t seed = 1;

    (void)state;
    for (unsigned round = 0; round < 100; round++) {
        static struct step steps[STEPS];
        struct step before = {.lanes = 0xffff};

        for (unsigned i = 0; i < STEPS; i++) {
            steps[i] = random_step(&seed, &before);
            if (i && steps[i].barrier)
                steps[i].lanes = steps[i - 1].lanes;
            before = steps[i];
        }
        expect_all(steps);
    }
}

/* Loops of a few steps that begin and end anywhere; most accesses advance by a step. */
static unsigned random_loop(uint64_t *seed, struct step *steps, unsigned at, struct step *before)
{
    uint64_t what = random_next(seed);
    unsigned size = 1 + what % 7, passes = 1 + (what >> 8) % 12, first = at;

    for (unsigned n = 0; n < passes * size && at < STEPS; n++, at++) {
        struct step *s = &steps[at];

        if (n >= size) {
            *s = s[-(int)size];
            for (unsigned i = 0; i < s->parts; i++)
                for (unsigned l = 0; l < LANES; l++)
                    s->part[i].address[l] += (what >> 16) % 9 ? 4 * (what >> 24 & 7) : l * n;
        } else {
            *s = random_step(seed, before);
            s->index = n ? (first * 3 + n) % BUNDLES : first * 3 % BUNDLES;
        }
        if (s->barrier)
            s->lanes = before->lanes;
        *before = *s;
    }
    return at;
}

static void passes_fold_and_unfold(void **state)
{
    uint64_t seed = 3;

    (void)state;
    for (unsigned round = 0; round < 300; round++) {
        static struct step steps[STEPS];
        struct step before = {.lanes = 0xffff};

        for (unsigned at = 0; at < STEPS;)
            at = random_loop(&seed, steps, at, &before);
        expect_all(steps);
    }
}

/* Passes that write equal records, each one bundle further than the previous one. */
static void passes_that_move(void **state)
{
    static struct step steps[STEPS];

    (void)state;
    for (unsigned i = 0; i < STEPS; i++)
        steps[i] = (struct step){.index = i / 2 % 30 + i % 2 * 10,
                                 .lanes = 0xffff,
                                 .parts = !(i % 2),
                                 .part = {{.lanes = 0xffff, .bytes = 4}}};
    expect_all(steps);
}

/* A pass of three bundles; the second has two accesses. */
static void tell_pass(struct timing_writer *w, uint64_t n)
{
    uint64_t address[LANES];

    timing_writer_bundle(w, 4, 0xffff);
    for (unsigned l = 0; l < LANES; l++)
        address[l] = 0x10000 + 64 * l * l + 8 * n;
    timing_writer_touch(w, TIMING_LOAD, 0xffff, address, 4);
    timing_writer_touch_one(w, TIMING_LOAD, 0xffff, 0x900000 + 8 * n, 4);
    timing_writer_bundle(w, 5, 0xffff);
    timing_writer_bundle(w, 6, 0xffff);
}

/* More passes than one record can hold, written one by one, and all equal ones at once. */
static void passes_told_at_once(void **state)
{
    enum { PASSES = 200000 };
    struct timing_row out[2];

    (void)state;
    for (unsigned at_once = 0; at_once < 2; at_once++) {
        struct timing_writer w = {0};
        unsigned steady = 0, told = 0;

        timing_writer_begin(&w, 0xffff);
        for (uint64_t n = 0; n < PASSES; n++, told++) {
            struct timing_mark before = timing_writer_mark(&w);

            tell_pass(&w, n);
            steady = timing_writer_is_steady(&w, &before) ? steady + 1 : 0;
            if (at_once && steady == 2) {
                n += timing_writer_again(&w, &before, PASSES - 1 - n);
                steady = 0;
            }
        }
        assert_int_equal(told < 100, at_once);
        timing_writer_end(&w, &out[at_once]);
        timing_writer_release(&w);
    }
    assert_int_equal(out[0].bytes, out[1].bytes);
    assert_memory_equal(out[0].data, out[1].data, out[0].bytes);
    assert_true(out[0].bytes < 1000);
    free(out[0].data);
    free(out[1].data);
}

static void loops_fold(void **state)
{
    struct timing_job job;
    char *text = make_times("a", 1000000);

    (void)state;
    make_job(&job, 1, 1);
    make_group(&job, text, NULL); /* bundle `a`, 1,000,000 times */
    assert_true(job.groups.data[0].rows[0].bytes < 10);
    assert_int_equal(timing_job_work(&job).instructions, 1000000);
    timing_job_release(&job);
    free(text);
}

/*
 * Four words per lane, written lane by lane, are one access of lanes 16 bytes apart; the next
 * bundle has fewer.
 */
static void parts_are_one_access(void **state)
{
    struct timing_job job = {.group_threads = 8, .warp_width = 4, .row_width = 8};
    struct timing_writer w = {0};
    struct timing_row out = {.lanes = 8};
    struct timing_cursor c;
    struct timing_touch t;
    size_t once;

    (void)state;
    timing_writer_begin(&w, 0xff);
    for (unsigned lane = 0; lane < 8; lane++)
        for (unsigned word = 0; word < 4; word++)
            timing_writer_access(&w, TIMING_LOAD, lane, 0x1000 + 16 * lane + 4 * word, 4);
    timing_writer_touch_one(&w, TIMING_STORE, 0xff, 0x1040, 4);
    timing_writer_bundle(&w, 0, 0xff);
    once = w.out.len;
    timing_writer_touch_one(&w, TIMING_STORE, 0xff, 0x1044, 4);
    timing_writer_bundle(&w, 1, 0xff);
    assert_int_equal(w.out.len - once, 5); /* head, bundle, access (two bytes), distance */
    timing_writer_end(&w, &out);
    timing_writer_release(&w);
    timing_cursor_begin(&c, &job, &out, 1);
    timing_cursor_next(&c);
    assert_int_equal(c.accesses, 2);
    assert_true(timing_cursor_access(&c, &t));
    assert_int_equal(t.shape, TIMING_SIDE);
    assert_int_equal(t.bytes, 16);
    assert_int_equal(t.base, 0x1000);
    assert_int_equal(t.lanes, 0xf0);
    assert_true(timing_cursor_access(&c, &t));
    assert_int_equal(t.shape, TIMING_SAME);
    assert_int_equal(t.base, 0x1040);
    assert_int_equal(t.access, TIMING_STORE);
    free(out.data);
}

static void damage_is_refused(void **state)
{
    static const struct {
        uint8_t bytes[12];
        unsigned count;
        bool good;
    } rows[] = {
        {{0x04, 0x00}, 2, true},                          /* RUN of bundle 0 */
        {{0x04}, 1, false},                               /* number missing */
        {{0x84}, 1, false},                               /* cut off within a number */
        {{0x00, 0x00}, 2, false},                         /* RUN of no bundle */
        {{0x0c, 0x00}, 2, false},                         /* RUN of bundles 0 to 2 of two */
        {{0x04, 0x01}, 2, false},                         /* RUN of bundle -1 */
        {{0x07}, 1, false},                               /* AGAIN without an earlier record */
        {{0x04, 0x00, 0x07}, 3, true},                    /* AGAIN */
        {{0x04, 0x00, 0x03, 0x07}, 4, false},             /* AGAIN after a barrier */
        {{0x09, 0x02, 0x00, 0x00}, 4, true},              /* MEMORY with a load */
        {{0x09, 0x02, 0x07, 0x00}, 4, true},              /* atomic access of local memory */
        {{0x09, 0x02, 0x00}, 3, false},                   /* access without an address */
        {{0x0d, 0x02, 0x40, 0x03, 0x00}, 5, true},        /* access of two lanes */
        {{0x0d, 0x02, 0x40, 0x10, 0x00}, 5, false},       /* access of a missing lane */
        {{0x0d, 0x02, 0x40, 0x00, 0x00}, 5, false},       /* access of no lanes */
        {{0x09, 0x02, 0x10, 0x00, 0x08}, 5, true},        /* lanes 4 bytes apart */
        {{0x09, 0x02, 0x10, 0x00}, 4, false},             /* distance missing */
        {{0x09, 0x02, 0x20, 0x00, 0x02, 0x04}, 6, false}, /* three addresses of four lanes */
        {{0x09, 0x02, 0x18, 0x00, 0x01, 0x08}, 6, false}, /* distance of blocks missing */
        {{0x09, 0x02, 0x18, 0x00, 0x06, 0x08}, 6, false}, /* blocks of 64 lanes */
        {{0x09, 0x02, 0x28, 0x00}, 4, false},             /* unknown shape */
        {{0x01, 0x02}, 2, false},                         /* MEMORY without an access */
        {{0x02}, 1, false},                               /* repetition without its numbers */
        /* RUN of bundle 0, MEMORY of bundle 0 again, and a repetition … */
        /* … of the MEMORY, three times */
        {{0x04, 0, 0x09, 0x01, 0, 0, 0x02, 0x04, 0x03}, 9, true},
        {{0x04, 0, 0x09, 0x01, 0, 0, 0x02, 0x04}, 8, false},                    /* count missing */
        {{0x04, 0, 0x09, 0x01, 0, 0, 0x02, 0x04, 0x00}, 9, false},              /* no times */
        {{0x04, 0, 0x09, 0x01, 0, 0, 0x02, 0x04, 0x80, 0x80, 0x04}, 11, false}, /* too many times */
        /* repetition of no bytes */
        {{0x04, 0, 0x09, 0x01, 0, 0, 0x02, 0x00, 0x03}, 9, false},
        /* repetition of more bytes than there are */
        {{0x04, 0, 0x09, 0x01, 0, 0, 0x02, 0x07, 0x03}, 9, false},
        /* repetition that begins within a record */
        {{0x04, 0, 0x09, 0x01, 0, 0, 0x02, 0x05, 0x03}, 9, false},
        /* repetition that ends at another bundle than it begins at */
        {{0x04, 0, 0x09, 0x01, 0, 0, 0x02, 0x06, 0x03}, 9, false},
        /* repetition of a LANES record */
        {{0x04, 0, 0x06, 0x09, 0x01, 0, 0, 0x02, 0x05, 0x03}, 10, false},
        /* repetition of a barrier */
        {{0x04, 0, 0x03, 0x09, 0x01, 0, 0, 0x02, 0x05, 0x03}, 10, false},
        {{0x04, 0, 0x09, 0x01, 0, 0, 0x02, 0x04, 0x03, 0x02, 0x07, 0x01},
         12,
         false}, /* repetition of a repetition */
        {{0x04, 0, 0x09, 0x01, 0, 0, 0x02, 0x04, 0x03, 0x07},
         10,
         false}, /* AGAIN of a RUN that is not there */
        {{0x06}, 1, true},
        {{0x42}, 1, false}, /* a fifth lane */
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct timing_job job;
        struct error err = {""};

        make_job(&job, 4, 4);
        make_group(&job, "", NULL);
        free(job.groups.data[0].rows[0].data);
        job.groups.data[0].rows[0].data = xcalloc(sizeof(rows[i].bytes), 1);
        memcpy(job.groups.data[0].rows[0].data, rows[i].bytes, rows[i].count);
        job.groups.data[0].rows[0].bytes = rows[i].count;
        if (timing_job_check(&job, &err) != rows[i].good)
            fail_msg("row %u: %s", i, err.text);
        timing_job_release(&job);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),        cmocka_unit_test(passes_fold_and_unfold),
        cmocka_unit_test(passes_that_move),  cmocka_unit_test(passes_told_at_once),
        cmocka_unit_test(loops_fold),        cmocka_unit_test(parts_are_one_access),
        cmocka_unit_test(damage_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
