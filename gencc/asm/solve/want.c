/*
 * Backward reasoning, one function per kind of operation: from wanted bits of a result to wanted
 * bits of its operands.
 */
#include "gencc/asm/solve/bits.h"

static enum bits_outcome learn_word(struct knowledge *k, struct bits want, unsigned lsb,
                                    unsigned width)
{
    u128 mask = low_bits(width);
    struct bits more = {(want.mask & mask) << lsb, (want.value & mask) << lsb};

    return bits_learn(&k->word, more) ? BITS_DONE : BITS_IMPOSSIBLE;
}

/* Combines the outcomes of two demands, where the bits `rest` of the result stay open. */
static enum bits_outcome both(enum bits_outcome a, enum bits_outcome b, u128 rest)
{
    if (a == BITS_IMPOSSIBLE || b == BITS_IMPOSSIBLE)
        return BITS_IMPOSSIBLE;
    return a == BITS_DONE && b == BITS_DONE && !rest ? BITS_DONE : BITS_STUCK;
}

/* AND and OR. The strong value is 0 for AND, 1 for OR. A wanted bit that is not strong is required
 * in both operands. A strong one is required in an operand if the other operand is known not to
 * have it. */
static enum bits_outcome want_gate(struct knowledge *k, const struct ir_value *v, struct bits want)
{
    struct bits x = bits_known(k, v->ops.at[0]), y = bits_known(k, v->ops.at[1]);
    bool is_and = v->op == IR_AND;
    u128 flip = is_and ? 0 : ~(u128)0; /* makes OR look like AND */
    u128 ones = want.mask & (want.value ^ flip), zeros = want.mask & ~(want.value ^ flip);
    u128 x_one = x.mask & (x.value ^ flip), y_one = y.mask & (y.value ^ flip);
    u128 settled = (x.mask & ~(x.value ^ flip)) | (y.mask & ~(y.value ^ flip));
    struct bits wx = {ones | (zeros & y_one), 0}, wy = {ones | (zeros & x_one), 0};

    wx.value = (ones ^ flip) & wx.mask;
    wy.value = (ones ^ flip) & wy.mask;
    return both(bits_want(k, v->ops.at[0], wx), bits_want(k, v->ops.at[1], wy),
                zeros & ~(x_one | y_one | settled));
}

static enum bits_outcome want_xor(struct knowledge *k, const struct ir_value *v, struct bits want)
{
    struct bits x = bits_known(k, v->ops.at[0]), y = bits_known(k, v->ops.at[1]);
    struct bits wx = {want.mask & y.mask, (want.value ^ y.value) & want.mask & y.mask};
    struct bits wy = {want.mask & x.mask, (want.value ^ x.value) & want.mask & x.mask};

    return both(bits_want(k, v->ops.at[0], wx), bits_want(k, v->ops.at[1], wy),
                want.mask & ~(x.mask | y.mask));
}

/* The longest run of ones from bit 0. */
static u128 low_run(u128 mask)
{
    return ~mask ? (~mask & -~mask) - 1 : mask;
}

static u128 odd_inverse(u128 odd)
{
    u128 inverse = odd; /* correct in the low 3 bits; each step doubles their number */

    for (unsigned i = 0; i < 6; i++)
        inverse *= 2 - odd * inverse;
    return inverse;
}

/* x * c, where c = odd << by. */
static enum bits_outcome want_product(struct knowledge *k, const struct ir_value *x, u128 c,
                                      struct bits want)
{
    unsigned by = 0;
    u128 run = low_run(want.mask);

    if (!c)
        return (want.value & want.mask) ? BITS_IMPOSSIBLE : BITS_DONE;
    for (; !(c & 1); c >>= 1)
        by++;
    if (want.value & run & low_bits(by))
        return BITS_IMPOSSIBLE;
    return both(bits_want(k, x,
                          (struct bits){run >> by,
                                        ((want.value & run) >> by) * odd_inverse(c) & (run >> by)}),
                BITS_DONE, want.mask & ~run);
}

/* Sums, from bit 0 as far as the result and one operand are known. If the operands have no common
 * bit, a sum is an OR. */
