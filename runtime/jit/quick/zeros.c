/*
 * Zeros above values in vector registers. A guest that writes a scalar float, or a vector of 64
 * bits, clears the rest of the register: a Q_LOW of the value. Where the host's operations keep
 * zeros that all of their operands have there, the value is what the guest's register gets. So
 * exits and bridges store it as it is, and if it is spilled, then to the guest register's place.
 *
 * Runs behind the last simplification, before values have places.
 */
#include "runtime/base/alloc.h"
#include "runtime/jit/quick/emit.h"
#include "runtime/jit/quick/target.h"

static uint8_t constant_zeros(const struct q_node *n)
{
    const struct q_vec v = q_constant_words(n);

    return v.w[1] ? Q_ALL_BITS : v.w[0] >> 32 ? 64 : 32;
}

/* The first of the upper bits of the node's register that are zero, from `zeros` of the nodes
 * before. */
static uint8_t zeros_of(const struct quick *q, const struct q_node *n, const uint8_t *zeros)
{
    const uint8_t operands[3] = {zeros[n->in[0]], zeros[n->in[1]], zeros[n->in[2]]};

    switch (n->op) {
    case Q_LOW:
        return (uint8_t)(n->imm < operands[0] ? n->imm : operands[0]);
    case Q_LOAD:
        return n->when ? Q_ALL_BITS : n->sub < 4 ? 32 : (uint8_t)(n->sub * 8);
    case Q_CONST:
        if (n->sub || q_bits(n->type) > 64)
            return constant_zeros(n);
        break;
    default:
        break;
    }
    return q_target.zeros_from(q, n, operands);
}

/* Lets the node's operands be values whose zeros need not be made. A constant of a float stays: its
 * words are those of all lanes where exits store it. */
static void take_without_low(struct quick *q, struct q_node *n, const uint8_t *zeros)
{
    for (unsigned k = 0; k < 4; k++) {
        const struct q_node *low = q_node(q, n->in[k]);

        if (low->op == Q_LOW && q_in_vector(low->result) && zeros[low->in[0]] <= low->imm &&
            q_node(q, low->in[0])->op != Q_CONST)
            n->in[k] = low->in[0];
    }
}

void q_drop_zeros(struct quick *q)
{
    uint8_t *zeros;

    if (!q_target.zeros_from)
        return;
    zeros = xcalloc(q->nodes.len, 1);
    zeros[Q_NONE] = Q_ALL_BITS;
    for (uint32_t at = 1; at < q->nodes.len; at++) {
        struct q_node *n = q_node(q, at);

        take_without_low(q, n, zeros);
        zeros[at] = n->result && q_in_vector(n->result) ? zeros_of(q, n, zeros) : Q_ALL_BITS;
    }
    free(zeros);
}
