/*
 * Expressions of C for values of the IR.
 */
#include "gencc/emit/lane.h"

#include <inttypes.h>
#include <string.h>

static const char *type(struct cfn *c, struct ir_type t)
{
    return ctype(c->e, t);
}

/* Flags of lanes are as wide as registers: a vector of them then has as many lanes. */
static bool is_wide_flag(const struct cfn *c, const struct ir_value *v)
{
    return c->straight && ir_type_eq(v->type, IR_T_U8) && ir_value_range(v).max <= 1;
}

const char *cvalue_type(struct cfn *c, const struct ir_value *v)
{
    return ctype(c->e, is_wide_flag(c, v) ? IR_T_U32 : v->type);
}

/* ---- constants ------------------------------------------------------------------------------- */

static void scalar_const(struct cfn *c, struct ir_type t, u128 bits)
{
    uint64_t low = (uint64_t)bits;

    if (t.base == IR_FLOAT) {
        fprintf(c->o, "cpu_f%u(%#" PRIx64 ")", t.bits, low);
    } else if (t.bits == 128) {
        fprintf(c->o, "(%s)((uint128_t)UINT64_C(%#" PRIx64 ") << 64 | UINT64_C(%#" PRIx64 "))",
                type(c, t), (uint64_t)(bits >> 64), low);
    } else if (t.base == IR_SINT) {
        int64_t v = (int64_t)(low << (64 - t.bits)) >> (64 - t.bits);

        if (v == INT64_MIN)
            fputs("INT64_MIN", c->o);
        else
            fprintf(c->o, t.bits == 64 ? "INT64_C(%" PRId64 ")" : "%" PRId64, v);
    } else {
        const char *fmt = low < 10 ? "%" PRIu64 : "%#" PRIx64;

        if (t.bits == 64)
            fputs("UINT64_C(", c->o);
        fprintf(c->o, fmt, low);
        if (t.bits >= 32)
            fputs(t.bits == 64 ? ")" : "u", c->o);
    }
}

void cconst(struct cfn *c, struct ir_type t, u128 bits)
{
    if (!ir_is_vector(t)) {
        scalar_const(c, t, bits);
        return;
    }
    fprintf(c->o, "(%s){", type(c, t));
    for (unsigned i = 0; i < t.lanes; i++) {
        fputs(i ? ", " : "", c->o);
        scalar_const(c, ir_lane(t), bits);
    }
    fputs("}", c->o);
}

/* ---- fields ---------------------------------------------------------------------------------- */

bool is_field_trivial(const struct ir_value *v)
{
    return v->op == IR_FIELD || v->op == IR_WORD;
}

static void field(struct cfn *c, const struct ir_value *v)
{
    const struct field *f = v->field;

    if (f->computed && c->kind == CFN_TRANSLATOR) {
        fprintf(c->o, "(%s)o->%s", type(c, v->type), jit_field_operand(c->handler, f)->name);
        return;
    }
    if (f->computed) {
        fprintf(c->o, "(%s)fields[%u]", type(c, v->type), f->index);
        return;
    }
    fprintf(c->o, "(%s)(word >> %u & UINT32_C(%#" PRIx64 "))", type(c, v->type), f->lsb,
            f->width >= 32 ? (uint64_t)UINT32_MAX : (UINT64_C(1) << f->width) - 1);
}

/* ---- operators ------------------------------------------------------------------------------- */

static const struct ir_value *arg(const struct ir_value *v, unsigned i)
{
    return v->ops.at[i];
}

static bool amount_in_range(const struct ir_value *v)
{
    const struct ir_value *y = arg(v, 1);

    if (y->op == IR_CONST)
        return y->imm < v->type.bits;
    return !ir_is_vector(y->type) && ir_value_range(y).max < v->type.bits;
}

static bool narrow_result(struct ir_type t)
{
    return !ir_is_vector(t) && ir_is_int(t) && t.bits < 32;
}

