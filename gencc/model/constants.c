/*
 * Evaluates constant expressions and resolves types.
 */
#include "gencc/model/internal.h"

#include <string.h>

enum { MAX_CONST_DEPTH = 64, MAX_STEPS = 1 << 20 };

struct eval {
    const struct builder *b;
    const struct isa_builder *ib;
    unsigned depth;  /* nesting of constants in constants */
    unsigned *steps; /* remaining steps */
};

static bool eval_expr(const struct eval *v, const struct ast_expr *e, s128 *out);
static bool integer_type(const struct eval *v, const struct ast_type *t, unsigned depth,
                         struct ir_type *out);

struct ir_type type_of_width(unsigned bits)
{
    unsigned width = 8;

    while (width < bits && width < 128)
        width *= 2;
    return ir_type(IR_UINT, width, 1);
}

void collect_constants(struct isa_builder *ib)
{
    vec_for_each (&ib->b->ast->prelude, d)
        name_map_put(ib->b->a, &ib->constants, (*d)->name, *d);
    vec_for_each (&ib->ast->defs, d) {
        if ((*d)->kind == AST_CONST)
            name_map_put(ib->b->a, &ib->constants, (*d)->name, *d);
        else if ((*d)->kind == AST_TYPEDEF)
            name_map_put(ib->b->a, &ib->typedefs, (*d)->name, *d);
    }
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Evaluates a constant: its value truncated to its type, as in behaviours. */
static bool eval_constant(const struct eval *v, const struct ast_type *type,
                          const struct ast_expr *e, s128 *out)
{
    struct ir_type t;
    u128 mask;

    if (!eval_expr(v, e, out))
        return false;
    if (!integer_type(v, type, 0, &t))
        return true;
    mask = low_bits(t.bits);
    *out = (s128)((u128)*out & mask);
    if (t.base == IR_SINT && (u128)*out >> (t.bits - 1) & 1)
        *out = (s128)((u128)*out | ~mask);
    return true;
}

static bool eval_name(const struct eval *v, const struct ast_expr *e, s128 *out)
{
    const struct ast_def *def = v->ib ? name_map_get(&v->ib->constants, e->name) : NULL;
    const struct ast_setting *s = name_map_get(&v->b->constants, e->name);
    struct eval inner = {v->b, v->ib, v->depth + 1, v->steps};
    struct name_guess guess = {.wrong = e->name};

    if (v->depth > MAX_CONST_DEPTH || !*v->steps) {
        diag_error(v->b->d, e->pos, "constant \"%s\" is defined by itself, or too much", e->name);
        return false;
    }
    if (def)
        return eval_constant(&inner, def->type, def->value, out);
    if (s)
        return eval_constant(&inner, s->type, s->value, out);
    vec_for_each (&v->b->ast->constants, c)
        name_guess_offer(&guess, c->name);
    vec_for_each (&v->b->ast->prelude, d)
        name_guess_offer(&guess, (*d)->name);
    if (v->ib)
        vec_for_each (&v->ib->ast->defs, d)
            if ((*d)->kind == AST_CONST)
                name_guess_offer(&guess, (*d)->name);
    diag_unknown(v->b->d, e->pos, &guess, "unknown constant \"%s\"", guess.wrong);
    return false;
}

static bool eval_unary(const struct eval *v, const struct ast_expr *e, s128 *out)
{
    s128 a;

    if (!eval_expr(v, e->a, &a))
        return false;
    switch (e->op) {
    case AST_OP_PLUS:
        *out = a;
        return true;
    case AST_OP_NEG:
        *out = (s128) - (u128)a;
        return true;
    case AST_OP_NOT:
        *out = ~a;
        return true;
    case AST_OP_LNOT:
        *out = !a;
        return true;
    default:
        diag_error(v->b->d, e->pos, "expected a constant");
        return false;
    }
}

static bool eval_binary(const struct eval *v, const struct ast_expr *e, s128 *out)
{
    s128 a, b;

    if (!eval_expr(v, e->a, &a) || !eval_expr(v, e->b, &b))
        return false;
    if (!b && (e->op == AST_OP_DIV || e->op == AST_OP_MOD)) {
        diag_error(v->b->d, e->pos, "division by zero");
        return false;
    }
    if (e->op == AST_OP_LAND)
        *out = a && b;
    else if (e->op == AST_OP_LOR)
        *out = a || b;
    else if (!ast_fold(e->op, a, b, out)) {
        diag_error(v->b->d, e->pos, "this operator is not known in constants");
        return false;
    }
    return true;
}

static bool eval_cast(const struct eval *v, const struct ast_expr *e, s128 *out)
{
    struct ir_type t;
    s128 a;

    if (!resolve_type(v->b, v->ib, e->type, &t) || !eval_expr(v, e->a, &a))
        return false;
    if (!ir_is_int(t) || ir_is_vector(t)) {
        diag_error(v->b->d, e->pos, "expected a constant integer");
        return false;
    }
    a = (s128)((u128)a & low_bits(t.bits));
    if (t.base == IR_SINT && t.bits < 128 && (a >> (t.bits - 1) & 1))
        a = (s128)((u128)a | ~low_bits(t.bits));
    *out = a;
    return true;
}

static bool eval_expr(const struct eval *v, const struct ast_expr *e, s128 *out)
{
    s128 condition;

    *v->steps -= *v->steps != 0;
    switch (e->kind) {
    case AST_INT:
        *out = (s128)e->value;
        return true;
    case AST_NAME:
        return eval_name(v, e, out);
    case AST_UNARY:
        return eval_unary(v, e, out);
    case AST_BINARY:
        return eval_binary(v, e, out);
    case AST_TERNARY:
        return eval_expr(v, e->a, &condition) && eval_expr(v, condition ? e->b : e->c, out);
    case AST_CAST:
        return eval_cast(v, e, out);
    default:
        diag_error(v->b->d, e->pos, "expected a constant");
        return false;
    }
}

bool const_eval(const struct builder *b, const struct isa_builder *ib, const struct ast_expr *e,
                s128 *value)
{
    unsigned steps = MAX_STEPS;
    struct eval v = {b, ib, 0, &steps};

    *value = 0;
    return eval_expr(&v, e, value);
}

bool const_bits(const struct builder *b, const struct isa_builder *ib, const struct ast_expr *e,
                unsigned bits, const char *what, u128 *value)
{
    s128 v;

    *value = 0;
    if (!const_eval(b, ib, e, &v))
        return false;
    if ((bits < 128 && v < 0) || ((u128)v & ~low_bits(bits))) {
        diag_error(b->d, e->pos, "this constant does not fit into %s, which has %u bit%s", what,
                   bits, bits == 1 ? "" : "s");
        return false;
    }
    *value = (u128)v;
    return true;
}

/* ---- types ----------------------------------------------------------------------------------- */

static bool basic_type(const char *name, struct ir_type *out)
{
    static const struct {
        const char *name;
        uint8_t base, bits;
    } types[] = {
        {"void", IR_VOID, 0},     {"uint8", IR_UINT, 8},     {"uint16", IR_UINT, 16},
        {"uint32", IR_UINT, 32},  {"uint64", IR_UINT, 64},   {"uint128", IR_UINT, 128},
        {"sint8", IR_SINT, 8},    {"sint16", IR_SINT, 16},   {"sint32", IR_SINT, 32},
        {"sint64", IR_SINT, 64},  {"sint128", IR_SINT, 128}, {"float", IR_FLOAT, 32},
        {"double", IR_FLOAT, 64},
    };

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (strcmp(types[i].name, name) != 0)
            continue;
        *out = ir_type((enum ir_base)types[i].base, types[i].bits, types[i].bits ? 1 : 0);
        return true;
    }
    return false;
}

