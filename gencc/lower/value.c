/*
 * Values during lowering: untyped literals, conversions, binary operators.
 */
#include "gencc/lower/internal.h"

#include <string.h>

const char *type_text(struct fn *fn, struct ir_type t)
{
    char buf[32];

    return arena_strdup(fn->lo->arena, ir_type_name(t, buf));
}

struct rv rv_error(void)
{
    return (struct rv){0};
}

struct rv rv_value(struct ir_value *v)
{
    return (struct rv){.ok = true, .v = v, .type = v->type};
}

struct rv rv_literal(__int128 v)
{
    return (struct rv){.ok = true, .is_literal = true, .literal_value = v};
}

static struct rv error_at(struct fn *fn, struct src_pos pos, const char *text)
{
    diag_error(fn->lo->diag, pos, "%s", text);
    return rv_error();
}

/* ---- constants ------------------------------------------------------------------------------- */

static __int128 const_value(const struct ir_value *v)
{
    unsigned bits = v->type.bits;
    __int128 x = (__int128)v->imm;

    if (v->type.base == IR_SINT && bits < 128)
        x = (__int128)((u128)x << (128 - bits)) >> (128 - bits);
    return x;
}

bool rv_constant(struct rv r, __int128 *out)
{
    if (!r.ok)
        return false;
    if (r.is_literal) {
        *out = r.literal_value;
        return true;
    }
    if (!r.v || r.v->op != IR_CONST || ir_is_vector(r.type) || !ir_is_int(r.type))
        return false;
    *out = const_value(r.v);
    /* numbers above the maximum of sint128 do not fit __int128 */
    return *out >= 0 || r.type.base == IR_SINT;
}

u128 fn_truncate(u128 v, unsigned bits)
{
    return bits >= 128 ? v : v & (((u128)1 << bits) - 1);
}

static bool literal_fits(__int128 v, struct ir_type t)
{
    if (t.bits >= 128 || !ir_is_int(t))
        return true;
    return v >= -((__int128)1 << (t.bits - 1)) && v < ((__int128)1 << t.bits);
}

struct ir_value *fn_literal(struct fn *fn, __int128 v, struct ir_type t)
{
    u128 bits = fn_truncate((u128)v, t.bits);

    if (t.base == IR_FLOAT && t.bits == 32) {
        float f = (float)v;
        uint32_t raw;

        memcpy(&raw, &f, sizeof(raw));
        bits = raw;
    } else if (t.base == IR_FLOAT) {
        double d = (double)v;
        uint64_t raw;

        memcpy(&raw, &d, sizeof(raw));
        bits = raw;
    }
    return ir_const(&fn->b, t, bits);
}

struct rv rv_typed(struct fn *fn, struct rv r)
{
    struct ir_type t = IR_T_S32;

    if (!r.ok || !r.is_literal)
        return r;
    if (r.literal_value < INT32_MIN || r.literal_value > INT32_MAX)
        t = r.literal_value >= INT64_MIN && r.literal_value <= INT64_MAX ? IR_T_S64
            : r.literal_value >= 0 && r.literal_value <= UINT64_MAX      ? IR_T_U64
                                                                         : IR_T_U128;
    return rv_value(fn_literal(fn, r.literal_value, t));
}

/* ---- conversions ----------------------------------------------------------------------------- */

struct rv rv_as(struct fn *fn, struct rv r, struct ir_type want, struct src_pos pos)
{
    if (!r.ok)
        return r;
    if (ir_is_void(want))
        return error_at(fn, pos, "a value cannot be void");
    if (r.is_literal)
        return rv_value(fn_literal(fn, r.literal_value, want));
    if (ir_is_void(r.type))
        return error_at(fn, pos, "this has no value");
    if (ir_type_eq(r.type, want))
        return r;
    if (r.type.lanes == want.lanes) {
        if (r.v->op == IR_CONST && ir_is_int(r.type) && ir_is_int(want) && !ir_is_vector(want))
            return rv_value(fn_literal(fn, const_value(r.v), want));
        return rv_value(ir_convert(&fn->b, r.v, want));
    }
    if (r.type.lanes == 1) {
        struct rv lane = rv_as(fn, r, ir_lane(want), pos);

        return rv_value(ir_emit(&fn->b, IR_SPLAT, want, 1, &lane.v));
    }
    diag_error(fn->lo->diag, pos, "type mismatch: expected %s, found %s", type_text(fn, want),
               type_text(fn, r.type));
    return rv_error();
}

