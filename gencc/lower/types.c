/*
 * Translates types of the description to types of the IR.
 */
#include "gencc/lower/internal.h"

#include <string.h>

const struct binding *fn_binding(const struct fn *fn, const char *name)
{
    for (unsigned i = fn->binds.len; i-- > 0;)
        if (!strcmp(fn->binds.data[i].name, name))
            return &fn->binds.data[i];
    return NULL;
}

bool lower_is_bool(const struct ast_type *t)
{
    return t->kind == AST_TYPE_NAMED && !t->is_struct && !strcmp(t->name, "bool");
}

static bool basic_type(const char *name, struct ir_type *out)
{
    /* Published decode() bodies use the names of C. */
    static const struct {
        const char *name;
        enum ir_base base;
        unsigned bits;
    } names[] = {
        {"void", IR_VOID, 0},         {"uint8", IR_UINT, 8},     {"uint16", IR_UINT, 16},
        {"uint32", IR_UINT, 32},      {"uint64", IR_UINT, 64},   {"uint128", IR_UINT, 128},
        {"sint8", IR_SINT, 8},        {"sint16", IR_SINT, 16},   {"sint32", IR_SINT, 32},
        {"sint64", IR_SINT, 64},      {"sint128", IR_SINT, 128}, {"float", IR_FLOAT, 32},
        {"double", IR_FLOAT, 64},     {"uint8_t", IR_UINT, 8},   {"uint16_t", IR_UINT, 16},
        {"uint32_t", IR_UINT, 32},    {"uint64_t", IR_UINT, 64}, {"int8_t", IR_SINT, 8},
        {"int16_t", IR_SINT, 16},     {"int32_t", IR_SINT, 32},  {"int64_t", IR_SINT, 64},
        {"int", IR_SINT, 32},         {"unsigned", IR_UINT, 32}, {"bool", IR_UINT, 8},
        {"longdouble", IR_FLOAT, 64},
    };

    for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (!strcmp(names[i].name, name)) {
            *out = ir_type(names[i].base, names[i].bits, names[i].bits ? 1 : 0);
            return true;
        }
    }
    return false;
}

const struct format *lower_type_format(const struct fn *fn, const struct ast_type *t)
{
    struct format *f = t->kind == AST_TYPE_NAMED && t->is_struct
                           ? name_map_get(&fn->lo->isa->format_names, t->name)
                           : NULL;

    if (f)
        f->used = true;
    return f;
}

static struct ir_type word_of_format(const struct format *f)
{
    unsigned bits = 8;

    while (bits < f->width)
        bits *= 2;
    return ir_type(IR_UINT, bits, 1);
}

static void unknown_struct(struct fn *fn, const struct ast_type *t)
{
    struct name_guess g = {.wrong = t->name};

    vec_for_each (&fn->lo->isa->formats, f)
        name_guess_offer(&g, (*f)->name);
    vec_for_each (&fn->lo->isa->ast->structs, s)
        name_guess_offer(&g, s->name);
    diag_unknown(fn->lo->diag, t->pos, &g, "there is no struct or format '%s'", t->name);
}

static bool named_type(struct fn *fn, const struct ast_type *t, struct ir_type *out)
{
    const struct binding *bind = fn_binding(fn, t->name);
    struct def_entry *e;

    if (t->is_struct) {
        const struct format *f = lower_type_format(fn, t);
        const struct record *r = f ? NULL : lower_record(fn, t);

        if (f)
            *out = word_of_format(f);
        else if (r)
            record_misplaced(fn, r, t->pos);
        else
            unknown_struct(fn, t);
        return f != NULL;
    }
    if (bind && bind->is_type) {
        *out = bind->type;
        return true;
    }
    if (basic_type(t->name, out)) {
        diag_judge(fn->lo->diag, WARN_PUBLISHED, t->pos, !strcmp(t->name, "longdouble"),
                   "a longdouble is a double here, of 64 bits");
        return true;
    }
    e = lower_find(fn->lo, AST_TYPEDEF, t->name);
    if (e)
        return lower_type(fn, e->def->type, out);
    vec_for_each (&fn->lo->model->ast->typenames, s)
        if (!strcmp(s->name, t->name))
            return lower_type(fn, s->type, out);
    diag_unknown(fn->lo->diag, t->pos, &(struct name_guess){.wrong = t->name}, "unknown type '%s'",
                 t->name);
    return false;
}

