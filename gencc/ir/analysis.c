/*
 * Properties of values and functions: purity, predecessors and dominators, uses, cost; and
 * replacement of values.
 */
#include "gencc/ir/pass.h"

#include <string.h>

bool ir_is_pure(const struct ir_value *v)
{
    switch (v->op) {
    case IR_CALL:
        return v->callee->is_pure;
    case IR_INTRINSIC:
    case IR_EXTERNAL:
        return v->fn->flags & IR_FN_PURE;
    case IR_RESULT:
        return ir_is_pure(v->ops.data[0]);
    default:
        return ir_ops[v->op].flags & IR_F_PURE;
    }
}

bool ir_has_detail(const struct ir_value *v)
{
    return !(v->op >= IR_ADD && v->op <= IR_CONCAT);
}

bool ir_same_operation(const struct ir_value *a, const struct ir_value *b)
{
    if (a->op != b->op || !ir_type_eq(a->type, b->type) || a->ops.len != b->ops.len)
        return false;
    if (a->op == IR_TEXT)
        return !strcmp(a->text, b->text);
    return !ir_has_detail(a) || a->imm == b->imm;
}

bool ir_is_removable(const struct ir_value *v)
{
    switch (v->op) {
    case IR_CALL:
        return v->callee->is_pure || v->callee->is_reading;
    case IR_INTRINSIC:
    case IR_EXTERNAL:
        return v->fn->flags & (IR_FN_PURE | IR_FN_READ);
    case IR_RESULT:
        return true;
    default:
        return ir_ops[v->op].flags & (IR_F_PURE | IR_F_READ);
    }
}

void ir_summarise(struct ir_func *f)
{
    f->is_pure = f->is_reading = true;
    vec_for_each (&f->blocks, b) {
        for (const struct ir_value *v = (*b)->first; v; v = v->next) {
            if (v->op == IR_VAR_READ || v->op == IR_VAR_WRITE)
                continue;
            if (ir_is_term(v) && v->op != IR_UNREACHABLE)
                continue;
            /* A function that reads what belongs to a lane depends on more than its parameters. */
            if (!ir_is_pure(v) || (v->op == IR_INTRINSIC && v->fn->flags & IR_FN_LANE))
                f->is_pure = false;
            if (!ir_is_removable(v))
                f->is_reading = false;
        }
    }
}

struct ir_type ir_output_type(const struct ir_value *call, u128 n)
{
    const struct ir_callee *fn = call->fn;
    unsigned seen = 0;

    if (call->op == IR_CALL)
        return n >= 1 && n <= call->callee->outs.len ? call->callee->outs.data[(unsigned)n - 1]
                                                     : IR_T_VOID;
    for (unsigned i = 0; i < fn->params.len; i++)
        if (fn->by_ref.data[i] && ++seen == n)
            return fn->params.data[i];
    return IR_T_VOID;
}

/* ---- control flow ---------------------------------------------------------------------------- */

bool ir_branches_to(const struct ir_block *from, const struct ir_block *to)
{
    vec_for_each (&from->last->targets, t)
        if (*t == to)
            return true;
    return false;
}

struct ir_value *ir_phi_from(const struct ir_value *phi, const struct ir_block *pred)
{
    for (unsigned i = 0; i < phi->targets.len; i++)
        if (phi->targets.data[i] == pred)
            return phi->ops.data[i];
    return NULL;
}

static void phi_drop(struct ir_value *phi, unsigned i)
{
    for (; i + 1 < phi->ops.len; i++) {
        phi->ops.data[i] = phi->ops.data[i + 1];
        phi->targets.data[i] = phi->targets.data[i + 1];
    }
    phi->ops.len--;
    phi->targets.len--;
}

void ir_phi_drop_pred(struct ir_block *b, const struct ir_block *pred)
{
    for (struct ir_value *v = b->first; v && v->op == IR_PHI; v = v->next)
        for (unsigned i = v->targets.len; i-- > 0;)
            if (v->targets.data[i] == pred)
                phi_drop(v, i);
}

/* Puts the reachable blocks in reverse postorder. The walk needs no stack: block->mark counts the
 * targets visited plus one, block->idom is the block from which the walk came. */
static void order_blocks(struct ir_func *f)
{
    unsigned total = f->blocks.len, place = total;
    struct ir_block *b = f->blocks.data[0];

    vec_for_each (&f->blocks, it) {
        (*it)->mark = 0;
        (*it)->preds.len = 0;
    }
    b->mark = 1;
    b->idom = NULL;
    while (b) {
        unsigned n = b->last ? b->last->targets.len : 0;
        struct ir_block *next;

        if (b->mark > n) {
            f->blocks.data[--place] = b;
            b = b->idom;
            continue;
        }
        next = b->last->targets.data[n - b->mark++];
        if (next->mark)
            continue;
        next->mark = 1;
        next->idom = b;
        b = next;
    }
    f->blocks.len = total - place;
    memmove(f->blocks.data, f->blocks.data + place, f->blocks.len * sizeof(*f->blocks.data));
}

static bool is_pred(const struct ir_block *b, const struct ir_block *pred)
{
    vec_for_each (&b->preds, p)
        if (*p == pred)
            return true;
    return false;
}

/* The order is written over f->blocks from its end. A block not yet visited is only found through
 * branch targets, so overwriting its entry loses nothing. */
