/*
 * Warps of another width from one trace. The referee executes random programs per thread, with the
 * lanes of a warp at the lowest bundle first, in warps of any width: a trace of warps of one width,
 * formed anew, must have what the referee's warps of the other width do.
 */
#include <stdlib.h>
#include <string.h>

#include "make.h"
#include "runtime/base/alloc.h"
#include "runtime/timing/reform.h"

enum { THREADS = 52, BUNDLES = 24, BARRIER = 16, MOST_STEPS = 4000 };

/* A step of a warp: a barrier, or an executed bundle with its lanes and the lanes' addresses. */
struct done {
    uint32_t bundle, lanes;
    bool barrier, memory;
    uint64_t address[TIMING_ROW_LANES];
};

struct record {
    struct done *steps;
    size_t count;
};

static uint64_t mixed_bits(uint64_t v)
{
    v = (v ^ v >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return (v ^ v >> 32) * UINT64_C(0x94d049bb133111eb) >> 7;
}

/* The bundle at which a thread goes on; BUNDLES: it ends. Some threads leave out parts and repeat
 * others; BARRIER is reached by all, each time. */
static uint32_t next_bundle(uint64_t seed, unsigned thread, uint32_t bundle, unsigned passes)
{
    uint64_t what =
        mixed_bits(seed ^ mixed_bits(thread / (1 + seed % 5) + bundle * 977 + passes * 131071));
    bool before = bundle < BARRIER;
    uint32_t next = bundle + 1;

    if (bundle % 3 == 1 && what % 4 == 0)
        next = bundle + 2 + what / 4 % 4;
    else if (bundle % 5 == 4 && passes < 12 && what % 3)
        next = before ? bundle / 2 : bundle - 2;
    if (before && next > BARRIER)
        next = BARRIER;
    if (!before && next <= BARRIER)
        next = BARRIER + 1;
    return next < BUNDLES ? next : BUNDLES;
}

static bool touches_memory(uint32_t bundle)
{
    return bundle % 4 == 2;
}

static uint64_t address_of(uint64_t seed, unsigned thread, unsigned passes)
{
    return 0x10000 + (seed % 2 ? 4 * thread : mixed_bits(thread) % 4096) + 64 * passes;
}

/* Executes the threads from `first` on in one warp. */
static void execute_warp(uint64_t seed, unsigned first, unsigned lanes, struct record *out)
{
    uint32_t at[TIMING_ROW_LANES] = {0};
    unsigned passes[TIMING_ROW_LANES] = {0};

    out->steps = xcalloc(MOST_STEPS, sizeof(*out->steps));
    for (out->count = 0; out->count < MOST_STEPS - 1;) {
        struct done *d = &out->steps[out->count];

        d->bundle = BUNDLES;
        for (unsigned l = 0; l < lanes; l++)
            d->bundle = at[l] < d->bundle ? at[l] : d->bundle;
        if (d->bundle == BUNDLES)
            return;
        out->count++;
        d->memory = touches_memory(d->bundle);
        for (unsigned l = 0; l < lanes; l++)
            if (at[l] == d->bundle) {
                d->lanes |= 1u << l;
                d->address[l] = d->memory ? address_of(seed, first + l, passes[l]) : 0;
                at[l] = next_bundle(seed, first + l, d->bundle, passes[l]);
                passes[l] += at[l] <= d->bundle;
            }
        if (d->bundle == BARRIER)
            out->steps[out->count++] = (struct done){.barrier = true};
    }
    fail_msg("a program does not end");
}

static void write_row(const struct record *r, struct timing_row *out)
{
    struct timing_writer w = {0};

    timing_writer_begin(&w, out->lanes == 32 ? UINT32_MAX : (1u << out->lanes) - 1);
    for (size_t i = 0; i < r->count; i++) {
        const struct done *d = &r->steps[i];

        if (d->barrier) {
            timing_writer_barrier(&w);
            continue;
        }
        if (d->memory)
            timing_writer_touch(&w, TIMING_LOAD, d->lanes, d->address, 4);
        timing_writer_bundle(&w, d->bundle, d->lanes);
    }
    timing_writer_end(&w, out);
    timing_writer_release(&w);
}

/* Makes a job whose rows, of `row` lanes, the referee executes. */
static void make_random(struct timing_job *job, uint64_t seed, unsigned width, unsigned row)
{
    struct timing_group g = {.row_count = (THREADS + row - 1) / row};

    *job = (struct timing_job){
        .group_threads = THREADS, .warp_width = width, .row_width = row, .group_total = 1};
    for (uint32_t i = 0; i < BUNDLES; i++)
        vec_push(&job->bundles,
                 (struct timing_bundle){.address = 0x100 + 16 * i, .slot = TIMING_NO_SLOT});
    g.rows = xcalloc(g.row_count, sizeof(*g.rows));
    for (unsigned i = 0; i < g.row_count; i++) {
        struct record r;

        g.rows[i].lanes = THREADS - i * row < row ? THREADS - i * row : row;
        execute_warp(seed, i * row, g.rows[i].lanes, &r);
        write_row(&r, &g.rows[i]);
        free(r.steps);
    }
    vec_push(&job->groups, g);
}

/* Checks the accesses of the cursor's bundle. */
static void expect_accesses(struct timing_cursor *c, const struct done *d)
{
    struct timing_touch t;
    uint32_t seen = 0;

    while (timing_cursor_access(c, &t)) {
        assert_int_equal(t.access, TIMING_LOAD);
        assert_int_equal(t.bytes, 4);
        assert_int_equal(seen & t.lanes, 0);
        seen |= t.lanes;
        for (uint32_t left = t.lanes; left; left &= left - 1) {
            unsigned l = (unsigned)__builtin_ctz(left);

            assert_int_equal(timing_touch_at(&t, l), d->address[l]);
        }
    }
    assert_int_equal(seen, d->memory ? d->lanes : 0);
}

static void expect_warp(const struct timing_job *job, const struct timing_row *row, uint64_t seed,
                        unsigned first)
{
    struct timing_cursor c;
    struct record r;
    size_t at = 0;

    execute_warp(seed, first, row->lanes, &r);
    timing_cursor_begin(&c, job, row, 0);
    for (timing_cursor_next(&c); c.event != TIMING_END; timing_cursor_next(&c)) {
        if (c.event == TIMING_BARRIER) {
            assert_true(at < r.count && r.steps[at++].barrier);
            continue;
        }
        for (uint64_t n = 0; n < c.times; n++)
            for (uint32_t i = 0; i < c.count; i++) {
                assert_true(at < r.count && !r.steps[at].barrier);
                assert_int_equal(r.steps[at].bundle, c.first + i);
                assert_int_equal(r.steps[at].lanes, c.lanes);
                expect_accesses(&c, &r.steps[at++]);
            }
    }
    assert_int_equal(at, r.count);
    free(r.steps);
}

/* Forms warps of `to` lanes from rows of `row` lanes, and compares all of them. */
static void try_widths(uint64_t seed, unsigned width, unsigned row, unsigned to)
{
    struct timing_job job, made;
    struct error err = {""};

    make_random(&job, seed, width, row);
    if (!timing_job_check(&job, &err) || !timing_job_reform(&job, to, &made, &err) ||
        !timing_job_check(&made, &err))
        fail_msg("%s", err.text);
    assert_int_equal(made.warp_width, to);
    assert_int_equal(made.groups.data[0].row_count, (THREADS + to - 1) / to);
    for (unsigned i = 0; i < made.groups.data[0].row_count; i++)
        expect_warp(&made, &made.groups.data[0].rows[i], seed, i * to);
    timing_job_release(&made);
    timing_job_release(&job);
}

static void any_width(void **state)
{
    static const struct {
        unsigned width, row;
    } from[] = {{4, 4}, {4, 16}, {8, 16}, {12, 12}, {1, 16}, {32, 32}};

    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++)
        for (unsigned i = 0; i < sizeof(from) / sizeof(*from); i++)
            for (unsigned to = 1; to <= TIMING_ROW_LANES; to += to < 16 ? 1 : 4)
                try_widths(mixed_bits(seed), from[i].width, from[i].row, to);
}

