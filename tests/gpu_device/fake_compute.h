/*
 * Shader cores that run no shader: what a compute job does stands behind its header. Each step writes
 * one word and takes so many cycles.
 */
#ifndef TESTS_GPU_DEVICE_FAKE_COMPUTE_H
#define TESTS_GPU_DEVICE_FAKE_COMPUTE_H

#include <stdint.h>

#include "runtime/gpu/compute.h"
#include "runtime/gpu/timing_model.h"

#define FAKE_ENDLESS UINT32_MAX

struct fake_job {     /* behind the header, little-endian */
    uint32_t steps;   /* FAKE_ENDLESS: never ends */
    uint32_t cycles;  /* of a step; 0 counts as 1 */
    uint64_t target;  /* where words are written: step number, counted from 1 */
    uint32_t failure; /* enum gpu_job_error of the end, GPU_JOB_OK: none */
    uint32_t code;    /* not 0: reads an instruction at `target` instead */
};

/* What the cores' time model has counted; NULL: they have none. */
extern const struct gpu_model_counters *fake_model;

/* What the fake cores saw, for tests to look at. */
extern unsigned fake_starts, fake_steps, fake_live;

#endif
