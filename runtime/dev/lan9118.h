/*
 * The interfaces between the files of the LAN9118 Ethernet controller: lan9118.c has the host's
 * registers, lan9118_mac.c the MAC and its PHY, lan9118_fifo.c the four FIFOs and the interrupt,
 * lan9118_wire.c the cable. Each calls only the files named after it. No other file includes this.
 */
#ifndef RUNTIME_DEV_LAN9118_H
#define RUNTIME_DEV_LAN9118_H

#include "runtime/dev/device.h"
#include "runtime/dev/frame_queue.h"
#include "runtime/dev/net.h"

/* Interrupt sources: bits of INT_STS and INT_EN, section 5.3.3 of the datasheet. */
#define LAN_INT_SW     (1u << 31)
#define LAN_INT_TXSTOP (1u << 25)
#define LAN_INT_RXSTOP (1u << 24)
#define LAN_INT_RXDFH  (1u << 23)
#define LAN_INT_TIOC   (1u << 21)
#define LAN_INT_PHY    (1u << 18)
#define LAN_INT_TXSO   (1u << 16)
#define LAN_INT_RXE    (1u << 14)
#define LAN_INT_TXE    (1u << 13)
#define LAN_INT_TDFO   (1u << 10)
#define LAN_INT_TDFA   (1u << 9)
#define LAN_INT_TSFF   (1u << 8)
#define LAN_INT_TSFL   (1u << 7)
#define LAN_INT_RSFF   (1u << 4)
#define LAN_INT_RSFL   (1u << 3)

#define LAN_MEMORY_WORDS  4096u /* 16 KB of FIFOs, divided by HW_CFG */
#define LAN_MAX_TX_STATUS 128u
#define LAN_MAX_RX_STATUS 256u
#define LAN_MAX_FRAME     2048u /* longest frame of the guest; longer ones are errors */
#define LAN_MAC_REGISTERS 13u
#define LAN_PHY_REGISTERS 32u

/* Registers of the MAC, section 5.4. */
enum {
    LAN_MAC_CR = 1,
    LAN_ADDRH = 2,
    LAN_ADDRL = 3,
    LAN_HASHH = 4,
    LAN_HASHL = 5,
    LAN_MII_ACC = 6,
    LAN_MII_DATA = 7,
};

#define LAN_MAC_RXALL (1u << 31) /* bit of MAC_CR, section 5.4.1 */
#define LAN_MAC_LOOP  (1u << 21)
#define LAN_MAC_MCPAS (1u << 19)
#define LAN_MAC_PRMS  (1u << 18)
#define LAN_MAC_INV   (1u << 17)
#define LAN_MAC_HO    (1u << 15)
#define LAN_MAC_HPF   (1u << 13)
#define LAN_MAC_BCAST (1u << 11)
#define LAN_MAC_TXEN  (1u << 3)
#define LAN_MAC_RXEN  (1u << 2)

#define LAN_PHY_CONTROL  0u /* register of the PHY: IEEE 802.3, 22.2.4.1 */
#define LAN_PHY_LOOPBACK 0x4000u

/* A ring of words: `count` of them from `first` on. The array behind it has a power of two. */
struct lan_ring {
    uint32_t first, count;
};

/* The buffer whose words are coming into the TX data FIFO: section 3.12. */
struct lan_segment {
    uint32_t command_a, command_b;
    uint32_t words; /* words of command or data so far */
};

struct lan9118 {
    /* Host registers, section 5.3 */
    uint32_t irq_cfg, int_sts, int_en, fifo_int, rx_cfg, tx_cfg, hw_cfg, pmt_ctrl, gpio_cfg;
    uint32_t gpt_cfg, word_swap, rx_drop, mac_cmd, mac_data, afc_cfg, e2p_cmd, e2p_data;
    uint8_t eeprom[128];

    uint32_t mac[LAN_MAC_REGISTERS];
    uint16_t phy[LAN_PHY_REGISTERS];

    uint32_t rx_data[LAN_MEMORY_WORDS], tx_data[LAN_MEMORY_WORDS];
    uint32_t rx_status[LAN_MAX_RX_STATUS], tx_status[LAN_MAX_TX_STATUS];
    uint32_t rx_words[LAN_MAX_RX_STATUS]; /* remaining words of each frame in rx_data */
    struct lan_ring rx, tx, rx_sts, tx_sts, rx_frames;
    struct lan_segment segment;
    uint8_t frame[LAN_MAX_FRAME]; /* the guest's frame so far */
    uint32_t frame_len, frame_bad;

    const struct device_env *env;
    struct device_seen seen;
    struct frame_queue waiting; /* frames on the wire */
    struct event arrival;       /* arrival of the first of them */
    uint64_t sent, received, dropped;
};

/* ---- lan9118_wire.c -------------------------------------------------------------------------- */

/* A frame of the guest's, with padding and without checksum: to the network, or back. */
void lan_wire_send(struct lan9118 *dev, const uint8_t *bytes, size_t len);

/* A frame from the network, for the struct lan9118 `dev`: it arrives after the frames before it. */
void lan_wire_receive(void *dev, const uint8_t *bytes, size_t len);

/* Schedules the arrival of the first frame that waits: the RX FIFOs may have room again. */
void lan_wire_resume(struct lan9118 *dev);

/* ---- lan9118_fifo.c -------------------------------------------------------------------------- */

/* Sets status bits, checks the FIFOs' levels, and drives the interrupt. */
void lan_interrupt(struct lan9118 *dev, uint32_t sources);

/* Bytes of the TX data FIFO that are free, and what lies in the others. */
uint32_t lan_tx_free(const struct lan9118 *dev);

/* The first word of a FIFO, which `pop` removes; 0 if it is empty. */
uint32_t lan_read_rx_data(struct lan9118 *dev);
uint32_t lan_read_rx_status(struct lan9118 *dev, bool pop);
uint32_t lan_read_tx_status(struct lan9118 *dev, bool pop);

/* Adds a word to the TX data FIFO. */
void lan_write_tx_data(struct lan9118 *dev, uint32_t word);

/* Sends the complete frames of the TX data FIFO, if the transmitter is on. */
void lan_transmit(struct lan9118 *dev);

/* Drops the first frame of rx_data. */
void lan_skip_frame(struct lan9118 *dev);

/* Adds a frame to the RX FIFOs; false: there is no room. `status`: bits besides its length. */
bool lan_store_frame(struct lan9118 *dev, const uint8_t *bytes, size_t len, uint32_t status);

/* Empty the receiver's rings; the transmitter's, with the frame that is being collected. */
void lan_clear_rx(struct lan9118 *dev);
void lan_clear_tx(struct lan9118 *dev);

/* Makes the FIFOs valid after a snapshot with any content was loaded. */
void lan_check_fifos(struct lan9118 *dev);

/* ---- lan9118_mac.c --------------------------------------------------------------------------- */

/* Loads the address from the EEPROM. */
void lan_load_address(struct lan9118 *dev);

/* Resets to the power-on state. */
void lan_reset_mac(struct lan9118 *dev);

/* Runs a command of the host's MAC_CSR_CMD register. */
void lan_mac_command(struct lan9118 *dev, uint32_t command);

/* An event: the first frame that waits has come over the wire. */
void lan_mac_arrive(void *dev);

#endif