static void infix(struct cfn *c, const struct ir_value *v, const char *op)
{
    fprintf(c->o, narrow_result(v->type) ? "(%s)(" : "(", cvalue_type(c, v));
    cexpr(c, arg(v, 0));
    fprintf(c->o, " %s ", op);
    cexpr(c, arg(v, 1));
    fputs(")", c->o);
}

static void compare(struct cfn *c, const struct ir_value *v, const char *op)
{
    fprintf(c->o, ir_is_vector(v->type) ? "(%s)(" : "(", type(c, v->type));
    cexpr(c, arg(v, 0));
    fprintf(c->o, " %s ", op);
    cexpr(c, arg(v, 1));
    fputs(")", c->o);
}

/* `text` with $a, $b, $T (type), $U (its unsigned type), $n (bits) and $m (bits - 1). */
static void pattern(struct cfn *c, const struct ir_value *v, const char *text)
{
    for (; *text; text++) {
        if (*text != '$') {
            fputc(*text, c->o);
            continue;
        }
        switch (*++text) {
        case 'a':
        case 'b':
        case 'c':
            cexpr(c, arg(v, (unsigned)(*text - 'a')));
            break;
        case 'T':
            fputs(type(c, v->type), c->o);
            break;
        case 'U':
            fputs(type(c, ir_with_base(v->type, IR_UINT)), c->o);
            break;
        case 'S':
            fputs(type(c, ir_with_base(v->type, IR_SINT)), c->o);
            break;
        case 'n':
            fprintf(c->o, "%u", v->type.bits);
            break;
        case 'm':
            fprintf(c->o, "%u", v->type.bits - 1u);
            break;
        }
    }
}

/* Lanes of shifts by a vector: amounts are taken as unsigned lanes of the same width. */
static void vector_amount(struct cfn *c, const struct ir_value *v)
{
    const struct ir_value *y = arg(v, 1);
    struct ir_type u = ir_with_base(v->type, IR_UINT);

    if (!ir_is_vector(y->type)) {
        fprintf(c->o, "((%s){} + (%s)", type(c, u), type(c, ir_lane(u)));
        if (ir_bytes(ir_lane(y->type)) * 8 > v->type.bits)
            fprintf(c->o, "cpu_min_amount(");
        else
            fputs("(", c->o);
        cexpr(c, y);
        fputs("))", c->o);
    } else if (y->type.bits == v->type.bits) {
        fprintf(c->o, "((%s)", type(c, u));
        cexpr(c, y);
        fputs(")", c->o);
    } else {
        fprintf(c->o, "__builtin_convertvector(");
        cexpr(c, y);
        fprintf(c->o, ", %s)", type(c, u));
    }
}

static void vector_shift(struct cfn *c, const struct ir_value *v)
{
    const char *t = type(c, v->type), *u = type(c, ir_with_base(v->type, IR_UINT));
    bool left = v->op == IR_SHL, in_range = amount_in_range(v);

    if (in_range) {
        fprintf(c->o, "((%s)(", t);
        if (left)
            fprintf(c->o, "(%s)", u);
        cexpr(c, arg(v, 0));
        fprintf(c->o, " %s ", left ? "<<" : ">>");
        cexpr(c, arg(v, 1));
        fputs("))", c->o);
        return;
    }
    if (v->type.base == IR_SINT && !left) { /* too much: the sign in every bit */
        fprintf(c->o, "(");
        cexpr(c, arg(v, 0));
        fprintf(c->o, " >> (%s)CPU_MIN_LANES(%s, ", t, u);
        vector_amount(c, v);
        fprintf(c->o, ", %u))", v->type.bits - 1u);
        return;
    }
    fprintf(c->o, "(%s)CPU_%s_LANES(%s, (%s)", t, left ? "SHL" : "SHR", u, u);
    cexpr(c, arg(v, 0));
    fputs(", ", c->o);
    vector_amount(c, v);
    fprintf(c->o, ", %u)", v->type.bits);
}

