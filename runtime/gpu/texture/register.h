/* Components of texels in registers: conversion between doubles and an enum gpu_register_format. */
#ifndef RUNTIME_GPU_TEXTURE_REGISTER_H
#define RUNTIME_GPU_TEXTURE_REGISTER_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/gpu/lane_memory.h"

/* Whether a register holds two components. */
bool gpu_register_is_half(enum gpu_register_format r);
/* The bits of v in the format; integers saturate. */
uint32_t gpu_register_encode(double v, enum gpu_register_format r);
double gpu_register_decode(uint32_t bits, enum gpu_register_format r);
/* Register k of the components v: one component, or two if the format is a half. */
uint32_t gpu_register_of(const double v[4], unsigned k, enum gpu_register_format r);

#endif
