/*
 * The environment of generated handlers of lanes. `l` is the lane, `w` its warp, and `op` the
 * operation.
 */
#ifndef RUNTIME_GPU_LANE_H
#define RUNTIME_GPU_LANE_H

#include "common/arithmetic.h"
#include "runtime/gpu/isa.h"
#include "runtime/gpu/lane_memory.h"

/*
 * Handlers are compiled for several levels of the host's instruction set, each with
 * -DGPU_LEVEL=name. The decoder uses those of level gpu_lane_level().
 */
#if defined(__x86_64__)
#define GPU_LANE_LEVELS 2 /* base; v3: AVX2, FMA, F16C */
#else
#define GPU_LANE_LEVELS 1
#endif
#ifdef GPU_LEVEL
#define GPU_LEVEL_JOIN(name, level)       name##_##level
#define GPU_LEVEL_JOIN_VALUE(name, level) GPU_LEVEL_JOIN(name, level)
#define GPU_LEVEL_NAME(name)              GPU_LEVEL_JOIN_VALUE(name, GPU_LEVEL)
#endif

/* The highest level that this host has, below GPU_LANE_LEVELS. */
unsigned gpu_lane_level(void);

#define GPU_HANDLER_ARGS \
    struct gpu_warp *w __attribute__((unused)), const struct gpu_op *op __attribute__((unused))

/* The external functions that a unit calls, for evaluators of its behaviours. */
struct gpu_external {
    const char *name; /* NULL ends the table */
    void (*address)(void);
};

/* Calls the next operation of the bundle. */
#define GPU_NEXT(w, op)                                                                \
    do {                                                                               \
        const struct gpu_op *next_ = (const void *)((const char *)(op) + (op)->bytes); \
                                                                                       \
        if (!(op)->last)                                                               \
            next_->exec(w, next_);                                                     \
        return;                                                                        \
    } while (0)

/* Iterations of the following loop are independent, since a slot is read and written by the same
 * lane. */
#if defined(__clang__)
#define GPU_IVDEP _Pragma("clang loop vectorize(assume_safety)")
#else
#define GPU_IVDEP _Pragma("GCC unroll 1") _Pragma("GCC ivdep")
#endif

