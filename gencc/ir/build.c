/*
 * Makes functions, blocks, variables and values, and places values in blocks.
 */
#include "gencc/ir/pass.h"
#include "gencc/model/model.h"

struct ir_func *ir_func_new(struct arena *a, const char *name, enum ir_func_kind kind)
{
    struct ir_func *f = arena_new(a, struct ir_func);

    f->name = name;
    f->kind = kind;
    f->arena = a;
    f->result = IR_T_VOID;
    return f;
}

struct ir_block *ir_block_new(struct ir_func *f, const char *name)
{
    struct ir_block *b = arena_new(f->arena, struct ir_block);

    b->func = f;
    b->id = f->next_block++;
    b->name = name;
    vec_push_in(f->arena, &f->blocks, b);
    return b;
}

struct ir_var *ir_var_new(struct ir_func *f, const char *name, struct ir_type t, struct src_pos pos)
{
    struct ir_var *v = arena_new(f->arena, struct ir_var);

    v->name = name;
    v->type = t;
    v->pos = pos;
    v->id = f->vars.len;
    vec_push_in(f->arena, &f->vars, v);
    return v;
}

struct ir_value *ir_value_new(struct ir_func *f, enum ir_op op, struct ir_type t,
                              struct src_pos pos)
{
    struct ir_value *v = arena_new(f->arena, struct ir_value);

    v->op = op;
    v->type = t;
    v->id = f->next_value++;
    v->pos = pos;
    return v;
}

void ir_append(struct ir_block *b, struct ir_value *v)
{
    v->block = b;
    v->prev = b->last;
    v->next = NULL;
    if (b->last)
        b->last->next = v;
    else
        b->first = v;
    b->last = v;
}

void ir_insert_before(struct ir_value *at, struct ir_value *v)
{
    v->block = at->block;
    v->prev = at->prev;
    v->next = at;
    if (at->prev)
        at->prev->next = v;
    else
        at->block->first = v;
    at->prev = v;
}

void ir_remove(struct ir_value *v)
{
    struct ir_block *b = v->block;

    if (v->prev)
        v->prev->next = v->next;
    else
        b->first = v->next;
    if (v->next)
        v->next->prev = v->prev;
    else
        b->last = v->prev;
    v->prev = v->next = NULL;
    v->block = NULL;
}

struct ir_value *ir_after_phis(const struct ir_block *b)
{
    struct ir_value *v = b->first;

    while (v && v->op == IR_PHI)
        v = v->next;
    return v;
}

void ir_phi_rename_pred(struct ir_block *b, const struct ir_block *old, struct ir_block *pred)
{
    for (struct ir_value *v = b->first; v && v->op == IR_PHI; v = v->next)
        vec_for_each (&v->targets, t)
            if (*t == old)
                *t = pred;
}

struct ir_block *ir_split_before(struct ir_value *at, const char *name)
{
    struct ir_block *old = at->block, *rest = ir_block_new(old->func, name);

    rest->first = at;
    rest->last = old->last;
    old->last = at->prev;
    if (at->prev)
        at->prev->next = NULL;
    else
        old->first = NULL;
    at->prev = NULL;
    for (struct ir_value *v = at; v; v = v->next)
        v->block = rest;
    vec_for_each (&rest->last->targets, t)
        ir_phi_rename_pred(*t, old, rest);
    return rest;
}

struct ir_value *ir_emit(struct ir_builder *b, enum ir_op op, struct ir_type type, unsigned n,
                         struct ir_value *const *ops)
{
    struct ir_value *v = ir_value_new(b->func, op, type, b->pos);

    for (unsigned i = 0; i < n; i++)
        vec_push_in(b->func->arena, &v->ops, ops[i]);
    ir_append(b->block, v);
    return v;
}

struct ir_value *ir_const(struct ir_builder *b, struct ir_type t, u128 bits)
{
    struct ir_value *v = ir_emit(b, IR_CONST, t, 0, NULL);

    v->imm = bits & low_bits(t.bits);
    return v;
}

struct ir_value *ir_unary(struct ir_builder *b, enum ir_op op, struct ir_value *a)
{
    return ir_emit(b, op, a->type, 1, &a);
}

static bool is_comparison(enum ir_op op)
{
    return op >= IR_EQ && op <= IR_GE;
}

struct ir_value *ir_binary(struct ir_builder *b, enum ir_op op, struct ir_value *x,
                           struct ir_value *y)
{
    struct ir_value *ops[] = {x, y};
    struct ir_type t = x->type;

    if (is_comparison(op))
        t = ir_is_vector(t) ? ir_with_base(t, IR_UINT) : IR_T_U8;
    return ir_emit(b, op, t, 2, ops);
}

