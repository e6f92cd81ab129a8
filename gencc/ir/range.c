/*
 * Known bits and bounds of values. For vectors they hold in every lane.
 */
#include "gencc/ir/pass.h"
#include "gencc/ir/pure.h"
#include "gencc/model/model.h"

enum { MAX_DEPTH = 6 };

static struct ir_range range_of(const struct ir_value *v, unsigned depth);

static struct ir_range full_range(unsigned bits)
{
    return (struct ir_range){.zeros = ~low_bits(bits), .max = low_bits(bits)};
}

static struct ir_range exact_range(u128 x)
{
    return (struct ir_range){.zeros = ~x, .ones = x, .min = x, .max = x};
}

static unsigned top_bit(u128 x)
{
    uint64_t high = (uint64_t)(x >> 64), low = (uint64_t)x;

    return high ? 127u - (unsigned)__builtin_clzll(high) : 63u - (unsigned)__builtin_clzll(low | 1);
}

static unsigned trailing_zeros(const struct ir_range *r)
{
    u128 unknown = ~r->zeros;
    uint64_t low = (uint64_t)unknown, high = (uint64_t)(unknown >> 64);

    if (low)
        return (unsigned)__builtin_ctzll(low);
    return high ? 64u + (unsigned)__builtin_ctzll(high) : 128u;
}

/* Tightens bits by bounds and bounds by bits. */
static struct ir_range tighten(struct ir_range r, unsigned bits)
{
    u128 prefix;

    r.zeros |= ~low_bits(bits);
    if (r.min < r.ones)
        r.min = r.ones;
    if (r.max > ~r.zeros)
        r.max = ~r.zeros;
    if (r.min > r.max)
        return full_range(bits); /* contradiction: the code is unreachable */
    prefix = r.min == r.max ? ~(u128)0 : ~low_bits(top_bit(r.min ^ r.max) + 1);
    r.ones |= r.min & prefix;
    r.zeros |= ~r.min & prefix;
    return r;
}

static struct ir_range range_between(u128 min, u128 max, unsigned bits)
{
    struct ir_range r = full_range(bits);

    r.min = min;
    r.max = max;
    return tighten(r, bits);
}

static struct ir_range range_of_bits(u128 zeros, u128 ones, unsigned bits)
{
    struct ir_range r = full_range(bits);

    r.zeros |= zeros;
    r.ones = ones & low_bits(bits);
    return tighten(r, bits);
}

static struct ir_range range_union(struct ir_range a, struct ir_range b)
{
    return (struct ir_range){
        .zeros = a.zeros & b.zeros,
        .ones = a.ones & b.ones,
        .min = a.min < b.min ? a.min : b.min,
        .max = a.max > b.max ? a.max : b.max,
    };
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static struct ir_range with_low_zeros(struct ir_range r, unsigned n, unsigned bits)
{
    r.zeros |= low_bits(n < bits ? n : bits);
    return tighten(r, bits);
}

static struct ir_range add_ranges(struct ir_range x, struct ir_range y, unsigned bits)
{
    unsigned tx = trailing_zeros(&x), ty = trailing_zeros(&y);
    struct ir_range r = full_range(bits);

    if (x.max <= low_bits(bits) - y.max)
        r = range_between(x.min + y.min, x.max + y.max, bits);
    return with_low_zeros(r, tx < ty ? tx : ty, bits);
}

static struct ir_range multiply_ranges(struct ir_range x, struct ir_range y, unsigned bits)
{
    struct ir_range r = full_range(bits);

    if (!y.max || x.max <= low_bits(bits) / y.max)
        r = range_between(x.min * y.min, x.max * y.max, bits);
    return with_low_zeros(r, trailing_zeros(&x) + trailing_zeros(&y), bits);
}

static bool may_be_negative(struct ir_range r, struct ir_type t)
{
    return t.base == IR_SINT && r.max >> (t.bits - 1);
}

static struct ir_range divide_ranges(enum ir_op op, struct ir_type t, struct ir_range x,
                                     struct ir_range y)
{
    u128 limit;

    if (may_be_negative(x, t) || may_be_negative(y, t))
        return full_range(t.bits);
    if (op == IR_DIV)
        return range_between(y.min && y.max ? x.min / y.max : 0, x.max / (y.min ? y.min : 1),
                             t.bits);
    limit = y.min && y.max - 1 < x.max ? y.max - 1 : x.max;
    return range_between(0, limit, t.bits);
}

static struct ir_range shift_range_left(struct ir_range x, struct ir_range y, unsigned bits)
{
    unsigned n = (unsigned)y.min;

    if (y.min >= bits || !x.max)
        return exact_range(0);
    if (y.min != y.max)
        return with_low_zeros(full_range(bits), trailing_zeros(&x) + n, bits);
    return range_of_bits(x.zeros << n | low_bits(n), x.ones << n, bits);
}

static struct ir_range shift_range_right(struct ir_type t, struct ir_range x, struct ir_range y)
{
    unsigned n = y.min < t.bits ? (unsigned)y.min : t.bits, up = 128u - t.bits;

