/* Selection of code for shifts in vector registers. x86's shifts are total, but do not exist for
 * all widths. */
#include "runtime/jit/quick/x64/select_vector.h"

bool x64_can_shift(const struct quick *q, const struct q_node *n)
{
    uint64_t fixed;

    return q_is_shift(q, n) && (q_amount_of(q, n, &fixed) != Q_AMOUNT_LANES ||
                                q_lane_bits(n->type) >= 16 || x64_has_avx512(q));
}

/* ---- by fixed amounts ------------------------------------------------------------------------ */

/* Logical shift of bytes, as lanes of 16 bits; a mask clears bits of the neighbour. */
static void shift8_fixed(struct quick *q, bool left, unsigned d, unsigned a, unsigned n)
{
    struct x64_operand operand;
    uint64_t mask;

    if (n >= 8) {
        x64_zero(&q->out, d);
        return;
    }
    mask = UINT64_C(0x0101010101010101) * (left ? 0xff << n & 0xff : 0xff >> n);
    operand = x64_constant(&q->out, mask, mask, Q_XSCRATCH2);
    x64_shift_imm(&q->out, left ? IMM_SLL : IMM_SRL, JIT_TYPE(JIT_UINT, 16, 8), d, a, (uint8_t)n);
    x64_v(q, VPAND, d, d, &operand);
}

static void logical_fixed(struct quick *q, const struct q_node *n, unsigned d, unsigned a,
                          unsigned by)
{
    bool left = n->sub == JIT_SHL;

    if (q_lane_bits(n->type) == 8)
        shift8_fixed(q, left, d, a, by);
    else
        x64_shift_imm(&q->out, left ? IMM_SLL : IMM_SRL, n->type, d, a, (uint8_t)by);
}

/* Shift of 128 bits: shifts the halves, and ors the bits that cross between them. */
static void shift_128bit(struct quick *q, const struct q_node *n, unsigned d, unsigned a,
                         unsigned by)
{
    const jit_type t = JIT_TYPE(JIT_UINT, 64, 2);
    bool left = n->sub == JIT_SHL;
    unsigned bytes = left ? IMM_SLLDQ : IMM_SRLDQ, bits = left ? IMM_SLL : IMM_SRL;

    if (by % 8 == 0) {
        x64_shift_imm(&q->out, bytes, t, d, a, (uint8_t)(by / 8));
    } else if (by > 64) {
        x64_shift_imm(&q->out, bytes, t, d, a, 8);
        x64_shift_imm(&q->out, bits, t, d, d, (uint8_t)(by - 64));
    } else {
        x64_shift_imm(&q->out, bytes, t, Q_XSCRATCH, a, 8);
        x64_shift_imm(&q->out, left ? IMM_SRL : IMM_SLL, t, Q_XSCRATCH, Q_XSCRATCH,
                      (uint8_t)(64 - by));
        x64_shift_imm(&q->out, bits, t, d, a, (uint8_t)by);
        x64_v_rrr(&q->out, VPOR, d, d, Q_XSCRATCH);
    }
}

/* Loads the sign of each lane of 8 or 64 bits, in all its bits, into XMM14. */
static void load_signs(struct quick *q, jit_type t, unsigned a)
{
    x64_zero(&q->out, Q_XSCRATCH);
    x64_v_rrr(&q->out, q_lane_bits(t) == 8 ? VPCMPGTB : VPCMPGTQ, Q_XSCRATCH, Q_XSCRATCH, a);
}

/* Whether the host has an arithmetic shift of lanes of this width. Others use ((a ^ sign) >> n) ^
 * sign. */
static bool has_arithmetic(const struct quick *q, jit_type t)
{
    return q_lane_bits(t) == 16 || q_lane_bits(t) == 32 ||
           (q_lane_bits(t) == 64 && x64_has_avx512(q));
}

static bool is_arithmetic(const struct q_node *n)
{
    return n->sub == JIT_SHR && q_is_signed(n->type);
}

/* Shifts bytes by a matrix: byte 7 - k of it says which bits of a byte are added up to bit k. */
static void shift8_by_matrix(struct quick *q, const struct q_node *n, unsigned d, unsigned a,
                             unsigned by)
{
    struct x64_operand operand;
    uint64_t matrix = 0;

    for (unsigned k = 0; k < 8; k++) {
        unsigned from = n->sub == JIT_SHL ? k - by : k + by;

        if (is_arithmetic(n) && from > 7)
            from = 7;
        if (from < 8)
            matrix |= UINT64_C(1) << (8 * (7 - k) + from);
    }
    operand = x64_constant(&q->out, matrix, matrix, Q_XSCRATCH2);
    x64_vi(q, VGF2P8AFFINEQB, d, a, &operand, 0);
}

