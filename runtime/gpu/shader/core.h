/*
 * Internals of the shader cores. A job is cut into windows of work-groups. A window's groups are
 * spread over the workers (host threads). A worker runs a group's rows (warps executed together)
 * one after the other, bundle by bundle.
 *
 *     cores.c   workers, steps of a job                  group.c   work-groups, barriers
 *     window.c  which groups run before time passes      waiting.c workers that wait
 *     warp.c    bundles, branches, divergence            shader.c  cache of decoded bundles
 *     decode.c  a bundle as a list of operations         access.c  memory behind the soft TLB
 *     refusal.c what cannot be executed                  start.c   initial registers of threads
 *     traced.c  a row in host code                       rows.c    all rows of a group in host code
 *     record.c  choice of bundles for host code          level.c   warp.c for the host's instruction set
 *     flow.c    ways between bundles, for reports
 *     compute.c (in runtime/gpu) descriptors of a job    stats.c   what was executed
 */
#ifndef RUNTIME_GPU_SHADER_CORE_H
#define RUNTIME_GPU_SHADER_CORE_H

#include <pthread.h>
#include <stdio.h>

#include "runtime/gpu/compute.h"
#include "runtime/gpu/isa.h"
#include "runtime/gpu/lane_memory.h"
#include "runtime/gpu/stats.h"
#include "runtime/gpu/texture/texture.h"
#include "runtime/gpu/timing_capture.h"
#include "runtime/gpu/timing_model.h"
#include "runtime/gpu/translate/translate.h"
#include "runtime/gpu/variant.h"

enum {
    GPU_POOL_SLOTS = 384, /* constants and uniforms with a slot of their own, per shader */
    GPU_SPILL_SLOTS = 24, /* slots that a bundle fills itself when the pool is full */
    GPU_UNIFORM_WORDS = 256,
    GPU_CODE_BUCKETS = 256,
    GPU_MAX_BUNDLES = 32768,                /* decoded bundles per shader */
    GPU_MAX_PLACES = 1 << 17,               /* bundles and sides in the traces of a shader */
    GPU_MAX_SHADERS = 64,                   /* cached shaders */
    GPU_KEPT_BUNDLES = 2 * GPU_MAX_BUNDLES, /* decoded bundles of all shaders kept for later jobs */
    /* Bound of the host code of all traces of the cores, in bundles of about 5 KB. A function
     * counts as GPU_FUNCTION_CODE bundles in addition. Shaders kept for later jobs hold at most
     * half of it. */
    GPU_HOST_CODE = 1 << 17,
    GPU_FUNCTION_CODE = 100,
    GPU_MAX_REGISTERS = 256,
    GPU_WINDOW_GROUPS = 64,     /* work-groups per window, or per part of a long window */
    GPU_WINDOW_PARTS = 64,      /* most parts of a window whose groups are short */
    GPU_WINDOW_BUNDLES = 16384, /* bundles per work-group and window */
    GPU_WINDOW_WORK = 1 << 23,  /* desired number of bundles in a window of several parts */
    GPU_WINDOW_ROWS = 1 << 15,  /* most rows in a window of several parts */
    GPU_STEP_WINDOWS = 16,      /* most windows per step */
    GPU_HEED_BUNDLES = 1024,    /* bundles between looks at `leaving`; divides both numbers above */
    GPU_PRIVATE_PAGES = 8192,   /* per work-group; pages beyond are shared, as in the real memory */
    GPU_SPARE_ROWS = 4096,      /* free rows kept by all workers together: those that a window with
                            * barriers frees and takes again */
    /* Memory of all work-groups of the cores that have begun and not ended: private pages and
     * registers. One group per job may run in any case. */
    GPU_GROUPS_BYTES = 1 << 29,
    GPU_TRACE_BYTES = 1 << 29, /* bytes of a job's trace for time models */
};

