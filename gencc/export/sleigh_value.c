/*
 * P-code of operations, one variable per lane. SLEIGH's operations have the IR's meaning but for
 * divisions, floats that become integers, and vectors.
 */
#include "gencc/export/sleigh.h"
#include "gencc/ir/pass.h"

#include <inttypes.h>
#include <stdlib.h>

#define TEXT(...) arena_printf(c->f->s->arena, __VA_ARGS__)

static const char *refuse(struct sl_code *c, const char *why)
{
    c->refused = why;
    return "0";
}

/* The low bytes of a variable or a constant */
static const char *low_part(struct sl_code *c, const char *x, unsigned bytes)
{
    if (*x == '0')
        return sl_constant(c, strtoull(x, NULL, 16), bytes);
    return sl_local(c, bytes, TEXT("%s:%u", x, bytes));
}

/* ---- integers -------------------------------------------------------------------------------- */

/* The value where the divisor is 0 or -1, which p-code does not define, is set before. */
static const char *divide(struct sl_code *c, const struct ir_value *v, const char *x, const char *y)
{
    unsigned bytes = v->type.bits / 8, done = ++c->labels;
    bool is_signed = v->type.base == IR_SINT, is_mod = v->op == IR_MOD;
    const char *r = sl_local(c, bytes, is_mod ? x : "0");

    sl_say(c, "if (%s == 0) goto <_l%u>;", y, done);
    if (is_signed) {
        sl_say(c, is_mod ? "%s = 0;" : "%s = -%s;", r, x);
        sl_say(c, "if (%s == %s) goto <_l%u>;", y, sl_constant(c, ~(u128)0, bytes), done);
    }
    sl_say(c, "%s = %s %s%s %s;", r, x, is_signed ? "s" : "", is_mod ? "%" : "/", y);
    sl_say(c, "<_l%u>", done);
    return r;
}

static const char *rotate(struct sl_code *c, const struct ir_value *v, const char *x, const char *y)
{
    unsigned bits = v->type.bits;
    const char *by = sl_local(c, 4,
                              v->ops.data[1]->type.bits > 32   ? low_part(c, y, 4)
                              : v->ops.data[1]->type.bits < 32 ? TEXT("zext(%s)", y)
                                                               : y);
    const char *amount = sl_local(c, 4, TEXT("%s & %u", by, bits - 1));
    const char *rest = sl_local(c, 4, TEXT("%u - %s", bits, amount));
    bool left = v->op == IR_ROL;

    return sl_local(c, bits / 8,
                    TEXT("(%s %s %s) | (%s %s %s)", x, left ? "<<" : ">>", amount, x,
                         left ? ">>" : "<<", rest));
}

static const char *integer(struct sl_code *c, const struct ir_value *v, const char *x,
                           const char *y)
{
    static const char *const signs[IR_OP_COUNT] = {
        [IR_ADD] = "+", [IR_SUB] = "-", [IR_MUL] = "*",  [IR_AND] = "&",
        [IR_OR] = "|",  [IR_XOR] = "^", [IR_SHL] = "<<",
    };
    unsigned bytes = v->type.bits / 8;

    switch (v->op) {
    case IR_NEG:
        return sl_local(c, bytes, TEXT("-%s", x));
    case IR_NOT:
        return sl_local(c, bytes, TEXT("~%s", x));
    case IR_DIV:
    case IR_MOD:
        return divide(c, v, x, y);
    case IR_ROL:
    case IR_ROR:
        return rotate(c, v, x, y);
    case IR_SHR:
        return sl_local(c, bytes, TEXT("%s %s>> %s", x, v->type.base == IR_SINT ? "s" : "", y));
    default:
        return signs[v->op] ? sl_local(c, bytes, TEXT("%s %s %s", x, signs[v->op], y))
                            : refuse(c, "an operation has no p-code");
    }
}

/* ---- floats ---------------------------------------------------------------------------------- */

static const char *by_name(struct sl_code *c, const struct ir_value *v, const char *x,
                           const char *y)
{
    char from[24], to[24];
    const char *name = v->op == IR_CONVERT
                           ? TEXT("%s_to_%s", ir_type_name(ir_lane(v->ops.data[0]->type), from),
                                  ir_type_name(ir_lane(v->type), to))
                           : TEXT("%s_%s", ir_type_name(ir_lane(v->type), to), ir_ops[v->op].name);

    c->f->s->calls++;
    name = sl_op(c->f->s, name);
    return sl_local(c, v->type.bits / 8,
                    y ? TEXT("%s(%s, %s)", name, x, y) : TEXT("%s(%s)", name, x));
}

static const char *floating(struct sl_code *c, const struct ir_value *v, const char *x,
                            const char *y)
{
    unsigned bytes = v->type.bits / 8;
    const char *sign = v->op == IR_ADD   ? "f+"
                       : v->op == IR_SUB ? "f-"
                       : v->op == IR_MUL ? "f*"
                       : v->op == IR_DIV ? "f/"
                                         : NULL;

    if (v->op == IR_NEG)
        return sl_local(c, bytes,
                        TEXT("%s ^ %s", x, sl_constant(c, (u128)1 << (v->type.bits - 1), bytes)));
    return sign ? sl_local(c, bytes, TEXT("%s %s %s", x, sign, y)) : by_name(c, v, x, y);
}

