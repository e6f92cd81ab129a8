/*
 * Builds families, and the forms of instructions: one per row of the family.
 */
#include "gencc/model/internal.h"

#include <string.h>

static bool build_row(struct isa_builder *ib, struct family *f, const struct ast_family_row *ast,
                      struct name_map *seen)
{
    struct family_row row = {.pos = ast->pos};
    const struct ast_family_row *first;
    const char *text = "";

    if (ast->keys.len != f->fields.len || ast->values.len != f->tparams.len) {
        diag_error(ib->b->d, ast->pos,
                   "a row of family \"%s\" has %u key%s and %u value%s, this one %u and %u",
                   f->name, f->fields.len, f->fields.len == 1 ? "" : "s", f->tparams.len,
                   f->tparams.len == 1 ? "" : "s", ast->keys.len, ast->values.len);
        return false;
    }
    vec_for_each (&ast->keys, k) {
        u128 v;

        if (!const_bits(ib->b, ib, *k, 64, "a field", &v))
            return false;
        vec_push_in(ib->b->a, &row.keys, v);
        text = arena_printf(ib->b->a, "%s%s%llu", text, *text ? ", " : "", (unsigned long long)v);
    }
    for (unsigned i = 0; i < ast->values.len; i++) {
        vec_push_in(ib->b->a, &row.values, ast->values.data[i]);
        if (f->tparams.data[i].is_type == (ast->values.data[i].type != NULL))
            continue;
        diag_error(ib->b->d, ast->pos, "\"%s\" of family \"%s\" is a %s", f->tparams.data[i].name,
                   f->name, f->tparams.data[i].is_type ? "type" : "constant");
        return false;
    }
    first = name_map_put(ib->b->a, seen, text, (void *)(uintptr_t)ast);
    if (first) {
        diag_error(ib->b->d, ast->pos, "family \"%s\" has the row %s twice", f->name, text);
        diag_note(ib->b->d, first->pos, "the first is here");
        return false;
    }
    vec_push_in(ib->b->a, &f->rows, row);
    return true;
}

struct family *family_named(struct isa_builder *ib, const struct ast_param *name)
{
    struct name_guess guess = {.wrong = name->name};
    struct family *f = name_map_get(&ib->family_names, name->name);

    if (f) {
        f->used = true;
        return f;
    }
    vec_for_each (&ib->isa->families, it)
        name_guess_offer(&guess, (*it)->name);
    diag_unknown(ib->b->d, name->pos, &guess, "unknown family \"%s\"", guess.wrong);
    return NULL;
}

void build_families(struct isa_builder *ib)
{
    vec_for_each (&ib->ast->families, ast) {
        struct family *f = arena_new(ib->b->a, struct family);
        struct family *old = name_map_put(ib->b->a, &ib->family_names, ast->name, f);
        struct name_map seen = {0};

        f->pos = ast->pos;
        f->name = ast->name;
        vec_for_each (&ast->fields, name)
            vec_push_in(ib->b->a, &f->fields, *name);
        vec_for_each (&ast->tparams, p)
            vec_push_in(ib->b->a, &f->tparams, *p);
        if (old) {
            diag_error(ib->b->d, f->pos, "family \"%s\" is declared twice", f->name);
            diag_note(ib->b->d, old->pos, "the first declaration is here");
        }
        if (!ast->rows.len)
            diag_error(ib->b->d, f->pos, "family \"%s\" has no rows", f->name);
        vec_for_each (&ast->rows, row)
            build_row(ib, f, row, &seen);
        vec_push_in(ib->b->a, &ib->isa->families, f);
    }
    vec_for_each (&ib->ast->with, name)
        family_named(ib, name);
}

/* ---- products -------------------------------------------------------------------------------- */

enum { MAX_ROWS = 4096 }; /* rows of a product of families */

/* Whether the families have no key field and no template parameter in common; reports one. */
static bool are_apart(const struct isa_builder *ib, struct src_pos pos, const struct family *a,
                      const struct family *b)
{
    const char *common = NULL;

    vec_for_each (&a->fields, x)
        vec_for_each (&b->fields, y)
            common = strcmp(*x, *y) ? common : *x;
    vec_for_each (&a->tparams, x)
        vec_for_each (&b->tparams, y)
            common = common || strcmp(x->name, y->name) ? common : x->name;
    if (common)
        diag_error(ib->b->d, pos, "the families \"%s\" and \"%s\" both have \"%s\"", a->name,
                   b->name, common);
    else if (a->rows.len * b->rows.len > MAX_ROWS)
        diag_error(ib->b->d, pos, "the families \"%s\" and \"%s\" have more than %d rows together",
                   a->name, b->name, MAX_ROWS);
    return !common && a->rows.len * b->rows.len <= MAX_ROWS;
}

static void add_product_row(struct isa_builder *ib, struct family *f, const struct family_row *x,
                            const struct family_row *y)
{
    struct family_row row = {.pos = x->pos};

    vec_for_each (&x->keys, k)
        vec_push_in(ib->b->a, &row.keys, *k);
    vec_for_each (&y->keys, k)
        vec_push_in(ib->b->a, &row.keys, *k);
    vec_for_each (&x->values, v)
        vec_push_in(ib->b->a, &row.values, *v);
    vec_for_each (&y->values, v)
        vec_push_in(ib->b->a, &row.values, *v);
    vec_push_in(ib->b->a, &f->rows, row);
}

static void add_factor(struct isa_builder *ib, struct family *f, const struct family *factor)
{
    vec_for_each (&factor->fields, name)
        vec_push_in(ib->b->a, &f->fields, *name);
    vec_for_each (&factor->tparams, t)
        vec_push_in(ib->b->a, &f->tparams, *t);
    if (!factor->factors.len)
        vec_push_in(ib->b->a, &f->factors, factor);
    vec_for_each (&factor->factors, inner)
        vec_push_in(ib->b->a, &f->factors, *inner);
}

