/*
 * GIC-400, a generic interrupt controller of architecture version 2, as non-secure software sees
 * it: every interrupt is in group 1 and signalled as IRQ, the way secure firmware leaves it.
 *
 * Regions     reg[0] distributor (4 KB), reg[1] CPU interface (8 KB); reg[2] hypervisor control and
 *             reg[3] virtual CPU interface hold what is written and do nothing else
 * Interrupts  in: specifier of three cells, <0 n> SPI n (ID 32 + n), <1 n> PPI n (ID 16 + n);
 *             out: IRQ of each CPU; FIQ stays low
 * Clocks      none
 * Bounds      a change looks at GIC_INTERRUPTS interrupts of DEVICE_MAX_CPUS CPUs; its outputs lead
 *             to CPUs only, so that none comes back
 * Manual      GIC-400 TRM (DDI 0471); GIC architecture v2.0 (IHI 0048B), sections named below
 */
#include "runtime/dev/gicv2.h"

#include <stdlib.h>

#include "arm_board.h"
#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"

/* Input `n`: bits 15:0 the interrupt's ID, bits 31:16 the CPU whose PPI it is. */
static void set_input(void *opaque, unsigned n, bool level)
{
    struct gicv2 *gic = opaque;
    unsigned id = n & 0xffff, cpu = n >> 16;

    if (gic_test(&gic->lines, id, cpu) == level)
        return;
    gic_put(&gic->lines, id, cpu, level);
    if (level && gic_test(&gic->edge, id, cpu))
        gic_put(&gic->latched, id, cpu, true);
    gic_update(gic);
}

static bool irq_input(void *dev, const uint32_t *cells, unsigned count, unsigned cpu,
                      struct irq_line *line, struct error *err)
{
    struct gicv2 *gic = dev;
    bool spi = count >= 2 && cells[0] == 0;

    if (count < 2 || cells[0] > 1)
        return error_set(err, "a GIC interrupt needs the cells <0 n flags> or <1 n flags>");
    if (cells[1] >= (spi ? GIC_INTERRUPTS - 32u : 16u))
        return error_set(err, "the GIC has no %s %u", spi ? "SPI" : "PPI", cells[1]);
    if (cpu >= gic->cpu_count)
        return error_set(err, "the GIC serves %u CPUs, not CPU %u", gic->cpu_count, cpu);
    *line = (struct irq_line){set_input, gic, spi ? 32 + cells[1] : (cpu << 16) | (16 + cells[1])};
    return true;
}

/* ---- reg[2]: hypervisor control interface, storage only (IHI 0048B section 5.3) -------------- */

#define GICH_VTR       0x004
#define GICH_VTR_VALUE 0x90000003u /* 5 priority and preemption bits, 4 list registers */
#define GICH_ELSR0     0x030       /* every list register is empty */

static uint64_t hyp_read(void *dev, uint64_t offset, unsigned size, unsigned cpu)
{
    struct gicv2 *gic = dev;

    (void)size;
    if (cpu >= gic->cpu_count)
        cpu = 0;
    if (offset == GICH_VTR)
        return GICH_VTR_VALUE;
    if (offset == GICH_ELSR0)
        return 0xf;
    return offset < sizeof(gic->hyp[0]) ? gic->hyp[cpu][offset / 4] : 0;
}

static void hyp_write(void *dev, uint64_t offset, uint64_t value, unsigned size, unsigned cpu)
{
    struct gicv2 *gic = dev;

    (void)size;
    device_log_unimp(gic->env, &gic->seen_hyp, "virtualisation", offset, true, value);
    if (cpu >= gic->cpu_count)
        cpu = 0;
    if (offset < sizeof(gic->hyp[0]))
        gic->hyp[cpu][offset / 4] = (uint32_t)value;
}

static const struct mmio_ops hyp_ops = {hyp_read, hyp_write, 4, 4};

/* reg[3], the virtual CPU interface: no virtual interrupt is ever pending. */
static uint64_t vcpu_read(void *dev, uint64_t offset, unsigned size, unsigned cpu)
{
    (void)dev, (void)size, (void)cpu;
    return offset == 0x0c || offset == 0x18 ? GIC_SPURIOUS : 0;
}

