/*
 * Operands of handlers: which values the decoder computes, and the C that computes them.
 */
#include "gencc/emit/operands.h"
#include "gencc/emit/body.h"
#include "gencc/emit/ctype.h"

#include <string.h>

enum { YES = 1, NO = 2 };

/* Computable from the word in straight-line code: fixed, pure, and without PHIs on the way. */
bool is_decodable(struct ir_value *v)
{
    bool ok;

    if (v->mark)
        return v->mark == YES;
    ok = ir_is_pure(v) && v->op != IR_PHI && v->op != IR_PARAM && v->op != IR_TEXT && v->fixed;
    for (unsigned i = 0; ok && i < v->ops.len; i++)
        ok = is_decodable(v->ops.data[i]);
    if (ok && v->op == IR_CALL && v->callee->outs.len)
        ok = false;
    if (ok &&
        (v->op == IR_EXTERNAL || v->op == IR_RESULT || ir_is_vector(v->type) || v->type.bits > 64))
        ok = false;
    v->mark = ok ? YES : NO;
    return ok;
}

/* The computed field with whose expression the value has its position in the description. */
static const char *computed_name(const struct body *b, const struct ir_value *v)
{
    vec_for_each (&b->f->format->fields, it) {
        const struct ast_expr *e = (*it)->value;

        if (e && e->pos.file == v->pos.file && e->pos.line == v->pos.line &&
            e->pos.column == v->pos.column)
            return (*it)->name;
    }
    return NULL;
}

static bool is_taken(const struct body *b, const char *name)
{
    vec_for_each (&b->operands, o)
        if (!strcmp(o->name, name))
            return true;
    return false;
}

/* The field's name, or k1, k2 …: equal structures of operands then have equal names. */
static const char *operand_name(struct body *b, const struct ir_value *v)
{
    const struct ir_value *f = v;
    const char *base, *name, *computed = NULL;

    while (f->op == IR_CONVERT || (f->op == IR_ADD && f->ops.data[1]->op == IR_CONST))
        f = f->ops.data[0];
    if (b->f->format)
        computed = computed_name(b, v) ? computed_name(b, v) : computed_name(b, f);
    base = computed ? computed : f->op == IR_FIELD ? f->field->name : "k";
    name = name_in_c(b->e->arena, computed || f->op == IR_FIELD ? base : "k1");
    for (unsigned n = 2; is_taken(b, name); n++)
        name = arena_printf(b->e->arena, "%s%u", base, n);
    return name;
}

static void add_operand(struct body *b, struct ir_value *v)
{
    struct operand o = {.value = v, .stored = narrow_type(v)};

    if (b->at[v->id].place == PLACE_OPERAND)
        return;
    o.name = operand_name(b, v);
    b->at[v->id].place = PLACE_OPERAND;
    b->at[v->id].number = b->operands.len;
    vec_push_in(b->e->arena, &b->operands, o);
}

/* Operands are the decodable values that dynamic code uses. Constants are written in place. */
void operands_find(struct body *b)
{
    ir_pass_fixedness(b->f);
    vec_for_each (&b->f->blocks, it)
        for (struct ir_value *v = (*it)->first; v; v = v->next)
            v->mark = 0;
    for (unsigned i = 0; i < b->f->next_value; i++)
        b->at[i].place = PLACE_LOCAL;
    vec_for_each (&b->f->blocks, it) {
        for (struct ir_value *v = (*it)->first; v; v = v->next) {
            if (is_decodable(v))
                continue;
            vec_for_each (&v->ops, op)
                if ((*op)->op != IR_CONST && is_decodable(*op) && !is_selector(v, op))
                    add_operand(b, *op);
        }
    }
}

/* Whether two values are equal. `same`: by value id, a value that is known to be equal, so that no
 * pair is compared twice. */
