/*
 * Job chains by themselves, in memory that is an array: headers, write-back, clocks, budgets, and
 * the call at a job's end. Header offsets and codes are those of the job descriptors in
 * descriptions/mali/layouts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "mali_layout.h"
#include "runtime/base/bits.h"
#include "runtime/base/log.h"
#include "runtime/gpu/chain.h"
#include "runtime/gpu/variant.h"
#include "tests/gpu_device/fake_compute.h"

enum { BASE = 0x10000, PAGE = 0x1000, PAGES = 3, JOB = 0x80, JOB_CYCLES = 500 };
enum { NO_PAGE = 0xc3, NO_WRITE = 0xc8 }; /* fault codes that an address space may return */

static const struct gpu_variant variant = {.title = "Test", .architecture = 6};

static struct memory {
    uint8_t bytes[PAGES * PAGE];
    bool there[PAGES], writable[PAGES];
    struct gpu_address_space space;
    struct gpu_chain *chain;
    struct gpu_chain_counters counters;
    struct gpu_chain_job ended; /* the last ended job, and the number of ended ones */
    unsigned ends, flushes;
    struct log log;
    char *said;
    size_t said_len;
} m;

static uint32_t translate_page(void *opaque, uint64_t va, enum gpu_access access,
                               struct gpu_page *out)
{
    uint64_t n = (va - BASE) / PAGE;

    assert_ptr_equal(opaque, &m);
    if (n >= PAGES || !m.there[n])
        return NO_PAGE;
    if (access == GPU_ACCESS_WRITE && !m.writable[n])
        return NO_WRITE;
    *out = (struct gpu_page){m.bytes + n * PAGE, PAGE, true, m.writable[n], false};
    return 0;
}

static uint64_t read_clock(void *opaque, enum gpu_chain_clock which)
{
    assert_ptr_equal(opaque, &m);
    return which == GPU_CHAIN_CYCLE_COUNT ? UINT64_C(0x1111222233334444) : 0x5555;
}

static void print_owner(void *opaque, char *text, size_t size)
{
    assert_ptr_equal(opaque, &m);
    snprintf(text, size, " of a test");
}

static void job_end(void *opaque, const struct gpu_chain_job *job)
{
    assert_ptr_equal(opaque, &m);
    m.ended = *job;
    m.ends++;
}

static void count_flush(void *opaque)
{
    assert_ptr_equal(opaque, &m);
    m.flushes++;
}

static int setup(void **state)
{
    struct gpu_chain_env env = {&variant,    gpu_cores_new(&variant, NULL, 1),
                                &m.log,      &m.counters,
                                read_clock,  print_owner,
                                job_end,     NULL,
                                count_flush, &m};

    (void)state;
    memset(&m, 0, sizeof(m));
    for (unsigned i = 0; i < PAGES; i++)
        m.there[i] = m.writable[i] = true;
    m.space = (struct gpu_address_space){&m, translate_page, 0};
    m.log.out = open_memstream(&m.said, &m.said_len);
    m.chain = gpu_chain_new(&env);
    *state = env.cores;
    return 0;
}

static int teardown(void **state)
{
    gpu_chain_free(m.chain);
    gpu_cores_free(*state);
    fclose(m.log.out);
    free(m.said);
    return 0;
}

static void put_memory(unsigned at, unsigned size, uint64_t value)
{
    le_put(m.bytes + at, size, value);
}

static uint64_t get_memory(unsigned at, unsigned size)
{
    return le_get(m.bytes + at, size);
}

/* Writes a header at `at`, with initial status, first task and fault pointer that no job writes. */
static void put_header(unsigned at, unsigned type, unsigned index, uint64_t next)
{
    put_memory(at, 8, UINT64_C(0x7777777788888888));
    put_memory(at + 8, 8, UINT64_C(0x9999999999999999));
    put_memory(at + 16, 4, 1 | type << 1 | index << 16);
    put_memory(at + 20, 4, 0);
    put_memory(at + 24, 8, next);
}

static void put_fake_job(unsigned at, uint32_t steps, uint32_t failure, uint64_t next)
{
    put_header(at, MALI_JOB_TYPE_COMPUTE, 1, next);
    put_memory(at + 32, 4, steps);
    put_memory(at + 36, 4, 100);
    put_memory(at + 40, 8, BASE + 2 * PAGE);
    put_memory(at + 48, 4, failure);
    put_memory(at + 52, 4, 0);
}

static struct gpu_chain_outcome step_chain(void)
{
    struct gpu_chain_outcome out;

    gpu_chain_step(m.chain, &out);
    return out;
}

static void start_chain(uint64_t head)
{
    gpu_chain_start(m.chain, &m.space, head, 0, GPU_CHAIN_WRITE_BACK);
}