/* Sets the shape of a row: `lanes` lanes, which hold lanes / width warps of `width` lanes. */
static inline void gpu_warp_shape(struct gpu_warp *w, unsigned lanes, unsigned width)
{
    w->lanes = lanes;
    w->width = width;
    w->full = width == 32 ? UINT32_MAX : (UINT32_C(1) << width) - 1;
    w->reach = width > 1 || lanes < GPU_QUAD_LANES ? width : GPU_QUAD_LANES;
    for (unsigned l = 0; l < lanes; l++) {
        w->first[l] = l < lanes / width * width ? l / width * width : 0;
        w->near[l] = width > 1 ? w->first[l] : l / w->reach * w->reach;
    }
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* The words of all lanes at a byte offset of the state. */
#define GPU_SLOT(w, offset) ((uint32_t *)__builtin_assume_aligned((w)->state + (offset), 64))
/* The mask of active lanes, by the number of the description's registers. */
#define GPU_ACTIVE(w, registers) \
    GPU_SLOT(w, ((registers) + GPU_SLOT_ACTIVE) * sizeof(uint32_t) * (w)->lanes)
/* A register of one lane, by its slot. */
#define GPU_REGISTER(w, type, slot, lane) (((type *)(w)->state)[(slot) * (w)->lanes + (lane)])
#define GPU_BLEND(mask, yes, no)          (((yes) & (mask)) | ((no) & ~(mask)))

/* x if `flag` is 1, y if it is 0. */
static inline uint32_t gpu_pick32(uint32_t flag, uint32_t x, uint32_t y)
{
    return y ^ ((x ^ y) & -flag);
}
static inline uint64_t gpu_pick64(uint64_t flag, uint64_t x, uint64_t y)
{
    return y ^ ((x ^ y) & -flag);
}

/* Copies the words of all lanes, for reads of other lanes. */
static inline void gpu_copy_lanes(const struct gpu_warp *w, uint32_t *to, const uint32_t *slot)
{
    for (unsigned base = 0; base < w->lanes; base += GPU_LANE_CHUNK)
        memcpy(to + base, slot + base, GPU_LANE_CHUNK * sizeof(*to));
}

/* The value of lane number `which` of the lane's warp; 0 if there is no such lane. */
static inline uint32_t gpu_lane_value(const struct gpu_warp *w, const uint32_t *lanes, size_t lane,
                                      uint32_t which)
{
    return which < w->reach ? lanes[w->near[lane] + which] : 0;
}

/* The active lanes of the lane's warp, the warp's first one at bit 0. */
static inline uint32_t gpu_active_lanes(const struct gpu_warp *w, size_t lane)
{
    return w->active >> w->first[lane] & w->full;
}

/* The lane's number in its warp, or, if threads are scalar, in its quad. */
static inline uint32_t gpu_lane_id(const struct gpu_warp *w, size_t lane)
{
    return (uint32_t)lane - w->near[lane];
}

/* Register `k` of the operation's `registers` staging registers; NULL if k >= registers. */
static inline uint32_t *gpu_staging(struct gpu_warp *w, const struct gpu_op *op, unsigned registers,
                                    unsigned k, unsigned lane)
{
    size_t row = sizeof(uint32_t) * w->lanes, at = op->staging + row * k;

    return at < row * registers ? (uint32_t *)(void *)(w->state + at) + lane : NULL;
}

/* Copies staging register `k` of all lanes, for reads of other lanes; 0 if k >= registers. */
static inline void gpu_copy_staging(struct gpu_warp *w, uint32_t *to, const struct gpu_op *op,
                                    unsigned registers, unsigned k)
{
    const uint32_t *slot = gpu_staging(w, op, registers, k, 0);

    if (slot)
        gpu_copy_lanes(w, to, slot);
    else
        memset(to, 0, w->lanes * sizeof(*to));
}

static inline uint32_t gpu_staging_read(struct gpu_warp *w, const struct gpu_op *op,
                                        unsigned registers, unsigned k, unsigned lane)
{
    const uint32_t *p = gpu_staging(w, op, registers, k, lane);

    return p ? *p : 0;
}

static inline void gpu_staging_write(struct gpu_warp *w, const struct gpu_op *op,
                                     unsigned registers, unsigned k, unsigned lane, uint32_t v)
{
    uint32_t *p = gpu_staging(w, op, registers, k, lane);

    if (p)
        *p = v;
}

/* Writes register `number` of `registers`. No effect if number >= registers. */
static inline void gpu_register_write(struct gpu_warp *w, unsigned registers, unsigned number,
                                      unsigned lane, uint32_t v)
{
    if (number < registers)
        GPU_SLOT(w, sizeof(uint32_t) * w->lanes * number)[lane] = v;
}

/* ---- what happens at the end of the bundle --------------------------------------------------- */

/* Reports behaviour that is not modelled: the warp stops, and the log names `op`. Only the first
 * report counts. `detail` (a constant text) names the unsupported part; NULL: all of it. */
static inline void gpu_refuse(struct gpu_warp *w, const struct gpu_op *op, const char *detail)
{
    if (w->faulted)
        return;
    w->faulted = GPU_FAULT_UNIMPLEMENTED;
    w->refused = op;
    w->refused_detail = detail;
}

static inline void gpu_branch(struct gpu_warp *w, unsigned lane, uint64_t target)
{
    w->target[lane] = target;
    w->branched |= UINT32_C(1) << lane;
}

static inline void gpu_end_lane(struct gpu_warp *w, unsigned lane)
{
    w->ended |= UINT32_C(1) << lane;
}

static inline void gpu_barrier(struct gpu_warp *w)
{
    w->wait = GPU_WARP_BARRIER;
}

#endif
