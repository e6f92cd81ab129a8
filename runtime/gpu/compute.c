/*
 * Reads descriptors of a compute job from GPU memory into struct gpu_compute_job. Each number in
 * them is the guest's. A number that is invalid, or exceeds what the GPU has, fails the job.
 *
 * Bounds      MAX_ATTRIBUTES attributes; buffers: what the count's 8 bits hold; threads of a group:
 *             the variant's; memory of a thread: MAX_THREAD_SHIFT; textures: what 16 bits hold
 */
#include "runtime/gpu/shader/job.h"

#include <stdlib.h>
#include <string.h>

#include "mali_layout.h"
#include "runtime/base/alloc.h"
#include "runtime/gpu/lane_memory.h"

enum {
    MAX_ATTRIBUTES = 1024, /* more than an attribute's buffer index can address */
    MAX_THREAD_SHIFT = 24, /* 256 MiB per thread */
    STORAGE_ALIGNMENT = 64,
};

/* Arguments that all readers share. */
struct reader {
    const struct gpu_variant *variant;
    const struct gpu_address_space *as;
    struct gpu_compute_job *job;
    struct gpu_outcome *out;
};

static bool fail_invalid(struct reader *r, uint64_t address)
{
    *r->out = (struct gpu_outcome){
        .progress = GPU_PROGRESS_FAILED, .code = GPU_JOB_CONFIG_FAULT, .address = address};
    return false;
}

static bool fetch_bytes(struct reader *r, uint64_t address, void *to, size_t bytes)
{
    if (gpu_memory_read(r->as, address, to, bytes, &r->out->fault))
        return true;
    r->out->progress = GPU_PROGRESS_FAULT;
    return false;
}

