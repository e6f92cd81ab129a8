/*
 * Memory held by work-groups that have begun and not ended. Its bound decides which groups are in a
 * window, so all results must be the same for any number of host threads.
 */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mali_layout.h"
#include "runtime/gpu/shader/core.h"
#include "runtime/gpu/stats.h"
#include "tests/gpu_core/bench.h"

#define PUT(b, at, NAME, value) bench_put(b, at, MALI_##NAME##_BIT, MALI_##NAME##_WIDTH, value)

enum { LANES = 4, PAGE = BENCH_PAGE, OUT = BENCH_DATA, LATE = 20, LATE_VA = LATE * PAGE };

/* Local memory: addresses whose pages map to the bench's pages in turn. */
#define LOCAL_A UINT64_C(0x40000000)
#define LOCAL_B UINT64_C(0x80000000)

static uint32_t translate_modulo(void *opaque, uint64_t va, enum gpu_access access,
                                 struct gpu_page *out)
{
    struct bench *b = opaque;
    uint64_t page = va / PAGE % BENCH_PAGES;

    (void)access;
    if (!__atomic_load_n(&b->mapped[page], __ATOMIC_ACQUIRE))
        return 0xc3;
    *out = (struct gpu_page){b->memory + page * PAGE, PAGE, true, true, true};
    return 0;
}

/* Makes groups of one thread, each with 2^log2_bytes bytes of local memory at `base`. */
static struct bench *bench_local(unsigned threads, uint64_t base, unsigned log2_bytes)
{
    struct bench *b = bench_new(LANES, threads, 1);

    b->as.translate = translate_modulo;
    PUT(b, BENCH_STORAGE, LOCAL_STORAGE_WLS_BASE, base);
    PUT(b, BENCH_STORAGE, LOCAL_STORAGE_WLS_SIZE_SCALE, log2_bytes + 1);
    return b;
}

/* ---- a shader that says when its groups begin and end ---------------------------------------- */

/* Groups below FIRST end at once, so that the windows after the first one are large. */
enum { FIRST = GPU_WINDOW_GROUPS, ALL = 200, TOUCHED = 5, MARK = 16 };

static unsigned alive, most_alive;
static uint32_t wrong, fixed_rounds;

/*
 * Rounds of a loop of two bundles for a group: up to two windows' worth, or `fixed_rounds`; some
 * groups do one.
 */
static uint32_t rounds_of(uint64_t group)
{
    uint32_t r = (uint32_t)group * 2654435761u >> 12;

    if (group < FIRST || group % 7 == 3)
        return 1;
    return fixed_rounds ? fixed_rounds : r % GPU_WINDOW_BUNDLES;
}

static void count_begin(void)
{
    unsigned now = __atomic_add_fetch(&alive, 1, __ATOMIC_SEQ_CST);
    unsigned most = __atomic_load_n(&most_alive, __ATOMIC_SEQ_CST);

    while (now > most && !__atomic_compare_exchange_n(&most_alive, &most, now, false,
                                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        ;
}

/* Marks private pages at a group's begin, and checks the marks at its end. */
static void begin_or_end(const struct gpu_warp *dumped)
{
    struct gpu_warp *w = (struct gpu_warp *)(uintptr_t)dumped;
    uint64_t group = w->group->index;
    bool begins = !gpu_slot(w, 2)[0];

    for (uint64_t i = 0; i < TOUCHED; i++) {
        uint64_t va = LOCAL_A + (i * 64 + MARK) * PAGE;

        if (gpu_read64(w, NULL, 0, va) != (begins ? 0 : group + 1))
            __atomic_store_n(&wrong, 1, __ATOMIC_SEQ_CST);
        gpu_write64(w, NULL, 0, va, group + 1);
    }
    if (begins) {
        count_begin();
        gpu_slot(w, 1)[0] = rounds_of(group);
        gpu_slot(w, 2)[0] = 1;
        return;
    }
    if (group % 50 == 49)
        gpu_read32(w, NULL, 0, LATE_VA);
    gpu_write32(w, NULL, 0, OUT + 8 * group, gpu_atomic32(w, NULL, 0, GPU_ATOMIC_ADD, OUT - 8, 1));
    __atomic_sub_fetch(&alive, 1, __ATOMIC_SEQ_CST);
}

static void put_shader_with(struct bench *b, unsigned groups, uint32_t rounds, bool barrier)
{
    uint64_t loop;

    toy_dump = begin_or_end;
    alive = most_alive = wrong = 0;
    fixed_rounds = rounds;
    bench_size(b, 1, groups);
    bench_simple(b, 0, toy_word(TOY_DUMP, 0, 0, 0), 0, 0, TOY_REGISTERS);
    if (barrier)
        bench_simple(b, 0, toy_word(TOY_BARRIER, 0, 0, 0), 0, 0, TOY_REGISTERS);
    loop = bench_simple(b, 0, toy_word(TOY_ADD, 0, TOY_ZERO, (unsigned)-1), 1, 0, 1);
    bench_simple(b, 0, toy_word(TOY_BRANCH, 0, 0, (unsigned)((loop - b->code_end) / 16)), 1, 0,
                 TOY_REGISTERS);
    bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_DUMP, 0, 0, 0), 0, 0, TOY_REGISTERS);
}