/* ---- decoded shaders ------------------------------------------------------------------------- */

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
    uint64_t next;              /* address of the bundle that follows in memory */
    struct gpu_code *following; /* decoded bundle at `next`; NULL: not looked up yet */
    struct gpu_code *taken;     /* last target of its branch; NULL: not taken yet */
    struct gpu_code *bucket;    /* next in the hash bucket */
    uint32_t index;             /* number in the shader, in order of decoding */
    uint32_t flags;             /* enum gpu_bundle_flag */
    uint32_t pool;              /* number of pool words that it needs */
    uint32_t cycles;
    uint32_t bytes;          /* size in memory */
    uint32_t heat;           /* executions outside traces; set to 0 when the bundle becomes hot */
    struct gpu_trace *trace; /* first of the list of traces that begin here; NULL: none */
    uint32_t traces;         /* length of the list; GPU_TRACES: no more are made */
    /* Recordings from here that were given up because their row diverged, or did not diverge where
     * rows should. */
    uint32_t diverged, undiverged;
    uint8_t divergence; /* enum gpu_divergence: divergence behind the bundle */
    struct gpu_profile profile;
    /* GPU feature that is missing, so that the bundle is invalid; NULL: none */
    const char *missing;
    uint8_t *raw; /* bytes of the bundle in memory, stored behind the operations */
    _Alignas(8) struct gpu_op ops[];
};

struct gpu_shader {
    uint64_t address;
    const struct gpu_address_space *as;
    /* uniform words of its jobs if the places of sources depend on it; else 0 */
    uint32_t uniforms;
    uint64_t used;        /* number of the last job that used the shader */
    unsigned users;       /* jobs that run it now */
    bool in_order;        /* a group of its jobs has waited for its turn */
    bool dropped;         /* removed from the cache: the last user frees it */
    pthread_mutex_t lock; /* held while decoding */
    struct gpu_code *bucket[GPU_CODE_BUCKETS];
    struct gpu_code **codes; /* bundles by index */
    unsigned code_count, code_capacity;
    unsigned places;    /* elements that its traces have in gpu_worker.passes */
    unsigned host_code; /* host code of its traces, in the unit of GPU_HOST_CODE */
    struct gpu_pool_word pool[GPU_POOL_SLOTS];
    unsigned pool_count;
    struct gpu_shader_summary summary;
    bool summarised; /* the summary was tried, successfully or not */
};

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
    uint32_t traits;
    uint8_t *classes[GPU_MAX_UNITS];     /* enum gpu_form_class, by unit and form */
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

/* ---- a job ----------------------------------------------------------------------------------- */

struct gpu_uniform_block {
    uint64_t address, bytes;
};

/* An attribute with the buffer that it names. Compute shaders use attributes for images. */
struct gpu_attribute {
    uint32_t format;
    int64_t offset;
    uint64_t address; /* address of the buffer */
    uint64_t bytes;
    uint32_t stride;
    uint32_t type; /* enum mali_attribute_type */
    /* how the element number follows from the instance */
    uint32_t divisor, divisor_shift, divisor_extra;
    uint32_t size[3]; /* of an image: width, height, depth */
    uint32_t row_stride, slice_stride;
    bool image;
};

