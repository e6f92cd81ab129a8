/*
 * Internals of the shader cores. A job is cut into windows of work-groups. A window's groups are
 * spread over the workers (host threads). A worker runs a group's rows (warps executed together)
 * one after the other, bundle by bundle.
 *
 * This header is for the files that run jobs. Others need only its parts: code.h (decoded bundles),
 * job.h (descriptors of a job), host.h (what host code accesses), pages.h (pages of groups). The
 * interface of the cores is compute.h.
 *
 *     cores.c   workers, steps of a job                  group.c   work-groups, barriers
 *     crew.c    which workers are in a window            shader.c  cache of decoded bundles
 *     window.c  which groups run before time passes      waiting.c workers that wait
 *     shares.c  which worker runs which group            short.c   groups that surely end
 *     warp.c    bundles, branches, divergence            access.c  memory behind the soft TLB
 *     decode.c  a bundle as a list of operations         compute.c (in runtime/gpu) descriptors
 *     page_map.c pages by number, for host code
 *     refusal.c what cannot be executed                  start.c   initial registers of threads
 *     traced.c  a row in host code                       rows.c    all rows of a group in host code
 *     through.c the same through barriers             phase.c   from barrier to barrier
 *     wide.c    both ways of branches
 *     record.c  choice of bundles for host code          level.c   choice of a build of warp.c
 *     flow.c    ways between bundles, for reports        use.c     which cores a job has
 *     tally.c   counts of traces                         counts.c  counts of workers and jobs
 *     trace.c   executed bundles as text                 inspect.c bundles for debuggers
 *     saved.c   jobs in snapshots of a machine           stats.c   what was executed
 */
#ifndef RUNTIME_GPU_SHADER_CORE_H
#define RUNTIME_GPU_SHADER_CORE_H

#include <pthread.h>
#include <stdio.h>

#include "runtime/gpu/graphics/unit.h"
#include "runtime/gpu/inspect.h"
#include "runtime/gpu/shader/code.h"
#include "runtime/gpu/shader/crew.h"
#include "runtime/gpu/shader/host.h"
#include "runtime/gpu/shader/job.h"
#include "runtime/gpu/shader/page_map.h"
#include "runtime/gpu/shader/pages.h"
#include "runtime/gpu/store_watch.h"
#include "runtime/gpu/timing_capture.h"
#include "runtime/gpu/timing_model.h"

enum {
    GPU_WINDOW_GROUPS = 64,     /* work-groups per window, or per part of a long window */
    GPU_WINDOW_PARTS = 256,     /* most parts of a window whose groups are short */
    GPU_WINDOW_BUNDLES = 16384, /* bundles per work-group and window, until groups prove long */
    GPU_WINDOW_GROWTH = 4,      /* log2 of the largest factor by which that grows then */
    GPU_WINDOW_WORK = 1 << 25,  /* desired number of bundles in a window of several parts */
    GPU_WINDOW_ROWS = 1 << 17,  /* most rows in a window of several parts */
    GPU_WINDOW_DIVISOR = 4,     /* divides these three numbers if a time model counts windows */
    GPU_STEP_WINDOWS = 16,      /* most windows per step */
    GPU_LEAVING_BUNDLES =
        1024,              /* bundles between looks at `leaving`; divides the numbers of bundles */
    GPU_SPARE_ROWS = 4096, /* free rows kept by all workers together: those that a window with
                            * barriers frees and takes again */
    /* Memory of all work-groups of the cores that have begun and not ended: private pages and
     * registers. One group per job may run in any case. */
    GPU_GROUPS_BYTES = 1 << 29,
    GPU_TRACE_BYTES = 1 << 29, /* bytes of a job's trace for time models */
};

/* ---- running --------------------------------------------------------------------------------- */

/* Rows of a group that came to a barrier, or go on behind it, together: all of them, each with all
 * its threads. Their `pc`, `wait` and `barred` are not stored, nor which registers they have
 * written since they have been together (phase.c). */
struct gpu_together {
    const struct gpu_code *at; /* the bundle behind the barrier; NULL: they are not together */
    uint64_t written[GPU_WRITTEN_WORDS];
    bool any_written; /* others may be written, too */
};

