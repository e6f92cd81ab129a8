/* PL011 driven as Linux drives it, with a character back end in memory. */
#include "tests/dev/bench.h"

#include <string.h>

#include "runtime/dev/chardev.h"

enum {
    DR = 0x00,
    RSR = 0x04,
    FR = 0x18,
    IBRD = 0x24,
    FBRD = 0x28,
    LCR = 0x2c,
    CR = 0x30,
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

static void feed(struct bench *b, const char *text)
{
    chardev_feed(b->env.chardev, text, strlen(text));
}

static void test_sending(void **state)
{
    struct bench *b = *state;

    for (const char *p = "hello"; *p; p++) {
        assert_int_equal(bench_read(b, FR) & 0xa0, TXFE);      /* never full */
        bench_write_as(b, 0, BENCH_BASE + DR, 1, (uint8_t)*p); /* earlycon writes bytes */
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
    feed(b, "123456789012345");
    assert_false(b->level[0]);
    assert_int_equal(bench_read(b, FR) & (RXFE | RXFF), 0);
    feed(b, "6");
    assert_true(b->level[0]);
    assert_int_equal(bench_read(b, DR), '1');
    assert_false(b->level[0]); /* below the level again */
    feed(b, "7");
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
    feed(b, text);
    assert_int_equal(bench_read(b, FR) & RXFF, RXFF);
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(bench_read(b, DR), text[i]);
    assert_int_equal(bench_read(b, FR) & RXFE, RXFE);
    assert_int_equal(bench_read(b, RIS) & OE, 0);
    assert_int_equal(bench_read(b, DR), 0); /* nothing there */
}

/* 32 bit times at 115200 baud (clock 24 MHz: divisor 13 + 1/64) after the last byte. */
static void test_receive_timeout(void **state)
{
    struct bench *b = *state;
    uint64_t bit;

    bench_write(b, IBRD, 13);
    bench_write(b, FBRD, 1);
    bench_write(b, IMSC, RX | RT);
    bit = ((13 * 64 + UINT64_C(1)) * 1000000000 + 96000000 - 1) / 96000000;
    bench_run_to(b, 1000);
    feed(b, "a");
    bench_run_to(b, 1000 + 16 * bit);
    feed(b, "b"); /* starts the wait anew */
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
    feed(b, "xy");
    assert_true(b->level[0]);
    assert_int_equal(bench_read(b, FR) & RXFF, RXFF);
    assert_int_equal(bench_read(b, DR), 'x');
    assert_true(b->level[0]); /* y came up */
    assert_int_equal(bench_read(b, DR), 'y');
    assert_false(b->level[0]);
}

static void test_input_waits_until_enabled(void **state)
{
    struct bench *b = *state;

    bench_write(b, CR, 0x300);
    feed(b, "early");
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
    assert_int_equal(bench_read(b, RIS) & OE, OE); /* one too many */
    assert_int_equal(bench_read(b, DR), 'A');
    bench_write(b, DR, 'z');
    for (unsigned i = 1; i < 32; i++)
        assert_int_equal(bench_read(b, DR), 'A' + i);
    assert_int_equal(bench_read(b, DR), 0x800 | 'z'); /* overrun shown with the next byte */
    assert_int_equal(bench_read(b, RSR), 8);
    bench_write(b, RSR, 0);
    assert_int_equal(bench_read(b, RSR), 0);
}

static void test_debugger_takes_no_bytes(void **state)
{
    struct bench *b = *state;

    feed(b, "k");
    bench_read_as(b, BUS_NO_CPU, BENCH_BASE + DR, 4);
    assert_int_equal(bench_read(b, DR), 'k');
}

static void test_snapshot(void **state)
{
    struct bench *b = *state;

    bench_write(b, IMSC, RX | RT);
    feed(b, "ab");
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
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
