/*
 * The rows of work-groups in host code: which rows run together, in which order and with which
 * lanes, before and behind barriers and where the budget of a window ends; and what is counted. All
 * numbers are worked out by hand. A row has ROW lanes. The program is linked with wrappers, which
 * see what gpu_group_run() calls.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/base/bits.h"
#include "runtime/gpu/shader/running.h"
#include "runtime/gpu/stats.h"
#include "tests/gpu_core/bench.h"

enum {
    WARP = 4,
    ROW = 16,
    IN = BENCH_DATA,
    OUT = BENCH_DATA + 8 * BENCH_PAGE,
    MOST_THREADS = 8 * BENCH_PAGE / 4,
    SIMPLE = 2, /* size of a bundle of bench_simple(), in units of branches */
    RUNS = 3,   /* of a job in the same cores */
    HOT = 2,    /* executions of a bundle before it becomes host code */
};

struct shape {
    unsigned threads, groups; /* threads per group */
    unsigned window;          /* bundles per group and window; 0: the default */
    unsigned leaving;         /* each of so many threads goes another way; 0: none */
    unsigned host_threads;
    bool barrier, dump;
};

/* The rows that executed TOY_DUMP, in order. */
static struct row {
    uint64_t group;
    unsigned thread, lanes;
} seen[8192];
static unsigned seen_count;

/* The calls of gpu_trace_run_phase(): the first row, and the first that it left. */
static struct phase {
    unsigned first, end;
} phases[8192];
static unsigned phase_count;

unsigned __real_gpu_trace_run_phase(struct gpu_worker *k, struct gpu_group *g, unsigned first);
unsigned __wrap_gpu_trace_run_phase(struct gpu_worker *k, struct gpu_group *g, unsigned first);

unsigned __wrap_gpu_trace_run_phase(struct gpu_worker *k, struct gpu_group *g, unsigned first)
{
    unsigned end = __real_gpu_trace_run_phase(k, g, first);

    phases[__atomic_fetch_add(&phase_count, 1, __ATOMIC_RELAXED) % ARRAY_SIZE(phases)] =
        (struct phase){first, end};
    return end;
}

static void note_row(const struct gpu_warp *w)
{
    assert_in_range(seen_count, 0, ARRAY_SIZE(seen) - 1);
    seen[seen_count++] =
        (struct row){w->group->index, w->thread, (unsigned)__builtin_popcount(w->active)};
}

/* r[to] = r[from] + constant */
static void add_constant(struct bench *b, unsigned from, unsigned to, uint64_t constant)
{
    struct toy_bundle c = {.stages = 1, .constants = 1, .constant = {constant}};

    toy_read(&c, 0, 0, from);
    toy_write(&c, 0, 1, to, 3);
    c.word[0][1] = toy_word(TOY_ADD, 0, TOY_CONSTANT_0, 0);
    bench_bundle(b, &c);
}

/* Adds a number to r1, stores r1 at r4 and ends: two bundles. */
static void put_end(struct bench *b, unsigned number)
{
    bench_simple(b, 0, toy_word(TOY_ADD, 0, TOY_ZERO, number), 1, 0, 1);
    bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_STORE, 0, 1, 0), 4, 1, TOY_REGISTERS);
}

/* A thread with number n stores 4 n + 7 as word n from OUT on. If threads leave, it stores 4 n +
 * 100 if word n from IN on is not 0. Returns the number of bundles that all threads execute,
 * without the two at the end. */
static unsigned put_shader(struct bench *b, const struct shape *s)
{
    unsigned bundles = 5;

    bench_simple(b, 0, toy_word(TOY_ADD, 0, 1, 0), 10, 10, 1);
    bench_simple(b, 0, toy_word(TOY_ADD, 0, 1, 0), 1, 1, 1);
    for (unsigned i = 0; i < 1u + s->barrier; i++) {
        if (i)
            bench_simple(b, 0, toy_word(TOY_BARRIER, 0, 0, 0), 0, 0, TOY_REGISTERS);
        if (s->dump)
            bench_simple(b, 0, toy_word(TOY_DUMP, 0, 0, 0), 0, 0, TOY_REGISTERS);
        bundles += i + s->dump;
    }
    add_constant(b, 1, 3, IN);
    bench_simple(b, 0, toy_word(TOY_LOAD, 0, 0, 0), 3, 0, 2);
    add_constant(b, 1, 4, OUT);
    if (s->leaving)
        bench_simple(b, 0, toy_word(TOY_BRANCH, 0, 0, 3 * SIMPLE), 2, 0, TOY_REGISTERS);
    put_end(b, 7);
    put_end(b, 100);
    return bundles + (s->leaving != 0);
}