/* A work-group that runs or waits for its next window. */
struct gpu_group {
    struct gpu_group *next; /* next in a worker's list of free groups */
    uint64_t index;
    uint32_t id[3];
    uint32_t origin[GPU_BASES]; /* by enum gpu_base: added to the positions of its threads */
    uint32_t core, turn;        /* number of its modelled core, and place among the job's cores */
    unsigned rows;              /* number of rows */
    unsigned started, ended;    /* rows that have started, rows that have ended */
    uint32_t epoch;             /* barriers that the group has passed */
    uint64_t budget;            /* bundles left in this window */
    uint64_t work;              /* cycles of all its bundles in this window */
    struct gpu_private memory;
    struct gpu_warp **warp; /* by index: rows that have started and not ended */
    unsigned warp_capacity;
    bool finished;
    struct gpu_together together;  /* only while the group runs */
    struct gpu_group_trace *trace; /* NULL: not traced */
    void *stage; /* state of a graphics stage; it stays with the group's memory. NULL: none */
};

/* What a worker's groups of a window took and is not added to the window's counts yet. */
struct gpu_slices {
    uint64_t cycles[GPU_MAX_CORES]; /* of groups of `part`, by modelled core */
    unsigned part;
    unsigned groups;         /* number of these groups */
    uint64_t of_whole_parts; /* cycles of parts all of whose groups are added up */
    uint64_t bundles;
};

/* The page of an address space that was found last for a kind of access; no bytes: none. */
struct gpu_translated {
    uint64_t va, bytes;
    uint8_t *host;
};

/* Rows from `next` to `end` - 1 of the worker's group that have run ahead of their turn
 * (abreast.c): they began with the trace `way`, and have run `rounds` rounds of the trace
 * `loop`. */
struct gpu_ahead {
    struct gpu_trace *way, *loop;
    unsigned next, end;
    uint64_t rounds;
};

/* Rows that left a trace early in one of the ways of enum gpu_departure. */
struct gpu_departures {
    const struct gpu_trace *trace; /* only compared; NULL: no rows */
    unsigned way;
    uint32_t rows;
    uint64_t since; /* rows that the worker had begun before the first of them */
};

/* A host thread that runs work-groups. */
enum { GPU_FILLED_ENTRIES = 64, GPU_DEPARTURES = 64 };

struct gpu_worker {
    struct gpu_host_context host; /* first member: handlers and host code receive its address */
    struct gpu_cores *cores;
    unsigned number;         /* among the workers, from 0 */
    struct gpu_group *group; /* running group */
    unsigned place;          /* place of `group` in the window */
    unsigned places_end;     /* end of the places taken by the worker */
    /* Places of the window that the worker takes next, and others from their end on (shares.c). In
     * cache lines of its own, as others write it. */
    _Alignas(128) uint64_t share;
    /* In a gated window: groups before this place may surely begin. */
    _Alignas(128) unsigned begins_before;
    struct gpu_group *free_groups;
    struct gpu_slices slices;
    pthread_t thread;
    uint64_t window;     /* number of the last window that it entered */
    uint64_t job_number; /* number of the job to which the soft TLB belongs */
    uint64_t generation; /* generation of the address space to which it belongs */
    uint32_t hot;        /* executions of a bundle until it is hot, in its job; 0: it never is */
    bool parked;         /* waits for a page */
    bool waiting;        /* waits for the turn of its group */
    bool beginning;      /* `waiting` is for permission to begin the group, not for its turn */
    bool atomics;        /* the soft TLB for atomic operations has entries */
    struct gpu_fault fault;
    uint64_t private_entries[64]; /* numbers of private pages in the soft TLB */
    unsigned private_count;
    /* Counts of this step, or of this window for a time model: */
    bool uncounted; /* it was in a window, and these are not added up in `sum` yet */
    bool summed;    /* `sum` is not added to the job's yet */
    struct gpu_counters sum;
    uint64_t *counts; /* by bundle index: GPU_COUNT_WARP per execution by a warp, plus its lanes */
    /* Executions of traces. A trace has elements from gpu_trace.place on: rows that reached each of
     * its bundles, then counts of its sides, then of its ways. */
    uint64_t *passes;
    uint64_t warps, threads;
    struct gpu_rows rows; /* rows of all jobs */
    struct gpu_page_set pages;
    struct gpu_translated
        translated[GPU_ACCESS_KINDS]; /* since the last flush, by enum gpu_access */
    struct gpu_page_map map; /* pages of the running job for host code, as in the soft TLB */
    struct gpu_texture_request texture;
    struct gpu_graphics_request graphics;
    struct gpu_flow *flow;  /* counts of the ways between bundles; NULL: not counted */
    struct gpu_code *entry; /* first bundle of the job; NULL: not looked up yet */
    /* bundle with which the running row began, or went on after it had waited (at a barrier, or for
     * the group's budget); NULL: not found yet. Only compared. */
    const struct gpu_code *row_start;
    struct gpu_ahead ahead; /* while the group runs */
    struct gpu_recording recorded;
    struct gpu_departures departures[GPU_DEPARTURES]; /* by trace and way: those counted last */
    uint8_t *kept;                                    /* registers at barriers (through.c) */
    size_t kept_bytes;
    unsigned spare_count;
    struct gpu_warp *free_rows[GPU_SPARE_ROWS]; /* free rows */
    /* Entries of the soft TLB, except those for atomic operations, that were filled since the last
     * flush. A count above GPU_FILLED_ENTRIES: further entries were filled. */
    struct gpu_tlb_entry *filled[GPU_FILLED_ENTRIES];
    unsigned filled_count;
};

