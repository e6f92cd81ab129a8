/*
 * Timelines: the bytes that are written, bounds, and what the GPU's events become. With a file's
 * name as argument the same is written there, for tests/machine/timeline.py to check.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/base/bits.h"
#include "runtime/machine/gpu_timeline.h"

#define US UINT64_C(1000)

static char *write_timeline(struct timeline *t)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);

    assert_true(timeline_write(t, out));
    fclose(out);
    return text;
}

static void test_bytes(void **unused)
{
    struct timeline *t = timeline_new(&(struct timeline_bounds){0, UINT64_MAX, 100});
    uint32_t track = timeline_track(t, 1, "CPUs", 0, "cpu\"0\\"), inner, outer;
    char *text;

    (void)unused;
    inner = timeline_text(t, "inner");
    outer = timeline_text(t, "outer\n\x80");
    assert_int_equal(timeline_text(t, "inner"), inner);
    assert_int_equal(timeline_track(t, 1, "CPUs", 0, "cpu\"0\\"), track);
    timeline_counter(t, track, inner, 5000, 7);
    timeline_slice(t, track, inner, timeline_text(t, "\"a\":1"), 1000, 2001);
    timeline_slice(t, track, outer, 0, 1000, 3000);
    timeline_instant(t, track, inner, 2);
    timeline_flow(t, track, TIMELINE_FLOW_END, 9, 2999);
    text = write_timeline(t);
    assert_string_equal(
        text,
        "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"program\":\"gencc\"},\"traceEvents\":[\n"
        "{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"CPUs\"}},"
        "\n"
        "{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"process_sort_index\",\"args\":{\"sort_"
        "index\":1}},\n"
        "{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"thread_name\","
        "\"args\":{\"name\":\"cpu\\\"0\\\\\"}},\n"
        "{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":"
        "0}},\n"
        "{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":0.002,\"name\":\"inner\",\"s\":\"t\"},\n"
        "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1.000,\"name\":\"outer\?\?\",\"dur\":2.000},\n"
        "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1.000,\"name\":\"inner\",\"dur\":1.001,"
        "\"args\":{\"a\":1}},\n"
        "{\"ph\":\"f\",\"pid\":1,\"tid\":1,\"ts\":2.999,\"name\":\"job\",\"cat\":\"flow\",\"id\":9,"
        "\"bp\":\"e\"},\n"
        "{\"ph\":\"C\",\"pid\":1,\"tid\":1,\"ts\":5.000,\"name\":\"inner\",\"args\":{\"value\":7}},"
        "\n"
        "{\"ph\":\"M\",\"pid\":0,\"name\":\"trace_end\",\"args\":{}}\n]}\n");
    free(text);
    timeline_free(t);
}

static void test_bounds(void **unused)
{
    struct timeline *t = timeline_new(&(struct timeline_bounds){10, 20, 2});
    uint32_t track = timeline_track(t, 1, "p", 0, "t"), name = timeline_text(t, "n");
    char *text;

    (void)unused;
    timeline_slice(t, track, name, 0, 2, 9);
    timeline_instant(t, track, name, 21);
    timeline_slice(t, track, name, 0, 5, 10);
    timeline_slice(t, track, name, 0, 20, 30);
    assert_false(timeline_is_full(t));
    timeline_instant(t, track, name, 15);
    assert_true(timeline_is_full(t));
    text = write_timeline(t);
    assert_non_null(strstr(text, "\"stopped\":\"after 2 events\""));
    assert_null(strstr(text, "\"ph\":\"i\""));
    free(text);
    timeline_free(t);
}

static const char *name_of(void *opaque, uint64_t hash)
{
    (void)opaque;
    return hash == 1 ? "sgemm" : NULL;
}

/* A chain of two jobs whose interrupt is served, then one whose interrupt is masked. */
static void gpu_events(struct gpu_observer *o, struct clock *clock)
{
    const struct timing_stay stays[] = {
        {0, 0, 1, 0, 0, 400, true, 0, 1},   {0, 0, 1, 0, 0, 500, true, 1, 1},
        {0, 0, 4, 0, 0, 500, false, 0, 0},  {1, 0, 4, 1, 0, 1000, false, 0, 0},
        {0, 0, 1, 2, 500, 900, true, 0, 1}, {0, 0, 4, 2, 500, 900, false, 0, 0}};
    static const uint64_t core_energy[POWER_CORES] = {8000000, 0, 16000000}; /* pJ in 8 us */
    struct gpu_job_note job = {.slot = 1,
                               .kind = "compute",
                               .header = 0x1000,
                               .status = 1,
                               .cycles = 5000,
                               .begin_ns = 12 * US,
                               .end_ns = 20 * US,
                               .core_energy = core_energy,
                               .shape = {.shader = 0x4000, .groups = {2, 3, 4}, .local = {8, 1, 1}},
                               .hash = 1};
    struct gpu_chain_note chain = {.slot = 1,
                                   .space = 2,
                                   .head = 0x1000,
                                   .status = 1,
                                   .submit_ns = 10 * US,
                                   .cpu = 3,
                                   .begin_ns = 10 * US,
                                   .end_ns = 25 * US};

    for (unsigned i = 0; i < ARRAY_SIZE(stays); i++)
        o->stay(o->opaque, &stays[i]);
    o->power(o->opaque, 12 * US, 250999);
    o->job(o->opaque, &job);
    job.core_energy = NULL;
    job.begin_ns = 20 * US;
    job.end_ns = 25 * US;
    job.hash = 0x2a;
    o->job(o->opaque, &job);
    clock->now = 25 * US;
    o->line(o->opaque, 0, GPU_LINE_RISES);
    o->chain(o->opaque, &chain);
    clock->now = 30 * US;
    o->line(o->opaque, 0, GPU_LINE_FALLS);
    chain.submit_ns = 31 * US;
    chain.begin_ns = 33 * US;
    chain.end_ns = 34 * US;
    clock->now = 34 * US;
    o->chain(o->opaque, &chain);
    o->line(o->opaque, 2, GPU_LINE_RISES);
    clock->now = 40 * US;
}

