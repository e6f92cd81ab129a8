/*
 * Prints expressions, types and numbers in a readable form.
 */
#include "gencc/doc/internal.h"
#include "gencc/front/print.h"

#include <stdlib.h>

/* Precedence, from the loosest to the tightest */
enum level { ANY, TERNARY, LOR, LAND, OR, XOR, AND, EQUAL, LESS, SHIFT, SUM, PRODUCT, JOIN, UNARY };

static const struct {
    const char *text;
    enum level level;
} binary[] = {
    [AST_OP_ADD] = {"+", SUM},     [AST_OP_SUB] = {"-", SUM},     [AST_OP_MUL] = {"*", PRODUCT},
    [AST_OP_DIV] = {"/", PRODUCT}, [AST_OP_MOD] = {"%", PRODUCT}, [AST_OP_AND] = {"&", AND},
    [AST_OP_OR] = {"|", OR},       [AST_OP_XOR] = {"^", XOR},     [AST_OP_SHL] = {"<<", SHIFT},
    [AST_OP_SHR] = {">>", SHIFT},  [AST_OP_ROL] = {"<<<", SHIFT}, [AST_OP_ROR] = {">>>", SHIFT},
    [AST_OP_EQ] = {"==", EQUAL},   [AST_OP_NE] = {"!=", EQUAL},   [AST_OP_LT] = {"<", LESS},
    [AST_OP_LE] = {"<=", LESS},    [AST_OP_GT] = {">", LESS},     [AST_OP_GE] = {">=", LESS},
    [AST_OP_LAND] = {"&&", LAND},  [AST_OP_LOR] = {"||", LOR},    [AST_OP_CONCAT] = {"::", JOIN},
};

static void show_nested(FILE *o, const struct ast_expr *e, enum level around);

static void open_if(FILE *o, bool needed)
{
    if (needed)
        fputc('(', o);
}

static void close_if(FILE *o, bool needed)
{
    if (needed)
        fputc(')', o);
}

static void show_binary(FILE *o, const struct ast_expr *e, enum level around)
{
    enum level own = binary[e->op].level;

    open_if(o, own < around);
    show_nested(o, e->a, own);
    fprintf(o, " %s ", binary[e->op].text);
    show_nested(o, e->b, own + 1);
    close_if(o, own < around);
}

static void show_ternary(FILE *o, const struct ast_expr *e, enum level around)
{
    open_if(o, TERNARY < around);
    show_nested(o, e->a, LOR);
    fputs(" ? ", o);
    show_nested(o, e->b, TERNARY);
    fputs(" : ", o);
    show_nested(o, e->c, TERNARY);
    close_if(o, TERNARY < around);
}

static void show_call(FILE *o, const struct ast_expr *e)
{
    fputs(e->name, o);
    for (unsigned i = 0; i < e->targs.len; i++) {
        fputs(i ? ", " : ".<", o);
        print_targ(o, &e->targs.data[i]);
    }
    fputs(e->targs.len ? ">(" : "(", o);
    for (unsigned i = 0; i < e->args.len; i++) {
        fputs(i ? ", " : "", o);
        show_nested(o, e->args.data[i], ANY);
    }
    fputc(')', o);
}

static void show_unary(FILE *o, const struct ast_expr *e)
{
    fputc(e->op == AST_OP_NEG    ? '-'
          : e->op == AST_OP_NOT  ? '~'
          : e->op == AST_OP_LNOT ? '!'
                                 : '+',
          o);
    show_nested(o, e->a, UNARY);
}

static void show_cast(FILE *o, const struct ast_expr *e, enum level around)
{
    open_if(o, UNARY < around);
    fputc(e->kind == AST_CAST ? '(' : '<', o);
    print_type(o, e->type);
    fputc(e->kind == AST_CAST ? ')' : '>', o);
    show_nested(o, e->a, UNARY);
    close_if(o, UNARY < around);
}

static void show_nested(FILE *o, const struct ast_expr *e, enum level around)
{
    switch (e->kind) {
    case AST_BINARY:
        show_binary(o, e, around);
        break;
    case AST_TERNARY:
        show_ternary(o, e, around);
        break;
    case AST_CALL:
        show_call(o, e);
        break;
    case AST_UNARY:
        show_unary(o, e);
        break;
    case AST_CAST:
    case AST_BITCAST:
        show_cast(o, e, around);
        break;
    default:
        print_expr(o, e);
    }
}

const char *show_expr(struct arena *a, const struct ast_expr *e)
{
    char *buffer = NULL;
    const char *text;
    size_t size;
    FILE *o = open_memstream(&buffer, &size);

    if (!o)
        return "";
    show_nested(o, e, ANY);
    fclose(o);
    text = arena_strdup(a, buffer);
    free(buffer);
    return text;
}

const char *show_type(struct arena *a, struct ir_type t)
{
    const char *base = t.base == IR_FLOAT  ? (t.bits == 64 ? "double" : "float")
                       : t.base == IR_SINT ? arena_printf(a, "sint%u", t.bits)
                       : t.base == IR_UINT ? arena_printf(a, "uint%u", t.bits)
                                           : "void";

    return t.lanes > 1 ? arena_printf(a, "%s[%u]", base, t.lanes) : base;
}

const char *show_number(struct arena *a, u128 value)
{
    char text[40], *at = text + sizeof(text);

    *--at = 0;
    do
        *--at = (char)('0' + (int)(value % 10));
    while (value /= 10);
    return arena_strdup(a, at);
}
