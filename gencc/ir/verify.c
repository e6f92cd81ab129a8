/*
 * The rules of structure and control flow; verify_types.c has those of operand types. The verifier
 * does not write to the function, so it computes dominance on its own, as bit sets.
 */
#include "gencc/ir/verify.h"
#include "gencc/ir/pass.h"

#include <string.h>

/* ---- structure ------------------------------------------------------------------------------- */

static bool check_links(struct ir_verifier *c, const struct ir_block *b)
{
    const struct ir_value *prev = NULL;
    bool phis = true;

    if (!b->first)
        return ir_reject(c, NULL, "the block is empty");
    for (const struct ir_value *v = b->first; v; prev = v, v = v->next) {
        if (v->block != b || v->prev != prev)
            return ir_reject(c, v, "the list of values is broken");
        if (v->op >= IR_OP_COUNT)
            return ir_reject(c, v, "no such operation");
        if (v->id >= c->f->next_value || c->values[v->id])
            return ir_reject(c, v, "the value's number is not its own");
        c->values[v->id] = v;
        c->place[v->id] = prev ? c->place[prev->id] + 1 : 0;
        if (v->op == IR_PHI && !phis)
            return ir_reject(c, v, "PHIs come first in a block");
        phis = v->op == IR_PHI;
        if (ir_is_term(v) != !v->next)
            return ir_reject(c, v,
                             v->next ? "a terminator comes last" : "the block has no terminator");
    }
    return prev == b->last || ir_reject(c, NULL, "the list of values is broken");
}

static bool check_blocks(struct ir_verifier *c)
{
    const struct ir_func *f = c->f;

    for (unsigned i = 0; i < f->blocks.len; i++) {
        const struct ir_block *b = c->block = f->blocks.data[i];

        if (b->func != f || b->id >= f->next_block || c->index[b->id])
            return ir_reject(c, NULL, "the block's number is not its own");
        c->index[b->id] = i + 1;
    }
    vec_for_each (&f->blocks, b) {
        c->block = *b;
        if (!check_links(c, *b))
            return false;
    }
    return true;
}

static bool has_block(const struct ir_verifier *c, const struct ir_block *b)
{
    return b && b->id < c->f->next_block && c->index[b->id] &&
           c->f->blocks.data[c->index[b->id] - 1] == b;
}

static bool check_targets(struct ir_verifier *c)
{
    vec_for_each (&c->f->blocks, it) {
        const struct ir_block *b = c->block = *it;

        for (const struct ir_value *v = b->first; v; v = v->next) {
            vec_for_each (&v->targets, t)
                if (!has_block(c, *t))
                    return ir_reject(c, v, "it names a block that is not in the function");
            vec_for_each (&v->ops, op)
                if (!*op || (*op)->id >= c->f->next_value || c->values[(*op)->id] != *op)
                    return ir_reject(c, v, "an operand is not in the function");
        }
        vec_for_each (&b->last->targets, t)
            if (*t == c->f->blocks.data[0])
                return ir_reject(c, b->last, "nothing branches to the entry");
    }
    return true;
}

/* ---- dominance ------------------------------------------------------------------------------- */

static uint64_t *dominators_of(const struct ir_verifier *c, const struct ir_block *b)
{
    return c->doms + (size_t)(c->index[b->id] - 1) * c->words;
}

static bool block_dominates(const struct ir_verifier *c, const struct ir_block *a,
                            const struct ir_block *b)
{
    unsigned i = c->index[a->id] - 1;

    return dominators_of(c, b)[i / 64] >> i % 64 & 1;
}

/* Unreachable blocks are dominated by all blocks. */
static void compute_doms(struct ir_verifier *c)
{
    const struct ir_func *f = c->f;
    bool changed = true;

    c->words = (f->blocks.len + 63) / 64;
    c->doms = arena_alloc(&c->scratch, (size_t)f->blocks.len * c->words * sizeof(*c->doms));
    memset(c->doms, 0xff, (size_t)f->blocks.len * c->words * sizeof(*c->doms));
    memset(c->doms, 0, c->words * sizeof(*c->doms));
    c->doms[0] = 1;
    while (changed) {
        changed = false;
        for (unsigned i = 0; i < f->blocks.len; i++) {
            const struct ir_block *b = f->blocks.data[i];

            vec_for_each (&b->last->targets, t) {
                uint64_t *set = dominators_of(c, *t), *from = dominators_of(c, b);
                unsigned self = c->index[(*t)->id] - 1;

                for (unsigned w = 0; w < c->words; w++) {
                    uint64_t now = set[w] & (from[w] | (w == self / 64 ? 1ull << self % 64 : 0));

                    changed |= now != set[w];
                    set[w] = now;
                }
            }
        }
    }
}

