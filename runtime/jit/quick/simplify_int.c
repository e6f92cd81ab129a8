/*
 * Simplification of integers of up to 64 bits: folding, widths, and combinations of comparisons.
 *
 * Flags matter most. A description computes them one by one from the operands of a subtraction, and
 * conditions combine them; the result of simplification is one comparison.
 */
#include "runtime/jit/quick/simplify.h"
#include "runtime/jit/quick/tier.h"

static uint64_t mask_of(unsigned bits)
{
    return bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
}

static bool is_bool(const struct quick *q, uint32_t n)
{
    return q->nodes.data[n].known <= 1 && !q_in_vector(q->nodes.data[n].result);
}

/* A pure node of 32 or 64 bits. */
static uint32_t make_node(struct quick *q, unsigned op, jit_type t, unsigned known, uint32_t a,
                          uint32_t b)
{
    unsigned bits = q_bits(t);

    return q_share(q, (struct q_node){.op = b ? Q_BINARY : Q_UNARY,
                                      .sub = (uint8_t)op,
                                      .type = t,
                                      .result = JIT_U64,
                                      .known = (uint8_t)(known < bits ? known : bits),
                                      .in = {a, b}});
}

/* ---- comparisons ----------------------------------------------------------------------------- */

static bool comparison_holds(unsigned op, jit_type t, uint64_t a, uint64_t b)
{
    return quick_evaluate_binary(op, t, a, b) != 0;
}

static uint32_t bool_constant(struct quick *q, bool value)
{
    return q_number(q_constant(q, JIT_U8, value));
}

static uint32_t simplify_compare(struct quick *q, unsigned op, jit_type t, uint32_t a, uint32_t b);

static uint32_t simplify_binary(struct quick *q, unsigned op, jit_type t, uint32_t a, uint32_t b);
static uint32_t invert_condition(struct quick *q, uint32_t n);

/* Whether a node is the AND or the OR of two comparisons. */
static bool is_two(const struct quick *q, const struct q_node *n)
{
    return n->op == Q_BINARY && (n->sub == JIT_AND || n->sub == JIT_OR) &&
           q_is_condition(&q->nodes.data[n->in[0]]) && q_is_condition(&q->nodes.data[n->in[1]]);
}

static uint32_t invert_two(struct quick *q, struct q_node n)
{
    uint32_t a = invert_condition(q, n.in[0]), b = invert_condition(q, n.in[1]);

    return simplify_binary(q, n.sub == JIT_AND ? JIT_OR : JIT_AND, JIT_U32, a, b);
}

/* The negation of a node that is 0 or 1. */
static uint32_t invert_condition(struct quick *q, uint32_t n)
{
    const struct q_node *node = q_node(q, n);

    if (q_is_condition(node))
        return simplify_compare(q, q_inverse(node->sub), node->type, node->in[0], node->in[1]);
    if (is_two(q, node))
        return invert_two(q, *node);
    return simplify_compare(q, JIT_EQ, JIT_U32, n, bool_constant(q, false));
}

/* The comparison of a select of two constants with a constant, as the select's condition; or 0. */
static uint32_t compare_choice(struct quick *q, unsigned op, jit_type t, uint32_t a, uint64_t c)
{
    const struct q_node n = *q_node(q, a);
    uint64_t value[2];
    bool with_x, with_y;

    if (!q_is_choice(q, &n, value))
        return 0;
    with_x = comparison_holds(op, t, value[0], c);
    with_y = comparison_holds(op, t, value[1], c);
    if (with_x == with_y)
        return bool_constant(q, with_x);
    return simplify_compare(q, with_x ? n.sub : q_inverse(n.sub), n.from, n.in[2], n.in[3]);
}

static bool is_binary(const struct q_node *n, unsigned op, unsigned bits)
{
    return n->op == Q_BINARY && n->sub == op && q_bits(n->type) == bits;
}

/* x op constant as a simpler node; or 0. */
static uint32_t compare_const(struct quick *q, unsigned op, jit_type t, uint32_t a, uint64_t c)
{
    bool with_sign = q_base(t) == JIT_SINT;
    uint64_t ones;

    c &= mask_of(q_bits(t));
    if (is_bool(q, a) && c <= 1 && (op == JIT_EQ || op == JIT_NE) &&
        (c || q_is_condition(q_node(q, a))))
        return (op == JIT_EQ) == c ? a : invert_condition(q, a);
    if (!with_sign && (op == JIT_GE || op == JIT_LT) &&
        is_binary(q_node(q, a), JIT_OR, q_bits(t)) && q_is_const(q, q_node(q, a)->in[1], &ones) &&
        (ones & mask_of(q_bits(t))) >= c)
        return bool_constant(q, op == JIT_GE); /* an OR is no less than its constant */
    if (c)
        return 0;
    if (op == Q_OVERFLOW || (op == JIT_LT && !with_sign))
        return bool_constant(q, false);
    if (op == Q_NO_OVERFLOW || (op == JIT_GE && !with_sign))
        return bool_constant(q, true);
    if (op == Q_MINUS || op == Q_PLUS)
        return simplify_compare(q, op == Q_MINUS ? JIT_LT : JIT_GE,
                                JIT_TYPE(JIT_SINT, q_bits(t), 1), a, bool_constant(q, false));
    if (!with_sign && (op == JIT_LE || op == JIT_GT))
        return simplify_compare(q, op == JIT_LE ? JIT_EQ : JIT_NE, t, a, bool_constant(q, false));
    return 0;
}

