/*
 * Builds instructions: formats, patterns, behaviours, features.
 */
#include "gencc/model/internal.h"

#include <string.h>

/* ---- patterns -------------------------------------------------------------------------------- */

static bool report_contradiction(const struct isa_builder *ib, const struct ast_constraint *c)
{
    diag_error(ib->b->d, c->pos, "no word can match: field \"%s\" already has another value",
               c->field);
    return false;
}

static struct field *constrained_field(const struct isa_builder *ib, const struct format *format,
                                       const struct ast_constraint *c)
{
    struct field *f = format_field(format, c->field);
    struct name_guess guess = {.wrong = c->field};

    if (!f && ib->isa->published) {
        diag_warning(ib->b->d, WARN_PUBLISHED, c->pos,
                     "format \"%s\" has no field \"%s\"; this is ignored", format->name, c->field);
        return NULL;
    }
    if (!f) {
        vec_for_each (&format->fields, it)
            name_guess_offer(&guess, (*it)->name);
        diag_unknown(ib->b->d, c->pos, &guess, "unknown field \"%s\"", guess.wrong);
        diag_note(ib->b->d, format->pos, "the format is here");
        return NULL;
    }
    if (f->lsb >= CONTEXT_LSB && ib->isa->context.slot) {
        diag_error(
            ib->b->d, c->pos,
            "bits are those of the word; use `where`, or a family by context, for what depends on "
            "the context");
        return NULL;
    }
    if (f->lsb >= PART_LSB && ib->b->m->is_lane) {
        diag_error(ib->b->d, c->pos, "an instruction is the same in all of its parts");
        return NULL;
    }
    if (f->computed) {
        diag_error(ib->b->d, c->pos,
                   "field \"%s\" is computed; only bits of the word can choose "
                   "the instruction",
                   c->field);
        return NULL;
    }
    return f;
}

static bool add_constraint(struct isa_builder *ib, const struct format *format, struct pattern *p,
                           const struct ast_constraint *c)
{
    const struct field *f = constrained_field(ib, format, c);
    u128 v, mask;

    if (!f)
        return ib->isa->published;
    if (!const_bits(ib->b, ib, c->value, f->width, arena_printf(ib->b->a, "field \"%s\"", f->name),
                    &v))
        return false;
    mask = field_mask(f);
    v <<= f->lsb;
    switch (c->cmp) {
    case AST_CMP_EQ:
        return pattern_fix(p, mask, v) || report_contradiction(ib, c);
    case AST_CMP_AND: /* the field has all bits of the constant set */
        return pattern_fix(p, v, v) || report_contradiction(ib, c);
    default: /* != and ^: the field differs from the constant */
        pattern_exclude(ib->b->a, p, mask, v);
        return true;
    }
}

static bool is_raw_field(const struct format *format, const char *name)
{
    const struct field *f = format_field(format, name);

    return f && !f->computed;
}

