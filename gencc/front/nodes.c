/*
 * Makes nodes of the syntax tree and limits its depth.
 */
#include "gencc/front/parser.h"

#include <string.h>

struct src_pos pos_join(struct src_pos first, struct src_pos last)
{
    if (first.file == last.file && first.line == last.line && last.column >= first.column)
        first.length = last.column + last.length - first.column;
    return first;
}

/* ---- expressions ----------------------------------------------------------------------------- */

static unsigned depth_of(const struct ast_expr *e)
{
    return e ? e->depth : 0;
}

/* Sets the height of a tree. A tree that is too deep for the recursion of later stages is reported
 * and cut. */
static void set_depth(struct parser *p, struct ast_expr *e, unsigned below)
{
    e->depth = below + 1;
    if (e->depth <= AST_MAX_DEPTH)
        return;
    if (e->depth == AST_MAX_DEPTH + 1)
        diag_error(p->d, e->pos, "this expression is nested more than %u deep", AST_MAX_DEPTH);
    e->a = e->b = e->c = NULL;
    e->args.len = 0;
    e->kind = AST_INT;
}

struct ast_expr *node_expr(struct parser *p, enum ast_expr_kind kind, struct src_pos pos)
{
    struct ast_expr *e = arena_new(p->a, struct ast_expr);

    e->kind = kind;
    e->pos = pos;
    e->depth = 1;
    return e;
}

struct ast_expr *node_op(struct parser *p, enum ast_expr_kind kind, enum ast_op op,
                         struct src_pos pos, struct ast_expr *a, struct ast_expr *b)
{
    struct ast_expr *e = node_ternary(p, pos, a, b, NULL);

    if (e->depth <= AST_MAX_DEPTH) {
        e->kind = kind;
        e->op = op;
    }
    return e;
}

struct ast_expr *node_ternary(struct parser *p, struct src_pos pos, struct ast_expr *a,
                              struct ast_expr *b, struct ast_expr *c)
{
    struct ast_expr *e = node_expr(p, AST_TERNARY, pos);
    unsigned depth = depth_of(a);

    e->a = a;
    e->b = b;
    e->c = c;
    depth = depth_of(b) > depth ? depth_of(b) : depth;
    depth = depth_of(c) > depth ? depth_of(c) : depth;
    set_depth(p, e, depth);
    return e;
}

struct ast_expr *node_number(struct parser *p, const struct token *t)
{
    struct ast_expr *e = node_expr(p, AST_INT, t->pos);

    e->value = t->value;
    e->is_unsigned = t->is_unsigned;
    e->is_long = t->is_long;
    e->is_decimal = t->is_decimal;
    return e;
}

struct ast_expr *node_float(struct parser *p, const struct token *t)
{
    struct ast_expr *e = node_expr(p, AST_FLOAT, t->pos);

    e->fvalue = t->fvalue;
    e->is_single = t->is_single;
    return e;
}

struct ast_expr *node_name(struct parser *p, const struct token *t)
{
    struct ast_expr *e = node_expr(p, AST_NAME, t->pos);

    e->name = t->text;
    return e;
}

struct ast_expr *node_typed(struct parser *p, enum ast_expr_kind kind, struct src_pos pos,
                            struct ast_type *type, struct ast_expr *a)
{
    struct ast_expr *e = node_op(p, kind, AST_OP_NONE, pos, a, NULL);

    e->type = type;
    return e;
}

struct ast_expr *node_decl(struct parser *p, struct ast_type *type, const struct token *name,
                           struct ast_expr *value)
{
    struct ast_expr *e = node_typed(p, AST_DECL, name->pos, type, value);

    e->name = name->text;
    return e;
}

struct ast_expr *node_vector(struct parser *p, struct src_pos pos, struct expr_list *args)
{
    struct ast_expr *e = node_expr(p, AST_VECTOR, pos);
    unsigned depth = 0;

    vec_take(&e->args, &args->v);
    vec_for_each (&e->args, a)
        depth = depth_of(*a) > depth ? depth_of(*a) : depth;
    set_depth(p, e, depth);
    return e;
}

struct ast_expr *node_call(struct parser *p, const struct token *name, struct targ_list *targs,
                           struct expr_list *args)
{
    struct ast_expr *e = node_vector(p, name->pos, args);

    if (e->kind != AST_VECTOR)
        return e;
    e->kind = AST_CALL;
    e->name = name->text;
    if (targs)
        vec_take(&e->targs, &targs->v);
    return e;
}

