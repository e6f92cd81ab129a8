/* Shaders as host code, which the cores run in place of frequently executed bundles. */
#ifndef RUNTIME_GPU_TRANSLATE_TRANSLATE_H
#define RUNTIME_GPU_TRANSLATE_TRANSLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"
#include "runtime/gpu/compute.h"
#include "runtime/gpu/isa.h"
#include "runtime/gpu/stats.h"

struct gpu_code;
struct gpu_decoder;
struct gpu_shader;
struct gpu_translator;
struct gpu_warp;

enum {
    GPU_TRACE_MAX = 256, /* most bundles per trace */
    GPU_TRACES = 4,      /* most traces that begin with one bundle */
    GPU_TRACE_SIDES = 64,
    GPU_TRACE_BARRIERS = 8, /* most barriers in a trace */
    GPU_TRACE_KEPT = 128,   /* most registers that a trace keeps at its barriers */
    GPU_TRACE_FORKS = 4,    /* most branches behind which a trace has both ways */
    GPU_TRACE_WAYS = 256,   /* most counts of ways in a trace, for accounts of jobs */
    GPU_PATTERN_LANES = 3,  /* fewer active lanes say nothing about patterns of other rows */
    GPU_PATTERNS = 128,     /* most registers with a pattern per recording */
    GPU_ABREAST_LANES = 64, /* most lanes of all rows that a loop runs at once */
    GPU_ABREAST_ROWS = 4,
};

/*
 * A trace of consecutive bundles as one host function. It runs them for the active lanes of a row,
 * which start together, and repeats them if the trace is a loop. It ends when lanes leave the
 * recorded path, when an access faults, or after `rounds` (at least 1) rounds. The row is then as
 * after the operations of the last bundle: what is to happen at that bundle's end (branched,
 * target, ended, faulted, wait) is not done yet.
 *
 * If lanes of the row diverge in the trace, each side that some of them take adds to the worker's
 * counts (gpu_worker.sides), and so does each way if ways are counted (gpu_host_context.ways).
 *
 * `links` are the trace's: host code that is kept for other runs has no addresses of this one.
 *
 * Returns the number of the last bundle in bits 13:0, the kind of exit in bits 15:14, and from bit
 * 16 on the number of complete rounds before the current one.
 */
enum {
    GPU_TRACE_LAST = 0x3fff,
    GPU_TRACE_ENDED = 0x4000, /* all live lanes have ended, in bundles of sides */
    /* the next address of each lane (pc) and the live lanes are stored: nothing is left to do at
     * the bundle's end */
    GPU_TRACE_SETTLED = 0x8000,
};
typedef uint64_t gpu_trace_fn(struct gpu_warp *w, uint64_t rounds, const uint64_t *links);

/*
 * Runs rows of one work-group that begin, one after the other, each with all its lanes. The trace
 * is the whole path of their threads, and the function computes their initial registers itself.
 * Only a row that leaves the trace early is stored in memory. It is then as after gpu_trace_fn,
 * whose return value is returned. `rows_ended` counts the rows that ended with the trace.
 */
struct gpu_row_range {
    uint64_t first; /* thread of the group with which the first row begins */
    uint64_t count, rows_ended;
    const uint32_t *const *place; /* struct gpu_places */
    const uint32_t *origin;       /* struct gpu_group */
    /* Of a trace through barriers: its registers that are kept there (gpu_kept_register()), the
     * bytes from row to row, and the number of barriers that the row which left it early had
     * passed. */
    uint8_t *kept;
    uint64_t kept_pitch;
    const struct gpu_trace *path;
    uint64_t passed;
    struct gpu_warp *const *warp; /* of functions for rows in memory: the rows */
    /* Of a trace with forks: the rows that ended with each of its paths. */
    uint64_t by_path[GPU_TRACE_FORKS + 1];
    uint64_t came_to; /* number of the place to which they came (gpu_trace.place_of) */
};
typedef uint64_t gpu_rows_fn(struct gpu_warp *w, struct gpu_row_range *r, const uint64_t *links);

/*
 * Runs up to `rounds` rounds of a loop for several rows (gpu_trace.abreast_rows) at once, each with
 * all its lanes. Returns the number of rounds, after each of which all lanes have gone on in the
 * loop. The rows are then as at its head.
 */
typedef uint64_t gpu_abreast_fn(struct gpu_warp *const *rows, uint64_t rounds,
                                const uint64_t *links);

