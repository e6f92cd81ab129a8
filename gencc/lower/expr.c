/*
 * Lowers expressions.
 */
#include "gencc/ir/pass.h"
#include "gencc/lower/internal.h"

#include <string.h>

static struct rv error_at(struct fn *fn, struct src_pos pos, const char *text)
{
    diag_error(fn->lo->diag, pos, "%s", text);
    return rv_error();
}

/* ---- with a required type
 * --------------------------------------------------------------------- */

bool lower_constant(struct fn *fn, const struct ast_expr *e, __int128 *out)
{
    struct rv r = lower_expr(fn, e);

    if (!r.ok)
        return false;
    if (rv_constant(r, out))
        return true;
    diag_error(fn->lo->diag, e->pos, "expected a constant expression");
    return false;
}

/* Makes a vector of lanes; a vector of one lane is a scalar. */
static struct rv build_vector(struct fn *fn, struct ir_type t, struct ir_value **lanes)
{
    if (t.lanes == 1)
        return rv_value(lanes[0]);
    return rv_value(ir_emit(&fn->b, IR_BUILD, t, t.lanes, lanes));
}

struct rv lower_expr_as(struct fn *fn, const struct ast_expr *e, struct ir_type want)
{
    struct rv r;

    if (e->kind == AST_VECTOR) {
        struct ir_value *lanes[IR_MAX_LANES];

        if (e->args.len != want.lanes) {
            diag_error(fn->lo->diag, e->pos, "type mismatch: expected %s, found %u values",
                       type_text(fn, want), e->args.len);
            return rv_error();
        }
        for (unsigned i = 0; i < e->args.len; i++) {
            r = lower_expr_as(fn, e->args.data[i], ir_lane(want));
            if (!r.ok)
                return r;
            lanes[i] = r.v;
        }
        return build_vector(fn, want, lanes);
    }
    r = lower_expr(fn, e);
    judge_constant(fn, r, want, e->pos);
    judge_choices(fn, e, want);
    return rv_as(fn, r, want, e->pos);
}

struct rv lower_condition(struct fn *fn, const struct ast_expr *e)
{
    struct rv r = lower_expr(fn, e);

    if (!r.ok)
        return r;
    if (r.is_literal)
        return rv_literal(r.literal_value != 0);
    if (r.type.lanes != 1) {
        diag_error(fn->lo->diag, e->pos, "a condition must be a scalar, not %s",
                   type_text(fn, r.type));
        return rv_error();
    }
    return rv_value(fn_flag(fn, r.v));
}

/* ---- && || ?: -------------------------------------------------------------------------------- */

static bool is_harmless_call(const char *name)
{
    static const char *const pure[] = {
        "sext", "ones", "min", "max", "abs", "cat", "clz", "read_register", "read_register_bank"};

    for (unsigned i = 0; i < sizeof(pure) / sizeof(*pure); i++)
        if (!strcmp(pure[i], name))
            return true;
    return ir_intrinsic_find(name) == IR_I_GET_FEATURE;
}

/* Whether `e` may be evaluated needlessly: it has no effect and is cheap, so no branch is
 * needed. */
static bool is_harmless(const struct ast_expr *e)
{
    if (!e)
        return true;
    switch (e->kind) {
    case AST_CALL:
        if (!is_harmless_call(e->name))
            return false;
        break;
    case AST_ASSIGN:
    case AST_PREFIX:
    case AST_POSTFIX:
    case AST_DECL:
        return false;
    default:
        break;
    }
    for (unsigned i = 0; i < e->args.len; i++)
        if (!is_harmless(e->args.data[i]))
            return false;
    return is_harmless(e->a) && is_harmless(e->b) && is_harmless(e->c);
}

/* Evaluates `e` only if `cond` holds. Leaves cond && e, or (with cond negated) cond || e, in a
 * variable. */
LOWER_KIND struct rv short_circuit(struct fn *fn, struct ir_value *cond, const struct ast_expr *e,
                                   bool is_or)
{
    struct ir_var *var = ir_var_new(fn->func, is_or ? "or" : "and", IR_T_U8, e->pos);
    struct ir_block *more = ir_block_new(fn->func, is_or ? "or_rhs" : "and_rhs");
    struct ir_block *join = ir_block_new(fn->func, is_or ? "or_end" : "and_end");
    unsigned named;
    struct rv r;

    named_ahead(fn, e);
    named = named_before_branch(fn);
    ir_var_write(&fn->b, var, ir_const(&fn->b, IR_T_U8, is_or));
    if (is_or)
        ir_cbr(&fn->b, cond, join, more);
    else
        ir_cbr(&fn->b, cond, more, join);
    fn->b.block = more;
    r = lower_condition(fn, e);
    if (r.ok)
        ir_var_write(&fn->b, var,
                     r.is_literal ? ir_const(&fn->b, IR_T_U8, r.literal_value != 0) : r.v);
    named_behind_branch(fn, named);
    ir_br(&fn->b, join);
    fn->b.block = join;
    return r.ok ? rv_value(ir_var_read(&fn->b, var)) : r;
}

