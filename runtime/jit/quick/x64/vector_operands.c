/* Operands and constants in vector registers, for the files that select vector code. */
#include "runtime/jit/quick/x64/select_vector.h"

/* The words of a constant in a register; a scalar float has zeros above. */
static struct q_vec words_of(const struct q_node *n)
{
    struct q_vec v = q_constant_words(n);

    if (q_is_float_scalar(n->type))
        v = (struct q_vec){{q_bits(n->type) == 32 ? (uint32_t)v.w[0] : v.w[0], 0}};
    return v;
}

/* Whether the node is a constant that no register holds, and that is not made without memory:
 * *m. */
static bool constant_operand(struct quick *q, uint32_t node, struct x64_mem *m)
{
    const struct q_node *n = q_node(q, node);
    struct q_vec v;

    if (n->op != Q_CONST || n->host != Q_NO_HOST || !n->result || !q_in_vector(n->result))
        return false;
    v = words_of(n);
    if (v.w[0] == v.w[1] && (!v.w[0] || !~v.w[0]))
        return false;
    return x64_pooled(&q->out, v.w[0], v.w[1], m);
}

struct x64_operand x64_operand_of(struct quick *q, uint32_t node, unsigned bits)
{
    struct x64_operand o = {0};

    o.in_memory = x64_in_memory(q, node, bits, &o.m) || constant_operand(q, node, &o.m);
    if (!o.in_memory)
        o.reg = q_use_x(q, node);
    return o;
}

struct x64_operand x64_constant(struct q_buffer *x, uint64_t low, uint64_t high, unsigned scratch)
{
    struct x64_operand o = {.reg = scratch};

    o.in_memory = x64_pooled(x, low, high, &o.m);
    if (!o.in_memory)
        x64_load_pattern(x, scratch, low, high);
    return o;
}

void x64_v(struct quick *q, x64_vop op, unsigned dst, unsigned a, const struct x64_operand *b)
{
    if (b->in_memory)
        x64_v_rrm(&q->out, op, dst, a, b->m);
    else
        x64_v_rrr(&q->out, op, dst, a, b->reg);
}

void x64_vi(struct quick *q, x64_vop op, unsigned dst, unsigned a, const struct x64_operand *b,
            uint8_t imm)
{
    if (b->in_memory)
        x64_v_rrmi(&q->out, op, dst, a, b->m, imm);
    else
        x64_v_rrri(&q->out, op, dst, a, b->reg, imm);
}

void x64_shift_imm(struct q_buffer *x, unsigned which, jit_type t, unsigned dst, unsigned src,
                   uint8_t n)
{
    static const x64_vop groups[] = {0, GROUP_W, GROUP_D, GROUP_Q};

    x64_v_rrri(x, groups[x64_lane_class(t)], which, dst, src, n);
}

/* ---- constants ------------------------------------------------------------------------------- */

/* Whether 64 bits consist of equal parts of that width. */
static bool is_repeated(uint64_t v, unsigned width)
{
    return v == (v >> width | v << (64 - width));
}

/* Loads a pattern whose lanes have ones at one end and zeros at the other, by shifting all ones. */
static bool load_ones(struct q_buffer *x, unsigned dst, uint64_t v)
{
    for (unsigned width = 64; width >= 16 && (width == 64 || is_repeated(v, width)); width /= 2) {
        jit_type t = JIT_TYPE(JIT_UINT, width, 128 / width);
        uint64_t mask = ~UINT64_C(0) >> (64 - width), lane = v & mask, rest = ~v & mask;
        bool low = (lane & (lane + 1)) == 0, high = (rest & (rest + 1)) == 0;

        if (!low && !high)
            continue;
        x64_ones(x, dst);
        x64_shift_imm(x, low ? IMM_SRL : IMM_SLL, t, dst, dst,
                      (uint8_t)(width - (unsigned)__builtin_popcountll(lane)));
        return true;
    }
    return false;
}

void x64_load_pattern(struct q_buffer *x, unsigned dst, uint64_t low, uint64_t high)
{
    struct x64_mem pooled;

    if (!low && !high) {
        x64_zero(x, dst);
    } else if (!~low && !~high) {
        x64_ones(x, dst);
    } else if (x64_pooled(x, low, high, &pooled)) {
        x64_vload(x, 128, dst, pooled);
    } else if (low == high && load_ones(x, dst, low)) {
        return;
    } else if (low == high && is_repeated(low, 32)) {
        x64_mov_ri(x, Q_SCRATCH, (uint32_t)low);
        x64_vmov_from_gpr(x, 32, dst, Q_SCRATCH);
        x64_v_rrr(x, VPBROADCASTD, dst, X64_NO_VVVV, dst);
    } else {
        x64_mov_ri(x, Q_SCRATCH, low);
        x64_vmov_from_gpr(x, low >> 32 ? 64 : 32, dst, Q_SCRATCH);
        if (low == high) {
            x64_v_rrr(x, VPUNPCKLQDQ, dst, dst, dst);
        } else if (high) {
            x64_mov_ri(x, Q_SCRATCH, high);
            x64_v_rrri(x, VPINSRQ, dst, dst, Q_SCRATCH, 1);
        }
    }
}

void x64_load_vector(struct quick *q, unsigned dst, const struct q_node *n)
{
    struct q_vec v = words_of(n);

    /* The rest of the register may be anything: zero, unless ones make the constant cheaper. */
    if (!q->out.pool && !n->sub && q_bits(n->type) <= 64 && !q_is_float_scalar(n->type) && v.w[0] &&
        ~v.w[0]) {
        if (load_ones(&q->out, dst, v.w[0]))
            return;
        v.w[0] = q_bits(n->type) <= 32 ? (uint32_t)v.w[0] : v.w[0];
        v.w[1] = 0;
    }
    x64_load_pattern(&q->out, dst, v.w[0], v.w[1]);
}

bool x64_is_zero(const struct quick *q, uint32_t node)
{
    const struct q_node *n = &q->nodes.data[node];
    uint64_t bits;

    if (n->op == Q_CONST && n->sub)
        return !n->imm && !n->imm2;
    return q_is_const(q, node, &bits) && bits == 0;
}
