/*
 * Bit-exact arithmetic of 64-bit numbers in rounding modes that the host does not have at hand.
 * Modes are those of enum gpu_round: to nearest even, up, down and toward zero.
 */
#ifndef RUNTIME_GPU_NUMERIC_WIDE_H
#define RUNTIME_GPU_NUMERIC_WIDE_H

#include <stdint.h>

/* a + b and a * b, rounded by `mode` */
double gpu_f64_add(double a, double b, uint8_t mode);
double gpu_f64_mul(double a, double b, uint8_t mode);
/* a * b + c, rounded once. */
double gpu_f64_fma(double a, double b, double c, uint8_t mode);
float gpu_f64_to_f32(double x, uint8_t mode);
double gpu_s64_to_f64(int64_t v, uint8_t mode);
double gpu_u64_to_f64(uint64_t v, uint8_t mode);

#endif
