/*
 * Copies functions and their bodies.
 */
#include "gencc/ir/pass.h"
#include "gencc/model/model.h"

struct ir_value *ir_copy_value(struct ir_func *to, const struct ir_value *v)
{
    struct ir_value *c = ir_value_new(to, v->op, v->type, v->pos);

    c->imm = v->imm; /* imm is the widest member of the union, so this copies any member */
    c->fixed = v->fixed;
    vec_reserve_in(to->arena, &c->cases, v->cases.len);
    vec_for_each (&v->cases, k)
        vec_push_in(to->arena, &c->cases, *k);
    return c;
}

static void copy_refs(struct ir_func *to, const struct ir_func *from, struct ir_value **map,
                      struct ir_block **blocks, unsigned first_var)
{
    vec_for_each (&from->blocks, b) {
        for (struct ir_value *v = (*b)->first; v; v = v->next) {
            struct ir_value *c = map[v->id];

            vec_reserve_in(to->arena, &c->ops, v->ops.len);
            vec_for_each (&v->ops, op)
                vec_push_in(to->arena, &c->ops, map[(*op)->id]);
            vec_reserve_in(to->arena, &c->targets, v->targets.len);
            vec_for_each (&v->targets, t)
                vec_push_in(to->arena, &c->targets, blocks[(*t)->id]);
            /* A parameter replaced by an argument has no operands and stays as it is. */
            if (v->op == IR_VAR_READ || v->op == IR_VAR_WRITE)
                c->var = to->vars.data[first_var + v->var->id];
        }
    }
}

struct ir_block *ir_copy_body(struct ir_func *to, const struct ir_func *from,
                              struct ir_value *const *args, struct ir_value **map)
{
    struct ir_block **blocks = arena_alloc(to->arena, from->next_block * sizeof(*blocks));
    unsigned first_var = to->vars.len;

    vec_for_each (&from->vars, v)
        ir_var_new(to, (*v)->name, (*v)->type, (*v)->pos);
    vec_for_each (&from->blocks, b) {
        struct ir_block *copy = ir_block_new(to, (*b)->name);

        copy->fixed = (*b)->fixed;
        blocks[(*b)->id] = copy;
        for (struct ir_value *v = (*b)->first; v; v = v->next) {
            if (v->op == IR_PARAM && args) {
                map[v->id] = args[(unsigned)v->imm];
                continue;
            }
            map[v->id] = ir_copy_value(to, v);
            ir_append(copy, map[v->id]);
        }
    }
    copy_refs(to, from, map, blocks, first_var);
    return blocks[from->blocks.data[0]->id];
}

struct ir_func *ir_clone(struct arena *a, const struct ir_func *f, const char *name)
{
    struct ir_func *c = ir_func_new(a, name, f->kind);
    struct arena scratch = {0};

    c->pos = f->pos;
    c->format = f->format;
    c->form = f->form;
    c->result = f->result;
    vec_for_each (&f->params, t)
        vec_push_in(c->arena, &c->params, *t);
    vec_for_each (&f->param_names, n)
        vec_push_in(c->arena, &c->param_names, *n);
    vec_for_each (&f->outs, t)
        vec_push_in(c->arena, &c->outs, *t);
    c->is_inline = f->is_inline;
    c->is_noinline = f->is_noinline;
    c->flatten = f->flatten;
    c->ends_block = f->ends_block;
    c->is_pure = f->is_pure;
    c->is_reading = f->is_reading;
    if (f->blocks.len)
        ir_copy_body(c, f, NULL, arena_alloc(&scratch, f->next_value * sizeof(void *)));
    arena_free(&scratch);
    return c;
}
