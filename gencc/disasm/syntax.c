/*
 * Conditions and names of asm lines.
 */
#include "gencc/disasm/syntax.h"

#include <string.h>

/* ---- conditions ------------------------------------------------------------------------------ */

void syntax_conjuncts(struct arena *a, const struct ast_expr *e, struct expr_list *out)
{
    if (!e)
        return;
    if (e->kind == AST_BINARY && e->op == AST_OP_LAND) {
        syntax_conjuncts(a, e->a, out);
        syntax_conjuncts(a, e->b, out);
        return;
    }
    vec_push_in(a, &out->list, e);
}

static struct ast_expr *new_node(struct arena *a, enum ast_expr_kind kind, struct src_pos pos)
{
    struct ast_expr *e = arena_new(a, struct ast_expr);

    e->kind = kind;
    e->pos = pos;
    return e;
}

static struct ast_expr *binary_node(struct arena *a, enum ast_op op, struct ast_expr *x,
                                    struct ast_expr *y)
{
    struct ast_expr *e = new_node(a, AST_BINARY, x->pos);

    e->op = op;
    e->a = x;
    e->b = y;
    return e;
}

/* field & value holds if they have a common bit, field ^ value if they differ. */
static const struct ast_expr *constraint_expr(struct arena *a, const struct ast_constraint *c)
{
    struct ast_expr *field = new_node(a, AST_NAME, c->pos);

    field->name = c->field;
    switch (c->cmp) {
    case AST_CMP_EQ:
        return binary_node(a, AST_OP_EQ, field, c->value);
    case AST_CMP_NE:
    case AST_CMP_XOR:
        return binary_node(a, AST_OP_NE, field, c->value);
    case AST_CMP_AND:
        return binary_node(a, AST_OP_NE, binary_node(a, AST_OP_AND, field, c->value),
                           new_node(a, AST_INT, c->pos));
    }
    return field;
}

void syntax_conditions(struct arena *a, const struct asm_syntax *s, struct expr_list *out)
{
    vec_for_each (&s->constraints, c) {
        vec_push_in(a, &out->list, constraint_expr(a, *c));
    }
    syntax_conjuncts(a, s->condition, out);
}

/* ---- names ----------------------------------------------------------------------------------- */

bool asm_is_target(enum asm_number number)
{
    return number == ASM_ADDRESS || number == ASM_PAGE || number == ASM_ALIGNED ||
           number == ASM_REGION;
}

enum asm_format syntax_format(enum asm_number number)
{
    switch (number) {
    case ASM_IMM:
    case ASM_DEC:
        break;
    case ASM_UNSIGNED:
        return ASM_FORMAT_UNSIGNED;
    case ASM_HEX:
        return ASM_FORMAT_HEX;
    case ASM_ADDRESS:
        return ASM_FORMAT_ADDRESS;
    case ASM_PAGE:
        return ASM_FORMAT_PAGE;
    case ASM_ALIGNED:
        return ASM_FORMAT_ALIGNED;
    case ASM_REGION:
        return ASM_FORMAT_REGION;
    case ASM_FLOAT:
        return ASM_FORMAT_FLOAT;
    case ASM_DECIMAL:
        return ASM_FORMAT_DECIMAL;
    case ASM_SINGLE:
        return ASM_FORMAT_SINGLE;
    case ASM_WORD:
        return ASM_FORMAT_WORD;
    case ASM_BITS:
        return ASM_FORMAT_BITS;
    case ASM_GENERAL:
        return ASM_FORMAT_GENERAL;
    case ASM_CAPITAL:
        return ASM_FORMAT_CAPITAL;
    case ASM_SYSREG:
        return ASM_FORMAT_SYSREG;
    }
    return ASM_FORMAT_DEC;
}

const char *syntax_format_name(enum asm_format format)
{
    static const char *const names[] = {
#define X(NAME, name) #name,
        ASM_FORMATS(X)
#undef X
    };

    return names[format];
}

/* Counts the different names in an expression, starting with `n`, and stores one in *name. */
static unsigned names_in(const struct ast_expr *e, const char **name, unsigned n)
{
    if (!e)
        return n;
    if (e->kind == AST_NAME && (!*name || strcmp(*name, e->name))) {
        *name = e->name;
        n++;
    }
    n = names_in(e->a, name, n);
    n = names_in(e->b, name, n);
    n = names_in(e->c, name, n);
    vec_for_each (&e->args, arg)
        n = names_in(*arg, name, n);
    return n;
}

/* The name of the map's last key, since the other keys only choose among maps. */
const char *syntax_operand(const struct asm_piece *p)
{
    const char *name = NULL;

    if (p->values.len && names_in(p->values.data[p->values.len - 1], &name, 0) == 1)
        return name;
    if (p->map)
        return p->map->name;
    return p->number == ASM_SYSREG ? "register" : asm_is_target(p->number) ? "target" : "number";
}

const char *syntax_text(struct arena *a, const struct asm_syntax *s)
{
    const char *text = "";

    vec_for_each (&s->pieces, p)
        text = p->text ? arena_printf(a, "%s%s", text, p->text)
                       : arena_printf(a, "%s<%s>", text, syntax_operand(p));
    return text;
}
