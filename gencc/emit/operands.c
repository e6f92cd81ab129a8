/*
 * Operands: what of a behaviour depends on the encoding alone is computed when the instruction is
 * decoded, and kept beside it.
 */
#include "gencc/emit/internal.h"

#include <string.h>

enum { YES = 1, NO = 2 };

/* Computable in a straight line from the word: fixed, pure, and without PHIs on the way. */
bool is_decodable(struct ir_value *v)
{
    bool ok;

    if (v->mark)
        return v->mark == YES;
    ok = ir_is_pure(v) && v->op != IR_PHI && v->op != IR_PARAM && v->op != IR_TEXT && v->fixed;
    for (unsigned i = 0; ok && i < v->ops.count; i++)
        ok = is_decodable(v->ops.at[i]);
    if (ok && v->op == IR_CALL && v->callee->outs.count)
        ok = false;
    if (ok &&
        (v->op == IR_EXTERNAL || v->op == IR_RESULT || ir_is_vector(v->type) || v->type.bits > 64))
        ok = false;
    v->mark = ok ? YES : NO;
    return ok;
}

/* The computed field whose expression the value is, by where it stands in the description. */
static const char *computed_name(const struct cfn *c, const struct ir_value *v)
{
    vec_for_each (&c->f->format->fields, it) {
        const struct ast_expr *e = (*it)->value;

        if (e && e->pos.file == v->pos.file && e->pos.line == v->pos.line &&
            e->pos.column == v->pos.column)
            return (*it)->name;
    }
    return NULL;
}

static const char *operand_name(struct cfn *c, const struct ir_value *v)
{
    const struct ir_value *f = v;
    const char *name, *computed = NULL;

    while (f->op == IR_CONVERT || (f->op == IR_ADD && f->ops.at[1]->op == IR_CONST))
        f = f->ops.at[0];
    if (c->f->format)
        computed = computed_name(c, v) ? computed_name(c, v) : computed_name(c, f);
    name = computed            ? computed
           : f->op == IR_FIELD ? f->field->name
                               : arena_printf(c->e->arena, "k%u", v->id);
    for (unsigned n = 2;; n++) {
        bool taken = false;

        vec_for_each (&c->operands, o)
            taken |= !strcmp(o->name, name);
        if (!taken)
            return name;
        name =
            arena_printf(c->e->arena, "%s%u", f->op == IR_FIELD ? f->field->name : "k", n + v->id);
    }
}

static void add_operand(struct cfn *c, struct ir_value *v)
{
    struct operand o = {.value = v, .stored = narrow_type(v)};

    if (c->at[v->id].place == PLACE_OPERAND)
        return;
    o.name = operand_name(c, v);
    c->at[v->id].place = PLACE_OPERAND;
    c->at[v->id].operand = c->operands.count;
    vec_push(c->e->arena, &c->operands, o);
}

/* What selects a source of a lane becomes the place of that source. */
static bool is_selector(const struct ir_value *v, struct ir_value *const *op)
{
    return (ir_is_intrinsic(v, IR_I_READ_SOURCE) || ir_is_intrinsic(v, IR_I_READ_SOURCE_LANE)) &&
           op == v->ops.at;
}

/* Operands are what computed code takes from decodable values; a constant is better in place. */
void find_operands(struct cfn *c)
{
    ir_pass_fixedness(c->f);
    vec_for_each (&c->f->blocks, b)
        for (struct ir_value *v = (*b)->first; v; v = v->next)
            v->mark = 0;
    for (unsigned i = 0; i < c->f->next_value; i++)
        c->at[i].place = PLACE_LOCAL;
    vec_for_each (&c->f->blocks, b) {
        for (struct ir_value *v = (*b)->first; v; v = v->next) {
            if (is_decodable(v))
                continue;
            vec_for_each (&v->ops, op)
                if ((*op)->op != IR_CONST && is_decodable(*op) && !is_selector(v, op))
                    add_operand(c, *op);
        }
    }
}
