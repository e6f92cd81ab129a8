/*
 * All external functions of the Arm descriptions, for generated code, with the common
 * floating-point cases inlined.
 */
#ifndef RUNTIME_FP_ARM_NUMERIC_H
#define RUNTIME_FP_ARM_NUMERIC_H

#include "runtime/fp/arm_crypto.h"
#include "runtime/fp/fp_half.h"
#include "runtime/fp/fp_inline.h"

#endif
