/*
 * Builds the texts of a bundle: asm lines over the fields of its formats and over values of their
 * context.
 */
#include "gencc/model/bundle_internal.h"

#include <string.h>

enum { MAX_VALUES = 3, MAX_WITHIN = 1024, OPEN = ~0u };

static const struct {
    const char *name;
    struct bundle_value values[MAX_VALUES]; /* up to the first without a name */
} contexts[] = {
    [BUNDLE_OF_HEADER] = {"header", {{.name = "uniforms", .is = BUNDLE_V_UNIFORMS}}},
    [BUNDLE_OF_BLOCK] = {"block",
                         {{.name = "block", .is = BUNDLE_V_BLOCK},
                          {.name = "unit", .is = BUNDLE_V_UNIT},
                          {.name = "first", .is = BUNDLE_V_FIRST}}},
    [BUNDLE_OF_NEXT] = {"next",
                        {{.name = "block", .is = BUNDLE_V_BLOCK},
                         {.name = "unit", .is = BUNDLE_V_UNIT},
                         {.name = "last", .is = BUNDLE_V_LAST}}},
    [BUNDLE_OF_CONSTANT] = {"constant",
                            {{.name = "raw", .is = BUNDLE_V_RAW},
                             {.name = "modifier", .is = BUNDLE_V_MODIFIER},
                             {.name = "index", .is = BUNDLE_V_INDEX}}},
    [BUNDLE_OF_TARGET] = {"target",
                          {{.name = "distance", .is = BUNDLE_V_DISTANCE},
                           {.name = "index", .is = BUNDLE_V_INDEX},
                           {.name = "end", .is = BUNDLE_V_END}}},
    [BUNDLE_OF_FOOTER] = {"footer", {{.name = "constants", .is = BUNDLE_V_CONSTANTS}}},
};

static bool find_context(struct bundle_builder *b, const struct ast_bundle_text *ast,
                         enum bundle_context *out)
{
    struct name_guess guess = {.wrong = ast->context};

    for (unsigned i = 0; i < BUNDLE_OF_TARGET; i++) {
        name_guess_offer(&guess, contexts[i].name);
        if (strcmp(contexts[i].name, ast->context))
            continue;
        *out = (enum bundle_context)i;
        return true;
    }
    diag_unknown(b->d, ast->context_pos, &guess, "unknown context \"%s\"", guess.wrong);
    return false;
}

/* Whether the text replaces a map of a unit. Other texts are used by texts of the bundle. */
static bool is_unit_map(const struct bundle_builder *b, const char *name)
{
    vec_for_each (&b->c->units, u) {
        const struct isa *isa = model_isa(b->ib->b->m, u->isa);

        vec_for_each (&isa->ast->maps, m)
            if (!strcmp(m->name, name))
                return true;
    }
    return false;
}

static void declare_map(struct bundle_builder *b, const struct ast_bundle_text *t)
{
    struct asm_map *m = arena_new(b->a, struct asm_map);
    const struct asm_map *old = name_map_get(&b->ib->isa->map_names, t->name);

    if (old) {
        diag_error(b->d, t->pos, "\"%s\" is a map or another text already", t->name);
        diag_note(b->d, old->pos, "the other is here");
        return;
    }
    m->pos = t->pos;
    m->name = t->name;
    m->arity = 1;
    m->is_text = true;
    m->index = b->ib->isa->maps.len;
    name_map_put(b->a, &b->ib->isa->map_names, m->name, m);
    vec_push_in(b->a, &b->ib->isa->maps, m);
}

/* Whether the text has no key: it is the header's, the footer's, or a label's. */
static bool is_around(const struct ast_bundle_text *t, enum bundle_context *out)
{
    static const enum bundle_context around[] = {BUNDLE_OF_HEADER, BUNDLE_OF_TARGET,
                                                 BUNDLE_OF_FOOTER};

    for (unsigned i = 0; i < sizeof(around) / sizeof(*around); i++) {
        *out = around[i];
        if (!strcmp(t->name, contexts[around[i]].name))
            return true;
    }
    return false;
}

