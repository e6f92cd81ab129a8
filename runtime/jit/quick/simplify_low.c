/*
 * Values of 32 bits in registers of 64, with their signs above, as RV64 has all results of 32 bits.
 * What is computed of two of them with AND, OR and XOR has its sign above, too, and they compare as
 * their low halves do.
 */
#include "runtime/jit/quick/simplify.h"

enum { SIGN_LEVELS = 4 /* of operations that are looked through */ };

/* Whether the upper half of a value is the sign of the lower one. */
static bool has_sign_above(const struct quick *q, uint32_t a, unsigned depth)
{
    const struct q_node *n = &q->nodes.data[a];
    uint64_t c;

    if (q_is_const(q, a, &c))
        return (int64_t)c == (int32_t)c;
    if (n->op == Q_SEXT || (n->known < 32 && !q_in_vector(n->result)))
        return true;
    return depth && n->op == Q_BINARY && n->sub >= JIT_AND && n->sub <= JIT_XOR &&
           q_bits(n->type) == 64 && !q_in_vector(n->result) &&
           has_sign_above(q, n->in[0], depth - 1) && has_sign_above(q, n->in[1], depth - 1);
}

/* What has the same low half, without an extension that takes an instruction: a load extends what
 * it loads at no cost. */
uint32_t q_low_half(const struct quick *q, uint32_t a)
{
    const struct q_node *n = &q->nodes.data[a];

    return n->op == Q_SEXT && n->imm == 32 && q->nodes.data[n->in[0]].op != Q_LOAD ? n->in[0] : a;
}

/* Whether two values have their signs above, and computing with their low halves spares an
 * extension. */
bool q_are_halves_enough(const struct quick *q, uint32_t a, uint32_t b)
{
    return (q_low_half(q, a) != a || q_low_half(q, b) != b) && has_sign_above(q, a, SIGN_LEVELS) &&
           has_sign_above(q, b, SIGN_LEVELS);
}

uint32_t q_extension(struct quick *q, unsigned op, unsigned bits, uint32_t a)
{
    return q_share(q, (struct q_node){.op = (uint8_t)op,
                                      .type = JIT_U64,
                                      .result = JIT_U64,
                                      .known = (uint8_t)(op == Q_SEXT ? 64 : bits),
                                      .imm = bits,
                                      .in = {a}});
}

/* A shift left and back as a sign extension; or 0. */
uint32_t q_sign_of_shifted(struct quick *q, jit_type t, uint32_t a, uint64_t c)
{
    const struct q_node n = *q_node(q, a);
    unsigned left = q_bits(t) - (unsigned)c;
    uint64_t by;

    if (n.op != Q_BINARY || n.sub != JIT_SHL || q_bits(n.type) != q_bits(t) ||
        !q_is_const(q, n.in[1], &by) || by != c || (left != 8 && left != 16 && left != 32))
        return 0;
    return q_extension(q, Q_SEXT, left, n.in[0]);
}
