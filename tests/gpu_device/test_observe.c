/*
 * Events that observers and the channel gpu_job receive: each chain and job once, with the times
 * that the driver sees, and the driver's accesses. A cycle is 1 ns; a job takes 500 cycles more
 * than its work.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/gpu/observer.h"
#include "tests/gpu_device/bed.h"

struct seen {
    struct gpu_observer observer;
    const struct clock *clock;
    struct gpu_job_note job[8];
    struct gpu_chain_note chain[4];
    uint64_t rises[3];
    unsigned jobs, chains, lines, reads, writes, faults, steps;
    uint64_t fault_va, begun;
    uint64_t reads_before, writes_before; /* when the observer came */
};

static void on_chain(void *opaque, const struct gpu_chain_note *note)
{
    struct seen *s = opaque;

    s->chain[s->chains++] = *note;
}

static void on_job(void *opaque, const struct gpu_job_note *note)
{
    struct seen *s = opaque;

    s->job[s->jobs++] = *note;
}

static void on_line(void *opaque, unsigned output, enum gpu_line_event event)
{
    struct seen *s = opaque;

    s->lines++;
    if (event == GPU_LINE_RISES)
        s->rises[output] = clock_now(s->clock);
}

static void access_seen(void *opaque, bool write, unsigned cpu)
{
    struct seen *s = opaque;

    assert_int_equal(cpu, 0);
    s->reads += !write;
    s->writes += write;
}

static void on_fault(void *opaque, unsigned space, uint64_t va, uint32_t code)
{
    struct seen *s = opaque;

    assert_int_equal(space, 0);
    assert_int_not_equal(code, 0);
    s->fault_va = va;
    s->faults++;
}

static void on_progress(void *opaque, const struct gpu_job_shape *shape)
{
    struct seen *s = opaque;

    assert_true(shape->begun >= s->begun && shape->begun <= shape->total);
    s->begun = shape->begun;
    s->steps++;
}

static struct bed make_watched_bed(struct seen *s)
{
    struct bed t = bed_new();

    *s = (struct seen){.observer = {.opaque = s,
                                    .chain = on_chain,
                                    .job = on_job,
                                    .line = on_line,
                                    .access = access_seen,
                                    .fault = on_fault,
                                    .progress = on_progress},
                       .clock = &t.d->b->clock};
    s->reads_before = stats_get(t.d->b->stats, "gpu", "register_reads");
    s->writes_before = stats_get(t.d->b->stats, "gpu", "register_writes");
    t.d->config.observers = &s->observer;
    return t;
}

static void test_chain_of_jobs(void **unused)
{
    const struct fake_job work = {.steps = 3, .cycles = 1000, .target = VA + 0x400};
    struct seen s;
    struct bed t = make_watched_bed(&s);

    (void)unused;
    job_header(t.d, t.page, MALI_JOB_TYPE_NULL, 1, VA + 0x80);
    job_fake(t.d, t.page + 0x80, 0, &work);
    driver_submit(t.d, 1, VA, 0);
    assert_int_equal(driver_finish(t.d, 1, LONG, NULL), MALI_EXCEPTION_DONE);
    assert_int_equal(s.jobs, 2);
    assert_int_equal(s.chains, 1);
    assert_string_equal(s.job[0].kind, "null");
    assert_true(s.job[0].shape.shader == 0 && s.job[0].hash == 0);
    assert_string_equal(s.job[1].kind, "compute");
    assert_true(s.job[1].header == VA + 0x80 && s.job[1].shape.shader == VA + 0x400);
    assert_int_equal(s.job[1].shape.groups[0], 3);
    assert_int_equal(s.job[1].shape.local[0], 4);
    assert_int_equal(s.job[1].cycles, 500 + 3 * 1000);
    assert_int_equal(s.job[1].end_ns - s.job[1].begin_ns, s.job[1].cycles);
    assert_int_equal(s.job[1].slot, 1);
    assert_int_equal(s.job[1].status, MALI_EXCEPTION_DONE);
    /* The jobs run one after the other, and the chain ends with the interrupt. */
    assert_true(s.chain[0].submit_ns <= s.chain[0].begin_ns);
    assert_true(s.chain[0].begin_ns <= s.job[0].begin_ns && s.job[0].end_ns == s.job[1].begin_ns);
    assert_int_equal(s.chain[0].end_ns, s.job[1].end_ns);
    assert_int_equal(s.chain[0].end_ns, s.rises[0]);
    assert_true(s.chain[0].head == VA);
    assert_int_equal(s.lines, 2); /* the driver acknowledges */
    assert_true(s.steps >= 2 && s.begun == 2);
    assert_int_equal(s.reads, stats_get(t.d->b->stats, "gpu", "register_reads") - s.reads_before);
    assert_int_equal(s.writes,
                     stats_get(t.d->b->stats, "gpu", "register_writes") - s.writes_before);
    board_free(t.d);
}

