/*
 * Merging: if the paths from a branch only compute and access memory, and join again, all of them
 * are computed. Results are selected by conditions where they join, and accesses are conditional.
 * That needs no guard, and is cheaper if the paths are short. Rare branches inside of them still
 * have guards.
 */
#include "runtime/jit/quick/commit_internal.h"

struct edge {
    uint32_t from, to;
    q_value taken; /* 0 or 1 */
};

enum { VECTOR_WEIGHT = 6, ACCESS_WEIGHT = 8 };

static bool changes_something(const struct commit *c, const struct raw_block *b)
{
    for (uint32_t n = b->first; n < b->end; n++) {
        const struct raw *raw = &c->d->raws.data[n];

        if (raw->op == Q_LOAD || raw->op == Q_STORE || raw->op == RAW_WRITE)
            return true;
    }
    return false;
}

/* The weight of a block; 0: it does more than compute and access memory. */
static unsigned weight_of(const struct commit *c, const struct raw_block *b)
{
    unsigned weight = 1;

    if (b->pc || b->calls || b->how == RAW_NOWHERE || b->how == RAW_DONE)
        return 0;
    for (uint32_t n = b->first; n < b->end; n++) {
        const struct raw *raw = &c->d->raws.data[n];

        if (raw->op == RAW_CALL || raw->op == RAW_MODE || raw->op == RAW_INEXACT ||
            raw->op == RAW_NANS)
            return 0;
        if (raw->op == Q_LOAD || raw->op == Q_STORE)
            weight += ACCESS_WEIGHT;
        else if (raw->op != Q_CONST && raw->op != RAW_PHI)
            weight += q_in_vector(raw->type) ? VECTOR_WEIGHT : 1;
    }
    return weight;
}

static unsigned edges_to(const uint32_t *open, unsigned count, uint32_t to)
{
    unsigned found = 0;

    for (unsigned n = 0; n < count; n++)
        found += open[n] == to;
    return found;
}

/* Removes the edges to a block from the list; returns the number of those left. */
static unsigned close_edges(uint32_t *open, unsigned count, uint32_t to)
{
    unsigned kept = 0;

    for (unsigned n = 0; n < count; n++) {
        if (open[n] != to)
            open[kept++] = open[n];
    }
    return kept;
}

/* The number of an open edge to the block that is merged next; `count`: no block has all of its
 * edges open. Blocks that change nothing come first, since no guard may stand behind a change: of
 * FCCMP, one side tests floats behind a guard, and the other one only sets flags. */
static unsigned choose_next(const struct commit *c, const uint32_t *open, unsigned count)
{
    for (unsigned changes = 0; changes < 2; changes++) {
        for (unsigned k = 0; k < count; k++) {
            const struct raw_block *b = &c->d->blocks.data[open[k]];

            if (edges_to(open, count, open[k]) == b->edges && changes_something(c, b) <= changes)
                return k;
        }
    }
    return count;
}

bool merge_plan(const struct commit *c, const struct raw_block *from, struct merge *m)
{
    uint32_t open[2 * MAX_EDGES] = {from->to[0], from->to[1]};
    unsigned count = 2;

    *m = (struct merge){0};
    if (record_is_rare(c->d, from, 0) || record_is_rare(c->d, from, 1))
        return false;
    while (edges_to(open, count, open[0]) != count) {
        const struct raw_block *b;
        unsigned k = choose_next(c, open, count), weight;

        if (k == count || m->count == MAX_MERGE || count > MAX_EDGES)
            return false;
        b = &c->d->blocks.data[open[k]];
        weight = weight_of(c, b);
        if (!weight)
            return false;
        m->changes |= changes_something(c, b);
        m->weight += weight;
        m->order[m->count++] = open[k];
        count = close_edges(open, count, open[k]);
        for (k = 0; k < b->how; k++) {
            if (!record_is_rare(c->d, b, k))
                open[count++] = b->to[k];
            else if (m->changes || c->q->trace->changed)
                return false;
            else
                m->leaves = true;
        }
    }
    m->join = open[0];
    return true;
}

static q_value truth_of(struct quick *q, q_value v)
{
    return q_binary(q, JIT_NE, q_type(v), v, q_constant(q, q_type(v), 0));
}

/* The value of a phi for an edge from a block; 0: it has none. */
static q_value phi_value(struct commit *c, uint32_t phi, uint32_t from)
{
    for (size_t n = 0; n < c->d->phi_ins.len; n++) {
        const struct raw_phi_in *in = &c->d->phi_ins.data[n];

        if (in->phi == phi && in->from == from && commit_has_value(c, in->value))
            return commit_value(c, in->value);
    }
    return 0;
}

static void merge_phi(struct commit *c, uint32_t phi, uint32_t block, const struct edge *open,
                      unsigned count)
{
    q_value v = 0;

    for (unsigned n = 0; n < count; n++) {
        q_value in = open[n].to == block ? phi_value(c, phi, open[n].from) : 0;

        if (open[n].to != block)
            continue;
        if (!in) {
            q_refuse(c->q, "a value of another way");
            return;
        }
        v = v ? q_select(c->q, open[n].taken, in, v) : in;
    }
    c->value[phi] = v;
}

