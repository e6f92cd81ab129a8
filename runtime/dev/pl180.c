/*
 * PL180 multimedia card interface, with an SD card on env->disk in its slot.
 *
 * Regions     reg[0], 4 KB
 * Interrupts  [0] MCIINTR0, [1] MCIINTR1; [0] alone: either
 * Clocks      [0] MCLK, for time-outs only (24 MHz without a clock in the tree)
 * Pins        cd-gpios: a card is in the slot; wp-gpios: it is write-protected
 * Bounds      a command is one of sd_card.c; an access moves at most the FIFO's 64 bytes; a step of
 *             an erase is an event, a microsecond after the one before
 * Manual      ARM PrimeCell Multimedia Card Interface (PL180) TRM, DDI 0172
 *
 * Commands and data take no time: the FIFO is full, or empty, as soon as it can be. Data that never
 * comes is a time-out after DataTimer, at a later virtual time.
 */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/dev/device.h"
#include "runtime/dev/sd_card.h"

enum {
    MCI_POWER = 0x00,
    MCI_CLOCK = 0x04,
    MCI_ARGUMENT = 0x08,
    MCI_COMMAND = 0x0c,
    MCI_RESP_CMD = 0x10,
    MCI_RESPONSE = 0x14, /* four words */
    MCI_DATA_TIMER = 0x24,
    MCI_DATA_LENGTH = 0x28,
    MCI_DATA_CTRL = 0x2c,
    MCI_DATA_CNT = 0x30,
    MCI_STATUS = 0x34,
    MCI_CLEAR = 0x38,
    MCI_MASK0 = 0x3c,
    MCI_MASK1 = 0x40,
    MCI_FIFO_CNT = 0x48,
    MCI_FIFO = 0x80,
    MCI_FIFO_END = 0xc0,
    MCI_ID = 0xfe0,
};

#define PERIPH_ID  UINT64_C(0x041180)
#define DEFAULT_HZ 24000000u
#define FIFO_WORDS 16u
#define ERASE_NS   1000u /* time per step of an erase */

#define POWER_ON_MASK    3u
#define CLOCK_DIVIDER(c) (2 * (((c)&0xff) + 1))
#define COMMAND_ENABLE   (1u << 10)
#define COMMAND_LONG     (1u << 7)
#define COMMAND_RESPONSE (1u << 6)
#define COMMAND_INDEX    0x3fu
#define DATA_ENABLE      1u
#define DATA_FROM_CARD   2u
#define DATA_CTRL_MASK   0xffu

/* MCIStatus, section 3.3.11: static flags, then the state of the FIFO. */
#define CMD_TIMEOUT    (1u << 2)
#define DATA_TIMEOUT   (1u << 3)
#define CMD_RESP_END   (1u << 6)
#define CMD_SENT       (1u << 7)
#define DATA_END       (1u << 8)
#define DATA_BLOCK_END (1u << 10)
#define TX_ACTIVE      (1u << 12)
#define RX_ACTIVE      (1u << 13)
#define TX_HALF_EMPTY  (1u << 14)
#define RX_HALF_FULL   (1u << 15)
#define TX_FULL        (1u << 16)
#define RX_FULL        (1u << 17)
#define TX_EMPTY       (1u << 18)
#define RX_EMPTY       (1u << 19)
#define TX_AVAILABLE   (1u << 20)
#define RX_AVAILABLE   (1u << 21)
#define STATIC_FLAGS   0x7ffu

struct pl180 {
    uint32_t power, clock, argument, command, resp_cmd, response[4];
    uint32_t data_timer, data_length, data_ctrl, data_cnt, status, mask[2];
    uint32_t fifo[FIFO_WORDS], fifo_first, fifo_count;
    struct sd_card card;

    const struct device_env *env;
    struct device_seen seen;
    struct event timeout, erasing;
    struct irq_line card_detect, write_protect;
    uint64_t hz;
};

/* ---- status ---------------------------------------------------------------------------------- */

static bool is_receiving(const struct pl180 *dev)
{
    return dev->data_ctrl & DATA_FROM_CARD;
}

/* Until the last word is with the card, or has been read from the FIFO: section 2.2.6, WAIT_R. */
static bool is_transferring(const struct pl180 *dev)
{
    return dev->data_ctrl & DATA_ENABLE;
}