static const struct mmio_ops vcpu_ops = {vcpu_read, NULL, 4, 4};

/* ---- the device ------------------------------------------------------------------------------ */

static void reset_gicv2(void *dev)
{
    struct gicv2 *gic = dev;

    gic_dist_reset(gic);
    for (unsigned cpu = 0; cpu < DEVICE_MAX_CPUS; cpu++)
        gic_cpu_reset(gic, cpu);
    gic_update(gic);
}

/* Limits loaded values to those of hardware: others could point outside the tables. */
static void post_load(void *dev, struct error *err)
{
    struct gicv2 *gic = dev;

    (void)err;
    for (unsigned cpu = 0; cpu < DEVICE_MAX_CPUS; cpu++) {
        struct gic_cpu *c = &gic->cpu[cpu];

        if (c->bpr < GIC_MIN_BPR || c->bpr > 7)
            c->bpr = GIC_MIN_BPR;
        c->active &= 0xffff;
    }
    for (unsigned cpu = 0; cpu < gic->cpu_count; cpu++)
        gic->irq_level[cpu] = !gic_cpu_signals(gic, cpu); /* so that every line is driven */
    gic_update(gic);
}

static void destroy_gicv2(void *dev)
{
    free(dev);
}

static bool map_interfaces(struct gicv2 *gic, const struct device_env *env, struct error *err)
{
    return device_map(env, 0, 0x1000, &gic_dist_ops, gic, err) &&
           device_map(env, 1, 0x2000, &gic_cpu_ops, gic, err) &&
           (env->reg_count < 3 || device_map(env, 2, 0x2000, &hyp_ops, gic, err)) &&
           (env->reg_count < 4 || device_map(env, 3, 0x2000, &vcpu_ops, gic, err));
}

static void *create_gicv2(const struct device_env *env, struct error *err)
{
    struct gicv2 *gic;

    if (!env->cpu_count || env->cpu_count > DEVICE_MAX_CPUS)
        return device_error(env, err, "a GICv2 serves 1 to %d CPUs, not %u", DEVICE_MAX_CPUS,
                            env->cpu_count);
    gic = xcalloc(1, sizeof(*gic));
    gic->env = env;
    gic->cpu_count = env->cpu_count;
    for (unsigned cpu = 0; cpu < gic->cpu_count; cpu++)
        gic->cpu_irq[cpu] = device_cpu_input(env, cpu, ARM_INPUT_IRQ);
    if (!map_interfaces(gic, env, err)) {
        free(gic);
        return NULL;
    }
    stats_add(env->stats, "gic", "acknowledged", &gic->acknowledged);
    stats_add(env->stats, "gic", "spurious", &gic->spurious);
    stats_add(env->stats, "gic", "sgis", &gic->sgis);
    reset_gicv2(gic);
    return gic;
}

static const char *const compatible[] = {"arm,gic-400", "arm,cortex-a15-gic", "arm,cortex-a7-gic",
                                         NULL};

static const struct state_field fields[] = {
    STATE_FIELD(struct gicv2, dist_ctlr),
    STATE_FIELD(struct gicv2, enabled),
    STATE_FIELD(struct gicv2, latched),
    STATE_FIELD(struct gicv2, active),
    STATE_FIELD(struct gicv2, edge),
    STATE_FIELD(struct gicv2, lines),
    STATE_FIELD(struct gicv2, private_priority),
    STATE_FIELD(struct gicv2, priority),
    STATE_FIELD(struct gicv2, targets),
    STATE_FIELD(struct gicv2, sgi_sources),
    STATE_FIELD(struct gicv2, cpu),
    STATE_FIELD(struct gicv2, hyp),
    STATE_END,
};

const struct device_class gicv2_class = {
    .name = "gicv2",
    .summary = "GIC-400 interrupt controller (GICv2)",
    .compatible = compatible,
    .fields = fields,
    .create = create_gicv2,
    .reset = reset_gicv2,
    .destroy = destroy_gicv2,
    .post_load = post_load,
    .irq_input = irq_input,
};
