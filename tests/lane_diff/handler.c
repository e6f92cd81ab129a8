/* Runs the generated lane handlers on a situation's slots and memory. */

#include "tests/lane_diff/handler.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/gpu/ends.h"
#include "runtime/gpu/features.h"
#include "runtime/gpu/lane.h"

/* ---- what was compiled in: UNITS is a list of UNIT(name) ------------------------------------- */

#define UNIT(name)                            \
    extern const struct gpu_unit name##_unit; \
    extern const struct gpu_external name##_externals[];
UNITS
#undef UNIT

static const struct gpu_unit *const units[] = {
#define UNIT(name) &name##_unit,
    UNITS
#undef UNIT
};

static const struct gpu_external *const externals[] = {
#define UNIT(name) name##_externals,
    UNITS
#undef UNIT
};

enum { COUNT = sizeof(units) / sizeof(*units) };

const struct gpu_unit *handler_unit(const char *name)
{
    for (unsigned i = 0; i < COUNT; i++)
        if (!strcmp(units[i]->name, name))
            return units[i];
    return NULL;
}

void (*handler_external(const char *name))(void)
{
    for (unsigned i = 0; i < COUNT; i++)
        for (const struct gpu_external *e = externals[i]; e->name; e++)
            if (!strcmp(e->name, name))
                return e->address;
    return NULL;
}

/* ---- the world ------------------------------------------------------------------------------- */

static uint32_t table_source(const struct situation *before, uint32_t selector, unsigned lane)
{
    return before->slot[before->source[selector % SELECTORS]][lane];
}

static uint64_t some_buffer(uint32_t index, uint32_t offset, uint32_t bytes)
{
    return mix_hash(UNIFORM_BUFFER, index, offset, bytes);
}

const struct situation_world handler_world = {table_source, some_buffer, handler_external, false};

/* ---- the engine ------------------------------------------------------------------------------ */

struct gpu_decode {
    const struct situation *s;
};

struct gpu_group { /* the structure that a warp points to */
    struct situation *s;
};

static unsigned wanted_level;

unsigned gpu_lane_level(void)
{
    return wanted_level;
}

uint16_t gpu_decode_source(struct gpu_decode *d, uint32_t selector)
{
    return (uint16_t)(d->s->source[selector % SELECTORS] * d->s->lanes * sizeof(uint32_t));
}

bool gpu_decode_has(struct gpu_decode *d, const char *feature)
{
    (void)d, (void)feature;
    return true;
}

uint64_t gpu_decode_header(const struct gpu_decode *d)
{
    return d->s->header;
}

uint64_t gpu_decode_address(const struct gpu_decode *d)
{
    return d->s->address;
}

void gpu_decode_ends_at_zero(struct gpu_decode *d, uint32_t selector)
{
    (void)d, (void)selector;
}

uint64_t gpu_slow_read(struct gpu_warp *w, uint64_t va, unsigned bytes)
{
    return memory_read(w->group->s, va, bytes);
}

void gpu_slow_write(struct gpu_warp *w, uint64_t va, uint64_t v, unsigned bytes)
{
    memory_write(w->group->s, va, v, bytes);
}

uint8_t *gpu_slow_atomic(struct gpu_warp *w, uint64_t va)
{
    return w->group->s->memory + va % MEMORY_BYTES;
}

uint64_t gpu_uniform_buffer(const struct gpu_warp *w, uint32_t index, uint32_t offset,
                            uint32_t bytes)
{
    (void)w;
    return mix_hash(UNIFORM_BUFFER, index, offset, bytes);
}

uint64_t gpu_attribute_address(const struct gpu_warp *w, uint32_t index, uint32_t vertex,
                               uint32_t instance)
{
    (void)w;
    return mix_hash(ATTRIBUTE, index, vertex, instance);
}

uint32_t gpu_attribute_format(const struct gpu_warp *w, uint32_t index)
{
    (void)w;
    return (uint32_t)mix_hash(FORMAT, index, 0, 0);
}

uint64_t gpu_image_address(const struct gpu_warp *w, uint32_t index, uint32_t xy, uint32_t zw)
{
    (void)w;
    return mix_hash(IMAGE, index, xy, zw);
}

uint32_t gpu_pixel_load(struct gpu_warp *w, const struct gpu_op *op, unsigned lane, uint64_t va,
                        uint32_t format, uint32_t register_format, uint32_t component)
{
    (void)w, (void)op, (void)lane;
    return (uint32_t)mix_hash(PIXEL, va, format, mix_hash(PIXEL, register_format, component, 0));
}

