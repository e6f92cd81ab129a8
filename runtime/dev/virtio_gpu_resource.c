/*
 * Resources of a virtio GPU: making them, their memory in the guest, copies, and snapshots.
 *
 * Bounds      MAX_RESOURCES resources, MAX_BYTES of pixels and lists of all, MAX_ENTRIES ranges of
 *             guest memory per resource
 * Manual      VIRTIO 1.2, section 5.7.6
 */
#include "runtime/dev/virtio_gpu_resource.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"

#define MAX_RESOURCES 1024u
#define MAX_BYTES     (UINT64_C(256) << 20)
#define MAX_ENTRIES   16384u
#define PIXEL_BYTES   4u

/* ---- formats --------------------------------------------------------------------------------- */

/* Section 5.7.6.8: a format's name lists its bytes from the lowest address on. */
static const struct {
    uint32_t format;
    struct virtio_gpu_channels channels;
} formats[] = {
    {1, {{16, 8}, {8, 8}, {0, 8}, {24, 8}}},   /* B8G8R8A8 */
    {2, {{16, 8}, {8, 8}, {0, 8}, {24, 8}}},   /* B8G8R8X8 */
    {3, {{8, 8}, {16, 8}, {24, 8}, {0, 8}}},   /* A8R8G8B8 */
    {4, {{8, 8}, {16, 8}, {24, 8}, {0, 8}}},   /* X8R8G8B8 */
    {67, {{0, 8}, {8, 8}, {16, 8}, {24, 8}}},  /* R8G8B8A8 */
    {68, {{24, 8}, {16, 8}, {8, 8}, {0, 8}}},  /* X8B8G8R8 */
    {121, {{24, 8}, {16, 8}, {8, 8}, {0, 8}}}, /* A8B8G8R8 */
    {134, {{0, 8}, {8, 8}, {16, 8}, {24, 8}}}, /* R8G8B8X8 */
};

static const struct virtio_gpu_channels *channels_of(uint32_t format)
{
    for (unsigned i = 0; i < ARRAY_SIZE(formats); i++) {
        if (formats[i].format == format)
            return &formats[i].channels;
    }
    return NULL;
}

const struct virtio_gpu_channels *virtio_gpu_channels(const struct virtio_gpu_resource *r)
{
    return channels_of(r->format);
}

/* ---- the set --------------------------------------------------------------------------------- */

static uint64_t pixel_bytes(const struct virtio_gpu_resource *r)
{
    return (uint64_t)r->width * r->height * PIXEL_BYTES;
}

struct virtio_gpu_resource *virtio_gpu_find(const struct virtio_gpu_resources *set, uint32_t id)
{
    vec_for_each (&set->all, r) {
        if ((*r)->id == id)
            return *r;
    }
    return NULL;
}

enum virtio_gpu_response virtio_gpu_create(struct virtio_gpu_resources *set,
                                           const struct virtio_gpu_resource *wanted)
{
    struct virtio_gpu_resource *r;

    if (!wanted->id || virtio_gpu_find(set, wanted->id))
        return RESP_ERR_INVALID_RESOURCE_ID;
    /* Sides of up to MAX_BYTES, so that the product of both fits 64 bits. */
    if (!channels_of(wanted->format) || !wanted->width || !wanted->height ||
        wanted->width > MAX_BYTES || wanted->height > MAX_BYTES)
        return RESP_ERR_INVALID_PARAMETER;
    if (set->all.len == MAX_RESOURCES || pixel_bytes(wanted) > MAX_BYTES - set->bytes)
        return RESP_ERR_OUT_OF_MEMORY;
    r = xcalloc(1, sizeof(*r));
    *r = (struct virtio_gpu_resource){wanted->id, wanted->format, wanted->width, wanted->height,
                                      .pixels = calloc(pixel_bytes(wanted), 1)};
    if (!r->pixels) {
        free(r);
        return RESP_ERR_OUT_OF_MEMORY;
    }
    set->bytes += pixel_bytes(r);
    vec_push(&set->all, r);
    return RESP_OK_NODATA;
}

static uint64_t list_bytes(const struct virtio_gpu_resource *r)
{
    return r->backing.len * sizeof(*r->backing.data);
}

void virtio_gpu_detach(struct virtio_gpu_resources *set, struct virtio_gpu_resource *r)
{
    set->bytes -= list_bytes(r);
    vec_free(&r->backing);
    r->backing_len = 0;
    r->backed = false;
}