/* A compute job as its descriptors describe it. Every number is checked. */
struct gpu_compute_job {
    uint64_t header; /* address of the job header */
    uint64_t shader_address;
    uint32_t size[3]; /* threads per work-group, by dimension */
    uint32_t groups[3];
    uint32_t threads; /* threads per work-group */
    uint64_t group_total;
    uint32_t preload; /* one bit per enum gpu_preload */
    uint32_t uniform_words;
    uint32_t uniform[GPU_UNIFORM_WORDS];
    struct gpu_uniform_block *blocks;
    unsigned block_count;
    struct gpu_attribute *attributes;
    unsigned attribute_count;
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
struct gpu_stand {
    bool is_one;
    enum gpu_place place;
    enum gpu_base base;
};
/* The description of a preloaded value (enum gpu_preload); NULL: it depends on neither position nor
 * work-group. */
const struct gpu_stand *gpu_stand_of(unsigned what);
/* Registers of a job that are preloaded with positions or numbers of work-groups. */
struct gpu_preloaded {
    uint32_t number;
    enum gpu_base base;
    const uint32_t *place; /* position by thread */
};
enum { GPU_PRELOADED_MAX = 5 };
struct gpu_places {
    uint32_t *of[GPU_PLACES];
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

/* A page that belongs to one work-group: local memory, or private memory of its threads. */
struct gpu_private_page {
    uint64_t page; /* page number */
    uint8_t *host;
    bool used; /* touched by the current group, so that it is cleared for the next */
};

struct gpu_private {
    struct gpu_private_page *pages; /* hash table */
    unsigned count, capacity;
    unsigned used; /* pages with the mark `used` */
};

/* A work-group that runs or waits for its next window. */
struct gpu_group {
    struct gpu_group *next; /* next in a worker's list of free groups */
    uint64_t index;
    uint32_t id[3];
    uint32_t origin[GPU_BASES]; /* by enum gpu_base: added to the positions of its threads */
    uint32_t core;              /* number of its modelled core */
    unsigned rows;              /* number of rows */
    unsigned started, ended;    /* rows that have started, rows that have ended */
    uint64_t budget;            /* bundles left in this window */
    uint64_t work;              /* cycles of all its bundles in this window */
    struct gpu_private memory;
    struct gpu_warp **warp; /* by index: rows that have started and not ended */
    unsigned warp_capacity;
    bool finished;
    struct gpu_group_trace *trace; /* NULL: not traced */
};

/* Bit in the page numbers of an observed table. Handlers do not find such pages, so that each of
 * their accesses takes the slow path and is seen. */
#define GPU_PAGE_HIDDEN (UINT64_C(1) << 63)

/*
 * A note that host code makes of an access, for timing traces. Each operation that may access
 * memory makes one, whether it does or not. The addresses of all lanes follow the note unless they
 * are equal. Accesses of a handler follow a note without lanes.
 */
struct gpu_access_note {
    uint32_t lanes;
    uint8_t bytes;
    uint8_t access;  /* enum gpu_access */
    bool one;        /* one address for all lanes */
    bool by_handler; /* access of one lane by a handler; it belongs to the note before */
    uint64_t address;
};

struct gpu_access_log {
    uint8_t *at; /* place of the next note */
    uint8_t *start, *end;
    size_t ahead;    /* bytes that host code may still write without a check */
    uint64_t hidden; /* GPU_PAGE_HIDDEN while a group is observed; else 0 */
    uint8_t on;      /* host code makes notes */
    uint8_t noted;   /* host code makes notes, and its slow paths do not report accesses */
    bool by_handler; /* the log contains notes of handlers */
};

/* A set of touched pages: an open hash table of blocks of adjacent pages, since buffers are
 * accessed page by page. */
struct gpu_page_block {
    uint64_t number;
    uint64_t pages; /* one bit per page; 0: the place is free */
};
struct gpu_page_set {
    struct gpu_page_block *block;
    size_t blocks, capacity;
    size_t count; /* number of pages */
};

/* One execution by a warp in a worker's counts of bundles. The lower 32 bits count lanes: a window
 * has fewer. */
#define GPU_COUNT_WARP (UINT64_C(1) << 32)
enum { GPU_COUNTED_LANES = 8 }; /* widest warp for which tables of counts exist */

/* Cycles of a worker's groups in a window. */
struct gpu_slices {
    uint64_t *cycles; /* by part of the window and modelled core */
    size_t capacity;
    uint64_t bundles;
};

/* A host thread that runs work-groups. */
struct gpu_worker {
    struct gpu_core core; /* first member: handlers receive its address */
    struct gpu_cores *cores;
    struct gpu_group *group; /* running group */
    unsigned place;          /* place of `group` in the window */
    unsigned places_end;     /* end of the places taken by the worker */
    struct gpu_group *free_groups;
    struct gpu_slices slices;
    pthread_t thread;
    uint64_t window;     /* number of the last window that it ran */
    uint64_t generation; /* generation of the address space to which the soft TLB belongs */
    bool parked;         /* waits for a page */
    bool waiting;        /* waits for the turn of its group */
    bool beginning;      /* `waiting` is for permission to begin the group, not for its turn */
    bool atomics;        /* the soft TLB for atomic operations has entries */
    struct gpu_fault fault;
    uint64_t private_entries[64]; /* numbers of private pages in the soft TLB */
    unsigned private_count;
    /* Counts of this window: */
    uint64_t *counts; /* by bundle index: GPU_COUNT_WARP per execution by a warp, plus its lanes */
    /* Executions of traces. A trace has elements from gpu_trace.place on: rows that reached each of
     * its bundles, then counts of its sides. */
    uint64_t *passes;
    uint64_t divergent; /* divergent executions by warps, in the unit of `counts` */
    uint64_t warps, threads;
    struct gpu_rows rows; /* rows of all jobs */
    struct gpu_page_set pages;
    struct gpu_texture_request texture;
    struct gpu_access_log log;
    struct gpu_flow *flow;  /* counts of the ways between bundles; NULL: not counted */
    struct gpu_code *entry; /* first bundle of the job; NULL: not looked up yet */
    struct gpu_recording recorded;
    /* per bundle of the running trace's sides, in the unit of `counts` */
    uint64_t sides[GPU_TRACE_SIDES];
    /* By lane mask: the addend to `counts` for a bundle that these lanes execute. Unused where
     * warps have more than GPU_COUNTED_LANES lanes. */
    uint64_t lane_counts[1 << GPU_COUNTED_LANES];
    unsigned spare_count;
    struct gpu_warp *spare[GPU_SPARE_ROWS]; /* free rows */
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
    /* by place: an unfinished group; NULL: it has not begun, or has ended */
    struct gpu_group **group;
    bool *done; /* by place: it has run in this window */
    unsigned capacity;
    unsigned count;      /* number of groups */
    unsigned unfinished; /* unfinished groups of earlier windows; they have the first places */
    uint64_t first;      /* index of the first group that begins in this window */
    unsigned parts;      /* upper bound of the parts */
    bool open;           /* the window has begun and not ended */
    unsigned most;       /* most unfinished groups that GPU_GROUPS_BYTES allows */
    bool gated;          /* more than `most` are possible: a group needs permission to begin */
    /* Under the cores' lock, in a gated window: */
    unsigned held; /* unfinished groups before the cores' `turn` */
    unsigned end;  /* first place whose group may not begin; it is left to the next window */
};

struct gpu_compute {
    struct gpu_cores *cores;
    const struct gpu_address_space *as;
    uint64_t generation; /* generation of the address space to which soft TLBs belong */
    struct gpu_compute_job job;
    struct gpu_places places;
    struct gpu_shader *shader;
    uint64_t next_group;  /* index of the first group that is in no window yet */
    uint64_t group_bytes; /* memory that a group may need, in the terms of GPU_GROUPS_BYTES */
    struct gpu_window window;
    uint64_t cycles;     /* all cycles of the job */
    uint64_t unreported; /* part of `cycles` that no step has reported yet */
    unsigned windows;    /* windows that ended in this step */
    uint64_t bundles;    /* bundles executed in this step */
    uint64_t number;     /* number of the job, from 1 for the first of the cores */
    struct gpu_counters sum;
    struct gpu_flow_sum *flow; /* executed bundles and ways; NULL: not counted */
    struct gpu_page_set pages;
    /* The first error in the order of work-groups. */
    uint32_t error; /* enum gpu_job_error */
    uint64_t error_address;
    uint64_t error_group;
    struct gpu_refusal refusal;  /* cause of the error; no text: another cause */
    struct gpu_job_trace *trace; /* NULL: not traced, or given away */
    uint64_t issued;             /* ticks for which its warps occupied engines, in the time model */
};

struct gpu_cores {
    const struct gpu_variant *variant;
    struct gpu_decoder decoder;
    size_t warp_bytes;
    struct gpu_worker **workers;
    unsigned worker_count;
    struct gpu_stats *stats;
    struct gpu_shader *shaders[GPU_MAX_SHADERS];
    uint64_t job_count;
    uint64_t held_bytes; /* group_bytes of all groups that continue in a later window */
    FILE *trace;
    struct gpu_timing *timing; /* gpu_cores_timing(); NULL: off */
    struct gpu_timing_model
        *model; /* gpu_cores_model(); NULL: windows take the time of their work */
    struct gpu_account_sink *accounts; /* gpu_cores_account(); NULL: off */
    bool describe;                     /* shaders are summarised */
    struct gpu_translator *translator;
    uint32_t translate_after;     /* executions of a bundle until it is hot; 0: never */
    struct gpu_refusal *refusals; /* refusals that were reported */
    const bool *leaving;          /* gpu_cores_heed() */
    uint64_t window_bundles;      /* gpu_cores_set_window() */
    bool patient; /* workers spin for a moment before they sleep: each has a host processor */