static void put_shader(struct bench *b, unsigned groups, uint32_t rounds)
{
    put_shader_with(b, groups, rounds, false);
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* Returns how many groups of one row, with the most private pages, the bound allows. */
static unsigned most_of(const struct bench *b)
{
    return GPU_GROUPS_BYTES / (GPU_PRIVATE_PAGES * PAGE + (unsigned)b->cores->warp_bytes);
}

struct result {
    uint64_t cycles;
    unsigned steps, faults;
    struct gpu_counters counters;
    uint8_t memory[BENCH_PAGES * PAGE];
};

/* Runs the job to its end; a page that many groups need is mapped when it is first missing. */
static void run_to_end(struct bench *b, struct result *r)
{
    struct gpu_outcome out;
    struct gpu_compute *job = gpu_compute_start(b->cores, &b->as, BENCH_JOB, &out);

    assert_non_null(job);
    do {
        gpu_compute_step(job, &out);
        r->cycles += out.cycles;
        r->steps++;
        assert_in_range(job->window.unfinished, 0, most_of(b));
        assert_int_equal(b->cores->held_bytes, job->window.unfinished * job->group_bytes);
        if (out.progress == GPU_PROGRESS_FAULT) {
            assert_int_equal(out.fault.va, LATE_VA);
            r->faults++;
            __atomic_store_n(&b->mapped[LATE], true, __ATOMIC_RELEASE);
        }
    } while (out.progress == GPU_PROGRESS_MORE || out.progress == GPU_PROGRESS_FAULT);
    assert_int_equal(out.progress, GPU_PROGRESS_DONE);
    gpu_compute_free(job);
    assert_int_equal(b->cores->held_bytes, 0);
    r->counters = *gpu_stats_total(gpu_cores_stats(b->cores));
    memcpy(r->memory, b->memory, sizeof(r->memory));
}

static unsigned free_pages(const struct bench *b)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < b->cores->worker_count; i++)
        for (const struct gpu_group *g = b->cores->workers[i]->free_groups; g; g = g->next)
            sum += g->memory.count;
    return sum;
}

static void groups_are_bounded(void **state)
{
    static const unsigned threads[] = {1, 2, 4, 32};
    static struct result first, now;

    (void)state;
    for (unsigned i = 0; i < sizeof(threads) / sizeof(*threads); i++) {
        struct bench *b = bench_local(threads[i], LOCAL_A, 27);

        memset(&now, 0, sizeof(now));
        b->mapped[LATE] = false;
        put_shader(b, ALL, 0);
        run_to_end(b, &now);
        assert_int_equal(wrong, 0);
        assert_int_equal(alive, 0);
        assert_in_range(most_alive, 2, most_of(b));
        assert_int_equal(now.counters.groups, ALL);
        assert_int_equal(bench_word(b, OUT - 8), ALL);
        assert_int_equal(now.faults, 1);
        assert_in_range(free_pages(b), 0, threads[i] * TOUCHED);
        if (!i)
            first = now;
        assert_int_equal(now.cycles, first.cycles);
        assert_int_equal(now.steps, first.steps);
        assert_memory_equal(&now.counters, &first.counters, sizeof(first.counters));
        assert_memory_equal(now.memory, first.memory, sizeof(first.memory));
        bench_free(b);
    }
}