void ir_compute_preds(struct ir_func *f)
{
    if (!f->blocks.len)
        return;
    order_blocks(f);
    vec_for_each (&f->blocks, b) {
        (*b)->idom = NULL;
        if (!(*b)->last)
            continue;
        vec_for_each (&(*b)->last->targets, t)
            if (!(*t)->preds.len || (*t)->preds.data[(*t)->preds.len - 1] != *b)
                vec_push_in(f->arena, &(*t)->preds, *b);
    }
    vec_for_each (&f->blocks, b)
        for (struct ir_value *v = (*b)->first; v && v->op == IR_PHI; v = v->next)
            for (unsigned i = v->targets.len; i-- > 0;)
                if (!is_pred(*b, v->targets.data[i]))
                    phi_drop(v, i);
}

static struct ir_block *common_dominator(struct ir_block *a, struct ir_block *b)
{
    while (a != b) {
        while (a->mark > b->mark)
            a = a->idom;
        while (b->mark > a->mark)
            b = b->idom;
    }
    return a;
}

/*
 * Numbers the tree of dominators in preorder, so that the blocks that a block dominates are a
 * range. In reverse postorder a block follows its dominator. block->mark is the next free number of
 * the block's subtree, and at the end the block's own number.
 */
static void number_dominators(struct ir_func *f)
{
    vec_for_each (&f->blocks, b)
        (*b)->dom_count = 1;
    for (unsigned i = f->blocks.len; i-- > 1;)
        f->blocks.data[i]->idom->dom_count += f->blocks.data[i]->dom_count;
    for (unsigned i = 0; i < f->blocks.len; i++) {
        struct ir_block *b = f->blocks.data[i];

        b->dom_first = i ? (unsigned)b->idom->mark : 0;
        b->mark = b->dom_first + 1;
        if (i)
            b->idom->mark += b->dom_count;
    }
    for (unsigned i = 0; i < f->blocks.len; i++)
        f->blocks.data[i]->mark = i;
}

/* The iteration of Cooper, Harvey and Kennedy. block->mark is the place in reverse postorder. */
void ir_compute_dominators(struct ir_func *f)
{
    bool changed = true;

    ir_compute_preds(f);
    for (unsigned i = 0; i < f->blocks.len; i++)
        f->blocks.data[i]->mark = i;
    while (changed) {
        changed = false;
        for (unsigned i = 1; i < f->blocks.len; i++) {
            struct ir_block *b = f->blocks.data[i], *dom = NULL;

            vec_for_each (&b->preds, p) {
                if (*p == f->blocks.data[0] || (*p)->idom)
                    dom = dom ? common_dominator(dom, *p) : *p;
            }
            if (dom != b->idom) {
                b->idom = dom;
                changed = true;
            }
        }
    }
    number_dominators(f);
}

bool ir_dominates(const struct ir_block *a, const struct ir_block *b)
{
    return b->dom_first - a->dom_first < a->dom_count;
}

/* ---- uses ------------------------------------------------------------------------------------ */

void ir_count_uses(struct ir_func *f)
{
    vec_for_each (&f->blocks, b)
        for (struct ir_value *v = (*b)->first; v; v = v->next)
            v->uses = 0;
    vec_for_each (&f->blocks, b)
        for (struct ir_value *v = (*b)->first; v; v = v->next)
            vec_for_each (&v->ops, op)
                (*op)->uses++;
}

void ir_replace(struct ir_func *f, struct ir_value *old, struct ir_value *by)
{
    vec_for_each (&f->blocks, b)
        for (struct ir_value *v = (*b)->first; v; v = v->next)
            vec_for_each (&v->ops, op)
                if (*op == old)
                    *op = by;
}

void ir_forward_begin(struct ir_func *f)
{
    vec_for_each (&f->blocks, b)
        for (struct ir_value *v = (*b)->first; v; v = v->next)
            v->mark = 0;
}

void ir_forward_operands(struct ir_value *v)
{
    vec_for_each (&v->ops, op)
        *op = ir_forwarded(*op);
}

void ir_forward_end(struct ir_func *f)
{
    vec_for_each (&f->blocks, b) {
        for (struct ir_value *v = (*b)->first, *next; v; v = next) {
            next = v->next;
            if (v->mark)
                ir_remove(v);
            else
                ir_forward_operands(v);
        }
    }
}

static unsigned value_cost(const struct ir_value *v)
{
    switch (v->op) {
    case IR_CONST:
    case IR_PARAM:
    case IR_PHI:
    case IR_RESULT:
    case IR_TEXT:
    case IR_BR:
    case IR_RET:
    case IR_UNREACHABLE:
    case IR_BITCAST:
        return 0;
    case IR_CALL:
    case IR_EXTERNAL:
        return 4;
    case IR_INTRINSIC:
        return v->fn->flags & IR_FN_PURE ? 2 : 4;
    case IR_SWITCH:
        return 1 + v->cases.len;
    case IR_DIV:
    case IR_MOD:
        return 3;
    default:
        return 1;
    }
}

unsigned ir_cost(const struct ir_func *f)
{
    unsigned cost = 0;

    vec_for_each (&f->blocks, b)
        for (const struct ir_value *v = (*b)->first; v; v = v->next)
            cost += value_cost(v);
    return cost;
}