/* How the words of a register are kept at a barrier: all of them, or the first lane's alone, from
 * which they grow by `step` from lane to lane. */
struct gpu_kept_form {
    bool is_first;
    uint32_t step;
};

/* A register whose words grow by `step` from active lane to active lane where a loop begins; 0:
 * they are the same. */
struct gpu_pattern {
    uint16_t slot;
    uint32_t step;
};

/* The jobs for which a function for rows is valid. */
struct gpu_rows_shape {
    uint32_t preload; /* preloaded values, as in gpu_compute_job */
    bool in_line;     /* the threads of a row differ in x only, which grows by 1 */
    bool in_memory;   /* the rows have registers in memory (gpu_trace_add_phase()): all jobs */
    unsigned abreast; /* rows that run at once (gpu_trace_add_abreast()); 0: one after the other */
};

/* The bundles of a trace from `at` on follow bundle `behind` in rows that go the other way there.
 */
struct gpu_trace_fork {
    uint16_t at, behind;
};

/* The actual or most likely kind (enum gpu_access_counter) of a bundle's accesses. */
struct gpu_bundle_kinds {
    uint8_t read, write;
};

/* The cost of a bundle. */
struct gpu_trace_cost {
    uint32_t index, cycles; /* index of the bundle in its shader; its cycles */
    uint32_t side;          /* number of its side, from 1; 0: all lanes execute the bundle */
    /* sums up to this bundle over the bundles that all lanes execute */
    uint32_t bundles_to, cycles_to;
    /* Accesses per lane, by enum gpu_access_counter. */
    uint8_t accesses[GPU_ACCESS_COUNTERS];
    struct gpu_bundle_kinds kinds;
};

/* The cost of all bundles of a side. */
struct gpu_side_cost {
    uint32_t bundles, cycles;
};

/* What is counted for a way behind a bundle at which lanes may diverge. */
enum gpu_way_kind {
    GPU_WAY_ALL,       /* all lanes of the bundle */
    GPU_WAY_TO,        /* lanes that continue at `to` */
    GPU_WAY_DIVERGENT, /* warps with lanes on both of the two ways counted before */
};
struct gpu_trace_way {
    uint64_t to;
    uint16_t bundle; /* number in the trace */
    uint8_t kind;    /* enum gpu_way_kind */
};