/* An instruction or feature that the GPU cannot execute. */
struct gpu_refusal {
    struct gpu_refusal *next;
    const char *name;   /* instruction; NULL: no instruction was found */
    const char *detail; /* unsupported detail of the instruction; NULL: all of it */
    char text[256];
};

/* Groups that run before virtual time passes. A window has parts of GPU_WINDOW_GROUPS groups, each
 * of which takes the cycles of a window of its own. */
struct gpu_window {
    /* By place: an unfinished group; NULL: it has not begun, or has ended. Most windows have none
     * and leave the array as it is: other processors would have to fetch its lines again. */
    struct gpu_group **group;
    bool any_left; /* a group that began in this window is unfinished */
    uint8_t *done; /* by place: `mark` if it has run in this window */
    uint8_t mark;
    bool wary;       /* a large first window of a shader's first job: groups may wait for turns */
    bool has_shares; /* each worker begins with an equal share of the places (shares.c) */
    unsigned capacity;
    /* Of parts whose groups several workers run: for each the cycles by modelled core of the groups
     * that are added up, and then their number. All are 0 while no window is open. */
    uint64_t *cycles;
    unsigned part_capacity;
    uint64_t whole_cycles; /* of the parts all of whose groups are added up */
    uint64_t bundles;      /* executed by the groups that have run */
    unsigned count;        /* number of groups */
    unsigned unfinished;   /* unfinished groups of earlier windows; they have the first places */
    uint64_t first;        /* index of the first group that begins in this window */
    unsigned part_limit;   /* upper bound of the parts */
    unsigned divisor;      /* GPU_WINDOW_DIVISOR, or 1 */
    unsigned growth;       /* log2 of the factor between the budget and the usual one */
    uint64_t budget;       /* bundles that each group may execute in this window */
    bool open;             /* the window has begun and not ended */
    bool ends_step;        /* probably no other window follows in the step */
    uint64_t part_bundles; /* bundles per part of the window before; 0: there was none */
    unsigned unfinished_limit; /* most unfinished groups that GPU_GROUPS_BYTES allows */
    /* more than unfinished_limit groups may stay unfinished: a group needs permission to begin */
    bool gated;
    /* Under the cores' lock, in a gated window: */
    unsigned held_groups; /* unfinished groups before gpu_cores.first_unrun */
    unsigned end;         /* first place whose group may not begin; it is left to the next window */
};

/* Whether a job's groups end in the window in which they begin (short.c). */
enum gpu_ends { GPU_ENDS_UNKNOWN, GPU_ENDS_SURELY, GPU_ENDS_MAYBE };

/* How the work-groups of a graphics stage run. NULL: as those of a compute job. */
struct gpu_stage_functions {
    /* Runs a group until it ends, or its budget is spent. */
    void (*run)(struct gpu_worker *k, struct gpu_group *g);
    /* Sets which lanes of a row that begins are threads, and their registers. */
    void (*begin_row)(struct gpu_worker *k, struct gpu_warp *w);
};

