/*
 * Collects the declarations of a description.
 */
#include "gencc/lsp/symbols.h"

#include "gencc/front/excerpt.h"
#include "gencc/lsp/gpus.h"
#include "gencc/lsp/text.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct collector {
    struct symbols *s;
    const char *isa;
    /* root whose files are collected; NULL: the symbols' own root */
    const struct root *others;
    const struct source_file *asked_file, *found_file; /* file looked up last, and the result */
};

/* ---- places ---------------------------------------------------------------------------------- */

static bool word_is_at(const char *text, size_t at, const char *name)
{
    size_t n = strlen(name);
    char before = at ? text[at - 1] : ' ';

    return !strncmp(text + at, name, n) && !isalnum((unsigned char)text[at + n]) &&
           text[at + n] != '_' && !isalnum((unsigned char)before) && before != '_';
}

static const struct source_file *file_of(struct collector *c, struct src_pos pos)
{
    char real[PATH_MAX];

    if (!pos.file || pos.file == c->asked_file)
        return pos.file ? c->found_file : NULL;
    c->asked_file = pos.file;
    c->found_file =
        realpath(pos.file->path, real) ? root_file(c->others ? c->others : c->s->root, real) : NULL;
    return c->found_file;
}

/* Finds the name that belongs to a position: at it or in the text after it. */
static bool find_name(const struct source_file *f, struct src_pos pos, const char *name, size_t *at)
{
    size_t line = text_line(f->text, pos.line), column = pos.column ? pos.column - 1 : 0;
    size_t end;

    *at = line + column;
    if (*at < f->length && word_is_at(f->text, *at, name))
        return true;
    end = line + 4000 < f->length ? line + 4000 : f->length;
    for (*at = line; *at < end; ++*at)
        if (word_is_at(f->text, *at, name))
            return true;
    return false;
}

/* ---- collecting ------------------------------------------------------------------------------ */

static struct symbol *add_symbol(struct collector *c, enum symbol_kind kind, const char *name,
                                 struct src_pos pos, const struct scope *scope)
{
    const struct source_file *f = name ? file_of(c, pos) : NULL;
    struct symbol *x;
    size_t at;

    if (!f || !find_name(f, pos, name, &at))
        return NULL;
    x = arena_new(c->s->a, struct symbol);
    *x = (struct symbol){kind, name, c->isa, f, at, scope, NULL};
    vec_push_in(c->s->a, &c->s->all, x);
    return x;
}

static struct scope *add_scope(struct collector *c, enum symbol_kind kind, const char *name,
                               struct src_pos pos)
{
    const struct source_file *f = file_of(c, pos);
    struct scope *x;
    size_t n;

    if (!f)
        return NULL;
    x = arena_new(c->s->a, struct scope);
    pos.file = f;
    *x = (struct scope){.file = f, .name = name, .kind = kind};
    x->from = (size_t)(source_definition(pos, &n) - f->text);
    x->to = x->from + n;
    vec_push_in(c->s->a, &c->s->scopes, x);
    return x;
}

static void locals_of_stmt(struct collector *c, const struct ast_stmt *s,
                           const struct scope *scope);

static void locals_of_expr(struct collector *c, const struct ast_expr *e, const struct scope *scope)
{
    if (!e)
        return;
    if (e->kind == AST_DECL)
        add_symbol(c, SYMBOL_LOCAL, e->name, e->pos, scope);
}

static void locals_of_stmt(struct collector *c, const struct ast_stmt *s, const struct scope *scope)
{
    if (!s)
        return;
    locals_of_expr(c, s->expr, scope);
    locals_of_expr(c, s->init, scope);
    locals_of_stmt(c, s->a, scope);
    locals_of_stmt(c, s->b, scope);
    vec_for_each (&s->body, b)
        locals_of_stmt(c, *b, scope);
}

static void add_definition(struct collector *c, const struct ast_def *d)
{
    static const enum symbol_kind kinds[] = {
        [AST_HELPER] = SYMBOL_HELPER,     [AST_EXTERNAL] = SYMBOL_HELPER,
        [AST_EXECUTE] = SYMBOL_BEHAVIOUR, [AST_BEHAVIOUR] = SYMBOL_BEHAVIOUR,
        [AST_DECODE] = SYMBOL_BEHAVIOUR,  [AST_SYSTEM] = SYMBOL_BEHAVIOUR,
        [AST_HOOK] = SYMBOL_BEHAVIOUR,    [AST_CONST] = SYMBOL_CONSTANT,
        [AST_TYPEDEF] = SYMBOL_TYPE,      [AST_SYSREG] = SYMBOL_SYSREG,
    };
    const struct scope *scope;

    if (!add_symbol(c, kinds[d->kind], d->name, d->pos, NULL))
        return;
    scope = add_scope(c, kinds[d->kind], d->name, d->pos);
    vec_for_each (&d->tparams, t)
        add_symbol(c, SYMBOL_LOCAL, t->name, t->pos, scope);
    vec_for_each (&d->params, p)
        add_symbol(c, SYMBOL_LOCAL, p->name, p->pos, scope);
    locals_of_stmt(c, d->body, scope);
    vec_for_each (&d->properties, p)
        locals_of_stmt(c, p->body, scope);
}

