/*
 * Floats that cannot be NaNs. A result of numbers is a number, or its operation is invalid and
 * traps. So the test of a result for NaNs (JIT_TRAP_NAN) is only needed if an operand may be one;
 * and since NaNs go from every operand to the result, the test shows all operands to be numbers.
 */
#include "runtime/jit/quick/emit.h"
#include "runtime/jit/quick/target.h"

/* The flag for values that are numbers as type t: its lane, or all lanes of 128 bits; 0: none. */
static unsigned flag_of(jit_type t)
{
    if (q_base(t) != JIT_FLOAT || (q_lanes(t) > 1 && q_bits(t) != 128))
        return 0;
    if (q_lane_bits(t) == 32)
        return q_lanes(t) > 1 ? QF_NUMBERS_32 : QF_NUMBER_32;
    return q_lane_bits(t) == 64 ? (q_lanes(t) > 1 ? QF_NUMBERS_64 : QF_NUMBER_64) : 0;
}

static bool is_nan(uint64_t bits, unsigned width)
{
    return width == 32 ? (uint32_t)bits << 1 > UINT32_C(0xff000000)
                       : bits << 1 > UINT64_C(0xffe0000000000000);
}

static bool is_constant_number(const struct q_node *n, jit_type t)
{
    const struct q_vec v = q_constant_words(n);
    unsigned width = q_lane_bits(t), lanes = q_lanes(t);

    for (unsigned lane = 0; lane < lanes; lane++) {
        if (is_nan(v.w[lane * width / 64] >> lane * width % 64, width))
            return false;
    }
    return true;
}

/* The node whose low bits are those of node n, or of its lane 0 up to the sign; Q_NONE: there is none. */
static uint32_t below(const struct q_node *n, jit_type t)
{
    if (n->op == Q_LOW && n->imm >= q_bits(t))
        return n->in[0];
    if (n->op == Q_UNARY && (n->sub == JIT_NEG || n->sub == JIT_ABS) && n->type == t)
        return n->in[0];
    return Q_NONE;
}

static bool is_number(const struct quick *q, uint32_t node, jit_type t)
{
    const jit_type lanes = JIT_TYPE(JIT_FLOAT, q_lane_bits(t), 128 / q_lane_bits(t));
    const struct q_node *n;

    for (; node; node = below(n, t)) {
        n = &q->nodes.data[node];
        if (n->flags & (flag_of(t) | flag_of(lanes)))
            return true;
        if (n->op == Q_CONST)
            return q_in_vector(n->result) && is_constant_number(n, t);
        if (n->op == Q_CONVERT && n->type == t && q_base(n->from) != JIT_FLOAT)
            return true;
        if (n->op == Q_EXTRACT && q_lanes(t) == 1 && n->type == lanes)
            return q->nodes.data[n->in[0]].flags & flag_of(lanes);
    }
    return false;
}

/* Marks the value, and those whose low bits it has. */
static void mark(struct quick *q, uint32_t node, jit_type t)
{
    for (; node; node = below(&q->nodes.data[node], t))
        q->nodes.data[node].flags |= (uint8_t)flag_of(t);
}

/* The number of operands of an operation that gives a NaN for each NaN; 0: it is no such operation. */
static unsigned operands_of(const struct q_node *n)
{
    if (n->op == Q_FMA)
        return 3;
    if (n->op == Q_BINARY)
        return n->sub <= JIT_DIV ? 2 : 0;
    if (n->op == Q_UNARY)
        return n->sub >= JIT_SQRT && n->sub <= JIT_ROUND_ZERO;
    return n->op == Q_CONVERT && q_base(n->from) == JIT_FLOAT && q_base(n->type) == JIT_FLOAT;
}

void q_drop_nan_tests(struct quick *q)
{
    for (uint32_t at = 1; at < q->nodes.len; at++) {
        struct q_node *trap = q_node(q, at);
        const struct q_node *n = q_node(q, trap->in[0]);
        jit_type from = n->op == Q_CONVERT ? n->from : n->type;
        unsigned count;
        bool numbers = true;

        if (trap->op != Q_TRAP || !(trap->sub & JIT_TRAP_NAN) || !flag_of(n->type) ||
            !flag_of(from))
            continue;
        count = operands_of(n);
        for (unsigned k = 0; k < count; k++)
            numbers &= is_number(q, n->in[k], from);
        if (count && numbers)
            trap->sub &= (uint8_t)~JIT_TRAP_NAN;
        for (unsigned k = 0; k < count; k++)
            mark(q, n->in[k], from);
        mark(q, trap->in[0], n->type);
    }
}