/* Three jobs, one per step; only the status in their headers is written. */
static void test_jobs(void **state)
{
    struct gpu_chain_outcome out;

    (void)state;
    put_header(0, MALI_JOB_TYPE_NULL, 7, BASE + JOB);
    put_header(JOB, MALI_JOB_TYPE_CACHE_FLUSH, 8, BASE + 2 * JOB);
    put_header(2 * JOB, MALI_JOB_TYPE_NULL, 9, 0);
    start_chain(BASE);
    out = step_chain();
    assert_int_equal(out.progress, GPU_CHAIN_MORE);
    assert_int_equal(out.cycles, JOB_CYCLES);
    assert_int_equal(out.tail, BASE + JOB);
    assert_int_equal(out.between, 1);
    assert_int_equal(m.ended.address, BASE);
    assert_int_equal(m.ended.index, 7);
    assert_int_equal(m.ended.next, BASE + JOB);
    assert_int_equal(m.ended.status, MALI_EXCEPTION_DONE);
    assert_int_equal(m.ended.cycles, JOB_CYCLES);
    step_chain();
    assert_int_equal(m.flushes, 1);
    assert_int_equal(m.ended.type, MALI_JOB_TYPE_CACHE_FLUSH);
    assert_int_equal(m.ended.cycles, JOB_CYCLES); /* cycles of this job alone */
    out = step_chain();
    assert_int_equal(out.progress, GPU_CHAIN_DONE);
    assert_int_equal(out.code, MALI_EXCEPTION_DONE);
    assert_int_equal(out.tail, BASE + 2 * JOB);
    out = step_chain(); /* the job's end is executed again, in one cycle */
    assert_int_equal(out.progress, GPU_CHAIN_DONE);
    assert_int_equal(out.cycles, 1);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(get_memory(i * JOB, 4), MALI_EXCEPTION_DONE);
        assert_int_equal(get_memory(i * JOB + 4, 4), 0x77777777);
        assert_int_equal(get_memory(i * JOB + 8, 8), UINT64_C(0x9999999999999999));
    }
    assert_int_equal(m.ends, 3);
    assert_int_equal(m.counters.chains, 1);
    assert_int_equal(m.counters.jobs[MALI_JOB_TYPE_NULL], 2);
    assert_int_equal(m.counters.jobs[MALI_JOB_TYPE_CACHE_FLUSH], 1);
    assert_int_equal(m.counters.cycles, 3 * JOB_CYCLES + 1);
    start_chain(0); /* an empty chain ends at once */
    assert_int_equal(step_chain().progress, GPU_CHAIN_DONE);
    assert_int_equal(m.counters.failed + m.counters.stopped + m.counters.page_faults, 0);
}

/* A failed job writes its error and address, unless header write-back is off. */
static void test_failures(void **state)
{
    struct gpu_chain_outcome out;

    (void)state;
    for (unsigned flags = 0; flags <= GPU_CHAIN_WRITE_BACK; flags++) {
        put_fake_job(0, 1, GPU_JOB_INVALID_ENCODING, BASE + JOB);
        gpu_chain_start(m.chain, &m.space, BASE, 0, flags);
        step_chain();
        out = step_chain();
        assert_int_equal(out.progress, GPU_CHAIN_FAILED);
        assert_int_equal(out.code, MALI_EXCEPTION_INSTR_INVALID_ENC);
        assert_int_equal(out.address, BASE);
        assert_int_equal(m.ended.status, MALI_EXCEPTION_INSTR_INVALID_ENC);
        assert_int_equal(get_memory(0, 4), flags ? MALI_EXCEPTION_INSTR_INVALID_ENC : 0x88888888);
        assert_int_equal(get_memory(4, 4), flags ? 0 : 0x77777777);
        assert_int_equal(get_memory(8, 8), flags ? BASE : UINT64_C(0x9999999999999999));
    }
    put_header(0, MALI_JOB_TYPE_WRITE_VALUE, 1, 0); /* a type that does not exist */
    put_memory(32, 8, BASE + PAGE);
    put_memory(40, 4, 99);
    start_chain(BASE);
    out = step_chain();
    assert_int_equal(out.code, MALI_EXCEPTION_DATA_INVALID_FAULT);
    assert_int_equal(out.address, BASE + 32); /* the job's payload */
    put_header(0, MALI_JOB_TYPE_NULL, 1, 0);  /* a type that this slot does not run */
    gpu_chain_start(m.chain, &m.space, BASE, 1u << MALI_JOB_TYPE_COMPUTE, GPU_CHAIN_WRITE_BACK);
    assert_int_equal(step_chain().code, MALI_EXCEPTION_JOB_CONFIG_FAULT);
    assert_int_equal(m.counters.failed, 4);
    assert_int_equal(m.counters.stopped, 0);
    assert_int_equal(fake_live, 0);
}