static char *gpu_timeline_text(uint64_t warps)
{
    struct timeline *t = timeline_new(&(struct timeline_bounds){0, UINT64_MAX, 100});
    struct clock clock;
    struct gpu_timeline *g;
    char *text;

    clock_init(&clock);
    g = gpu_timeline_new(t, &clock, name_of, NULL);
    gpu_timeline_show_warps(g, warps);
    gpu_events(gpu_timeline_observer(g), &clock);
    gpu_timeline_finish(g);
    text = write_timeline(t);
    gpu_timeline_free(g);
    timeline_free(t);
    clock_free(&clock);
    return text;
}

/* Two warps on an engine at once have places of their own, and a later one takes the first. */
static void test_warps(void **unused)
{
    static const char *const expected[] = {
        "\"args\":{\"name\":\"core 0 engine 1 warp 1\"}",
        "{\"ph\":\"X\",\"pid\":6,\"tid\":257,\"ts\":12.000,\"name\":\"sgemm\",\"dur\":3.200,"
        "\"args\":{\"group_place\":0,\"warp\":0}}",
        "{\"ph\":\"X\",\"pid\":6,\"tid\":258,\"ts\":12.000,\"name\":\"sgemm\",\"dur\":4.000,"
        "\"args\":{\"group_place\":0,\"warp\":1}}",
        "{\"ph\":\"X\",\"pid\":6,\"tid\":257,\"ts\":16.000,\"name\":\"sgemm\",\"dur\":3.200,"};
    char *with = gpu_timeline_text(1), *without = gpu_timeline_text(0);

    (void)unused;
    for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
        if (!strstr(with, expected[i]))
            fail_msg("missing: %s in %s", expected[i], with);
    assert_null(strstr(without, "\"pid\":6"));
    assert_non_null(strstr(without, "\"pid\":4"));
    free(with);
    free(without);
}

