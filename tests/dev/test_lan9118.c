/* LAN9118 Ethernet: FIFOs, filters, interrupts, EEPROM and PHY, by its datasheet. */
#include "tests/dev/bench.h"

#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/dev/net.h"

#define RX_DATA     0x00
#define TX_DATA     0x20
#define RX_STATUS   0x40
#define TX_STATUS   0x48
#define ID_REV      0x50
#define IRQ_CFG     0x54
#define INT_STS     0x58
#define INT_EN      0x5c
#define FIFO_INT    0x68
#define RX_CFG      0x6c
#define TX_CFG      0x70
#define HW_CFG      0x74
#define RX_DP_CTRL  0x78
#define RX_FIFO_INF 0x7c
#define TX_FIFO_INF 0x80
#define RX_DROP     0xa0
#define MAC_CMD     0xa4
#define MAC_DATA    0xa8
#define E2P_CMD     0xb0
#define E2P_DATA    0xb4

#define RSFL   (1u << 3)
#define TDFA   (1u << 9)
#define TXE    (1u << 13)
#define TIOC   (1u << 21)
#define RXSTOP (1u << 24)
#define SW     (1u << 31)

#define MAC_CR   1
#define MII_ACC  6
#define MII_DATA 7

static const uint8_t own[6] = {0x52, 0x54, 0, 0x12, 0x34, 0x56};

struct wire {
    struct net_backend backend;
    unsigned frames;
    size_t len;
    uint8_t last[2048];
};

static struct wire wire;

static void wire_send(struct net_backend *net, const uint8_t *frame, size_t len)
{
    struct wire *w = (struct wire *)(void *)net;

    w->frames++;
    w->len = len;
    memcpy(w->last, frame, len);
}

static int setup(void **state)
{
    struct bench *b = bench_new();

    wire = (struct wire){.backend = {.name = "wire", .send = wire_send}};
    b->env.net = &wire.backend;
    memcpy(b->env.mac, own, sizeof(own));
    bench_create(b, "lan9118");
    *state = b;
    return 0;
}

static int teardown(void **state)
{
    bench_free(*state);
    assert_null(wire.backend.receive);
    return 0;
}

static uint32_t mac_read(struct bench *b, unsigned reg)
{
    bench_write(b, MAC_CMD, 3u << 30 | reg);
    assert_int_equal(bench_read(b, MAC_CMD) >> 31, 0);
    return bench_read(b, MAC_DATA);
}

static void mac_write(struct bench *b, unsigned reg, uint32_t value)
{
    bench_write(b, MAC_DATA, value);
    bench_write(b, MAC_CMD, 1u << 31 | reg);
}

static uint32_t phy_read(struct bench *b, unsigned address, unsigned reg)
{
    mac_write(b, MII_ACC, address << 11 | reg << 6 | 1);
    assert_int_equal(mac_read(b, MII_ACC) & 1, 0);
    return mac_read(b, MII_DATA);
}

static void phy_write(struct bench *b, unsigned reg, uint32_t value)
{
    mac_write(b, MII_DATA, value);
    mac_write(b, MII_ACC, 1 << 11 | reg << 6 | 3);
}

static void enable_mac(struct bench *b, uint32_t mac_cr)
{
    mac_write(b, MAC_CR, mac_cr | 1u << 3 | 1u << 2);
    bench_write(b, TX_CFG, 2);
    bench_write(b, IRQ_CFG, 1u << 8);
}

/* Runs until `frames` frames on the wire have arrived: each takes less than 1 ms. */
static void await_frames(struct bench *b, unsigned frames)
{
    for (unsigned i = 0; i < frames; i++)
        bench_run_to(b, clock_now(&b->clock) + 1000000);
}

static void receive_frame(struct bench *b, const uint8_t to[6], size_t len)
{
    uint8_t frame[2048] = {0};

    memcpy(frame, to, 6);
    frame[12] = 8;
    for (size_t i = 14; i < len; i++)
        frame[i] = (uint8_t)i;
    net_receive(&wire.backend, frame, len);
    await_frames(b, 1);
}

static void test_identity(void **state)
{
    struct bench *b = *state;

    assert_int_equal(bench_read(b, ID_REV) >> 16, 0x0118);
    assert_int_equal(bench_read(b, 0x64), 0x87654321);
    assert_int_equal(bench_read(b, 0x84) & 1, 1);
    assert_int_equal(mac_read(b, 3), 0x12005452); /* the address in the EEPROM */
    assert_int_equal(mac_read(b, 2), 0x5634);
    assert_int_equal(bench_read(b, TX_FIFO_INF), 4608);
    bench_write(b, HW_CFG, 0x000e0000);
    assert_int_equal(bench_read(b, TX_FIFO_INF), 14 * 1024 - 512);
    bench_write(b, HW_CFG, 1);
    assert_int_equal(bench_read(b, HW_CFG) & ~4u, 0x00050000);
    bench_run_to(b, 1000000);
    assert_int_equal(bench_read(b, 0x9c), 25000);
}

