/*
 * Selection of code for nodes in vector registers: which can be emitted, and arithmetic,
 * comparisons and selects of integer lanes. Vectors of 4 and 8 bytes are computed as vectors of 16
 * bytes, whatever the rest of the register holds.
 */
#include "runtime/fp/crypto_ops.h"
#include "runtime/jit/quick/x64/select_vector.h"

/* Instructions by x64_lane_class(); 0: there is none. */
typedef x64_vop by_lane[4];

static const by_lane ADD = {VPADDB, VPADDW, VPADDD, VPADDQ};
static const by_lane SUB = {VPSUBB, VPSUBW, VPSUBD, VPSUBQ};
static const by_lane ABS = {VPABSB, VPABSW, VPABSD, 0};
static const by_lane EQUAL = {VPCMPEQB, VPCMPEQW, VPCMPEQD, VPCMPEQQ};
static const by_lane GREATER = {VPCMPGTB, VPCMPGTW, VPCMPGTD, VPCMPGTQ};
static const by_lane COMPARE_SIGNED = {VPCMPB, VPCMPW, VPCMPD, VPCMPQ};
static const by_lane COMPARE_UNSIGNED = {VPCMPUB, VPCMPUW, VPCMPUD, VPCMPUQ};
static const by_lane MIN_SIGNED = {VPMINSB, VPMINSW, VPMINSD, 0};
static const by_lane MAX_SIGNED = {VPMAXSB, VPMAXSW, VPMAXSD, 0};
static const by_lane MIN_UNSIGNED = {VPMINUB, VPMINUW, VPMINUD, 0};
static const by_lane MAX_UNSIGNED = {VPMAXUB, VPMAXUW, VPMAXUD, 0};
static const by_lane LOW_PAIRS = {VPUNPCKLBW, VPUNPCKLWD, VPUNPCKLDQ, VPUNPCKLQDQ};
static const by_lane HIGH_PAIRS = {VPUNPCKHBW, VPUNPCKHWD, VPUNPCKHDQ, VPUNPCKHQDQ};
static const by_lane ADD_SIGNED = {VPADDSB, VPADDSW, 0, 0};
static const by_lane SUB_SIGNED = {VPSUBSB, VPSUBSW, 0, 0};
static const by_lane ADD_UNSIGNED = {VPADDUSB, VPADDUSW, 0, 0};
static const by_lane SUB_UNSIGNED = {VPSUBUSB, VPSUBUSW, 0, 0};
static const by_lane AVERAGE = {VPAVGB, VPAVGW, 0, 0};

/* ---- arithmetic of integer lanes ------------------------------------------------------------- */

static bool can_unary(const struct q_node *n)
{
    if (q_is_int128(n->type))
        return n->sub == JIT_NOT;
    return q_is_int_vector(n->type) &&
           (n->sub == JIT_NEG || n->sub == JIT_NOT || n->sub == JIT_ABS);
}

static void select_unary(struct quick *q)
{
    const struct q_node n = *q_node(q, q->at);
    struct x64_operand a = x64_operand_of(q, n.in[0], 128);
    unsigned d = q_def_x(q), class = x64_lane_class(n.type);

    if (n.sub == JIT_NOT && x64_has_avx512(q)) {
        x64_vi(q, VPTERNLOGD, d, d, &a, TERNARY_NOT_B);
    } else if (n.sub == JIT_NOT) {
        x64_ones(&q->out, Q_XSCRATCH);
        x64_v(q, VPXOR, d, Q_XSCRATCH, &a);
    } else if (n.sub == JIT_NEG) {
        x64_zero(&q->out, Q_XSCRATCH);
        x64_v(q, SUB[class], d, Q_XSCRATCH, &a);
    } else if (ABS[class] || x64_has_avx512(q)) {
        x64_v(q, ABS[class] ? ABS[class] : VPABSQ, d, X64_NO_VVVV, &a);
    } else {
        /* |a| = (a ^ sign) - sign */
        x64_zero(&q->out, Q_XSCRATCH);
        x64_v(q, VPCMPGTQ, Q_XSCRATCH, Q_XSCRATCH, &a);
        x64_v(q, VPXOR, d, Q_XSCRATCH, &a);
        x64_v_rrr(&q->out, VPSUBQ, d, d, Q_XSCRATCH);
    }
}

