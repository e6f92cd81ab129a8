/*
 * Power management of the 82371AB (PIIX4): the command that switches the machine off.
 *
 * Regions     reg[0], 64 bytes of I/O ports
 * Interrupts  none
 * Clocks      none
 * Bounds      no event
 * Left out    timers, traps, throttling, global status: these registers hold what is written
 * Manual      Intel 82371AB PCI-to-ISA / IDE Xcelerator (290562-001), section 7.2
 */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/dev/device.h"

enum { PM_STATUS = 0, PM_ENABLE = 2, PM_CONTROL = 4, PM_BYTES = 64 };
#define CONTROL_SUSPEND 0x2000u
#define CONTROL_TYPE    0x1c00u /* 0: soft off */

struct piix4_pm {
    uint8_t regs[PM_BYTES];
    const struct device_env *env;
};

static uint64_t read_register(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    const struct piix4_pm *pm = opaque;

    (void)cpu;
    return le_get(pm->regs + offset, size);
}

static void write_register(void *opaque, uint64_t offset, uint64_t value, unsigned size,
                           unsigned cpu)
{
    struct piix4_pm *pm = opaque;
    uint64_t control;

    (void)cpu;
    if (offset < PM_ENABLE) /* writing 1 clears status bits, which are never set */
        return;
    le_put(pm->regs + offset, size, value);
    control = le_get(pm->regs + PM_CONTROL, 2);
    if ((control & (CONTROL_SUSPEND | CONTROL_TYPE)) == CONTROL_SUSPEND && pm->env->power)
        pm->env->power(pm->env->opaque, DEVICE_POWER_OFF, 0);
}

static const struct mmio_ops ops = {read_register, write_register, 1, 4};

static void reset_piix4_pm(void *dev)
{
    struct piix4_pm *pm = dev;

    *pm = (struct piix4_pm){.env = pm->env};
}

static void *create_piix4_pm(const struct device_env *env, struct error *err)
{
    struct piix4_pm *pm = xcalloc(1, sizeof(*pm));

    pm->env = env;
    return device_start(env, PM_BYTES, &ops, pm, reset_piix4_pm, err);
}

static const char *const compatible[] = {"intel,piix4-pm", NULL};

static const struct state_field fields[] = {
    STATE_FIELD(struct piix4_pm, regs),
    STATE_END,
};

const struct device_class piix4_pm_class = {
    .name = "piix4_pm",
    .summary = "power management of the PIIX4: soft off",
    .compatible = compatible,
    .fields = fields,
    .create = create_piix4_pm,
    .reset = reset_piix4_pm,
    .destroy = free,
};
