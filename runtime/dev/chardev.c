/*
 * The core of character back ends: the input queue, delivery to the port, and the back ends
 * without a host file. chardev_open.c opens them.
 *
 * Bounds      CHARDEV_QUEUE bytes wait; delivery ends when the port's FIFO has no room
 */
#include "runtime/dev/chardev.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/obs/journal.h"
#include "runtime/dev/chardev_backend.h"

/* ---- the input queue ------------------------------------------------------------------------- */

size_t chardev_push(struct chardev *chr, const uint8_t *bytes, size_t len)
{
    size_t n;

    pthread_mutex_lock(&chr->lock);
    for (n = 0; n < len && chr->count < CHARDEV_QUEUE; n++)
        chr->queue[(chr->head + chr->count++) % CHARDEV_QUEUE] = bytes[n];
    pthread_mutex_unlock(&chr->lock);
    return n;
}

/* Takes up to `max` bytes off the queue. */
static size_t take_input(struct chardev *chr, uint8_t *bytes, size_t max)
{
    size_t n;

    pthread_mutex_lock(&chr->lock);
    for (n = 0; n < max && chr->count; n++, chr->count--) {
        bytes[n] = chr->queue[chr->head];
        chr->head = (chr->head + 1) % CHARDEV_QUEUE;
    }
    chr->offered = chr->count;
    if (n)
        pthread_cond_signal(&chr->room);
    pthread_mutex_unlock(&chr->lock);
    return n;
}

void chardev_deliver(void *opaque)
{
    struct chardev *chr = opaque;
    uint8_t bytes[64];

    if (chr->delivering)
        return; /* called from receive(): the loop below continues anyway */
    chr->delivering = true;
    while (chr->attached) {
        size_t room = chr->client.can_receive(chr->client.opaque);
        size_t n = take_input(chr, bytes, room < sizeof(bytes) ? room : sizeof(bytes));

        if (!n)
            break;
        chr->client.receive(chr->client.opaque, bytes, n);
    }
    chr->delivering = false;
}

/* ---- recorded input -------------------------------------------------------------------------- */

/* Moves staged input to the queue, as far as there is room, and records it. */
static void take_staged(void *opaque)
{
    struct chardev *chr = opaque;
    uint8_t bytes[sizeof(chr->staged)];
    size_t len, n;

    pthread_mutex_lock(&chr->lock);
    len = chr->staged_len;
    memcpy(bytes, chr->staged, len);
    pthread_mutex_unlock(&chr->lock);
    if (chardev_is_replayed(chr))
        len = 0; /* typed while the machine is back in its past */
    n = chardev_push(chr, bytes, len);
    if (n)
        journal_write(chr->host.journal, JOURNAL_CONSOLE, chr->host.number, bytes, n);
    pthread_mutex_lock(&chr->lock);
    if (len)
        memmove(chr->staged, chr->staged + n, len - n);
    chr->staged_len = chr->reader.lossless ? len - n : 0;
    pthread_cond_signal(&chr->room);
    pthread_mutex_unlock(&chr->lock);
    if (chr->staged_len)
        clock_post(chr->host.clock, take_staged, chr);
    chardev_deliver(chr);
}

void chardev_stage(struct chardev *chr, const uint8_t *bytes, size_t len)
{
    if (!len)
        return;
    pthread_mutex_lock(&chr->lock);
    while (chr->staged_len && !chr->stopping)
        pthread_cond_wait(&chr->room, &chr->lock);
    memcpy(chr->staged, bytes, len);
    chr->staged_len = len;
    pthread_mutex_unlock(&chr->lock);
    clock_post(chr->host.clock, take_staged, chr);
}

bool chardev_is_replayed(const struct chardev *chr)
{
    return chr->host.journal && journal_is_replay(chr->host.journal);
}

void chardev_break(struct chardev *chr)
{
    if (chr->attached && chr->client.receive_break)
        chr->client.receive_break(chr->client.opaque);
}

void chardev_replay(struct chardev *chr, bool is_break, const uint8_t *bytes, size_t len)
{
    if (is_break) {
        chardev_break(chr);
        return;
    }
    chardev_push(chr, bytes, len);
    chardev_deliver(chr);
}

/* ---- what front ends use --------------------------------------------------------------------- */

void chardev_attach(struct chardev *chr, const struct chardev_client *client)
{
    chr->attached = client != NULL;
    if (!client)
        return;
    chr->client = *client;
    chardev_deliver(chr);
}

