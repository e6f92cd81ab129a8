/*
 * SMSC LAN9118 Ethernet controller: a MAC with PHY behind FIFOs that the host fills and empties.
 * Frames go to and come from env->net; without one the link is down.
 *
 * Regions     reg[0]: 256 bytes of registers
 * Interrupts  [0] IRQ
 * Clocks      none: FREE_RUN counts 25 MHz of virtual time
 * Bounds      an access is one word of a FIFO or one command; lan9118_*.c say more
 * Manual      LAN9118 High Performance Single-Chip 10/100 Non-PCI Ethernet Controller, datasheet
 *             revision 1.5 (SMSC)
 */
#include "runtime/dev/lan9118.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"

enum {
    RX_DATA_END = 0x20,
    TX_DATA_END = 0x40,
    RX_STATUS = 0x40,
    RX_STATUS_PEEK = 0x44,
    TX_STATUS = 0x48,
    TX_STATUS_PEEK = 0x4c,
    ID_REV = 0x50,
    IRQ_CFG = 0x54,
    INT_STS = 0x58,
    INT_EN = 0x5c,
    BYTE_TEST = 0x64,
    FIFO_INT = 0x68,
    RX_CFG = 0x6c,
    TX_CFG = 0x70,
    HW_CFG = 0x74,
    RX_DP_CTRL = 0x78,
    RX_FIFO_INF = 0x7c,
    TX_FIFO_INF = 0x80,
    PMT_CTRL = 0x84,
    GPIO_CFG = 0x88,
    GPT_CFG = 0x8c,
    WORD_SWAP = 0x98,
    FREE_RUN = 0x9c,
    RX_DROP = 0xa0,
    MAC_CSR_CMD = 0xa4,
    MAC_CSR_DATA = 0xa8,
    AFC_CFG = 0xac,
    E2P_CMD = 0xb0,
    E2P_DATA = 0xb4,
    REGISTERS_END = 0x100,
};

#define ID              0x01180001u
#define BYTE_TEST_VALUE 0x87654321u
#define FREE_RUN_HZ     25000000u
#define IRQ_CFG_MASK    0xff000111u
#define RX_CFG_DUMP     (1u << 15)
#define RX_CFG_MASK     0xcfff1f00u
#define TX_CFG_SDUMP    (1u << 15)
#define TX_CFG_DDUMP    (1u << 14)
#define TX_CFG_MASK     0x6u
#define TX_CFG_STOP     1u
#define HW_CFG_RESET    1u
#define HW_CFG_32BIT    4u
#define HW_CFG_MASK     0x003f5000u
#define RX_FAST_FWD     (1u << 31)
#define PMT_READY       1u
#define PMT_PHY_RESET   (1u << 10)
#define E2P_BUSY        (1u << 31)
#define E2P_COMMAND(c)  ((c) >> 28 & 7)
#define E2P_LOADED      0x100u

enum {
    E2P_READ = 0,
    E2P_WRITE = 3,
    E2P_WRITE_ALL = 4,
    E2P_ERASE = 5,
    E2P_ERASE_ALL = 6,
    E2P_RELOAD = 7
};

#define E2P_SIGNATURE 0xa5u /* an address follows */

/* ---- reset and the EEPROM -------------------------------------------------------------------- */

/* Applies a soft reset, after which the EEPROM keeps its content. */
static void soft_reset(struct lan9118 *dev)
{
    dev->irq_cfg = dev->int_sts = dev->int_en = dev->rx_cfg = dev->tx_cfg = 0;
    dev->fifo_int = 0x48000000;
    dev->hw_cfg = 0x00050000;
    dev->pmt_ctrl = dev->gpio_cfg = dev->word_swap = dev->rx_drop = 0;
    dev->gpt_cfg = 0xffff;
    dev->mac_cmd = dev->mac_data = dev->afc_cfg = dev->e2p_data = 0;
    dev->e2p_cmd = dev->eeprom[0] == E2P_SIGNATURE ? E2P_LOADED : 0;
    lan_clear_rx(dev);
    lan_clear_tx(dev);
    lan_reset_mac(dev);
    lan_interrupt(dev, 0);
}

