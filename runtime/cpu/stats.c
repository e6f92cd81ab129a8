/* Registers the counters of a CPU as statistics. */
#include "runtime/obs/stats.h"

#include <stdio.h>
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/cpu/internal.h"

struct class_stat {
    struct cpu *cpu;
    struct code_isa *isa;
    unsigned ring, klass;
};

static uint64_t class_value(const void *opaque)
{
    const struct class_stat *s = opaque;

    return code_class_total(s->cpu->code, s->isa, s->cpu->slot, s->ring, s->klass);
}

static void add_classes(struct cpu *cpu, struct stats *stats)
{
    struct code_isa *isa;
    char group[48];
    size_t n = 0;

    if (!code_attach(cpu) || cpu->class_stats)
        return;
    isa = code_isa_find(cpu->code, cpu->isa);
    cpu->class_stats = xcalloc((size_t)isa->class_count * CPU_RINGS, sizeof(*cpu->class_stats));
    for (unsigned ring = 0; ring < CPU_RINGS; ring++) {
        snprintf(group, sizeof(group), "cpu%u/instructions/ring%u", cpu->number, ring);
        for (unsigned klass = 0; klass < isa->class_count; klass++, n++) {
            cpu->class_stats[n] = (struct class_stat){cpu, isa, ring, klass};
            stats_add_fn(stats, group, isa->class_name[klass], class_value, &cpu->class_stats[n]);
        }
    }
}

static uint64_t executed_insns(const void *opaque)
{
    return cpu_insns(opaque);
}

struct row {
    const char *name;
    const uint64_t *counter;
};

static void add_rows(struct stats *stats, const char *group, const struct row *row, size_t count)
{
    for (size_t n = 0; n < count; n++)
        stats_add(stats, group, row[n].name, row[n].counter);
}

/* Counters of the simulator's own caches. They depend on what was translated when, which is left to
 * the speed of a host thread, so they have a group apart from what is the same in each run. */
static void add_caches(struct cpu *cpu, struct stats *stats)
{
    const struct cpu_counters *c = &cpu->counters;
    const struct row rows[] = {
        {"tlb_misses", &c->tlb_misses},
        {"tlb_spaces", &c->tlb_spaces},
        {"walks", &c->walks},
        {"blocks_decoded", &c->blocks_decoded},
        {"block_lookups", &c->block_lookups},
        {"code_writes", &c->code_writes},
    };
    char group[16];

    snprintf(group, sizeof(group), "host/cpu%u", cpu->number);
    add_rows(stats, group, rows, ARRAY_SIZE(rows));
}

void cpu_register_stats(struct cpu *cpu, struct stats *stats)
{
    const struct cpu_counters *c = &cpu->counters;
    const struct row rows[] = {
        {"ticks", &cpu->ticks},
        {"exceptions", &c->exceptions},
        {"interrupts", &c->interrupts},
        {"undefined", &c->undefined},
        {"memory_faults", &c->memory_faults},
        {"tlb_flushes", &c->tlb_flushes},
        {"mmio_reads", &c->mmio_reads},
        {"mmio_writes", &c->mmio_writes},
    };
    char group[48], name[16];

    snprintf(group, sizeof(group), "cpu%u", cpu->number);
    stats_add_fn(stats, group, "executed", executed_insns, cpu);
    add_rows(stats, group, rows, ARRAY_SIZE(rows));
    snprintf(group, sizeof(group), "cpu%u/exception_class", cpu->number);
    for (unsigned n = 0; n < ARRAY_SIZE(c->exception_class); n++) {
        snprintf(name, sizeof(name), "0x%02x", n);
        stats_add(stats, group, name, &c->exception_class[n]);
    }
    add_classes(cpu, stats);
    add_caches(cpu, stats);
}
