/*
 * Writes the entry of an instruction: its word, assembly, fields, conditions, behaviour.
 */
#include "gencc/doc/internal.h"
#include "gencc/front/print.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_SHOWN = 8 }; /* rows of a family shown; more are folded */

const char *instr_address(const struct doc_isa *d, const struct instr *in)
{
    return arena_printf(d->site->a, "%s#%s", doc_group_of(d, in)->page, in->name);
}

/* ---- the word -------------------------------------------------------------------------------- */

/* The bits fixed in all patterns of all forms. */
static struct bit_test common_bits(const struct instr *in)
{
    struct bit_test all = {in->format->mask, in->format->value};
    bool first = true;

    vec_for_each (&in->forms, f)
        vec_for_each (&(*f)->patterns, p) {
            if (first)
                all = (struct bit_test){p->mask, p->value};
            all.mask &= p->mask & ~(all.value ^ p->value);
            all.value &= all.mask;
            first = false;
        }
    return all;
}

static void write_word(struct page *p, const struct instr *in)
{
    struct bit_test fixed = common_bits(in);
    bits_list cells = {0};

    bits_of_format(p->site->a, in->format, fixed.mask, fixed.value, &cells);
    bits_draw(p, &cells, in->format->width);
}

/* A pattern as text, with blanks between the format's fields. */
static const char *pattern_text(struct arena *a, const struct format *f, u128 mask, u128 value)
{
    char text[300];
    unsigned n = 0;

    for (unsigned bit = f->width; bit-- > 0;) {
        text[n++] = mask >> bit & 1 ? (char)('0' + (int)(value >> bit & 1)) : '.';
        vec_for_each (&f->fields, x)
            if (!(*x)->computed && bit && ((*x)->lsb == bit || (*x)->lsb + (*x)->width == bit)) {
                text[n++] = ' ';
                break;
            }
    }
    text[n] = 0;
    return arena_strdup(a, text);
}

/* ---- rows of a family, alternatives ---------------------------------------------------------- */

static void write_row_values(struct page *p, const struct doc_isa *d, const struct family_row *row)
{
    vec_for_each (&row->keys, k)
        html(p->o, "<td class=\"n mono\">%s</td>", show_number(p->site->a, *k));
    vec_for_each (&row->values, v) {
        fputs("<td>", p->o);
        if (v->expr)
            code_expr(p, &d->links, v->expr);
        else {
            char *buffer = NULL;
            size_t size;
            FILE *o = open_memstream(&buffer, &size);

            if (o) {
                print_type(o, v->type);
                fclose(o);
                html(p->o, "<code>%s</code>", buffer);
                free(buffer);
            }
        }
        fputs("</td>", p->o);
    }
}

static void write_family_head(struct page *p, const struct family *f)
{
    fputs("<tr>", p->o);
    vec_for_each (&f->fields, name)
        html(p->o, "<th>%s</th>", *name);
    vec_for_each (&f->tparams, t)
        html(p->o, "<th>%s</th>", t->name);
    fputs("<th>word</th></tr>\n", p->o);
}

/* Writes a link to a declared family. A product gets no link, since its factors have links. */
static void write_family_link(struct page *p, const struct doc_isa *d, const struct family *f)
{
    if (f->factors.len)
        return;
    page_link(p, arena_printf(p->site->a, "%smaps.html#family-%s", d->folder, f->name), f->name);
    fputc(' ', p->o);
}

static void write_rows(struct page *p, const struct doc_isa *d, const struct instr *in)
{
    const struct family *f = in->family;

    fputs(in->forms.len <= ROWS_SHOWN ? "<details open=\"open\">" : "<details>", p->o);
    html(p->o, "<summary>%u encoding%s of family ", in->forms.len, in->forms.len == 1 ? "" : "s");
    write_family_link(p, d, f);
    vec_for_each (&f->factors, factor)
        write_family_link(p, d, *factor);
    fputs("</summary>\n<div class=\"wide\"><table>\n", p->o);
    write_family_head(p, f);
    vec_for_each (&in->forms, form) {
        html(p->o, "<tr id=\"form-%s\" data-form=\"%s\">", (*form)->name, (*form)->name);
        if ((*form)->row >= 0)
            write_row_values(p, d, &f->rows.data[(*form)->row]);
        fputs("<td class=\"picture mono\">", p->o);
        vec_for_each (&(*form)->patterns, pat)
            html(p->o, "%s%s", pat == (*form)->patterns.data ? "" : "\n",
                 pattern_text(p->site->a, in->format, pat->mask, pat->value));
        fputs("</td></tr>\n", p->o);
    }
    fputs("</table></div></details>\n", p->o);
}

