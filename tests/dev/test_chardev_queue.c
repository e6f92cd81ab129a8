/* The queue of input and the kept output of character back ends without host resources. */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "tests/dev/serial_port.h"

#define QUEUE 65536u

/* A port with room receives all input at once, however much. */
static void test_feed_more_than_the_queue(void **state)
{
    struct serial_port *f = *state;
    uint8_t *bytes = serial_port_bytes(3 * QUEUE + 5);

    serial_port_open(f, "memory");
    chardev_feed(f->chr, bytes, 3 * QUEUE + 5);
    assert_int_equal(f->total, 3 * QUEUE + 5);
    assert_int_equal(f->wrong, 0);
    free(bytes);
}

/* Queued input stays in order where the queue wraps around; a full queue keeps the oldest bytes. */
static void test_queue_goes_round(void **state)
{
    struct serial_port *f = *state;
    uint8_t *bytes = serial_port_bytes(5 * QUEUE);
    size_t fed = 0;

    serial_port_open(f, "memory");
    f->room = 0;
    for (unsigned n = 0; n < 10; n++) {
        chardev_feed(f->chr, bytes + fed, 30000);
        fed += 30000;
        f->room = 25000;
        chardev_accept_input(f->chr);
        if (fed - f->total > QUEUE - 30000)
            break;
    }
    assert_int_equal(f->room, 0);
    chardev_feed(f->chr, bytes + fed, QUEUE);
    f->room = SIZE_MAX;
    fed = f->total;
    chardev_accept_input(f->chr);
    assert_int_equal(f->total - fed, QUEUE);
    assert_int_equal(f->wrong, 0);
    free(bytes);
}

/* Input of a snapshot takes the place of what the port had no room for, and comes before what the
 * port was not offered yet. */
static void test_saved_input(void **state)
{
    struct serial_port *f = *state;
    struct state_buf buf = {0};

    serial_port_open(f, "memory");
    f->room = 0;
    chardev_feed(f->chr, "ab", 2);
    chardev_save(f->chr, &buf);
    chardev_feed(f->chr, "cd", 2);
    chardev_hold(f->chr, true);
    chardev_feed(f->chr, "ef", 2);
    f->room = SIZE_MAX;
    chardev_load(f->chr, &buf);
    chardev_accept_input(f->chr);
    assert_int_equal(f->total, 0);
    chardev_hold(f->chr, false);
    assert_string_equal(f->got, "abef");
    state_buf_free(&buf);
}

/* A port that asks for more input while it receives gets every byte once, in order. */
static void test_asks_while_it_receives(void **state)
{
    struct serial_port *f = *state;
    uint8_t *bytes = serial_port_bytes(1000);

    serial_port_open(f, "memory");
    f->asks = true;
    chardev_feed(f->chr, bytes, 1000);
    assert_int_equal(f->total, 1000);
    assert_int_equal(f->wrong, 0);
    free(bytes);
}

/* Input waits while no port is attached; a port that detaches while it receives gets no more. */
static void test_detached(void **state)
{
    struct serial_port *f = *state;
    uint8_t *bytes = serial_port_bytes(1000);

    serial_port_open(f, "memory");
    chardev_attach(f->chr, NULL);
    chardev_feed(f->chr, bytes, 300);
    assert_int_equal(f->total, 0);
    f->leaves_early = true;
    serial_port_attach(f);
    assert_in_range(f->total, 1, 299);
    f->leaves_early = false;
    chardev_feed(f->chr, bytes + 300, 700);
    assert_in_range(f->total, 1, 299);
    serial_port_attach(f);
    assert_int_equal(f->total, 1000);
    assert_int_equal(f->wrong, 0);
    free(bytes);
}

static void test_memory_respects_room(void **state)
{
    struct serial_port *f = *state;

    serial_port_open(f, "memory");
    f->room = 3;
    chardev_feed(f->chr, "abcdef", 6);
    assert_string_equal(f->got, "abc");
    f->room = 2;
    chardev_accept_input(f->chr);
    assert_string_equal(f->got, "abcde");
}

/* Input beyond the queue's size is lost, without a hang or an overrun. */
static void test_queue_is_bounded(void **state)
{
    struct serial_port *f = *state;
    char *much = calloc(1, 200000);
    size_t total = 0;

    serial_port_open(f, "memory");
    f->room = 0;
    chardev_feed(f->chr, much, 200000);
    free(much);
    do {
        f->len = 0;
        f->room = 500;
        chardev_accept_input(f->chr);
        total += f->len;
    } while (f->len);
    assert_int_equal(total, 65536);
}

/* ---- output ---------------------------------------------------------------------------------- */

static void test_null(void **state)
{
    struct serial_port *f = *state;
    size_t len = 1;

    serial_port_open(f, "null");
    assert_string_equal(chardev_describe(f->chr), "null");
    serial_port_send(f, "anything");
    assert_string_equal(chardev_output(f->chr, &len), "");
    assert_int_equal(len, 0);
}

/* All output is kept, and ends with a NUL, whatever the sizes of its pieces. */
static void test_memory_keeps_output(void **state)
{
    struct serial_port *f = *state;
    char *text = malloc(40001);
    size_t done = 0, len = 1;

    for (size_t n = 0; n < 40000; n++)
        text[n] = (char)('a' + n % 26);
    text[40000] = 0;
    serial_port_open(f, "memory");
    assert_string_equal(chardev_describe(f->chr), "memory");
    assert_string_equal(chardev_output(f->chr, &len), "");
    assert_int_equal(len, 0);
    for (size_t piece = 1; done + piece < 40000; piece = piece * 3 % 5003) {
        chardev_write(f->chr, (const uint8_t *)text + done, piece);
        done += piece;
        assert_int_equal(strlen(chardev_output(f->chr, NULL)), done);
    }
    chardev_write(f->chr, (const uint8_t *)text + done, 40000 - done);
    assert_string_equal(chardev_output(f->chr, &len), text);
    assert_int_equal(len, 40000);
    free(text);
}

static void test_nothing_is_left(void **state)
{
    struct serial_port *f = *state;
    uint8_t *much = calloc(1, 1 << 20);
    size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;

    for (unsigned n = 0; n < 10; n++) {
        serial_port_open(f, "memory");
        chardev_write(f->chr, much, 1 << 20);
        chardev_close(f->chr);
        f->chr = NULL;
    }
    assert_true(mallinfo2().uordblks + mallinfo2().hblkhd < before + QUEUE);
    chardev_close(NULL);
    free(much);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, serial_port_setup, serial_port_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_feed_more_than_the_queue),
        TEST(test_queue_goes_round),
        TEST(test_saved_input),
        TEST(test_asks_while_it_receives),
        TEST(test_detached),
        TEST(test_memory_respects_room),
        TEST(test_queue_is_bounded),
        TEST(test_null),
        TEST(test_memory_keeps_output),
        TEST(test_nothing_is_left),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
