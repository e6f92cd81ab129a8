/*
 * Pure intrinsics on terms: those of integers; the others are functions by name.
 */
#include "gencc/export/symbolic.h"

static const struct term *reverse(struct terms *t, const struct term *x, unsigned unit)
{
    const struct term *r = term_extract(t, x, 0, unit);

    for (unsigned at = unit; at < x->sort.bits; at += unit)
        r = term_concat(t, r, term_extract(t, x, at, unit));
    return r;
}

/* Number of zeros before the first 1 bit, from the highest bit or from the lowest */
static const struct term *count_zeros(struct terms *t, const struct term *x, bool from_high)
{
    unsigned bits = x->sort.bits;
    const struct term *r = term_number(t, bits, bits);

    for (unsigned i = bits; i-- > 0;) {
        const struct term *bit = term_extract(t, x, from_high ? bits - 1 - i : i, 1);

        r = term_ite(t, term_nonzero(t, bit), term_number(t, bits, i), r);
    }
    return r;
}

static const struct term *count_ones(struct terms *t, const struct term *x)
{
    const struct term *r = term_number(t, x->sort.bits, 0);

    for (unsigned i = 0; i < x->sort.bits; i++)
        r = term_op2(t, "bvadd", r, term_resize(t, term_extract(t, x, i, 1), x->sort.bits, false));
    return r;
}

static const struct term *polynomial(struct terms *t, const struct term *x, const struct term *y,
                                     unsigned bits)
{
    const struct term *r = term_number(t, bits, 0), *wide = term_resize(t, x, bits, false);

    for (unsigned i = 0; i < y->sort.bits; i++) {
        const struct term *part = term_op2(t, "bvshl", wide, term_number(t, bits, i));

        r = term_ite(t, term_nonzero(t, term_extract(t, y, i, 1)), term_op2(t, "bvxor", r, part),
                     r);
    }
    return r;
}

static const struct term *high_product(struct terms *t, const struct term *x, const struct term *y,
                                       bool is_signed)
{
    return term_extract(
        t,
        term_op2(t, "bvmul", term_resize(t, x, 128, is_signed), term_resize(t, y, 128, is_signed)),
        64, 64);
}

const struct term *symbolic_pure(struct terms *t, enum ir_intrinsic i,
                                 const struct term *const *args)
{
    const struct term *x = args[0], *y = args[1];

    switch (i) {
    case IR_I_ABS32:
    case IR_I_ABS64:
        return term_ite(t, term_test(t, "bvslt", x, term_number(t, x->sort.bits, 0)),
                        term_op1(t, "bvneg", x->sort, x), x);
    case IR_I_BSWAP32:
    case IR_I_BSWAP64:
        return reverse(t, x, 8);
    case IR_I_BITREV32:
    case IR_I_BITREV64:
        return reverse(t, x, 1);
    case IR_I_CLZ32:
    case IR_I_CLZ64:
        return count_zeros(t, x, true);
    case IR_I_CTZ32:
    case IR_I_CTZ64:
        return count_zeros(t, x, false);
    case IR_I_POPCOUNT32:
    case IR_I_POPCOUNT64:
        return count_ones(t, x);
    case IR_I_UMULL:
    case IR_I_SMULL:
        return term_op2(t, "bvmul", x, y);
    case IR_I_UMULH:
    case IR_I_SMULH:
        return high_product(t, x, y, i == IR_I_SMULH);
    case IR_I_POLYMUL8:
        return polynomial(t, x, y, 16);
    case IR_I_POLYMUL64:
        return polynomial(t, x, y, 128);
    case IR_I_FLOAT_ABS:
    case IR_I_DOUBLE_ABS:
        return term_op2(t, "bvand", x, term_number(t, x->sort.bits, low_bits(x->sort.bits - 1)));
    default:
        return NULL;
    }
}
