/* Comparisons of integers, and of ordered floats, into the host's flags. */
#include "runtime/jit/quick/x64/select_vector.h"

static bool fits_immediate(uint64_t v, unsigned bits, int32_t *imm)
{
    int64_t s = bits == 32 ? (int32_t)(uint32_t)v : (int64_t)v;

    *imm = (int32_t)s;
    return s == *imm;
}

bool x64_immediate(const struct quick *q, uint32_t node, unsigned bits, int32_t *imm)
{
    uint64_t v;

    return node && q_is_const(q, node, &v) && fits_immediate(v, bits, imm);
}

enum x64_cc x64_condition(unsigned sub, jit_type t)
{
    static const uint8_t with_sign[] = {CC_E,  CC_NE, CC_L,  CC_LE, CC_G,
                                        CC_GE, CC_S,  CC_NS, CC_O,  CC_NO};
    static const uint8_t without[] = {CC_E,  CC_NE, CC_B,  CC_BE, CC_A,
                                      CC_AE, CC_S,  CC_NS, CC_O,  CC_NO};

    return (enum x64_cc)(q_base(t) == JIT_SINT ? with_sign : without)[sub - JIT_EQ];
}

/* Whether a value is only in a slot of one byte, and need not be in a register: *m. */
static bool byte_in_slot(struct quick *q, uint32_t node, struct x64_mem *m)
{
    const struct q_node *n = q_node(q, node);

    if (n->host != Q_NO_HOST || n->spill >= 0 || n->slot < 0 || n->next != Q_NEVER ||
        q->map->slots.data[n->slot].size != 1)
        return false;
    *m = x64_place(q_slot_place(q, (uint32_t)n->slot));
    return true;
}

void x64_note_compared(struct quick *q, jit_type t, uint32_t a, uint32_t b)
{
    q->compared.end = q->out.at;
    q->compared.type = t;
    q->compared.a = a;
    q->compared.b = b;
}

/* Whether the flags are those of the comparison, and nothing has been emitted behind it. */
static bool is_in_flags(const struct quick *q, jit_type t, uint32_t a, uint32_t b)
{
    return q->compared.end == q->out.at && q_bits(q->compared.type) == q_bits(t) &&
           q->compared.a == a && q->compared.b == b;
}

/* The flags are those of integers without sign: carry for less. The operands have been compared
 * before, and have not trapped. */
static enum x64_cc compare_ordered(struct quick *q, unsigned sub, jit_type t, uint32_t a,
                                   uint32_t b)
{
    struct x64_operand o;
    unsigned r;

    if (!is_in_flags(q, t, a, b)) {
        r = q_use_x(q, a);
        o = x64_operand_of(q, b, q_bits(t));
        x64_v(q, q_bits(t) == 64 ? VUCOMISD : VUCOMISS, r, X64_NO_VVVV, &o);
        x64_note_compared(q, t, a, b);
    }
    return x64_condition(sub, t);
}

enum x64_cc x64_compare(struct quick *q, unsigned sub, jit_type t, uint32_t a, uint32_t b)
{
    unsigned bits = q_bits(t), ra;
    struct x64_mem m;
    int32_t imm;

    if (q_is_ordered(t))
        return compare_ordered(q, sub, t, a, b);
    if (x64_immediate(q, b, bits, &imm)) {
        if (sub <= JIT_NE && imm >= 0 && imm < 256 && byte_in_slot(q, a, &m)) {
            x64_alu_mi(&q->out, X64_CMP, 8, m, (int8_t)imm);
        } else if (q_node(q, a)->next == Q_NEVER && x64_in_memory(q, a, bits, &m)) {
            x64_alu_mi(&q->out, X64_CMP, bits, m, imm);
        } else {
            ra = q_use(q, a);
            if (imm)
                x64_alu_ri(&q->out, X64_CMP, bits, ra, imm);
            else
                x64_test_rr(&q->out, bits, ra, ra);
        }
    } else {
        ra = q_use(q, a);
        if (q_node(q, b)->next == Q_NEVER && x64_in_memory(q, b, bits, &m))
            x64_alu_rm(&q->out, X64_CMP, bits, ra, m);
        else
            x64_alu_rr(&q->out, X64_CMP, bits, ra, q_use(q, b));
    }
    return x64_condition(sub, t);
}
