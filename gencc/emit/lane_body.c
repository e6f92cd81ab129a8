/*
 * Behaviours of lanes: helpers are inlined. If the only effect is the result, the behaviour becomes
 * a function that returns it.
 */
#include "gencc/emit/lane.h"
#include "gencc/ir/pass.h"

#include <string.h>

enum { MAX_ROUNDS = 64, INLINE_ALL = 1 << 20 };

static const struct ir_value *impure_call(const struct ir_func *f)
{
    vec_for_each (&f->blocks, b)
        for (const struct ir_value *v = (*b)->first; v; v = v->next)
            if (v->op == IR_CALL && !ir_is_pure(v))
                return v;
    return NULL;
}

/* Whether all calls of effects are inlined; reports one that is not. */
static bool are_inlined(struct emit *e, const struct ir_func *f)
{
    const struct ir_value *call = impure_call(f);

    if (call)
        diag_error(e->diag, call->pos,
                   "helper '%s' cannot be inlined here; only a pure one may be 'noinline' or large",
                   call->callee->name);
    return !call;
}

struct ir_func *lane_inline(struct emit *e, const struct form *form)
{
    struct ir_func *f = ir_clone(form->exec->arena, form->exec, form->exec->name);

    ir_optimise(f, NULL);
    for (unsigned i = 0; i < MAX_ROUNDS && ir_pass_inline(f, INLINE_ALL); i++)
        ir_optimise(f, NULL);
    return are_inlined(e, f) ? f : NULL;
}

struct ir_func *lane_inline_varying(struct emit *e, const struct form *form)
{
    struct ir_func *f = ir_clone(form->exec->arena, form->exec, form->exec->name);

    ir_optimise(f, NULL);
    for (unsigned i = 0; i < MAX_ROUNDS && ir_pass_inline_varying(f); i++)
        ir_optimise(f, NULL);
    return are_inlined(e, f) ? f : NULL;
}

/* ---- results as values ----------------------------------------------------------------------- */

static bool is_straight(const struct ir_func *f)
{
    vec_for_each (&f->blocks, b)
        for (const struct ir_value *v = (*b)->first; v; v = v->next)
            if (!ir_is_term(v) && !ir_is_pure(v) && !ir_is_intrinsic(v, IR_I_WRITE_RESULT) &&
                !ir_is_intrinsic(v, IR_I_UNDEFINED_INSTRUCTION))
                return false;
    return true;
}

/* The content of the result's slot before the operation. */
static struct ir_value *old_result(struct ir_func *f)
{
    struct ir_value *v = ir_value_new(f, IR_INTRINSIC, IR_T_U32, f->pos);

    v->fn = ir_intrinsic(f->arena, IR_I_OLD_RESULT, IR_T_U32);
    return v;
}

static void write_before(struct ir_value *at, struct ir_var *var, struct ir_value *value)
{
    struct ir_func *f = at->block->func;
    struct ir_value *v = ir_value_new(f, IR_VAR_WRITE, IR_T_VOID, at->pos);

    v->var = var;
    vec_push_in(f->arena, &v->ops, value);
    ir_insert_before(at, v);
}

static void write_constant(struct ir_value *at, struct ir_var *var, u128 bits)
{
    struct ir_value *v = ir_value_new(at->block->func, IR_CONST, var->type, at->pos);

    v->imm = bits;
    ir_insert_before(at, v);
    write_before(at, var, v);
}

struct outputs {
    struct ir_var *result, *refused;
    struct ir_block *exit;
};

static void replace_effects(struct ir_func *f, struct ir_block *b, const struct outputs *o)
{
    for (struct ir_value *v = b->first, *next; v; v = next) {
        next = v->next;
        if (ir_is_intrinsic(v, IR_I_WRITE_RESULT)) {
            write_before(v, o->result, v->ops.data[0]);
            ir_remove(v);
        } else if (ir_is_intrinsic(v, IR_I_UNDEFINED_INSTRUCTION)) {
            write_constant(v, o->refused, 1);
            ir_remove(v);
        } else if (v->op == IR_RET || v->op == IR_UNREACHABLE) {
            v->op = IR_BR;
            v->ops.len = 0;
            vec_push_in(f->arena, &v->targets, o->exit);
        }
    }
}

static void return_outputs(struct ir_func *f)
{
    struct outputs o = {.result = ir_var_new(f, "result", IR_T_U32, f->pos),
                        .refused = ir_var_new(f, "refused", IR_T_U8, f->pos)};
    struct ir_value *start = ir_after_phis(f->blocks.data[0]), *old = old_result(f);
    struct ir_builder b = {.func = f, .pos = f->pos};
    unsigned blocks = f->blocks.len;
    struct ir_value *values[2];

    o.exit = b.block = ir_block_new(f, "exit");
    ir_insert_before(start, old);
    write_before(start, o.result, old);
    write_constant(start, o.refused, 0);
    for (unsigned i = 0; i < blocks; i++)
        replace_effects(f, f->blocks.data[i], &o);
    values[0] = ir_var_read(&b, o.result);
    values[1] = ir_var_read(&b, o.refused);
    ir_ret(&b, 2, values);
    f->result = IR_T_U32;
    vec_push_in(f->arena, &f->outs, IR_T_U8);
}

/* Removes the result of a function that never writes one. */
static void drop_result(struct ir_func *f)
{
    vec_for_each (&f->blocks, b) {
        struct ir_value *ret = (*b)->last;

        if (ret->op != IR_RET || !ir_is_intrinsic(ret->ops.data[0], IR_I_OLD_RESULT))
            continue;
        ret->ops.data[0] = ret->ops.data[1];
        ret->ops.len = 1;
        f->result = IR_T_VOID;
        ir_pass_dce(f);
    }
}

static void straighten_blocks(struct ir_func *f)
{
    return_outputs(f);
    f->flatten = true;
    ir_optimise(f, NULL);
    if (ir_pass_flatten(f))
        ir_optimise(f, NULL);
    if (ir_pass_pull_selects(f))
        ir_optimise(f, NULL);
    drop_result(f);
}

struct ir_func *lane_narrow(struct arena *a, const struct ir_func *f, const char *name,
                            const test_list *tests)
{
    struct field **fields = arena_alloc(a, (tests->len + 1) * sizeof(*fields));
    u128 *values = arena_alloc(a, (tests->len + 1) * sizeof(*values));

    for (unsigned i = 0; i < tests->len; i++) {
        fields[i] = tests->data[i].field;
        values[i] = tests->data[i].value;
    }
    return ir_specialise(a, f, name, tests->len, fields, values);
}

struct ir_func *lane_specialise(struct arena *a, const struct ir_func *f, const char *name,
                                const test_list *tests, bool *straight)
{
    struct ir_func *copy = lane_narrow(a, f, name, tests);

    *straight = is_straight(copy);
    if (*straight)
        straighten_blocks(copy);
    return copy;
}

/* ---- looking at them ------------------------------------------------------------------------- */

static const struct ir_value *returned_value(const struct ir_func *f, unsigned n)
{
    vec_for_each (&f->blocks, b)
        if ((*b)->last->op == IR_RET)
            return (*b)->last->ops.data[n];
    return NULL;
}

const struct ir_value *lane_result(const struct ir_func *f)
{
    return ir_is_void(f->result) ? NULL : returned_value(f, 0);
}

const struct ir_value *lane_refusal(const struct ir_func *f)
{
    const struct ir_value *v = returned_value(f, !ir_is_void(f->result));

    return v->op == IR_CONST && !v->imm ? NULL : v;
}
