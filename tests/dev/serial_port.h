/*
 * A serial port for tests of character back ends: records the bytes that it receives, and the back
 * end's calls to the machine. Programs that link it are linked with LOCK_WRAPS: a wrong use of a
 * mutex, or a thread that is not joined, fails the test.
 */
#ifndef TESTS_DEV_SERIAL_PORT_H
#define TESTS_DEV_SERIAL_PORT_H

#include "tests/dev/bench.h"

#include "runtime/dev/chardev.h"

struct serial_port {
    struct clock clock;
    struct chardev_host host;
    struct chardev *chr; /* closed after the test; may be NULL */
    char got[512];       /* the latest bytes received, and a NUL */
    size_t len;          /* bytes in `got` */
    size_t room;         /* bytes that the port takes before a test gives it more */
    size_t total;        /* bytes received */
    size_t wrong;        /* bytes received that are not serial_port_byte() of their position */
    bool asks;           /* asks for more input while it receives */
    bool leaves_early;   /* detaches while it receives */
    unsigned breaks, quits, leaves, monitors;
    uint64_t quit_at; /* ns at which `quit` was called */
    char keys[16];    /* what the monitor was given */
    size_t key_count;
};

/* Fixtures of cmocka: a port without a back end, with room for any number of bytes. */
int serial_port_setup(void **state);
int serial_port_teardown(void **state);

/* Opens the back end `spec` and attaches the port. The test fails if this fails. */
void serial_port_open(struct serial_port *f, const char *spec);
void serial_port_attach(struct serial_port *f);

/* Runs the machine's side until `text` has been received; fails after five seconds. */
void serial_port_await(struct serial_port *f, const char *text);

/* Lets the port send `text`. */
void serial_port_send(struct serial_port *f, const char *text);

/* Reads the peer's end `fd` until `text` has come, and nothing else; fails after five seconds. */
void serial_port_expect_bytes(int fd, const char *text);

/* The byte at position n of a pattern, and the first `len` bytes of it (to be freed). */
uint8_t serial_port_byte(size_t n);
uint8_t *serial_port_bytes(size_t len);

/* Makes pthread_create() fail, or lets it succeed again. */
void serial_port_refuse_threads(bool refuse);

#endif