LOWER_KIND struct rv lower_logical(struct fn *fn, const struct ast_expr *e)
{
    bool is_or = e->op == AST_OP_LOR;
    struct rv a = lower_condition(fn, e->a), b;
    __int128 known;

    if (!a.ok)
        return a;
    if (rv_constant(a, &known)) {
        if ((known != 0) == is_or)
            return rv_literal(is_or);
        return lower_condition(fn, e->b);
    }
    if (!is_harmless(e->b))
        return short_circuit(fn, a.v, e->b, is_or);
    b = lower_condition(fn, e->b);
    if (!b.ok)
        return b;
    if (rv_constant(b, &known))
        return (known != 0) == is_or ? rv_literal(is_or) : a;
    return rv_value(ir_binary(&fn->b, is_or ? IR_OR : IR_AND, a.v, b.v));
}

LOWER_KIND struct rv ternary_branches(struct fn *fn, struct ir_value *cond,
                                      const struct ast_expr *e)
{
    struct ir_block *yes = ir_block_new(fn->func, "then"), *no = ir_block_new(fn->func, "else");
    struct ir_block *join = ir_block_new(fn->func, "end");
    struct rv a, b, x, y;
    struct ir_block *a_end, *b_end;
    struct ir_var *var;
    unsigned named;

    named_ahead(fn, e->b);
    named_ahead(fn, e->c);
    named = named_before_branch(fn);
    ir_cbr(&fn->b, cond, yes, no);
    fn->b.block = yes;
    a = rv_promote(fn, rv_typed(fn, lower_expr(fn, e->b)));
    named_behind_branch(fn, named);
    a_end = fn->b.block;
    fn->b.block = no;
    b = rv_promote(fn, rv_typed(fn, lower_expr(fn, e->c)));
    named_behind_branch(fn, named);
    b_end = fn->b.block;
    if (!a.ok || !b.ok)
        return rv_error();
    if (ir_is_void(a.type) || ir_is_void(b.type))
        return error_at(fn, e->pos, "both sides of ?: must have a value");
    var = ir_var_new(fn->func, "choice", rv_common_type(a.type, b.type), e->pos);
    fn->b.block = a_end;
    x = rv_as(fn, a, var->type, e->b->pos);
    if (x.ok)
        ir_var_write(&fn->b, var, x.v);
    ir_br(&fn->b, join);
    fn->b.block = b_end;
    y = rv_as(fn, b, var->type, e->c->pos);
    if (y.ok)
        ir_var_write(&fn->b, var, y.v);
    ir_br(&fn->b, join);
    fn->b.block = join;
    return x.ok && y.ok ? rv_value(ir_var_read(&fn->b, var)) : rv_error();
}

LOWER_KIND struct rv lower_ternary(struct fn *fn, const struct ast_expr *e)
{
    struct rv c = lower_expr(fn, e->a), a, b;
    __int128 known;

    if (!c.ok)
        return c;
    /* In C the type of ?: depends on both sides. */
    if (fn->c_rules)
        c = rv_typed(fn, c);
    else if (rv_constant(c, &known))
        return lower_expr(fn, known ? e->b : e->c);
    if (c.type.lanes == 1) {
        c = rv_value(fn_flag(fn, c.v));
        if (!is_harmless(e->b) || !is_harmless(e->c))
            return ternary_branches(fn, c.v, e);
    }
    a = rv_promote(fn, lower_expr(fn, e->b));
    b = rv_promote(fn, lower_expr(fn, e->c));
    if (!a.ok || !b.ok || !rv_unify(fn, &a, &b, e->pos))
        return rv_error();
    if (c.type.lanes != 1 && c.type.lanes != a.type.lanes)
        return error_at(fn, e->pos, "a vector condition needs sides of as many lanes");
    return rv_value(ir_select(&fn->b, c.v, a.v, b.v));
}

/* ---- names and places ------------------------------------------------------------------------ */

struct scope_var *fn_var(struct fn *fn, const char *name)
{
    for (unsigned i = fn->vars.len; i-- > 0;)
        if (!strcmp(fn->vars.data[i].name, name))
            return &fn->vars.data[i];
    return NULL;
}

struct scope_var *fn_declare(struct fn *fn, const char *name, struct ir_type t, struct src_pos pos)
{
    struct scope_var *old = fn_var(fn, name);
    struct scope_var v = {.name = name, .pos = pos, .depth = fn->depth};

    if (old && old->depth == fn->depth) {
        diag_error(fn->lo->diag, pos, "'%s' is declared twice", name);
        diag_note(fn->lo->diag, old->pos, "the first declaration is here");
    }
    if (!ir_is_void(t))
        v.var = ir_var_new(fn->func, name, t, pos);
    vec_push_in(fn->lo->arena, &fn->vars, v);
    return &fn->vars.data[fn->vars.len - 1];
}

