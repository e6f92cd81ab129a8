/* Registers of a GPU that never change, for those who need no device. */
#ifndef RUNTIME_GPU_CONSTANTS_H
#define RUNTIME_GPU_CONSTANTS_H

#include <stdint.h>

struct gpu_variant;

/* The value of the register at `offset`; 0: the GPU has none there, or it is no constant. */
uint32_t gpu_variant_register(const struct gpu_variant *v, uint32_t offset);

#endif
