/*
 * Builds formats: widths, literal bits, raw and computed fields.
 */
#include "gencc/model/internal.h"

#include <string.h>

enum { MAX_WORD_BITS = 128 };

static bool add_field(struct isa_builder *ib, struct format *f, struct field *field)
{
    const struct field *old = format_field(f, field->name);

    if (old) {
        diag_error(ib->b->d, field->pos, "field \"%s\" occurs twice in format \"%s\"", field->name,
                   f->name);
        diag_note(ib->b->d, old->pos, "the first is here");
        return false;
    }
    field->index = f->fields.len;
    vec_push_in(ib->b->a, &f->fields, field);
    return true;
}

static void add_computed(struct isa_builder *ib, struct format *f, const struct ast_field *ast)
{
    struct field *field = arena_new(ib->b->a, struct field);

    field->pos = ast->pos;
    field->name = ast->name;
    field->computed = true;
    field->value = ast->value;
    if (!resolve_type(ib->b, ib, ast->type, &field->type))
        return;
    if (!ir_is_int(field->type) || ir_is_vector(field->type)) {
        diag_error(ib->b->d, ast->pos, "a field is an integer");
        return;
    }
    if (strcmp(field->name, "next_context") == 0 && !ib->isa->context.slot)
        diag_error(ib->b->d, ast->pos, "ISA \"%s\" has no ac_context", ib->isa->name);
    add_field(ib, f, field);
}

static void add_bits(struct isa_builder *ib, struct format *f, const struct ast_bits *bits,
                     unsigned lsb)
{
    struct field *field;

    if (!bits->name) {
        if (bits->dont_care)
            return;
        f->mask |= low_bits(bits->width) << lsb;
        f->value |= bits->value << lsb;
        return;
    }
    field = arena_new(ib->b->a, struct field);
    field->pos = bits->pos;
    field->name = bits->name;
    field->width = bits->width;
    field->lsb = lsb;
    field->type = type_of_width(bits->width);
    add_field(ib, f, field);
}

/* Checks that the word is a whole number of fetches; the message names the sum and the nearest
 * valid width. */
static void check_width(const struct isa_builder *ib, struct format *f)
{
    unsigned fetch = ib->isa->fetch_bits;
    unsigned below = fetch ? f->width / fetch * fetch : 0;

    if (f->width > MAX_WORD_BITS) {
        diag_error(ib->b->d, f->pos, "format \"%s\" has %u bits; at most %d are allowed", f->name,
                   f->width, MAX_WORD_BITS);
        f->width = 0;
    } else if ((fetch && f->width == below) || ib->b->incomplete) {
        return;
    } else if (fetch && below && f->width - below <= below + fetch - f->width) {
        diag_error(ib->b->d, f->pos, "format \"%s\" has %u bits, %u too many for %u", f->name,
                   f->width, f->width - below, below);
    } else if (fetch) {
        diag_error(ib->b->d, f->pos, "format \"%s\" has %u bits, %u missing from %u", f->name,
                   f->width, below + fetch - f->width, below + fetch);
    }
}

/* Adds the decode context as a field of bits above the word. */
static void add_context(struct isa_builder *ib, struct format *f)
{
    struct field *field;

    if (!ib->isa->context.slot)
        return;
    field = arena_new(ib->b->a, struct field);
    field->pos = ib->isa->context.pos;
    field->name = "context";
    field->width = CONTEXT_BITS;
    field->lsb = CONTEXT_LSB;
    field->type = type_of_width(CONTEXT_BITS);
    add_field(ib, f, field);
}

/* Adds the field `part`, the number of the operation for which a word of lanes is decoded, as bits
 * above the word. Only formats that will have a computed field `parts` get it. */
static void add_part(struct isa_builder *ib, struct format *f, const struct ast_field *computed,
                     unsigned count)
{
    struct field *field;

    while (count && strcmp(computed[count - 1].name, "parts"))
        count--;
    if (!ib->b->m->is_lane || !count)
        return;
    field = arena_new(ib->b->a, struct field);
    field->pos = computed[count - 1].pos;
    field->name = "part";
    field->width = PART_BITS;
    field->lsb = PART_LSB;
    field->type = type_of_width(PART_BITS);
    add_field(ib, f, field);
    ib->isa->has_parts = true;
}

static struct format *build_format(struct isa_builder *ib, const struct ast_format *ast)
{
    struct format *f = arena_new(ib->b->a, struct format);
    unsigned lsb;

    f->pos = ast->pos;
    f->name = ast->name;
    f->ast = ast;
    f->decode = name_map_get(&ib->decodes, ast->name);
    vec_for_each (&ast->bits, b)
        f->width += f->width > MAX_WORD_BITS ? 0 : b->width;
    check_width(ib, f);
    lsb = f->width;
    vec_for_each (&ast->bits, b) {
        if (b->width > lsb)
            break;
        lsb -= b->width;
        add_bits(ib, f, b, lsb);
    }
    add_context(ib, f);
    add_part(ib, f, ast->fields.data, ast->fields.len);
    vec_for_each (&ast->fields, field)
        add_computed(ib, f, field);
    return f;
}