static bool leaves(const struct shape *s, unsigned n)
{
    return s->leaving && n % s->leaving == s->leaving / 2;
}

/* ---- what must come of it -------------------------------------------------------------------- */

static void expect_words(struct bench *b, const struct shape *s)
{
    for (unsigned n = 0; n < s->threads * s->groups; n++) {
        assert_int_equal(bench_word(b, OUT + 4 * n), 4 * n + (leaves(s, n) ? 100 : 7));
        bench_set_word(b, OUT + 4 * n, 0);
    }
}

/* Counts the warps with lanes on both ways (*mixed). Returns the number of all warps. */
static unsigned count_warps(const struct shape *s, unsigned *mixed)
{
    unsigned warps = 0;

    *mixed = 0;
    for (unsigned g = 0; g < s->groups; g++)
        for (unsigned first = 0; first < s->threads; first += WARP, warps++) {
            unsigned left = 0, lanes = s->threads - first < WARP ? s->threads - first : WARP;

            for (unsigned l = 0; l < lanes; l++)
                left += leaves(s, g * s->threads + first + l);
            *mixed += left && left < lanes;
        }
    return warps;
}

static void expect_counts(const struct gpu_counters *c, const struct shape *s, unsigned bundles)
{
    unsigned mixed, warps = count_warps(s, &mixed), threads = s->threads * s->groups;

    assert_int_equal(c->jobs, 1);
    assert_int_equal(c->groups, s->groups);
    assert_int_equal(c->threads, threads);
    assert_int_equal(c->warps, warps);
    assert_int_equal(c->bundles, (bundles + 2) * warps + 2 * mixed);
    assert_int_equal(c->instructions[GPU_CLASS_LOAD_STORE], 2 * threads);
    assert_int_equal(c->accesses[GPU_COUNT_GLOBAL_READ], threads);
    assert_int_equal(c->accesses[GPU_COUNT_GLOBAL_WRITE], threads);
    assert_int_equal(c->divergent_branches, mixed);
}

/* The rows of a group one after the other, up to the barrier and then behind it. */
static void expect_order(const struct shape *s)
{
    unsigned n = 0;

    if (!s->dump)
        return;
    for (unsigned g = 0; g < s->groups; g++)
        for (unsigned part = 0; part < 1u + s->barrier; part++)
            for (unsigned first = 0; first < s->threads; first += ROW, n++) {
                assert_int_equal(seen[n].group, g);
                assert_int_equal(seen[n].thread, first);
                assert_int_equal(seen[n].lanes,
                                 s->threads - first < ROW ? s->threads - first : ROW);
            }
    assert_int_equal(seen_count, n);
}

static void expect_phase(unsigned n, unsigned first, unsigned end)
{
    assert_in_range(n, 0, phase_count - 1);
    assert_int_equal(phases[n].first, first);
    assert_int_equal(phases[n].end, end);
}

/* Rows with all their lanes run together, up to the barrier and behind it; a last one with fewer is
 * run alone. So is the job's first row, by which the worker finds the shader's first bundle. */
static void expect_phases(const struct shape *s)
{
    unsigned whole = s->threads / ROW, rows = (s->threads + ROW - 1) / ROW, n = 0;

    expect_phase(n++, 0, 0);
    if (rows > 1)
        expect_phase(n++, 1, whole > 1 ? whole : 1);
    for (unsigned part = 1; part < s->groups * (1u + s->barrier); part++)
        expect_phase(n++, 0, whole);
    assert_int_equal(phase_count, n);
}

