/*
 * Built-in functions: width-independent arithmetic, additions that set flags, and the decode-time
 * functions of the published models.
 */
#include "gencc/lower/internal.h"

#include <string.h>

enum { MAX_BUILTIN_ARGS = 16 };

struct call {
    struct fn *fn;
    const struct ast_expr *e;
    struct rv args[MAX_BUILTIN_ARGS];
    int param; /* parameter of the table's row: a width or an operation */
};

typedef struct rv (*builtin_fn)(struct call *c);

static struct rv binary_rv(struct call *c, enum ast_op op, struct rv a, struct rv b)
{
    return rv_binary(c->fn, op, a, b, c->e->pos);
}

static struct rv convert_rv(struct call *c, struct rv a, struct ir_type t)
{
    return rv_as(c->fn, a, t, c->e->pos);
}

static struct rv unary_intrinsic(struct call *c, enum ir_intrinsic i, struct rv a)
{
    return a.ok ? lower_emit_intrinsic(c->fn, i, 1, &a.v, c->e->pos) : a;
}

/* Returns argument `i`, which must be an integer scalar, converted to its unsigned type. */
static struct rv unsigned_scalar(struct call *c, unsigned i)
{
    struct rv a = rv_typed(c->fn, c->args[i]);

    if (!a.ok)
        return a;
    if (a.type.lanes != 1 || !ir_is_int(a.type)) {
        diag_error(c->fn->lo->diag, c->e->args.data[i]->pos, "'%s' needs a scalar integer",
                   c->e->name);
        return rv_error();
    }
    return convert_rv(c, a, ir_with_base(a.type, IR_UINT));
}

/* ---- bits ------------------------------------------------------------------------------------ */

static struct rv sign_extend(struct call *c)
{
    struct rv x = convert_rv(c, c->args[0], IR_T_U64),
              n = binary_rv(c, AST_OP_SUB, rv_literal(64), c->args[1]);

    if (!x.ok || !n.ok)
        return rv_error();
    x = binary_rv(c, AST_OP_SHL, x, n);
    return binary_rv(c, AST_OP_SHR, convert_rv(c, x, IR_T_S64), n);
}

static struct rv ones_mask(struct call *c)
{
    struct rv one = rv_value(ir_const(&c->fn->b, IR_T_U64, 1));

    return binary_rv(c, AST_OP_SUB, binary_rv(c, AST_OP_SHL, one, c->args[0]), rv_literal(1));
}

/* Repeats x every n bits: multiplies by 1…0001…0001, which is (all ones) / (n ones). */
static struct rv replicate_bits(struct call *c)
{
    struct rv x = convert_rv(c, c->args[0], IR_T_U64);
    struct call n = *c;

    n.args[0] = c->args[1];
    struct rv all = rv_value(ir_const(&c->fn->b, IR_T_U64, UINT64_MAX));

    return binary_rv(c, AST_OP_MUL, x, binary_rv(c, AST_OP_DIV, all, ones_mask(&n)));
}

/* SIGNED_BITS(x, hi, lo), if c->param, and UNSIGNED_BITS(x, hi, lo) of the published models. */
static struct rv bit_range(struct call *c)
{
    struct rv x = convert_rv(c, c->args[0], IR_T_U64);
    struct rv top = binary_rv(c, AST_OP_SUB, rv_literal(63), c->args[1]);
    struct rv down = binary_rv(c, AST_OP_ADD, top, c->args[2]);

    x = binary_rv(c, AST_OP_SHL, x, top);
    if (c->param)
        x = convert_rv(c, x, IR_T_S64);
    return binary_rv(c, AST_OP_SHR, x, down);
}

static const struct {
    enum ir_intrinsic of32, of64;
} bit_ops[] = {
    {IR_I_CLZ32, IR_I_CLZ64},           {IR_I_CTZ32, IR_I_CTZ64},
    {IR_I_POPCOUNT32, IR_I_POPCOUNT64}, {IR_I_BITREV32, IR_I_BITREV64},
    {IR_I_BSWAP32, IR_I_BSWAP64},
};
enum { OP_CLZ, OP_CTZ, OP_POPCOUNT, OP_BITREV, OP_BSWAP };