/* In the published form all formats share their fields, so a field has the widest of its types in
 * all of them. */
static void share_types(const struct isa_builder *ib)
{
    struct name_map widest = {0};

    vec_for_each (&ib->isa->formats, f)
        vec_for_each (&(*f)->fields, it) {
            struct field *old = name_map_get(&widest, (*it)->name);

            if (!old || old->width < (*it)->width)
                name_map_put(ib->b->a, &widest, (*it)->name, *it);
        }
    vec_for_each (&ib->isa->formats, f)
        vec_for_each (&(*f)->fields, it)
            (*it)->type = ((struct field *)name_map_get(&widest, (*it)->name))->type;
}

void build_formats(struct isa_builder *ib)
{
    vec_for_each (&ib->ast->formats, ast) {
        struct format *f = build_format(ib, ast);
        struct format *old = name_map_put(ib->b->a, &ib->isa->format_names, f->name, f);

        /* An instruction with a picture that is declared twice was reported already. */
        if (old && !(ast->of_block && old->ast->of_block)) {
            diag_error(ib->b->d, f->pos, "format \"%s\" is declared twice", f->name);
            diag_note(ib->b->d, old->pos, "the first declaration is here");
        }
        vec_push_in(ib->b->a, &ib->isa->formats, f);
    }
    if (ib->isa->published)
        share_types(ib);
}

struct format *format_of(struct isa_builder *ib, const struct ast_instr *instr)
{
    struct format *f = name_map_get(&ib->isa->format_names, instr->format);
    struct name_guess guess = {.wrong = instr->format};
    struct format *own;

    if (!f && ib->b->incomplete)
        return NULL;
    if (!f) {
        vec_for_each (&ib->isa->formats, it)
            name_guess_offer(&guess, (*it)->name);
        diag_unknown(ib->b->d, instr->format_pos, &guess, "unknown format \"%s\"", guess.wrong);
        return NULL;
    }
    f->used = true;
    if (!instr->fields.len)
        return f;
    own = build_format(ib, f->ast);
    own->decode = f->decode;
    own->used = true;
    own->name = instr->name;
    own->pos = instr->pos;
    add_part(ib, own, instr->fields.data, instr->fields.len);
    vec_for_each (&instr->fields, field)
        add_computed(ib, own, field);
    vec_push_in(ib->b->a, &ib->isa->formats, own);
    return own;
}

/* ---- ac_field -------------------------------------------------------------------------------- */

/* Collects the names in an expression: all, or the members of `inst` only. */
static void names_of_expr(struct arena *a, const struct ast_expr *e, bool members,
                          struct name_map *names)
{
    bool member;

    if (!e)
        return;
    member =
        e->kind == AST_MEMBER && e->a && e->a->kind == AST_NAME && strcmp(e->a->name, "inst") == 0;
    if (members ? member : e->kind == AST_NAME)
        name_map_put(a, names, e->name, (void *)(uintptr_t)e);
    names_of_expr(a, e->a, members, names);
    names_of_expr(a, e->b, members, names);
    names_of_expr(a, e->c, members, names);
    vec_for_each (&e->args, arg)
        names_of_expr(a, *arg, members, names);
}

static void names_of_stmt(struct arena *a, const struct ast_stmt *s, bool members,
                          struct name_map *names)
{
    if (!s)
        return;
    names_of_expr(a, s->expr, members, names);
    names_of_expr(a, s->init, members, names);
    names_of_expr(a, s->step, members, names);
    names_of_stmt(a, s->a, members, names);
    names_of_stmt(a, s->b, members, names);
    vec_for_each (&s->body, b)
        names_of_stmt(a, *b, members, names);
}

static void names_of_instr(struct arena *a, const struct instr *instr, struct name_map *names)
{
    if (instr->execute)
        names_of_stmt(a, instr->execute->body, true, names);
    vec_for_each (&instr->ast->syntax, s) {
        vec_for_each (&s->args, e)
            names_of_expr(a, *e, false, names);
        vec_for_each (&s->constraints, c)
            name_map_put(a, names, c->field, (void *)(uintptr_t)c);
    }
}

/* Adds an ac_field to a format that uses it. If the format has raw bits of that name, they get its
 * type. */
static void add_isa_field(struct isa_builder *ib, struct format *f, const struct ast_field *ast,
                          const struct name_map *used)
{
    struct field *raw = format_field(f, ast->name);
    struct ir_type t;

    if (raw && !raw->computed && resolve_type(ib->b, ib, ast->type, &t) && t.bits >= raw->width)
        raw->type = t;
    else if (!raw && name_map_get(used, ast->name))
        add_computed(ib, f, ast);
}

/* ---- what decode() sets ---------------------------------------------------------------------- */

