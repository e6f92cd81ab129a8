/*
 * Shader cores that run no shader: the words after a compute job's header say what it does. Each
 * step writes one word and takes a fixed number of cycles.
 */
#ifndef TESTS_GPU_DEVICE_FAKE_COMPUTE_H
#define TESTS_GPU_DEVICE_FAKE_COMPUTE_H

#include <stdint.h>

#include "runtime/gpu/compute.h"
#include "runtime/gpu/timing_model.h"

#define FAKE_ENDLESS UINT32_MAX

struct fake_job {     /* after the header, little-endian */
    uint32_t steps;   /* FAKE_ENDLESS: never ends */
    uint32_t cycles;  /* per step; 0 counts as 1 */
    uint64_t target;  /* address of the words written; a step writes its number, from 1 */
    uint32_t failure; /* enum gpu_job_error at the end; GPU_JOB_OK: none */
    uint32_t code;    /* if not 0: reads an instruction at `target` instead */
};

/* gpu_cores_active() of the fake cores. */
extern uint64_t fake_active[GPU_MAX_CORES];
/* Counters of the cores' time model; NULL: they have none. */
extern const struct gpu_model_counters *fake_model;

/* Energy of the next step of a job, and the clock, in MHz, that the model was set to. */
extern struct power_energy fake_energy;
extern unsigned fake_mhz;

/* Numbers of jobs started, steps made, and jobs alive, for tests to check. */
extern unsigned fake_starts, fake_steps, fake_live;
/* The cores of the job that began last, as bits of shader_present. */
extern uint64_t fake_used;

#endif
