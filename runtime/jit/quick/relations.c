/*
 * Comparisons of the same operands: which relations each one means, whether one is the opposite of
 * another, and whether a guard that held, or did not, decides the value of one.
 */
#include "runtime/jit/quick/simplify.h"
#include "runtime/jit/quick/tier.h"

unsigned q_inverse(unsigned op)
{
    static const uint8_t inverse[] = {
        [JIT_EQ] = JIT_NE,
        [JIT_NE] = JIT_EQ,
        [JIT_LT] = JIT_GE,
        [JIT_GE] = JIT_LT,
        [JIT_LE] = JIT_GT,
        [JIT_GT] = JIT_LE,
        [Q_MINUS] = Q_PLUS,
        [Q_PLUS] = Q_MINUS,
        [Q_OVERFLOW] = Q_NO_OVERFLOW,
        [Q_NO_OVERFLOW] = Q_OVERFLOW,
    };

    return inverse[op];
}

unsigned q_swapped_comparison(unsigned op)
{
    switch (op) {
    case JIT_LT:
        return JIT_GT;
    case JIT_GT:
        return JIT_LT;
    case JIT_LE:
        return JIT_GE;
    case JIT_GE:
        return JIT_LE;
    default:
        return op;
    }
}

/* The relations (less, equal, greater) for which a comparison holds, as a set; 0: it is another
 * comparison. */
unsigned q_relation_of(unsigned op)
{
    static const uint8_t relation[] = {
        [JIT_EQ] = Q_EQUAL,          [JIT_NE] = Q_LESS | Q_GREATER, [JIT_LT] = Q_LESS,
        [JIT_LE] = Q_LESS | Q_EQUAL, [JIT_GT] = Q_GREATER,          [JIT_GE] = Q_GREATER | Q_EQUAL,
        [Q_NO_OVERFLOW] = 0,
    };

    return relation[op];
}

unsigned q_op_of(unsigned relation)
{
    static const uint8_t op[] = {0, JIT_LT, JIT_EQ, JIT_LE, JIT_GT, JIT_NE, JIT_GE, 0};

    return op[relation];
}

/* Swaps the operands of a comparison, if there is an operation for that. */
static bool swap_operands(struct q_node *n)
{
    uint32_t a = n->in[0];

    if (n->sub >= Q_MINUS)
        return false;
    n->sub = (uint8_t)q_swapped_comparison(n->sub);
    n->in[0] = n->in[1];
    n->in[1] = a;
    return true;
}

/* Whether two comparisons have the same operands; then brings them into the same order. */
bool q_same_operands(struct q_node *x, struct q_node *y)
{
    if (!q_is_condition(x) || !q_is_condition(y) || q_bits(x->type) != q_bits(y->type))
        return false;
    if (x->in[0] == y->in[0] && x->in[1] == y->in[1])
        return true;
    return x->in[0] == y->in[1] && x->in[1] == y->in[0] && (swap_operands(y) || swap_operands(x));
}

/* Whether one condition is the negation of the other. */
bool q_are_opposite(const struct quick *q, uint32_t a, uint32_t b)
{
    struct q_node x = q->nodes.data[a], y = q->nodes.data[b];

    return q_same_operands(&x, &y) && y.sub == q_inverse(x.sub) && x.type == y.type;
}

/* Whether a comparison's value follows from that of another one, which held or did not: *value. */
bool q_follows_one(const struct q_node *one, bool held, const struct q_node *n, bool *value)
{
    struct q_node f = *one, x = *n;
    unsigned rf, rx;

    f.op = Q_BINARY;
    f.sub = (uint8_t)(held ? f.sub : q_inverse(f.sub));
    if (!q_same_operands(&f, &x))
        return false;
    rf = q_relation_of(f.sub);
    rx = q_relation_of(x.sub);
    if (f.sub == JIT_EQ) {
        *value = quick_evaluate_binary(x.sub, x.type, 0, 0) != 0;
        return true;
    }
    if (!rf || !rx || (f.sub > JIT_NE && x.sub > JIT_NE && f.type != x.type))
        return false;
    *value = !(rf & ~rx);
    return *value || !(rf & rx);
}

/* Whether a value follows from two comparisons that both held, or that did not both hold:
 * *value. */
static bool follows_two(const struct quick *q, const uint32_t *in, bool held,
                        const struct q_node *n, bool *value)
{
    const struct q_node *nodes = q->nodes.data;

    if (!q_is_condition(&nodes[in[0]]) || !q_is_condition(&nodes[in[1]]))
        return false;
    if (held)
        return q_follows_one(&nodes[in[0]], true, n, value) ||
               q_follows_one(&nodes[in[1]], true, n, value);
    *value = n->sub == JIT_OR;
    if (n->op != Q_BINARY || n->sub != JIT_OR)
        return false;
    return (q_are_opposite(q, n->in[0], in[0]) && q_are_opposite(q, n->in[1], in[1])) ||
           (q_are_opposite(q, n->in[0], in[1]) && q_are_opposite(q, n->in[1], in[0]));
}

/* Whether a comparison of a & b with 0 follows from a test of a & b: *value. */
static bool follows_test(const struct quick *q, const struct q_node *test, bool held,
                         const struct q_node *n, bool *value)
{
    const struct q_node *both = &q->nodes.data[n->in[0]];
    struct q_node zero = *test;
    uint64_t bits;

    if (!q_is_condition(n) || !q_is_const(q, n->in[1], &bits) || bits || both->op != Q_BINARY ||
        both->sub != JIT_AND || both->in[0] != test->in[0] || both->in[1] != test->in[1] ||
        q_bits(both->type) != q_bits(test->type) || q_bits(n->type) < q_bits(both->type))
        return false;
    zero.in[0] = n->in[0];
    zero.in[1] = n->in[1];
    return q_follows_one(&zero, held, n, value);
}

bool q_follows(const struct quick *q, const struct q_node *guard, bool held, const struct q_node *n,
               bool *value)
{
    if (guard->op == Q_GUARD)
        return q_follows_one(guard, held, n, value);
    return guard->op == Q_GUARD_TEST &&
           (follows_test(q, guard, held, n, value) ||
            follows_two(q, guard->in, held == (guard->sub == JIT_NE), n, value));
}