struct gpu_compute {
    const struct gpu_stage_functions *functions; /* NULL: a compute job */
    void *stage;                                 /* for the functions */
    struct gpu_cores *cores;
    const struct gpu_address_space *as;
    uint64_t generation; /* generation of the address space to which soft TLBs belong */
    struct gpu_compute_job job;
    struct gpu_places places;
    struct gpu_shader *shader;
    unsigned came_before; /* earlier jobs with this shader */
    uint64_t next_group;  /* index of the first group that is in no window yet */
    uint64_t group_bytes; /* memory that a group may need, in the terms of GPU_GROUPS_BYTES */
    struct gpu_window window;
    enum gpu_ends ends;
    uint64_t cycles;     /* all cycles of the job */
    uint64_t unreported; /* part of `cycles` that no step has reported yet */
    unsigned windows;    /* windows of the usual budget that this step had time for so far */
    uint64_t bundles;    /* bundles executed in this step */
    uint64_t number;     /* number of the job, from 1 for the first of the cores */
    struct gpu_counters sum;
    uint64_t *mix;             /* executions by number of the instruction; NULL: not counted */
    struct gpu_flow_sum *flow; /* executed bundles and ways; NULL: not counted */
    struct gpu_page_set pages;
    /* The first error in the order of work-groups. */
    uint32_t error; /* enum gpu_job_error */
    uint64_t error_address;
    uint64_t error_group;
    struct gpu_refusal refusal;  /* cause of the error; no text: another cause */
    struct gpu_job_trace *trace; /* NULL: not traced, or given away */
    uint64_t issued;             /* ticks for which its warps occupied engines, in the time model */
    /* The cores that run the job, as numbers and as bits; core_count 0: all cores of the GPU. */
    uint8_t core[GPU_MAX_CORES];
    unsigned core_count;
    uint64_t core_bits;
};

struct gpu_cores {
    const struct gpu_variant *variant;
    struct gpu_decoder decoder;
    size_t warp_bytes;
    struct gpu_worker **workers;
    unsigned worker_count;
    struct gpu_stats *stats;
    struct gpu_mix *mix; /* gpu_cores_describe_shaders(); NULL: off */
    struct gpu_shader *shaders[GPU_MAX_SHADERS];
    uint64_t job_count;
    uint64_t active[GPU_MAX_CORES]; /* gpu_cores_active() */
    uint64_t held_bytes;            /* group_bytes of all groups that continue in a later window */
    FILE *trace;
    const struct gpu_inspector *inspector; /* gpu_cores_inspect(); NULL: off */
    const struct gpu_inspector *awaited;   /* the next one, which waits for the end of all jobs */
    unsigned existing;                     /* jobs that have begun and not been freed */
    bool inspected;                        /* bundles are traced or inspected */
    struct gpu_timing *timing;             /* gpu_cores_timing(); NULL: off */
    /* gpu_cores_model(); NULL: windows take the time of their work */
    struct gpu_timing_model *model;
    struct gpu_account_sink *accounts;  /* gpu_cores_account(); NULL: off */
    struct gpu_graphics_watch *watches; /* gpu_cores_watch_graphics() */
    uint64_t draws_left;                /* gpu_cores_limit_draws(); UINT64_MAX: all */
    bool describe;                      /* shaders are summarised */
    struct gpu_translator *translator;
    uint32_t translate_after;     /* executions of a bundle until it is hot; 0: never */
    uint32_t translate_before;    /* what it was before the cores were inspected */
    struct gpu_refusal *refusals; /* refusals that were reported */
    /* gpu_cores_watch_stores(); NULL: stores are not watched */
    void (*watch_store)(void *opaque, const struct gpu_store *store);
    void *watch_opaque;
    const bool *leaving;     /* gpu_cores_set_leaving() */
    uint64_t window_bundles; /* gpu_cores_set_window() */
    bool patient; /* workers wait a moment before they sleep: each has a host processor */
    struct gpu_compute *job; /* running job, or the last that ran; changes while no worker runs */
    uint16_t share_number;   /* incremented by each window with shares */

    _Alignas(128) pthread_mutex_t lock;
    pthread_cond_t go;   /* wakes workers */
    pthread_cond_t idle; /* wakes the thread that waits for the workers */
    /* Under the lock: */
    uint64_t retry_number; /* incremented when parked workers try again */
    bool quit;
    bool cancelled;       /* the job is being given up: failing accesses return 0 */
    unsigned first_unrun; /* first place of the window whose group is not known to have run */
    /* Not under the lock; each in cache lines of its own, as others change at other times: */
    _Alignas(128) uint64_t crew;       /* who is in the window (crew.c) */
    unsigned sleepers;                 /* workers that sleep until a window opens */
    _Alignas(128) unsigned next_place; /* first place of the window that no worker has taken, if it
                                        * has no shares */
    bool ends_soon; /* the thread that waits for the crew was told that the step ends soon */
    _Alignas(128) unsigned waiting; /* workers that wait for the turn of their group */
};