static void test_gpu(void **unused)
{
    static const char *const expected[] = {
        /* The queue, the chain in its slot, the job in the chain, and the interrupt. */
        "{\"ph\":\"X\",\"pid\":2,\"tid\":3,\"ts\":10.000,\"name\":\"submitted\",\"dur\":0.001,"
        "\"args\":{\"cpu\":3}}",
        "{\"ph\":\"X\",\"pid\":2,\"tid\":4,\"ts\":10.000,\"name\":\"chain\",\"dur\":15.000,"
        "\"args\":{\"head\":\"0x1000\",\"space\":2,\"status\":\"0x1\"}}",
        "{\"ph\":\"X\",\"pid\":2,\"tid\":4,\"ts\":12.000,\"name\":\"sgemm\",\"dur\":8.000,"
        "\"args\":{\"header\":\"0x1000\",\"cycles\":5000,\"status\":\"0x1\","
        "\"hash\":\"0000000000000001\",\"groups\":\"2x3x4\",\"local\":\"8x1x1\"}}",
        "\"name\":\"kernel 000000000000002a\",\"dur\":5.000",
        "{\"ph\":\"X\",\"pid\":3,\"tid\":1,\"ts\":25.000,\"name\":\"asserted\",\"dur\":5.000}",
        "{\"ph\":\"i\",\"pid\":3,\"tid\":1,\"ts\":25.000,\"name\":\"job\",\"s\":\"t\"}",
        /* The GPU's power, and that of two of three cores for the first job. */
        "{\"ph\":\"C\",\"pid\":5,\"tid\":1,\"ts\":12.000,\"name\":\"GPU, "
        "mW\",\"args\":{\"value\":250}}",
        "{\"ph\":\"C\",\"pid\":5,\"tid\":2,\"ts\":12.000,\"name\":\"core 0, "
        "mW\",\"args\":{\"value\":1000}}",
        "{\"ph\":\"C\",\"pid\":5,\"tid\":4,\"ts\":12.000,\"name\":\"core 2, "
        "mW\",\"args\":{\"value\":2000}}",
        "{\"ph\":\"C\",\"pid\":5,\"tid\":4,\"ts\":20.000,\"name\":\"core 2, "
        "mW\",\"args\":{\"value\":0}}",
        /* Not served before the end. */
        "{\"ph\":\"X\",\"pid\":3,\"tid\":3,\"ts\":34.000,\"name\":\"asserted\",\"dur\":6.000}",
        /* The first arrow ends at the interrupt, the second in the slot. */
        "{\"ph\":\"s\",\"pid\":2,\"tid\":3,\"ts\":10.000,\"name\":\"job\",\"cat\":\"flow\",\"id\":"
        "1",
        "{\"ph\":\"t\",\"pid\":2,\"tid\":4,\"ts\":10.000,\"name\":\"job\",\"cat\":\"flow\",\"id\":"
        "1",
        "{\"ph\":\"f\",\"pid\":3,\"tid\":1,\"ts\":25.000,\"name\":\"job\",\"cat\":\"flow\",\"id\":"
        "1",
        "{\"ph\":\"f\",\"pid\":2,\"tid\":4,\"ts\":33.000,\"name\":\"job\",\"cat\":\"flow\",\"id\":"
        "2",
        /* Groups on cores, whose 1000 ticks are the job's 8 us. */
        "{\"ph\":\"X\",\"pid\":4,\"tid\":4097,\"ts\":12.000,\"name\":\"sgemm\",\"dur\":8.000,"
        "\"args\":{\"warps\":4}}",
        "{\"ph\":\"X\",\"pid\":4,\"tid\":1,\"ts\":16.000,\"name\":\"sgemm\",\"dur\":3.200,",
        "\"args\":{\"name\":\"core 1 place 0\"}",
    };
    char *text = gpu_timeline_text(1);

    (void)unused;
    for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
        if (!strstr(text, expected[i]))
            fail_msg("%s is not in %s", expected[i], text);
    }
    free(text);
}

static int write_to(const char *path)
{
    FILE *out = fopen(path, "w");
    char *text = gpu_timeline_text(1);
    bool ok = out && fputs(text, out) >= 0;

    free(text);
    return out && !fclose(out) && ok ? 0 : 1;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_gpu),
        cmocka_unit_test(test_warps),
    };

    if (argc > 1)
        return write_to(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
