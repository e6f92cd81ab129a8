/*
 * Products of lanes of 16 bits of which some high bits are kept, as multiplications of fixed-point
 * numbers have them: hosts multiply lanes of this width, and give either half of the products.
 */
#include "runtime/jit/quick/halves.h"
#include "runtime/jit/quick/target.h"

enum { LANES = 8, BITS = 16 };

/* One half of the lanes of (a * b) >> shift. */
struct product {
    uint32_t a, b; /* halves of the factors, or the whole vectors for the lower half */
    uint64_t shift;
    bool with_sign, rounded; /* rounded: half of the last bit that is kept was added before */
};

static const struct q_node *node_at(const struct quick *q, uint32_t n)
{
    return &q->nodes.data[n];
}

/* Whether the node is half of a vector's lanes, widened: that half. */
static bool is_widened(const struct quick *q, uint32_t node, struct product *p, uint32_t *half)
{
    const struct q_node *n = node_at(q, node);

    if (n->op != Q_CONVERT || q_lane_bits(n->from) != BITS || q_lanes(n->from) != LANES / 2 ||
        q_base(n->from) == JIT_FLOAT || q_lane_bits(n->type) != 2 * BITS)
        return false;
    p->with_sign = q_is_signed(n->from);
    *half = n->in[0];
    return true;
}

/* The vector with two halves, of which the lower one may be the vector itself. */
static q_value whole_of(struct quick *q, jit_type t, uint32_t low, uint32_t high)
{
    const jit_type halves = JIT_TYPE(JIT_FLOAT, 64, 2);
    const q_value parts[] = {q_value_of(low, JIT_F64), q_value_of(high, JIT_F64)};
    const struct q_node *n = node_at(q, high);
    uint64_t lanes;

    if (low == high && q_is_const(q, low, &lanes) && q_lanes(n->type) > 1 &&
        q_lane_bits(n->type) == BITS)
        return q_constant(q, t, lanes);
    if (n->op == Q_BITCAST)
        n = node_at(q, n->in[0]);
    if (n->op == Q_EXTRACT && n->imm == 1 && q_lane_bits(n->type) == 64 && n->in[0] == low)
        return q_value_of(low, t);
    return q_value_of(q_number(q_build(q, halves, parts)), t);
}

static bool is_product(const struct quick *q, uint32_t node, struct product *p)
{
    const struct q_node *n = node_at(q, node), *product = node_at(q, n->in[0]);
    bool sign_of_a;
    uint64_t half;

    if (n->op != Q_BINARY || n->sub != JIT_SHR || q_lane_bits(n->type) != 2 * BITS ||
        !q_is_const(q, n->in[1], &p->shift) || !p->shift || p->shift > BITS)
        return false;
    p->rounded = product->op == Q_BINARY && product->sub == JIT_ADD &&
                 q_is_const(q, product->in[1], &half) && half == UINT64_C(1) << (p->shift - 1);
    if (p->rounded)
        product = node_at(q, product->in[0]);
    if (product->op != Q_BINARY || product->sub != JIT_MUL)
        return false;
    if (!is_widened(q, product->in[0], p, &p->a))
        return false;
    sign_of_a = p->with_sign;
    return is_widened(q, product->in[1], p, &p->b) && p->with_sign == sign_of_a;
}

/* Whether the host multiplies so; each operation is refused where it cannot be emitted. */
static bool can_multiply(const struct quick *q, jit_type t, unsigned op)
{
    return q_target.can_select(q, &(struct q_node){.op = Q_BINARY, .sub = (uint8_t)op, .type = t});
}

q_value q_high_product(struct quick *q, const struct raw *raw, const struct operands *o)
{
    const struct q_node *pair = node_at(q, q_number(o->a));
    struct product low, high;
    jit_type t = JIT_TYPE(JIT_UINT, BITS, LANES), of;
    q_value a, b, r, rest;

    if (raw->op != Q_CONVERT || q_lane_bits(raw->type) != BITS || q_lanes(raw->type) != LANES ||
        q_base(raw->type) == JIT_FLOAT || pair->op != Q_PAIR || !is_product(q, pair->in[0], &low) ||
        !is_product(q, pair->in[1], &high) || low.shift != high.shift ||
        low.with_sign != high.with_sign || low.rounded != high.rounded)
        return 0;
    of = JIT_TYPE(low.with_sign ? JIT_SINT : JIT_UINT, BITS, LANES);
    if (low.rounded &&
        (!low.with_sign || low.shift != BITS - 1 || !can_multiply(q, of, Q_ROUNDED_PRODUCT)))
        return 0;
    if (!can_multiply(q, of, low.with_sign ? JIT_SMULH : JIT_UMULH))
        return 0;
    a = whole_of(q, of, low.a, high.a);
    b = whole_of(q, of, low.b, high.b);
    if (low.rounded)
        return q_value_of(q_number(q_binary(q, Q_ROUNDED_PRODUCT, of, a, b)), raw->type);
    r = q_binary(q, low.with_sign ? JIT_SMULH : JIT_UMULH, of, a, b);
    if (low.shift < BITS) {
        rest = q_binary(q, JIT_SHR, t, q_binary(q, JIT_MUL, t, a, b),
                        q_constant(q, JIT_U8, low.shift));
        r = q_binary(q, JIT_SHL, t, r, q_constant(q, JIT_U8, BITS - low.shift));
        r = q_binary(q, JIT_OR, t, r, rest);
    }
    return q_value_of(q_number(r), raw->type);
}
