/*
 * Selection of code for nodes in vector registers: which can be emitted, and arithmetic,
 * comparisons and selects of integer lanes. Vectors of 4 and 8 bytes are computed as vectors of 16
 * bytes, whatever the rest of the register holds.
 */
#include "runtime/base/polynomial.h"
#include "runtime/fp/crypto_ops.h"
#include "runtime/jit/quick/a64/host.h"

/* ---- constants ------------------------------------------------------------------------------- */

void a64_load_words(struct q_buffer *x, unsigned d, uint64_t low, uint64_t high)
{
    if (low == high && (!low || !~low)) {
        a64_vfill(x, d, low != 0);
        return;
    }
    a64_mov_i(x, Q_SCRATCH, low);
    if (low == high) {
        a64_dup(x, 3, d, Q_SCRATCH);
        return;
    }
    a64_fmov_from(x, 64, d, Q_SCRATCH);
    if (high) {
        a64_mov_i(x, Q_SCRATCH, high);
        a64_insert(x, 3, d, 1, Q_SCRATCH);
    }
}

void a64_load_vector(struct quick *q, unsigned d, const struct q_node *n)
{
    struct q_vec v = q_constant_words(n);

    a64_load_words(&q->out, d, v.w[0], v.w[1]);
}

/* ---- arithmetic of integer lanes ------------------------------------------------------------- */

static bool can_unary(const struct q_node *n)
{
    if (q_is_int128(n->type))
        return n->sub == JIT_NOT;
    return q_is_int_vector(n->type) &&
           (n->sub == JIT_NEG || n->sub == JIT_NOT || n->sub == JIT_ABS);
}

static void select_unary(struct quick *q, const struct q_node *n)
{
    unsigned a = q_use_x(q, n->in[0]), d = q_def_x(q);

    if (n->sub == JIT_NOT)
        a64_vv(&q->out, A64_VNOT, 0, d, a);
    else
        a64_vv(&q->out, n->sub == JIT_NEG ? A64_VNEG : A64_VABS, a64_class(n->type), d, a);
}

/* The instruction for an operation of lanes, without products of 64 bits; or 0. */
static uint32_t lane_op(unsigned op, jit_type t)
{
    bool with_sign = q_is_signed(t);

    switch (op) {
    case JIT_ADD:
        return A64_VADD;
    case JIT_SUB:
        return A64_VSUB;
    case JIT_MUL:
        return q_lane_bits(t) < 64 ? A64_VMUL : 0;
    case Q_LEAST:
        return q_lane_bits(t) == 64 ? 0 : with_sign ? A64_SMIN : A64_UMIN;
    case Q_GREATEST:
        return q_lane_bits(t) == 64 ? 0 : with_sign ? A64_SMAX : A64_UMAX;
    case Q_EVEN_LANES:
        return q_bits(t) == 128 ? A64_UZP1 : 0;
    case Q_DISTANCE:
        return q_lane_bits(t) == 64 ? 0 : with_sign ? A64_SABD : A64_UABD;
    case JIT_EQ:
    case JIT_NE:
        return A64_CMEQ;
    case JIT_GT:
    case JIT_LT:
        return with_sign ? A64_CMGT : A64_CMHI;
    case JIT_GE:
    case JIT_LE:
        return with_sign ? A64_CMGE : A64_CMHS;
    default:
        return 0;
    }
}

/* The instruction for an operation of bits; or 0. */
static uint32_t bits_op(unsigned op)
{
    switch (op) {
    case JIT_AND:
        return A64_VAND;
    case JIT_OR:
        return A64_VORR;
    case JIT_XOR:
        return A64_VEOR;
    case Q_WITHOUT:
        return A64_VBIC;
    default:
        return 0;
    }
}

static bool can_binary(const struct quick *q, const struct q_node *n)
{
    if (bits_op(n->sub))
        return q_is_int_vector(n->type) || q_is_int128(n->type);
    if (n->sub == JIT_SHL || n->sub == JIT_SHR)
        return q_is_shift(q, n);
    if (n->sub == JIT_POLYMUL)
        return q_is_int128(n->type) && cpu_has_polymul64();
    if (n->sub == Q_BYTES)
        return q_is_int128(n->type);
    return q_is_int_vector(n->type) && (n->sub == JIT_MUL || lane_op(n->sub, n->type));
}

/* Products of lanes of 64 bits, by way of general registers. */
static void multiply_64bit(struct quick *q, unsigned d, unsigned a, unsigned b)
{
    struct q_buffer *x = &q->out;

    for (unsigned lane = 0; lane < 2; lane++) {
        a64_extract(x, 3, Q_SCRATCH, a, lane);
        a64_extract(x, 3, Q_SCRATCH2, b, lane);
        a64_rrr(x, a64_third(A64_MADD, A64_ZERO), 64, Q_SCRATCH, Q_SCRATCH, Q_SCRATCH2);
        a64_insert(x, 3, Q_XSCRATCH, lane, Q_SCRATCH);
    }
    a64_vmov(x, d, Q_XSCRATCH);
}