/* Releases a resource that is in no set's list any more. */
static void release_resource(struct virtio_gpu_resources *set, struct virtio_gpu_resource *r)
{
    virtio_gpu_detach(set, r);
    set->bytes -= pixel_bytes(r);
    free(r->pixels);
    free(r);
}

void virtio_gpu_destroy(struct virtio_gpu_resources *set, struct virtio_gpu_resource *r)
{
    for (unsigned i = 0; i < set->all.len; i++) {
        if (set->all.data[i] != r)
            continue;
        set->all.data[i] = set->all.data[--set->all.len];
        release_resource(set, r);
        return;
    }
}

void virtio_gpu_destroy_all(struct virtio_gpu_resources *set)
{
    vec_for_each (&set->all, r)
        release_resource(set, *r);
    vec_free(&set->all);
}

/* ---- backing --------------------------------------------------------------------------------- */

static void add_range(struct virtio_gpu_resource *r, struct virtio_gpu_range range)
{
    vec_push(&r->backing, range);
    r->backing_len += range.len;
}

/* Reads the entries of the list. Empty ones are left out. */
static enum virtio_gpu_response read_list(struct virtio_gpu_resource *r, struct bus *bus,
                                          const struct virtio_chain *chain, uint64_t offset,
                                          uint32_t count)
{
    for (uint8_t entries[256][16]; count;) {
        uint32_t n = count < ARRAY_SIZE(entries) ? count : ARRAY_SIZE(entries);

        if (virtio_get(chain, offset, entries, 16 * n) != 16 * n)
            return RESP_ERR_INVALID_PARAMETER;
        for (uint32_t i = 0; i < n; i++) {
            struct virtio_gpu_range range = {le_get(entries[i], 8), le_get(entries[i] + 8, 4)};

            if (!range.len)
                continue;
            if (!bus_ram_ptr(bus, range.addr, range.len))
                return RESP_ERR_INVALID_PARAMETER;
            add_range(r, range);
        }
        count -= n;
        offset += 16 * n;
    }
    return RESP_OK_NODATA;
}

enum virtio_gpu_response virtio_gpu_attach(struct virtio_gpu_resources *set,
                                           struct virtio_gpu_resource *r, struct bus *bus,
                                           const struct virtio_chain *chain, uint64_t offset,
                                           uint32_t count)
{
    enum virtio_gpu_response response;

    if (r->backed)
        return RESP_ERR_UNSPEC;
    if (count > MAX_ENTRIES)
        return RESP_ERR_INVALID_PARAMETER;
    if (count * sizeof(*r->backing.data) > MAX_BYTES - set->bytes)
        return RESP_ERR_OUT_OF_MEMORY;
    r->backed = true;
    response = read_list(r, bus, chain, offset, count);
    set->bytes += list_bytes(r);
    if (response != RESP_OK_NODATA)
        virtio_gpu_detach(set, r);
    return response;
}

/* ---- copies ---------------------------------------------------------------------------------- */

bool virtio_gpu_holds(const struct virtio_gpu_resource *r, const struct virtio_gpu_rect *rect)
{
    return rect->x <= r->width && rect->width <= r->width - rect->x && rect->y <= r->height &&
           rect->height <= r->height - rect->y;
}

/* A place in the backing, which only moves on. */
struct place {
    unsigned index; /* of the range */
    uint64_t start; /* offset of the range in the backing */
};

/* Copies bytes that lie in the backing, at or after the place. */
static void copy_run(const struct virtio_gpu_resource *r, struct bus *bus, struct place *at,
                     uint64_t offset, uint8_t *to, uint64_t len)
{
    while (len && at->index < r->backing.len) {
        const struct virtio_gpu_range *range = &r->backing.data[at->index];
        uint64_t skip = offset - at->start, n;
        const uint8_t *from;

        if (skip >= range->len) {
            at->start += range->len;
            at->index++;
            continue;
        }
        n = len < range->len - skip ? len : range->len - skip;
        from = bus_ram_ptr(bus, range->addr + skip, n);
        if (from) /* a snapshot's range may be anywhere */
            memcpy(to, from, n);
        to += n;
        offset += n;
        len -= n;
    }
}

