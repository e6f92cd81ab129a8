/* Bundles made bit by bit, and a job that runs them. */
#ifndef TESTS_BUNDLE_BITS_H
#define TESTS_BUNDLE_BITS_H

#include "tests/gpu_core/bench.h"

struct bits {
    uint8_t byte[4096];
    unsigned at; /* bits so far */
};

/* Appends the low `width` bits of a value, up to 64. */
void bits_put(struct bits *b, unsigned width, uint64_t value);
/* Goes on at a multiple of so many bits. */
void bits_align(struct bits *b, unsigned to);

/* What the generated disassembler writes of a shader, as `gencc disasm` does. */
void bits_print(const struct bits *b, const struct gpu_isa *isa, FILE *out);
/* "code": the shader's bytes; "text": how it reads, to standard output. False for other words. */
bool bits_command(const struct bits *b, const struct gpu_isa *isa, const char *word);

/* A job of so many threads that runs the shader to its end; `uniforms` are the first words. */
struct bench *bits_run(const struct bits *b, const struct gpu_isa *isa, unsigned lanes,
                       unsigned threads, const uint32_t *uniforms, unsigned count);

#endif
