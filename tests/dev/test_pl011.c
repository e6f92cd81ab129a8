/* A PL011 driven as by Linux, with a character back end in memory. */
#include "tests/dev/bench.h"

#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/dev/chardev_backend.h"
#include "runtime/dev/serial_port.h"

enum {
    DR = 0x00,
    RSR = 0x04,
    FR = 0x18,
    IBRD = 0x24,
    FBRD = 0x28,
    LCR = 0x2c,
    ILPR = 0x20,
    CR = 0x30,
    DMACR = 0x48,
    IFLS = 0x34,
    IMSC = 0x38,
    RIS = 0x3c,
    MIS = 0x40,
    ICR = 0x44
};

#define RXFE 0x10
#define RXFF 0x40
#define TXFE 0x80
#define RX   0x10
#define TX   0x20
#define RT   0x40
#define BE   0x200
#define OE   0x400

static int setup(void **state)
{
    struct bench *b = bench_new();
    struct chardev_host host = {.clock = &b->clock};

    b->env.chardev = chardev_open("memory", &host, NULL);
    b->reg[0].size = 0x2000;
    bench_create(b, "pl011");
    bench_write(b, LCR, 0x70); /* 8 bits, FIFOs on */
    bench_write(b, CR, 0x301);
    *state = b;
    return 0;
}

static int teardown(void **state)
{
    bench_free(*state);
    return 0;
}

static void feed_text(struct bench *b, const char *text)
{
    chardev_feed(b->env.chardev, text, strlen(text));
}

static void test_sending(void **state)
{
    struct bench *b = *state;

    for (const char *p = "hello"; *p; p++) {
        assert_int_equal(bench_read(b, FR) & 0xa0, TXFE);      /* never full */
        bench_write_as(b, 0, BENCH_BASE + DR, 1, (uint8_t)*p); /* earlycon writes single bytes */
    }
    assert_string_equal(chardev_output(b->env.chardev, NULL), "hello");
    assert_int_equal(bench_read(b, RIS), TX);
    assert_false(b->level[0]);
    bench_write(b, IMSC, TX);
    assert_true(b->level[0]);
    bench_write(b, ICR, TX);
    assert_false(b->level[0]);
    assert_int_equal(stats_get(b->stats, "devices/device@10000000", "bytes_sent"), 5);
    assert_int_equal(stats_get(b->stats, "devices/device@10000000", "reads"), 6);
}

static void test_receive_levels(void **state)
{
    struct bench *b = *state;

    bench_write(b, IFLS, 2 << 3); /* half of 32 */
    bench_write(b, IMSC, RX);
    feed_text(b, "123456789012345");
    assert_false(b->level[0]);
    assert_int_equal(bench_read(b, FR) & (RXFE | RXFF), 0);
    feed_text(b, "6");
    assert_true(b->level[0]);
    assert_int_equal(bench_read(b, DR), '1');
    assert_false(b->level[0]); /* below the level again */
    feed_text(b, "7");
    assert_true(b->level[0]);
    bench_write(b, ICR, RX);
    assert_false(b->level[0]);
}

static void test_receive_order_and_back_pressure(void **state)
{
    struct bench *b = *state;
    char text[101];

    for (unsigned i = 0; i < 100; i++)
        text[i] = (char)('!' + i % 90);
    text[100] = 0;
    feed_text(b, text);
    assert_int_equal(bench_read(b, FR) & RXFF, RXFF);
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(bench_read(b, DR), text[i]);
    assert_int_equal(bench_read(b, FR) & RXFE, RXFE);
    assert_int_equal(bench_read(b, RIS) & OE, 0);
    assert_int_equal(bench_read(b, DR), 0); /* the FIFO is empty */
}