struct gpu_trace {
    gpu_trace_fn *run;
    unsigned count;
    bool loops; /* the first bundle follows the last */
    /* In a loop with divergence: lanes leave it one after the other. They end, or wait behind all
     * its bundles until no lanes are left in it. */
    bool lanes_leave;
    /* by bundle: a divergence behind it is part of the trace; NULL: there is none */
    bool *diverges;
    unsigned sides;             /* number of sides */
    unsigned counters;          /* sides and ways */
    struct gpu_trace_way *ways; /* ways behind divergences; NULL: not counted */
    unsigned way_count;
    bool *has_ways;        /* by bundle: its ways are among `ways`; NULL: not counted */
    bool waits;            /* the last bundle is a barrier */
    bool is_plain;         /* its bundles have no other effects than registers and branches */
    unsigned carried;      /* registers that a round of a loop reads from before it and writes */
    bool ends_unused;      /* no registers are written on paths on which all lanes of a row end */
    bool written_complete; /* the list of written registers is complete */
    uint64_t written[GPU_WRITTEN_WORDS];
    /* Of a loop: it may be entered by rows whose registers have these patterns. */
    struct gpu_pattern *patterns;
    unsigned pattern_count;
    uint32_t pool;        /* words of the pool that the trace needs */
    uint64_t end_address; /* no bundle but the last continues at this address or above */
    struct gpu_code **codes;
    struct gpu_trace_cost *costs; /* by bundle */
    struct gpu_side_cost side_costs[GPU_TRACE_SIDES];
    /* first element in gpu_worker.passes; the trace has one per bundle, side and way */
    unsigned place;
    struct gpu_translator *owner;
    void *engine;          /* LLVM's object with the code of `run` */
    uint64_t *links;       /* addresses of functions and operations that the code uses */
    uint16_t *note_counts; /* by bundle: notes of its accesses per round; NULL: not observed */
    size_t note_bytes;     /* bytes of all notes per round */
    void **copies;         /* copies of operations that handlers execute */
    unsigned copy_count;
    /* The trace is the whole path of rows through barriers (gpu_trace_new_through()): the bundles
     * of the barriers; slots whose words are kept from one barrier to the next, and how many of
     * them are in use behind each barrier. */
    bool crosses;
    unsigned barriers;
    uint16_t barrier_at[GPU_TRACE_BARRIERS], kept_behind[GPU_TRACE_BARRIERS];
    uint16_t kept[GPU_TRACE_KEPT];
    unsigned kept_count;
    /* GPU_TRACE_KEPT of them per barrier, of the registers in use behind it; NULL: no barriers */
    struct gpu_kept_form *kept_form;
    /* Rows may go by several paths (gpu_trace_new_wide()), and no path is a part of another: the
     * first one, and one more from each fork on. Rows that end with paths of one place are at one
     * bundle, or have ended. */
    struct gpu_trace_fork fork[GPU_TRACE_FORKS];
    unsigned forks;
    bool path_waits[GPU_TRACE_FORKS + 1]; /* by path: it ends with a barrier; else with the rows */
    uint8_t place_of[GPU_TRACE_FORKS + 1];
    bool has_places; /* not all paths have one place */
    /* Members from here on change while other threads run the trace, or belong to
     * gpu_trace_add_rows(). */
    struct gpu_trace *next_trace; /* the trace made next from the same bundle on; NULL: none */
    bool retired;                 /* not to be run, since another trace is to replace it */
    gpu_rows_fn *rows;            /* gpu_trace_add_rows(); NULL: not made */
    struct gpu_rows_shape shape;
    uint32_t rows_run; /* rows that ended with the trace, counted until `rows` is made or failed */
    bool rows_tried;
    void *rows_engine;
    uint64_t *rows_links;
    /* The path of rows that begin with this trace and end behind barriers; NULL: not made. */
    struct gpu_trace *through;
    bool through_tried;
    unsigned tries;       /* to make it */
    uint32_t rows_waited; /* rows that came to the barrier, counted until `through_tried` */
    gpu_rows_fn *phase;   /* gpu_trace_add_phase(); NULL: not made */
    uint32_t phase_run;   /* rows of phases, counted until `phase` is made or failed */
    bool phase_tried;
    void *phase_engine;
    uint64_t *phase_links;
    gpu_abreast_fn *abreast; /* gpu_trace_add_abreast(); NULL: not made */
    unsigned abreast_rows;
    uint32_t long_runs;  /* runs of many rounds, counted until `abreast` is made or failed */
    uint64_t run_rounds; /* rounds of the last one */
    bool abreast_tried;
    void *abreast_engine;
    uint64_t *abreast_links;
    /* The newest trace with forks that begins as this one; older ones follow. NULL: none */
    struct gpu_trace *wide;
    uint32_t parted; /* rows that left it, or `wide`, together, since `wide` was tried */
    uint8_t wide_tries;
    unsigned room_used; /* the part of the translator's room that the trace uses */
};

/* Bundles that a row executed one after the other. */
struct gpu_recording {
    struct gpu_code *codes[GPU_TRACE_MAX];
    bool diverges[GPU_TRACE_MAX]; /* as in a trace */
    struct gpu_bundle_kinds kinds[GPU_TRACE_MAX];
    uint64_t accesses[GPU_ACCESS_COUNTERS]; /* the worker's counts before the last of the bundles */
    unsigned count;                         /* 0: nothing is being recorded */
    /* number of bundles up to a divergence without reconvergence so far; 0: the lanes are
     * together */
    unsigned diverged_at;
    bool diverged;                               /* the row has diverged in the recording */
    bool lanes_leave;                            /* as in a trace */
    struct gpu_trace_fork fork[GPU_TRACE_FORKS]; /* as in a trace; none while a row is recorded */
    unsigned forks;
    bool path_waits[GPU_TRACE_FORKS + 1];
    bool at_start;  /* the row began, or went on behind a barrier, with the first bundle */
    uint32_t lanes; /* lanes that have to reconverge */
    /* registers with a pattern where the recording began */
    struct gpu_pattern patterns[GPU_PATTERNS];
    unsigned pattern_count;
};

/* NULL: this program has no translator. */
struct gpu_translator *gpu_translator_new(void);
/* Frees the translator; all of its traces must have been freed. */
void gpu_translator_free(struct gpu_translator *t);
/* Bounds the host code of all traces, by default at GPU_HOST_CODE. Code beyond is interpreted.
 * `t` may be NULL. */