static struct ir_type word_type(unsigned width)
{
    return ir_type(IR_UINT, width > 64 ? 128 : width > 32 ? 64 : 32, 1);
}

/* In a helper that takes the instruction: the parameter for a field, or for the word if `f` is
 * NULL. */
static struct ir_value *instruction_param(struct fn *fn, struct field *f, struct ir_type t)
{
    struct ir_block *entry = fn->func->blocks.data[0];
    struct inst_param p = {.field = f};

    vec_for_each (&fn->inst->inst_params, old)
        if (old->field == f)
            return old->value;
    p.value = ir_value_new(fn->func, IR_PARAM, t, fn->b.pos);
    p.value->imm = fn->func->params.len;
    if (entry->first)
        ir_insert_before(entry->first, p.value);
    else
        ir_append(entry, p.value);
    vec_push_in(fn->lo->arena, &fn->func->params, t);
    vec_push_in(fn->lo->arena, &fn->func->param_names, f ? f->name : "word");
    vec_push_in(fn->lo->arena, &fn->inst->inst_params, p);
    return p.value;
}

/* decode() computes the fields in their order. */
static struct rv not_yet_computed(struct fn *fn, const struct field *f)
{
    diag_error(fn->lo->diag, fn->b.pos, "field '%s' is computed behind this one, or is this one",
               f->name);
    diag_note(fn->lo->diag, f->pos, "it is declared here");
    return rv_error();
}

struct rv fn_instruction(struct fn *fn, struct field *f)
{
    struct ir_type t = f ? f->type : word_type(fn->format->width);
    const struct binding *bind;
    const struct scope_var *v;

    if (fn->inst)
        return rv_value(instruction_param(fn, f, t));
    if (!f)
        return rv_value(ir_emit(&fn->b, IR_WORD, t, 0, NULL));
    bind = fn_binding(fn, arena_printf(fn->lo->arena, "inst.%s", f->name));
    if (bind)
        return rv_value(fn_literal(fn, bind->value, t));
    if (f->value &&
        (fn->func->kind == IR_FUNC_EXECUTE || (fn->raw_fields && !ir_is_vector(f->type))))
        return named_field(fn, f);
    v = fn->in_decode ? fn_var(fn, f->name) : NULL;
    if (fn->in_decode && f->computed && !v)
        return not_yet_computed(fn, f);
    return rv_value(v ? ir_var_read(&fn->b, v->var) : ir_field(&fn->b, f));
}

static struct rv field_value(struct fn *fn, const char *name)
{
    struct field *f = fn->format ? format_field(fn->format, name) : NULL;

    return f ? fn_instruction(fn, f) : rv_error();
}

bool fn_names_value(struct fn *fn, const char *name)
{
    const struct binding *bind = fn_binding(fn, name);

    if (fn_var(fn, name) || (bind && !bind->is_type) || lower_find(fn->lo, AST_CONST, name))
        return true;
    vec_for_each (&fn->lo->model->ast->constants, s)
        if (!strcmp(s->name, name))
            return true;
    return fn->bare_fields && fn->format && format_field(fn->format, name);
}

static struct rv unknown_name(struct fn *fn, const struct ast_expr *e)
{
    struct name_guess g = {.wrong = e->name};

    vec_for_each (&fn->vars, v)
        name_guess_offer(&g, v->name);
    vec_for_each (&fn->lo->entries, d)
        if ((*d)->def->kind == AST_CONST)
            name_guess_offer(&g, (*d)->def->name);
    if (fn->format && fn->bare_fields)
        vec_for_each (&fn->format->fields, f)
            name_guess_offer(&g, (*f)->name);
    diag_unknown(fn->lo->diag, e->pos, &g, "unknown name '%s'", e->name);
    return rv_error();
}

LOWER_KIND struct rv lower_name(struct fn *fn, const struct ast_expr *e)
{
    struct scope_var *v = fn_var(fn, e->name);
    const struct binding *bind;
    unsigned errors = fn->lo->diag->errors;
    struct rv r;

    if (v)
        return record_read(fn, v);
    /* Fields hide template parameters of the family's row: asm lines, which all rows share, use the
     * field. */
    if (fn->bare_fields && fn->format && format_field(fn->format, e->name))
        return field_value(fn, e->name);
    bind = fn_binding(fn, e->name);
    if (bind && !bind->is_type)
        return rv_literal(bind->value);
    r = named_constant(fn, e);
    if (r.ok || fn->lo->diag->errors != errors)
        return r;
    return unknown_name(fn, e);
}

static struct rv unknown_field(struct fn *fn, const struct ast_expr *e, const struct format *f)
{
    struct name_guess g = {.wrong = e->name};

