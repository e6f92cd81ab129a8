/*
 * Names that stand for an expression: computed fields and constants. While one of them is lowered,
 * each name in it is lowered once, however often names refer to each other.
 */
#include "gencc/lower/internal.h"

#include <string.h>

/* A name that is being lowered, or was lowered in a block that dominates the present one. */
struct named {
    const void *what; /* struct field, ast_def or ast_setting */
    bool is_open;     /* being lowered */
    struct rv value;
};

/* What the expression of a name must not see. */
struct hidden {
    scope_vars vars;
    bindings binds;
    struct format *format;
    bool c_rules;
};

/* Whether the name's value is known, or was reported to be missing; sets *value. */
static bool is_known(struct fn *fn, const void *what, struct src_pos pos, const char *name,
                     struct rv *value)
{
    vec_for_each (&fn->named, n) {
        if (n->what != what)
            continue;
        if (n->is_open)
            diag_error(fn->lo->diag, pos, "'%s' is defined by itself", name);
        *value = n->is_open ? rv_error() : n->value;
        return true;
    }
    return false;
}

/* Adds an open name and returns its index. */
static unsigned open_name(struct fn *fn, const void *what)
{
    struct named n = {.what = what, .is_open = true};

    vec_push_in(fn->lo->arena, &fn->named, n);
    return fn->named.len - 1;
}

/*
 * Closes a name. After the outermost name all values are forgotten, since the present block may not
 * dominate the next one.
 */
static struct rv close_name(struct fn *fn, unsigned at, struct rv value)
{
    fn->named.data[at].is_open = false;
    fn->named.data[at].value = value;
    if (!at)
        fn->named.len = 0;
    return value;
}

unsigned named_before_branch(const struct fn *fn)
{
    return fn->named.len;
}

void named_behind_branch(struct fn *fn, unsigned before)
{
    fn->named.len = before;
}

/* Whether a name stands for an expression here, in the order in which lower_expr() looks. */
static bool stands_for_expression(struct fn *fn, const struct ast_expr *e)
{
    bool is_member = e->kind == AST_MEMBER && e->a->kind == AST_NAME && !strcmp(e->a->name, "inst");
    const struct field *f = NULL;

    if (e->kind != AST_NAME && !is_member)
        return false;
    if (fn->format && (is_member || fn->bare_fields))
        f = format_field(fn->format, e->name);
    if (f || is_member)
        return f && f->value;
    return !fn_binding(fn, e->name) && fn_names_value(fn, e->name);
}

void named_ahead(struct fn *fn, const struct ast_expr *e)
{
    if (!e || !fn->named.len)
        return;
    if (stands_for_expression(fn, e))
        lower_expr(fn, e);
    named_ahead(fn, e->a);
    named_ahead(fn, e->b);
    named_ahead(fn, e->c);
    vec_for_each (&e->args, arg)
        named_ahead(fn, *arg);
}

/* ---- computed fields ------------------------------------------------------------------------- */

/*
 * A computed field is lowered to its expression, so that its known bits show, and the decoder
 * hoists it like any other fixed value. The behaviour's variables are not visible in it.
 */
struct rv named_field(struct fn *fn, const struct field *f)
{
    bool bare = fn->bare_fields, c_rules = fn->c_rules;
    scope_vars vars = fn->vars;
    struct rv r;
    unsigned at;

    if (is_known(fn, f, fn->b.pos, f->name, &r))
        return r;
    at = open_name(fn, f);
    fn->bare_fields = true;
    fn->c_rules = false;
    fn->vars = (scope_vars){0};
    r = lower_expr_as(fn, f->value, f->type);
    fn->vars = vars;
    fn->c_rules = c_rules;
    fn->bare_fields = bare;
    /* The emitter names the operand after the field by this place. */
    if (r.ok && r.v->op != IR_CONST && r.v->op != IR_FIELD)
        r.v->pos = f->value->pos;
    return close_name(fn, at, r);
}

/* ---- constants ------------------------------------------------------------------------------- */

/* A constant is GenC, wherever it is named. */
static struct rv constant_value(struct fn *fn, const struct ast_type *type,
                                const struct ast_expr *value)
{
    struct hidden hidden = {fn->vars, fn->binds, fn->format, fn->c_rules};
    struct rv r = rv_error();
    struct ir_type t;

    fn->vars = (scope_vars){0};
    fn->binds = (bindings){0};
    fn->format = NULL;
    fn->c_rules = false;
    if (lower_type(fn, type, &t))
        r = lower_expr_as(fn, value, t);
    fn->vars = hidden.vars;
    fn->binds = hidden.binds;
    fn->format = hidden.format;
    fn->c_rules = hidden.c_rules;
    return r;
}

static struct rv lower_named_constant(struct fn *fn, const struct ast_expr *e, const void *what,
                                      const struct ast_type *type, const struct ast_expr *value)
{
    struct rv r;
    unsigned at;

    if (is_known(fn, what, e->pos, e->name, &r))
        return r;
    at = open_name(fn, what);
    return close_name(fn, at, constant_value(fn, type, value));
}

struct rv named_constant(struct fn *fn, const struct ast_expr *e)
{
    struct def_entry *c = lower_find(fn->lo, AST_CONST, e->name);

    if (c && c->def->broken) {
        diag_count_hidden(fn->lo->diag);
        return rv_error();
    }
    if (c)
        return lower_named_constant(fn, e, c->def, c->def->type, c->def->value);
    vec_for_each (&fn->lo->model->ast->constants, s)
        if (!strcmp(s->name, e->name))
            return lower_named_constant(fn, e, s, s->type, s->value);
    return rv_error();
}
