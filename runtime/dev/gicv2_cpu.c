/*
 * CPU interfaces of the GICv2: priority masking, acknowledging, completion.
 * Registers: IHI 0048B section 4.4; prioritization: section 3.3.
 *
 * Bounds      an access looks at GIC_INTERRUPTS interrupts once
 */
#include "runtime/dev/gicv2.h"

#include <inttypes.h>

enum {
    GICC_CTLR = 0x00,
    GICC_PMR = 0x04,
    GICC_BPR = 0x08,
    GICC_IAR = 0x0c,
    GICC_EOIR = 0x10,
    GICC_RPR = 0x14,
    GICC_HPPIR = 0x18,
    GICC_ABPR = 0x1c, /* the aliased registers are secure: read as zero, writes ignored */
    GICC_AIAR = 0x20,
    GICC_AEOIR = 0x24,
    GICC_AHPPIR = 0x28,
    GICC_APR0 = 0xd0,
    GICC_NSAPR0 = 0xe0,
    GICC_IIDR = 0xfc,
    GICC_DIR = 0x1000,
};

#define GICC_IIDR_VALUE 0x0202143bu /* GIC-400, architecture 2, Arm */
#define CTLR_ENABLE     1u
#define CTLR_EOI_MODE   (1u << 9)
#define CTLR_WRITABLE   (CTLR_ENABLE | 3u << 5 | CTLR_EOI_MODE)

void gic_cpu_reset(struct gicv2 *gic, unsigned cpu)
{
    gic->cpu[cpu] = (struct gic_cpu){.bpr = GIC_MIN_BPR};
}

/* The part of a priority that decides preemption: bits 7 .. bpr + 1. */
static unsigned group_priority(const struct gic_cpu *c, unsigned priority)
{
    return priority & (0xff00u >> (7 - c->bpr)) & 0xff;
}

/* The priority of the interrupt in service, or GIC_IDLE_PRIORITY. */
static unsigned running_priority(const struct gic_cpu *c)
{
    return c->active ? (unsigned)__builtin_ctz(c->active) << 4 : GIC_IDLE_PRIORITY;
}

uint32_t gic_pending_word(struct gicv2 *gic, unsigned n, unsigned cpu)
{
    uint32_t lines = *gic_word(&gic->lines, n, cpu), edge = *gic_word(&gic->edge, n, cpu);

    return *gic_word(&gic->latched, n, cpu) | (lines & ~edge);
}

/* Interrupts of word n that are enabled, pending, not active, and directed to the CPU. */
static uint32_t candidate_interrupts(struct gicv2 *gic, unsigned n, unsigned cpu)
{
    uint32_t word = gic_pending_word(gic, n, cpu) & *gic_word(&gic->enabled, n, cpu) &
                    ~*gic_word(&gic->active, n, cpu);

    if (!n || gic->cpu_count == 1)
        return word;
    for (uint32_t rest = word; rest; rest &= rest - 1) {
        unsigned bit = (unsigned)__builtin_ctz(rest);

        if (!(gic->targets[32 * n + bit] >> cpu & 1))
            word &= ~(UINT32_C(1) << bit);
    }
    return word;
}

unsigned gic_highest_pending(struct gicv2 *gic, unsigned cpu, unsigned *priority)
{
    unsigned best = GIC_SPURIOUS, best_priority = 0x100;

    for (unsigned n = 0; n < GIC_WORDS; n++) {
        for (uint32_t rest = candidate_interrupts(gic, n, cpu); rest; rest &= rest - 1) {
            unsigned id = 32 * n + (unsigned)__builtin_ctz(rest);
            unsigned p = *gic_priority(gic, id, cpu);

            if (p < best_priority) {
                best = id;
                best_priority = p;
            }
        }
    }
    *priority = best_priority;
    return best;
}

/* The interrupt that is signalled to the CPU now, or GIC_SPURIOUS. */
static unsigned signalled_interrupt(struct gicv2 *gic, unsigned cpu, unsigned *priority)
{
    const struct gic_cpu *c = &gic->cpu[cpu];
    unsigned id;

    if (!(gic->dist_ctlr & 1) || !(c->ctlr & CTLR_ENABLE))
        return GIC_SPURIOUS;
    id = gic_highest_pending(gic, cpu, priority);
    if (id == GIC_SPURIOUS || *priority >= c->pmr ||
        group_priority(c, *priority) >= running_priority(c))
        return GIC_SPURIOUS;
    return id;
}

bool gic_cpu_signals(struct gicv2 *gic, unsigned cpu)
{
    unsigned priority;

    return signalled_interrupt(gic, cpu, &priority) != GIC_SPURIOUS;
}

void gic_update(struct gicv2 *gic)
{
    for (unsigned cpu = 0; cpu < gic->cpu_count; cpu++) {
        bool level = gic_cpu_signals(gic, cpu);

        if (level == gic->irq_level[cpu])
            continue;
        gic->irq_level[cpu] = level;
        log_printf(gic->env->log, LOG_IRQ, "gic: cpu %u irq %s\n", cpu, level ? "high" : "low");
        irq_set(&gic->cpu_irq[cpu], level);
    }
}