    vec_for_each (&f->fields, it)
        name_guess_offer(&g, (*it)->name);
    diag_unknown(fn->lo->diag, e->pos, &g, "format '%s' has no field '%s'", f->name, e->name);
    return rv_error();
}

/* Reads a raw field of a value that is a word of a format. */
static struct rv word_member(struct fn *fn, const struct ast_expr *e, const struct format *format)
{
    const struct field *f = format_field(format, e->name);
    struct rv word = lower_expr(fn, e->a);
    struct ir_value *v;

    if (!f)
        return unknown_field(fn, e, format);
    if (f->computed)
        return error_at(fn, e->pos, "a word holds no computed fields");
    if (!word.ok)
        return rv_error();
    v = ir_binary(&fn->b, IR_SHR, word.v, ir_const(&fn->b, word.type, f->lsb));
    v = ir_binary(&fn->b, IR_AND, v, ir_const(&fn->b, word.type, field_extract(f, ~(u128)0)));
    return rv_value(ir_convert(&fn->b, v, f->type));
}

/* Members of `inst` that the published simulator defines. Whether an instruction is predicated is
 * part of its decode context. */
static bool simulator_member(struct fn *fn, const char *name, struct rv *r)
{
    struct field *context = format_field(fn->format, "context");

    if (!strcmp(name, "ir"))
        *r = fn_instruction(fn, NULL);
    else if (!strcmp(name, "Instr_Length"))
        *r = rv_value(ir_const(&fn->b, IR_T_U8, fn->format->width / 8));
    else if (!strcmp(name, "PredicateInfo"))
        *r = rv_as(fn, context ? fn_instruction(fn, context) : rv_literal(0), IR_T_U32, fn->b.pos);
    else if (!strcmp(name, "IsPredicated"))
        *r = rv_as(fn,
                   context ? rv_binary(fn, AST_OP_NE, fn_instruction(fn, context), rv_literal(0),
                                       fn->b.pos)
                           : rv_literal(0),
                   IR_T_U8, fn->b.pos);
    else
        return false;
    return true;
}

/* In published models a field of any format may be named; in formats without the field it is 0. */
static struct rv field_of_others(struct fn *fn, const struct ast_expr *e)
{
    vec_for_each (&fn->lo->isa->formats, it) {
        const struct field *f = fn->lo->isa->published ? format_field(*it, e->name) : NULL;

        if (!f)
            continue;
        diag_warning(fn->lo->diag, WARN_PUBLISHED, e->pos,
                     "format '%s' has no field '%s', which is 0 there", fn->format->name, e->name);
        return rv_value(ir_const(&fn->b, f->type, 0));
    }
    return unknown_field(fn, e, fn->format);
}

LOWER_KIND struct rv lower_member(struct fn *fn, const struct ast_expr *e)
{
    struct rv made;
    const struct scope_var *place = fn_place(fn, e->a);

    if (place && place->format)
        return word_member(fn, e, place->format);
    if (place || e->a->kind != AST_NAME || strcmp(e->a->name, "inst"))
        return record_member(fn, lower_value(fn, e->a), e);
    if (!fn->format)
        return error_at(fn, e->pos,
                        "'inst' is only known in execute(); pass the field as argument");
    if (format_field(fn->format, e->name))
        return field_value(fn, e->name);
    return simulator_member(fn, e->name, &made) ? made : field_of_others(fn, e);
}

static struct rv slice_of(struct fn *fn, struct rv x, const struct ast_expr *e, unsigned *lo,
                          unsigned *width)
{
    __int128 hi_c, lo_c;

    if (!x.ok || !lower_constant(fn, e->b, &hi_c) || !lower_constant(fn, e->c, &lo_c))
        return rv_error();
    x = rv_typed(fn, x);
    if (hi_c < lo_c) {
        __int128 t = hi_c;

        hi_c = lo_c;
        lo_c = t;
    }
    if (ir_is_vector(x.type) || !ir_is_int(x.type))
        return error_at(fn, e->pos, "bits are taken of integers");
    if (lo_c < 0 || hi_c >= x.type.bits) {
        diag_error(fn->lo->diag, e->pos, "bit %d is outside %s", (int)hi_c, type_text(fn, x.type));
        return rv_error();
    }
    *lo = (unsigned)lo_c;
    *width = (unsigned)(hi_c - lo_c) + 1;
    return rv_as(fn, x, ir_with_base(x.type, IR_UINT), e->pos);
}

LOWER_KIND struct rv lower_slice(struct fn *fn, const struct ast_expr *e)
{
    unsigned lo, width;
    struct rv x = slice_of(fn, lower_expr(fn, e->a), e, &lo, &width);

    if (!x.ok)
        return x;
    if (lo)
        x = rv_binary(fn, AST_OP_SHR, x, rv_literal(lo), e->pos);
    if (width < x.type.bits - lo)
        x = rv_binary(fn, AST_OP_AND, x, rv_literal((__int128)(((u128)1 << width) - 1)), e->pos);
    return x;
}