/* The timeout is 32 bit times after the last byte, at 115200 baud (24 MHz; divisor 13 + 1/64). */
static void test_receive_timeout(void **state)
{
    struct bench *b = *state;
    uint64_t bit;

    bench_write(b, IBRD, 13);
    bench_write(b, FBRD, 1);
    bench_write(b, IMSC, RX | RT);
    bit = ((13 * 64 + UINT64_C(1)) * 1000000000 + 96000000 - 1) / 96000000;
    bench_run_to(b, 1000);
    feed_text(b, "a");
    bench_run_to(b, 1000 + 16 * bit);
    feed_text(b, "b"); /* restarts the timeout */
    bench_run_to(b, 1000 + 48 * bit - 1);
    assert_false(b->level[0]);
    bench_run_to(b, 1000 + 48 * bit);
    assert_true(b->level[0]);
    assert_int_equal(bench_read(b, MIS), RT);
    assert_int_equal(bench_read(b, DR), 'a');
    assert_true(b->level[0]);
    assert_int_equal(bench_read(b, DR), 'b');
    assert_false(b->level[0]); /* empty */
    assert_true(clock_next(&b->clock) == CLOCK_NEVER);
}

static void test_without_fifos(void **state)
{
    struct bench *b = *state;

    bench_write(b, LCR, 0x60);
    bench_write(b, IMSC, RX);
    feed_text(b, "xy");
    assert_true(b->level[0]);
    assert_int_equal(bench_read(b, FR) & RXFF, RXFF);
    assert_int_equal(bench_read(b, DR), 'x');
    assert_true(b->level[0]); /* y is received */
    assert_int_equal(bench_read(b, DR), 'y');
    assert_false(b->level[0]);
}

static void test_input_waits_until_enabled(void **state)
{
    struct bench *b = *state;

    bench_write(b, CR, 0x300);
    feed_text(b, "early");
    assert_int_equal(bench_read(b, FR) & RXFE, RXFE);
    bench_write(b, CR, 0x301);
    assert_int_equal(bench_read(b, DR), 'e');
}

static void test_loopback(void **state)
{
    struct bench *b = *state;

    bench_write(b, CR, 0x381);
    for (unsigned i = 0; i < 33; i++)
        bench_write(b, DR, 'A' + i);
    assert_string_equal(chardev_output(b->env.chardev, NULL), "");
    assert_int_equal(bench_read(b, RIS) & OE, OE); /* the FIFO has 32 bytes */
    assert_int_equal(bench_read(b, DR), 'A');
    bench_write(b, DR, 'z');
    for (unsigned i = 1; i < 32; i++)
        assert_int_equal(bench_read(b, DR), 'A' + i);
    assert_int_equal(bench_read(b, DR), 0x800 | 'z'); /* the overrun shows with the next byte */
    assert_int_equal(bench_read(b, RSR), 8);
    bench_write(b, RSR, 0);
    assert_int_equal(bench_read(b, RSR), 0);
}

static void test_debugger_takes_no_bytes(void **state)
{
    struct bench *b = *state;

    feed_text(b, "k");
    bench_read_as(b, BUS_NO_CPU, BENCH_BASE + DR, 4);
    assert_int_equal(bench_read(b, DR), 'k');
}

static void test_snapshot(void **state)
{
    struct bench *b = *state;

    bench_write(b, IMSC, RX | RT);
    feed_text(b, "ab");
    bench_save_and_load(b);
    assert_true(clock_next(&b->clock) != CLOCK_NEVER);
    bench_run_to(b, 1000000);
    assert_true(b->level[0]);
    assert_int_equal(bench_read(b, DR), 'a');
    assert_int_equal(bench_read(b, DR), 'b');
}

static void test_identification(void **state)
{
    struct bench *b = *state;

    assert_int_equal(bench_read(b, 0xfe0), 0x11);
    assert_int_equal(bench_read(b, 0xfe4), 0x10);
    assert_int_equal(bench_read(b, 0xfe8), 0x34); /* revision 3: 32-byte FIFOs */
    assert_int_equal(bench_read(b, 0xffc), 0xb1);
}

/* DDI 0183, section 3.3.9: 1/8, 1/4, 1/2, 3/4 and 7/8 of 32 bytes. */
static void test_all_levels(void **state)
{
    static const uint8_t levels[] = {4, 8, 16, 24, 28};
    struct bench *b = *state;

    for (unsigned i = 0; i < ARRAY_SIZE(levels); i++) {
        bench_write(b, IFLS, i << 3 | 2);
        bench_write(b, LCR, 0x60); /* empties the FIFOs */
        bench_write(b, LCR, 0x70);
        for (unsigned n = 1; n <= levels[i]; n++) {
            assert_int_equal(bench_read(b, RIS), 0);
            feed_text(b, "a");
        }
        assert_int_equal(bench_read(b, RIS), RX);
    }
}