static void test_fault(void **unused)
{
    const struct fake_job work = {.steps = 1, .cycles = 10, .target = VA + 0x100000};
    struct seen s;
    struct bed t = make_watched_bed(&s);

    (void)unused;
    job_fake(t.d, t.page, 0, &work);
    driver_submit(t.d, 1, VA, 0);
    board_wait(t.d, 10000);
    assert_int_equal(s.faults, 1);
    assert_true(s.fault_va == VA + 0x100000 && s.rises[1]);
    assert_int_equal(s.jobs, 0);
    wr(t.d, MALI_JS_COMMAND(1), MALI_SLOT_COMMAND_HARD_STOP);
    assert_int_equal(s.jobs, 1);
    assert_int_equal(s.job[0].status, MALI_EXCEPTION_TERMINATED);
    assert_int_equal(s.job[0].end_ns, clock_now(&t.d->b->clock));
    assert_int_equal(s.chains, 1);
    assert_int_equal(s.chain[0].status, MALI_EXCEPTION_TERMINATED);
    board_free(t.d);
}

static const char *name_of(void *opaque, uint64_t hash)
{
    (void)opaque, (void)hash;
    return "sgemm";
}

static void test_log(void **unused)
{
    const struct fake_job work = {.steps = 2, .cycles = 100, .target = VA + 0x400};
    struct bed t = bed_new();
    struct log *log = &t.d->b->log;
    char *text = NULL, expected[300];
    size_t len = 0;
    unsigned long long s, ns;

    (void)unused;
    t.d->config.kernel_name = name_of;
    log->out = open_memstream(&text, &len);
    log->mask = 0;
    log_enable(log, LOG_GPU_JOB);
    job_fake(t.d, t.page, 0, &work);
    driver_submit(t.d, 1, VA, 0);
    assert_int_equal(driver_finish(t.d, 1, LONG, NULL), MALI_EXCEPTION_DONE);
    fflush(log->out);
    assert_int_equal(sscanf(text, "gpu_job: %llu.%llu s", &s, &ns), 2);
    snprintf(expected, sizeof(expected),
             "gpu_job: %llu.%09llu s: slot 1, space 0, compute job 1 at %#" PRIx64
             ": kernel 0000000000000000, 2x1x1 groups of 4x2x1, 700 cycles, 700 ns, done (0x1)\n",
             s, ns, VA);
    assert_string_equal(text, expected);
    fclose(log->out);
    log->out = NULL;
    free(text);
    board_free(t.d);
}

static char *print_device(struct bed *t)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);

    gpu_device_print(t->d->b->dev, out);
    fclose(out);
    return text;
}

static void expect_printed(struct bed *t, const char *expected)
{
    char *text = print_device(t);

    if (!strstr(text, expected))
        fail_msg("%s is not in %s", expected, text);
    free(text);
}

/* The text of a monitor: idle, a running chain with a queued one, a fault, and the end. */
static void test_print(void **unused)
{
    const struct fake_job work = {.steps = 3, .cycles = 1000, .target = VA + 0x400};
    const struct fake_job missing = {.steps = 1, .cycles = 10, .target = VA + 0x100000};
    struct bed t = bed_new();

    (void)unused;
    expect_printed(&t, "slot 1: idle\n");
    expect_printed(&t, "address space 0: table 0x");
    job_fake(t.d, t.page, 0, &work);
    job_fake(t.d, t.page + 0x80, 0, &missing);
    driver_submit(t.d, 1, VA, 0);
    board_wait(t.d, 600);
    driver_submit(t.d, 1, VA + 0x80, 0);
    expect_printed(&t, "slot 1: runs, chain 0x2000000, job 0x2000000, address space 0, shader "
                       "0x2000400, 1 of 3 work-groups begun; next: chain 0x2000080\n");
    board_wait(t.d, 10000);
    expect_printed(&t, "slot 1: waits for a page, chain 0x2000080,");
    expect_printed(&t, ", at 0x2100000\n");
    expect_printed(&t, " at 0x2100000\ninterrupt job: raw 0x2,");
    wr(t.d, MALI_JS_COMMAND(1), MALI_SLOT_COMMAND_HARD_STOP);
    expect_printed(&t, "slot 1: idle, the last chain ended with 0x4\n");
    board_free(t.d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain_of_jobs),
        cmocka_unit_test(test_fault),
        cmocka_unit_test(test_log),
        cmocka_unit_test(test_print),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
