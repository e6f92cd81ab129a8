/*
 * Helpers of layouts: names in C, sets of versions, values of expressions.
 */
#include "gencc/model/layout_internal.h"

#include <string.h>

void layout_c_name(struct layouts *l, struct src_pos pos, const char *name)
{
    struct src_pos *here = arena_new(l->arena, struct src_pos), *old;

    *here = pos;
    name = arena_upper(l->arena, name);
    old = name_map_put(l->arena, &l->c_names, name, here);
    if (!old)
        return;
    name_map_put(l->arena, &l->c_names, name, old);
    diag_error(l->diag, pos, "this makes the C name %s_%s a second time", l->upper, name);
    diag_note(l->diag, *old, "the first is made here");
}

version_set layout_versions(struct layouts *l, const struct ast_versions *v, version_set all,
                            const char *what)
{
    version_set set = 0;

    if (!v->ranges.len)
        return all;
    vec_for_each (&v->ranges, r) {
        version_set these;

        if (r->from > r->to || r->to > LAYOUT_MAX_VERSION) {
            diag_error(l->diag, r->pos, "versions are numbers from 0 to %u, the lower one first",
                       LAYOUT_MAX_VERSION);
            continue;
        }
        these = (version_set)((2ull << r->to) - (1ull << r->from));
        if (these & ~all)
            diag_error(l->diag, r->pos, "%s has no version %d", what, __builtin_ctz(these & ~all));
        if (these & set)
            diag_error(l->diag, r->pos, "version %d is named twice", __builtin_ctz(these & set));
        set |= these & all;
    }
    return set;
}

const struct lay_value *enum_find(const struct lay_enum *e, const char *name)
{
    vec_for_each (&e->values, v)
        if (strcmp(v->name, name) == 0)
            return v;
    return NULL;
}

static bool name_value(struct layouts *l, const struct ast_expr *e, const struct lay_enum *values,
                       s128 *out)
{
    const struct lay_const *c = name_map_get(&l->const_names, e->name);
    const struct lay_value *v = values ? enum_find(values, e->name) : NULL;
    struct name_guess guess = {.wrong = e->name};

    if (v || c) {
        *out = v ? v->value : (s128)c->value;
        return true;
    }
    if (values)
        vec_for_each (&values->values, it)
            name_guess_offer(&guess, it->name);
    vec_for_each (&l->consts, it)
        name_guess_offer(&guess, it->name);
    diag_unknown(l->diag, e->pos, &guess, "unknown %s \"%s\"", values ? "value" : "constant",
                 guess.wrong);
    return false;
}

static bool unary_value(enum ast_op op, s128 a, s128 *out)
{
    switch (op) {
    case AST_OP_NEG:
        *out = (s128) - (u128)a;
        return true;
    case AST_OP_NOT:
        *out = ~a;
        return true;
    case AST_OP_PLUS:
        *out = a;
        return true;
    default:
        return false;
    }
}

bool layout_value(struct layouts *l, const struct ast_expr *e, const struct lay_enum *values,
                  s128 *out)
{
    s128 a, b;

    switch (e->kind) {
    case AST_INT:
        *out = (s128)e->value;
        return true;
    case AST_NAME:
        return name_value(l, e, values, out);
    case AST_UNARY:
        if (!layout_value(l, e->a, values, &a))
            return false;
        if (unary_value(e->op, a, out))
            return true;
        break;
    case AST_BINARY:
        if (!layout_value(l, e->a, values, &a) || !layout_value(l, e->b, values, &b))
            return false;
        if (ast_fold(e->op, a, b, out))
            return true;
        break;
    default:
        break;
    }
    diag_error(l->diag, e->pos, "expected a number or a constant");
    return false;
}

uint64_t layout_uint(struct layouts *l, const struct ast_expr *e, uint64_t max)
{
    s128 v;

    if (!layout_value(l, e, NULL, &v))
        return 0;
    if (v >= 0 && v <= (s128)max)
        return (uint64_t)v;
    diag_error(l->diag, e->pos, "this number is out of range: 0 to %llu is allowed",
               (unsigned long long)max);
    return 0;
}
