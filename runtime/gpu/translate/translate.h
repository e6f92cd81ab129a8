/*
 * Shaders as host code: what the cores run in place of bundles that they execute often.
 */
#ifndef RUNTIME_GPU_TRANSLATE_TRANSLATE_H
#define RUNTIME_GPU_TRANSLATE_TRANSLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/gpu/isa.h"
#include "runtime/gpu/stats.h"

struct gpu_code;
struct gpu_decoder;
struct gpu_shader;
struct gpu_translator;
struct gpu_warp;

enum {
    GPU_TRACE_MAX = 256, /* bundles */
    GPU_TRACES = 4,      /* that begin with one bundle */
    GPU_TRACE_SIDES = 64,
};

/*
 * Bundles that follow each other, as one host function. It runs them for the active lanes of a row, which all are
 * at the first, from beginning to end, again and again if the trace is a loop, until lanes go another way, an access faults,
 * or `rounds` (at least 1) are done. The row is then as after the operations of the bundle that was the last:
 * what is to happen at its end (branched, target, ended, faulted, wait) is not yet done.
 *
 * Where lanes of the row part in the trace, each side of theirs that some take adds to the worker's counts (gpu_worker.sides).
 *
 * Gives the number of that bundle in bits 13:0, how it was left in 15:14, and from 16 on how many rounds were complete before the
 * round it is in.
 */
enum {
    GPU_TRACE_LAST = 0x3fff,
    GPU_TRACE_ENDED = 0x4000, /* all lanes that live have ended, in bundles of sides */
    GPU_TRACE_SETTLED =
        0x8000, /* where each lane goes on is known (pc), and which live: nothing is to be done any more */
};
typedef uint64_t gpu_trace_fn(struct gpu_warp *w, uint64_t rounds);

/*
 * Rows of one work-group that begin, one after the other, each with all its lanes, in a function of their own: a trace that is
 * the whole way of threads, which knows what they find in registers. Rows do not stand in memory but the one that does
 * not end with the trace: it is then as after gpu_trace_fn, which also says what is returned. `through` says how many did end.
 */
struct gpu_row_range {
    uint64_t first; /* thread of the group, of the first row */
    uint64_t count, through;
    const uint32_t *const *place; /* struct gpu_places */
    const uint32_t *origin;       /* struct gpu_group */
};
typedef uint64_t gpu_rows_fn(struct gpu_warp *w, struct gpu_row_range *r);

/* What such a function is made for. */
struct gpu_rows_shape {
    uint32_t preload; /* what threads find in registers: gpu_compute_job */
    bool in_line;     /* a row's threads differ in their first place alone, which counts up */
};

/* What a bundle's accesses count as (enum gpu_access_counter), or most likely do. */
struct gpu_bundle_kinds {
    uint8_t read, write;
};

/* Of a bundle. */
struct gpu_trace_cost {
    uint32_t index, cycles; /* of the bundle in its shader; that it takes */
    uint32_t
        side; /* of lanes that have parted, from 1 on, that it belongs to; 0: all lanes execute it */
    uint32_t bundles_to, cycles_to; /* of those up to it that all lanes execute */
    /* Of a lane, by enum gpu_access_counter. */
    uint8_t accesses[GPU_ACCESS_COUNTERS];
    struct gpu_bundle_kinds kinds;
};

/* Of the bundles of a side. */
struct gpu_side_cost {
    uint32_t bundles, cycles;
};

struct gpu_trace {
    gpu_trace_fn *run;
    unsigned count;
    bool loops;       /* the first bundle follows the last */
    bool *parts;      /* by bundle: behind it lanes go different ways in the trace; NULL: nowhere */
    unsigned sides;   /* of such lanes */
    bool ends_unused; /* nothing is written to registers where all lanes of a row end */
    bool written_known; /* else more of them may be, as struct gpu_warp has them */
    uint64_t written[GPU_WRITTEN_WORDS];
    uint32_t pool;   /* words of the pool that it needs */
    uint64_t behind; /* no bundle but the last goes on at this address, or behind it */
    struct gpu_code **codes;
    struct gpu_trace_cost *costs; /* of the bundles, side by side */
    struct gpu_side_cost side_costs[GPU_TRACE_SIDES];
    unsigned place; /* in gpu_worker.passes, of so many as there are bundles and sides */
    struct gpu_translator *owner;
    void *engine, *context; /* LLVM's */
    uint16_t *
        notes; /* by bundle: what it notes of its accesses in a round; NULL: they are not observed */
    size_t note_bytes; /* of all, in a round */
    void **copies;     /* of operations that handlers do */
    unsigned copy_count;
    /* From here on what changes while others run it, or belongs to gpu_trace_add_rows(). */
    struct gpu_trace *other; /* that begins with the same bundle and was made later; NULL: none */
    bool retired; /* it is not to be run, since another is to be made, for rows that part */
    /* Rows that parted in it lately, where it has no sides, and how many its worker had begun before the first of them. */
    uint32_t parted;
    uint64_t parted_since;
    gpu_rows_fn *rows; /* gpu_trace_add_rows(); NULL: not made */
    struct gpu_rows_shape shape;
    uint32_t rows_run; /* rows that ended with it, until that is made or tried */
    bool rows_tried;
    void *rows_engine, *rows_context;
    unsigned held; /* of the translator's room */
};

/* Bundles that a row executed one after the other, until all its lanes had. */
struct gpu_recording {
    struct gpu_code *codes[GPU_TRACE_MAX];
    bool parts[GPU_TRACE_MAX]; /* as those of a trace */
    struct gpu_bundle_kinds kinds[GPU_TRACE_MAX];
    uint64_t accesses[GPU_ACCESS_COUNTERS]; /* the worker's, before the last of them */
    unsigned count;                         /* 0: nothing is being recorded */
    unsigned
        apart;   /* so many until the row parted, which is not together again; 0: it is together */
    bool parted; /* it did */
    uint32_t lanes; /* that are to be together again */
};

/* NULL: this program has none. */
struct gpu_translator *gpu_translator_new(void);
/* After all of its traces. */
void gpu_translator_free(struct gpu_translator *t);
/* Room for the host code of all traces: what has none stays interpreted. Default GPU_HOST_CODE; NULL is allowed. */
void gpu_translator_set_room(struct gpu_translator *t, unsigned room);
unsigned gpu_translator_room(const struct gpu_translator *t);

/*
 * Makes a trace of bundles of a shader, whose lock is held. NULL: it cannot be made, or there is no translator.
 * Several threads may call it.
 */
struct gpu_trace *gpu_trace_new(struct gpu_translator *t, const struct gpu_decoder *decoder,
                                struct gpu_shader *shader, const struct gpu_recording *r,
                                bool loops);
/* Makes the function for rows of that shape, if it can be made; under the shader's lock. */
void gpu_trace_add_rows(struct gpu_trace *trace, const struct gpu_decoder *decoder,
                        struct gpu_shader *shader, const struct gpu_rows_shape *shape);
/* With the others that begin where it does, before its bundles; NULL is allowed. */
void gpu_trace_free(struct gpu_trace *trace);

#endif