static bool resolve_at(const struct builder *b, const struct isa_builder *ib,
                       const struct ast_type *t, unsigned depth, struct ir_type *out);

static bool named_type(const struct builder *b, const struct isa_builder *ib,
                       const struct ast_type *t, unsigned depth, struct ir_type *out)
{
    const struct ast_def *def = ib ? name_map_get(&ib->typedefs, t->name) : NULL;
    const struct ast_setting *s = name_map_get(&b->typenames, t->name);

    if (!t->is_struct && basic_type(t->name, out))
        return true;
    if (!t->is_struct && depth < MAX_CONST_DEPTH && (def || s))
        return resolve_at(b, ib, def ? def->type : s->type, depth + 1, out);
    diag_unknown(b->d, t->pos, &(struct name_guess){.wrong = t->name}, "unknown type \"%s\"",
                 t->name);
    return false;
}

static bool vector_type(const struct builder *b, const struct isa_builder *ib,
                        const struct ast_type *t, struct ir_type *out)
{
    s128 lanes;

    if (!const_eval(b, ib, t->lanes, &lanes))
        return false;
    if (ir_is_vector(*out) || ir_is_void(*out) || lanes < 1 || lanes > 256) {
        diag_error(b->d, t->pos, "a vector has 1 to 256 scalar lanes");
        return false;
    }
    *out = ir_with_lanes(*out, (unsigned)lanes);
    return true;
}

bool type_relate(enum ast_type_kind kind, struct ir_type *t)
{
    switch (kind) {
    case AST_TYPE_SIGNED:
        t->base = IR_SINT;
        return true;
    case AST_TYPE_UNSIGNED:
        t->base = IR_UINT;
        return true;
    case AST_TYPE_WIDE:
        if (t->bits >= 128)
            return false;
        t->bits = (uint8_t)(t->bits * 2);
        return true;
    default:
        if (t->bits <= 8)
            return false;
        t->bits = (uint8_t)(t->bits / 2);
        return true;
    }
}

static bool resolve_at(const struct builder *b, const struct isa_builder *ib,
                       const struct ast_type *t, unsigned depth, struct ir_type *out)
{
    if (t->kind == AST_TYPE_NAMED)
        return named_type(b, ib, t, depth, out);
    if (!resolve_at(b, ib, t->inner, depth, out))
        return false;
    if (t->kind == AST_TYPE_VECTOR)
        return vector_type(b, ib, t, out);
    /* a type without such a width stays as it is; gencc/lower reports it */
    type_relate(t->kind, out);
    return true;
}

/* Resolves a scalar type. Vectors are excluded, since their lane count could be the constant being
 * evaluated. */
static bool integer_type(const struct eval *v, const struct ast_type *t, unsigned depth,
                         struct ir_type *out)
{
    const struct ast_def *def;
    const struct ast_setting *s;

    if (t->kind == AST_TYPE_VECTOR || t->is_struct || depth > MAX_CONST_DEPTH)
        return false;
    if (t->kind != AST_TYPE_NAMED)
        return integer_type(v, t->inner, depth + 1, out) && type_relate(t->kind, out);
    if (basic_type(t->name, out))
        return out->base == IR_UINT || out->base == IR_SINT;
    def = v->ib ? name_map_get(&v->ib->typedefs, t->name) : NULL;
    s = name_map_get(&v->b->typenames, t->name);
    return (def || s) && integer_type(v, def ? def->type : s->type, depth + 1, out);
}

bool resolve_type(const struct builder *b, const struct isa_builder *ib, const struct ast_type *t,
                  struct ir_type *out)
{
    return resolve_at(b, ib, t, 0, out);
}
