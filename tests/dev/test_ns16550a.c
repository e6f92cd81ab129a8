/* A 16550A driven as by Linux, with a character back end in memory. */
#include "tests/dev/bench.h"

#include <string.h>

#include "runtime/dev/chardev.h"

enum { DATA, IER, IIR, LCR, MCR, LSR, MSR, SCR, FCR = IIR, DLL = DATA, DLM = IER };

static uint8_t read_register(struct bench *b, unsigned reg)
{
    return (uint8_t)bench_read_as(b, 0, BENCH_BASE + reg, 1);
}

static void write_register(struct bench *b, unsigned reg, uint8_t value)
{
    bench_write_as(b, 0, BENCH_BASE + reg, 1, value);
}

static int setup(void **state)
{
    struct bench *b = bench_new();
    struct chardev_host host = {.clock = &b->clock};

    b->env.chardev = chardev_open("memory", &host, NULL);
    b->reg[0].size = 0x100;
    bench_prop(b, "clock-frequency", "\x00\x38\x40\x00", 4); /* 3.6864 MHz */
    bench_create(b, "ns16550a");
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
        assert_int_equal(read_register(b, LSR), 0x60); /* always empty */
        write_register(b, DATA, (uint8_t)*p);
    }
    assert_string_equal(chardev_output(b->env.chardev, NULL), "hello");
    assert_int_equal(stats_get(b->stats, "devices/device@10000000", "bytes_sent"), 5);
}

/*
 * Linux's probe of a port: the transmitter's interrupt is raised when it is enabled, falls when it
 * was read, and rises again with the next byte.
 */
static void test_transmit_interrupt(void **state)
{
    struct bench *b = *state;

    assert_int_equal(read_register(b, IIR), 0x01);
    write_register(b, IER, 2);
    assert_true(b->level[0]);
    /* a debugger's read has no side effect */
    assert_int_equal(bench_read_as(b, BUS_NO_CPU, BENCH_BASE + IIR, 1), 0x02);
    assert_int_equal(read_register(b, IIR), 0x02);
    assert_false(b->level[0]);
    assert_int_equal(read_register(b, IIR), 0x01);
    write_register(b, IER, 2); /* enabled before: no new interrupt */
    assert_false(b->level[0]);
    write_register(b, DATA, 'x');
    assert_true(b->level[0]);
    write_register(b, IER, 0);
    assert_false(b->level[0]);
    write_register(b, IER, 2);
    assert_true(b->level[0]);
    bench_save_and_load(b);
    assert_true(b->level[0]);
    assert_int_equal(read_register(b, IER), 2);
}

static void test_receiving(void **state)
{
    struct bench *b = *state;

    write_register(b, IER, 1);
    feed_text(b, "ab"); /* without FIFOs one byte at a time */
    assert_true(b->level[0]);
    assert_int_equal(read_register(b, IIR), 0x04);
    assert_int_equal(read_register(b, LSR), 0x61);
    assert_int_equal(bench_read_as(b, BUS_NO_CPU, BENCH_BASE + DATA, 1), 0);
    assert_int_equal(read_register(b, DATA), 'a');
    assert_int_equal(read_register(b, DATA), 'b');
    assert_false(b->level[0]);
    assert_int_equal(read_register(b, LSR), 0x60);
    assert_int_equal(read_register(b, DATA), 0);
}

static void test_fifo(void **state)
{
    struct bench *b = *state;
    char text[41];

    for (unsigned i = 0; i < 40; i++)
        text[i] = (char)('!' + i);
    text[40] = 0;
    write_register(b, FCR, 0x81); /* interrupt at 8 */
    assert_int_equal(read_register(b, IIR), 0xc1);
    write_register(b, IER, 1);
    feed_text(b, "1234567");
    assert_false(b->level[0]);
    feed_text(b, "8");
    assert_true(b->level[0]);
    assert_int_equal(read_register(b, IIR), 0xc4);
    assert_int_equal(read_register(b, DATA), '1');
    assert_false(b->level[0]);
    feed_text(b, text); /* input beyond the FIFO's room waits in the back end */
    for (unsigned i = 0; i < 7; i++)
        assert_int_equal(read_register(b, DATA), '2' + i);
    for (unsigned i = 0; i < 40; i++)
        assert_int_equal(read_register(b, DATA), text[i]);
    assert_int_equal(read_register(b, LSR), 0x60); /* no overrun */
    feed_text(b, "xyz");
    write_register(b, FCR, 0x83); /* emptied */
    assert_int_equal(read_register(b, LSR), 0x60);
    feed_text(b, "x");
    write_register(b, FCR, 0); /* FIFOs off, which also empties them */
    assert_int_equal(read_register(b, LSR), 0x60);
    assert_int_equal(read_register(b, IIR), 0x01);
}

/*
 * The timeout of four characters of ten bits after the last byte, at 3.6864 MHz / 16 / 24 = 9600
 * baud.
 */
static void test_receive_timeout(void **state)
{
    struct bench *b = *state;
    uint64_t bit = 1000000000 / 9600, due;

    write_register(b, LCR, 0x83);
    write_register(b, DLL, 24);
    write_register(b, DLM, 0);
    assert_int_equal(read_register(b, DLL), 24);
    write_register(b, LCR, 0x03);
    write_register(b, FCR, 0xc1);
    write_register(b, IER, 1);
    bench_run_to(b, 1000);
    feed_text(b, "a");
    due = clock_next(&b->clock);
    assert_in_range(due, 1000 + 40 * bit, 1000 + 41 * bit);
    bench_run_to(b, due - 1);
    assert_false(b->level[0]);
    bench_save_and_load(b);
    bench_run_to(b, due);
    assert_true(b->level[0]);
    assert_int_equal(read_register(b, IIR), 0xcc);
    assert_int_equal(read_register(b, DATA), 'a');
    assert_false(b->level[0]);
    assert_true(clock_next(&b->clock) == CLOCK_NEVER);
}

