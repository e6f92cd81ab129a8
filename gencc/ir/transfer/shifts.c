/*
 * Transfer functions of shifts and rotations: SHL, SHR, ROL, ROR. Amounts from the width of the
 * type on shift all bits out; rotations take them modulo the width.
 */
#include "gencc/ir/transfer/rules.h"

/* ---- range ----------------------------------------------------------------------------------- */

struct ir_range range_left(const struct ir_value *v, const struct ir_range *x)
{
    const struct ir_range *y = x + 1;
    unsigned n = (unsigned)y->min, bits = v->type.bits;

    if (y->min >= bits || !x->max)
        return range_exact(0);
    if (y->min != y->max)
        return range_with_low_zeros(range_full(bits), range_low_zeros(x) + n, bits);
    return range_of_bits(x->zeros << n | low_bits(n), x->ones << n, bits);
}

struct ir_range range_right(const struct ir_value *v, const struct ir_range *x)
{
    const struct ir_range *y = x + 1;
    struct ir_type t = v->type;
    unsigned n = y->min < t.bits ? (unsigned)y->min : t.bits, up = 128u - t.bits;

    if (!range_may_be_negative(x, t)) {
        if (n == t.bits)
            return range_exact(0);
        if (y->min != y->max)
            return range_between(0, x->max >> n, t.bits);
        return range_of_bits(~(~x->zeros >> n), x->ones >> n, t.bits);
    }
    if (y->min != y->max)
        return range_full(t.bits);
    if (n == t.bits)
        n--;
    return range_of_bits((u128)((s128)(x->zeros << up) >> up >> n),
                         (u128)((s128)(x->ones << up) >> up >> n), t.bits);
}

static u128 rotate_bits(u128 x, unsigned n, unsigned bits)
{
    x &= low_bits(bits);
    return n ? (x << n | x >> (bits - n)) & low_bits(bits) : x;
}

struct ir_range range_rotation(const struct ir_value *v, const struct ir_range *x)
{
    const struct ir_range *y = x + 1;
    unsigned bits = v->type.bits, n = (unsigned)(y->min % bits);

    if (y->min != y->max)
        return range_full(bits);
    if (v->op == IR_ROR)
        n = (bits - n) % bits;
    return range_of_bits(rotate_bits(x->zeros, n, bits), rotate_bits(x->ones, n, bits), bits);
}

/* ---- known ----------------------------------------------------------------------------------- */

static struct bits shift_left(struct bits x, unsigned by, struct ir_type t)
{
    u128 mask = low_bits(t.bits);

    if (by >= t.bits)
        return bits_all(t, 0);
    return (struct bits){(x.mask << by | low_bits(by)) & mask, x.value << by & mask};
}

static struct bits shift_right(struct bits x, unsigned by, struct ir_type t)
{
    u128 sign = (u128)1 << (t.bits - 1), high;

    if (by >= t.bits)
        by = t.base == IR_SINT ? t.bits - 1u : t.bits;
    if (by == t.bits)
        return bits_all(t, 0);
    high = low_bits(t.bits) & ~(low_bits(t.bits) >> by);
    if (t.base == IR_UINT)
        return (struct bits){x.mask >> by | high, x.value >> by};
    if (!(x.mask & sign))
        return (struct bits){x.mask >> by, x.value >> by};
    return (struct bits){x.mask >> by | high, x.value >> by | (x.value & sign ? high : 0)};
}

static struct bits rotate_left(struct bits x, unsigned by, struct ir_type t)
{
    by %= t.bits;
    return (struct bits){rotate_bits(x.mask, by, t.bits), rotate_bits(x.value, by, t.bits)};
}

static unsigned known_amount(struct bits amount)
{
    return amount.value > 255 ? 255 : (unsigned)amount.value;
}

struct bits known_shift(const struct ir_value *v, const struct bits *x)
{
    unsigned by = known_amount(x[1]);
    struct ir_type t = v->type;

    if (!bits_full(x[1], v->ops.data[1]->type))
        return (struct bits){0};
    if (v->op == IR_SHL)
        return shift_left(x[0], by, t);
    if (v->op == IR_SHR)
        return shift_right(x[0], by, t);
    return rotate_left(x[0], v->op == IR_ROL ? by : t.bits - by % t.bits, t);
}

/* ---- want ------------------------------------------------------------------------------------ */

/* Bits of x from bits of x >> by. False: wanted copies of the sign differ. */
static bool want_right(struct bits *x, struct bits want, unsigned by, struct ir_type t)
{
    u128 ones = low_bits(t.bits), sign = (u128)1 << (t.bits - 1), copies;

    if (by >= t.bits)
        by = t.bits - 1u;
    *x = (struct bits){want.mask << by & ones, want.value << by & ones};
    copies = t.base == IR_SINT ? want.mask & ones & ~low_bits(t.bits - 1 - by) : 0;
    if (copies && (want.value & copies) && (want.value & copies) != copies)
        return false;
    if (copies)
        bits_learn(x, (struct bits){sign, want.value & copies ? sign : 0});
    return true;
}

struct bits_wants want_shift(const struct ir_value *v, const struct bits *x, struct bits want)
{
    unsigned by = known_amount(x[1]), bits = v->type.bits;
    struct bits wanted;

    if (!bits_full(x[1], v->ops.data[1]->type))
        return wants_none(BITS_STUCK);
    if (v->op == IR_ROL || v->op == IR_ROR)
        wanted = rotate_left(want, v->op == IR_ROR ? by : bits - by % bits, v->type);
    else if (v->op == IR_SHL && by >= bits)
        return wants_none(BITS_STUCK); /* all of it is known, and was compared */
    else if (v->op == IR_SHL)
        wanted = (struct bits){want.mask >> by, want.value >> by};
    else if (!want_right(&wanted, want, by, v->type))
        return wants_none(BITS_IMPOSSIBLE);
    return wants_one(0, wanted, 0);
}

/* ---- demand, explain ------------------------------------------------------------------------- */

/* Whether operand 0 is shifted by a constant, *by. */
static bool by_constant(const struct ir_value *v, unsigned operand, unsigned *by)
{
    const struct ir_value *y = v->ops.data[1];

    if (operand || y->op != IR_CONST || y->imm >= 128)
        return false;
    *by = (unsigned)y->imm;
    return true;
}

u128 demand_left(const struct ir_value *v, unsigned operand, u128 mask)
{
    unsigned by;

    return by_constant(v, operand, &by) ? mask >> by : ~(u128)0;
}

u128 demand_right(const struct ir_value *v, unsigned operand, u128 mask)
{
    unsigned by;

    return v->type.base == IR_UINT && by_constant(v, operand, &by) ? mask << by : ~(u128)0;
}

void explain_shift(struct ir_step *s)
{
    const struct ir_value *v = s->v;
    u128 by = s->x[1], all = low_bits(v->type.bits), top = all & ~(all >> 1);
    bool sign = v->op == IR_SHR && v->type.base == IR_SINT;

    s->asked[1] = ~(u128)0;
    if (by >= v->type.bits)
        s->asked[0] = sign ? top : 0;
    else if (v->op == IR_SHL)
        s->asked[0] = s->want >> by;
    else
        s->asked[0] = (s->want << by & all) | (sign && s->want & ~(all >> by) ? top : 0);
}