static void shift_fixed(struct quick *q, const struct q_node *n, uint64_t amount)
{
    unsigned by = amount > 255 ? 255 : (unsigned)amount, a = q_use_x(q, n->in[0]), d = q_def_x(q);

    if (q_lane_bits(n->type) == 8 && x64_has_avx512(q)) {
        shift8_by_matrix(q, n, d, a, by);
    } else if (q_is_int128(n->type)) {
        shift_128bit(q, n, d, a, by > 128 ? 128 : by);
    } else if (!is_arithmetic(n)) {
        logical_fixed(q, n, d, a, by);
    } else if (has_arithmetic(q, n->type)) {
        if (q_lane_bits(n->type) == 64)
            x64_v_rrri(&q->out, GROUP_SRAQ, IMM_SRA, d, a, (uint8_t)by);
        else
            x64_shift_imm(&q->out, IMM_SRA, n->type, d, a, (uint8_t)by);
    } else {
        load_signs(q, n->type, a);
        if (by < q_lane_bits(n->type) - 1) {
            x64_v_rrr(&q->out, VPXOR, d, a, Q_XSCRATCH);
            logical_fixed(q, n, d, d, by);
            x64_v_rrr(&q->out, VPXOR, d, d, Q_XSCRATCH);
        } else {
            x64_vmov(&q->out, d, Q_XSCRATCH);
        }
    }
}

/* ---- all lanes by one amount ----------------------------------------------------------------- */

/* Loads the zero-extended amount into the low half of an XMM register. */
static void load_amount(struct quick *q, unsigned dst, const struct q_node *n, unsigned r)
{
    unsigned bits = q_bits(n->from);

    if (bits < 32 && q_node(q, n->in[1])->known > bits) {
        x64_movzx(&q->out, bits, Q_SCRATCH, r);
        r = Q_SCRATCH;
    }
    x64_vmov_from_gpr(&q->out, bits == 64 ? 64 : 32, dst, r);
}

/* Shifts bytes by the amount in XMM15, as lanes of 16 bits. The mask is all ones, shifted
 * likewise. */
static void shift8_scalar(struct quick *q, bool left, unsigned d, unsigned a, unsigned mask)
{
    struct q_buffer *x = &q->out;
    x64_vop op = left ? VPSLLW : VPSRLW;

    x64_v_rrr(x, op, d, a, Q_XSCRATCH2);
    x64_ones(x, mask);
    x64_v_rrr(x, op, mask, mask, Q_XSCRATCH2);
    if (!left)
        x64_shift_imm(x, IMM_SRL, JIT_TYPE(JIT_UINT, 16, 8), mask, mask, 8);
    x64_zero(x, Q_XSCRATCH2);
    x64_v_rrr(x, VPSHUFB, mask, mask, Q_XSCRATCH2);
    x64_v_rrr(x, VPAND, d, d, mask);
}

static void logical_scalar(struct quick *q, const struct q_node *n, unsigned d, unsigned a,
                           unsigned temp)
{
    static const x64_vop left[] = {0, VPSLLW, VPSLLD, VPSLLQ},
                         right[] = {0, VPSRLW, VPSRLD, VPSRLQ};
    unsigned class = x64_lane_class(n->type);

    if (class == 0)
        shift8_scalar(q, n->sub == JIT_SHL, d, a, temp);
    else
        x64_v_rrr(&q->out, n->sub == JIT_SHL ? left[class] : right[class], d, a, Q_XSCRATCH2);
}

static void shift_scalar(struct quick *q, const struct q_node *n)
{
    static const x64_vop arithmetic[] = {0, VPSRAW, VPSRAD, VPSRAQ};
    unsigned a = q_use_x(q, n->in[0]), amount = q_use(q, n->in[1]), temp = 0, d;

    if (q_lane_bits(n->type) == 8)
        temp = q_temp_x(q);
    d = q_def_x(q);
    load_amount(q, Q_XSCRATCH2, n, amount);
    if (!is_arithmetic(n)) {
        logical_scalar(q, n, d, a, temp);
    } else if (has_arithmetic(q, n->type)) {
        x64_v_rrr(&q->out, arithmetic[x64_lane_class(n->type)], d, a, Q_XSCRATCH2);
    } else {
        load_signs(q, n->type, a);
        x64_v_rrr(&q->out, VPXOR, d, a, Q_XSCRATCH);
        logical_scalar(q, n, d, d, temp);
        x64_v_rrr(&q->out, VPXOR, d, d, Q_XSCRATCH);
    }
}

/* ---- each lane by its own amount ------------------------------------------------------------- */

/* d = the odd words of `odd` and the even words of `even`. */
static void merge_words(struct quick *q, unsigned d, unsigned even, unsigned odd)
{
    x64_vblend_words(&q->out, d, even, odd, 0xaa);
}