static void shift(struct cfn *c, const struct ir_value *v)
{
    if (ir_is_vector(v->type)) {
        vector_shift(c, v);
        return;
    }
    if (v->op == IR_SHL)
        pattern(c, v,
                amount_in_range(v) ? "($T)(($U)$a << $b)" : "($b < $n ? ($T)(($U)$a << $b) : 0)");
    else if (v->type.base == IR_SINT)
        pattern(c, v, amount_in_range(v) ? "($T)($a >> $b)" : "($T)($a >> ($b < $n ? $b : $m))");
    else
        pattern(c, v, amount_in_range(v) ? "($T)($a >> $b)" : "($b < $n ? ($T)($a >> $b) : 0)");
}

static void rotate(struct cfn *c, const struct ir_value *v)
{
    if (ir_is_vector(v->type)) {
        const char *u = type(c, ir_with_base(v->type, IR_UINT));

        fprintf(c->o, "(%s)CPU_%s_LANES(%s, (%s)", type(c, v->type),
                v->op == IR_ROL ? "ROL" : "ROR", u, u);
        cexpr(c, arg(v, 0));
        fputs(", ", c->o);
        vector_amount(c, v);
        fprintf(c->o, ", %u)", v->type.bits);
        return;
    }
    pattern(c, v,
            v->op == IR_ROL ? "($T)(($U)$a << ($b & $m) | ($U)$a >> (-$b & $m))"
                            : "($T)(($U)$a >> ($b & $m) | ($U)$a << (-$b & $m))");
}

static void divide(struct cfn *c, const struct ir_value *v)
{
    bool div = v->op == IR_DIV;

    if (v->type.base == IR_FLOAT && !div)
        pattern(c, v, v->type.bits == 32 ? "fmodf($a, $b)" : "fmod($a, $b)");
    else if (v->type.base == IR_FLOAT)
        infix(c, v, "/");
    else if (v->type.base == IR_SINT)
        pattern(c, v,
                div ? "($b == 0 ? 0 : $b == -1 ? ($T)(0 - ($U)$a) : ($T)($a / $b))"
                    : "($b == 0 ? $a : $b == -1 ? 0 : ($T)($a % $b))");
    else
        pattern(c, v, div ? "($b ? ($T)($a / $b) : 0)" : "($b ? ($T)($a % $b) : $a)");
}

static void convert(struct cfn *c, const struct ir_value *v)
{
    const struct ir_value *a = arg(v, 0);

    if (ir_is_vector(v->type)) {
        fputs("__builtin_convertvector(", c->o);
        cexpr(c, a);
        fprintf(c->o, ", %s)", type(c, v->type));
    } else if (a->type.base == IR_FLOAT && ir_is_int(v->type)) {
        fprintf(c->o, "(%s)cpu_to_%s(", type(c, v->type),
                v->type.base == IR_UINT ? "uint" : "sint");
        cexpr(c, a);
        fprintf(c->o, ", %u)", v->type.bits);
    } else {
        fprintf(c->o, "(%s)", is_wide_flag(c, a) ? cvalue_type(c, v) : type(c, v->type));
        cexpr(c, a);
    }
}

static void bitcast(struct cfn *c, const struct ir_value *v)
{
    const struct ir_value *a = arg(v, 0);
    bool to_float = v->type.base == IR_FLOAT && !ir_is_vector(v->type);
    bool from_float = a->type.base == IR_FLOAT && !ir_is_vector(a->type);

    if (to_float)
        fprintf(c->o, "cpu_f%u((uint%u_t)", v->type.bits, v->type.bits);
    else
        fprintf(c->o, "((%s)", type(c, v->type));
    if (from_float)
        fprintf(c->o, "cpu_bits%u(", a->type.bits);
    cexpr(c, a);
    fputs(from_float ? "))" : ")", c->o);
}

