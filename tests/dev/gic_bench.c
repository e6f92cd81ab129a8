/* The bench of the GICv2 tests. */

#include "tests/dev/gic_bench.h"

uint32_t dist(struct bench *b, unsigned cpu, uint64_t offset)
{
    return (uint32_t)bench_read_as(b, cpu, DIST + offset, 4);
}

void set_dist(struct bench *b, unsigned cpu, uint64_t offset, uint32_t value)
{
    bench_write_as(b, cpu, DIST + offset, 4, value);
}

uint32_t cpuif(struct bench *b, unsigned cpu, uint64_t offset)
{
    return (uint32_t)bench_read_as(b, cpu, CPUIF + offset, 4);
}

void set_cpuif(struct bench *b, unsigned cpu, uint64_t offset, uint32_t value)
{
    bench_write_as(b, cpu, CPUIF + offset, 4, value);
}

struct irq_line gic_line(struct bench *b, unsigned id, unsigned cpu)
{
    uint32_t cells[3] = {id < 32, id < 32 ? id - 16 : id - 32, 4};
    struct irq_line out;

    assert_true(b->cls->irq_input(b->dev, cells, 3, cpu, &out, NULL));
    return out;
}

void drive(struct bench *b, unsigned id, unsigned cpu, bool level)
{
    struct irq_line l = gic_line(b, id, cpu);

    irq_set(&l, level);
}

void use_spi(struct bench *b, unsigned id, uint8_t targets, uint8_t priority)
{
    set_dist(b, 0, GICD_ISENABLER + id / 32 * 4, 1u << (id % 32));
    bench_write_as(b, 0, DIST + GICD_ITARGETSR + id, 1, targets);
    bench_write_as(b, 0, DIST + GICD_IPRIORITYR + id, 1, priority);
}

struct bench *gic_bench(unsigned cpus)
{
    struct bench *b = bench_new();

    b->env.cpu_count = cpus;
    b->env.reg_count = 4;
    b->reg[1] = (struct device_reg){CPUIF, 0x2000};
    b->reg[2] = (struct device_reg){HYP, 0x2000};
    b->reg[3] = (struct device_reg){VCPU, 0x2000};
    bench_create(b, "gicv2");
    return b;
}

int gic_setup(void **state)
{
    struct bench *b = gic_bench(4);

    set_dist(b, 0, GICD_CTLR, 1);
    for (unsigned cpu = 0; cpu < 4; cpu++) {
        set_cpuif(b, cpu, GICC_CTLR, 1);
        set_cpuif(b, cpu, GICC_PMR, 0xf0);
    }
    *state = b;
    return 0;
}

int gic_teardown(void **state)
{
    bench_free(*state);
    return 0;
}