struct ir_value *fn_flag(struct fn *fn, struct ir_value *v)
{
    if (v->op == IR_EQ || v->op == IR_NE || v->op == IR_LT || v->op == IR_LE || v->op == IR_GT ||
        v->op == IR_GE)
        return v;
    if (v->op == IR_CONST)
        return ir_const(&fn->b, IR_T_U8, v->imm != 0);
    return ir_binary(&fn->b, IR_NE, v, ir_const(&fn->b, v->type, 0));
}

struct rv rv_promote(struct fn *fn, struct rv r)
{
    if (!fn->c_rules || !r.ok)
        return r;
    r = rv_typed(fn, r);
    if (ir_is_int(r.type) && r.type.lanes == 1 && r.type.bits < IR_T_S32.bits)
        return rv_as(fn, r, IR_T_S32, fn->b.pos);
    return r;
}

/* ---- binary operators ------------------------------------------------------------------------ */

static const struct {
    enum ir_op op;
    bool compare, shift;
} binary_ops[] = {
    [AST_OP_ADD] = {IR_ADD, false, false}, [AST_OP_SUB] = {IR_SUB, false, false},
    [AST_OP_MUL] = {IR_MUL, false, false}, [AST_OP_DIV] = {IR_DIV, false, false},
    [AST_OP_MOD] = {IR_MOD, false, false}, [AST_OP_AND] = {IR_AND, false, false},
    [AST_OP_OR] = {IR_OR, false, false},   [AST_OP_XOR] = {IR_XOR, false, false},
    [AST_OP_SHL] = {IR_SHL, false, true},  [AST_OP_SHR] = {IR_SHR, false, true},
    [AST_OP_ROL] = {IR_ROL, false, true},  [AST_OP_ROR] = {IR_ROR, false, true},
    [AST_OP_EQ] = {IR_EQ, true, false},    [AST_OP_NE] = {IR_NE, true, false},
    [AST_OP_LT] = {IR_LT, true, false},    [AST_OP_LE] = {IR_LE, true, false},
    [AST_OP_GT] = {IR_GT, true, false},    [AST_OP_GE] = {IR_GE, true, false},
};

struct ir_type rv_common_type(struct ir_type a, struct ir_type b)
{
    struct ir_type t;

    if (a.base == IR_FLOAT || b.base == IR_FLOAT)
        t = a.base != IR_FLOAT ? b : b.base != IR_FLOAT ? a : a.bits >= b.bits ? a : b;
    else if (a.bits != b.bits)
        t = a.bits > b.bits ? a : b;
    else
        t = a.base == IR_UINT ? a : b;
    t.lanes = a.lanes > b.lanes ? a.lanes : b.lanes;
    return t;
}

bool rv_unify(struct fn *fn, struct rv *a, struct rv *b, struct src_pos pos)
{
    struct ir_type t;

    if (a->is_literal && !b->is_literal && !literal_fits(a->literal_value, b->type))
        *a = rv_typed(fn, *a);
    if (b->is_literal && !a->is_literal && !literal_fits(b->literal_value, a->type))
        *b = rv_typed(fn, *b);
    if (a->is_literal && b->is_literal) {
        *a = rv_typed(fn, *a);
        *b = rv_typed(fn, *b);
    }
    if (!a->is_literal && !b->is_literal) {
        if (a->type.lanes != b->type.lanes && a->type.lanes != 1 && b->type.lanes != 1) {
            diag_error(fn->lo->diag, pos, "type mismatch: %s and %s have different lane counts",
                       type_text(fn, a->type), type_text(fn, b->type));
            return false;
        }
        t = rv_common_type(a->type, b->type);
    } else {
        t = a->is_literal ? b->type : a->type;
    }
    *a = rv_as(fn, *a, t, pos);
    *b = rv_as(fn, *b, t, pos);
    return a->ok && b->ok;
}

