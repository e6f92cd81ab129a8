/* The bench of a described CPU: memory, registers by name, and a device on a port. */

#include "tests/isa_bench/isa_bench.h"

#include <stdlib.h>

static uint64_t port_read(void *opaque, unsigned cpu, uint32_t reg)
{
    const struct bench *b = opaque;

    (void)cpu;
    return b->port[reg & 7];
}

static void port_write(void *opaque, unsigned cpu, uint32_t reg, uint64_t value)
{
    struct bench *b = opaque;

    (void)cpu;
    b->port[reg & 7] = value;
}

struct bench *bench_new(const struct cpu_isa *isa, uint64_t ram, uint64_t bytes)
{
    struct bench *b = calloc(1, sizeof(*b));
    struct error err = {0};

    assert_non_null(b);
    b->bus = bus_new(&b->log);
    clock_init(&b->clock);
    assert_non_null(bus_add_ram(b->bus, "ram", ram, bytes, &err));
    b->cpu = cpu_new(isa, 0, b->bus, &b->clock, &b->log, &err);
    assert_non_null(b->cpu);
    return b;
}

int bench_teardown(void **state)
{
    struct bench *b = *state;

    cpu_free(b->cpu);
    clock_free(&b->clock);
    bus_free(b->bus);
    free(b);
    return 0;
}

void bench_connect(struct bench *b, unsigned port)
{
    b->cpu->devices[port] = (struct cpu_device){b, port_read, port_write};
}

uint64_t get(struct bench *b, const char *name)
{
    struct cpu_view view;

    assert_true(cpu_register_find(b->cpu->isa, name, &view));
    return cpu_register_get(b->cpu, name);
}

void set(struct bench *b, const char *name, uint64_t value)
{
    struct cpu_view view;

    assert_true(cpu_register_find(b->cpu->isa, name, &view));
    cpu_register_set(b->cpu, name, value);
}

void poke(struct bench *b, uint64_t at, uint32_t word)
{
    assert_true(bus_load(b->bus, at, &word, sizeof(word)));
}

void poke64(struct bench *b, uint64_t at, uint64_t value)
{
    assert_true(bus_load(b->bus, at, &value, sizeof(value)));
}