/* Lanes choose with masks: what is no branch becomes vectors. */
static void pick(struct cfn *c, const struct ir_value *v)
{
    unsigned bits = v->type.bits > 32 ? 64 : 32;
    bool is_float = v->type.base == IR_FLOAT;

    if (is_float)
        fprintf(c->o, "cpu_f%u(", bits);
    else
        fprintf(c->o, "(%s)", cvalue_type(c, v));
    fprintf(c->o, "gpu_pick%u(", bits);
    cexpr(c, arg(v, 0));
    if (!is_wide_flag(c, arg(v, 0)))
        fputs(" != 0", c->o);
    for (unsigned i = 1; i < 3; i++) {
        fprintf(c->o, is_float ? ", cpu_bits%u(" : ", (uint%u_t)(", bits);
        cexpr(c, arg(v, i));
        fputs(")", c->o);
    }
    fputs(is_float ? "))" : ")", c->o);
}

static void select_value(struct cfn *c, const struct ir_value *v)
{
    if (c->straight && !ir_is_vector(v->type) && v->type.bits <= 64) {
        pick(c, v);
        return;
    }
    if (!ir_is_vector(arg(v, 0)->type)) {
        fputs("(", c->o);
        cexpr(c, arg(v, 0));
        fputs(" ? ", c->o);
        cexpr(c, arg(v, 1));
        fputs(" : ", c->o);
        cexpr(c, arg(v, 2));
        fputs(")", c->o);
        return;
    }
    pattern(c, v, "($T)((($U)$a & ($U)$b) | (~($U)$a & ($U)$c))");
}

static void build(struct cfn *c, const struct ir_value *v)
{
    fprintf(c->o, "(%s){", type(c, v->type));
    for (unsigned i = 0; i < v->type.lanes; i++) {
        fputs(i ? ", " : "", c->o);
        cexpr(c, arg(v, v->op == IR_SPLAT ? 0 : i));
    }
    fputs("}", c->o);
}

static void concat(struct cfn *c, const struct ir_value *v)
{
    const struct ir_value *a = arg(v, 0);

    if (!ir_is_vector(a->type) && !ir_is_vector(arg(v, 1)->type)) {
        build(c, v);
        return;
    }
    fputs("__builtin_shufflevector(", c->o);
    cexpr(c, a);
    fputs(", ", c->o);
    cexpr(c, arg(v, 1));
    for (unsigned i = 0; i < v->type.lanes; i++)
        fprintf(c->o, ", %u", i);
    fputs(")", c->o);
}

static void lane_index(struct cfn *c, const struct ir_value *vector, const struct ir_value *index)
{
    unsigned lanes = vector->type.lanes;

    if (index->op == IR_CONST) {
        fprintf(c->o, "[%u]", (unsigned)(index->imm % lanes));
        return;
    }
    fputs("[", c->o);
    cexpr(c, index);
    if (ir_value_range(index).max >= lanes)
        fprintf(c->o, " %% %u", lanes);
    fputs("]", c->o);
}

/* ---- registers ------------------------------------------------------------------------------- */

/* Whether a bank's index may lie beyond it: then reads give 0 and writes do nothing. */
static bool index_unsure(const struct ir_value *v)
{
    return v->view->is_bank && ir_value_range(arg(v, 0)).max >= v->view->count;
}

static void register_place(struct cfn *c, const struct ir_value *v, struct ir_type t)
{
    const struct reg_view *view = v->view;

    fprintf(c->o, "REG(%s, %s_%s", ctype_memory(c->e, t), c->e->P, view->name);
    if (view->is_bank) {
        fputs("(", c->o);
        cexpr(c, arg(v, 0));
        fputs(")", c->o);
    }
    fputs(")", c->o);
}

static bool is_pc(const struct cfn *c, const struct reg_view *view)
{
    return view == c->e->model->pc;
}

static void register_read(struct cfn *c, const struct ir_value *v)
{
    bool unsure = index_unsure(v);

    if (is_pc(c, v->view)) {
        fprintf(c->o, "(%s)cpu->pc", type(c, v->type));
        return;
    }
    if (unsure) {
        fputs("(", c->o);
        cexpr(c, arg(v, 0));
        fprintf(c->o, " < %u ? (%s)", v->view->count, type(c, v->type));
    }
    register_place(c, v, v->type);
    if (unsure) {
        fputs(" : ", c->o);
        cconst(c, v->type, 0);
        fputs(")", c->o);
    }
}

