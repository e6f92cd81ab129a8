/* Guards of a trace, and the facts that passed guards establish for the rest of it. */
#include "runtime/jit/quick/commit_internal.h"
#include "runtime/jit/quick/job.h"
#include "runtime/jit/quick/target.h"

/* A branch is predictable if the guest has the same successor in 7 of 8 cases. */
enum { USUAL_ODDS = BLOCK_ALWAYS * 7 / 8 };

enum { KNOWN_LEVELS = 3 /* of AND, OR and NOT, through which facts are looked for */ };

uint32_t commit_add_side_exit(struct quick *q, struct q_side_exit out)
{
    out.source = (uint16_t)q->record->source;
    out.index = (uint16_t)q->record->index;
    out.all_ways = q->record->all_ways;
    vec_push(&q->side_exits, out);
    return (uint32_t)q->side_exits.len - 1;
}

/* Whether two nodes have one value: the same node, or equal constants, of which a trace has several
 * nodes. */
static bool is_same(const struct quick *q, uint32_t a, uint32_t b)
{
    uint64_t x, y;

    return a == b || (q_is_const(q, a, &x) && q_is_const(q, b, &y) && x == y);
}

/* Whether earlier guards of the trace imply the fact. That bits are 0 may be known of each of them
 * by another guard. */
static bool is_shown(const struct quick *q, const struct q_fact *f)
{
    const struct quick_trace *t = q->trace;
    bool zeros = f->op == Q_GUARD_TEST && f->sub == JIT_EQ && !q_in_vector(f->type);
    uint64_t left = 0, bits;

    zeros = zeros && q_is_const(q, f->b, &left);
    for (size_t n = 0; n < t->facts.len; n++) {
        const struct q_fact *g = &t->facts.data[n];

        if (g->op != f->op || g->sub != f->sub || g->type != f->type || g->a != f->a)
            continue;
        if (is_same(q, g->b, f->b))
            return true;
        if (zeros && q_is_const(q, g->b, &bits))
            left &= ~bits;
        if (zeros && !left)
            return true;
    }
    return false;
}

static struct q_fact fact_of(const struct q_condition *cond, bool expected)
{
    return (struct q_fact){.op = cond->test ? Q_GUARD_TEST : Q_GUARD,
                           .sub = (uint8_t)(expected ? cond->sub : q_inverse(cond->sub)),
                           .type = cond->type,
                           .a = cond->a,
                           .b = cond->b};
}

bool commit_knows(const struct commit *c, const struct q_condition *cond, bool *value)
{
    struct q_fact yes = fact_of(cond, true), no = fact_of(cond, false);

    *value = is_shown(c->q, &yes);
    return *value || is_shown(c->q, &no);
}

void commit_guard(struct commit *c, const struct q_condition *cond, bool expected,
                  struct q_side_exit out)
{
    struct quick *q = c->q;
    struct q_fact fact = fact_of(cond, expected);

    if (is_shown(q, &fact))
        return;
    if (out.kind == Q_TO_HANDLER && q->trace->changed)
        q_refuse(q, "ways part after something was changed");
    vec_push(&q->trace->facts, fact);
    q_append(q, (struct q_node){.op = fact.op,
                                .sub = fact.sub,
                                .type = fact.type,
                                .imm = commit_add_side_exit(q, out),
                                .in = {fact.a, fact.b, out.address}});
}

/* Lets a guard that tests bits of a shifted value test the value's own bits, so that nothing need
 * be shifted. The mask stays one that hosts have in an instruction. */
static void test_unshifted(struct quick *q, struct q_condition *c)
{
    const struct q_node n = *q_node(q, c->a);
    unsigned bits = q_bits(c->type);
    uint64_t mask, by;

    if (!c->test || n.op != Q_BINARY || n.sub != JIT_SHR || q_bits(n.type) != bits ||
        !q_is_const(q, c->b, &mask) || !mask || !q_is_const(q, n.in[1], &by) || by >= bits ||
        mask << by >> by != mask || (bits == 32 && mask << by > UINT32_MAX) ||
        (mask << by > INT32_MAX && mask & (mask - 1)))
        return;
    c->a = n.in[0];
    c->b = q_number(q_constant(q, JIT_TYPE(JIT_UINT, bits, 1), mask << by));
}

/* The vector of 128 bits whose halves, or-ed, are the value; 0: it is none. */
static uint32_t vector_of_halves(const struct quick *q, const struct q_node *n)
{
    const struct q_node *nodes = q->nodes.data;

    for (unsigned k = 0; n->op == Q_BINARY && n->sub == JIT_OR && k < 2; k++) {
        const struct q_node *low = &nodes[n->in[k]], *high = &nodes[n->in[!k]];
        jit_type t = nodes[low->in[0]].result;

        if (low->op == Q_BITCAST && high->op == Q_EXTRACT && high->imm == 1 &&
            q_lane_bits(high->type) == 64 && high->in[0] == low->in[0] && q_in_vector(t) &&
            q_bits(t) == 128)
            return low->in[0];
    }
    return 0;
}

/* Lets a guard that no bit of a vector is set, as of lanes that were saturated, test it as a whole.
 * Lanes that differ are those with a bit in which they differ. */