    if (!may_be_negative(x, t)) {
        if (n == t.bits)
            return exact_range(0);
        if (y.min != y.max)
            return range_between(0, x.max >> n, t.bits);
        return range_of_bits(~(~x.zeros >> n), x.ones >> n, t.bits);
    }
    if (y.min != y.max)
        return full_range(t.bits);
    if (n == t.bits)
        n--;
    return range_of_bits((u128)((__int128)(x.zeros << up) >> up >> n),
                         (u128)((__int128)(x.ones << up) >> up >> n), t.bits);
}

static u128 rotate_bits(u128 x, unsigned n, unsigned bits)
{
    x &= low_bits(bits);
    return n ? (x << n | x >> (bits - n)) & low_bits(bits) : x;
}

static struct ir_range rotate_range(enum ir_op op, struct ir_range x, struct ir_range y,
                                    unsigned bits)
{
    unsigned n = (unsigned)(y.min % bits);

    if (y.min != y.max)
        return full_range(bits);
    if (op == IR_ROR)
        n = (bits - n) % bits;
    return range_of_bits(rotate_bits(x.zeros, n, bits), rotate_bits(x.ones, n, bits), bits);
}

static struct ir_range convert_range(struct ir_range x, struct ir_type from, struct ir_type to)
{
    u128 mask = low_bits(to.bits), high = ~low_bits(from.bits);

    if (to.bits <= from.bits)
        return x.max <= mask ? tighten(x, to.bits) : range_of_bits(x.zeros, x.ones, to.bits);
    if (!may_be_negative(x, from))
        return tighten(x, to.bits);
    if (x.ones >> (from.bits - 1) & 1)
        return range_of_bits(x.zeros & ~high, x.ones | high, to.bits);
    /* The upper bits are copies of an unknown sign. */
    return range_of_bits(x.zeros & low_bits(from.bits - 1u), x.ones, to.bits);
}

static bool is_unknown(const struct ir_range *r, unsigned bits)
{
    return !r->ones && r->zeros == ~low_bits(bits) && !r->min && r->max == low_bits(bits);
}

static struct ir_range range_of_binary(const struct ir_value *v, unsigned depth)
{
    struct ir_range x = range_of(v->ops.at[0], depth), y;
    unsigned bits = v->type.bits;

    /* Unknown, whatever the other operand is */
    if ((v->op == IR_ADD || v->op == IR_SUB || v->op == IR_XOR) && is_unknown(&x, bits))
        return x;
    y = range_of(v->ops.at[1], depth);
    switch (v->op) {
    case IR_ADD:
        return add_ranges(x, y, bits);
    case IR_SUB:
        return x.min >= y.max ? range_between(x.min - y.max, x.max - y.min, bits)
                              : full_range(bits);
    case IR_MUL:
        return multiply_ranges(x, y, bits);
    case IR_DIV:
    case IR_MOD:
        return divide_ranges(v->op, v->type, x, y);
    case IR_AND:
        return range_of_bits(x.zeros | y.zeros, x.ones & y.ones, bits);
    case IR_OR:
        return range_of_bits(x.zeros & y.zeros, x.ones | y.ones, bits);
    case IR_XOR:
        return range_of_bits((x.zeros & y.zeros) | (x.ones & y.ones),
                             (x.zeros & y.ones) | (x.ones & y.zeros), bits);
    case IR_SHL:
        return shift_range_left(x, y, bits);
    case IR_SHR:
        return shift_range_right(v->type, x, y);
    default: /* IR_ROL, IR_ROR */
        return rotate_range(v->op, x, y, bits);
    }
}

/* ---- the rest -------------------------------------------------------------------------------- */

static struct ir_range range_of_operands(const struct ir_value *v, unsigned first, unsigned step,
                                         unsigned depth)
{
    struct ir_range r = range_of(v->ops.at[first], depth);

    for (unsigned i = first + step; i < v->ops.count && !is_unknown(&r, v->type.bits); i += step)
        r = range_union(r, range_of(v->ops.at[i], depth));
    return r;
}

static struct ir_range range_of_other(const struct ir_value *v, unsigned depth)
{
    const struct ir_value *x = v->ops.count ? v->ops.at[0] : NULL;
    struct ir_range r;

    switch (v->op) {
    case IR_FIELD:
        return v->field->computed ? full_range(v->type.bits)
                                  : range_between(0, low_bits(v->field->width), v->type.bits);
    case IR_NOT:
        r = range_of(x, depth);
        return range_of_bits(r.ones, r.zeros, v->type.bits);
    case IR_CONVERT:
        return ir_is_int(x->type) ? convert_range(range_of(x, depth), x->type, v->type)
                                  : full_range(v->type.bits);
    case IR_BITCAST:
        return x->type.bits == v->type.bits ? range_of(x, depth) : full_range(v->type.bits);
    case IR_SELECT:
        return range_of_operands(v, 1, 1, depth);
    case IR_INSERT:
        return range_of_operands(v, 0, 2, depth);
    case IR_PHI:
        return v->ops.count && v->ops.count <= 8 ? range_of_operands(v, 0, 1, depth)
                                                 : full_range(v->type.bits);
    case IR_BUILD:
    case IR_CONCAT:
        return range_of_operands(v, 0, 1, depth);
    case IR_SPLAT:
    case IR_EXTRACT:
        return range_of(x, depth);
    case IR_INTRINSIC:
        return v->fn->pure && v->fn->pure->max ? range_between(0, v->fn->pure->max, v->type.bits)
                                               : full_range(v->type.bits);
    default:
        return full_range(v->type.bits);
    }
}

static struct ir_range range_of(const struct ir_value *v, unsigned depth)
{
    if (v->op == IR_CONST)
        return exact_range(v->imm);
    if (!ir_is_int(v->type) || !depth)
        return full_range(v->type.bits);
    if (v->op >= IR_EQ && v->op <= IR_GE)
        return ir_is_vector(v->type) ? full_range(v->type.bits) : range_between(0, 1, v->type.bits);
    if ((v->op >= IR_ADD && v->op <= IR_MOD) || (v->op >= IR_AND && v->op <= IR_ROR))
        return range_of_binary(v, depth - 1);
    return range_of_other(v, depth - 1);
}

struct ir_range ir_value_range(const struct ir_value *v)
{
    return range_of(v, MAX_DEPTH);
}
