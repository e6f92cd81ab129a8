/*
 * Inside the shader cores. A job is cut into windows of work-groups; a window's groups are spread over
 * the workers (host threads); a worker runs the rows of a group, warps that it
 * takes together, one after the other, bundle by bundle.
 *
 *     cores.c   workers, waiting for pages               group.c   work-groups, barriers
 *     window.c  which groups run before time passes
 *     warp.c    bundles, branches, divergence            shader.c  cache of decoded bundles
 *     decode.c  a bundle as a list of operations         access.c  memory behind the soft TLB
 *     refusal.c what cannot be executed                start.c   what threads find in registers
 *     traced.c  rows in host code                      record.c  which bundles become such
 *     level.c   warp.c for the host's instruction set
 *     compute.c (one floor up) descriptors of a job      stats.c   what was executed
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
    GPU_POOL_SLOTS = 384, /* constants and uniforms of a shader that have a slot of their own */
    GPU_SPILL_SLOTS = 24, /* slots that a bundle fills itself when the pool is full */
    GPU_UNIFORM_WORDS = 256,
    GPU_CODE_BUCKETS = 256,
    GPU_MAX_BUNDLES = 32768,                /* decoded, of a shader */
    GPU_MAX_PLACES = 1 << 17,               /* of bundles and sides in a shader's traces */
    GPU_MAX_SHADERS = 64,                   /* kept */
    GPU_KEPT_BUNDLES = 2 * GPU_MAX_BUNDLES, /* of all shaders that are kept for later jobs */
    /* Bound of the host code of all traces of the cores, in bundles of about 5 KB; each function counts as
     * GPU_FUNCTION_CODE bundles more. Shaders that are kept for later jobs hold at most half of it. */
    GPU_HOST_CODE = 1 << 17,
    GPU_FUNCTION_CODE = 100,
    GPU_MAX_REGISTERS = 256,
    GPU_WINDOW_GROUPS = 64,     /* work-groups of a window, of a part of it */
    GPU_WINDOW_PARTS = 64,      /* at most, of a window whose groups are short */
    GPU_WINDOW_BUNDLES = 16384, /* that a work-group may run in a window */
    GPU_WINDOW_WORK = 1 << 23,  /* bundles that a window of several parts should come to */
    GPU_WINDOW_ROWS = 1 << 15,  /* rows of such a window, at most */
    GPU_STEP_WINDOWS = 16,      /* of a step at most */
    GPU_HEED_BUNDLES = 1024,    /* a divisor of both */
    GPU_PRIVATE_PAGES = 8192, /* of a work-group; what is beyond is shared, as in the real memory */
    GPU_SPARE_ROWS = 256,     /* kept by a worker */
    /* Memory of all work-groups of the cores that have begun and not ended: private pages and registers. One group per job may
     * run in any case. */
    GPU_GROUPS_BYTES = 1 << 29,
    GPU_TRACE_BYTES = 1 << 29, /* of a job's trace for time models */
};

/* ---- decoded shaders ------------------------------------------------------------------------- */

/* A word of the pool: a constant, or the push uniform of that index. */
struct gpu_pool_word {
    bool uniform;
    uint32_t value;
};

/* What traces do where rows may part: go on with those that do not, until many do. */
enum gpu_parting { GPU_PARTING_SELDOM, GPU_PARTING_OFTEN, GPU_PARTING_FOR_GOOD };

