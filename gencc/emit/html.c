/*
 * The reference page of an ISA: an entry an instruction, with bit picture, syntax and semantics.
 */
#include "gencc/emit/html.h"

#include <string.h>

static const char style[] =
    "body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:62em;padding:0 1em;"
    "color:#1c1c1c}h1{font-size:1.7em}h2{font-size:1.15em;margin:2.2em 0 .4em;border-top:1px solid "
    "#ddd;padding-top:1em}code,pre{font:13px/1.4 ui-monospace,monospace}pre{background:#f6f6f4;"
    "padding:.7em;overflow-x:auto}table.bits{border-collapse:collapse;font:12px "
    "ui-monospace,monospace;margin:.5em 0}table.bits td{border:1px solid #888;padding:.25em .5em;"
    "text-align:center}table.bits td.lit{background:#eceae4}table.bits tr.no "
    "td{border:0;color:#777;"
    "padding:0 .5em}.src{color:#777;font-size:.85em}nav a{margin-right:.7em;white-space:nowrap}"
    "@media(prefers-color-scheme:dark){body{background:#191919;color:#ddd}pre{background:#242424}"
    "table.bits td.lit{background:#333}h2{border-color:#444}a{color:#8ab4f8}}";

static void escaped(FILE *o, const char *s, size_t n)
{
    for (; n && *s; s++, n--) {
        if (*s == '<')
            fputs("&lt;", o);
        else if (*s == '>')
            fputs("&gt;", o);
        else if (*s == '&')
            fputs("&amp;", o);
        else
            fputc(*s, o);
    }
}

static void text(FILE *o, const char *s)
{
    escaped(o, s, strlen(s));
}

/* ---- the bit picture ------------------------------------------------------------------------- */

static void bit_numbers(FILE *o, const struct ast_format *f, unsigned width)
{
    unsigned top = width;

    fputs("<tr class=no>", o);
    vec_for_each (&f->bits, b) {
        top -= b->width;
        if (b->width > 1)
            fprintf(o, "<td>%u:%u</td>", top + b->width - 1, top);
        else
            fprintf(o, "<td>%u</td>", top);
    }
    fputs("</tr>", o);
}

static void bit_cells(FILE *o, const struct ast_format *f)
{
    fputs("<tr>", o);
    vec_for_each (&f->bits, b) {
        if (b->name) {
            fputs("<td>", o);
            text(o, b->name);
        } else {
            fputs("<td class=lit>", o);
            for (unsigned i = b->width; i-- > 0;)
                fputc(b->dont_care ? 'x' : (int)('0' + (b->value >> i & 1)), o);
        }
        fputs("</td>", o);
    }
    fputs("</tr>", o);
}

/* ---- entries --------------------------------------------------------------------------------- */

static void constraints(FILE *o, const struct ast_instr *in)
{
    static const char *const signs[] = {"=", "≠", "&amp;", "^"};

    vec_for_each (&in->decoders, d) {
        if (!d->all.count)
            continue;
        fputs("<p>when ", o);
        vec_for_each (&d->all, c) {
            fprintf(o, "%s<code>%s %s ", c == d->all.at ? "" : ", ", c->field, signs[c->cmp]);
            if (c->value->kind == AST_INT)
                fprintf(o, "%llu</code>", (unsigned long long)c->value->value);
            else
                fputs("…</code>", o);
        }
        fputs("</p>\n", o);
    }
}

static void syntax(FILE *o, const struct ast_instr *in)
{
    if (!in->syntax.count)
        return;
    fputs("<pre>", o);
    vec_for_each (&in->syntax, s) {
        text(o, s->text);
        fputc('\n', o);
    }
    fputs("</pre>\n", o);
}

/* The body as the description has it, up to the brace that closes it. */
static void semantics(FILE *o, const struct ast_def *def)
{
    const char *start, *p = def->pos.file->text;
    int depth = 0;
    bool opened = false;

    for (uint32_t line = 1; line < def->pos.line && *p; p++)
        line += *p == '\n';
    for (start = p; *p; p++) {
        depth += *p == '{';
        opened |= *p == '{';
        depth -= *p == '}';
        if (opened && !depth)
            break;
    }
    fputs("<pre>", o);
    escaped(o, start, (size_t)(p - start) + 1);
    fprintf(o, "</pre>\n<p class=src>%s:%u</p>\n", def->pos.file->path, def->pos.line);
}

static void entry(FILE *o, const struct instr *in)
{
    fprintf(o, "<h2 id=\"%s\">%s</h2>\n", in->name, in->name);
    if (in->format->ast) {
        fputs("<table class=bits>", o);
        bit_numbers(o, in->format->ast, in->format->width);
        bit_cells(o, in->format->ast);
        fputs("</table>\n", o);
    }
    if (in->ast)
        constraints(o, in->ast);
    if (in->family)
        fprintf(o, "<p>arrangements: <code>%s</code>, %u rows</p>\n", in->family->name,
                in->family->rows.count);
    if (in->ast)
        syntax(o, in->ast);
    if (in->execute)
        semantics(o, in->execute);
}

void emit_html(FILE *o, const struct isa *isa)
{
    fprintf(o,
            "<!doctype html><html lang=en><meta charset=utf-8>"
            "<meta name=viewport content=\"width=device-width\"><title>%s</title>"
            "<style>%s</style>\n<h1>%s</h1>\n<p>%u instructions, made by gencc from the "
            "description of %s.</p>\n<nav>",
            isa->name, style, isa->name, isa->instrs.count, isa->model->name);
    vec_for_each (&isa->instrs, in)
        fprintf(o, "<a href=\"#%s\">%s</a> ", (*in)->name, (*in)->name);
    fputs("</nav>\n", o);
    vec_for_each (&isa->instrs, in)
        entry(o, *in);
    fputs("</html>\n", o);
}