static void check_once_there(struct bundle_builder *b, const struct ast_bundle_text *t)
{
    enum bundle_context context;

    if (!is_around(t, &context))
        diag_error(b->d, t->pos,
                   "without a key a text is the header's, a target's or the footer's, not one of "
                   "\"%s\"",
                   t->name);
    vec_for_each (&b->ast->texts, old) {
        if (old == t)
            return;
        if (!old->key && !strcmp(old->name, t->name))
            diag_error(b->d, t->pos, "the text of the %s is given twice", t->name);
    }
}

void declare_texts(struct bundle_builder *b)
{
    vec_for_each (&b->ast->texts, t) {
        if (!t->key) {
            check_once_there(b, t);
            continue;
        }
        declare_map(b, t);
        if (strcmp(t->context, contexts[BUNDLE_OF_CONSTANT].name) && !is_unit_map(b, t->name))
            diag_error(b->d, t->pos, "no unit has a map \"%s\"", t->name);
    }
}

static struct field *value_field(struct bundle_builder *b, struct format *f, const char *name,
                                 struct src_pos pos)
{
    struct field *field = arena_new(b->a, struct field);

    if (format_field(f, name))
        diag_error(b->d, pos, "\"%s\" means something else here", name);
    field->pos = pos;
    field->name = name;
    field->type = IR_T_U64;
    field->computed = true;
    field->index = f->fields.len;
    vec_push_in(b->a, &f->fields, field);
    return field;
}

/* Adds the words that a picture stores as values, named as in the picture. Words of more than 64
 * bits are not available to texts. */
static void add_words(struct bundle_builder *b, struct bundle_text *t, const piece_list *pieces)
{
    vec_for_each (pieces, p) {
        struct bundle_value v = {.is = BUNDLE_V_WORD, .number = p->number, .unit = p->unit};
        bool known = p->what != BUNDLE_UNIT || b->c->units.data[p->unit].bits > 64;

        vec_for_each (&t->values, old)
            known |= old->is == v.is && old->number == v.number && old->unit == v.unit;
        if (known)
            continue;
        v.name = arena_printf(b->a, "%s%u", b->c->units.data[v.unit].name, v.number);
        vec_push_in(b->a, &t->values, v);
    }
}

static void add_values(struct bundle_builder *b, struct bundle_text *t)
{
    for (unsigned i = 0; i < MAX_VALUES && contexts[t->context].values[i].name; i++)
        vec_push_in(b->a, &t->values, contexts[t->context].values[i]);
    if (t->context != BUNDLE_OF_FOOTER)
        return;
    for (unsigned i = 0; i < b->c->max_constants; i++) {
        struct bundle_value v = {.is = BUNDLE_V_CONSTANT, .number = i};

        v.name = arena_printf(b->a, "constant%u", i);
        vec_push_in(b->a, &t->values, v);
    }
    vec_for_each (&b->c->grains, q)
        add_words(b, t, &(*q)->pieces);
    vec_for_each (&b->c->strings, s)
        vec_for_each (&(*s)->takes, take)
            add_words(b, t, &take->pieces);
}

static const struct format *base_format(const struct bundle *c, enum bundle_context context)
{
    switch (context) {
    case BUNDLE_OF_HEADER:
    case BUNDLE_OF_TARGET:
    case BUNDLE_OF_FOOTER:
        return c->header;
    case BUNDLE_OF_BLOCK:
    case BUNDLE_OF_NEXT:
        return c->block;
    case BUNDLE_OF_CONSTANT:
        break;
    }
    return NULL;
}

/* Makes the format of a text's lines: fields of the header or the block, and values. */
static struct format *text_format(struct bundle_builder *b, const struct bundle_text *t)
{
    const struct format *base = base_format(b->c, t->context);
    struct format *f = arena_new(b->a, struct format);

