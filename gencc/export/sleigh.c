/*
 * Ghidra SLEIGH: constructors of all instructions; see export.h and sleigh.h.
 */
#include "gencc/export/sleigh.h"
#include "common/memory.h"
#include "gencc/export/export.h"
#include "gencc/ir/pass.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- patterns -------------------------------------------------------------------------------- */

/* The words that a pattern excludes; a test of the decode context cannot be said. */
static const char *exclusions(struct sl_form *f, const struct pattern *p)
{
    struct arena *a = f->s->arena;
    const char *all = "";

    vec_for_each (&p->nots, n) {
        const char *parts = sl_constraint(f, n->mask, n->value), *text = "";

        if (n->mask >> f->width) {
            f->s->open_conditions++;
            continue;
        }
        /* Not all of the parts: one of them differs. */
        for (const char *c = parts + 3; c;) {
            const char *end = strstr(c, " & ");
            const char *one = end ? arena_strndup(a, c, (size_t)(end - c)) : c;
            const char *sign = strchr(one, '=');

            text = arena_printf(a, "%s%s%.*s!%s", text, *text ? " | " : "", (int)(sign - one), one,
                                sign);
            c = end ? end + 3 : NULL;
        }
        all = arena_printf(a, "%s & (%s)", all, text);
    }
    return all;
}

/* The constraint of all words of the form: without the leading " & ". NULL: no word has it. */
static const char *constraint_of(struct sl_form *f, const struct pattern *p, const char *more)
{
    struct arena *a = f->s->arena;
    const char *accepted = f->form->decode ? sl_condition(f, NULL, true) : "";
    const char *all;

    if (accepted == sl_never)
        return NULL;
    all = arena_printf(a, "%s%s%s%s", sl_constraint(f, f->mask, f->value), exclusions(f, p),
                       accepted ? accepted : "", more);
    return *all ? all + 3 : sl_field(f, 0, f->width, NULL);
}

/* The constraint of a text in a subtable, which is reached for words of the form alone. Ghidra
 * takes the most special of several that fit, and refuses equal ones: so the rest has less of
 * it. */
static const char *constraint_of_text(struct sl_form *f, const struct pattern *p,
                                      const struct sl_text *t)
{
    const char *fixed = sl_constraint(f, f->mask, f->value);

    if (!t->is_rest)
        return constraint_of(f, p, t->constraint);
    return *fixed ? fixed + 3 : sl_field(f, 0, f->width, NULL);
}

typedef VEC(const char *) name_list;

/* Symbols that are used and that the display does not show */
static const char *mentions(struct sl_form *f, const char *const *uses, unsigned n)
{
    const char *all = "";

    for (unsigned i = 0; i < n; i++)
        all = arena_printf(f->s->arena, "%s & %s", all, uses[i]);
    return all;
}

static const char *actions_of(struct sl_form *f, const struct sl_text *t)
{
    const char *all = "";

    vec_for_each (&t->actions, a)
        all = arena_printf(f->s->arena, "%s %s", all, *a);
    return *all ? arena_printf(f->s->arena, " [%s ]", all) : "";
}

/* ---- constructors ---------------------------------------------------------------------------- */

/* Forms that the same words are, in different decode contexts */
struct group {
    const struct form *forms[16];
    unsigned n;
};

/* The behaviour, or an opaque operation of the instruction's name. The symbols that it uses are
 * f->uses. */
static char *code_of(struct sl_form *f, const struct group *g)
{
    char *text = NULL;
    size_t size = 0;
    FILE *o = memory_or_exit(open_memstream(&text, &size));
    const char *why = NULL;

    memset(&f->uses, 0, sizeof(f->uses));
    if (!sl_behaviour(o, f, g->forms, g->n, &why)) {
        memset(&f->uses, 0, sizeof(f->uses));
        fprintf(o, "{\n    %s(%s:%u);\n}\n",
                sl_op(f->s, arena_printf(f->s->arena, "do_%s", f->form->name)),
                sl_use(f, sl_field(f, 0, f->width, NULL)), f->width / 8);
        fprintf(f->s->errors, "%s: opaque: %s\n", f->form->name, why ? why : "it has no behaviour");
        f->s->opaque++;
    }
    fclose(o);
    return text;
}

/* Texts of several forms stand in a subtable, so that the behaviour stands once. */
static const char *print_texts(struct sl_form *f, const struct pattern *p, const sl_texts *texts)
{
    const char *name =
        arena_printf(f->s->arena, "%s_text%u", sl_symbol(f->s, f->form->name), ++f->s->next_table);

    vec_for_each (texts, t) {
        const char *where = constraint_of_text(f, p, t);

        if (where)
            fprintf(f->s->tables, "%s: %s is %s%s%s { }\n", name,
                    *t->display == '^' ? t->display + 1 : t->display, where,
                    mentions(f, t->uses.data, t->uses.len), actions_of(f, t));
    }
    return name;
}

