/*
 * The C dialect: how IR operations are written in C.
 */
#include "gencc/emit/c_dialect.h"
#include "gencc/emit/ctype.h"
#include "gencc/emit/intrinsics.h"

#include <inttypes.h>

static const struct ir_value *operand_at(const struct ir_value *v, unsigned i)
{
    return v->ops.data[i];
}

/* ---- constants ------------------------------------------------------------------------------- */

static const char *signed_scalar(struct emit *e, struct ir_type t, int64_t v)
{
    if (v == INT64_MIN)
        return "INT64_MIN";
    return arena_printf(e->arena, t.bits == 64 ? "INT64_C(%" PRId64 ")" : "%" PRId64, v);
}

static const char *scalar_constant(struct emit *e, struct ir_type t, u128 bits)
{
    uint64_t low = (uint64_t)bits;
    const char *digits = arena_printf(e->arena, low < 10 ? "%" PRIu64 : "%#" PRIx64, low);

    if (t.base == IR_FLOAT)
        return arena_printf(e->arena, "cpu_f%u(%#" PRIx64 ")", t.bits, low);
    if (t.bits == 128)
        return arena_printf(
            e->arena, "(%s)((uint128_t)UINT64_C(%#" PRIx64 ") << 64 | UINT64_C(%#" PRIx64 "))",
            ctype(e, t), (uint64_t)(bits >> 64), low);
    if (t.base == IR_SINT)
        return signed_scalar(e, t, (int64_t)(low << (64 - t.bits)) >> (64 - t.bits));
    return t.bits < 32 ? digits
                       : arena_printf(e->arena, t.bits == 64 ? "UINT64_C(%s)" : "%su", digits);
}

const char *c_constant(struct emit *e, struct ir_type t, u128 bits)
{
    const char *one, *all;

    if (!ir_is_vector(t))
        return scalar_constant(e, t, bits);
    all = arena_printf(e->arena, "(%s){", ctype(e, t));
    one = scalar_constant(e, ir_lane(t), bits);
    for (unsigned i = 0; i < t.lanes; i++)
        all = arena_printf(e->arena, "%s%s%s", all, i ? ", " : "", one);
    return arena_printf(e->arena, "%s}", all);
}

/* ---- operators ------------------------------------------------------------------------------- */

static bool narrow_result(struct ir_type t)
{
    return !ir_is_vector(t) && ir_is_int(t) && t.bits < 32;
}

static const char *infix_c(struct body *b, const struct ir_value *v)
{
    static const char *const operators[IR_OP_COUNT] = {
        [IR_ADD] = "+", [IR_SUB] = "-", [IR_MUL] = "*", [IR_DIV] = "/",
        [IR_AND] = "&", [IR_OR] = "|",  [IR_XOR] = "^"};

    if (v->op == IR_MUL && narrow_result(v->type))
        return "($T)((uint32_t)$0 * (uint32_t)$1)";
    return say(b, "%s($0 %s $1)", narrow_result(v->type) ? "($V)" : "", operators[v->op]);
}

static const char *compare_c(struct body *b, const struct ir_value *v)
{
    static const char *const operators[IR_OP_COUNT] = {
        [IR_EQ] = "==", [IR_NE] = "!=", [IR_LT] = "<",
        [IR_LE] = "<=", [IR_GT] = ">",  [IR_GE] = ">="};

    return say(b, "%s($0 %s $1)", ir_is_vector(v->type) ? "($T)" : "", operators[v->op]);
}

static bool amount_in_range(const struct ir_value *v)
{
    const struct ir_value *y = operand_at(v, 1);

    if (y->op == IR_CONST)
        return y->imm < v->type.bits;
    return !ir_is_vector(y->type) && ir_value_range(y).max < v->type.bits;
}

/* Amounts of lane-wise shifts, as unsigned lanes of the value's width. */
static const char *vector_amount(struct body *b, const struct ir_value *v)
{
    const struct ir_value *y = operand_at(v, 1);
    bool wide = ir_bytes(ir_lane(y->type)) * 8 > v->type.bits;

    if (!ir_is_vector(y->type))
        return say(b, "(($U){} + (%s)%s($1))", ctype(b->e, ir_lane(ir_with_base(v->type, IR_UINT))),
                   wide ? "cpu_min_amount" : "");
    return y->type.bits == v->type.bits ? "(($U)$1)" : "__builtin_convertvector($1, $U)";
}