/* ---- between the files ----------------------------------------------------------------------- */

/* Counts the cycles of an ending job as active cycles of its cores. Only used without a time
 * model. */
void gpu_compute_count_active(const struct gpu_compute *job);

/* Memory of a row, not initialised. */
struct gpu_warp *gpu_warp_new(const struct gpu_cores *c);
/* Makes *g group `index` of the job, without rows. Its members are zero or those of another
 * group. */
void gpu_group_place(const struct gpu_compute *job, struct gpu_group *g, uint64_t index);
/* Makes *g, which has no rows, the next group of the job. */
void gpu_group_advance(const struct gpu_compute *job, struct gpu_group *g);
/* Allocates group `index` of the job for worker `k`. No row starts yet. */
struct gpu_group *gpu_group_begin(struct gpu_worker *k, uint64_t index);
/* Recycles a group that has ended: its memory stays with the worker. */
void gpu_group_end(struct gpu_worker *k, struct gpu_group *g);
/* Frees an unfinished group, which does not continue. */
void gpu_group_drop(struct gpu_cores *c, struct gpu_group *g);
/* Frees the memory of ended groups. */
void gpu_groups_free(struct gpu_worker *k);
/* Counts a group that has ended without memory of its own, and makes it the next of those that the
 * worker took. false, without an effect: there is none, or it may have to wait. */
typedef bool gpu_next_group_fn(struct gpu_worker *k, struct gpu_group *g);
/* Runs a group until it ends, its budget is spent or the job has failed. If it ends in one
 * function, the groups that `next` makes of it run as well: *g is the last of them then. */
void gpu_group_run(struct gpu_worker *k, struct gpu_group *g, gpu_next_group_fn *next);
/* Makes `g` the worker's current group and gives it a full budget. */
void gpu_group_enter(struct gpu_worker *k, struct gpu_group *g);
/* Allocates a row and starts it as row `index` of the group. */
struct gpu_warp *gpu_group_begin_row(struct gpu_worker *k, struct gpu_group *g, unsigned index);
/* Frees row `index` of the group. */
void gpu_group_end_row(struct gpu_worker *k, struct gpu_group *g, unsigned index);

/* Starts a stage of a graphics job; `stage` is the state for its functions. The result takes over
 * the memory that *job holds. The caller frees the result with gpu_compute_free(). */
struct gpu_compute *gpu_stage_start(struct gpu_cores *c, const struct gpu_address_space *as,
                                    struct gpu_compute_job *job,
                                    const struct gpu_stage_functions *functions, void *stage);
/* Sets the register in which the row's lanes find `what` when they start; values[i] is lane i's. */
void gpu_warp_preload(struct gpu_worker *k, struct gpu_warp *w, enum gpu_preload what,
                      const uint32_t *values);
/* Sets register `number` of the row's lanes; values[i] is lane i's. */
void gpu_warp_set_register(struct gpu_warp *w, unsigned number, const uint32_t *values);
/* Sets a property of the row's threads (enum gpu_special). */
void gpu_warp_set_special(struct gpu_worker *k, struct gpu_warp *w, unsigned what, uint32_t value);

/* Initialises the memory `w` as row `index` of group `g`. */
void gpu_warp_start(struct gpu_worker *k, struct gpu_group *g, struct gpu_warp *w, unsigned index);
/* Turns row i of a group into row i + `rows`, which must have the same number of threads. Rows i to
 * i + rows - 1 have ended with their registers unchanged. */
void gpu_warp_skip(struct gpu_worker *k, struct gpu_warp *w, unsigned rows);
/* As gpu_warp_skip(), without counting rows that have begun. */
void gpu_warp_move(struct gpu_worker *k, struct gpu_warp *w, unsigned rows);
/* Sets the registers of a row that begins which are the same in all rows of its group. */
void gpu_warp_set_group(struct gpu_worker *k, struct gpu_warp *w);
/* Sets the registers that row `row` kept when it had passed `passed` barriers, at least one. */
void gpu_rows_restore(struct gpu_warp *w, const struct gpu_row_range *r, uint64_t row,
                      unsigned passed);
/* Counts `rows` full rows that have begun without anything reading their initial registers. */
void gpu_warp_count(struct gpu_worker *k, uint64_t rows);
/* Runs a row until all its warps wait or have ended, or the group's budget is spent. */
void gpu_warp_run(struct gpu_worker *k, struct gpu_warp *w);