static void test_phy(void **state)
{
    struct bench *b = *state;

    assert_int_equal(phy_read(b, 1, 2) << 16 | phy_read(b, 1, 3), 0x0007c0d1);
    assert_int_equal(phy_read(b, 1, 1) & 0x24, 0x24); /* negotiation done, link up */
    assert_int_equal(phy_read(b, 2, 2), 0xffff);
    phy_write(b, 4, 0x0181);
    assert_int_equal(phy_read(b, 1, 4), 0x0181);
    phy_write(b, 30, 0x40); /* interrupt at the end of the negotiation */
    phy_write(b, 0, 0x3200);
    assert_int_equal(phy_read(b, 1, 0), 0x3000);
    assert_int_equal(bench_read(b, INT_STS) >> 18 & 1, 1);
    assert_int_equal(phy_read(b, 1, 29), 0x40);
    assert_int_equal(phy_read(b, 1, 29), 0);
    phy_write(b, 0, 0x8000);
    assert_int_equal(phy_read(b, 1, 4), 0x01e1);
}

/* Reset values (datasheet, section 5.5; IEEE 802.3, 22.2.4) and read-only bits. */
static void test_phy_registers(void **state)
{
    static const struct {
        uint8_t reg;
        uint16_t reset, ones; /* ones: value after writing ones everywhere */
    } rows[] = {{1, 0x782d, 0x782d}, {2, 7, 7},       {3, 0xc0d1, 0xc0d1},  {4, 0x01e1, 0xffff},
                {5, 0x45e1, 0x45e1}, {6, 1, 1},       {17, 2, 0xffff},      {18, 0xe1, 0xffff},
                {29, 0, 0},          {30, 0, 0xffff}, {31, 0x1018, 0x1018}, {8, 0, 0}};
    struct bench *b = *state;

    assert_int_equal(phy_read(b, 1, 0), 0x3000);
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        assert_int_equal(phy_read(b, 1, rows[i].reg), rows[i].reset);
        phy_write(b, rows[i].reg, 0xffff);
        assert_int_equal(phy_read(b, 1, rows[i].reg), rows[i].ones);
    }
    phy_write(b, 17, 0);
    assert_int_equal(phy_read(b, 1, 17), 2); /* energy is on the line */
    mac_write(b, MII_DATA, 0);               /* address of another PHY */
    mac_write(b, MII_ACC, 3 << 11 | 4 << 6 | 3);
    assert_int_equal(phy_read(b, 1, 4), 0xffff);
}

/*
 * A soft reset reads the address from the EEPROM, clears the other registers, and sets promiscuous
 * mode (section 5.4.1).
 */
static void test_mac_reset(void **state)
{
    struct bench *b = *state;

    assert_int_equal(mac_read(b, MAC_CR), 1u << 18);
    for (unsigned reg = 2; reg <= 5; reg++)
        mac_write(b, reg, 0x1111 * reg);
    mac_write(b, MAC_CR, 0xc);
    for (unsigned reg = 2; reg <= 5; reg++)
        assert_int_equal(mac_read(b, reg), 0x1111 * reg);
    bench_write(b, HW_CFG, 1);
    assert_int_equal(mac_read(b, MAC_CR), 1u << 18);
    assert_int_equal(mac_read(b, 2), 0x5634);
    assert_int_equal(mac_read(b, 3), 0x12005452);
    assert_int_equal(mac_read(b, 4) | mac_read(b, 5), 0);
    bench_listen(b);
    mac_read(b, 13); /* beyond the twelve registers */
    mac_read(b, 0);
    assert_string_not_equal(bench_heard(b), "");
}

static void test_no_cable(void **state)
{
    struct bench *b = bench_new();

    (void)state;
    bench_create(b, "lan9118");
    assert_int_equal(phy_read(b, 1, 1), 0x7809); /* neither link nor negotiation */
    enable_mac(b, 0);
    bench_write(b, TX_DATA, 3u << 12 | 64);
    bench_write(b, TX_DATA, 64);
    for (unsigned i = 0; i < 16; i++)
        bench_write(b, TX_DATA, i);
    assert_int_equal(bench_read(b, TX_STATUS), 0);
    bench_free(b);
}