/* Product of lanes of 8 bits: of even and of odd lanes, as lanes of 16 bits. */
static void multiply_8bit(struct quick *q, unsigned d, unsigned a, unsigned b)
{
    struct q_buffer *x = &q->out;
    const jit_type t = JIT_TYPE(JIT_UINT, 16, 8);

    x64_shift_imm(x, IMM_SRL, t, Q_XSCRATCH, a, 8);
    x64_shift_imm(x, IMM_SRL, t, Q_XSCRATCH2, b, 8);
    x64_v_rrr(x, VPMULLW, Q_XSCRATCH, Q_XSCRATCH, Q_XSCRATCH2);
    x64_shift_imm(x, IMM_SLL, t, Q_XSCRATCH, Q_XSCRATCH, 8);
    x64_v_rrr(x, VPMULLW, Q_XSCRATCH2, a, b);
    x64_shift_imm(x, IMM_SLL, t, Q_XSCRATCH2, Q_XSCRATCH2, 8);
    x64_shift_imm(x, IMM_SRL, t, Q_XSCRATCH2, Q_XSCRATCH2, 8);
    x64_v_rrr(x, VPOR, d, Q_XSCRATCH, Q_XSCRATCH2);
}

/* Product of lanes of 64 bits: the product of the low halves, plus the cross products shifted by
 * 32. */
static void multiply_64bit(struct quick *q, unsigned d, unsigned a, unsigned b)
{
    struct q_buffer *x = &q->out;
    const jit_type t = JIT_TYPE(JIT_UINT, 64, 2);

    x64_shift_imm(x, IMM_SRL, t, Q_XSCRATCH, a, 32);
    x64_v_rrr(x, VPMULUDQ, Q_XSCRATCH, Q_XSCRATCH, b);
    x64_shift_imm(x, IMM_SRL, t, Q_XSCRATCH2, b, 32);
    x64_v_rrr(x, VPMULUDQ, Q_XSCRATCH2, Q_XSCRATCH2, a);
    x64_v_rrr(x, VPADDQ, Q_XSCRATCH, Q_XSCRATCH, Q_XSCRATCH2);
    x64_shift_imm(x, IMM_SLL, t, Q_XSCRATCH, Q_XSCRATCH, 32);
    x64_v_rrr(x, VPMULUDQ, Q_XSCRATCH2, a, b);
    x64_v_rrr(x, VPADDQ, d, Q_XSCRATCH, Q_XSCRATCH2);
}

static bool is_widening(const struct q_node *n, bool with_sign)
{
    return n->op == Q_CONVERT && q_lanes(n->type) > 1 && q_lane_bits(n->type) == 64 &&
           q_base(n->type) != JIT_FLOAT && q_base(n->from) != JIT_FLOAT &&
           q_lane_bits(n->from) <= 32 && q_is_signed(n->from) == with_sign;
}

/* Whether both operands are widened lanes of 32 bits, with or without sign. */
static bool are_widened(struct quick *q, const struct q_node *n, bool with_sign)
{
    const struct q_node *a = q_node(q, n->in[0]), *b = q_node(q, n->in[1]);

    return is_widening(a, with_sign) && is_widening(b, with_sign);
}

