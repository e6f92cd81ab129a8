/* A serial port for tests of character back ends, which records what it receives. */
#include "tests/dev/serial_port.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/dev/locks.h"

#define SECOND UINT64_C(1000000000)

uint8_t serial_port_byte(size_t n)
{
    return (uint8_t)(n * 7 >> 3);
}

uint8_t *serial_port_bytes(size_t len)
{
    uint8_t *bytes = malloc(len);

    for (size_t n = 0; n < len; n++)
        bytes[n] = serial_port_byte(n);
    return bytes;
}

/* ---- calls of the back end ------------------------------------------------------------------- */

static size_t can_receive(void *opaque)
{
    return ((struct serial_port *)opaque)->room;
}

static void receive_bytes(void *opaque, const uint8_t *bytes, size_t len)
{
    struct serial_port *f = opaque;

    assert_in_range(len, 1, f->room);
    f->room -= len;
    for (size_t n = 0; n < len; n++)
        f->wrong += bytes[n] != serial_port_byte(f->total++);
    if (len >= sizeof(f->got)) { /* only the last bytes fit */
        bytes += len - (sizeof(f->got) - 1);
        len = sizeof(f->got) - 1;
    }
    if (f->len + len >= sizeof(f->got))
        f->len = 0;
    memcpy(f->got + f->len, bytes, len);
    f->len += len;
    f->got[f->len] = 0;
    if (f->leaves_early)
        chardev_attach(f->chr, NULL);
    if (f->asks)
        chardev_accept_input(f->chr);
}

static void receive_break(void *opaque)
{
    ((struct serial_port *)opaque)->breaks++;
}

static void quit_machine(void *opaque)
{
    struct serial_port *f = opaque;

    f->quits++;
    f->quit_at = clock_now(&f->clock);
}

static void leave_machine(void *opaque)
{
    ((struct serial_port *)opaque)->leaves++;
}

static void feed_monitor(void *opaque, const uint8_t *bytes, size_t len)
{
    struct serial_port *f = opaque;

    f->monitors += !len;
    assert_true(f->key_count + len < sizeof(f->keys));
    for (size_t n = 0; n < len; n++)
        f->keys[f->key_count++] = (char)bytes[n];
}

/* ---- the port -------------------------------------------------------------------------------- */

int serial_port_setup(void **state)
{
    struct serial_port *f = calloc(1, sizeof(*f));

    clock_init(&f->clock);
    f->host = (struct chardev_host){.clock = &f->clock,
                                    .quit = quit_machine,
                                    .leave = leave_machine,
                                    .monitor = feed_monitor,
                                    .opaque = f};
    f->room = SIZE_MAX;
    *state = f;
    return 0;
}

int serial_port_teardown(void **state)
{
    struct serial_port *f = *state;

    chardev_close(f->chr);
    clock_free(&f->clock);
    free(f);
    assert_int_equal(lock_faults_seen(), 0);
    return 0;
}

void serial_port_attach(struct serial_port *f)
{
    chardev_attach(f->chr, &(struct chardev_client){can_receive, receive_bytes, receive_break, f});
}

void serial_port_open(struct serial_port *f, const char *spec)
{
    struct error err = {""};

    f->chr = chardev_open(spec, &f->host, &err);
    if (!f->chr)
        fail_msg("%s", err.text);
    serial_port_attach(f);
}

void serial_port_await(struct serial_port *f, const char *text)
{
    while (!strstr(f->got, text)) {
        if (!clock_wait_posted(&f->clock, 5 * SECOND))
            fail_msg("waited for '%s', got '%s'", text, f->got);
        clock_run_posted(&f->clock);
    }
}

void serial_port_send(struct serial_port *f, const char *text)
{
    chardev_write(f->chr, (const uint8_t *)text, strlen(text));
}

void serial_port_expect_bytes(int fd, const char *text)
{
    char buf[64] = "";
    size_t len = 0, want = strlen(text);

    while (len < want) {
        struct pollfd p = {fd, POLLIN, 0};

        assert_int_equal(poll(&p, 1, 5000), 1);
        ssize_t n = read(fd, buf + len, want - len);
        assert_true(n > 0);
        len += (size_t)n;
    }
    assert_string_equal(buf, text);
}

void serial_port_refuse_threads(bool refuse)
{
    no_threads = refuse;
}