static const char not_a_vector[] = "[ ] takes an element of a vector; for bits write x[hi:lo]";

/* Whether the index is 0, the only element of a one-lane vector, which is a scalar. */
static bool is_only_element(struct rv index)
{
    __int128 known;

    return rv_constant(index, &known) && known == 0;
}

static bool check_index(struct fn *fn, struct rv i, struct ir_type vector, struct src_pos pos)
{
    __int128 known;

    if (i.type.lanes != 1 || !ir_is_int(i.type)) {
        diag_error(fn->lo->diag, pos, "an index is a scalar integer");
        return false;
    }
    if (!rv_constant(i, &known) || (known >= 0 && known < vector.lanes))
        return true;
    /* Published models contain such indices. */
    if (fn->lo->isa->published)
        diag_warning(fn->lo->diag, WARN_PUBLISHED, pos, "element %d is outside %s", (int)known,
                     type_text(fn, vector));
    else
        diag_error(fn->lo->diag, pos, "element %d is outside %s", (int)known,
                   type_text(fn, vector));
    return fn->lo->isa->published;
}

LOWER_KIND struct rv lower_element(struct fn *fn, const struct ast_expr *e)
{
    struct rv v = lower_expr(fn, e->a), i = rv_typed(fn, lower_expr(fn, e->b));

    if (!v.ok || !i.ok)
        return rv_error();
    if (v.is_literal || !ir_is_vector(v.type)) {
        if (!v.is_literal && is_only_element(i))
            return v;
        return error_at(fn, e->pos, not_a_vector);
    }
    if (!check_index(fn, i, v.type, e->b->pos))
        return rv_error();
    struct ir_value *ops[] = {v.v, i.v};

    return rv_value(ir_emit(&fn->b, IR_EXTRACT, ir_lane(v.type), 2, ops));
}

/* Converts to a type, which may be C's bool. */
static struct rv convert_to(struct fn *fn, struct rv r, struct ir_type t, bool is_bool,
                            struct src_pos pos)
{
    if (is_bool && r.ok && (r.is_literal || r.type.lanes == 1))
        r = rv_value(fn_flag(fn, rv_typed(fn, r).v));
    return rv_as(fn, r, t, pos);
}

/* ---- assignment ------------------------------------------------------------------------------ */

static const char not_a_place[] = "expected a variable, an element or bits of one";

static struct rv assign_var(struct fn *fn, const struct ast_expr *e, const struct ast_expr *place,
                            struct rv value)
{
    struct scope_var *v = fn_place(fn, place);

    if (!v && place->kind == AST_MEMBER)
        return lower_value(fn, place).ok ? error_at(fn, place->pos, not_a_place) : rv_error();
    if (!v) {
        if (fn_binding(fn, place->name))
            return error_at(fn, place->pos, "a template parameter cannot be assigned");
        if (fn_names_value(fn, place->name))
            return error_at(fn, place->pos, "a constant cannot be assigned");
        return unknown_name(fn, place);
    }
    if (v->record) {
        record_misplaced(fn, v->record, place->pos);
        return rv_error();
    }
    value = convert_to(fn, value, v->var->type, v->is_bool, e->pos);
    if (!value.ok)
        return value;
    vec_push_in(fn->lo->arena, &fn->stores, ir_var_write(&fn->b, v->var, value.v));
    return value;
}

static struct rv current_vector(struct fn *fn, const struct ast_expr *place)
{
    struct scope_var *v = fn_place(fn, place);

    if (!v)
        return error_at(fn, place->pos, "only a local variable can be assigned in part");
    if (v->record) {
        record_misplaced(fn, v->record, place->pos);
        return rv_error();
    }
    return rv_value(ir_var_read(&fn->b, v->var));
}

static struct rv assign_element(struct fn *fn, const struct ast_expr *e, struct rv value)
{
    const struct ast_expr *place = e->a;
    struct rv i = rv_typed(fn, lower_expr(fn, place->b)), old = current_vector(fn, place->a);

    if (!old.ok || !i.ok)
        return rv_error();
    if (!ir_is_vector(old.type) && is_only_element(i))
        return assign_var(fn, e, place->a, value);
    if (!ir_is_vector(old.type))
        return error_at(fn, place->pos, not_a_vector);
    judge_constant(fn, value, ir_lane(old.type), e->pos);
    value = rv_as(fn, value, ir_lane(old.type), e->pos);
    if (!value.ok || !check_index(fn, i, old.type, place->b->pos))
        return rv_error();
    struct ir_value *ops[] = {old.v, i.v, value.v};

    ir_var_write(&fn->b, fn_place(fn, place->a)->var, ir_emit(&fn->b, IR_INSERT, old.type, 3, ops));
    return value;
}

