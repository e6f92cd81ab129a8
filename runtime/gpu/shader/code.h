/* Decoded shaders: bundles as lists of operations. shader.c keeps them, decode.c makes them, and
 * warp.c and the translator of traces read them. */
#ifndef RUNTIME_GPU_SHADER_CODE_H
#define RUNTIME_GPU_SHADER_CODE_H

#include <pthread.h>

#include "runtime/gpu/compute.h"
#include "runtime/gpu/isa.h"
#include "runtime/gpu/lane.h"
#include "runtime/gpu/stats.h"
#include "runtime/gpu/variant.h"

struct gpu_trace;

enum {
    GPU_POOL_SLOTS = 384, /* constants and uniforms with a slot of their own, per shader */
    GPU_SPILL_SLOTS = 24, /* slots that a bundle fills itself when the pool is full */
    GPU_CODE_BUCKETS = 256,
    GPU_MAX_BUNDLES = 32768,                /* decoded bundles per shader */
    GPU_MAX_PLACES = 1 << 17,               /* bundles and sides in the traces of a shader */
    GPU_MAX_SHADERS = 64,                   /* cached shaders */
    GPU_KEPT_BUNDLES = 2 * GPU_MAX_BUNDLES, /* decoded bundles of all shaders kept for later jobs */
    GPU_MAX_REGISTERS = 256,
    /* Bound of the host code of all traces of the cores, in bundles of about 5 KB. A function
     * counts as GPU_FUNCTION_CODE bundles in addition. Shaders kept for later jobs hold at most
     * half of it. */
    GPU_HOST_CODE = 1 << 17,
    GPU_FUNCTION_CODE = 100,
};

/* A word of the pool: a constant, or a push uniform by its index. */
struct gpu_pool_word {
    bool uniform;
    uint32_t value;
};

/* How often rows diverge behind a bundle. Traces assume no divergence until it is frequent. */
enum gpu_divergence { GPU_DIVERGENCE_RARE, GPU_DIVERGENCE_FREQUENT, GPU_DIVERGENCE_PERMANENT };

/* A decoded bundle. It lives as long as its shader and is constant, except for links and counts. */
struct gpu_code {
    uint64_t address;
    uint64_t next;                 /* address of the bundle that follows in memory */
    struct gpu_code *following;    /* decoded bundle at `next`; NULL: not looked up yet */
    struct gpu_code *taken_target; /* last target of its branch; NULL: not taken yet */
    struct gpu_code *bucket;       /* next in the hash bucket */
    struct gpu_code *older;        /* the bundle decoded before it; NULL: it was the first */
    uint32_t index;                /* number in the shader, in order of decoding */
    uint32_t flags;                /* enum gpu_bundle_flag */
    uint32_t pool;                 /* number of pool words that it needs */
    uint32_t cycles;
    uint32_t bytes;          /* size in memory */
    uint32_t heat;           /* executions outside traces; set to 0 when the bundle becomes hot */
    struct gpu_trace *trace; /* first of the list of traces that begin here; NULL: none */
    uint32_t traces;         /* length of the list; GPU_TRACES: no more are made */
    /* Recordings from here that were given up because their row diverged, did not diverge where
     * rows should, or had few active lanes. */
    uint32_t diverged, undiverged, thin;
    uint8_t divergence; /* enum gpu_divergence: divergence behind the bundle */
    struct gpu_profile profile;
    /* GPU feature that is missing, so that the bundle is invalid; NULL: none */
    const char *missing;
    /* Numbers of the bundle's instructions (mix.h), and a copy of its machine code. Both are stored
     * behind the operations. */
    uint16_t *words;
    uint32_t word_count;
    uint32_t ends; /* instructions that end the lanes that take them */
    uint8_t *raw;
    _Alignas(8) struct gpu_op ops[];
};