/* The sign of a difference as a comparison of its operands; or 0. */
static uint32_t compare_difference(struct quick *q, unsigned op, jit_type t, uint32_t a)
{
    const struct q_node *n = q_node(q, a);

    if (q_base(t) != JIT_SINT || (op != JIT_LT && op != JIT_GE) || n->op != Q_BINARY ||
        n->sub != JIT_SUB || q_bits(n->type) != q_bits(t))
        return 0;
    return simplify_compare(q, op == JIT_LT ? Q_MINUS : Q_PLUS, t, n->in[0], n->in[1]);
}

/* The operand of an XOR beside `known`; 0: the node is none with it. */
static uint32_t other_operand(const struct quick *q, uint32_t n, uint32_t known, unsigned bits)
{
    const struct q_node *x = &q->nodes.data[n];

    if (!is_binary(x, JIT_XOR, bits))
        return 0;
    return x->in[0] == known ? x->in[1] : x->in[1] == known ? x->in[0] : 0;
}

static bool are_equal(const struct quick *q, uint32_t a, uint32_t b)
{
    uint64_t ca, cb;

    return a == b || (q_is_const(q, a, &ca) && q_is_const(q, b, &cb) && ca == cb);
}

/*
 * The overflow of a sum, (a ^ sum) & (b ^ sum) < 0, as that of the difference sum - b, which has
 * the same: if the sum did not overflow, the difference is a; if it did, the true difference is 2
 * to the width away from a. Or 0.
 */
static uint32_t compare_sum(struct quick *q, unsigned op, jit_type t, uint32_t a)
{
    const struct q_node both = *q_node(q, a);
    unsigned bits = q_bits(t);

    if (q_base(t) != JIT_SINT || (op != JIT_LT && op != JIT_GE) || !is_binary(&both, JIT_AND, bits))
        return 0;
    for (unsigned k = 0; k < 2; k++) {
        uint32_t r = q_node(q, both.in[0])->in[k], x = other_operand(q, both.in[0], r, bits);
        uint32_t y = r ? other_operand(q, both.in[1], r, bits) : 0;
        const struct q_node *sum = q_node(q, r);

        if (!x || !y || !is_binary(sum, JIT_ADD, bits))
            continue;
        if ((are_equal(q, sum->in[0], x) && are_equal(q, sum->in[1], y)) ||
            (are_equal(q, sum->in[0], y) && are_equal(q, sum->in[1], x)))
            return simplify_compare(q, op == JIT_LT ? Q_OVERFLOW : Q_NO_OVERFLOW, t, r, y);
    }
    return 0;
}

/* A comparison of operands that are extended to 32 or 64 bits, or of ordered floats. */
static uint32_t simplify_compare(struct quick *q, unsigned op, jit_type t, uint32_t a, uint32_t b)
{
    uint64_t ca, cb;
    bool fixed_a = q_is_const(q, a, &ca), fixed_b = q_is_const(q, b, &cb);
    uint32_t n;

    if (fixed_a && fixed_b)
        return bool_constant(q, comparison_holds(op, t, ca, cb));
    if (fixed_a && op < Q_MINUS)
        return simplify_compare(q, q_swapped_comparison(op), t, b, a);
    if (q_bits(t) == 64 && op < Q_MINUS && q_are_halves_enough(q, a, b))
        return simplify_compare(q, op, JIT_TYPE(q_base(t), 32, 1), q_low_half(q, a),
                                q_low_half(q, b));
    if (a == b)
        return bool_constant(q, comparison_holds(op, t, 0, 0));
    if (q_is_ordered(t))
        return make_node(q, op, t, 1, a, b);
    if (fixed_b) {
        n = compare_choice(q, op, t, a, cb);
        if (!n)
            n = compare_const(q, op, t, a, cb);
        if (!n && !(cb & mask_of(q_bits(t)))) {
            n = compare_difference(q, op, t, a);
            if (!n)
                n = compare_sum(q, op, t, a);
        }
        if (n)
            return n;
    }
    if (op == JIT_EQ || op == JIT_NE || op >= Q_MINUS)
        t = JIT_TYPE(JIT_SINT, q_bits(t), 1);
    return make_node(q, op, t, 1, a, b);
}

/* ---- conditions of several comparisons ------------------------------------------------------- */

enum { ASSUMED_LEVELS = 3 /* of conditions in which another one is replaced by its value */ };

static bool has_sign(const struct q_node *n)
{
    return n->sub > JIT_NE && q_base(n->type) == JIT_SINT;
}

