/*
 * PL050 keyboard and mouse interface. The first of a board has the keyboard, the second the mouse,
 * which the machine's display moves.
 *
 * Regions     reg[0], 4 KB
 * Interrupts  [0] KMIINTR
 * Clocks      none: bytes take no time
 * Bounds      an access is a byte; those that wait are in ps2.c
 * Manual      ARM PrimeCell PS2 Keyboard/Mouse Interface (PL050) TRM, DDI 0143
 */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/dev/device.h"
#include "runtime/dev/ps2.h"
#include "runtime/display/display.h"

enum {
    KMI_CR = 0x00,
    KMI_STAT = 0x04,
    KMI_DATA = 0x08,
    KMI_CLKDIV = 0x0c,
    KMI_IR = 0x10,
    KMI_ID = 0xfe0,
};

#define PERIPH_ID UINT64_C(0x041050)

#define CR_ENABLE     (1u << 2)
#define CR_TX_INT     (1u << 3)
#define CR_RX_INT     (1u << 4)
#define CR_MASK       0x3fu
#define STAT_DATA     (1u << 0)
#define STAT_CLOCK    (1u << 1)
#define STAT_PARITY   (1u << 2)
#define STAT_RX_FULL  (1u << 4)
#define STAT_TX_EMPTY (1u << 6)
#define IR_RX         (1u << 0)
#define IR_TX         (1u << 1)

struct pl050 {
    uint32_t control, divider, last;
    struct ps2 ps2;

    const struct device_env *env;
    struct device_seen seen;
};

static uint32_t raw_interrupts(const struct pl050 *dev)
{
    if (!(dev->control & CR_ENABLE))
        return 0;
    return (ps2_has_byte(&dev->ps2) ? IR_RX : 0) | IR_TX;
}

static void update_irq(struct pl050 *dev)
{
    struct irq_line line = device_irq(dev->env, 0);
    uint32_t now = raw_interrupts(dev);

    irq_set(&line,
            (now & IR_RX && dev->control & CR_RX_INT) || (now & IR_TX && dev->control & CR_TX_INT));
}

/* Odd parity of the last byte: KMISTAT's RXPARITY. */
static uint32_t parity_flag(uint32_t byte)
{
    return __builtin_parity(byte) ? 0 : STAT_PARITY;
}

static uint64_t read_register(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    struct pl050 *dev = opaque;

    (void)size, (void)cpu;
    if (offset >= KMI_ID)
        return primecell_id(PERIPH_ID, PRIMECELL_CELL_ID, offset);
    switch (offset) {
    case KMI_CR:
        return dev->control;
    case KMI_STAT:
        return STAT_DATA | STAT_CLOCK | STAT_TX_EMPTY | parity_flag(dev->last) |
               (raw_interrupts(dev) & IR_RX ? STAT_RX_FULL : 0);
    case KMI_DATA:
        if (raw_interrupts(dev) & IR_RX)
            dev->last = ps2_read(&dev->ps2);
        update_irq(dev);
        return dev->last;
    case KMI_CLKDIV:
        return dev->divider;
    case KMI_IR:
        return raw_interrupts(dev);
    }
    device_log_unimp(dev->env, &dev->seen, "pl050", offset, false, 0);
    return 0;
}

static void write_register(void *opaque, uint64_t offset, uint64_t value, unsigned size,
                           unsigned cpu)
{
    struct pl050 *dev = opaque;

    (void)size, (void)cpu;
    if (offset == KMI_CR)
        dev->control = value & CR_MASK;
    else if (offset == KMI_CLKDIV)
        dev->divider = value & 15;
    else if (offset == KMI_DATA && dev->control & CR_ENABLE)
        ps2_write(&dev->ps2, (uint8_t)value);
    else if (offset != KMI_DATA)
        device_log_unimp(dev->env, &dev->seen, "pl050", offset, true, value);
    update_irq(dev);
}

static const struct mmio_ops ops = {read_register, write_register, 4, 4};

/* ---- input ----------------------------------------------------------------------------------- */

static void on_key(void *opaque, uint32_t keysym, bool down)
{
    struct pl050 *dev = opaque;

    ps2_key(&dev->ps2, keysym, down);
    update_irq(dev);
}

static void on_move(void *opaque, int dx, int dy, int wheel, unsigned buttons)
{
    struct pl050 *dev = opaque;

    ps2_move(&dev->ps2, dx, dy, wheel, buttons);
    update_irq(dev);
}

/* ---- life ------------------------------------------------------------------------------------ */

static void reset_pl050(void *opaque)
{
    struct pl050 *dev = opaque;

    dev->control = dev->divider = dev->last = 0;
    ps2_reset(&dev->ps2, dev->ps2.mouse);
    update_irq(dev);
}

static void post_load(void *opaque, struct error *err)
{
    struct pl050 *dev = opaque;

    (void)err;
    ps2_check(&dev->ps2);
    update_irq(dev);
}

static void *create_pl050(const struct device_env *env, struct error *err)
{
    struct pl050 *dev = xcalloc(1, sizeof(*dev));

    dev->env = env;
    if (!device_map(env, 0, 0x1000, &ops, dev, err)) {
        free(dev);
        return NULL;
    }
    dev->ps2.mouse = env->display && !display_add_keyboard(env->display, on_key, dev) &&
                     display_add_mouse(env->display, on_move, dev);
    reset_pl050(dev);
    return dev;
}

static const char *const compatible[] = {"arm,pl050", NULL};

static const struct state_field fields[] = {
    STATE_FIELD(struct pl050, control),
    STATE_FIELD(struct pl050, divider),
    STATE_FIELD(struct pl050, last),
    STATE_FIELD(struct pl050, ps2),
    STATE_END,
};

const struct device_class pl050_class = {
    .name = "pl050",
    .summary = "PL050 keyboard and mouse interface",
    .compatible = compatible,
    .fields = fields,
    .create = create_pl050,
    .reset = reset_pl050,
    .destroy = free,
    .post_load = post_load,
};
