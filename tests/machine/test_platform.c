/* A platform's description: kinds of CPUs, the boot protocol, argument registers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/machine/dt_edit.h"
#include "runtime/machine/loaders.h"
#include "runtime/machine/platform.h"
#include "tests/cpu/toy_isa.h"

static struct dt *description, *board; /* platform.dtb, kinds.dtb */
static struct dt *own;                 /* own.dtb */

struct bench {
    struct bus *bus;
    struct clock clock;
    struct log log;
    struct cpu *cpu;
    struct platform platform;
    struct platform_info info;
};

static struct bench *bench_of(const struct dt *text)
{
    struct bench *b = calloc(1, sizeof(*b));
    struct error err;

    clock_init(&b->clock);
    b->bus = bus_new(&b->log);
    b->cpu = cpu_new(&toy_isa, 0, b->bus, &b->clock, &b->log, &err);
    assert_non_null(b->cpu);
    b->platform = (struct platform){.name = "test",
                                    .isa = &toy_isa,
                                    .description = text->blob,
                                    .description_len = dt_size(text)};
    assert_true(platform_open(&b->platform, &b->info, &err));
    return b;
}

static struct bench *bench_new(void)
{
    return bench_of(description);
}

static void bench_free(struct bench *b)
{
    platform_close(&b->info);
    cpu_free(b->cpu);
    clock_free(&b->clock);
    bus_free(b->bus);
    free(b);
}

static bool configure_cpu(struct bench *b, const char *cpu, struct error *err)
{
    const struct platform_cpu which = {board, dt_find(board, cpu), 5, NULL};

    return platform_configure_cpu(&b->info, &which, b->cpu, err);
}

static void kinds_of_cpu(void **state)
{
    struct bench *b = bench_new();
    struct error err = {""};

    (void)state;
    assert_true(platform_fits(&b->info, board));
    assert_true(configure_cpu(b, "/cpus/cpu@103", &err));
    assert_int_equal(b->cpu->config[0], 0x123456789a);
    assert_int_equal(b->cpu->config[1], 0x103);
    assert_int_equal(b->cpu->config[2], 5);   /* number of CPUs */
    assert_int_equal(b->cpu->ps_per_tick, 0); /* the default, since the node does not say */
    assert_true(configure_cpu(b, "/cpus/cpu@104", &err));
    assert_int_equal(b->cpu->ps_per_tick, 2500);
    assert_false(configure_cpu(b, "/cpus/cpu@105", &err));
    assert_non_null(strstr(err.text, "takes no time"));
    assert_false(configure_cpu(b, "/cpus/cpu@106", &err));
    assert_non_null(strstr(err.text, "no CPU of kind"));
    bench_free(b);
}

/* A kind lists the devices in its CPUs; -cpu may select another kind than the board's. */
static void devices_of_cpu(void **state)
{
    struct bench *b = bench_new();
    const struct dt_node *fast = dt_find(board, "/cpus/cpu@103");
    const struct dt_node *slow = dt_find(board, "/cpus/cpu@104");

    (void)state;
    assert_string_equal(platform_cpu_device(&b->info, board, fast, NULL, 0), "test,one");
    assert_string_equal(platform_cpu_device(&b->info, board, fast, NULL, 1), "test,two");
    assert_null(platform_cpu_device(&b->info, board, fast, NULL, 2));
    assert_null(platform_cpu_device(&b->info, board, slow, NULL, 0));
    assert_string_equal(platform_cpu_device(&b->info, board, slow, "fast", 1), "test,two");
    assert_null(platform_cpu_device(&b->info, board, fast, "none", 0));
    bench_free(b);
}

/* The first known protocol is used; the kernel's argument is the device tree. */
static void boot_protocol(void **state)
{
    struct bench *b = bench_new();
    uint64_t args[PLATFORM_ARGS] = {0};

    (void)state;
    assert_ptr_equal(b->info.boot, boot_protocol_find("linux,arm64"));
    toy_state(b->cpu)->x[1] = 5;
    platform_set_args(&b->info, b->cpu, args,
                      b->info.boot->arguments(&(struct boot_entry){.dtb_at = 77}, args));
    assert_int_equal(toy_state(b->cpu)->x[0], 77);
    assert_int_equal(toy_state(b->cpu)->x[1], 0);
    platform_get_args(&b->info, b->cpu, args);
    assert_int_equal(args[0], 77);
    bench_free(b);
}

/* There is one result, in the first argument register, unless the platform names others. */
static void results_in_registers(void **state)
{
    const uint64_t values[] = {5, 6, 7};
    struct bench *b = bench_new();

    (void)state;
    platform_set_results(&b->info, b->cpu, values, 3);
    assert_int_equal(toy_state(b->cpu)->x[0], 5);
    assert_int_equal(toy_state(b->cpu)->x[1], 0);
    bench_free(b);
    b = bench_of(own);
    assert_int_equal(b->info.arg_count, 8);
    platform_set_results(&b->info, b->cpu, values, 1);
    assert_int_equal(toy_state(b->cpu)->x[8], 5);
    assert_int_equal(toy_state(b->cpu)->x[9], 0);
    platform_set_results(&b->info, b->cpu, values, 3);
    assert_int_equal(toy_state(b->cpu)->x[9], 6);
    bench_free(b);
}

/* The board's tree is the description without the parts that are not hardware. */
static void own_tree(void **state)
{
    struct bench *b = bench_new();
    struct error err = {""};
    struct dt *dt;

    (void)state;
    assert_null(platform_own_tree(&b->info, &err));
    assert_non_null(strstr(err.text, "-dtb FILE is needed"));
    bench_free(b);
    b = bench_of(own);
    dt = platform_own_tree(&b->info, &err);
    assert_non_null(dt);
    assert_non_null(dt_find(dt, "/cpus/cpu@0"));
    assert_null(dt_find(dt, "/gencc"));
    assert_null(dt_find(dt, "/fragment-sbi"));
    assert_true(platform_fits(&b->info, dt));
    assert_true(dt_overlay(dt, own->blob, dt_size(own), &err) && dt_index(dt, &err));
    assert_non_null(dt_find(dt, "/sbi"));
    dt_free(dt);
    bench_free(b);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_of_cpu),  cmocka_unit_test(devices_of_cpu),
        cmocka_unit_test(boot_protocol), cmocka_unit_test(results_in_registers),
        cmocka_unit_test(own_tree),
    };
    struct error err;
    int status;

    description = argc == 4 ? dt_load(argv[1], &err) : NULL;
    board = argc == 4 ? dt_load(argv[2], &err) : NULL;
    own = argc == 4 ? dt_load(argv[3], &err) : NULL;
    if (!description || !board || !own || !dt_index(description, &err) || !dt_index(board, &err) ||
        !dt_index(own, &err)) {
        fprintf(stderr, "usage: test_platform platform.dtb kinds.dtb own.dtb\n");
        return 2;
    }
    status = cmocka_run_group_tests(tests, NULL, NULL);
    dt_free(description);
    dt_free(board);
    dt_free(own);
    return status;
}