/* op of two comparisons of the same operands as one comparison; or 0. */
static uint32_t join_comparisons(struct quick *q, unsigned op, uint32_t a, uint32_t b)
{
    struct q_node x = *q_node(q, a), y = *q_node(q, b);
    unsigned rx, ry, r;
    jit_type t;

    if (!q_same_operands(&x, &y))
        return 0;
    t = JIT_TYPE(JIT_SINT, q_bits(x.type), 1);
    /* Signed less: the difference is negative, except when it overflows. */
    if (op == JIT_XOR && x.sub >= Q_MINUS && y.sub >= Q_MINUS &&
        (x.sub <= Q_PLUS) != (y.sub <= Q_PLUS))
        return simplify_compare(q,
                                (x.sub == Q_MINUS || y.sub == Q_MINUS) ==
                                        (x.sub == Q_OVERFLOW || y.sub == Q_OVERFLOW)
                                    ? JIT_LT
                                    : JIT_GE,
                                t, x.in[0], x.in[1]);
    /* Overflow: the difference is negative and not signed less, or the reverse. */
    if (op == JIT_XOR && ((x.sub == Q_MINUS && y.sub == JIT_LT && has_sign(&y)) ||
                          (y.sub == Q_MINUS && x.sub == JIT_LT && has_sign(&x))))
        return simplify_compare(q, Q_OVERFLOW, t, x.in[0], x.in[1]);
    rx = q_relation_of(x.sub);
    ry = q_relation_of(y.sub);
    if (!rx || !ry || (x.sub > JIT_NE && y.sub > JIT_NE && x.type != y.type))
        return 0;
    r = op == JIT_AND ? rx & ry : op == JIT_OR ? rx | ry : rx ^ ry;
    if (!r || r == (Q_LESS | Q_EQUAL | Q_GREATER))
        return bool_constant(q, r);
    return simplify_compare(q, q_op_of(r), x.sub > JIT_NE ? x.type : y.type, x.in[0], x.in[1]);
}

/* a op b of conditions, if b or its negation is an operand of a; or 0. */
static uint32_t absorb_condition(struct quick *q, unsigned op, uint32_t a, uint32_t b)
{
    const struct q_node n = *q_node(q, a);

    if (n.op != Q_BINARY || (n.sub != JIT_AND && n.sub != JIT_OR) || !is_bool(q, n.in[0]) ||
        !is_bool(q, n.in[1]))
        return 0;
    for (unsigned k = 0; k < 2; k++) {
        if (n.in[k] == b)
            return n.sub == op ? a : b;
        if (q_are_opposite(q, n.in[k], b))
            return n.sub == op ? bool_constant(q, op == JIT_OR)
                               : simplify_binary(q, op, JIT_U32, n.in[!k], b);
    }
    return 0;
}

/* (x & c) op (y & c), or the same with |, if x op y is one comparison; or 0. */
static uint32_t factor_out(struct quick *q, unsigned op, uint32_t a, uint32_t b)
{
    const struct q_node m = *q_node(q, a), n = *q_node(q, b);
    uint32_t joined;

    if (m.op != Q_BINARY || n.op != Q_BINARY || m.sub != n.sub ||
        (m.sub != JIT_AND && (m.sub != JIT_OR || op == JIT_XOR)))
        return 0;
    for (unsigned k = 0; k < 4; k++) {
        if (m.in[k & 1] != n.in[k >> 1])
            continue;
        joined = join_comparisons(q, op, m.in[!(k & 1)], n.in[!(k >> 1)]);
        return joined ? simplify_binary(q, m.sub, JIT_U32, joined, m.in[k & 1]) : 0;
    }
    return 0;
}

static bool are_conditions(const struct quick *q, const struct q_node *n)
{
    return n->op == Q_BINARY && (n->sub == JIT_AND || n->sub == JIT_OR) && is_bool(q, n->in[0]) &&
           is_bool(q, n->in[1]);
}

/* A condition where `c` is known to hold or not, as a simpler node; else the same one. */
static uint32_t assume(struct quick *q, uint32_t a, uint32_t c, bool holds, unsigned depth)
{
    const struct q_node n = *q_node(q, a);
    uint32_t x, y;
    bool value;

    if (a == c)
        return bool_constant(q, holds);
    if (q_is_condition(&n) && q_is_condition(q_node(q, c)) &&
        q_follows_one(q_node(q, c), holds, &n, &value))
        return bool_constant(q, value);
    if (!depth || !are_conditions(q, &n))
        return a;
    x = assume(q, n.in[0], c, holds, depth - 1);
    y = assume(q, n.in[1], c, holds, depth - 1);
    return x == n.in[0] && y == n.in[1] ? a : simplify_binary(q, n.sub, JIT_U32, x, y);
}

/* a op b where a is a comparison, and b of several: b is asked only where a holds, or only where it
 * does not. Behaviours that set flags under a condition leave such values. Or 0. */
static uint32_t assume_condition(struct quick *q, unsigned op, uint32_t a, uint32_t b)
{
    uint32_t known;

    if (!q_is_condition(q_node(q, a)) || !are_conditions(q, q_node(q, b)))
        return 0;
    known = assume(q, b, a, op == JIT_AND, ASSUMED_LEVELS);
    return known == b ? 0 : simplify_binary(q, op, JIT_U32, a, known);
}