static void select_multiply(struct quick *q, const struct q_node *n)
{
    unsigned a = q_use_x(q, n->in[0]), b = q_use_x(q, n->in[1]), d = q_def_x(q);

    if (q_lane_bits(n->type) == 8)
        multiply_8bit(q, d, a, b);
    else if (are_widened(q, n, false))
        x64_v_rrr(&q->out, VPMULUDQ, d, a, b);
    else if (are_widened(q, n, true))
        x64_v_rrr(&q->out, VPMULDQ, d, a, b);
    else if (x64_has_avx512(q))
        x64_v_rrr(&q->out, VPMULLQ, d, a, b);
    else
        multiply_64bit(q, d, a, b);
}

/* The instruction for an operation, if one is enough; or 0. */
static x64_vop one_instruction(unsigned op, jit_type t)
{
    unsigned class = x64_lane_class(t);

    switch (op) {
    case JIT_ADD:
        return ADD[class];
    case JIT_SUB:
        return SUB[class];
    case JIT_MUL:
        return class == 1 ? VPMULLW : class == 2 ? VPMULLD : 0;
    case JIT_SMULH:
        return VPMULHW;
    case JIT_UMULH:
        return VPMULHUW;
    case JIT_AND:
        return VPAND;
    case JIT_OR:
        return VPOR;
    case JIT_XOR:
        return VPXOR;
    case Q_LEAST:
        return (q_is_signed(t) ? MIN_SIGNED : MIN_UNSIGNED)[class];
    case Q_GREATEST:
        return (q_is_signed(t) ? MAX_SIGNED : MAX_UNSIGNED)[class];
    case Q_LOW_PAIRS:
        return LOW_PAIRS[class];
    case Q_HIGH_PAIRS:
        return HIGH_PAIRS[class];
    case Q_ADD_WITHIN:
        return (q_is_signed(t) ? ADD_SIGNED : ADD_UNSIGNED)[class];
    case Q_SUB_WITHIN:
        return (q_is_signed(t) ? SUB_SIGNED : SUB_UNSIGNED)[class];
    case Q_AVERAGE:
        return AVERAGE[class];
    case Q_ROUNDED_PRODUCT:
        return VPMULHRSW;
    default:
        return 0;
    }
}

static bool can_binary(const struct quick *q, const struct q_node *n)
{
    switch (n->sub) {
    case JIT_AND:
    case JIT_OR:
    case JIT_XOR:
    case Q_WITHOUT:
        return q_is_int_vector(n->type) || q_is_int128(n->type);
    case Q_LEAST:
    case Q_GREATEST:
    case Q_DISTANCE:
        return q_is_int_vector(n->type) && q_lane_bits(n->type) < 64;
    case Q_LOW_PAIRS:
    case Q_HIGH_PAIRS:
        return q_is_int_vector(n->type) && q_bits(n->type) == 128;
    case Q_WORDS:
        return q_is_int_vector(n->type) && q_lane_bits(n->type) == 16;
    case Q_EVEN_LANES:
        return q_is_int_vector(n->type) && q_bits(n->type) == 128 && q_lane_bits(n->type) < 64;
    case JIT_SMULH:
    case JIT_UMULH:
        return q_is_int_vector(n->type) && q_lane_bits(n->type) == 16;
    case Q_ADD_WITHIN:
    case Q_SUB_WITHIN:
        return q_is_int_vector(n->type) && q_lane_bits(n->type) <= 16;
    case Q_AVERAGE:
        return q_is_int_vector(n->type) && !q_is_signed(n->type) && q_lane_bits(n->type) <= 16;
    case Q_ROUNDED_PRODUCT:
        return q_is_int_vector(n->type) && q_is_signed(n->type) && q_lane_bits(n->type) == 16;
    case JIT_POLYMUL:
    case Q_BYTES:
        return q_is_int128(n->type);
    case JIT_SHL:
    case JIT_SHR:
        return x64_can_shift(q, n);
    case JIT_ADD:
    case JIT_SUB:
    case JIT_MUL:
    case JIT_EQ:
    case JIT_NE:
    case JIT_LT:
    case JIT_LE:
    case JIT_GT:
    case JIT_GE:
        return q_is_int_vector(n->type);
    default:
        return false;
    }
}

