/*
 * Virtio GPU without 3D: a screen whose pictures a driver draws in guest memory. VIRTIO 1.2,
 * section 5.7. The screen shows what was transferred to the scanout's resource.
 *
 * Bounds      those of resources (virtio_gpu_resource.c). Towards the bound of an event
 *             (virtio_mmio.c) a copy and a new resource count as the bytes of their pixels
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/dev/edid.h"
#include "runtime/dev/virtio_gpu_resource.h"
#include "runtime/display/display.h"

#define DEVICE_ID   16u
#define F_EDID      1u  /* feature bit, section 5.7.3 */
#define SCANOUTS    16u /* entries in a response; the device has one scanout */
#define CURSOR_SIDE 64u

enum { CONTROL_QUEUE, CURSOR_QUEUE, QUEUES };

/* Configuration space, section 5.7.4 */
enum { EVENTS_CLEAR = 4, NUM_SCANOUTS = 8, CONFIG_BYTES = 16 };

/* Commands, section 5.7.6.7 */
enum {
    CMD_GET_DISPLAY_INFO = 0x100,
    CMD_RESOURCE_CREATE_2D,
    CMD_RESOURCE_UNREF,
    CMD_SET_SCANOUT,
    CMD_RESOURCE_FLUSH,
    CMD_TRANSFER_TO_HOST_2D,
    CMD_RESOURCE_ATTACH_BACKING,
    CMD_RESOURCE_DETACH_BACKING,
    CMD_GET_EDID = 0x10a,
    CMD_UPDATE_CURSOR = 0x300,
    CMD_MOVE_CURSOR,
};

#define FLAG_FENCE   1u
#define HEADER_BYTES 24u /* of requests and responses */
#define MAX_REQUEST  56u /* bytes, without lists */
#define EDID_FIELD   1024u

struct virtio_gpu {
    struct virtio_function function;

    /* state */
    uint32_t width, height; /* the size that the screen prefers */
    uint32_t scanout;       /* resource that the screen shows; 0: it is off */
    struct virtio_gpu_rect shown;
    uint32_t cursor_on;
    int32_t cursor_x, cursor_y;
    uint32_t cursor[CURSOR_SIDE * CURSOR_SIDE]; /* 0xaarrggbb */
    struct virtio_gpu_resources resources;

    uint64_t transfers, transferred, flushes; /* statistics */
};

/* A request that is being served. */
struct request {
    struct virtio_gpu *gpu;
    const struct virtio_chain *chain;
    uint8_t bytes[MAX_REQUEST];
    uint32_t payload; /* bytes of the response behind its header */
};

static struct virtio_gpu *gpu_of(struct virtio_function *f)
{
    return (struct virtio_gpu *)(void *)f;
}

/* ---- requests -------------------------------------------------------------------------------- */

/* Word of 32 bits at a byte of the request. */
static uint32_t word_at(const struct request *r, unsigned at)
{
    return (uint32_t)le_get(r->bytes + at, 4);
}

static struct virtio_gpu_rect rect_at(const struct request *r, unsigned at)
{
    return (struct virtio_gpu_rect){word_at(r, at), word_at(r, at + 4), word_at(r, at + 8),
                                    word_at(r, at + 12)};
}

static struct virtio_gpu_resource *resource_at(const struct request *r, unsigned at)
{
    return virtio_gpu_find(&r->gpu->resources, word_at(r, at));
}

/* Adds bytes to the response's payload, as far as the driver has room. */
static void respond(struct request *r, const void *bytes, size_t len)
{
    r->payload += (uint32_t)virtio_put(r->gpu->function.transport, r->chain,
                                       HEADER_BYTES + r->payload, bytes, len);
}

static enum virtio_gpu_response get_display_info(struct request *r)
{
    uint8_t modes[SCANOUTS * 24] = {0};

    le_put(modes + 8, 4, r->gpu->width);
    le_put(modes + 12, 4, r->gpu->height);
    le_put(modes + 16, 4, 1); /* enabled */
    respond(r, modes, sizeof(modes));
    return RESP_OK_DISPLAY_INFO;
}

static enum virtio_gpu_response get_edid(struct request *r)
{
    uint8_t answer[8 + EDID_FIELD] = {0};

    if (word_at(r, 24))
        return RESP_ERR_INVALID_PARAMETER;
    le_put(answer, 4, EDID_BYTES);
    edid_make(answer + 8, r->gpu->width, r->gpu->height);
    respond(r, answer, sizeof(answer));
    return RESP_OK_EDID;
}

