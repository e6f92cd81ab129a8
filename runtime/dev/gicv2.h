/*
 * Inside of the GICv2 model, shared by its distributor (gicv2_dist.c), its CPU interfaces
 * (gicv2_cpu.c) and the device around them (gicv2.c). No other file includes this.
 */
#ifndef RUNTIME_DEV_GICV2_H
#define RUNTIME_DEV_GICV2_H

#include "runtime/dev/device.h"

#define GIC_INTERRUPTS 512 /* 16 SGIs, 16 PPIs, 480 SPIs: the most a GIC-400 can have */
#define GIC_WORDS      (GIC_INTERRUPTS / 32)
#define GIC_PRIVATE    32 /* SGIs and PPIs: banked by CPU */
#define GIC_SPURIOUS   1023

/*
 * Priorities as non-secure software sees them: bits 7:4 exist (GIC-400 holds five bits, of which
 * the non-secure view shows four, shifted up), so there are 16 levels.
 */
#define GIC_PRIORITY_MASK 0xf0u
#define GIC_IDLE_PRIORITY 0xffu
#define GIC_MIN_BPR       3u

/* Interrupt n is bit n % 32 of word n / 32. Word 0 (SGIs and PPIs) is banked by CPU. */
struct gic_bits {
    uint32_t banked[DEVICE_MAX_CPUS];
    uint32_t shared[GIC_WORDS]; /* [0] is unused */
};

/* A CPU interface. */
struct gic_cpu {
    uint32_t ctlr;   /* bits 0 (enable), 5 and 6 (bypass), 9 (EOImode) */
    uint32_t pmr;    /* priority mask */
    uint32_t bpr;    /* binary point, GIC_MIN_BPR..7 */
    uint32_t active; /* active priorities: bit p is group priority p << 4 */
};

struct gicv2 {
    /* state */
    uint32_t dist_ctlr;
    struct gic_bits enabled, latched /* pending by edge or software */, active, edge;
    struct gic_bits lines; /* levels of the inputs */
    uint8_t private_priority[DEVICE_MAX_CPUS][GIC_PRIVATE];
    uint8_t priority[GIC_INTERRUPTS];
    uint8_t targets[GIC_INTERRUPTS];
    uint8_t sgi_sources[DEVICE_MAX_CPUS][16]; /* bit per CPU that sent the SGI */
    struct gic_cpu cpu[DEVICE_MAX_CPUS];
    uint32_t hyp[DEVICE_MAX_CPUS][128]; /* GICH: storage only */

    /* not part of a snapshot */
    const struct device_env *env;
    unsigned cpu_count;
    bool irq_level[DEVICE_MAX_CPUS];
    struct irq_line cpu_irq[DEVICE_MAX_CPUS];
    struct device_seen seen_dist, seen_cpu, seen_hyp;
    uint64_t acknowledged, spurious, sgis;
};

/* The word that holds interrupts 32 * n .. 32 * n + 31 as `cpu` sees them. */
static inline uint32_t *gic_word(struct gic_bits *bits, unsigned n, unsigned cpu)
{
    return n ? &bits->shared[n] : &bits->banked[cpu];
}

static inline bool gic_test(struct gic_bits *bits, unsigned id, unsigned cpu)
{
    return *gic_word(bits, id / 32, cpu) >> (id % 32) & 1;
}

static inline void gic_put(struct gic_bits *bits, unsigned id, unsigned cpu, bool value)
{
    uint32_t *word = gic_word(bits, id / 32, cpu), bit = UINT32_C(1) << (id % 32);

    *word = value ? *word | bit : *word & ~bit;
}

/* The priority byte of an interrupt as `cpu` sees it. */
static inline uint8_t *gic_priority(struct gicv2 *gic, unsigned id, unsigned cpu)
{
    return id < GIC_PRIVATE ? &gic->private_priority[cpu][id] : &gic->priority[id];
}

/* Pending bits of a word: latched ones and asserted level-sensitive lines. */
uint32_t gic_pending_word(struct gicv2 *gic, unsigned n, unsigned cpu);

/* Drives every CPU's IRQ after a change of any state. */
void gic_update(struct gicv2 *gic);

/* The registers of the distributor and of CPU interface `cpu`. */
extern const struct mmio_ops gic_dist_ops, gic_cpu_ops;

/* Puts the distributor, and one CPU interface, into the state after reset. */
void gic_dist_reset(struct gicv2 *gic);
void gic_cpu_reset(struct gicv2 *gic, unsigned cpu);

/*
 * The pending interrupt that CPU `cpu` would acknowledge: its ID, or GIC_SPURIOUS; its priority in
 * *priority. Masks and running priority are not considered.
 */
unsigned gic_highest_pending(struct gicv2 *gic, unsigned cpu, unsigned *priority);

/* Whether the CPU interface signals IRQ. */
bool gic_cpu_signals(struct gicv2 *gic, unsigned cpu);

#endif
