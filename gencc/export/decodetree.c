/*
 * Patterns for QEMU's scripts/decodetree.py; see export.h.
 */
#include "gencc/export/export.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A pattern of a form, with what decides the order */
struct line {
    const struct form *form;
    const struct pattern *pattern;
    unsigned order;
};

typedef VEC(struct line) line_list;

/* ---- fields ---------------------------------------------------------------------------------- */

static u128 bits_of(const struct field *f)
{
    return low_bits(f->width) << f->lsb;
}

/* Whether the field is bits of the word: neither computed nor of the decode context. */
static bool is_raw(const struct format *f, const struct field *field)
{
    return !field->computed && field->width && field->lsb < f->width;
}

/* Whether the pattern fixes all bits of the field. */
static bool is_fixed(const struct pattern *p, const struct field *field)
{
    return !(bits_of(field) & ~p->mask);
}

/* Whether the field is an argument: some exported pattern of the format leaves bits of it open. */
static bool is_argument(const line_list *lines, const struct format *f, const struct field *field)
{
    if (!is_raw(f, field))
        return false;
    vec_for_each (lines, l)
        if (l->form->instr->format == f && !is_fixed(l->pattern, field))
            return true;
    return false;
}

/* The bits that a pattern shows as fixed. The script has no fields some of whose bits are fixed:
 * those bits stay open, and trans_ checks them, as it does the decode context. */
static u128 shown_mask(const struct form *form, const struct pattern *p)
{
    const struct format *f = form->instr->format;
    u128 mask = p->mask & low_bits(f->width);

    vec_for_each (&f->fields, it)
        if (is_raw(f, *it) && !is_fixed(p, *it))
            mask &= ~bits_of(*it);
    return mask;
}

/* ---- what cannot be said --------------------------------------------------------------------- */

