/* The view of a machine in a report: CPUs, tasks, symbols, and the GPU over time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <jansson.h>

#include "runtime/base/bits.h"
#include "runtime/machine/system_view.h"

#define MS UINT64_C(1000000)

static uint64_t pages_of(void *opaque)
{
    return *(uint64_t *)opaque;
}

static json_int_t get_number(const json_t *from, const char *name)
{
    const json_t *value = json_object_get(from, name);

    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

static void expect_row(const json_t *list, size_t index, const char *key, const char *name,
                       json_int_t instructions, double share)
{
    const json_t *row = json_array_get(list, index);

    assert_string_equal(json_string_value(json_object_get(row, key)), name);
    assert_int_equal(get_number(row, "instructions"), instructions);
    assert_true(json_real_value(json_object_get(row, "share")) == share);
}

static void expect_symbol(const json_t *list, size_t index, const char *name, const char *where,
                          json_int_t instructions)
{
    expect_row(list, index, "symbol", name, instructions, (double)instructions / 1000);
    assert_string_equal(json_string_value(json_object_get(json_array_get(list, index), "where")),
                        where);
}

static void test_cpus(void **unused)
{
    static const struct system_sample samples[] = {
        {300, 10, true, "sh", "memcpy", NULL, "kernel", 30},
        {90, 10, false, "sh", NULL, NULL, "program", 9},
        {10, 10, false, "sh", "cos", "libm.so.6", "program", 1},
        {500, 10, true, "init", "memcpy", NULL, "kernel", 50},
        {95, 10, true, "\x01odd", "memcpy", NULL, "kernel", 10},
        {5, 10, true, "\x01odd", "probe", "panfrost", "driver", 1},
        {0, 40, true, "swapper/1", "wfi", NULL, NULL, 0}, /* the other CPU's */
    };
    struct clock clock;
    struct system_view *v;
    json_t *system, *list;

    (void)unused;
    clock_init(&clock);
    v = system_view_new(2, &clock, NULL, NULL);
    for (size_t n = 0; n < ARRAY_SIZE(samples); n++)
        system_view_sample(v, n == ARRAY_SIZE(samples) - 1, &samples[n]);
    system = system_view_json(v);
    list = json_object_get(system, "cpu");
    assert_int_equal(json_array_size(list), 2);
    assert_int_equal(get_number(json_array_get(list, 0), "instructions"), 1000);
    assert_int_equal(get_number(json_array_get(list, 0), "kernel"), 900);
    assert_int_equal(get_number(json_array_get(list, 0), "user"), 100);
    assert_int_equal(get_number(json_array_get(list, 0), "idle_ns"), 0);
    assert_int_equal(get_number(json_array_get(list, 1), "idle_ns"), 40);
    list = json_object_get(system, "symbols");
    assert_int_equal(json_array_size(list), 4);
    expect_symbol(list, 0, "memcpy", "kernel", 895);
    expect_symbol(list, 1, "(no symbol)", "user: sh", 90);
    expect_symbol(list, 2, "cos", "user: sh: libm.so.6", 10);
    expect_symbol(list, 3, "probe", "kernel: panfrost", 5);
    list = json_object_get(system, "tasks");
    expect_row(list, 0, "name", "init", 500, 0.5);
    expect_row(list, 1, "name", "sh", 400, 0.4);
    expect_row(list, 2, "name", "?odd", 100, 0.1);
    list = json_object_get(json_array_get(list, 1), "phases");
    assert_int_equal(json_object_size(list), 2);
    assert_int_equal(get_number(list, "kernel"), 30);
    assert_int_equal(get_number(list, "program"), 10);
    list = json_object_get(system, "phases");
    assert_int_equal(json_object_size(list), 3); /* there were no jobs, so there is no GPU */
    assert_int_equal(get_number(list, "kernel"), 90);
    assert_int_equal(get_number(list, "program"), 10);
    assert_int_equal(get_number(list, "driver"), 1);
    json_decref(system);
    system_view_free(v);
    clock_free(&clock);
}

/* Sums of the windows are the totals, also after windows have become longer. */
static void check_windows(const json_t *gpu)
{
    static const char *const names[] = {"jobs", "register_reads", "register_writes", "pages"};
    static const size_t columns[] = {1, 2, 3, 5};
    const json_t *list = json_object_get(gpu, "over_time"), *row;
    json_int_t sum[6] = {0}, last = -1;
    size_t i;

    json_array_foreach(list, i, row)
    {
        assert_int_equal(json_array_size(row), 6);
        assert_true(json_integer_value(json_array_get(row, 0)) > last);
        last = json_integer_value(json_array_get(row, 0));
        assert_int_equal(last % get_number(gpu, "window_ns"), 0);
        for (unsigned k = 1; k < 6; k++)
            sum[k] += json_integer_value(json_array_get(row, k));
    }
    assert_true(json_array_size(list) <= 512);
    for (unsigned n = 0; n < 4; n++)
        assert_int_equal(sum[columns[n]], get_number(gpu, names[n]));
    assert_int_equal(sum[4], get_number(json_object_get(gpu, "interrupts"), "job"));
}

static void test_gpu(void **unused)
{
    struct clock clock;
    uint64_t pages = 0;
    struct system_view *v;
    struct gpu_observer *o;
    json_t *system, *gpu;

    (void)unused;
    clock_init(&clock);
    v = system_view_new(1, &clock, pages_of, &pages);
    o = system_view_observer(v);
    for (unsigned n = 0; n < 3000; n++) {
        const struct gpu_job_note job = {.begin_ns = clock.now, .end_ns = clock.now + 7};

        clock.now = n * MS;
        o->access(o->opaque, n % 3 == 0, 0);
        o->line(o->opaque, 0, n % 2 ? GPU_LINE_FALLS : GPU_LINE_RISES);
        pages += n % 5;
        o->job(o->opaque, &job);
    }
    o->fault(o->opaque, 3, 0x1000, 0xc1);
    system = system_view_json(v);
    gpu = json_object_get(system, "gpu");
    assert_int_equal(get_number(gpu, "jobs"), 3000);
    assert_int_equal(get_number(gpu, "register_writes"), 1000);
    assert_int_equal(get_number(gpu, "register_reads"), 2000);
    assert_int_equal(get_number(gpu, "pages"), 6000);
    assert_int_equal(get_number(gpu, "busy_ns"), 21000);
    assert_int_equal(get_number(gpu, "window_ns"), 8 * MS);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(gpu, "faults"), 3)), 1);
    check_windows(gpu);
    json_decref(system);
    system_view_free(v);
    clock_free(&clock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cpus),
        cmocka_unit_test(test_gpu),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
