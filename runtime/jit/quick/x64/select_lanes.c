/*
 * Selection of code for moves in vector registers, and between them and general ones: bit casts,
 * extracting and inserting lanes, vectors of scalars and of smaller vectors, and conversions of
 * lanes. A scalar is used where it is: a lane of 64 bits may be in a general register, a float, or
 * the low half of any vector.
 */
#include "runtime/jit/quick/x64/select_vector.h"

static bool is_vector(jit_type t)
{
    return q_is_int_vector(t) || q_is_float_vector(t);
}

static void move_to(struct quick *q, unsigned d, unsigned a)
{
    if (d != a)
        x64_vmov(&q->out, d, a);
}

/* ---- bit casts ------------------------------------------------------------------------------- */

static bool can_bitcast(const struct quick *q, const struct q_node *n)
{
    unsigned bits = q_bits(n->type);

    return (bits == 32 || bits == 64 || bits == 128) &&
           (q_in_vector(n->type) || q_is_in_vector(q, n->in[0]));
}

static void select_bitcast(struct quick *q, const struct q_node *n)
{
    unsigned bits = q_bits(n->type), r;
    struct x64_mem m;

    if (x64_in_memory(q, n->in[0], bits, &m)) {
        if (q_in_vector(n->type))
            x64_vload(&q->out, bits, q_def_x(q), m);
        else
            x64_load(&q->out, bits, q_def(q), m);
    } else if (!q_is_in_vector(q, n->in[0])) {
        r = q_use(q, n->in[0]);
        x64_vmov_from_gpr(&q->out, bits, q_def_x(q), r);
    } else if (!q_in_vector(n->type)) {
        r = q_use_x(q, n->in[0]);
        x64_vmov_to_gpr(&q->out, bits, q_def(q), r);
    } else {
        r = q_use_x(q, n->in[0]);
        move_to(q, q_def_x(q), r);
    }
}

/* ---- vectors from scalars -------------------------------------------------------------------- */

/* An operand of `bits` bits, in memory or in a register of either kind. */
static struct x64_operand scalar_operand(struct quick *q, uint32_t node, unsigned bits)
{
    struct x64_operand o = {0};

    o.in_memory = x64_in_memory(q, node, bits, &o.m);
    if (!o.in_memory)
        o.reg = q_is_in_vector(q, node) ? q_use_x(q, node) : q_use(q, node);
    return o;
}

/* A lane of 16 bits in each lane: in those of its half, then in both halves. */
static void splat_16bit(struct quick *q, unsigned d, unsigned a, unsigned lane)
{
    bool high = lane >= 4;

    x64_v_rrri(&q->out, high ? VPSHUFHW : VPSHUFLW, d, X64_NO_VVVV, a, (uint8_t)(lane % 4 * 0x55));
    x64_v_rrr(&q->out, high ? VPUNPCKHQDQ : VPUNPCKLQDQ, d, d, d);
}

static void splat_lane(struct quick *q, const struct q_node *n)
{
    unsigned a = q_use_x(q, n->in[0]), d = q_def_x(q), lane = (unsigned)n->imm;

    switch (q_lane_bits(n->type)) {
    case 8:
        x64_v_rrr(&q->out, lane >= 8 ? VPUNPCKHBW : VPUNPCKLBW, d, a, a);
        splat_16bit(q, d, d, lane % 8);
        break;
    case 16:
        splat_16bit(q, d, a, lane);
        break;
    case 32:
        x64_v_rrri(&q->out, VPSHUFD, d, X64_NO_VVVV, a, (uint8_t)(lane * 0x55));
        break;
    default:
        x64_v_rrr(&q->out, lane ? VPUNPCKHQDQ : VPUNPCKLQDQ, d, a, a);
    }
}

static void select_splat(struct quick *q, const struct q_node *n)
{
    static const x64_vop ops[] = {VPBROADCASTB, VPBROADCASTW, VPBROADCASTD, VPBROADCASTQ};
    x64_vop op = ops[x64_lane_class(n->type)];
    struct x64_operand a = scalar_operand(q, n->in[0], q_lane_bits(n->type));
    unsigned d = q_def_x(q);

    if (!a.in_memory && !q_is_in_vector(q, n->in[0])) {
        x64_vmov_from_gpr(&q->out, q_lane_bits(n->type) == 64 ? 64 : 32, d, a.reg);
        a.reg = d;
    }
    x64_v(q, op, d, X64_NO_VVVV, &a);
}