struct gpu_shader {
    uint64_t address;
    const struct gpu_address_space *as;
    /* uniform words of its jobs if the places of sources depend on it; else 0 */
    uint32_t uniforms;
    uint64_t used;        /* number of the last job that used the shader */
    unsigned users;       /* jobs that run it now */
    unsigned jobs;        /* jobs that have begun with it */
    bool has_waited_turn; /* a group of its jobs has waited for its turn */
    bool dropped;         /* removed from the cache: the last user frees it */
    pthread_mutex_t lock; /* held while decoding */
    struct gpu_code *bucket[GPU_CODE_BUCKETS];
    struct gpu_code *newest; /* the bundle decoded last, from which `older` leads to all others */
    struct gpu_code **codes; /* bundles by index */
    unsigned code_count, code_capacity;
    unsigned pass_count; /* elements that its traces have in gpu_worker.passes */
    /* A loop with a function for rows abreast, which is worth while; NULL: there is none. Tries to
     * use it. */
    struct gpu_trace *abreast;
    uint32_t abreast_gained, abreast_missed;
    unsigned host_code; /* host code of its traces, in the unit of GPU_HOST_CODE */
    struct gpu_pool_word pool[GPU_POOL_SLOTS];
    unsigned pool_count;
    struct gpu_shader_summary summary;
    bool summarised; /* the summary was tried, successfully or not */
    /* Number of its bundles if lanes only go forward, without barriers; UINT64_MAX: they may not;
     * 0: not looked at yet (short.c). It holds as long as the decoded bundles are those of
     * memory. */
    uint64_t forward_bundles;
};

/* Bit of gpu_decoder.classes beside the class: the form waits for the other warps of its group. */
enum { GPU_CLASS_IS_BARRIER = 0x80 };

/* Properties of the cores on which decoding depends. */
struct gpu_decoder {
    const struct gpu_isa *isa;
    const struct gpu_variant *variant;
    unsigned lanes;      /* lanes per row */
    unsigned width;      /* lanes per warp */
    unsigned row;        /* threads per row: the lanes of whole warps */
    bool scalar;         /* threads are scalar: a row is counted as one warp */
    unsigned pool_slots; /* pool slots per shader; fewer where warps are wide */
    unsigned bundle_cycles, stage_cycles;
    bool observed; /* host code logs its accesses in gpu_access_log */
    bool flow;     /* host code counts the ways of divergent lanes in gpu_host_context.ways */
    uint32_t traits;
    uint8_t *classes[GPU_MAX_UNITS];     /* enum gpu_form_class, by unit and form; with
                                            GPU_CLASS_IS_BARRIER */
    uint16_t form_base[GPU_MAX_UNITS];   /* number of each unit's first form (mix.h) */
    uint32_t preload[GPU_PRELOAD_COUNT]; /* first register, by enum gpu_preload */
};

/*
 * Decodes the bundle that begins with the `available` bytes at `code`. Its pool words are added to
 * those of `shader`. An invalid bundle becomes one that faults, and *valid false. NULL: out of
 * memory.
 */
struct gpu_code *gpu_decode_bundle(const struct gpu_decoder *d, struct gpu_shader *shader,
                                   const uint8_t *code, size_t available, uint64_t address,
                                   bool *valid);

/* The shader at `address`, from the cache or without bundles, for a job with `uniforms` words of
 * uniforms. The job releases it with gpu_shader_put(). */
struct gpu_shader *gpu_shader_get(struct gpu_cores *c, const struct gpu_address_space *as,
                                  uint64_t address, uint32_t uniforms);
void gpu_shader_put(struct gpu_shader *s);
/* Whether every decoded bundle equals its bytes in memory. */
bool gpu_shader_is_fresh(const struct gpu_shader *s, const struct gpu_address_space *as);
/* Removes a shader from the cache. NULL is allowed. */
void gpu_shader_drop(struct gpu_shader *s);

/* Adds a bundle. The caller holds the shader's lock. */
void gpu_shader_insert(struct gpu_shader *s, struct gpu_code *c);

/* Copies code from memory and returns the number of bytes read. If it is less than `bytes`, *fault
 * (may be NULL) says why. */
size_t gpu_code_read(const struct gpu_address_space *as, uint64_t va, uint8_t *out, size_t bytes,
                     struct gpu_fault *fault);

/* Determines the size and contents of a shader in memory, for reports. */
void gpu_shader_summarise(const struct gpu_decoder *d, const struct gpu_address_space *as,
                          struct gpu_shader *s);

/* The decoded bundle at `address`; NULL: not decoded. */
struct gpu_code *gpu_shader_find(const struct gpu_shader *s, uint64_t address);

/* Byte offset of a word slot in a warp's state. */
static inline uint16_t gpu_slot_offset(unsigned lanes, unsigned slot)
{
    return (uint16_t)(slot * lanes * 4);
}

static inline uint32_t *gpu_slot(struct gpu_warp *w, unsigned slot)
{
    return (uint32_t *)(void *)(w->state + slot * w->lanes * 4);
}

#endif