static struct rv assign_slice(struct fn *fn, const struct ast_expr *e, struct rv value)
{
    const struct ast_expr *place = e->a;
    unsigned lo, width;
    struct rv old = current_vector(fn, place->a), x = slice_of(fn, old, place, &lo, &width), merged;
    u128 mask;

    if (!x.ok)
        return x;
    mask = width >= 128 ? ~(u128)0 : (((u128)1 << width) - 1);
    judge_bits(fn, value, width, e->pos);
    value = rv_as(fn, value, x.type, e->pos);
    merged = rv_binary(fn, AST_OP_AND, value, rv_literal((__int128)mask), e->pos);
    merged = rv_binary(fn, AST_OP_SHL, merged, rv_literal(lo), e->pos);
    x = rv_binary(fn, AST_OP_AND, x,
                  rv_value(ir_const(&fn->b, x.type, fn_truncate(~(mask << lo), x.type.bits))),
                  e->pos);
    merged = rv_binary(fn, AST_OP_OR, x, merged, e->pos);
    return assign_var(fn, e, place->a, merged).ok ? value : rv_error();
}

static struct rv store_to_place(struct fn *fn, const struct ast_expr *e, struct rv value)
{
    switch (e->a->kind) {
    case AST_NAME:
    case AST_MEMBER:
        return assign_var(fn, e, e->a, value);
    case AST_INDEX:
        return assign_element(fn, e, value);
    case AST_SLICE:
        return assign_slice(fn, e, value);
    default:
        return error_at(fn, e->a->pos, not_a_place);
    }
}

LOWER_KIND struct rv lower_assign(struct fn *fn, const struct ast_expr *e)
{
    const struct scope_var *v = e->op == AST_OP_NONE ? fn_place(fn, e->a) : NULL;
    struct rv value;

    if (v && v->record) {
        value = lower_record_as(fn, e->b, v->record);
        if (value.ok)
            record_write(fn, v, value.leaves);
        return value;
    }
    if (v && !v->is_bool)
        value = lower_expr_as(fn, e->b, v->var->type);
    else
        value = lower_expr(fn, e->b);
    if (value.ok && e->op != AST_OP_NONE) {
        struct rv old = lower_expr(fn, e->a);

        judge_binary(fn, e->op, old, value, e->pos);
        value = rv_binary(fn, e->op, old, value, e->pos);
    }
    return value.ok ? store_to_place(fn, e, value) : value;
}

LOWER_KIND struct rv lower_step(struct fn *fn, const struct ast_expr *e)
{
    struct rv old = lower_expr(fn, e->a), next;

    next = rv_binary(fn, e->op == AST_OP_INC ? AST_OP_ADD : AST_OP_SUB, old, rv_literal(1), e->pos);
    if (!next.ok)
        return next;
    next = store_to_place(fn, e, next);
    return next.ok && e->kind == AST_POSTFIX ? old : next;
}

/* Declares a structure. Without an initialiser it stays unset, so that reads of unset members are
 * reported. */
static struct rv record_declaration(struct fn *fn, const struct ast_expr *e, const struct record *r)
{
    struct rv value = rv_literal(0);
    struct scope_var *v;
    struct declared d = {.name = e->name, .pos = e->pos};

    if (e->a)
        value = lower_record_as(fn, e->a, r);
    v = fn_declare(fn, e->name, IR_T_VOID, e->pos);
    fn_declare_record(fn, v, r, e->pos);
    d.count = r->leaves.len;
    d.vars = v->leaves;
    vec_push_in(fn->lo->arena, &fn->declared, d);
    for (unsigned i = 0; i < r->leaves.len; i++)
        if (e->a ? !value.ok : ir_is_vector(r->leaves.data[i]))
            ir_var_write(&fn->b, v->leaves[i], ir_const(&fn->b, r->leaves.data[i], 0));
    if (e->a && value.ok)
        record_write(fn, v, value.leaves);
    return value;
}

static void note_declared(struct fn *fn, const struct scope_var *v)
{
    struct declared d = {.name = v->name, .pos = v->pos, .count = 1};

    d.vars = arena_new(fn->lo->arena, struct ir_var *);
    *d.vars = v->var;
    vec_push_in(fn->lo->arena, &fn->declared, d);
}

