/*
 * LAN9118: the Ethernet MAC and the PHY in the chip, whose link is up with 100 Mbit/s in full
 * duplex when there is a network. Sections 5.4 and 5.5 of the datasheet.
 *
 * Bounds      a register access is one step; one event accepts one frame
 */
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/dev/lan9118.h"

#define CSR_BUSY    (1u << 31)
#define CSR_READ    (1u << 30)
#define MII_WRITE   (1u << 1)
#define MII_BUSY    (1u << 0)
#define PHY_ADDRESS 1u

/* RX status, section 3.13.3 */
#define RX_FILTER_FAIL (1u << 30)
#define RX_BROADCAST   (1u << 13)
#define RX_MULTICAST   (1u << 10)
#define RX_TYPE        (1u << 5)

/* Registers of the PHY, section 5.5 and IEEE 802.3, 22.2.4 */
enum {
    PHY_STATUS = 1,
    PHY_ID1 = 2,
    PHY_ID2 = 3,
    PHY_ADVERTISED = 4,
    PHY_PARTNER = 5,
    PHY_EXPANSION = 6,
    PHY_MODE = 17,
    PHY_SPECIAL_MODES = 18,
    PHY_SOURCE = 29,
    PHY_MASK = 30,
    PHY_SPECIAL = 31,
};

#define STATUS_UP        0x782du /* all modes, negotiated, the link is up */
#define STATUS_DOWN      0x7809u
#define CONTROL_RESET    0x8000u
#define CONTROL_RESTART  0x0200u
#define SOURCE_ANEG_DONE 0x0040u
#define MODE_ENERGY_ON   0x0002u

/* ---- the PHY --------------------------------------------------------------------------------- */

static void reset_phy(struct lan9118 *dev)
{
    memset(dev->phy, 0, sizeof(dev->phy));
    dev->phy[LAN_PHY_CONTROL] = 0x3000; /* 100 Mbit/s, negotiate */
    dev->phy[PHY_STATUS] = dev->env->net ? STATUS_UP : STATUS_DOWN;
    dev->phy[PHY_ID1] = 0x0007; /* the PHY's part of the LAN9118 */
    dev->phy[PHY_ID2] = 0xc0d1;
    dev->phy[PHY_ADVERTISED] = 0x01e1; /* 10 and 100 Mbit/s, half and full */
    dev->phy[PHY_PARTNER] = 0x45e1;
    dev->phy[PHY_EXPANSION] = 0x0001;
    dev->phy[PHY_MODE] = MODE_ENERGY_ON;
    dev->phy[PHY_SPECIAL_MODES] = 0x00e1;
    dev->phy[PHY_SPECIAL] = 0x1018; /* negotiated, 100 Mbit/s in full duplex */
}

static void drive_phy_interrupt(struct lan9118 *dev)
{
    lan_interrupt(dev, dev->phy[PHY_SOURCE] & dev->phy[PHY_MASK] ? LAN_INT_PHY : 0);
}

static uint16_t read_phy(struct lan9118 *dev, unsigned reg)
{
    uint16_t value = dev->phy[reg];

    if (reg == PHY_SOURCE)
        dev->phy[reg] = 0;
    return value;
}

static void write_phy(struct lan9118 *dev, unsigned reg, uint16_t value)
{
    switch (reg) {
    case LAN_PHY_CONTROL:
        if (value & CONTROL_RESET) {
            reset_phy(dev);
            break;
        }
        dev->phy[reg] = value & (uint16_t)~CONTROL_RESTART;
        if (value & CONTROL_RESTART)
            dev->phy[PHY_SOURCE] |= SOURCE_ANEG_DONE;
        break;
    case PHY_MODE:
        dev->phy[reg] = value | MODE_ENERGY_ON;
        break;
    case PHY_ADVERTISED:
    case PHY_SPECIAL_MODES:
    case PHY_MASK:
        dev->phy[reg] = value;
        break;
    }
    drive_phy_interrupt(dev);
}

/* ---- registers of the MAC -------------------------------------------------------------------- */

static void mii_access(struct lan9118 *dev, uint32_t command)
{
    unsigned reg = command >> 6 & 31;
    bool here = (command >> 11 & 31) == PHY_ADDRESS;

    dev->mac[LAN_MII_ACC] = command & ~MII_BUSY;
    if (command & MII_WRITE) {
        if (here)
            write_phy(dev, reg, (uint16_t)dev->mac[LAN_MII_DATA]);
    } else {
        dev->mac[LAN_MII_DATA] = here ? read_phy(dev, reg) : 0xffff;
    }
}

