/*
 * Compute jobs on the shader cores. Threads of work-groups run in windows. The length of a window
 * in virtual time depends on its work only, not on the host or the number of host threads.
 */
#ifndef RUNTIME_GPU_COMPUTE_H
#define RUNTIME_GPU_COMPUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/base/error.h"

struct gpu_address_space;
struct gpu_compute;
struct gpu_cores;
struct gpu_isa;
struct gpu_stats;
struct gpu_variant;

/* ---- memory as the GPU sees it --------------------------------------------------------------- */

enum gpu_access {
    GPU_ACCESS_ATOMIC = 0,
    GPU_ACCESS_EXECUTE = 1,
    GPU_ACCESS_READ = 2,
    GPU_ACCESS_WRITE = 3
};
enum { GPU_ACCESS_KINDS = GPU_ACCESS_WRITE + 1 };

/* A page: its host memory and access rights. */
struct gpu_page {
    uint8_t *host;  /* NULL: unmapped, or no memory there */
    uint64_t bytes; /* size of the page (a power of two) */
    bool read, write, execute;
};

/*
 * An address space of the MMU or of a snapshot. translate() looks up the page that holds `va`. It
 * returns 0, or an exception code of the GPU (translation fault of a level, permission fault …),
 * which only the MMU and the driver interpret. It is called by the machine's thread, or by several
 * threads of the cores at a time while the machine waits. It changes no data that others read.
 */
struct gpu_address_space {
    void *opaque;
    uint32_t (*translate)(void *opaque, uint64_t va, enum gpu_access access, struct gpu_page *out);
    uint64_t generation; /* incremented when earlier translations become void */
};

struct gpu_fault { /* a page fault */
    uint64_t va;
    uint32_t code; /* what translate() returned */
    enum gpu_access access;
    uint64_t bundle; /* address of the accessing bundle; 0: not an access of a shader */
};

/* Copies `bytes` bytes at `va`, across page boundaries. false: *fault has the place and cause. */
bool gpu_memory_read(const struct gpu_address_space *as, uint64_t va, void *out, size_t bytes,
                     struct gpu_fault *fault);
bool gpu_memory_write(const struct gpu_address_space *as, uint64_t va, const void *from,
                      size_t bytes, struct gpu_fault *fault);

/* ---- the cores ------------------------------------------------------------------------------- */

/* Executions until the time to translate a bundle pays off. */
enum { GPU_TRANSLATE_AFTER = 8192 };

/* Makes the shader cores of a variant on `threads` host threads, at least 1 and at most
 * 1,023. NULL: out of memory. */
struct gpu_cores *gpu_cores_new(const struct gpu_variant *variant, const struct gpu_isa *isa,
                                unsigned threads);
void gpu_cores_free(struct gpu_cores *c);
struct gpu_stats *gpu_cores_stats(struct gpu_cores *c);
/* Sets the flag by which any thread announces the end of the program. Once it is set, steps return
 * at once with work undone. NULL: never. */
void gpu_cores_set_leaving(struct gpu_cores *c, const bool *leaving);
/* Sets the number of bundles per work-group and window, at least 1. Fewer than 16,384, which is
 * the default, make steps shorter. Groups that do not end in the default get up to 16 times as many
 * in later windows, unless a time model counts the windows. */
void gpu_cores_set_window(struct gpu_cores *c, unsigned bundles);
/* Numbers of rows of all jobs, readable while no job runs: rows that began; rows that ran from
 * start to end in a function for rows; rows whose registers all had to be cleared, which rows after
 * one that ended in host code need not; and rows that ran a loop, or a part of it, at once with
 * others. */
struct gpu_rows {
    uint64_t rows_begun, rows_in_host_code, rows_cleared, rows_abreast;
};
/* Sums over all workers. */
struct gpu_rows gpu_cores_rows(const struct gpu_cores *c);
/* Sets the number of executions after which a bundle, with those behind it, becomes host code; 0:
 * never. Default GPU_TRANSLATE_AFTER. Results and counts do not depend on it. */
void gpu_cores_translate(struct gpu_cores *c, uint32_t after);
/* Keeps host code for other runs, and takes it from earlier ones, as file_cache_choose() says of
 * `where`; by default none. Results and counts do not depend on it. false with *err: the folder
 * cannot be used. */
bool gpu_cores_keep_code(struct gpu_cores *c, const char *where, struct error *err);
/* Functions of host code: how many were compiled, and how many a cache had. */
struct gpu_host_functions {
    uint64_t compiled, kept;
};
struct gpu_host_functions gpu_cores_host_functions(const struct gpu_cores *c);
/* Determines the size of each shader, and counts instructions by name, from now on: for
 * gpu_stats_write(). */
