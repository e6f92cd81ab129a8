/* The GPU as a device of a machine (gpu.c), and its configuration by the machine. */
#ifndef RUNTIME_GPU_GPU_H
#define RUNTIME_GPU_GPU_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/gpu/supply.h"
#include "runtime/timing/model.h"

struct device_class;
struct gpu_core_policy;
struct gpu_cores;
struct gpu_isa;
struct gpu_observer;
struct gpu_stats;
struct gpu_variant;

/* The GPU of a machine, in device_env.gpu. It must stay valid as long as the device. */
struct gpu_config {
    const struct gpu_variant *variant;
    const struct gpu_isa *isa;     /* the variant's; NULL: compute jobs fail */
    unsigned threads;              /* host threads of the shader cores, at least 1 */
    uint32_t translate_after;      /* executions of a bundle until it becomes host code; 0: never */
    bool keep_code;                /* host code is kept in a cache, as gpu_cores_keep_code() does */
    const char *code_folder;       /* its argument */
    bool timed;                    /* jobs take the time of a model */
    enum timing_fidelity fidelity; /* fidelity of that model */
    bool power;                    /* the GPU's energy is metered; needs `timed` */
    struct gpu_supply *supply;     /* NULL: the variant's clock */
    const bool *leaving;   /* set when the program ends (gpu_cores_set_leaving()); may be NULL */
    bool describe_shaders; /* the sizes of shaders are determined for gpu_stats_write() */
    /* folder for a snapshot of memory before each chain of jobs (runtime/gpu/snapshot.h); NULL:
     * none */
    const char *snapshots;
    uint64_t snapshot_bytes; /* bound of the size of all snapshots together */
    const struct gpu_observer *observers;
    /* Narrows the shader cores of chains and jobs; NULL: they get all cores of the affinity
     * register. */
    const struct gpu_core_policy *core_policy;
    /* The name of a kernel by its hash, for the log; NULL: it has none. May be NULL. */
    const char *(*kernel_name)(void *opaque, uint64_t hash);
    void *kernel_opaque;
    /* Called with the shader cores when they are made, before they run jobs; may be NULL. */
    void (*cores_made)(void *opaque, struct gpu_cores *cores);
    void *made_opaque;
};

extern const struct device_class gpu_class;

/* Counters of the shader cores of a GPU device; NULL: it has none. */
const struct gpu_stats *gpu_device_stats(void *dev);

/* Whether the running jobs can be saved: a compute job between two steps unless it waits for a
 * page, other jobs not in their midst. */
bool gpu_device_can_save(void *dev);

/* Whether a job runs, or would without the CPUs' doing. */
bool gpu_device_is_running(void *dev);

struct gpu_inspector;
/* Inspects the shaders of the GPU (gpu_cores_inspect()); between two events. */
void gpu_device_inspect(void *dev, const struct gpu_inspector *in);

/* The host's memory behind an address of an address space's present tables; NULL: it is not
 * mapped. Between two events. */
const uint8_t *gpu_device_find(void *dev, unsigned space, uint64_t va);

/* Prints what slots, address spaces and interrupts are doing, in lines (print.c). */
void gpu_device_print(const void *dev, FILE *out);

#endif
