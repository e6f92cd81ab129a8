/*
 * Intrinsics that the compiler can compute: one table for folding and evaluation.
 */
#ifndef GENCC_IR_PURE_H
#define GENCC_IR_PURE_H

#include "gencc/ir/ir.h"

struct ir_pure_fn {
    bool rounds;  /* depends on the host's rounding mode or on the tier, so it is not folded */
    unsigned max; /* largest result if it is less than the type's maximum, else 0 */
    /* arguments and result are zero-extended bits; unused arguments are 0 */
    u128 (*compute)(u128 a, u128 b, u128 c);
};

/* How to compute an intrinsic; NULL if the compiler cannot. */
const struct ir_pure_fn *ir_pure(enum ir_intrinsic i);

#endif
