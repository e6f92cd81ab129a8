/* Selection of code for floats: arithmetic, comparisons and conversions, of scalars and of vectors.
 * The host's conversions saturate as those of build.h do, and NaN becomes 0. */
#include "runtime/jit/quick/a64/host.h"

/* ---- arithmetic ------------------------------------------------------------------------------ */

/* An instruction of scalars, and of vectors; 0: there is none. */
struct float_op {
    uint32_t scalar, vector;
};

static struct float_op arithmetic_op(unsigned op)
{
    switch (op) {
    case JIT_ADD:
        return (struct float_op){A64_FADD_S, A64_FADD};
    case JIT_SUB:
        return (struct float_op){A64_FSUB_S, A64_FSUB};
    case JIT_MUL:
        return (struct float_op){A64_FMUL_S, A64_FMUL};
    case JIT_DIV:
        return (struct float_op){A64_FDIV_S, A64_FDIV};
    case Q_LEAST:
        return (struct float_op){A64_FMIN_S, A64_FMIN};
    case Q_GREATEST:
        return (struct float_op){A64_FMAX_S, A64_FMAX};
    default:
        return (struct float_op){0, 0};
    }
}

static struct float_op unary_op(unsigned op)
{
    switch (op) {
    case JIT_NEG:
        return (struct float_op){A64_FNEG_S, A64_VFNEG};
    case JIT_ABS:
        return (struct float_op){A64_FABS_S, A64_VFABS};
    case JIT_SQRT:
        return (struct float_op){A64_FSQRT_S, A64_VFSQRT};
    case JIT_ROUND_EVEN:
        return (struct float_op){A64_FRINTN_S, A64_VFRINTN};
    case JIT_ROUND_UP:
        return (struct float_op){A64_FRINTP_S, A64_VFRINTP};
    case JIT_ROUND_DOWN:
        return (struct float_op){A64_FRINTM_S, A64_VFRINTM};
    case JIT_ROUND_ZERO:
        return (struct float_op){A64_FRINTZ_S, A64_VFRINTZ};
    default:
        return (struct float_op){0, 0};
    }
}

/* The field that distinguishes lanes of 64 bits in vectors of floats. */
static unsigned float_class(jit_type t)
{
    return q_lane_bits(t) == 64;
}

/* The form of an instruction for a vector's type. That of 64 bits leaves what is above alone, which
 * may raise flags. */
static uint32_t sized(uint32_t vector, jit_type t)
{
    return q_bits(t) == 64 ? vector & ~A64_128 : vector;
}

bool a64_can_float(const struct q_node *n)
{
    if (!q_is_float_scalar(n->type) && !q_is_float_vector(n->type))
        return false;
    if (n->op == Q_FMA)
        return !(n->imm & Q_NEGATED_SUM); /* vectors have none */
    if (n->op == Q_UNARY)
        return unary_op(n->sub).scalar != 0;
    return arithmetic_op(n->sub).scalar || q_is_comparison(n);
}

static void select_unary(struct quick *q, const struct q_node *n)
{
    struct float_op op = unary_op(n->sub);
    unsigned a = q_use_x(q, n->in[0]), d = q_def_x(q);

    if (q_lanes(n->type) > 1)
        a64_vv(&q->out, sized(op.vector, n->type), float_class(n->type), d, a);
    else
        a64_ff(&q->out, op.scalar, q_lane_bits(n->type), d, a);
}

static void select_binary(struct quick *q, const struct q_node *n)
{
    struct float_op op = arithmetic_op(n->sub);
    unsigned a = q_use_x(q, n->in[0]), b = q_use_x(q, n->in[1]), d = q_def_x(q);

    if (q_lanes(n->type) > 1)
        a64_vvv(&q->out, sized(op.vector, n->type), float_class(n->type), d, a, b);
    else
        a64_fff(&q->out, op.scalar, q_lane_bits(n->type), d, a, b);
}

/* c + a * b, or c - a * b. */
static void multiply_add(struct quick *q, const struct q_node *n)
{
    unsigned a = q_use_x(q, n->in[0]), b = q_use_x(q, n->in[1]), c = q_use_x(q, n->in[2]);
    unsigned d = q_def_x(q);

    if (q_lanes(n->type) == 1) {
        a64_fff(&q->out, a64_third(n->imm ? A64_FMSUB : A64_FMADD, c), q_lane_bits(n->type), d, a,
                b);
        return;
    }
    a64_vmov(&q->out, Q_XSCRATCH, c);
    a64_vvv(&q->out, sized(n->imm ? A64_FMLS : A64_FMLA, n->type), float_class(n->type), Q_XSCRATCH,
            a, b);
    a64_vmov(&q->out, d, Q_XSCRATCH);
}

/* ---- comparisons ----------------------------------------------------------------------------- */

/* The result as a mask. a < b and a <= b are b > a and b >= a. */
static void compare_mask(struct quick *q, const struct q_node *n)
{
    static const uint32_t ops[] = {A64_FCMEQ, A64_FCMEQ, A64_FCMGT,
                                   A64_FCMGE, A64_FCMGT, A64_FCMGE};
    bool swap = n->sub == JIT_LT || n->sub == JIT_LE;
    unsigned a = q_use_x(q, n->in[swap]), b = q_use_x(q, n->in[!swap]), d = q_def_x(q);

    a64_vvv(&q->out, sized(ops[n->sub - JIT_EQ], n->type), float_class(n->type), d, a, b);
    if (n->sub == JIT_NE)
        a64_vv(&q->out, A64_VNOT, 0, d, d);
}

/* A comparison into a general register, 0 or 1. Unordered operands clear N and Z and set C and V.
 * Where invalid operations leave the trace, each NaN makes an ordering one. */
