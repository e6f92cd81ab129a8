/*
 * Inspection of shaders as they run, for debuggers: each bundle before and behind it, each of its
 * stages, each access of memory, faults. The functions are called on the thread of the worker,
 * which waits while they run. They may change registers and memory.
 *
 * Inspected cores use one thread, and their jobs run in the interpreter.
 */
#ifndef RUNTIME_GPU_INSPECT_H
#define RUNTIME_GPU_INSPECT_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/gpu/compute.h"

struct gpu_code;
struct gpu_warp;
struct gpu_worker;

/* The row that runs, and its bundle. */
struct gpu_inspected {
    struct gpu_worker *worker;
    struct gpu_warp *row;
    const struct gpu_code *code;
    unsigned stage; /* number of the stage that is executed next; 0: the bundle begins */
};

/* An access by one lane of the row, before it takes effect. */
struct gpu_inspected_access {
    uint64_t va, value; /* `value` is of a store */
    unsigned bytes, lane;
    enum gpu_access access;
};

struct gpu_inspector {
    void *opaque;
    /* The active lanes are about to execute the bundle. Returns whether they shall. Otherwise the
     * function has set the row's branches, which are taken in place of the bundle. */
    bool (*begin)(void *opaque, const struct gpu_inspected *at);
    /* A stage of the bundle, not the first, is about to be executed. */
    void (*stage)(void *opaque, const struct gpu_inspected *at);
    /* The bundle has been executed. Its branches and ends have not been taken. */
    void (*end)(void *opaque, const struct gpu_inspected *at);
    void (*access)(void *opaque, struct gpu_warp *row, const struct gpu_inspected_access *a);
    /* An access meets no memory. */
    void (*fault)(void *opaque, struct gpu_warp *row, const struct gpu_fault *fault);
};

/* Inspects jobs from the next one on that begins while no other exists. All functions are needed.
 * NULL: jobs are not inspected any more. To be called between two steps. */
void gpu_cores_inspect(struct gpu_cores *c, const struct gpu_inspector *in);

#endif