static void test_loopback_and_modem(void **state)
{
    struct bench *b = *state;

    assert_int_equal(read_register(b, MSR), 0xb0);
    write_register(b, MCR, 0x1a);                  /* loopback, RTS, OUT2 */
    assert_int_equal(read_register(b, MSR), 0x92); /* CTS, DCD; DSR has changed */
    assert_int_equal(read_register(b, MSR), 0x90);
    write_register(b, IER, 8);
    write_register(b, MCR, 0x1b);
    assert_true(b->level[0]);
    assert_int_equal(read_register(b, IIR), 0x00);
    assert_int_equal(read_register(b, MSR), 0xb2);
    assert_false(b->level[0]);
    feed_text(b, "outside");
    write_register(b, DATA, 'L');
    assert_int_equal(read_register(b, DATA), 'L');
    write_register(b, DATA, '1');
    write_register(b, DATA, '2'); /* no FIFO: lost */
    assert_int_equal(read_register(b, LSR), 0x63);
    assert_int_equal(read_register(b, LSR), 0x61);
    assert_int_equal(read_register(b, DATA), '1');
    write_register(b, MCR, 0xff);
    assert_int_equal(read_register(b, MCR), 0x1f);
    write_register(b, MCR, 0);
    assert_int_equal(read_register(b, DATA), 'o');
    assert_string_equal(chardev_output(b->env.chardev, NULL), "");
}

static void test_line_errors(void **state)
{
    struct bench *b = *state;

    write_register(b, IER, 4);
    write_register(b, MCR, 0x10);
    write_register(b, DATA, '1');
    write_register(b, DATA, '2');
    assert_true(b->level[0]);
    assert_int_equal(read_register(b, IIR), 0x06);
    assert_int_equal(read_register(b, LSR), 0x63);
    assert_false(b->level[0]);
}

static void test_reset(void **state)
{
    struct bench *b = *state;

    write_register(b, FCR, 0xc1);
    write_register(b, IER, 1);
    feed_text(b, "a");
    assert_true(clock_next(&b->clock) != CLOCK_NEVER);
    b->cls->reset(b->dev);
    assert_true(clock_next(&b->clock) == CLOCK_NEVER);
    assert_int_equal(read_register(b, LSR), 0x60);
    assert_int_equal(read_register(b, IIR), 0x01);
    assert_int_equal(read_register(b, IER), 0);
    assert_int_equal(read_register(b, MSR), 0xb0);
}

/* Disabled interrupts are not raised, the timeout included; disabled FIFOs have no settings. */
static void test_masks(void **state)
{
    struct bench *b = *state;

    write_register(b, FCR, 0xc1);
    feed_text(b, "a");
    bench_run_to(b, 1000000000);
    assert_false(b->level[0]);
    assert_int_equal(read_register(b, IIR), 0xc1);
    write_register(b, IER, 1);
    assert_int_equal(read_register(b, IIR), 0xcc);
    write_register(b, FCR, 0xc0);
    feed_text(b, "b");
    assert_int_equal(read_register(b, IIR), 0x04);
}

static void test_scratch_and_latch(void **state)
{
    struct bench *b = *state;

    write_register(b, SCR, 0xa5);
    assert_int_equal(read_register(b, SCR), 0xa5);
    write_register(b, IER, 0xff);
    assert_int_equal(read_register(b, IER), 0x0f);
    write_register(b, LCR, 0x83);
    write_register(b, DLM, 0x12);
    write_register(b, DLL, 0x34);
    assert_int_equal(read_register(b, DLM), 0x12);
    assert_int_equal(read_register(b, DLL), 0x34);
    assert_string_equal(chardev_output(b->env.chardev, NULL), "");
    write_register(b, LCR, 0x03);
    assert_int_equal(read_register(b, LCR), 0x03);
    assert_int_equal(read_register(b, IER), 0x0f);
    write_register(b, LSR, 0xff);
    assert_int_equal(read_register(b, LSR), 0x60);
}

static void test_register_distance(void **state)
{
    struct bench *b = bench_new();
    struct error err = {""};

    (void)state;
    bench_prop(b, "reg-shift", "\0\0\0\2", 4);
    bench_create(b, "ns16550a");
    bench_write(b, 4 * SCR, 0x5a);
    assert_int_equal(bench_read(b, 4 * SCR), 0x5a);
    assert_int_equal(read_register(b, 4 * SCR), 0x5a);
    assert_int_equal(read_register(b, SCR), 0);
    bench_free(b);
    b = bench_new();
    bench_prop(b, "reg-shift", "\0\0\0\4", 4);
    assert_null(device_class_by_name("ns16550a")->create(&b->env, &err));
    assert_non_null(strstr(err.text, "apart"));
    bench_free(b);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_sending),
        TEST(test_transmit_interrupt),
        TEST(test_receiving),
        TEST(test_fifo),
        TEST(test_receive_timeout),
        TEST(test_loopback_and_modem),
        TEST(test_line_errors),
        TEST(test_reset),
        TEST(test_masks),
        TEST(test_scratch_and_latch),
        cmocka_unit_test(test_register_distance),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
