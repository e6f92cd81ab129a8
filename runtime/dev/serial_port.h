/*
 * Parts that serial ports share: a FIFO of received bytes, the timeout that reports bytes that were
 * not read, and the connection to the console behind the port.
 */
#ifndef RUNTIME_DEV_SERIAL_PORT_H
#define RUNTIME_DEV_SERIAL_PORT_H

#include "runtime/dev/device.h"

#define SERIAL_FIFO_MAX 32u

/* How a kind of port differs; the functions get the device. */
struct serial_class {
    size_t (*room)(void *dev); /* bytes that the port takes from the console now */
    /* Receives a byte from the line, or a break, which counts as a byte of zero. */
    void (*put)(void *dev, uint8_t byte, bool is_break);
    void (*timed_out)(void *dev); /* bytes wait, and none has come or gone for the timeout */
    void (*update)(void *dev);    /* called afterwards: drives the interrupt line */
};

struct serial_port {
    uint16_t fifo[SERIAL_FIFO_MAX]; /* bytes, with the port's flags above each */
    uint32_t head, count;
    uint64_t timeout_at; /* due time of the timeout; CLOCK_NEVER: none */

    const struct device_env *env;
    const struct serial_class *class;
    void *dev;
    struct event timeout;
    uint64_t sent, received;
};

/* The fields that a snapshot holds, where the member `port` of a `type` is a struct serial_port. */
#define SERIAL_FIELDS(type)                                                                    \
    STATE_FIELD(type, port.fifo), STATE_FIELD(type, port.head), STATE_FIELD(type, port.count), \
        STATE_FIELD(type, port.timeout_at)

/* Must be called before the registers are mapped. */
void serial_init(struct serial_port *port, const struct device_env *env,
                 const struct serial_class *class, void *dev);

/* Must be called in the device's reset state: adds statistics and connects the console. */
void serial_start(struct serial_port *port);

/* Disconnects the console and cancels the timeout. */
void serial_end(struct serial_port *port);

/* Makes the state of a snapshot valid, and plans the timeout again. */
void serial_post_load(struct serial_port *port);

/* The FIFO, which has room for SERIAL_FIFO_MAX; serial_get() returns 0 if it is empty. */
void serial_push(struct serial_port *port, uint16_t data);
uint16_t serial_get(struct serial_port *port);
void serial_clear(struct serial_port *port);

/* Plans the timeout in `ns`, for bytes that wait then; CLOCK_NEVER: cancels it. */
void serial_set_timeout(struct serial_port *port, uint64_t ns);

/* Sends a byte: to the console, or back to the port itself. */
void serial_send(struct serial_port *port, uint8_t byte, bool loop);

/* Must be called when the port may have room again: waiting input is delivered. */
void serial_accept_input(struct serial_port *port);

#endif
