/*
 * Virtio over MMIO, version 2: a slot for one virtio function, or an empty slot.
 *
 * Regions     reg[0], 512 bytes: registers, then the function's configuration space from 0x100
 * Interrupts  [0] used buffers, configuration change
 * Clocks      none; a notification is served 10 us of virtual time later
 * Bounds      an event serves per queue at most one chain per entry of the queue. It stops after
 *             64 MB, the sum of the chains' bytes and of the ranges that they name. The remaining
 *             chains are served 10 us later
 * Manual      VIRTIO 1.2, section 4.2 "Virtio Over MMIO"
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/dev/virtio_ring.h"

enum {
    MAGIC_VALUE = 0x000,
    VERSION = 0x004,
    DEVICE_ID = 0x008,
    VENDOR_ID = 0x00c,
    DEVICE_FEATURES = 0x010,
    DEVICE_FEATURES_SEL = 0x014,
    DRIVER_FEATURES = 0x020,
    DRIVER_FEATURES_SEL = 0x024,
    QUEUE_SEL = 0x030,
    QUEUE_NUM_MAX = 0x034,
    QUEUE_NUM = 0x038,
    QUEUE_READY = 0x044,
    QUEUE_NOTIFY = 0x050,
    INTERRUPT_STATUS = 0x060,
    INTERRUPT_ACK = 0x064,
    STATUS = 0x070,
    QUEUE_DESC_LOW = 0x080,
    QUEUE_DESC_HIGH = 0x084,
    QUEUE_DRIVER_LOW = 0x090,
    QUEUE_DRIVER_HIGH = 0x094,
    QUEUE_DEVICE_LOW = 0x0a0,
    QUEUE_DEVICE_HIGH = 0x0a4,
    SHM_SEL = 0x0ac,
    SHM_LEN_LOW = 0x0b0,
    SHM_BASE_HIGH = 0x0bc,
    CONFIG_GENERATION = 0x0fc,
    CONFIG = 0x100,
};

#define MAGIC      UINT32_C(0x74726976) /* "virt" */
#define VENDOR     UINT32_C(0x636e6567) /* "genc" */
#define SERVICE_NS UINT64_C(10000)

/* Bytes per event: more than any driver has in flight, except to provoke. */
#define SERVICE_BYTES (UINT64_C(64) << 20)

static uint64_t offered_features(const struct virtio_transport *t)
{
    const uint64_t own = UINT64_C(1) << VIRTIO_F_VERSION_1 | UINT64_C(1) << VIRTIO_F_INDIRECT_DESC |
                         UINT64_C(1) << VIRTIO_F_EVENT_IDX;

    return t->function ? own | t->function->cls->features(t->function) : own;
}

/* The selected queue, or NULL when the function has none of that number. */
static struct virtio_queue *selected_queue(struct virtio_transport *t)
{
    if (!t->function || t->queue_sel >= t->function->cls->queue_count)
        return NULL;
    return &t->queues[t->queue_sel];
}

/* ---- serving --------------------------------------------------------------------------------- */

void virtio_schedule(struct virtio_transport *t, unsigned queue)
{
    t->pending |= UINT32_C(1) << queue;
    if (event_pending(&t->service))
        return;
    t->service_at = clock_now(t->env->clock) + SERVICE_NS;
    clock_add(t->env->clock, &t->service, t->service_at);
}

void virtio_charge(struct virtio_transport *t, uint64_t bytes)
{
    t->charged += bytes;
}

static bool has_work(struct virtio_transport *t, unsigned queue)
{
    const struct virtio_function_class *cls = t->function->cls;

    return (!cls->ready || cls->ready(t->function, queue)) && virtio_available(t, queue);
}

/*
 * Serves the chains of a queue. A driver cannot add chains meanwhile, since this is the machine's
 * thread, so a sound queue is served completely. A hostile driver can let the device itself write
 * further chains. These wait for another event, before which the CPUs, the other devices and a
 * request to stop the machine are served.
 */
static void serve_queue(struct virtio_transport *t, unsigned queue)
{
    struct virtio_function *f = t->function;
    struct virtio_chain *c = &t->chain;
    uint32_t chains = 0;

    t->charged = 0;
    while (has_work(t, queue)) {
        if (chains++ == t->queues[queue].size || t->charged >= SERVICE_BYTES) {
            virtio_schedule(t, queue);
            return;
        }
        if (!virtio_pop(t, queue, c))
            return;
        virtio_charge(t, c->out_len + c->in_len);
        virtio_push(t, queue, c, f->cls->serve(f, queue, c));
    }
}

static void serve_queues(void *opaque)
{
    struct virtio_transport *t = opaque;
    uint32_t queues = t->pending;

    t->pending = 0;
    t->service_at = CLOCK_NEVER;
    for (unsigned i = 0; t->function && i < t->function->cls->queue_count; i++) {
        if (queues >> i & 1)
            serve_queue(t, i);
    }
}