/* A packet in two buffers, of which the first begins 2 bytes into its first word. */
static void test_transmit(void **state)
{
    struct bench *b = *state;

    enable_mac(b, 0);
    bench_write(b, INT_STS, ~0u);
    bench_write(b, TX_DATA, 2u << 16 | 1u << 13 | 5);
    bench_write(b, TX_DATA, 0xabcdu << 16 | 68);
    bench_write(b, TX_DATA, 0x2211ffff);
    bench_write(b, TX_DATA, 0xff554433);
    assert_int_equal(wire.frames, 0);
    bench_write(b, TX_DATA, 1u << 31 | 1u << 24 | 1u << 12 | 63); /* ends at 16 bytes */
    bench_write(b, TX_DATA, 0xabcdu << 16 | 68);
    for (unsigned i = 0; i < 15; i++)
        bench_write(b, TX_DATA, 0x01010101 * i);
    assert_int_equal(wire.frames, 0);
    bench_write(b, TX_DATA, 0xff0f0f0f);
    assert_int_equal(wire.frames, 1);
    assert_int_equal(wire.len, 68);
    assert_memory_equal(wire.last, "\x11\x22\x33\x44\x55\0\0\0\0\1", 10);
    assert_int_equal(wire.last[67], 0x0f);
    assert_int_equal(bench_read(b, TX_FIFO_INF) >> 16, 1);
    assert_int_equal(bench_read(b, INT_STS) & TIOC, TIOC);
    assert_int_equal(bench_read(b, 0x4c), 0xabcd0000);
    assert_int_equal(bench_read(b, TX_STATUS), 0xabcd0000);
    assert_int_equal(bench_read(b, TX_FIFO_INF) >> 16, 0);
}

static void put_short(struct bench *b, uint32_t b_bits)
{
    bench_write(b, TX_DATA, 3u << 12 | 20);
    bench_write(b, TX_DATA, b_bits | 20);
    for (unsigned i = 0; i < 5; i++)
        bench_write(b, TX_DATA, 0x44332211);
}

static void test_padding_and_errors(void **state)
{
    struct bench *b = *state;

    enable_mac(b, 0);
    put_short(b, 0);
    assert_int_equal(wire.len, 60);
    assert_int_equal(wire.last[19], 0x44);
    assert_int_equal(wire.last[20], 0);
    put_short(b, 1u << 12);
    assert_int_equal(wire.len, 20);
    bench_write(b, INT_STS, ~0u);
    bench_write(b, TX_DATA, 3u << 12 | 20);
    bench_write(b, TX_DATA, 24); /* a packet length other than the buffer's */
    for (unsigned i = 0; i < 5; i++)
        bench_write(b, TX_DATA, 0);
    assert_int_equal(wire.frames, 2);
    assert_int_equal(bench_read(b, INT_STS) & TXE, TXE);
    bench_read(b, TX_STATUS);
    bench_read(b, TX_STATUS);
    assert_int_equal(bench_read(b, TX_STATUS), 1u << 15);
}

/* Writes while the transmitter is off wait in the FIFO. */
static void test_transmitter_off(void **state)
{
    struct bench *b = *state;

    put_short(b, 0);
    assert_int_equal(wire.frames, 0);
    assert_int_equal(bench_read(b, TX_FIFO_INF), 4608 - 28);
    bench_save_and_load(b);
    mac_write(b, MAC_CR, 1u << 3);
    assert_int_equal(wire.frames, 0);
    bench_write(b, TX_CFG, 2);
    assert_int_equal(wire.frames, 1);
    assert_int_equal(bench_read(b, TX_FIFO_INF) & 0xffff, 4608);
    for (unsigned i = 0; i < 200; i++) /* the status FIFO is full after 127 more */
        put_short(b, 0);
    assert_int_equal(wire.frames, 128);
    bench_read(b, TX_STATUS);
    assert_int_equal(wire.frames, 129);
    bench_write(b, TX_CFG, 1); /* the transmitter stops, and raises an interrupt */
    assert_int_equal(bench_read(b, INT_STS) >> 25 & 1, 1);
    bench_read(b, TX_STATUS);
    assert_int_equal(wire.frames, 129);
}

