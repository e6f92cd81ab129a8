/*
 * The pass cfg: folds decided branches, removes empty blocks, merges chains of blocks. The
 * conversion of branches to SELECT is in ifconvert.c.
 */
#include "gencc/ir/cfg.h"

#include "gencc/ir/pass.h"

void ir_become_branch(struct ir_value *term, struct ir_block *to)
{
    struct ir_block *b = term->block;

    for (unsigned i = 0; i < term->targets.len; i++)
        if (term->targets.data[i] != to)
            ir_phi_drop_pred(term->targets.data[i], b);
    term->op = IR_BR;
    term->ops.len = term->cases.len = 0;
    term->targets.len = 1;
    term->targets.data[0] = to;
}

/* ---- decided branches ------------------------------------------------------------------------ */

static bool is_test_of_zero(const struct ir_value *c)
{
    return (c->op == IR_NE || c->op == IR_EQ) && ir_is_const_of(c->ops.data[1], 0) &&
           ir_is_int(c->ops.data[0]->type) && !ir_is_vector(c->type);
}

static bool fold_cbr(struct ir_value *t)
{
    struct ir_value *c = t->ops.data[0];
    struct ir_range r = ir_value_range(c);
    struct ir_block *yes = t->targets.data[0];

    if (yes == t->targets.data[1] || r.min > 0 || r.max == 0) {
        ir_become_branch(t, r.max ? yes : t->targets.data[1]);
        return true;
    }
    if (!is_test_of_zero(c))
        return false;
    t->ops.data[0] = c->ops.data[0];
    if (c->op == IR_EQ) {
        t->targets.data[0] = t->targets.data[1];
        t->targets.data[1] = yes;
    }
    return true;
}

static void drop_case(struct ir_value *t, unsigned i)
{
    struct ir_block *to = t->targets.data[i + 1];

    for (; i + 1 < t->cases.len; i++) {
        t->cases.data[i] = t->cases.data[i + 1];
        t->targets.data[i + 1] = t->targets.data[i + 2];
    }
    t->cases.len--;
    t->targets.len--;
    if (!ir_branches_to(t->block, to))
        ir_phi_drop_pred(to, t->block);
}

static bool fold_switch(struct ir_value *t)
{
    struct ir_range r = ir_value_range(t->ops.data[0]);
    bool changed = false;

    for (unsigned i = t->cases.len; i-- > 0;) {
        u128 key = t->cases.data[i];

        if (r.min == r.max && key == r.min) {
            ir_become_branch(t, t->targets.data[i + 1]);
            return true;
        }
        if (key < r.min || key > r.max || key & r.zeros || ~key & r.ones ||
            t->targets.data[i + 1] == t->targets.data[0]) {
            drop_case(t, i);
            changed = true;
        }
    }
    if (!t->cases.len) {
        ir_become_branch(t, t->targets.data[0]);
        return true;
    }
    return changed;
}

static bool fold_terminators(struct ir_func *f)
{
    bool changed = false;

    vec_for_each (&f->blocks, b) {
        struct ir_value *t = (*b)->last;

        if (t->op == IR_CBR)
            changed |= fold_cbr(t);
        else if (t->op == IR_SWITCH)
            changed |= fold_switch(t);
    }
    return changed;
}

/* ---- empty blocks ---------------------------------------------------------------------------- */

/* Whether `pred` may branch to `to` directly instead of through `via`, which contains at most
 * PHIs. */
static bool may_bypass(const struct ir_block *pred, const struct ir_block *via,
                       const struct ir_block *to)
{
    if (!ir_branches_to(pred, to))
        return true;
    for (const struct ir_value *p = to->first; p->op == IR_PHI; p = p->next) {
        const struct ir_value *v = ir_phi_from(p, via);

        if (v->op == IR_PHI && v->block == via)
            v = ir_phi_from(v, pred);
        if (v != ir_phi_from(p, pred))
            return false;
    }
    return true;
}

/* Redirects pred's branches from `via` to `to`. `via` keeps its other predecessors. */
static void redirect_branches(struct ir_block *pred, struct ir_block *via, struct ir_block *to)
{
    struct arena *a = pred->func->arena;
    bool already = ir_branches_to(pred, to);

    for (struct ir_value *p = to->first; p->op == IR_PHI && !already; p = p->next) {
        struct ir_value *v = ir_phi_from(p, via);

        if (v->op == IR_PHI && v->block == via)
            v = ir_phi_from(v, pred);
        vec_push_in(a, &p->ops, v);
        vec_push_in(a, &p->targets, pred);
    }
    vec_for_each (&pred->last->targets, t)
        if (*t == via)
            *t = to;
    ir_phi_drop_pred(via, pred);
}

