/*
 * Appending nodes to a trace, simplified on the way: constants, copies, known registers, conditions
 * on flags that a comparison has set.
 */
#ifndef RUNTIME_JIT_QUICK_SIMPLIFY_H
#define RUNTIME_JIT_QUICK_SIMPLIFY_H

#include "runtime/jit/quick/record.h"

enum { Q_SHARED = 512 /* pure nodes that are looked for when the same one is wanted again */ };

struct slot_change {
    uint32_t slot, old;
};

struct q_fact { /* a guard that the trace has passed */
    uint8_t op, sub;
    jit_type type;
    uint32_t a, b;
};

/* What is known at the end of the trace so far. */
struct quick_trace {
    uint32_t *now;                /* by slot: node that is its value, or Q_NONE */
    VEC(struct slot_change) undo; /* changes of `now` by the instruction being appended */
    uint32_t shared[Q_SHARED];    /* by hash: a pure node */
    VEC(struct q_fact) facts;
    bool changed;        /* this instruction has written registers or memory */
    const char *refused; /* this instruction cannot be appended */
};

/* Appends a node as it is. */
uint32_t q_append(struct quick *q, struct q_node n);
/* Appends a pure node, unless there is one like it. */
uint32_t q_share(struct quick *q, struct q_node n);
/* The instruction cannot be expressed. */
void q_refuse(struct quick *q, const char *why);

q_value q_constant(struct quick *q, jit_type t, uint64_t bits);
/* Of up to 128 bits, whatever their lanes; in a vector register. */
q_value q_wide_constant(struct quick *q, jit_type t, uint64_t low, uint64_t high);
/* The guest address at that distance from the trace's first. */
q_value q_address(struct quick *q, int64_t delta);
/* The value's node, in the kind of register that is wanted. */
uint32_t q_general(struct quick *q, q_value v);
uint32_t q_vector(struct quick *q, q_value v);
/* Zero- or sign-extended to 32 bits and more, from the type's width. */
uint32_t q_extended(struct quick *q, q_value v, bool with_sign);

/* The operations of build.h. */
q_value q_unary(struct quick *q, enum jit_op op, jit_type t, q_value a);
q_value q_binary(struct quick *q, unsigned op, jit_type t, q_value a, q_value b);
q_value q_convert(struct quick *q, jit_type to, jit_type from, q_value a);
q_value q_bitcast(struct quick *q, jit_type to, q_value a);
q_value q_select(struct quick *q, q_value cond, q_value a, q_value b);
q_value q_fma(struct quick *q, jit_type t, q_value a, q_value b, q_value c);
q_value q_splat(struct quick *q, jit_type t, q_value a);
q_value q_build(struct quick *q, jit_type t, const q_value *lanes);
q_value q_extract(struct quick *q, jit_type t, q_value a, unsigned lane);
q_value q_insert(struct quick *q, jit_type t, q_value a, unsigned lane, q_value b);
q_value q_concat(struct quick *q, jit_type t, q_value a, q_value b);
q_value q_read_register(struct quick *q, jit_type t, uint64_t offset);
void q_write_register(struct quick *q, uint64_t offset, q_value v);
/* simplify_vector.c: a node about to be appended, whose operands are in vector registers, may become
 * another one with the same value. */
void q_simplify_vector(const struct quick *q, struct q_node *n);
/* simplify_int.c */
q_value q_int_unary(struct quick *q, enum jit_op op, jit_type t, q_value a);
q_value q_int_binary(struct quick *q, unsigned op, jit_type t, q_value a, q_value b);
/* A comparison of integers as a condition: `a sub b`, of type. False: it is a constant, *value. */
struct q_condition {
    uint8_t sub;
    bool test; /* (a & b) sub 0 */
    jit_type type;
    uint32_t a, b;
};
bool q_condition_of(struct quick *q, q_value v, struct q_condition *c, bool *value);
/* Whether a condition's value follows from that of a guard, or from that it did not hold. */
bool q_follows(const struct quick *q, const struct q_node *guard, bool held, const struct q_node *n,
               bool *value);
/* The operation that holds where op does not. */
unsigned q_inverse(unsigned op);

#endif
