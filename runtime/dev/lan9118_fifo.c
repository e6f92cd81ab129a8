/*
 * LAN9118: the FIFOs between the host and the MAC, and the interrupt, which follows their levels.
 * Sections 3.12 and 3.13 of the datasheet.
 *
 * Bounds      16 KB of memory; a word of the guest is one step, a frame one loop over its bytes
 */
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/dev/lan9118.h"

#define IRQ_CFG_INT (1u << 12)
#define IRQ_CFG_EN  (1u << 8)

#define TX_CFG_TXSAO (1u << 2)
#define TX_CFG_ON    (1u << 1)

/* TX command words, section 3.12.2 */
#define A_SIZE(a)   ((a)&0x7ff)
#define A_LAST      (1u << 12)
#define A_FIRST     (1u << 13)
#define A_OFFSET(a) ((a) >> 16 & 0x1f)
#define A_ALIGN(a)  ((a) >> 24 & 3)
#define A_IOC       (1u << 31)
#define B_LEN(b)    ((b)&0x7ff)
#define B_NO_PAD    (1u << 12)
#define B_TAG(b)    ((b) >> 16)

#define TX_STATUS_ERROR (1u << 15)
#define MIN_FRAME       60u /* without checksum */
#define CHECKSUM        4u

/* ---- rings ----------------------------------------------------------------------------------- */

static void append_word(struct lan_ring *ring, uint32_t *words, uint32_t size, uint32_t word)
{
    words[(ring->first + ring->count++) & (size - 1)] = word;
}

static uint32_t take_first(struct lan_ring *ring, const uint32_t *words, uint32_t size)
{
    uint32_t word = words[ring->first];

    ring->first = (ring->first + 1) & (size - 1);
    ring->count--;
    return word;
}

/* ---- sizes, table 3.2 ------------------------------------------------------------------------ */

/* KB of the memory for the transmitter: 2 to 14. */
static uint32_t tx_kilobytes(const struct lan9118 *dev)
{
    uint32_t size = dev->hw_cfg >> 16 & 15;

    return size < 2 ? 2 : size > 14 ? 14 : size;
}

static uint32_t tx_data_words(const struct lan9118 *dev)
{
    return tx_kilobytes(dev) * 256 - LAN_MAX_TX_STATUS;
}

/* A sixteenth of the receiver's part holds status words. */
static uint32_t rx_status_words(const struct lan9118 *dev)
{
    return (16 - tx_kilobytes(dev)) * 256 / 16;
}

static uint32_t rx_data_words(const struct lan9118 *dev)
{
    return (16 - tx_kilobytes(dev)) * 256 - rx_status_words(dev);
}

uint32_t lan_tx_free(const struct lan9118 *dev)
{
    uint32_t words = tx_data_words(dev);

    return words > dev->tx.count ? (words - dev->tx.count) * 4 : 0;
}

/* ---- interrupts ------------------------------------------------------------------------------ */

/* Sources that stand as long as a FIFO is above its level: section 5.3.8. */
static uint32_t fifo_levels(const struct lan9118 *dev)
{
    uint32_t tx_free = dev->fifo_int >> 24, tx_status = dev->fifo_int >> 16 & 0xff;
    uint32_t rx_status = dev->fifo_int & 0xff, sources = 0;

    sources |= lan_tx_free(dev) > tx_free * 64 ? LAN_INT_TDFA : 0;
    sources |= dev->tx_sts.count > tx_status ? LAN_INT_TSFL : 0;
    sources |= dev->tx_sts.count == LAN_MAX_TX_STATUS ? LAN_INT_TSFF : 0;
    sources |= dev->rx_sts.count > rx_status ? LAN_INT_RSFL : 0;
    return sources;
}

void lan_interrupt(struct lan9118 *dev, uint32_t sources)
{
    struct irq_line line = device_irq(dev->env, 0);
    bool pending;

    dev->int_sts |= sources | fifo_levels(dev);
    pending = dev->int_sts & dev->int_en;
    dev->irq_cfg = (dev->irq_cfg & ~IRQ_CFG_INT) | (pending ? IRQ_CFG_INT : 0);
    irq_set(&line, pending && dev->irq_cfg & IRQ_CFG_EN);
}

/* ---- the receiver ---------------------------------------------------------------------------- */

/* Number of words for a frame: the offset before it, its checksum, and padding at its end. */
static uint32_t words_of(const struct lan9118 *dev, size_t len)
{
    static const uint32_t align[4] = {4, 16, 32, 4};
    uint32_t offset = dev->rx_cfg >> 8 & 31;

    return (uint32_t)align_up(offset + len + CHECKSUM, align[dev->rx_cfg >> 30]) / 4;
}