static void test_vector(struct quick *q, struct q_condition *c)
{
    const struct q_node whole = {.op = Q_GUARD_TEST, .type = JIT_U128};
    uint32_t v = vector_of_halves(q, q_node(q, c->a));
    const struct q_node n = *q_node(q, v);
    uint64_t bits;

    if (!v || c->test || c->sub > JIT_NE || q_bits(c->type) != 64 || !q_is_const(q, c->b, &bits) ||
        bits || !q_target.can_select(q, &whole))
        return;
    if (n.op == Q_BINARY && n.sub == JIT_NE && q_is_int_vector(n.type))
        v = q_number(q_binary(q, JIT_XOR, JIT_U128, q_value_of(n.in[0], JIT_U128),
                              q_value_of(n.in[1], JIT_U128)));
    *c = (struct q_condition){.sub = c->sub, .test = true, .type = JIT_U128, .a = v, .b = v};
}

/* Whether a condition is the negation of its operand. */
static bool is_opposite(const struct quick *q, const struct q_node *n)
{
    uint64_t bits;

    return n->op == Q_BINARY && !q_in_vector(n->type) && !q_is_ordered(n->type) &&
           q->nodes.data[n->in[0]].known <= 1 && q_is_const(q, n->in[1], &bits) &&
           ((n->sub == JIT_XOR && bits == 1) || (n->sub == JIT_EQ && !bits));
}

/* Whether both operands of an AND are expected, or neither of an OR. */
static bool are_both(const struct quick *q, const struct q_node *n, bool expected)
{
    return n->op == Q_BINARY && n->sub == (expected ? JIT_AND : JIT_OR) && !q_in_vector(n->type) &&
           q->nodes.data[n->in[0]].known <= 1 && q->nodes.data[n->in[1]].known <= 1;
}

/* Whether the end of this block is predictable. Two host branches are cheaper than combining the
 * conditions then; otherwise both are mispredicted. */
static bool is_usual(const struct commit *c)
{
    return !c->d->last || q_facts_of(c->q, c->d->source)->odds >= USUAL_ODDS;
}

/* Whether a 0 or 1 that is computed of conditions is known, of the levels of AND, OR and NOT. */
static bool is_known(const struct commit *c, q_value v, unsigned levels, bool *value)
{
    const struct q_node n = *q_node(c->q, q_number(v));
    struct q_condition cond;
    bool deciding = n.sub == JIT_OR, other;

    if (levels && is_opposite(c->q, &n)) {
        if (!is_known(c, q_value_of(n.in[0], JIT_U8), levels - 1, value))
            return false;
        *value = !*value;
        return true;
    }
    if (levels && (are_both(c->q, &n, true) || are_both(c->q, &n, false))) {
        bool first = is_known(c, q_value_of(n.in[0], JIT_U8), levels - 1, value);

        if (first && *value == deciding)
            return true;
        if (!is_known(c, q_value_of(n.in[1], JIT_U8), levels - 1, &other) ||
            (!first && other != deciding))
            return false;
        *value = other;
        return true;
    }
    if (!q_condition_of(c->q, v, &cond, value))
        return true;
    test_unshifted(c->q, &cond);
    return commit_knows(c, &cond, value);
}

bool commit_shows(const struct commit *c, q_value v, bool *value)
{
    return is_known(c, v, KNOWN_LEVELS, value);
}

/* The value without those of its conditions that are known and do not decide it. */
static q_value without_known(const struct commit *c, q_value v, unsigned levels)
{
    const struct q_node n = *q_node(c->q, q_number(v));
    q_value parts[2];
    bool value;

    if (!levels || (!are_both(c->q, &n, true) && !are_both(c->q, &n, false)))
        return v;
    for (unsigned k = 0; k < 2; k++) {
        if (is_known(c, q_value_of(n.in[k], JIT_U8), levels - 1, &value))
            return value == (n.sub == JIT_OR)
                       ? v
                       : without_known(c, q_value_of(n.in[!k], JIT_U8), levels - 1);
    }
    for (unsigned k = 0; k < 2; k++)
        parts[k] = without_known(c, q_value_of(n.in[k], JIT_U8), levels - 1);
    if (q_number(parts[0]) == n.in[0] && q_number(parts[1]) == n.in[1])
        return v;
    return q_binary(c->q, n.sub, JIT_U8, parts[0], parts[1]);
}

void commit_expect(struct commit *c, q_value v, bool expected, struct q_side_exit out)
{
    struct q_condition cond;
    struct q_node n;
    bool value;

    if (commit_shows(c, v, &value) && value == expected)
        return;
    v = without_known(c, v, KNOWN_LEVELS);
    n = *q_node(c->q, q_number(v));
    if (is_opposite(c->q, &n)) {
        commit_expect(c, q_value_of(n.in[0], JIT_U8), !expected, out);
        return;
    }
    if (are_both(c->q, &n, expected) && (out.kind == Q_TO_HANDLER || is_usual(c))) {
        commit_expect(c, q_value_of(n.in[0], JIT_U8), expected, out);
        commit_expect(c, q_value_of(n.in[1], JIT_U8), expected, out);
        return;
    }
    if (q_condition_of(c->q, v, &cond, &value)) {
        test_unshifted(c->q, &cond);
        test_vector(c->q, &cond);
        commit_guard(c, &cond, expected, out);
    } else if (value != expected)
        q_refuse(c->q, "a way that is never gone");
}