/* Features that are not modelled are reported once per type, by name. */
static void test_refusals(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        put_header(0, MALI_JOB_TYPE_GEOMETRY, 1, 0);
        start_chain(BASE);
        assert_int_equal(step_chain().code, MALI_EXCEPTION_UNKNOWN);
        put_header(0, MALI_JOB_TYPE_FUSED, 1, 0);
        start_chain(BASE);
        assert_int_equal(step_chain().code, MALI_EXCEPTION_UNKNOWN);
    }
    fflush(m.log.out);
    assert_string_equal(
        m.said, "gpu: Test cannot execute geometry jobs: the job at 0x10000 of a test fails "
                "(this is said once)\n"
                "gpu: Test cannot execute fused jobs: the job at 0x10000 of a test fails "
                "(this is said once)\n");
}

/* Values of 1 to 8 bytes, and clocks; adjacent bytes are unchanged. */
static void test_values(void **state)
{
    static const struct {
        unsigned type;
        uint64_t value;
    } rows[] = {{MALI_WRITE_VALUE_TYPE_CYCLE_COUNTER, UINT64_C(0x1111222233334444)},
                {MALI_WRITE_VALUE_TYPE_SYSTEM_TIMESTAMP, 0x5555},
                {MALI_WRITE_VALUE_TYPE_ZERO, 0},
                {MALI_WRITE_VALUE_TYPE_IMMEDIATE_8, UINT64_C(0xffffffffffffff88)},
                {MALI_WRITE_VALUE_TYPE_IMMEDIATE_16, UINT64_C(0xffffffffffff7788)},
                {MALI_WRITE_VALUE_TYPE_IMMEDIATE_32, UINT64_C(0xffffffff55667788)},
                {MALI_WRITE_VALUE_TYPE_IMMEDIATE_64, UINT64_C(0x1122334455667788)}};

    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        put_header(0, MALI_JOB_TYPE_WRITE_VALUE, 1, 0);
        put_memory(32, 8, BASE + PAGE + 8);
        put_memory(40, 8, rows[i].type);
        put_memory(48, 8, UINT64_C(0x1122334455667788));
        memset(m.bytes + PAGE, 0xff, 24);
        start_chain(BASE);
        assert_int_equal(step_chain().progress, GPU_CHAIN_DONE);
        assert_int_equal(get_memory(PAGE + 8, 8), rows[i].value);
        assert_int_equal(get_memory(PAGE, 8) & get_memory(PAGE + 16, 8), UINT64_MAX);
    }
}

/* A missing page: at the header, at the written value, and again at the header for its status. */
static void test_pages(void **state)
{
    struct gpu_chain_outcome out;

    (void)state;
    put_header(0, MALI_JOB_TYPE_WRITE_VALUE, 1, 0);
    put_memory(32, 8, BASE + PAGE);
    put_memory(40, 8, MALI_WRITE_VALUE_TYPE_IMMEDIATE_8);
    m.there[0] = m.there[1] = m.writable[0] = false;
    start_chain(BASE);
    out = step_chain();
    assert_int_equal(out.progress, GPU_CHAIN_FAULT);
    assert_int_equal(out.fault.va, BASE);
    assert_int_equal(out.fault.code, NO_PAGE);
    assert_int_equal(out.fault.access, GPU_ACCESS_READ);
    m.there[0] = true;
    out = step_chain();
    assert_int_equal(out.fault.va, BASE + PAGE);
    assert_int_equal(out.fault.access, GPU_ACCESS_WRITE);
    assert_int_equal(out.between, 0);
    m.there[1] = true;
    out = step_chain();
    assert_int_equal(out.progress, GPU_CHAIN_FAULT);
    assert_int_equal(out.fault.va, BASE);
    assert_int_equal(out.fault.code, NO_WRITE);
    put_memory(PAGE, 1, 0x12); /* the value was written before: not again */
    m.writable[0] = true;
    assert_int_equal(step_chain().progress, GPU_CHAIN_DONE);
    assert_int_equal(get_memory(PAGE, 1), 0x12);
    assert_int_equal(m.counters.page_faults, 3);
    assert_int_equal(m.ends, 1);
}