/* ---- comparisons of integer lanes ------------------------------------------------------------ */

/* a > b of lanes of 64 bits; for unsigned ones with inverted signs. */
static void greater_64bit(struct quick *q, unsigned d, unsigned a, const struct x64_operand *b,
                          bool swap)
{
    x64_load_pattern(&q->out, Q_XSCRATCH, UINT64_C(1) << 63, UINT64_C(1) << 63);
    x64_v_rrr(&q->out, VPXOR, Q_XSCRATCH2, Q_XSCRATCH, a);
    x64_v(q, VPXOR, Q_XSCRATCH, Q_XSCRATCH, b);
    x64_v_rrr(&q->out, VPCMPGTQ, d, swap ? Q_XSCRATCH : Q_XSCRATCH2,
              swap ? Q_XSCRATCH2 : Q_XSCRATCH);
}

static void invert_bits(struct quick *q, unsigned d)
{
    if (x64_has_avx512(q)) {
        x64_v_rrri(&q->out, VPTERNLOGD, d, d, d, TERNARY_NOT_B);
        return;
    }
    x64_ones(&q->out, Q_XSCRATCH);
    x64_v_rrr(&q->out, VPXOR, d, d, Q_XSCRATCH);
}

/* LT, LE, GT, GE by GT, for lanes of 64 bits and signed ones: LT swaps the operands, LE and GE
 * negate GT and LT. */
static void compare_greater(struct quick *q, const struct q_node *n)
{
    bool swap = n->sub == JIT_LT || n->sub == JIT_GE, with_sign = q_is_signed(n->type);
    uint32_t first = with_sign && swap ? n->in[1] : n->in[0],
             second = with_sign && swap ? n->in[0] : n->in[1];
    unsigned a = q_use_x(q, first), d;
    struct x64_operand b = x64_operand_of(q, second, 128);

    d = q_def_x(q);
    if (with_sign)
        x64_v(q, GREATER[x64_lane_class(n->type)], d, a, &b);
    else
        greater_64bit(q, d, a, &b, swap);
    if (n->sub == JIT_LE || n->sub == JIT_GE)
        invert_bits(q, d);
}

/* LE: min(a, b) == a; GE: max(a, b) == a; GT and LT negate them. */
static void compare_extreme(struct quick *q, const struct q_node *n)
{
    bool least = n->sub == JIT_LE || n->sub == JIT_GT, with_sign = q_is_signed(n->type);
    const x64_vop *ops = least       ? with_sign ? MIN_SIGNED : MIN_UNSIGNED
                         : with_sign ? MAX_SIGNED
                                     : MAX_UNSIGNED;
    unsigned class = x64_lane_class(n->type), a = q_use_x(q, n->in[0]), d;
    struct x64_operand b = x64_operand_of(q, n->in[1], 128);

    d = q_def_x(q);
    x64_v(q, ops[class], Q_XSCRATCH, a, &b);
    x64_v_rrr(&q->out, EQUAL[class], d, Q_XSCRATCH, a);
    if (n->sub == JIT_LT || n->sub == JIT_GT)
        invert_bits(q, d);
}

/* LT, LE, GT, GE by a predicate, as AVX-512 has them. */
static void compare_by_predicate(struct quick *q, const struct q_node *n)
{
    static const uint8_t predicates[] = {PREDICATE_LT, PREDICATE_LE, PREDICATE_GT, PREDICATE_GE};
    const x64_vop *ops = q_is_signed(n->type) ? COMPARE_SIGNED : COMPARE_UNSIGNED;
    unsigned a = q_use_x(q, n->in[0]);
    struct x64_operand b = x64_operand_of(q, n->in[1], 128);

    x64_vi(q, ops[x64_lane_class(n->type)], q_def_x(q), a, &b, predicates[n->sub - JIT_LT]);
}

