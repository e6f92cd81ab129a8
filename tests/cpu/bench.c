/*
 * The bench of toy CPUs: memory, a device and a port that record their accesses, and page tables.
 */

#include "tests/cpu/bench.h"

#include <stdlib.h>

static void note_access(struct bench *b, uint64_t offset, unsigned size, unsigned cpu)
{
    b->last_offset = offset;
    b->last_size = size;
    b->last_cpu = cpu;
    b->accesses++;
    b->seen_ns = clock_now(&b->clock);
    b->seen_insns = cpu < b->cpus ? cpu_insns_now(b->cpu[cpu]) : 0;
}

static uint64_t device_read(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    struct bench *b = opaque;

    note_access(b, offset, size, cpu);
    return b->device[offset / 8 % 16] >> (offset % 8 * 8);
}

static void device_write(void *opaque, uint64_t offset, uint64_t value, unsigned size, unsigned cpu)
{
    struct bench *b = opaque;

    note_access(b, offset, size, cpu);
    b->device[offset / 8 % 16] = value;
}

static const struct mmio_ops device_ops = {device_read, device_write, 1, 8};

/* Port register 0 reads the time, register 1 the number of executed instructions. */
static uint64_t port_read(void *opaque, unsigned cpu, uint32_t reg)
{
    struct bench *b = opaque;

    note_access(b, reg, 8, cpu);
    return reg ? b->seen_insns : b->seen_ns;
}

static void port_write(void *opaque, unsigned cpu, uint32_t reg, uint64_t value)
{
    struct bench *b = opaque;

    note_access(b, reg, 8, cpu);
    b->device[reg % 16] = value;
}

struct bench *bench_new(unsigned cpus)
{
    return bench_new_of(&toy_isa, cpus);
}

struct bench *bench_new_of(const struct cpu_isa *isa, unsigned cpus)
{
    struct bench *b = calloc(1, sizeof(*b));
    struct error err = {0};

    b->bus = bus_new(&b->log);
    clock_init(&b->clock);
    assert_non_null(bus_add_ram(b->bus, "ram", RAM, RAM_SIZE, &err));
    assert_non_null(bus_add_rom(b->bus, "rom", (struct bus_range){ROM, 0x1000}, NULL, 0, &err));
    assert_non_null(
        bus_add_mmio(b->bus, "device", (struct bus_range){DEVICE, 0x2000}, &device_ops, b, &err));
    b->cpus = cpus;
    for (unsigned n = 0; n < cpus; n++) {
        b->cpu[n] = cpu_new(isa, n, b->bus, &b->clock, &b->log, &err);
        assert_non_null(b->cpu[n]);
        b->cpu[n]->devices[0] = (struct cpu_device){b, port_read, port_write};
        cpu_reset(b->cpu[n]);
        b->cpu[n]->pc = RAM;
        toy_state(b->cpu[n])->special[TOY_VBAR] = VECTOR;
    }
    assert_true(cpu_group_init(&b->group, b->cpu, cpus, b->bus, &b->clock, &err));
    cpu_set_power(b->cpu[0], true);
    return b;
}

void bench_free(struct bench *b)
{
    cpu_group_free(&b->group);
    for (unsigned n = 0; n < b->cpus; n++)
        cpu_free(b->cpu[n]);
    clock_free(&b->clock);
    bus_free(b->bus);
    free(b);
}

void bench_code(struct bench *b, uint64_t pa, const uint32_t *words, size_t count)
{
    assert_true(bus_load(b->bus, pa, words, count * sizeof(*words)));
}

uint64_t bench_get(struct bench *b, uint64_t pa)
{
    uint64_t value;

    assert_true(bus_copy_from(b->bus, pa, &value, sizeof(value)));
    return value;
}

void bench_put(struct bench *b, uint64_t pa, uint64_t value)
{
    assert_true(bus_copy_to(b->bus, pa, &value, sizeof(value)));
}

void bench_map(struct bench *b, uint64_t va, uint64_t pa, unsigned flags)
{
    bench_put(b, TABLE + (va >> 12) * 8, pa | flags | TOY_PTE_VALID);
}
