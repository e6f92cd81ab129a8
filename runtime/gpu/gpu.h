/*
 * The GPU as a device of a machine (gpu.c), and what the machine says about it.
 */
#ifndef RUNTIME_GPU_GPU_H
#define RUNTIME_GPU_GPU_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/timing/model.h"

struct device_class;
struct gpu_isa;
struct gpu_stats;
struct gpu_variant;

/*
 * Which GPU a machine has, in device_env.gpu; must stay valid as long as the device.
 */
struct gpu_config {
    const struct gpu_variant *variant;
    const struct gpu_isa *isa;     /* the variant's; NULL: compute jobs fail */
    unsigned threads;              /* host threads of the shader cores, at least 1 */
    uint32_t translate_after;      /* executions of a bundle; 0: never */
    bool timed;                    /* jobs take the time of a model */
    enum timing_fidelity fidelity; /* which */
    const bool *leaving;           /* set when the program is to end (gpu_cores_heed()), or NULL */
    bool describe_shaders;         /* their sizes are wanted: gpu_stats_write() */
    const char *snapshots;   /* folder for a snapshot of the memory of each chain of jobs before it
                                  runs (runtime/gpu/snapshot.h); NULL: none */
    uint64_t snapshot_bytes; /* that all of them may take */
};

extern const struct device_class gpu_class;

/* What the shader cores of a device of that class counted; NULL: it has none. */
const struct gpu_stats *gpu_device_stats(void *dev);

#endif
