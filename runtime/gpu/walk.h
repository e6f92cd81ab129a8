/*
 * A shader in memory: every bundle that can be reached from its start.
 *
 * Targets of branches are read from the text of bundles. It names a bundle by its first grain
 * (`bundle_12`), or counts grains from the end of the branch's own bundle (`+3 -> `). A branch is
 * always taken if its line says `always`, or has no operands besides a result and the target.
 */
#ifndef RUNTIME_GPU_WALK_H
#define RUNTIME_GPU_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/hash.h"

struct gpu_address_space;
struct gpu_isa;

enum {
    GPU_WALK_GRAINS = 65536, /* most grains of a shader that are visited */
    GPU_WALK_TARGETS = 8,    /* most targets of a bundle that are listed */
};

/* A visited bundle. */
struct gpu_walked {
    uint64_t address;
    unsigned index;      /* number of its first grain, from the shader's first */
    const uint8_t *code; /* `available` bytes; valid during the call */
    size_t available;
    size_t bytes;     /* size in memory; 0: no valid bundle */
    const char *text; /* valid during the call */
    unsigned loops;   /* branches to this bundle or to earlier bundles */
    bool ends;        /* lanes that do not branch end with it */
    bool always;      /* a branch of the bundle is always taken */
    unsigned target_count;
    int64_t targets[GPU_WALK_TARGETS]; /* the first branch targets, as `index` */
};

/* Returns false to end the visit. */
typedef bool gpu_walk_fn(void *opaque, const struct gpu_walked *bundle);

/* Calls `visit` for each bundle that can be reached from `start`, by address; unreachable code is
 * left out. `uniforms` is the number of words of push uniforms of the job. Returns whether that was
 * the whole shader: it is valid, ends, and has at most GPU_WALK_GRAINS grains. */
bool gpu_walk_shader(const struct gpu_isa *isa, const struct gpu_address_space *as, uint64_t start,
                     uint32_t uniforms, gpu_walk_fn *visit, void *opaque);
/* Continues a hash of a shader (common/hash.h) with a bundle and its place. It does not depend on
 * the shader's address. */
static inline uint64_t gpu_walk_hash(uint64_t hash, const struct gpu_walked *bundle)
{
    uint8_t place[4];

    for (unsigned i = 0; i < sizeof(place); i++)
        place[i] = (uint8_t)(bundle->index >> 8 * i);
    return hash_more(hash_more(hash, place, sizeof(place)), bundle->code, bundle->bytes);
}

#endif