/* An SGI leaves the pending state for one of its senders, the lowest; the others stay. */
static unsigned take_sgi(struct gicv2 *gic, unsigned id, unsigned cpu)
{
    uint8_t *sources = &gic->sgi_sources[cpu][id];
    unsigned from = *sources ? (unsigned)__builtin_ctz(*sources) : 0;

    *sources &= (uint8_t)(*sources - 1);
    gic_put(&gic->latched, id, cpu, *sources != 0);
    return from;
}

static uint32_t acknowledge_interrupt(struct gicv2 *gic, unsigned cpu)
{
    struct gic_cpu *c = &gic->cpu[cpu];
    unsigned priority, from = 0;
    unsigned id = signalled_interrupt(gic, cpu, &priority);

    if (id == GIC_SPURIOUS) {
        gic->spurious++;
        return id;
    }
    if (id < 16)
        from = take_sgi(gic, id, cpu);
    else
        gic_put(&gic->latched, id, cpu, false);
    gic_put(&gic->active, id, cpu, true);
    c->active |= 1u << (group_priority(c, priority) >> 4);
    gic->acknowledged++;
    log_printf(gic->env->log, LOG_IRQ, "gic: cpu %u acknowledges %u, priority %#x\n", cpu, id,
               priority);
    gic_update(gic);
    return id | from << 10;
}

static uint32_t highest_pending_register(struct gicv2 *gic, unsigned cpu)
{
    unsigned priority;
    unsigned id = gic->dist_ctlr & 1 ? gic_highest_pending(gic, cpu, &priority) : GIC_SPURIOUS;

    if (id < 16 && gic->sgi_sources[cpu][id])
        id |= (unsigned)__builtin_ctz(gic->sgi_sources[cpu][id]) << 10;
    return id;
}

static void deactivate_interrupt(struct gicv2 *gic, unsigned id, unsigned cpu)
{
    if (id < GIC_INTERRUPTS)
        gic_put(&gic->active, id, cpu, false);
}

static void end_of_interrupt(struct gicv2 *gic, uint32_t value, unsigned cpu)
{
    struct gic_cpu *c = &gic->cpu[cpu];
    unsigned id = value & 0x3ff;

    if (id >= 1020)
        return; /* completing a spurious interrupt does nothing */
    if (!c->active)
        device_log_guest(gic->env, "cpu %u completes interrupt %u while none is active", cpu, id);
    c->active &= c->active - 1; /* priority drop: the highest one ends */
    if (!(c->ctlr & CTLR_EOI_MODE))
        deactivate_interrupt(gic, id, cpu);
    log_printf(gic->env->log, LOG_IRQ, "gic: cpu %u completes %u\n", cpu, id);
}

static uint64_t cpu_read(void *dev, uint64_t offset, unsigned size, unsigned cpu)
{
    struct gicv2 *gic = dev;
    struct gic_cpu *c;

    (void)size;
    if (cpu >= gic->cpu_count)
        return 0; /* a debugger must not acknowledge */
    c = &gic->cpu[cpu];
    switch (offset) {
    case GICC_CTLR:
        return c->ctlr;
    case GICC_PMR:
        return c->pmr;
    case GICC_BPR:
        return c->bpr;
    case GICC_IAR:
        return acknowledge_interrupt(gic, cpu);
    case GICC_RPR:
        return running_priority(c);
    case GICC_HPPIR:
        return highest_pending_register(gic, cpu);
    case GICC_IIDR:
        return GICC_IIDR_VALUE;
    case GICC_APR0: /* the non-secure view has its half of the levels here */
        return c->active;
    case GICC_ABPR:
    case GICC_AIAR:
    case GICC_AEOIR:
    case GICC_AHPPIR:
    case GICC_NSAPR0:
        return 0;
    }
    device_log_unimp(gic->env, &gic->seen_cpu, "CPU interface", offset, false, 0);
    return 0;
}

static void cpu_write(void *dev, uint64_t offset, uint64_t value, unsigned size, unsigned cpu)
{
    struct gicv2 *gic = dev;
    struct gic_cpu *c;

    (void)size;
    if (cpu >= gic->cpu_count)
        return;
    c = &gic->cpu[cpu];
    switch (offset) {
    case GICC_CTLR:
        c->ctlr = value & CTLR_WRITABLE;
        break;
    case GICC_PMR:
        c->pmr = value & GIC_PRIORITY_MASK;
        break;
    case GICC_BPR:
        c->bpr = (value & 7) < GIC_MIN_BPR ? GIC_MIN_BPR : value & 7;
        break;
    case GICC_EOIR:
        end_of_interrupt(gic, (uint32_t)value, cpu);
        break;
    case GICC_DIR:
        deactivate_interrupt(gic, value & 0x3ff, cpu);
        break;
    case GICC_APR0:
        c->active = value & 0xffff;
        break;
    case GICC_ABPR:
    case GICC_AEOIR:
    case GICC_NSAPR0:
    case GICC_NSAPR0 + 4: /* Linux clears all four words of both at start */
    case GICC_NSAPR0 + 8:
    case GICC_NSAPR0 + 12:
    case GICC_APR0 + 4:
    case GICC_APR0 + 8:
    case GICC_APR0 + 12:
        return;
    default:
        device_log_guest(gic->env,
                         "write of %#" PRIx64 " to CPU interface offset %#" PRIx64
                         ", which is read-only or reserved",
                         value, offset);
    }
    gic_update(gic);
}

const struct mmio_ops gic_cpu_ops = {cpu_read, cpu_write, 4, 4};