static void add_format(struct collector *c, const struct ast_format *f)
{
    struct scope *scope =
        add_scope(c, f->of_block ? SYMBOL_INSTRUCTION : SYMBOL_FORMAT, f->name, f->pos);
    unsigned top = 0;

    if (!f->of_block)
        add_symbol(c, SYMBOL_FORMAT, f->name, f->pos, NULL);
    vec_for_each (&f->bits, b)
        top += b->width;
    vec_for_each (&f->bits, b) {
        struct symbol *x = b->name ? add_symbol(c, SYMBOL_FIELD, b->name, b->pos, scope) : NULL;

        top -= b->width;
        if (x)
            x->detail = b->width > 1 ? arena_printf(c->s->a, "bits %u:%u of %s", top + b->width - 1,
                                                    top, f->name)
                                     : arena_printf(c->s->a, "bit %u of %s", top, f->name);
    }
    vec_for_each (&f->fields, x)
        add_symbol(c, SYMBOL_FIELD, x->name, x->pos, scope);
}

static void add_instruction(struct collector *c, const struct ast_instr *in)
{
    struct scope *scope = NULL;

    add_symbol(c, SYMBOL_INSTRUCTION, in->name, in->pos, NULL);
    if (in->is_block)
        scope = add_scope(c, SYMBOL_INSTRUCTION, in->name, in->pos);
    if (scope)
        scope->format = in->format;
    vec_for_each (&in->fields, f)
        add_symbol(c, SYMBOL_FIELD, f->name, f->pos, scope);
}

static void add_isa(struct collector *c, const struct ast_isa *x)
{
    c->isa = x->name;
    vec_for_each (&x->formats, f)
        add_format(c, f);
    vec_for_each (&x->instrs, in)
        add_instruction(c, *in);
    vec_for_each (&x->maps, m)
        add_symbol(c, SYMBOL_MAP, m->name, m->pos, NULL);
    vec_for_each (&x->families, f) {
        const struct scope *scope = add_scope(c, SYMBOL_FAMILY, f->name, f->pos);

        add_symbol(c, SYMBOL_FAMILY, f->name, f->pos, NULL);
        vec_for_each (&f->tparams, t)
            add_symbol(c, SYMBOL_LOCAL, t->name, t->pos, scope);
    }
    vec_for_each (&x->defs, d)
        add_definition(c, *d);
    c->isa = NULL;
}

static void add_registers(struct collector *c, const struct ast_layouts *l)
{
    vec_for_each (&l->blocks, b)
        vec_for_each (&(*b)->registers, r)
            add_symbol(c, SYMBOL_REGISTER, r->name, r->pos, NULL);
}

/* Collects layouts and their words; words within the braces of a layout or enumeration are in its
 * scope. */
static void add_layouts(struct collector *c, const struct ast_layouts *l)
{
    vec_for_each (&l->consts, k)
        add_symbol(c, SYMBOL_CONSTANT, k->name, k->pos, NULL);
    vec_for_each (&l->enums, e) {
        const struct scope *scope = add_scope(c, SYMBOL_TYPE, (*e)->name, (*e)->pos);

        add_symbol(c, SYMBOL_TYPE, (*e)->name, (*e)->pos, NULL);
        vec_for_each (&(*e)->values, v)
            add_symbol(c, SYMBOL_FIELD, v->name, v->pos, scope);
    }
    vec_for_each (&l->layouts, x) {
        const struct scope *scope = add_scope(c, SYMBOL_FORMAT, (*x)->name, (*x)->pos);

        add_symbol(c, SYMBOL_TYPE, (*x)->name, (*x)->pos, NULL);
        vec_for_each (&(*x)->fields, f)
            add_symbol(c, SYMBOL_FIELD, f->name, f->pos, scope);
    }
    add_registers(c, l);
}

/* Collects what a file of GPUs refers to in other files: registers of layouts, and other GPUs. */
static void add_others(struct collector *c, const struct root *r)
{
    for (const struct root *other = r->project->roots; other; other = other->next) {
        if (other == r || !other->layouts)
            continue;
        c->others = other;
        c->asked_file = c->found_file = NULL;
        vec_for_each (&other->layouts->gpus, g)
            add_symbol(c, SYMBOL_GPU, (*g)->name, (*g)->pos, NULL);
        if (other->layouts->layouts)
            add_registers(c, other->layouts->layouts);
    }
    c->others = NULL;
    c->asked_file = c->found_file = NULL;
}

static void add_gpus(struct collector *c, const struct root *r)
{
    vec_for_each (&r->layouts->gpus, g) {
        add_symbol(c, SYMBOL_GPU, (*g)->name, (*g)->pos, NULL);
        add_scope(c, SYMBOL_GPU, (*g)->name, (*g)->pos);
    }
    add_others(c, r);
}

struct symbols *symbols_of(struct root *r)
{
    struct symbols *s = r->symbols ? r->symbols : arena_new(&r->arena, struct symbols);
    struct collector c = {.s = s};

    if (r->symbols)
        return s;
    if (root_has_gpus(r))
        project_read_all(r->project);
    r->symbols = s;
    s->a = &r->arena;
    s->root = r;
    if (r->layouts && r->layouts->layouts)
        add_layouts(&c, r->layouts->layouts);
    if (r->layouts && r->layouts->gpus.len)
        add_gpus(&c, r);
    if (!r->ast)
        return s;
    vec_for_each (&r->ast->spaces, space)
        vec_for_each (&space->views, v)
            add_symbol(&c, SYMBOL_REGISTER, v->name, v->pos, NULL);
    vec_for_each (&r->ast->mems, m)
        add_symbol(&c, SYMBOL_MEMORY, m->name, m->pos, NULL);
    vec_for_each (&r->ast->features, f)
        add_symbol(&c, SYMBOL_FEATURE, f->name, f->pos, NULL);
    vec_for_each (&r->ast->constants, k)
        add_symbol(&c, SYMBOL_CONSTANT, k->name, k->pos, NULL);
    vec_for_each (&r->ast->isas, i)
        add_isa(&c, *i);
    return s;
}