static void check_rows(const struct isa_builder *ib, const struct format *f, const char *name)
{
    vec_for_each (&ib->isa->instrs, i) {
        if ((*i)->format != f || !(*i)->family)
            continue;
        vec_for_each (&(*i)->family->fields, key)
            if (strcmp(*key, name) == 0)
                diag_error(ib->b->d, f->decode->pos,
                           "decode() changes field \"%s\", which chooses the row of \"%s\"", name,
                           (*i)->name);
    }
}

/* Splits a field of the word that decode() assigns. The raw bits still select the instruction,
 * under another name. All other uses see a computed field, which starts with the value of the
 * bits. */
static void split_field(struct isa_builder *ib, struct format *f, struct field *raw)
{
    struct field *set = arena_new(ib->b->a, struct field);

    check_rows(ib, f, raw->name);
    *set = *raw;
    set->computed = true;
    set->width = set->lsb = 0;
    set->bits = raw;
    do
        raw->name = arena_printf(ib->b->a, "%s_bits", raw->name);
    while (format_field(f, raw->name) != raw);
    add_field(ib, f, set);
}

/* Adds a field of other formats that decode() sets: GenSim stores the fields of all formats in one
 * structure. */
static void borrow_field(struct isa_builder *ib, struct format *f, const char *name)
{
    vec_for_each (&ib->isa->formats, other) {
        struct field *from = *other == f ? NULL : format_field(*other, name), *mine;

        if (!from)
            continue;
        mine = arena_new(ib->b->a, struct field);
        *mine = *from;
        mine->computed = true;
        mine->width = mine->lsb = 0;
        mine->value = NULL;
        mine->bits = NULL;
        add_field(ib, f, mine);
        return;
    }
}

void borrow_for_text(struct isa_builder *ib, struct format *f, const struct ast_expr *e)
{
    if (!ib->isa->published || e->kind != AST_NAME || format_field(f, e->name))
        return;
    borrow_field(ib, f, e->name);
    if (format_field(f, e->name))
        diag_warning(ib->b->d, WARN_PUBLISHED, e->pos,
                     "format \"%s\" has no field \"%s\", which is 0 there", f->name, e->name);
}

static void mark_as_set(struct isa_builder *ib, struct format *f, const char *name)
{
    struct field *field = format_field(f, name);

    if (field && !field->computed)
        split_field(ib, f, field);
    else if (!field)
        borrow_field(ib, f, name);
}

enum set_what { DECLARED, ASSIGNED };

/* Finds the names that decode() declares, or those that it assigns, wholly or in part. */
static void set_by_expr(struct isa_builder *ib, struct format *f, const struct ast_expr *e,
                        enum set_what what, struct name_map *locals)
{
    const struct ast_expr *place = e;

    if (!e)
        return;
    if (e->kind == AST_DECL && what == DECLARED)
        name_map_put(ib->b->a, locals, e->name, (void *)(uintptr_t)e);
    if (e->kind == AST_ASSIGN || e->kind == AST_PREFIX || e->kind == AST_POSTFIX) {
        do
            place = place->a;
        while (place->kind == AST_INDEX || place->kind == AST_SLICE);
        if (what == ASSIGNED && place->kind == AST_NAME && !name_map_get(locals, place->name))
            mark_as_set(ib, f, place->name);
    }
    set_by_expr(ib, f, e->a, what, locals);
    set_by_expr(ib, f, e->b, what, locals);
    set_by_expr(ib, f, e->c, what, locals);
    vec_for_each (&e->args, arg)
        set_by_expr(ib, f, *arg, what, locals);
}

static void set_by_stmt(struct isa_builder *ib, struct format *f, const struct ast_stmt *s,
                        enum set_what what, struct name_map *locals)
{
    if (!s)
        return;
    set_by_expr(ib, f, s->expr, what, locals);
    set_by_expr(ib, f, s->init, what, locals);
    set_by_expr(ib, f, s->step, what, locals);
    set_by_stmt(ib, f, s->a, what, locals);
    set_by_stmt(ib, f, s->b, what, locals);
    vec_for_each (&s->body, b)
        set_by_stmt(ib, f, *b, what, locals);
}

static void add_set_fields(struct isa_builder *ib, struct format *f)
{
    struct name_map locals = {0};

    if (!f->decode)
        return;
    set_by_stmt(ib, f, f->decode->body, DECLARED, &locals);
    set_by_stmt(ib, f, f->decode->body, ASSIGNED, &locals);
}

void add_isa_fields(struct isa_builder *ib)
{
    vec_for_each (&ib->isa->formats, f) {
        struct name_map used = {0};

        names_of_expr(ib->b->a, ib->ast->predicate, false, &used);
        if ((*f)->decode)
            names_of_stmt(ib->b->a, (*f)->decode->body, false, &used);
        vec_for_each (&ib->isa->instrs, i)
            if ((*i)->format == *f)
                names_of_instr(ib->b->a, *i, &used);
        vec_for_each (&ib->ast->fields, field)
            add_isa_field(ib, *f, field, &used);
        add_set_fields(ib, *f);
    }
}