/* Section 3.3.7: switching the FIFOs on or off empties them; writing other bits does not. */
static void test_switching_fifos(void **state)
{
    struct bench *b = *state;

    bench_write(b, IFLS, 0);
    feed_text(b, "abcdef");
    bench_run_to(b, 1000000);
    assert_int_equal(bench_read(b, RIS), RX | RT);
    bench_write(b, LCR, 0x71);
    assert_int_equal(bench_read(b, LCR), 0x71);
    assert_int_equal(bench_read(b, RIS), RX | RT);
    assert_int_equal(bench_read(b, DR), 'a');
    bench_write(b, LCR, 0x61);
    assert_int_equal(bench_read(b, RIS), 0);
    assert_int_equal(bench_read(b, FR), 0x97); /* empty; CTS, DSR and DCD are active */
    assert_true(clock_next(&b->clock) == CLOCK_NEVER);
}

static void test_registers(void **state)
{
    static const struct {
        uint8_t offset;
        uint16_t bits;
    } rows[] = {{ILPR, 0xff}, {IBRD, 0xffff}, {FBRD, 0x3f}, {LCR, 0xff},
                {CR, 0xff87}, {IFLS, 0x3f},   {IMSC, 0x7ff}};
    struct bench *b = *state;
    uint64_t value;

    bench_listen(b);
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        bench_write(b, rows[i].offset, ~0u);
        assert_int_equal(bench_read(b, rows[i].offset), rows[i].bits);
        bench_write(b, rows[i].offset, 0);
        assert_int_equal(bench_read(b, rows[i].offset), 0);
    }
    bench_write(b, RSR, 0x55); /* clears the errors only */
    assert_int_equal(bench_read(b, RSR) | bench_read(b, ILPR), 0);
    bench_write(b, DMACR, 4);
    assert_int_equal(bench_read(b, DMACR), 4);
    assert_string_equal(bench_heard(b), "");
    bench_write(b, DMACR, 0xf);
    assert_int_equal(bench_read(b, DMACR), 7);
    assert_non_null(strstr(bench_heard(b), "DMA: write of 0xf"));
    assert_int_equal(bench_read(b, 0x80), 0);
    assert_non_null(strstr(bench_heard(b), "read of offset 0x80"));
    b->cls->reset(b->dev);
    assert_int_equal(bench_read(b, CR), 0x300);
    assert_int_equal(bench_read(b, IFLS), 0x12);
    assert_int_equal(bench_read(b, DMACR), 0);
    assert_false(bus_read(b->bus, BENCH_BASE + 0x1000, 4, &value, 0));
}

static void send_break(struct bench *b)
{
    struct chardev *chr = b->env.chardev;

    chr->client.receive_break(chr->client.opaque);
}

/* A break is a zero byte with the break flag; without room for a byte it is lost. */
static void test_breaks(void **state)
{
    struct bench *b = *state;

    bench_write(b, IMSC, BE);
    feed_text(b, "a");
    assert_false(b->level[0]);
    send_break(b);
    assert_true(b->level[0]);
    assert_int_equal(bench_read(b, RIS), BE);
    assert_int_equal(bench_read(b, DR), 'a');
    assert_int_equal(bench_read(b, RSR), 0);
    assert_int_equal(bench_read(b, DR), 0x400);
    assert_int_equal(bench_read(b, RSR), 4);
    bench_write(b, ICR, BE);
    assert_false(b->level[0]);
    bench_write(b, CR, 0x101); /* the receiver is off */
    send_break(b);
    bench_write(b, CR, 0x381); /* loopback mode does not receive from the line */
    send_break(b);
    feed_text(b, "b");
    assert_int_equal(bench_read(b, RIS) | (bench_read(b, FR) & RXFF), 0);
    bench_write(b, CR, 0x301);
    assert_int_equal(bench_read(b, DR), 'b');
}

/* ---- the line side by itself ----------------------------------------------------------------- */

static struct {
    struct serial_port port;
    unsigned breaks, puts, timeouts, updates;
    size_t room;
} line;

static size_t line_room(void *dev)
{
    assert_ptr_equal(dev, &line);
    return line.room;
}