/* Keeps the symbols of the behaviour that the text does not use as well. Returns their number. */
static unsigned without(struct sl_form *f, const struct sl_text *t)
{
    unsigned n = 0;

    for (unsigned i = 0; i < f->uses.len; i++) {
        bool twice = false;

        for (unsigned k = 0; t && k < t->uses.len; k++)
            twice |= !strcmp(t->uses.data[k], f->uses.data[i]);
        if (!twice)
            f->uses.data[n++] = f->uses.data[i];
    }
    return n;
}

static void one_pattern(FILE *o, struct sl_form *f, const struct pattern *p, const struct group *g)
{
    sl_texts texts = {0};
    const char *where, *display, *actions = "", *uses;
    char *code;

    f->mask = p->mask & low_bits(f->width);
    f->value = p->value & low_bits(f->width);
    f->is_decoded = false;
    f->truths.len = 0;
    where = constraint_of(f, p, "");
    if (!where)
        return;
    sl_display(f, &texts);
    if (texts.len == 1) {
        display = texts.data[0].display;
        actions = actions_of(f, &texts.data[0]);
        uses = mentions(f, texts.data[0].uses.data, texts.data[0].uses.len);
    } else {
        const char *table = print_texts(f, p, &texts);

        display = arena_printf(f->s->arena, "^%s", table);
        uses = arena_printf(f->s->arena, " & %s", table);
    }
    code = code_of(f, g);
    f->uses.len = without(f, texts.len == 1 ? &texts.data[0] : NULL);
    fprintf(o, "# form %s\n:%s is %s%s%s%s %s\n", f->form->name, display, where, uses,
            mentions(f, f->uses.data, f->uses.len), actions, code);
    free(code);
    f->s->constructors++;
}

/* Whether the forms are the same words in different contexts. */
static bool same_words(const struct form *x, const struct form *y)
{
    unsigned width = x->instr->format->width;

    if (x->instr != y->instr || x->patterns.len != y->patterns.len)
        return false;
    for (unsigned i = 0; i < x->patterns.len; i++) {
        const struct pattern *p = &x->patterns.data[i], *q = &y->patterns.data[i];

        if ((p->mask ^ q->mask) & low_bits(width) || (p->value ^ q->value) & low_bits(width))
            return false;
    }
    return true;
}

static void print_constructors(FILE *o, struct sleigh *s, const struct export_choice *c)
{
    for (unsigned i = 0; i < s->isa->forms.len; i++) {
        const struct form *form = s->isa->forms.data[i];
        struct sl_form f = {.s = s, .form = form, .width = form->instr->format->width};
        struct group g = {{form}, 1};

        while (s->isa->context.slot && i + 1 < s->isa->forms.len && g.n < 16 &&
               same_words(form, s->isa->forms.data[i + 1]))
            g.forms[g.n++] = s->isa->forms.data[++i];
        if (!export_chosen(c, form))
            continue;
        if (f.width > 64) {
            fprintf(s->errors, "%s: left out: it has more than 64 bits\n", form->name);
            continue;
        }
        vec_for_each (&form->patterns, p)
            one_pattern(o, &f, p, &g);
    }
}

unsigned export_sleigh(FILE *o, FILE *errors, struct isa *isa, const struct export_choice *c)
{
    struct arena arena = {0};
    struct sleigh s = {.arena = &arena, .errors = errors, .model = isa->model, .isa = isa};
    char *tables = NULL, *code = NULL;
    size_t sizes[2];
    FILE *body = memory_or_exit(open_memstream(&code, &sizes[0]));

    s.text = text_prepare(isa);
    s.tables = memory_or_exit(open_memstream(&tables, &sizes[1]));
    fprintf(o,
            "# %s: made by gencc export sleigh. A pcodeop NAME is a function of the machine or of\n"
            "# floating point that has no p-code; NAME_1 is its first output by reference;\n"
            "# do_NAME is a whole instruction. Faults of memory accesses are not said.\n",
            isa->name);
    sl_print_registers(o, &s);
    print_constructors(body, &s, c);
    fclose(body);
    fclose(s.tables);
    sl_print_symbols(o, &s);
    fputs(tables, o);
    fputc('\n', o);
    fputs(code, o);
    fprintf(errors,
            "gencc export: %u constructors, %u opaque, %u calls of %u pcodeops, %u texts shown in "
            "part, %u conditions checked in p-code\n",
            s.constructors, s.opaque, s.calls, s.ops.len, s.skipped_texts, s.open_conditions);
    free(tables);
    free(code);
    arena_free(&arena);
    return 0;
}
