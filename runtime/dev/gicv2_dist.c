/*
 * Distributor of the GICv2: which interrupts are pending, how they are configured, software
 * generated interrupts. Registers: IHI 0048B section 4.3.
 *
 * Bounds      an access changes at most 32 interrupts, or sends one to DEVICE_MAX_CPUS CPUs
 */
#include "runtime/dev/gicv2.h"

#include <inttypes.h>
#include <string.h>

#include "runtime/base/bits.h"

enum {
    GICD_CTLR = 0x000,
    GICD_TYPER = 0x004,
    GICD_IIDR = 0x008,
    GICD_IGROUPR = 0x080,
    GICD_ISENABLER = 0x100,
    GICD_ICENABLER = 0x180,
    GICD_ISPENDR = 0x200,
    GICD_ICPENDR = 0x280,
    GICD_ISACTIVER = 0x300,
    GICD_ICACTIVER = 0x380,
    GICD_IPRIORITYR = 0x400,
    GICD_ITARGETSR = 0x800,
    GICD_ICFGR = 0xc00,
    GICD_PPISR = 0xd00,
    GICD_SPISR = 0xd04,
    GICD_SGIR = 0xf00,
    GICD_CPENDSGIR = 0xf10,
    GICD_SPENDSGIR = 0xf20,
    GICD_ID = 0xfd0,
};

#define GICD_IIDR_VALUE 0x0200143bu           /* GIC-400, Arm */
#define GICD_PERIPH_ID  UINT64_C(0x4002bb490) /* DDI 0471 table 3-6: PIDR4 .. PIDR0 */