static void line_put(void *dev, uint8_t byte, bool is_break)
{
    assert_ptr_equal(dev, &line);
    line.puts++;
    line.breaks += is_break;
    serial_push(&line.port, byte);
}

static void line_timed_out(void *dev)
{
    assert_ptr_equal(dev, &line);
    line.timeouts++;
}

static void line_update(void *dev)
{
    assert_ptr_equal(dev, &line);
    line.updates++;
}

static int line_setup(void **state)
{
    static const struct serial_class class = {line_room, line_put, line_timed_out, line_update};
    struct bench *b = bench_new();
    struct chardev_host host = {.clock = &b->clock};

    memset(&line, 0, sizeof(line));
    b->env.chardev = chardev_open("memory", &host, NULL);
    serial_init(&line.port, &b->env, &class, &line);
    serial_start(&line.port);
    *state = b;
    return 0;
}

static void test_line_breaks(void **state)
{
    struct bench *b = *state;

    send_break(b);
    assert_int_equal(line.puts, 0);
    assert_int_equal(line.updates, 1);
    line.room = 1;
    send_break(b);
    assert_int_equal(line.breaks, 1);
    assert_int_equal(line.updates, 2);
    assert_int_equal(serial_get(&line.port), 0);
    assert_int_equal(line.port.received, 1);
    serial_end(&line.port);
    assert_false(b->env.chardev->attached);
}

/*
 * The timeout comes a number of ns after it was set, while bytes wait; never if that is beyond the
 * clock's range.
 */
static void test_line_timeouts(void **state)
{
    struct bench *b = *state;

    bench_run_to(b, 100);
    serial_set_timeout(&line.port, 50);
    assert_true(clock_next(&b->clock) == CLOCK_NEVER);
    serial_push(&line.port, 'x');
    serial_set_timeout(&line.port, 50);
    assert_int_equal(clock_next(&b->clock), 150);
    bench_run_to(b, 150);
    assert_int_equal(line.timeouts, 1);
    assert_int_equal(line.updates, 1);
    assert_true(line.port.timeout_at == CLOCK_NEVER); /* past */
    serial_set_timeout(&line.port, CLOCK_NEVER - 1);
    assert_true(clock_next(&b->clock) == CLOCK_NEVER);
    serial_set_timeout(&line.port, 50);
    serial_clear(&line.port);
    bench_run_to(b, 200);
    assert_int_equal(line.timeouts, 1); /* no byte waits any more */
    serial_push(&line.port, 'x');
    serial_set_timeout(&line.port, 50);
    serial_end(&line.port);
    assert_true(clock_next(&b->clock) == CLOCK_NEVER);
}

/* Values of a snapshot are limited to valid ranges. */
static void test_line_loads(void **state)
{
    struct bench *b = *state;

    for (unsigned i = 0; i < SERIAL_FIFO_MAX; i++)
        line.port.fifo[i] = (uint16_t)i;
    line.port.head = 3 * SERIAL_FIFO_MAX + 5;
    line.port.count = SERIAL_FIFO_MAX + 1;
    line.port.timeout_at = 70;
    serial_post_load(&line.port);
    assert_int_equal(clock_next(&b->clock), 70);
    assert_int_equal(line.port.count, SERIAL_FIFO_MAX);
    for (unsigned i = 0; i < SERIAL_FIFO_MAX; i++)
        assert_int_equal(serial_get(&line.port), (5 + i) % SERIAL_FIFO_MAX);
    assert_int_equal(serial_get(&line.port), 0);
    serial_end(&line.port);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_sending),
        TEST(test_receive_levels),
        TEST(test_receive_order_and_back_pressure),
        TEST(test_receive_timeout),
        TEST(test_without_fifos),
        TEST(test_input_waits_until_enabled),
        TEST(test_loopback),
        TEST(test_debugger_takes_no_bytes),
        TEST(test_snapshot),
        TEST(test_identification),
        TEST(test_all_levels),
        TEST(test_switching_fifos),
        TEST(test_registers),
        TEST(test_breaks),
        cmocka_unit_test_setup_teardown(test_line_breaks, line_setup, teardown),
        cmocka_unit_test_setup_teardown(test_line_timeouts, line_setup, teardown),
        cmocka_unit_test_setup_teardown(test_line_loads, line_setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