void gpu_cores_describe_shaders(struct gpu_cores *c);
/* Writes each executed bundle with the registers that it changes to `out` (NULL: stop). The order
 * is that of execution only with one thread. */
void gpu_cores_trace(struct gpu_cores *c, FILE *out);

enum { GPU_MAX_CORES = 64 };
/* GPU cycles during which each core had a work-group, over all jobs that have ended:
 * GPU_MAX_CORES counters by the core's number, which counts the bits of shader_present. With a time
 * model they are the model's; without, a core with a work-group is active as long as its job. */
const uint64_t *gpu_cores_active(const struct gpu_cores *c);

/* ---- a job ----------------------------------------------------------------------------------- */

enum gpu_progress {
    GPU_PROGRESS_MORE, /* call gpu_compute_step() again after `cycles` have passed */
    GPU_PROGRESS_DONE,
    GPU_PROGRESS_FAULT,  /* waits for a page: map it and step again, or cancel */
    GPU_PROGRESS_FAILED, /* broken descriptor or shader: `code` is the job's exception status */
};

struct gpu_outcome {
    enum gpu_progress progress;
    uint64_t cycles;        /* GPU cycles of this step */
    struct gpu_fault fault; /* FAULT */
    uint32_t code;          /* FAILED: enum gpu_job_error */
    uint64_t address;       /* FAILED: address of the error */
    /* FAILED: text about what the GPU cannot execute, valid as long as the cores; NULL: another
     * error, or an equal text was returned before */
    const char *refused;
};

/* Errors of a job; the job manager has the GPU's code for each. */
enum gpu_job_error {
    GPU_JOB_OK,
    GPU_JOB_CONFIG_FAULT, /* an invalid descriptor */
    GPU_JOB_READ_FAULT,   /* a descriptor cannot be read */
    GPU_JOB_WRITE_FAULT,
    GPU_JOB_BAD_TYPE,
    GPU_JOB_INVALID_PC,
    GPU_JOB_INVALID_ENCODING,
    GPU_JOB_OUT_OF_MEMORY, /* the tiler's heap is full */
    GPU_JOB_UNIMPLEMENTED, /* exists in the real GPU but is not modelled; it is logged */
};

/* Starts the compute job whose header is at `job` by reading its descriptors. NULL: *out has the
 * reason (FAILED, or FAULT: try again when the page is mapped). */
struct gpu_compute *gpu_compute_start(struct gpu_cores *c, const struct gpu_address_space *as,
                                      uint64_t job, struct gpu_outcome *out);
/* Narrows a job that has made no step to the shader cores in `cores`, bits as in the variant's
 * shader_present: only these cores receive its work-groups. Bits of absent cores are ignored; if no
 * other bits are set, the job keeps all cores. */
void gpu_compute_use(struct gpu_compute *job, uint64_t cores);
/* Runs up to GPU_STEP_WINDOWS windows. */
void gpu_compute_step(struct gpu_compute *job, struct gpu_outcome *out);
/* Ends and frees a job, finished or not. */
void gpu_compute_free(struct gpu_compute *job);

/* ---- jobs in snapshots of a machine ---------------------------------------------------------- */

struct state_buf;
struct error;

/* Whether a job can be saved between two steps. false: it waits for a page, is traced for a time
 * model, or its descriptors or code in memory are not those that it began with. */
bool gpu_compute_can_save(const struct gpu_compute *job);
/* Appends the job's state. Descriptors and code are not in it, since they are in memory. */
void gpu_compute_save(struct gpu_compute *job, struct state_buf *buf);
/* Makes a job that continues from the state in `buf`, which may hold anything. The memory of the
 * address space must have its content already. NULL: *err has the reason. */
struct gpu_compute *gpu_compute_load(struct gpu_cores *c, const struct gpu_address_space *as,
                                     const struct state_buf *buf, struct error *err);
/* Appends, and sets, the sums over all jobs that have ended: "cores". */
void gpu_cores_save(const struct gpu_cores *c, struct state_buf *buf);
bool gpu_cores_load(struct gpu_cores *c, const struct state_buf *buf, struct error *err);

/* What a job is, and how far it is. */
struct gpu_job_shape {
    uint64_t shader;       /* address of its code */
    uint32_t uniforms;     /* words of push uniforms */
    uint32_t groups[3];    /* work-groups by dimension */
    uint32_t local[3];     /* threads of a group */
    uint64_t begun, total; /* work-groups that have begun, of all */
};
/* Returns the size of a job that runs, and how many of its work-groups have begun. */
void gpu_compute_shape(const struct gpu_compute *job, struct gpu_job_shape *out);

#endif