/* Moves a scalar of 32 or 64 bits to the low bits of d, with zeros above. */
static void move_low(struct quick *q, unsigned d, unsigned bits, const struct x64_operand *a,
                     bool vector)
{
    if (a->in_memory) {
        x64_vload(&q->out, bits, d, a->m);
    } else if (!vector) {
        x64_vmov_from_gpr(&q->out, bits, d, a->reg);
    } else if (bits == 64) {
        x64_v_rrr(&q->out, VMOVQ_X, d, X64_NO_VVVV, a->reg);
    } else {
        x64_v_rrri(&q->out, VINSERTPS, d, a->reg, a->reg, INSERT_LOWEST);
    }
}

static x64_vop insert_op(unsigned class)
{
    static const x64_vop ops[] = {VPINSRB, VPINSRW, VPINSRD, VPINSRQ};

    return ops[class];
}

struct new_lane {
    unsigned bits, number;
    struct x64_operand value;
    bool in_vector; /* `value` is in a register: whether it is a vector register */
};

/* d = base with a lane replaced; base may be d. */
static void insert_lane(struct quick *q, unsigned d, unsigned base, const struct new_lane *lane)
{
    const struct x64_operand *b = &lane->value;

    if (b->in_memory || !lane->in_vector)
        x64_vi(q, insert_op(x64_lane_class(JIT_TYPE(JIT_UINT, lane->bits, 1))), d, base, b,
               (uint8_t)lane->number);
    else if (lane->bits == 32)
        x64_v_rrri(&q->out, VINSERTPS, d, base, b->reg, (uint8_t)(lane->number << 4));
    else if (lane->number == 0)
        x64_v_rrr(&q->out, VMOVSD, d, base, b->reg);
    else
        x64_v_rrr(&q->out, VPUNPCKLQDQ, d, base, b->reg);
}

/* Concatenates two halves of `bits` bits each: lanes, or vectors of 4 or 8 bytes. */
static void join_halves(struct quick *q, const struct q_node *n, unsigned bits)
{
    bool a_vector = q_is_in_vector(q, n->in[0]), b_vector = q_is_in_vector(q, n->in[1]),
         zero = x64_is_zero(q, n->in[1]);
    struct x64_operand a = scalar_operand(q, n->in[0], bits), b = {0};
    unsigned d;

    if (zero) {
        move_low(q, q_def_x(q), bits, &a, a_vector);
        return;
    }
    b = scalar_operand(q, n->in[1], bits);
    if (a_vector && !a.in_memory) {
        d = q_def_x(q);
        if (b_vector && !b.in_memory && bits == 32)
            x64_v_rrr(&q->out, VPUNPCKLDQ, d, a.reg, b.reg);
        else
            insert_lane(q, d, a.reg, &(struct new_lane){bits, 1, b, b_vector});
        return;
    }
    /* A separate register, if the low half is written before the high half is read. */
    d = b_vector && !b.in_memory ? q_def_early_x(q) : q_def_x(q);
    move_low(q, d, bits, &a, a_vector);
    insert_lane(q, d, d, &(struct new_lane){bits, 1, b, b_vector});
}

static bool can_join(const struct q_node *n)
{
    unsigned half = q_bits(n->type) / 2;

    return is_vector(n->type) && (half == 32 || half == 64);
}

/* ---- lanes ----------------------------------------------------------------------------------- */

static void select_insert(struct quick *q, const struct q_node *n)
{
    unsigned bits = q_lane_bits(n->type), a = q_use_x(q, n->in[0]);
    struct x64_operand b = scalar_operand(q, n->in[1], bits);
    const struct new_lane lane = {bits, (unsigned)n->imm, b, q_is_in_vector(q, n->in[1])};

    insert_lane(q, q_def_x(q), a, &lane);
}

static void extract_float(struct quick *q, const struct q_node *n)
{
    unsigned a = q_use_x(q, n->in[0]), d = q_def_x(q), lane = (unsigned)n->imm;

    if (lane == 0)
        move_to(q, d, a);
    else if (q_lane_bits(n->type) == 64)
        x64_v_rrr(&q->out, VPUNPCKHQDQ, d, a, a);
    else
        x64_v_rrri(&q->out, VPSHUFD, d, X64_NO_VVVV, a, (uint8_t)lane);
}

