/*
 * The printer of expressions: fills in the dialects' templates.
 */
#include "gencc/emit/expr.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>

/* The value of a member in a dialect, or in the nearest base that has it. */
#define SAID_BY(start, member)              \
    ({                                      \
        const struct dialect *d_ = (start); \
                                            \
        while (!d_->member && d_->base)     \
            d_ = d_->base;                  \
        d_->member;                         \
    })

struct body body_new(struct emit *e, FILE *o, struct ir_func *f, const struct dialect *d)
{
    struct body b = {.e = e, .o = o, .f = f, .dialect = d};

    b.at = arena_alloc(e->arena, f->next_value * sizeof(*b.at));
    return b;
}

const char *say(struct body *b, const char *format, ...)
{
    const char *text;
    va_list ap;

    va_start(ap, format);
    text = arena_vprintf(b->e->arena, format, ap);
    va_end(ap);
    return text;
}

/* ---- filling in ------------------------------------------------------------------------------ */

static const struct dialect *host_dialect(const struct body *b)
{
    return b->dialect->host ? b->dialect->host : b->dialect;
}

static void write_type(struct body *b, struct ir_type t)
{
    fputs(SAID_BY(b->dialect, type)(b->e, t), b->o);
}

static void write_operands(struct body *b, const struct ir_value *v)
{
    for (unsigned i = 0; i < v->ops.len; i++) {
        fputs(i ? ", " : "", b->o);
        expr(b, v->ops.data[i]);
    }
}

static void write_quoted(FILE *o, const char *text)
{
    for (; *text; text++)
        fprintf(o, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
}

static void write_placeholder(struct body *b, const struct ir_value *v, char what)
{
    switch (what) {
    case '*':
        write_operands(b, v);
        break;
    case '#':
        expr_in(b, host_dialect(b), v);
        break;
    case 'T':
        write_type(b, v->type);
        break;
    case 'U':
        write_type(b, ir_with_base(v->type, IR_UINT));
        break;
    case 'S':
        write_type(b, ir_with_base(v->type, IR_SINT));
        break;
    case 'A':
        write_type(b, v->ops.data[0]->type);
        break;
    case 'V':
        fputs(expr_variable_type(b, v), b->o);
        break;
    case 'n':
        fprintf(b->o, "%u", v->type.bits);
        break;
    case 'm':
        fprintf(b->o, "%u", v->type.bits - 1u);
        break;
    case 'o':
        fprintf(b->o, "o%u_1", v->id);
        break;
    case 'x':
        fprintf(b->o, "%u", b->at[v->id].number);
        break;
    case 't':
        write_quoted(b->o, v->ops.data[0]->text);
        break;
    }
}

static bool is_place(const char *text)
{
    return *text == '$' || (*text == '#' && (isdigit((unsigned char)text[1]) || text[1] == '#'));
}

static void fill_in(struct body *b, const struct ir_value *v, const char *text)
{
    while (*text) {
        const struct dialect *d = *text == '#' ? host_dialect(b) : b->dialect;
        size_t plain = 0;
        char *end;

        while (text[plain] && !is_place(text + plain))
            plain++;
        if (plain) {
            fwrite(text, 1, plain, b->o);
            text += plain;
        } else if (isdigit((unsigned char)text[1])) {
            expr_in(b, d, v->ops.data[strtoul(text + 1, &end, 10)]);
            text = end;
        } else {
            write_placeholder(b, v, text[1]);
            text += 2;
        }
    }
}

/* ---- values ---------------------------------------------------------------------------------- */

static const char *operation_text(struct body *b, const struct ir_value *v)
{
    const char *text = NULL;

    for (const struct dialect *d = b->dialect; d && !text; d = d->base) {
        if (v->op == IR_INTRINSIC)
            text = d->intrinsics ? d->intrinsics[v->fn->intrinsic] : NULL;
        else
            text = d->operation ? d->operation(b, v) : NULL;
    }
    return text;
}

void expr_open(struct body *b, const struct ir_value *v)
{
    const char *text = operation_text(b, v);

    if (text) {
        fill_in(b, v, text);
        return;
    }
    if (v->op == IR_INTRINSIC) {
        diag_error(b->e->diag, v->pos, "%s has no '%s'", SAID_BY(b->dialect, name), v->fn->name);
    } else {
        fprintf(b->e->diag->out, "gencc: error: %s cannot say '%s'\n", SAID_BY(b->dialect, name),
                ir_ops[v->op].name);
        b->e->diag->errors++;
    }
    b->e->failed = true;
}

void expr(struct body *b, const struct ir_value *v)
{
    const char *text = SAID_BY(b->dialect, reference)(b, v);

    if (text)
        fill_in(b, v, text);
    else if (b->at[v->id].place == PLACE_LOCAL)
        fprintf(b->o, "v%u", v->id);
    else
        expr_open(b, v);
}

void expr_in(struct body *b, const struct dialect *d, const struct ir_value *v)
{
    const struct dialect *own = b->dialect;

    b->dialect = d;
    expr(b, v);
    b->dialect = own;
}

const struct dialect *expr_owner(const struct body *b, const struct ir_value *v)
{
    const struct dialect *(*owner)(const struct body *, const struct ir_value *) =
        SAID_BY(b->dialect, owner);

    return owner ? owner(b, v) : b->dialect;
}

const char *expr_variable_type(struct body *b, const struct ir_value *v)
{
    const char *(*variable)(struct emit *, const struct ir_value *) = SAID_BY(b->dialect, variable);

    return variable ? variable(b->e, v) : SAID_BY(b->dialect, type)(b->e, v->type);
}

/* ---- what surrounds them --------------------------------------------------------------------- */

void expr_leave(struct body *b, const struct ir_value *end)
{
    SAID_BY(b->dialect, leave)(b, end);
}

const char *dialect_parameters(const struct dialect *d)
{
    return SAID_BY(d, parameters);
}

const char *dialect_arguments(const struct dialect *d)
{
    return SAID_BY(d, arguments);
}