void gpu_translator_set_room(struct gpu_translator *t, unsigned room);
unsigned gpu_translator_room(const struct gpu_translator *t);
/* Keeps host code in a cache, and takes it from there, as file_cache_choose() says of `where`.
 * false with *err: the folder cannot be used. `t` may be NULL. */
bool gpu_translator_keep(struct gpu_translator *t, const char *where, struct error *err);
/* The numbers of functions so far. No thread may be translating. `t` may be NULL. */
struct gpu_host_functions gpu_translator_functions(const struct gpu_translator *t);

/*
 * Makes a trace of bundles of a shader, whose lock is held. NULL: it cannot be made, or there is no
 * translator. Several threads may call it.
 */
struct gpu_trace *gpu_trace_new(struct gpu_translator *t, const struct gpu_decoder *decoder,
                                struct gpu_shader *shader, const struct gpu_recording *r,
                                bool loops);
/*
 * Makes a trace that all rows of a work-group run from their start to their end, through barriers.
 * Its only function is `rows`, with the addresses in `links`. The caller holds the shader's lock.
 * NULL: it cannot be made.
 */
struct gpu_trace *gpu_trace_new_through(struct gpu_translator *t, const struct gpu_decoder *decoder,
                                        struct gpu_shader *shader, const struct gpu_recording *r,
                                        const struct gpu_rows_shape *shape);
/*
 * Makes a trace with forks. Its only function is `rows`, with the addresses in `links`: for rows
 * that begin, or, if `shape` says so, as gpu_trace_add_phase() makes it. If its paths end at
 * several places, the function returns behind the first row that ends at another one than those
 * before it: that row is then as after gpu_trace_fn, and not among `rows_ended`. The caller holds
 * the shader's lock. NULL: it cannot be made.
 */
struct gpu_trace *gpu_trace_new_wide(struct gpu_translator *t, const struct gpu_decoder *decoder,
                                     struct gpu_shader *shader, const struct gpu_recording *r,
                                     const struct gpu_rows_shape *shape);
/* Tries to make the function for rows of that shape. The caller holds the shader's lock. */
void gpu_trace_add_rows(struct gpu_trace *trace, const struct gpu_decoder *decoder,
                        struct gpu_shader *shader, const struct gpu_rows_shape *shape);
/*
 * Tries to make the function that runs rows of a work-group from one barrier to the next, or to
 * their end, one after the other. Their registers are in their own memory, and all their lanes are
 * active; all else that a row has is as at the trace's start, and stays so where it comes to the
 * trace's end: that it waits there, and where, is not stored. A row that leaves the trace early is
 * then as after gpu_trace_fn. The caller holds the shader's lock.
 */
void gpu_trace_add_phase(struct gpu_trace *trace, const struct gpu_decoder *decoder,
                         struct gpu_shader *shader);
/* Tries to make the function that runs a loop for several rows at once. The trace is plain. The
 * caller holds the shader's lock. */
void gpu_trace_add_abreast(struct gpu_trace *trace, const struct gpu_decoder *decoder,
                           struct gpu_shader *shader);
/* Frees a trace and all others that begin with the same bundle. It must be called before that
 * bundle is freed. NULL is allowed. */
void gpu_trace_free(struct gpu_trace *trace);

/* The bundle with which a path of the trace ends. */
static inline unsigned gpu_trace_path_end(const struct gpu_trace *t, unsigned path)
{
    return (path < t->forks ? t->fork[path].at : t->count) - 1;
}

/* The path to which a bundle of the trace belongs. */
static inline unsigned gpu_trace_path_of(const struct gpu_trace *t, unsigned n)
{
    unsigned path = 0;

    while (path < t->forks && n >= t->fork[path].at)
        path++;
    return path;
}

/* Whether a bundle is the last one of its path. */
static inline bool gpu_trace_ends_path(const struct gpu_trace *t, unsigned n)
{
    return n == gpu_trace_path_end(t, gpu_trace_path_of(t, n));
}

/* The words of row `row` for the register number `n` of gpu_trace.kept. */
static inline uint8_t *gpu_kept_register(const struct gpu_row_range *r, unsigned lanes, unsigned n,
                                         uint64_t row)
{
    return r->kept + row * r->kept_pitch + (uint64_t)n * lanes * sizeof(uint32_t);
}

#endif