static void notify_queue(struct virtio_transport *t, uint32_t queue)
{
    t->notifications++;
    if (!t->function || queue >= t->function->cls->queue_count)
        device_log_guest(t->env, "notification for queue %" PRIu32 ", which does not exist", queue);
    else if (t->status & VIRTIO_STATUS_DRIVER_OK)
        virtio_schedule(t, queue);
}

static void reset_virtio_mmio(void *opaque)
{
    struct virtio_transport *t = opaque;

    t->driver_features = 0;
    t->device_features_sel = t->driver_features_sel = t->queue_sel = 0;
    t->status = t->interrupt = t->pending = 0;
    memset(t->queues, 0, sizeof(t->queues));
    t->service_at = CLOCK_NEVER;
    clock_cancel(t->env->clock, &t->service);
    if (t->function && t->function->cls->reset)
        t->function->cls->reset(t->function);
    virtio_update(t);
}

/* ---- registers ------------------------------------------------------------------------------- */

static uint64_t read_config(struct virtio_transport *t, uint64_t offset, unsigned size)
{
    uint8_t config[VIRTIO_MAX_CONFIG + 8] = {0};
    size_t len = 0;

    if (t->function && t->function->cls->config)
        len = t->function->cls->config(t->function, config);
    return offset + size <= len ? le_get(config + offset, size) : 0;
}

static bool set_config(struct virtio_transport *t, uint64_t offset, unsigned size, uint64_t value)
{
    return t->function && t->function->cls->set_config &&
           t->function->cls->set_config(t->function, offset, size, value);
}

static uint64_t read_register(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    struct virtio_transport *t = opaque;
    const struct virtio_queue *q = selected_queue(t);

    (void)cpu;
    if (offset >= CONFIG)
        return read_config(t, offset - CONFIG, size);
    if (size != 4) {
        device_log_guest(t->env, "read of %u bytes at %#" PRIx64, size, offset);
        return 0;
    }
    if (offset >= SHM_LEN_LOW && offset <= SHM_BASE_HIGH)
        return UINT32_MAX; /* section 4.2.2: no such shared memory region */
    switch (offset) {
    case MAGIC_VALUE:
        return MAGIC;
    case VERSION:
        return 2;
    case DEVICE_ID:
        return t->function ? t->function->cls->device_id : 0;
    case VENDOR_ID:
        return VENDOR;
    case DEVICE_FEATURES:
        return t->device_features_sel < 2
                   ? (uint32_t)(offered_features(t) >> 32 * t->device_features_sel)
                   : 0;
    case QUEUE_NUM_MAX:
        return q ? VIRTIO_QUEUE_SIZE : 0;
    case QUEUE_READY:
        return q ? q->ready : 0;
    case INTERRUPT_STATUS:
        return t->interrupt;
    case STATUS:
        return t->status;
    case CONFIG_GENERATION:
        return 0;
    }
    device_log_guest(t->env, "read of offset %#" PRIx64 ", which is not readable", offset);
    return 0;
}

/* Section 3.1.1: the device refuses FEATURES_OK when it cannot work with the driver's choice. */
static void write_status(struct virtio_transport *t, uint32_t value)
{
    if (!value) {
        reset_virtio_mmio(t);
        return;
    }
    if (value & VIRTIO_STATUS_FEATURES_OK && !(t->status & VIRTIO_STATUS_FEATURES_OK) &&
        (t->driver_features & ~offered_features(t) || !virtio_has_feature(t, VIRTIO_F_VERSION_1))) {
        device_log_guest(t->env, "features %#" PRIx64 " are not acceptable", t->driver_features);
        value &= ~(uint32_t)VIRTIO_STATUS_FEATURES_OK;
    }
    t->status = (value & 0xff) | (t->status & VIRTIO_STATUS_NEEDS_RESET);
}

static void write_half(uint64_t *address, uint64_t offset, uint32_t value)
{
    *address = bits_set(*address, offset & 4 ? 32 : 0, 32, value);
}

static void write_queue(struct virtio_transport *t, uint64_t offset, uint32_t value)
{
    struct virtio_queue *q = selected_queue(t);

    if (!q) {
        device_log_guest(t->env, "queue %" PRIu32 " does not exist", t->queue_sel);
        return;
    }
    if (offset == QUEUE_READY) {
        q->ready = value & 1 && virtio_queue_sound(t, q);
        q->last_avail = q->next_used = q->signalled = 0;
        return;
    }
    if (q->ready) {
        device_log_guest(t->env, "write of offset %#" PRIx64 " while the queue is ready", offset);
        return;
    }
    if (offset == QUEUE_NUM)
        q->size = value;
    else if (offset == QUEUE_DESC_LOW || offset == QUEUE_DESC_HIGH)
        write_half(&q->desc, offset, value);
    else if (offset == QUEUE_DRIVER_LOW || offset == QUEUE_DRIVER_HIGH)
        write_half(&q->avail, offset, value);
    else
        write_half(&q->used, offset, value);
}

