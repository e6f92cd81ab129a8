/*
 * The bundles of shaders that write to some memory, in a run that is repeated: found first, and
 * then stopped at. Machines go back with it to the bundle that wrote a value.
 *
 * A place is a turn of the machine, and how many bundles of rows the shaders have executed in that
 * turn. Runs of inspected cores have the same places each time.
 *
 * Only stores and atomic operations of shaders count: not what the job manager, the tiler or the
 * end of a frame write.
 */
#ifndef RUNTIME_GPU_SHADER_WRITES_H
#define RUNTIME_GPU_SHADER_WRITES_H

#include "common/vec.h"
#include "runtime/gpu/inspect.h"

struct gpu_isa;
struct gpu_kernels;

struct gpu_write_place {
    uint64_t turn, bundles;
};

/* Memory that is watched. */
struct gpu_watched {
    const uint8_t *host;
    uint64_t bytes;
    uint64_t address; /* by which its user knows it */
};

/* A write by a lane, before it takes effect. */
struct gpu_write {
    struct gpu_write_place at; /* the bundle is executed next */
    uint64_t va, value;
    uint64_t address; /* gpu_watched.address of the memory */
    unsigned bytes;
    enum gpu_access access;
    uint64_t header, shader; /* addresses of the job and its code */
    uint32_t uniforms;
    uint64_t hash;   /* gpu_kernel_hash(); 0: the code cannot be read */
    uint64_t bundle; /* address of the bundle */
    unsigned lane;
    uint32_t group[3], item[3];         /* item: get_global_id() */
    const struct gpu_address_space *as; /* valid during the call */
};

struct gpu_shader_writes {
    const uint64_t *turn; /* the machine's */
    void *opaque;
    /* A write to watched memory. The kernel's hash is only there if `freezes`. */
    void (*found)(void *opaque, const struct gpu_write *w);
    /* The run is at `freeze`: no bundle is executed any more. Called once. */
    void (*frozen)(void *opaque);
    VEC(struct gpu_watched) watched;
    bool freezes;                  /* there is a place to stop at */
    struct gpu_write_place freeze; /* place of the stop */

    /* gpu_shader_writes_begin() sets the rest. */
    struct gpu_inspector inspector;
    struct gpu_inspected at;
    uint64_t number; /* of the bundle that is executed, in its turn */
    struct gpu_write_place next;
    bool is_frozen;
    struct gpu_kernels *kernels;
};

/* Prepares a run: nothing was executed yet in this turn. */
void gpu_shader_writes_begin(struct gpu_shader_writes *w, const struct gpu_isa *isa);
/* Frees what it has. */
void gpu_shader_writes_free(struct gpu_shader_writes *w);

#endif