static void write_alternatives(struct page *p, const struct instr *in)
{
    if (in->family || in->patterns.len < 2)
        return;
    html(p->o, "<h4>One of %u words</h4>\n<pre>", in->patterns.len);
    vec_for_each (&in->patterns, pat)
        html(p->o, "%s\n", pattern_text(p->site->a, in->format, pat->mask, pat->value));
    fputs("</pre>\n", p->o);
}

/* ---- assembly -------------------------------------------------------------------------------- */

/* Writes an asm line as in the description, with maps linked. */
static void write_asm_line(struct page *p, const struct doc_isa *d, const struct ast_asm *s)
{
    const struct doc_links *links = &d->links;
    const char *at = s->text;

    fputs("<code>", p->o);
    while (*at) {
        size_t n = strcspn(at, "%"), name;

        html_bytes(p->o, at, n);
        at += n;
        if (!*at)
            break;
        for (name = 1; isalnum((unsigned char)at[name]) || at[name] == '_'; name++)
            ;
        if (name > 1 && name_map_get(&links->maps, arena_strndup(p->site->a, at + 1, name - 1))) {
            fputc('%', p->o);
            page_link(p, name_map_get(&links->maps, arena_strndup(p->site->a, at + 1, name - 1)),
                      arena_strndup(p->site->a, at + 1, name - 1));
        } else {
            html_bytes(p->o, at, name);
        }
        at += name;
    }
    fputs("</code>", p->o);
    if (s->args.len) {
        fputs(" of ", p->o);
        vec_for_each (&s->args, e) {
            fputs(e == s->args.data ? "" : ", ", p->o);
            code_expr(p, links, *e);
        }
    }
}

static void write_asm_condition(struct page *p, const struct doc_isa *d, const struct ast_asm *s)
{
    if (s->condition) {
        fputs(" <span class=\"alias\">when</span> ", p->o);
        code_expr(p, &d->links, s->condition);
    }
    vec_for_each (&s->constraints, c) {
        html(p->o, " <span class=\"alias\">%s</span> <code>%s %s </code>",
             c == s->constraints.data ? "when" : "and", c->field,
             c->cmp == AST_CMP_EQ    ? "="
             : c->cmp == AST_CMP_AND ? "&"
                                     : "!=");
        code_expr(p, &d->links, c->value);
    }
}

static void write_assembly(struct page *p, const struct doc_isa *d, const struct instr *in)
{
    const struct ast_asm *lines = in->ast ? in->ast->syntax.data : NULL;
    unsigned count = in->ast ? in->ast->syntax.len : 0;

    if (!count && in->format->ast) {
        lines = in->format->ast->syntax.data;
        count = in->format->ast->syntax.len;
    }
    if (!count)
        return;
    fputs("<h4>Assembly</h4>\n<ul class=\"plain\">\n", p->o);
    for (unsigned i = 0; i < count; i++) {
        fputs("<li>", p->o);
        write_asm_line(p, d, &lines[i]);
        write_asm_condition(p, d, &lines[i]);
        fputs("</li>\n", p->o);
    }
    fputs("</ul>\n", p->o);
}

const char *instr_mnemonics(struct arena *a, const struct instr *in)
{
    const char *all = "";

    vec_for_each (&in->syntax, s) {
        const char *text = s->pieces.len && s->pieces.data[0].text ? s->pieces.data[0].text : "";
        size_t n = strcspn(text, " \t\n");

        if (n)
            all = arena_printf(a, "%s%.*s ", all, (int)n, text);
    }
    return all;
}

/* ---- fields and conditions ------------------------------------------------------------------- */