static bool same_value(const struct ir_value *a, const struct ir_value *b,
                       const struct ir_value **same)
{
    if (a == b || same[a->id] == b)
        return true;
    if (!ir_same_operation(a, b))
        return false;
    for (unsigned i = 0; i < a->ops.len; i++)
        if (!same_value(a->ops.data[i], b->ops.data[i], same))
            return false;
    same[a->id] = b;
    return true;
}

/* Operand n becomes number to[n]. */
static void renumber_operands(struct body *b, const unsigned *to)
{
    for (unsigned i = 0; i < b->f->next_value; i++)
        if (b->at[i].place == PLACE_OPERAND)
            b->at[i].number = to[b->at[i].number];
}

void operands_share(struct body *b)
{
    unsigned *to = arena_alloc(b->e->arena, (b->operands.len + 1) * sizeof(*to));
    const struct ir_value **same = arena_alloc(b->e->arena, b->f->next_value * sizeof(*same));
    operand_list kept = {0};

    for (unsigned i = 0; i < b->operands.len; i++) {
        unsigned n = 0;

        while (n < kept.len && !same_value(kept.data[n].value, b->operands.data[i].value, same))
            n++;
        if (n == kept.len)
            vec_push_in(b->e->arena, &kept, b->operands.data[i]);
        to[i] = n;
    }
    renumber_operands(b, to);
    b->operands = kept;
}

void operands_sort(struct body *b)
{
    unsigned *to = arena_alloc(b->e->arena, (b->operands.len + 1) * sizeof(*to));
    operand_list sorted = {0};

    for (unsigned size = 8; size; size /= 2)
        for (unsigned i = 0; i < b->operands.len; i++) {
            if (ir_bytes(b->operands.data[i].stored) != size)
                continue;
            to[i] = sorted.len;
            vec_push_in(b->e->arena, &sorted, b->operands.data[i]);
        }
    renumber_operands(b, to);
    b->operands = sorted;
}

void operands_members(struct emit *e, FILE *o, const operand_list *operands)
{
    vec_for_each (operands, op)
        fprintf(o, " %s %s;", ctype(e, op->stored), op->name);
}

const char *operands_layout(struct emit *e, const operand_list *operands)
{
    const char *name = arena_printf(e->arena, "%s_o", e->prefix);

    vec_for_each (operands, o)
        name = arena_printf(e->arena, "%s_%s_%c%u", name, o->name,
                            o->stored.base == IR_SINT ? 's' : 'u', o->stored.bits);
    return name;
}

unsigned operands_bytes(const operand_list *operands)
{
    unsigned bytes = 0;

    vec_for_each (operands, o)
        bytes += ir_bytes(o->stored);
    return bytes;
}

/* ---- computing them -------------------------------------------------------------------------- */

struct body straight_line(struct emit *e, FILE *o, struct ir_func *f, const struct dialect *d)
{
    struct body b = body_new(e, o, f, d);

    for (unsigned i = 0; i < f->next_value; i++)
        b.at[i].skip = true;
    return b;
}

void straight_line_value(struct body *b, struct ir_value *v)
{
    struct placement *p = &b->at[v->id];

    if (!p->skip)
        return;
    p->skip = false;
    if (v->op == IR_CONST || v->op == IR_FIELD || v->op == IR_WORD) {
        p->place = PLACE_FOLD;
        return;
    }
    vec_for_each (&v->ops, op)
        straight_line_value(b, *op);
    p->place = PLACE_LOCAL;
    fprintf(b->o, "    const %s v%u = ", ctype(b->e, v->type), v->id);
    expr_open(b, v);
    fputs(";\n", b->o);
}

void straight_line_values(struct body *b, const operand_list *operands)
{
    vec_for_each (operands, o)
        straight_line_value(b, o->value);
}

void straight_line_store(struct body *b, const operand_list *operands)
{
    vec_for_each (operands, o) {
        fprintf(b->o, "    o->%s = (%s)", o->name, ctype(b->e, o->stored));
        expr(b, o->value);
        fputs(";\n", b->o);
    }
}
