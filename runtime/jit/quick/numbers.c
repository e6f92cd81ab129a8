/*
 * Floats that cannot be NaNs. A result of numbers is a number, or its operation is invalid and
 * traps. So the test of a result for NaNs (JIT_TRAP_NAN) is only needed if an operand may be one;
 * and since NaNs go from every operand to the result, the test shows all operands to be numbers. So
 * do comparisons other than for equality, and conversions to integers, which trap for NaNs. Lanes
 * that are moved stay what they are.
 *
 * The test for small results is not needed of a product with an integer or a constant of at least
 * 1, which is not less than its other factor: that is 0, or no denormal number, or it traps.
 */
#include "runtime/base/alloc.h"
#include "runtime/jit/quick/emit.h"
#include "runtime/jit/quick/target.h"

enum { MAX_DEPTH = 4 /* operations that move lanes, through which a lane is followed */ };

/* What is known of a trace's values. A set of lanes has one bit for each. */
struct numbers {
    struct quick *q;
    uint8_t *singles, *doubles; /* by node: lanes of 32 and 64 bits that are numbers */
};

static bool is_float(jit_type t)
{
    return q_base(t) == JIT_FLOAT && (q_lane_bits(t) == 32 || q_lane_bits(t) == 64) &&
           q_bits(t) <= 128;
}

static bool is_nan(uint64_t bits, unsigned width)
{
    return width == 32 ? (uint32_t)bits << 1 > UINT32_C(0xff000000)
                       : bits << 1 > UINT64_C(0xffe0000000000000);
}

static unsigned constant_numbers(const struct q_node *n, unsigned width)
{
    const struct q_vec v = q_constant_words(n);
    unsigned numbers = 0;

    for (unsigned lane = 0; lane < 128 / width; lane++)
        numbers |= (unsigned)!is_nan(v.w[lane * width / 64] >> lane * width % 64, width) << lane;
    return numbers;
}

/* Where a lane of a value comes from: lane *from of the node that is returned; Q_NONE: of none. */
static uint32_t lane_before(const struct q_node *n, unsigned width, unsigned lane, unsigned *from)
{
    unsigned count = 128 / width, half = q_bits(n->type) / 2 / width, at;
    bool whole = q_lane_bits(n->type) == width;

    *from = lane;
    switch (n->op) {
    case Q_LOW:
        return (lane + 1) * width <= n->imm ? n->in[0] : Q_NONE;
    case Q_UNARY:
        return whole && (n->sub == JIT_NEG || n->sub == JIT_ABS) ? n->in[0] : Q_NONE;
    case Q_EXTRACT:
        *from = (unsigned)n->imm;
        return whole && !lane ? n->in[0] : Q_NONE;
    case Q_SPLAT:
        *from = q_lanes(n->from) > 1 ? (unsigned)n->imm : 0;
        return whole && q_lane_bits(n->from) == width ? n->in[0] : Q_NONE;
    case Q_BUILD2:
    case Q_CONCAT:
        if (!half || lane >= 2 * half)
            return Q_NONE;
        *from = lane % half;
        return n->in[lane / half];
    case Q_INSERT:
        *from = lane == n->imm ? 0 : lane;
        return whole ? n->in[lane == n->imm] : Q_NONE;
    case Q_BINARY:
        break;
    default:
        return Q_NONE;
    }
    if (n->sub == Q_BYTES && n->imm * 8 % width == 0) {
        at = lane + (unsigned)n->imm * 8 / width;
        *from = at % count;
        return n->in[at / count];
    }
    if (!whole || (n->sub != Q_LOW_PAIRS && n->sub != Q_HIGH_PAIRS))
        return Q_NONE;
    *from = lane / 2 + (n->sub == Q_HIGH_PAIRS ? count / 2 : 0);
    return n->in[lane % 2];
}

static uint8_t *known_of(const struct numbers *s, uint32_t node, unsigned width)
{
    return width == 32 ? &s->singles[node] : &s->doubles[node];
}

static bool is_number(const struct numbers *s, uint32_t node, unsigned width, unsigned lane,
                      unsigned depth)
{
    const struct q_node *n = q_node(s->q, node);
    unsigned from;
    uint32_t before;

    if (!n->result || !q_in_vector(n->result))
        return false;
    if (*known_of(s, node, width) >> lane & 1)
        return true;
    if (n->op == Q_CONST)
        return constant_numbers(n, width) >> lane & 1;
    if (n->op == Q_CONVERT && is_float(n->type) && q_lane_bits(n->type) == width)
        return q_base(n->from) != JIT_FLOAT && lane < q_lanes(n->type);
    if (n->op == Q_LOW && lane * width >= n->imm)
        return true;
    if (depth && (n->op == Q_SELECT || n->op == Q_BLEND) && (lane + 1) * width <= q_bits(n->type))
        return is_number(s, n->in[n->op == Q_BLEND], width, lane, depth - 1) &&
               is_number(s, n->in[1 + (n->op == Q_BLEND)], width, lane, depth - 1);
    if (depth && n->op == Q_BINARY && (n->sub == Q_LEAST || n->sub == Q_GREATEST) &&
        is_float(n->type) && q_lane_bits(n->type) == width)
        return is_number(s, n->in[0], width, lane, depth - 1) &&
               is_number(s, n->in[1], width, lane, depth - 1);
    before = depth ? lane_before(n, width, lane, &from) : Q_NONE;
    return before && is_number(s, before, width, from, depth - 1);
}

