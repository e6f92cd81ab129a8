/* The external functions of the Mali descriptions, for generated shader code. */
#ifndef RUNTIME_GPU_NUMERIC_NUMERIC_H
#define RUNTIME_GPU_NUMERIC_NUMERIC_H

#include "runtime/gpu/numeric/approx.h"
#include "runtime/gpu/numeric/elementary.h"
#include "runtime/gpu/numeric/half.h"
#include "runtime/gpu/numeric/round.h"
#include "runtime/gpu/numeric/wide.h"

#endif
