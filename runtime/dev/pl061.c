/*
 * PL061 GPIO: eight pins, each input able to interrupt by level or edge.
 *
 * Regions     reg[0], 4 KB
 * Interrupts  [0] GPIOINTR; in: specifier <pin flags>, a pin as an interrupt input
 * Clocks      none
 * Bounds      an access is about eight pins, whose outputs lead nowhere
 * Manual      ARM PrimeCell General Purpose Input/Output (PL061) TRM, DDI 0190
 */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/dev/device.h"

enum {
    GPIO_DATA_END = 0x400, /* 0x000..0x3fc: address bits 9:2 mask the data bits */
    GPIO_DIR = 0x400,
    GPIO_IS = 0x404,
    GPIO_IBE = 0x408,
    GPIO_IEV = 0x40c,
    GPIO_IE = 0x410,
    GPIO_RIS = 0x414,
    GPIO_MIS = 0x418,
    GPIO_IC = 0x41c,
    GPIO_AFSEL = 0x420,
    GPIO_ID = 0xfe0,
};

#define PINS      8u
#define PERIPH_ID UINT64_C(0x041061)

struct pl061 {
    uint8_t data, dir, sense, both, event, enable, afsel;
    uint8_t latched; /* edges seen */
    uint8_t in;      /* levels outside */

    const struct device_env *env;
    struct device_seen seen;
};

/* The level of every pin: outputs as this device drives them, inputs as others do. */
static uint8_t pin_levels(const struct pl061 *dev)
{
    return (dev->data & dev->dir) | (dev->in & ~dev->dir);
}

/* Raw interrupts: latched edges, and pins at their active level. */
static uint8_t raw_interrupts(const struct pl061 *dev)
{
    uint8_t at_level = (uint8_t) ~(pin_levels(dev) ^ dev->event);

    return (dev->latched & ~dev->sense) | (at_level & dev->sense);
}

/* Latches edges between the old and the present levels, where edges interrupt, and drives the
 * interrupt. */
static void update_irq(struct pl061 *dev, uint8_t old)
{
    struct irq_line line = device_irq(dev->env, 0);
    uint8_t now = pin_levels(dev), rose = now & ~old, fell = old & ~now;

    dev->latched |=
        ~dev->sense & ((rose & (dev->both | dev->event)) | (fell & (dev->both | ~dev->event)));
    irq_set(&line, (raw_interrupts(dev) & dev->enable) != 0);
}

static void set_input(void *opaque, unsigned pin, bool level)
{
    struct pl061 *dev = opaque;
    uint8_t old = pin_levels(dev), bit = (uint8_t)(1u << pin);

    dev->in = level ? dev->in | bit : dev->in & (uint8_t)~bit;
    update_irq(dev, old);
}

static uint64_t read_register(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    struct pl061 *dev = opaque;

    (void)size, (void)cpu;
    if (offset < GPIO_DATA_END)
        return pin_levels(dev) & (offset >> 2);
    if (offset >= GPIO_ID)
        return primecell_id(PERIPH_ID, PRIMECELL_CELL_ID, offset);
    switch (offset) {
    case GPIO_DIR:
        return dev->dir;
    case GPIO_IS:
        return dev->sense;
    case GPIO_IBE:
        return dev->both;
    case GPIO_IEV:
        return dev->event;
    case GPIO_IE:
        return dev->enable;
    case GPIO_RIS:
        return raw_interrupts(dev);
    case GPIO_MIS:
        return raw_interrupts(dev) & dev->enable;
    case GPIO_AFSEL:
        return dev->afsel;
    }
    device_log_unimp(dev->env, &dev->seen, "pl061", offset, false, 0);
    return 0;
}

static void write_register(void *opaque, uint64_t offset, uint64_t value, unsigned size,
                           unsigned cpu)
{
    struct pl061 *dev = opaque;
    uint8_t old = pin_levels(dev), byte = (uint8_t)value, mask = (uint8_t)(offset >> 2);

    (void)size, (void)cpu;
    if (offset < GPIO_DATA_END)
        dev->data = (dev->data & (uint8_t)~mask) | (byte & mask);
    else if (offset == GPIO_DIR)
        dev->dir = byte;
    else if (offset == GPIO_IS)
        dev->sense = byte;
    else if (offset == GPIO_IBE)
        dev->both = byte;
    else if (offset == GPIO_IEV)
        dev->event = byte;
    else if (offset == GPIO_IE)
        dev->enable = byte;
    else if (offset == GPIO_IC)
        dev->latched &= (uint8_t)~byte;
    else if (offset == GPIO_AFSEL)
        dev->afsel = byte;
    else
        device_log_unimp(dev->env, &dev->seen, "pl061", offset, true, value);
    update_irq(dev, old);
}

static const struct mmio_ops ops = {read_register, write_register, 4, 4};

static void reset_pl061(void *opaque)
{
    struct pl061 *dev = opaque;

    dev->data = dev->dir = dev->sense = dev->both = dev->event = dev->enable = dev->afsel = 0;
    update_irq(dev, pin_levels(dev));
    dev->latched = 0;
}

static void post_load(void *opaque, struct error *err)
{
    struct pl061 *dev = opaque;

    (void)err;
    update_irq(dev, pin_levels(dev));
}

static bool irq_input(void *opaque, const uint32_t *cells, unsigned count, unsigned cpu,
                      struct irq_line *line, struct error *err)
{
    (void)cpu;
    if (count < 1 || cells[0] >= PINS)
        return error_set(err, "a PL061 interrupt needs the cells <pin flags>, pin 0 to 7");
    *line = (struct irq_line){set_input, opaque, cells[0]};
    return true;
}

static void *create_pl061(const struct device_env *env, struct error *err)
{
    struct pl061 *dev = xcalloc(1, sizeof(*dev));

    dev->env = env;
    return device_start(env, 0x1000, &ops, dev, reset_pl061, err);
}

static const char *const compatible[] = {"arm,pl061", NULL};

static const struct state_field fields[] = {
    STATE_FIELD(struct pl061, data),  STATE_FIELD(struct pl061, dir),
    STATE_FIELD(struct pl061, sense), STATE_FIELD(struct pl061, both),
    STATE_FIELD(struct pl061, event), STATE_FIELD(struct pl061, enable),
    STATE_FIELD(struct pl061, afsel), STATE_FIELD(struct pl061, latched),
    STATE_FIELD(struct pl061, in),    STATE_END,
};

const struct device_class pl061_class = {
    .name = "pl061",
    .summary = "PL061 GPIO",
    .compatible = compatible,
    .fields = fields,
    .create = create_pl061,
    .reset = reset_pl061,
    .destroy = free,
    .post_load = post_load,
    .irq_input = irq_input,
};
