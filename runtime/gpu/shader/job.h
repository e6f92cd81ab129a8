/* A compute job as its descriptors describe it (compute.c), and positions of its threads
 * (start.c). */
#ifndef RUNTIME_GPU_SHADER_JOB_H
#define RUNTIME_GPU_SHADER_JOB_H

#include "runtime/gpu/compute.h"
#include "runtime/gpu/isa.h"
#include "runtime/gpu/stats.h"
#include "runtime/gpu/texture/texture.h"
#include "runtime/gpu/variant.h"

struct gpu_decoder;

enum { GPU_UNIFORM_WORDS = 256 };

struct gpu_uniform_block {
    uint64_t address, bytes;
};

/* An attribute with the buffer that it names. Compute shaders use attributes for images. */
struct gpu_attribute {
    uint32_t format;
    int64_t offset;
    bool from_start;  /* elements are numbered from the draw's offset_start on */
    uint64_t address; /* address of the buffer */
    uint64_t bytes;
    uint32_t stride;
    uint32_t type; /* enum mali_attribute_type */
    /* how the element number follows from the instance */
    uint32_t divisor, divisor_shift, divisor_extra;
    uint32_t size[3]; /* width, height and depth of an image */
    uint32_t row_stride, slice_stride;
    bool image;
};

/* The kind of a job's threads. */
enum gpu_job_stage {
    GPU_STAGE_COMPUTE,
    GPU_STAGE_VERTEX,
    GPU_STAGE_VARYING, /* the second shader of vertices */
    GPU_STAGE_FRAGMENT,
};

/* A job on the cores, or a shader of a graphics job, as descriptors describe it. Every number is
 * checked. */
struct gpu_compute_job {
    enum gpu_job_stage stage;
    uint64_t header; /* address of the job header; of a shader of graphics: of its draw */
    uint64_t shader_address;
    uint32_t size[3]; /* threads per work-group, by dimension */
    uint32_t groups[3];
    uint32_t threads; /* threads per work-group */
    uint64_t group_total;
    uint32_t preload;   /* bit p: value p of enum gpu_preload is preloaded */
    uint32_t registers; /* work registers that a thread gets; 0: all */
    uint32_t uniform_words;
    uint32_t uniform[GPU_UNIFORM_WORDS];
    struct gpu_uniform_block *blocks;
    unsigned block_count;
    struct gpu_attribute *attributes;
    unsigned attribute_count;
    struct gpu_attribute *varyings;
    unsigned varying_count;
    uint32_t padded;       /* rows per instance in the vertex buffers; 0: no vertices, or one */
    uint32_t offset_start; /* first element of attributes with `from_start` */
    struct gpu_textures textures;
    uint64_t local_base, local_bytes;   /* local memory of a work-group */
    uint64_t thread_base, thread_bytes; /* private memory of a thread */
};

/* Positions of threads in their work-group: by axis, packed x and y, or number of the warp. Each is
 * a table by thread, padded at its end by the lanes of one row. */
enum gpu_place { GPU_PLACE_X, GPU_PLACE_Y, GPU_PLACE_Z, GPU_PLACE_XY, GPU_PLACE_WARP, GPU_PLACES };
/* Values of a work-group that are added to positions. */
enum gpu_base { GPU_BASE_X, GPU_BASE_Y, GPU_BASE_Z, GPU_BASE_NONE, GPU_BASES };
/* A preloaded value that depends on the thread's position or work-group. */
struct gpu_preload_source {
    bool exists;
    enum gpu_place place;
    enum gpu_base base;
};
/* The description of a preloaded value (enum gpu_preload); NULL: it depends on neither position nor
 * work-group. */
const struct gpu_preload_source *gpu_preload_source_of(unsigned what);
/* Registers of a job that are preloaded with positions or numbers of work-groups. */
struct gpu_preloaded {
    uint32_t number;
    enum gpu_base base;
    const uint32_t *place; /* position by thread */
};
enum { GPU_PRELOADED_MAX = 5 };
struct gpu_places {
    uint32_t *table[GPU_PLACES];
    struct gpu_preloaded preloaded[GPU_PRELOADED_MAX];
    unsigned preloaded_count;
};

void gpu_places_make(struct gpu_places *p, const struct gpu_decoder *d,
                     const struct gpu_compute_job *job);
void gpu_places_release(struct gpu_places *p);

/* Reads and checks the descriptors of a job. false: *out has the reason and is complete. */
bool gpu_compute_read(const struct gpu_variant *variant, const struct gpu_address_space *as,
                      uint64_t header, struct gpu_compute_job *job, struct gpu_outcome *out);
void gpu_compute_job_release(struct gpu_compute_job *job);

struct mali_draw;
struct mali_invocation;
struct mali_renderer_state;
/* Unpacks the threads per work-group and the work-groups of an invocation, by dimension. false: the
 * invocation is invalid. */
bool gpu_invocation_sizes(const struct mali_invocation *in, uint32_t size[3], uint32_t groups[3]);
/* Reads the descriptors that a draw's shader of job->stage uses into *job and *state. The caller
 * sets the sizes of *job, and releases it in any case. false: *out has the reason. */
bool gpu_stage_read(const struct gpu_variant *variant, const struct gpu_address_space *as,
                    const struct mali_draw *draw, struct gpu_compute_job *job,
                    struct mali_renderer_state *state, struct gpu_outcome *out);

/* The kind of a page as the first of its two counters (reads, writes). */
enum gpu_access_counter gpu_kind_of_page(const struct gpu_compute_job *job, uint64_t page);

#endif