static const char *number_name(enum asm_number n)
{
    static const char *const names[] = {
        [ASM_IMM] = "number",
        [ASM_DEC] = "signed number",
        [ASM_UNSIGNED] = "number",
        [ASM_HEX] = "number",
        [ASM_ADDRESS] = "distance",
        [ASM_PAGE] = "distance in pages",
        [ASM_ALIGNED] = "distance",
        [ASM_FLOAT] = "double",
        [ASM_DECIMAL] = "double",
        [ASM_SINGLE] = "float",
        [ASM_WORD] = "number",
        [ASM_BITS] = "bits that are set",
        [ASM_GENERAL] = "double",
        [ASM_CAPITAL] = "number",
        [ASM_SYSREG] = "system register",
        [ASM_REGION] = "place in the region",
    };

    return names[n];
}

/* Writes how assembly shows a field that is an operand by itself; returns the number of such
 * operands. */
static unsigned write_use_in_assembly(struct page *p, const struct doc_isa *d,
                                      const struct instr *in, const struct field *x)
{
    const struct asm_map *said = NULL;
    bool number = false;
    unsigned count = 0;

    vec_for_each (&in->syntax, s)
        vec_for_each (&s->pieces, piece)
            vec_for_each (&piece->values, v) {
                if ((*v)->kind != AST_NAME || strcmp((*v)->name, x->name) ||
                    (piece->map ? piece->map == said : number))
                    continue;
                fputs(count++ ? ", " : "", p->o);
                said = piece->map ? piece->map : said;
                number |= !piece->map;
                if (!piece->map) {
                    html_text(p->o, number_name(piece->number));
                    continue;
                }
                fputs("map ", p->o);
                page_link(
                    p, arena_printf(p->site->a, "%smaps.html#map-%s", d->folder, piece->map->name),
                    piece->map->name);
            }
    return count;
}

static bool text_has_word(const char *text, const char *word)
{
    size_t n = strlen(word);

    for (const char *at = text; (at = strstr(at, word)); at += n) {
        bool begins = at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_');

        if (begins && !isalnum((unsigned char)at[n]) && at[n] != '_')
            return true;
    }
    return false;
}

/* Writes the uses of a field: in assembly, in computed fields, as a key of the family. */
static void write_field_use(struct page *p, const struct doc_isa *d, const struct instr *in,
                            const struct field *x)
{
    unsigned count = write_use_in_assembly(p, d, in, x);
    bool first = true;

    vec_for_each (&in->format->fields, other)
        if ((*other)->value && text_has_word(show_expr(p->site->a, (*other)->value), x->name)) {
            html(p->o, "%s%s<code>%s</code>", count ? ", " : "", first ? "in " : "",
                 (*other)->name);
            first = false;
            count++;
        }
    if (in->family)
        vec_for_each (&in->family->fields, name)
            if (!strcmp(*name, x->name))
                html(p->o, "%schooses the row of %s", count++ ? ", " : "", in->family->name);
}

/* Whether the field's bits are the same in all words of the instruction; `value` receives them. */
static bool constant_value(const struct instr *in, const struct field *x, u128 *value)
{
    struct bit_test fixed = common_bits(in);

    if (x->computed || x->lsb >= in->format->width ||
        field_extract(x, fixed.mask) != field_extract(x, ~(u128)0))
        return false;
    *value = field_extract(x, fixed.value);
    return true;
}

static void write_field_row(struct page *p, const struct doc_isa *d, const struct instr *in,
                            const struct field *x)
{
    u128 value;

    html(p->o, "<tr><td class=\"mono\">%s</td><td class=\"mono\">", x->name);
    if (x->computed)
        html_text(p->o, show_type(p->site->a, x->type));
    else if (x->lsb >= in->format->width)
        fputs("decode context", p->o);
    else if (x->width > 1)
        html(p->o, "%u:%u", x->lsb + x->width - 1, x->lsb);
    else
        html(p->o, "%u", x->lsb);
    fputs("</td><td>", p->o);
    if (constant_value(in, x, &value))
        html(p->o, "always %s", show_number(p->site->a, value));
    else if (x->value)
        code_expr(p, &d->links, x->value);
    else if (x->computed)
        fputs("set by decode()", p->o);
    else
        write_field_use(p, d, in, x);
    fputs("</td></tr>\n", p->o);
}

