/*
 * A shader as it stands in memory: every bundle that can be reached from its start.
 *
 * Where branches go is read off the text of their bundles, which names a bundle by the grain at which it
 * begins (`bundle_12`), or counts grains from the end of the branch's own bundle (`+3 -> `).
 */
#ifndef RUNTIME_GPU_WALK_H
#define RUNTIME_GPU_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpu_address_space;
struct gpu_isa;

enum { GPU_WALK_GRAINS = 65536 }; /* of a shader that are looked at */

/* A bundle that was met. */
struct gpu_walked {
    uint64_t address;
    unsigned index;      /* of the grain it begins at, from the shader's first */
    const uint8_t *code; /* `available` bytes; only during the call */
    size_t available;
    size_t bytes;     /* that it takes; 0: there is no valid bundle */
    const char *text; /* only during the call */
    unsigned loops;   /* branches in it that go back, or to itself */
};

/* false: this was enough. */
typedef bool gpu_walk_fn(void *opaque, const struct gpu_walked *bundle);

/* Calls `visit` for each bundle that can be reached from `start`, in the order of their addresses; what no
 * branch leads to is left out. `uniforms`: words of push uniforms that the job has. Returns whether that
 * was the whole shader: all of it is valid, ends, and is not larger than GPU_WALK_GRAINS. */
bool gpu_walk_shader(const struct gpu_isa *isa, const struct gpu_address_space *as, uint64_t start,
                     uint32_t uniforms, gpu_walk_fn *visit, void *opaque);

#endif
