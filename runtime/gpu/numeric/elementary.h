/*
 * Elementary functions, and conversions of 64-bit numbers, with the same results on every host.
 * Functions are rounded to nearest; about one result in 2^30 may be the adjacent float.
 */
#ifndef RUNTIME_GPU_NUMERIC_ELEMENTARY_H
#define RUNTIME_GPU_NUMERIC_ELEMENTARY_H

#include <stdint.h>

/* 2 to the power of x; the logarithm to base 2 */
float gpu_exp2(float x);
float gpu_log2(float x);
/* sin(pi x), cos(pi x) */
float gpu_sinpi(float x);
float gpu_cospi(float x);

/* x rounded to an integer, by enum gpu_round. */
double gpu_round_integral_wide(double x, uint8_t mode);
/* x rounded to an integer, saturated; 0 for a NaN. */
int64_t gpu_f64_to_s64(double x, uint8_t mode);
uint64_t gpu_f64_to_u64(double x, uint8_t mode);

#endif