void cregister_write(struct cfn *c, const struct ir_value *v)
{
    const struct ir_value *value = arg(v, v->ops.count - 1);

    if (index_unsure(v)) {
        fputs("if (", c->o);
        cexpr(c, arg(v, 0));
        fprintf(c->o, " < %u) ", v->view->count);
    }
    if (is_pc(c, v->view))
        fputs("cpu->pc", c->o);
    else
        register_place(c, v, value->type);
    fputs(" = ", c->o);
    cexpr(c, value);
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Assembly text, in disassembly functions: the first operand is a TEXT. */
static bool asm_intrinsic(struct cfn *c, const struct ir_value *v)
{
    const char *text = v->ops.count ? arg(v, 0)->text : "";

    switch (v->fn->intrinsic) {
    case IR_I_ASM_TEXT:
        fputs("asm_put_text(out, \"", c->o);
        for (; *text; text++)
            fprintf(c->o, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
        fputs("\")", c->o);
        return true;
    case IR_I_ASM_MAP:
        fprintf(c->o, "asm_put_map(out, &map_%s, ", text);
        break;
    case IR_I_ASM_HAS:
        fprintf(c->o, "(NULL != asm_table_find(&map_%s, ", text);
        break;
    case IR_I_ASM_NUMBER:
        fprintf(c->o, "asm_put_%s(out, ", text);
        break;
    default:
        return false;
    }
    cexpr(c, arg(v, 1));
    fputs(v->fn->intrinsic == IR_I_ASM_HAS ? "))" : ")", c->o);
    return true;
}

static void intrinsic(struct cfn *c, const struct ir_value *v)
{
    bool lane = c->e->model->is_lane;
    const char *text = lane ? lane_intrinsic_c(v->fn->intrinsic) : NULL;

    if (asm_intrinsic(c, v))
        return;
    if (c->kind == CFN_TRANSLATOR)
        text = jit_fixed_c(v->fn->intrinsic);
    if (!text)
        text = intrinsic_c(v->fn->intrinsic);
    if (!text) {
        diag_error(c->e->diag, v->pos, "the generated C has no '%s'", v->fn->name);
        c->e->failed = true;
        return;
    }
    for (; *text; text++) {
        if (*text != '$')
            fputc(*text, c->o);
        else if (*++text == 'o')
            fprintf(c->o, "o%u_1", v->id);
        else if (*text == 'x')
            fprintf(c->o, "all%u", c->at[v->id].operand);
        else
            cexpr(c, arg(v, (unsigned)(*text - '0')));
    }
}

static void external(struct cfn *c, const struct ir_value *v)
{
    unsigned outs = 0;

    fprintf(c->o, "%s(", v->fn->name);
    for (unsigned i = 0; i < v->fn->params.count; i++) {
        fputs(i ? ", " : "", c->o);
        if (v->fn->by_ref.at[i])
            fprintf(c->o, "&a%u", ++outs);
        else
            cexpr(c, arg(v, i));
    }
    fputs(")", c->o);
}

static void helper_call(struct cfn *c, const struct ir_value *v)
{
    const char *comma = c->e->model->is_lane ? "" : ", ";

    fprintf(c->o, "%s_%s(%s", c->e->p, v->callee->name, *comma ? "cpu, i" : "");
    for (unsigned i = 0; i < v->ops.count; i++, comma = ", ") {
        fputs(comma, c->o);
        cexpr(c, arg(v, i));
    }
    for (unsigned i = 0; i < v->callee->outs.count; i++, comma = ", ")
        fprintf(c->o, "%s&a%u", comma, i + 1);
    fputs(")", c->o);
}

/* ---- all ------------------------------------------------------------------------------------- */

static const char *infix_operator(enum ir_op op)
{
    switch (op) {
    case IR_ADD:
        return "+";
    case IR_SUB:
        return "-";
    case IR_MUL:
        return "*";
    case IR_AND:
        return "&";
    case IR_OR:
        return "|";
    case IR_XOR:
        return "^";
    default:
        return NULL;
    }
}

static const char *comparison_operator(enum ir_op op)
{
    switch (op) {
    case IR_EQ:
        return "==";
    case IR_NE:
        return "!=";
    case IR_LT:
        return "<";
    case IR_LE:
        return "<=";
    case IR_GT:
        return ">";
    case IR_GE:
        return ">=";
    default:
        return NULL;
    }
}

static void multiply_narrow(struct cfn *c, const struct ir_value *v)
{
    pattern(c, v, "($T)((uint32_t)$a * (uint32_t)$b)");
}

void cexpr_open(struct cfn *c, const struct ir_value *v)
{
    if (v->op == IR_MUL && narrow_result(v->type)) {
        multiply_narrow(c, v);
        return;
    }
    if (infix_operator(v->op)) {
        infix(c, v, infix_operator(v->op));
        return;
    }
    if (comparison_operator(v->op)) {
        compare(c, v, comparison_operator(v->op));
        return;
    }
    switch (v->op) {
    case IR_CONST:
        cconst(c, v->type, v->imm);
        break;
    case IR_PARAM:
        fprintf(c->o, "p%u", (unsigned)v->imm);
        break;
    case IR_WORD:
        fprintf(c->o, "(%s)word", type(c, v->type));
        break;
    case IR_FIELD:
        field(c, v);
        break;
    case IR_DIV:
    case IR_MOD:
        divide(c, v);
        break;
    case IR_NEG:
        pattern(c, v,
                v->type.base == IR_FLOAT || ir_is_vector(v->type) ? "(-$a)" : "($T)(0 - ($U)$a)");
        break;
    case IR_NOT:
        pattern(c, v, "($T)~$a");
        break;
    case IR_SHL:
    case IR_SHR:
        shift(c, v);
        break;
    case IR_ROL:
    case IR_ROR:
        rotate(c, v);
        break;
    case IR_SELECT:
        select_value(c, v);
        break;
    case IR_CONVERT:
        convert(c, v);
        break;
    case IR_BITCAST:
        bitcast(c, v);
        break;
    case IR_SPLAT:
    case IR_BUILD:
        build(c, v);
        break;
    case IR_CONCAT:
        concat(c, v);
        break;
    case IR_EXTRACT:
        cexpr(c, arg(v, 0));
        lane_index(c, arg(v, 0), arg(v, 1));
        break;
    case IR_INSERT: /* after the vector was copied to the result */
        lane_index(c, arg(v, 0), arg(v, 1));
        fputs(" = ", c->o);
        cexpr(c, arg(v, 2));
        break;
    case IR_REG_READ:
        register_read(c, v);
        break;
    case IR_CALL:
        helper_call(c, v);
        break;
    case IR_INTRINSIC:
        intrinsic(c, v);
        break;
    case IR_EXTERNAL:
        external(c, v);
        break;
    case IR_RESULT:
        fprintf(c->o, "o%u_%u", arg(v, 0)->id, (unsigned)v->imm);
        break;
    default:
        fprintf(c->e->diag->out, "gencc: error: the C emitter cannot write '%s'\n",
                ir_ops[v->op].name);
        c->e->diag->errors++;
        c->e->failed = true;
    }
}

void cexpr(struct cfn *c, const struct ir_value *v)
{
    const struct cvalue *cv = &c->at[v->id];

    switch (cv->place) {
    case PLACE_LOCAL:
        fprintf(c->o, "v%u", v->id);
        break;
    case PLACE_SOURCE:
        fprintf(c->o, "s%u", cv->operand);
        break;
    case PLACE_OPERAND:
        if (c->kind == CFN_LANE)
            fprintf(c->o, "o_%s", c->operands.at[cv->operand].name);
        else if (ir_type_eq(c->operands.at[cv->operand].stored, v->type))
            fprintf(c->o, "o->%s", c->operands.at[cv->operand].name);
        else
            fprintf(c->o, "(%s)o->%s", type(c, v->type), c->operands.at[cv->operand].name);
        break;
    case PLACE_FOLD:
        cexpr_open(c, v);
        break;
    }
}