    pthread_mutex_t lock;
    pthread_cond_t go;   /* wakes workers */
    pthread_cond_t idle; /* wakes the thread that waits for the workers */
    /* Under the lock: */
    unsigned running;       /* workers that are neither idle nor parked */
    unsigned absent;        /* part of `running` that has not entered the window yet */
    bool stepping;          /* a window is open, or another will follow */
    uint64_t window_number; /* incremented when a window opens */
    uint64_t retry_number;  /* incremented when parked workers try again */
    bool quit;
    bool cancelled;          /* the job is being given up: failing accesses return 0 */
    struct gpu_compute *job; /* running job, or the last that ran */
    unsigned turn;           /* first place of the window whose group is not known to have run */
    /* Not under the lock; in a cache line of their own since others read the fields above: */
    _Alignas(128) unsigned next_place; /* first place of the window that no worker has taken */
    unsigned waiting;                  /* workers that wait for the turn of their group */
};

/* ---- between the files ----------------------------------------------------------------------- */

/* Allocates group `index` of the job for worker `k`. No row starts yet. */
struct gpu_group *gpu_group_begin(struct gpu_worker *k, uint64_t index);
/* Recycles a group that has ended: its memory stays with the worker. */
void gpu_group_end(struct gpu_worker *k, struct gpu_group *g);
/* Frees an unfinished group, which does not continue. */
void gpu_group_drop(struct gpu_cores *c, struct gpu_group *g);
/* Frees the memory of ended groups. */
void gpu_groups_free(struct gpu_worker *k);
/* Runs a group until it ends, its budget is spent or the job has failed. */
void gpu_group_run(struct gpu_worker *k, struct gpu_group *g);

/* Initialises the memory `w` as row `index` of group `g`. */
void gpu_warp_start(struct gpu_worker *k, struct gpu_group *g, struct gpu_warp *w, unsigned index);
/* Turns a row that ended with its registers unchanged into the row `rows` further on in the group,
 * with as many threads. The rows between have ended likewise. */
void gpu_warp_skip(struct gpu_worker *k, struct gpu_warp *w, unsigned rows);
/* Counts `rows` full rows that have begun without anything reading their initial registers. */
void gpu_warp_count(struct gpu_worker *k, unsigned rows);
/* Runs a row until all its warps wait or have ended, or the group's budget is spent. */
void gpu_warp_run(struct gpu_worker *k, struct gpu_warp *w);

/* Spins for the next window while other workers still run this one. */
void gpu_worker_await_window(const struct gpu_worker *k);
/* Waits until the faulting page is served. false: it will not be. gpu_worker_await_page() removes
 * outdated pages from the soft TLB in addition. */
bool gpu_worker_park(struct gpu_worker *k, const struct gpu_fault *fault);
bool gpu_worker_await_page(struct gpu_worker *k, const struct gpu_fault *fault);
/* Waits until all groups before the worker's in the window have run. */
void gpu_worker_await_turn(struct gpu_worker *k);
/* Whether the group at the worker's place may begin in this gated window. Waits until that is
 * decided. */
bool gpu_worker_may_begin(struct gpu_worker *k);
/* Marks the group at the worker's place as run, and wakes workers that waited for that. */
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

/* The kind of a page as the first of its two counters (reads, writes). */
enum gpu_access_counter gpu_kind_of_page(const struct gpu_compute_job *job, uint64_t page);
void gpu_worker_flush(struct gpu_worker *k);
/* Turns the reporting of accesses of the group that runs next on or off. */
void gpu_worker_observe(struct gpu_worker *k, bool observed);
/* Converts the worker's counts of a shader's traces into counts of bundles and accesses. */
void gpu_tally_collect(struct gpu_worker *k, const struct gpu_shader *s);
/* Removes the private pages of the previous group from the soft TLB. */
void gpu_worker_leave_group(struct gpu_worker *k);

/* Zeroes the pages that the group touched, for the next group; gpu_private_release() frees all. */
void gpu_private_clear(struct gpu_private *p);
void gpu_private_release(struct gpu_private *p);
/* Upper bound of a group's private pages, at most GPU_PRIVATE_PAGES. */
uint64_t gpu_private_pages(const struct gpu_compute_job *job);

/* Adds a page number; without effect at PAGE_SET_MAX pages. */
void gpu_page_set_add(struct gpu_page_set *s, uint64_t page);
/* Adds the pages of `from`, which becomes empty. */
void gpu_page_set_merge(struct gpu_page_set *s, struct gpu_page_set *from);
void gpu_page_set_clear(struct gpu_page_set *s);
void gpu_page_set_release(struct gpu_page_set *s);

/* Prints an executed bundle and the registers that it changed. `before` holds their values before
 * it. */
void gpu_trace_bundle(struct gpu_worker *k, const struct gpu_warp *w, const struct gpu_code *code,
                      const uint32_t *before);

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
