/*
 * What each pure operation computes on any IR type, for folding and the evaluator. Integer lanes
 * are computed by common/arithmetic.h.
 */
#ifndef GENCC_IR_ARITH_H
#define GENCC_IR_ARITH_H

#include "common/arithmetic.h"
#include "gencc/ir/ir.h"

/* An operand: its type, and the bits of each lane, zero-extended. */
struct ir_operand {
    struct ir_type type;
    const u128 *lane;
};

/* Computes operation `op` (ADD to CONCAT of ops.inc) with result type `t` on `n` operands, which
 * must satisfy the verifier. Writes t.lanes lanes to `out`, which must not overlap an operand.
 * Returns false for other operations. */
bool ir_arith(enum ir_op op, struct ir_type t, unsigned n, const struct ir_operand *args,
              u128 *out);

/* Whether the result of `op` may depend on the host's rounding mode. */
bool ir_arith_rounds(enum ir_op op, struct ir_type result, struct ir_type operand);

/* Sign-extends x from `bits` bits. */
static inline __int128 ir_sign_extend(u128 x, unsigned bits)
{
    return int128_extend(x, bits);
}

/* Converts to the scalar integer type `to`: truncates toward zero and saturates; NaN gives 0.
 * Returns the bits. */
u128 ir_float_to_int(double d, struct ir_type to);

/* Convert between floats and their bits. */
float ir_to_float(u128 bits);
double ir_to_double(u128 bits);
u128 ir_from_float(float f);
u128 ir_from_double(double d);

#endif