static uint32_t join_conditions(struct quick *q, unsigned op, uint32_t a, uint32_t b)
{
    uint32_t n = 0;

    if (op != JIT_XOR) {
        n = absorb_condition(q, op, a, b);
        n = n ? n : absorb_condition(q, op, b, a);
        n = n ? n : assume_condition(q, op, a, b);
        n = n ? n : assume_condition(q, op, b, a);
    }
    return n ? n : factor_out(q, op, a, b);
}

/* ---- constants ------------------------------------------------------------------------------- */

static uint32_t shift_const(struct quick *q, unsigned op, jit_type t, uint32_t a, uint64_t c);

/* A masked rotation as a shift, if the mask keeps only bits that moved in one direction; or 0. */
static uint32_t mask_rotated(struct quick *q, unsigned bits, uint32_t a, uint64_t mask)
{
    const struct q_node n = *q_node(q, a);
    jit_type t = JIT_TYPE(JIT_UINT, bits, 1);
    uint64_t right, moved;
    unsigned op;

    if (n.op != Q_BINARY || n.sub != JIT_ROR || q_bits(n.type) != bits ||
        !q_is_const(q, n.in[1], &right) || !right || right >= bits || !mask)
        return 0;
    if (!(mask & mask_of(bits - (unsigned)right))) {
        op = JIT_SHL;
        moved = bits - right;
    } else if (!(mask >> (bits - right))) {
        op = JIT_SHR;
        moved = right;
    } else {
        return 0;
    }
    a = shift_const(q, op, t, n.in[0], moved);
    if (op == JIT_SHL && mask == (mask_of(bits) & ~mask_of((unsigned)moved)))
        return a;
    return simplify_binary(q, JIT_AND, t, a, q_number(q_constant(q, t, mask)));
}

/* The low bits of a sum or difference whose other operand has zeros there, as the low bits of the
 * first operand; or 0. So one test shows the alignment of all addresses around a pointer. */
static uint32_t mask_sum(struct quick *q, unsigned bits, uint32_t a, uint64_t mask)
{
    const struct q_node n = *q_node(q, a);
    jit_type t = JIT_TYPE(JIT_UINT, bits, 1);
    uint64_t c;
    bool zeros;

    if (q_bits(n.type) != bits || mask & (mask + 1))
        return 0;
    if (n.op == Q_SCALED)
        zeros = !(mask >> n.imm);
    else
        zeros = n.op == Q_BINARY && (n.sub == JIT_ADD || n.sub == JIT_SUB) &&
                q_is_const(q, n.in[1], &c) && !(c & mask);
    return zeros ? simplify_binary(q, JIT_AND, t, n.in[0], q_number(q_constant(q, t, mask))) : 0;
}

/* The address of a Q_PC with those bits only that a mask has; or 0. A trace has the same place in a
 * page wherever that is mapped. */
static uint32_t mask_pc(struct quick *q, const struct q_node *n, uint64_t mask, uint64_t all)
{
    uint64_t at = q->r->pc + n->imm, to = n->imm - (at & ~mask & all);

    if (mask < CPU_PAGE_SIZE)
        return q_number(q_constant(q, JIT_U64, at & mask));
    if ((~mask & all) >= CPU_PAGE_SIZE || (int64_t)to != (int32_t)to)
        return 0;
    return q_share(q, (struct q_node){.op = Q_PC, .result = JIT_U64, .known = 64, .imm = to});
}

/* a op constant as a simpler node; or 0. */
static uint32_t simplify_const(struct quick *q, unsigned op, unsigned bits, uint32_t a, uint64_t c)
{
    const struct q_node n = *q_node(q, a);
    uint64_t all = mask_of(bits), inner;

    c &= all;
    switch (op) {
    case JIT_ADD:
        /* Bits above the 32 bits of an address are arbitrary. */
        inner = n.imm + (bits == 32 ? (uint64_t)(int32_t)c : c);
        if (n.op == Q_PC && bits >= 32 && (int64_t)inner == (int32_t)inner)
            return q_share(
                q, (struct q_node){.op = Q_PC, .result = JIT_U64, .known = 64, .imm = inner});
        if (n.op == Q_BINARY && n.sub == JIT_ADD && q_bits(n.type) == bits &&
            q_is_const(q, n.in[1], &inner) && c)
            return q_number(q_int_binary(q, JIT_ADD, JIT_TYPE(JIT_UINT, bits, 1),
                                         q_value_of(n.in[0], JIT_U64),
                                         q_constant(q, JIT_TYPE(JIT_UINT, bits, 1), inner + c)));
        return c ? 0 : a;
    case JIT_SUB:
    case JIT_OR:
    case JIT_SHL:
    case JIT_SHR:
    case JIT_ROL:
    case JIT_ROR:
        return c ? 0 : a;
    case JIT_XOR:
        if (n.op == Q_BINARY && n.sub == JIT_XOR && q_bits(n.type) == bits &&
            q_is_const(q, n.in[1], &inner) && c)
            return simplify_binary(q, JIT_XOR, JIT_TYPE(JIT_UINT, bits, 1), n.in[0],
                                   q_number(q_constant(q, JIT_TYPE(JIT_UINT, bits, 1), inner ^ c)));
        if (c == 1 && is_bool(q, a) && (q_is_condition(&n) || is_two(q, &n)))
            return invert_condition(q, a);
        return c ? 0 : a;
    case JIT_AND:
        if (!c)
            return q_number(q_constant(q, JIT_U64, 0));
        if (n.op == Q_PC && bits >= 32)
            return mask_pc(q, &n, c, all);
        if (!((n.known < 64 ? mask_of(n.known) : all) & ~c))
            return a;
        inner = mask_sum(q, bits, a, c);
        return inner ? (uint32_t)inner : mask_rotated(q, bits, a, c);
    case JIT_MUL:
        return c == 1 ? a : c ? 0 : q_number(q_constant(q, JIT_U64, 0));
    default:
        return 0;
    }
}

