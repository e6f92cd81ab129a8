/*
 * Flattening for lanes: a function without loops and effects becomes one block that computes both
 * sides of every branch and selects the results. All lanes then execute the same code, which C
 * compilers can vectorise.
 */
#include "gencc/ir/pass.h"

struct flat {
    struct ir_func *f;
    struct ir_block *entry;
    struct ir_value **guard; /* by block->id: flag that the block is executed; NULL: always */
};

/* ---- what can be flattened ------------------------------------------------------------------- */

static bool is_harmless(const struct ir_block *b)
{
    for (const struct ir_value *v = b->first; v; v = v->next) {
        if (ir_is_term(v) ? v->op == IR_UNREACHABLE : !ir_is_pure(v))
            return false;
        if (v->op == IR_VAR_READ || v->op == IR_VAR_WRITE)
            return false;
    }
    return true;
}

/* Whether there is one exit and no loop; every branch then goes forward in reverse postorder. */
static bool is_forward(struct ir_func *f)
{
    unsigned exits = 0, place = 0;

    vec_for_each (&f->blocks, b)
        (*b)->mark = place++;
    vec_for_each (&f->blocks, b) {
        exits += (*b)->last->op == IR_RET;
        vec_for_each (&(*b)->last->targets, t)
            if ((*t)->mark <= (*b)->mark)
                return false;
        if (!is_harmless(*b))
            return false;
    }
    return exits == 1;
}

/* ---- guards ---------------------------------------------------------------------------------- */

static struct ir_value *append_value(struct flat *s, enum ir_op op, struct ir_type t,
                                     struct ir_value *a, struct ir_value *b)
{
    struct ir_value *v = ir_value_new(s->f, op, t, a ? a->pos : s->entry->last->pos);

    if (a)
        vec_push_in(s->f->arena, &v->ops, a);
    if (b)
        vec_push_in(s->f->arena, &v->ops, b);
    ir_insert_before(s->entry->last, v);
    return v;
}

static struct ir_value *append_constant(struct flat *s, struct ir_type t, u128 bits)
{
    struct ir_value *v = append_value(s, IR_CONST, t, NULL, NULL);

    v->imm = bits;
    return v;
}

/* a && b, where NULL means true. */
static struct ir_value *and_guards(struct flat *s, struct ir_value *a, struct ir_value *b)
{
    if (!a || !b)
        return a ? a : b;
    return append_value(s, IR_AND, IR_T_U8, a, b);
}

static struct ir_value *append_compare(struct flat *s, enum ir_op op, struct ir_value *v, u128 with)
{
    return append_value(s, op, IR_T_U8, v, append_constant(s, v->type, with));
}

/* The condition under which a SWITCH branches to `to`. If its default does, the condition is that
 * none of the other cases applies. */
static struct ir_value *switch_guard(struct flat *s, const struct ir_value *t,
                                     const struct ir_block *to)
{
    bool by_default = t->targets.data[0] == to;
    struct ir_value *g = NULL;

    for (unsigned i = 0; i < t->cases.len; i++) {
        struct ir_value *c;

        if ((t->targets.data[i + 1] == to) == by_default)
            continue;
        c = append_compare(s, by_default ? IR_NE : IR_EQ, t->ops.data[0], t->cases.data[i]);
        g = g ? append_value(s, by_default ? IR_AND : IR_OR, IR_T_U8, g, c) : c;
    }
    return g;
}

static struct ir_value *edge_guard(struct flat *s, const struct ir_block *from,
                                   const struct ir_block *to)
{
    const struct ir_value *t = from->last;
    struct ir_value *g = s->guard[from->id];

    if (t->op == IR_SWITCH)
        return and_guards(s, g, switch_guard(s, t, to));
    if (t->op == IR_BR || t->targets.data[0] == t->targets.data[1])
        return g;
    return and_guards(
        s, g, append_compare(s, t->targets.data[0] == to ? IR_NE : IR_EQ, t->ops.data[0], 0));
}