static void write_mac(struct lan9118 *dev, unsigned reg, uint32_t value)
{
    uint32_t stopped = dev->mac[LAN_MAC_CR] & ~value;

    if (reg == LAN_MII_ACC) {
        mii_access(dev, value);
        return;
    }
    dev->mac[reg] = value;
    if (reg == LAN_MAC_CR) {
        lan_interrupt(dev, (stopped & LAN_MAC_RXEN ? LAN_INT_RXSTOP : 0) |
                               (stopped & LAN_MAC_TXEN ? LAN_INT_TXSTOP : 0));
        lan_transmit(dev);
    }
}

void lan_mac_command(struct lan9118 *dev, uint32_t command)
{
    unsigned reg = command & 0xff;

    dev->mac_cmd = command & ~CSR_BUSY;
    if (!(command & CSR_BUSY))
        return;
    if (!reg || reg >= LAN_MAC_REGISTERS)
        device_log_guest(dev->env, "MAC register %u", reg);
    else if (command & CSR_READ)
        dev->mac_data = dev->mac[reg];
    else
        write_mac(dev, reg, dev->mac_data);
}

void lan_load_address(struct lan9118 *dev)
{
    dev->mac[LAN_ADDRL] = (uint32_t)le_get(dev->eeprom + 1, 4);
    dev->mac[LAN_ADDRH] = (uint32_t)le_get(dev->eeprom + 5, 2);
}

void lan_reset_mac(struct lan9118 *dev)
{
    memset(dev->mac, 0, sizeof(dev->mac));
    dev->mac[LAN_MAC_CR] = LAN_MAC_PRMS;
    lan_load_address(dev);
    reset_phy(dev);
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* Whether the hash table has the address: section 3.5.1.2. */
static bool is_hashed(const struct lan9118 *dev, const uint8_t *address)
{
    uint32_t crc = ~0u;
    unsigned n;

    for (unsigned i = 0; i < 6; i++) {
        for (unsigned bit = 0; bit < 8; bit++)
            crc = crc << 1 ^ ((crc >> 31 ^ (address[i] >> bit & 1)) ? 0x04c11db7u : 0);
    }
    n = crc >> 26;
    return dev->mac[n & 32 ? LAN_HASHH : LAN_HASHL] >> (n & 31) & 1;
}

static bool is_own(const struct lan9118 *dev, const uint8_t *address)
{
    return le_get(address, 4) == dev->mac[LAN_ADDRL] &&
           le_get(address + 4, 2) == (dev->mac[LAN_ADDRH] & 0xffff);
}

/* Whether the filters let a frame through: section 3.5. */
static bool passes_filters(const struct lan9118 *dev, const uint8_t *to, bool broadcast)
{
    uint32_t cr = dev->mac[LAN_MAC_CR];

    if (cr & LAN_MAC_PRMS)
        return true;
    if (broadcast)
        return !(cr & LAN_MAC_BCAST);
    if (*to & 1)
        return cr & LAN_MAC_MCPAS || (cr & (LAN_MAC_HPF | LAN_MAC_HO) && is_hashed(dev, to));
    if (cr & LAN_MAC_HO)
        return is_hashed(dev, to);
    return is_own(dev, to) != !!(cr & LAN_MAC_INV);
}

/* Whether the frame is done with; false: there is no room for it now. */
static bool accept_frame(struct lan9118 *dev, const uint8_t *bytes, size_t len)
{
    static const uint8_t everybody[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    uint8_t padded[LAN_MAX_FRAME] = {0};
    uint32_t status = 0;
    bool broadcast;

    if (!(dev->mac[LAN_MAC_CR] & LAN_MAC_RXEN) || len < 14 || len > LAN_MAX_FRAME) {
        dev->dropped++;
        return true;
    }
    memcpy(padded, bytes, len);
    len = len < 60 ? 60 : len;
    broadcast = !memcmp(padded, everybody, sizeof(everybody));
    if (!passes_filters(dev, padded, broadcast)) {
        if (!(dev->mac[LAN_MAC_CR] & LAN_MAC_RXALL))
            return true;
        status |= RX_FILTER_FAIL;
    }
    status |= broadcast ? RX_BROADCAST : *padded & 1 ? RX_MULTICAST : 0;
    status |= (padded[12] << 8 | padded[13]) > 1500 ? RX_TYPE : 0;
    if (!lan_store_frame(dev, padded, len, status))
        return false;
    dev->received++;
    lan_interrupt(dev, 0);
    return true;
}

void lan_mac_arrive(void *opaque)
{
    struct lan9118 *dev = opaque;
    const struct frame *frame = dev->waiting.first;

    if (!frame || !accept_frame(dev, frame->bytes, frame->len))
        return; /* the frame waits for room: lan_wire_resume() */
    frame_queue_drop(&dev->waiting);
    lan_wire_resume(dev);
}
