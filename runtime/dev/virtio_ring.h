/* Inside of the virtio transport: virtio_mmio.c (registers) and virtio_ring.c (queues) share it. */
#ifndef RUNTIME_DEV_VIRTIO_RING_H
#define RUNTIME_DEV_VIRTIO_RING_H

#include "runtime/dev/virtio.h"

/* Feature bits of the transport, section 6 */
#define VIRTIO_F_INDIRECT_DESC 28
#define VIRTIO_F_EVENT_IDX     29
#define VIRTIO_F_VERSION_1     32

/* Device status, section 2.1 */
enum {
    VIRTIO_STATUS_DRIVER_OK = 4,
    VIRTIO_STATUS_FEATURES_OK = 8,
    VIRTIO_STATUS_NEEDS_RESET = 64,
};

/* InterruptStatus, section 4.2.2 */
enum { VIRTIO_INT_USED = 1, VIRTIO_INT_CONFIG = 2 };

struct virtio_queue {
    uint64_t desc, avail, used; /* guest addresses of the three parts */
    uint32_t size;              /* a power of two while ready */
    uint32_t ready;
    uint16_t last_avail; /* next entry of the available ring to take */
    uint16_t next_used;  /* next entry of the used ring to fill */
    uint16_t signalled;  /* next_used at the last interrupt decision */
    uint16_t reserved;
};

struct virtio_transport {
    /* state */
    uint64_t driver_features;
    uint32_t device_features_sel, driver_features_sel, queue_sel;
    uint32_t status, interrupt;
    struct virtio_queue queues[VIRTIO_MAX_QUEUES];
    uint32_t pending;    /* bit q: queue q is to be served */
    uint64_t service_at; /* time at which `pending` is served; CLOCK_NEVER: nothing is pending */

    /* not part of a snapshot */
    const struct device_env *env;
    struct virtio_function *function; /* NULL: an empty slot */
    struct virtio_chain chain;        /* the chain that is being served */
    uint64_t charged;                 /* sum of virtio_charge() in this event */
    struct event service;
    struct device_seen seen;
    uint64_t notifications, interrupts, chains;
};

/* Whether a queue's address and size are valid; logs if not. */
bool virtio_queue_sound(struct virtio_transport *t, const struct virtio_queue *q);

/* Whether chains wait on a queue. Without one, the driver's next notification is enabled. */
bool virtio_available(struct virtio_transport *t, unsigned queue);

/* Takes the next waiting chain; false: the device is broken now. */
bool virtio_pop(struct virtio_transport *t, unsigned queue, struct virtio_chain *chain);

/* Gives a chain back with `written` bytes in its in part; interrupts, if the driver allows it. */
void virtio_push(struct virtio_transport *t, unsigned queue, const struct virtio_chain *chain,
                 uint32_t written);

/* Drives the interrupt line. */
void virtio_update(struct virtio_transport *t);

#endif
