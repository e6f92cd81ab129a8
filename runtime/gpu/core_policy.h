/*
 * Which shader cores chains and jobs get. The hardware's rule is the slot's affinity register; a
 * policy of the simulator may narrow it, as Linux's driver sets all bits always. docs/use/resources.md
 * is the user's view.
 */
#ifndef RUNTIME_GPU_CORE_POLICY_H
#define RUNTIME_GPU_CORE_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/error.h"
#include "runtime/gpu/compute.h"

/* A chain that begins, or a compute job of one. Sets of cores are bits as in shader_present. */
struct gpu_core_request {
    unsigned slot, space;
    uint64_t allowed; /* cores that it may have, at least one: of a job, those of its chain */
    uint64_t others;  /* cores of the chains that run in other slots */
    /* The following are of a job; `shape` is NULL if a chain begins. */
    const struct gpu_job_shape *shape;
    uint64_t hash; /* of the shader's code, gpu_kernel_hash(); 0: not known */
    /* gpu_cores_active(): cycles during which each core worked so far */
    const uint64_t *active;
};

/*
 * A policy. choose() returns the cores for the request, whose other bits are ignored; without a
 * core that is allowed, the request gets all that are. It is called on the machine's thread. Chains
 * of different slots whose cores do not overlap run at the same time.
 */
struct gpu_core_policy {
    uint64_t (*choose)(void *opaque, const struct gpu_core_request *r);
    void *opaque;
};

/* ---- plans ----------------------------------------------------------------------------------- */

/* A fixed choice by address space and kernel, as policies outside the simulator write it. */
struct gpu_core_plan;

/*
 * Reads a plan: a number, the cores of all chains; or the name of a file with lines
 *
 *     all CORES            chains that no other line names
 *     space N CORES        chains of address space N
 *     kernel HASH CORES    jobs of the kernel, out of the chain's cores
 *
 * and comments from # on. A later line replaces an equal one before it. NULL: *err has the error.
 */
struct gpu_core_plan *gpu_core_plan_read(const char *text, struct error *err);
void gpu_core_plan_free(struct gpu_core_plan *plan);
/* The policy that follows a plan, valid as long as the plan. */
struct gpu_core_policy gpu_core_plan_policy(struct gpu_core_plan *plan);

#endif