static void add_pattern(struct isa_builder *ib, struct instr *instr, const struct ast_decoder *d)
{
    struct pattern p = {instr->pos, instr->format->mask, instr->format->value, {0}};
    u128 word;

    if (d) {
        p.pos = d->pos;
        vec_for_each (&d->all, c)
            if (!add_constraint(ib, instr->format, &p, c))
                return;
    }
    if (ib->ast->predicate_bits) {
        vec_for_each (&ib->ast->predicate_bits->all, c)
            if (is_raw_field(instr->format, c->field) && !add_constraint(ib, instr->format, &p, c))
                return;
    }
    if (!pattern_simplify(&p) || !pattern_example(ib->b->a, &p, &word))
        diag_error(ib->b->d, p.pos, "no word can match these constraints of \"%s\"", instr->name);
    else
        vec_push_in(ib->b->a, &instr->patterns, p);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Adds a family to those of the instruction: the rows of their product are its forms. */
static void add_family(struct isa_builder *ib, struct instr *instr, const struct ast_param *name)
{
    struct family *f = family_named(ib, name);

    if (!f)
        return;
    if (instr->family)
        f = family_product(ib, name->pos, instr->family, f);
    else
        instr->family_pos = name->pos;
    if (f)
        instr->family = f;
}

static bool names_family(const struct ast_instr *ast, const char *name)
{
    vec_for_each (&ast->families, f)
        if (!strcmp(f->name, name))
            return true;
    return false;
}

/* Whether the family is declared and all its keys are fields of the format's words. */
static bool has_keys(const struct isa_builder *ib, const struct format *format, const char *name)
{
    const struct family *f = name_map_get(&ib->family_names, name);

    if (!f)
        return false;
    vec_for_each (&f->fields, key) {
        const struct field *field = format_field(format, *key);

        if (!field || field->computed)
            return false;
    }
    return true;
}

static void find_families(struct isa_builder *ib, struct instr *instr)
{
    vec_for_each (&instr->ast->families, name)
        add_family(ib, instr, name);
    vec_for_each (&ib->ast->with, name)
        if (!names_family(instr->ast, name->name) && has_keys(ib, instr->format, name->name))
            add_family(ib, instr, name);
}

static void find_features(struct isa_builder *ib, struct instr *instr)
{
    vec_for_each (&instr->ast->features, name) {
        struct feature *f = model_feature(ib->b->m, name->name);
        struct name_guess guess = {.wrong = name->name};

        if (f) {
            vec_push_in(ib->b->a, &instr->features, f);
            continue;
        }
        vec_for_each (&ib->b->m->features, it)
            name_guess_offer(&guess, (*it)->name);
        diag_unknown(ib->b->d, name->pos, &guess, "unknown feature \"%s\"", guess.wrong);
    }
}

/* A file that defines the behaviour and is in the instruction's folder, but that no ac_execute
 * names; NULL if there is none. */
static const char *unread_file(const struct builder *b, const char *beside, const char *behaviour)
{
    const char *slash = strrchr(beside, '/'), *found;
    const char *folder = slash ? arena_strndup(b->a, beside, (size_t)(slash - beside)) : ".";

    found = source_unread(b->d, folder, ".genc", arena_printf(b->a, "execute(%s)", behaviour));
    return found ? arena_printf(b->a, "; %s has it: ac_execute(\"%s\") reads that", found, found)
                 : "";
}

static void find_execute(struct isa_builder *ib, struct instr *instr)
{
    const char *name = instr->behaviour;
    struct name_guess guess = {.wrong = name};
    struct src_pos pos = instr->ast->behaviour ? instr->ast->behaviour_pos : instr->pos;

    instr->execute = name_map_get(&ib->executes, name);
    if (instr->execute || ib->b->incomplete || name_map_put(ib->b->a, &ib->behaviours, name, instr))
        return;
    vec_for_each (&ib->ast->defs, d)
        if ((*d)->kind == AST_EXECUTE)
            name_guess_offer(&guess, (*d)->name);
    if (ib->isa->published)
        diag_warning(ib->b->d, WARN_PUBLISHED, pos,
                     "instruction \"%s\" has no behaviour: there is no execute(%s)", instr->name,
                     name);
    else if (guess.best)
        diag_error(ib->b->d, pos,
                   "instruction \"%s\" has no behaviour: there is no execute(%s); did you mean "
                   "\"%s\"?",
                   instr->name, name, guess.best);
    else
        diag_error(ib->b->d, pos, "instruction \"%s\" has no behaviour: there is no execute(%s)%s",
                   instr->name, name, unread_file(ib->b, instr->pos.file->path, name));
}

/* Whether the instruction can be decoded: in published models, only if the ISA_CTOR gives it an
 * encoding. */
static bool has_encoding(const struct isa_builder *ib, const struct ast_instr *ast)
{
    return !ib->isa->published || ast->decoders.len;
}

/* Checks the field that a hint on the end of the block names: of the word, or an ac_field. */
static void check_hint_field(const struct isa_builder *ib, const struct instr *instr,
                             const char *name, struct src_pos pos)
{
    struct name_guess guess = {.wrong = name};

    if (format_field(instr->format, name))
        return;
    vec_for_each (&ib->ast->fields, f) {
        if (strcmp(f->name, name) == 0)
            return;
        name_guess_offer(&guess, f->name);
    }
    vec_for_each (&instr->format->fields, f)
        name_guess_offer(&guess, (*f)->name);
    diag_unknown(ib->b->d, pos, &guess, "unknown field \"%s\"", guess.wrong);
}

/* Reports a condition that never holds. The published Thumb model has one, on bits that its field
 * lacks. */
static void report_never_holds(const struct isa_builder *ib, const struct ast_constraint *c,
                               const struct field *f)
{
    if (ib->isa->published)
        diag_warning(ib->b->d, WARN_PUBLISHED, c->pos,
                     "this never holds: the width of field \"%s\" is %u", f->name, f->width);
    else
        diag_error(ib->b->d, c->pos, "this never holds: the width of field \"%s\" is %u", f->name,
                   f->width);
}

static void check_conditions(const struct isa_builder *ib, const struct instr *instr,
                             const struct ast_decoder *when)
{
    vec_for_each (&when->all, c) {
        const struct field *f = format_field(instr->format, c->field);
        s128 value;

        check_hint_field(ib, instr, c->field, c->pos);
        if (const_eval(ib->b, ib, c->value, &value) && f && !f->computed &&
            (u128)value & ~low_bits(f->width))
            report_never_holds(ib, c, f);
    }
}

/* Checks the hints on the end of the block. A block ends after the instruction whatever they say,
 * so a mistake affects speed only. */
static void check_hints(const struct isa_builder *ib, const struct instr *instr)
{
    if (instr->ast->jump_field)
        check_hint_field(ib, instr, instr->ast->jump_field, instr->ast->jump_pos);
    check_conditions(ib, instr, &instr->ast->eob);
    check_conditions(ib, instr, &instr->ast->reads_pc);
}

/* ---- ticks ----------------------------------------------------------------------------------- */

static unsigned checked_ticks(struct isa_builder *ib, const struct ast_ticks *t)
{
    if (ib->b->m->is_lane) {
        diag_error(ib->b->d, t->pos, "only instructions of CPUs take ticks, not those of lanes");
        return 1;
    }
    if (t->value >= 1 && t->value <= MAX_TICKS)
        return t->value;
    diag_error(ib->b->d, t->pos, "an instruction takes 1 to %u ticks, not %u", MAX_TICKS, t->value);
    return 1;
}

/* Ticks of the instruction if given, else of its class, else 1. */
static unsigned ticks_of(struct isa_builder *ib, const struct ast_instr *ast, const char *klass)
{
    if (ast->ticks.pos.file)
        return checked_ticks(ib, &ast->ticks);
    vec_for_each (&ib->ast->ticks, t)
        if (strcmp(t->name, klass) == 0)
            return t->value;
    return 1;
}

static bool has_class(const struct isa_builder *ib, const char *name)
{
    vec_for_each (&ib->isa->instrs, i)
        if (strcmp((*i)->klass, name) == 0)
            return true;
    return false;
}

static void check_ticks(struct isa_builder *ib)
{
    for (unsigned n = 0; n < ib->ast->ticks.len; n++) {
        const struct ast_ticks *t = &ib->ast->ticks.data[n];
        struct name_guess guess = {.wrong = t->name};

        checked_ticks(ib, t);
        for (unsigned k = 0; k < n; k++)
            if (strcmp(ib->ast->ticks.data[k].name, t->name) == 0)
                diag_error(ib->b->d, t->pos, "class \"%s\" has its ticks already", t->name);
        vec_for_each (&ib->isa->instrs, i)
            name_guess_offer(&guess, (*i)->klass);
        if (!has_class(ib, t->name) && !ib->b->incomplete)
            diag_unknown(ib->b->d, t->pos, &guess, "unknown class \"%s\"", guess.wrong);
    }
}

/* ---- instructions ---------------------------------------------------------------------------- */

static void build_instr(struct isa_builder *ib, const struct ast_instr *ast)
{
    struct format *format = format_of(ib, ast);
    struct instr *instr;

    if (!format)
        return;
    instr = arena_new(ib->b->a, struct instr);
    instr->pos = ast->pos;
    instr->name = ast->name;
    instr->index = ib->isa->instrs.len;
    instr->format = format;
    instr->behaviour = ast->behaviour ? ast->behaviour : ast->name;
    instr->klass = ast->klass ? ast->klass : "other";
    instr->ticks = ticks_of(ib, ast, instr->klass);
    instr->ast = ast;
    instr->end_of_block = ast->end_of_block || ast->jump != AST_JUMP_NONE;
    instr->reads_pc = ast->has_reads_pc;
    instr->block_cond = ast->block_cond;
    name_map_put(ib->b->a, &ib->isa->instr_names, instr->name, instr);
    vec_push_in(ib->b->a, &ib->isa->instrs, instr);
    vec_for_each (&format->ast->where, w)
        vec_push_in(ib->b->a, &instr->where, *w);
    vec_for_each (&ast->where, w)
        vec_push_in(ib->b->a, &instr->where, *w);
    find_features(ib, instr);
    find_families(ib, instr);
    find_execute(ib, instr);
    check_hints(ib, instr);
    vec_for_each (&ast->decoders, d)
        add_pattern(ib, instr, d);
    if (!ast->decoders.len && has_encoding(ib, ast))
        add_pattern(ib, instr, NULL);
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* An execute() that no instruction uses is probably misspelt. */
static void check_unused(struct isa_builder *ib)
{
    struct name_map used = {0};

    vec_for_each (&ib->ast->instrs, i)
        name_map_put(ib->b->a, &used, (*i)->behaviour ? (*i)->behaviour : (*i)->name, *i);
    vec_for_each (&ib->ast->defs, d) {
        struct name_guess guess = {.wrong = (*d)->name};

        if ((*d)->kind != AST_EXECUTE || name_map_get(&used, (*d)->name))
            continue;
        vec_for_each (&ib->isa->instrs, i)
            if (!(*i)->execute)
                name_guess_offer(&guess, (*i)->behaviour);
        if (ib->isa->published)
            diag_warning(ib->b->d, WARN_PUBLISHED, (*d)->pos,
                         "no instruction has the behaviour execute(%s)", (*d)->name);
        else
            diag_unknown(ib->b->d, (*d)->pos, &guess,
                         "no instruction has the behaviour execute(%s)", (*d)->name);
    }
}

static void check_decodes(const struct isa_builder *ib)
{
    vec_for_each (&ib->ast->defs, d) {
        struct name_guess guess = {.wrong = (*d)->name};

        if ((*d)->kind != AST_DECODE || name_map_get(&ib->isa->format_names, (*d)->name))
            continue;
        vec_for_each (&ib->isa->formats, f)
            name_guess_offer(&guess, (*f)->name);
        diag_unknown(ib->b->d, (*d)->pos, &guess, "unknown format \"%s\"", guess.wrong);
    }
}

/* Sets the predicate of instructions that have the field named by its first argument. */
static void find_predicate(const struct isa_builder *ib, struct instr *instr)
{
    const struct ast_expr *predicate = ib->ast->predicate;

    if (predicate && format_field(instr->format, predicate->args.data[0]->name))
        instr->predicate = predicate;
}

void build_instrs(struct isa_builder *ib)
{
    vec_for_each (&ib->ast->instrs, ast)
        build_instr(ib, *ast);
    check_ticks(ib);
    if (!ib->b->incomplete) {
        check_unused(ib);
        check_decodes(ib);
    }
    add_isa_fields(ib);
    vec_for_each (&ib->isa->instrs, i) {
        find_predicate(ib, *i);
        build_syntax(ib, *i);
        build_forms(ib, *i);
    }
}
