/*
 * Internals of the shader debugger.
 *
 *     debug.c      the inspector: when a job stops, how it goes on
 *     points.c     breakpoints, and which of them a bundle or an access meets
 *     warps.c      warps and lanes of the stopped group
 *     registers.c  registers, temporaries, uniforms; memory
 *     evaluate.c   expressions
 *     list.c       code as text
 *     commands.c   text commands
 */
#ifndef RUNTIME_DEBUG_INTERNAL_H
#define RUNTIME_DEBUG_INTERNAL_H

#include "common/vec.h"
#include "runtime/debug/debug.h"
#include "runtime/gpu/shader/core.h"

/* What is said while no job has stopped. */
#define DEBUG_WAITS "the GPU waits for a job"

struct debug_point {
    unsigned number;
    struct gpu_debug_point p; /* its texts belong to the point */
    uint64_t hits;
    uint64_t met; /* number of the executed bundle in which it was last met */
};

struct debug_finding {
    struct gpu_debug_finding f;
    char *text;
};

struct gpu_debug {
    const struct gpu_isa *isa;
    char *kernel; /* the only one; NULL: `kernels` knows them */
    struct gpu_kernels *kernels;
    const char *(*name_of)(void *opaque, uint64_t hash);
    void *names;
    char hash[17]; /* of the running kernel, as text */
    struct gpu_debug_front front;
    struct gpu_inspector inspector;
    VEC(struct debug_point) points;
    VEC(struct debug_finding) findings;
    VEC(struct gpu_debug_register) registers;
    unsigned last_number;
    bool pause;        /* a stop is requested */
    bool stopped;      /* a job has stopped, and the front is served */
    uint64_t executed; /* bundles of rows */
    enum gpu_debug_motion motion;
    struct gpu_debug_stop stop;
    uint64_t motion_thread; /* the warp that moves */
    unsigned motion_lane;
    /* where the job is */
    struct gpu_inspected at;
    uint32_t jump; /* lanes of the row that go elsewhere */
    uint64_t jump_to;
    uint32_t *before; /* slots of the row before the bundle, for NaN */
    size_t before_words;
    uint32_t nan_read; /* lanes that have loaded a NaN in this bundle */
};

/* ---- points.c -------------------------------------------------------------------------------- */

/* Whether any point is of that kind. */
bool debug_has_kind(const struct gpu_debug *d, enum gpu_debug_kind kind);
/* The first point of the kind that any lane of `lanes`, of the running row, meets. *lane becomes
 * that lane. NULL: none. For accesses `a` is given. */
struct debug_point *debug_meet(struct gpu_debug *d, enum gpu_debug_kind kind, uint32_t lanes,
                               const struct gpu_inspected_access *a, unsigned *lane);
void debug_points_free(struct gpu_debug *d);
/* The finding that an access is; NULL: none. */
const struct debug_finding *debug_finding_of(struct gpu_debug *d,
                                             const struct gpu_inspected_access *a);

/* ---- warps.c --------------------------------------------------------------------------------- */

/* Whether the running kernel has this name, or this hash. */
bool debug_is_kernel(struct gpu_debug *d, const char *name);
/* The running job. */
const struct gpu_compute *debug_job(const struct gpu_debug *d);
/* Number of the warp, in its group, of a lane of the running row, and the lane in it. */
uint64_t debug_thread_of(const struct gpu_debug *d, unsigned row_lane, unsigned *lane);
/* The row of a warp, and its first lane in the row. NULL: it has ended. */
struct gpu_warp *debug_row(struct gpu_debug *d, const struct gpu_debug_warp *w, unsigned *first);

/* ---- registers.c ----------------------------------------------------------------------------- */

/* Fills `registers` from the ISA. Once. */
void debug_registers_make(struct gpu_debug *d);

/* ---- evaluate.c ------------------------------------------------------------------------------ */

/* Whether the text is an expression, by its form. */
bool debug_check_expression(const struct gpu_debug *d, const char *text, struct error *err);

#endif