static void eeprom_command(struct lan9118 *dev, uint32_t command)
{
    uint8_t *byte = &dev->eeprom[command & (sizeof(dev->eeprom) - 1)];

    dev->e2p_cmd = (command & ~E2P_BUSY) | (dev->e2p_cmd & E2P_LOADED);
    if (!(command & E2P_BUSY))
        return;
    switch (E2P_COMMAND(command)) {
    case E2P_READ:
        dev->e2p_data = *byte;
        break;
    case E2P_WRITE:
        *byte = (uint8_t)dev->e2p_data;
        break;
    case E2P_ERASE:
        *byte = 0xff;
        break;
    case E2P_WRITE_ALL:
    case E2P_ERASE_ALL:
        memset(dev->eeprom, E2P_COMMAND(command) == E2P_ERASE_ALL ? 0xff : (int)dev->e2p_data,
               sizeof(dev->eeprom));
        break;
    case E2P_RELOAD:
        lan_load_address(dev);
        break;
    }
}

/* ---- registers ------------------------------------------------------------------------------- */

/* Registers without side effects, or NULL. */
static uint32_t *plain_register(struct lan9118 *dev, uint64_t offset)
{
    switch (offset) {
    case IRQ_CFG:
        return &dev->irq_cfg;
    case INT_STS:
        return &dev->int_sts;
    case INT_EN:
        return &dev->int_en;
    case FIFO_INT:
        return &dev->fifo_int;
    case RX_CFG:
        return &dev->rx_cfg;
    case TX_CFG:
        return &dev->tx_cfg;
    case GPIO_CFG:
        return &dev->gpio_cfg;
    case GPT_CFG:
        return &dev->gpt_cfg;
    case WORD_SWAP:
        return &dev->word_swap;
    case MAC_CSR_CMD:
        return &dev->mac_cmd;
    case MAC_CSR_DATA:
        return &dev->mac_data;
    case AFC_CFG:
        return &dev->afc_cfg;
    case E2P_CMD:
        return &dev->e2p_cmd;
    case E2P_DATA:
        return &dev->e2p_data;
    }
    return NULL;
}

static uint32_t take_drops(struct lan9118 *dev)
{
    uint32_t drops = dev->rx_drop;

    dev->rx_drop = 0;
    return drops;
}

static uint64_t read_register(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    struct lan9118 *dev = opaque;
    const uint32_t *word = plain_register(dev, offset);

    (void)size, (void)cpu;
    if (offset < RX_DATA_END)
        return lan_read_rx_data(dev);
    if (word)
        return *word;
    switch (offset) {
    case RX_STATUS:
    case RX_STATUS_PEEK:
        return lan_read_rx_status(dev, offset == RX_STATUS);
    case TX_STATUS:
    case TX_STATUS_PEEK:
        return lan_read_tx_status(dev, offset == TX_STATUS);
    case ID_REV:
        return ID;
    case BYTE_TEST:
        return BYTE_TEST_VALUE;
    case HW_CFG:
        return dev->hw_cfg | HW_CFG_32BIT;
    case RX_DP_CTRL:
        return 0;
    case RX_FIFO_INF:
        return dev->rx_sts.count << 16 | dev->rx.count * 4;
    case TX_FIFO_INF:
        return dev->tx_sts.count << 16 | lan_tx_free(dev);
    case PMT_CTRL:
        return dev->pmt_ctrl | PMT_READY;
    case FREE_RUN:
        return (uint32_t)clock_ns_to_ticks(clock_now(dev->env->clock), FREE_RUN_HZ);
    case RX_DROP:
        return take_drops(dev);
    }
    device_log_unimp(dev->env, &dev->seen, "lan9118", offset, false, 0);
    return 0;
}

static void write_hw_cfg(struct lan9118 *dev, uint32_t value)
{
    if (value & HW_CFG_RESET) {
        soft_reset(dev);
        return;
    }
    if ((value ^ dev->hw_cfg) & 0x000f0000) { /* the division of the memory changes */
        lan_clear_rx(dev);
        lan_clear_tx(dev);
    }
    dev->hw_cfg = value & HW_CFG_MASK;
    lan_interrupt(dev, 0);
}

