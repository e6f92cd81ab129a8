/* Selection of code for integer nodes in general registers, and for guards. */
#include "runtime/jit/quick/x64/host.h"

/* ---- comparisons ----------------------------------------------------------------------------- */

static void select_comparison(struct quick *q, const struct q_node *n)
{
    enum x64_cc cc = x64_compare(q, n->sub, n->type, n->in[0], n->in[1]);
    unsigned dst = q_def(q);

    x64_setcc(&q->out, cc, dst);
    x64_movzx(&q->out, 8, dst, dst);
}

static void select_choice(struct quick *q, const struct q_node *n)
{
    unsigned bits = q_bits(n->type) <= 32 ? 32 : 64, a, dst;
    enum x64_cc cc = x64_compare(q, n->sub, n->from, n->in[2], n->in[3]);

    a = q_use(q, n->in[0]);
    dst = q_def_copy(q, n->in[1]);
    x64_cmov(&q->out, cc, bits, dst, a);
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static void select_alu(struct quick *q, const struct q_node *n, enum x64_alu op)
{
    unsigned bits = q_bits(n->type), dst, b;
    uint32_t x = n->in[0], y = n->in[1];
    struct x64_mem m;
    int32_t imm;

    if (x64_immediate(q, y, bits, &imm)) {
        dst = q_def_copy(q, x);
        x64_alu_ri(&q->out, op, bits, dst, imm);
        return;
    }
    /* Prefers to overwrite the operand that dies. */
    if (op != X64_SUB && q_is_alive(q, x) && !q_is_alive(q, y)) {
        x = n->in[1];
        y = n->in[0];
    }
    if (q_node(q, y)->next == Q_NEVER && x != y && x64_in_memory(q, y, bits, &m)) {
        dst = q_def_copy(q, x);
        x64_alu_rm(&q->out, op, bits, dst, m);
        return;
    }
    b = q_use(q, y);
    dst = q_def_copy(q, x);
    x64_alu_rr(&q->out, op, bits, dst, b);
}

static void select_add(struct quick *q, const struct q_node *n)
{
    unsigned bits = q_bits(n->type), a, b, dst;
    int32_t imm;
    bool fixed = x64_immediate(q, n->in[1], bits, &imm);
    bool shares = q_can_share(q, n->in[0]) || (!fixed && q_can_share(q, n->in[1]));

    /* A dying operand that is in memory is read by the addition. */
    if (shares || (!fixed && !q_is_alive(q, n->in[1]) && q_node(q, n->in[1])->host == Q_NO_HOST)) {
        select_alu(q, n, X64_ADD);
        return;
    }
    a = q_use(q, n->in[0]);
    b = fixed ? 0 : q_use(q, n->in[1]);
    dst = q_def(q);
    x64_lea(&q->out, bits, dst, fixed ? x64_at(a, imm) : x64_at_index(a, b, 0, 0));
}

/* A constant is subtracted by LEA if the other operand is needed later: that takes no copy. */
static void select_subtract(struct quick *q, const struct q_node *n)
{
    unsigned bits = q_bits(n->type), a, dst;
    int32_t imm;

    if (!x64_immediate(q, n->in[1], bits, &imm) || imm == INT32_MIN || q_can_share(q, n->in[0])) {
        select_alu(q, n, X64_SUB);
        return;
    }
    a = q_use(q, n->in[0]);
    dst = q_def(q);
    x64_lea(&q->out, bits, dst, x64_at(a, -imm));
}

/* The low bytes of an operand that is needed later are extended: that takes no copy. */
static void select_and(struct quick *q, const struct q_node *n)
{
    unsigned a, dst;
    uint64_t mask;

    if (!q_is_const(q, n->in[1], &mask) || (mask != 0xff && mask != 0xffff) ||
        q_can_share(q, n->in[0])) {
        select_alu(q, n, X64_AND);
        return;
    }
    a = q_use(q, n->in[0]);
    dst = q_def(q);
    x64_movzx(&q->out, mask == 0xff ? 8 : 16, dst, a);
}

static void select_without(struct quick *q, const struct q_node *n)
{
    unsigned a = q_use(q, n->in[0]), b = q_use(q, n->in[1]), dst = q_def(q);

    x64_andn(&q->out, q_bits(n->type), dst, a, b);
}

static void select_scaled(struct quick *q, const struct q_node *n)
{
    unsigned a = q_use(q, n->in[0]), b = q_use(q, n->in[1]), dst = q_def(q);

    x64_lea(&q->out, q_bits(n->type), dst, x64_at_index(a, b, (unsigned)n->imm, 0));
}

static void select_multiply(struct quick *q, const struct q_node *n)
{
    unsigned bits = q_bits(n->type), a, b, dst;
    int32_t imm;

    if (x64_immediate(q, n->in[1], bits, &imm)) {
        a = q_use(q, n->in[0]);
        dst = q_def(q);
        x64_imul_rri(&q->out, bits, dst, a, imm);
        return;
    }
    b = q_use(q, n->in[1]);
    dst = q_def_copy(q, n->in[0]);
    x64_imul_rr(&q->out, bits, dst, b);
}

static void select_high(struct quick *q, const struct q_node *n)
{
    unsigned a = q_use(q, n->in[0]), b = q_use(q, n->in[1]), dst = q_def(q);

    x64_mov_rr(&q->out, 64, RAX, a);
    x64_group3(&q->out, n->sub == JIT_UMULH ? X64_MUL : X64_IMUL, 64, b);
    x64_mov_rr(&q->out, 64, dst, RDX);
}

/* Total division. By 0: quotient 0 and remainder a. By -1: quotient -a, remainder 0. */
static void select_divide(struct quick *q, const struct q_node *n)
{
    unsigned bits = q_bits(n->type), a = q_use(q, n->in[0]), b = q_use(q, n->in[1]);
    unsigned dst = q_def(q), from = n->sub == JIT_DIV ? RAX : RDX;
    bool with_sign = q_base(n->type) == JIT_SINT;
    uint8_t *divides, *done, *negates = NULL, *done_too = NULL;
    struct q_buffer *x = &q->out;

    x64_mov_rr(x, bits, RAX, a);
    x64_test_rr(x, bits, b, b);
    divides = x64_jcc(x, CC_NE);
    x64_mov_rr(x, bits, RDX, RAX);
    x64_mov_ri(x, RAX, 0);
    done = x64_jmp(x);
    x64_bind(x, divides);
    if (with_sign) {
        x64_alu_ri(x, X64_CMP, bits, b, -1);
        negates = x64_jcc(x, CC_E);
        x64_cqo(x, bits);
        x64_group3(x, X64_IDIV, bits, b);
        done_too = x64_jmp(x);
        x64_bind(x, negates);
        x64_group3(x, X64_NEG, bits, RAX);
        x64_mov_ri(x, RDX, 0);
        x64_bind(x, done_too);
    } else {
        x64_mov_ri(x, RDX, 0);
        x64_group3(x, X64_DIV, bits, b);
    }
    x64_bind(x, done);
    x64_mov_rr(x, bits, dst, from);
}

/* ---- shifts ---------------------------------------------------------------------------------- */

static void select_rotate(struct quick *q, const struct q_node *n)
{
    unsigned bits = q_bits(n->type), a = q_use(q, n->in[0]), amount, dst;
    bool left = n->sub == JIT_ROL;
    struct q_buffer *x = &q->out;
    uint64_t fixed;

    if (q_is_const(q, n->in[1], &fixed)) {
        dst = q_def(q);
        x64_rorx(x, bits, dst, a, (unsigned)(left ? 0 - fixed : fixed) & (bits - 1));
        return;
    }
    amount = q_use(q, n->in[1]);
    dst = q_def(q);
    x64_shift_rrr(x, left ? X64_SHL : X64_SHR, bits, RAX, a, amount);
    x64_mov_rr(x, 32, RDX, amount);
    x64_group3(x, X64_NEG, 32, RDX);
    x64_shift_rrr(x, left ? X64_SHR : X64_SHL, bits, RDX, a, RDX);
    x64_alu_rr(x, X64_OR, bits, RAX, RDX);
    x64_mov_rr(x, bits, dst, RAX);
}

static void select_shift(struct quick *q, const struct q_node *n)
{
    enum x64_shift op = n->sub == JIT_SHL             ? X64_SHL
                        : q_base(n->type) == JIT_SINT ? X64_SAR
                                                      : X64_SHR;
    unsigned bits = q_bits(n->type), a, amount, dst;
    uint64_t fixed;

    if (q_is_const(q, n->in[1], &fixed)) {
        dst = q_def_copy(q, n->in[0]);
        x64_shift_ri(&q->out, op, bits, dst, (unsigned)fixed);
        return;
    }
    a = q_use(q, n->in[0]);
    amount = q_use(q, n->in[1]);
    dst = q_def(q);
    x64_shift_rrr(&q->out, op, bits, dst, a, amount);
}

static void select_binary(struct quick *q, const struct q_node *n)
{
    switch (n->sub) {
    case JIT_ADD:
        select_add(q, n);
        break;
    case JIT_SUB:
        select_subtract(q, n);
        break;
    case JIT_AND:
        select_and(q, n);
        break;
    case Q_WITHOUT:
        select_without(q, n);
        break;
    case JIT_OR:
        select_alu(q, n, X64_OR);
        break;
    case JIT_XOR:
        select_alu(q, n, X64_XOR);
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

static void reverse_bits(struct quick *q, unsigned bits, unsigned r)
{
    static const uint64_t masks[] = {UINT64_C(0x0f0f0f0f0f0f0f0f), UINT64_C(0x3333333333333333),
                                     UINT64_C(0x5555555555555555)};
    struct q_buffer *x = &q->out;

    x64_bswap(x, bits, r);
    for (unsigned n = 0; n < 3; n++) {
        x64_mov_ri(x, RDX, masks[n]);
        x64_mov_rr(x, bits, RAX, r);
        x64_shift_ri(x, X64_SHR, bits, RAX, 4 >> n);
        x64_alu_rr(x, X64_AND, bits, RAX, RDX);
        x64_alu_rr(x, X64_AND, bits, r, RDX);
        x64_shift_ri(x, X64_SHL, bits, r, 4 >> n);
        x64_alu_rr(x, X64_OR, bits, r, RAX);
    }
}

static void select_unary(struct quick *q, const struct q_node *n)
{
    unsigned bits = q_bits(n->type), a, dst;

    switch (n->sub) {
    case JIT_NOT:
    case JIT_NEG:
        dst = q_def_copy(q, n->in[0]);
        x64_group3(&q->out, n->sub == JIT_NOT ? X64_NOT : X64_NEG, bits, dst);
        break;
    case JIT_ABS:
        a = q_use(q, n->in[0]);
        dst = q_def(q);
        x64_mov_rr(&q->out, bits, RAX, a);
        x64_group3(&q->out, X64_NEG, bits, RAX);
        x64_cmov(&q->out, CC_S, bits, RAX, a);
        x64_mov_rr(&q->out, bits, dst, RAX);
        break;
    case JIT_BSWAP:
        dst = q_def_copy(q, n->in[0]);
        x64_bswap(&q->out, bits, dst);
        break;
    case JIT_BITREV:
        dst = q_def_copy(q, n->in[0]);
        reverse_bits(q, bits, dst);
        break;
    default:
        a = q_use(q, n->in[0]);
        dst = q_def(q);
        x64_count_rr(&q->out,
                     n->sub == JIT_CLZ   ? X64_LZCNT
                     : n->sub == JIT_CTZ ? X64_TZCNT
                                         : X64_POPCNT,
                     bits, dst, a);
    }
}

static void select_extension(struct quick *q, const struct q_node *n)
{
    unsigned bits = (unsigned)n->imm, a, dst;
    struct x64_mem m;

    if (q_node(q, n->in[0])->flags & QF_SIGNED) {
        q_def_copy(q, n->in[0]);
        return;
    }
    if (q_node(q, n->in[0])->next == Q_NEVER && x64_in_memory(q, n->in[0], bits, &m)) {
        dst = q_def(q);
        if (n->op == Q_ZEXT)
            x64_load(&q->out, bits, dst, m);
        else
            x64_load_signed(&q->out, 64, bits, dst, m);
        return;
    }
    a = q_use(q, n->in[0]);
    dst = q_def(q);
    if (n->op == Q_ZEXT)
        x64_movzx(&q->out, bits, dst, a);
    else
        x64_movsx(&q->out, 64, bits, dst, a);
}

/* ---- guards ---------------------------------------------------------------------------------- */

static enum x64_cc test_ints(struct quick *q, const struct q_node *n)
{
    unsigned bits = q_bits(n->type), a;
    uint64_t mask;
    int32_t imm;

    if (q_in_vector(n->type)) {
        x64_test_vectors(q, n->in[0], n->in[1]);
        return n->sub == JIT_EQ ? CC_E : CC_NE;
    }
    a = q_use(q, n->in[0]);
    if (x64_immediate(q, n->in[1], bits, &imm)) {
        x64_test_ri(&q->out, imm < 0 ? bits : 32, a, imm);
    } else if (q_is_const(q, n->in[1], &mask) && mask && !(mask & (mask - 1))) {
        x64_bt_ri(&q->out, bits, a, (unsigned)__builtin_ctzll(mask));
        return n->sub == JIT_EQ ? CC_AE : CC_B;
    } else {
        x64_test_rr(&q->out, bits, a, q_use(q, n->in[1]));
    }
    return n->sub == JIT_EQ ? CC_E : CC_NE;
}

void x64_select_guard(struct quick *q)
{
    const struct q_node n = *q_node(q, q->at);
    enum x64_cc cc =
        n.op == Q_GUARD ? x64_compare(q, n.sub, n.type, n.in[0], n.in[1]) : test_ints(q, &n);
    uint32_t leave = q_leave_prepare(q, &q->side_exits.data[n.imm]);

    q_leave_jump(q, x64_jcc(&q->out, (enum x64_cc)(cc ^ 1)), leave);
}

/* ---- dispatch -------------------------------------------------------------------------------- */

static bool uses_vectors(struct quick *q, const struct q_node *n)
{
    bool vectors = q_in_vector(n->result);

    if (q_is_ordered(n->op == Q_SELECT ? n->from : n->type))
        return vectors; /* the comparison is x64_compare()'s */
    for (unsigned k = 0; k < 4 && !vectors; k++)
        vectors = n->in[k] && q_in_vector(q_node(q, n->in[k])->result);
    return vectors;
}

void x64_select(struct quick *q)
{
    const struct q_node n = *q_node(q, q->at);

    if (uses_vectors(q, &n)) {
        x64_select_vector(q);
        return;
    }
    switch (n.op) {
    case Q_UNARY:
        select_unary(q, &n);
        break;
    case Q_BINARY:
        select_binary(q, &n);
        break;
    case Q_SELECT: /* also by floats */
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
        x64_select_vector(q);
    }
}