static void compare_equal(struct quick *q, const struct q_node *n)
{
    unsigned a = q_use_x(q, n->in[0]), d;
    struct x64_operand b = x64_operand_of(q, n->in[1], 128);

    d = q_def_x(q);
    x64_v(q, EQUAL[x64_lane_class(n->type)], d, a, &b);
    if (n->sub == JIT_NE)
        invert_bits(q, d);
}

static void select_compare(struct quick *q, const struct q_node *n)
{
    bool strict = n->sub == JIT_LT || n->sub == JIT_GT;

    if (n->sub == JIT_EQ || n->sub == JIT_NE)
        compare_equal(q, n);
    else if (x64_has_avx512(q) && (!q_is_signed(n->type) || !strict))
        compare_by_predicate(q, n);
    else if (q_lane_bits(n->type) == 64 || (q_is_signed(n->type) && strict))
        compare_greater(q, n);
    else
        compare_extreme(q, n);
}

/* Whether the odd lanes of a vector are zeros, since a shift of twice their width has moved
 * them. */
static bool has_zeros(const struct quick *q, uint32_t node, unsigned width)
{
    const struct q_node *n = &q->nodes.data[node];
    uint64_t by;

    return n->op == Q_BINARY && n->sub == JIT_SHR && q_base(n->type) == JIT_UINT &&
           q_lane_bits(n->type) == 2 * width && q_is_const(q, n->in[1], &by) && by >= width;
}

/* Packing saturates, so odd lanes must be zeros. */
static void select_even_lanes(struct quick *q, const struct q_node *n)
{
    unsigned width = q_lane_bits(n->type), a = q_use_x(q, n->in[0]), b = q_use_x(q, n->in[1]);
    bool clear_a = !has_zeros(q, n->in[0], width), clear_b = !has_zeros(q, n->in[1], width);

    if (width == 32) {
        x64_v_rrri(&q->out, VSHUFPS, q_def_x(q), a, b, 0x88);
        return;
    }
    if (clear_a && clear_b && x64_has_avx512(q)) {
        unsigned d = q_def_early_x(q);

        if (width == 8)
            x64_load_pattern(&q->out, d, UINT64_C(0x0e0c0a0806040200),
                             UINT64_C(0x1e1c1a1816141210));
        else
            x64_load_pattern(&q->out, d, UINT64_C(0x0006000400020000),
                             UINT64_C(0x000e000c000a0008));
        x64_v_rrr(&q->out, width == 8 ? VPERMI2B : VPERMI2W, d, a, b);
        return;
    }
    if (clear_a || clear_b) {
        x64_gather_low_bytes(q, Q_XSCRATCH2, a, width / 4, width / 8);
        if (a != b)
            x64_gather_low_bytes(q, Q_XSCRATCH, b, width / 4, width / 8);
        x64_v_rrr(&q->out, VPUNPCKLQDQ, q_def_x(q), Q_XSCRATCH2, a != b ? Q_XSCRATCH : Q_XSCRATCH2);
        return;
    }
    x64_v_rrr(&q->out, width == 8 ? VPACKUSWB : VPACKUSDW, q_def_x(q), a, b);
}

static void select_distance(struct quick *q, const struct q_node *n)
{
    bool with_sign = q_is_signed(n->type);
    unsigned class = x64_lane_class(n->type), a = q_use_x(q, n->in[0]), b = q_use_x(q, n->in[1]);

    x64_v_rrr(&q->out, (with_sign ? MIN_SIGNED : MIN_UNSIGNED)[class], Q_XSCRATCH, a, b);
    x64_v_rrr(&q->out, (with_sign ? MAX_SIGNED : MAX_UNSIGNED)[class], Q_XSCRATCH2, a, b);
    x64_v_rrr(&q->out, SUB[class], q_def_x(q), Q_XSCRATCH2, Q_XSCRATCH);
}

static void select_polymul(struct quick *q, const struct q_node *n)
{
    unsigned a = q_use_x(q, n->in[0]), b = q_use_x(q, n->in[1]);

    x64_v_rrri(&q->out, VPCLMULQDQ, q_def_x(q), a, b, 0);
}

