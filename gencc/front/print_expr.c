/*
 * Prints behaviours as GenC text: expressions, statements, definitions.
 */
#include "gencc/front/print.h"

#include <string.h>

static const char *const op_text[] = {
    [AST_OP_ADD] = "+",     [AST_OP_SUB] = "-",  [AST_OP_MUL] = "*",   [AST_OP_DIV] = "/",
    [AST_OP_MOD] = "%",     [AST_OP_AND] = "&",  [AST_OP_OR] = "|",    [AST_OP_XOR] = "^",
    [AST_OP_SHL] = "<<",    [AST_OP_SHR] = ">>", [AST_OP_ROL] = "<<<", [AST_OP_ROR] = ">>>",
    [AST_OP_EQ] = "==",     [AST_OP_NE] = "!=",  [AST_OP_LT] = "<",    [AST_OP_LE] = "<=",
    [AST_OP_GT] = ">",      [AST_OP_GE] = ">=",  [AST_OP_LAND] = "&&", [AST_OP_LOR] = "||",
    [AST_OP_CONCAT] = "::", [AST_OP_PLUS] = "+", [AST_OP_NEG] = "-",   [AST_OP_NOT] = "~",
    [AST_OP_LNOT] = "!",    [AST_OP_INC] = "++", [AST_OP_DEC] = "--",  [AST_OP_NONE] = "",
};

void print_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '\n')
            fputs("\\n", out);
        else if (*text == '\t')
            fputs("\\t", out);
        else if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
    }
    fputc('"', out);
}

static bool is_basic(const char *name)
{
    return strncmp(name, "uint", 4) == 0 || strncmp(name, "sint", 4) == 0 ||
           strcmp(name, "float") == 0 || strcmp(name, "double") == 0 || strcmp(name, "void") == 0;
}

void print_type(FILE *out, const struct ast_type *t)
{
    static const char *const prefix[] = {
        [AST_TYPE_SIGNED] = "signed ",
        [AST_TYPE_UNSIGNED] = "unsigned ",
        [AST_TYPE_WIDE] = "wide ",
        [AST_TYPE_NARROW] = "narrow ",
    };

    if (t->kind == AST_TYPE_NAMED) {
        fprintf(out, "%s%s",
                t->is_struct        ? "struct "
                : is_basic(t->name) ? ""
                                    : "typename ",
                t->name);
    } else if (t->kind == AST_TYPE_VECTOR) {
        print_type(out, t->inner);
        fputc('[', out);
        print_expr(out, t->lanes);
        fputc(']', out);
    } else {
        fputs(prefix[t->kind], out);
        print_type(out, t->inner);
    }
    if (t->is_ref)
        fputs(" &", out);
}

void print_targ(FILE *out, const struct ast_targ *t)
{
    if (t->type)
        print_type(out, t->type);
    else
        print_expr(out, t->expr);
}

static void print_int(FILE *out, const struct ast_expr *e)
{
    if (e->value >> 64)
        fprintf(out, "0x%llx%016llx", (unsigned long long)(e->value >> 64),
                (unsigned long long)e->value);
    else
        fprintf(out, e->is_decimal ? "%llu" : "0x%llx", (unsigned long long)e->value);
    fprintf(out, "%s%s", e->is_unsigned ? "U" : "", e->is_long ? "L" : "");
}

static void print_args(FILE *out, const struct ast_expr *e)
{
    for (unsigned i = 0; i < e->args.len; i++) {
        fputs(i ? ", " : "", out);
        print_expr(out, e->args.data[i]);
    }
}

static void print_call(FILE *out, const struct ast_expr *e)
{
    fputs(e->name, out);
    for (unsigned i = 0; i < e->targs.len; i++) {
        fputs(i ? ", " : ".<", out);
        print_targ(out, &e->targs.data[i]);
    }
    fputs(e->targs.len ? ">(" : "(", out);
    print_args(out, e);
    fputc(')', out);
}

/* Prints before, a, between, b (unless NULL) and after. */
static void print_pair(FILE *out, const char *before, const struct ast_expr *a, const char *between,
                       const struct ast_expr *b, const char *after)
{
    fputs(before, out);
    print_expr(out, a);
    fputs(between, out);
    if (b)
        print_expr(out, b);
    fputs(after, out);
}

static void print_typed(FILE *out, const struct ast_expr *e, const char *before,
                        const char *between, const char *after)
{
    fputs(before, out);
    print_type(out, e->type);
    fputs(between, out);
    if (e->a)
        print_expr(out, e->a);
    fputs(after, out);
}

static void print_binary(FILE *out, const struct ast_expr *e)
{
    fputc('(', out);
    print_expr(out, e->a);
    fprintf(out, " %s ", op_text[e->op]);
    print_expr(out, e->b);
    fputc(')', out);
}