/* Extracts a lane, zero-extended. */
static void select_extract(struct quick *q, const struct q_node *n)
{
    static const x64_vop ops[] = {VPEXTRB, VPEXTRW, VPEXTRD, VPEXTRQ};
    unsigned bits = q_lane_bits(n->type), lane = (unsigned)n->imm, a, d;
    struct x64_mem m;

    if (x64_in_memory(q, n->in[0], q_bits(n->type), &m)) {
        m.disp += (int32_t)(lane * bits / 8);
        x64_load(&q->out, bits, q_def(q), m);
        return;
    }
    a = q_use_x(q, n->in[0]);
    d = q_def(q);
    if (lane == 0 && bits >= 32)
        x64_vmov_to_gpr(&q->out, bits, d, a);
    else
        x64_v_rrri(&q->out, ops[x64_lane_class(n->type)], a, X64_NO_VVVV, d, (uint8_t)lane);
}

/* ---- lanes by their numbers ------------------------------------------------------------------ */

static bool is_bytes(jit_type t)
{
    return q_base(t) != JIT_FLOAT && q_lane_bits(t) == 8 && q_bits(t) == 128;
}

static void select_extract_at(struct quick *q, const struct q_node *n)
{
    unsigned number = q_use(q, n->in[1]), a = q_use_x(q, n->in[0]), d = q_def(q);

    x64_mov_rr(&q->out, 32, Q_SCRATCH, number);
    x64_alu_ri(&q->out, X64_AND, 32, Q_SCRATCH, 15);
    x64_vmov_from_gpr(&q->out, 32, Q_XSCRATCH, Q_SCRATCH);
    x64_v_rrr(&q->out, VPSHUFB, Q_XSCRATCH, a, Q_XSCRATCH);
    x64_v_rrri(&q->out, VPEXTRB, Q_XSCRATCH, X64_NO_VVVV, d, 0);
}

/* Whether all lanes of this width are below 2^width, as shown by the node that computes them. */
static bool are_below(const struct quick *q, const struct q_node *n, unsigned bits, unsigned width)
{
    const struct q_node *by;
    uint64_t value;

    if (n->op != Q_BINARY || q_base(n->type) != JIT_UINT || q_lane_bits(n->type) != bits ||
        q_lanes(n->type) < 2 || !q_is_const(q, n->in[1], &value))
        return false;
    by = &q->nodes.data[n->in[1]];
    if (n->sub == JIT_SHR)
        return value >= bits - width && q_lanes(by->type) < 2;
    return (n->sub == Q_LEAST || n->sub == JIT_AND) && !(value >> width) &&
           q_lane_bits(by->type) == bits;
}

/* Whether VPSHUFB needs no preparation, since no byte has a number from 16 to 127. */
static bool is_clean(const struct quick *q, const struct q_node *n)
{
    uint64_t w[2] = {n->imm, n->sub ? n->imm2 : n->imm};
    uint8_t number[16];

    if (are_below(q, n, 8, 4))
        return true;
    if (n->op != Q_CONST || (!n->sub && (q_lanes(n->type) == 1 || q_lane_bits(n->type) != 8)))
        return false;
    memcpy(number, w, sizeof(number));
    for (unsigned k = 0; k < (n->sub ? 16 : 1); k++)
        if (number[k] >= 16 && number[k] < 128)
            return false;
    return true;
}

/* Numbers from 16 on become larger than 127, for which VPSHUFB gives 0. */
static void select_shuffle(struct quick *q, const struct q_node *n)
{
    unsigned a = q_use_x(q, n->in[0]);
    struct x64_operand numbers = x64_operand_of(q, n->in[1], 128), limit;
    const uint64_t sevens = UINT64_C(0x7070707070707070);
    unsigned d = q_def_x(q);

    if (!is_clean(q, q_node(q, n->in[1]))) {
        limit = x64_constant(&q->out, sevens, sevens, Q_XSCRATCH);
        if (limit.in_memory && !numbers.in_memory) {
            x64_v(q, VPADDUSB, Q_XSCRATCH, numbers.reg, &limit);
        } else {
            x64_load_pattern(&q->out, Q_XSCRATCH, sevens, sevens);
            x64_v(q, VPADDUSB, Q_XSCRATCH, Q_XSCRATCH, &numbers);
        }
        numbers = (struct x64_operand){.reg = Q_XSCRATCH};
    }
    x64_v(q, VPSHUFB, d, a, &numbers);
}