/* Shifts even words, then odd words, as lanes of 32 bits; odd words are the upper halves. */
static void shift16_lanes(struct quick *q, const struct q_node *n, unsigned a, unsigned by)
{
    struct q_buffer *x = &q->out;
    const jit_type t = JIT_TYPE(JIT_UINT, 32, 4);
    bool left = n->sub == JIT_SHL, with_sign = is_arithmetic(n);
    x64_vop op = left ? VPSLLVD : with_sign ? VPSRAVD : VPSRLVD;
    unsigned even = q_temp_x(q), d = q_def_early_x(q);

    /* Even words: moved to the upper halves for an arithmetic shift, or with zeros above for a
     * logical one to the right. Bits that are shifted into the other word are dropped below. */
    x64_zero(x, Q_XSCRATCH);
    merge_words(q, Q_XSCRATCH2, by, Q_XSCRATCH);
    if (with_sign)
        x64_shift_imm(x, IMM_SLL, t, even, a, 16);
    else if (!left)
        merge_words(q, even, a, Q_XSCRATCH);
    x64_v_rrr(x, op, even, left ? a : even, Q_XSCRATCH2);
    if (with_sign)
        x64_shift_imm(x, IMM_SRL, t, even, even, 16);
    /* Odd words: with zeros below for a shift to the left. */
    x64_shift_imm(x, IMM_SRL, t, Q_XSCRATCH2, by, 16);
    if (left)
        merge_words(q, Q_XSCRATCH, Q_XSCRATCH, a);
    x64_v_rrr(x, op, Q_XSCRATCH, left ? Q_XSCRATCH : a, Q_XSCRATCH2);
    merge_words(q, d, even, Q_XSCRATCH);
}

/* Shifts even bytes, then odd ones, as words of 16 bits; bits that come from the other byte are
 * cleared before or behind. */
static void shift8_lanes(struct quick *q, const struct q_node *n, unsigned a, unsigned by)
{
    enum { A_BY_B_ELSE_DST = 0xd8 }; /* of VPTERNLOGD: where b has ones */
    struct q_buffer *x = &q->out;
    const jit_type t = JIT_TYPE(JIT_UINT, 16, 8);
    bool left = n->sub == JIT_SHL, with_sign = is_arithmetic(n);
    x64_vop op = left ? VPSLLVW : with_sign ? VPSRAVW : VPSRLVW;
    unsigned even = q_temp_x(q), d = q_def_early_x(q);

    x64_ones(x, Q_XSCRATCH);
    x64_shift_imm(x, IMM_SRL, t, Q_XSCRATCH, Q_XSCRATCH, 8);
    x64_v_rrr(x, VPAND, Q_XSCRATCH2, Q_XSCRATCH, by);
    if (with_sign)
        x64_shift_imm(x, IMM_SLL, t, even, a, 8);
    else
        x64_v_rrr(x, VPAND, even, Q_XSCRATCH, a);
    x64_v_rrr(x, op, even, even, Q_XSCRATCH2);
    if (with_sign)
        x64_shift_imm(x, IMM_SRL, t, even, even, 8);
    x64_shift_imm(x, IMM_SRL, t, Q_XSCRATCH2, by, 8);
    x64_v_rrr(x, VPANDN, d, Q_XSCRATCH, a);
    x64_v_rrr(x, op, d, d, Q_XSCRATCH2);
    x64_v_rrri(x, VPTERNLOGD, d, even, Q_XSCRATCH, A_BY_B_ELSE_DST);
}

static void shift_lanes(struct quick *q, const struct q_node *n)
{
    bool left = n->sub == JIT_SHL, wide = q_lane_bits(n->type) == 64;
    unsigned a = q_use_x(q, n->in[0]), by = q_use_x(q, n->in[1]), d;

    if (q_lane_bits(n->type) == 8) {
        shift8_lanes(q, n, a, by);
        return;
    }
    if (q_lane_bits(n->type) == 16 && !x64_has_avx512(q)) {
        shift16_lanes(q, n, a, by);
        return;
    }
    d = q_def_x(q);
    if (x64_has_avx512(q) && (!wide || is_arithmetic(n)) && q_lane_bits(n->type) != 32) {
        x64_v_rrr(&q->out,
                  wide               ? VPSRAVQ
                  : left             ? VPSLLVW
                  : is_arithmetic(n) ? VPSRAVW
                                     : VPSRLVW,
                  d, a, by);
    } else if (is_arithmetic(n) && wide) {
        load_signs(q, n->type, a);
        x64_v_rrr(&q->out, VPXOR, Q_XSCRATCH2, a, Q_XSCRATCH);
        x64_v_rrr(&q->out, VPSRLVQ, d, Q_XSCRATCH2, by);
        x64_v_rrr(&q->out, VPXOR, d, d, Q_XSCRATCH);
    } else if (is_arithmetic(n)) {
        x64_v_rrr(&q->out, VPSRAVD, d, a, by);
    } else if (wide) {
        x64_v_rrr(&q->out, left ? VPSLLVQ : VPSRLVQ, d, a, by);
    } else {
        x64_v_rrr(&q->out, left ? VPSLLVD : VPSRLVD, d, a, by);
    }
}

void x64_select_shift(struct quick *q)
{
    const struct q_node n = *q_node(q, q->at);
    uint64_t fixed = 0;

    switch (q_amount_of(q, &n, &fixed)) {
    case Q_AMOUNT_FIXED:
        shift_fixed(q, &n, fixed);
        break;
    case Q_AMOUNT_SCALAR:
        shift_scalar(q, &n);
        break;
    default:
        shift_lanes(q, &n);
        break;
    }
}