/* Removes blocks that only branch. Predecessors are computed once; redirected ones are skipped. */
static bool skip_empty(struct ir_func *f)
{
    bool changed = false;

    vec_for_each (&f->blocks, it) {
        struct ir_block *b = *it, *to;

        if (it == f->blocks.data || b->first->op != IR_BR)
            continue;
        to = b->first->targets.data[0];
        if (to == b)
            continue;
        vec_for_each (&b->preds, p) {
            if (!ir_branches_to(*p, b) || !may_bypass(*p, b, to))
                continue;
            redirect_branches(*p, b, to);
            changed = true;
        }
        if (changed)
            ir_compute_preds(f);
        if (changed)
            return true;
    }
    return false;
}

/* ---- branches on a PHI of constants ---------------------------------------------------------- */

/* Whether only the branch of `b` and PHIs of its successors use the PHIs of `b`. */
static bool phis_stay_near(const struct ir_func *f, const struct ir_block *b)
{
    vec_for_each (&f->blocks, it) {
        for (const struct ir_value *v = (*it)->first; v; v = v->next) {
            for (unsigned i = 0; i < v->ops.len; i++) {
                const struct ir_value *op = v->ops.data[i];

                if (op->op != IR_PHI || op->block != b || v == b->last)
                    continue;
                if (v->op != IR_PHI || v->block == b || v->targets.data[i] != b)
                    return false;
            }
        }
    }
    return true;
}

static struct ir_block *decided_target(const struct ir_block *b, const struct ir_block *pred)
{
    const struct ir_value *t = b->last, *c = ir_phi_from(t->ops.data[0], pred);

    if (!c || !ir_is_const(c))
        return NULL;
    return t->targets.data[c->imm ? 0 : 1];
}

/* Jump threading: if a block branches on one of its PHIs, predecessors that give this PHI a
 * constant branch to the decided target directly. && and || leave such blocks behind. */
static bool thread_jumps(struct ir_func *f)
{
    vec_for_each (&f->blocks, it) {
        struct ir_block *b = *it;
        const struct ir_value *t = ir_after_phis(b);
        bool changed = false;

        if (t->op != IR_CBR || t->ops.data[0]->op != IR_PHI || t->ops.data[0]->block != b ||
            !phis_stay_near(f, b))
            continue;
        vec_for_each (&b->preds, p) {
            struct ir_block *to = decided_target(b, *p);

            if (!to || to == b || *p == b || !may_bypass(*p, b, to))
                continue;
            redirect_branches(*p, b, to);
            changed = true;
        }
        if (changed) {
            ir_compute_preds(f);
            return true;
        }
    }
    return false;
}

/* ---- blocks in a row ------------------------------------------------------------------------- */

/* PHIs of `b` are forwarded, and removed by ir_forward_end. */
static void merge_blocks(struct ir_block *a, struct ir_block *b)
{
    for (struct ir_value *phi = b->first; phi->op == IR_PHI; phi = phi->next)
        if (!phi->mark)
            ir_forward(phi, ir_forwarded(phi->ops.data[0]));
    ir_remove(a->last);
    for (struct ir_value *v = b->first, *next; v; v = next) {
        next = v->next;
        ir_append(a, v);
    }
    b->first = b->last = NULL;
    vec_for_each (&a->last->targets, t)
        ir_phi_rename_pred(*t, b, a);
}

static bool merge_chains(struct ir_func *f)
{
    bool changed = false;

    vec_for_each (&f->blocks, it) {
        struct ir_block *a = *it, *b;

        while (a->last && a->last->op == IR_BR) {
            b = a->last->targets.data[0];
            if (b->preds.len != 1 || b == a || b == f->blocks.data[0])
                break;
            if (!changed)
                ir_forward_begin(f);
            merge_blocks(a, b);
            changed = true;
        }
    }
    if (!changed)
        return false;
    ir_forward_end(f);
    ir_compute_preds(f);
    return true;
}

bool ir_pass_cfg(struct ir_func *f)
{
    bool changed = false, again = true;

    ir_compute_preds(f);
    while (again) {
        again = fold_terminators(f);
        if (again)
            ir_compute_preds(f);
        again |= merge_chains(f);
        again |= skip_empty(f);
        again |= thread_jumps(f);
        again |= ir_convert_branches(f);
        changed |= again;
    }
    return changed;
}