/* A mask says which numbers are below 32; the instruction has its numbers in the destination. */
static void select_look_up(struct quick *q, const struct q_node *n)
{
    const uint64_t limits = UINT64_C(0x2020202020202020);
    unsigned low = q_use_x(q, n->in[0]), numbers = q_use_x(q, n->in[1]),
             high = q_use_x(q, n->in[2]), d = q_def_early_x(q);
    struct x64_operand limit;

    if (are_below(q, q_node(q, n->in[1]), 8, 5)) {
        x64_vmov(&q->out, d, numbers);
        x64_v_rrr(&q->out, VPERMI2B, d, low, high);
        return;
    }
    limit = x64_constant(&q->out, limits, limits, Q_XSCRATCH);
    x64_vi(q, VPCMPUB & ~(x64_vop)X64_COMPARES, X64_K1, numbers, &limit, PREDICATE_LT);
    x64_vmov(&q->out, d, numbers);
    x64_v_rrr(&q->out, VPERMI2B | X64_BY_MASK | X64_ELSE_ZERO, d, low, high);
}

/* ---- integers of other widths ---------------------------------------------------------------- */

/* Widens lanes to two, four or eight times their width, by VPMOVZXBW and the following opcodes. */
static void select_widen(struct quick *q, const struct q_node *n)
{
    static const uint8_t first[] = {0, 3, 5}; /* BW, WD, DQ */
    static const x64_vop parts[] = {0, X64_PART(8), X64_PART(4), X64_PART(2)};
    unsigned from = x64_lane_class(n->from), to = x64_lane_class(n->type);
    x64_vop op = q_is_signed(n->from) ? VPMOVSXBW : VPMOVZXBW;
    struct x64_operand a = x64_operand_of(q, n->in[0], q_bits(n->from));

    op = (op + first[from] + (to - from - 1)) | parts[to - from];
    x64_v(q, op, q_def_x(q), X64_NO_VVVV, &a);
}

/* Narrowing that saturates, as packing does. */
static bool can_pack(const struct q_node *n)
{
    return q_is_signed(n->from) && (q_lane_bits(n->from) == 16 || q_lane_bits(n->from) == 32) &&
           2 * q_lane_bits(n->type) == q_lane_bits(n->from);
}

static void select_pack(struct quick *q, const struct q_node *n)
{
    static const x64_vop ops[2][2] = {{VPACKUSWB, VPACKSSWB}, {VPACKUSDW, VPACKSSDW}};
    unsigned a = q_use_x(q, n->in[0]);

    x64_v_rrr(&q->out, ops[q_lane_bits(n->from) == 32][q_is_signed(n->type)], q_def_x(q), a, a);
}

void x64_gather_low_bytes(struct quick *q, unsigned d, unsigned a, unsigned from, unsigned to)
{
    uint8_t number[16];
    struct x64_operand numbers;
    uint64_t w[2];

    memset(number, 0x80, sizeof(number));
    for (unsigned k = 0; k < 16; k++)
        if (k % from < to)
            number[k / from * to + k % from] = (uint8_t)k;
    memcpy(w, number, sizeof(w));
    numbers = x64_constant(&q->out, w[0], w[1], Q_XSCRATCH);
    x64_v(q, VPSHUFB, d, a, &numbers);
}

/* Whether AVX-512 packs what needs no saturation: then lanes are there twice. */
static bool is_packed(const struct quick *q, const struct q_node *n)
{
    unsigned from = q_lane_bits(n->from), to = q_lane_bits(n->type);

    return x64_has_avx512(q) && (from == 16 || from == 32) && from == 2 * to &&
           are_below(q, &q->nodes.data[n->in[0]], from, to);
}

/* Whether a register has zeros above the value of 64 bits that it was computed as. */
static bool has_zeros_above(struct quick *q, uint32_t node)
{
    const struct q_node *n = q_node(q, node);

    return n->op == Q_CONVERT && !n->sub && q_bits(n->type) == 64 && q_is_int_vector(n->type) &&
           q_is_int_vector(n->from) && q_bits(n->from) == 128 && !is_packed(q, n) &&
           n->host != Q_NO_HOST && n->spill < 0 && n->slot < 0;
}