/* The y of x ^ (x ^ y), an operation of `bits`; or 0. If the inner one is narrower, it has zeros
 * above, and the outer one the bits of x there. */
static uint32_t cancel_xor(const struct q_node *n, uint32_t a, unsigned bits)
{
    if (n->op != Q_BINARY || n->sub != JIT_XOR || q_in_vector(n->type) || q_bits(n->type) < bits)
        return 0;
    return n->in[0] == a ? n->in[1] : n->in[1] == a ? n->in[0] : 0;
}

/* ---- shifts ---------------------------------------------------------------------------------- */

/* A node with the same `bits` low bits, which are all that a host's shift uses of its amount. */
static uint32_t low_bits(struct quick *q, uint32_t a, unsigned bits)
{
    const struct q_node n = *q_node(q, a);
    uint64_t c;
    uint32_t inner;

    if ((n.op == Q_ZEXT || n.op == Q_SEXT) && n.imm >= bits)
        return low_bits(q, n.in[0], bits);
    if (n.op != Q_BINARY || q_in_vector(n.type) || !q_is_const(q, n.in[1], &c))
        return a;
    if (n.sub == JIT_AND && !(~c & mask_of(bits)))
        return low_bits(q, n.in[0], bits);
    if ((n.sub != JIT_SHL || c >= bits) && n.sub != JIT_XOR)
        return a;
    inner = low_bits(q, n.in[0], n.sub == JIT_SHL ? bits - (unsigned)c : bits);
    return inner == n.in[0] ? a : make_node(q, n.sub, JIT_U32, 32, inner, n.in[1]);
}

/* A shift left by `by`, and back by `c` without a sign, as a mask or an extension; or 0. */
static uint32_t mask_of_shifted(struct quick *q, jit_type t, uint32_t a, uint64_t c)
{
    const struct q_node n = *q_node(q, a);
    unsigned left = q_bits(t) - (unsigned)c;
    uint64_t by;

    if (n.op != Q_BINARY || n.sub != JIT_SHL || q_bits(n.type) != q_bits(t) ||
        !q_is_const(q, n.in[1], &by))
        return 0;
    if (by == c && (left == 8 || left == 16 || left == 32))
        return q_extension(q, Q_ZEXT, left, n.in[0]);
    if (by == c && left < 32)
        return simplify_binary(q, JIT_AND, JIT_U32, n.in[0],
                               q_number(q_constant(q, JIT_U32, mask_of(left))));
    if (q_bits(t) != 64 || by != 32 || c >= by || by - c > Q_MAX_SCALE)
        return 0;
    return make_node(q, JIT_SHL, t, 32 + (unsigned)(by - c), q_extension(q, Q_ZEXT, 32, n.in[0]),
                     q_number(q_constant(q, JIT_U8, by - c)));
}

/* A total shift, built of host shifts, which use the low bits of the amount only. */
static uint32_t simplify_shift(struct quick *q, unsigned op, jit_type t, uint32_t a, q_value amount)
{
    unsigned bits = q_bits(t), known = bits == 64 ? 6 : 5;
    uint32_t n = q_extended(q, amount, false), limit, shifted;
    jit_type own = q_bits(q_type(amount)) > 32 ? JIT_U64 : JIT_U32;

    if (q_node(q, n)->known <= known || op == JIT_ROL || op == JIT_ROR)
        return make_node(q, op, t, bits, a, low_bits(q, n, known));
    limit = q_number(q_constant(q, own, bits));
    if (op == JIT_SHR && q_base(t) == JIT_SINT) {
        n = q_share(
            q, (struct q_node){.op = Q_SELECT,
                               .sub = JIT_LT,
                               .type = JIT_U32,
                               .from = own,
                               .result = JIT_U64,
                               .known = 32,
                               .in = {n, q_number(q_constant(q, JIT_U32, bits - 1)), n, limit}});
        return make_node(q, op, t, bits, a, n);
    }
    shifted = make_node(q, op, t, bits, a, n);
    return q_share(q,
                   (struct q_node){.op = Q_SELECT,
                                   .sub = JIT_LT,
                                   .type = t,
                                   .from = own,
                                   .result = JIT_U64,
                                   .known = (uint8_t)bits,
                                   .in = {shifted, q_number(q_constant(q, JIT_U64, 0)), n, limit}});
}