static enum virtio_gpu_response create_resource(struct request *r)
{
    const struct virtio_gpu_resource wanted = {word_at(r, 24), word_at(r, 28), word_at(r, 32),
                                               word_at(r, 36), .pixels = NULL};
    enum virtio_gpu_response response = virtio_gpu_create(&r->gpu->resources, &wanted);

    if (response == RESP_OK_NODATA)
        virtio_charge(r->gpu->function.transport, (uint64_t)wanted.width * wanted.height * 4);
    return response;
}

static enum virtio_gpu_response unref_resource(struct request *r)
{
    struct virtio_gpu_resource *resource = resource_at(r, 24);

    if (!resource)
        return RESP_ERR_INVALID_RESOURCE_ID;
    if (r->gpu->scanout == resource->id)
        r->gpu->scanout = 0;
    virtio_gpu_destroy(&r->gpu->resources, resource);
    return RESP_OK_NODATA;
}

static enum virtio_gpu_response set_scanout(struct request *r)
{
    struct virtio_gpu_rect rect = rect_at(r, 24);
    const struct virtio_gpu_resource *resource = resource_at(r, 44);

    if (word_at(r, 40))
        return RESP_ERR_INVALID_SCANOUT_ID;
    if (word_at(r, 44)) {
        if (!resource)
            return RESP_ERR_INVALID_RESOURCE_ID;
        if (!rect.width || !rect.height || !virtio_gpu_holds(resource, &rect))
            return RESP_ERR_INVALID_PARAMETER;
    }
    r->gpu->scanout = word_at(r, 44);
    r->gpu->shown = rect;
    return RESP_OK_NODATA;
}

static enum virtio_gpu_response flush_resource(struct request *r)
{
    struct virtio_gpu_rect rect = rect_at(r, 24);
    const struct virtio_gpu_resource *resource = resource_at(r, 40);

    if (!resource)
        return RESP_ERR_INVALID_RESOURCE_ID;
    if (!virtio_gpu_holds(resource, &rect))
        return RESP_ERR_INVALID_PARAMETER;
    r->gpu->flushes++;
    return RESP_OK_NODATA;
}

static enum virtio_gpu_response transfer_to_host(struct request *r)
{
    struct virtio_gpu_rect rect = rect_at(r, 24);
    struct virtio_gpu_resource *resource = resource_at(r, 48);
    enum virtio_gpu_response response;
    uint64_t bytes;

    if (!resource)
        return RESP_ERR_INVALID_RESOURCE_ID;
    response =
        virtio_gpu_transfer(resource, r->gpu->function.env->bus, &rect, le_get(r->bytes + 40, 8));
    if (response != RESP_OK_NODATA)
        return response;
    bytes = (uint64_t)rect.width * rect.height * 4;
    virtio_charge(r->gpu->function.transport, bytes);
    r->gpu->transfers++;
    r->gpu->transferred += bytes;
    return RESP_OK_NODATA;
}

static enum virtio_gpu_response attach_backing(struct request *r)
{
    struct virtio_gpu_resource *resource = resource_at(r, 24);

    if (!resource)
        return RESP_ERR_INVALID_RESOURCE_ID;
    return virtio_gpu_attach(&r->gpu->resources, resource, r->gpu->function.env->bus, r->chain, 32,
                             word_at(r, 28));
}

static enum virtio_gpu_response detach_backing(struct request *r)
{
    struct virtio_gpu_resource *resource = resource_at(r, 24);

    if (!resource)
        return RESP_ERR_INVALID_RESOURCE_ID;
    if (!resource->backed)
        return RESP_ERR_UNSPEC;
    virtio_gpu_detach(&r->gpu->resources, resource);
    return RESP_OK_NODATA;
}

/* ---- the cursor, section 5.7.6.10 ------------------------------------------------------------ */

static enum virtio_gpu_response move_cursor(struct request *r)
{
    if (word_at(r, 24))
        return RESP_ERR_INVALID_SCANOUT_ID;
    r->gpu->cursor_x = (int32_t)word_at(r, 28);
    r->gpu->cursor_y = (int32_t)word_at(r, 32);
    return RESP_OK_NODATA;
}

static uint32_t byte_at(struct frame_channel c, uint32_t pixel)
{
    return pixel >> c.shift & 0xff;
}

/* Copies the picture of the cursor, so that its resource may go. The byte beside the colours is the
 * alpha, also in a format without one: Linux gives all buffers that programs map such a format, and
 * QEMU reads the byte as well. */
