/*
 * Inlining of calls of helpers.
 */
#include <limits.h>

#include "gencc/ir/pass.h"

enum {
    MAX_CALLER_COST = 4000, /* cost from which a function inlines no more calls */
    /* factor on the budget: constant arguments fold much of the body away */
    CONST_ARG_FACTOR = 3,
    MAX_CHOICES = 8,        /* calls replaced by one case of the callee, at most */
    MAX_CASES_COST = 60000, /* caller's cost up to which calls inside such cases are inlined */
    FORCED_COST = 1000,     /* cost up to which `inline` helpers are inlined whatever the budget */
};

static bool has_call_of(const struct ir_func *f, const struct ir_func *callee)
{
    vec_for_each (&f->blocks, b)
        for (const struct ir_value *v = (*b)->first; v; v = v->next)
            if (v->op == IR_CALL && v->callee == callee)
                return true;
    return false;
}

static bool has_const_arg(const struct ir_value *call)
{
    vec_for_each (&call->ops, op)
        if (ir_is_const(*op))
            return true;
    return false;
}

static bool should_inline(const struct ir_func *f, const struct ir_value *call, unsigned budget)
{
    const struct ir_func *callee = call->callee;
    unsigned limit = budget;

    if (callee == f || callee->is_noinline || !callee->blocks.len || callee->vars.len ||
        has_call_of(callee, callee) || has_call_of(callee, f))
        return false;
    if (has_const_arg(call))
        limit *= CONST_ARG_FACTOR;
    if (callee->is_inline && limit < FORCED_COST)
        limit = FORCED_COST;
    return ir_cost(callee) <= limit;
}

/* ---- one call -------------------------------------------------------------------------------- */

struct site {
    struct ir_func *f;
    struct ir_value *call;
    struct ir_block *rest; /* the block of the values after the call */
    struct arena scratch;
    VEC(struct ir_value *) rets;
};

/* Joins operand i of all RETs in a PHI at the start of `rest`. */
static struct ir_value *merge_results(struct site *s, unsigned i, struct ir_type t)
{
    struct ir_value *v;

    if (s->rets.len == 1)
        return s->rets.data[0]->ops.data[i];
    v = ir_value_new(s->f, s->rets.len ? IR_PHI : IR_CONST, t, s->call->pos);
    ir_insert_before(s->rest->first, v);
    vec_for_each (&s->rets, r) {
        vec_push_in(s->f->arena, &v->ops, (*r)->ops.data[i]);
        vec_push_in(s->f->arena, &v->targets, (*r)->block);
    }
    return v;
}

static void replace_outputs(struct site *s, unsigned n, struct ir_value *by)
{
    vec_for_each (&s->f->blocks, b) {
        for (struct ir_value *v = (*b)->first, *next; v; v = next) {
            next = v->next;
            if (v->op != IR_RESULT || v->ops.data[0] != s->call || v->imm != n)
                continue;
            ir_replace(s->f, v, by);
            ir_remove(v);
        }
    }
}

static void replace_results(struct site *s)
{
    const struct ir_func *callee = s->call->callee;
    unsigned first = !ir_is_void(callee->result);

    for (unsigned i = 0; i < callee->outs.len; i++)
        replace_outputs(s, i + 1, merge_results(s, first + i, callee->outs.data[i]));
    if (first)
        ir_replace(s->f, s->call, merge_results(s, 0, callee->result));
}

static void branch_to(struct ir_func *f, struct ir_block *from, struct ir_block *to,
                      struct src_pos pos)
{
    struct ir_builder b = {.func = f, .block = from, .pos = pos};

    ir_br(&b, to);
}

