/*
 * Layouts: versions, constants, enumerations, and the whole.
 */
#include "gencc/model/layout_internal.h"

void layout_c_name(struct layouts *l, struct src_pos pos, const char *name)
{
    struct src_pos *here = arena_new(l->arena, struct src_pos), *old;

    *here = pos;
    name = arena_upper(l->arena, name);
    old = name_map_put(l->arena, &l->c_names, name, here);
    if (!old)
        return;
    name_map_put(l->arena, &l->c_names, name, old);
    diag_error(l->diag, pos, "this makes the C name %s_%s a second time", l->upper, name);
    diag_note(l->diag, *old, "the first is made here");
}

/* ---- versions -------------------------------------------------------------------------------- */

version_set layout_versions(struct layouts *l, const struct ast_versions *v, version_set all,
                            const char *what)
{
    version_set set = 0;

    if (!v->ranges.count)
        return all;
    vec_for_each (&v->ranges, r) {
        version_set these;

        if (r->from > r->to || r->to > LAYOUT_MAX_VERSION) {
            diag_error(l->diag, r->pos, "versions are numbers from 0 to %u, the lower one first",
                       LAYOUT_MAX_VERSION);
            continue;
        }
        these = (version_set)((2ull << r->to) - (1ull << r->from));
        if (these & ~all)
            diag_error(l->diag, r->pos, "%s has no version %d", what, __builtin_ctz(these & ~all));
        if (these & set)
            diag_error(l->diag, r->pos, "version %d is named twice", __builtin_ctz(these & set));
        set |= these & all;
    }
    return set;
}

static void build_versions(struct layouts *l)
{
    if (!l->ast->versions_pos.file)
        diag_error(l->diag, l->ast->pos, "the layouts have no 'ac_versions 1, 2, …;'");
    else
        l->versions = layout_versions(l, &l->ast->versions, ~(version_set)0, "the description");
}

/* ---- constants ------------------------------------------------------------------------------- */

const struct lay_value *enum_find(const struct lay_enum *e, const char *name)
{
    vec_for_each (&e->values, v)
        if (strcmp(v->name, name) == 0)
            return v;
    return NULL;
}

static bool name_value(struct layouts *l, const struct ast_expr *e, const struct lay_enum *values,
                       s128 *out)
{
    const struct lay_const *c = name_map_get(&l->const_names, e->name);
    const struct lay_value *v = values ? enum_find(values, e->name) : NULL;
    struct name_guess guess = {.wrong = e->name};

    if (v || c) {
        *out = v ? v->value : (s128)c->value;
        return true;
    }
    if (values)
        vec_for_each (&values->values, it)
            name_guess_offer(&guess, it->name);
    vec_for_each (&l->consts, it)
        name_guess_offer(&guess, it->name);
    diag_unknown(l->diag, e->pos, &guess, "unknown %s \"%s\"", values ? "value" : "constant",
                 guess.wrong);
    return false;
}

static bool unary_value(enum ast_op op, s128 a, s128 *out)
{
    switch (op) {
    case AST_OP_NEG:
        *out = (s128) - (u128)a;
        return true;
    case AST_OP_NOT:
        *out = ~a;
        return true;
    case AST_OP_PLUS:
        *out = a;
        return true;
    default:
        return false;
    }
}

bool layout_value(struct layouts *l, const struct ast_expr *e, const struct lay_enum *values,
                  s128 *out)
{
    s128 a, b;

    switch (e->kind) {
    case AST_INT:
        *out = (s128)e->value;
        return true;
    case AST_NAME:
        return name_value(l, e, values, out);
    case AST_UNARY:
        if (!layout_value(l, e->a, values, &a))
            return false;
        if (unary_value(e->op, a, out))
            return true;
        break;
    case AST_BINARY:
        if (!layout_value(l, e->a, values, &a) || !layout_value(l, e->b, values, &b))
            return false;
        if (ast_fold(e->op, a, b, out))
            return true;
        break;
    default:
        break;
    }
    diag_error(l->diag, e->pos, "expected a number or a constant");
    return false;
}

uint64_t layout_uint(struct layouts *l, const struct ast_expr *e, uint64_t max)
{
    s128 v;

    if (!layout_value(l, e, NULL, &v))
        return 0;
    if (v >= 0 && v <= (s128)max)
        return (uint64_t)v;
    diag_error(l->diag, e->pos, "this number is out of range: 0 to %llu is allowed",
               (unsigned long long)max);
    return 0;
}

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
    vec_push(l->arena, &l->consts, *c);
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
    vec_push(l->arena, &e->values, v);
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
    if (!a->values.count)
        diag_error(l->diag, a->pos, "enumeration \"%s\" has no values", a->name);
    vec_for_each (&a->values, v)
        build_value(l, e, v);
    vec_push(l->arena, &l->enums, e);
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
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        layout_c_name(l, l->ast->pos, made[i]);
    vec_for_each (&l->ast->consts, c)
        build_const(l, c);
    vec_for_each (&l->ast->enums, e)
        build_enum(l, *e);
    layouts_resolve(l);
    layouts_registers(l);
    return l;
}