static bool are_numbers(const struct numbers *s, uint32_t node, jit_type t)
{
    bool numbers = true;

    for (unsigned lane = 0; lane < q_lanes(t); lane++)
        numbers &= is_number(s, node, q_lane_bits(t), lane, MAX_DEPTH);
    return numbers;
}

/* Whether a float is 0, or 1 or more in magnitude. */
static bool is_large_constant(uint64_t bits, unsigned width)
{
    bits = width == 32 ? bits << 33 : bits << 1;
    return !bits || bits >= (width == 32 ? UINT64_C(0x7f) << 56 : UINT64_C(0x3ff) << 53);
}

/* Whether a lane is 0, or 1 or more in magnitude, as integers are. */
static bool is_large(const struct numbers *s, uint32_t node, unsigned width, unsigned lane,
                     unsigned depth)
{
    const struct q_node *n = q_node(s->q, node);
    unsigned from;
    uint32_t before;

    if (!n->result || !q_in_vector(n->result))
        return false;
    if (n->op == Q_CONST)
        return is_large_constant(q_constant_words(n).w[lane * width / 64] >> lane * width % 64,
                                 width);
    if (n->op == Q_CONVERT && is_float(n->type) && q_lane_bits(n->type) == width)
        return q_base(n->from) != JIT_FLOAT && lane < q_lanes(n->type);
    before = depth ? lane_before(n, width, lane, &from) : Q_NONE;
    return before && is_large(s, before, width, from, depth - 1);
}

/* Whether the product cannot be less than one of its factors, which are no denormal numbers. */
static bool is_large_product(const struct numbers *s, const struct q_node *n)
{
    bool large[2] = {true, true};

    if (n->op != Q_BINARY || n->sub != JIT_MUL || !is_float(n->type))
        return false;
    for (unsigned k = 0; k < 2; k++) {
        for (unsigned lane = 0; lane < q_lanes(n->type); lane++)
            large[k] &= is_large(s, n->in[k], q_lane_bits(n->type), lane, MAX_DEPTH);
    }
    return large[0] || large[1];
}

/* Notes that a lane is a number, and so are those that it was before. */
static void mark_lane(const struct numbers *s, uint32_t node, unsigned width, unsigned lane)
{
    for (unsigned depth = 0; node && depth < MAX_DEPTH; depth++) {
        *known_of(s, node, width) |= (uint8_t)(1U << lane);
        node = lane_before(q_node(s->q, node), width, lane, &lane);
    }
}

static void mark(const struct numbers *s, uint32_t node, jit_type t)
{
    for (unsigned lane = 0; lane < q_lanes(t); lane++)
        mark_lane(s, node, q_lane_bits(t), lane);
}

/* The number of operands of an operation that gives a NaN for each NaN; 0: it is no such
 * operation. */
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

/* The number of operands of an operation without a float as its result that traps for each NaN. */
static unsigned trapped_of(const struct q_node *n)
{
    if (n->op == Q_BINARY)
        return n->sub >= JIT_LT && n->sub <= JIT_GE ? 2 : 0;
    return n->op == Q_CONVERT && q_base(n->type) != JIT_FLOAT;
}

/* Drops the test of a trap's result if that can be no NaN, and notes what it shows. */
static void visit_trap(const struct numbers *s, struct q_node *trap)
{
    const struct q_node *n = q_node(s->q, trap->in[0]);
    jit_type from = n->op == Q_CONVERT ? n->from : n->type;
    unsigned count;
    bool numbers = true;

    if (is_large_product(s, n))
        trap->sub &= (uint8_t)~JIT_TRAP_SMALL;
    count = is_float(from) ? trapped_of(n) : 0;
    for (unsigned k = 0; k < count; k++)
        mark(s, n->in[k], from);
    if (!(trap->sub & JIT_TRAP_NAN) || !is_float(n->type) || !is_float(from))
        return;
    count = operands_of(n);
    for (unsigned k = 0; k < count; k++)
        numbers &= are_numbers(s, n->in[k], from);
    if (count && numbers)
        trap->sub &= (uint8_t)~JIT_TRAP_NAN;
    for (unsigned k = 0; k < count; k++)
        mark(s, n->in[k], from);
    mark(s, trap->in[0], n->type);
}

void q_drop_nan_tests(struct quick *q)
{
    struct numbers s = {.q = q};

    if (!q->traps)
        return;
    s.singles = xcalloc(2 * q->nodes.len, 1);
    s.doubles = s.singles + q->nodes.len;
    for (uint32_t at = 1; at < q->nodes.len; at++) {
        if (q_node(q, at)->op == Q_TRAP)
            visit_trap(&s, q_node(q, at));
    }
    free(s.singles);
}