static void select_words(struct quick *q, const struct q_node *n)
{
    unsigned a = q_use_x(q, n->in[0]), b = q_use_x(q, n->in[1]);

    x64_vblend_words(&q->out, q_def_x(q), a, b, (uint8_t)n->imm);
}

static void select_binary(struct quick *q)
{
    const struct q_node n = *q_node(q, q->at);
    x64_vop op = one_instruction(n.sub, n.type);
    struct x64_operand b;
    unsigned a;

    if (n.sub == Q_WITHOUT) {
        a = q_use_x(q, n.in[1]);
        b = x64_operand_of(q, n.in[0], 128);
        x64_v(q, VPANDN, q_def_x(q), a, &b);
    } else if (op) {
        a = q_use_x(q, n.in[0]);
        b = x64_operand_of(q, n.in[1], 128);
        x64_v(q, op, q_def_x(q), a, &b);
    } else if (n.sub == JIT_SHL || n.sub == JIT_SHR) {
        x64_select_shift(q);
    } else if (n.sub == Q_BYTES) {
        a = q_use_x(q, n.in[1]);
        b = x64_operand_of(q, n.in[0], 128);
        x64_vi(q, VPALIGNR, q_def_x(q), a, &b, (uint8_t)n.imm);
    } else if (n.sub == Q_WORDS) {
        select_words(q, &n);
    } else if (n.sub == JIT_POLYMUL) {
        select_polymul(q, &n);
    } else if (n.sub == Q_EVEN_LANES) {
        select_even_lanes(q, &n);
    } else if (n.sub == Q_DISTANCE) {
        select_distance(q, &n);
    } else if (n.sub == JIT_MUL) {
        select_multiply(q, &n);
    } else {
        select_compare(q, &n);
    }
}

/* ---- selects --------------------------------------------------------------------------------- */

static bool is_value(jit_type t)
{
    return q_is_int_vector(t) || q_is_float_vector(t) || q_is_float_scalar(t) || q_is_int128(t);
}

/* Whether all lanes are all ones or all zeros, as shown by the nodes that compute them. */
static bool is_clean_mask(const struct quick *q, uint32_t node, unsigned bits, unsigned depth)
{
    const struct q_node *n = &q->nodes.data[node];
    uint64_t by;

    if (q_is_comparison(n))
        return q_lane_bits(n->type) >= bits;
    if (n->op == Q_BINARY && n->sub == JIT_SHR && q_is_signed(n->type) && /* signs */
        q_is_const(q, n->in[1], &by) && by == q_lane_bits(n->type) - 1)
        return q_lane_bits(n->type) >= bits;
    if (depth == 0)
        return false;
    if (n->op == Q_UNARY && n->sub == JIT_NOT)
        return is_clean_mask(q, n->in[0], bits, depth - 1);
    if (n->op == Q_BINARY &&
        (n->sub == JIT_AND || n->sub == JIT_OR || n->sub == JIT_XOR || n->sub == Q_WITHOUT))
        return is_clean_mask(q, n->in[0], bits, depth - 1) &&
               is_clean_mask(q, n->in[1], bits, depth - 1);
    return false;
}

static bool can_blend(const struct quick *q, const struct q_node *n)
{
    if (q_is_float_scalar(n->type))
        return n->from == n->type && q_is_in_vector(q, n->in[0]) &&
               is_clean_mask(q, n->in[0], q_lane_bits(n->type), 0);
    return (q_is_int_vector(n->type) || q_is_float_vector(n->type)) && q_is_int_vector(n->from) &&
           q_lane_bits(n->from) == q_lane_bits(n->type) && q_lanes(n->from) == q_lanes(n->type);
}

