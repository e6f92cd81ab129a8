/*
 * Transfer functions of comparisons and of what they decide: SELECT, CBR.
 */
#include "gencc/ir/transfer/rules.h"

/* ---- range, known ---------------------------------------------------------------------------- */

/* A lane of a mask is all ones or 0. */
struct ir_range range_truth(const struct ir_value *v, const struct ir_range *x)
{
    (void)x;
    return ir_is_vector(v->type) ? range_full(v->type.bits) : range_between(0, 1, v->type.bits);
}

struct bits known_equality(const struct ir_value *v, const struct bits *x)
{
    struct ir_type t = v->ops.data[0]->type;

    if (!bits_scalar(v->ops.data[0]))
        return (struct bits){0};
    if (x[0].mask & x[1].mask & (x[0].value ^ x[1].value))
        return bits_all(IR_T_U8, v->op == IR_NE);
    if (bits_full(x[0], t) && bits_full(x[1], t))
        return bits_all(IR_T_U8, v->op == IR_EQ);
    return bits_truth();
}

struct bits known_order(const struct ir_value *v, const struct bits *x)
{
    struct bits known = bits_by_arith(v, x);

    return known.mask ? known : bits_truth();
}

/* ---- want ------------------------------------------------------------------------------------ */

/* x == y, where one side is known; or x != y, where one bit is left to differ. */
struct bits_wants want_equality(const struct ir_value *v, const struct bits *x, struct bits want)
{
    bool equal = (want.value & 1) == (v->op == IR_EQ);
    u128 all = low_bits(v->ops.data[0]->type.bits), open;

    if (!bits_scalar(v->ops.data[0]))
        return wants_none(BITS_STUCK);
    if (!(want.mask & 1))
        return wants_none(BITS_DONE);
    if (equal)
        return (struct bits_wants){.outcome = BITS_DONE,
                                   .open = ~(x[0].mask | x[1].mask) & all,
                                   .count = 2,
                                   .at = {{1, x[0]}, {0, x[1]}}};
    open = all & ~(x[0].mask & x[1].mask);
    if (open & (open - 1))
        return wants_none(BITS_STUCK);
    if (x[0].mask & open)
        return wants_one(1, (struct bits){open, ~x[0].value & open}, 0);
    if (x[1].mask & open)
        return wants_one(0, (struct bits){open, ~x[1].value & open}, 0);
    return wants_none(BITS_STUCK);
}

/* ---- demand, explain ------------------------------------------------------------------------- */

u128 demand_chosen(const struct ir_value *v, unsigned operand, u128 mask)
{
    (void)v;
    return operand ? mask : ~(u128)0;
}

/* An order of two numbers follows from the larger one's 1 bits and the smaller one's 0 bits, from
 * the highest difference up. Other bits cannot reverse it. `flip` makes unsigned numbers of signed
 * ones. */
static void explain_order(struct ir_step *s, unsigned big, bool strict, u128 flip)
{
    u128 x = s->x[big] ^ flip, y = s->x[1 - big] ^ flip;
    u128 above = ~(bits_up_to_highest(x ^ y) >> 1);

    if (!strict && s->v->ops.data[1 - big]->op == IR_CONST && !(y & ~x)) {
        s->asked[big] = y;
    } else if (!strict && s->v->ops.data[big]->op == IR_CONST && !(y & ~x)) {
        s->asked[1 - big] = ~x;
    } else {
        s->asked[big] = x == y ? ~(u128)0 : x & above;
        s->asked[1 - big] = x == y ? ~(u128)0 : ~y & above;
    }
}

/* A single differing bit proves inequality. */
void explain_comparison(struct ir_step *s)
{
    enum ir_op op = s->v->op;
    struct ir_type type = s->v->ops.data[0]->type;
    u128 x = s->x[0], y = s->x[1], all = low_bits(type.bits);
    bool less = op == IR_LT || op == IR_GE, holds;

    if (!ir_is_int(type) || op == IR_EQ || op == IR_NE) {
        ask_each(s, x != y && ir_is_int(type) ? lowest_bit(x ^ y) : ~(u128)0);
        return;
    }
    /* The cases are x < y or x >= y, and x > y or x <= y. */
    holds = (s->value != 0) == (op == IR_LT || op == IR_GT);
    explain_order(s, less == holds, holds, type.base == IR_SINT ? all & ~(all >> 1) : 0);
}

void explain_choice(struct ir_step *s)
{
    s->asked[0] = asked_for_truth(s->x[0]);
    s->asked[s->x[0] ? 1 : 2] = s->want;
}

void explain_branch(struct ir_step *s)
{
    s->asked[0] = asked_for_truth(s->x[0]);
}