static void select_narrow(struct quick *q, const struct q_node *n)
{
    static const uint8_t first[] = {0, 3, 5}; /* WB, DW, QD: to the narrow lane, from its double */
    unsigned from = x64_lane_class(n->from), to = x64_lane_class(n->type);
    unsigned a = q_use_x(q, n->in[0]), d = q_def_x(q);

    if (is_packed(q, n))
        x64_v_rrr(&q->out, from == 1 ? VPACKUSWB : VPACKUSDW, d, a, a);
    else if (x64_has_avx512(q))
        x64_v_rrr(&q->out, VPMOVWB + first[to] + (from - to - 1), a, X64_NO_VVVV, d);
    else
        x64_gather_low_bytes(q, d, a, 1u << from, 1u << to);
}

/* Q_LOW of 32 or 64 bits. */
static void select_low(struct quick *q, const struct q_node *n)
{
    unsigned bits = (unsigned)n->imm;
    bool clean = bits == 64 && has_zeros_above(q, n->in[0]);
    struct x64_operand a;

    if (clean) {
        a.reg = q_use_x(q, n->in[0]);
        move_to(q, q_def_x(q), a.reg);
        return;
    }
    a = scalar_operand(q, n->in[0], bits);
    move_low(q, q_def_x(q), bits, &a, q_is_in_vector(q, n->in[0]));
}

static void resize_lanes(struct quick *q, const struct q_node *n)
{
    unsigned from = q_lane_bits(n->from), to = q_lane_bits(n->type), a;

    if (n->sub) {
        select_pack(q, n);
    } else if (from < to) {
        select_widen(q, n);
    } else if (from > to) {
        select_narrow(q, n);
    } else {
        a = q_use_x(q, n->in[0]);
        move_to(q, q_def_x(q), a);
    }
}

/* ---- lanes of integers and floats ------------------------------------------------------------ */

static bool can_convert_floats(const struct q_node *n)
{
    const unsigned lanes = q_lanes(n->type);
    const jit_type f32 = JIT_TYPE(JIT_FLOAT, 32, lanes), f64 = JIT_TYPE(JIT_FLOAT, 64, lanes);
    const jit_type s32 = JIT_TYPE(JIT_SINT, 32, lanes);

    if (n->type == f32)
        return n->from == f32 || n->from == f64 || n->from == s32;
    if (n->type == f64)
        return n->from == f64 || n->from == f32;
    return n->type == s32 && n->from == f32;
}

/* Saturating conversion. The instruction gives the smallest integer for values that do not fit: it
 * is inverted for values that are too large, and NaN gives 0. */
static void floats_to_ints(struct quick *q, jit_type from, unsigned d, unsigned a)
{
    struct q_buffer *x = &q->out;

    if (q->traps) { /* values that do not fit are invalid */
        a = x64_whole(q, from, a, Q_XSCRATCH);
        q_may_trap_here(q);
        x64_v_rrr(x, VCVTTPS2DQ, d, X64_NO_VVVV, a);
        return;
    }
    x64_load_pattern(x, Q_XSCRATCH, UINT64_C(0x4f0000004f000000), UINT64_C(0x4f0000004f000000));
    x64_v_rrri(x, VCMPPS, Q_XSCRATCH, Q_XSCRATCH, a, CMP_LE_OS);
    x64_v_rrr(x, VCVTTPS2DQ, Q_XSCRATCH2, X64_NO_VVVV, a);
    x64_v_rrr(x, VPXOR, Q_XSCRATCH, Q_XSCRATCH, Q_XSCRATCH2);
    x64_v_rrri(x, VCMPPS, Q_XSCRATCH2, a, a, CMP_ORD_Q);
    x64_v_rrr(x, VPAND, d, Q_XSCRATCH, Q_XSCRATCH2);
}

static void convert_floats(struct quick *q, const struct q_node *n)
{
    unsigned a, d, bits = q_lane_bits(n->type);

    a = q_use_x(q, n->in[0]);
    d = q_def_x(q);
    if (n->type != n->from && q_base(n->type) == JIT_FLOAT)
        q_may_trap_here(q);
    if (n->type == n->from)
        move_to(q, d, a);
    else if (q_base(n->type) != JIT_FLOAT)
        floats_to_ints(q, n->from, d, a);
    else if (q_base(n->from) != JIT_FLOAT)
        x64_v_rrr(&q->out, VCVTDQ2PS, d, X64_NO_VVVV, a);
    else
        x64_v_rrr(&q->out, bits == 64 ? VCVTPS2PD : VCVTPD2PS, d, X64_NO_VVVV, a);
}

