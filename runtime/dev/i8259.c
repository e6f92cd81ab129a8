/*
 * The two 8259A interrupt controllers of a PC, the second on input 2 of the first.
 *
 * Regions     reg[0] and reg[1]: two registers of the first and of the second controller; reg[2]:
 *             ELCR1 and ELCR2, which select edge or level per input
 * Interrupts  [0] INT of the first controller
 * Clocks      none
 * Bounds      an access or a change of an input scans the 16 inputs once
 * Manual      Intel 8259A Programmable Interrupt Controller (231468-003); for ELCR: Intel 82371AB
 *             (PIIX4), 290562-001, section "ELCR1, ELCR2"
 */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/dev/device.h"
#include "runtime/dev/i8259.h"

enum { CHIPS = 2, INPUTS = 8, CASCADE = 2 };

#define ICW1_START   0x10u
#define ICW1_SINGLE  0x02u
#define ICW1_ICW4    0x01u
#define ICW4_AUTO    0x02u
#define OCW3         0x08u
#define OCW3_MASK    0x60u /* special mask mode: bit 6 enables the write of bit 5 */
#define OCW3_POLL    0x04u
#define OCW3_READ    0x02u /* bit 0 selects the register that reads return */
#define EOI          0x20u
#define EOI_SPECIFIC 0x40u
#define EOI_ROTATE   0x80u

#define ELCR_FIRST  0xf8u /* inputs that may be level-triggered */
#define ELCR_SECOND 0xdeu

struct i8259_chip {
    /* bit n: input n; level: level of the input's line; edge_mode: ELCR, 1 for level-triggered */
    uint32_t request, service, mask, level, edge_mode;
    uint32_t base, lowest; /* vector of input 0; input with the lowest priority */
    uint32_t step, wants_icw4;
    uint32_t automatic, special_mask, poll, reads_service;
};

struct i8259 {
    struct i8259_chip chips[CHIPS];
    const struct device_env *env;
};

/* ---- priorities ------------------------------------------------------------------------------ */

/* Priority of the most urgent input in `bits`: 0 is the highest; 8: `bits` is 0. */
static unsigned priority_of(const struct i8259_chip *c, uint32_t bits)
{
    for (unsigned p = 0; p < INPUTS; p++) {
        if (bits >> ((c->lowest + 1 + p) % INPUTS) & 1)
            return p;
    }
    return INPUTS;
}

/* The input whose request passes the mask and the priorities of the chip; -1: none. */
static int pending_input(const struct i8259_chip *c)
{
    uint32_t blocking = c->special_mask ? c->service & ~c->mask : c->service;
    unsigned wanted = priority_of(c, c->request & ~c->mask);

    if (wanted == INPUTS || wanted >= priority_of(c, blocking))
        return -1;
    return (int)((c->lowest + 1 + wanted) % INPUTS);
}

/* Sets the level of input n. A level-triggered input requests while it is high. An edge-triggered
 * input requests from its rising edge until it is acknowledged or falls. */
static void set_chip_input(struct i8259_chip *c, unsigned n, bool level)
{
    uint32_t bit = 1u << n;

    if (c->edge_mode & bit)
        c->request = level ? c->request | bit : c->request & ~bit;
    else if (!level)
        c->request &= ~bit;
    else if (!(c->level & bit))
        c->request |= bit;
    c->level = level ? c->level | bit : c->level & ~bit;
}

static void update_irqs(struct i8259 *pic)
{
    struct irq_line line = device_irq(pic->env, 0);

    set_chip_input(&pic->chips[0], CASCADE, pending_input(&pic->chips[1]) >= 0);
    irq_set(&line, pending_input(&pic->chips[0]) >= 0);
}

static void set_input(void *opaque, unsigned n, bool level)
{
    struct i8259 *pic = opaque;

    set_chip_input(&pic->chips[n / INPUTS], n % INPUTS, level);
    update_irqs(pic);
}

/* ---- acknowledging --------------------------------------------------------------------------- */

static void take_input(struct i8259_chip *c, unsigned n)
{
    uint32_t bit = 1u << n;

    if (!c->automatic)
        c->service |= bit;
    if (!(c->edge_mode & bit)) /* a level-triggered input keeps requesting */
        c->request &= ~bit;
}

uint8_t i8259_acknowledge(struct i8259 *pic, int peek)
{
    struct i8259_chip *first = &pic->chips[0], *second = &pic->chips[1];
    int n = pending_input(first), m = pending_input(second);
    uint32_t vector = first->base + (n < 0 ? INPUTS - 1u : (unsigned)n);

    if (n == CASCADE)
        vector = second->base + (m < 0 ? INPUTS - 1u : (unsigned)m);
    if (!peek) {
        if (n == CASCADE && m >= 0)
            take_input(second, (unsigned)m);
        if (n >= 0)
            take_input(first, (unsigned)n);
        if (n == CASCADE) /* the second controller's INT falls during the cycle */
            set_chip_input(first, CASCADE, false);
        update_irqs(pic);
    }
    return (uint8_t)vector;
}

/* ---- registers ------------------------------------------------------------------------------- */

static void write_init_word(struct i8259_chip *c, uint32_t value)
{
    c->request = c->service = c->mask = 0;
    c->lowest = INPUTS - 1;
    c->automatic = c->special_mask = c->poll = c->reads_service = 0;
    c->step = 2;
    c->wants_icw4 = value & ICW1_ICW4;
}