/* The operand of an OR that alone has bits from number c on; else the node itself. */
static uint32_t upper_piece(const struct quick *q, uint32_t a, unsigned bits, uint64_t c)
{
    const struct q_node *n = &q->nodes.data[a];

    if (n->op != Q_BINARY || n->sub != JIT_OR || q_in_vector(n->type) || q_bits(n->type) != bits)
        return a;
    for (unsigned k = 0; k < 2; k++) {
        if (!q_is_in_vector(q, n->in[k]) && q->nodes.data[n->in[k]].known <= c)
            return n->in[!k];
    }
    return a;
}

/* A shift by a constant; one that leaves only the sign is a comparison. */
static uint32_t shift_const(struct quick *q, unsigned op, jit_type t, uint32_t a, uint64_t c)
{
    unsigned bits = q_bits(t), known = bits;
    uint32_t n;

    if (op == JIT_SHR && c < bits)
        a = upper_piece(q, a, bits, c);
    if (op == JIT_SHR && c == bits - 1 && q_base(t) == JIT_UINT)
        return simplify_compare(q, JIT_LT, JIT_TYPE(JIT_SINT, bits, 1), a, bool_constant(q, false));
    if (op == JIT_SHR && q_base(t) == JIT_SINT) {
        c = c < bits ? c : bits - 1;
        n = q_sign_of_shifted(q, t, a, c);
        if (n)
            return n;
    } else if (op <= JIT_SHR && c >= bits) {
        return q_number(q_constant(q, JIT_U64, 0));
    } else if (op == JIT_SHR) {
        n = mask_of_shifted(q, t, a, c);
        if (n)
            return n;
    }
    if (op == JIT_SHR && q_base(t) == JIT_UINT) {
        known = q_node(q, a)->known;
        known = (known < bits ? known : bits);
        known = known > c ? known - (unsigned)c : 0;
    } else if (op == JIT_SHL) {
        known = q_node(q, a)->known + (unsigned)c;
    }
    n = q_number(q_constant(q, JIT_U8, c & (bits - 1)));
    return make_node(q, op, t, known, a, n);
}

/* ---- operations ------------------------------------------------------------------------------ */

/* node.known of an operation on 32 or 64 bits. */
static unsigned known_of(const struct quick *q, unsigned op, uint32_t a, uint32_t b)
{
    unsigned x = q->nodes.data[a].known, y = q->nodes.data[b].known;

    switch (op) {
    case JIT_AND:
        return x < y ? x : y;
    case JIT_OR:
    case JIT_XOR:
        return x > y ? x : y;
    case JIT_ADD:
        return (x > y ? x : y) + 1;
    case JIT_MUL:
        return x + y;
    default:
        return 64;
    }
}

/* a + b as a Q_SCALED, if b is shifted left by at most Q_MAX_SCALE; or 0. */
static uint32_t add_scaled(struct quick *q, jit_type t, uint32_t a, uint32_t b)
{
    const struct q_node n = *q_node(q, b);
    uint64_t by;

    if (n.op != Q_BINARY || n.sub != JIT_SHL || q_bits(n.type) != q_bits(t) ||
        !q_is_const(q, n.in[1], &by) || by > Q_MAX_SCALE)
        return 0;
    return q_share(q, (struct q_node){.op = Q_SCALED,
                                      .type = t,
                                      .result = JIT_U64,
                                      .known = (uint8_t)q_bits(t),
                                      .imm = by,
                                      .in = {a, n.in[0]}});
}

/* The amount by which a node is its operand shifted right, with zeros from the left; 0: it is no
 * such shift. One that leaves only the sign is a comparison. */
static unsigned shifted_right(const struct quick *q, const struct q_node *n)
{
    unsigned bits = q_bits(n->type);
    uint64_t c;

    if (n->op != Q_BINARY || !q_is_const(q, n->in[1], &c))
        return 0;
    if (n->sub == JIT_LT && q_base(n->type) == JIT_SINT && !c)
        return bits - 1;
    return n->sub == JIT_SHR && q_base(n->type) == JIT_UINT && c < bits ? (unsigned)c : 0;
}

/* A value shifted right by a constant, or-ed with what b has shifted left, as a rotation; or 0. The
 * half that was shifted left may be sign-extended, as RV64 has results of 32 bits; the other one
 * has a zero there. */
static uint32_t rotate_parts(struct quick *q, jit_type t, uint32_t a, uint32_t b)
{
    const struct q_node right = *q_node(q, a), outer = *q_node(q, b);
    bool extended = outer.op == Q_SEXT && outer.imm == 32;
    const struct q_node left = extended ? *q_node(q, outer.in[0]) : outer;
    unsigned bits = q_bits(right.type), c = shifted_right(q, &right);
    uint64_t d;
    uint32_t n;

    if (!c || !is_binary(&left, JIT_SHL, bits) || left.in[0] != right.in[0] ||
        !q_is_const(q, left.in[1], &d) || c + d != bits || bits > q_bits(t) ||
        (extended && bits != 32))
        return 0;
    n = q_number(q_constant(q, JIT_U8, c));
    n = make_node(q, JIT_ROR, JIT_TYPE(JIT_UINT, bits, 1), bits, right.in[0], n);
    if (!extended || q_bits(t) == 32)
        return n;
    return q_extension(q, Q_SEXT, 32, n);
}