static bool is_c_word(const char *name)
{
    static const char *const words[] = {
        "auto",  "break",    "case",   "char",     "const",    "continue", "default",
        "do",    "double",   "else",   "enum",     "extern",   "float",    "for",
        "goto",  "if",       "inline", "int",      "long",     "register", "return",
        "short", "signed",   "sizeof", "static",   "struct",   "switch",   "typedef",
        "union", "unsigned", "void",   "volatile", "restrict", "while",
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (!strcmp(words[i], name))
            return true;
    return false;
}

/* Why a field cannot be an argument, or NULL. */
static const char *problem_of_field(const struct format *f, const struct field *field)
{
    if (!isalpha((unsigned char)*field->name) || is_c_word(field->name))
        return "a field's name is none in C";
    if (field->width > 32)
        return "a field has more than 32 bits";
    vec_for_each (&f->fields, it)
        if (*it != field && is_raw(f, *it) && bits_of(*it) & bits_of(field))
            return "two of its fields overlap";
    return NULL;
}

static const char *problem_of(const struct form *form)
{
    const struct format *f = form->instr->format;

    vec_for_each (&form->patterns, p) {
        vec_for_each (&f->fields, it) {
            const char *problem = NULL;

            if (is_raw(f, *it) && !is_fixed(p, *it))
                problem = problem_of_field(f, *it);
            if (problem)
                return problem;
        }
    }
    return NULL;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* The argument set of a format: its fields, the highest first. */
static void print_arguments(FILE *o, const line_list *lines, const struct format *f)
{
    bool used = false;

    vec_for_each (lines, l)
        used |= l->form->instr->format == f;
    if (!used)
        return;
    fprintf(o, "&%s", f->name);
    vec_for_each (&f->fields, it)
        if (is_argument(lines, f, *it))
            fprintf(o, " %s", (*it)->name);
    fputc('\n', o);
}

static void print_test(FILE *o, const struct bit_test *t, const char *sign)
{
    fprintf(o, "(word & 0x%llx) %s 0x%llx", (unsigned long long)t->mask, sign,
            (unsigned long long)t->value);
}

/* What the trans_ function must check, since patterns cannot say it */
static void print_conditions(FILE *o, const struct form *form)
{
    const struct instr *in = form->instr;
    bool more = false;

    vec_for_each (&form->patterns, p)
        more |= p->nots.len != 0 || shown_mask(form, p) != p->mask;
    if (more)
        fprintf(o, "# trans_%s returns false unless the word fits a line:\n", form->name);
    for (unsigned i = 0; more && i < form->patterns.len; i++) {
        const struct pattern *p = &form->patterns.data[i];

        fputs("#   ", o);
        print_test(o, &(struct bit_test){p->mask, p->value}, "==");
        vec_for_each (&p->nots, n) {
            fputs(" && ", o);
            print_test(o, n, "!=");
        }
        fputc('\n', o);
    }
    if (in->where.len)
        fprintf(o, "# trans_%s returns false unless the `where` of %s holds.\n", form->name,
                in->name);
    if (in->format->decode)
        fprintf(o, "# trans_%s returns false if decode(%s) raises.\n", form->name,
                in->format->name);
    vec_for_each (&in->features, f)
        fprintf(o, "# trans_%s returns false unless the CPU has %s.\n", form->name, (*f)->name);
}

/* Returns the argument whose highest bit is `top` in a word of the pattern, or NULL. */
static const struct field *argument_at(const struct format *f, const struct pattern *p,
                                       unsigned top)
{
    vec_for_each (&f->fields, it)
        if (is_raw(f, *it) && !is_fixed(p, *it) && (*it)->lsb + (*it)->width - 1 == top)
            return *it;
    return NULL;
}

static void print_pattern(FILE *o, const line_list *lines, const struct line *l)
{
    const struct format *f = l->form->instr->format;
    const struct pattern *p = l->pattern;
    bool digit = false; /* the last token is of digits, which go on */

    fprintf(o, "  %s", l->form->name);
    for (unsigned i = f->width; i-- > 0;) {
        const struct field *field = argument_at(f, p, i);

        if (field) {
            fprintf(o, " %s:%u", field->name, field->width);
            i = field->lsb;
        } else {
            fprintf(o, "%s%c", digit ? "" : " ",
                    p->mask >> i & 1 ? '0' + (int)(p->value >> i & 1) : '-');
        }
        digit = !field;
    }
    fprintf(o, " &%s", f->name);
    vec_for_each (&f->fields, it)
        if (is_argument(lines, f, *it) && is_fixed(p, *it))
            fprintf(o, " %s=%llu", (*it)->name,
                    (unsigned long long)(p->value >> (*it)->lsb & low_bits((*it)->width)));
    fputc('\n', o);
}

/* Most bits first: of patterns that overlap, the more special one is tried before. */
static int by_bits(const void *x, const void *y)
{
    const struct line *a = x, *b = y;
    unsigned m = count_bits(shown_mask(a->form, a->pattern));
    unsigned n = count_bits(shown_mask(b->form, b->pattern));

    if (m != n)
        return m > n ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* The patterns of all forms that were chosen and can be expressed; the others are counted. */
static unsigned collect(line_list *lines, FILE *errors, const struct isa *isa, unsigned width,
                        const struct export_choice *c)
{
    unsigned left_out = 0;

    vec_for_each (&isa->forms, f) {
        const char *problem;

        if ((*f)->instr->format->width != width || !export_chosen(c, *f))
            continue;
        problem = problem_of(*f);
        if (problem) {
            fprintf(errors, "%s: left out: %s\n", (*f)->name, problem);
            left_out++;
            continue;
        }
        vec_for_each (&(*f)->patterns, p)
            vec_push(lines, (struct line){*f, p, lines->len});
    }
    return left_out;
}

unsigned export_decodetree(FILE *o, FILE *errors, const struct isa *isa, unsigned width,
                           const struct export_choice *c)
{
    line_list lines = {0};
    unsigned left_out = collect(&lines, errors, isa, width, c);
    const struct form *last = NULL;

    fprintf(
        o,
        "# %s: words of %u bits. Of several patterns that fit, the first is right whose trans_\n"
        "# function returns true.\n"
        "# In conditions, the word has its decode context in the bits from 32.\n\n",
        isa->name, width);
    vec_for_each (&isa->formats, f)
        if ((*f)->width == width)
            print_arguments(o, &lines, *f);
    fputc('\n', o);
    vec_for_each (&lines, l) {
        if (l->form != last)
            print_conditions(o, l->form);
        last = l->form;
    }
    if (lines.len)
        qsort(lines.data, lines.len, sizeof(*lines.data), by_bits);
    fputs("\n{\n", o);
    vec_for_each (&lines, l)
        print_pattern(o, &lines, l);
    fputs("}\n", o);
    vec_free(&lines);
    return left_out;
}
