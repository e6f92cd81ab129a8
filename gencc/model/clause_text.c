/*
 * Texts of a clause: asm lines over the fields of its formats and what is known where they stand.
 */
#include "gencc/model/clause_internal.h"

static const struct {
    const char *name;
    const char *values[4];
} contexts[] = {
    [CLAUSE_OF_HEADER] = {"header", {NULL}},
    [CLAUSE_OF_BLOCK] = {"block", {"block", "unit", "first", NULL}},
    [CLAUSE_OF_NEXT] = {"next", {"block", "unit", "last", NULL}},
    [CLAUSE_OF_CONSTANT] = {"constant", {"raw", "modifier", "index", NULL}},
};

const char *const *clause_context_values(enum clause_context context)
{
    return contexts[context].values;
}

static bool find_context(struct clause_builder *b, const struct ast_clause_text *ast,
                         enum clause_context *out)
{
    struct name_guess guess = {.wrong = ast->context};

    for (unsigned i = 0; i < sizeof contexts / sizeof *contexts; i++) {
        name_guess_offer(&guess, contexts[i].name);
        if (strcmp(contexts[i].name, ast->context))
            continue;
        *out = (enum clause_context)i;
        return true;
    }
    report_unknown(b->d, ast->context_pos, "context", &guess);
    return false;
}

/* A text replaces a map of the units, or is for other texts of the clause. */
static bool is_unit_map(const struct clause_builder *b, const char *name)
{
    vec_for_each (&b->c->units, u) {
        const struct isa *isa = model_isa(b->ib->b->m, u->isa);

        vec_for_each (&isa->ast->maps, m)
            if (!strcmp(m->name, name))
                return true;
    }
    return false;
}

static void declare_map(struct clause_builder *b, const struct ast_clause_text *t)
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
    m->index = b->ib->isa->maps.count;
    name_map_put(b->a, &b->ib->isa->map_names, m->name, m);
    vec_push(b->a, &b->ib->isa->maps, m);
}

void declare_texts(struct clause_builder *b)
{
    bool header = false;

    vec_for_each (&b->ast->texts, t) {
        if (!t->key && header)
            diag_error(b->d, t->pos, "the text of the header is given twice");
        header |= !t->key;
        if (!t->key)
            continue;
        declare_map(b, t);
        if (strcmp(t->context, contexts[CLAUSE_OF_CONSTANT].name) && !is_unit_map(b, t->name))
            diag_error(b->d, t->pos, "no unit has a map \"%s\"", t->name);
    }
}

static struct field *value_field(struct clause_builder *b, struct format *f, const char *name,
                                 struct src_pos pos)
{
    struct field *field = arena_new(b->a, struct field);

    if (format_field(f, name))
        diag_error(b->d, pos, "\"%s\" means something else here", name);
    field->pos = pos;
    field->name = name;
    field->type = IR_T_U64;
    field->computed = true;
    field->index = f->fields.count;
    vec_push(b->a, &f->fields, field);
    return field;
}

/* The format that a text is written over: fields of the header or the block, and values. */
static struct format *text_format(struct clause_builder *b, const struct clause_text *t)
{
    const struct format *base = t->context == CLAUSE_OF_HEADER     ? b->c->header
                                : t->context == CLAUSE_OF_CONSTANT ? NULL
                                                                   : b->c->block;
    struct format *f = arena_new(b->a, struct format);

    f->pos = t->pos;
    f->name = t->name;
    if (base) {
        f->width = base->width;
        f->mask = base->mask;
        f->value = base->value;
        vec_for_each (&base->fields, it)
            if (!(*it)->computed)
                vec_push(b->a, &f->fields, *it);
    }
    if (t->key)
        value_field(b, f, t->key, t->pos);
    for (const char *const *v = clause_context_values(t->context); *v; v++)
        value_field(b, f, *v, t->pos);
    return f;
}

/* An instruction that is only the carrier of asm lines. */
static void add_lines(struct clause_builder *b, struct clause_text *t, struct format *f,
                      const struct ast_asm *lines, unsigned count)
{
    struct ast_instr *ast = arena_new(b->a, struct ast_instr);
    struct instr *in = arena_new(b->a, struct instr);

    ast->pos = t->pos;
    ast->name = t->name;
    for (unsigned i = 0; i < count; i++)
        vec_push(b->a, &ast->syntax, lines[i]);
    in->pos = t->pos;
    in->name = arena_printf(b->a, "%s_%u", t->name, t->lines.count);
    in->format = f;
    in->ast = ast;
    build_syntax(b->ib, in);
    vec_push(b->a, &t->lines, in);
}

static void build_text(struct clause_builder *b, const struct ast_clause_text *ast)
{
    struct clause_text t = {.pos = ast->pos, .name = ast->name, .key = ast->key};
    struct format *f;

    if (ast->key && !find_context(b, ast, &t.context))
        return;
    f = text_format(b, &t);
    if (ast->key)
        add_lines(b, &t, f, ast->lines->syntax.at, ast->lines->syntax.count);
    else
        vec_for_each (&ast->lines->syntax, line)
            add_lines(b, &t, f, line, 1);
    vec_push(b->a, &b->c->texts, t);
}

void build_texts(struct clause_builder *b)
{
    vec_for_each (&b->ast->texts, t)
        build_text(b, t);
}