/* An operation on a select of two constants and a constant, as a select of two constants; or 0.
 * Behaviours choose the offset of a branch so, and the trace then knows both addresses. `c` may be
 * the PC, which is constant in a trace. */
static uint32_t distribute_choice(struct quick *q, unsigned op, jit_type t, uint32_t choice,
                                  uint32_t c)
{
    struct q_node n = *q_node(q, choice);
    uint64_t value[2];

    if (q_bits(t) < 32 || op >= JIT_EQ || !q_is_choice(q, &n, value))
        return 0;
    for (unsigned k = 0; k < 2; k++)
        n.in[k] = simplify_binary(q, op, t, q_number(q_constant(q, JIT_U64, value[k])), c);
    n.type = t;
    n.known = (uint8_t)q_bits(t);
    return q_share(q, n);
}

/* AND, OR or XOR of two values with their signs above, by their low halves. */
static uint32_t combine_halves(struct quick *q, unsigned op, uint32_t a, uint32_t b)
{
    unsigned known = known_of(q, op, a, b);
    uint32_t n = make_node(q, op, JIT_U32, known, q_low_half(q, a), q_low_half(q, b));

    return known < 32 ? n : q_extension(q, Q_SEXT, 32, n);
}

/* An operation on extended operands, or one that does not depend on higher bits. */
static uint32_t simplify_binary(struct quick *q, unsigned op, jit_type t, uint32_t a, uint32_t b)
{
    uint64_t ca, cb;
    bool fixed_a = q_is_const(q, a, &ca), fixed_b = q_is_const(q, b, &cb);
    bool swaps = op == JIT_ADD || op == JIT_MUL || (op >= JIT_AND && op <= JIT_XOR);
    uint32_t n;

    if (fixed_a && fixed_b)
        return q_number(
            q_constant(q, JIT_TYPE(JIT_UINT, q_bits(t), 1), quick_evaluate_binary(op, t, ca, cb)));
    if (fixed_a && op == JIT_SUB && q_node(q, b)->known < q_bits(t) && !(ca & (ca + 1)) &&
        mask_of(q_node(q, b)->known) <= ca)
        op = JIT_XOR; /* no digit borrows */
    if (fixed_a && (swaps || op == JIT_XOR))
        return simplify_binary(q, op, t, b, a);
    if (fixed_b) {
        n = simplify_const(q, op, q_bits(t), a, cb);
        if (n)
            return n;
        if (op == JIT_SUB && !is_bool(q, a) && q_node(q, a)->op == Q_PC)
            return simplify_binary(
                q, JIT_ADD, t, a,
                q_number(q_constant(q, JIT_TYPE(JIT_UINT, q_bits(t), 1), 0 - cb)));
        n = distribute_choice(q, op, t, a, b);
        if (n)
            return n;
    }
    if (op == JIT_ADD && (q_node(q, a)->op == Q_PC || q_node(q, b)->op == Q_PC)) {
        n = q_node(q, a)->op == Q_PC ? distribute_choice(q, op, t, b, a)
                                     : distribute_choice(q, op, t, a, b);
        if (n)
            return n;
    }
    /* A constant that is no displacement is in a register like any other operand. */
    if (op == JIT_ADD && (!fixed_b || (int64_t)cb != (int32_t)cb)) {
        n = fixed_b ? 0 : add_scaled(q, t, a, b);
        if (!n)
            n = add_scaled(q, t, b, a);
        if (n)
            return n;
    }
    if (op == JIT_AND || op == JIT_OR || op == JIT_XOR) {
        if (a == b)
            return op == JIT_XOR ? q_number(q_constant(q, JIT_U64, 0)) : a;
        n = join_comparisons(q, op, a, b);
        if (!n && is_bool(q, a) && is_bool(q, b))
            n = join_conditions(q, op, a, b);
        if (!n && op == JIT_OR)
            n = rotate_parts(q, t, a, b);
        if (!n && op == JIT_OR)
            n = rotate_parts(q, t, b, a);
        if (!n && op == JIT_XOR)
            n = cancel_xor(q_node(q, b), a, q_bits(t));
        if (!n && op == JIT_XOR)
            n = cancel_xor(q_node(q, a), b, q_bits(t));
        if (!n && q_bits(t) == 64 && q_are_halves_enough(q, a, b))
            n = combine_halves(q, op, a, b);
        if (n)
            return n;
    }
    return make_node(q, op, t, known_of(q, op, a, b), a, b);
}

static bool is_narrow_safe(unsigned op)
{
    return op == JIT_ADD || op == JIT_SUB || op == JIT_MUL || op == JIT_AND || op == JIT_OR ||
           op == JIT_XOR || op == JIT_SHL;
}