static void copy_cursor(uint32_t *to, const struct virtio_gpu_resource *from)
{
    const struct virtio_gpu_channels *c = virtio_gpu_channels(from);

    for (unsigned i = 0; i < CURSOR_SIDE * CURSOR_SIDE; i++) {
        uint32_t pixel = (uint32_t)le_get(from->pixels + (size_t)4 * i, 4);

        to[i] = byte_at(c->alpha, pixel) << 24 | byte_at(c->red, pixel) << 16 |
                byte_at(c->green, pixel) << 8 | byte_at(c->blue, pixel);
    }
}

static enum virtio_gpu_response update_cursor(struct request *r)
{
    const struct virtio_gpu_resource *resource = resource_at(r, 40);

    if (word_at(r, 24))
        return RESP_ERR_INVALID_SCANOUT_ID;
    if (word_at(r, 40)) {
        if (!resource)
            return RESP_ERR_INVALID_RESOURCE_ID;
        if (resource->width != CURSOR_SIDE || resource->height != CURSOR_SIDE)
            return RESP_ERR_INVALID_PARAMETER;
        copy_cursor(r->gpu->cursor, resource);
    }
    r->gpu->cursor_on = word_at(r, 40) != 0;
    return move_cursor(r);
}

/* ---- queues ---------------------------------------------------------------------------------- */

static const struct command {
    uint32_t type, queue;
    unsigned bytes; /* of a request without its list */
    enum virtio_gpu_response (*serve)(struct request *r);
} commands[] = {
    {CMD_GET_DISPLAY_INFO, CONTROL_QUEUE, 24, get_display_info},
    {CMD_RESOURCE_CREATE_2D, CONTROL_QUEUE, 40, create_resource},
    {CMD_RESOURCE_UNREF, CONTROL_QUEUE, 32, unref_resource},
    {CMD_SET_SCANOUT, CONTROL_QUEUE, 48, set_scanout},
    {CMD_RESOURCE_FLUSH, CONTROL_QUEUE, 48, flush_resource},
    {CMD_TRANSFER_TO_HOST_2D, CONTROL_QUEUE, 56, transfer_to_host},
    {CMD_RESOURCE_ATTACH_BACKING, CONTROL_QUEUE, 32, attach_backing},
    {CMD_RESOURCE_DETACH_BACKING, CONTROL_QUEUE, 32, detach_backing},
    {CMD_GET_EDID, CONTROL_QUEUE, 32, get_edid},
    {CMD_UPDATE_CURSOR, CURSOR_QUEUE, 56, update_cursor},
    {CMD_MOVE_CURSOR, CURSOR_QUEUE, 56, move_cursor},
};

static enum virtio_gpu_response run_command(struct request *r, unsigned queue, size_t len)
{
    uint32_t type = word_at(r, 0);

    for (unsigned i = 0; i < ARRAY_SIZE(commands); i++) {
        const struct command *c = &commands[i];

        if (c->type == type && c->queue == queue)
            return len < c->bytes ? RESP_ERR_INVALID_PARAMETER : c->serve(r);
    }
    return RESP_ERR_UNSPEC;
}

/* Section 5.7.6.7: a fence is answered when its command is done, which is at once. */
static uint32_t serve_chain(struct virtio_function *f, unsigned queue, const struct virtio_chain *c)
{
    struct request r = {.gpu = gpu_of(f), .chain = c};
    uint8_t header[HEADER_BYTES] = {0};
    size_t len = virtio_get(c, 0, r.bytes, sizeof(r.bytes));
    enum virtio_gpu_response response = run_command(&r, queue, len);

    if (response >= RESP_ERR_UNSPEC)
        device_log_guest(f->env, "command %#" PRIx32 " on queue %u of %zu bytes: error %#x",
                         word_at(&r, 0), queue, len, response);
    le_put(header, 4, response);
    if (word_at(&r, 4) & FLAG_FENCE) {
        le_put(header + 4, 4, FLAG_FENCE);
        memcpy(header + 8, r.bytes + 8, 12); /* the fence's and the context's number */
    }
    return (uint32_t)virtio_put(f->transport, c, 0, header, sizeof(header)) + r.payload;
}

/* ---- features and configuration -------------------------------------------------------------- */

static uint64_t get_features(struct virtio_function *f)
{
    (void)f;
    return UINT64_C(1) << F_EDID;
}

/* There are no events: the screen is plugged in before the machine starts, and stays. */
static size_t get_config(struct virtio_function *f, uint8_t config[VIRTIO_MAX_CONFIG])
{
    (void)f;
    le_put(config + NUM_SCANOUTS, 4, 1);
    return CONFIG_BYTES;
}