LOWER_KIND struct rv lower_declaration(struct fn *fn, const struct ast_expr *e)
{
    const struct record *record = lower_record(fn, e->type);
    struct ir_type t;
    struct rv value = {0};
    struct scope_var *v;
    struct ir_value *set;

    if (record)
        return record_declaration(fn, e, record);
    if (!lower_type(fn, e->type, &t))
        return rv_error();
    if (ir_is_void(t))
        return error_at(fn, e->pos, "a variable cannot be void");
    if (e->a && lower_is_bool(e->type))
        value = convert_to(fn, lower_expr(fn, e->a), t, true, e->a->pos);
    else if (e->a)
        value = lower_expr_as(fn, e->a, t);
    v = fn_declare(fn, e->name, t, e->pos);
    note_declared(fn, v);
    v->is_bool = lower_is_bool(e->type);
    v->format = lower_type_format(fn, e->type);
    if (!e->a) {
        struct ir_value *zero = ir_const(&fn->b, t, 0);

        /* Vectors are often filled element by element, so they start as zero. */
        if (ir_is_vector(t))
            ir_var_write(&fn->b, v->var, zero);
        return rv_value(zero);
    }
    /* After an error in the initialiser the variable counts as set, so that one error is
     * reported. */
    set = ir_var_write(&fn->b, v->var, value.ok ? value.v : ir_const(&fn->b, t, 0));
    /* An unused initialiser that is a constant or a copy is a precaution, not a mistake. */
    if (value.ok && value.v->op != IR_CONST && value.v->op != IR_SPLAT &&
        value.v->op != IR_VAR_READ)
        vec_push_in(fn->lo->arena, &fn->stores, set);
    return value;
}

/* ---- the rest -------------------------------------------------------------------------------- */

LOWER_KIND struct rv lower_unary(struct fn *fn, const struct ast_expr *e)
{
    struct rv a = lower_expr(fn, e->a);
    __int128 known;

    if (!a.ok)
        return a;
    if (!a.is_literal && ir_is_void(a.type))
        return error_at(fn, e->a->pos, "this has no value");
    if (e->op != AST_OP_LNOT)
        a = rv_promote(fn, a);
    switch (e->op) {
    case AST_OP_NEG:
        if (a.is_literal)
            return rv_literal((__int128)(0 - (u128)a.literal_value));
        return rv_value(ir_unary(&fn->b, IR_NEG, a.v));
    case AST_OP_NOT:
        if (a.is_literal)
            return rv_literal(~a.literal_value);
        if (!ir_is_int(a.type))
            return error_at(fn, e->pos, "'~' works on integers");
        if (rv_constant(a, &known))
            return rv_value(fn_literal(fn, ~known, a.type));
        return rv_value(ir_unary(&fn->b, IR_NOT, a.v));
    case AST_OP_LNOT:
        if (rv_constant(a, &known))
            return rv_literal(!known);
        if (a.type.lanes != 1)
            return error_at(fn, e->pos, "'!' works on scalars");
        return rv_value(ir_binary(&fn->b, IR_EQ, a.v, ir_const(&fn->b, a.type, 0)));
    default:
        return a;
    }
}

LOWER_KIND struct rv lower_cast(struct fn *fn, const struct ast_expr *e)
{
    const struct record *record = lower_record(fn, e->type);
    struct ir_type t;

    if (record)
        return lower_record_as(fn, e->a, record);
    if (!lower_type(fn, e->type, &t))
        return rv_error();
    if (lower_is_bool(e->type))
        return convert_to(fn, lower_expr(fn, e->a), t, true, e->pos);
    /* Casts truncate on purpose, without a warning. */
    if (e->a->kind != AST_VECTOR)
        return rv_as(fn, lower_expr(fn, e->a), t, e->a->pos);
    return lower_expr_as(fn, e->a, t);
}

LOWER_KIND struct rv lower_bitcast(struct fn *fn, const struct ast_expr *e)
{
    struct ir_type t;
    struct rv a = rv_typed(fn, lower_expr(fn, e->a));

    if (!a.ok || !lower_type(fn, e->type, &t))
        return rv_error();
    if (ir_bytes(t) != ir_bytes(a.type)) {
        diag_error(fn->lo->diag, e->pos, "<%s> needs as many bits as %s has", type_text(fn, t),
                   type_text(fn, a.type));
        return rv_error();
    }
    return rv_value(ir_bitcast(&fn->b, a.v, t));
}

LOWER_KIND struct rv lower_vector(struct fn *fn, const struct ast_expr *e)
{
    struct rv *at, lane = rv_literal(0);
    struct ir_value **lanes;

    if (e->args.len > IR_MAX_LANES)
        return error_at(fn, e->pos, "the vector has too many lanes");
    at = arena_alloc(fn->lo->arena, e->args.len * sizeof(*at));
    lanes = arena_alloc(fn->lo->arena, e->args.len * sizeof(*lanes));
    for (unsigned i = 0; i < e->args.len; i++) {
        at[i] = lower_expr(fn, e->args.data[i]);
        if (!at[i].ok)
            return at[i];
        if (lane.is_literal)
            lane = at[i];
    }
    lane = rv_typed(fn, lane);
    if (lane.type.lanes != 1)
        return error_at(fn, e->pos, "a vector is built of scalars");
    for (unsigned i = 0; i < e->args.len; i++) {
        at[i] = rv_as(fn, at[i], lane.type, e->args.data[i]->pos);
        if (!at[i].ok)
            return at[i];
        lanes[i] = at[i].v;
    }
    return build_vector(fn, ir_with_lanes(lane.type, e->args.len), lanes);
}