/* Whether the exit can be reached from `b` without executing `via`. */
static bool path_bypasses(const struct ir_block *b, const struct ir_block *via)
{
    if (b == via)
        return false;
    if (b->last->op == IR_RET)
        return true;
    vec_for_each (&b->last->targets, t)
        if (path_bypasses(*t, via))
            return true;
    return false;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void select_by_edges(struct flat *s, struct ir_value *phi, struct ir_value *const *edges)
{
    struct ir_block *b = phi->block;
    unsigned last = b->preds.len - 1;
    struct ir_value *chosen = ir_phi_from(phi, b->preds.data[last]);

    for (unsigned i = last; i-- > 0;) {
        struct ir_value *v = ir_phi_from(phi, b->preds.data[i]), *select;

        if (v == chosen || !edges[i])
            continue;
        select = ir_value_new(s->f, IR_SELECT, phi->type, phi->pos);
        vec_push_in(s->f->arena, &select->ops, edges[i]);
        vec_push_in(s->f->arena, &select->ops, v);
        vec_push_in(s->f->arena, &select->ops, chosen);
        ir_insert_before(s->entry->last, select);
        chosen = select;
    }
    ir_replace(s->f, phi, chosen);
    ir_remove(phi);
}

/* Moves a SWITCH whose default leads to `b` to the end of b's predecessors: the last one is
 * selected if no other is, so the costly condition of a default is not computed. */
static void put_default_last(struct ir_block *b)
{
    unsigned last = b->preds.len - 1;

    for (unsigned i = 0; i < last; i++) {
        struct ir_block *p = b->preds.data[i];

        if (p->last->op != IR_SWITCH || p->last->targets.data[0] != b)
            continue;
        b->preds.data[i] = b->preds.data[last];
        b->preds.data[last] = p;
        return;
    }
}

static void flatten_block(struct flat *s, struct ir_block *b, struct arena *scratch)
{
    struct ir_value **edges;
    bool certain = b->idom && !s->guard[b->idom->id] && !path_bypasses(b->idom, b);
    bool phis = b->first->op == IR_PHI;
    struct ir_value *guard = NULL;

    put_default_last(b);
    edges = arena_alloc(scratch, b->preds.len * sizeof(*edges));
    for (unsigned i = 0; i < b->preds.len; i++) {
        if (!certain || (phis && i + 1 < b->preds.len))
            edges[i] = edge_guard(s, b->preds.data[i], b);
        if (!certain)
            guard = !i ? edges[i] : append_value(s, IR_OR, IR_T_U8, guard, edges[i]);
    }
    s->guard[b->id] = guard;
    while (b->first->op == IR_PHI)
        select_by_edges(s, b->first, edges);
    for (struct ir_value *v = b->first, *next; v->next; v = next) {
        next = v->next;
        ir_remove(v);
        ir_insert_before(s->entry->last, v);
    }
}

bool ir_pass_flatten(struct ir_func *f)
{
    struct flat s = {.f = f};
    struct arena scratch = {0};
    struct ir_block *exit;
    struct ir_value *ret;

    ir_compute_dominators(f);
    if (f->blocks.len < 2 || !is_forward(f))
        return false;
    s.entry = f->blocks.data[0];
    s.guard = arena_alloc(&scratch, f->next_block * sizeof(*s.guard));
    exit = s.entry;
    for (unsigned i = 1; i < f->blocks.len; i++) {
        flatten_block(&s, f->blocks.data[i], &scratch);
        if (f->blocks.data[i]->last->op == IR_RET)
            exit = f->blocks.data[i];
    }
    ret = exit->last;
    ir_remove(ret);
    ir_remove(s.entry->last);
    ir_append(s.entry, ret);
    f->blocks.len = 1;
    ir_compute_preds(f);
    arena_free(&scratch);
    return true;
}

/* ---- choices of operands --------------------------------------------------------------------- */

/* The operand k with y op k = y. */
static bool neutral_operand(enum ir_op op, struct ir_type t, u128 *out)
{
    *out = op == IR_AND ? low_bits(t.bits) : 0;
    return op == IR_AND || op == IR_OR || op == IR_XOR || op == IR_ADD || op == IR_SUB ||
           op == IR_SHL || op == IR_SHR;
}

/* Rewrites c ? y op k : y, where c and k are fixed, to y op (c ? k : neutral operand). One
 * operation per lane remains. */
static bool pull_select(struct ir_value *v)
{
    struct ir_value *c = v->ops.data[0], *x = v->ops.data[1], *y = v->ops.data[2], *none, *k;
    struct ir_func *f = v->block->func;
    enum ir_op op = x->op;
    u128 bits;

    if (!c->fixed || ir_is_vector(v->type) || !ir_is_int(v->type))
        return false;
    if (op == IR_NOT && x->ops.data[0] == y) {
        k = ir_value_new(f, IR_CONST, v->type, v->pos);
        k->imm = low_bits(v->type.bits);
        k->fixed = true;
        ir_insert_before(v, k);
        op = IR_XOR;
        bits = 0;
    } else if (neutral_operand(op, v->type, &bits) && x->ops.data[0] == y &&
               x->ops.data[1]->fixed) {
        k = x->ops.data[1];
    } else {
        return false;
    }
    none = ir_value_new(f, IR_CONST, k->type, v->pos);
    none->imm = bits;
    none->fixed = true;
    ir_insert_before(v, none);
    x = ir_value_new(f, IR_SELECT, k->type, v->pos);
    x->fixed = true;
    vec_push_in(f->arena, &x->ops, c);
    vec_push_in(f->arena, &x->ops, k);
    vec_push_in(f->arena, &x->ops, none);
    ir_insert_before(v, x);
    v->op = op;
    v->ops.data[0] = y;
    v->ops.data[1] = x;
    v->ops.len = 2;
    return true;
}

bool ir_pass_pull_selects(struct ir_func *f)
{
    bool changed = false;

    ir_pass_fixedness(f);
    vec_for_each (&f->blocks, b)
        for (struct ir_value *v = (*b)->first; v; v = v->next)
            if (v->op == IR_SELECT)
                changed |= pull_select(v);
    return changed;
}
