/* Bundles made bit by bit, and a job that runs them. */
#ifndef TESTS_BUNDLE_BITS_H
#define TESTS_BUNDLE_BITS_H

#include "tests/gpu_core/bench.h"

struct bits {
    uint8_t byte[4096];
    unsigned at; /* number of bits so far */
};

/* Appends the low `width` bits of a value; width is at most 64. */
void bits_put(struct bits *b, unsigned width, uint64_t value);
/* Moves on to the next multiple of `to` bits. */
void bits_align(struct bits *b, unsigned to);

/* Prints a shader by its generated disassembler, as `gencc disasm` does. */
void bits_print(const struct bits *b, const struct gpu_isa *isa, FILE *out);
/*
 * Command "code" writes the shader's bytes, "text" its disassembly, both to standard output.
 * Returns false for any other command.
 */
bool bits_command(const struct bits *b, const struct gpu_isa *isa, const char *word);

/*
 * Runs the shader to its end as a job of the given number of threads; `uniforms` are its first
 * uniform words. Returns the bench, which the caller frees.
 */
struct bench *bits_run(const struct bits *b, const struct gpu_isa *isa, unsigned lanes,
                       unsigned threads, const uint32_t *uniforms, unsigned count);

#endif
