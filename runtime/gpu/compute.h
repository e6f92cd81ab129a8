/*
 * Compute jobs on the shader cores: threads of work-groups, run in windows whose length in virtual
 * time depends on the work alone, never on the host or the number of host threads.
 */
#ifndef RUNTIME_GPU_COMPUTE_H
#define RUNTIME_GPU_COMPUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct gpu_address_space;
struct gpu_compute;
struct gpu_cores;
struct gpu_isa;
struct gpu_stats;
struct gpu_variant;

/* ---- memory as the GPU sees it ---------------------------------------------------------------- */

enum gpu_access {
    GPU_ACCESS_ATOMIC = 0,
    GPU_ACCESS_EXECUTE = 1,
    GPU_ACCESS_READ = 2,
    GPU_ACCESS_WRITE = 3
};

/* A page: host memory and what may be done with it. */
struct gpu_page {
    uint8_t *host;  /* NULL: not mapped, or no memory there */
    uint64_t bytes; /* size of the page (a power of two) */
    bool read, write, execute;
};

/*
 * An address space: the MMU's, or a snapshot's. translate() answers for the page that holds `va`; it
 * returns 0, or an exception code of the GPU (translation fault of a level, permission fault …) that
 * only MMU and driver understand. It is called with the cores stopped or from their threads while the
 * machine waits, several at a time; it changes nothing that others read.
 */
struct gpu_address_space {
    void *opaque;
    uint32_t (*translate)(void *opaque, uint64_t va, enum gpu_access access, struct gpu_page *out);
    uint64_t generation; /* counts up when translations made before are void */
};

struct gpu_fault { /* a page fault */
    uint64_t va;
    uint32_t code; /* what translate() returned */
    enum gpu_access access;
    uint64_t bundle; /* address of the bundle that made the access; 0: no shader did */
};

/* Copies `bytes` at `va`, over page boundaries. false: *fault says where it failed. */
bool gpu_memory_read(const struct gpu_address_space *as, uint64_t va, void *out, size_t bytes,
                     struct gpu_fault *fault);
bool gpu_memory_write(const struct gpu_address_space *as, uint64_t va, const void *from,
                      size_t bytes, struct gpu_fault *fault);

/* ---- the cores ------------------------------------------------------------------------------- */

/* Executions until translating a bundle pays for its time. */
enum { GPU_TRANSLATE_AFTER = 8192 };

/* Shader cores of a variant on `threads` host threads (at least 1). NULL: out of memory. */
struct gpu_cores *gpu_cores_new(const struct gpu_variant *variant, const struct gpu_isa *isa,
                                unsigned threads);
void gpu_cores_free(struct gpu_cores *c);
struct gpu_stats *gpu_cores_stats(struct gpu_cores *c);
/* When *leaving is set, by any thread, the program is about to end: a step that is under way comes back
 * at once, with work undone, and so does any after it. NULL: that never is. */
void gpu_cores_heed(struct gpu_cores *c, const bool *leaving);
/* Bundles that a work-group runs in a window, at least 1; 16,384 unless this is called. Fewer make steps short. */
void gpu_cores_set_window(struct gpu_cores *c, unsigned bundles);
/* Rows of lanes that began, of all jobs so far, while none runs; those that ran from start to end in host code of many rows;
 * and those whose registers all had to be cleared: not rows that came behind one which ended in host code. */
struct gpu_rows {
    uint64_t begun, together, cleared;
};
struct gpu_rows gpu_cores_rows(const struct gpu_cores *c);
/* A bundle that was executed so many times becomes host code, with those behind it; 0: never. What shaders do
 * and what is counted is the same. Default GPU_TRANSLATE_AFTER. */
void gpu_cores_translate(struct gpu_cores *c, uint32_t after);
/* From now on finds out of each shader how large it is, for gpu_stats_write(). */
void gpu_cores_describe_shaders(struct gpu_cores *c);
/* Writes each bundle that is executed, with the registers it changes, to `out` (NULL: no more).
 * In the order of execution only when there is one thread. */
void gpu_cores_trace(struct gpu_cores *c, FILE *out);

/* ---- a job ----------------------------------------------------------------------------------- */

enum gpu_progress {
    GPU_PROGRESS_MORE, /* call gpu_compute_step again, after the cycles it gave have passed */
    GPU_PROGRESS_DONE,
    GPU_PROGRESS_FAULT,  /* waits for a page: serve it and step again (replay), or cancel */
    GPU_PROGRESS_FAILED, /* broken descriptor or shader: `code` is the job's exception status */
};

struct gpu_outcome {
    enum gpu_progress progress;
    uint64_t cycles;        /* GPU cycles this step took */
    struct gpu_fault fault; /* FAULT */
    uint32_t code;          /* FAILED: index in enum gpu_job_error below */
    uint64_t address;       /* FAILED: where */
    const char *refused; /* FAILED: what the GPU cannot execute, in words that stay as long as the
                          * cores; NULL: it can, or this was said before */
};

/* What went wrong; the job manager has the GPU's code for each. */
enum gpu_job_error {
    GPU_JOB_OK,
    GPU_JOB_CONFIG_FAULT, /* a descriptor that makes no sense */
    GPU_JOB_READ_FAULT,   /* a descriptor cannot be read */
    GPU_JOB_WRITE_FAULT,
    GPU_JOB_BAD_TYPE,
    GPU_JOB_INVALID_PC,
    GPU_JOB_INVALID_ENCODING,
    GPU_JOB_UNIMPLEMENTED, /* real, but not modelled: logged */
};

/* Starts the compute job whose header stands at `job`: reads its descriptors. NULL: *out says why
 * (FAILED, or FAULT: try again when the page is there). */
struct gpu_compute *gpu_compute_start(struct gpu_cores *c, const struct gpu_address_space *as,
                                      uint64_t job, struct gpu_outcome *out);
/* Runs some windows. */
void gpu_compute_step(struct gpu_compute *job, struct gpu_outcome *out);
/* Ends it, finished or not. */
void gpu_compute_free(struct gpu_compute *job);

#endif