/* Sets the phis of a block by its open edges; returns the condition that it is reached, 0 or 1. */
static q_value enter_merged(struct commit *c, uint32_t block, const struct edge *open,
                            unsigned count)
{
    q_value taken = 0;

    for (uint32_t n = 1; n < c->d->raws.len; n++) {
        if (c->d->raws.data[n].op == RAW_PHI && c->d->raws.data[n].block == block)
            merge_phi(c, n, block, open, count);
    }
    for (unsigned n = 0; n < count; n++) {
        if (open[n].to == block)
            taken = taken ? q_binary(c->q, JIT_OR, JIT_U8, taken, open[n].taken) : open[n].taken;
    }
    return taken;
}

/* Appends an access that is executed if the block is reached. */
static q_value access_merged(struct commit *c, const struct raw *raw, q_value taken)
{
    struct quick *q = c->q;
    struct q_condition when;
    struct q_node *n;
    q_value v;
    bool always;

    q->trace->changed = true;
    if (!q_condition_of(q, taken, &when, &always))
        return always ? commit_raw(c, raw) : q_constant(q, raw->type, 0);
    if (when.test)
        when = (struct q_condition){.sub = JIT_NE,
                                    .type = JIT_S32,
                                    .a = q_extended(q, taken, false),
                                    .b = q_number(q_constant(q, JIT_U32, 0))};
    v = commit_raw(c, raw);
    n = q_node(q, (uint32_t)q->nodes.len - 1); /* the access is the last node */
    n->when = when.sub;
    n->from = when.type;
    n->in[2] = when.a;
    n->in[3] = when.b;
    return v;
}

/* Appends a block, whose writes take effect if it is reached. */
static void append_merged(struct commit *c, const struct raw_block *b, q_value taken)
{
    struct quick *q = c->q;

    for (uint32_t n = b->first; n < b->end && !q->trace->refused; n++) {
        const struct raw *raw = &c->d->raws.data[n];

        if (raw->op == RAW_PHI)
            continue;
        if (!commit_has_value(c, raw->a) || !commit_has_value(c, raw->b) ||
            !commit_has_value(c, raw->c)) {
            q_refuse(q, "a value of another way");
        } else if (raw->op == RAW_WRITE) {
            q_value v = commit_value(c, raw->a), old = q_read_register(q, q_type(v), raw->imm);

            q_write_register(q, raw->imm, q_select(q, taken, v, old));
        } else if (raw->op == Q_LOAD || raw->op == Q_STORE) {
            c->value[n] = access_merged(c, raw, taken);
        } else {
            c->value[n] = commit_raw(c, raw);
        }
    }
}

static unsigned close_all(struct edge *open, unsigned count, uint32_t to)
{
    unsigned kept = 0;

    for (unsigned n = 0; n < count; n++) {
        if (open[n].to != to)
            open[kept++] = open[n];
    }
    return kept;
}

/* Appends a guard that `rare` is 0 if the block is reached (`taken` is 1). */
static void expect_merged(struct commit *c, q_value rare, q_value taken)
{
    struct q_condition cond;
    bool value;

    if ((!q_condition_of(c->q, rare, &cond, &value) || commit_knows(c, &cond, &value)) && !value)
        return;
    commit_expect(c, q_binary(c->q, JIT_AND, JIT_U8, taken, rare), false,
                  (struct q_side_exit){.kind = Q_TO_HANDLER});
}

/* Adds the edges out of a block that is reached if `taken` is 1. */
static unsigned open_edges(struct commit *c, uint32_t block, q_value taken, struct edge *open,
                           unsigned count)
{
    const struct raw_block *b = &c->d->blocks.data[block];
    q_value yes, no;

    if (b->how == RAW_GOTO) {
        open[count++] = (struct edge){block, b->to[0], taken};
        return count;
    }
    yes = truth_of(c->q, commit_value(c, b->condition));
    no = q_binary(c->q, JIT_XOR, JIT_U8, yes, q_constant(c->q, JIT_U8, 1));
    for (unsigned k = 0; k < 2 && taken; k++) {
        if (!record_is_rare(c->d, b, k))
            continue;
        expect_merged(c, k ? no : yes, taken);
        open[count++] = (struct edge){block, b->to[!k], taken};
        return count;
    }
    if (taken) {
        yes = q_binary(c->q, JIT_AND, JIT_U8, taken, yes);
        no = q_binary(c->q, JIT_AND, JIT_U8, taken, no);
    }
    open[count++] = (struct edge){block, b->to[0], yes};
    open[count++] = (struct edge){block, b->to[1], no};
    return count;
}

void merge_append(struct commit *c, uint32_t from, const struct merge *m)
{
    struct edge open[2 * MAX_EDGES + 2];
    unsigned count = open_edges(c, from, 0, open, 0);

    for (unsigned n = 0; n < m->count && !c->q->trace->refused; n++) {
        uint32_t at = m->order[n];
        q_value taken = enter_merged(c, at, open, count);

        count = close_all(open, count, at);
        if (c->q->trace->refused)
            return;
        append_merged(c, &c->d->blocks.data[at], taken);
        if (!c->q->trace->refused)
            count = open_edges(c, at, taken, open, count);
    }
    if (!c->q->trace->refused)
        enter_merged(c, m->join, open, count);
}
