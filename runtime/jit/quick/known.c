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

static uint32_t step(struct quick *q, enum crypto_op op, uint32_t a, uint32_t b, uint32_t c)
{
    return q_share(
        q,
        (struct q_node){
            .op = Q_CRYPTO, .sub = (uint8_t)op, .type = vector, .result = vector, .in = {a, b, c}});
}

/* Words of two vectors, which may themselves be words of two others: one of these then. */
static uint32_t words_of(struct quick *q, enum crypto_op op, uint32_t a, uint32_t b)
{
    const struct q_node *x = &q->nodes.data[a], *y = &q->nodes.data[b];

    if (x->op == Q_CRYPTO && x->sub == CRYPTO_LOW_WORDS && y->op == Q_CRYPTO &&
        y->sub == CRYPTO_HIGH_WORDS && x->in[0] == y->in[0] && x->in[1] == y->in[1])
        return x->in[op == CRYPTO_HIGH_WORDS];
    return step(q, op, a, b, 0);
}

/* Four rounds of SHA-256 as two times two, which CRYPTO_HASH_1 and 2 share. */
static uint32_t hash_by_rounds(struct quick *q, const struct q_node *n)
{
    bool first = n->sub == CRYPTO_HASH_1;
    uint32_t abcd = n->in[!first], efgh = n->in[first], words = n->in[2],
             feba = words_of(q, CRYPTO_LOW_WORDS, efgh, abcd),
             hgdc = words_of(q, CRYPTO_HIGH_WORDS, efgh, abcd),
             middle = step(q, CRYPTO_ROUNDS_1, hgdc, feba, words),
             last = step(q, CRYPTO_ROUNDS_2, feba, middle, words);

    return step(q, first ? CRYPTO_HIGH_WORDS : CRYPTO_LOW_WORDS, last, middle, 0);
}

q_value q_known_call(struct quick *q, const struct jit_callee *f, const q_value *args)
{
    struct q_node n = {
        .op = Q_CRYPTO, .sub = (uint8_t)crypto_op_of(f->fn), .type = vector, .result = vector};
    struct q_node rounds = n;
    bool by_rounds;

    rounds.sub = CRYPTO_ROUNDS_1;
    by_rounds =
        (n.sub == CRYPTO_HASH_1 || n.sub == CRYPTO_HASH_2) && q_target.can_select(q, &rounds);
    if (!n.sub || (!by_rounds && !q_target.can_select(q, &n)))
        return 0;
    for (unsigned k = 0; k < 3 && 2 * k + 1 < f->count && f->params[2 * k] == JIT_U64; k++)
        n.in[k] = q_vector(q, q_build(q, vector, args + 2 * k));
    if (by_rounds)
        return q_value_of(hash_by_rounds(q, &n), vector);
    join_steps(q, &n);
    return q_value_of(step(q, n.sub, n.in[0], n.in[1], n.in[2]), vector);
}