static void select_binary(struct quick *q, const struct q_node *n)
{
    bool swap = n->sub == JIT_LT || n->sub == JIT_LE;
    unsigned a = q_use_x(q, n->in[swap]), b = q_use_x(q, n->in[!swap]), d = q_def_x(q);
    uint32_t op = lane_op(n->sub, n->type);

    if (bits_op(n->sub))
        a64_vvv(&q->out, bits_op(n->sub), 0, d, a, b);
    else if (n->sub == JIT_POLYMUL)
        a64_vvv(&q->out, A64_PMULL, 0, d, a, b);
    else if (n->sub == Q_BYTES)
        a64_vvv(&q->out, A64_EXT(n->imm), 0, d, a, b);
    else if (op)
        a64_vvv(&q->out, op, a64_class(n->type), d, a, b);
    else
        multiply_64bit(q, d, a, b);
    if (n->sub == JIT_NE)
        a64_vv(&q->out, A64_VNOT, 0, d, d);
}

/* ---- selects --------------------------------------------------------------------------------- */

static bool is_value(jit_type t)
{
    return q_is_int_vector(t) || q_is_float_vector(t) || q_is_float_scalar(t) || q_is_int128(t);
}

static bool can_blend(const struct quick *q, const struct q_node *n)
{
    if (q_is_float_scalar(n->type)) /* by a comparison, which makes a mask */
        return n->from == n->type && q_is_in_vector(q, n->in[0]) &&
               q_is_comparison(&q->nodes.data[n->in[0]]);
    return (q_is_int_vector(n->type) || q_is_float_vector(n->type)) && q_is_int_vector(n->from) &&
           q_lane_bits(n->from) == q_lane_bits(n->type) && q_lanes(n->from) == q_lanes(n->type);
}

/* A lane is taken if any bit of the mask's lane is set. */
static void select_blend(struct quick *q, const struct q_node *n)
{
    unsigned mask = q_use_x(q, n->in[0]), a = q_use_x(q, n->in[1]), b = q_use_x(q, n->in[2]);
    unsigned d = q_def_x(q), class = a64_class(n->type);

    a64_vv(&q->out, A64_CMEQ_0, class, Q_XSCRATCH, mask);
    a64_vvv(&q->out, A64_BSL, 0, Q_XSCRATCH, b, a);
    a64_vmov(&q->out, d, Q_XSCRATCH);
}

/* Select by a comparison: a jump around a move. */
static void select_by_jump(struct quick *q, const struct q_node *n)
{
    unsigned a = q_use_x(q, n->in[0]), b = q_use_x(q, n->in[1]), d;
    enum a64_cc cc = a64_compare(q, n->sub, n->from, n->in[2], n->in[3]);
    uint8_t *skip;

    d = q_def_x(q);
    if (d != a && d != b)
        a64_vmov(&q->out, d, b);
    skip = a64_b_if(&q->out, (enum a64_cc)(d == a ? cc : cc ^ 1));
    a64_vmov(&q->out, d, d == a ? b : a);
    a64_bind(&q->out, skip);
}

/* ---- dispatch -------------------------------------------------------------------------------- */

bool a64_can_select_vector(const struct quick *q, const struct q_node *n)
{
    bool is_float = q_base(n->type) == JIT_FLOAT;

    switch (n->op) {
    case Q_CONST:
        return true;
    case Q_CRYPTO: /* runtime/fp knows whether the host has the instruction */
        return n->sub < CRYPTO_LOW_WORDS;
    case Q_UNARY:
        return is_float ? a64_can_float(n) : can_unary(n);
    case Q_BINARY:
        if (q_is_ordered(n->type))
            return true;
        return is_float ? a64_can_float(n) : can_binary(q, n);
    case Q_FMA:
        return a64_can_float(n);
    case Q_SELECT:
        return is_value(n->type);
    case Q_BLEND:
        return can_blend(q, n);
    case Q_CONVERT:
        return a64_can_convert(n) || a64_can_lanes(q, n);
    default:
        return a64_can_lanes(q, n);
    }
}

void a64_select_vector(struct quick *q)
{
    const struct q_node n = *q_node(q, q->at);

    if (n.op == Q_SELECT)
        select_by_jump(q, &n);
    else if (n.op == Q_BLEND)
        select_blend(q, &n);
    else if (n.op == Q_CRYPTO)
        a64_select_crypto(q);
    else if (n.op == Q_FMA || (n.op <= Q_BINARY && q_base(n.type) == JIT_FLOAT))
        a64_select_float(q);
    else if (n.op == Q_UNARY)
        select_unary(q, &n);
    else if (n.op == Q_BINARY && (n.sub == JIT_SHL || n.sub == JIT_SHR))
        a64_select_shift(q);
    else if (n.op == Q_BINARY)
        select_binary(q, &n);
    else if (n.op == Q_CONVERT && a64_can_convert(&n))
        a64_convert_node(q);
    else
        a64_select_lanes(q);
}