enum virtio_gpu_response virtio_gpu_transfer(struct virtio_gpu_resource *r, struct bus *bus,
                                             const struct virtio_gpu_rect *rect, uint64_t offset)
{
    uint64_t stride = (uint64_t)r->width * PIXEL_BYTES, run = (uint64_t)rect->width * PIXEL_BYTES;
    uint8_t *to = r->pixels + rect->y * stride + (uint64_t)rect->x * PIXEL_BYTES;
    struct place at = {0};
    uint64_t span;

    if (!r->backed)
        return RESP_ERR_UNSPEC;
    if (!virtio_gpu_holds(r, rect))
        return RESP_ERR_INVALID_PARAMETER;
    if (!rect->width || !rect->height)
        return RESP_OK_NODATA;
    span = stride * (rect->height - 1) + run;
    if (offset > r->backing_len || span > r->backing_len - offset)
        return RESP_ERR_INVALID_PARAMETER;
    for (uint32_t line = 0; line < rect->height; line++)
        copy_run(r, bus, &at, offset + line * stride, to + line * stride, run);
    return RESP_OK_NODATA;
}

/* ---- snapshots ------------------------------------------------------------------------------- */

/*
 * A resource in a snapshot, all numbers little-endian: its number, format, width and height,
 * whether it is backed, the number of ranges (4 bytes each); per range its address and length (8
 * each); the pixels.
 */
enum { HEAD_BYTES = 24, RANGE_BYTES = 16 };

void virtio_gpu_save(const struct virtio_gpu_resources *set, struct state_buf *buf)
{
    vec_for_each (&set->all, each) {
        const struct virtio_gpu_resource *r = *each;
        const uint32_t words[] = {r->id, r->format, r->width, r->height, r->backed, r->backing.len};
        uint8_t head[HEAD_BYTES], range[RANGE_BYTES];

        for (unsigned i = 0; i < ARRAY_SIZE(words); i++)
            le_put(head + 4 * i, 4, words[i]);
        state_put(buf, head, sizeof(head));
        vec_for_each (&r->backing, piece) {
            le_put(range, 8, piece->addr);
            le_put(range + 8, 8, piece->len);
            state_put(buf, range, sizeof(range));
        }
        state_put(buf, r->pixels, pixel_bytes(r));
    }
}

/* The bytes of a snapshot that are not read yet. */
struct rest {
    const uint8_t *bytes;
    size_t len;
};

/* The next `len` bytes; NULL: fewer are left. */
static const uint8_t *take_bytes(struct rest *rest, uint64_t len)
{
    const uint8_t *bytes = rest->bytes;

    if (len > rest->len)
        return NULL;
    rest->bytes += len;
    rest->len -= len;
    return bytes;
}

static bool load_backing(struct virtio_gpu_resources *set, struct virtio_gpu_resource *r,
                         struct rest *rest, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *bytes = take_bytes(rest, RANGE_BYTES);
        struct virtio_gpu_range range;

        if (!bytes)
            return false;
        range = (struct virtio_gpu_range){le_get(bytes, 8), le_get(bytes + 8, 8)};
        if (!range.len || range.len > UINT32_MAX)
            return false;
        add_range(r, range);
        set->bytes += sizeof(range);
    }
    return true;
}

static bool load_resource(struct virtio_gpu_resources *set, struct rest *rest)
{
    const uint8_t *head = take_bytes(rest, HEAD_BYTES), *pixels;
    struct virtio_gpu_resource wanted = {0}, *r;
    uint32_t count;

    if (!head)
        return false;
    wanted.id = (uint32_t)le_get(head, 4);
    wanted.format = (uint32_t)le_get(head + 4, 4);
    wanted.width = (uint32_t)le_get(head + 8, 4);
    wanted.height = (uint32_t)le_get(head + 12, 4);
    count = (uint32_t)le_get(head + 20, 4);
    if (virtio_gpu_create(set, &wanted) != RESP_OK_NODATA)
        return false;
    r = set->all.data[set->all.len - 1];
    r->backed = le_get(head + 16, 4) != 0;
    if (count > MAX_ENTRIES || (count && !r->backed) ||
        count * (uint64_t)RANGE_BYTES > MAX_BYTES - set->bytes ||
        !load_backing(set, r, rest, count))
        return false;
    pixels = take_bytes(rest, pixel_bytes(r));
    if (pixels)
        memcpy(r->pixels, pixels, pixel_bytes(r));
    return pixels != NULL;
}

bool virtio_gpu_load(struct virtio_gpu_resources *set, const uint8_t *bytes, size_t len)
{
    struct rest rest = {bytes, len};

    while (rest.len) {
        if (!load_resource(set, &rest)) {
            virtio_gpu_destroy_all(set);
            return false;
        }
    }
    return true;
}
