/*
 * Text of whole shaders.
 */
#ifndef RUNTIME_GPU_DISASM_H
#define RUNTIME_GPU_DISASM_H

#include <stdio.h>

#include "runtime/gpu/isa.h"

/* Writes the clauses of a shader one after the other, each under a line `clause_N:` (N: the 16-byte
 * word where it begins) and before an empty line, as Mesa's disassembler does. Ends at a word of 0,
 * which pads shaders, at the end of `bytes`, or where there is no valid clause. Returns how many
 * bytes the clauses take; what follows them is then 0, too little, or no clause. */
size_t gpu_disasm_shader(const struct gpu_isa *isa, const uint8_t *code, size_t bytes, FILE *out);

#endif