static void print_ternary(FILE *out, const struct ast_expr *e)
{
    print_pair(out, "(", e->a, " ? ", e->b, " : ");
    print_expr(out, e->c);
    fputc(')', out);
}

static void print_decl(FILE *out, const struct ast_expr *e)
{
    print_type(out, e->type);
    fprintf(out, " %s", e->name);
    if (e->a)
        print_pair(out, " = ", e->a, "", NULL, "");
}

void print_expr(FILE *out, const struct ast_expr *e)
{
    switch (e->kind) {
    case AST_INT:
        print_int(out, e);
        break;
    case AST_FLOAT:
        fprintf(out, "%.17e%s", e->fvalue, e->is_single ? "f" : "");
        break;
    case AST_STRING:
        print_string(out, e->name);
        break;
    case AST_NAME:
        fputs(e->name, out);
        break;
    case AST_UNARY:
    case AST_PREFIX:
        fprintf(out, "(%s", op_text[e->op]);
        print_pair(out, "", e->a, "", NULL, ")");
        break;
    case AST_POSTFIX:
        print_pair(out, "(", e->a, op_text[e->op], NULL, ")");
        break;
    case AST_BINARY:
        print_binary(out, e);
        break;
    case AST_ASSIGN:
        print_pair(out, "", e->a, " ", NULL, op_text[e->op]);
        print_pair(out, "= ", e->b, "", NULL, "");
        break;
    case AST_TERNARY:
        print_ternary(out, e);
        break;
    case AST_CALL:
        print_call(out, e);
        break;
    case AST_INDEX:
        print_pair(out, "", e->a, "[", e->b, "]");
        break;
    case AST_SLICE:
        print_pair(out, "", e->a, "[", e->b, ":");
        print_pair(out, "", e->c, "]", NULL, "");
        break;
    case AST_MEMBER:
        print_pair(out, "", e->a, ".", NULL, e->name);
        break;
    case AST_CAST:
        print_typed(out, e, "((", ")", ")");
        break;
    case AST_BITCAST:
        print_typed(out, e, "(<", ">", ")");
        break;
    case AST_VECTOR:
        fputc('{', out);
        print_args(out, e);
        fputc('}', out);
        break;
    case AST_DECL:
        print_decl(out, e);
        break;
    case AST_BITSOF:
        print_typed(out, e, "bitsof(", "", ")");
        break;
    case AST_LANESOF:
        print_typed(out, e, "lanesof(", "", ")");
        break;
    }
}

/* ---- statements ------------------------------------------------------------------------------ */

static void print_indent(FILE *out, unsigned indent)
{
    for (unsigned i = 0; i < indent; i++)
        fputs("    ", out);
}

static void print_body(FILE *out, const struct ast_stmt *s, unsigned indent)
{
    vec_for_each (&s->body, b)
        print_stmt(out, *b, indent + 1);
    print_indent(out, indent);
    fputs("}\n", out);
}

/* Prints the statement under a condition or loop without braces of its own. */
static void print_branch(FILE *out, const struct ast_stmt *s, unsigned indent)
{
    if (s->kind != AST_BLOCK) {
        print_stmt(out, s, indent);
        return;
    }
    vec_for_each (&s->body, b)
        print_stmt(out, *b, indent);
}

static void print_if(FILE *out, const struct ast_stmt *s, unsigned indent)
{
    print_pair(out, "if (", s->expr, ")", NULL, " {\n");
    print_branch(out, s->a, indent + 1);
    print_indent(out, indent);
    if (s->b) {
        fputs("} else {\n", out);
        print_branch(out, s->b, indent + 1);
        print_indent(out, indent);
    }
    fputs("}\n", out);
}

static void print_loop(FILE *out, const struct ast_stmt *s, unsigned indent)
{
    print_branch(out, s->a, indent + 1);
    print_indent(out, indent);
    fputc('}', out);
    if (s->kind == AST_DO)
        print_pair(out, " while (", s->expr, ");", NULL, "");
    fputc('\n', out);
}

static void print_for(FILE *out, const struct ast_stmt *s, unsigned indent)
{
    fputs("for (", out);
    if (s->init)
        print_expr(out, s->init);
    fputs("; ", out);
    if (s->expr)
        print_expr(out, s->expr);
    fputs("; ", out);
    if (s->step)
        print_expr(out, s->step);
    fputs(") {\n", out);
    print_loop(out, s, indent);
}

static void print_case(FILE *out, const struct ast_stmt *s, unsigned indent)
{
    for (unsigned i = 0; i < s->labels.len; i++)
        print_pair(out, i ? ", " : "case ", s->labels.data[i], "", NULL, "");
    fputs(s->labels.len ? ":" : "", out);
    fputs(s->kind != AST_DEFAULT ? " {\n" : s->labels.len ? " default: {\n" : "default: {\n", out);
    vec_for_each (&s->body, b)
        print_branch(out, *b, indent + 1);
    print_indent(out, indent);
    fputs("}\n", out);
}