static uint32_t frame_checksum(const uint8_t *bytes, size_t len)
{
    uint32_t crc = ~0u;

    for (size_t i = 0; i < len; i++) {
        crc ^= bytes[i];
        for (unsigned bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

bool lan_store_frame(struct lan9118 *dev, const uint8_t *bytes, size_t len, uint32_t status)
{
    uint8_t padded[LAN_MAX_FRAME + 128] = {0}, *at = padded + (dev->rx_cfg >> 8 & 31);
    uint32_t words = words_of(dev, len);

    if (dev->rx_sts.count >= rx_status_words(dev) || dev->rx_frames.count >= LAN_MAX_RX_STATUS ||
        dev->rx.count + words > rx_data_words(dev))
        return false;
    memcpy(at, bytes, len);
    le_put(at + len, CHECKSUM, frame_checksum(bytes, len));
    for (uint32_t i = 0; i < words; i++)
        append_word(&dev->rx, dev->rx_data, LAN_MEMORY_WORDS, (uint32_t)le_get(padded + 4 * i, 4));
    append_word(&dev->rx_frames, dev->rx_words, LAN_MAX_RX_STATUS, words);
    append_word(&dev->rx_sts, dev->rx_status, LAN_MAX_RX_STATUS,
                status | (uint32_t)(len + CHECKSUM) << 16);
    return true;
}

uint32_t lan_read_rx_data(struct lan9118 *dev)
{
    uint32_t *left = &dev->rx_words[dev->rx_frames.first], word;

    if (!dev->rx.count)
        return 0;
    word = take_first(&dev->rx, dev->rx_data, LAN_MEMORY_WORDS);
    if (!--*left)
        take_first(&dev->rx_frames, dev->rx_words, LAN_MAX_RX_STATUS);
    lan_wire_resume(dev);
    return word;
}

uint32_t lan_read_rx_status(struct lan9118 *dev, bool take)
{
    uint32_t word = dev->rx_sts.count ? dev->rx_status[dev->rx_sts.first] : 0;

    if (take && dev->rx_sts.count) {
        take_first(&dev->rx_sts, dev->rx_status, LAN_MAX_RX_STATUS);
        lan_wire_resume(dev);
        lan_interrupt(dev, 0);
    }
    return word;
}

void lan_skip_frame(struct lan9118 *dev)
{
    uint32_t words;

    if (!dev->rx_frames.count)
        return;
    words = take_first(&dev->rx_frames, dev->rx_words, LAN_MAX_RX_STATUS);
    dev->rx.first = (dev->rx.first + words) & (LAN_MEMORY_WORDS - 1);
    dev->rx.count -= words;
    lan_wire_resume(dev);
}

void lan_clear_rx(struct lan9118 *dev)
{
    dev->rx = dev->rx_sts = dev->rx_frames = (struct lan_ring){0};
}

/* ---- the transmitter ------------------------------------------------------------------------- */

static bool transmitter_on(const struct lan9118 *dev)
{
    return dev->tx_cfg & TX_CFG_ON && dev->mac[LAN_MAC_CR] & LAN_MAC_TXEN &&
           (dev->tx_sts.count < LAN_MAX_TX_STATUS || dev->tx_cfg & TX_CFG_TXSAO);
}

/* Ends a packet: sends it, and returns its status. */
static void finish_packet(struct lan9118 *dev)
{
    uint32_t b = dev->segment.command_b, len = dev->frame_len, status = B_TAG(b) << 16;
    bool bad = dev->frame_bad || len != B_LEN(b);

    if (!(b & B_NO_PAD) && len < MIN_FRAME) {
        memset(dev->frame + len, 0, MIN_FRAME - len);
        len = MIN_FRAME;
    }
    if (bad)
        device_log_guest(dev->env, "a packet of %u bytes with %u in its buffers", B_LEN(b),
                         dev->frame_len);
    dev->frame_len = dev->frame_bad = 0;
    if (dev->tx_sts.count == LAN_MAX_TX_STATUS) {
        take_first(&dev->tx_sts, dev->tx_status, LAN_MAX_TX_STATUS);
        lan_interrupt(dev, LAN_INT_TXSO);
    }
    append_word(&dev->tx_sts, dev->tx_status, LAN_MAX_TX_STATUS,
                status | (bad ? TX_STATUS_ERROR : 0));
    lan_interrupt(dev, bad ? LAN_INT_TXE : 0);
    if (!bad)
        lan_wire_send(dev, dev->frame, len);
}

/* Adds the bytes of data word `n` of a buffer that belong to the packet. */
static void add_bytes(struct lan9118 *dev, uint32_t n, uint32_t word)
{
    uint32_t a = dev->segment.command_a, first = A_OFFSET(a), end = first + A_SIZE(a);

    for (uint32_t at = 4 * n; at < 4 * n + 4; at++) {
        if (at < first || at >= end)
            continue;
        if (dev->frame_len < LAN_MAX_FRAME - MIN_FRAME)
            dev->frame[dev->frame_len++] = (uint8_t)(word >> 8 * (at % 4));
        else
            dev->frame_bad = true;
    }
}

/* Number of data words of the buffer that the commands describe, with its alignment. */
static uint32_t segment_words(const struct lan_segment *s)
{
    static const uint32_t align[4] = {4, 16, 32, 4};

    return (uint32_t)align_up(A_OFFSET(s->command_a) + A_SIZE(s->command_a),
                              align[A_ALIGN(s->command_a)]) /
           4;
}

/* Takes one word of the stream: a command, then another, then data. */
static void take_word(struct lan9118 *dev, uint32_t word)
{
    struct lan_segment *s = &dev->segment;
    uint32_t n = s->words++;

    if (!n)
        s->command_a = word;
    else if (n == 1)
        s->command_b = word;
    else
        add_bytes(dev, n - 2, word);
    if (n == 1 && s->command_a & A_FIRST)
        dev->frame_len = dev->frame_bad = 0;
    if (n && s->words - 2 >= segment_words(s)) {
        s->words = 0;
        if (s->command_a & A_IOC)
            lan_interrupt(dev, LAN_INT_TIOC);
        if (s->command_a & A_LAST)
            finish_packet(dev);
    }
}

void lan_transmit(struct lan9118 *dev)
{
    while (dev->tx.count && transmitter_on(dev))
        take_word(dev, take_first(&dev->tx, dev->tx_data, LAN_MEMORY_WORDS));
    lan_interrupt(dev, 0);
}

void lan_write_tx_data(struct lan9118 *dev, uint32_t word)
{
    if (!dev->tx.count && transmitter_on(dev)) {
        take_word(dev, word);
    } else if (lan_tx_free(dev)) {
        append_word(&dev->tx, dev->tx_data, LAN_MEMORY_WORDS, word);
        lan_transmit(dev);
    } else {
        lan_interrupt(dev, LAN_INT_TDFO);
    }
}

uint32_t lan_read_tx_status(struct lan9118 *dev, bool take)
{
    uint32_t word = dev->tx_sts.count ? dev->tx_status[dev->tx_sts.first] : 0;

    if (take && dev->tx_sts.count) {
        take_first(&dev->tx_sts, dev->tx_status, LAN_MAX_TX_STATUS);
        lan_transmit(dev);
    }
    return word;
}

void lan_clear_tx(struct lan9118 *dev)
{
    dev->tx = dev->tx_sts = (struct lan_ring){0};
    dev->segment = (struct lan_segment){0};
    dev->frame_len = dev->frame_bad = 0;
}

/* ---- snapshots ------------------------------------------------------------------------------- */

static bool ring_is_sound(const struct lan_ring *ring, uint32_t size)
{
    return ring->first < size && ring->count <= size;
}

/* Whether each frame has at least one word, and the sum of all is the content of rx_data. */
static bool frames_are_sound(const struct lan9118 *dev)
{
    uint64_t words = 0;

    for (uint32_t i = 0; i < dev->rx_frames.count; i++) {
        uint32_t n = dev->rx_words[(dev->rx_frames.first + i) & (LAN_MAX_RX_STATUS - 1)];

        if (!n)
            return false;
        words += n;
    }
    return words == dev->rx.count;
}

void lan_check_fifos(struct lan9118 *dev)
{
    if (!ring_is_sound(&dev->rx, LAN_MEMORY_WORDS) ||
        !ring_is_sound(&dev->rx_sts, LAN_MAX_RX_STATUS) ||
        !ring_is_sound(&dev->rx_frames, LAN_MAX_RX_STATUS) || !frames_are_sound(dev))
        lan_clear_rx(dev);
    if (!ring_is_sound(&dev->tx, LAN_MEMORY_WORDS) ||
        !ring_is_sound(&dev->tx_sts, LAN_MAX_TX_STATUS) ||
        dev->frame_len > LAN_MAX_FRAME - MIN_FRAME || dev->segment.words > LAN_MEMORY_WORDS)
        lan_clear_tx(dev);
}
