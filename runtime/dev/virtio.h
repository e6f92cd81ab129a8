/*
 * Virtio devices: what a transport (virtio_mmio.c) and a function behind it (block, network,
 * entropy, screen) know of each other.
 *
 * Source: Virtual I/O Device (VIRTIO) Version 1.2, OASIS; sections are named where they are used.
 * Only the modern interface exists (VIRTIO_F_VERSION_1), with split virtqueues, indirect
 * descriptors and event indices.
 *
 * A notification of the guest is served a little later, at a virtual time, so that what the guest
 * sees is the same in every run. Nothing in a ring is trusted: a chain that is not sound makes the
 * device ask for a reset (DEVICE_NEEDS_RESET) and do nothing until then. A request can make the
 * device write to the ring itself, so that the ring never becomes empty. Therefore the transport
 * takes the chains, hands a function one at a time, and bounds the number that it takes before
 * virtual time advances.
 */
#ifndef RUNTIME_DEV_VIRTIO_H
#define RUNTIME_DEV_VIRTIO_H

#include "runtime/dev/device.h"
#include "runtime/dev/disk.h"
#include "runtime/dev/net.h"
#include "runtime/dev/ninep.h"

#define VIRTIO_MMIO_COMPATIBLE "virtio,mmio"

enum {
    VIRTIO_MAX_QUEUES = 4,
    VIRTIO_QUEUE_SIZE = 256,   /* the most a queue can have */
    VIRTIO_MAX_SEGMENTS = 512, /* segments of one chain */
    VIRTIO_MAX_CONFIG = 64,    /* bytes of configuration space */
};

struct virtio_transport;
struct virtio_function;
struct virtio_chain;

struct virtio_function_class {
    const char *name;   /* "virtio-blk" */
    uint32_t device_id; /* section 5 */
    unsigned queue_count;
    /* Feature bits offered besides those of the transport. */
    uint64_t (*features)(struct virtio_function *f);
    /* Fills the configuration space (already zero); returns its size. NULL: none. */
    size_t (*config)(struct virtio_function *f, uint8_t config[VIRTIO_MAX_CONFIG]);
    /* The driver writes to the configuration space; false: nothing can be written there. NULL: the
     * space is read-only. */
    bool (*set_config)(struct virtio_function *f, uint64_t offset, unsigned size, uint64_t value);
    /* A slot took the function, whose transport and env are set; NULL: nothing to do. */
    void (*attach)(struct virtio_function *f);
    /* Whether it can use a chain of the queue now; NULL: always. */
    bool (*ready)(struct virtio_function *f, unsigned queue);
    /* Does what a chain requests; returns the number of bytes written to the in part. It may call
     * virtio_broken(); the chain is not given back then. */
    uint32_t (*serve)(struct virtio_function *f, unsigned queue, const struct virtio_chain *chain);
    /* The driver reset the device; NULL: nothing to do. */
    void (*reset)(struct virtio_function *f);
    void (*destroy)(struct virtio_function *f);
    const struct state_field *fields; /* NULL: no state of a fixed size */
    /*
     * State of any size, beside `fields`: save() appends it. load() replaces the function's, after
     * `fields` were loaded, or only checks the bytes without `apply`. False: they are damaged, and
     * nothing is replaced. NULL, both: there is none.
     */
    void (*save)(struct virtio_function *f, struct state_buf *buf);
    bool (*load)(struct virtio_function *f, const uint8_t *bytes, size_t len, bool apply,
                 struct error *err);
};

/* The first member of each function's struct. */
struct virtio_function {
    const struct virtio_function_class *cls;
    struct virtio_transport *transport; /* NULL until a slot took it */
    const struct device_env *env;       /* the transport's */
};

/* Releases a function that no transport holds any more. NULL is allowed. */
void virtio_function_free(struct virtio_function *f);

/* ---- chains of descriptors: section 2.7 ------------------------------------------------------ */

struct virtio_segment {
    uint64_t addr; /* in guest memory */
    uint8_t *host; /* host memory of these bytes */
    uint32_t len;
};

/* A request: bytes for the device to read (out), then bytes for it to write (in). */
struct virtio_chain {
    uint16_t head;
    unsigned out_count, in_count;
    uint64_t out_len, in_len;
    struct virtio_segment seg[VIRTIO_MAX_SEGMENTS]; /* out_count, then in_count */
};

/* Serves the queue soon, because the function has data for the guest. */
void virtio_schedule(struct virtio_transport *t, unsigned queue);

/* Marks the device broken: the driver has to reset it. `why` is logged on guest_errors. */
void virtio_broken(struct virtio_transport *t, const char *why);

/*
 * Adds `bytes` to the work of the chain being served, on top of the chain's own bytes. An event
 * ends when the work of its chains suffices; the remaining chains are served by a later event.
 */
void virtio_charge(struct virtio_transport *t, uint64_t bytes);

/* Whether the driver has accepted a feature bit. */
bool virtio_has_feature(const struct virtio_transport *t, unsigned bit);

/*
 * The piece of the out or in part at `offset` that is contiguous on the host; *len is its length,
 * at most the value before. NULL past the end. A caller that writes to it calls bus_touched()
 * first.
 */
uint8_t *virtio_span(const struct virtio_chain *chain, bool in, uint64_t offset, uint64_t *len,
                     uint64_t *addr);

/* Copies from the out part, or to the in part, at `offset`; returns the number of bytes copied. */
size_t virtio_get(const struct virtio_chain *chain, uint64_t offset, void *buf, size_t len);
size_t virtio_put(struct virtio_transport *t, const struct virtio_chain *chain, uint64_t offset,
                  const void *buf, size_t len);

/* ---- functions ------------------------------------------------------------------------------- */

/* A disk; takes ownership. */
struct virtio_function *virtio_blk_new(struct disk *disk);

/* Entropy. `seed` of 8 bytes: the same sequence in every run; NULL: from the host. */
struct virtio_function *virtio_rng_new(const uint8_t *seed, struct error *err);

/*
 * A folder of the host, which the guest mounts by its tag:
 * mount -t 9p -o trans=virtio,version=9p2000.L TAG /mnt
 */
struct virtio_function *virtio_9p_new(const char *path, const char *tag, enum ninep_model model,
                                      bool read_only, struct error *err);

/* A screen, whose EDID prefers this size (VIRTIO_GPU_MIN_SIDE..VIRTIO_GPU_MAX_SIDE). */
#define VIRTIO_GPU_MIN_SIDE 64u
#define VIRTIO_GPU_MAX_SIDE 4095u
struct virtio_function *virtio_gpu_new(uint32_t width, uint32_t height);

struct journal;
/* Records the answers of the folder's server, or replays them, as source `number`. */
void virtio_9p_journal(struct virtio_function *f, struct journal *journal, uint32_t number);

/* A network card; takes ownership of the back end. */
struct virtio_function *virtio_net_new(struct net_backend *net, const uint8_t mac[6]);

#endif