static bool related_type(struct fn *fn, const struct ast_type *t, struct ir_type *out)
{
    struct ir_type in;

    if (!lower_type(fn, t->inner, &in))
        return false;
    *out = in;
    if (type_relate(t->kind, out))
        return true;
    if (t->kind == AST_TYPE_WIDE)
        diag_error(fn->lo->diag, t->pos, "there is no type wider than 128 bits");
    else
        diag_error(fn->lo->diag, t->pos, "there is no type narrower than 8 bits");
    return false;
}

static bool vector_type(struct fn *fn, const struct ast_type *t, struct ir_type *out)
{
    __int128 lanes;

    if (!lower_type(fn, t->inner, out) || !lower_constant(fn, t->lanes, &lanes))
        return false;
    if (ir_is_vector(*out) || ir_is_void(*out)) {
        diag_error(fn->lo->diag, t->pos, "lanes of a vector must be scalars");
        return false;
    }
    if (lanes < 1 || lanes > IR_MAX_LANES) {
        diag_error(fn->lo->diag, t->pos, "a vector has 1 to %d lanes", IR_MAX_LANES);
        return false;
    }
    out->lanes = (uint16_t)lanes;
    return true;
}

bool lower_type(struct fn *fn, const struct ast_type *t, struct ir_type *out)
{
    switch (t->kind) {
    case AST_TYPE_NAMED:
        return named_type(fn, t, out);
    case AST_TYPE_VECTOR:
        return vector_type(fn, t, out);
    default:
        return related_type(fn, t, out);
    }
}

static const struct ast_tparam *find_tparam(const struct ast_def *def, const char *name)
{
    vec_for_each (&def->tparams, p)
        if (!strcmp(p->name, name))
            return p;
    return NULL;
}

static bool bind_once(struct fn *fn, bindings *binds, struct binding b)
{
    vec_for_each (binds, old) {
        if (strcmp(old->name, b.name))
            continue;
        return old->is_type ? ir_type_eq(old->type, b.type) : old->value == b.value;
    }
    vec_push_in(fn->lo->arena, binds, b);
    return true;
}

bool lower_match_type(struct fn *fn, const struct ast_def *def, bindings *binds,
                      const struct ast_type *pattern, struct ir_type actual)
{
    const struct ast_tparam *p;

    switch (pattern->kind) {
    case AST_TYPE_NAMED:
        p = find_tparam(def, pattern->name);
        if (p && p->is_type)
            return bind_once(fn, binds,
                             (struct binding){.name = p->name, .is_type = true, .type = actual});
        return true;
    case AST_TYPE_VECTOR:
        if (pattern->lanes->kind == AST_NAME && (p = find_tparam(def, pattern->lanes->name)) &&
            !p->is_type &&
            !bind_once(fn, binds, (struct binding){.name = p->name, .value = actual.lanes}))
            return false;
        return lower_match_type(fn, def, binds, pattern->inner, ir_lane(actual));
    case AST_TYPE_WIDE:
        if (actual.bits <= 8)
            return false;
        actual.bits /= 2;
        return lower_match_type(fn, def, binds, pattern->inner, actual);
    case AST_TYPE_NARROW:
        if (actual.bits >= 128)
            return false;
        actual.bits = (uint8_t)(actual.bits * 2);
        return lower_match_type(fn, def, binds, pattern->inner, actual);
    default:
        /* signed T and unsigned T do not determine the sign of T. */
        return true;
    }
}