static void test_receive(void **state)
{
    struct bench *b = *state;
    uint8_t frame[68];

    enable_mac(b, 0);
    bench_write(b, FIFO_INT, 0);
    bench_write(b, INT_EN, RSFL);
    bench_write(b, RX_CFG, 2u << 8);
    receive_frame(b, own, 61);
    assert_true(b->level[0]);
    assert_int_equal(bench_read(b, RX_FIFO_INF), 1u << 16 | 68);
    assert_int_equal(bench_read(b, 0x44), 65u << 16 | 1u << 5);
    assert_int_equal(bench_read(b, RX_STATUS), 65u << 16 | 1u << 5);
    for (unsigned i = 0; i < 17; i++)
        le_put(frame + 4 * i, 4, bench_read(b, RX_DATA + 4 * (i % 8)));
    assert_memory_equal(frame + 2, own, 6);
    assert_int_equal(frame[2 + 60], 60);
    /* The checksum is zlib's CRC-32 of these bytes. */
    assert_int_equal(le_get(frame + 63, 4), 0xf932f756);
    assert_int_equal(bench_read(b, RX_FIFO_INF), 0);
    assert_int_equal(bench_read(b, RX_DATA), 0);
    bench_write(b, INT_STS, RSFL);
    assert_false(b->level[0]);
}

static uint32_t status_of(struct bench *b, uint16_t type, size_t len)
{
    uint8_t frame[2048] = {0};

    memcpy(frame, own, 6);
    frame[12] = (uint8_t)(type >> 8);
    frame[13] = (uint8_t)type;
    net_receive(&wire.backend, frame, len);
    await_frames(b, 1);
    return bench_read(b, RX_STATUS);
}

/* The two bytes are a type above 1500, else a length. Malformed frames are dropped and counted. */
static void test_frames(void **state)
{
    struct bench *b = *state;
    const char *name = b->env.name;

    enable_mac(b, 0);
    assert_int_equal(status_of(b, 46, 60), 64u << 16);
    assert_int_equal(status_of(b, 1500, 60), 64u << 16);
    assert_int_equal(status_of(b, 1501, 60), 64u << 16 | 1u << 5);
    assert_int_equal(status_of(b, 0x86dd, 14), 64u << 16 | 1u << 5);
    assert_int_equal(stats_get(b->stats, name, "frames_received"), 4);
    assert_int_equal(stats_get(b->stats, name, "frames_dropped"), 0);
    assert_int_equal(status_of(b, 0x0800, 13), 0);
    assert_int_equal(stats_get(b->stats, name, "frames_dropped"), 1);
    put_short(b, 0);
    assert_int_equal(stats_get(b->stats, name, "frames_sent"), 1);
    mac_write(b, MAC_CR, 0);
    for (unsigned i = 0; i < 258; i++) /* the first one arrives, and is dropped as well */
        net_receive(&wire.backend, own, sizeof(own));
    assert_int_equal(stats_get(b->stats, name, "frames_dropped"), 1 + 2);
}

/* 100 Mbit/s: 80 ns per byte, including preamble, checksum and gap (8, 4 and 12 bytes). */
static void test_arrival(void **state)
{
    struct bench *b = *state;
    uint8_t frame[100] = {0};

    memcpy(frame, own, 6);
    enable_mac(b, 0);
    net_receive(&wire.backend, frame, 60);
    net_receive(&wire.backend, frame, 100);
    bench_save_and_load(b);
    bench_run_to(b, 84 * 80 - 1);
    assert_int_equal(bench_read(b, RX_FIFO_INF) >> 16, 0);
    bench_run_to(b, 84 * 80);
    assert_int_equal(bench_read(b, RX_FIFO_INF) >> 16, 1);
    bench_run_to(b, (84 + 124) * 80 - 1);
    assert_int_equal(bench_read(b, RX_FIFO_INF) >> 16, 1);
    bench_run_to(b, (84 + 124) * 80);
    assert_int_equal(bench_read(b, RX_FIFO_INF) >> 16, 2);
}

