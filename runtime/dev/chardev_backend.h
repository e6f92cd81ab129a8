/*
 * Between the character device core (chardev.c) and its back ends (chardev_*.c). Front ends
 * include chardev.h only.
 */
#ifndef RUNTIME_DEV_CHARDEV_BACKEND_H
#define RUNTIME_DEV_CHARDEV_BACKEND_H

#include <pthread.h>
#include <stdatomic.h>

#include "runtime/dev/chardev.h"

#define CHARDEV_QUEUE 65536 /* most bytes of input that wait for the guest */

struct chardev_backend {
    const char *name; /* what a spec starts with */
    /* Opens it; `args` is the part of the spec behind the ':', or "". */
    bool (*open)(struct chardev *chr, const char *args, struct error *err);
    void (*write)(struct chardev *chr, const uint8_t *bytes, size_t len);
    void (*close)(struct chardev *chr); /* after the thread has ended; may be NULL */
    /* State of its own in a snapshot; NULL: none. */
    void (*save)(struct chardev *chr, struct state_buf *buf);
    void (*load)(struct chardev *chr, const struct state_buf *buf);
    /* Whether it also gets what a machine prints that is back in its past. */
    bool sees_past;
};

/* A host thread that reads a file descriptor into the queue; see chardev_io.c. */
struct chardev_reader {
    pthread_t thread;
    bool started;
    int wake[2];        /* a pipe; closing its write end stops the thread */
    int in_fd;          /* read by the thread; -1: none now (TCP server without client) */
    int listen_fd;      /* TCP server; -1: none */
    _Atomic int out_fd; /* written by the machine's thread; -1: none */
    bool stalled;       /* the peer did not take all of the last output */
    bool lossless;      /* wait for room in the queue rather than drop */
    bool escapes;       /* Ctrl-A is special */
    bool after_ctrl_a;
    bool to_monitor; /* Ctrl-A c was typed: keys go to the monitor */
};

struct chardev {
    const struct chardev_backend *backend;
    struct chardev_host host;
    struct chardev_client client;
    bool attached, delivering;
    char description[160];

    pthread_mutex_t lock; /* protects the queue */
    pthread_cond_t room;
    uint8_t queue[CHARDEV_QUEUE];
    size_t head, count;
    size_t offered; /* bytes that were in the queue when the port took none any more */
    bool stopping;
    uint8_t staged[4096]; /* with a journal: input that has not entered the queue yet */
    size_t staged_len;

    struct chardev_reader reader;
    void *data; /* data of the back end */
};

extern const struct chardev_backend chardev_stdio, chardev_null, chardev_file, chardev_pty,
    chardev_tcp, chardev_script, chardev_memory;

/* Appends input, from any thread; returns the number of bytes that fitted. The caller must arrange
 * the delivery. */
size_t chardev_push(struct chardev *chr, const uint8_t *bytes, size_t len);

/* Delivers waiting input as far as the port takes it; machine's thread only. Fits clock_post(). */
void chardev_deliver(void *chr);

/* Hands input to the machine's thread, which records it and queues it between two turns; from any
 * thread. */
void chardev_stage(struct chardev *chr, const uint8_t *bytes, size_t len);

/* Whether input of the host is ignored, since recorded input is delivered. */
bool chardev_is_replayed(const struct chardev *chr);

/* Delivers a break to the port; machine's thread only. */
void chardev_break(struct chardev *chr);

/* Starts the thread that reads reader.in_fd (and accepts on listen_fd). */
bool chardev_start_reader(struct chardev *chr, struct error *err);

/* Ends the thread, if it runs. */
void chardev_stop_reader(struct chardev *chr);

/* Writes bytes to a descriptor, waiting up to `patience_ms` (-1: without limit) each time it is
 * full. Returns whether all were written. */
bool chardev_write_fd(int fd, const uint8_t *bytes, size_t len, int patience_ms);

#endif