static void print_jump(FILE *out, const struct ast_stmt *s, const char *word)
{
    fputs(word, out);
    if (s->expr)
        print_pair(out, *word ? " " : "", s->expr, "", NULL, "");
    fputs(";\n", out);
}

void print_stmt(FILE *out, const struct ast_stmt *s, unsigned indent)
{
    print_indent(out, indent);
    switch (s->kind) {
    case AST_EXPR:
        print_jump(out, s, "");
        break;
    case AST_BLOCK:
        fputs("{\n", out);
        print_body(out, s, indent);
        break;
    case AST_IF:
        print_if(out, s, indent);
        break;
    case AST_WHILE:
        print_pair(out, "while (", s->expr, ") {\n", NULL, "");
        print_loop(out, s, indent);
        break;
    case AST_DO:
        fputs("do {\n", out);
        print_loop(out, s, indent);
        break;
    case AST_FOR:
        print_for(out, s, indent);
        break;
    case AST_SWITCH:
        print_pair(out, "switch (", s->expr, ") {\n", NULL, "");
        print_body(out, s, indent);
        break;
    case AST_CASE:
    case AST_DEFAULT:
        print_case(out, s, indent);
        break;
    case AST_BREAK:
        print_jump(out, s, "break");
        break;
    case AST_CONTINUE:
        print_jump(out, s, "continue");
        break;
    case AST_RETURN:
        print_jump(out, s, "return");
        break;
    case AST_RAISE:
        print_jump(out, s, "raise");
        break;
    }
}

/* ---- definitions ----------------------------------------------------------------------------- */

static void print_attrs(FILE *out, unsigned attrs)
{
    static const char *const names[] = {"private",  "public", "internal", "inline",
                                        "noinline", "export", "fixed",    "sometimes_fixed",
                                        "global",   "pure",   "noreturn"};

    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (attrs >> i & 1)
            fprintf(out, " %s", names[i]);
}

void print_tparams(FILE *out, const struct ast_tparam *params, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "%s%s %s", i ? ", " : "<", params[i].is_type ? "typename" : "const",
                params[i].name);
    fputs(count ? ">" : "", out);
}

static void print_head(FILE *out, const struct ast_def *d, const char *word)
{
    fprintf(out, "%s ", word);
    print_type(out, d->type);
    fprintf(out, " %s", d->name);
    print_tparams(out, d->tparams.data, d->tparams.len);
    fputc('(', out);
    for (unsigned i = 0; i < d->params.len; i++) {
        fputs(i ? ", " : "", out);
        print_type(out, d->params.data[i].type);
        fprintf(out, " %s", d->params.data[i].name);
    }
    fputc(')', out);
    print_attrs(out, d->attrs);
}

static void print_sysreg(FILE *out, const struct ast_def *d)
{
    fprintf(out, "sysreg %s (", d->name);
    for (unsigned i = 0; i < d->encoding.len; i++)
        print_pair(out, i ? ", " : "", d->encoding.data[i], "", NULL, "");
    fputs(") {\n", out);
    vec_for_each (&d->properties, p) {
        fprintf(out, "    %s", p->name);
        if (p->body) {
            fputc('\n', out);
            print_stmt(out, p->body, 1);
            continue;
        }
        fputs(" = ", out);
        if (p->type)
            print_type(out, p->type);
        else
            print_expr(out, p->value);
        fputs(";\n", out);
    }
    fputs("}\n", out);
}

void print_def(FILE *out, const struct ast_def *d)
{
    static const char *const words[] = {
        [AST_EXECUTE] = "execute", [AST_HOOK] = "hook",     [AST_BEHAVIOUR] = "behaviour",
        [AST_DECODE] = "decode",   [AST_SYSTEM] = "system",
    };

    switch (d->kind) {
    case AST_HELPER:
        print_head(out, d, "helper");
        break;
    case AST_EXTERNAL:
        print_head(out, d, "external");
        fputc(';', out);
        break;
    case AST_CONST:
        fputs("const ", out);
        print_type(out, d->type);
        fprintf(out, " %s", d->name);
        print_pair(out, " = ", d->value, ";", NULL, "");
        break;
    case AST_TYPEDEF:
        fprintf(out, "typename %s = ", d->name);
        print_type(out, d->type);
        fputc(';', out);
        break;
    case AST_SYSREG:
        print_sysreg(out, d);
        break;
    default:
        fprintf(out, "%s(%s)", words[d->kind], d->name);
        print_attrs(out, d->attrs);
        break;
    }
    fputc('\n', out);
    if (d->body)
        print_stmt(out, d->body, 0);
}