static void write_tx_cfg(struct lan9118 *dev, uint32_t value)
{
    if (value & (TX_CFG_SDUMP | TX_CFG_DDUMP))
        lan_clear_tx(dev);
    dev->tx_cfg = value & TX_CFG_MASK;
    if (value & TX_CFG_STOP) {
        dev->tx_cfg &= ~2u;
        lan_interrupt(dev, LAN_INT_TXSTOP);
    }
    lan_transmit(dev);
}

static void write_rx_cfg(struct lan9118 *dev, uint32_t value)
{
    if (value & RX_CFG_DUMP)
        lan_clear_rx(dev);
    dev->rx_cfg = value & RX_CFG_MASK;
    lan_wire_resume(dev);
}

/* Registers whose write has an effect of its own; false: it has none. */
static bool write_active_register(struct lan9118 *dev, uint64_t offset, uint32_t value)
{
    switch (offset) {
    case INT_STS:
        dev->int_sts &= ~value;
        break;
    case INT_EN:
        dev->int_sts |= value & ~dev->int_en & LAN_INT_SW;
        dev->int_en = value;
        break;
    case IRQ_CFG:
        dev->irq_cfg = value & IRQ_CFG_MASK;
        break;
    case RX_CFG:
        write_rx_cfg(dev, value);
        break;
    case TX_CFG:
        write_tx_cfg(dev, value);
        break;
    case HW_CFG:
        write_hw_cfg(dev, value);
        break;
    case RX_DP_CTRL:
        if (value & RX_FAST_FWD)
            lan_skip_frame(dev);
        break;
    case PMT_CTRL:
        dev->pmt_ctrl = value & 0x337e & ~PMT_PHY_RESET;
        break;
    case MAC_CSR_CMD:
        lan_mac_command(dev, value);
        break;
    case E2P_CMD:
        eeprom_command(dev, value);
        break;
    default:
        return false;
    }
    return true;
}

static void write_register(void *opaque, uint64_t offset, uint64_t value, unsigned size,
                           unsigned cpu)
{
    struct lan9118 *dev = opaque;
    uint32_t word = (uint32_t)value, *at = plain_register(dev, offset);

    (void)size, (void)cpu;
    if (offset >= RX_DATA_END && offset < TX_DATA_END) {
        lan_write_tx_data(dev, word);
        return;
    }
    if (!write_active_register(dev, offset, word)) {
        if (at)
            *at = word;
        else
            device_log_unimp(dev->env, &dev->seen, "lan9118", offset, true, value);
    }
    lan_interrupt(dev, 0);
}

static const struct mmio_ops ops = {read_register, write_register, 4, 4};

/* ---- life ------------------------------------------------------------------------------------ */

static void reset_lan9118(void *opaque)
{
    struct lan9118 *dev = opaque;

    clock_cancel(dev->env->clock, &dev->arrival);
    frame_queue_clear(&dev->waiting);
    soft_reset(dev);
}

static void post_load(void *opaque, struct error *err)
{
    struct lan9118 *dev = opaque;

    (void)err;
    lan_check_fifos(dev);
    lan_wire_resume(dev);
    lan_interrupt(dev, 0);
}

static void save_frames(void *opaque, struct state_buf *buf)
{
    const struct lan9118 *dev = opaque;
    struct state_buf frames = {0};

    frame_queue_save(&dev->waiting, &frames);
    state_save_bytes(buf, "waiting", frames.data, frames.len);
    state_buf_free(&frames);
}

static bool take_frames(struct lan9118 *dev, const struct state_buf *buf, bool apply,
                        struct error *err)
{
    size_t len;
    const uint8_t *bytes = state_bytes(buf, "waiting", &len);

    return (bytes && frame_queue_load(&dev->waiting, bytes, len, apply)) ||
           error_set(err, "the waiting frames are damaged");
}

static bool load_frames(void *opaque, const struct state_buf *buf, struct error *err)
{
    return take_frames(opaque, buf, true, err);
}

