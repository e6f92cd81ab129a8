/*
 * Folding of operations on vector elements.
 */
#include "gencc/ir/fold.h"

static struct ir_value *element_of(struct ir_value *v, struct ir_value *vector, unsigned i)
{
    struct ir_value *index = ir_const_at(v, IR_T_U8, i);

    return ir_become(v, IR_EXTRACT, vector, index);
}

static struct ir_value *fold_extract(struct ir_value *v)
{
    struct ir_value *x = v->ops.data[0], *index = v->ops.data[1];
    unsigned i;

    if (x->op == IR_SPLAT)
        return x->ops.data[0];
    if (x->op == IR_CONST)
        return ir_become_const(v, x->imm);
    if (!ir_is_const(index))
        return NULL;
    i = (unsigned)(index->imm % x->type.lanes);
    if (x->op == IR_BUILD)
        return x->ops.data[i];
    if (x->op == IR_INSERT && ir_is_const(x->ops.data[1])) {
        if (x->ops.data[1]->imm % x->type.lanes == i)
            return x->ops.data[2];
        return element_of(v, x->ops.data[0], i);
    }
    if (x->op == IR_CONCAT) {
        unsigned low = x->ops.data[0]->type.lanes;

        if (i >= low)
            return ir_type_eq(x->ops.data[1]->type, v->type)
                       ? x->ops.data[1]
                       : element_of(v, x->ops.data[1], i - low);
        return ir_type_eq(x->ops.data[0]->type, v->type) ? x->ops.data[0]
                                                         : element_of(v, x->ops.data[0], i);
    }
    return NULL;
}

/* Insertions that together set every lane become a BUILD. */
static struct ir_value *fold_insert(struct ir_value *v)
{
    struct ir_value *lanes[IR_MAX_LANES] = {NULL};
    unsigned left = v->type.lanes;
    struct arena *a = v->block->func->arena;

    for (struct ir_value *w = v; left && w->op == IR_INSERT; w = w->ops.data[0]) {
        unsigned i;

        if (!ir_is_const(w->ops.data[1]))
            return NULL;
        i = (unsigned)(w->ops.data[1]->imm % w->type.lanes);
        if (!lanes[i]) {
            lanes[i] = w->ops.data[2];
            left--;
        }
    }
    if (left)
        return NULL;
    v->op = IR_BUILD;
    v->ops.len = 0;
    for (unsigned i = 0; i < v->type.lanes; i++)
        vec_push_in(a, &v->ops, lanes[i]);
    return v;
}

static struct ir_value *fold_build(struct ir_value *v)
{
    struct ir_value *first = v->ops.data[0], *whole = NULL;
    bool alike = true, constant = true, in_order = true;

    for (unsigned i = 0; i < v->ops.len; i++) {
        struct ir_value *e = v->ops.data[i];

        alike &= e == first;
        constant &= ir_is_const(e) && ir_is_const(first) && e->imm == first->imm;
        if (i == 0 && e->op == IR_EXTRACT)
            whole = e->ops.data[0];
        in_order &=
            e->op == IR_EXTRACT && e->ops.data[0] == whole && ir_is_const_of(e->ops.data[1], i);
    }
    if (constant)
        return ir_become_const(v, first->imm);
    if (in_order && ir_type_eq(whole->type, v->type))
        return whole;
    return alike ? ir_become(v, IR_SPLAT, first, NULL) : NULL;
}

struct ir_value *ir_fold_vector(struct ir_value *v)
{
    switch (v->op) {
    case IR_EXTRACT:
        return fold_extract(v);
    case IR_INSERT:
        return fold_insert(v);
    case IR_BUILD:
        return fold_build(v);
    case IR_CONCAT:
        if (v->ops.data[0]->op == IR_SPLAT && v->ops.data[1]->op == IR_SPLAT &&
            v->ops.data[0]->ops.data[0] == v->ops.data[1]->ops.data[0])
            return ir_become(v, IR_SPLAT, v->ops.data[0]->ops.data[0], NULL);
        return NULL;
    default:
        return NULL;
    }
}
