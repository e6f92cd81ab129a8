/*
 * The intrinsics that the compiler computes itself: one table, used by folding and evaluation.
 */
#ifndef GENCC_IR_PURE_H
#define GENCC_IR_PURE_H

#include "gencc/ir/ir.h"

struct ir_pure_fn {
    bool rounds;  /* depends on the host's rounding mode, or on the tier: not to be folded */
    unsigned max; /* the largest result, where that is less than the type's; else 0 */
    u128 (*compute)(u128 a, u128 b, u128 c); /* zero-extended bits; unused ones are 0 */
};

/* How an intrinsic is computed; NULL: only its surroundings can. */
const struct ir_pure_fn *ir_pure(enum ir_intrinsic i);

#endif
