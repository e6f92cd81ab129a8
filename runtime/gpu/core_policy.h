/*
 * Which shader cores chains and jobs get. The hardware's rule is the slot's affinity register, of
 * which Linux's driver always sets all bits. A policy of the simulator may narrow the choice.
 * docs/use/resources.md describes it for users.
 */
#ifndef RUNTIME_GPU_CORE_POLICY_H
#define RUNTIME_GPU_CORE_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/error.h"
#include "runtime/gpu/compute.h"

/* A request for cores: a chain begins, or a compute job of a chain. Sets of cores have bits of
 * shader_present. */
struct gpu_core_request {
    unsigned slot, space; /* numbers of the job slot and of the address space */
    uint64_t allowed;     /* cores to choose from, at least one; for a job, the chain's cores */
    uint64_t others;      /* cores of the chains that run in other slots */
    /* The next two members describe a job. `shape` is NULL if a chain begins. */
    const struct gpu_job_shape *shape;
    uint64_t hash; /* hash of the shader's code (gpu_kernel_hash()); 0: not known */
    /* gpu_cores_active(): cycles for which each core was active so far; NULL: no shader cores */
    const uint64_t *active;
};

/*
 * A policy. choose() returns the cores for a request. Cores that are not allowed are ignored; if no
 * allowed core is left, the request gets all allowed cores. choose() is called on the machine's
 * thread. Chains of different slots run at the same time if their cores do not overlap.
 */
struct gpu_core_policy {
    uint64_t (*choose)(void *opaque, const struct gpu_core_request *r);
    void *opaque;
};

/* ---- plans ----------------------------------------------------------------------------------- */

/* A fixed choice by address space and kernel. Programs outside the simulator can write plans. */
struct gpu_core_plan;

/*
 * Reads a plan. `text` is a number, which has the cores of all chains as bits of shader_present, or
 * the name of a file. Lines of the file, in which # begins a comment:
 *
 *     all CORES            chains that no other line names
 *     space N CORES        chains of address space N
 *     kernel HASH CORES    jobs of the kernel, out of the chain's cores
 *
 * A later line replaces an earlier one for the same chains or kernel. The caller frees the plan.
 * NULL: *err has the error.
 */
struct gpu_core_plan *gpu_core_plan_read(const char *text, struct error *err);
void gpu_core_plan_free(struct gpu_core_plan *plan);
/* The policy that follows a plan, valid as long as the plan. */
struct gpu_core_policy gpu_core_plan_policy(struct gpu_core_plan *plan);

#endif
