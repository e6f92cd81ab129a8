/*
 * GICv2m frame: message signalled interrupts as SPIs of a GICv2.
 *
 * Regions     reg[0], 4 KB
 * Interrupts  out: the SPIs arm,msi-base-spi .. + arm,msi-num-spis of the parent GIC. Without these
 *             properties the frame reports no SPIs, and software leaves it alone
 * Clocks      none
 * Bounds      a message is one pulse of one line
 * Manual      Server Base System Architecture (DEN 0029), appendix E "GICv2m Architecture"
 */
#include <inttypes.h>
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/dev/device.h"

enum {
    MSI_TYPER = 0x008,
    MSI_SETSPI_NS = 0x040,
    MSI_IIDR = 0xfcc,
};

#define FIRST_SPI 32u   /* interrupt ID of SPI 0 */
#define LAST_ID   1019u /* highest interrupt ID of a GICv2 */

struct gicv2m {
    const struct device_env *env;
    struct device_seen seen;
    uint32_t base, count; /* interrupt IDs */
};

static uint64_t read_register(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    struct gicv2m *dev = opaque;

    (void)size, (void)cpu;
    if (offset == MSI_TYPER)
        return dev->base << 16 | dev->count;
    if (offset != MSI_IIDR)
        device_log_unimp(dev->env, &dev->seen, "gicv2m", offset, false, 0);
    return 0;
}

static void write_register(void *opaque, uint64_t offset, uint64_t value, unsigned size,
                           unsigned cpu)
{
    struct gicv2m *dev = opaque;
    struct irq_line line;

    (void)size, (void)cpu;
    if (offset != MSI_SETSPI_NS) {
        device_log_unimp(dev->env, &dev->seen, "gicv2m", offset, true, value);
    } else if ((value & 0x3ff) - dev->base >= dev->count) {
        device_log_guest(dev->env, "message for interrupt %" PRIu64 ", outside the frame's range",
                         value & 0x3ff);
    } else {
        uint32_t cells[3] = {0, (uint32_t)(value & 0x3ff) - FIRST_SPI, 1};

        if (dev->env->parent_irq && dev->env->parent_irq(dev->env->opaque, cells, 3, &line))
            irq_pulse(&line);
    }
}

static const struct mmio_ops ops = {read_register, write_register, 4, 4};

static void *create_gicv2m(const struct device_env *env, struct error *err)
{
    struct gicv2m *dev = xcalloc(1, sizeof(*dev));
    uint32_t base, count;

    dev->env = env;
    if (device_prop_u32(env, "arm,msi-base-spi", 0, &base) &&
        device_prop_u32(env, "arm,msi-num-spis", 0, &count) && base >= FIRST_SPI &&
        base <= LAST_ID && count <= LAST_ID + 1 - base) {
        dev->base = base;
        dev->count = count;
    }
    return device_start(env, 0x1000, &ops, dev, NULL, err);
}

static const char *const compatible[] = {"arm,gic-v2m-frame", NULL};

const struct device_class gicv2m_class = {
    .name = "gicv2m",
    .summary = "GICv2m message frame",
    .compatible = compatible,
    .create = create_gicv2m,
    .destroy = free,
};
