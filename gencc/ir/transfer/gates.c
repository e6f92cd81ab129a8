/*
 * Transfer functions of operations on single bits: AND, OR, XOR, NOT.
 */
#include "gencc/ir/transfer/rules.h"

/* ---- range ----------------------------------------------------------------------------------- */

struct ir_range range_and(const struct ir_value *v, const struct ir_range *x)
{
    return range_of_bits(x[0].zeros | x[1].zeros, x[0].ones & x[1].ones, v->type.bits);
}

struct ir_range range_or(const struct ir_value *v, const struct ir_range *x)
{
    return range_of_bits(x[0].zeros & x[1].zeros, x[0].ones | x[1].ones, v->type.bits);
}

struct ir_range range_xor(const struct ir_value *v, const struct ir_range *x)
{
    return range_of_bits((x[0].zeros & x[1].zeros) | (x[0].ones & x[1].ones),
                         (x[0].zeros & x[1].ones) | (x[0].ones & x[1].zeros), v->type.bits);
}

struct ir_range range_not(const struct ir_value *v, const struct ir_range *x)
{
    return range_of_bits(x[0].ones, x[0].zeros, v->type.bits);
}

/* ---- known ----------------------------------------------------------------------------------- */

struct bits known_and(const struct ir_value *v, const struct bits *x)
{
    (void)v;
    return (struct bits){(x[0].mask & x[1].mask) | (x[0].mask & ~x[0].value) |
                             (x[1].mask & ~x[1].value),
                         x[0].value & x[1].value};
}

struct bits known_or(const struct ir_value *v, const struct bits *x)
{
    (void)v;
    return (struct bits){(x[0].mask & x[1].mask) | x[0].value | x[1].value,
                         x[0].value | x[1].value};
}

struct bits known_xor(const struct ir_value *v, const struct bits *x)
{
    u128 mask = x[0].mask & x[1].mask;

    (void)v;
    return (struct bits){mask, (x[0].value ^ x[1].value) & mask};
}

struct bits known_not(const struct ir_value *v, const struct bits *x)
{
    (void)v;
    return (struct bits){x[0].mask, x[0].mask & ~x[0].value};
}

/* ---- want ------------------------------------------------------------------------------------ */

/* AND and OR. The strong value is 0 for AND, 1 for OR. A wanted bit that is not strong is required
 * in both operands. A strong one is required in an operand if the other operand is known not to
 * have it. */
static struct bits_wants want_gate(const struct bits *x, struct bits want, bool is_and)
{
    u128 flip = is_and ? 0 : ~(u128)0; /* makes OR look like AND */
    u128 ones = want.mask & (want.value ^ flip), zeros = want.mask & ~(want.value ^ flip);
    u128 x_one = x[0].mask & (x[0].value ^ flip), y_one = x[1].mask & (x[1].value ^ flip);
    u128 settled = (x[0].mask & ~(x[0].value ^ flip)) | (x[1].mask & ~(x[1].value ^ flip));
    struct bits wx = {ones | (zeros & y_one), 0}, wy = {ones | (zeros & x_one), 0};

    wx.value = (ones ^ flip) & wx.mask;
    wy.value = (ones ^ flip) & wy.mask;
    return (struct bits_wants){.outcome = BITS_DONE,
                               .open = zeros & ~(x_one | y_one | settled),
                               .count = 2,
                               .at = {{1, wy}, {0, wx}}};
}

struct bits_wants want_and(const struct ir_value *v, const struct bits *x, struct bits want)
{
    (void)v;
    return want_gate(x, want, true);
}

struct bits_wants want_or(const struct ir_value *v, const struct bits *x, struct bits want)
{
    (void)v;
    return want_gate(x, want, false);
}

struct bits_wants want_xor(const struct ir_value *v, const struct bits *x, struct bits want)
{
    u128 mx = want.mask & x[1].mask, my = want.mask & x[0].mask;

    (void)v;
    return (struct bits_wants){.outcome = BITS_DONE,
                               .open = want.mask & ~(x[0].mask | x[1].mask),
                               .count = 2,
                               .at = {{1, {my, (want.value ^ x[0].value) & my}},
                                      {0, {mx, (want.value ^ x[1].value) & mx}}}};
}

struct bits_wants want_not(const struct ir_value *v, const struct bits *x, struct bits want)
{
    (void)v;
    (void)x;
    return wants_one(0, (struct bits){want.mask, want.mask & ~want.value}, 0);
}

/* ---- demand, explain ------------------------------------------------------------------------- */

u128 demand_same(const struct ir_value *v, unsigned operand, u128 mask)
{
    (void)v;
    (void)operand;
    return mask;
}

u128 demand_and(const struct ir_value *v, unsigned operand, u128 mask)
{
    const struct ir_value *other = v->ops.data[1 - operand];

    return other->op == IR_CONST ? mask & other->imm : mask;
}

/* A `strong` bit of one operand (0 for AND, 1 for OR) decides the result alone. A constant's strong
 * bits are preferred. */
static void explain_gate(struct ir_step *s, u128 strong_x, u128 strong_y)
{
    bool x_first = s->v->ops.data[0]->op == IR_CONST;

    s->asked[0] = s->want & (x_first ? strong_x | ~strong_y : ~strong_y);
    s->asked[1] = s->want & (x_first ? ~strong_x : strong_y | ~strong_x);
}

void explain_and(struct ir_step *s)
{
    explain_gate(s, ~s->x[0], ~s->x[1]);
}

void explain_or(struct ir_step *s)
{
    explain_gate(s, s->x[0], s->x[1]);
}

void explain_same(struct ir_step *s)
{
    ask_each(s, s->want);
}
