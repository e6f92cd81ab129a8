/*
 * The fast path: a shader core that runs one bundle, which need not stand in memory. Decoder, handlers, memory
 * accesses and the end of the bundle are the GPU's own.
 */
#ifndef PROGRAMS_MALI_FUZZ_CORE_H
#define PROGRAMS_MALI_FUZZ_CORE_H

#include "programs/mali-fuzz/situation.h"

struct fuzz_core;
struct gpu_variant;

/* A core of that GPU. Memory is of MEMORY_BYTES, which come again at every address; uniforms are random, from
 * the seed. NULL: it cannot be made. */
struct fuzz_core *fuzz_core_new(const struct gpu_variant *variant, const struct gpu_isa *isa,
                                uint64_t seed);
void fuzz_core_free(struct fuzz_core *c);

/* Lanes of a row, of a warp, and slots behind the registers and the engine's. */
unsigned fuzz_core_lanes(const struct fuzz_core *c);
unsigned fuzz_core_width(const struct fuzz_core *c);
unsigned fuzz_core_behind(const struct fuzz_core *c);

/* The bundle that sources and places are looked for in: with one word, of unit `unit`. */
struct fuzz_bundle {
    const struct fuzz_core *core;
    struct gpu_bundle bits;
    unsigned unit;
};

/* The world of situations whose `opaque` is a fuzz_bundle, without its external functions. */
uint32_t fuzz_core_source(const struct situation *before, uint32_t selector, unsigned lane);
uint64_t fuzz_core_uniform_buffer(uint32_t index, uint32_t offset, uint32_t bytes);

/* Places as the description has them: where the result goes, and the first staging register. */
uint64_t fuzz_core_result(const struct fuzz_bundle *b, uint32_t selector);
uint32_t fuzz_core_staging(const struct fuzz_bundle *b, const uint32_t *selector);
/* The slot of the result of a part, before it reaches its register. */
unsigned fuzz_core_result_slot(const struct fuzz_bundle *b, unsigned part);
/* Whether lanes end that do not branch. */
bool fuzz_core_ends(const struct fuzz_bundle *b);

/* Decodes and runs the bundle from the situation *s, which it then changes. false: it is no valid bundle. */
bool fuzz_core_run(struct fuzz_core *c, const struct fuzz_bundle *b, struct situation *s);

#endif