/* Widths that no intrinsic has are computed with 32 bits; the result is adjusted. */
static struct rv bit_op(struct call *c)
{
    struct rv x = unsigned_scalar(c, 0), wide;
    unsigned width;

    if (!x.ok)
        return x;
    width = x.type.bits;
    if (width > 64) {
        diag_error(c->fn->lo->diag, c->e->pos, "'%s' works on up to 64 bits", c->e->name);
        return rv_error();
    }
    if (width == 64)
        return unary_intrinsic(c, bit_ops[c->param].of64, x);
    wide = convert_rv(c, x, IR_T_U32);
    if (c->param == OP_CTZ && width < 32)
        wide = binary_rv(c, AST_OP_OR, wide, rv_literal((__int128)1 << width));
    wide = unary_intrinsic(c, bit_ops[c->param].of32, wide);
    if (width < 32 && c->param == OP_CLZ)
        wide = binary_rv(c, AST_OP_SUB, wide, rv_literal(32 - width));
    if (width < 32 && (c->param == OP_BITREV || c->param == OP_BSWAP))
        wide = binary_rv(c, AST_OP_SHR, wide, rv_literal(32 - width));
    return convert_rv(c, wide, x.type);
}

/* The published name always means 32 bits, whatever the operand's width. */
static struct rv lower_clz32(struct call *c)
{
    return unary_intrinsic(c, IR_I_CLZ32, convert_rv(c, c->args[0], IR_T_U32));
}

/* cat(a, b, …): concatenates fields of the word; the first is the most significant. */
static struct rv concatenate_fields(struct call *c)
{
    struct rv all = rv_value(ir_const(&c->fn->b, IR_T_U64, 0));

    for (unsigned i = 0; i < c->e->args.len; i++) {
        const struct ast_expr *a = c->e->args.data[i];
        bool bare = a->kind == AST_NAME && c->fn->bare_fields && !fn_var(c->fn, a->name);
        struct field *f = c->fn->format && (bare || a->kind == AST_MEMBER)
                              ? format_field(c->fn->format, a->name)
                              : NULL;

        if (!f || !f->width) {
            diag_error(c->fn->lo->diag, a->pos, "cat() joins raw fields; this is not a raw field");
            return rv_error();
        }
        all = binary_rv(c, AST_OP_SHL, all, rv_literal(f->width));
        all = binary_rv(c, AST_OP_OR, all, convert_rv(c, c->args[i], IR_T_U64));
    }
    return all;
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static struct rv select_rv(struct call *c, struct rv cond, struct rv a, struct rv b)
{
    a = rv_typed(c->fn, a);
    b = rv_typed(c->fn, b);
    if (!cond.ok || !a.ok || !b.ok)
        return rv_error();
    if (a.type.lanes < b.type.lanes || (ir_is_int(a.type) && a.type.bits < b.type.bits))
        a = convert_rv(c, a, b.type);
    else
        b = convert_rv(c, b, a.type);
    if (!a.ok || !b.ok)
        return rv_error();
    return rv_value(ir_select(&c->fn->b, cond.v, a.v, b.v));
}

static struct rv min_max(struct call *c)
{
    struct rv a = c->args[0], b = c->args[1], cond;

    if (a.is_literal && b.is_literal)
        return rv_literal((a.literal_value < b.literal_value) == (c->param == 0) ? a.literal_value
                                                                                 : b.literal_value);
    if (a.is_literal)
        a = convert_rv(c, a, b.type);
    if (b.is_literal)
        b = convert_rv(c, b, a.type);
    cond = binary_rv(c, c->param ? AST_OP_GT : AST_OP_LT, a, b);
    return select_rv(c, cond, a, b);
}

static struct rv absolute_value(struct call *c)
{
    struct rv a = rv_typed(c->fn, c->args[0]);