/* The flags of the FIFO follow the direction of the data path. */
static uint32_t read_status(const struct pl180 *dev)
{
    uint32_t flags = dev->status, count = dev->fifo_count;

    if (is_receiving(dev)) {
        flags |= is_transferring(dev) ? RX_ACTIVE : 0;
        flags |= count ? RX_AVAILABLE : RX_EMPTY;
        flags |= count >= FIFO_WORDS / 2 ? RX_HALF_FULL : 0;
        flags |= count == FIFO_WORDS ? RX_FULL : 0;
    } else if (is_transferring(dev)) {
        flags |= TX_ACTIVE | (count ? TX_AVAILABLE : TX_EMPTY);
        flags |= count <= FIFO_WORDS / 2 ? TX_HALF_EMPTY : 0;
        flags |= count == FIFO_WORDS ? TX_FULL : 0;
    }
    return flags;
}

static void update_irqs(struct pl180 *dev)
{
    uint32_t flags = read_status(dev);
    bool level[2] = {flags & dev->mask[0], flags & dev->mask[1]};
    bool both = dev->env->irq_count < 2;

    for (unsigned i = 0; i < 2 && i < dev->env->irq_count; i++) {
        struct irq_line line = device_irq(dev->env, i);

        irq_set(&line, both ? level[0] || level[1] : level[i]);
    }
}

/* ---- data ------------------------------------------------------------------------------------ */

static void append_word(struct pl180 *dev, uint32_t word)
{
    dev->fifo[(dev->fifo_first + dev->fifo_count++) % FIFO_WORDS] = word;
}

static uint32_t take_first(struct pl180 *dev)
{
    uint32_t word = dev->fifo[dev->fifo_first];

    dev->fifo_first = (dev->fifo_first + 1) % FIFO_WORDS;
    dev->fifo_count--;
    return word;
}

/* Moves a word between the card and the FIFO; false: not possible now. */
static bool move_word(struct pl180 *dev)
{
    size_t len = dev->data_cnt < 4 ? dev->data_cnt : 4;
    uint8_t bytes[4] = {0};

    if (is_receiving(dev)) {
        if (dev->fifo_count == FIFO_WORDS || sd_card_read(&dev->card, bytes, len) != len)
            return false;
        append_word(dev, (uint32_t)le_get(bytes, 4));
    } else {
        if (!dev->fifo_count)
            return false;
        le_put(bytes, 4, dev->fifo[dev->fifo_first]);
        if (sd_card_write(&dev->card, bytes, len) != len)
            return false;
        take_first(dev);
    }
    dev->data_cnt -= (uint32_t)len;
    return true;
}

/* Whether the data path waits for the card. */
static bool waits_for_card(const struct pl180 *dev)
{
    return is_transferring(dev) && dev->data_cnt &&
           (is_receiving(dev) ? dev->fifo_count < FIFO_WORDS : dev->fifo_count > 0);
}

static void plan_timeout(struct pl180 *dev)
{
    uint64_t clocks = (uint64_t)dev->data_timer * CLOCK_DIVIDER(dev->clock);

    if (waits_for_card(dev))
        clock_add(dev->env->clock, &dev->timeout,
                  clock_now(dev->env->clock) + clock_ticks_to_ns(clocks, dev->hz));
    else
        clock_cancel(dev->env->clock, &dev->timeout);
}

/* Moves words until the transfer is complete, the FIFO is full or empty, or the card refuses. */
static void run_data(struct pl180 *dev)
{
    bool moving = is_transferring(dev) && dev->data_cnt;

    while (is_transferring(dev) && dev->data_cnt && move_word(dev))
        ;
    if (moving && !dev->data_cnt)
        dev->status |= DATA_END | DATA_BLOCK_END;
    if (!dev->data_cnt && !dev->fifo_count)
        dev->data_ctrl &= ~DATA_ENABLE;
    plan_timeout(dev);
    update_irqs(dev);
}

static void timed_out(void *opaque)
{
    struct pl180 *dev = opaque;

    dev->status |= DATA_TIMEOUT;
    dev->data_ctrl &= ~DATA_ENABLE;
    update_irqs(dev);
}

static void write_data_ctrl(struct pl180 *dev, uint32_t value)
{
    bool starts = value & DATA_ENABLE && !(dev->data_ctrl & DATA_ENABLE);

    dev->data_ctrl = value & DATA_CTRL_MASK;
    if (starts) {
        dev->data_cnt = dev->data_length;
        dev->fifo_first = dev->fifo_count = 0;
    }
    if (starts && !dev->data_length)
        device_log_guest(dev->env, "a transfer of no data");
    run_data(dev);
}

