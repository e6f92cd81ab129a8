/*
 * How each dialect writes an intrinsic, by its number: text as expr.h has it, NULL where the dialect
 * has none.
 */
#ifndef GENCC_EMIT_INTRINSICS_H
#define GENCC_EMIT_INTRINSICS_H

#include "gencc/ir/ir.h"

extern const char *const c_intrinsics[IR_I_COUNT];
/* In handlers of lanes: the lane is l, of warp w, in operation op. */
extern const char *const lane_intrinsics[IR_I_COUNT];
/* In translators: what is fixed but not in the instruction word, and what they build code for. */
extern const char *const translator_intrinsics[IR_I_COUNT];
extern const char *const built_intrinsics[IR_I_COUNT];
/* The same for lanes, on runtime/gpu/translate/build.h. */
extern const char *const lane_built_intrinsics[IR_I_COUNT];

#endif