static const char *by_lanes(struct body *b, const struct ir_value *v, const char *what)
{
    return say(b, "($T)CPU_%s_LANES($U, ($U)$0, %s, $n)", what, vector_amount(b, v));
}

static const char *shift_left(struct body *b, const struct ir_value *v)
{
    bool in_range = amount_in_range(v);

    if (ir_is_vector(v->type))
        return in_range ? "(($T)(($U)$0 << $1))" : by_lanes(b, v, "SHL");
    return in_range ? "($T)(($U)$0 << $1)" : "($1 < $n ? ($T)(($U)$0 << $1) : 0)";
}

static const char *shift_right(struct body *b, const struct ir_value *v)
{
    bool in_range = amount_in_range(v), is_signed = v->type.base == IR_SINT;

    if (!ir_is_vector(v->type)) {
        if (in_range)
            return "($T)($0 >> $1)";
        return is_signed ? "($T)($0 >> ($1 < $n ? $1 : $m))" : "($1 < $n ? ($T)($0 >> $1) : 0)";
    }
    if (in_range)
        return "(($T)($0 >> $1))";
    if (is_signed) /* too large an amount: the sign in every bit */
        return say(b, "($0 >> ($T)CPU_MIN_LANES($U, %s, $m))", vector_amount(b, v));
    return by_lanes(b, v, "SHR");
}

static const char *rotate_c(struct body *b, const struct ir_value *v)
{
    if (ir_is_vector(v->type))
        return by_lanes(b, v, v->op == IR_ROL ? "ROL" : "ROR");
    return v->op == IR_ROL ? "($T)(($U)$0 << ($1 & $m) | ($U)$0 >> (-$1 & $m))"
                           : "($T)(($U)$0 >> ($1 & $m) | ($U)$0 << (-$1 & $m))";
}

static const char *divide_c(struct body *b, const struct ir_value *v)
{
    if (v->type.base == IR_FLOAT)
        return infix_c(b, v);
    if (v->type.base == IR_SINT)
        return "($1 == 0 ? 0 : $1 == -1 ? ($T)(0 - ($U)$0) : ($T)($0 / $1))";
    return "($1 ? ($T)($0 / $1) : 0)";
}

static const char *remainder_of(const struct ir_value *v)
{
    if (v->type.base == IR_FLOAT)
        return v->type.bits == 32 ? "fmodf($0, $1)" : "fmod($0, $1)";
    if (v->type.base == IR_SINT)
        return "($1 == 0 ? $0 : $1 == -1 ? 0 : ($T)($0 % $1))";
    return "($1 ? ($T)($0 % $1) : $0)";
}

static const char *negate_c(const struct ir_value *v)
{
    return v->type.base == IR_FLOAT || ir_is_vector(v->type) ? "(-$0)" : "($T)(0 - ($U)$0)";
}

static const char *convert_c(const struct ir_value *v)
{
    if (ir_is_vector(v->type))
        return "__builtin_convertvector($0, $T)";
    if (operand_at(v, 0)->type.base == IR_FLOAT && ir_is_int(v->type))
        return v->type.base == IR_UINT ? "($T)cpu_to_uint($0, $n)" : "($T)cpu_to_sint($0, $n)";
    return "($T)$0";
}

static const char *bitcast_c(struct body *b, const struct ir_value *v)
{
    struct ir_type from = operand_at(v, 0)->type;
    const char *bits = "$0";

    if (from.base == IR_FLOAT && !ir_is_vector(from))
        bits = say(b, "cpu_bits%u($0)", from.bits);
    if (v->type.base == IR_FLOAT && !ir_is_vector(v->type))
        return say(b, "cpu_f%u((uint%u_t)%s)", v->type.bits, v->type.bits, bits);
    return say(b, "(($T)%s)", bits);
}