static struct rv shift_value(struct fn *fn, enum ir_op op, struct rv a, struct rv b,
                             struct src_pos pos)
{
    a = rv_typed(fn, a);
    if (b.is_literal) {
        if (b.literal_value < 0 || b.literal_value > 255)
            return error_at(fn, pos, "a shift amount must be between 0 and 255");
        b = rv_value(fn_literal(fn, b.literal_value, IR_T_U8));
    }
    if (!ir_is_int(a.type) || !ir_is_int(b.type))
        return error_at(fn, pos, "shifts work on integers; use <uint32>x for the bits of a float");
    if (b.type.lanes != 1 && b.type.lanes != a.type.lanes)
        return error_at(fn, pos, "a vector is shifted by a scalar or by as many lanes");
    return rv_value(ir_binary(&fn->b, op, a.v, b.v));
}

static struct rv fold_typed(struct fn *fn, enum ast_op op, struct rv a, struct rv b, bool *done)
{
    __int128 x, y, out;
    bool compare = binary_ops[op].compare;

    *done = false;
    if (a.is_literal || b.is_literal || !rv_constant(a, &x) || !rv_constant(b, &y))
        return a;
    if (op == AST_OP_ROL || op == AST_OP_ROR)
        return a;
    if (binary_ops[op].shift && y >= a.type.bits)
        y = 128;
    if (!ast_fold(op, x, y, &out))
        return a;
    *done = true;
    return rv_value(fn_literal(fn, out, compare ? IR_T_U8 : a.type));
}

/* Rule of published models: a literal has a type of its own, at least sint32. The result of every
 * operator, shifts included, has the wider of both types, and a sign if both have one. */
static void published_types(struct fn *fn, bool shift, struct rv *a, struct rv *b)
{
    struct ir_type t;

    if (!fn->lo->isa->published || fn->c_rules || (a->is_literal && b->is_literal))
        return;
    if ((!a->is_literal && ir_is_vector(a->type)) || (!b->is_literal && ir_is_vector(b->type)))
        return;
    if (shift && b->is_literal && (b->literal_value < 0 || b->literal_value > 255))
        return;
    *a = rv_typed(fn, *a);
    *b = rv_typed(fn, *b);
    if (!ir_is_int(a->type) || !ir_is_int(b->type))
        return;
    t = rv_common_type(a->type, b->type);
    if (a->type.base == IR_UINT || b->type.base == IR_UINT)
        t = ir_with_base(t, IR_UINT);
    *a = rv_as(fn, *a, shift ? ir_with_base(t, a->type.base) : t, fn->b.pos);
    *b = rv_as(fn, *b, shift ? ir_with_base(t, b->type.base) : t, fn->b.pos);
}

struct rv rv_binary(struct fn *fn, enum ast_op op, struct rv a, struct rv b, struct src_pos pos)
{
    __int128 folded;
    bool done;
    struct rv r;

    if (!a.ok || !b.ok)
        return rv_error();
    if ((!a.is_literal && ir_is_void(a.type)) || (!b.is_literal && ir_is_void(b.type)))
        return error_at(fn, pos, "an operand has no value");
    a = rv_promote(fn, a);
    b = rv_promote(fn, b);
    if (a.is_literal && b.is_literal && ast_fold(op, a.literal_value, b.literal_value, &folded))
        return rv_literal(folded);
    if (op == AST_OP_CONCAT) {
        a = rv_typed(fn, a);
        b = rv_typed(fn, b);
        if (!ir_type_eq(ir_lane(a.type), ir_lane(b.type)))
            return error_at(fn, pos, "'::' joins vectors of one element type");
        if (a.type.lanes + b.type.lanes > IR_MAX_LANES)
            return error_at(fn, pos, "the joined vector has too many lanes");
        struct ir_value *ops[] = {a.v, b.v};

        return rv_value(
            ir_emit(&fn->b, IR_CONCAT, ir_with_lanes(a.type, a.type.lanes + b.type.lanes), 2, ops));
    }
    published_types(fn, binary_ops[op].shift, &a, &b);
    if (!binary_ops[op].shift && !rv_unify(fn, &a, &b, pos))
        return rv_error();
    r = fold_typed(fn, op, a, b, &done);
    if (done)
        return r;
    if (binary_ops[op].shift)
        return shift_value(fn, binary_ops[op].op, a, b, pos);
    if (a.type.base == IR_FLOAT && (op == AST_OP_AND || op == AST_OP_OR || op == AST_OP_XOR))
        return error_at(fn, pos, "bitwise operators work on integers");
    return rv_value(ir_binary(&fn->b, binary_ops[op].op, a.v, b.v));
}