static void select_blend(struct quick *q)
{
    const struct q_node n = *q_node(q, q->at);
    unsigned mask = q_use_x(q, n.in[0]), a = q_use_x(q, n.in[1]), b = q_use_x(q, n.in[2]);
    unsigned d = q_def_x(q);

    if (is_clean_mask(q, n.in[0], q_lane_bits(n.type), 4)) {
        x64_vblend(&q->out, d, b, a, mask);
        return;
    }
    x64_zero(&q->out, Q_XSCRATCH);
    x64_v_rrr(&q->out, EQUAL[x64_lane_class(n.type)], Q_XSCRATCH, Q_XSCRATCH, mask);
    x64_vblend(&q->out, d, a, b, Q_XSCRATCH);
}

/* Select by a comparison: a jump around a move. */
static void select_by_jump(struct quick *q)
{
    const struct q_node n = *q_node(q, q->at);
    enum x64_cc cc = x64_compare(q, n.sub, n.from, n.in[2], n.in[3]);
    unsigned a = q_use_x(q, n.in[0]), b = q_use_x(q, n.in[1]), d = q_def_x(q);
    uint8_t *skip;

    if (d != a && d != b)
        x64_vmov(&q->out, d, b);
    skip = x64_jcc(&q->out, d == a ? cc : cc ^ 1);
    x64_vmov(&q->out, d, d == a ? b : a);
    x64_bind(&q->out, skip);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static unsigned in_low_register(struct quick *q, unsigned r, unsigned scratch)
{
    if (r < 16)
        return r;
    x64_vmov(&q->out, scratch, r);
    return scratch;
}

void x64_test_vectors(struct quick *q, uint32_t a, uint32_t b)
{
    unsigned x = in_low_register(q, q_use_x(q, a), Q_XSCRATCH);
    unsigned y = a == b ? x : in_low_register(q, q_use_x(q, b), Q_XSCRATCH2);

    x64_v_rrr(&q->out, VPTEST, x, X64_NO_VVVV, y);
}

/* ---- dispatch -------------------------------------------------------------------------------- */

bool x64_can_select_vector(const struct quick *q, const struct q_node *n)
{
    switch (n->op) {
    case Q_CONST:
        return true;
    case Q_CRYPTO: /* runtime/fp knows whether the host has the instruction */
        return n->sub != CRYPTO_HASH_1 && n->sub != CRYPTO_HASH_2;
    case Q_UNARY:
        return q_base(n->type) == JIT_FLOAT ? x64_can_float(n) : can_unary(n);
    case Q_BINARY:
        if (q_is_ordered(n->type))
            return true;
        return q_base(n->type) == JIT_FLOAT ? x64_can_float(n) : can_binary(q, n);
    case Q_FMA:
        return x64_can_float(n);
    case Q_SELECT:
        return is_value(n->type);
    case Q_GUARD_TEST:
        return true;
    case Q_BLEND:
        return can_blend(q, n);
    case Q_CONVERT:
        return x64_can_convert_scalar(n) || x64_can_lanes(q, n);
    default:
        return x64_can_lanes(q, n);
    }
}

void x64_select_vector(struct quick *q)
{
    const struct q_node *n = q_node(q, q->at);

    if (n->op == Q_SELECT && q_is_ordered(n->from) && q_bits(n->type) <= q_bits(n->from))
        x64_select_by_floats(q);
    else if (n->op == Q_SELECT)
        select_by_jump(q);
    else if (n->op == Q_BLEND)
        select_blend(q);
    else if (n->op == Q_CRYPTO)
        x64_select_crypto(q);
    else if (n->op == Q_FMA || (n->op <= Q_BINARY && q_base(n->type) == JIT_FLOAT))
        x64_select_float(q);
    else if (n->op == Q_UNARY)
        select_unary(q);
    else if (n->op == Q_BINARY)
        select_binary(q);
    else if (n->op == Q_CONVERT && x64_can_convert_scalar(n))
        x64_convert_scalar(q);
    else
        x64_select_lanes(q);
}