struct ast_type *node_type(struct parser *p, enum ast_type_kind kind, struct src_pos pos,
                           const char *name, struct ast_type *inner)
{
    struct ast_type *t = arena_new(p->a, struct ast_type);

    t->kind = kind;
    t->pos = pos;
    t->name = name;
    t->inner = inner;
    return t;
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* Evaluates + - * << of literals; returns false for other expressions. */
static bool fold_literals(const struct ast_expr *e, uint64_t *value)
{
    uint64_t a, b;

    if (e->kind == AST_INT) {
        *value = (uint64_t)e->value;
        return e->value <= UINT64_MAX;
    }
    if (e->kind != AST_BINARY || !fold_literals(e->a, &a) || !fold_literals(e->b, &b))
        return false;
    switch (e->op) {
    case AST_OP_ADD:
        *value = a + b;
        return true;
    case AST_OP_SUB:
        *value = a - b;
        return true;
    case AST_OP_MUL:
        *value = a * b;
        return true;
    case AST_OP_SHL:
        *value = b < 64 ? a << b : 0;
        return true;
    default:
        return false;
    }
}

unsigned literal_uint(struct parser *p, const struct ast_expr *e, unsigned max)
{
    uint64_t value;

    if (!fold_literals(e, &value)) {
        diag_error(p->d, e->pos, "expected a number");
        return 0;
    }
    if (value > max) {
        diag_error(p->d, e->pos, "this number is out of range: 0 to %u is allowed", max);
        return 0;
    }
    return (unsigned)value;
}

int64_t signed_number(struct parser *p, bool negative, const struct token *t)
{
    if (t->value > INT64_MAX) {
        diag_error(p->d, t->pos, "this number does not fit into 64 bits");
        return 0;
    }
    return negative ? -(int64_t)t->value : (int64_t)t->value;
}

/* ---- statements ------------------------------------------------------------------------------ */

static void set_stmt_depth(struct parser *p, struct ast_stmt *s, unsigned below)
{
    s->depth = below + 1;
    if (s->depth <= AST_MAX_DEPTH)
        return;
    if (s->depth == AST_MAX_DEPTH + 1)
        diag_error(p->d, s->pos, "this statement is nested more than %u deep", AST_MAX_DEPTH);
    s->kind = AST_BLOCK;
    s->a = s->b = NULL;
    s->body.len = 0;
}

struct ast_stmt *node_stmt(struct parser *p, enum ast_stmt_kind kind, struct src_pos pos,
                           struct ast_expr *expr)
{
    return node_flow(p, kind, pos, expr, NULL, NULL);
}

struct ast_stmt *node_flow(struct parser *p, enum ast_stmt_kind kind, struct src_pos pos,
                           struct ast_expr *expr, struct ast_stmt *a, struct ast_stmt *b)
{
    struct ast_stmt *s = arena_new(p->a, struct ast_stmt);
    unsigned depth = a ? a->depth : 0;

    s->kind = kind;
    s->pos = pos;
    s->expr = expr;
    s->a = a;
    s->b = b;
    set_stmt_depth(p, s, b && b->depth > depth ? b->depth : depth);
    return s;
}

struct ast_stmt *node_block(struct parser *p, enum ast_stmt_kind kind, struct src_pos pos,
                            struct stmt_list *body)
{
    struct ast_stmt *s = node_stmt(p, kind, pos, NULL);
    unsigned depth = 0;

    vec_take(&s->body, &body->v);
    vec_for_each (&s->body, b)
        depth = (*b)->depth > depth ? (*b)->depth : depth;
    set_stmt_depth(p, s, depth);
    return s;
}

void check_case_end(struct parser *p, const struct ast_stmt *c)
{
    const struct ast_stmt *last;

    if (c->body.len < 2)
        return;
    last = c->body.data[c->body.len - 1];
    switch (last->kind) {
    case AST_BLOCK:
    case AST_BREAK:
    case AST_CONTINUE:
    case AST_RETURN:
    case AST_RAISE:
        return;
    default:
        diag_error(p->d, last->pos,
                   "several statements of a case without braces must end with break; cases do not "
                   "fall through");
    }
}

/* ---- definitions ----------------------------------------------------------------------------- */

struct ast_def *node_def(struct parser *p, enum ast_def_kind kind, const struct token *name,
                         struct ast_stmt *body)
{
    struct ast_def *d = arena_new(p->a, struct ast_def);

    d->kind = kind;
    d->pos = name->pos;
    d->name = name->text;
    d->body = body;
    return d;
}

void check_attrs(struct parser *p, const struct ast_def *def, unsigned allowed)
{
    if (def->attrs & ~allowed)
        diag_error(p->d, def->pos, "\"%s\" takes no attributes; only helpers do", def->name);
}

struct ast_def *plain_def(struct parser *p, enum ast_def_kind kind, const struct token *name,
                          unsigned attrs, struct ast_stmt *body)
{
    struct ast_def *def = node_def(p, kind, name, body);

    def->attrs = attrs;
    check_attrs(p, def, kind == AST_BEHAVIOUR ? AST_ATTR_GLOBAL : 0);
    return def;
}

unsigned helper_attr(struct parser *p, const struct token *name)
{
    static const struct {
        const char *name;
        unsigned attr;
    } attrs[] = {
        {"private", AST_ATTR_PRIVATE},   {"public", AST_ATTR_PUBLIC},
        {"internal", AST_ATTR_INTERNAL}, {"inline", AST_ATTR_INLINE},
        {"noinline", AST_ATTR_NOINLINE}, {"export", AST_ATTR_EXPORT},
        {"fixed", AST_ATTR_FIXED},       {"sometimes_fixed", AST_ATTR_SOMETIMES_FIXED},
        {"global", AST_ATTR_GLOBAL},     {"pure", AST_ATTR_PURE},
        {"noreturn", AST_ATTR_NORETURN},
    };
    struct name_guess guess = {.wrong = name->text};

    for (size_t i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++) {
        if (strcmp(attrs[i].name, name->text) == 0)
            return attrs[i].attr;
        name_guess_offer(&guess, attrs[i].name);
    }
    diag_unknown(p->d, name->pos, &guess, "\"%s\" is no attribute", name->text);
    return 0;
}