/* ---- 128-bit integers ------------------------------------------------------------------------ */

static bool can_convert128(const struct q_node *n)
{
    jit_type other = q_is_int128(n->type) ? n->from : n->type;

    if (!q_is_int128(n->type) && !q_is_int128(n->from))
        return false;
    return q_base(other) != JIT_FLOAT && q_lanes(other) == 1 && q_bits(other) >= 32;
}

static void select_convert_128(struct quick *q, const struct q_node *n)
{
    bool with_sign = q_is_signed(n->from);
    unsigned bits = q_bits(q_is_int128(n->type) ? n->from : n->type), a, d;

    if (bits == 128) {
        a = q_use_x(q, n->in[0]);
        move_to(q, q_def_x(q), a);
    } else if (q_is_int128(n->from)) {
        a = q_use_x(q, n->in[0]);
        x64_vmov_to_gpr(&q->out, bits, q_def(q), a);
    } else {
        a = q_use(q, n->in[0]);
        d = q_def_x(q);
        if (with_sign && bits == 32) {
            x64_movsx(&q->out, 64, 32, Q_SCRATCH, a);
            a = Q_SCRATCH;
        }
        x64_vmov_from_gpr(&q->out, with_sign ? 64 : bits, d, a);
        if (with_sign) {
            x64_mov_rr(&q->out, 64, Q_SCRATCH2, a);
            x64_shift_ri(&q->out, X64_SAR, 64, Q_SCRATCH2, 63);
            x64_v_rrri(&q->out, VPINSRQ, d, d, Q_SCRATCH2, 1);
        }
    }
}

/* ---- dispatch -------------------------------------------------------------------------------- */

static bool can_convert(const struct q_node *n)
{
    if (can_convert128(n))
        return true;
    if (q_lanes(n->type) != q_lanes(n->from) || !is_vector(n->type) || !is_vector(n->from))
        return false;
    if (n->sub)
        return q_is_int_vector(n->type) && q_is_int_vector(n->from) && can_pack(n);
    return (q_is_int_vector(n->type) && q_is_int_vector(n->from)) || can_convert_floats(n);
}

bool x64_can_lanes(const struct quick *q, const struct q_node *n)
{
    switch (n->op) {
    case Q_CONVERT:
        return can_convert(n);
    case Q_BITCAST:
        return can_bitcast(q, n);
    case Q_SPLAT:
        return is_vector(n->type);
    case Q_BUILD2:
        return q_lanes(n->type) == 2 && can_join(n);
    case Q_CONCAT:
        return can_join(n);
    case Q_LOW:
        return n->imm == 32 || n->imm == 64;
    case Q_EXTRACT:
    case Q_INSERT:
        return is_vector(n->type) && n->imm < q_lanes(n->type);
    case Q_EXTRACT_AT:
    case Q_SHUFFLE:
        return is_bytes(n->type);
    case Q_LOOK_UP:
        return is_bytes(n->type) && x64_has_avx512(q);
    default:
        return false;
    }
}

void x64_select_lanes(struct quick *q)
{
    const struct q_node n = *q_node(q, q->at);

    switch (n.op) {
    case Q_CONVERT:
        if (can_convert128(&n))
            select_convert_128(q, &n);
        else if (q_base(n.type) == JIT_FLOAT || q_base(n.from) == JIT_FLOAT)
            convert_floats(q, &n);
        else
            resize_lanes(q, &n);
        break;
    case Q_BITCAST:
        select_bitcast(q, &n);
        break;
    case Q_SPLAT:
        if (q_lanes(n.from) > 1)
            splat_lane(q, &n);
        else
            select_splat(q, &n);
        break;
    case Q_BUILD2:
    case Q_CONCAT:
        join_halves(q, &n, q_bits(n.type) / 2);
        break;
    case Q_INSERT:
        select_insert(q, &n);
        break;
    case Q_LOW:
        select_low(q, &n);
        break;
    case Q_EXTRACT_AT:
        select_extract_at(q, &n);
        break;
    case Q_SHUFFLE:
        select_shuffle(q, &n);
        break;
    case Q_LOOK_UP:
        select_look_up(q, &n);
        break;
    default:
        if (q_base(n.type) == JIT_FLOAT)
            extract_float(q, &n);
        else
            select_extract(q, &n);
        break;
    }
}
