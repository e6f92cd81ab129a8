/*
 * The line side of serial ports.
 *
 * Bounds      the FIFO, and one event; input waits for room
 */
#include "runtime/dev/serial_port.h"

#include <stdio.h>

#include "runtime/dev/chardev.h"

/* ---- the FIFO -------------------------------------------------------------------------------- */

void serial_push(struct serial_port *port, uint16_t data)
{
    port->fifo[(port->head + port->count++) % SERIAL_FIFO_MAX] = data;
    port->received++;
}

uint16_t serial_get(struct serial_port *port)
{
    uint16_t data;

    if (!port->count)
        return 0;
    data = port->fifo[port->head];
    port->head = (port->head + 1) % SERIAL_FIFO_MAX;
    port->count--;
    return data;
}

void serial_clear(struct serial_port *port)
{
    port->head = port->count = 0;
}

/* ---- the timeout ----------------------------------------------------------------------------- */

void serial_set_timeout(struct serial_port *port, uint64_t ns)
{
    uint64_t now = clock_now(port->env->clock);

    port->timeout_at = port->count && ns < CLOCK_NEVER - now ? now + ns : CLOCK_NEVER;
    clock_add(port->env->clock, &port->timeout, port->timeout_at);
}

static void timed_out(void *opaque)
{
    struct serial_port *port = opaque;

    port->timeout_at = CLOCK_NEVER;
    if (port->count)
        port->class->timed_out(port->dev);
    port->class->update(port->dev);
}

/* ---- the console ----------------------------------------------------------------------------- */

static size_t can_receive(void *opaque)
{
    const struct serial_port *port = opaque;

    return port->class->room(port->dev);
}

static void receive_bytes(void *opaque, const uint8_t *bytes, size_t len)
{
    const struct serial_port *port = opaque;

    for (size_t i = 0; i < len; i++)
        port->class->put(port->dev, bytes[i], false);
    port->class->update(port->dev);
}

static void receive_break(void *opaque)
{
    const struct serial_port *port = opaque;

    if (can_receive(opaque))
        port->class->put(port->dev, 0, true);
    port->class->update(port->dev);
}

void serial_accept_input(struct serial_port *port)
{
    if (port->env->chardev && can_receive(port))
        chardev_accept_input(port->env->chardev);
}

void serial_send(struct serial_port *port, uint8_t byte, bool loop)
{
    port->sent++;
    if (loop)
        port->class->put(port->dev, byte, false);
    else if (port->env->chardev)
        chardev_write(port->env->chardev, &byte, 1);
}

/* ---- life ------------------------------------------------------------------------------------ */

void serial_init(struct serial_port *port, const struct device_env *env,
                 const struct serial_class *class, void *dev)
{
    port->env = env;
    port->class = class;
    port->dev = dev;
    event_init(&port->timeout, timed_out, port);
}

void serial_start(struct serial_port *port)
{
    struct chardev_client client = {can_receive, receive_bytes, receive_break, port};
    char group[100];

    snprintf(group, sizeof(group), "devices/%.80s", port->env->name);
    stats_add(port->env->stats, group, "bytes_sent", &port->sent);
    stats_add(port->env->stats, group, "bytes_received", &port->received);
    if (port->env->chardev)
        chardev_attach(port->env->chardev, &client);
}

void serial_end(struct serial_port *port)
{
    if (port->env->chardev)
        chardev_attach(port->env->chardev, NULL);
    clock_cancel(port->env->clock, &port->timeout);
}

void serial_post_load(struct serial_port *port)
{
    port->head %= SERIAL_FIFO_MAX;
    if (port->count > SERIAL_FIFO_MAX)
        port->count = SERIAL_FIFO_MAX;
    clock_add(port->env->clock, &port->timeout, port->timeout_at);
}
