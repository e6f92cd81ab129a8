/* The bench of the device tests: its device tree node, its lines and its log. */

#include "tests/dev/bench.h"

#include <stdlib.h>
#include <string.h>

#include "arm_board.h"
#include "runtime/base/alloc.h"
#include "runtime/dev/chardev.h"

static void set_line(void *opaque, unsigned n, bool level)
{
    struct bench *b = opaque;

    if (level && !b->level[n])
        b->edges[n]++;
    b->level[n] = level;
}

static void set_cpu(void *opaque, unsigned n, bool level)
{
    struct bench *b = opaque;

    b->cpu_level[n] = level;
}

static const void *find_prop(void *opaque, const char *name, bool inherit, size_t *len)
{
    struct bench *b = opaque;

    (void)inherit;
    for (unsigned i = 0; i < b->prop_count; i++) {
        if (strcmp(b->props[i].name, name) != 0)
            continue;
        if (len)
            *len = b->props[i].len;
        return b->props[i].bytes;
    }
    return NULL;
}

/* Drives input n of a CPU: sets b->cpu_irq[n] to `level`. */
static void drive_cpu(void *opaque, unsigned n, bool level)
{
    const struct bench *b = opaque;

    irq_set(&b->cpu_irq[n], level);
}

static void drive_input(void *opaque, unsigned n, bool level)
{
    struct bench *b = opaque;
    uint32_t bit = UINT32_C(1) << n % 32;

    b->cpu_inputs[n / 32] = level ? b->cpu_inputs[n / 32] | bit : b->cpu_inputs[n / 32] & ~bit;
}

static struct irq_line cpu_input(void *opaque, unsigned cpu, unsigned n)
{
    if (n == ARM_INPUT_IRQ)
        return (struct irq_line){drive_cpu, opaque, cpu};
    return (struct irq_line){drive_input, opaque, cpu * 32 + n};
}

static void record_power(void *opaque, enum device_power what, int status)
{
    struct bench *b = opaque;

    b->power_status = status;

    *(what == DEVICE_POWER_OFF ? &b->power_off : &b->power_reset) += 1;
}

static void tell_firmware(void *opaque, uint64_t value)
{
    ((struct bench *)opaque)->told = value;
}

struct bench *bench_new(void)
{
    struct bench *b = xcalloc(1, sizeof(*b));

    b->bus = bus_new(&b->log);
    clock_init(&b->clock);
    b->stats = stats_new();
    for (unsigned i = 0; i < BENCH_LINES; i++)
        b->irq[i] = b->irq_cpu[i] = (struct irq_line){set_line, b, i};
    for (unsigned i = 0; i < DEVICE_MAX_CPUS; i++)
        b->cpu_irq[i] = (struct irq_line){set_cpu, b, i};
    b->reg[0] = (struct device_reg){BENCH_BASE, 0x1000};
    b->env = (struct device_env){
        .name = "device@10000000",
        .path = "/device@10000000",
        .compatible = "",
        .reg_count = 1,
        .reg = b->reg,
        .irq_count = 1,
        .irq = b->irq,
        .cpu_count = 1,
        .bus = b->bus,
        .clock = &b->clock,
        .log = &b->log,
        .stats = b->stats,
        .cpu_input = cpu_input,
        .prop = find_prop,
        .power = record_power,
        .tell_firmware = tell_firmware,
        .opaque = b,
    };
    return b;
}

void bench_prop(struct bench *b, const char *name, const void *bytes, size_t len)
{
    assert_true(b->prop_count < BENCH_PROPS);
    b->props[b->prop_count++] = (struct bench_prop){name, bytes, len};
}

void bench_create(struct bench *b, const char *class_name)
{
    struct error err = {""};

    b->cls = device_class_by_name(class_name);
    assert_non_null(b->cls);
    b->dev = b->cls->create(&b->env, &err);
    if (!b->dev)
        fail_msg("%s", err.text);
}

void bench_free(struct bench *b)
{
    if (b->dev && b->cls->destroy)
        b->cls->destroy(b->dev);
    chardev_close(b->env.chardev);
    stats_free(b->stats);
    clock_free(&b->clock);
    bus_free(b->bus);
    log_close(&b->log);
    free(b->heard);
    free(b);
}

uint64_t bench_read_as(struct bench *b, unsigned cpu, uint64_t pa, unsigned size)
{
    uint64_t value;

    assert_true(bus_read(b->bus, pa, size, &value, cpu));
    return value;
}

void bench_write_as(struct bench *b, unsigned cpu, uint64_t pa, unsigned size, uint64_t value)
{
    assert_true(bus_write(b->bus, pa, size, value, cpu));
}

uint32_t bench_read(struct bench *b, uint64_t offset)
{
    return (uint32_t)bench_read_as(b, 0, BENCH_BASE + offset, 4);
}

void bench_write(struct bench *b, uint64_t offset, uint32_t value)
{
    bench_write_as(b, 0, BENCH_BASE + offset, 4, value);
}

void bench_run_to(struct bench *b, uint64_t ns)
{
    clock_advance_to(&b->clock, ns);
}

void bench_listen(struct bench *b)
{
    b->log.out = open_memstream(&b->heard, &b->heard_len);
    assert_non_null(b->log.out);
    b->log.close_out = true;
    log_enable(&b->log, LOG_UNIMP);
    log_enable(&b->log, LOG_GUEST_ERRORS);
}

const char *bench_heard(struct bench *b)
{
    size_t before = b->heard_before;

    fflush(b->log.out);
    b->heard_before = b->heard_len;
    return b->heard + before;
}

void bench_save_and_load(struct bench *b)
{
    struct state_buf buf = {0}, more = {0};
    struct error err = {""};

    state_save(&buf, b->env.path, b->cls->fields, b->dev);
    if (b->cls->save)
        b->cls->save(b->dev, &more);
    if (b->cls->reset)
        b->cls->reset(b->dev);
    assert_true(state_load(&buf, b->env.path, b->cls->fields, b->dev, &err));
    if (b->cls->load)
        assert_true(b->cls->load(b->dev, &more, &err));
    state_buf_free(&more);
    if (b->cls->post_load)
        b->cls->post_load(b->dev, &err);
    state_buf_free(&buf);
}
