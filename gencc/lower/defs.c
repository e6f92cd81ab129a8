/*
 * Names of behaviour files, and callees of intrinsics and external functions.
 */
#include "gencc/lower/internal.h"
#include "common/hash.h"

#include <string.h>

/* Calls of helpers and externals look the same, so both share a name space. Every other kind of
 * definition has its own. */
static unsigned name_space(enum ast_def_kind kind)
{
    return kind == AST_EXTERNAL ? AST_HELPER : kind;
}

static struct symbol *symbol_slot(struct lower *lo, enum ast_def_kind kind, const char *name)
{
    uint64_t h = hash_text(name) + name_space(kind) * 0x9e3779b9u;

    for (;; h++) {
        struct symbol *s = &lo->table[h & (lo->table_size - 1)];

        if (!s->entry ||
            (name_space(s->entry->def->kind) == name_space(kind) && !strcmp(s->name, name)))
            return s;
    }
}

void lower_collect(struct lower *lo)
{
    unsigned size = 64;

    while (size < lo->isa->defs.len * 2)
        size *= 2;
    lo->table_size = size;
    lo->table = arena_alloc(lo->arena, size * sizeof(*lo->table));
    vec_for_each (&lo->isa->defs, d) {
        const struct ast_def *def = *d;
        struct symbol *s = symbol_slot(lo, def->kind, def->name);
        struct def_entry *e;

        if (s->entry && def->kind == AST_BEHAVIOUR) {
            diag_warning(lo->diag, WARN_PUBLISHED, def->pos,
                         "behaviour '%s' is defined twice; the first is taken", def->name);
            continue;
        }
        if (s->entry) {
            diag_error(lo->diag, def->pos, "'%s' is defined twice", def->name);
            diag_note(lo->diag, s->entry->def->pos, "the first definition is here");
            continue;
        }
        e = arena_new(lo->arena, struct def_entry);
        e->def = def;
        s->name = def->name;
        s->entry = e;
        vec_push_in(lo->arena, &lo->entries, e);
    }
}

struct def_entry *lower_find(struct lower *lo, enum ast_def_kind kind, const char *name)
{
    struct def_entry *e = symbol_slot(lo, kind, name)->entry;

    if (e)
        e->used = true;
    return e;
}

bool lower_has(struct lower *lo, enum ast_def_kind kind, const char *name)
{
    return symbol_slot(lo, kind, name)->entry;
}

/* Whether a value of the type can be passed to C and back; reports if it cannot. */
static bool can_cross(struct fn *fn, struct ir_type t, struct src_pos pos)
{
    if (!ir_is_vector(t) && t.bits <= 64)
        return true;
    diag_error(fn->lo->diag, pos,
               "an external function takes and returns integers up to 64 bits and floats, not %s",
               type_text(fn, t));
    return false;
}

struct ir_callee *lower_external(struct fn *fn, struct def_entry *e)
{
    struct lower *lo = fn->lo;
    struct ir_callee *c;

    if (e->callee || e->refused)
        return e->callee;
    e->refused = true;
    c = arena_new(lo->arena, struct ir_callee);
    c->name = name_in_c(lo->arena, e->def->name);
    c->pos = e->def->pos;
    c->flags = (e->def->attrs & AST_ATTR_PURE ? IR_FN_PURE : 0) |
               (e->def->attrs & AST_ATTR_NORETURN ? IR_FN_NORETURN : 0);
    if (!lower_type(fn, e->def->type, &c->result) || !can_cross(fn, c->result, e->def->pos))
        return NULL;
    vec_for_each (&e->def->params, p) {
        struct ir_type t;

        if (!lower_type(fn, p->type, &t))
            return NULL;
        if (ir_is_void(t))
            diag_error(lo->diag, p->pos, "a parameter cannot be void");
        if (ir_is_void(t) || !can_cross(fn, t, p->pos))
            return NULL;
        vec_push_in(lo->arena, &c->params, t);
        vec_push_in(lo->arena, &c->by_ref, p->type->is_ref);
    }
    e->callee = c;
    e->refused = false;
    return c;
}

bool lower_has_another(struct lower *lo, const struct ast_def *def, const char *name)
{
    const struct def_entry *e = symbol_slot(lo, AST_HELPER, name)->entry;

    return e && e->def != def && e->def->kind == AST_HELPER;
}