/* ---- by hand --------------------------------------------------------------------------------- */

/* Two warps that run different bundles: in one warp of both, each half waits for the other. */
static void halves_wait(void **state)
{
    struct timing_params p = timing_params_default();
    struct timing_shape shape = {
        .cores = 1, .engines = 1, .max_threads = 64, .warp_width = 8, .clock_mhz = 1};
    struct timing_job job, made;
    struct error err = {""};

    (void)state;
    make_job(&job, 8, 4);
    job.bundles.data[1].address = 16;
    make_group(&job, "aaaa", "l1a", NULL);
    assert_true(timing_job_reform(&job, 8, &made, &err));
    /* bundle 0 of the first half four times, bundle 1 of the second, and its bundle 0 */
    assert_int_equal(make_run(&p, &shape, TIMING_REASSEMBLE, &made).instructions, 6);
    timing_job_release(&made);
    timing_job_release(&job);
}

/* A loop without accesses stays two records, however often it runs. */
static void loops_stay_short(void **state)
{
    struct timing_writer w = {0};
    struct timing_job job, made;
    struct timing_row *rows;
    struct error err = {""};

    (void)state;
    make_job(&job, 8, 4);
    make_group(&job, "a", "a", NULL);
    rows = job.groups.data[0].rows;
    for (unsigned i = 0; i < 2; i++) {
        free(rows[i].data);
        timing_writer_begin(&w, 0xf);
        timing_writer_runs(&w, 0, 2, UINT32_MAX, 0xf);
        timing_writer_runs(&w, 0, 2, UINT32_MAX, 0xf);
        timing_writer_end(&w, &rows[i]);
    }
    timing_writer_release(&w);
    assert_true(timing_job_check(&job, &err));
    assert_true(timing_job_reform(&job, 8, &made, &err));
    assert_true(timing_job_check(&made, &err));
    assert_true(made.groups.data[0].rows[0].bytes < 32);
    assert_int_equal(timing_job_work(&made).instructions, 4 * (uint64_t)UINT32_MAX);
    timing_job_release(&made);
    timing_job_release(&job);
}

static void bad_traces_are_refused(void **state)
{
    struct timing_job job, made;
    struct error err = {""};

    (void)state;
    make_job(&job, 8, 4);
    make_group(&job, "a", "a", NULL);
    assert_false(timing_job_reform(&job, 33, &made, &err));
    assert_non_null(strstr(err.text, "1 to 32 lanes, not 33"));
    job.groups.data[0].rows[0].lanes = 3;
    assert_false(timing_job_reform(&job, 8, &made, &err));
    assert_non_null(strstr(err.text, "is not full"));
    timing_job_release(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_width),
        cmocka_unit_test(halves_wait),
        cmocka_unit_test(loops_stay_short),
        cmocka_unit_test(bad_traces_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
