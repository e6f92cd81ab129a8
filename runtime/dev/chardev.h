/*
 * Character back ends of serial ports. The `spec` strings:
 *
 *     stdio                    the terminal in raw mode, with QEMU's Ctrl-A escapes (x quit,
 *                              h help, b break, c monitor, Ctrl-A itself); plain when not a tty
 *     null                     output is dropped, no input
 *     file:PATH                output to a file
 *     pty                      a new pseudo-terminal; its name is printed on stderr
 *     tcp:[HOST]:PORT[,server] a TCP stream: connects, or waits for one client at a time; without a
 *                              host: 127.0.0.1
 *     script:PATH              deterministic input: a file of expect/send lines (chardev_script.c)
 *     memory                   output kept, input given by chardev_feed(): for tests
 *
 * Input from tty, pipe, pty and tcp is read by a host thread and reaches the front end through
 * clock_post(), at the loop's next turn. Input of a regular file on stdin, of script: and of memory
 * comes at virtual times and is the same in every run.
 */
#ifndef RUNTIME_DEV_CHARDEV_H
#define RUNTIME_DEV_CHARDEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"
#include "runtime/base/state.h"
#include "runtime/time/clock.h"

struct chardev;

/* The serial port at the other end; called on the machine's thread. */
struct chardev_client {
    /* How many bytes receive() takes now. */
    size_t (*can_receive)(void *opaque);
    /* Bytes from outside, at most as many as can_receive() said. */
    void (*receive)(void *opaque, const uint8_t *bytes, size_t len);
    /* A break condition (Ctrl-A b); may be NULL. */
    void (*receive_break)(void *opaque);
    void *opaque;
};

/* Callbacks and context of a back end. */
struct chardev_host {
    struct clock *clock;
    void (*quit)(void *opaque);  /* a script's `quit`; on the machine's thread; may be NULL */
    void (*leave)(void *opaque); /* Ctrl-A x; on the reading thread, at once; may be NULL */
    /* Receives the keys from one Ctrl-A c to the next, on the reading thread; `len` 0: the keys go
     * to the monitor from now on. NULL: Ctrl-A c prints that there is no monitor. */
    void (*monitor)(void *opaque, const uint8_t *bytes, size_t len);
    void *opaque;
    struct journal *journal; /* input of the host is recorded or replayed; NULL: neither */
    uint32_t number;         /* of the port, in the journal */
};

/* Opens a back end by its spec. `host` is copied. NULL on a bad spec or when the host refuses. */
struct chardev *chardev_open(const char *spec, const struct chardev_host *host, struct error *err);

/* Drains output, restores the terminal, ends the thread and releases it. NULL is allowed. */
void chardev_close(struct chardev *chr);

/* Connects the serial port (copied); NULL disconnects. Waiting input is delivered. */
void chardev_attach(struct chardev *chr, const struct chardev_client *client);

/* Writes output of the guest. Blocks no longer than the host's file does, and for a pty or TCP peer
 * that does not read at most 100 ms, once; loss is silent. */
void chardev_write(struct chardev *chr, const uint8_t *bytes, size_t len);

/* Must be called when the port has room again: waiting input is delivered, as far as it fits. */
void chardev_accept_input(struct chardev *chr);

/* memory: appends input, delivered as far as it fits. Elsewhere it does the same, for scripts. */
void chardev_feed(struct chardev *chr, const void *bytes, size_t len);

/* Delivers recorded input, or a break. */
void chardev_replay(struct chardev *chr, bool is_break, const uint8_t *bytes, size_t len);

/* Input that waits for the port, and how far a script is, for a snapshot. */
void chardev_save(struct chardev *chr, struct state_buf *buf);
/* Sets them. A script that is another than the saved one begins at its start. Input that the port
 * was not offered yet stays, behind what waited. */
void chardev_load(struct chardev *chr, const struct state_buf *buf);
/* While it is held, the port is offered no input. */
void chardev_hold(struct chardev *chr, bool held);

/* memory: the output so far; valid until the next write. *len may be NULL. */
const char *chardev_output(const struct chardev *chr, size_t *len);

/* Describes where this port leads ("stdio", "pty /dev/pts/3"), in one line for the boot message. */
const char *chardev_describe(const struct chardev *chr);

/* Restores the terminal on an exit path that cannot close; safe in a signal handler. */
void chardev_restore_terminal(void);

#endif