/* A decoded bundle. Never changes, but for the links, and lives as long as its shader. */
struct gpu_code {
    uint64_t address;
    uint64_t next;              /* address of the bundle behind it */
    struct gpu_code *following; /* decoded; NULL: not looked up yet */
    struct gpu_code *taken;     /* where a branch went last; NULL: nowhere yet */
    struct gpu_code *bucket;    /* next one of the hash bucket */
    uint32_t index;             /* counts up in the shader */
    uint32_t flags;             /* enum gpu_bundle_flag */
    uint32_t pool;              /* words of the pool that it needs */
    uint32_t cycles;
    uint32_t bytes;          /* it takes in memory */
    uint32_t heat;           /* times it was executed alone, until it was hot; then from 0 again */
    struct gpu_trace *trace; /* that begins here, and others; NULL: none */
    uint32_t traces;         /* so many; GPU_TRACES: no more are to be made */
    /* Recordings that began here and were given up since their row parted, or did not where it was to. */
    uint32_t parted, together;
    uint8_t parting; /* enum gpu_parting: behind it */
    struct gpu_profile profile;
    const char *missing; /* a feature of the GPU for want of which it is no bundle; NULL: none */
    uint8_t *raw;        /* as it was in memory; behind the operations */
    _Alignas(8) struct gpu_op ops[];
};

struct gpu_shader {
    uint64_t address;
    const struct gpu_address_space *as;
    uint32_t uniforms;    /* words that its jobs have, if places depend on that; else 0 */
    uint64_t used;        /* number of the job that used it last */
    unsigned users;       /* jobs that run it */
    bool in_order;        /* a group of its jobs has waited for its turn */
    bool dropped;         /* no longer in the cache: its last user frees it */
    pthread_mutex_t lock; /* for decoding */
    struct gpu_code *bucket[GPU_CODE_BUCKETS];
    struct gpu_code **codes; /* by index */
    unsigned code_count, code_capacity;
    unsigned places;    /* of its traces in gpu_worker.passes */
    unsigned host_code; /* that its traces hold */
    struct gpu_pool_word pool[GPU_POOL_SLOTS];
    unsigned pool_count;
    struct gpu_shader_summary summary;
    bool summarised; /* it was looked for, whether it is known or not */
};

/* What decoding needs to know of the cores. */
struct gpu_decoder {
    const struct gpu_isa *isa;
    const struct gpu_variant *variant;
    unsigned lanes;      /* of a row */
    unsigned width;      /* lanes of a warp */
    unsigned row;        /* threads of a row: those of whole warps */
    bool scalar;         /* threads: a row counts as one warp */
    unsigned pool_slots; /* of a shader: as many as a warp's width leaves room for */
    unsigned bundle_cycles, stage_cycles;
    bool observed; /* host code notes its accesses: gpu_access_log */
    uint32_t traits;
    uint8_t *classes[GPU_MAX_UNITS];     /* enum gpu_form_class of each form */
    uint32_t preload[GPU_PRELOAD_COUNT]; /* registers */
};

/*
 * Decodes the bundle that begins with the `available` bytes at `code`. Its pool words are added to
 * those of `shader`. An invalid bundle becomes one that faults, and *valid false. NULL: out of memory.
 */
struct gpu_code *gpu_decode_bundle(const struct gpu_decoder *d, struct gpu_shader *shader,
                                   const uint8_t *code, size_t available, uint64_t address,
                                   bool *valid);

/* The shader at `address`, decoded before or empty, for a job with so many words of uniforms that gives it
 * back with gpu_shader_put(). */
struct gpu_shader *gpu_shader_get(struct gpu_cores *c, const struct gpu_address_space *as,
                                  uint64_t address, uint32_t uniforms);
void gpu_shader_put(struct gpu_shader *s);
/* Takes a shader out of the cache; NULL is allowed. */
void gpu_shader_drop(struct gpu_shader *s);

/* Adds a bundle; under the shader's lock. */
void gpu_shader_insert(struct gpu_shader *s, struct gpu_code *c);

/* Copies code from memory; returns how many bytes could be read, *fault (may be NULL) says why not
 * all. */
size_t gpu_code_read(const struct gpu_address_space *as, uint64_t va, uint8_t *out, size_t bytes,
                     struct gpu_fault *fault);

/* Finds out how large the shader is that stands in memory, for reports. */
void gpu_shader_summarise(const struct gpu_decoder *d, const struct gpu_address_space *as,
                          struct gpu_shader *s);

