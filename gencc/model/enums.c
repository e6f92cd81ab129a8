/*
 * Builds the enumerations of a file of constants; see enums.h.
 */
#include "gencc/model/enums.h"
#include "gencc/model/internal.h"

#include <string.h>

enum { ENUM_BITS = 31 };

struct enums_builder {
    struct enums *out;
    struct builder b;
    struct isa_builder ib;
    struct name_map names;        /* struct ast_def of every name that C will have */
    struct name_map enumerations; /* struct enumeration */
};

/* Reports names that are defined twice. */
static void declare_name(struct enums_builder *eb, struct ast_def *def)
{
    struct ast_def *old = name_map_put(eb->b.a, &eb->names, def->name, def);

    if (old) {
        diag_error(eb->b.d, def->pos, "\"%s\" is defined twice", def->name);
        diag_note(eb->b.d, old->pos, "the first definition is here");
    }
}

static bool is_named(const struct ast_type *t)
{
    return t->kind == AST_TYPE_NAMED && !t->is_struct;
}

static void add_enumeration(struct enums_builder *eb, struct ast_def *def)
{
    struct enumeration *e = arena_new(eb->b.a, struct enumeration);

    if (!is_named(def->type) || strcmp(def->type->name, "uint32") != 0)
        diag_error(eb->b.d, def->type->pos, "the type of an enumeration is uint32");
    e->ast = def;
    name_map_put(eb->b.a, &eb->enumerations, def->name, e);
    vec_push_in(eb->b.a, &eb->out->all, e);
}

static void add_value(struct enums_builder *eb, struct ast_def *def)
{
    struct enumeration *e =
        is_named(def->type) ? name_map_get(&eb->enumerations, def->type->name) : NULL;
    struct enum_value v = {.ast = def};
    u128 value;

    if (!e) {
        diag_error(eb->b.d, def->type->pos,
                   "the type of \"%s\" is no typename of this file, which would be its enumeration",
                   def->name);
        return;
    }
    if (const_bits(&eb->b, &eb->ib, def->value, ENUM_BITS, "an enumeration", &value))
        v.value = (uint32_t)value;
    vec_push_in(eb->b.a, &e->values, v);
}

static void add_definition(struct enums_builder *eb, struct ast_def *def)
{
    if (def->kind != AST_TYPEDEF && def->kind != AST_CONST) {
        diag_error(eb->b.d, def->pos, "a file of constants holds `typename` and `const` only");
        return;
    }
    declare_name(eb, def);
    if (def->kind == AST_TYPEDEF)
        add_enumeration(eb, def);
    else
        add_value(eb, def);
}

struct enums *enums_build(struct diag *d, const struct ast_isa *file)
{
    struct ast_arch *none = arena_new(d->arena, struct ast_arch);
    struct enums_builder eb = {.out = arena_new(d->arena, struct enums),
                               .b = {.a = d->arena, .d = d, .ast = none}};

    eb.ib.b = &eb.b;
    eb.ib.ast = file;
    collect_constants(&eb.ib);
    vec_for_each (&file->defs, def)
        add_definition(&eb, *def);
    vec_for_each (&eb.out->all, e)
        if (!(*e)->values.len)
            diag_error(d, (*e)->ast->pos, "enumeration \"%s\" has no constants", (*e)->ast->name);
    return eb.out;
}