/* ---- vectors --------------------------------------------------------------------------------- */

static const char *splat_c(struct body *b, const struct ir_value *v)
{
    const char *text = "($T){$0";

    for (unsigned i = 1; i < v->type.lanes; i++)
        text = say(b, "%s, $0", text);
    return say(b, "%s}", text);
}

static const char *concat_c(struct body *b, const struct ir_value *v)
{
    const char *text = "__builtin_shufflevector($0, $1";

    if (!ir_is_vector(operand_at(v, 0)->type) && !ir_is_vector(operand_at(v, 1)->type))
        return "($T){$*}";
    for (unsigned i = 0; i < v->type.lanes; i++)
        text = say(b, "%s, %u", text, i);
    return say(b, "%s)", text);
}

static const char *element_c(struct body *b, const struct ir_value *v)
{
    const struct ir_value *index = operand_at(v, 1);
    unsigned lanes = operand_at(v, 0)->type.lanes;

    if (index->op == IR_CONST)
        return say(b, "[%u]", (unsigned)(index->imm % lanes));
    return ir_value_range(index).max >= lanes ? say(b, "[$1 %% %u]", lanes) : "[$1]";
}

/* ---- fields, registers ----------------------------------------------------------------------- */

static const char *field_c(struct body *b, const struct field *f)
{
    if (f->computed)
        return say(b, "($T)fields[%u]", f->index);
    if (f->width > 64)
        return say(b, "($T)(word >> %u)", f->lsb);
    return say(b, "($T)(word >> %u & UINT%u_C(%#" PRIx64 "))", f->lsb, f->width > 32 ? 64 : 32,
               f->width >= 64 ? UINT64_MAX : (UINT64_C(1) << f->width) - 1);
}

bool index_unsure(const struct ir_value *v)
{
    return v->view->is_bank && ir_value_range(operand_at(v, 0)).max >= v->view->count;
}

const char *register_place(struct body *b, const struct reg_view *view, const char *index)
{
    return view->is_bank ? say(b, "%s_%s(%s)", b->e->capital_prefix, view->name, index)
                         : say(b, "%s_%s", b->e->capital_prefix, view->name);
}

static const char *register_c(struct body *b, const struct ir_value *v, struct ir_type t)
{
    return say(b, "REG(%s, %s)", ctype_memory(b->e, t), register_place(b, v->view, "$0"));
}

static const char *register_read(struct body *b, const struct ir_value *v)
{
    if (v->view == b->e->model->pc)
        return "($T)cpu->pc";
    /* The cast is for gcc 14 on AArch64: common/arithmetic.h. */
    if (!index_unsure(v) && (ir_is_vector(v->type) || v->type.bits == 128))
        return say(b, "($T)%s", register_c(b, v, v->type));
    if (!index_unsure(v))
        return register_c(b, v, v->type);
    return say(b, "($0 < %u ? ($T)%s : %s)", v->view->count, register_c(b, v, v->type),
               c_constant(b->e, v->type, 0));
}

