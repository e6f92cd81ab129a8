/*
 * Random register accesses, time, input and snapshots for every device class: none may crash, hang
 * or touch memory that is not the device's (which the sanitizer build checks). The seed is printed;
 * `test_dev_fuzz SEED [ROUNDS]` repeats a run.
 */
#include "tests/dev/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/dev/chardev.h"
#include "runtime/dev/disk.h"
#include "runtime/dev/net.h"
#include "runtime/display/display.h"
#include "runtime/gpu/gpu.h"
#include "runtime/gpu/variant.h"

#define REGIONS     4
#define REGION_SIZE 0x400000u

static uint64_t seed = 1;
static unsigned rounds = 20000;

static uint64_t draw_u64(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* Values that favour edges: small, all ones, single bits, any. */
static uint64_t random_value(void)
{
    switch (draw_u64() % 4) {
    case 0:
        return draw_u64() % 64;
    case 1:
        return UINT64_MAX;
    case 2:
        return UINT64_C(1) << (draw_u64() % 64);
    }
    return draw_u64();
}

static bool parent_irq(void *opaque, const uint32_t *cells, unsigned count, struct irq_line *line)
{
    struct bench *b = opaque;

    *line = b->irq[count > 1 ? cells[1] % BENCH_LINES : 0];
    return true;
}

/* A network that returns every frame to its sender. */
static void echo_frame(struct net_backend *net, const uint8_t *frame, size_t len)
{
    net_receive(net, frame, len);
}

/* An empty disk of 1 MB in memory. */
static struct disk *new_disk(void)
{
    int fd = memfd_create("disk", 0);
    struct disk *disk = NULL;
    char path[32];

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (!ftruncate(fd, 1 << 20))
        disk = disk_open(path, false, true, NULL);
    close(fd);
    return disk;
}

static struct bench *make_bench(const struct device_class *cls)
{
    static struct gpu_config gpu = {.threads = 1};
    static struct net_backend net = {.name = "echo", .send = echo_frame};
    struct bench *b = bench_new();
    struct chardev_host host = {.clock = &b->clock};

    b->env.cpu_count = DEVICE_MAX_CPUS;
    b->env.reg_count = REGIONS;
    for (unsigned i = 0; i < REGIONS; i++)
        b->reg[i] = (struct device_reg){BENCH_BASE + REGION_SIZE * i, REGION_SIZE};
    b->env.irq_count = 4;
    b->env.irq_cpu = b->irq_cpu;
    b->env.parent_irq = parent_irq;
    gpu.variant = gpu_variants;
    b->env.gpu = &gpu;
    b->env.net = &net;
    b->env.disk = new_disk();
    b->env.display = display_new(b->bus);
    bench_prop(b, "width", "\0\0\0\x10", 4);
    bench_prop(b, "height", "\0\0\0\x10", 4);
    bench_prop(b, "stride", "\0\0\0\x20", 4);
    bench_prop(b, "format", "r5g6b5", 7);
    b->env.chardev = chardev_open("memory", &host, NULL);
    bench_prop(b, "arm,msi-base-spi", "\0\0\0\x20", 4);
    bench_prop(b, "arm,msi-num-spis", "\0\0\0\x20", 4);
    bench_prop(b, "operating-points", "\0\0\0\3\0\0\0\2\0\0\0\1", 12);
    bench_prop(b, "transition-latency", "\0\0\0\1", 4);
    bench_prop(b, "clock-rates", "\0\0\0\1\0\0\0\3\0\0\0\2", 12);
    bench_prop(b, "config-values", "\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\1", 16);
    bench_create(b, cls->name);
    return b;
}

/* Favours low offsets, where most registers are. */
static uint64_t random_offset(void)
{
    switch (draw_u64() % 12) {
    case 0:
        return draw_u64() % REGION_SIZE;
    case 1: /* the first words of a later page: contexts of a PLIC */
        return 0x200000 + draw_u64() % 0x20 * 0x1000 + draw_u64() % 0x10;
    case 2:
        return draw_u64() % 0x10000;
    case 3:
    case 4:
        return draw_u64() % 0x2000;
    }
    return draw_u64() % 0x140;
}

static uint64_t random_address(void)
{
    return BENCH_BASE + REGION_SIZE * (draw_u64() % 2 ? draw_u64() % REGIONS : 0) + random_offset();
}

static void access_registers(struct bench *b)
{
    static const unsigned sizes[8] = {4, 4, 4, 4, 4, 1, 2, 8};
    unsigned size = sizes[draw_u64() % 8], cpu = draw_u64() % 9;
    uint64_t pa = random_address() & ~(uint64_t)(size - 1), value;

    if (cpu == 8)
        cpu = BUS_NO_CPU;
    if (draw_u64() % 2)
        bus_write(b->bus, pa, size, random_value(), cpu);
    else
        bus_read(b->bus, pa, size, &value, cpu);
}

/* Accesses a CPU's own port, by which descriptions reach some devices. */
static void access_port(struct bench *b)
{
    unsigned cpu = draw_u64() % (DEVICE_MAX_CPUS + 1);
    uint32_t reg = draw_u64() % 20;

    if (!b->cls->port_read)
        return;
    b->cls->port_read(b->dev, cpu, reg);
    b->cls->port_write(b->dev, cpu, reg, random_value());
}

static void drive_inputs(struct bench *b)
{
    uint32_t cells[3] = {draw_u64() % (draw_u64() % 2 ? 2 : 512), draw_u64() % 512, 4};
    struct irq_line line;

    if (b->cls->irq_input &&
        b->cls->irq_input(b->dev, cells, 3, draw_u64() % DEVICE_MAX_CPUS, &line, NULL))
        irq_set(&line, draw_u64() % 2);
    chardev_feed(b->env.chardev, "input", draw_u64() % 5);
    display_key(b->env.display, (uint32_t)draw_u64() % 128, draw_u64() % 2);
    display_pointer(b->env.display, (int)(draw_u64() % 2000) - 1000,
                    (int)(draw_u64() % 2000) - 1000, (int)(draw_u64() % 3) - 1, draw_u64() % 8);
}

/* Reads every register once, so that an inconsistent state shows at once. */
static void read_all_registers(struct bench *b)
{
    uint64_t value;

    for (unsigned i = 0; i < REGIONS; i++) {
        for (unsigned offset = 0; offset < 0x140; offset += 4)
            bus_read(b->bus, BENCH_BASE + REGION_SIZE * i + offset, 4, &value, 0);
    }
}

/* Loads a damaged snapshot: it is refused, or the device still works afterwards. */
static void load_damaged(struct bench *b)
{
    struct state_buf buf = {0};
    struct error err;

    state_save(&buf, "dev", b->cls->fields, b->dev);
    for (unsigned i = 0; i < 16; i++)
        buf.data[draw_u64() % buf.len] = (uint8_t)draw_u64();
    if (!state_load(&buf, "dev", b->cls->fields, b->dev, &err) && b->cls->reset)
        b->cls->reset(b->dev);
    else if (b->cls->post_load)
        b->cls->post_load(b->dev, &err);
    state_buf_free(&buf);
    read_all_registers(b);
}

/* Loads a snapshot of valid form with random values. */
static void load_random(struct bench *b)
{
    struct error err;

    for (const struct state_field *f = b->cls->fields; f && f->name; f++) {
        uint8_t *bytes = (uint8_t *)b->dev + f->offset;
        unsigned how = draw_u64() % 4;

        for (size_t i = 0; i < f->size && how; i++)
            bytes[i] = how == 1 ? 0 : how == 2 ? 0xff : (uint8_t)draw_u64();
    }
    if (b->cls->post_load)
        b->cls->post_load(b->dev, &err);
    read_all_registers(b);
    bench_run_to(b, clock_now(&b->clock) + draw_u64() % 100000);
}

/* Grabs a small image of what the registers describe, mostly nothing. */
static void grab_image(struct bench *b)
{
    struct image image = {0};

    display_grab(b->env.display, &image);
    image_free(&image);
}

static void fuzz_class(const struct device_class *cls)
{
    struct bench *b = make_bench(cls);
    struct display *display;
    struct disk *disk;

    for (unsigned i = 0; i < rounds; i++) {
        access_registers(b);
        if (draw_u64() % 8 == 0)
            drive_inputs(b);
        if (draw_u64() % 8 == 0)
            access_port(b);
        if (draw_u64() % 16 == 0)
            bench_run_to(b, clock_now(&b->clock) + draw_u64() % 100000);
        if (draw_u64() % 1024 == 0)
            grab_image(b);
        if (draw_u64() % 2048 == 0)
            bench_save_and_load(b);
        if (draw_u64() % 64 == 0)
            load_damaged(b);
        if (draw_u64() % 64 == 0)
            load_random(b);
        if (draw_u64() % 4096 == 0 && b->cls->reset)
            b->cls->reset(b->dev);
    }
    disk = b->env.disk;
    display = b->env.display;
    bench_free(b);
    display_free(display);
    disk_close(disk);
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
    seed = seed ? seed : 1; /* xorshift needs a seed other than 0 */
    print_message("seed %llu, %u accesses a class\n", (unsigned long long)seed, rounds);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