void gic_dist_reset(struct gicv2 *gic)
{
    gic->dist_ctlr = 0;
    memset(&gic->latched, 0, sizeof(gic->latched));
    memset(&gic->active, 0, sizeof(gic->active));
    memset(&gic->enabled, 0, sizeof(gic->enabled));
    memset(&gic->edge, 0, sizeof(gic->edge));
    memset(gic->priority, 0, sizeof(gic->priority));
    memset(gic->private_priority, 0, sizeof(gic->private_priority));
    memset(gic->targets, 0, sizeof(gic->targets));
    memset(gic->sgi_sources, 0, sizeof(gic->sgi_sources));
    memset(gic->hyp, 0, sizeof(gic->hyp));
    for (unsigned cpu = 0; cpu < DEVICE_MAX_CPUS; cpu++) {
        gic->enabled.banked[cpu] = 0xffff; /* SGIs are always enabled */
        gic->edge.banked[cpu] = 0xffff;    /* SGIs are edge-triggered */
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

static uint32_t read_config(struct gicv2 *gic, unsigned first, unsigned cpu)
{
    uint32_t value = 0;

    for (unsigned i = 0; i < 16; i++) {
        if (gic_test(&gic->edge, first + i, cpu))
            value |= UINT32_C(2) << (2 * i);
    }
    return value;
}

static uint8_t read_target(struct gicv2 *gic, unsigned id, unsigned cpu)
{
    if (gic->cpu_count == 1)
        return 0; /* a uniprocessor GIC has no targets */
    return id < GIC_PRIVATE ? (uint8_t)(1u << cpu) : gic->targets[id];
}

/* Byte `i` of a register whose bytes belong to one interrupt each. */
static uint8_t read_byte(struct gicv2 *gic, uint64_t offset, unsigned cpu)
{
    if (offset >= GICD_CPENDSGIR)
        return gic->sgi_sources[cpu][offset & 0xf];
    if (offset >= GICD_ITARGETSR)
        return read_target(gic, (unsigned)(offset - GICD_ITARGETSR), cpu);
    return *gic_priority(gic, (unsigned)(offset - GICD_IPRIORITYR), cpu);
}

static bool is_byte_register(uint64_t offset)
{
    return (offset >= GICD_IPRIORITYR && offset < GICD_IPRIORITYR + GIC_INTERRUPTS) ||
           (offset >= GICD_ITARGETSR && offset < GICD_ITARGETSR + GIC_INTERRUPTS) ||
           (offset >= GICD_CPENDSGIR && offset < GICD_SPENDSGIR + 16);
}

/* Reads a register of the set/clear arrays, one bit per interrupt. */
static uint32_t read_bits(struct gicv2 *gic, uint64_t offset, unsigned cpu)
{
    unsigned n = (unsigned)(offset & 0x7f) / 4;

    if (n >= GIC_WORDS)
        return 0;
    switch (offset & ~UINT64_C(0x7f)) {
    case GICD_ISENABLER:
    case GICD_ICENABLER:
        return *gic_word(&gic->enabled, n, cpu);
    case GICD_ISPENDR:
    case GICD_ICPENDR:
        return gic_pending_word(gic, n, cpu);
    case GICD_ISACTIVER:
    case GICD_ICACTIVER:
        return *gic_word(&gic->active, n, cpu);
    }
    return 0; /* IGROUPR: non-secure reads as zero */
}

static uint32_t read_word(struct gicv2 *gic, uint64_t offset, unsigned cpu)
{
    if (offset >= GICD_IGROUPR && offset < GICD_IPRIORITYR)
        return read_bits(gic, offset, cpu);
    if (offset >= GICD_ICFGR && offset < GICD_ICFGR + GIC_INTERRUPTS / 4)
        return read_config(gic, (unsigned)(offset - GICD_ICFGR) * 4, cpu);
    if (offset >= GICD_SPISR && offset < GICD_SPISR + 4 * (GIC_WORDS - 1))
        return gic->lines.shared[(offset - GICD_SPISR) / 4 + 1];
    if (offset >= GICD_ID)
        return primecell_id(GICD_PERIPH_ID, PRIMECELL_CELL_ID, offset);
    switch (offset) {
    case GICD_CTLR:
        return gic->dist_ctlr;
    case GICD_TYPER: /* lines, CPUs, security extensions implemented */
        return (GIC_WORDS - 1) | (gic->cpu_count - 1) << 5 | 1u << 10;
    case GICD_IIDR:
        return GICD_IIDR_VALUE;
    case GICD_PPISR:
        return gic->lines.banked[cpu] >> 16;
    }
    device_log_unimp(gic->env, &gic->seen_dist, "distributor", offset, false, 0);
    return 0;
}

static uint64_t dist_read(void *dev, uint64_t offset, unsigned size, unsigned cpu)
{
    struct gicv2 *gic = dev;
    uint64_t start = align_down(offset, 4);
    uint32_t word = 0;

    if (cpu >= gic->cpu_count)
        cpu = 0; /* the debugger sees CPU 0's bank */
    if (is_byte_register(start)) {
        for (unsigned i = 0; i < 4; i++)
            word |= (uint32_t)read_byte(gic, start + i, cpu) << (8 * i);
    } else {
        word = read_word(gic, start, cpu);
    }
    return word >> (8 * (offset - start)) & (size == 4 ? UINT32_MAX : (1u << (8 * size)) - 1);
}

/* ---- writing --------------------------------------------------------------------------------- */

static void write_config(struct gicv2 *gic, unsigned first, uint32_t value)
{
    if (first < GIC_PRIVATE)
        return; /* SGIs are edges and PPIs levels, both fixed */
    for (unsigned i = 0; i < 16; i++)
        gic_put(&gic->edge, first + i, 0, value >> (2 * i + 1) & 1);
}

static void write_sgi_pending(struct gicv2 *gic, unsigned id, uint8_t sources, bool set,
                              unsigned cpu)
{
    uint8_t *now = &gic->sgi_sources[cpu][id];

    sources &= (uint8_t)((1u << gic->cpu_count) - 1);
    *now = set ? *now | sources : *now & (uint8_t)~sources;
    gic_put(&gic->latched, id, cpu, *now != 0);
}

static void write_byte(struct gicv2 *gic, uint64_t offset, uint8_t value, unsigned cpu)
{
    if (offset >= GICD_CPENDSGIR) {
        write_sgi_pending(gic, offset & 0xf, value, offset >= GICD_SPENDSGIR, cpu);
    } else if (offset >= GICD_ITARGETSR) {
        unsigned id = (unsigned)(offset - GICD_ITARGETSR);

        if (id >= GIC_PRIVATE)
            gic->targets[id] = value & (uint8_t)((1u << gic->cpu_count) - 1);
    } else {
        *gic_priority(gic, (unsigned)(offset - GICD_IPRIORITYR), cpu) = value & GIC_PRIORITY_MASK;
    }
}

static void write_bits(struct gicv2 *gic, uint64_t offset, uint32_t value, unsigned cpu)
{
    unsigned n = (unsigned)(offset & 0x7f) / 4;
    uint32_t not_sgi = n ? UINT32_MAX : 0xffff0000u;

    if (n >= GIC_WORDS)
        return;
    switch (offset & ~UINT64_C(0x7f)) {
    case GICD_ISENABLER:
        *gic_word(&gic->enabled, n, cpu) |= value;
        break;
    case GICD_ICENABLER:
        *gic_word(&gic->enabled, n, cpu) &= ~(value & not_sgi);
        break;
    case GICD_ISPENDR: /* SGIs have registers of their own */
        *gic_word(&gic->latched, n, cpu) |= value & not_sgi;
        break;
    case GICD_ICPENDR:
        *gic_word(&gic->latched, n, cpu) &= ~(value & not_sgi);
        break;
    case GICD_ISACTIVER:
        *gic_word(&gic->active, n, cpu) |= value;
        break;
    case GICD_ICACTIVER:
        *gic_word(&gic->active, n, cpu) &= ~value;
        break;
    }
}

/* GICD_SGIR, IHI 0048B section 4.3.15. */
static void send_sgi(struct gicv2 *gic, uint32_t value, unsigned from)
{
    unsigned id = value & 0xf, all = (1u << gic->cpu_count) - 1, to = 0;

    switch (value >> 24 & 3) {
    case 0:
        to = value >> 16 & all;
        break;
    case 1:
        to = all & ~(1u << from);
        break;
    case 2:
        to = 1u << from;
        break;
    default:
        device_log_guest(gic->env, "SGI with the reserved target filter 3");
    }
    gic->sgis++;
    log_printf(gic->env->log, LOG_IRQ, "gic: cpu %u sends SGI %u to CPUs %#x\n", from, id, to);
    for (unsigned cpu = 0; cpu < gic->cpu_count; cpu++) {
        if (to >> cpu & 1)
            write_sgi_pending(gic, id, (uint8_t)(1u << from), true, cpu);
    }
}

static void write_word(struct gicv2 *gic, uint64_t offset, uint32_t value, unsigned cpu)
{
    if (offset >= GICD_IGROUPR && offset < GICD_IPRIORITYR)
        write_bits(gic, offset, value, cpu);
    else if (offset >= GICD_ICFGR && offset < GICD_ICFGR + GIC_INTERRUPTS / 4)
        write_config(gic, (unsigned)(offset - GICD_ICFGR) * 4, value);
    else if (offset == GICD_CTLR)
        gic->dist_ctlr = value & 1; /* the non-secure view has EnableGrp1 alone */
    else if (offset == GICD_SGIR)
        send_sgi(gic, value, cpu);
    else
        device_log_guest(gic->env,
                         "write of %#x to distributor offset %#" PRIx64
                         ", which is read-only or reserved",
                         value, offset);
}

static void dist_write(void *dev, uint64_t offset, uint64_t value, unsigned size, unsigned cpu)
{
    struct gicv2 *gic = dev;

    if (cpu >= gic->cpu_count)
        cpu = 0;
    if (is_byte_register(offset)) {
        for (unsigned i = 0; i < size; i++)
            write_byte(gic, offset + i, (uint8_t)(value >> (8 * i)), cpu);
    } else if (size == 4) {
        write_word(gic, offset, (uint32_t)value, cpu);
    } else {
        device_log_guest(gic->env, "distributor offset %#" PRIx64 " takes whole words only",
                         offset);
    }
    gic_update(gic);
}

const struct mmio_ops gic_dist_ops = {dist_read, dist_write, 1, 4};
