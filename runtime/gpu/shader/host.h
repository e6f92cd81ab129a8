/* The layout that host code shares with the shader cores: counts and notes of a worker. `counts` is
 * gpu_worker.counts (core.h). */
#ifndef RUNTIME_GPU_SHADER_HOST_H
#define RUNTIME_GPU_SHADER_HOST_H

#include "runtime/gpu/lane_memory.h"
#include "runtime/gpu/translate/translate.h"

/* Bit in the page numbers of an observed table. Handlers do not find such pages, so that each of
 * their accesses takes the slow path and is seen. */
#define GPU_PAGE_HIDDEN (UINT64_C(1) << 63)

/*
 * A note that host code makes of an access, for timing traces. Each operation that may access
 * memory makes one, whether it does or not. The addresses of all lanes follow the note unless they
 * are equal. Accesses of a handler follow a note without lanes.
 */
struct gpu_access_note {
    uint32_t lanes;
    uint8_t bytes;
    uint8_t access;  /* enum gpu_access */
    bool is_uniform; /* all lanes have the same address */
    bool by_handler; /* access of one lane by a handler; it belongs to the note before */
    uint64_t address;
};

struct gpu_access_log {
    uint8_t *at; /* place of the next note */
    uint8_t *start, *end;
    size_t unchecked_bytes;  /* bytes that host code may still write without a check */
    uint64_t hidden;         /* GPU_PAGE_HIDDEN while a group is observed; else 0 */
    uint8_t host_notes;      /* host code makes notes */
    uint8_t host_notes_only; /* host code makes notes, and its slow paths do not report accesses */
    bool by_handler;         /* the log contains notes of handlers */
};

/* The count of one execution of a bundle by a warp. Bits 34:0 of a count are the sum of the lanes,
 * which is below 2^35 in a step. */
#define GPU_COUNT_WARP (UINT64_C(1) << 35)
enum { GPU_COUNTED_LANES = 8 }; /* widest warp for which tables of counts exist */

/* The first part of a worker: all that host code accesses, by offsets. */
struct gpu_host_context {
    struct gpu_core core; /* first member: handlers receive its address */
    struct gpu_access_log log;
    uint64_t divergent; /* divergent executions by warps in this window, in the unit of `counts` */
    /* per bundle of the running trace's sides, in the unit of `counts` */
    uint64_t sides[GPU_TRACE_SIDES];
    /* per way behind a divergence, in the unit of `counts`; unused if ways are not counted */
    uint64_t ways[GPU_TRACE_WAYS];
    /* By lane mask: the addend to `counts` for a bundle that these lanes execute. Unused where
     * warps have more than GPU_COUNTED_LANES lanes. */
    uint64_t lane_counts[1 << GPU_COUNTED_LANES];
};

#endif