static void write_fields(struct page *p, const struct doc_isa *d, const struct instr *in)
{
    if (!in->format->fields.len)
        return;
    fputs("<h4>Fields</h4>\n<div class=\"wide\"><table class=\"fields\">\n", p->o);
    vec_for_each (&in->format->fields, x)
        write_field_row(p, d, in, *x);
    fputs("</table></div>\n", p->o);
}

static const char *const signs[] = {"=", "≠", "has all bits of", "≠"};

static void write_exclusions(struct page *p, const struct doc_isa *d, const struct instr *in)
{
    if (in->ast)
        vec_for_each (&in->ast->decoders, dec)
            vec_for_each (&dec->all, c) {
                if (c->cmp == AST_CMP_EQ)
                    continue;
                html(p->o, "<li><code>%s</code> %s ", c->field, signs[c->cmp]);
                code_expr(p, &d->links, c->value);
                fputs("</li>\n", p->o);
            }
}

static void write_conditions(struct page *p, const struct doc_isa *d, const struct instr *in)
{
    bool nots = false;

    vec_for_each (&in->patterns, pat)
        nots |= pat->nots.len != 0;
    if (!in->where.len && !in->features.len && !in->predicate && !nots)
        return;
    fputs("<h4>Only when</h4>\n<ul class=\"plain\">\n", p->o);
    write_exclusions(p, d, in);
    vec_for_each (&in->where, w) {
        fputs("<li>", p->o);
        code_expr(p, &d->links, *w);
        fputs("</li>\n", p->o);
    }
    vec_for_each (&in->features, f)
        html(p->o, "<li>feature <code>%s</code></li>\n", (*f)->name);
    if (in->predicate) {
        fputs("<li>else nothing happens: ", p->o);
        code_expr(p, &d->links, in->predicate);
        fputs("</li>\n", p->o);
    }
    fputs("</ul>\n", p->o);
}

/* ---- behaviour ------------------------------------------------------------------------------- */

static void write_remarks(struct page *p, const struct instr *in)
{
    html(p->o, "<p class=\"source\">class %s", in->klass ? in->klass : "other");
    if (in->ticks != 1)
        html(p->o, " · %u ticks", in->ticks);
    if (in->end_of_block)
        fputs(" · ends a block", p->o);
    if (in->behaviour && strcmp(in->behaviour, in->name))
        html(p->o, " · behaviour %s", in->behaviour);
    html(p->o, " · %s:%u", source_path(p->site->a, in->pos.file->path), in->pos.line);
    fputs("</p>\n", p->o);
}

static void write_behaviour(struct page *p, const struct doc_isa *d, const struct instr *in)
{
    const struct ast_def *decode = in->format->decode;
    const char *text;
    size_t n;

    if (decode) {
        text = source_definition(decode->pos, &n);
        fputs("<h4>Decoding</h4>\n", p->o);
        code_block(p, &d->links, text, n);
    }
    if (!in->execute)
        return;
    text = source_definition(in->execute->pos, &n);
    fputs("<h4>Behaviour</h4>\n", p->o);
    code_block(p, &d->links, text, n);
}

void instr_write(struct page *p, const struct doc_isa *d, const struct instr *in)
{
    const char *comment = source_comment(p->site->a, in->pos);

    html(p->o, "<section class=\"entry\" id=\"%s\"", in->name);
    if (!in->family)
        html(p->o, " data-form=\"%s\"", in->forms.len ? in->forms.data[0]->name : in->name);
    html(p->o, ">\n<h3><a class=\"self\" href=\"#%s\">%s</a></h3>\n", in->name, in->name);
    if (*comment)
        html_prose(p->o, comment);
    write_word(p, in);
    write_alternatives(p, in);
    if (in->family)
        write_rows(p, d, in);
    write_assembly(p, d, in);
    write_fields(p, d, in);
    write_conditions(p, d, in);
    write_behaviour(p, d, in);
    write_remarks(p, in);
    fputs("</section>\n", p->o);
}
