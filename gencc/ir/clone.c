#include "gencc/ir/pass.h"
#include "gencc/model/model.h"

/* The copy of a value; what refers to other parts of the function is filled in by copy_refs, once
 * every value exists. */
static struct ir_value *copy_value(struct ir_func *to, const struct ir_value *v)
{
    struct ir_value *c = ir_value_new(to, v->op, v->type, v->pos);

    c->imm = v->imm; /* the widest member of the union: copies them all */
    c->fixed = v->fixed;
    vec_reserve(to->arena, &c->cases, v->cases.count);
    vec_for_each (&v->cases, k)
        vec_push(to->arena, &c->cases, *k);
    return c;
}

static void copy_refs(struct ir_func *to, const struct ir_func *from, struct ir_value **map,
                      struct ir_block **blocks, unsigned first_var)
{
    vec_for_each (&from->blocks, b) {
        for (struct ir_value *v = (*b)->first; v; v = v->next) {
            struct ir_value *c = map[v->id];

            vec_reserve(to->arena, &c->ops, v->ops.count);
            vec_for_each (&v->ops, op)
                vec_push(to->arena, &c->ops, map[(*op)->id]);
            vec_reserve(to->arena, &c->targets, v->targets.count);
            vec_for_each (&v->targets, t)
                vec_push(to->arena, &c->targets, blocks[(*t)->id]);
            /* A parameter that became an argument has no operands and passes through untouched. */
            if (v->op == IR_VAR_READ || v->op == IR_VAR_WRITE)
                c->var = to->vars.at[first_var + v->var->id];
        }
    }
}

struct ir_block *ir_copy_body(struct ir_func *to, const struct ir_func *from,
                              struct ir_value *const *args, struct ir_value **map)
{
    struct ir_block **blocks = arena_alloc(to->arena, from->next_block * sizeof *blocks);
    unsigned first_var = to->vars.count;

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
            map[v->id] = copy_value(to, v);
            ir_append(copy, map[v->id]);
        }
    }
    copy_refs(to, from, map, blocks, first_var);
    return blocks[from->blocks.at[0]->id];
}

struct ir_func *ir_clone(const struct ir_func *f, const char *name)
{
    struct ir_func *c = ir_func_new(f->arena, name, f->kind);
    struct arena scratch = {0};

    c->pos = f->pos;
    c->format = f->format;
    c->form = f->form;
    c->result = f->result;
    vec_for_each (&f->params, t)
        vec_push(c->arena, &c->params, *t);
    vec_for_each (&f->param_names, n)
        vec_push(c->arena, &c->param_names, *n);
    vec_for_each (&f->outs, t)
        vec_push(c->arena, &c->outs, *t);
    c->is_inline = f->is_inline;
    c->is_noinline = f->is_noinline;
    c->flatten = f->flatten;
    c->ends_block = f->ends_block;
    c->is_pure = f->is_pure;
    c->is_reading = f->is_reading;
    if (f->blocks.count)
        ir_copy_body(c, f, NULL, arena_alloc(&scratch, f->next_value * sizeof(void *)));
    arena_free(&scratch);
    return c;
}

struct ir_func *ir_specialise(const struct ir_func *f, const char *name, unsigned n,
                              struct field *const *fields, const u128 *values)
{
    struct ir_func *c = ir_clone(f, name);

    vec_for_each (&c->blocks, b) {
        for (struct ir_value *v = (*b)->first; v; v = v->next) {
            for (unsigned i = 0; v->op == IR_FIELD && i < n; i++) {
                if (v->field != fields[i])
                    continue;
                v->op = IR_CONST;
                v->imm = values[i] & ir_mask(v->type.bits);
            }
        }
    }
    ir_optimise(c, NULL);
    return c;
}

static struct ir_value *constant_before(struct ir_value *at, u128 value)
{
    struct ir_value *c = ir_value_new(at->block->func, IR_CONST, at->type, at->pos);

    c->imm = value & ir_mask(at->type.bits);
    ir_insert_before(at, c);
    return c;
}

/* The value becomes what it was but for the bits of `mask`. */
static void know_bits(struct ir_value *v, u128 mask, u128 bits)
{
    struct ir_func *f = v->block->func;
    struct ir_value *read = copy_value(f, v), *rest = ir_value_new(f, IR_AND, v->type, v->pos);

    ir_insert_before(v, read);
    vec_push(f->arena, &rest->ops, read);
    vec_push(f->arena, &rest->ops, constant_before(v, ~mask));
    ir_insert_before(v, rest);
    v->op = IR_OR;
    v->imm = 0;
    vec_push(f->arena, &v->ops, rest);
    vec_push(f->arena, &v->ops, constant_before(v, bits & mask));
}

static bool is_of(const struct ir_value *v, const struct ir_known *k)
{
    return k->field ? v->op == IR_FIELD && v->field == k->field
                    : v->op == IR_PARAM && (unsigned)v->imm == k->param;
}

struct ir_func *ir_specialise_bits(const struct ir_func *f, const char *name, unsigned n,
                                   const struct ir_known *known)
{
    struct ir_func *c = ir_clone(f, name);

    vec_for_each (&c->blocks, b)
        for (struct ir_value *v = (*b)->first; v; v = v->next)
            for (unsigned i = 0; i < n; i++)
                if (is_of(v, &known[i])) {
                    know_bits(v, known[i].mask, known[i].bits);
                    break;
                }
    ir_optimise(c, NULL);
    return c;
}

static bool asks(const struct ir_value *v, enum ir_intrinsic i, u128 argument)
{
    return ir_is_intrinsic(v, i) && (!v->ops.count || ir_is_const_of(v->ops.at[0], argument));
}

bool ir_asks(const struct ir_func *f, enum ir_intrinsic i, u128 argument)
{
    vec_for_each (&f->blocks, b)
        for (const struct ir_value *v = (*b)->first; v; v = v->next)
            if (asks(v, i, argument))
                return true;
    return false;
}

bool ir_settle(struct ir_func *f, enum ir_intrinsic i, u128 argument, u128 value)
{
    bool any = false;

    vec_for_each (&f->blocks, b) {
        for (struct ir_value *v = (*b)->first; v; v = v->next) {
            if (!asks(v, i, argument))
                continue;
            v->op = IR_CONST;
            v->ops.count = 0;
            v->imm = value;
            any = true;
        }
    }
    return any;
}