/* Fetches and unpacks a descriptor `name` at `address` into *to. */
#define READ(r, name, NAME, address, to)                                         \
    ({                                                                           \
        uint8_t raw_[MALI_##NAME##_BYTES];                                       \
        bool good_ = fetch_bytes(r, address, raw_, sizeof(raw_));                \
                                                                                 \
        if (good_ && mali_##name##_unpack((r)->variant->architecture, raw_, to)) \
            good_ = fail_invalid(r, address);                                    \
        good_;                                                                   \
    })

/* ---- size ------------------------------------------------------------------------------------ */

/* The number between bits `from` and `to` of `packed`, plus one. */
static uint32_t packed_number(uint32_t packed, uint32_t from, uint32_t to)
{
    uint64_t bits = to >= 32 ? packed : packed & ((UINT64_C(1) << to) - 1);

    return from >= 32 ? 1 : (uint32_t)(bits >> from) + 1;
}

bool gpu_invocation_sizes(const struct mali_invocation *in, uint32_t size[3], uint32_t groups[3])
{
    uint32_t at[7] = {0,
                      in->size_y_shift,
                      in->size_z_shift,
                      in->groups_x_shift,
                      in->groups_y_shift,
                      in->groups_z_shift,
                      32};

    for (unsigned i = 0; i < 6; i++)
        if (at[i] > at[i + 1])
            return false;
    for (unsigned i = 0; i < 3; i++) {
        size[i] = packed_number(in->packed, at[i], at[i + 1]);
        groups[i] = packed_number(in->packed, at[i + 3], at[i + 4]);
    }
    return true;
}

static bool read_invocation(struct reader *r, const struct mali_invocation *in)
{
    struct gpu_compute_job *job = r->job;
    uint64_t threads;

    if (!gpu_invocation_sizes(in, job->size, job->groups))
        return fail_invalid(r, job->header);
    threads = (uint64_t)job->size[0] * job->size[1];
    if (threads > r->variant->max_group || threads * job->size[2] > r->variant->max_group)
        return fail_invalid(r, job->header);
    job->threads = (uint32_t)(threads * job->size[2]);
    /* The bits of all numbers fit in 32, so the product does not overflow. */
    job->group_total = (uint64_t)job->groups[0] * job->groups[1] * job->groups[2];
    return true;
}

/* ---- shader ---------------------------------------------------------------------------------- */

/* The work registers that a thread gets; 0: all. */
static uint32_t registers_of(const struct gpu_variant *v, const struct mali_renderer_state *s)
{
    if (v->architecture < 6)
        return (uint32_t)s->work_register_count;
    return v->architecture == 7 && s->register_allocation == MALI_REGISTER_ALLOCATION_REGISTERS_32
               ? 32
               : 0;
}

/* The preloaded values. Without a word that chooses them, all are. */
static uint32_t preload_bits(const struct gpu_variant *v, const struct mali_compute_preload *p)
{
    if (!mali_compute_preload_bytes(v->architecture))
        return UINT32_MAX;
    return (uint32_t)(p->local_id_xy << GPU_PRELOAD_LOCAL_ID_XY |
                      p->local_id_z << GPU_PRELOAD_LOCAL_ID_Z |
                      p->group_id_x << GPU_PRELOAD_GROUP_ID_X |
                      p->group_id_y << GPU_PRELOAD_GROUP_ID_Y |
                      p->group_id_z << GPU_PRELOAD_GROUP_ID_Z |
                      p->global_id_x << GPU_PRELOAD_GLOBAL_ID_X |
                      p->global_id_y << GPU_PRELOAD_GLOBAL_ID_Y |
                      p->global_id_z << GPU_PRELOAD_GLOBAL_ID_Z);
}

static bool read_uniforms(struct reader *r, uint64_t address, uint32_t pairs)
{
    uint8_t raw[4 * GPU_UNIFORM_WORDS];

    r->job->uniform_words = 2 * pairs;
    if (!pairs)
        return true;
    if (2 * pairs > GPU_UNIFORM_WORDS)
        return fail_invalid(r, address);
    if (!fetch_bytes(r, address, raw, 8 * (size_t)pairs))
        return false;
    memcpy(r->job->uniform, raw, 8 * (size_t)pairs);
    return true;
}

static bool read_blocks(struct reader *r, uint64_t address, unsigned count)
{
    struct gpu_compute_job *job = r->job;

    if (!count)
        return true;
    job->blocks = xcalloc(count, sizeof(*job->blocks));
    job->block_count = count;
    for (unsigned i = 0; i < count; i++) {
        struct mali_uniform_buffer b;

        if (!READ(r, uniform_buffer, UNIFORM_BUFFER, address + i * MALI_UNIFORM_BUFFER_BYTES, &b))
            return false;
        job->blocks[i] = (struct gpu_uniform_block){b.pointer, (uint64_t)b.entries *
                                                                   MALI_UNIFORM_BUFFER_ENTRY_BYTES};
    }
    return true;
}

/* ---- memory of threads and work-groups ------------------------------------------------------- */

static bool read_storage(struct reader *r, uint64_t address)
{
    struct gpu_compute_job *job = r->job;
    struct mali_local_storage s;

    /* In graphics the address may be that of a framebuffer, with a tag in its low bits. */
    if (job->stage != GPU_STAGE_COMPUTE)
        address = address / STORAGE_ALIGNMENT * STORAGE_ALIGNMENT;
    if (!address)
        return true;
    if (!READ(r, local_storage, LOCAL_STORAGE, address, &s))
        return false;
    if (s.tls_base) {
        if (s.tls_size > MAX_THREAD_SHIFT)
            return fail_invalid(r, address);
        job->thread_base = s.tls_base;
        job->thread_bytes = (uint64_t)MALI_TLS_UNIT << s.tls_size;
    }
    if (s.wls_instances != MALI_WLS_NONE && s.wls_size_scale) {
        uint64_t bytes = UINT64_C(1) << (s.wls_size_scale - 1);

        job->local_base = s.wls_base;
        job->local_bytes = bytes + bytes / 4 * s.wls_size_base;
    }
    if (job->thread_base + job->thread_bytes * job->threads < job->thread_base ||
        job->local_base + job->local_bytes < job->local_base)
        return fail_invalid(r, address);
    return true;
}

/* ---- attributes ------------------------------------------------------------------------------ */

static bool read_divisor(struct reader *r, uint64_t address, struct gpu_attribute *a)
{
    struct mali_attribute_divisor d;

    if (!READ(r, attribute_divisor, ATTRIBUTE_DIVISOR, address, &d))
        return false;
    a->divisor = d.divisor;
    return true;
}

static bool read_image(struct reader *r, uint64_t address, struct gpu_attribute *a)
{
    struct mali_attribute_image i;

    if (!READ(r, attribute_image, ATTRIBUTE_IMAGE, address, &i))
        return false;
    a->image = true;
    a->size[0] = i.width;
    a->size[1] = i.height;
    a->size[2] = i.depth;
    a->row_stride = i.row_stride;
    a->slice_stride = i.slice_stride;
    return true;
}

static bool read_buffer(struct reader *r, uint64_t address, struct gpu_attribute *a)
{
    struct mali_attribute_buffer b;

    if (!READ(r, attribute_buffer, ATTRIBUTE_BUFFER, address, &b))
        return false;
    a->type = b.type;
    a->address = b.pointer;
    a->stride = b.stride;
    a->bytes = b.bytes;
    a->divisor_shift = b.divisor_r;
    a->divisor_extra = b.divisor_p;
    address += MALI_ATTRIBUTE_BUFFER_BYTES;
    switch (b.type) {
    case MALI_ATTRIBUTE_TYPE_NPOT_DIVISOR:
    case MALI_ATTRIBUTE_TYPE_NPOT_DIVISOR_WRITE_REDUCTION:
        return read_divisor(r, address, a);
    case MALI_ATTRIBUTE_TYPE_IMAGE_LINEAR:
    case MALI_ATTRIBUTE_TYPE_IMAGE_TILED:
        return read_image(r, address, a);
    default:
        return true;
    }
}

/* Reads attribute `a` from `address`, and its buffer. */
static bool read_attribute(struct reader *r, uint64_t address, uint64_t buffers,
                           struct gpu_attribute *a)
{
    struct mali_attribute d;

    if (!READ(r, attribute, ATTRIBUTE, address, &d))
        return false;
    a->format = d.format;
    a->from_start = d.offset_enable;
    a->offset = d.offset_enable || r->job->stage != GPU_STAGE_COMPUTE ? d.offset : 0;
    return read_buffer(r, buffers + d.buffer_index * MALI_ATTRIBUTE_BUFFER_BYTES, a);
}

/* Reads the attributes of a table; *to and *number receive them. In graphics the table may have
 * entries that the driver did not write, since no shader uses them: one that cannot be read is
 * none. */
static bool read_attributes(struct reader *r, uint64_t table, uint64_t buffers, unsigned count,
                            struct gpu_attribute **to, unsigned *number)
{
    if (!count)
        return true;
    if (count > MAX_ATTRIBUTES)
        return fail_invalid(r, table);
    *to = xcalloc(count, sizeof(**to));
    *number = count;
    for (unsigned i = 0; i < count; i++) {
        struct gpu_attribute *a = &(*to)[i];
        struct gpu_outcome before = *r->out;

        if (read_attribute(r, table + i * MALI_ATTRIBUTE_BYTES, buffers, a))
            continue;
        if (r->job->stage == GPU_STAGE_COMPUTE)
            return false;
        *r->out = before;
        *a = (struct gpu_attribute){0};
    }
    return true;
}

/* ---- textures -------------------------------------------------------------------------------- */

static bool read_textures(struct reader *r, const struct mali_draw *draw,
                          const struct mali_renderer_state *state)
{
    struct gpu_textures *t = &r->job->textures;
    unsigned version = r->variant->architecture;

    if (gpu_textures_read(t, version, r->as, draw->textures, state->texture_count,
                          &r->out->fault) &&
        gpu_samplers_read(t, version, r->as, draw->samplers, state->sampler_count, &r->out->fault))
        return true;
    r->out->progress = GPU_PROGRESS_FAULT;
    return false;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Number of pairs of 32-bit words of uniforms that a shader receives in registers. */
static uint32_t pairs_of(enum gpu_job_stage stage, const struct mali_renderer_state *s)
{
    /* Stages without a preload word have a number of vectors of four words. */
    uint32_t pairs = 2 * s->uniform_count;

    switch (stage) {
    case GPU_STAGE_COMPUTE:
        return pairs + s->preload.uniform_count;
    case GPU_STAGE_VERTEX:
        return pairs + s->vertex_preload.uniform_count;
    case GPU_STAGE_VARYING:
        return pairs + s->secondary_preload.uniform_count;
    case GPU_STAGE_FRAGMENT:
        return pairs + s->fragment_preload.uniform_count;
    }
    return pairs;
}

/* Reads everything to which a draw points: shader, uniforms, storage, attributes, textures. */
static bool read_draw(struct reader *r, const struct mali_draw *draw,
                      const struct mali_renderer_state *state)
{
    struct gpu_compute_job *job = r->job;

    job->shader_address = job->stage == GPU_STAGE_VARYING ? state->secondary_shader : state->shader;
    job->preload = job->stage == GPU_STAGE_COMPUTE ? preload_bits(r->variant, &state->preload) : 0;
    job->registers = registers_of(r->variant, state);
    return read_uniforms(r, draw->push_uniforms, pairs_of(job->stage, state)) &&
           read_blocks(r, draw->uniform_buffers, state->uniform_buffer_count) &&
           read_storage(r, draw->thread_storage) &&
           read_attributes(r, draw->attributes, draw->attribute_buffers, state->attribute_count,
                           &job->attributes, &job->attribute_count) &&
           read_textures(r, draw, state);
}

bool gpu_compute_read(const struct gpu_variant *variant, const struct gpu_address_space *as,
                      uint64_t header, struct gpu_compute_job *job, struct gpu_outcome *out)
{
    struct reader r = {variant, as, job, out};
    struct mali_compute_payload payload;
    struct mali_renderer_state state;

    *job = (struct gpu_compute_job){.header = header};
    if (!mali_compute_payload_bytes(variant->architecture))
        return fail_invalid(&r, header);
    if (!READ(&r, compute_payload, COMPUTE_PAYLOAD, header + MALI_JOB_HEADER_BYTES, &payload))
        return false;
    /* A vertex shader with transform feedback runs as a compute job as well. */
    job->padded = payload.draw.instance_size > 1 ? (uint32_t)payload.draw.instance_size : 0;
    job->offset_start = payload.draw.offset_start;
    return read_invocation(&r, &payload.invocation) &&
           READ(&r, renderer_state, RENDERER_STATE, payload.draw.state, &state) &&
           read_draw(&r, &payload.draw, &state);
}

bool gpu_stage_read(const struct gpu_variant *variant, const struct gpu_address_space *as,
                    const struct mali_draw *draw, struct gpu_compute_job *job,
                    struct mali_renderer_state *state, struct gpu_outcome *out)
{
    struct reader r = {variant, as, job, out};

    *job = (struct gpu_compute_job){.stage = job->stage,
                                    .padded = (uint32_t)draw->instance_size,
                                    .offset_start = draw->offset_start};
    return READ(&r, renderer_state, RENDERER_STATE, draw->state, state) &&
           read_draw(&r, draw, state) &&
           read_attributes(&r, draw->varyings, draw->varying_buffers, state->varying_count,
                           &job->varyings, &job->varying_count);
}

void gpu_compute_job_release(struct gpu_compute_job *job)
{
    free(job->blocks);
    free(job->attributes);
    free(job->varyings);
    gpu_textures_release(&job->textures);
    job->blocks = NULL;
    job->attributes = NULL;
    job->varyings = NULL;
}

/* ---- pages of memory ------------------------------------------------------------------------- */

static bool overlaps_page(uint64_t page, uint64_t base, uint64_t bytes)
{
    return bytes && page >= base >> GPU_TLB_PAGE_SHIFT &&
           page <= (base + bytes - 1) >> GPU_TLB_PAGE_SHIFT;
}

enum gpu_access_counter gpu_kind_of_page(const struct gpu_compute_job *job, uint64_t page)
{
    if (overlaps_page(page, job->local_base, job->local_bytes))
        return GPU_COUNT_LOCAL_READ;
    if (overlaps_page(page, job->thread_base, job->thread_bytes * job->threads))
        return GPU_COUNT_THREAD_READ;
    return GPU_COUNT_GLOBAL_READ;
}