static void test_filters(void **state)
{
    static const uint8_t all[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    static const uint8_t group[6] = {1, 0, 0x5e, 0, 0, 1}, other[6] = {0x52, 0x54, 0, 0, 0, 9};
    struct bench *b = *state;

    receive_frame(b, own, 60); /* the receiver is off */
    enable_mac(b, 0);
    receive_frame(b, other, 60);
    receive_frame(b, group, 60);
    assert_int_equal(bench_read(b, RX_FIFO_INF) >> 16, 0);
    receive_frame(b, all, 60);
    assert_int_equal(bench_read(b, RX_STATUS), 64u << 16 | 1u << 13 | 1u << 5);
    enable_mac(b, 1u << 13); /* multicast by the hash table: this address is bit 31 */
    receive_frame(b, group, 60);
    assert_int_equal(bench_read(b, RX_FIFO_INF) >> 16, 0);
    mac_write(b, 5, 1u << 31);
    receive_frame(b, group, 60);
    assert_int_equal(bench_read(b, RX_STATUS), 64u << 16 | 1u << 10 | 1u << 5);
    enable_mac(b, 1u << 11); /* no broadcasts */
    receive_frame(b, all, 60);
    assert_int_equal(bench_read(b, RX_FIFO_INF) >> 16, 0);
    enable_mac(b, 1u << 18);
    receive_frame(b, other, 20); /* short frames are padded */
    assert_int_equal(bench_read(b, RX_STATUS), 64u << 16 | 1u << 5);
    enable_mac(b, 1u << 31);
    receive_frame(b, other, 60);
    assert_int_equal(bench_read(b, RX_STATUS), 1u << 30 | 64u << 16 | 1u << 5);
    bench_write(b, INT_STS, ~0u);
    mac_write(b, MAC_CR, 0);
    assert_int_equal(bench_read(b, INT_STS) & RXSTOP, RXSTOP);
}

/* Frames without room stay on the wire, in order; skipping a received frame makes room. */
static void test_full_receiver(void **state)
{
    struct bench *b = *state;

    enable_mac(b, 0);
    for (unsigned i = 0; i < 10; i++)
        receive_frame(b, own, 1000 + i);
    assert_int_equal(bench_read(b, RX_FIFO_INF) >> 16, 10);
    bench_save_and_load(b);
    receive_frame(b, own, 1010);
    await_frames(b, 5);
    assert_int_equal(bench_read(b, RX_FIFO_INF) >> 16, 10);
    bench_read(b, RX_DATA);
    bench_write(b, RX_DP_CTRL, 1u << 31);
    assert_int_equal(bench_read(b, RX_DP_CTRL), 0);
    await_frames(b, 1);
    assert_int_equal(bench_read(b, RX_FIFO_INF) >> 16, 11);
    for (unsigned i = 0; i < 11; i++)
        assert_int_equal(bench_read(b, RX_STATUS) >> 16, 1004 + i);
    bench_write(b, RX_CFG, 1u << 15);
    assert_int_equal(bench_read(b, RX_FIFO_INF), 0);
    for (unsigned i = 0; i < 400; i++)
        net_receive(&wire.backend, own, sizeof(own));
    assert_int_equal(bench_read(b, RX_DROP), 400 - 256);
    assert_int_equal(bench_read(b, RX_DROP), 0);
}

static void test_loopback(void **state)
{
    struct bench *b = *state;

    enable_mac(b, 1u << 18);
    phy_write(b, 0, 0x4000);
    put_short(b, 0);
    assert_int_equal(wire.frames, 0);
    await_frames(b, 1);
    assert_int_equal(bench_read(b, RX_STATUS) >> 16 & 0x3fff, 64);
    assert_int_equal(bench_read(b, RX_DATA), 0x44332211);
}

static void test_software_interrupt(void **state)
{
    struct bench *b = *state;

    bench_write(b, INT_EN, SW);
    assert_false(b->level[0]);
    bench_write(b, IRQ_CFG, 1u << 8);
    assert_true(b->level[0]);
    assert_int_equal(bench_read(b, IRQ_CFG), 1u << 12 | 1u << 8);
    bench_write(b, INT_STS, SW);
    assert_false(b->level[0]);
    bench_write(b, INT_EN, TDFA); /* 18 KB free can never be reached */
    bench_write(b, FIFO_INT, 0xff000000);
    bench_write(b, INT_STS, TDFA);
    assert_false(b->level[0]);
    bench_write(b, FIFO_INT, 0x10000000);
    assert_true(b->level[0]);
}

static void test_eeprom(void **state)
{
    struct bench *b = *state;

    bench_write(b, E2P_CMD, 1u << 31 | 1);
    assert_int_equal(bench_read(b, E2P_CMD) >> 31, 0);
    assert_int_equal(bench_read(b, E2P_DATA), 0x52);
    bench_write(b, E2P_DATA, 0x02);
    bench_write(b, E2P_CMD, 1u << 31 | 3u << 28 | 1);
    bench_write(b, E2P_CMD, 1u << 31 | 7u << 28);
    assert_int_equal(mac_read(b, 3), 0x12005402);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_identity),
        TEST(test_phy),
        TEST(test_phy_registers),
        TEST(test_mac_reset),
        cmocka_unit_test(test_no_cable),
        TEST(test_transmit),
        TEST(test_padding_and_errors),
        TEST(test_transmitter_off),
        TEST(test_receive),
        TEST(test_frames),
        TEST(test_arrival),
        TEST(test_filters),
        TEST(test_full_receiver),
        TEST(test_loopback),
        TEST(test_software_interrupt),
        TEST(test_eeprom),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
