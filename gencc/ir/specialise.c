/*
 * Specialisation: copies of functions in which known fields, parameters or intrinsics are
 * constants.
 */
#include "gencc/ir/pass.h"
#include "gencc/model/model.h"

struct ir_func *ir_specialise(struct arena *a, const struct ir_func *f, const char *name,
                              unsigned n, struct field *const *fields, const u128 *values)
{
    struct ir_func *c = ir_clone(a, f, name);

    vec_for_each (&c->blocks, b) {
        for (struct ir_value *v = (*b)->first; v; v = v->next) {
            for (unsigned i = 0; v->op == IR_FIELD && i < n; i++) {
                if (v->field != fields[i])
                    continue;
                v->op = IR_CONST;
                v->imm = values[i] & low_bits(v->type.bits);
            }
        }
    }
    ir_optimise(c, NULL);
    return c;
}

static struct ir_value *constant_before(struct ir_value *at, u128 value)
{
    struct ir_value *c = ir_value_new(at->block->func, IR_CONST, at->type, at->pos);

    c->imm = value & low_bits(at->type.bits);
    ir_insert_before(at, c);
    return c;
}

/* Replaces v by (v & ~mask) | (bits & mask). */
static void know_bits(struct ir_value *v, u128 mask, u128 bits)
{
    struct ir_func *f = v->block->func;
    struct ir_value *read = ir_copy_value(f, v), *rest = ir_value_new(f, IR_AND, v->type, v->pos);

    ir_insert_before(v, read);
    vec_push_in(f->arena, &rest->ops, read);
    vec_push_in(f->arena, &rest->ops, constant_before(v, ~mask));
    ir_insert_before(v, rest);
    v->op = IR_OR;
    v->imm = 0;
    vec_push_in(f->arena, &v->ops, rest);
    vec_push_in(f->arena, &v->ops, constant_before(v, bits & mask));
}

static bool is_known_value(const struct ir_value *v, const struct ir_known *k)
{
    return k->field ? v->op == IR_FIELD && v->field == k->field
                    : v->op == IR_PARAM && (unsigned)v->imm == k->param;
}

struct ir_func *ir_specialise_bits(const struct ir_func *f, const char *name, unsigned n,
                                   const struct ir_known *known)
{
    struct ir_func *c = ir_clone(f->arena, f, name);

    vec_for_each (&c->blocks, b)
        for (struct ir_value *v = (*b)->first; v; v = v->next)
            for (unsigned i = 0; i < n; i++)
                if (is_known_value(v, &known[i])) {
                    know_bits(v, known[i].mask, known[i].bits);
                    break;
                }
    ir_optimise(c, NULL);
    return c;
}

static bool is_call_with(const struct ir_value *v, enum ir_intrinsic i, u128 argument)
{
    return ir_is_intrinsic(v, i) && (!v->ops.len || ir_is_const_of(v->ops.data[0], argument));
}

bool ir_has_intrinsic(const struct ir_func *f, enum ir_intrinsic i, u128 argument)
{
    vec_for_each (&f->blocks, b)
        for (const struct ir_value *v = (*b)->first; v; v = v->next)
            if (is_call_with(v, i, argument))
                return true;
    return false;
}

bool ir_replace_intrinsic(struct ir_func *f, enum ir_intrinsic i, u128 argument, u128 value)
{
    bool any = false;

    vec_for_each (&f->blocks, b) {
        for (struct ir_value *v = (*b)->first; v; v = v->next) {
            if (!is_call_with(v, i, argument))
                continue;
            v->op = IR_CONST;
            v->ops.len = 0;
            v->imm = value;
            any = true;
        }
    }
    return any;
}