static enum bits_outcome want_sum(struct knowledge *k, const struct ir_value *v, struct bits want)
{
    const struct ir_value *a = v->ops.at[0], *b = v->ops.at[1];
    struct bits x = bits_known(k, a), y = bits_known(k, b);
    u128 by_y = low_run(want.mask & y.mask), by_x = low_run(want.mask & x.mask);
    u128 ones = low_bits(v->type.bits);
    enum bits_outcome p, q;

    if (v->op == IR_MUL) {
        if (bits_full(y, v->type))
            return want_product(k, a, y.value, want);
        return bits_full(x, v->type) ? want_product(k, b, x.value, want) : BITS_STUCK;
    }
    if (v->op == IR_ADD && !(ones & ~(x.mask & ~x.value) & ~(y.mask & ~y.value)))
        return want_gate(k, &(struct ir_value){.op = IR_OR, .type = v->type, .ops = v->ops}, want);
    p = bits_want(
        k, a,
        (struct bits){by_y,
                      (v->op == IR_ADD ? want.value - y.value : want.value + y.value) & by_y});
    q = bits_want(
        k, b,
        (struct bits){by_x,
                      (v->op == IR_ADD ? want.value - x.value : x.value - want.value) & by_x});
    return both(p, q, want.mask & ~(by_x | by_y));
}

static enum bits_outcome want_shift(struct knowledge *k, const struct ir_value *v, struct bits want)
{
    struct bits amount = bits_known(k, v->ops.at[1]);
    unsigned by = amount.value > 255 ? 255 : (unsigned)amount.value, bits = v->type.bits;
    struct bits x;

    if (!bits_full(amount, v->ops.at[1]->type))
        return BITS_STUCK;
    if (v->op == IR_ROL || v->op == IR_ROR) {
        x = bits_shifted(v->op == IR_ROL ? IR_ROR : IR_ROL, want, by, v->type);
    } else if (v->op == IR_SHL) {
        if (by >= bits)
            return BITS_STUCK; /* all of it is known: bits_want has compared it */
        x = (struct bits){want.mask >> by, want.value >> by};
    } else {
        u128 ones = low_bits(bits), top;

        if (by >= bits)
            by = bits - 1;
        x = (struct bits){want.mask << by & ones, want.value << by & ones};
        /* Wanted bits that are copies of the sign. */
        top = v->type.base == IR_SINT ? want.mask & ones & ~low_bits(bits - 1 - by) : 0;
        if (top && (want.value & top) && (want.value & top) != top)
            return BITS_IMPOSSIBLE;
        if (top)
            bits_learn(&x, (struct bits){(u128)1 << (bits - 1),
                                         want.value & top ? (u128)1 << (bits - 1) : 0});
    }
    return bits_want(k, v->ops.at[0], x);
}

static enum bits_outcome want_convert(struct knowledge *k, const struct ir_value *v,
                                      struct bits want)
{
    struct ir_type from = v->ops.at[0]->type;
    u128 ones = low_bits(from.bits), sign = (u128)1 << (from.bits - 1), high = want.mask & ~ones;
    struct bits x = {want.mask & ones, want.value & ones};

    if (!bits_scalar(v->ops.at[0]))
        return BITS_STUCK;
    if (high && from.base == IR_UINT) {
        if (want.value & high)
            return BITS_IMPOSSIBLE;
    } else if (high) {
        if ((want.value & high) && (want.value & high) != high)
            return BITS_IMPOSSIBLE;
        if (!bits_learn(&x, (struct bits){sign, want.value & high ? sign : 0}))
            return BITS_IMPOSSIBLE;
    }
    return bits_want(k, v->ops.at[0], x);
}

static bool contradicts(struct bits known, struct bits want)
{
    return (known.mask & want.mask & (known.value ^ want.value)) != 0;
}

/* Makes a condition true (if true means 1) or false. */
static enum bits_outcome want_truth(struct knowledge *k, const struct ir_value *cond, bool truth)
{
    struct bits known = bits_known(k, cond);
    u128 ones = low_bits(cond->type.bits);

    if (truth && (known.value || known.mask == ones))
        return known.value ? BITS_DONE : BITS_IMPOSSIBLE;
    if (truth && (known.mask | 1) != ones)
        return BITS_STUCK;
    return bits_want(k, cond, (struct bits){ones, truth});
}

static enum bits_outcome want_select(struct knowledge *k, const struct ir_value *v,
                                     struct bits want)
{
    const struct ir_value *cond = v->ops.at[0], *x = v->ops.at[1], *y = v->ops.at[2];
    struct bits c = bits_known(k, cond);
    bool not_x, not_y;