static bool set_config(struct virtio_function *f, uint64_t offset, unsigned size, uint64_t value)
{
    (void)f, (void)value;
    return offset == EVENTS_CLEAR && size == 4;
}

/* ---- the picture ----------------------------------------------------------------------------- */

static bool describe_frame(void *opaque, struct frame *frame)
{
    const struct virtio_gpu *gpu = opaque;
    const struct virtio_gpu_resource *r = virtio_gpu_find(&gpu->resources, gpu->scanout);
    const struct virtio_gpu_channels *c;

    /* A snapshot may hold a rectangle of any size. */
    if (!r || !virtio_gpu_holds(r, &gpu->shown))
        return false;
    c = virtio_gpu_channels(r);
    frame->stride = 4 * (int64_t)r->width;
    frame->host = r->pixels + gpu->shown.y * frame->stride + 4 * (int64_t)gpu->shown.x;
    frame->width = gpu->shown.width;
    frame->height = gpu->shown.height;
    frame->bits = 32;
    frame->red = c->red;
    frame->green = c->green;
    frame->blue = c->blue;
    if (gpu->cursor_on)
        frame->cursor = (struct frame_cursor){gpu->cursor_x, gpu->cursor_y, CURSOR_SIDE,
                                              CURSOR_SIDE, gpu->cursor};
    return true;
}

/* ---- life ------------------------------------------------------------------------------------ */

static uint64_t count_resources(const void *opaque)
{
    return ((const struct virtio_gpu *)opaque)->resources.all.len;
}

static void attach_to_slot(struct virtio_function *f)
{
    struct virtio_gpu *gpu = gpu_of(f);
    const struct device_env *env = f->env;

    stats_add(env->stats, env->name, "transfers", &gpu->transfers);
    stats_add(env->stats, env->name, "transferred_bytes", &gpu->transferred);
    stats_add(env->stats, env->name, "flushes", &gpu->flushes);
    stats_add_fn(env->stats, env->name, "resources", count_resources, gpu);
    if (env->display)
        display_add(env->display, env->name, DISPLAY_PLUGGED_IN, describe_frame, gpu);
}

static void reset_virtio_gpu(struct virtio_function *f)
{
    struct virtio_gpu *gpu = gpu_of(f);

    virtio_gpu_destroy_all(&gpu->resources);
    gpu->scanout = gpu->cursor_on = 0;
}

static void destroy_virtio_gpu(struct virtio_function *f)
{
    reset_virtio_gpu(f);
    free(f);
}

static void save_resources(struct virtio_function *f, struct state_buf *buf)
{
    virtio_gpu_save(&gpu_of(f)->resources, buf);
}

static bool load_resources(struct virtio_function *f, const uint8_t *bytes, size_t len, bool apply,
                           struct error *err)
{
    struct virtio_gpu *gpu = gpu_of(f);
    struct virtio_gpu_resources loaded = {0}, old = gpu->resources;

    if (!virtio_gpu_load(&loaded, bytes, len))
        return error_set(err, "the section is damaged");
    if (apply)
        gpu->resources = loaded;
    virtio_gpu_destroy_all(apply ? &old : &loaded);
    return true;
}

static const struct state_field fields[] = {
    STATE_FIELD(struct virtio_gpu, width),
    STATE_FIELD(struct virtio_gpu, height),
    STATE_FIELD(struct virtio_gpu, scanout),
    STATE_FIELD(struct virtio_gpu, shown),
    STATE_FIELD(struct virtio_gpu, cursor_on),
    STATE_FIELD(struct virtio_gpu, cursor_x),
    STATE_FIELD(struct virtio_gpu, cursor_y),
    STATE_FIELD(struct virtio_gpu, cursor),
    STATE_END,
};

static const struct virtio_function_class gpu_class = {
    .name = "virtio-gpu",
    .device_id = DEVICE_ID,
    .queue_count = QUEUES,
    .features = get_features,
    .config = get_config,
    .set_config = set_config,
    .attach = attach_to_slot,
    .serve = serve_chain,
    .reset = reset_virtio_gpu,
    .destroy = destroy_virtio_gpu,
    .fields = fields,
    .save = save_resources,
    .load = load_resources,
};

struct virtio_function *virtio_gpu_new(uint32_t width, uint32_t height)
{
    struct virtio_gpu *gpu = xcalloc(1, sizeof(*gpu));

    gpu->function.cls = &gpu_class;
    gpu->width = width;
    gpu->height = height;
    return &gpu->function;
}