static bool check_frames(const void *opaque, const struct device_saved *saved, struct error *err)
{
    return take_frames((void *)(uintptr_t)opaque, saved->more, false, err);
}

static void destroy_lan9118(void *opaque)
{
    struct lan9118 *dev = opaque;

    clock_cancel(dev->env->clock, &dev->arrival);
    frame_queue_clear(&dev->waiting);
    if (dev->env->net)
        dev->env->net->receive = NULL;
    free(dev);
}

static void *create_lan9118(const struct device_env *env, struct error *err)
{
    struct lan9118 *dev = xcalloc(1, sizeof(*dev));

    dev->env = env;
    if (!device_map(env, 0, REGISTERS_END, &ops, dev, err)) {
        free(dev);
        return NULL;
    }
    event_init(&dev->arrival, lan_mac_arrive, dev);
    memset(dev->eeprom, 0xff, sizeof(dev->eeprom));
    dev->eeprom[0] = E2P_SIGNATURE;
    memcpy(dev->eeprom + 1, env->mac, sizeof(env->mac));
    if (env->net) {
        env->net->receive = lan_wire_receive;
        env->net->card = dev;
    }
    stats_add(env->stats, env->name, "frames_sent", &dev->sent);
    stats_add(env->stats, env->name, "frames_received", &dev->received);
    stats_add(env->stats, env->name, "frames_dropped", &dev->dropped);
    soft_reset(dev);
    return dev;
}

static const char *const compatible[] = {"smsc,lan9118", "smsc,lan9115", NULL};

static const struct state_field fields[] = {
    STATE_FIELD(struct lan9118, irq_cfg),
    STATE_FIELD(struct lan9118, int_sts),
    STATE_FIELD(struct lan9118, int_en),
    STATE_FIELD(struct lan9118, fifo_int),
    STATE_FIELD(struct lan9118, rx_cfg),
    STATE_FIELD(struct lan9118, tx_cfg),
    STATE_FIELD(struct lan9118, hw_cfg),
    STATE_FIELD(struct lan9118, pmt_ctrl),
    STATE_FIELD(struct lan9118, gpio_cfg),
    STATE_FIELD(struct lan9118, gpt_cfg),
    STATE_FIELD(struct lan9118, word_swap),
    STATE_FIELD(struct lan9118, rx_drop),
    STATE_FIELD(struct lan9118, mac_cmd),
    STATE_FIELD(struct lan9118, mac_data),
    STATE_FIELD(struct lan9118, afc_cfg),
    STATE_FIELD(struct lan9118, e2p_cmd),
    STATE_FIELD(struct lan9118, e2p_data),
    STATE_FIELD(struct lan9118, eeprom),
    STATE_FIELD(struct lan9118, mac),
    STATE_FIELD(struct lan9118, phy),
    STATE_FIELD(struct lan9118, rx_data),
    STATE_FIELD(struct lan9118, tx_data),
    STATE_FIELD(struct lan9118, rx_status),
    STATE_FIELD(struct lan9118, tx_status),
    STATE_FIELD(struct lan9118, rx_words),
    STATE_FIELD(struct lan9118, rx),
    STATE_FIELD(struct lan9118, tx),
    STATE_FIELD(struct lan9118, rx_sts),
    STATE_FIELD(struct lan9118, tx_sts),
    STATE_FIELD(struct lan9118, rx_frames),
    STATE_FIELD(struct lan9118, segment),
    STATE_FIELD(struct lan9118, frame),
    STATE_FIELD(struct lan9118, frame_len),
    STATE_FIELD(struct lan9118, frame_bad),
    STATE_END,
};

const struct device_class lan9118_class = {
    .name = "lan9118",
    .summary = "SMSC LAN9118 Ethernet controller",
    .compatible = compatible,
    .fields = fields,
    .create = create_lan9118,
    .reset = reset_lan9118,
    .destroy = destroy_lan9118,
    .save = save_frames,
    .load = load_frames,
    .check = check_frames,
    .post_load = post_load,
    .nic = true,
};
