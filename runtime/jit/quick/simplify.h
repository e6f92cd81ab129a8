/*
 * Appending nodes to a trace with simplification: constants, copies, known registers, conditions on
 * flags that a comparison has set.
 */
#ifndef RUNTIME_JIT_QUICK_SIMPLIFY_H
#define RUNTIME_JIT_QUICK_SIMPLIFY_H

#include "runtime/jit/quick/record.h"

enum { Q_SHARED = 1024 /* entries of the table in which equal pure nodes are found */ };

struct slot_change {
    uint32_t slot, old;
};

struct q_fact { /* a guard that the trace has passed */
    uint8_t op, sub;
    jit_type type;
    uint32_t a, b;
};

/* Facts at the present end of the trace. */
struct quick_trace {
    uint32_t *now;                /* by slot: node that is its value, or Q_NONE */
    VEC(struct slot_change) undo; /* changes of `now` by the instruction being appended */
    uint32_t shared[Q_SHARED];    /* by hash: a pure node, or 0 */
    VEC(struct q_fact) facts;
    int64_t skip_to; /* if `may_skip`: the other delta to which the guest may go at the end of this
                        block; the trace continues for both */
    bool may_skip;
    /* If `has_usual`: this block is the trace's last one, and the guest usually goes on at the
     * delta. */
    int64_t usual_to;
    bool has_usual;
    uint32_t choice;     /* the chosen address, if the trace continues for both */
    bool changed;        /* this instruction has written registers or memory */
    const char *refused; /* why this instruction cannot be appended, or NULL */
    /* Writes of parts, and of pieces of them; `whole`: a larger register is used. */
    unsigned part_writes, piece_writes;
    bool whole;
};

/* Appends a node as it is. */
uint32_t q_append(struct quick *q, struct q_node n);
/* Appends a pure node, or returns an equal one. */
uint32_t q_share(struct quick *q, struct q_node n);
/* An equal pure node of the trace, or Q_NONE. */
uint32_t q_find(struct quick *q, const struct q_node *n);
/* Takes back nodes from a number on; the others are still found. */
void q_drop_nodes(struct quick *q, size_t from);
/* Refuses the instruction, so that it is left to its handler. */
void q_refuse(struct quick *q, const char *why);

/* A constant: `bits` in every lane of type t. */
/* A constant: `bits` in every lane of type t. */
q_value q_constant(struct quick *q, jit_type t, uint64_t bits);
/* A constant of up to 128 bits in a vector register. */
q_value q_wide_constant(struct quick *q, jit_type t, uint64_t low, uint64_t high);
/* The trace's first guest address + delta. */
q_value q_address(struct quick *q, int64_t delta);
/* What has the low 32 bits of a value with ones above, as RV64 has single floats; else the node
 * itself. */
uint32_t q_low_word(const struct quick *q, uint32_t node);
/* A node with the value in a general register, or in a vector register. */
uint32_t q_general(struct quick *q, q_value v);
/* Whether the low bits of a vector are all that an integer in a general register has, with zeros
 * above, as an instruction leaves a result across lanes: node->in[0]. */
bool q_is_whole_integer(struct quick *q, const struct q_node *n, unsigned bits);
uint32_t q_vector(struct quick *q, q_value v);
/* floats.c: whether an integer of 64 bits that was loaded, or that a guest register has where the
 * trace begins, may be in a vector register instead: so far it was only copied to guest
 * registers. */
bool q_may_be_float(const struct quick *q, uint32_t value);
/* The node with the low bits of a value in a vector register, and others above in place of
 * zeros. */
uint32_t q_without_zeros(const struct quick *q, uint32_t node, unsigned bits);
/* A float of type t whose sign a behaviour has changed as an integer's bit, as a NEG or ABS;
 * Q_NONE: the node is no such integer. */
uint32_t q_signed_float(struct quick *q, uint32_t node, jit_type t);
/* A node with the value extended from its type's width to at least 32 bits. */
uint32_t q_extended(struct quick *q, q_value v, bool with_sign);
/*
 * addend.c: the part of an address without a constant that it adds, which becomes *disp. The host
 * adds it in 64 bits. A sum of 32 bits that wraps around then is no address of the guest's, so
 * inline code does not serve it, and the slow path has the right one (q_where_address()).
 */
uint32_t q_split_address(struct quick *q, uint32_t address, int32_t *disp);

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
/* Writes the node of a whole slot's value. */
void q_write_slot(struct quick *q, uint32_t slot, uint32_t n);
/* simplify_vector.c: may replace a node that is about to be appended, with operands in vector
 * registers, by another one of the same value. */
void q_simplify_vector(const struct quick *q, struct q_node *n);
/* simplify_int.c: q_unary() and q_binary() for integers in general registers. */
q_value q_int_unary(struct quick *q, enum jit_op op, jit_type t, q_value a);
q_value q_int_binary(struct quick *q, unsigned op, jit_type t, q_value a, q_value b);
/* simplify_low.c: what has the same low 32 bits, without an extension that takes an instruction: a
 * load extends what it loads at no cost. */
uint32_t q_low_half(const struct quick *q, uint32_t a);
/* Whether two values have their signs above 32 bits, and computing with their low halves spares an
 * extension. */
bool q_are_halves_enough(const struct quick *q, uint32_t a, uint32_t b);
/* The low `bits` bits of a node, extended by Q_ZEXT or Q_SEXT. */
uint32_t q_extension(struct quick *q, unsigned op, unsigned bits, uint32_t a);
/* A shift by c to the right, with the sign, of a node that is shifted left by c, as a sign
 * extension; or 0. */
uint32_t q_sign_of_shifted(struct quick *q, jit_type t, uint32_t a, uint64_t c);
/* A condition: the comparison `a sub b` of integers, or of ordered floats, of a type. */
struct q_condition {
    uint8_t sub;
    bool test; /* (a & b) sub 0 */
    jit_type type;
    uint32_t a, b;
};
/* The condition that v is not 0. False: it is constant, *value. */
bool q_condition_of(struct quick *q, q_value v, struct q_condition *c, bool *value);
/* relations.c. Whether a node is a comparison in general registers, or one of the host's flags. */
static inline bool q_is_condition(const struct q_node *n)
{
    return n->op == Q_BINARY && n->sub >= JIT_EQ && !q_in_vector(n->type);
}
/* The comparison that holds where op does not. */
unsigned q_inverse(unsigned op);
/* The comparison that says of b and a what op says of a and b. */
unsigned q_swapped_comparison(unsigned op);
enum { Q_LESS = 1, Q_EQUAL = 2, Q_GREATER = 4 };
/* The relations for which a comparison holds, as a set; 0: it is another comparison. */
unsigned q_relation_of(unsigned op);
/* The comparison that holds for a set of relations, neither none nor all. */
unsigned q_op_of(unsigned relation);
/* Whether two comparisons have the same operands; then brings them into the same order. */
bool q_same_operands(struct q_node *x, struct q_node *y);
/* Whether one condition is the negation of the other. */
bool q_are_opposite(const struct quick *q, uint32_t a, uint32_t b);
/* Whether the value of condition n follows from that of another one, which held or did not:
 * *value. */
bool q_follows_one(const struct q_node *one, bool held, const struct q_node *n, bool *value);
/* The same of a guard that held, or did not hold. */
bool q_follows(const struct quick *q, const struct q_node *guard, bool held, const struct q_node *n,
               bool *value);

#endif