/* A bundle that is decoded already, or NULL. */
struct gpu_code *gpu_shader_find(const struct gpu_shader *s, uint64_t address);

/* ---- a job ----------------------------------------------------------------------------------- */

struct gpu_uniform_block {
    uint64_t address, bytes;
};

/* An attribute with the buffer it names; an image for compute shaders. */
struct gpu_attribute {
    uint32_t format;
    int64_t offset;
    uint64_t address; /* of the buffer */
    uint64_t bytes;
    uint32_t stride;
    uint32_t type;                                  /* enum mali_attribute_type */
    uint32_t divisor, divisor_shift, divisor_extra; /* of instances */
    uint32_t size[3];                               /* of an image */
    uint32_t row_stride, slice_stride;
    bool image;
};

/* A compute job as its descriptors say; every number is checked. */
struct gpu_compute_job {
    uint64_t header; /* address */
    uint64_t shader_address;
    uint32_t size[3]; /* threads of a work-group */
    uint32_t groups[3];
    uint32_t threads; /* of a work-group */
    uint64_t group_total;
    uint32_t preload; /* bit an enum gpu_preload */
    uint32_t uniform_words;
    uint32_t uniform[GPU_UNIFORM_WORDS];
    struct gpu_uniform_block *blocks;
    unsigned block_count;
    struct gpu_attribute *attributes;
    unsigned attribute_count;
    struct gpu_textures textures;
    uint64_t local_base, local_bytes;   /* of a work-group */
    uint64_t thread_base, thread_bytes; /* of a thread */
};

/* Where threads stand in their work-group, and in which of its warps, by thread; beyond the last one as many as a row
 * has lanes. */
