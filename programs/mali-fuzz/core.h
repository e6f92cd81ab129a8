/*
 * The fast path: a shader core that runs one bundle, which need not be in memory. Decoder,
 * handlers, memory accesses and the end of the bundle are the GPU's own.
 */
#ifndef PROGRAMS_MALI_FUZZ_CORE_H
#define PROGRAMS_MALI_FUZZ_CORE_H

#include "programs/mali-fuzz/situation.h"

struct fuzz_core;
struct gpu_variant;

/* Makes a core of a GPU. Its memory has MEMORY_BYTES bytes, repeated at every address. Uniforms are
 * random, from the seed. NULL: it cannot be made. */
struct fuzz_core *fuzz_core_new(const struct gpu_variant *variant, const struct gpu_isa *isa,
                                uint64_t seed);
void fuzz_core_free(struct fuzz_core *c);

/* Lanes per row, lanes per warp, and slots behind those of the registers and the engine. */
unsigned fuzz_core_lanes(const struct fuzz_core *c);
unsigned fuzz_core_width(const struct fuzz_core *c);
unsigned fuzz_core_behind(const struct fuzz_core *c);

/* A bundle with one word, of unit `unit`, in which sources and places are looked up. */
struct fuzz_bundle {
    const struct fuzz_core *core;
    struct gpu_bundle bits;
    unsigned unit;
};

/* Functions of a situation_world whose `opaque` is a fuzz_bundle; it has no external functions. */
uint32_t fuzz_core_source(const struct situation *before, uint32_t selector, unsigned lane);
uint64_t fuzz_core_uniform_buffer(uint32_t index, uint32_t offset, uint32_t bytes);

/* Places by the description: that of the result, and the first staging register. */
uint64_t fuzz_core_result(const struct fuzz_bundle *b, uint32_t selector);
uint32_t fuzz_core_staging(const struct fuzz_bundle *b, const uint32_t *selector);
/* The slot of a part's result before it reaches its register. */
unsigned fuzz_core_result_slot(const struct fuzz_bundle *b, unsigned part);
/* Whether lanes that do not branch end. */
bool fuzz_core_ends(const struct fuzz_bundle *b);

/* Decodes the bundle and runs it in situation *s, which it changes. false: the bundle is
 * invalid. */
bool fuzz_core_run(struct fuzz_core *c, const struct fuzz_bundle *b, struct situation *s);

#endif