/* Rows that run together are within the budget, of which a bundle is left. */
static void expect_budget(const struct shape *s, unsigned bundles)
{
    unsigned all = (bundles + 2) * ROW / WARP; /* those of a row's warps */

    for (unsigned n = 0; n < phase_count; n++)
        assert_true((phases[n].end - phases[n].first) * all < s->window);
}

static struct gpu_counters difference(const struct gpu_counters *a, const struct gpu_counters *b)
{
    struct gpu_counters d = *a;
    uint64_t *to = (uint64_t *)&d;
    const uint64_t *from = (const uint64_t *)b;

    for (size_t i = 0; i < sizeof(d) / sizeof(*to); i++)
        to[i] -= from[i];
    return d;
}

/* Runs the job RUNS times, and checks all that each run does. */
static void run(const struct shape *s)
{
    struct bench *b = bench_new(WARP, s->host_threads ? s->host_threads : 1, s->threads);
    unsigned bundles = put_shader(b, s);
    struct gpu_counters before, now;
    bool whole = !s->window; /* no group waits for another window */

    assert_in_range(s->threads * s->groups, 1, MOST_THREADS);
    toy_dump = note_row;
    bench_size(b, s->threads, s->groups);
    gpu_cores_translate(b->cores, HOT);
    if (s->window)
        gpu_cores_set_window(b->cores, s->window);
    for (unsigned n = 0; n < s->threads * s->groups; n++)
        bench_set_word(b, IN + 4 * n, leaves(s, n));
    for (unsigned i = 0; i < RUNS; i++) {
        seen_count = phase_count = 0;
        before = *gpu_stats_total(gpu_cores_stats(b->cores));
        assert_int_equal(bench_run(b, 1000).progress, GPU_PROGRESS_DONE);
        now = *gpu_stats_total(gpu_cores_stats(b->cores));
        now = difference(&now, &before);
        expect_words(b, s);
        expect_counts(&now, s, bundles);
        if (whole)
            expect_order(s);
        if (whole && !s->leaving && s->host_threads < 2 && i == RUNS - 1)
            expect_phases(s);
        if (!whole && !s->leaving && !s->barrier)
            expect_budget(s, bundles);
    }
    bench_free(b);
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* Sizes of groups around those of warps and rows. */
static const unsigned sizes[] = {1, 16, 17, 39, 80};

static void without_barrier(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
        for (unsigned dump = 0; dump < 2; dump++)
            run(&(struct shape){.threads = sizes[i], .groups = 20, .dump = dump});
}

static void with_barrier(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
        for (unsigned dump = 0; dump < 2; dump++)
            run(&(struct shape){.threads = sizes[i], .groups = 20, .dump = dump, .barrier = true});
}

/* Rows in which a lane goes another way leave the code of the others. */
static void some_leave(void **state)
{
    static const unsigned leaving[] = {1, 37, 1000};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(leaving); i++)
        for (unsigned kind = 0; kind < 4; kind++) {
            run(&(struct shape){.threads = 80,
                                .groups = 20,
                                .leaving = leaving[i],
                                .barrier = kind & 1,
                                .dump = kind >> 1});
            run(&(struct shape){
                .threads = 40, .groups = 20, .leaving = leaving[i], .barrier = kind & 1});
        }
}

/* A group whose budget ends goes on in the next window. */
static void small_windows(void **state)
{
    static const unsigned windows[] = {1, 3, 35, 97, 190};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(windows); i++)
        for (unsigned kind = 0; kind < 4; kind++)
            run(&(struct shape){.threads = 80,
                                .groups = 10,
                                .window = windows[i],
                                .barrier = kind & 1,
                                .leaving = kind & 2 ? 50 : 0});
}

static void more_workers(void **state)
{
    (void)state;
    for (unsigned threads = 2; threads <= 4; threads++)
        for (unsigned kind = 0; kind < 4; kind++)
            run(&(struct shape){.threads = 80,
                                .groups = 60,
                                .host_threads = threads,
                                .barrier = kind & 1,
                                .leaving = kind & 2 ? 50 : 0});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_barrier), cmocka_unit_test(with_barrier),
        cmocka_unit_test(some_leave),      cmocka_unit_test(small_windows),
        cmocka_unit_test(more_workers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
