/*
 * Resources of a virtio GPU: pictures in the device's own memory, which a driver fills from guest
 * memory.
 */
#ifndef RUNTIME_DEV_VIRTIO_GPU_RESOURCE_H
#define RUNTIME_DEV_VIRTIO_GPU_RESOURCE_H

#include "common/vec.h"
#include "runtime/dev/virtio.h"
#include "runtime/display/image.h"

/* Responses, VIRTIO 1.2, section 5.7.6.7 */
enum virtio_gpu_response {
    RESP_OK_NODATA = 0x1100,
    RESP_OK_DISPLAY_INFO,
    RESP_OK_EDID = 0x1104,
    RESP_ERR_UNSPEC = 0x1200,
    RESP_ERR_OUT_OF_MEMORY,
    RESP_ERR_INVALID_SCANOUT_ID,
    RESP_ERR_INVALID_RESOURCE_ID,
    RESP_ERR_INVALID_CONTEXT_ID,
    RESP_ERR_INVALID_PARAMETER,
};

struct virtio_gpu_rect {
    uint32_t x, y, width, height;
};

/* A range of guest memory. */
struct virtio_gpu_range {
    uint64_t addr;
    uint64_t len; /* not 0, fits 32 bits */
};

struct virtio_gpu_resource {
    uint32_t id, format, width, height;
    uint8_t *pixels;                      /* 4 bytes each, line by line */
    bool backed;                          /* a driver has attached a backing, perhaps of 0 bytes */
    VEC(struct virtio_gpu_range) backing; /* the guest's copy, in pieces */
    uint64_t backing_len;                 /* bytes of all pieces */
};

struct virtio_gpu_resources {
    VEC(struct virtio_gpu_resource *) all;
    uint64_t bytes; /* of pixels and lists */
};

/* The resource with this number, or NULL. 0 is none's. */
struct virtio_gpu_resource *virtio_gpu_find(const struct virtio_gpu_resources *set, uint32_t id);

/* Makes a resource of black, transparent pixels. `format`: section 5.7.6.8. */
enum virtio_gpu_response virtio_gpu_create(struct virtio_gpu_resources *set,
                                           const struct virtio_gpu_resource *wanted);

/* Releases a resource of the set, or all. */
void virtio_gpu_destroy(struct virtio_gpu_resources *set, struct virtio_gpu_resource *r);
void virtio_gpu_destroy_all(struct virtio_gpu_resources *set);

/* Attaches the `count` ranges of guest memory that the chain lists from byte `offset` on. */
enum virtio_gpu_response virtio_gpu_attach(struct virtio_gpu_resources *set,
                                           struct virtio_gpu_resource *r, struct bus *bus,
                                           const struct virtio_chain *chain, uint64_t offset,
                                           uint32_t count);
void virtio_gpu_detach(struct virtio_gpu_resources *set, struct virtio_gpu_resource *r);

/* Whether the rectangle lies in the resource. */
bool virtio_gpu_holds(const struct virtio_gpu_resource *r, const struct virtio_gpu_rect *rect);

/* Copies a rectangle from the backing, where its first pixel is at byte `offset`. */
enum virtio_gpu_response virtio_gpu_transfer(struct virtio_gpu_resource *r, struct bus *bus,
                                             const struct virtio_gpu_rect *rect, uint64_t offset);

/* Where the colours are in a pixel of the resource, read as a little-endian number. */
struct virtio_gpu_channels {
    struct frame_channel red, green, blue, alpha; /* alpha: the fourth byte, of all formats */
};
const struct virtio_gpu_channels *virtio_gpu_channels(const struct virtio_gpu_resource *r);

/* Appends all resources to a snapshot. */
void virtio_gpu_save(const struct virtio_gpu_resources *set, struct state_buf *buf);

/* Reads the resources of a snapshot into an empty set. False: the bytes are damaged, and the set is
 * empty. */
bool virtio_gpu_load(struct virtio_gpu_resources *set, const uint8_t *bytes, size_t len);

#endif
