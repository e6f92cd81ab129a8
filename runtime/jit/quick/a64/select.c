/* Selection of code for integer nodes in general registers, and for guards. */
#include "runtime/jit/quick/a64/host.h"

/* ---- comparisons ----------------------------------------------------------------------------- */

static void select_comparison(struct quick *q, const struct q_node *n)
{
    enum a64_cc cc = a64_compare(q, n->sub, n->type, n->in[0], n->in[1]);

    a64_cset(&q->out, q_def(q), cc);
}

/* A select; both values are read before the result, which may share a register, is written. */
static void select_choice(struct quick *q, const struct q_node *n)
{
    unsigned bits = q_bits(n->type) <= 32 ? 32 : 64, a = q_use(q, n->in[0]), b = q_use(q, n->in[1]);
    enum a64_cc cc = a64_compare(q, n->sub, n->from, n->in[2], n->in[3]);

    a64_rrr(&q->out, a64_if(A64_CSEL, cc), bits, q_def(q), a, b);
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static void select_sum(struct quick *q, const struct q_node *n)
{
    unsigned bits = q_bits(n->type), a = q_use(q, n->in[0]), b, d;
    bool adds = n->sub == JIT_ADD;
    uint64_t value, minus;

    if (!q_is_const(q, n->in[1], &value)) {
        b = q_use(q, n->in[1]);
        a64_rrr(&q->out, adds ? A64_ADD : A64_SUB, bits, q_def(q), a, b);
        return;
    }
    value = bits == 32 ? (uint32_t)value : value;
    minus = bits == 32 ? (uint32_t)-value : -value;
    d = q_def(q);
    if (a64_is_arith(value)) {
        a64_arith_i(&q->out, adds ? A64_ADD_I : A64_SUB_I, bits, d, a, (uint32_t)value);
    } else if (a64_is_arith(minus)) {
        a64_arith_i(&q->out, adds ? A64_SUB_I : A64_ADD_I, bits, d, a, (uint32_t)minus);
    } else {
        a64_mov_i(&q->out, Q_SCRATCH, value);
        a64_rrr(&q->out, adds ? A64_ADD : A64_SUB, bits, d, a, Q_SCRATCH);
    }
}

static void select_logic(struct quick *q, const struct q_node *n, uint32_t op)
{
    unsigned bits = q_bits(n->type), a = q_use(q, n->in[0]), b;
    uint64_t value;

    if (q_is_const(q, n->in[1], &value)) {
        a64_logic_any(&q->out, op, bits, q_def(q), a, value);
        return;
    }
    b = q_use(q, n->in[1]);
    a64_rrr(&q->out, op, bits, q_def(q), a, b);
}

static void select_scaled(struct quick *q, const struct q_node *n)
{
    unsigned a = q_use(q, n->in[0]), b = q_use(q, n->in[1]);

    a64_rrr(&q->out, a64_shifted(A64_ADD, (unsigned)n->imm), q_bits(n->type), q_def(q), a, b);
}

static void select_multiply(struct quick *q, const struct q_node *n)
{
    unsigned a = q_use(q, n->in[0]), b = q_use(q, n->in[1]);

    a64_rrr(&q->out, a64_third(A64_MADD, A64_ZERO), q_bits(n->type), q_def(q), a, b);
}

static void select_high(struct quick *q, const struct q_node *n)
{
    unsigned a = q_use(q, n->in[0]), b = q_use(q, n->in[1]);

    a64_rrr(&q->out, n->sub == JIT_UMULH ? A64_UMULH : A64_SMULH, 64, q_def(q), a, b);
}

/* The host's division is total as that of build.h: a / 0 is 0, and a / -1 wraps. */
static void select_divide(struct quick *q, const struct q_node *n)
{
    unsigned bits = q_bits(n->type), a = q_use(q, n->in[0]), b = q_use(q, n->in[1]), d = q_def(q);
    uint32_t op = q_is_signed(n->type) ? A64_SDIV : A64_UDIV;

    if (n->sub == JIT_DIV) {
        a64_rrr(&q->out, op, bits, d, a, b);
        return;
    }
    a64_rrr(&q->out, op, bits, Q_SCRATCH, a, b);
    a64_rrr(&q->out, a64_third(A64_MSUB, a), bits, d, Q_SCRATCH, b);
}

/* ---- shifts ---------------------------------------------------------------------------------- */

static void select_rotate(struct quick *q, const struct q_node *n)
{
    unsigned bits = q_bits(n->type), a = q_use(q, n->in[0]), amount;
    bool left = n->sub == JIT_ROL;
    uint64_t fixed;

    if (q_is_const(q, n->in[1], &fixed)) {
        a64_ror_i(&q->out, bits, q_def(q), a, (unsigned)(left ? 0 - fixed : fixed) & (bits - 1));
        return;
    }
    amount = q_use(q, n->in[1]);
    if (left) {
        a64_rrr(&q->out, A64_SUB, 32, Q_SCRATCH, A64_ZERO, amount);
        amount = Q_SCRATCH;
    }
    a64_rrr(&q->out, A64_RORV, bits, q_def(q), a, amount);
}

static void shift_fixed(struct quick *q, const struct q_node *n, unsigned a, unsigned amount)
{
    unsigned bits = q_bits(n->type), d = q_def(q);

    if (n->sub == JIT_SHL)
        a64_lsl_i(&q->out, bits, d, a, amount);
    else
        a64_field(&q->out, q_is_signed(n->type) ? A64_SBFM : A64_UBFM, bits, d, a,
                  A64_RANGE(amount, bits - amount));
}

static void select_shift(struct quick *q, const struct q_node *n)
{
    uint32_t op = n->sub == JIT_SHL ? A64_LSLV : q_is_signed(n->type) ? A64_ASRV : A64_LSRV;
    unsigned bits = q_bits(n->type), a = q_use(q, n->in[0]), amount;
    uint64_t fixed;

    if (q_is_const(q, n->in[1], &fixed)) {
        shift_fixed(q, n, a, (unsigned)fixed & (bits - 1));
        return;
    }
    amount = q_use(q, n->in[1]);
    a64_rrr(&q->out, op, bits, q_def(q), a, amount);
}

static void select_binary(struct quick *q, const struct q_node *n)
{
    switch (n->sub) {
    case JIT_ADD:
    case JIT_SUB:
        select_sum(q, n);
        break;
    case JIT_AND:
        select_logic(q, n, A64_AND);
        break;
    case Q_WITHOUT:
        select_logic(q, n, A64_BIC);
        break;
    case JIT_OR:
        select_logic(q, n, A64_ORR);
        break;
    case JIT_XOR:
        select_logic(q, n, A64_EOR);
        break;
    case JIT_MUL:
        select_multiply(q, n);
        break;
    case JIT_UMULH:
    case JIT_SMULH:
        select_high(q, n);
        break;
    case JIT_DIV:
    case JIT_MOD:
        select_divide(q, n);
        break;
    case JIT_SHL:
    case JIT_SHR:
        select_shift(q, n);
        break;
    case JIT_ROL:
    case JIT_ROR:
        select_rotate(q, n);
        break;
    default:
        select_comparison(q, n);
    }
}

/* ---- operations of one operand --------------------------------------------------------------- */

/* Counts ones in a vector register. */
static void count_ones(struct q_buffer *x, unsigned bits, unsigned d, unsigned a)
{
    a64_fmov_from(x, bits, Q_XSCRATCH, a);
    a64_vv(x, A64_CNT, 0, Q_XSCRATCH, Q_XSCRATCH);
    a64_vv(x, A64_ADDV, 0, Q_XSCRATCH, Q_XSCRATCH);
    a64_fmov_to(x, 32, d, Q_XSCRATCH);
}

static void select_unary(struct quick *q, const struct q_node *n)
{
    unsigned bits = q_bits(n->type), a = q_use(q, n->in[0]), d = q_def(q);
    struct q_buffer *x = &q->out;

    switch (n->sub) {
    case JIT_NOT:
        a64_rrr(x, A64_ORN, bits, d, A64_ZERO, a);
        break;
    case JIT_NEG:
        a64_rrr(x, A64_SUB, bits, d, A64_ZERO, a);
        break;
    case JIT_ABS:
        a64_arith_i(x, A64_SUBS_I, bits, A64_ZERO, a, 0);
        a64_rrr(x, a64_if(A64_CSNEG, A64_GE), bits, d, a, a);
        break;
    case JIT_BSWAP:
        a64_rr(x, bits == 64 ? A64_REV64 : A64_REV32, bits, d, a);
        break;
    case JIT_BITREV:
        a64_rr(x, A64_RBIT, bits, d, a);
        break;
    case JIT_CLZ:
        a64_rr(x, A64_CLZ, bits, d, a);
        break;
    case JIT_CTZ:
        a64_rr(x, A64_RBIT, bits, d, a);
        a64_rr(x, A64_CLZ, bits, d, d);
        break;
    default: /* JIT_POPCOUNT */
        count_ones(x, bits, d, a);
    }
}

static void select_extension(struct quick *q, const struct q_node *n)
{
    unsigned a = q_use(q, n->in[0]);

    a64_extend(&q->out, n->op == Q_SEXT, (unsigned)n->imm, q_def(q), a);
}

/* ---- guards ---------------------------------------------------------------------------------- */

static enum a64_cc test_ints(struct quick *q, const struct q_node *n)
{
    unsigned bits = q_bits(n->type), a = q_use(q, n->in[0]);
    uint64_t value;

    if (q_is_const(q, n->in[1], &value))
        a64_logic_any(&q->out, A64_ANDS, bits, A64_ZERO, a, value);
    else
        a64_rrr(&q->out, A64_ANDS, bits, A64_ZERO, a, q_use(q, n->in[1]));
    return n->sub == JIT_EQ ? A64_EQ : A64_NE;
}

void a64_select_guard(struct quick *q)
{
    const struct q_node n = *q_node(q, q->at);
    enum a64_cc cc =
        n.op == Q_GUARD ? a64_compare(q, n.sub, n.type, n.in[0], n.in[1]) : test_ints(q, &n);
    uint32_t leave = q_leave_prepare(q, &q->side_exits.data[n.imm]);

    q_leave_jump(q, a64_b_if(&q->out, (enum a64_cc)(cc ^ 1)), leave);
}

/* ---- dispatch -------------------------------------------------------------------------------- */

static bool uses_vectors(struct quick *q, const struct q_node *n)
{
    bool vectors = q_in_vector(n->result);

    if (q_is_ordered(n->op == Q_SELECT ? n->from : n->type))
        return vectors; /* the comparison is a64_compare()'s */
    for (unsigned k = 0; k < 4 && !vectors; k++)
        vectors = n->in[k] && q_is_in_vector(q, n->in[k]);
    return vectors;
}

void a64_select(struct quick *q)
{
    const struct q_node n = *q_node(q, q->at);

    if (uses_vectors(q, &n)) {
        a64_select_vector(q);
        return;
    }
    switch (n.op) {
    case Q_UNARY:
        select_unary(q, &n);
        break;
    case Q_BINARY:
        select_binary(q, &n);
        break;
    case Q_SELECT:
        select_choice(q, &n);
        break;
    case Q_SCALED:
        select_scaled(q, &n);
        break;
    case Q_ZEXT:
    case Q_SEXT:
        select_extension(q, &n);
        break;
    default:
        a64_select_vector(q);
    }
}
