/*
 * Message handling unit: doorbells between the CPUs and the system control processor.
 *
 * Regions     reg[0], 4 KB
 * Interrupts  [0] low priority, [1] high priority, [2] secure: from the control processor
 * Clocks      none
 * Bounds      a doorbell rings only for bits that were clear, and the firmware plans an event then
 * Manual      Juno Arm Development Platform SoC TRM (DDI 0515), "Message Handling Unit"
 */
#include "runtime/dev/mhu.h"

#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/dev/device.h"

/* A register set has STAT, SET and CLR; the sets towards the firmware are at + 0x100. */
enum { REG_STAT = 0x00, REG_SET = 0x08, REG_CLR = 0x10, TO_FIRMWARE = 0x100, MHU_ID = 0xfd0 };

static const uint16_t channel_base[MHU_CHANNELS] = {0x000, 0x020, 0x200};

#define PERIPH_ID UINT64_C(0x41bb098)

struct client {
    void (*fn)(void *opaque, enum mhu_channel channel, uint32_t bits);
    void *opaque;
};

struct mhu {
    uint32_t to_cpu[MHU_CHANNELS], to_firmware[MHU_CHANNELS];

    const struct device_env *env;
    struct device_seen seen;
    struct client client[MHU_CHANNELS];
};

static void update_irqs(struct mhu *mhu)
{
    for (unsigned c = 0; c < MHU_CHANNELS; c++) {
        struct irq_line line = device_irq(mhu->env, c);

        irq_set(&line, mhu->to_cpu[c] != 0);
    }
}

void mhu_set_doorbell(struct mhu *mhu, enum mhu_channel channel,
                      void (*fn)(void *opaque, enum mhu_channel channel, uint32_t bits),
                      void *opaque)
{
    if (channel < MHU_CHANNELS)
        mhu->client[channel] = (struct client){fn, opaque};
}

void mhu_clear(struct mhu *mhu, enum mhu_channel channel, uint32_t bits)
{
    if (channel < MHU_CHANNELS)
        mhu->to_firmware[channel] &= ~bits;
}

void mhu_ring(struct mhu *mhu, enum mhu_channel channel, uint32_t bits)
{
    if (channel >= MHU_CHANNELS)
        return;
    mhu->to_cpu[channel] |= bits;
    update_irqs(mhu);
}

/* The channel and register that an offset names; false when it is none. */
static bool decode_offset(uint64_t offset, unsigned *channel, bool *to_firmware, unsigned *reg)
{
    for (unsigned c = 0; c < MHU_CHANNELS; c++) {
        uint64_t at = offset - channel_base[c];

        *to_firmware = at >= TO_FIRMWARE;
        if (*to_firmware)
            at -= TO_FIRMWARE;
        if (at > REG_CLR)
            continue;
        *channel = c;
        *reg = (unsigned)at;
        return true;
    }
    return false;
}

static uint64_t read_register(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    struct mhu *mhu = opaque;
    unsigned channel, reg;
    bool to_firmware;

    (void)size, (void)cpu;
    if (offset >= MHU_ID)
        return primecell_id(PERIPH_ID, PRIMECELL_CELL_ID, offset);
    if (decode_offset(offset, &channel, &to_firmware, &reg) && reg == REG_STAT)
        return to_firmware ? mhu->to_firmware[channel] : mhu->to_cpu[channel];
    device_log_unimp(mhu->env, &mhu->seen, "mhu", offset, false, 0);
    return 0;
}

static void ring_firmware(struct mhu *mhu, unsigned channel, uint32_t bits)
{
    const struct client *client = &mhu->client[channel];
    uint32_t fresh = bits & ~mhu->to_firmware[channel];

    mhu->to_firmware[channel] |= bits;
    if (fresh && client->fn)
        client->fn(client->opaque, channel, mhu->to_firmware[channel]);
}

static void write_register(void *opaque, uint64_t offset, uint64_t value, unsigned size,
                           unsigned cpu)
{
    struct mhu *mhu = opaque;
    unsigned channel, reg;
    bool to_firmware;

    (void)size, (void)cpu;
    if (!decode_offset(offset, &channel, &to_firmware, &reg) || reg == REG_STAT) {
        device_log_unimp(mhu->env, &mhu->seen, "mhu", offset, true, value);
    } else if (reg == REG_SET) {
        if (to_firmware)
            ring_firmware(mhu, channel, (uint32_t)value);
        else
            mhu->to_cpu[channel] |= (uint32_t)value;
    } else if (reg == REG_CLR) {
        uint32_t *set = to_firmware ? mhu->to_firmware : mhu->to_cpu;

        set[channel] &= ~(uint32_t)value;
    }
    update_irqs(mhu);
}

static const struct mmio_ops ops = {read_register, write_register, 4, 4};

static void reset_mhu(void *opaque)
{
    struct mhu *mhu = opaque;

    for (unsigned c = 0; c < MHU_CHANNELS; c++)
        mhu->to_cpu[c] = mhu->to_firmware[c] = 0;
    update_irqs(mhu);
}

static void post_load(void *opaque, struct error *err)
{
    (void)err;
    update_irqs(opaque);
}

static void *create_mhu(const struct device_env *env, struct error *err)
{
    struct mhu *mhu = xcalloc(1, sizeof(*mhu));

    mhu->env = env;
    return device_start(env, 0x1000, &ops, mhu, reset_mhu, err);
}

static const char *const compatible[] = {"arm,mhu", "arm,mhu-doorbell", NULL};

static const struct state_field fields[] = {
    STATE_FIELD(struct mhu, to_cpu),
    STATE_FIELD(struct mhu, to_firmware),
    STATE_END,
};

const struct device_class mhu_class = {
    .name = "mhu",
    .summary = "message handling unit (mailbox)",
    .compatible = compatible,
    .fields = fields,
    .create = create_mhu,
    .reset = reset_mhu,
    .destroy = free,
    .post_load = post_load,
};