static bool check_dominance(struct ir_verifier *c, const struct ir_value *v)
{
    for (unsigned i = 0; i < v->ops.len; i++) {
        const struct ir_value *op = v->ops.data[i];
        bool ok;

        if (v->op == IR_PHI)
            ok = block_dominates(c, op->block, v->targets.data[i]);
        else if (op->block == v->block)
            ok = c->place[op->id] < c->place[v->id];
        else
            ok = block_dominates(c, op->block, v->block);
        if (!ok)
            return ir_reject(c, v, "operand %%%u is not computed on every path to it", op->id);
    }
    return true;
}

/* ---- PHIs ------------------------------------------------------------------------------------ */

static bool check_phi_preds(struct ir_verifier *c, const struct ir_value *v)
{
    if (v->ops.len != v->targets.len)
        return ir_reject(c, v, "%u operands from %u blocks", v->ops.len, v->targets.len);
    for (unsigned i = 0; i < v->targets.len; i++) {
        if (!ir_branches_to(v->targets.data[i], v->block))
            return ir_reject(c, v, "b%u is no predecessor", v->targets.data[i]->id);
        for (unsigned j = 0; j < i; j++)
            if (v->targets.data[i] == v->targets.data[j])
                return ir_reject(c, v, "two operands come from b%u", v->targets.data[i]->id);
    }
    if (v->ops.len != c->preds[c->index[v->block->id] - 1])
        return ir_reject(c, v, "%u operands for %u predecessors", v->ops.len,
                         c->preds[c->index[v->block->id] - 1]);
    return true;
}

static void count_preds(struct ir_verifier *c)
{
    vec_for_each (&c->f->blocks, b) {
        for (unsigned i = 0; i < (*b)->last->targets.len; i++) {
            const struct ir_block *t = (*b)->last->targets.data[i];
            bool seen = false;

            for (unsigned j = 0; j < i; j++)
                seen |= (*b)->last->targets.data[j] == t;
            c->preds[c->index[t->id] - 1] += !seen;
        }
    }
}

/* ---- the function ---------------------------------------------------------------------------- */

static bool check_signature(struct ir_verifier *c)
{
    const struct ir_func *f = c->f;

    if (!f->blocks.len)
        return ir_reject(c, NULL, "it has no blocks");
    if (!ir_is_void(f->result) && !ir_type_valid(f->result))
        return ir_reject(c, NULL, "the result has no valid type");
    vec_for_each (&f->params, t)
        if (!ir_type_valid(*t))
            return ir_reject(c, NULL, "a parameter has no valid type");
    vec_for_each (&f->outs, t)
        if (!ir_type_valid(*t))
            return ir_reject(c, NULL, "an output has no valid type");
    for (unsigned i = 0; i < f->vars.len; i++)
        if (f->vars.data[i]->id != i || !ir_type_valid(f->vars.data[i]->type))
            return ir_reject(c, NULL, "a variable has no valid type or the wrong number");
    return true;
}

static bool check_all(struct ir_verifier *c)
{
    const struct ir_func *f = c->f;

    if (!check_signature(c))
        return false;
    c->index = arena_alloc(&c->scratch, f->next_block * sizeof(*c->index));
    c->values = arena_alloc(&c->scratch, f->next_value * sizeof(*c->values));
    c->place = arena_alloc(&c->scratch, f->next_value * sizeof(*c->place));
    c->preds = arena_alloc(&c->scratch, f->blocks.len * sizeof(*c->preds));
    if (!check_blocks(c) || !check_targets(c))
        return false;
    count_preds(c);
    compute_doms(c);
    vec_for_each (&f->blocks, b) {
        c->block = *b;
        for (const struct ir_value *v = (*b)->first; v; v = v->next) {
            if (v->op == IR_PHI && !check_phi_preds(c, v))
                return false;
            if (!ir_verify_types(c, v) || !check_dominance(c, v))
                return false;
        }
    }
    return true;
}

bool ir_verify(struct diag *d, const struct ir_func *f)
{
    struct ir_verifier c = {.d = d, .f = f};
    bool ok = check_all(&c);

    arena_free(&c.scratch);
    return ok;
}
