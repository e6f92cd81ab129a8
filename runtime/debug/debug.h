/*
 * A debugger of shaders: stops a compute job in the interpreter, shows and changes its registers
 * and memory, and lets it go on by steps. Text commands (commands.c), GDB (remote.h) and editors
 * use it.
 *
 * A warp of the work-group that runs is a thread. The warps of a group run one after the other,
 * from barrier to barrier; some run together as a row, and a step of one is a step of all of its
 * row. All functions but gpu_debug_new(), gpu_debug_attach(), gpu_debug_break(),
 * gpu_debug_command() and the like need a stopped job: they are called from `stopped`.
 */
#ifndef RUNTIME_DEBUG_DEBUG_H
#define RUNTIME_DEBUG_DEBUG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/base/error.h"

struct gpu_address_space;
struct gpu_cores;
struct gpu_debug;
struct gpu_inspector;
struct gpu_isa;

/* ---- life ------------------------------------------------------------------------------------ */

/* Whom the debugger serves. */
struct gpu_debug_front {
    void *opaque;
    /* The job has stopped. It goes on when the function returns, as gpu_debug_go() has said. */
    void (*stopped)(void *opaque, struct gpu_debug *d);
    /* Called every now and then while the job runs. true: stop. NULL: never. */
    bool (*poll)(void *opaque);
};

/* Makes a debugger of jobs whose kernel has this name (NULL: not known). */
struct gpu_debug *gpu_debug_new(const struct gpu_isa *isa, const char *kernel,
                                const struct gpu_debug_front *front);
void gpu_debug_free(struct gpu_debug *d);
/* Inspects cores with one thread that have run no job; the debugger must live as long. */
void gpu_debug_attach(struct gpu_debug *d, struct gpu_cores *cores);
/* What gpu_debug_attach() gives the cores, for a caller that gives it to them itself. */
const struct gpu_inspector *gpu_debug_inspector(const struct gpu_debug *d);
/* Requests a stop at the next bundle. Allowed at any time. */
void gpu_debug_pause(struct gpu_debug *d);
/* Removes all stops and runs to the end. */
void gpu_debug_leave(struct gpu_debug *d);

/* ---- why it has stopped ---------------------------------------------------------------------- */

enum gpu_debug_reason {
    GPU_DEBUG_PAUSE,
    GPU_DEBUG_STEP,
    GPU_DEBUG_BREAK,
    GPU_DEBUG_WATCH,
    GPU_DEBUG_FAULT,
    GPU_DEBUG_DIVERGENCE,
    GPU_DEBUG_NAN,
    GPU_DEBUG_RACE,
    GPU_DEBUG_UNWRITTEN,
};

struct gpu_debug_stop {
    enum gpu_debug_reason reason;
    uint64_t thread; /* selected warp */
    unsigned lane;   /* selected lane of the warp */
    unsigned point;  /* number of the breakpoint; 0: none */
    uint64_t va;     /* WATCH: the watched address */
    char text[320];  /* a sentence */
};
/* The last stop, or all 0 before the first. It stays in place, and changes with the next stop and
 * with gpu_debug_select(). */
const struct gpu_debug_stop *gpu_debug_last_stop(const struct gpu_debug *d);
/* Selects a warp and a lane for commands. false: there is no such lane. */
bool gpu_debug_select(struct gpu_debug *d, uint64_t thread, unsigned lane);

/* ---- going on -------------------------------------------------------------------------------- */

enum gpu_debug_motion {
    GPU_DEBUG_RUN,
    GPU_DEBUG_BY_STAGE,  /* to the warp's next stage, or bundle */
    GPU_DEBUG_BY_BUNDLE, /* to the warp's next bundle */
    GPU_DEBUG_BY_ITEM,   /* to the next bundle of the selected lane */
    GPU_DEBUG_BY_WARP,   /* to the next bundle of another warp */
    GPU_DEBUG_OUT,       /* until the warp has ended */
};
/* How the job goes on when `stopped` returns; for the selected warp. */
void gpu_debug_go(struct gpu_debug *d, enum gpu_debug_motion motion);

/* ---- stops ----------------------------------------------------------------------------------- */

enum gpu_debug_kind {
    GPU_DEBUG_AT_ADDRESS, /* a bundle */
    GPU_DEBUG_AT_BUNDLE,  /* a bundle, by its number in the shader */
    GPU_DEBUG_AT_KERNEL,  /* the first bundle of a kernel */
    GPU_DEBUG_AT_ACCESS,  /* an access of memory */
    GPU_DEBUG_AT_FAULT,
    GPU_DEBUG_AT_DIVERGENCE,
    GPU_DEBUG_AT_NAN,
    GPU_DEBUG_AT_RACE,
    GPU_DEBUG_AT_UNWRITTEN,
    GPU_DEBUG_KINDS,
};

enum { GPU_DEBUG_LOADS = 1, GPU_DEBUG_STORES = 2 };

struct gpu_debug_point {
    enum gpu_debug_kind kind;
    uint64_t address, bytes; /* address, number of the bundle, or the memory */
    unsigned accesses;       /* of GPU_DEBUG_LOADS, GPU_DEBUG_STORES */
    const char *kernel;      /* NULL: every kernel */
    const char *condition;   /* expression of a lane; NULL: none */
};
/* Adds a breakpoint and returns its number, from 1. 0: *err has what is wrong. */
unsigned gpu_debug_break(struct gpu_debug *d, const struct gpu_debug_point *p, struct error *err);
/* Removes it. false: there is none of the number. */
bool gpu_debug_delete(struct gpu_debug *d, unsigned number);