static unsigned spare_rows(const struct bench *b)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < b->cores->worker_count; i++)
        sum += b->cores->workers[i]->spare_count;
    return sum;
}

enum { KEPT_ROUNDS = 600 }; /* rounds of a loop of two bundles */
static unsigned row_lanes;

static void start_rounds(const struct gpu_warp *dumped)
{
    struct gpu_warp *w = (struct gpu_warp *)(uintptr_t)dumped;
    bool begins = !gpu_slot(w, 2)[0];

    for (unsigned lane = 0; lane < row_lanes; lane++) {
        gpu_slot(w, 1)[lane] = begins ? KEPT_ROUNDS : 0;
        gpu_slot(w, 2)[lane] = 1;
    }
}

/*
 * If all groups end in a later window than they begin in, all rows of a window become free at once,
 * and the next groups use these rows. Returning rows to the host and allocating them again would
 * double the time of a shader such as the tiled matrix product.
 */
static void rows_are_kept(void **state)
{
    enum { ROWS = 16, WINDOW = GPU_WINDOW_GROUPS * ROWS };
    static const unsigned threads[] = {1, 4};

    (void)state;
    assert_in_range(2 * KEPT_ROUNDS * ROWS, GPU_WINDOW_BUNDLES + 1, 2 * GPU_WINDOW_BUNDLES);
    for (unsigned i = 0; i < sizeof(threads) / sizeof(*threads); i++) {
        struct bench *b = bench_local(threads[i], LOCAL_A, 4);
        struct gpu_compute *job;
        struct gpu_outcome out;

        put_shader_with(b, 4 * GPU_WINDOW_GROUPS, 0, true);
        row_lanes = b->cores->decoder.row;
        bench_size(b, ROWS * row_lanes, 4 * GPU_WINDOW_GROUPS);
        toy_dump = start_rounds;
        job = gpu_compute_start(b->cores, &b->as, BENCH_JOB, &out);
        assert_non_null(job);
        do
            gpu_compute_step(job, &out);
        while (out.progress == GPU_PROGRESS_MORE);
        assert_int_equal(out.progress, GPU_PROGRESS_DONE);
        gpu_compute_free(job);
        assert_in_range(spare_rows(b), i ? 1 : WINDOW / 2, GPU_SPARE_ROWS);
        bench_free(b);
    }
}

/*
 * While the groups of one job continue over several steps, another job gets the rest of the bound.
 */
static void jobs_share_the_bound(void **state)
{
    enum { LONG = 14, ROUNDS = (GPU_STEP_WINDOWS + 1) * GPU_WINDOW_BUNDLES / 2 };

    (void)state;
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        struct bench *b = bench_local(threads, LOCAL_A, 27);
        struct gpu_compute *job[2];
        struct gpu_outcome out[2] = {{0}};

        put_shader(b, FIRST + LONG, ROUNDS);
        for (unsigned i = 0; i < 2; i++) {
            job[i] = gpu_compute_start(b->cores, &b->as, BENCH_JOB, &out[i]);
            assert_non_null(job[i]);
        }
        while (out[0].progress == GPU_PROGRESS_MORE || out[1].progress == GPU_PROGRESS_MORE) {
            for (unsigned i = 0; i < 2; i++)
                if (out[i].progress == GPU_PROGRESS_MORE)
                    gpu_compute_step(job[i], &out[i]);
            assert_in_range(job[0]->window.unfinished + job[1]->window.unfinished, 0,
                            most_of(b) + 1);
        }
        for (unsigned i = 0; i < 2; i++) {
            assert_int_equal(out[i].progress, GPU_PROGRESS_DONE);
            gpu_compute_free(job[i]);
        }
        assert_int_equal(wrong, 0);
        assert_in_range(most_alive, 2, most_of(b) + 1);
        assert_int_equal(bench_word(b, OUT - 8), 2 * (FIRST + LONG));
        bench_free(b);
    }
}

