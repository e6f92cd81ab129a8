/*
 * Selection of code for floats in vector registers: arithmetic, comparisons, and conversions from
 * and to integers in general registers. x86's operations are those of IEEE 754, with the rounding
 * of MXCSR (to nearest), except that its conversions to integers do not saturate.
 */
#include "runtime/jit/quick/x64/select_vector.h"

#include "runtime/cpu/fault.h"

/* The form PS, PD, SS or SD of an instruction; they differ in the prefix. */
static x64_vop float_op(x64_vop ps, jit_type t)
{
    bool is_double = q_lane_bits(t) == 64;
    unsigned prefix = q_lanes(t) > 1 ? (is_double ? 1 : 0) : (is_double ? 3 : 2);

    ps |= X64_VOP(prefix, 0, 0, 0);
    if (q_lanes(t) == 1)
        ps |= X64_PART(q_lane_bits(t) / 8);
    return is_double ? ps | X64_EVEX_W : ps;
}

/* Bits that such an instruction reads of a memory operand. */
static unsigned memory_bits(jit_type t)
{
    return q_lanes(t) > 1 ? 128 : q_lane_bits(t);
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static x64_vop arithmetic_op(unsigned op)
{
    switch (op) {
    case JIT_ADD:
        return VADDPS;
    case JIT_SUB:
        return VSUBPS;
    case JIT_MUL:
        return VMULPS;
    case JIT_DIV:
        return VDIVPS;
    default:
        return 0;
    }
}

static bool is_extreme(const struct q_node *n)
{
    return n->op == Q_BINARY && (n->sub == Q_LEAST || n->sub == Q_GREATEST) &&
           q_is_float_vector(n->type);
}

bool x64_can_float(const struct q_node *n)
{
    if (!q_is_float_scalar(n->type) && !q_is_float_vector(n->type))
        return false;
    if (n->op == Q_FMA)
        return true;
    if (n->op == Q_UNARY)
        return n->sub == JIT_NEG || (n->sub >= JIT_ABS && n->sub <= JIT_ROUND_ZERO);
    return arithmetic_op(n->sub) || is_extreme(n) || q_is_comparison(n);
}

unsigned x64_whole(struct quick *q, jit_type t, unsigned r, unsigned scratch)
{
    if (!q->traps || q_lanes(t) == 1 || q_bits(t) == 128)
        return r;
    x64_v_rrr(&q->out, VMOVDDUP, scratch, X64_NO_VVVV, r);
    return scratch;
}

/* An operand of an instruction that may trap. */
static struct x64_operand operand_of(struct quick *q, jit_type t, uint32_t node)
{
    struct x64_operand o = {0};

    if (!q->traps || q_lanes(t) == 1 || q_bits(t) == 128)
        return x64_operand_of(q, node, memory_bits(t));
    o.reg = x64_whole(q, t, q_use_x(q, node), Q_XSCRATCH2);
    return o;
}

/* Quietly: without the exception for results that are inexact. */
static void round_to_integral(struct quick *q, const struct q_node *n, unsigned a, unsigned d)
{
    enum { EVEN, DOWN, UP, ZERO, QUIETLY = 8 };
    static const uint8_t modes[] = {EVEN, UP, DOWN, ZERO};
    bool is_double = q_lane_bits(n->type) == 64, is_vector = q_lanes(n->type) > 1;
    x64_vop op = is_vector ? is_double ? VROUNDPD : VROUNDPS : is_double ? VROUNDSD : VROUNDSS;

    a = x64_whole(q, n->type, a, Q_XSCRATCH);
    q_may_trap_here(q);
    x64_v_rrri(&q->out, op, d, is_vector ? X64_NO_VVVV : a, a,
               modes[n->sub - JIT_ROUND_EVEN] | QUIETLY);
}

static void select_unary(struct quick *q, const struct q_node *n)
{
    const bool is_vector = q_lanes(n->type) > 1;
    const uint64_t signs = q_lane_bits(n->type) == 64 ? UINT64_C(1) << 63
                           : is_vector                ? UINT64_C(0x8000000080000000)
                                                      : UINT64_C(1) << 31;
    x64_vop op = float_op(VSQRTPS, n->type);
    struct x64_operand mask;
    unsigned a, d;

    a = q_use_x(q, n->in[0]);
    d = q_def_x(q);
    if (n->sub == JIT_SQRT) {
        a = x64_whole(q, n->type, a, Q_XSCRATCH);
        q_may_trap_here(q);
        x64_v_rrr(&q->out, op, d, is_vector ? X64_NO_VVVV : a, a);
        return;
    }
    if (n->sub >= JIT_ROUND_EVEN) {
        round_to_integral(q, n, a, d);
        return;
    }
    if (n->sub == JIT_NEG) {
        mask = x64_constant(&q->out, signs, is_vector ? signs : 0, Q_XSCRATCH);
        x64_v(q, VPXOR, d, a, &mask);
    } else {
        mask = x64_constant(&q->out, ~signs, ~signs, Q_XSCRATCH);
        x64_v(q, VPAND, d, a, &mask);
    }
}

/* a * b + c, with the signs that n->imm says. The result replaces one of the operands, which
 * decides the form of the instruction. */
static void multiply_add(struct quick *q, const struct q_node *n)
{
    unsigned a = q_use_x(q, n->in[0]), b = q_use_x(q, n->in[1]), c = q_use_x(q, n->in[2]);
    bool halves = x64_whole(q, n->type, a, Q_XSCRATCH) != a;
    unsigned d = halves ? q_def_early_x(q) : q_def_x(q);
    x64_vop kind =
        (q_lanes(n->type) == 1 ? 1u : 0) | (q_lane_bits(n->type) == 64 ? vop_w(0) : (x64_vop)0);

    if (n->imm & Q_NEGATED_PRODUCT)
        kind |= FMA_NEGATED;
    if (n->imm & Q_NEGATED_SUM)
        kind |= FMA_MINUS;
    if (halves) {
        b = x64_whole(q, n->type, b, Q_XSCRATCH2);
        x64_whole(q, n->type, c, d);
        q_may_trap_here(q);
        x64_v_rrr(&q->out, VFMADD231 | kind, d, Q_XSCRATCH, b);
    } else if (d == a) {
        q_may_trap_here(q);
        x64_v_rrr(&q->out, VFMADD213 | kind, d, b, c);
    } else if (d == b) {
        q_may_trap_here(q);
        x64_v_rrr(&q->out, VFMADD213 | kind, d, a, c);
    } else {
        if (d != c)
            x64_vmov(&q->out, d, c);
        q_may_trap_here(q);
        x64_v_rrr(&q->out, VFMADD231 | kind, d, a, b);
    }
}

/* Of equal operands VMINPS and VMAXPS return the second one: zeros of both orders, or-ed or and-ed,
 * have the sign of the least or the greatest one. */
static void select_extreme(struct quick *q, const struct q_node *n)
{
    bool least = n->sub == Q_LEAST;
    x64_vop op = float_op(least ? VMINPS : VMAXPS, n->type);
    unsigned a = x64_whole(q, n->type, q_use_x(q, n->in[0]), Q_XSCRATCH),
             b = x64_whole(q, n->type, q_use_x(q, n->in[1]), Q_XSCRATCH2), d = q_def_x(q);
    bool copied = a == Q_XSCRATCH; /* and may be overwritten last; else d may be an operand */

    x64_v_rrr(&q->out, op, copied ? d : Q_XSCRATCH, a, b);
    x64_v_rrr(&q->out, op, copied ? Q_XSCRATCH : d, b, a);
    x64_v_rrr(&q->out, least ? VPOR : VPAND, d, d, Q_XSCRATCH);
}

/* ---- comparisons ----------------------------------------------------------------------------- */

/* Predicates from JIT_EQ on. a > b and a >= b are b < a and b <= a. */
static const uint8_t predicates[] = {CMP_EQ_OQ, CMP_NEQ_UQ, CMP_LT_OS,
                                     CMP_LE_OS, CMP_LT_OS,  CMP_LE_OS};

/* The result as a mask, in the low lane of scalars. */
static void compare_mask(struct quick *q, const struct q_node *n, bool scratch)
{
    bool swap = n->sub == JIT_GT || n->sub == JIT_GE;
    unsigned a = x64_whole(q, n->type, q_use_x(q, n->in[swap]), Q_XSCRATCH);
    struct x64_operand b = operand_of(q, n->type, n->in[!swap]);
    unsigned d = scratch ? Q_XSCRATCH : q_def_x(q);

    q_may_trap_here(q);
    x64_vi(q, float_op(VCMPPS, n->type), d, a, &b, predicates[n->sub - JIT_EQ]);
}

/* Emits a comparison into the flags; returns the condition under which it holds. "Above" is false
 * for unordered operands, but "below" is true, so LT and LE are done with swapped operands. EQ and
 * NE compare an operand with itself: only a NaN differs from itself. */
static enum x64_cc compare_flags(struct quick *q, const struct q_node *n)
{
    bool swap = n->sub == JIT_LT || n->sub == JIT_LE, quiet = n->sub == JIT_EQ || n->sub == JIT_NE;
    unsigned a = q_use_x(q, n->in[swap]);
    struct x64_operand b = x64_operand_of(q, n->in[!swap], q_lane_bits(n->type));
    bool is_double = q_lane_bits(n->type) == 64;
    x64_vop op =
        quiet || !q->traps ? (is_double ? VUCOMISD : VUCOMISS) : (is_double ? VCOMISD : VCOMISS);

    q_may_trap_here(q);
    x64_v(q, op, a, X64_NO_VVVV, &b);
    if (quiet)
        return n->sub == JIT_EQ ? CC_NP : CC_P;
    return n->sub == JIT_LT || n->sub == JIT_GT ? CC_A : CC_AE;
}

void x64_select_by_floats(struct quick *q)
{
    const struct q_node n = *q_node(q, q->at);
    bool swap = n.sub == JIT_GT || n.sub == JIT_GE;
    unsigned a = q_use_x(q, n.in[0]), b = q_use_x(q, n.in[1]), r = q_use_x(q, n.in[swap ? 3 : 2]);
    struct x64_operand o = x64_operand_of(q, n.in[swap ? 2 : 3], q_bits(n.from));
    unsigned d = q_def_x(q);

    x64_vi(q, float_op(VCMPPS, q_bits(n.from) == 64 ? JIT_F64 : JIT_F32), Q_XSCRATCH, r, &o,
           predicates[n.sub - JIT_EQ]);
    x64_vblend(&q->out, d, b, a, Q_XSCRATCH);
}

/* A comparison that traps for NaNs; ordered ones find its flags. */
static void compare_and_trap(struct quick *q, const struct q_node *n)
{
    unsigned a = q_use_x(q, n->in[0]);
    struct x64_operand b = x64_operand_of(q, n->in[1], q_lane_bits(n->type));

    q_may_trap_here(q);
    x64_v(q, q_lane_bits(n->type) == 64 ? VCOMISD : VCOMISS, a, X64_NO_VVVV, &b);
    x64_note_compared(q, n->type, n->in[0], n->in[1]);
}

/* A comparison into a general register, 0 or 1. The allocator may store another value to free the
 * register, which must be done before the comparison traps. */
static void compare_scalar(struct quick *q, const struct q_node *n)
{
    enum x64_cc cc;
    unsigned d;

    if (q_is_only_tested(q, n)) {
        compare_and_trap(q, n);
        return;
    }
    d = q_def(q);
    if (n->sub <= JIT_NE && n->in[0] != n->in[1]) {
        compare_mask(q, n, true);
        x64_vmov_to_gpr(&q->out, 32, d, Q_XSCRATCH);
        x64_alu_ri(&q->out, X64_AND, 32, d, 1);
        return;
    }
    cc = compare_flags(q, n);
    x64_setcc(&q->out, cc, d);
    x64_movzx(&q->out, 8, d, d);
}

void x64_select_float(struct quick *q)
{
    const struct q_node n = *q_node(q, q->at);
    struct x64_operand b;
    unsigned a, d;

    if (n.op == Q_UNARY) {
        select_unary(q, &n);
    } else if (n.op == Q_FMA) {
        multiply_add(q, &n);
    } else if (n.sub < JIT_EQ) {
        a = x64_whole(q, n.type, q_use_x(q, n.in[0]), Q_XSCRATCH);
        b = operand_of(q, n.type, n.in[1]);
        d = q_def_x(q);
        q_may_trap_here(q);
        x64_v(q, float_op(arithmetic_op(n.sub), n.type), d, a, &b);
    } else if (is_extreme(&n)) {
        select_extreme(q, &n);
    } else if (q_in_vector(n.result)) {
        compare_mask(q, &n, false);
    } else {
        compare_scalar(q, &n);
    }
}

/* ---- conversions ----------------------------------------------------------------------------- */

static bool is_int_scalar(jit_type t)
{
    return q_base(t) != JIT_FLOAT && q_lanes(t) == 1 && q_lane_bits(t) <= 64;
}

bool x64_can_convert_scalar(const struct q_node *n)
{
    if (q_is_float_scalar(n->type))
        return q_is_float_scalar(n->from) || is_int_scalar(n->from);
    return q_is_float_scalar(n->from) && is_int_scalar(n->type) && q_lane_bits(n->type) >= 32;
}

/* Conversion between floats; for equal widths a move. */
static void float_to_float(struct quick *q, const struct q_node *n)
{
    unsigned a = q_use_x(q, n->in[0]), d = q_def_x(q);

    q_may_trap_here(q);
    if (n->type != n->from)
        x64_v_rrr(&q->out, n->type == JIT_F64 ? VCVTSS2SD : VCVTSD2SS, d, a, a);
    else if (d != a)
        x64_vmov(&q->out, d, a);
}

/* The conversion instruction, for integers of 32 or 64 bits. */
static x64_vop int_op(x64_vop single, x64_vop twice, jit_type t, unsigned bits)
{
    x64_vop op = t == JIT_F32 ? single : twice;

    return bits == 64 ? vop_w(op) : op;
}

static void convert_from(struct quick *q, jit_type t, unsigned d, unsigned r, unsigned bits)
{
    /* The instruction keeps the upper bits of an operand; zeros avoid a false dependency. */
    x64_zero(&q->out, d);
    q_may_trap_here(q);
    x64_v_rrr(&q->out, int_op(VCVTSI2SS, VCVTSI2SD, t, bits), d, d, r);
}

/* Above INT64_MAX: converts half of the value, with the lost bit kept for rounding, and doubles
 * it. */
static void uint64_to_float(struct quick *q, jit_type t, unsigned d, unsigned r)
{
    struct q_buffer *x = &q->out;
    uint8_t *large, *end;

    x64_test_rr(x, 64, r, r);
    large = x64_jcc(x, CC_S);
    convert_from(q, t, d, r, 64);
    end = x64_jmp(x);
    x64_bind(x, large);
    x64_mov_rr(x, 64, Q_SCRATCH, r);
    x64_mov_rr(x, 32, Q_SCRATCH2, r);
    x64_shift_ri(x, X64_SHR, 64, Q_SCRATCH, 1);
    x64_alu_ri(x, X64_AND, 32, Q_SCRATCH2, 1);
    x64_alu_rr(x, X64_OR, 64, Q_SCRATCH, Q_SCRATCH2);
    convert_from(q, t, d, Q_SCRATCH, 64);
    q_may_trap_here(q);
    x64_v_rrr(x, float_op(VADDPS, t), d, d, d);
    x64_bind(x, end);
}

static void int_to_float(struct quick *q, const struct q_node *n)
{
    unsigned r = q_use(q, n->in[0]), d = q_def_x(q), bits = q_lane_bits(n->from);
    bool with_sign = q_is_signed(n->from);

    if (bits == 64 && !with_sign) {
        uint64_to_float(q, n->type, d, r);
        return;
    }
    if (bits >= 32 && with_sign) {
        convert_from(q, n->type, d, r, bits);
        return;
    }
    if (with_sign)
        x64_movsx(&q->out, 32, bits, Q_SCRATCH, r);
    else
        x64_movzx(&q->out, bits, Q_SCRATCH, r);
    convert_from(q, n->type, d, Q_SCRATCH, with_sign ? 32 : 64);
}

static void truncate_to(struct quick *q, jit_type from, unsigned bits, unsigned d, unsigned a)
{
    q_may_trap_here(q);
    x64_v_rrr(&q->out, int_op(VCVTTSS2SI, VCVTTSD2SI, from, bits), d, X64_NO_VVVV, a);
}

static void unordered_compare(struct quick *q, jit_type t, unsigned a, unsigned b)
{
    q_may_trap_here(q);
    x64_v_rrr(&q->out, t == JIT_F32 ? VUCOMISS : VUCOMISD, a, X64_NO_VVVV, b);
}

/* Saturating conversion. The instruction gives the smallest integer for values that do not fit;
 * only that result is handled further. */
static void to_signed(struct quick *q, const struct q_node *n, unsigned d, unsigned a)
{
    struct q_buffer *x = &q->out;
    unsigned bits = q_lane_bits(n->type), float_bits = q_lane_bits(n->from);
    uint8_t *fits, *unordered;

    truncate_to(q, n->from, bits, d, a);
    if (q->traps) /* other values are invalid */
        return;
    x64_alu_ri(x, X64_CMP, bits, d, 1);
    fits = x64_jcc(x, CC_NO);
    unordered_compare(q, n->from, a, a);
    x64_mov_ri(x, d, 0);
    unordered = x64_jcc(x, CC_P);
    /* The saturated value is sign ^ maximum. */
    x64_vmov_to_gpr(x, float_bits, Q_SCRATCH, a);
    if (float_bits == 32)
        x64_movsx(x, 64, 32, Q_SCRATCH, Q_SCRATCH);
    x64_shift_ri(x, X64_SAR, 64, Q_SCRATCH, 63);
    x64_mov_ri(x, d, bits == 64 ? INT64_MAX : INT32_MAX);
    x64_alu_rr(x, X64_XOR, bits, d, Q_SCRATCH);
    x64_bind(x, fits);
    x64_bind(x, unordered);
}

/* Conversion to 32 unsigned bits, by the signed conversion to 64 bits. */
static void to_uint32(struct quick *q, const struct q_node *n, unsigned d, unsigned a)
{
    struct q_buffer *x = &q->out;
    uint8_t *fits, *small;

    truncate_to(q, n->from, 64, d, a);
    x64_mov_rr(x, 32, Q_SCRATCH, d);
    x64_alu_rr(x, X64_CMP, 64, Q_SCRATCH, d);
    fits = x64_jcc(x, CC_E);
    x64_zero(x, Q_XSCRATCH);
    unordered_compare(q, n->from, a, Q_XSCRATCH);
    x64_mov_ri(x, d, 0);
    small = x64_jcc(x, CC_BE);
    x64_mov_ri(x, d, UINT32_MAX);
    x64_bind(x, fits);
    x64_bind(x, small);
}

/* Conversion to 64 unsigned bits. From 2^63 on, converts the value minus 2^63, and sets bit 63. */
static void to_uint64(struct quick *q, const struct q_node *n, unsigned d, unsigned a)
{
    struct q_buffer *x = &q->out;
    uint8_t *fits, *small, *end;

    truncate_to(q, n->from, 64, d, a);
    x64_test_rr(x, 64, d, d);
    fits = x64_jcc(x, CC_NS);
    x64_mov_ri(x, Q_SCRATCH, n->from == JIT_F32 ? 0x5f000000 : UINT64_C(0x43e0000000000000));
    x64_vmov_from_gpr(x, 64, Q_XSCRATCH, Q_SCRATCH);
    unordered_compare(q, n->from, a, Q_XSCRATCH);
    x64_mov_ri(x, d, 0);
    small = x64_jcc(x, CC_B);
    q_may_trap_here(q);
    x64_v_rrr(x, float_op(VSUBPS, n->from), Q_XSCRATCH, a, Q_XSCRATCH);
    truncate_to(q, n->from, 64, d, Q_XSCRATCH);
    x64_mov_ri(x, Q_SCRATCH, UINT64_C(1) << 63);
    x64_alu_rr(x, X64_XOR, 64, d, Q_SCRATCH);
    end = x64_jcc(x, CC_S);
    x64_mov_ri(x, d, UINT64_MAX);
    x64_bind(x, fits);
    x64_bind(x, small);
    x64_bind(x, end);
}

static void float_to_int(struct quick *q, const struct q_node *n)
{
    unsigned a = q_use_x(q, n->in[0]), d = q_def(q);

    if (q_is_signed(n->type))
        to_signed(q, n, d, a);
    else if (q_lane_bits(n->type) == 32)
        to_uint32(q, n, d, a);
    else
        to_uint64(q, n, d, a);
}

void x64_convert_scalar(struct quick *q)
{
    const struct q_node n = *q_node(q, q->at);

    if (!q_is_float_scalar(n.type))
        float_to_int(q, &n);
    else if (q_is_float_scalar(n.from))
        float_to_float(q, &n);
    else
        int_to_float(q, &n);
}

/* ---- traps ----------------------------------------------------------------------------------- */

/* A comparison that is invalid for NaN; its result is not used. */
static void test_nan(struct q_buffer *x, x64_vop op, unsigned r)
{
    if (r > 15) /* writes a mask */
        x64_v_rrri(x, op & ~(x64_vop)X64_COMPARES, X64_K1, r, r, CMP_LT_OS);
    else
        x64_v_rrri(x, op, Q_XSCRATCH2, r, r, CMP_LT_OS);
}

/* test_nan(); and a product that is tiny for results of less than twice
 * the least normal number, since x86 rounds before it looks whether a result is tiny. Other
 * products are exact. */
uint8_t *x64_select_trap(struct quick *q)
{
    const struct q_node n = *q_node(q, q->at);
    jit_type t = q_node(q, n.in[0])->result;
    size_t half =
        q_lane_bits(t) == 64 ? offsetof(struct cpu, half) : offsetof(struct cpu, half_single);
    unsigned r;

    if (!n.sub)
        return NULL;
    r = q_use_x(q, n.in[0]);
    if (n.sub & JIT_TRAP_NAN) {
        q_may_trap_here(q);
        test_nan(&q->out, float_op(VCMPPS, t), r);
    }
    if (n.sub & JIT_TRAP_SMALL) {
        q_may_trap_here(q);
        x64_v_rrm(&q->out, float_op(VMULPS, t), Q_XSCRATCH2, r, x64_member(half));
    }
    return NULL;
}

/* An instruction that traps, if the host lets it. */
struct probe {
    uintptr_t at, behind;
    bool has_come;
};

static bool on_probe(void *opaque, const siginfo_t *info, ucontext_t *context)
{
    struct probe *p = opaque;

    (void)info;
    if ((uintptr_t)context->uc_mcontext.gregs[REG_RIP] != p->at)
        return false;
    context->uc_mcontext.gregs[REG_RIP] = (greg_t)p->behind;
    p->has_come = true;
    return true;
}

bool x64_has_traps(void)
{
    const uint32_t traps = X64_TRAPS, masked = X64_MASKED;
    struct probe p = {.has_come = false};

    if (!fault_add(on_probe, &p))
        return false;
    __asm__ volatile("leaq 1f(%%rip), %%rax\n\t"
                     "movq %%rax, %0\n\t"
                     "leaq 2f(%%rip), %%rax\n\t"
                     "movq %%rax, %1\n\t"
                     "xorps %%xmm0, %%xmm0\n\t"
                     "ldmxcsr %2\n"
                     "1:\tdivss %%xmm0, %%xmm0\n"
                     "2:\tldmxcsr %3"
                     : "=m"(p.at), "=m"(p.behind)
                     : "m"(traps), "m"(masked)
                     : "rax", "xmm0", "memory");
    fault_remove(on_probe, &p);
    return p.has_come;
}