/* ---- commands -------------------------------------------------------------------------------- */

/* Plans the next step of an erase. */
static void plan_work(struct pl180 *dev)
{
    if (sd_card_busy(&dev->card))
        clock_add(dev->env->clock, &dev->erasing, clock_now(dev->env->clock) + ERASE_NS);
    else
        clock_cancel(dev->env->clock, &dev->erasing);
}

static void reset_card(struct pl180 *dev)
{
    sd_card_reset(&dev->card);
    plan_work(dev);
}

static void on_card_work(void *opaque)
{
    struct pl180 *dev = opaque;

    sd_card_work(&dev->card);
    plan_work(dev);
}

static void write_command(struct pl180 *dev, uint32_t value)
{
    unsigned words;

    dev->command = value & ~COMMAND_ENABLE;
    if (!(value & COMMAND_ENABLE))
        return;
    words = sd_card_command(&dev->card, value & COMMAND_INDEX, dev->argument, dev->response);
    dev->resp_cmd = words == 1 ? value & COMMAND_INDEX : COMMAND_INDEX;
    if (!(value & COMMAND_RESPONSE))
        dev->status |= CMD_SENT;
    else if (words == (value & COMMAND_LONG ? 4 : 1))
        dev->status |= CMD_RESP_END;
    else
        dev->status |= CMD_TIMEOUT;
    dev->response[3] &= ~1u;
    if (sd_card_busy(&dev->card) != event_pending(&dev->erasing))
        plan_work(dev);
    run_data(dev);
}

/* ---- registers ------------------------------------------------------------------------------- */

/* A debugger reads the first word without removing it. */
static uint32_t read_fifo(struct pl180 *dev, unsigned cpu)
{
    uint32_t word = 0;

    if (cpu == BUS_NO_CPU)
        return is_receiving(dev) && dev->fifo_count ? dev->fifo[dev->fifo_first] : 0;
    if (is_receiving(dev) && dev->fifo_count)
        word = take_first(dev);
    run_data(dev);
    return word;
}

static void write_fifo(struct pl180 *dev, uint32_t word)
{
    if (!is_receiving(dev) && dev->fifo_count < FIFO_WORDS)
        append_word(dev, word);
    else
        device_log_guest(dev->env, "a word for the FIFO that it has no room for");
    run_data(dev);
}

/* Registers without side effects, or NULL. */
static uint32_t *plain_register(struct pl180 *dev, uint64_t offset)
{
    switch (offset) {
    case MCI_POWER:
        return &dev->power;
    case MCI_CLOCK:
        return &dev->clock;
    case MCI_ARGUMENT:
        return &dev->argument;
    case MCI_COMMAND:
        return &dev->command;
    case MCI_DATA_TIMER:
        return &dev->data_timer;
    case MCI_DATA_LENGTH:
        return &dev->data_length;
    case MCI_DATA_CTRL:
        return &dev->data_ctrl;
    case MCI_MASK0:
    case MCI_MASK1:
        return &dev->mask[offset == MCI_MASK1];
    }
    return NULL;
}

static uint64_t read_register(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    struct pl180 *dev = opaque;
    const uint32_t *word = plain_register(dev, offset);

    (void)size;
    if (word)
        return *word;
    if (offset >= MCI_FIFO && offset < MCI_FIFO_END)
        return read_fifo(dev, cpu);
    if (offset >= MCI_ID)
        return primecell_id(PERIPH_ID, PRIMECELL_CELL_ID, offset);
    switch (offset) {
    case MCI_RESP_CMD:
        return dev->resp_cmd;
    case MCI_RESPONSE:
    case MCI_RESPONSE + 4:
    case MCI_RESPONSE + 8:
    case MCI_RESPONSE + 12:
        return dev->response[(offset - MCI_RESPONSE) / 4];
    case MCI_DATA_CNT:
        return dev->data_cnt;
    case MCI_STATUS:
        return read_status(dev);
    case MCI_FIFO_CNT: /* words that have not yet come to the FIFO, or left it */
        return (dev->data_cnt + 3) / 4;
    }
    device_log_unimp(dev->env, &dev->seen, "pl180", offset, false, 0);
    return 0;
}

