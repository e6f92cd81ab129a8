/* Pure operations of translators: of vectors of any size, and shapes of several that are one
 * shuffle. */
#ifndef RUNTIME_JIT_QUICK_HALVES_H
#define RUNTIME_JIT_QUICK_HALVES_H

#include "runtime/jit/quick/simplify.h"

/* The operands of a raw node as values of the trace; 0: none. */
struct operands {
    q_value a, b, c;
};

/* halves.c: the value of a raw node Q_CONST to Q_CONCAT or RAW_SELECT. */
q_value q_operation(struct quick *q, const struct raw *raw, const struct operands *o);
/* products.c: some high bits of products of lanes of 16 bits, which a raw CONVERT narrows; 0: it is
 * of another shape, or the host has no instruction for it. */
q_value q_high_product(struct quick *q, const struct raw *raw, const struct operands *o);
/* shuffle.c: q_operation() of vectors of up to 16 bytes. */
q_value q_shape(struct quick *q, const struct raw *raw, const struct operands *o);

/* The vector of some lanes, of any size. */
q_value q_vector_of(struct quick *q, jit_type t, const q_value *values);
/* shuffle.c: the same of up to 16 bytes. */
q_value q_built(struct quick *q, jit_type t, const q_value *values);
/* known.c: the vector that a call computes, if the host has instructions in its place; else 0.
 * args: the call's arguments; 0: none. */
q_value q_known_call(struct quick *q, const struct jit_callee *f, const q_value *args);

#endif