/* Bounds on jobs and on cycles; unused budget is returned; a missing page ends the step. */
static void test_budgets(void **state)
{
    struct gpu_chain_budget budget = {.jobs = 3, .cycles = 10000};
    struct gpu_chain_outcome out;

    (void)state;
    put_header(0, MALI_JOB_TYPE_NULL, 1, BASE + JOB);
    put_header(JOB, MALI_JOB_TYPE_NULL, 2, BASE); /* a circle */
    gpu_chain_run(m.chain, &m.space, BASE, 0, &budget, &out);
    assert_int_equal(out.progress, GPU_CHAIN_MORE);
    assert_int_equal(m.ends, 3);
    assert_int_equal(budget.jobs, 0);
    assert_int_equal(budget.cycles, 10000 - 3 * JOB_CYCLES);
    budget = (struct gpu_chain_budget){.jobs = 100, .cycles = 2 * JOB_CYCLES + 1};
    gpu_chain_run(m.chain, &m.space, BASE, 0, &budget, &out);
    assert_int_equal(m.ends, 6);
    assert_int_equal(budget.jobs, 97);
    assert_int_equal(budget.cycles, 0);
    put_fake_job(0, FAKE_ENDLESS, 0, 0); /* the last job that may begin uses its time */
    budget = (struct gpu_chain_budget){.jobs = 1, .cycles = 5 * JOB_CYCLES};
    gpu_chain_run(m.chain, &m.space, BASE, 0, &budget, &out);
    assert_int_equal(out.progress, GPU_CHAIN_MORE);
    assert_int_equal(budget.cycles, 0);
    assert_int_equal(m.ended.status, MALI_EXCEPTION_TERMINATED);
    assert_int_equal(m.ended.cycles, 5 * JOB_CYCLES);
    assert_int_equal(fake_live, 0);
    m.there[2] = false;
    put_fake_job(0, 5, 0, 0);
    budget = (struct gpu_chain_budget){.jobs = 1, .cycles = 10000};
    gpu_chain_run(m.chain, &m.space, BASE, 0, &budget, &out);
    assert_int_equal(out.progress, GPU_CHAIN_FAULT);
    assert_int_equal(m.ended.status, NO_PAGE);
    assert_int_equal(fake_live, 0);
    put_header(0, MALI_JOB_TYPE_NULL, 1, 0);
    budget = (struct gpu_chain_budget){.jobs = 2, .cycles = 10000};
    gpu_chain_run(m.chain, &m.space, BASE, 0, &budget, &out);
    assert_int_equal(out.progress, GPU_CHAIN_DONE);
    assert_int_equal(budget.jobs, 1);
}

/* A soft stop lets the running job end, a hard stop does not; neither is a fault. */
static void test_stops(void **state)
{
    struct gpu_chain_outcome out;

    (void)state;
    put_fake_job(0, 2, 0, BASE + JOB);
    put_header(JOB, MALI_JOB_TYPE_NULL, 2, 0);
    start_chain(BASE);
    step_chain();
    gpu_chain_soft_stop(m.chain);
    assert_int_equal(step_chain().progress, GPU_CHAIN_MORE);
    assert_int_equal(step_chain().progress, GPU_CHAIN_MORE);
    out = step_chain();
    assert_int_equal(out.progress, GPU_CHAIN_STOPPED);
    assert_int_equal(out.tail, BASE + JOB);
    assert_int_equal(out.code, MALI_EXCEPTION_STOPPED);
    assert_int_equal(m.ends, 1);
    assert_int_equal(m.counters.stopped, 1);
    put_fake_job(0, FAKE_ENDLESS, 0, 0);
    start_chain(BASE);
    step_chain();
    gpu_chain_cancel(m.chain, MALI_EXCEPTION_TERMINATED);
    assert_int_equal(fake_live, 0);
    assert_int_equal(get_memory(0, 4), MALI_EXCEPTION_TERMINATED);
    assert_int_equal(m.counters.stopped, 2);
    assert_int_equal(m.counters.failed, 0);
    gpu_chain_cancel(m.chain, MALI_EXCEPTION_JOB_BUS_FAULT); /* the job has ended */
    assert_int_equal(get_memory(0, 4), MALI_EXCEPTION_TERMINATED);
    start_chain(BASE);
    step_chain();
    gpu_chain_drop(m.chain); /* a reset: nothing is written or reported */
    assert_int_equal(fake_live, 0);
    assert_int_equal(m.ends, 2);
    assert_int_equal(step_chain().progress, GPU_CHAIN_STOPPED);
    start_chain(BASE);
    step_chain();
    gpu_chain_cancel(m.chain, MALI_EXCEPTION_JOB_BUS_FAULT);
    assert_int_equal(m.counters.stopped, 2);
    assert_int_equal(m.counters.failed, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_jobs),  TEST(test_failures), TEST(test_refusals), TEST(test_values),
        TEST(test_pages), TEST(test_budgets),  TEST(test_stops),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