LOWER_KIND struct rv lower_type_query(struct fn *fn, const struct ast_expr *e)
{
    struct ir_type t;

    if (!lower_type(fn, e->type, &t))
        return rv_error();
    return rv_literal(e->kind == AST_BITSOF ? t.bits : t.lanes);
}

LOWER_KIND struct rv lower_float(struct fn *fn, double d, bool is_single)
{
    float f = (float)d;
    uint64_t bits = 0;

    if (is_single)
        memcpy(&bits, &f, sizeof(f));
    else
        memcpy(&bits, &d, sizeof(d));
    return rv_value(ir_const(&fn->b, ir_type(IR_FLOAT, is_single ? 32 : 64, 1), bits));
}

/* In C a literal has the first type that can represent it; decimal literals take signed types
 * only. */
static struct ir_type c_literal_type(const struct ast_expr *e)
{
    bool may_be_signed = !e->is_unsigned, may_be_unsigned = e->is_unsigned || !e->is_decimal;

    if (may_be_signed && !e->is_long && e->value <= INT32_MAX)
        return IR_T_S32;
    if (may_be_unsigned && !e->is_long && e->value <= UINT32_MAX)
        return IR_T_U32;
    if (may_be_signed && e->value <= INT64_MAX)
        return IR_T_S64;
    return e->value <= UINT64_MAX ? IR_T_U64 : IR_T_U128;
}

LOWER_KIND struct rv lower_integer(struct fn *fn, const struct ast_expr *e)
{
    if (fn->c_rules)
        return rv_value(ir_const(&fn->b, c_literal_type(e), e->value));
    if (e->is_unsigned || e->is_long) {
        struct ir_type t = ir_type(e->is_unsigned ? IR_UINT : IR_SINT,
                                   e->is_long || e->value > UINT32_MAX ? 64 : 32, 1);

        return rv_value(ir_const(&fn->b, t, fn_truncate(e->value, t.bits)));
    }
    return rv_literal((__int128)e->value);
}

struct rv lower_expr(struct fn *fn, const struct ast_expr *e)
{
    struct rv r = lower_value(fn, e);

    if (!r.ok || !r.record)
        return r;
    record_misplaced(fn, r.record, e->pos);
    return rv_error();
}

LOWER_KIND struct rv lower_binary(struct fn *fn, const struct ast_expr *e)
{
    struct rv a = lower_expr(fn, e->a), b = lower_expr(fn, e->b);

    fn->b.pos = e->pos;
    judge_binary(fn, e->op, a, b, e->pos);
    return rv_binary(fn, e->op, a, b, e->pos);
}

static struct rv value_of(struct fn *fn, const struct ast_expr *e)
{
    fn->b.pos = e->pos;
    switch (e->kind) {
    case AST_INT:
        return lower_integer(fn, e);
    case AST_FLOAT:
        return lower_float(fn, e->fvalue, e->is_single);
    case AST_STRING:
        return error_at(fn, e->pos, "a behaviour has no use for text");
    case AST_NAME:
        return lower_name(fn, e);
    case AST_UNARY:
        return lower_unary(fn, e);
    case AST_PREFIX:
    case AST_POSTFIX:
        return lower_step(fn, e);
    case AST_BINARY:
        return e->op == AST_OP_LAND || e->op == AST_OP_LOR ? lower_logical(fn, e)
                                                           : lower_binary(fn, e);
    case AST_ASSIGN:
        return lower_assign(fn, e);
    case AST_TERNARY:
        return lower_ternary(fn, e);
    case AST_CALL:
        return lower_call(fn, e);
    case AST_INDEX:
        return lower_element(fn, e);
    case AST_SLICE:
        return lower_slice(fn, e);
    case AST_MEMBER:
        return lower_member(fn, e);
    case AST_CAST:
        return lower_cast(fn, e);
    case AST_BITCAST:
        return lower_bitcast(fn, e);
    case AST_VECTOR:
        return lower_vector(fn, e);
    case AST_DECL:
        return lower_declaration(fn, e);
    case AST_BITSOF:
    case AST_LANESOF:
        return lower_type_query(fn, e);
    }
    return rv_error();
}

bool lower_enter(struct fn *fn, struct src_pos pos)
{
    if (fn->lo->depth == LOWER_MAX_DEPTH) {
        diag_error(fn->lo->diag, pos,
                   "this, and what is named or called here, is nested too deeply");
        return false;
    }
    fn->lo->depth++;
    return true;
}

struct rv lower_value(struct fn *fn, const struct ast_expr *e)
{
    struct rv r;

    if (!lower_enter(fn, e->pos))
        return rv_error();
    r = value_of(fn, e);
    fn->lo->depth--;
    return r;
}
