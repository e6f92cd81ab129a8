/*
 * Transfer functions of conversions: CONVERT, BITCAST, EXTRACT.
 */
#include "gencc/ir/transfer/rules.h"

/* ---- range ----------------------------------------------------------------------------------- */

struct ir_range range_conversion(const struct ir_value *v, const struct ir_range *x)
{
    struct ir_type from = v->ops.data[0]->type, to = v->type;
    u128 mask = low_bits(to.bits), high = ~low_bits(from.bits);

    if (!ir_is_int(from))
        return range_full(to.bits);
    if (to.bits <= from.bits)
        return x->max <= mask ? range_tighten(*x, to.bits)
                              : range_of_bits(x->zeros, x->ones, to.bits);
    if (!range_may_be_negative(x, from))
        return range_tighten(*x, to.bits);
    if (x->ones >> (from.bits - 1) & 1)
        return range_of_bits(x->zeros & ~high, x->ones | high, to.bits);
    /* The upper bits are copies of an unknown sign. */
    return range_of_bits(x->zeros & low_bits(from.bits - 1u), x->ones, to.bits);
}

struct ir_range range_bitcast(const struct ir_value *v, const struct ir_range *x)
{
    return v->ops.data[0]->type.bits == v->type.bits ? *x : range_full(v->type.bits);
}

struct ir_range range_lane(const struct ir_value *v, const struct ir_range *x)
{
    (void)v;
    return *x;
}

/* ---- known ----------------------------------------------------------------------------------- */

struct bits known_conversion(const struct ir_value *v, const struct bits *x)
{
    struct ir_type from = v->ops.data[0]->type, to = v->type;
    u128 high = low_bits(to.bits) & ~low_bits(from.bits), sign = (u128)1 << (from.bits - 1);
    struct bits r = x[0];

    if (!ir_is_int(from))
        return (struct bits){0};
    if (from.base == IR_UINT)
        r.mask |= high;
    else if (r.mask & sign)
        r = (struct bits){r.mask | high, r.value | (r.value & sign ? high : 0)};
    return (struct bits){r.mask & low_bits(to.bits), r.value & low_bits(to.bits)};
}

struct bits known_bitcast(const struct ir_value *v, const struct bits *x)
{
    return bits_scalar(v->ops.data[0]) ? x[0] : (struct bits){0};
}

/* ---- want ------------------------------------------------------------------------------------ */

struct bits_wants want_conversion(const struct ir_value *v, const struct bits *x, struct bits want)
{
    struct ir_type from = v->ops.data[0]->type;
    u128 ones = low_bits(from.bits), sign = (u128)1 << (from.bits - 1), high = want.mask & ~ones;
    struct bits wanted = {want.mask & ones, want.value & ones};

    (void)x;
    if (!bits_scalar(v->ops.data[0]))
        return wants_none(BITS_STUCK);
    if (high && from.base == IR_UINT && (want.value & high))
        return wants_none(BITS_IMPOSSIBLE);
    if (high && from.base == IR_SINT) {
        if ((want.value & high) && (want.value & high) != high)
            return wants_none(BITS_IMPOSSIBLE);
        if (!bits_learn(&wanted, (struct bits){sign, want.value & high ? sign : 0}))
            return wants_none(BITS_IMPOSSIBLE);
    }
    return wants_one(0, wanted, 0);
}

struct bits_wants want_bitcast(const struct ir_value *v, const struct bits *x, struct bits want)
{
    (void)x;
    return bits_scalar(v->ops.data[0]) ? wants_one(0, want, 0) : wants_none(BITS_STUCK);
}

/* ---- demand, explain ------------------------------------------------------------------------- */

u128 demand_conversion(const struct ir_value *v, unsigned operand, u128 mask)
{
    const struct ir_type from = v->ops.data[operand]->type;

    return ir_is_int(from) && from.base == IR_UINT ? mask : ~(u128)0;
}

void explain_conversion(struct ir_step *s)
{
    struct ir_type from = s->v->ops.data[0]->type;
    u128 all = low_bits(from.bits);

    s->asked[0] = s->want;
    if (!ir_is_int(from))
        s->asked[0] = all;
    else if (from.base == IR_SINT && s->want & ~all)
        s->asked[0] |= all & ~(all >> 1);
}
