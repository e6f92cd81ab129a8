/*
 * Templates of intrinsics by number, one table per dialect, in the format of expr.h. NULL: the
 * dialect lacks the intrinsic.
 */
#ifndef GENCC_EMIT_INTRINSICS_H
#define GENCC_EMIT_INTRINSICS_H

#include "gencc/ir/ir.h"

extern const char *const c_intrinsics[IR_I_COUNT];
/* In handlers of lanes. Names in templates: lane l of warp w in operation op. */
extern const char *const lane_intrinsics[IR_I_COUNT];
/* In translators: values that are fixed but not in the instruction word, and code-building
 * calls. */
extern const char *const translator_intrinsics[IR_I_COUNT];
extern const char *const built_intrinsics[IR_I_COUNT];
/* In translators of lanes, with calls of runtime/gpu/translate/build.h. */
extern const char *const lane_built_intrinsics[IR_I_COUNT];

#endif
