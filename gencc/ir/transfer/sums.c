/*
 * Transfer functions of arithmetic: ADD, SUB, MUL, DIV, MOD, NEG.
 */
#include "gencc/ir/transfer/rules.h"

/* ---- range ----------------------------------------------------------------------------------- */

struct ir_range range_sum(const struct ir_value *v, const struct ir_range *x)
{
    unsigned bits = v->type.bits, tx = range_low_zeros(&x[0]), ty = range_low_zeros(&x[1]);
    struct ir_range r = range_full(bits);

    if (x[0].max <= low_bits(bits) - x[1].max)
        r = range_between(x[0].min + x[1].min, x[0].max + x[1].max, bits);
    return range_with_low_zeros(r, tx < ty ? tx : ty, bits);
}

struct ir_range range_difference(const struct ir_value *v, const struct ir_range *x)
{
    unsigned bits = v->type.bits;

    return x[0].min >= x[1].max ? range_between(x[0].min - x[1].max, x[0].max - x[1].min, bits)
                                : range_full(bits);
}

struct ir_range range_product(const struct ir_value *v, const struct ir_range *x)
{
    unsigned bits = v->type.bits;
    struct ir_range r = range_full(bits);

    if (!x[1].max || x[0].max <= low_bits(bits) / x[1].max)
        r = range_between(x[0].min * x[1].min, x[0].max * x[1].max, bits);
    return range_with_low_zeros(r, range_low_zeros(&x[0]) + range_low_zeros(&x[1]), bits);
}

/* DIV and MOD. */
struct ir_range range_quotient(const struct ir_value *v, const struct ir_range *x)
{
    const struct ir_range *y = x + 1;
    struct ir_type t = v->type;

    if (range_may_be_negative(x, t) || range_may_be_negative(y, t))
        return range_full(t.bits);
    if (v->op == IR_DIV)
        return range_between(y->min && y->max ? x->min / y->max : 0, x->max / (y->min ? y->min : 1),
                             t.bits);
    return range_between(0, y->min && y->max - 1 < x->max ? y->max - 1 : x->max, t.bits);
}

/* ---- known ----------------------------------------------------------------------------------- */

/* ADD, SUB, MUL: the low bits of the result are known as far as both operands are. */
struct bits known_sum(const struct ir_value *v, const struct bits *x)
{
    u128 low = bits_low_run(x[0].mask & x[1].mask) & low_bits(v->type.bits);
    u128 sum = v->op == IR_ADD   ? x[0].value + x[1].value
               : v->op == IR_SUB ? x[0].value - x[1].value
                                 : x[0].value * x[1].value;

    return (struct bits){low, sum & low};
}

/* ---- want ------------------------------------------------------------------------------------ */

static u128 odd_inverse(u128 odd)
{
    u128 inverse = odd; /* correct in the low 3 bits; each step doubles their number */

    for (unsigned i = 0; i < 6; i++)
        inverse *= 2 - odd * inverse;
    return inverse;
}

/* The operand * c, where c = odd << by. */
static struct bits_wants want_multiple(unsigned operand, u128 c, struct bits want)
{
    unsigned by = 0;
    u128 run = bits_low_run(want.mask), value;

    if (!c)
        return wants_none(want.value & want.mask ? BITS_IMPOSSIBLE : BITS_DONE);
    for (; !(c & 1); c >>= 1)
        by++;
    if (want.value & run & low_bits(by))
        return wants_none(BITS_IMPOSSIBLE);
    value = ((want.value & run) >> by) * odd_inverse(c) & (run >> by);
    return wants_one(operand, (struct bits){run >> by, value}, want.mask & ~run);
}

struct bits_wants want_product(const struct ir_value *v, const struct bits *x, struct bits want)
{
    if (bits_full(x[1], v->type))
        return want_multiple(0, x[1].value, want);
    return bits_full(x[0], v->type) ? want_multiple(1, x[0].value, want) : wants_none(BITS_STUCK);
}

/* ADD and SUB, from bit 0 as far as the result and one operand are known. If the operands have no
 * common bit, a sum is an OR. */
struct bits_wants want_sum(const struct ir_value *v, const struct bits *x, struct bits want)
{
    u128 by_y = bits_low_run(want.mask & x[1].mask), by_x = bits_low_run(want.mask & x[0].mask);
    u128 may_have = ~(x[0].mask & ~x[0].value) & ~(x[1].mask & ~x[1].value);
    bool add = v->op == IR_ADD;

    if (add && !(low_bits(v->type.bits) & may_have))
        return want_or(v, x, want);
    return (struct bits_wants){
        .outcome = BITS_DONE,
        .open = want.mask & ~(by_x | by_y),
        .count = 2,
        .at = {
            {0, {by_y, (add ? want.value - x[1].value : want.value + x[1].value) & by_y}},
            {1, {by_x, (add ? want.value - x[0].value : x[0].value - want.value) & by_x}},
        }};
}

struct bits_wants want_negation(const struct ir_value *v, const struct bits *x, struct bits want)
{
    u128 run = bits_low_run(want.mask);

    (void)v;
    (void)x;
    return wants_one(0, (struct bits){run, -want.value & run}, want.mask & ~run);
}

/* ---- explain --------------------------------------------------------------------------------- */

/* ADD, SUB, NEG: the wanted bits, and lower ones down to the highest bit that decides the carry. */
void explain_sum(struct ir_step *s)
{
    bool unary = s->v->op == IR_NEG;
    u128 x = unary ? 0 : s->x[0], y = s->x[unary ? 0 : 1];
    u128 below = lowest_bit(s->want) - 1;
    u128 decides = (s->v->op == IR_ADD ? ~(x ^ y) : x ^ y) & below;

    ask_each(s, bits_up_to_highest(s->want) & ~(bits_up_to_highest(decides) >> 1));
}

void explain_product(struct ir_step *s)
{
    ask_each(s, bits_up_to_highest(s->want));
}
