/*
 * Stands in for a device that is not modelled: its registers read as zero and ignore writes, and
 * each is mentioned once on the log channel `unimp`.
 *
 * Regions     every reg of the node
 * Interrupts  none is ever raised
 * Clocks      none
 * Bounds      each register is logged once
 * Manual      none
 */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/dev/device.h"

struct stub {
    const struct device_env *env;
    struct device_seen seen_read, seen_write;
};

static uint64_t read_register(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    struct stub *dev = opaque;

    (void)size, (void)cpu;
    device_log_unimp(dev->env, &dev->seen_read, "not modelled", offset, false, 0);
    return 0;
}

static void write_register(void *opaque, uint64_t offset, uint64_t value, unsigned size,
                           unsigned cpu)
{
    struct stub *dev = opaque;

    (void)size, (void)cpu;
    device_log_unimp(dev->env, &dev->seen_write, "not modelled", offset, true, value);
}

static const struct mmio_ops ops = {read_register, write_register, 1, 8};

static void *create_stub(const struct device_env *env, struct error *err)
{
    struct stub *dev = xcalloc(1, sizeof(*dev));

    dev->env = env;
    for (unsigned i = 0; i < env->reg_count; i++) {
        if (!device_map(env, i, 0, &ops, dev, err)) {
            free(dev);
            return NULL;
        }
    }
    return dev;
}

static const char *const compatible[] = {"arm,mmu-400", "arm,mmu-401", "arm,cci-400",
                                         "snps,designware-i2c", NULL};

const struct device_class stub_class = {
    .name = "stub",
    .summary = "a device that is not modelled: reads as zero, logged",
    .compatible = compatible,
    .create = create_stub,
    .destroy = free,
};