static void inline_call(struct ir_func *f, struct ir_value *call)
{
    struct site s = {.f = f, .call = call};
    const struct ir_func *callee = call->callee;
    struct ir_block *before = call->block, *entry;
    unsigned first_copy;

    s.rest = ir_split_before(call->next, "after");
    first_copy = f->blocks.len;
    entry = ir_copy_body(f, callee, call->ops.data,
                         arena_alloc(&s.scratch, callee->next_value * sizeof(void *)));
    for (unsigned i = first_copy; i < f->blocks.len; i++)
        if (f->blocks.data[i]->last->op == IR_RET)
            vec_push_in(&s.scratch, &s.rets, f->blocks.data[i]->last);
    replace_results(&s);
    ir_remove(call);
    branch_to(f, before, entry, call->pos);
    vec_for_each (&s.rets, r) {
        struct ir_block *b = (*r)->block;

        ir_remove(*r);
        branch_to(f, b, s.rest, call->pos);
    }
    arena_free(&s.scratch);
}

static struct ir_value *next_call(const struct ir_func *f, unsigned budget)
{
    vec_for_each (&f->blocks, b)
        for (struct ir_value *v = (*b)->first; v; v = v->next)
            if (v->op == IR_CALL && should_inline(f, v, budget))
                return v;
    return NULL;
}

static bool inline_calls(struct ir_func *f, unsigned budget, unsigned max_cost)
{
    bool changed = false;
    struct ir_value *call;

    while (ir_cost(f) < max_cost && (call = next_call(f, budget))) {
        inline_call(f, call);
        changed = true;
    }
    if (changed)
        ir_compute_preds(f);
    return changed;
}

bool ir_pass_inline(struct ir_func *f, unsigned budget)
{
    return inline_calls(f, budget, MAX_CALLER_COST);
}

bool ir_pass_inline_varying(struct ir_func *f)
{
    bool changed = false, found = true;

    while (found && ir_cost(f) < MAX_CALLER_COST) {
        struct ir_value *varying = NULL;

        ir_pass_fixedness(f);
        vec_for_each (&f->blocks, b)
            for (struct ir_value *v = (*b)->first; v && !varying; v = v->next)
                if (v->op == IR_CALL && !v->fixed &&
                    should_inline(f, v, UINT_MAX / CONST_ARG_FACTOR))
                    varying = v;
        found = varying != NULL;
        if (found)
            inline_call(f, varying);
        changed |= found;
        ir_compute_preds(f);
    }
    return changed;
}

/* ---- callees that are a SWITCH over a fixed argument
 * -------------------------------------------- */

/* The parameter of a helper that consists of a SWITCH over this parameter; NULL for other
 * helpers. */
static const struct ir_value *switch_parameter(const struct ir_func *callee)
{
    const struct ir_value *v = callee->blocks.data[0]->first;

    while (v && v->op == IR_PARAM)
        v = v->next;
    return v && v->op == IR_SWITCH && v->ops.data[0]->op == IR_PARAM ? v->ops.data[0] : NULL;
}

static bool is_switch_call(const struct ir_func *f, const struct ir_value *call)
{
    const struct ir_func *callee = call->callee;
    const struct ir_value *by;

    if (callee == f || !callee->blocks.len || callee->vars.len || callee->ends_block ||
        has_call_of(callee, callee) || has_call_of(callee, f))
        return false;
    by = switch_parameter(callee);
    return by && call->ops.data[(unsigned)by->imm]->fixed;
}

static struct ir_value *next_switch_call(const struct ir_func *f)
{
    vec_for_each (&f->blocks, b)
        for (struct ir_value *v = (*b)->first; v; v = v->next)
            if (v->op == IR_CALL && is_switch_call(f, v))
                return v;
    return NULL;
}

bool ir_pass_inline_choices(struct ir_func *f, unsigned budget)
{
    struct ir_value *call;
    unsigned n = 0;

    ir_pass_fixedness(f);
    for (; n < MAX_CHOICES && (call = next_switch_call(f)); n++) {
        inline_call(f, call);
        ir_pass_fixedness(f);
    }
    if (n)
        inline_calls(f, budget, MAX_CASES_COST);
    return n > 0;
}
