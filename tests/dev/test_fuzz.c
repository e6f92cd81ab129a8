/*
 * Random register accesses, time, input and snapshots for every device class: nothing may crash,
 * hang or touch memory that is not its own (the sanitizer build watches). The seed is printed;
 * `test_dev_fuzz SEED [ROUNDS]` repeats a run.
 */
#include "tests/dev/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/dev/chardev.h"
#include "runtime/gpu/gpu.h"
#include "runtime/gpu/variant.h"

#define REGIONS 4

static uint64_t seed = 1;
static unsigned rounds = 20000;

static uint64_t random64(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* Values that find edges: small, all ones, single bits, anything. */
static uint64_t random_value(void)
{
    switch (random64() % 4) {
    case 0:
        return random64() % 64;
    case 1:
        return UINT64_MAX;
    case 2:
        return UINT64_C(1) << (random64() % 64);
    }
    return random64();
}

static bool parent_irq(void *opaque, const uint32_t *cells, unsigned count, struct irq_line *line)
{
    struct bench *b = opaque;

    *line = b->irq[count > 1 ? cells[1] % BENCH_LINES : 0];
    return true;
}

static struct bench *make(const struct device_class *cls)
{
    static struct gpu_config gpu = {.threads = 1};
    struct bench *b = bench_new();
    struct chardev_host host = {.clock = &b->clock};

    b->env.cpu_count = DEVICE_MAX_CPUS;
    b->env.reg_count = REGIONS;
    for (unsigned i = 0; i < REGIONS; i++)
        b->reg[i] = (struct device_reg){BENCH_BASE + 0x2000 * i, 0x2000};
    b->env.irq_count = 4;
    b->env.irq_cpu = b->irq_cpu;
    b->env.parent_irq = parent_irq;
    gpu.variant = gpu_variants;
    b->env.gpu = &gpu;
    b->env.chardev = chardev_open("memory", &host, NULL);
    bench_prop(b, "arm,msi-base-spi", "\0\0\0\x20", 4);
    bench_prop(b, "arm,msi-num-spis", "\0\0\0\x20", 4);
    bench_prop(b, "operating-points", "\0\0\0\3\0\0\0\2\0\0\0\1", 12);
    bench_prop(b, "transition-latency", "\0\0\0\1", 4);
    bench_prop(b, "clock-rates", "\0\0\0\1\0\0\0\3\0\0\0\2", 12);
    bench_create(b, cls->name);
    return b;
}

/* Low offsets, where registers are, more often than others. */
static uint64_t random_address(void)
{
    uint64_t offset = random64() % 3 ? random64() % 0x140 : random64() % 0x2000;

    return BENCH_BASE + 0x2000 * (random64() % 2 ? random64() % REGIONS : 0) + offset;
}

static void access_registers(struct bench *b)
{
    static const unsigned sizes[8] = {4, 4, 4, 4, 4, 1, 2, 8};
    unsigned size = sizes[random64() % 8], cpu = random64() % 9;
    uint64_t pa = random_address() & ~(uint64_t)(size - 1), value;

    if (cpu == 8)
        cpu = BUS_NO_CPU;
    if (random64() % 2)
        bus_write(b->bus, pa, size, random_value(), cpu);
    else
        bus_read(b->bus, pa, size, &value, cpu);
}

static void drive_inputs(struct bench *b)
{
    uint32_t cells[3] = {random64() % 2, random64() % 512, 4};
    struct irq_line line;

    if (b->cls->irq_input &&
        b->cls->irq_input(b->dev, cells, 3, random64() % DEVICE_MAX_CPUS, &line, NULL))
        irq_set(&line, random64() % 2);
    chardev_feed(b->env.chardev, "input", random64() % 5);
}

/* Reads every register once, so that a bad state shows at once. */
static void sweep(struct bench *b)
{
    uint64_t value;

    for (unsigned i = 0; i < REGIONS; i++) {
        for (unsigned offset = 0; offset < 0x140; offset += 4)
            bus_read(b->bus, BENCH_BASE + 0x2000 * i + offset, 4, &value, 0);
    }
}

/* Loads a damaged snapshot: it is refused, or leaves a device that works. */
static void load_damaged(struct bench *b)
{
    struct state_buf buf = {0};
    struct error err;

    state_save(&buf, "dev", b->cls->fields, b->dev);
    for (unsigned i = 0; i < 16; i++)
        buf.data[random64() % buf.len] = (uint8_t)random64();
    if (!state_load(&buf, "dev", b->cls->fields, b->dev, &err) && b->cls->reset)
        b->cls->reset(b->dev);
    else if (b->cls->post_load)
        b->cls->post_load(b->dev, &err);
    state_buf_free(&buf);
    sweep(b);
}

/* Loads a snapshot that is sound in form and random in its values. */
static void load_random(struct bench *b)
{
    struct error err;

    for (const struct state_field *f = b->cls->fields; f && f->name; f++) {
        uint8_t *bytes = (uint8_t *)b->dev + f->offset;
        unsigned how = random64() % 4;

        for (size_t i = 0; i < f->size && how; i++)
            bytes[i] = how == 1 ? 0 : how == 2 ? 0xff : (uint8_t)random64();
    }
    if (b->cls->post_load)
        b->cls->post_load(b->dev, &err);
    sweep(b);
    bench_run_to(b, clock_now(&b->clock) + random64() % 100000);
}

static void fuzz_class(const struct device_class *cls)
{
    struct bench *b = make(cls);

    for (unsigned i = 0; i < rounds; i++) {
        access_registers(b);
        if (random64() % 8 == 0)
            drive_inputs(b);
        if (random64() % 16 == 0)
            bench_run_to(b, clock_now(&b->clock) + random64() % 100000);
        if (random64() % 2048 == 0)
            bench_save_and_load(b);
        if (random64() % 64 == 0)
            load_damaged(b);
        if (random64() % 64 == 0)
            load_random(b);
        if (random64() % 4096 == 0 && b->cls->reset)
            b->cls->reset(b->dev);
    }
    bench_free(b);
}

static void test_every_class(void **state)
{
    (void)state;
    for (const struct device_class *const *c = device_classes; *c; c++) {
        print_message("%s\n", (*c)->name);
        fuzz_class(*c);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_class)};

    if (argc > 1)
        seed = strtoull(argv[1], NULL, 0);
    if (argc > 2)
        rounds = (unsigned)strtoul(argv[2], NULL, 0);
    seed = seed ? seed : 1; /* the generator cannot leave 0 */
    print_message("seed %llu, %u accesses a class\n", (unsigned long long)seed, rounds);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
