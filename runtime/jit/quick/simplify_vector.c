/*
 * Operations on vectors that hosts do in one instruction, and translators express by several. Nodes
 * that are not needed then are dead, and dropped as such.
 */
#include "runtime/jit/quick/simplify.h"

static const struct q_node *node_at(const struct quick *q, uint32_t n)
{
    return &q->nodes.data[n];
}

static bool is_binary(const struct q_node *n, unsigned op)
{
    return n->op == Q_BINARY && n->sub == op && n->result && q_in_vector(n->result);
}

static bool is_not(const struct q_node *n)
{
    return n->op == Q_UNARY && n->sub == JIT_NOT && q_in_vector(n->result);
}

/* a & ~b. */
static void simplify_and_not(const struct quick *q, struct q_node *n)
{
    for (unsigned k = 0; k < 2; k++) {
        const struct q_node *inverted = node_at(q, n->in[k]);

        if (is_not(inverted)) {
            *n = (struct q_node){.op = Q_BINARY,
                                 .sub = Q_WITHOUT,
                                 .type = n->type,
                                 .result = n->result,
                                 .in = {n->in[1 - k], inverted->in[0]}};
            return;
        }
    }
}

/* Bytes by their numbers modulo 16, where the numbers are below 16: 0 for others. */
static void simplify_shuffle(const struct quick *q, struct q_node *n)
{
    for (unsigned k = 0; k < 2; k++) {
        const struct q_node *s = node_at(q, n->in[k]), *below = node_at(q, n->in[1 - k]),
                            *modulo = node_at(q, s->in[1]);
        uint64_t mask, limit;

        if (s->op == Q_SHUFFLE && is_binary(modulo, JIT_AND) && is_binary(below, JIT_LT) &&
            below->type == JIT_TYPE(JIT_UINT, 8, 16) && below->in[0] == modulo->in[0] &&
            q_is_const(q, below->in[1], &limit) && limit == 16 &&
            q_is_const(q, modulo->in[1], &mask) && mask == 15) {
            *n = *s;
            n->in[1] = modulo->in[0];
            return;
        }
    }
}

/* m ? a : b, with lanes as in comparison m: the minimum or maximum, if m compares a and b. */
static void simplify_select(const struct quick *q, struct q_node *n, uint32_t m, uint32_t a,
                            uint32_t b)
{
    const struct q_node *mask = node_at(q, m);
    bool same = mask->in[0] == a && mask->in[1] == b,
         swapped = mask->in[0] == b && mask->in[1] == a;
    bool less = mask->sub == JIT_LT || mask->sub == JIT_LE, equal = mask->sub <= JIT_NE;
    jit_type t = mask->type;

    if ((same || swapped) && !equal && q_is_int_vector(t) && q_lane_bits(t) < 64) {
        *n = (struct q_node){.op = Q_BINARY,
                             .sub = same == less ? Q_LEAST : Q_GREATEST,
                             .type = t,
                             .result = n->result,
                             .in = {a, b}};
        return;
    }
    t = JIT_TYPE(JIT_UINT, q_lane_bits(t), q_lanes(t));
    *n = (struct q_node){.op = Q_BLEND, .type = t, .from = t, .result = n->result, .in = {m, a, b}};
}

/* (a & m) | (b & ~m). */
static void simplify_merge(const struct quick *q, struct q_node *n)
{
    for (unsigned k = 0; k < 2; k++) {
        const struct q_node *with = node_at(q, n->in[k]), *rest = node_at(q, n->in[1 - k]);
        uint32_t m = rest->in[1];
        unsigned at;

        if (!is_binary(with, JIT_AND) || !is_binary(rest, Q_WITHOUT) ||
            (with->in[0] != m && with->in[1] != m))
            continue;
        at = with->in[0] == m ? 1 : 0;
        if (!q_is_comparison(node_at(q, m)) || q_lanes(node_at(q, m)->type) < 2 ||
            q_bits(node_at(q, m)->type) != q_bits(n->type))
            return;
        simplify_select(q, n, m, with->in[at], rest->in[0]);
        return;
    }
}

void q_simplify_vector(const struct quick *q, struct q_node *n)
{
    if (n->op == Q_BLEND) {
        const struct q_node *mask = node_at(q, n->in[0]);

        if (q_is_comparison(mask) && q_lanes(mask->type) > 1 &&
            q_lane_bits(mask->type) == q_lane_bits(n->type) &&
            q_bits(mask->type) == q_bits(n->type))
            simplify_select(q, n, n->in[0], n->in[1], n->in[2]);
    } else if (n->op == Q_BINARY && q_in_vector(n->type) && q_base(n->type) != JIT_FLOAT) {
        if (n->sub == JIT_AND)
            simplify_and_not(q, n);
        else if (n->sub == JIT_OR)
            simplify_merge(q, n);
        if (n->sub == JIT_AND)
            simplify_shuffle(q, n);
    }
}