void chardev_write(struct chardev *chr, const uint8_t *bytes, size_t len)
{
    /* In its past a machine has printed this already; a script still compares it. */
    if (!journal_is_past(chr->host.journal) || chr->backend->sees_past)
        chr->backend->write(chr, bytes, len);
}

void chardev_accept_input(struct chardev *chr)
{
    chardev_deliver(chr);
}

void chardev_feed(struct chardev *chr, const void *bytes, size_t len)
{
    const uint8_t *from = bytes;

    while (len) {
        size_t n = chardev_push(chr, from, len);

        chardev_deliver(chr);
        if (!n)
            return; /* the guest does not read: the other bytes are lost */
        from += n;
        len -= n;
    }
}

static const struct state_field queue_fields[] = {
    STATE_FIELD(struct chardev, queue),
    STATE_FIELD(struct chardev, head),
    STATE_FIELD(struct chardev, count),
    STATE_END,
};

void chardev_save(struct chardev *chr, struct state_buf *buf)
{
    pthread_mutex_lock(&chr->lock);
    state_save(buf, "queue", queue_fields, chr);
    pthread_mutex_unlock(&chr->lock);
    if (chr->backend->save)
        chr->backend->save(chr, buf);
}

void chardev_hold(struct chardev *chr, bool held)
{
    chr->delivering = held;
    if (!held)
        chardev_deliver(chr);
}

/* The input that has come since the port was last offered any; returns how much it is. */
static size_t new_input(const struct chardev *chr, uint8_t bytes[CHARDEV_QUEUE])
{
    size_t n = 0;

    for (size_t at = chr->offered; at < chr->count; at++)
        bytes[n++] = chr->queue[(chr->head + at) % CHARDEV_QUEUE];
    return n;
}

void chardev_load(struct chardev *chr, const struct state_buf *buf)
{
    uint8_t *more = xcalloc(CHARDEV_QUEUE, 1);
    size_t count;

    pthread_mutex_lock(&chr->lock);
    count = new_input(chr, more);
    if (!state_load(buf, "queue", queue_fields, chr, NULL))
        chr->head = chr->count = 0;
    chr->head %= CHARDEV_QUEUE;
    chr->count = chr->offered = chr->count > CHARDEV_QUEUE ? 0 : chr->count;
    for (size_t n = 0; n < count && chr->count < CHARDEV_QUEUE; n++)
        chr->queue[(chr->head + chr->count++) % CHARDEV_QUEUE] = more[n];
    pthread_mutex_unlock(&chr->lock);
    free(more);
    if (chr->backend->load)
        chr->backend->load(chr, buf);
}

const char *chardev_describe(const struct chardev *chr)
{
    return chr->description;
}

/* ---- null: nothing in, nothing out ----------------------------------------------------------- */

static bool null_open(struct chardev *chr, const char *args, struct error *err)
{
    (void)args, (void)err;
    strcpy(chr->description, "null");
    return true;
}

static void null_write(struct chardev *chr, const uint8_t *bytes, size_t len)
{
    (void)chr, (void)bytes, (void)len;
}

const struct chardev_backend chardev_null = {"null", null_open, null_write, NULL,
                                             NULL,   NULL,      false};

/* ---- memory: kept for tests ------------------------------------------------------------------ */

struct memory {
    char *text;
    size_t len, cap;
};

static bool memory_open(struct chardev *chr, const char *args, struct error *err)
{
    (void)args, (void)err;
    chr->data = xcalloc(1, sizeof(struct memory));
    strcpy(chr->description, "memory");
    return true;
}

static void memory_write(struct chardev *chr, const uint8_t *bytes, size_t len)
{
    struct memory *m = chr->data;

    if (m->cap - m->len < len + 1) {
        m->cap = 2 * m->cap + len + 256;
        m->text = xrealloc(m->text, m->cap, 1);
    }
    memcpy(m->text + m->len, bytes, len);
    m->len += len;
    m->text[m->len] = 0;
}

static void memory_close(struct chardev *chr)
{
    struct memory *m = chr->data;

    free(m->text);
    free(m);
}

const char *chardev_output(const struct chardev *chr, size_t *len)
{
    const struct memory *m = chr->backend == &chardev_memory ? chr->data : NULL;

    if (len)
        *len = m ? m->len : 0;
    return m && m->text ? m->text : "";
}

const struct chardev_backend chardev_memory = {"memory", memory_open, memory_write, memory_close,
                                               NULL,     NULL,        false};
