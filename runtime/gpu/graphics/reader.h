/* Helpers to read graphics descriptors from GPU memory. */
#ifndef RUNTIME_GPU_GRAPHICS_READER_H
#define RUNTIME_GPU_GRAPHICS_READER_H

#include "runtime/base/bits.h"
#include "runtime/gpu/compute.h"

/* Arguments that all readers share. */
struct gfx_reader {
    unsigned version; /* architecture version of the layouts */
    const struct gpu_address_space *as;
    struct gpu_outcome *out;
    const struct gpu_variant *variant; /* NULL where only layouts matter */
};

/* Fails the job: the descriptor at `address` is invalid. Returns false. */
static inline bool gfx_invalid(struct gfx_reader *r, uint64_t address)
{
    *r->out = (struct gpu_outcome){
        .progress = GPU_PROGRESS_FAILED, .code = GPU_JOB_CONFIG_FAULT, .address = address};
    return false;
}

/* Fails the job, since `what` is not modelled. Returns false. */
static inline bool gfx_refuse(struct gfx_reader *r, const char *what, uint64_t address)
{
    *r->out = (struct gpu_outcome){.progress = GPU_PROGRESS_FAILED,
                                   .code = GPU_JOB_UNIMPLEMENTED,
                                   .address = address,
                                   .refused = what};
    return false;
}

/* Copies `bytes` bytes from GPU address `address`. false: *r->out has the page that is not
 * mapped. */
static inline bool gfx_fetch(struct gfx_reader *r, uint64_t address, void *to, size_t bytes)
{
    if (gpu_memory_read(r->as, address, to, bytes, &r->out->fault))
        return true;
    r->out->progress = GPU_PROGRESS_FAULT;
    return false;
}

/* Stores a 64-bit GPU address to the 8 bytes at `raw`. */
static inline void gfx_put_pointer(uint8_t *raw, uint64_t pointer)
{
    le_put(raw, 8, pointer);
}

/* Fetches and unpacks the descriptor `name` at `address` into *to. false: (r)->out has the
 * reason. */
#define GFX_READ(r, name, NAME, address, to)                                         \
    ({                                                                               \
        uint8_t raw_[MALI_##NAME##_BYTES];                                           \
        bool good_ = gfx_fetch(r, address, raw_, mali_##name##_bytes((r)->version)); \
                                                                                     \
        if (good_ && mali_##name##_unpack((r)->version, raw_, to))                   \
            good_ = gfx_invalid(r, address);                                         \
        good_;                                                                       \
    })

#endif