struct ir_value *ir_convert(struct ir_builder *b, struct ir_value *v, struct ir_type to)
{
    return ir_type_eq(v->type, to) ? v : ir_emit(b, IR_CONVERT, to, 1, &v);
}

struct ir_value *ir_bitcast(struct ir_builder *b, struct ir_value *v, struct ir_type to)
{
    return ir_type_eq(v->type, to) ? v : ir_emit(b, IR_BITCAST, to, 1, &v);
}

struct ir_value *ir_select(struct ir_builder *b, struct ir_value *cond, struct ir_value *x,
                           struct ir_value *y)
{
    struct ir_value *ops[] = {cond, x, y};

    return ir_emit(b, IR_SELECT, x->type, 3, ops);
}

struct ir_value *ir_field(struct ir_builder *b, struct field *f)
{
    struct ir_value *v = ir_emit(b, IR_FIELD, f->type, 0, NULL);

    v->field = f;
    return v;
}

struct ir_value *ir_reg_read(struct ir_builder *b, struct reg_view *v, struct ir_value *index,
                             struct ir_type as)
{
    struct ir_value *r = ir_emit(b, IR_REG_READ, as, index ? 1 : 0, &index);

    r->view = v;
    return r;
}

struct ir_value *ir_reg_write(struct ir_builder *b, struct reg_view *v, struct ir_value *index,
                              struct ir_value *value)
{
    struct ir_value *ops[] = {index, value};
    struct ir_value *w = ir_emit(b, IR_REG_WRITE, IR_T_VOID, index ? 2 : 1, index ? ops : ops + 1);

    w->view = v;
    return w;
}

struct ir_value *ir_var_read(struct ir_builder *b, struct ir_var *v)
{
    struct ir_value *r = ir_emit(b, IR_VAR_READ, v->type, 0, NULL);

    r->var = v;
    return r;
}

struct ir_value *ir_var_write(struct ir_builder *b, struct ir_var *v, struct ir_value *value)
{
    struct ir_value *w = ir_emit(b, IR_VAR_WRITE, IR_T_VOID, 1, &value);

    w->var = v;
    return w;
}

struct ir_value *ir_call(struct ir_builder *b, struct ir_func *callee, unsigned n,
                         struct ir_value *const *args)
{
    struct ir_value *v = ir_emit(b, IR_CALL, callee->result, n, args);

    v->callee = callee;
    return v;
}

struct ir_value *ir_call_fn(struct ir_builder *b, struct ir_callee *fn, const char *text,
                            unsigned n, struct ir_value *const *args)
{
    enum ir_op op = fn->intrinsic ? IR_INTRINSIC : IR_EXTERNAL;
    struct ir_value *t = NULL, *v;

    if (text) {
        t = ir_emit(b, IR_TEXT, IR_T_VOID, 0, NULL);
        t->text = text;
    }
    v = ir_emit(b, op, fn->result, t ? 1 : 0, &t);
    for (unsigned i = 0; i < n; i++)
        vec_push_in(b->func->arena, &v->ops, args[i]);
    v->fn = fn;
    return v;
}

struct ir_value *ir_result(struct ir_builder *b, struct ir_value *call, unsigned n,
                           struct ir_type t)
{
    struct ir_value *v = ir_emit(b, IR_RESULT, t, 1, &call);

    v->imm = n;
    return v;
}

void ir_br(struct ir_builder *b, struct ir_block *to)
{
    struct ir_value *v = ir_emit(b, IR_BR, IR_T_VOID, 0, NULL);

    vec_push_in(b->func->arena, &v->targets, to);
}

void ir_cbr(struct ir_builder *b, struct ir_value *cond, struct ir_block *yes, struct ir_block *no)
{
    struct ir_value *v = ir_emit(b, IR_CBR, IR_T_VOID, 1, &cond);

    vec_push_in(b->func->arena, &v->targets, yes);
    vec_push_in(b->func->arena, &v->targets, no);
}

struct ir_value *ir_switch(struct ir_builder *b, struct ir_value *v, struct ir_block *otherwise)
{
    struct ir_value *sw = ir_emit(b, IR_SWITCH, IR_T_VOID, 1, &v);

    vec_push_in(b->func->arena, &sw->targets, otherwise);
    return sw;
}

void ir_switch_case(struct ir_func *f, struct ir_value *sw, u128 value, struct ir_block *to)
{
    vec_push_in(f->arena, &sw->targets, to);
    vec_push_in(f->arena, &sw->cases, value & low_bits(sw->ops.data[0]->type.bits));
}

void ir_ret(struct ir_builder *b, unsigned n, struct ir_value *const *values)
{
    ir_emit(b, IR_RET, IR_T_VOID, n, values);
}

void ir_unreachable(struct ir_builder *b)
{
    ir_emit(b, IR_UNREACHABLE, IR_T_VOID, 0, NULL);
}
