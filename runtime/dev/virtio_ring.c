/*
 * Split virtqueues: VIRTIO 1.2, section 2.7.
 *
 * Bounds      a chain: VIRTIO_MAX_SEGMENTS descriptors of each table, 4 GB (section 2.7.5.2), and
 *             an indirect table has no table in it
 */
#include "runtime/dev/virtio_ring.h"

#include <string.h>

#include "runtime/base/bits.h"

enum { DESC_NEXT = 1, DESC_WRITE = 2, DESC_INDIRECT = 4 };
enum { AVAIL_NO_INTERRUPT = 1 };
#define DESC_BYTES 16u
#define MAX_BYTES  (UINT64_C(1) << 32) /* most bytes of a chain */
#define USED_BYTES 8u

void virtio_update(struct virtio_transport *t)
{
    struct irq_line line = device_irq(t->env, 0);

    irq_set(&line, t->interrupt != 0);
}

void virtio_broken(struct virtio_transport *t, const char *why)
{
    device_log_guest(t->env, "%s", why);
    t->status |= VIRTIO_STATUS_NEEDS_RESET;
    t->interrupt |= VIRTIO_INT_CONFIG;
    virtio_update(t);
}

bool virtio_has_feature(const struct virtio_transport *t, unsigned bit)
{
    return t->driver_features >> bit & 1;
}

/* ---- the three parts of a queue in guest memory ---------------------------------------------- */

bool virtio_queue_sound(struct virtio_transport *t, const struct virtio_queue *q)
{
    struct bus *bus = t->env->bus;

    if (!q->size || q->size > VIRTIO_QUEUE_SIZE || (q->size & (q->size - 1))) {
        device_log_guest(t->env, "a queue of %u entries", q->size);
        return false;
    }
    if (q->desc & 15 || q->avail & 1 || q->used & 3 ||
        !bus_ram_ptr(bus, q->desc, DESC_BYTES * q->size) ||
        !bus_ram_ptr(bus, q->avail, 6 + 2 * q->size) ||
        !bus_ram_ptr(bus, q->used, 6 + USED_BYTES * q->size)) {
        device_log_guest(t->env, "a queue that is not in memory, or misaligned");
        return false;
    }
    return true;
}

static uint16_t get_u16(struct virtio_transport *t, uint64_t addr)
{
    uint8_t bytes[2] = {0};

    bus_copy_from(t->env->bus, addr, bytes, 2);
    return (uint16_t)le_get(bytes, 2);
}

static void put_u16(struct virtio_transport *t, uint64_t addr, uint16_t value)
{
    uint8_t bytes[2];

    le_put(bytes, 2, value);
    bus_copy_to(t->env->bus, addr, bytes, 2);
}

static uint64_t used_event(const struct virtio_queue *q)
{
    return q->avail + 4 + 2 * (uint64_t)q->size;
}

static uint64_t avail_event(const struct virtio_queue *q)
{
    return q->used + 4 + USED_BYTES * (uint64_t)q->size;
}

/* ---- reading a chain ------------------------------------------------------------------------- */

struct desc {
    uint64_t addr;
    uint32_t len;
    uint16_t flags, next;
};

static struct desc read_desc(struct virtio_transport *t, uint64_t table, unsigned index)
{
    uint8_t bytes[DESC_BYTES] = {0};

    bus_copy_from(t->env->bus, table + DESC_BYTES * (uint64_t)index, bytes, sizeof(bytes));
    return (struct desc){le_get(bytes, 8), (uint32_t)le_get(bytes + 8, 4),
                         (uint16_t)le_get(bytes + 12, 2), (uint16_t)le_get(bytes + 14, 2)};
}

/* Adds a buffer to the chain; returns a reason on failure. */
static const char *add_segment(struct virtio_transport *t, struct virtio_chain *c,
                               const struct desc *d)
{
    struct virtio_segment *seg;

    if (!(d->flags & DESC_WRITE) && c->in_count)
        return "a chain with a buffer to read behind one to write";
    if (!d->len)
        return NULL;
    if (c->out_count + c->in_count == VIRTIO_MAX_SEGMENTS)
        return "a chain of too many buffers";
    if (c->out_len + c->in_len + d->len > MAX_BYTES)
        return "a chain of more than 4 GB";
    seg = &c->seg[c->out_count + c->in_count];
    *seg = (struct virtio_segment){d->addr, bus_ram_ptr(t->env->bus, d->addr, d->len), d->len};
    if (!seg->host)
        return "a buffer that is not in memory";
    if (d->flags & DESC_WRITE) {
        c->in_count++;
        c->in_len += d->len;
    } else {
        c->out_count++;
        c->out_len += d->len;
    }
    return NULL;
}

/* Follows the descriptors of one table; fills *indirect if one points to another table. */
static const char *walk_table(struct virtio_transport *t, uint64_t table, uint32_t size,
                              unsigned at, struct virtio_chain *c, struct desc *indirect)
{
    for (uint32_t steps = 0; steps < size && steps < VIRTIO_MAX_SEGMENTS + 1; steps++) {
        struct desc d;
        const char *why;

        if (at >= size)
            return "a descriptor index past the table";
        d = read_desc(t, table, at);
        if (d.flags & DESC_INDIRECT) {
            if (!indirect || d.flags & DESC_NEXT || !virtio_has_feature(t, VIRTIO_F_INDIRECT_DESC))
                return "an indirect table where none may be";
            *indirect = d;
            return NULL;
        }
        why = add_segment(t, c, &d);
        if (why || !(d.flags & DESC_NEXT))
            return why;
        at = d.next;
    }
    return "a chain that does not end";
}

