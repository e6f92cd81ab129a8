/* A virtio slot with a function, RAM, a clock and a driver that is active, for fuzzing. */
#ifndef TESTS_FUZZ_VIRTIO_SLOT_H
#define TESTS_FUZZ_VIRTIO_SLOT_H

#include "runtime/dev/device.h"
#include "runtime/dev/virtio.h"

#define SLOT_BASE     UINT64_C(0x10000000)
#define SLOT_RAM      UINT64_C(0x80000000)
#define SLOT_RAM_SIZE UINT64_C(0x20000)
#define SLOT_QUEUE    16u /* entries */
#define SLOT_QUEUES   2u
/* The parts of a queue, and what follows them. */
#define SLOT_DESC(q)  (SLOT_RAM + 0x1000 * (q))
#define SLOT_AVAIL(q) (SLOT_DESC(q) + 0x400)
#define SLOT_USED(q)  (SLOT_DESC(q) + 0x800)
#define SLOT_BUFFERS  (SLOT_RAM + 0x2000)

struct virtio_slot {
    struct bus *bus;
    struct clock clock;
    struct log log;
    struct device_reg reg;
    struct device_env env;
    const struct device_class *cls;
    void *dev;
    struct virtio_function *function;
    uint16_t offered[SLOT_QUEUES];
};

/*
 * Makes a slot with this function, which it takes. Returns false if there is none, or memory is
 * exhausted. Release with virtio_slot_close() in any case.
 */
bool virtio_slot_open(struct virtio_slot *s, struct virtio_function *function);
void virtio_slot_close(struct virtio_slot *s);

/* Writes the 32-bit register at `offset`. */
void virtio_slot_write(struct virtio_slot *s, unsigned offset, uint32_t value);
/* Accepts indirect descriptors (bit 0 of `features`) and event indices (bit 1), and makes all
 * queues ready. */
void virtio_slot_start(struct virtio_slot *s, unsigned features);
/* Offers the chain that begins with descriptor `head`, and notifies the device. */
void virtio_slot_offer(struct virtio_slot *s, unsigned queue, unsigned head);
/* Looks at the picture of the screen, and at a snapshot of what is behind it, which must be
 * sound. */
void virtio_slot_look(struct virtio_slot *s);

#endif
