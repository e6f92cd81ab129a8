/*
 * What the GPU does and when, for logs, timelines and the progress of long jobs. All calls are made
 * on the machine's thread, at the virtual time of the event. Only the end of a job is reported
 * earlier: when its last step begins, which has the results, with the time at which it will end.
 */
#ifndef RUNTIME_GPU_OBSERVER_H
#define RUNTIME_GPU_OBSERVER_H

#include <stdint.h>

#include "runtime/gpu/compute.h"
#include "runtime/timing/power.h"

struct gpu_isa;

/* A job that has ended. */
struct gpu_job_note {
    unsigned slot, space;
    const char *kind; /* "compute" */
    unsigned index;   /* from the job's header */
    uint64_t header;  /* address of the job's header */
    uint32_t status;  /* exception code */
    uint64_t cycles;
    uint64_t begin_ns, end_ns;
    struct gpu_job_shape shape; /* shader 0: not of a compute job */
    uint64_t cores; /* cores of the job as bits of shader_present; 0: all, or no compute job */
    uint64_t hash;  /* hash of the shader's code (gpu_kernel_hash()); 0: not known */
    const uint64_t *core_energy; /* pJ of each of POWER_CORES cores; NULL: not known */
    const struct gpu_address_space *as;
};

enum { GPU_JOB_TEXT = 512 };
/* Writes the line of -d gpu_job, without a newline, to `text`, which has GPU_JOB_TEXT bytes. `name`
 * is the kernel's name, or NULL. */
void gpu_job_describe(const struct gpu_job_note *j, const char *name, char *text);

/* A chain of jobs that has ended. */
struct gpu_chain_note {
    unsigned slot, space;
    uint64_t head;
    uint32_t status;
    uint64_t submit_ns; /* the driver's write of the start command */
    unsigned cpu;       /* CPU that wrote the start command */
    uint64_t begin_ns, end_ns;
};

enum gpu_line_event { GPU_LINE_FALLS, GPU_LINE_RISES };

/* Any function may be NULL. Observers are a list. */
struct gpu_observer {
    const struct gpu_observer *next;
    void *opaque;
    void (*chain)(void *opaque, const struct gpu_chain_note *chain);
    void (*job)(void *opaque, const struct gpu_job_note *job);
    /* An interrupt output, 0 job, 1 MMU, 2 GPU, changes its level. */
    void (*line)(void *opaque, unsigned output, enum gpu_line_event event);
    /* A register is read or written. */
    void (*access)(void *opaque, bool write, unsigned cpu);
    /* An address space reports a fault. */
    void (*fault)(void *opaque, unsigned space, uint64_t va, uint32_t code);
    /* A work-group of the job that ends next was on a core, in the time model. */
    void (*stay)(void *opaque, const struct timing_stay *stay);
    /* The GPU's power changed to `microwatt` at virtual time `ns`. Only called if it is metered. */
    void (*power)(void *opaque, uint64_t ns, uint64_t microwatt);
    /* A step of a compute job has begun. */
    void (*progress)(void *opaque, const struct gpu_job_shape *job);
};

/* ---- kernels --------------------------------------------------------------------------------- */

struct gpu_kernels; /* hashes of kernels, by address */

/* An empty table; to be freed with gpu_kernels_free(). */
struct gpu_kernels *gpu_kernels_new(const struct gpu_isa *isa);
void gpu_kernels_free(struct gpu_kernels *k);

/*
 * FNV-1a, 64 bits, of a shader's bundles and their places in it: the same for the same code at any
 * address. 0: it cannot be read.
 */
uint64_t gpu_kernel_hash(struct gpu_kernels *k, const struct gpu_address_space *as, uint64_t shader,
                         uint32_t uniforms);

#endif