struct family *family_product(struct isa_builder *ib, struct src_pos pos, struct family *a,
                              struct family *b)
{
    const char *name = arena_printf(ib->b->a, "%s, %s", a->name, b->name);
    struct family *f = name_map_get(&ib->family_names, name);

    if (f || !are_apart(ib, pos, a, b))
        return f;
    f = arena_new(ib->b->a, struct family);
    f->pos = a->pos;
    f->name = name;
    f->used = true;
    add_factor(ib, f, a);
    add_factor(ib, f, b);
    vec_for_each (&a->rows, x)
        vec_for_each (&b->rows, y)
            add_product_row(ib, f, x, y);
    name_map_put(ib->b->a, &ib->family_names, name, f);
    return f;
}

/* ---- forms ----------------------------------------------------------------------------------- */

static struct form *add_form(struct isa_builder *ib, struct instr *instr, int row, const char *name)
{
    struct form *f = arena_new(ib->b->a, struct form);

    while (name_map_get(&ib->form_names, name))
        name = arena_printf(ib->b->a, "%s_", name);
    name_map_put(ib->b->a, &ib->form_names, name, f);
    f->isa = ib->isa;
    f->instr = instr;
    f->row = row;
    f->name = name;
    f->index = ib->isa->forms.len;
    vec_push_in(ib->b->a, &ib->isa->forms, f);
    vec_push_in(ib->b->a, &instr->forms, f);
    return f;
}

/* Checks that the family's key fields are fields of the instruction's word. */
static bool check_keys(const struct isa_builder *ib, const struct instr *instr)
{
    vec_for_each (&instr->family->fields, name) {
        const struct field *f = format_field(instr->format, *name);

        if (f && !f->computed)
            continue;
        diag_error(ib->b->d, instr->family_pos,
                   "family \"%s\" is keyed by \"%s\", which is no field in the encoding of \"%s\"",
                   instr->family->name, *name, instr->name);
        diag_note(ib->b->d, instr->family->pos, "the family is here");
        return false;
    }
    return true;
}

/* Fixes the keys of a row in the pattern; returns false if the pattern excludes them. */
static bool fix_row(const struct instr *instr, const struct family_row *row, struct pattern *p)
{
    for (unsigned i = 0; i < row->keys.len; i++) {
        const struct field *f = format_field(instr->format, instr->family->fields.data[i]);

        if (!pattern_fix(p, field_mask(f), row->keys.data[i] << f->lsb))
            return false;
    }
    return pattern_simplify(p);
}

static bool row_fits(const struct isa_builder *ib, const struct instr *instr,
                     const struct family_row *row)
{
    for (unsigned i = 0; i < row->keys.len; i++) {
        const struct field *f = format_field(instr->format, instr->family->fields.data[i]);

        if (!(row->keys.data[i] & ~low_bits(f->width)))
            continue;
        diag_error(ib->b->d, row->pos,
                   "key %llu does not fit into field \"%s\" of \"%s\", which "
                   "has %u bit%s",
                   (unsigned long long)row->keys.data[i], f->name, instr->name, f->width,
                   f->width == 1 ? "" : "s");
        diag_note(ib->b->d, instr->family_pos, "the instruction is here");
        return false;
    }
    return true;
}

/* Whether the instruction names its only family itself. Each row then needs an encoding. With a
 * product, or a family that the ISA gives to all instructions, rows without one are left out. */
static bool needs_all_rows(const struct instr *instr)
{
    return instr->ast->families.len == 1 && !instr->family->factors.len;
}

static void build_row_form(struct isa_builder *ib, struct instr *instr, unsigned index)
{
    const struct family_row *row = &instr->family->rows.data[index];
    const char *name = instr->name;
    struct form made = {0}, *form;

    if (!row_fits(ib, instr, row))
        return;
    vec_for_each (&instr->patterns, from) {
        struct pattern p = pattern_copy(ib->b->a, from);

        if (fix_row(instr, row, &p))
            vec_push_in(ib->b->a, &made.patterns, p);
    }
    if (!made.patterns.len && needs_all_rows(instr)) {
        diag_error(ib->b->d, row->pos, "no encoding of \"%s\" has this row of family \"%s\"",
                   instr->name, instr->family->name);
        diag_note(ib->b->d, instr->family_pos, "the instruction is here");
    }
    if (!made.patterns.len)
        return;
    vec_for_each (&row->keys, k)
        name = arena_printf(ib->b->a, "%s_%llu", name, (unsigned long long)*k);
    form = add_form(ib, instr, (int)index, name);
    vec_for_each (&made.patterns, p)
        vec_push_in(ib->b->a, &form->patterns, *p);
}

/* Makes a form per row of the family. */
static void build_row_forms(struct isa_builder *ib, struct instr *instr)
{
    unsigned errors = ib->b->d->errors;

    for (unsigned i = 0; i < instr->family->rows.len; i++)
        build_row_form(ib, instr, i);
    if (!instr->forms.len && instr->family->rows.len && instr->patterns.len &&
        ib->b->d->errors == errors)
        diag_error(ib->b->d, instr->family_pos,
                   "no encoding of \"%s\" has a row of the families \"%s\"", instr->name,
                   instr->family->name);
}

void build_forms(struct isa_builder *ib, struct instr *instr)
{
    struct form *form;

    if (instr->family) {
        if (check_keys(ib, instr))
            build_row_forms(ib, instr);
        return;
    }
    form = add_form(ib, instr, -1, instr->name);
    vec_for_each (&instr->patterns, p)
        vec_push_in(ib->b->a, &form->patterns, pattern_copy(ib->b->a, p));
}