/* Waits until the faulting page is served. false: it will not be. gpu_worker_await_page() removes
 * outdated pages from the soft TLB in addition. */
bool gpu_worker_park(struct gpu_worker *k, const struct gpu_fault *fault);
bool gpu_worker_await_page(struct gpu_worker *k, const struct gpu_fault *fault);
/* Waits until all groups before the worker's in the window have run. */
void gpu_worker_await_turn(struct gpu_worker *k);
/* Passes the turn on in a gated window, before a permission to begin depends on that. */
void gpu_worker_look_ahead(struct gpu_worker *k);
/* Whether the group at the worker's place may begin in this gated window. Waits until that is
 * decided. */
bool gpu_worker_may_begin(struct gpu_worker *k);
/* Whether the group at a later place of those that the worker took may begin without waiting. */
bool gpu_worker_surely_begins(struct gpu_worker *k, unsigned place);
/* Marks the group at the worker's place as run. Behind the last of the groups that the worker took
 * at once, wakes workers that waited for one of them. */
void gpu_worker_end_turn(const struct gpu_worker *k);
/* Records that the job fails, unless a group with a lower index failed before. `refusal` may be
 * NULL. */
void gpu_worker_fail(struct gpu_worker *k, uint32_t error, uint64_t address,
                     const struct gpu_refusal *refusal);

/* Describes what the warp cannot execute in `code`. */
void gpu_refusal_describe(const struct gpu_worker *k, const struct gpu_warp *w,
                          const struct gpu_code *code, struct gpu_refusal *r);
/* The text of the first refusal of its kind, valid as long as the cores; NULL: an equal one was
 * reported. */
const char *gpu_refusal_keep(struct gpu_cores *c, const struct gpu_refusal *r);
void gpu_refusals_free(struct gpu_cores *c);

/* Enters the page of an access below 4 GB into the map, and returns the host memory of `va`. NULL,
 * if accesses to the page are not counted by `counter`, must be seen one by one, or meet no memory:
 * the access is to go through the soft TLB. */
uint8_t *gpu_worker_map_page(struct gpu_worker *k, uint64_t va, enum gpu_access_counter counter);

/* Host memory of an access of `bytes` bytes by the map, in which its page is entered if it is not
 * there yet. The caller has counted the access by `counter`. NULL: it is to go through the soft
 * TLB. */
static inline uint8_t *gpu_worker_mapped(struct gpu_worker *k, uint64_t va, uint32_t bytes,
                                         enum gpu_access_counter counter)
{
    uint64_t page = va >> GPU_TLB_PAGE_SHIFT, distance;

    if (page >= GPU_MAP_PAGES || (va + bytes - 1) >> GPU_TLB_PAGE_SHIFT != page)
        return NULL;
    distance = k->map.distance[(size_t)counter * GPU_MAP_STRIDE + page];
    return distance ? (uint8_t *)(uintptr_t)(distance + va) : gpu_worker_map_page(k, va, counter);
}

/* Empties the worker's TLBs and its lists of atomics and private pages. */
void gpu_worker_flush(struct gpu_worker *k);
/* Turns the reporting of accesses of the group that runs next on or off. */
void gpu_worker_observe(struct gpu_worker *k, bool observed);
/* Adds up the worker's counts, while others may run groups. Without effect if several workers
 * cannot do so side by side. */
void gpu_counts_add_up(struct gpu_worker *k);
/* Adds the counts of all workers to the job's. No worker is in a window. */
void gpu_counts_collect(struct gpu_compute *job);
/* Converts the worker's counts of a shader's traces into counts of bundles and accesses. */
void gpu_tally_collect(struct gpu_worker *k, const struct gpu_shader *s);
/* Removes the private pages of the previous group from the soft TLB. */
void gpu_worker_leave_group(struct gpu_worker *k);

/* Upper bound of a group's private pages, at most GPU_PRIVATE_PAGES. */
uint64_t gpu_private_pages(const struct gpu_compute_job *job);

/* Prints an executed bundle and the registers that it changed. `before` holds their values before
 * it. */
void gpu_trace_bundle(struct gpu_worker *k, const struct gpu_warp *w, const struct gpu_code *code,
                      const uint32_t *before);
/* Executes a bundle stage by stage for the cores' inspector. */
void gpu_inspect_bundle(struct gpu_worker *k, struct gpu_warp *w, struct gpu_code *code);

#endif