    if (!a.ok || a.type.base == IR_UINT)
        return a;
    struct rv neg = rv_value(ir_unary(&c->fn->b, IR_NEG, a.v));

    return select_rv(c, binary_rv(c, AST_OP_LT, a, rv_literal(0)), neg, a);
}

static struct rv type_property(struct call *c)
{
    struct rv a = rv_typed(c->fn, c->args[0]);

    return a.ok ? rv_literal(a.type.base == (c->param ? IR_FLOAT : IR_SINT)) : a;
}

/* ---- flags ----------------------------------------------------------------------------------- */

static bool set_flag(struct call *c, const char *tag, struct rv value)
{
    value = convert_rv(c, value, IR_T_U8);
    if (!value.ok)
        return false;
    vec_for_each (&c->fn->lo->model->views, v) {
        if ((*v)->tag && !strcmp((*v)->tag, tag)) {
            ir_reg_write(&c->fn->b, *v, NULL, value.v);
            return true;
        }
    }
    diag_error(c->fn->lo->diag, c->e->pos, "'%s' needs a slot tagged %s", c->e->name, tag);
    return false;
}

static bool set_nz(struct call *c, struct rv r)
{
    struct ir_type s = ir_with_base(r.type, IR_SINT);

    return set_flag(c, "N", binary_rv(c, AST_OP_LT, convert_rv(c, r, s), rv_literal(0))) &&
           set_flag(c, "Z", binary_rv(c, AST_OP_EQ, r, rv_literal(0)));
}

static struct rv sign_bit(struct call *c, struct rv x)
{
    return binary_rv(c, AST_OP_SHR, x, rv_literal(x.type.bits - 1));
}

/* a + b + carry in. c->param: width, plus 1 to set flags. */
static struct rv add_carry(struct call *c)
{
    struct ir_type t = ir_type(IR_UINT, (unsigned)c->param & ~1u, 1);
    struct rv a = convert_rv(c, c->args[0], t), b = convert_rv(c, c->args[1], t),
              ci = convert_rv(c, c->args[2], t), r, v;

    if (!a.ok || !b.ok || !ci.ok)
        return rv_error();
    r = binary_rv(c, AST_OP_ADD, binary_rv(c, AST_OP_ADD, a, b), ci);
    if (!(c->param & 1))
        return r;
    v = binary_rv(c, AST_OP_AND, binary_rv(c, AST_OP_XOR, a, r), binary_rv(c, AST_OP_XOR, b, r));
    struct rv carry = binary_rv(
        c, AST_OP_OR, binary_rv(c, AST_OP_LT, r, a),
        binary_rv(c, AST_OP_AND, convert_rv(c, ci, IR_T_U8), binary_rv(c, AST_OP_EQ, r, a)));

    if (!set_nz(c, r) || !set_flag(c, "C", carry) || !set_flag(c, "V", sign_bit(c, v)))
        return rv_error();
    return r;
}

/* a - b - borrow in. As on Arm, C is set if there was no borrow. */
static struct rv sub_carry(struct call *c)
{
    struct ir_type t = ir_type(IR_UINT, (unsigned)c->param & ~1u, 1);
    struct rv a = convert_rv(c, c->args[0], t), b = convert_rv(c, c->args[1], t),
              ci = convert_rv(c, c->args[2], t), r, v;

    if (!a.ok || !b.ok || !ci.ok)
        return rv_error();
    r = binary_rv(c, AST_OP_SUB, binary_rv(c, AST_OP_SUB, a, b), ci);
    if (!(c->param & 1))
        return r;
    v = binary_rv(c, AST_OP_AND, binary_rv(c, AST_OP_XOR, a, b), binary_rv(c, AST_OP_XOR, a, r));
    struct rv equal = binary_rv(c, AST_OP_AND, binary_rv(c, AST_OP_EQ, a, b),
                                binary_rv(c, AST_OP_EQ, ci, rv_literal(0)));
    struct rv carry = binary_rv(c, AST_OP_OR, binary_rv(c, AST_OP_GT, a, b), equal);