    if (c.value)
        return bits_want(k, x, want);
    if (bits_full(c, cond->type))
        return bits_want(k, y, want);
    not_x = contradicts(bits_known(k, x), want);
    not_y = contradicts(bits_known(k, y), want);
    if (not_x && not_y)
        return BITS_IMPOSSIBLE;
    if (!not_x && !not_y)
        return BITS_STUCK;
    return both(want_truth(k, cond, not_y), bits_want(k, not_y ? x : y, want), 0);
}

/* x == y, where one side is known; or x != y, where one bit is left to differ. */
static enum bits_outcome want_equality(struct knowledge *k, const struct ir_value *v,
                                       struct bits want)
{
    const struct ir_value *a = v->ops.at[0], *b = v->ops.at[1];
    bool equal = (want.value & 1) == (v->op == IR_EQ);
    struct bits x = bits_known(k, a), y = bits_known(k, b);
    u128 open;

    if (!(want.mask & 1))
        return BITS_DONE;
    if (equal)
        return both(bits_want(k, a, y), bits_want(k, b, x),
                    ~(x.mask | y.mask) & low_bits(a->type.bits));
    open = low_bits(a->type.bits) & ~(x.mask & y.mask);
    if (open & (open - 1))
        return BITS_STUCK;
    if (x.mask & open)
        return bits_want(k, b, (struct bits){open, ~x.value & open});
    if (y.mask & open)
        return bits_want(k, a, (struct bits){open, ~y.value & open});
    return BITS_STUCK;
}

static enum bits_outcome want_field(struct knowledge *k, const struct ir_value *v, struct bits want)
{
    const struct ir_value *c;

    if (!v->field->computed)
        return learn_word(k, want, v->field->lsb, v->field->width);
    c = bits_computed(k->decode, v->field);
    return c ? bits_want(k, c, want) : BITS_STUCK;
}

static enum bits_outcome want_operation(struct knowledge *k, const struct ir_value *v,
                                        struct bits want)
{
    switch (v->op) {
    case IR_FIELD:
        return want_field(k, v, want);
    case IR_WORD:
        return learn_word(k, want, 0, v->type.bits);
    case IR_PARAM:
        return v->block->func->kind == IR_FUNC_DECODE ? learn_word(k, want, 0, v->type.bits)
                                                      : BITS_STUCK;
    case IR_NOT:
        return bits_want(k, v->ops.at[0], (struct bits){want.mask, want.mask & ~want.value});
    case IR_AND:
    case IR_OR:
        return want_gate(k, v, want);
    case IR_XOR:
        return want_xor(k, v, want);
    case IR_ADD:
    case IR_SUB:
    case IR_MUL:
        return want_sum(k, v, want);
    case IR_NEG: {
        u128 run = low_run(want.mask);

        return both(bits_want(k, v->ops.at[0], (struct bits){run, -want.value & run}), BITS_DONE,
                    want.mask & ~run);
    }
    case IR_SHL:
    case IR_SHR:
    case IR_ROL:
    case IR_ROR:
        return want_shift(k, v, want);
    case IR_CONVERT:
        return want_convert(k, v, want);
    case IR_BITCAST:
        return bits_scalar(v->ops.at[0]) ? bits_want(k, v->ops.at[0], want) : BITS_STUCK;
    case IR_SELECT:
        return want_select(k, v, want);
    case IR_EQ:
    case IR_NE:
        return bits_scalar(v->ops.at[0]) ? want_equality(k, v, want) : BITS_STUCK;
    default:
        return BITS_STUCK;
    }
}

enum bits_outcome bits_want(struct knowledge *k, const struct ir_value *v, struct bits want)
{
    struct bits known;

    want.mask &= low_bits(v->type.bits);
    want.value &= want.mask;
    if (!want.mask)
        return BITS_DONE;
    if (!bits_scalar(v) || !k->steps)
        return BITS_STUCK;
    known = bits_known(k, v);
    if (contradicts(known, want))
        return BITS_IMPOSSIBLE;
    if (!(want.mask & ~known.mask))
        return BITS_DONE;
    /* Known bits help sums, which are solved from bit 0. */
    bits_learn(&want, known);
    return want_operation(k, v, want);
}