static const char *convert(struct sl_code *c, const struct ir_value *v, const char *x)
{
    struct ir_type from = v->ops.data[0]->type;
    unsigned bytes = v->type.bits / 8;

    if (from.base == IR_FLOAT && v->type.base == IR_FLOAT)
        return from.bits == v->type.bits ? x : sl_local(c, bytes, TEXT("float2float(%s)", x));
    if (from.base == IR_FLOAT)
        return by_name(c, v, x, NULL);
    if (v->type.base == IR_FLOAT) {
        if (from.base == IR_UINT)
            x = sl_local(c, from.bits / 4, TEXT("zext(%s)", x));
        return sl_local(c, bytes, TEXT("int2float(%s)", x));
    }
    if (from.bits == v->type.bits)
        return x;
    if (from.bits > v->type.bits)
        return low_part(c, x, bytes);
    return sl_local(c, bytes, TEXT("%s(%s)", from.base == IR_SINT ? "sext" : "zext", x));
}

/* ---- comparisons, choices -------------------------------------------------------------------- */

static const char *compare(struct sl_code *c, const struct ir_value *v, const char *x,
                           const char *y)
{
    static const char *const signs[3][6] = {
        {"==", "!=", "<", "<=", ">", ">="},
        {"==", "!=", "s<", "s<=", "s>", "s>="},
        {"f==", "f!=", "f<", "f<=", "f>", "f>="},
    };
    unsigned base = v->ops.data[0]->type.base;
    const char *r = sl_local(
        c, 1, TEXT("%s %s %s", x, signs[base == IR_FLOAT ? 2 : base == IR_SINT][v->op - IR_EQ], y));

    if (v->type.lanes == 1 && v->type.bits == 8)
        return r;
    r = v->type.bits == 8 ? r : sl_local(c, v->type.bits / 8, TEXT("zext(%s)", r));
    return v->type.lanes == 1 ? r : sl_local(c, v->type.bits / 8, TEXT("-%s", r));
}

static const char *choose(struct sl_code *c, unsigned bytes, const char *on, const char *x,
                          const char *y)
{
    const char *r = sl_local(c, bytes, y);
    unsigned done = ++c->labels;

    sl_say(c, "if (%s == 0) goto <_l%u>;", on, done);
    sl_say(c, "%s = %s;", r, x);
    sl_say(c, "<_l%u>", done);
    return r;
}

/* ---- vectors --------------------------------------------------------------------------------- */

static void bitcast(struct sl_code *c, const struct ir_value *v, const char *const *x,
                    const char **to)
{
    unsigned from = v->ops.data[0]->type.bits, bits = v->type.bits;

    for (unsigned i = 0; i < v->type.lanes; i++) {
        unsigned at = i * bits;

        if (bits == from) {
            to[i] = x[i];
        } else if (bits < from) {
            const char *high =
                at % from ? sl_local(c, from / 8, TEXT("%s >> %u", x[at / from], at % from))
                          : x[at / from];

            to[i] = low_part(c, high, bits / 8);
        } else {
            to[i] = sl_local(c, bits / 8, TEXT("zext(%s)", x[at / from]));
            for (unsigned k = 1; k < bits / from; k++) {
                const char *part = sl_local(c, bits / 8, TEXT("zext(%s)", x[at / from + k]));

                to[i] = sl_local(c, bits / 8, TEXT("%s | (%s << %u)", to[i], part, k * from));
            }
        }
    }
}

/* The lane that a variable numbers */
static const char *pick(struct sl_code *c, const struct ir_value *v, const char *const *x,
                        const char *at)
{
    unsigned lanes = v->ops.data[0]->type.lanes;
    const char *r = x[0];

    at = sl_local(c, v->ops.data[1]->type.bits / 8, TEXT("%s %% %u", at, lanes));
    for (unsigned i = 1; i < lanes; i++) {
        const char *on = sl_local(c, 1, TEXT("%s == %u", at, i));

        r = choose(c, v->type.bits / 8, on, x[i], r);
    }
    return r;
}