static const char *register_write(struct body *b, const struct ir_value *v)
{
    unsigned last = v->ops.len - 1;

    if (v->view == b->e->model->pc)
        return "cpu->pc = $0";
    return say(b, "%s%s = $%u", index_unsure(v) ? say(b, "if ($0 < %u) ", v->view->count) : "",
               register_c(b, v, operand_at(v, last)->type), last);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static const char *external_call(struct body *b, const struct ir_value *v)
{
    const char *text = say(b, "%s(", v->fn->name);
    unsigned outs = 0;

    for (unsigned i = 0; i < v->fn->params.len; i++) {
        text = say(b, "%s%s", text, i ? ", " : "");
        text = v->fn->by_ref.data[i] ? say(b, "%s&a%u", text, ++outs) : say(b, "%s$%u", text, i);
    }
    return say(b, "%s)", text);
}

static const char *helper_call(struct body *b, const struct ir_value *v)
{
    const char *first = dialect_arguments(b->dialect), *comma = *first ? ", " : "";
    const char *text = say(b, "%s_%s(%s", b->e->prefix, v->callee->name, first);

    if (v->ops.len) {
        text = say(b, "%s%s$*", text, comma);
        comma = ", ";
    }
    for (unsigned i = 0; i < v->callee->outs.len; i++, comma = ", ")
        text = say(b, "%s%s&a%u", text, comma, i + 1);
    return say(b, "%s)", text);
}

/* ---- all ------------------------------------------------------------------------------------- */

static const char *operation_c(struct body *b, const struct ir_value *v)
{
    switch (v->op) {
    case IR_CONST:
        return c_constant(b->e, v->type, v->imm);
    case IR_PARAM:
        return say(b, "p%u", (unsigned)v->imm);
    case IR_WORD:
        return "($T)word";
    case IR_FIELD:
        return field_c(b, v->field);
    case IR_FIELD_WRITE:
        return say(b, "fields[%u] = (uint64_t)$0", v->field->index);
    case IR_ADD:
    case IR_SUB:
    case IR_MUL:
    case IR_AND:
    case IR_OR:
    case IR_XOR:
        return infix_c(b, v);
    case IR_EQ:
    case IR_NE:
    case IR_LT:
    case IR_LE:
    case IR_GT:
    case IR_GE:
        return compare_c(b, v);
    case IR_DIV:
        return divide_c(b, v);
    case IR_MOD:
        return remainder_of(v);
    case IR_NEG:
        return negate_c(v);
    case IR_NOT:
        return "($T)~$0";
    case IR_SHL:
        return shift_left(b, v);
    case IR_SHR:
        return shift_right(b, v);
    case IR_ROL:
    case IR_ROR:
        return rotate_c(b, v);
    case IR_SELECT:
        return ir_is_vector(operand_at(v, 0)->type) ? "($T)((($U)$0 & ($U)$1) | (~($U)$0 & ($U)$2))"
                                                    : "($0 ? $1 : $2)";
    case IR_CONVERT:
        return convert_c(v);
    case IR_BITCAST:
        return bitcast_c(b, v);
    case IR_SPLAT:
        return splat_c(b, v);
    case IR_BUILD:
        return "($T){$*}";
    case IR_CONCAT:
        return concat_c(b, v);
    case IR_EXTRACT:
        return say(b, "$0%s", element_c(b, v));
    case IR_INSERT: /* behind a copy of the vector to the result */
        return say(b, "%s = $2", element_c(b, v));
    case IR_REG_READ:
        return register_read(b, v);
    case IR_REG_WRITE:
        return register_write(b, v);
    case IR_CALL:
        return helper_call(b, v);
    case IR_EXTERNAL:
        return external_call(b, v);
    case IR_RESULT:
        return say(b, "o%u_%u", operand_at(v, 0)->id, (unsigned)v->imm);
    default:
        return NULL;
    }
}

static const char *operand_reference(struct body *b, const struct ir_value *v)
{
    const struct operand *o;

    if (b->at[v->id].place != PLACE_OPERAND)
        return NULL;
    o = &b->operands.data[b->at[v->id].number];
    return say(b, ir_type_eq(o->stored, v->type) ? "o->%s" : "($T)o->%s", o->name);
}

static void write_end(struct body *b, const struct ir_value *end)
{
    unsigned at = ir_is_void(b->f->result) ? 0 : 1;

    if (end->op == IR_UNREACHABLE) {
        fputs("    __builtin_unreachable();\n", b->o);
        return;
    }
    for (unsigned i = 0; i < b->f->outs.len; i++) {
        fprintf(b->o, "    *r%u = ", i);
        expr(b, end->ops.data[at + i]);
        fputs(";\n", b->o);
    }
    fputs(at ? "    return " : "    return", b->o);
    if (at)
        expr(b, end->ops.data[0]);
    fputs(";\n", b->o);
}

const struct dialect c_dialect = {
    .name = "the generated C",
    .intrinsics = c_intrinsics,
    .operation = operation_c,
    .reference = operand_reference,
    .type = ctype,
    .leave = write_end,
    .parameters = "CPU_ARGS",
    .arguments = "cpu, i",
};