    f->pos = t->pos;
    f->name = t->name;
    if (base) {
        f->width = base->width;
        f->mask = base->mask;
        f->value = base->value;
        vec_for_each (&base->fields, it)
            if (!(*it)->computed)
                vec_push_in(b->a, &f->fields, *it);
    }
    if (t->key)
        value_field(b, f, t->key, t->pos);
    vec_for_each (&t->values, v)
        value_field(b, f, v->name, t->pos);
    return f;
}

/* Adds asm lines as the syntax of an instruction made for them. */
static void add_lines(struct bundle_builder *b, struct bundle_text *t, struct format *f,
                      const struct ast_asm *lines, unsigned count)
{
    struct ast_instr *ast = arena_new(b->a, struct ast_instr);
    struct instr *in = arena_new(b->a, struct instr);

    ast->pos = t->pos;
    ast->name = t->name;
    for (unsigned i = 0; i < count; i++)
        vec_push_in(b->a, &ast->syntax, lines[i]);
    in->pos = t->pos;
    in->name = arena_printf(b->a, "%s_%u", t->name, t->lines.len);
    in->format = f;
    in->ast = ast;
    build_syntax(b->ib, in);
    vec_push_in(b->a, &t->lines, in);
}

static void build_text(struct bundle_builder *b, const struct ast_bundle_text *ast)
{
    struct bundle_text t = {.pos = ast->pos, .name = ast->name, .key = ast->key};
    struct format *f;

    if (ast->key && !find_context(b, ast, &t.context))
        return;
    if (!ast->key && !is_around(ast, &t.context))
        return;
    add_values(b, &t);
    f = text_format(b, &t);
    if (ast->key || t.context == BUNDLE_OF_TARGET)
        add_lines(b, &t, f, ast->lines->syntax.data, ast->lines->syntax.len);
    else
        vec_for_each (&ast->lines->syntax, line)
            add_lines(b, &t, f, line, 1);
    vec_push_in(b->a, &b->c->texts, t);
}

/* ---- texts within texts ---------------------------------------------------------------------- */

/* Texts that the texts of a bundle are made of. */
struct within {
    struct bundle_builder *b;
    unsigned *count; /* by the text's number: 0 when it is not known; OPEN while it is counted */
};

static unsigned count_within(struct within *w, unsigned n);

/* Texts that a piece of a line is made of. */
static unsigned count_piece(struct within *w, const struct asm_piece *p)
{
    const struct bundle *c = w->b->c;

    for (unsigned n = 0; p->map && p->map->is_text && n < c->texts.len; n++)
        if (c->texts.data[n].key && !strcmp(c->texts.data[n].name, p->map->name))
            return 1 + count_within(w, n);
    return 0;
}

/*
 * Counts the texts that text number n is made of, each count once: if each text contained the
 * previous one twice, writing all out would take 2^n steps. A text that contains itself is an
 * error.
 */
static unsigned count_within(struct within *w, unsigned n)
{
    const struct bundle_text *t = &w->b->c->texts.data[n];
    unsigned all = 0;

    if (w->count[n] == OPEN)
        diag_error(w->b->d, t->pos, "text \"%s\" would hold itself", t->name);
    if (w->count[n])
        return w->count[n] == OPEN ? 0 : w->count[n] - 1;
    w->count[n] = OPEN;
    vec_for_each (&t->lines, in)
        vec_for_each (&(*in)->syntax, s)
            vec_for_each (&s->pieces, p)
                all += count_piece(w, p);
    if (all > MAX_WITHIN) {
        diag_error(w->b->d, t->pos, "text \"%s\" is made of more than %d others", t->name,
                   MAX_WITHIN);
        all = 0;
    }
    w->count[n] = all + 1;
    return all;
}

void build_texts(struct bundle_builder *b)
{
    struct within w = {.b = b};

    vec_for_each (&b->ast->texts, t)
        build_text(b, t);
    w.count = arena_alloc(b->a, (b->c->texts.len + 1) * sizeof(*w.count));
    for (unsigned n = 0; n < b->c->texts.len; n++)
        count_within(&w, n);
}