static const char *read_chain(struct virtio_transport *t, const struct virtio_queue *q,
                              struct virtio_chain *c)
{
    struct desc table = {0};
    const char *why = walk_table(t, q->desc, q->size, c->head, c, &table);
    uint32_t entries = table.len / DESC_BYTES;

    if (why || !table.flags)
        return why;
    if (!entries || table.len % DESC_BYTES || entries > UINT16_MAX ||
        !bus_ram_ptr(t->env->bus, table.addr, table.len))
        return "an indirect table that is not in memory";
    return walk_table(t, table.addr, entries, 0, c, NULL);
}

static bool is_queue_usable(const struct virtio_transport *t, unsigned queue)
{
    return queue < VIRTIO_MAX_QUEUES && t->queues[queue].ready &&
           t->status & VIRTIO_STATUS_DRIVER_OK && !(t->status & VIRTIO_STATUS_NEEDS_RESET);
}

bool virtio_available(struct virtio_transport *t, unsigned queue)
{
    struct virtio_queue *q = &t->queues[queue];
    uint16_t waiting;

    if (!is_queue_usable(t, queue))
        return false;
    waiting = (uint16_t)(get_u16(t, q->avail + 2) - q->last_avail);
    if (waiting > q->size) {
        virtio_broken(t, "more buffers are available than the queue has");
        return false;
    }
    if (!waiting && virtio_has_feature(t, VIRTIO_F_EVENT_IDX))
        put_u16(t, avail_event(q), q->last_avail);
    return waiting != 0;
}

bool virtio_pop(struct virtio_transport *t, unsigned queue, struct virtio_chain *chain)
{
    struct virtio_queue *q = &t->queues[queue];
    const char *why;

    chain->out_count = chain->in_count = 0;
    chain->out_len = chain->in_len = 0;
    chain->head = get_u16(t, q->avail + 4 + 2 * (uint64_t)(q->last_avail & (q->size - 1)));
    why = read_chain(t, q, chain);
    if (why) {
        virtio_broken(t, why);
        return false;
    }
    q->last_avail++;
    t->chains++;
    return true;
}

/* ---- giving a chain back --------------------------------------------------------------------- */

static bool wants_interrupt(struct virtio_transport *t, struct virtio_queue *q)
{
    uint16_t old = q->signalled, now = q->next_used;

    q->signalled = now;
    if (!virtio_has_feature(t, VIRTIO_F_EVENT_IDX))
        return !(get_u16(t, q->avail) & AVAIL_NO_INTERRUPT);
    /* section 2.7.7.2: whether the index that the driver waits for was passed */
    return (uint16_t)(now - get_u16(t, used_event(q)) - 1) < (uint16_t)(now - old);
}

void virtio_push(struct virtio_transport *t, unsigned queue, const struct virtio_chain *chain,
                 uint32_t written)
{
    struct virtio_queue *q = &t->queues[queue];
    uint8_t entry[USED_BYTES];

    if (!is_queue_usable(t, queue))
        return;
    le_put(entry, 4, chain->head);
    le_put(entry + 4, 4, written);
    bus_copy_to(t->env->bus, q->used + 4 + USED_BYTES * (uint64_t)(q->next_used & (q->size - 1)),
                entry, sizeof(entry));
    put_u16(t, q->used + 2, ++q->next_used);
    if (wants_interrupt(t, q)) {
        t->interrupt |= VIRTIO_INT_USED;
        t->interrupts++;
        virtio_update(t);
    }
}

/* ---- the bytes of a chain -------------------------------------------------------------------- */

uint8_t *virtio_span(const struct virtio_chain *chain, bool in, uint64_t offset, uint64_t *len,
                     uint64_t *addr)
{
    unsigned from = in ? chain->out_count : 0;
    unsigned count = in ? chain->in_count : chain->out_count;

    for (unsigned i = from; i < from + count; i++) {
        const struct virtio_segment *seg = &chain->seg[i];

        if (offset < seg->len) {
            if (*len > seg->len - offset)
                *len = seg->len - offset;
            if (addr)
                *addr = seg->addr + offset;
            return seg->host + offset;
        }
        offset -= seg->len;
    }
    return NULL;
}

size_t virtio_get(const struct virtio_chain *chain, uint64_t offset, void *buf, size_t len)
{
    size_t done = 0;

    while (done < len) {
        uint64_t n = len - done;
        const uint8_t *from = virtio_span(chain, false, offset + done, &n, NULL);

        if (!from)
            break;
        memcpy((uint8_t *)buf + done, from, n);
        done += n;
    }
    return done;
}

size_t virtio_put(struct virtio_transport *t, const struct virtio_chain *chain, uint64_t offset,
                  const void *buf, size_t len)
{
    size_t done = 0;

    while (done < len) {
        uint64_t n = len - done, addr;
        uint8_t *to = virtio_span(chain, true, offset + done, &n, &addr);

        if (!to)
            break;
        bus_touched(t->env->bus, addr, n);
        memcpy(to, (const uint8_t *)buf + done, n);
        done += n;
    }
    return done;
}