static void write_register(void *opaque, uint64_t offset, uint64_t value, unsigned size,
                           unsigned cpu)
{
    struct pl180 *dev = opaque;
    uint32_t word = (uint32_t)value, *at = plain_register(dev, offset);

    (void)size, (void)cpu;
    if (offset >= MCI_FIFO && offset < MCI_FIFO_END) {
        write_fifo(dev, word);
    } else if (offset == MCI_COMMAND) {
        write_command(dev, word);
    } else if (offset == MCI_DATA_CTRL) {
        write_data_ctrl(dev, word);
    } else if (offset == MCI_CLEAR) {
        dev->status &= ~(word & STATIC_FLAGS);
    } else if (at) {
        *at = offset == MCI_DATA_LENGTH ? word & 0xffff : word;
        if (offset == MCI_POWER && !(word & POWER_ON_MASK))
            reset_card(dev);
    } else {
        device_log_unimp(dev->env, &dev->seen, "pl180", offset, true, value);
    }
    update_irqs(dev);
}

static const struct mmio_ops ops = {read_register, write_register, 4, 4};

/* ---- life ------------------------------------------------------------------------------------ */

static void drive_pins(struct pl180 *dev)
{
    const struct disk *disk = dev->card.disk;

    irq_set(&dev->card_detect, disk != NULL);
    irq_set(&dev->write_protect, disk && disk_read_only(disk));
}

static void reset_pl180(void *opaque)
{
    struct pl180 *dev = opaque;

    clock_cancel(dev->env->clock, &dev->timeout);
    dev->power = dev->clock = dev->argument = dev->command = dev->resp_cmd = 0;
    dev->data_timer = dev->data_length = dev->data_ctrl = dev->data_cnt = dev->status = 0;
    dev->mask[0] = dev->mask[1] = dev->fifo_first = dev->fifo_count = 0;
    for (unsigned i = 0; i < 4; i++)
        dev->response[i] = 0;
    reset_card(dev);
    drive_pins(dev);
    update_irqs(dev);
}

static void post_load(void *opaque, struct error *err)
{
    struct pl180 *dev = opaque;

    (void)err;
    dev->fifo_first %= FIFO_WORDS;
    if (dev->fifo_count > FIFO_WORDS)
        dev->fifo_count = 0;
    sd_card_check(&dev->card);
    drive_pins(dev);
    plan_work(dev);
    plan_timeout(dev);
    update_irqs(dev);
}

static void destroy_pl180(void *opaque)
{
    struct pl180 *dev = opaque;

    clock_cancel(dev->env->clock, &dev->timeout);
    clock_cancel(dev->env->clock, &dev->erasing);
    free(dev);
}

static void *create_pl180(const struct device_env *env, struct error *err)
{
    struct pl180 *dev;

    if (env->disk && !sd_card_fits(env->disk, err)) {
        error_prefix(err, "%s: ", env->path);
        return NULL;
    }
    dev = xcalloc(1, sizeof(*dev));
    dev->env = env;
    dev->card.disk = env->disk;
    dev->hz = device_clock_hz(env, 0, DEFAULT_HZ);
    event_init(&dev->timeout, timed_out, dev);
    event_init(&dev->erasing, on_card_work, dev);
    dev->card_detect = device_gpio(env, "cd-gpios");
    dev->write_protect = device_gpio(env, "wp-gpios");
    return device_start(env, 0x1000, &ops, dev, reset_pl180, err);
}

static const char *const compatible[] = {"arm,pl180", NULL};

static const struct state_field fields[] = {
    STATE_FIELD(struct pl180, power),
    STATE_FIELD(struct pl180, clock),
    STATE_FIELD(struct pl180, argument),
    STATE_FIELD(struct pl180, command),
    STATE_FIELD(struct pl180, resp_cmd),
    STATE_FIELD(struct pl180, response),
    STATE_FIELD(struct pl180, data_timer),
    STATE_FIELD(struct pl180, data_length),
    STATE_FIELD(struct pl180, data_ctrl),
    STATE_FIELD(struct pl180, data_cnt),
    STATE_FIELD(struct pl180, status),
    STATE_FIELD(struct pl180, mask),
    STATE_FIELD(struct pl180, fifo),
    STATE_FIELD(struct pl180, fifo_first),
    STATE_FIELD(struct pl180, fifo_count),
    STATE_FIELD(struct pl180, card.s),
    STATE_END,
};

const struct device_class pl180_class = {
    .name = "pl180",
    .summary = "PL180 multimedia card interface with an SD card",
    .compatible = compatible,
    .fields = fields,
    .drive = "sd",
    .create = create_pl180,
    .reset = reset_pl180,
    .destroy = destroy_pl180,
    .post_load = post_load,
};