enum gpu_place { GPU_PLACE_X, GPU_PLACE_Y, GPU_PLACE_Z, GPU_PLACE_XY, GPU_PLACE_WARP, GPU_PLACES };
/* What is added to a place. */
enum gpu_base { GPU_BASE_X, GPU_BASE_Y, GPU_BASE_Z, GPU_BASE_NONE, GPU_BASES };
/* What threads find where they start that tells where they stand. */
struct gpu_stand {
    bool is_one;
    enum gpu_place place;
    enum gpu_base base;
};
/* Of an enum gpu_preload; NULL: it tells something else. */
const struct gpu_stand *gpu_stand_of(unsigned what);
/* Registers in which threads find such, which the job wants. */
struct gpu_preloaded {
    uint32_t number;
    enum gpu_base base;
    const uint32_t *place; /* by thread */
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

/* Reads the descriptors. GPU_PROGRESS_MORE: good; otherwise *out is complete. */
bool gpu_compute_read(const struct gpu_variant *variant, const struct gpu_address_space *as,
                      uint64_t header, struct gpu_compute_job *job, struct gpu_outcome *out);
void gpu_compute_job_release(struct gpu_compute_job *job);

/* A page of memory that only one work-group has: local and thread memory. */
struct gpu_private_page {
    uint64_t page; /* number */
    uint8_t *host;
    bool used; /* by this group, so that it must be cleared for the next */
};

struct gpu_private {
    struct gpu_private_page *pages; /* hash table */
    unsigned count, capacity;
    unsigned used; /* pages with the mark `used` */
};

/* A work-group that runs, or waits for its next window. */
struct gpu_group {
    struct gpu_group *next; /* in a worker's list of free ones */
    uint64_t index;
    uint32_t id[3];
    uint32_t origin[GPU_BASES]; /* enum gpu_base: what all its threads' places begin with */
    uint32_t core;              /* modelled core */
    unsigned rows;              /* in all */
    unsigned started, ended;    /* of them */
    uint64_t budget;            /* bundles left in this window */
    uint64_t work;              /* cycles of all its bundles in this window */
    struct gpu_private memory;
    struct gpu_warp **warp; /* started rows that have not ended, by index */
    unsigned warp_capacity;
    bool finished;
    struct gpu_group_trace *trace; /* NULL: it is not traced */
};

/* In an observed table pages have this bit, so that handlers do not find them and every access of theirs is seen. */
#define GPU_PAGE_HIDDEN (UINT64_C(1) << 63)

/*
 * What host code notes of its accesses, for traces: for each operation that may access memory one, whether it does or
 * not; addresses of all lanes stand behind it unless they have one. A handler's accesses follow a note without lanes.
 */
struct gpu_access_note {
    uint32_t lanes;
    uint8_t bytes;
    uint8_t access;  /* enum gpu_access */
    bool one;        /* address for all */
    bool by_handler; /* of one lane; it belongs to the note before */
    uint64_t address;
};

struct gpu_access_log {
    uint8_t *at; /* where the next note goes */
    uint8_t *start, *end;
    size_t ahead;    /* bytes that host code may still write without asking */
    uint64_t hidden; /* GPU_PAGE_HIDDEN while a group is observed */
    uint8_t on;      /* host code makes notes */
    uint8_t noted;   /* and those of its slow ways are not told */
    bool by_handler; /* there are notes of handlers among them */
};

/* Pages that were touched: an open hash table of blocks of pages that lie side by side, as buffers are gone through page by page. */
struct gpu_page_block {
    uint64_t number;
    uint64_t pages; /* by bit; 0: the place is empty */
};
struct gpu_page_set {
    struct gpu_page_block *block;
    size_t blocks, capacity;
    size_t count; /* of pages */
};

/* An execution in a worker's counts of bundles. A window has fewer lanes in all. */
#define GPU_COUNT_WARP (UINT64_C(1) << 32)
enum { GPU_COUNTED_LANES = 8 }; /* of which tables are kept */

/* What a worker's groups did in a window. */
struct gpu_slices {
    uint64_t *cycles; /* by part and modelled core */
    size_t capacity;
    uint64_t bundles;
};

/* A host thread. */
struct gpu_worker {
    struct gpu_core core; /* first: handlers know only this */
    struct gpu_cores *cores;
    struct gpu_group *group; /* that it runs */
    unsigned place;          /* of it in the window */
    unsigned places_end;     /* the worker has taken those before it, too */
    struct gpu_group *free_groups;
    struct gpu_slices slices;
    pthread_t thread;
    uint64_t window;     /* number of the window it ran last */
    uint64_t generation; /* of the address space, that its table belongs to */
    bool parked;         /* waits for a page */
    bool waiting;        /* for its group's turn */
    bool beginning;      /* for leave to begin the group, rather than for its turn */
    bool atomics;        /* its table of pages for atomic operations is in use */
    struct gpu_fault fault;
    uint64_t private_entries[64]; /* page numbers of private pages in the table */
    unsigned private_count;
    /* Counted in this window. */
    uint64_t
        *counts; /* by index of the bundle: GPU_COUNT_WARP an execution of a warp, and the lanes */
    /* Likewise of traces, from place gpu_trace.place of each on: at its bundles what went as far, then what its sides did. */
    uint64_t *passes;
    uint64_t divergent; /* as executions of warps in `counts` */
    uint64_t warps, threads;
    struct gpu_rows rows; /* in all jobs */
    struct gpu_page_set pages;
    struct gpu_texture_request texture;
    struct gpu_access_log log;
    struct gpu_code *entry; /* where the job's threads start; NULL: not looked up yet */
    struct gpu_recording recorded;
    uint64_t
        sides[GPU_TRACE_SIDES]; /* of a trace that runs: as `counts`, of each of their bundles */
    /* By lanes, as bits: what a bundle that they execute adds to `counts`; where warps are no wider. */
    uint64_t lane_counts[1 << GPU_COUNTED_LANES];
    unsigned spare_count;
    struct gpu_warp *spare[GPU_SPARE_ROWS]; /* rows nobody uses now */
};

/* What a shader wanted that the GPU cannot execute. */
struct gpu_refusal {
    struct gpu_refusal *next;
    const char *name;   /* of the instruction; NULL: no instruction was found */
    const char *detail; /* what of it; NULL: all */
    char text[256];
};

/* Groups that run before virtual time passes. Its parts, of GPU_WINDOW_GROUPS groups, take the cycles that windows of their own
 * would take. */
struct gpu_window {
    struct gpu_group **group; /* by place: one that goes on; NULL: it has yet to begin, or ended */
    bool *done;               /* by place: it has run in this window */
    unsigned capacity;
    unsigned count;    /* of groups */
    unsigned going_on; /* the first ones, which began in a window before */
    uint64_t first;    /* index of the first one that begins */
    unsigned parts;    /* at most */
    bool open;         /* it has begun and has not ended */
    unsigned most;     /* groups that may have begun and not ended, by GPU_GROUPS_BYTES */
    bool gated;        /* there are more: a group asks whether it may begin */
    /* Under the cores' lock, of a gated window: */
    unsigned held; /* groups before the cores' `turn` that have not ended */
    unsigned end;  /* no group begins at this place and beyond; they are the next window's */
};

struct gpu_compute {
    struct gpu_cores *cores;
    const struct gpu_address_space *as;
    uint64_t generation; /* of the address space, that soft TLBs belong to */
    struct gpu_compute_job job;
    struct gpu_places places;
    struct gpu_shader *shader;
    uint64_t next_group;  /* index of the first that is in no window yet */
    uint64_t group_bytes; /* memory that a group may need, as GPU_GROUPS_BYTES counts it */
    struct gpu_window window;
    uint64_t cycles;  /* in all */
    uint64_t untold;  /* of them, that no step has told yet */
    unsigned windows; /* that ended in this step */
    uint64_t bundles; /* of them */
    uint64_t number;  /* of the job, counted since the cores were made */
    struct gpu_counters sum;
    struct gpu_page_set pages;
    /* The first thing that went wrong. */
    uint32_t error; /* enum gpu_job_error */
    uint64_t error_address;
    uint64_t error_group;
    struct gpu_refusal refusal;  /* that the error comes from; no text: it comes from another */
    struct gpu_job_trace *trace; /* NULL: it is not traced, or was given away */
    uint64_t issued;             /* ticks for which its warps held engines, of the time model */
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
    uint64_t held_bytes; /* group_bytes of all groups that go on in a later window */
    FILE *trace;
    struct gpu_timing *timing; /* gpu_cores_timing(); NULL: it is not wanted */
    struct gpu_timing_model
        *model;    /* gpu_cores_model(); NULL: windows take the time of their work */
    bool describe; /* shaders are summarised */
    struct gpu_translator *translator;
    uint32_t translate_after;     /* executions of a bundle; 0: never */
    struct gpu_refusal *refusals; /* that were said */
    const bool *leaving;          /* gpu_cores_heed() */
    uint64_t window_bundles;      /* gpu_cores_set_window() */
    bool patient; /* workers wait a moment before they sleep: each has a processor of the host */