static void arrange(struct sl_frame *fr, const struct ir_value *v, const char **to)
{
    struct sl_code *c = fr->c;
    const char *const *x = fr->slots[v->ops.data[0]->id];
    unsigned lanes = v->ops.data[0]->type.lanes;
    const struct ir_value *at = v->ops.len > 1 ? v->ops.data[1] : NULL;

    for (unsigned i = 0; i < v->type.lanes; i++) {
        if (v->op == IR_SPLAT) {
            to[i] = x[0];
        } else if (v->op == IR_BUILD) {
            to[i] = fr->slots[v->ops.data[i]->id][0];
        } else if (v->op == IR_CONCAT) {
            to[i] = i < lanes ? x[i] : fr->slots[at->id][i - lanes];
        } else if (v->op == IR_EXTRACT) {
            to[i] = ir_is_const(at) ? x[(unsigned)(at->imm % lanes)]
                                    : pick(c, v, x, fr->slots[at->id][0]);
        } else if (ir_is_const(at)) { /* INSERT */
            to[i] = at->imm % lanes == i ? fr->slots[v->ops.data[2]->id][0] : x[i];
        } else {
            const char *n =
                sl_local(c, at->type.bits / 8, TEXT("%s %% %u", fr->slots[at->id][0], lanes));

            to[i] = choose(c, v->type.bits / 8, sl_local(c, 1, TEXT("%s == %u", n, i)),
                           fr->slots[v->ops.data[2]->id][0], x[i]);
        }
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

static const char *field_value(struct sl_code *c, const struct ir_value *v)
{
    const struct field *f = v->field;
    unsigned bytes = v->type.bits / 8;
    u128 bits, value;

    if (f->computed)
        return c->fields[f->index] ? c->fields[f->index] : sl_constant(c, 0, bytes);
    if (f->lsb >= c->f->width)
        return c->f->s->isa->context.slot && f->lsb >= CONTEXT_LSB
                   ? sl_local(c, 1,
                              TEXT("(_ctx >> %u) & 0x%llx", f->lsb - CONTEXT_LSB,
                                   (unsigned long long)low_bits(f->width)))
                   : refuse(c, "a field is not in the word");
    if (sl_depends(c->f, v, &bits) && !bits && sl_evaluate(c->f, v, c->f->value, &value))
        return sl_constant(c, value, bytes);
    if (f->width > 64)
        return refuse(c, "a field has more than 64 bits");
    return sl_local(c, bytes, sl_use(c->f, sl_field(c->f, f->lsb, f->width, NULL)));
}

static const char *one_lane(struct sl_code *c, const struct ir_value *v, const char *x,
                            const char *y)
{
    if (v->op == IR_CONVERT)
        return convert(c, v, x);
    if (v->op >= IR_EQ && v->op <= IR_GE)
        return compare(c, v, x, y);
    return v->type.base == IR_FLOAT ? floating(c, v, x, y) : integer(c, v, x, y);
}

static void operate(struct sl_frame *fr, const struct ir_value *v, const char **to)
{
    const char *const *x = v->ops.len ? fr->slots[v->ops.data[0]->id] : NULL;
    unsigned bytes = v->type.bits / 8;

    if (v->op == IR_BITCAST) {
        bitcast(fr->c, v, x, to);
    } else if (v->op == IR_SELECT) {
        for (unsigned i = 0; i < v->type.lanes; i++)
            to[i] = choose(fr->c, bytes, x[v->ops.data[0]->type.lanes == 1 ? 0 : i],
                           fr->slots[v->ops.data[1]->id][i], fr->slots[v->ops.data[2]->id][i]);
    } else if (v->op >= IR_SPLAT) {
        arrange(fr, v, to);
    } else {
        for (unsigned i = 0; i < v->type.lanes; i++) {
            const struct ir_value *by = v->ops.len > 1 ? v->ops.data[1] : NULL;

            to[i] = one_lane(fr->c, v, x[i],
                             by ? fr->slots[by->id][by->type.lanes == 1 ? 0 : i] : NULL);
        }
    }
}

const char *const *sl_value(struct sl_frame *fr, const struct ir_value *v)
{
    struct sl_code *c = fr->c;
    const char **to = sl_lanes(c, v->type.lanes);

    if (v->op == IR_CONST) {
        for (unsigned i = 0; i < v->type.lanes; i++)
            to[i] = sl_constant(c, v->imm, v->type.bits / 8);
    } else if (v->op == IR_PARAM) {
        return fr->args[(unsigned)v->imm];
    } else if (v->op == IR_FIELD) {
        to[0] = field_value(c, v);
    } else if (v->op == IR_WORD) {
        to[0] = c->f->width > 64 ? refuse(c, "its word has more than 64 bits")
                                 : sl_local(c, v->type.bits / 8,
                                            sl_use(c->f, sl_field(c->f, 0, c->f->width, NULL)));
    } else if (v->op == IR_FIELD_WRITE) {
        sl_say(c, "%s = %s;", c->fields[v->field->index], fr->slots[v->ops.data[0]->id][0]);
    } else if (v->op == IR_RESULT) {
        const struct ir_value *call = v->ops.data[0];
        unsigned at = ir_is_void(call->type) ? 0 : call->type.lanes;

        for (unsigned i = 1; i < v->imm; i++)
            at += ir_output_type(call, i).lanes;
        return fr->slots[call->id] + at;
    } else if (v->op >= IR_ADD && v->op <= IR_CONCAT) {
        operate(fr, v, to);
    } else if (v->op != IR_TEXT) {
        refuse(c, "an operation has no p-code");
    }
    return to;
}
