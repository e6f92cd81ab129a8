/* What operands of vectors, and comparisons of floats, are to selection: the same for all hosts. */
#include "runtime/jit/quick/emit.h"

struct q_vec q_constant_words(const struct q_node *n)
{
    unsigned width = q_lane_bits(n->type);
    uint64_t low = n->imm;

    if (n->sub)
        return (struct q_vec){{low, n->imm2}};
    if (width == 128)
        return (struct q_vec){{low, q_is_signed(n->type) && low >> 63 ? ~UINT64_C(0) : 0}};
    if (width < 64)
        low &= (UINT64_C(1) << width) - 1;
    for (; width < 64; width *= 2)
        low |= low << width;
    return (struct q_vec){{low, low}};
}

enum q_amount q_amount_of(const struct quick *q, const struct q_node *n, uint64_t *fixed)
{
    const jit_type t = n->from;

    if (q_base(t) != JIT_FLOAT && q_is_const(q, n->in[1], fixed) &&
        (q_lanes(t) == 1 || q_lane_bits(q->nodes.data[n->in[1]].type) == q_lane_bits(t))) {
        if (q_lane_bits(t) < 64)
            *fixed &= (UINT64_C(1) << q_lane_bits(t)) - 1;
        return Q_AMOUNT_FIXED;
    }
    if (q_base(t) != JIT_FLOAT && q_lanes(t) == 1 && !q_is_in_vector(q, n->in[1]))
        return Q_AMOUNT_SCALAR;
    if (q_is_int_vector(t) && q_lanes(t) == q_lanes(n->type) &&
        q_lane_bits(t) == q_lane_bits(n->type))
        return Q_AMOUNT_LANES;
    return Q_AMOUNT_OTHER;
}

bool q_is_shift(const struct quick *q, const struct q_node *n)
{
    uint64_t fixed;
    enum q_amount amount = q_amount_of(q, n, &fixed);

    if (q_is_int128(n->type))
        return amount == Q_AMOUNT_FIXED && (n->sub == JIT_SHL || !q_is_signed(n->type));
    return q_is_int_vector(n->type) && amount != Q_AMOUNT_OTHER;
}

bool q_is_only_tested(const struct quick *q, const struct q_node *n)
{
    const struct q_node *trap = n->next == Q_NEVER ? NULL : &q->nodes.data[n->next];

    return n->sub >= JIT_LT && !n->keep && trap && trap->op == Q_TRAP &&
           trap->next_in[0] == Q_NEVER;
}
