/* Calls of C functions for which the host has instructions (runtime/fp/crypto_ops.h). */
#include "runtime/fp/crypto_ops.h"
#include "runtime/jit/quick/halves.h"
#include "runtime/jit/quick/target.h"

static const jit_type vector = JIT_TYPE(JIT_UINT, 64, 2);

/* Two steps in a row that the host does in one. */
static void join_steps(const struct quick *q, struct q_node *n)
{
    const struct q_node *before = &q->nodes.data[n->in[0]];
    bool round = n->sub == CRYPTO_MIX && before->sub == CRYPTO_ENCRYPT,
         back = n->sub == CRYPTO_UNMIX && before->sub == CRYPTO_DECRYPT;

    if (before->op != Q_CRYPTO || !(round || back))
        return;
    *n = *before;
    n->sub = round ? CRYPTO_ROUND : CRYPTO_UNROUND;
}

q_value q_known_call(struct quick *q, const struct jit_callee *f, const q_value *args)
{
    struct q_node n = {
        .op = Q_CRYPTO, .sub = (uint8_t)crypto_op_of(f->fn), .type = vector, .result = vector};

    if (!n.sub || !q_target.can_select(q, &n))
        return 0;
    for (unsigned k = 0; k < 3 && 2 * k + 1 < f->count && f->params[2 * k] == JIT_U64; k++)
        n.in[k] = q_vector(q, q_build(q, vector, args + 2 * k));
    join_steps(q, &n);
    return q_value_of(q_share(q, (struct q_node){.op = n.op,
                                                 .sub = n.sub,
                                                 .type = n.type,
                                                 .result = n.result,
                                                 .in = {n.in[0], n.in[1], n.in[2]}}),
                      vector);
}