    pthread_mutex_t lock;
    pthread_cond_t go;   /* for workers */
    pthread_cond_t idle; /* for the thread that waits for them */
    /* Under the lock: */
    unsigned running;       /* workers that are neither idle nor parked */
    unsigned absent;        /* of them, that have not come to the window yet */
    bool stepping;          /* there is a window to run, or one will follow */
    uint64_t window_number; /* counts up when there is a window to run */
    uint64_t retry_number;  /* counts up when parked workers shall try again */
    bool quit;
    bool cancelled;          /* the job is being given up: accesses that fail give 0 */
    struct gpu_compute *job; /* that runs, or ran last */
    unsigned turn; /* the first place of the window whose group is not known to have run */
    /* Not under it, and written while others read what stands above: */
    _Alignas(128) unsigned next_place; /* of the window, that no worker has taken */
    unsigned waiting;                  /* workers that wait for their group's turn */
};

/* ---- between the files ----------------------------------------------------------------------- */

/* Work-groups. */
struct gpu_group *gpu_group_begin(struct gpu_worker *k, uint64_t index);
/* It has ended: its memory is the worker's again. */
void gpu_group_end(struct gpu_worker *k, struct gpu_group *g);
/* It will not go on. */
void gpu_group_drop(struct gpu_cores *c, struct gpu_group *g);
/* Gives back the memory of groups that ended. */
void gpu_groups_free(struct gpu_worker *k);
/* Runs a group until it ends, its budget is spent or the job has failed. */
void gpu_group_run(struct gpu_worker *k, struct gpu_group *g);

/* Rows of warps. */
void gpu_warp_start(struct gpu_worker *k, struct gpu_group *g, struct gpu_warp *w, unsigned index);
/* A row has ended and left its registers unused, and so have those before the one that is so many further on in the group: its
 * memory becomes that row, which has as many threads. */
void gpu_warp_skip(struct gpu_worker *k, struct gpu_warp *w, unsigned rows);
/* So many rows with all their threads have begun, and nobody reads what they found. */
void gpu_warp_count(struct gpu_worker *k, unsigned rows);
/* Runs until all warps wait or have ended, or the group's budget is spent. */
void gpu_warp_run(struct gpu_worker *k, struct gpu_warp *w);

/* Waits until the page is served. false: it will not be. */
bool gpu_worker_park(struct gpu_worker *k, const struct gpu_fault *fault);
/* Waits until all groups of the window that stand before the worker's have run. */
void gpu_worker_await_turn(struct gpu_worker *k);
/* Whether the group at the worker's place may begin in this gated window; waits until that is known. */
bool gpu_worker_may_begin(struct gpu_worker *k);
/* Notes that the job fails, unless a group with a lower index failed before. `refusal` may be NULL. */
void gpu_worker_fail(struct gpu_worker *k, uint32_t error, uint64_t address,
                     const struct gpu_refusal *refusal);

/* Says what it is in `code` that the warp cannot execute. */
void gpu_refusal_describe(const struct gpu_worker *k, const struct gpu_warp *w,
                          const struct gpu_code *code, struct gpu_refusal *r);
/* Its text, which stays as long as the cores, if it is the first of its kind; else NULL. */
const char *gpu_refusal_keep(struct gpu_cores *c, const struct gpu_refusal *r);
void gpu_refusals_free(struct gpu_cores *c);

/* What kind of memory a page is: the first of its two counters (reads, writes). */
enum gpu_access_counter gpu_kind_of_page(const struct gpu_compute_job *job, uint64_t page);
void gpu_worker_flush(struct gpu_worker *k);
/* Whether accesses of the group that runs next are to be seen. */
void gpu_worker_observe(struct gpu_worker *k, bool observed);
/* Adds what its traces of a shader did to what it counted of bundles and accesses. */
void gpu_tally_collect(struct gpu_worker *k, const struct gpu_shader *s);
/* Makes the table forget the private pages of the group that ran before. */
void gpu_worker_leave_group(struct gpu_worker *k);

void gpu_private_clear(struct gpu_private *p);
void gpu_private_release(struct gpu_private *p);
/* Private pages that a group of the job may have. */
uint64_t gpu_private_pages(const struct gpu_compute_job *job);

void gpu_page_set_add(struct gpu_page_set *s, uint64_t page);
/* Adds the pages of another set, which is empty then. */
void gpu_page_set_merge(struct gpu_page_set *s, struct gpu_page_set *from);
void gpu_page_set_clear(struct gpu_page_set *s);
void gpu_page_set_release(struct gpu_page_set *s);

/* Prints a bundle that was executed and the registers that it changed; `before` is what they held. */
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
