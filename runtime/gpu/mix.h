/*
 * Instruction mix: how often the lanes of each shader executed each instruction. An instruction's
 * number is the index of its form in its unit, plus the number of forms of all earlier units.
 *
 * Bounds      memory: GPU_MIX_SHADERS shaders; the total counts the other shaders as well
 */
#ifndef RUNTIME_GPU_MIX_H
#define RUNTIME_GPU_MIX_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/gpu/isa.h"

enum { GPU_MIX_SHADERS = 256 };

struct gpu_mix;

/* Number of the first form of unit `unit`. For isa->unit_count: the number of all forms. */
unsigned gpu_mix_base(const struct gpu_isa *isa, unsigned unit);

/* Empty counts; `isa` must live as long. gpu_mix_free() allows NULL. */
struct gpu_mix *gpu_mix_new(const struct gpu_isa *isa);
void gpu_mix_free(struct gpu_mix *m);

/* Adds a job's executions to the total and to the counts of the shader at address `shader`.
 * `counts` has one element per instruction number. */
void gpu_mix_add(struct gpu_mix *m, uint64_t shader, const uint64_t *counts);

/* Writes the instructions that were executed, by decreasing count; false: an error of `out`. */
bool gpu_mix_write_text(const struct gpu_mix *m, FILE *out);
bool gpu_mix_write_json(const struct gpu_mix *m, FILE *out);

#endif
