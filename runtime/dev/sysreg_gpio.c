/*
 * Pins of the Versatile Express's system registers: LEDs, and signals of the card slot and the
 * flash memory. Registers are the parent's; other devices drive pins that are inputs.
 *
 * Regions     none of its own
 * Interrupts  none
 * Clocks      none
 * Bounds      a change of a pin is one bit
 * Manual      Motherboard Express uATX TRM (DUI 0447), section 4.3
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/dev/sysreg.h"

#define ACTIVE_LOW 1u   /* in the second cell: the pin is low when asserted */
#define INVERTED   256u /* flag in a line's number */

struct sysreg_gpio {
    enum sysreg_pins pins;
    void *parent; /* NULL: the node is below another device */
};

/* In the order of enum sysreg_pins. */
static const char *const compatible[] = {"arm,vexpress-sysreg,sys_led",
                                         "arm,vexpress-sysreg,sys_mci",
                                         "arm,vexpress-sysreg,sys_flash", NULL};

static void set_pin(void *opaque, unsigned n, bool level)
{
    const struct sysreg_gpio *dev = opaque;

    sysreg_set_pin(dev->parent, dev->pins, n & 31, level != !!(n & INVERTED));
}

static bool gpio_input(void *opaque, const uint32_t *cells, unsigned count, struct irq_line *line)
{
    struct sysreg_gpio *dev = opaque;

    if (!dev->parent || count < 2 || cells[0] > 31)
        return false;
    *line = (struct irq_line){set_pin, dev, cells[0] | (cells[1] & ACTIVE_LOW ? INVERTED : 0)};
    return true;
}

static void *create_sysreg_gpio(const struct device_env *env, struct error *err)
{
    struct sysreg_gpio *dev = xcalloc(1, sizeof(*dev));
    const struct device_class *cls = NULL;
    void *parent = env->parent_device ? env->parent_device(env->opaque, &cls) : NULL;

    (void)err;
    dev->parent = cls == &sysreg_class ? parent : NULL;
    while (compatible[dev->pins + 1] && strcmp(compatible[dev->pins], env->compatible) != 0)
        dev->pins++;
    return dev;
}

const struct device_class sysreg_gpio_class = {
    .name = "sysreg_gpio",
    .summary = "pins of the Versatile Express's system registers",
    .compatible = compatible,
    .create = create_sysreg_gpio,
    .destroy = free,
    .gpio_input = gpio_input,
};
