/*
 * Transfer functions: what each operation of the IR makes known of its result, and what it demands
 * of its operands. The table in table.c has one row per operation; an analysis visits values and
 * their operands and applies the rows:
 *
 *     analysis                          direction   reads
 *     gencc/ir/range.c                  forward     range, join
 *     gencc/asm/solve/bits.c            both        place, known, want
 *     gencc/asm/solve/demand.c          backward    demand
 *     gencc/asm/solve/depends.c         backward    place
 *     gencc/asm/solve/reason.c          backward    place, explain
 *
 * Rules are pure: they receive facts about operands and return facts. Rules of `range` hold for
 * each lane of a vector, all others handle scalar integers.
 */
#ifndef GENCC_IR_TRANSFER_TRANSFER_H
#define GENCC_IR_TRANSFER_TRANSFER_H

#include "gencc/ir/ir.h"

/* A number of which only the bits in `mask` are known; the others are 0 in `value`. */
struct bits {
    u128 mask, value;
};

/* Adds bits to the known ones. False if they contradict. */
bool bits_learn(struct bits *known, struct bits more);

/* Whether all bits of a number of that type are known. */
static inline bool bits_full(struct bits b, struct ir_type t)
{
    return b.mask == low_bits(t.bits);
}

/* Whether the value is a scalar integer: known bits and wanted bits exist for these only. */
static inline bool bits_scalar(const struct ir_value *v)
{
    return ir_is_int(v->type) && v->type.lanes == 1;
}

/* The result of an operation of which all operands are scalar integers and `x` has all bits; 0 bits
 * are known if an operand is not, or if the operation is not arithmetic. */
struct bits bits_by_arith(const struct ir_value *v, const struct bits *x);

enum bits_outcome {
    BITS_IMPOSSIBLE, /* nothing that agrees with the known bits gives the wanted value */
    BITS_DONE,       /* the known bits now imply the wanted value */
    BITS_STUCK,      /* more bits may be known than before, but they do not imply the value */
};

/* Bits of operands that follow from wanted bits of a result. */
struct bits_wants {
    enum bits_outcome outcome; /* BITS_DONE: what `at` and `open` say; otherwise final */
    u128 open;                 /* wanted bits of the result that `at` does not imply */
    unsigned count;
    struct {
        unsigned operand;
        struct bits bits;
    } at[2]; /* in the order in which they are to be applied */
};

enum { IR_STEP_OPERANDS = 3 };

/* An executed operation whose value is to be explained by its operands. */
struct ir_step {
    const struct ir_value *v;
    u128 x[IR_STEP_OPERANDS];     /* values of the operands */
    u128 value;                   /* value of the result */
    u128 want;                    /* mask of the result's bits that are to be explained */
    u128 asked[IR_STEP_OPERANDS]; /* set by the rule: operand bits that imply the bits of `want` */
};

/* A value that is a copy of bits of the instruction word. */
struct ir_place {
    unsigned lsb, width;
};

typedef struct ir_range ir_range_rule(const struct ir_value *v, const struct ir_range *x);
typedef struct bits ir_known_rule(const struct ir_value *v, const struct bits *x);
typedef struct bits_wants ir_want_rule(const struct ir_value *v, const struct bits *x,
                                       struct bits want);
typedef u128 ir_demand_rule(const struct ir_value *v, unsigned operand, u128 mask);
typedef void ir_explain_rule(struct ir_step *s);
typedef bool ir_place_rule(const struct ir_value *v, struct ir_place *place);

struct ir_transfer {
    /* Known bits and bounds of the result, from those of the first `range_operands` operands. NULL:
     * any value of the type. If `opaque`, so it is if operand 0 has any value of its type. */
    ir_range_rule *range;
    uint8_t range_operands;
    bool opaque;
    /* The result is one of the operands join_from, join_from + join_step …; step 0: it is not. */
    uint8_t join_from, join_step;
    /* Known bits of the result, from those of the operands. NULL: bits_by_arith(). */
    ir_known_rule *known;
    /* Necessary bits of the operands, from wanted bits of the result; these include all bits of the
     * result that are known. `x` is set for the operands of which `want_reads` has the bit. NULL:
     * BITS_STUCK. */
    ir_want_rule *want;
    uint8_t want_reads;
    /* Bits of an operand that can affect the bits `mask` of the result. NULL: all. */
    ir_demand_rule *demand;
    /* Sets s->asked: if these bits of the operands stay, so do the bits s->want of the result. Bits
     * above an operand's type are ignored. NULL: all bits. */
    ir_explain_rule *explain;
    /* The bits of the word that the value is a copy of, zero-extended. False: of none, or it is
     * computed. NULL: of none. */
    ir_place_rule *place;
};

extern const struct ir_transfer ir_transfers[IR_OP_COUNT];

/* Returns where in the word the value lies; false if it is not a copy of bits of the word. */
static inline bool ir_value_place(const struct ir_value *v, struct ir_place *place)
{
    return ir_transfers[v->op].place && ir_transfers[v->op].place(v, place);
}

#endif