static void write_features(struct virtio_transport *t, uint32_t value)
{
    if (t->driver_features_sel < 2 && !(t->status & VIRTIO_STATUS_FEATURES_OK))
        t->driver_features = bits_set(t->driver_features, 32 * t->driver_features_sel, 32, value);
}

static void write_register(void *opaque, uint64_t offset, uint64_t value, unsigned size,
                           unsigned cpu)
{
    struct virtio_transport *t = opaque;
    uint32_t word = (uint32_t)value;

    (void)cpu;
    if (offset >= CONFIG && set_config(t, offset - CONFIG, size, value))
        return;
    if (offset >= CONFIG || size != 4) {
        device_log_guest(t->env, "write of %u bytes at %#" PRIx64, size, offset);
        return;
    }
    switch (offset) {
    case DEVICE_FEATURES_SEL:
        t->device_features_sel = word;
        break;
    case DRIVER_FEATURES:
        write_features(t, word);
        break;
    case DRIVER_FEATURES_SEL:
        t->driver_features_sel = word;
        break;
    case QUEUE_SEL:
        t->queue_sel = word;
        break;
    case QUEUE_NUM:
    case QUEUE_READY:
    case QUEUE_DESC_LOW:
    case QUEUE_DESC_HIGH:
    case QUEUE_DRIVER_LOW:
    case QUEUE_DRIVER_HIGH:
    case QUEUE_DEVICE_LOW:
    case QUEUE_DEVICE_HIGH:
        write_queue(t, offset, word);
        break;
    case QUEUE_NOTIFY:
        notify_queue(t, word);
        break;
    case INTERRUPT_ACK:
        t->interrupt &= ~word;
        virtio_update(t);
        break;
    case STATUS:
        write_status(t, word);
        break;
    case SHM_SEL:
        break;
    default:
        device_log_guest(t->env, "write of offset %#" PRIx64 ", which is not writable", offset);
    }
}

static const struct mmio_ops ops = {read_register, write_register, 1, 4};

/* ---- the device ------------------------------------------------------------------------------ */

static void post_load(void *opaque, struct error *err)
{
    struct virtio_transport *t = opaque;

    (void)err;
    for (unsigned i = 0; i < VIRTIO_MAX_QUEUES; i++) {
        if (t->queues[i].ready)
            t->queues[i].ready = virtio_queue_sound(t, &t->queues[i]);
    }
    clock_add(t->env->clock, &t->service, t->service_at);
    virtio_update(t);
}

static void destroy_virtio_mmio(void *opaque)
{
    struct virtio_transport *t = opaque;

    clock_cancel(t->env->clock, &t->service);
    if (t->function)
        t->function->transport = NULL;
    free(t);
}

static void *create_virtio_mmio(const struct device_env *env, struct error *err)
{
    struct virtio_transport *t = xcalloc(1, sizeof(*t));

    t->env = env;
    event_init(&t->service, serve_queues, t);
    if (!device_map(env, 0, 0, &ops, t, err)) {
        free(t);
        return NULL;
    }
    t->function = env->virtio;
    if (t->function) {
        t->function->transport = t;
        t->function->env = env;
        if (t->function->cls->attach)
            t->function->cls->attach(t->function);
    }
    stats_add(env->stats, env->name, "notifications", &t->notifications);
    stats_add(env->stats, env->name, "interrupts", &t->interrupts);
    stats_add(env->stats, env->name, "chains", &t->chains);
    reset_virtio_mmio(t);
    return t;
}

void virtio_function_free(struct virtio_function *f)
{
    if (!f)
        return;
    if (f->transport)
        f->transport->function = NULL;
    f->cls->destroy(f);
}

static const char *const compatible[] = {VIRTIO_MMIO_COMPATIBLE, NULL};

static const struct state_field fields[] = {
    STATE_FIELD(struct virtio_transport, driver_features),
    STATE_FIELD(struct virtio_transport, device_features_sel),
    STATE_FIELD(struct virtio_transport, driver_features_sel),
    STATE_FIELD(struct virtio_transport, queue_sel),
    STATE_FIELD(struct virtio_transport, status),
    STATE_FIELD(struct virtio_transport, interrupt),
    STATE_FIELD(struct virtio_transport, queues),
    STATE_FIELD(struct virtio_transport, pending),
    STATE_FIELD(struct virtio_transport, service_at),
    STATE_END,
};

const struct device_class virtio_mmio_class = {
    .name = "virtio_mmio",
    .summary = "slot for a virtio disk, network card, screen or entropy source",
    .compatible = compatible,
    .fields = fields,
    .create = create_virtio_mmio,
    .reset = reset_virtio_mmio,
    .destroy = destroy_virtio_mmio,
    .post_load = post_load,
};
