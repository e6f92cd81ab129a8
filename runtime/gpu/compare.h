/* The comparison functions of samplers, and of tests of fragments. */
#ifndef RUNTIME_GPU_COMPARE_H
#define RUNTIME_GPU_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "mali_layout.h"

/* Compares `a`, the left operand, with `b` by `function` (enum mali_compare_function). Depths of
 * fixed point are given as their integers. */
static inline bool gpu_compares(uint32_t function, double a, double b)
{
    switch (function) {
    case MALI_COMPARE_FUNCTION_LESS:
        return a < b;
    case MALI_COMPARE_FUNCTION_EQUAL:
        return a == b;
    case MALI_COMPARE_FUNCTION_LESS_EQUAL:
        return a <= b;
    case MALI_COMPARE_FUNCTION_GREATER:
        return a > b;
    case MALI_COMPARE_FUNCTION_NOT_EQUAL:
        return a != b;
    case MALI_COMPARE_FUNCTION_GREATER_EQUAL:
        return a >= b;
    default:
        return function == MALI_COMPARE_FUNCTION_ALWAYS;
    }
}

#endif