/* OCW2: the end of an interrupt, and rotation of priorities. */
static void end_interrupt(struct i8259_chip *c, uint32_t value)
{
    unsigned n = value & 7;

    if (value & EOI && !(value & EOI_SPECIFIC))
        n = (c->lowest + 1 + priority_of(c, c->service)) % INPUTS;
    if (value & EOI && c->service)
        c->service &= ~(1u << n);
    if (value & EOI_ROTATE && (value & (EOI | EOI_SPECIFIC)))
        c->lowest = n;
    else if ((value & (EOI_ROTATE | EOI_SPECIFIC | EOI)) == (EOI_ROTATE | EOI_SPECIFIC))
        c->lowest = n;
}

static void write_command(struct i8259_chip *c, uint32_t value)
{
    if (value & ICW1_START) {
        write_init_word(c, value);
    } else if (value & OCW3) {
        if (value & OCW3_READ)
            c->reads_service = value & 1;
        if (value & 0x40)
            c->special_mask = value >> 5 & 1;
        c->poll = (value & OCW3_POLL) != 0;
    } else {
        end_interrupt(c, value);
    }
}

static void write_data(struct i8259_chip *c, uint32_t value)
{
    switch (c->step) {
    case 2:
        c->base = value & 0xf8;
        c->step = 3;
        break;
    case 3:
        c->step = c->wants_icw4 ? 4 : 0;
        break;
    case 4:
        c->automatic = (value & ICW4_AUTO) != 0;
        c->step = 0;
        break;
    default:
        c->mask = value & 0xff;
    }
}

static uint64_t read_chip(struct i8259 *pic, unsigned chip, uint64_t offset, unsigned cpu)
{
    struct i8259_chip *c = &pic->chips[chip];
    int n;

    if (!c->poll)
        return offset ? c->mask : c->reads_service ? c->service : c->request;
    n = pending_input(c);
    if (cpu == BUS_NO_CPU)
        return n < 0 ? 0 : 0x80 | (unsigned)n;
    c->poll = 0;
    if (n >= 0)
        take_input(c, (unsigned)n);
    update_irqs(pic);
    return n < 0 ? 0 : 0x80 | (unsigned)n;
}

static void write_chip(struct i8259 *pic, unsigned chip, uint64_t offset, uint64_t value)
{
    if (offset)
        write_data(&pic->chips[chip], (uint32_t)value & 0xff);
    else
        write_command(&pic->chips[chip], (uint32_t)value & 0xff);
    update_irqs(pic);
}

static uint64_t read_first(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    (void)size;
    return read_chip(opaque, 0, offset, cpu);
}

static uint64_t read_second(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    (void)size;
    return read_chip(opaque, 1, offset, cpu);
}

static void write_first(void *opaque, uint64_t offset, uint64_t value, unsigned size, unsigned cpu)
{
    (void)size, (void)cpu;
    write_chip(opaque, 0, offset, value);
}

static void write_second(void *opaque, uint64_t offset, uint64_t value, unsigned size, unsigned cpu)
{
    (void)size, (void)cpu;
    write_chip(opaque, 1, offset, value);
}

static uint64_t read_elcr(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    const struct i8259 *pic = opaque;

    (void)size, (void)cpu;
    return pic->chips[offset & 1].edge_mode;
}

static void write_elcr(void *opaque, uint64_t offset, uint64_t value, unsigned size, unsigned cpu)
{
    struct i8259 *pic = opaque;

    (void)size, (void)cpu;
    pic->chips[offset & 1].edge_mode = (uint32_t)value & (offset & 1 ? ELCR_SECOND : ELCR_FIRST);
}

static const struct mmio_ops first_ops = {read_first, write_first, 1, 1};
static const struct mmio_ops second_ops = {read_second, write_second, 1, 1};
static const struct mmio_ops elcr_ops = {read_elcr, write_elcr, 1, 1};

/* ---- life ------------------------------------------------------------------------------------ */

static bool irq_input(void *dev, const uint32_t *cells, unsigned count, unsigned cpu,
                      struct irq_line *line, struct error *err)
{
    (void)cpu;
    if (!count || cells[0] >= CHIPS * INPUTS || cells[0] == CASCADE)
        return error_set(err, "an i8259 has no interrupt %u", count ? cells[0] : 0);
    *line = (struct irq_line){set_input, dev, cells[0]};
    return true;
}

static void reset_i8259(void *dev)
{
    struct i8259 *pic = dev;

    for (unsigned i = 0; i < CHIPS; i++) {
        uint32_t level = pic->chips[i].level;

        pic->chips[i] = (struct i8259_chip){.level = level};
        write_init_word(&pic->chips[i], 0);
        pic->chips[i].step = 0;
    }
    update_irqs(pic);
}

static void post_load(void *dev, struct error *err)
{
    struct i8259 *pic = dev;

    (void)err;
    for (unsigned i = 0; i < CHIPS; i++) {
        struct i8259_chip *c = &pic->chips[i];

        c->request &= 0xff;
        c->service &= 0xff;
        c->mask &= 0xff;
        c->base &= 0xf8;
        c->lowest %= INPUTS;
    }
    update_irqs(pic);
}

static void *create_i8259(const struct device_env *env, struct error *err)
{
    struct i8259 *pic = xcalloc(1, sizeof(*pic));

    pic->env = env;
    if (device_map(env, 1, 2, &second_ops, pic, err) && device_map(env, 2, 2, &elcr_ops, pic, err))
        return device_start(env, 2, &first_ops, pic, reset_i8259, err);
    free(pic);
    return NULL;
}

static const char *const compatible[] = {"intel,i8259", NULL};

static const struct state_field fields[] = {
    STATE_FIELD(struct i8259, chips),
    STATE_END,
};

const struct device_class i8259_class = {
    .name = "i8259",
    .summary = "the two 8259A interrupt controllers of a PC",
    .compatible = compatible,
    .fields = fields,
    .create = create_i8259,
    .reset = reset_i8259,
    .destroy = free,
    .post_load = post_load,
    .irq_input = irq_input,
};