/* A job that is given up while its groups wait releases everything. */
static void given_up(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        struct bench *b = bench_local(threads, LOCAL_A, 27);
        struct gpu_outcome out;
        struct gpu_compute *job;

        b->mapped[LATE] = false;
        put_shader(b, ALL, 0);
        job = gpu_compute_start(b->cores, &b->as, BENCH_JOB, &out);
        out = bench_step(job, 1000);
        assert_int_equal(out.progress, GPU_PROGRESS_FAULT);
        gpu_compute_free(job);
        assert_int_equal(b->cores->held_bytes, 0);
        assert_in_range(free_pages(b), 0, threads * TOUCHED);
        bench_free(b);
    }
}

/* A draw without pixels is a job without groups: it takes a cycle, and opens no window. */
static void without_groups(void **state)
{
    struct bench *b = bench_local(2, LOCAL_A, 27);
    struct gpu_outcome out;
    struct gpu_compute *job;

    (void)state;
    put_shader(b, ALL, 0);
    job = gpu_compute_start(b->cores, &b->as, BENCH_JOB, &out);
    assert_non_null(job);
    job->job.group_total = 0;
    out = bench_step(job, 1);
    assert_int_equal(out.progress, GPU_PROGRESS_DONE);
    assert_int_equal(out.cycles, 1);
    assert_int_equal(job->cycles, 1);
    assert_int_equal(b->cores->crew, 0);
    gpu_compute_free(job);
    bench_free(b);
}

/* ---- all the pages of a group ---------------------------------------------------------------- */

static uint64_t own_base;

/* Writes the largest number of private pages of a group, and one more, which is common. */
static void use_all(const struct gpu_warp *dumped)
{
    struct gpu_warp *w = (struct gpu_warp *)(uintptr_t)dumped;
    uint64_t group = w->group->index, last = 0;

    for (unsigned i = 0, own = 0; own < GPU_PRIVATE_PAGES + 1; i++) {
        if (i % BENCH_PAGES < 16)
            continue; /* not the pages of the job's descriptors */
        last = own_base + (uint64_t)i * PAGE + 24;
        gpu_write64(w, NULL, 0, last, group + 1);
        own++;
    }
    for (unsigned i = 0; i < 50; i++)
        sched_yield();
    if (gpu_read64(w, NULL, 0, last) != group + 1)
        __atomic_store_n(&wrong, 1, __ATOMIC_SEQ_CST);
}

static unsigned common_pages(struct bench *b, unsigned groups)
{
    unsigned common = 0;

    toy_dump = use_all;
    wrong = 0;
    b->code_end = BENCH_CODE;
    bench_size(b, 1, groups);
    bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_DUMP, 0, 0, 0), 0, 0, TOY_REGISTERS);
    assert_int_equal(bench_run(b, groups).progress, GPU_PROGRESS_DONE);
    assert_int_equal(wrong, 0);
    for (unsigned page = 16; page < BENCH_PAGES; page++) {
        common += bench_word(b, page * PAGE + 24) == groups;
        bench_set_word(b, page * PAGE + 24, 0);
    }
    return common;
}

/* Pages that another job's groups held do not count for this job. */
static void pages_of_other_jobs(void **state)
{
    struct bench *b = bench_local(1, LOCAL_A, 27);

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        own_base = i % 2 ? LOCAL_B : LOCAL_A;
        PUT(b, BENCH_STORAGE, LOCAL_STORAGE_WLS_BASE, own_base);
        assert_int_equal(common_pages(b, 1), 1);
        assert_in_range(free_pages(b), 0, GPU_PRIVATE_PAGES);
    }
    bench_free(b);
}

/* Groups access common memory one after the other, in their order. */
static void common_in_order(void **state)
{
    struct bench *b = bench_local(4, LOCAL_A, 27);

    (void)state;
    own_base = LOCAL_A;
    assert_int_equal(common_pages(b, 12), 1);
    bench_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_bounded),   cmocka_unit_test(rows_are_kept),
        cmocka_unit_test(jobs_share_the_bound), cmocka_unit_test(given_up),
        cmocka_unit_test(pages_of_other_jobs),  cmocka_unit_test(common_in_order),
        cmocka_unit_test(without_groups),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