void gpu_pixel_store(struct gpu_warp *w, const struct gpu_op *op, unsigned lane, uint64_t va,
                     uint32_t format, uint32_t register_format, uint32_t count, uint32_t c0,
                     uint32_t c1, uint32_t c2, uint32_t c3)
{
    struct situation *s = w->group->s;

    (void)op, (void)lane;
    s->effects = mix_hash(STORE, s->effects, va, mix_hash(STORE, format, register_format, count));
    s->effects =
        mix_hash(STORE, s->effects, mix_hash(STORE, c0, c1, 0), mix_hash(STORE, c2, c3, 0));
}

void gpu_graphics_operand(struct gpu_warp *w, uint32_t which, uint32_t value)
{
    struct situation *s = w->group->s;

    s->effects = mix_hash(GRAPHICS, s->effects, which, value);
}

void gpu_graphics_request(struct gpu_warp *w, const struct gpu_op *op, unsigned lane,
                          uint32_t operation)
{
    struct situation *s = w->group->s;

    (void)op, (void)lane;
    s->effects = mix_hash(GRAPHICS, s->effects, operation, 7);
}

uint32_t gpu_graphics_result(const struct gpu_warp *w, uint32_t k)
{
    return (uint32_t)mix_hash(GRAPHICS, w->group->s->effects, k, 9);
}

void gpu_texture_operand(struct gpu_warp *w, uint32_t which, uint32_t value)
{
    struct situation *s = w->group->s;

    s->effects = mix_hash(TEXTURE, s->effects, which, value);
}

void gpu_texture_request(struct gpu_warp *w, const struct gpu_op *op, unsigned lane,
                         uint32_t operation)
{
    struct situation *s = w->group->s;

    (void)op, (void)lane;
    s->effects = mix_hash(TEXTURE, s->effects, operation, 7);
}

uint32_t gpu_texture_result(const struct gpu_warp *w, uint32_t k)
{
    return (uint32_t)mix_hash(TEXTURE, w->group->s->effects, k, 9);
}

/* ---- running --------------------------------------------------------------------------------- */

static void put_slots(const struct situation *s, struct gpu_warp *w)
{
    uint32_t *to = (uint32_t *)(void *)w->state;

    for (unsigned k = 0; k < slot_count(s); k++)
        memcpy(to + k * s->lanes, s->slot[k], s->lanes * sizeof(*to));
}

static void take_slots(struct situation *s, const struct gpu_warp *w)
{
    const uint32_t *from = (const uint32_t *)(const void *)w->state;

    for (unsigned k = 0; k < slot_count(s); k++)
        memcpy(s->slot[k], from + k * s->lanes, s->lanes * sizeof(*from));
}

bool handler_decode(const struct gpu_unit *u, const struct situation *s, unsigned level,
                    uint32_t word, struct gpu_op *op)
{
    struct gpu_decode d = {s};

    wanted_level = level;
    memset(op, 0, u->op_bytes);
    op->result = (uint16_t)(s->result * s->lanes * sizeof(uint32_t));
    op->staging = (uint16_t)(s->staging * s->lanes * sizeof(uint32_t));
    op->last = 1;
    return u->decode(&d, word, op) && op->bytes <= u->op_bytes;
}

static void take_outcome(struct situation *s, const struct gpu_warp *w)
{
    take_slots(s, w);
    s->branched = w->branched;
    s->ended = w->ended;
    s->faulted = w->faulted;
    s->waits = w->wait;
    for (unsigned l = 0; l < s->lanes; l++)
        if (w->branched >> l & 1)
            s->target[l] = w->target[l];
}

void handler_run(const struct gpu_unit *u, unsigned level, uint32_t word, struct situation *s)
{
    size_t bytes = sizeof(struct gpu_warp) + slot_count(s) * s->lanes * sizeof(uint32_t);
    struct gpu_warp *w = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
    struct gpu_op *op = aligned_alloc(8, (u->op_bytes + 7) & ~(size_t)7);
    static struct gpu_core core;
    struct gpu_group group = {s};

    memset(&core, 0xff, sizeof(core)); /* all entries become GPU_TLB_NONE */
    core.local_base = s->local_base;
    memset(w, 0, sizeof(*w));
    w->core = &core;
    w->group = &group;
    gpu_warp_shape(w, s->lanes, s->width);
    w->active = w->live = s->active;
    w->address = s->address;
    memcpy(w->tls, s->tls, sizeof(w->tls));
    put_slots(s, w);
    if (handler_decode(u, s, level, word, op)) {
        op->exec(w, op);
        take_outcome(s, w);
    } else {
        s->failure = "the generated decoder refuses the word";
    }
    free(op);
    free(w);
}
