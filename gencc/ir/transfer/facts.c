/*
 * Facts about numbers: bounds and bits tighten each other, known bits add up.
 */
#include "gencc/ir/transfer/facts.h"
#include "gencc/ir/arith.h"

/* ---- ranges ---------------------------------------------------------------------------------- */

static unsigned top_bit(u128 x)
{
    uint64_t high = (uint64_t)(x >> 64), low = (uint64_t)x;

    return high ? 127u - (unsigned)__builtin_clzll(high) : 63u - (unsigned)__builtin_clzll(low | 1);
}

unsigned range_low_zeros(const struct ir_range *r)
{
    u128 unknown = ~r->zeros;
    uint64_t low = (uint64_t)unknown, high = (uint64_t)(unknown >> 64);

    if (low)
        return (unsigned)__builtin_ctzll(low);
    return high ? 64u + (unsigned)__builtin_ctzll(high) : 128u;
}

struct ir_range range_tighten(struct ir_range r, unsigned bits)
{
    u128 prefix;

    r.zeros |= ~low_bits(bits);
    if (r.min < r.ones)
        r.min = r.ones;
    if (r.max > ~r.zeros)
        r.max = ~r.zeros;
    if (r.min > r.max)
        return range_full(bits); /* contradiction: the code is unreachable */
    prefix = r.min == r.max ? ~(u128)0 : ~low_bits(top_bit(r.min ^ r.max) + 1);
    r.ones |= r.min & prefix;
    r.zeros |= ~r.min & prefix;
    return r;
}

struct ir_range range_between(u128 min, u128 max, unsigned bits)
{
    struct ir_range r = range_full(bits);

    r.min = min;
    r.max = max;
    return range_tighten(r, bits);
}

struct ir_range range_of_bits(u128 zeros, u128 ones, unsigned bits)
{
    struct ir_range r = range_full(bits);

    r.zeros |= zeros;
    r.ones = ones & low_bits(bits);
    return range_tighten(r, bits);
}

struct ir_range range_union(const struct ir_range *a, const struct ir_range *b)
{
    return (struct ir_range){
        .zeros = a->zeros & b->zeros,
        .ones = a->ones & b->ones,
        .min = a->min < b->min ? a->min : b->min,
        .max = a->max > b->max ? a->max : b->max,
    };
}

struct ir_range range_with_low_zeros(struct ir_range r, unsigned n, unsigned bits)
{
    r.zeros |= low_bits(n < bits ? n : bits);
    return range_tighten(r, bits);
}

/* ---- known bits ------------------------------------------------------------------------------ */

bool bits_learn(struct bits *known, struct bits more)
{
    if (known->mask & more.mask & (known->value ^ more.value))
        return false;
    known->mask |= more.mask;
    known->value |= more.value & more.mask;
    return true;
}

struct bits bits_by_arith(const struct ir_value *v, const struct bits *x)
{
    struct ir_operand args[IR_STEP_OPERANDS];
    u128 lanes[IR_STEP_OPERANDS], out[1];

    if (v->ops.len > IR_STEP_OPERANDS)
        return (struct bits){0};
    for (unsigned i = 0; i < v->ops.len; i++) {
        const struct ir_value *operand = v->ops.data[i];

        if (!bits_scalar(operand) || !bits_full(x[i], operand->type))
            return (struct bits){0};
        lanes[i] = x[i].value;
        args[i] = (struct ir_operand){operand->type, &lanes[i]};
    }
    if (!ir_arith(v->op, v->type, v->ops.len, args, out))
        return (struct bits){0};
    return bits_all(v->type, out[0]);
}
