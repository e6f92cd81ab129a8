/* Comparisons of integers into the host's flags. */
#include "runtime/jit/quick/x64/host.h"

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

enum x64_cc x64_compare(struct quick *q, unsigned sub, jit_type t, uint32_t a, uint32_t b)
{
    unsigned bits = q_bits(t), ra;
    struct x64_mem m;
    int32_t imm;

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
