/*
 * Each store of compute jobs with its value. While stores are watched the jobs run in the
 * interpreter, and every access takes the slow path.
 */
#ifndef RUNTIME_GPU_STORE_WATCH_H
#define RUNTIME_GPU_STORE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct gpu_cores;

struct gpu_store {
    uint64_t job;   /* number of the job, from 0 for the first of the cores */
    uint64_t group; /* index of the work-group */
    uint32_t epoch; /* barriers that the group has passed, modulo 2^16 */
    unsigned bytes; /* 1, 2, 4 or 8; less where a store crosses pages */
    bool local;     /* to the local memory of the group */
    uint64_t va, value;
};

/* Calls `take` for each store that is no atomic operation, from now on. The cores must have one
 * thread and have run no job. */
void gpu_cores_watch_stores(struct gpu_cores *c,
                            void (*take)(void *opaque, const struct gpu_store *store),
                            void *opaque);

#endif