static void compare_scalar(struct quick *q, const struct q_node *n)
{
    unsigned a = q_use_x(q, n->in[0]), b = q_use_x(q, n->in[1]);

    a64_fff(&q->out, q->traps && n->sub > JIT_NE ? A64_FCMPE : A64_FCMP, q_lane_bits(n->type), 0, a,
            b);
    if (!q_is_only_tested(q, n))
        a64_cset(&q->out, q_def(q), a64_ordered_condition(n->sub));
}

void a64_select_float(struct quick *q)
{
    const struct q_node n = *q_node(q, q->at);

    if (n.op == Q_UNARY)
        select_unary(q, &n);
    else if (n.op == Q_FMA)
        multiply_add(q, &n);
    else if (arithmetic_op(n.sub).scalar)
        select_binary(q, &n);
    else if (q_in_vector(n.result))
        compare_mask(q, &n);
    else
        compare_scalar(q, &n);
}

/* ---- conversions ----------------------------------------------------------------------------- */

static bool is_int_scalar(jit_type t)
{
    return q_base(t) != JIT_FLOAT && q_lanes(t) == 1 && q_lane_bits(t) <= 64;
}

static bool can_convert_scalar(const struct q_node *n)
{
    if (q_is_float_scalar(n->type))
        return q_is_float_scalar(n->from) || is_int_scalar(n->from);
    return q_is_float_scalar(n->from) && is_int_scalar(n->type) && q_lane_bits(n->type) >= 32;
}

static bool can_convert_vector(const struct q_node *n)
{
    bool to_float = q_is_float_vector(n->type), from_float = q_is_float_vector(n->from);

    if (q_lanes(n->type) != q_lanes(n->from) || (!to_float && !from_float))
        return false;
    if (to_float && from_float)
        return true;
    return q_lane_bits(n->type) == q_lane_bits(n->from) &&
           (q_is_int_vector(n->type) || q_is_int_vector(n->from));
}

bool a64_can_convert(const struct q_node *n)
{
    return can_convert_scalar(n) || can_convert_vector(n);
}

static void float_to_float(struct quick *q, const struct q_node *n)
{
    unsigned a = q_use_x(q, n->in[0]), d = q_def_x(q);

    if (n->type == n->from)
        a64_vmov(&q->out, d, a);
    else if (q_lanes(n->type) > 1)
        a64_vv(&q->out, q_lane_bits(n->type) == 64 ? A64_FCVTL : A64_FCVTN, 0, d, a);
    else
        a64_ff(&q->out, n->type == JIT_F64 ? A64_FCVT_D_S : A64_FCVT_S_D, q_lane_bits(n->from), d,
               a);
}

static void int_to_float(struct quick *q, const struct q_node *n)
{
    unsigned bits = q_lane_bits(n->from), r = q_use(q, n->in[0]), d = q_def_x(q);
    bool with_sign = q_is_signed(n->from);

    if (bits < 32) {
        a64_extend(&q->out, with_sign, bits, Q_SCRATCH, r);
        r = Q_SCRATCH;
        bits = 32;
    }
    a64_convert(&q->out, with_sign ? A64_SCVTF : A64_UCVTF, bits, q_lane_bits(n->type), d, r);
}

static void float_to_int(struct quick *q, const struct q_node *n)
{
    unsigned a = q_use_x(q, n->in[0]), d = q_def(q);

    a64_convert(&q->out, q_is_signed(n->type) ? A64_FCVTZS : A64_FCVTZU, q_lane_bits(n->type),
                q_lane_bits(n->from), d, a);
}

static void convert_lanes(struct quick *q, const struct q_node *n)
{
    bool to_float = q_base(n->type) == JIT_FLOAT,
         with_sign = q_is_signed(to_float ? n->from : n->type);
    uint32_t to_int = with_sign ? A64_VFCVTZS : A64_VFCVTZU,
             from_int = with_sign ? A64_VSCVTF : A64_VUCVTF;
    unsigned a = q_use_x(q, n->in[0]), d = q_def_x(q);

    a64_vv(&q->out, sized(to_float ? from_int : to_int, n->type), float_class(n->type), d, a);
}

void a64_convert_node(struct quick *q)
{
    const struct q_node n = *q_node(q, q->at);
    bool to_float = q_base(n.type) == JIT_FLOAT, from_float = q_base(n.from) == JIT_FLOAT;

    if (to_float && from_float)
        float_to_float(q, &n);
    else if (q_lanes(n.type) > 1)
        convert_lanes(q, &n);
    else if (to_float)
        int_to_float(q, &n);
    else
        float_to_int(q, &n);
}

/* ---- traps ----------------------------------------------------------------------------------- */

/* Raises a flag for NaN. Small results need no test: those that are tiny before they are rounded
 * have raised one. */
uint8_t *a64_select_trap(struct quick *q)
{
    const struct q_node n = *q_node(q, q->at);
    jit_type t = q_node(q, n.in[0])->result;
    struct q_buffer *x = &q->out;
    unsigned r;

    if (n.sub & JIT_TRAP_NAN) {
        r = q_use_x(q, n.in[0]);
        if (q_lanes(t) > 1)
            a64_vvv(x, sized(A64_FCMGE, t), float_class(t), Q_XSCRATCH2, r, r);
        else
            a64_fff(x, A64_FCMPE, q_lane_bits(t), 0, r, r);
    }
    a64_get_system(x, A64_FPSR, Q_SCRATCH2);
    a64_mov_i(x, Q_SCRATCH, q->code->inexact ? A64_TRAPS_ALL : A64_TRAPS);
    a64_rrr(x, A64_ANDS, 32, A64_ZERO, Q_SCRATCH2, Q_SCRATCH);
    return a64_b_if(x, A64_NE);
}
