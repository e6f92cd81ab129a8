/*
 * Virtio network card, one pair of queues, no offloads. VIRTIO 1.2, section 5.1. Frames go to and
 * come from a struct net_backend.
 *
 * Bounds      a chain: one frame of FRAME_MAX bytes; memory: the frames of a frame_queue
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/dev/frame_queue.h"
#include "runtime/dev/virtio.h"

#define DEVICE_ID 1u
#define HEADER    12u /* struct virtio_net_hdr, all zero: no offloads; num_buffers is 1 */

enum { QUEUE_RX = 0, QUEUE_TX = 1 };
enum { F_MAC = 5, F_STATUS = 16 };
#define STATUS_LINK_UP 1u

struct virtio_net {
    struct virtio_function function;
    struct net_backend *backend;
    uint8_t mac[6];
    struct frame_queue waiting; /* frames for the guest */
    uint8_t buffer[HEADER + FRAME_MAX];
    uint64_t sent, received, dropped;
    bool counted;
};

static struct virtio_net *net_of(struct virtio_function *f)
{
    return (struct virtio_net *)(void *)f;
}

/* ---- to the guest ---------------------------------------------------------------------------- */

static uint32_t deliver_frame(struct virtio_net *net, const struct virtio_chain *c)
{
    const struct frame *frame = net->waiting.first;
    uint8_t header[HEADER] = {0};
    uint32_t written = 0;

    header[10] = 1; /* num_buffers */
    if (c->in_len >= HEADER + frame->len) {
        virtio_put(net->function.transport, c, 0, header, HEADER);
        virtio_put(net->function.transport, c, HEADER, frame->bytes, frame->len);
        written = HEADER + (uint32_t)frame->len;
        net->received++;
    } else {
        net->dropped++;
    }
    frame_queue_drop(&net->waiting);
    return written;
}

static void receive_frame(void *card, const uint8_t *bytes, size_t len)
{
    struct virtio_net *net = card;

    if (net->function.transport && frame_queue_push(&net->waiting, bytes, len))
        virtio_schedule(net->function.transport, QUEUE_RX);
    else
        net->dropped++;
}

/* ---- from the guest -------------------------------------------------------------------------- */

static void transmit_frame(struct virtio_net *net, const struct virtio_chain *c)
{
    size_t len;

    if (c->out_len <= HEADER || c->out_len > sizeof(net->buffer)) {
        net->dropped++;
        return;
    }
    len = virtio_get(c, 0, net->buffer, sizeof(net->buffer));
    net->sent++;
    net->backend->send(net->backend, net->buffer + HEADER, len - HEADER);
}

/* Buffers of the receive queue stay in the queue until there is a frame for them. */
static bool is_queue_ready(struct virtio_function *f, unsigned queue)
{
    return queue == QUEUE_TX || net_of(f)->waiting.first;
}

static uint32_t serve_chain(struct virtio_function *f, unsigned queue, const struct virtio_chain *c)
{
    if (queue == QUEUE_RX)
        return deliver_frame(net_of(f), c);
    transmit_frame(net_of(f), c);
    return 0;
}

/* ---- the function ---------------------------------------------------------------------------- */

static uint64_t get_features(struct virtio_function *f)
{
    (void)f;
    return UINT64_C(1) << F_MAC | UINT64_C(1) << F_STATUS;
}

static size_t get_config(struct virtio_function *f, uint8_t bytes[VIRTIO_MAX_CONFIG])
{
    memcpy(bytes, net_of(f)->mac, 6);
    le_put(bytes + 6, 2, STATUS_LINK_UP);
    le_put(bytes + 8, 2, 1); /* max_virtqueue_pairs */
    return 12;
}

static void reset_virtio_net(struct virtio_function *f)
{
    struct virtio_net *net = net_of(f);

    frame_queue_clear(&net->waiting);
    if (!net->counted && f->env) {
        stats_add(f->env->stats, f->env->name, "frames_sent", &net->sent);
        stats_add(f->env->stats, f->env->name, "frames_received", &net->received);
        stats_add(f->env->stats, f->env->name, "frames_dropped", &net->dropped);
        net->counted = true;
    }
}

static void destroy_virtio_net(struct virtio_function *f)
{
    struct virtio_net *net = net_of(f);

    frame_queue_clear(&net->waiting);
    net->backend->destroy(net->backend);
    free(net);
}

static void save_frames(struct virtio_function *f, struct state_buf *buf)
{
    frame_queue_save(&net_of(f)->waiting, buf);
}

static bool load_frames(struct virtio_function *f, const uint8_t *bytes, size_t len, bool apply,
                        struct error *err)
{
    return frame_queue_load(&net_of(f)->waiting, bytes, len, apply) ||
           error_set(err, "the waiting frames are damaged");
}

static const struct virtio_function_class net_class = {
    .name = "virtio-net",
    .device_id = DEVICE_ID,
    .queue_count = 2,
    .features = get_features,
    .config = get_config,
    .ready = is_queue_ready,
    .serve = serve_chain,
    .reset = reset_virtio_net,
    .destroy = destroy_virtio_net,
    .save = save_frames,
    .load = load_frames,
};

struct virtio_function *virtio_net_new(struct net_backend *backend, const uint8_t mac[6])
{
    struct virtio_net *net = xcalloc(1, sizeof(*net));

    net->function.cls = &net_class;
    net->backend = backend;
    memcpy(net->mac, mac, 6);
    backend->receive = receive_frame;
    backend->card = net;
    return &net->function;
}