/* An access that a check of an earlier run found to be wrong. RACE and UNWRITTEN stops are made at
 * these. */
struct gpu_debug_finding {
    enum gpu_debug_reason reason;
    uint64_t shader, bundle, group, address;
    unsigned item;    /* number of the work-item in its group */
    const char *text; /* copied */
};
/* Adds a finding. Allowed before the job begins. */
void gpu_debug_expect(struct gpu_debug *d, const struct gpu_debug_finding *f);
/* Whether findings are needed for the points that exist. */
bool gpu_debug_needs_findings(const struct gpu_debug *d);

/* ---- warps ----------------------------------------------------------------------------------- */

enum { GPU_DEBUG_WARPS = 256 /* most warps that are listed */ };

enum gpu_debug_state { GPU_DEBUG_RUNS, GPU_DEBUG_READY, GPU_DEBUG_AT_BARRIER };

struct gpu_debug_warp {
    uint64_t thread; /* id, never 0, of its own among all warps of a job */
    uint32_t group[3];
    unsigned number; /* in the group */
    unsigned width;
    uint32_t live, active; /* lanes, from bit 0 */
    uint64_t pc;           /* lowest address of its lanes */
    enum gpu_debug_state state;
};
/* Fills in up to `most` warps of the stopped group that have not ended, the running ones first.
 * Returns how many there are. */
unsigned gpu_debug_warps(struct gpu_debug *d, struct gpu_debug_warp *out, unsigned most);
bool gpu_debug_find_warp(struct gpu_debug *d, uint64_t thread, struct gpu_debug_warp *out);
/* "group (3,0,0) warp 1, lanes 0xffff", into `text` of `size` bytes. */
void gpu_debug_describe_warp(const struct gpu_debug_warp *w, char *text, size_t size);
/* Address of a lane's next bundle. */
uint64_t gpu_debug_lane_pc(struct gpu_debug *d, const struct gpu_debug_warp *w, unsigned lane);
/* Moves the running lanes of a warp to a bundle. */
bool gpu_debug_jump(struct gpu_debug *d, const struct gpu_debug_warp *w, uint64_t pc,
                    struct error *err);
/* Position of a lane's work-item in the job. */
void gpu_debug_item(struct gpu_debug *d, const struct gpu_debug_warp *w, unsigned lane,
                    uint32_t local[3], uint32_t global[3]);
/* Number of the stage in its bundle that runs next. */
unsigned gpu_debug_stage(const struct gpu_debug *d);
/* Address of the running job's shader. */
uint64_t gpu_debug_shader(const struct gpu_debug *d);
const struct gpu_isa *gpu_debug_isa(const struct gpu_debug *d);
/* Names kernels by the hash of their code (gpu_kernel_hash()), which has 16 digits; `name`, which
 * may be NULL, returns NULL where it knows none. */
void gpu_debug_name_kernels(struct gpu_debug *d, const char *(*name)(void *opaque, uint64_t hash),
                            void *opaque);
/* The name of the stopped kernel, or else its hash; NULL: neither is known. It is valid until the
 * next call. */
const char *gpu_debug_kernel(struct gpu_debug *d);

/* ---- registers and memory -------------------------------------------------------------------- */

enum gpu_debug_bank { GPU_DEBUG_WORK, GPU_DEBUG_TEMPORARY, GPU_DEBUG_UNIFORM };

struct gpu_debug_register {
    char name[24];
    enum gpu_debug_bank bank; /* uniforms are the same for all lanes */
    unsigned words;           /* of 32 bits */
    unsigned slot;
};
/* The registers of the description, results of the stage before, and uniforms. */
const struct gpu_debug_register *gpu_debug_registers(const struct gpu_debug *d, unsigned *count);
/* NULL: there is none of the name. */
const struct gpu_debug_register *gpu_debug_register_of(const struct gpu_debug *d, const char *name,
                                                       size_t length);
/* false: it does not exist in this job. */
bool gpu_debug_get(struct gpu_debug *d, const struct gpu_debug_warp *w, unsigned lane,
                   const struct gpu_debug_register *r, uint32_t *words);
bool gpu_debug_set(struct gpu_debug *d, const struct gpu_debug_warp *w, unsigned lane,
                   const struct gpu_debug_register *r, const uint32_t *words);
/* Memory as the stopped group sees it. Returns the bytes that could be accessed. */
size_t gpu_debug_read(struct gpu_debug *d, uint64_t va, void *out, size_t bytes);
size_t gpu_debug_write(struct gpu_debug *d, uint64_t va, const void *from, size_t bytes);

/* ---- values, code, commands ------------------------------------------------------------------ */

struct gpu_debug_value {
    bool real;
    int64_t whole;
    double number; /* if real */
};
/* Evaluates an expression for a lane. false: *err has the reason. */
bool gpu_debug_evaluate(struct gpu_debug *d, const struct gpu_debug_warp *w, unsigned lane,
                        const char *text, struct gpu_debug_value *out, struct error *err);

/* A bundle's text, which is valid during the call. false ends the listing. */
typedef bool gpu_debug_code_fn(void *opaque, uint64_t address, unsigned index, size_t bytes,
                               const char *text);
void gpu_debug_list(struct gpu_debug *d, gpu_debug_code_fn *fn, void *opaque);

/* Runs a command; `help` lists them. Returns whether the job goes on. Allowed at any time: a
 * command that needs a stopped job says that there is none. */
bool gpu_debug_command(struct gpu_debug *d, const char *line, FILE *out);
/* Prints why and where the job stopped. */
void gpu_debug_print_stop(struct gpu_debug *d, FILE *out);

#endif
