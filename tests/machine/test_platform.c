/* A platform's description: kinds of CPU, the boot protocol, argument registers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/machine/loaders.h"
#include "runtime/machine/platform.h"
#include "tests/cpu/toy_isa.h"

static struct dt *description, *board; /* platform.dtb, kinds.dtb */

struct bench {
    struct bus *bus;
    struct clock clock;
    struct log log;
    struct cpu *cpu;
    struct platform platform;
    struct platform_info info;
};

static struct bench *bench_new(void)
{
    struct bench *b = calloc(1, sizeof(*b));
    struct error err;

    clock_init(&b->clock);
    b->bus = bus_new(&b->log);
    b->cpu = cpu_new(&toy_isa, 0, b->bus, &b->clock, &b->log, &err);
    assert_non_null(b->cpu);
    b->platform = (struct platform){.name = "test",
                                    .isa = &toy_isa,
                                    .description = description->blob,
                                    .description_len = dt_size(description)};
    assert_true(platform_open(&b->platform, &b->info, &err));
    return b;
}

static void bench_free(struct bench *b)
{
    platform_close(&b->info);
    cpu_free(b->cpu);
    clock_free(&b->clock);
    bus_free(b->bus);
    free(b);
}

static bool configure(struct bench *b, const char *cpu, struct error *err)
{
    return platform_configure_cpu(&b->info, board, dt_find(board, cpu), b->cpu, err);
}

static void kinds_of_cpu(void **state)
{
    struct bench *b = bench_new();
    struct error err = {""};

    (void)state;
    assert_true(platform_fits(&b->info, board));
    assert_true(configure(b, "/cpus/cpu@103", &err));
    assert_int_equal(b->cpu->config[0], 0x123456789a);
    assert_int_equal(b->cpu->config[1], 0x103);
    assert_int_equal(b->cpu->ps_per_tick, 0); /* as all that do not say */
    assert_true(configure(b, "/cpus/cpu@104", &err));
    assert_int_equal(b->cpu->ps_per_tick, 2500);
    assert_false(configure(b, "/cpus/cpu@105", &err));
    assert_non_null(strstr(err.text, "takes no time"));
    assert_false(configure(b, "/cpus/cpu@106", &err));
    assert_non_null(strstr(err.text, "no CPU of kind"));
    bench_free(b);
}

/* The first protocol that is known counts; the kernel's argument is the device tree. */
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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_of_cpu),
        cmocka_unit_test(boot_protocol),
    };
    struct error err;
    int status;

    description = argc == 3 ? dt_load(argv[1], &err) : NULL;
    board = argc == 3 ? dt_load(argv[2], &err) : NULL;
    if (!description || !board || !dt_index(description, &err) || !dt_index(board, &err)) {
        fprintf(stderr, "usage: test_platform platform.dtb kinds.dtb\n");
        return 2;
    }
    status = cmocka_run_group_tests(tests, NULL, NULL);
    dt_free(description);
    dt_free(board);
    return status;
}
