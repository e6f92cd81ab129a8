/*
 * Builds layouts: versions, constants, enumerations, then the parts in other files.
 */
#include "gencc/model/layout_internal.h"

#include <string.h>

/* ---- versions -------------------------------------------------------------------------------- */

static void build_versions(struct layouts *l)
{
    if (!l->ast->versions_pos.file)
        diag_error(l->diag, l->ast->pos, "the layouts have no 'ac_versions 1, 2, …;'");
    else
        l->versions = layout_versions(l, &l->ast->versions, ~(version_set)0, "the description");
}

/* ---- constants ------------------------------------------------------------------------------- */

static void build_const(struct layouts *l, const struct ast_lay_const *a)
{
    struct lay_const *c = arena_new(l->arena, struct lay_const);
    bool is_64 = a->type->kind == AST_TYPE_NAMED && strcmp(a->type->name, "uint64") == 0;

    c->pos = a->pos;
    c->name = a->name;
    c->bits = is_64 ? 64 : 32;
    if (!is_64 && (a->type->kind != AST_TYPE_NAMED || strcmp(a->type->name, "uint32") != 0))
        diag_error(l->diag, a->type->pos, "a constant is uint32 or uint64");
    c->value = layout_uint(l, a->value, is_64 ? UINT64_MAX : UINT32_MAX);
    layout_c_name(l, a->pos, a->name);
    name_map_put(l->arena, &l->const_names, a->name, c);
    vec_push_in(l->arena, &l->consts, *c);
}

/* ---- enumerations ---------------------------------------------------------------------------- */

static void build_value(struct layouts *l, struct lay_enum *e, const struct ast_lay_value *a)
{
    struct lay_value v = {.pos = a->pos, .name = a->name};

    v.value = (uint32_t)layout_uint(l, a->value, INT32_MAX);
    v.versions = layout_versions(l, &a->versions, l->versions, "the description");
    vec_for_each (&e->values, old) {
        if (strcmp(old->name, v.name) == 0)
            diag_error(l->diag, v.pos, "enumeration \"%s\" has \"%s\" twice", e->name, v.name);
        else if (old->value == v.value && (old->versions & v.versions))
            diag_error(l->diag, v.pos, "\"%s\" and \"%s\" have the same value, %u", old->name,
                       v.name, v.value);
        else
            continue;
        diag_note(l->diag, old->pos, "the other one is here");
        return;
    }
    vec_push_in(l->arena, &e->values, v);
    layout_c_name(l, a->pos, arena_printf(l->arena, "%s_%s", e->name, a->name));
}

static void build_enum(struct layouts *l, const struct ast_lay_enum *a)
{
    struct lay_enum *e = arena_new(l->arena, struct lay_enum);
    struct lay_enum *old = name_map_put(l->arena, &l->enum_names, a->name, e);

    e->pos = a->pos;
    e->name = a->name;
    if (old) {
        diag_error(l->diag, a->pos, "enumeration \"%s\" is declared twice", a->name);
        diag_note(l->diag, old->pos, "the first declaration is here");
        return;
    }
    if (!a->values.len)
        diag_error(l->diag, a->pos, "enumeration \"%s\" has no values", a->name);
    vec_for_each (&a->values, v)
        build_value(l, e, v);
    vec_push_in(l->arena, &l->enums, e);
}

/* ---- the whole ------------------------------------------------------------------------------- */

struct layouts *layouts_build(struct diag *d, const struct ast_layout_file *file)
{
    static const char *const made[] = {"registers_count", "register_read", "register_write"};
    struct layouts *l = arena_new(d->arena, struct layouts);

    if (!file->layouts) {
        if (!d->errors)
            diag_error(d, (struct src_pos){0}, "the file has no AC_LAYOUTS");
        return NULL;
    }
    l->ast = file->layouts;
    l->arena = d->arena;
    l->diag = d;
    l->name = l->ast->name;
    l->upper = arena_upper(d->arena, l->name);
    build_versions(l);
    for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++)
        layout_c_name(l, l->ast->pos, made[i]);
    vec_for_each (&l->ast->consts, c)
        build_const(l, c);
    vec_for_each (&l->ast->enums, e)
        build_enum(l, *e);
    layouts_resolve(l);
    layouts_registers(l);
    return l;
}
