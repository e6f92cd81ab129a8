/*
 * Syntax trees of helpers that the compiler itself adds to an ISA: they return the value of an
 * expression of the description.
 */
#include "gencc/model/bundle_internal.h"

struct ast_expr *ast_new_expr(struct arena *a, enum ast_expr_kind kind, struct src_pos pos)
{
    struct ast_expr *e = arena_new(a, struct ast_expr);

    e->kind = kind;
    e->pos = pos;
    e->depth = 1;
    return e;
}

struct ast_stmt *ast_new_stmt(struct arena *a, enum ast_stmt_kind kind, struct ast_expr *expr,
                              struct src_pos pos)
{
    struct ast_stmt *s = arena_new(a, struct ast_stmt);

    s->kind = kind;
    s->pos = pos;
    s->expr = expr;
    s->depth = 1;
    return s;
}

static struct ast_type *new_type(struct arena *a, struct ir_type t, struct src_pos pos)
{
    struct ast_type *type = arena_new(a, struct ast_type);

    type->kind = AST_TYPE_NAMED;
    type->pos = pos;
    type->name = arena_printf(a, "uint%u", t.bits);
    return type;
}

struct ast_def *ast_new_helper(struct arena *a, const char *name, struct ir_type result,
                               struct ast_stmt *body, struct src_pos pos)
{
    struct ast_def *d = arena_new(a, struct ast_def);

    d->kind = AST_HELPER;
    d->pos = pos;
    d->name = name;
    d->type = new_type(a, result, pos);
    d->body = ast_new_stmt(a, AST_BLOCK, NULL, pos);
    d->body->depth = 4;
    vec_push_in(a, &d->body->body, body);
    return d;
}

void ast_add_param(struct arena *a, struct ast_def *d, const char *name, struct ir_type type)
{
    struct ast_param p = {d->pos, new_type(a, type, d->pos), name};

    vec_push_in(a, &d->params, p);
}

struct ast_def *bundle_helper(struct bundle_builder *b, const char *name, struct ir_type result,
                              struct ast_expr *e)
{
    struct ast_def *d =
        ast_new_helper(b->a, name, result, ast_new_stmt(b->a, AST_RETURN, e, e->pos), e->pos);

    d->attrs = AST_ATTR_EXPORT;
    vec_push_in(b->a, &b->ib->isa->defs, d);
    return d;
}