    if (!set_nz(c, r) || !set_flag(c, "C", carry) || !set_flag(c, "V", sign_bit(c, v)))
        return rv_error();
    return r;
}

static struct rv update_zn(struct call *c)
{
    struct rv a = convert_rv(c, c->args[0], ir_type(IR_UINT, (unsigned)c->param, 1));

    return a.ok && set_nz(c, a) ? (struct rv){.ok = true, .type = IR_T_VOID} : rv_error();
}

static struct rv compare_float(struct call *c)
{
    struct ir_type t = ir_type(IR_FLOAT, (unsigned)c->param, 1);
    struct rv a = convert_rv(c, c->args[0], t), b = convert_rv(c, c->args[1], t), lt, eq, ge;

    if (!a.ok || !b.ok)
        return rv_error();
    lt = binary_rv(c, AST_OP_LT, a, b);
    eq = binary_rv(c, AST_OP_EQ, a, b);
    ge = binary_rv(c, AST_OP_GE, a, b);
    struct rv unordered = binary_rv(c, AST_OP_EQ, binary_rv(c, AST_OP_OR, lt, ge), rv_literal(0));

    if (!set_flag(c, "N", lt) || !set_flag(c, "Z", eq) ||
        !set_flag(c, "C", binary_rv(c, AST_OP_EQ, lt, rv_literal(0))) ||
        !set_flag(c, "V", unordered))
        return rv_error();
    return (struct rv){.ok = true, .type = IR_T_VOID};
}

/* ---- the table ------------------------------------------------------------------------------- */

static const struct builtin {
    const char *name;
    int args; /* -1: any number */
    int param;
    builtin_fn fn;
} builtins[] = {
    {"sext", 2, 0, sign_extend},
    {"__SEXT64", 2, 0, sign_extend},
    {"ones", 1, 0, ones_mask},
    {"__ONES", 1, 0, ones_mask},
    {"__REPLICATE", 2, 0, replicate_bits},
    {"replicate", 2, 0, replicate_bits},
    {"SIGNED_BITS", 3, 1, bit_range},
    {"UNSIGNED_BITS", 3, 0, bit_range},
    {"clz", 1, OP_CLZ, bit_op},
    {"__CLZ32", 1, 0, lower_clz32},
    {"ctz", 1, OP_CTZ, bit_op},
    {"popcount", 1, OP_POPCOUNT, bit_op},
    {"bitrev", 1, OP_BITREV, bit_op},
    {"bswap", 1, OP_BSWAP, bit_op},
    {"cat", -1, 0, concatenate_fields},
    {"min", 2, 0, min_max},
    {"max", 2, 1, min_max},
    {"abs", 1, 0, absolute_value},
    {"is_signed", 1, 0, type_property},
    {"is_float", 1, 1, type_property},
    {"__builtin_adc8", 3, 8, add_carry},
    {"__builtin_adc16", 3, 16, add_carry},
    {"__builtin_adc32", 3, 32, add_carry},
    {"__builtin_adc64", 3, 64, add_carry},
    {"__builtin_adc8_flags", 3, 9, add_carry},
    {"__builtin_adc16_flags", 3, 17, add_carry},
    {"__builtin_adc32_flags", 3, 33, add_carry},
    {"__builtin_adc64_flags", 3, 65, add_carry},
    {"__builtin_sbc8", 3, 8, sub_carry},
    {"__builtin_sbc16", 3, 16, sub_carry},
    {"__builtin_sbc32", 3, 32, sub_carry},
    {"__builtin_sbc64", 3, 64, sub_carry},
    {"__builtin_sbc8_flags", 3, 9, sub_carry},
    {"__builtin_sbc16_flags", 3, 17, sub_carry},
    {"__builtin_sbc32_flags", 3, 33, sub_carry},
    {"__builtin_sbc64_flags", 3, 65, sub_carry},
    {"__builtin_update_zn_flags32", 1, 32, update_zn},
    {"__builtin_update_zn_flags64", 1, 64, update_zn},
    {"__builtin_cmpf32_flags", 2, 32, compare_float},
    {"__builtin_cmpf32e_flags", 2, 32, compare_float},
    {"__builtin_cmpf64_flags", 2, 64, compare_float},
    {"__builtin_cmpf64e_flags", 2, 64, compare_float},
};

/* is_signed(T) and is_float(T) with a type as argument, which is no expression. */
static bool type_argument(struct fn *fn, const struct ast_expr *e, struct rv *out)
{
    struct ir_type found;
    bool is_float = !strcmp(e->name, "is_float");

    if ((!is_float && strcmp(e->name, "is_signed")) || e->targs.len != 1 || e->args.len ||
        !e->targs.data[0].type)
        return false;
    if (lower_type(fn, e->targs.data[0].type, &found))
        *out = rv_literal(found.base == (is_float ? IR_FLOAT : IR_SINT));
    else
        *out = rv_error();
    return true;
}

bool lower_is_pure_builtin(const char *name)
{
    for (unsigned i = 0; i < sizeof(builtins) / sizeof(*builtins); i++)
        if (!strcmp(builtins[i].name, name))
            return !strstr(name, "_flags");
    return false;
}

void lower_builtin_guess(struct name_guess *g)
{
    for (unsigned i = 0; i < sizeof(builtins) / sizeof(*builtins); i++)
        name_guess_offer(g, builtins[i].name);
}

/* Checks arguments that are numbers of bits; returns false after an error. */
static bool judge_widths(struct call *c)
{
    const struct ast_expr *e = c->e;

    if (!strcmp(e->name, "sext") || !strcmp(e->name, "__SEXT64"))
        return judge_extension(c->fn, e->name, c->args[0], c->args[1], e->pos);
    if (!strcmp(e->name, "ones") || !strcmp(e->name, "__ONES"))
        return judge_extension(c->fn, e->name, rv_error(), c->args[0], e->pos);
    return true;
}

bool lower_builtin(struct fn *fn, const struct ast_expr *e, struct rv *out)
{
    const struct builtin *b = NULL;
    struct call c = {.fn = fn, .e = e};
    bool c_rules = fn->c_rules;

    if (type_argument(fn, e, out))
        return true;
    for (unsigned i = 0; i < sizeof(builtins) / sizeof(*builtins); i++)
        if (!strcmp(builtins[i].name, e->name))
            b = &builtins[i];
    if (!b)
        return false;
    *out = rv_error();
    if ((b->args >= 0 && e->args.len != (unsigned)b->args) || e->args.len > MAX_BUILTIN_ARGS) {
        diag_error(fn->lo->diag, e->pos, "'%s' takes %s%d argument%s, not %u", e->name,
                   b->args < 0 ? "at most " : "", b->args < 0 ? MAX_BUILTIN_ARGS : b->args,
                   b->args == 1 ? "" : "s", e->args.len);
        return true;
    }
    for (unsigned i = 0; i < e->args.len; i++) {
        c.args[i] = lower_expr(fn, e->args.data[i]);
        if (!c.args[i].ok)
            return true;
        if (!c.args[i].is_literal && ir_is_void(c.args[i].type)) {
            diag_error(fn->lo->diag, e->args.data[i]->pos, "this has no value");
            return true;
        }
    }
    c.param = b->param;
    if (!judge_widths(&c)) {
        *out = rv_error();
        return true;
    }
    fn->b.pos = e->pos;
    fn->c_rules = false; /* built-in functions follow GenC's rules even where the text is C */
    *out = b->fn(&c);
    fn->c_rules = c_rules;
    return true;
}