q_value q_int_binary(struct quick *q, unsigned op, jit_type t, q_value a, q_value b)
{
    unsigned bits = q_bits(t);
    bool with_sign = q_base(t) == JIT_SINT;
    jit_type wide = bits < 32 ? JIT_TYPE(q_base(t), 32, 1) : t;
    uint32_t x, y;
    uint64_t c;

    a = q_value_of(q_number(a), t);
    if (bits < 32 && (op == JIT_ROL || op == JIT_ROR)) {
        q_refuse(q, "a narrow rotation");
        return a;
    }
    x = bits < 32 && !is_narrow_safe(op) ? q_extended(q, a, with_sign) : q_general(q, a);
    if (op >= JIT_SHL && op <= JIT_ROR) {
        y = q_general(q, b);
        if (q_is_const(q, y, &c)) {
            uint32_t n = 0;
            uint64_t value;

            c &= mask_of(q_bits(q_type(b)));
            if (op >= JIT_ROL)
                c &= bits - 1;
            if (bits < 32 && c >= bits)
                c = op == JIT_SHR && with_sign ? 31 : 32;
            else if (c >= bits)
                c = bits;
            if (!c)
                return q_value_of(x, t);
            if (q_is_const(q, x, &value))
                return q_constant(q, t, quick_evaluate_binary(op, wide, value, c));
            n = shift_const(q, op, wide, x, c);
            return q_value_of(n, t);
        }
        if (bits < 32) {
            q_refuse(q, "a narrow shift");
            return a;
        }
        return q_value_of(simplify_shift(q, op, wide, x, b), t);
    }
    b = q_value_of(q_number(b), t);
    y = bits < 32 && !is_narrow_safe(op) ? q_extended(q, b, with_sign) : q_general(q, b);
    if (op >= JIT_EQ) {
        /* Values that are 0 or 1 are compared by their lowest bit. */
        if (bits < 32 && op <= JIT_NE && is_bool(q, x) && is_bool(q, y) && !q_is_const(q, x, &c) &&
            !q_is_const(q, y, &c)) {
            x = simplify_binary(q, JIT_XOR, JIT_U32, x, y);
            return q_value_of(op == JIT_NE ? x : invert_condition(q, x), JIT_U8);
        }
        return q_value_of(simplify_compare(q, op, wide, x, y), JIT_U8);
    }
    return q_value_of(simplify_binary(q, op, wide, x, y), t);
}

/* Whether the node has the bits of its operand in the opposite order. */
static bool is_reversed(const struct q_node *n, unsigned bits)
{
    return n->op == Q_UNARY && n->sub == JIT_BITREV && q_bits(n->type) == bits;
}

q_value q_int_unary(struct quick *q, enum jit_op op, jit_type t, q_value a)
{
    unsigned bits = q_bits(t);
    jit_type wide = bits < 32 ? JIT_TYPE(q_base(t), 32, 1) : t;
    uint32_t x = q_general(q, a);
    uint64_t c;

    if (op == JIT_NOT && q_is_const(q, x, &c))
        return q_constant(q, t, ~c);
    if (op == JIT_NEG && q_is_const(q, x, &c))
        return q_constant(q, t, 0 - c);
    if (bits < 32 && op != JIT_NOT && op != JIT_NEG) {
        q_refuse(q, "a narrow operation");
        return a;
    }
    if (op == JIT_CLZ && is_reversed(q_node(q, x), bits)) {
        op = JIT_CTZ;
        x = q_node(q, x)->in[0];
    }
    return q_value_of(
        make_node(q, op, wide, op == JIT_CLZ || op == JIT_CTZ || op == JIT_POPCOUNT ? 7 : 64, x, 0),
        t);
}

bool q_condition_of(struct quick *q, q_value v, struct q_condition *c, bool *value)
{
    uint32_t n = q_extended(q, v, false), a;
    const struct q_node *node;
    uint64_t bits;

    if (q_is_const(q, n, &bits)) {
        *value = bits != 0;
        return false;
    }
    if (q_node(q, n)->op != Q_BINARY || !q_is_condition(q_node(q, n)))
        n = simplify_compare(q, JIT_NE, q_bits(q_type(v)) > 32 ? JIT_S64 : JIT_S32, n,
                             bool_constant(q, false));
    if (q_is_const(q, n, &bits)) {
        *value = bits != 0;
        return false;
    }
    node = q_node(q, n);
    if (!q_is_condition(node)) { /* a value that is 0 or 1, but no comparison */
        *c = (struct q_condition){JIT_NE, false, JIT_S32, n, bool_constant(q, false)};
        return true;
    }
    *c = (struct q_condition){node->sub, false, node->type, node->in[0], node->in[1]};
    a = node->in[0];
    if (!q_is_ordered(c->type) && node->sub <= JIT_NE && q_is_const(q, node->in[1], &bits) &&
        !bits) {
        node = q_node(q, a);
        if (node->op == Q_BINARY && node->sub == JIT_AND &&
            (q_bits(node->type) <= q_bits(c->type) || node->known <= q_bits(c->type))) {
            c->test = true;
            c->type = node->type;
            c->a = node->in[0];
            c->b = node->in[1];
        }
    }
    return true;
}
