/* Operations of the IR on the lanes of a row, as LLVM code that is defined for all operands. */
#include "runtime/gpu/translate/internal.h"

#include <string.h>

/* ---- types and values ------------------------------------------------------------------------ */

LLVMValueRef lanes_intrinsic(struct jit_build *j, const char *name, LLVMTypeRef type, unsigned n,
                             LLVMValueRef *args)
{
    unsigned id = j->l->LookupIntrinsicID(name, strlen(name));
    LLVMValueRef fn = j->l->GetIntrinsicDeclaration(j->module, id, &type, 1);

    return j->l->BuildCall2(j->b, j->l->IntrinsicGetType(j->x, id, &type, 1), fn, args, n, "");
}

/* An integer with the shape of `v`: a scalar, or a vector of it. */
static LLVMValueRef integer_like(struct jit_build *j, LLVMValueRef v, uint64_t number)
{
    LLVMTypeRef t = j->l->TypeOf(v);

    if (j->l->GetTypeKind(t) != LLVMVectorTypeKind)
        return lanes_int(t, number, j);
    return lanes_splat(j, lanes_int(j->l->GetElementType(t), number, j));
}

static unsigned width_of(struct jit_build *j, LLVMValueRef v)
{
    LLVMTypeRef t = j->l->TypeOf(v);

    if (j->l->GetTypeKind(t) == LLVMVectorTypeKind)
        t = j->l->GetElementType(t);
    return j->l->GetIntTypeWidth(t);
}

/* The scalar or vector type of a value. */
static LLVMTypeRef shaped_type(struct jit_build *j, LLVMTypeRef t, bool uniform)
{
    return uniform ? t : lanes_vector(j, t);
}

jit_value lanes_op_const(struct jit_build *j, jit_type t, uint64_t bits)
{
    LLVMTypeRef type = lanes_type(j, t);
    LLVMValueRef v;

    if (jit_type_is_float(t))
        v = j->l->ConstBitCast(lanes_int(jit_type_bits(t) == 32 ? j->i32 : j->i64, bits, j), type);
    else
        v = lanes_int(type, bits, j);
    return lanes_wrap(j, v, true);
}

jit_value lanes_op_const128(struct jit_build *j, jit_type t, uint64_t high, uint64_t low)
{
    (void)high;
    lanes_fail_op(j, "a constant of 128 bits");
    return lanes_op_const(j, t, low);
}

uint32_t lanes_op_feature(const struct jit_build *j, unsigned feature)
{
    (void)j, (void)feature;
    return 0;
}

uint8_t lanes_op_mode(const struct jit_build *j)
{
    (void)j;
    return 0;
}

/* ---- unary ----------------------------------------------------------------------------------- */

static LLVMValueRef with_flag(struct jit_build *j, const char *name, LLVMValueRef a)
{
    LLVMValueRef args[] = {a, lanes_int(j->i1, 0, j)};

    return lanes_intrinsic(j, name, j->l->TypeOf(a), 2, args);
}

static LLVMValueRef unary(struct jit_build *j, enum jit_op op, jit_type t, LLVMValueRef a)
{
    const struct llvm *l = j->l;

    switch (op) {
    case JIT_NEG:
        return jit_type_is_float(t) ? l->BuildFNeg(j->b, a, "") : l->BuildNeg(j->b, a, "");
    case JIT_NOT:
        return l->BuildNot(j->b, a, "");
    case JIT_ABS:
        return jit_type_is_float(t) ? lanes_intrinsic(j, "llvm.fabs", l->TypeOf(a), 1, &a)
                                    : with_flag(j, "llvm.abs", a);
    case JIT_SQRT:
        return lanes_intrinsic(j, "llvm.sqrt", l->TypeOf(a), 1, &a);
    case JIT_CLZ:
        return with_flag(j, "llvm.ctlz", a);
    case JIT_CTZ:
        return with_flag(j, "llvm.cttz", a);
    case JIT_POPCOUNT:
        return lanes_intrinsic(j, "llvm.ctpop", l->TypeOf(a), 1, &a);
    case JIT_BITREV:
        return lanes_intrinsic(j, "llvm.bitreverse", l->TypeOf(a), 1, &a);
    case JIT_BSWAP:
        return lanes_intrinsic(j, "llvm.bswap", l->TypeOf(a), 1, &a);
    default:
        lanes_fail_op(j, "not a unary operation");
        return a;
    }
}

jit_value lanes_op_unary(struct jit_build *j, enum jit_op op, jit_type t, jit_value a)
{
    return lanes_wrap(j, unary(j, op, t, lanes_scalar(j, a)), lanes_is_uniform(j, a));
}

/* ---- binary ---------------------------------------------------------------------------------- */

/* Division that never traps. */
static LLVMValueRef divide_total(struct jit_build *j, bool div, jit_type t, LLVMValueRef a,
                                 LLVMValueRef b)
{
    const struct llvm *l = j->l;
    LLVMValueRef zero, one, by_zero, special, q;

    if (jit_type_is_float(t))
        return div ? l->BuildFDiv(j->b, a, b, "") : l->BuildFRem(j->b, a, b, "");
    zero = integer_like(j, a, 0);
    one = integer_like(j, a, 1);
    by_zero = l->BuildICmp(j->b, LLVMIntEQ, b, zero, "");
    if (!jit_type_is_signed(t)) {
        b = l->BuildSelect(j->b, by_zero, one, b, "");
        q = div ? l->BuildUDiv(j->b, a, b, "") : l->BuildURem(j->b, a, b, "");
        return l->BuildSelect(j->b, by_zero, div ? zero : a, q, "");
    }
    special = l->BuildICmp(j->b, LLVMIntEQ, b, l->BuildNot(j->b, zero, ""), "");
    b = l->BuildSelect(j->b, l->BuildOr(j->b, by_zero, special, ""), one, b, "");
    q = div ? l->BuildSDiv(j->b, a, b, "") : l->BuildSRem(j->b, a, b, "");
    if (div)
        q = l->BuildSelect(j->b, special, l->BuildNeg(j->b, a, ""), q, "");
    return l->BuildSelect(j->b, by_zero, div ? zero : a, q, "");
}

static LLVMValueRef compare(struct jit_build *j, enum jit_op op, jit_type t, LLVMValueRef a,
                            LLVMValueRef b, bool uniform)
{
    static const LLVMRealPredicate real[] = {LLVMRealOEQ, LLVMRealUNE, LLVMRealOLT,
                                             LLVMRealOLE, LLVMRealOGT, LLVMRealOGE};
    static const LLVMIntPredicate with_sign[] = {LLVMIntEQ,  LLVMIntNE,  LLVMIntSLT,
                                                 LLVMIntSLE, LLVMIntSGT, LLVMIntSGE};
    static const LLVMIntPredicate without[] = {LLVMIntEQ,  LLVMIntNE,  LLVMIntULT,
                                               LLVMIntULE, LLVMIntUGT, LLVMIntUGE};
    unsigned n = op - JIT_EQ;
    LLVMValueRef bit =
        jit_type_is_float(t)
            ? j->l->BuildFCmp(j->b, real[n], a, b, "")
            : j->l->BuildICmp(j->b, jit_type_is_signed(t) ? with_sign[n] : without[n], a, b, "");

    return j->l->BuildZExt(j->b, bit, shaped_type(j, j->i8, uniform), "");
}

static LLVMValueRef arithmetic(struct jit_build *j, enum jit_op op, jit_type t, LLVMValueRef a,
                               LLVMValueRef b, bool uniform)
{
    const struct llvm *l = j->l;

    switch (op) {
    case JIT_ADD:
        return jit_type_is_float(t) ? l->BuildFAdd(j->b, a, b, "") : l->BuildAdd(j->b, a, b, "");
    case JIT_SUB:
        return jit_type_is_float(t) ? l->BuildFSub(j->b, a, b, "") : l->BuildSub(j->b, a, b, "");
    case JIT_MUL:
        return jit_type_is_float(t) ? l->BuildFMul(j->b, a, b, "") : l->BuildMul(j->b, a, b, "");
    case JIT_AND:
        return l->BuildAnd(j->b, a, b, "");
    case JIT_OR:
        return l->BuildOr(j->b, a, b, "");
    case JIT_XOR:
        return l->BuildXor(j->b, a, b, "");
    case JIT_DIV:
    case JIT_MOD:
        return divide_total(j, op == JIT_DIV, t, a, b);
    case JIT_EQ:
    case JIT_NE:
    case JIT_LT:
    case JIT_LE:
    case JIT_GT:
    case JIT_GE:
        return compare(j, op, t, a, b, uniform);
    default:
        lanes_fail_op(j, "an operation that lanes do not have here");
        return a;
    }
}

static LLVMValueRef resize(struct jit_build *j, LLVMValueRef v, LLVMTypeRef lane, bool uniform)
{
    unsigned from = width_of(j, v), to = j->l->GetIntTypeWidth(lane);
    LLVMTypeRef t = shaped_type(j, lane, uniform);

    if (from == to)
        return v;
    return from < to ? j->l->BuildZExt(j->b, v, t, "") : j->l->BuildTrunc(j->b, v, t, "");
}

/* A shift amount in the type of the shifted value; a too large amount stays too large. */
static LLVMValueRef shift_amount(struct jit_build *j, LLVMTypeRef lane, LLVMValueRef n,
                                 bool uniform)
{
    const struct llvm *l = j->l;
    unsigned width = l->GetIntTypeWidth(lane);

    if (width_of(j, n) > width) {
        LLVMValueRef limit = integer_like(j, n, width);

        n = l->BuildSelect(j->b, l->BuildICmp(j->b, LLVMIntULT, n, limit, ""), n, limit, "");
    }
    return resize(j, n, lane, uniform);
}

static LLVMValueRef rotate(struct jit_build *j, bool left, LLVMValueRef a, LLVMValueRef n)
{
    LLVMValueRef args[] = {a, a, n};

    return lanes_intrinsic(j, left ? "llvm.fshl" : "llvm.fshr", j->l->TypeOf(a), 3, args);
}

static LLVMValueRef shift(struct jit_build *j, enum jit_op op, jit_type t, LLVMValueRef a,
                          LLVMValueRef n, bool uniform)
{
    const struct llvm *l = j->l;
    unsigned width = jit_type_bits(t);
    LLVMValueRef top, fits, v;

    if (op == JIT_ROL || op == JIT_ROR) {
        n = l->BuildAnd(j->b, n, integer_like(j, n, width - 1), "");
        return rotate(j, op == JIT_ROL, a, shift_amount(j, lanes_type(j, t), n, uniform));
    }
    n = shift_amount(j, lanes_type(j, t), n, uniform);
    top = integer_like(j, a, width - 1);
    fits = l->BuildICmp(j->b, LLVMIntULE, n, top, "");
    if (op == JIT_SHR && jit_type_is_signed(t))
        return l->BuildAShr(j->b, a, l->BuildSelect(j->b, fits, n, top, ""), "");
    v = l->BuildAnd(j->b, n, top, "");
    v = op == JIT_SHL ? l->BuildShl(j->b, a, v, "") : l->BuildLShr(j->b, a, v, "");
    return l->BuildSelect(j->b, fits, v, integer_like(j, a, 0), "");
}

static bool is_zero(struct jit_build *j, jit_value v)
{
    LLVMValueRef x = lanes_scalar(j, v);

    return lanes_is_uniform(j, v) && j->l->IsAConstantInt(x) && !j->l->ConstIntGetZExtValue(x);
}

static jit_value shift_of(struct jit_build *j, enum jit_op op, jit_type t, LLVMValueRef x,
                          LLVMValueRef y, bool uniform)
{
    jit_value v = lanes_wrap(j, shift(j, op, t, x, y, uniform), uniform);

    lanes_value_of(v)->shifted = op == JIT_SHL && t == JIT_U64 && uniform &&
                                 j->l->IsAConstantInt(y) && j->l->ConstIntGetZExtValue(y) == 32;
    return v;
}

jit_value lanes_op_binary(struct jit_build *j, enum jit_op op, jit_type t, jit_value a, jit_value b)
{
    jit_value in_halves = lanes_halves_binary(j, op, t, a, b), result;
    bool uniform;
    LLVMValueRef x, y;

    if (in_halves)
        return in_halves;
    uniform = lanes_is_uniform(j, a) && lanes_is_uniform(j, b);
    if (t >> 16 > 1 || jit_type_bits(t) > 64)
        lanes_fail_op(j, "a type that lanes do not have here");
    /* Masks that are always zero must be constants, so that no code is made for their branches. */
    if (op == JIT_AND && is_zero(j, a))
        return a;
    if (op == JIT_AND && is_zero(j, b))
        return b;
    x = uniform ? lanes_scalar(j, a) : lanes_wide(j, a);
    y = uniform ? lanes_scalar(j, b) : lanes_wide(j, b);
    if (op >= JIT_SHL && op <= JIT_ROR)
        result = shift_of(j, op, t, x, y, uniform);
    else
        result = lanes_wrap(j, arithmetic(j, op, t, x, y, uniform), uniform);
    lanes_line_binary(j, op, t, a, b, result);
    return result;
}

jit_value lanes_op_fma(struct jit_build *j, jit_type t, jit_value a, jit_value b, jit_value c)
{
    bool uniform = lanes_is_uniform(j, a) && lanes_is_uniform(j, b) && lanes_is_uniform(j, c);
    LLVMValueRef args[] = {lanes_wide(j, a), lanes_wide(j, b), lanes_wide(j, c)};

    if (uniform) {
        args[0] = lanes_scalar(j, a);
        args[1] = lanes_scalar(j, b);
        args[2] = lanes_scalar(j, c);
    }
    return lanes_wrap(
        j, lanes_intrinsic(j, "llvm.fma", shaped_type(j, lanes_type(j, t), uniform), 3, args),
        uniform);
}

/* ---- select, conversions --------------------------------------------------------------------- */

jit_value lanes_op_select(struct jit_build *j, jit_value cond, jit_value a, jit_value b)
{
    LLVMValueRef c = lanes_scalar(j, cond);
    bool uniform;

    if (lanes_is_uniform(j, cond) && j->l->IsAConstantInt(c))
        return j->l->ConstIntGetZExtValue(c) ? a : b;
    c = j->l->BuildICmp(j->b, LLVMIntNE, c, integer_like(j, c, 0), "");
    uniform = lanes_is_uniform(j, cond) && lanes_is_uniform(j, a) && lanes_is_uniform(j, b);
    if (uniform)
        return lanes_wrap(j, j->l->BuildSelect(j->b, c, lanes_scalar(j, a), lanes_scalar(j, b), ""),
                          true);
    return lanes_wrap(j, j->l->BuildSelect(j->b, c, lanes_wide(j, a), lanes_wide(j, b), ""), false);
}

/* A float as an integer: truncated, saturated, 0 for a NaN. */
static LLVMValueRef saturated(struct jit_build *j, LLVMTypeRef type, bool with_sign, LLVMValueRef v)
{
    const struct llvm *l = j->l;
    const char *name = with_sign ? "llvm.fptosi.sat" : "llvm.fptoui.sat";
    LLVMTypeRef overloads[] = {type, l->TypeOf(v)};
    unsigned id = l->LookupIntrinsicID(name, strlen(name));

    return l->BuildCall2(j->b, l->IntrinsicGetType(j->x, id, overloads, 2),
                         l->GetIntrinsicDeclaration(j->module, id, overloads, 2), &v, 1, "");
}

jit_value lanes_op_convert(struct jit_build *j, jit_type to, jit_type from, jit_value a)
{
    const struct llvm *l = j->l;
    jit_value in_halves = lanes_halves_convert(j, to, from, a), result;
    bool uniform = lanes_is_uniform(j, a);
    LLVMTypeRef lane = lanes_type(j, to), type = shaped_type(j, lane, uniform);
    LLVMValueRef v;

    if (in_halves)
        return in_halves;
    v = lanes_scalar(j, a);
    if (jit_type_is_float(from) && jit_type_is_float(to)) {
        if (jit_type_bits(from) < jit_type_bits(to))
            v = l->BuildFPExt(j->b, v, type, "");
        else if (jit_type_bits(from) > jit_type_bits(to))
            v = l->BuildFPTrunc(j->b, v, type, "");
    } else if (jit_type_is_float(from)) {
        v = saturated(j, type, jit_type_is_signed(to), v);
    } else if (jit_type_is_float(to)) {
        v = jit_type_is_signed(from) ? l->BuildSIToFP(j->b, v, type, "")
                                     : l->BuildUIToFP(j->b, v, type, "");
    } else if (jit_type_is_signed(from) && jit_type_bits(from) < jit_type_bits(to)) {
        v = l->BuildSExt(j->b, v, type, "");
    } else {
        v = resize(j, v, lane, uniform);
    }
    result = lanes_wrap(j, v, uniform);
    lanes_line_convert(to, from, a, result);
    return result;
}

jit_value lanes_op_bitcast(struct jit_build *j, jit_type to, jit_value a)
{
    bool uniform = lanes_is_uniform(j, a);

    return lanes_wrap(j,
                      j->l->BuildBitCast(j->b, lanes_scalar(j, a),
                                         shaped_type(j, lanes_type(j, to), uniform), ""),
                      uniform);
}

/* ---- what lanes do not have ------------------------------------------------------------------ */

static jit_value refuse_operation(struct jit_build *j)
{
    lanes_fail_op(j, "an operation that lanes do not have here");
    return lanes_wrap(j, lanes_int(j->i32, 0, j), true);
}

jit_value lanes_op_splat(struct jit_build *j, jit_type t, jit_value scalar)
{
    (void)t, (void)scalar;
    return refuse_operation(j);
}

jit_value lanes_op_build(struct jit_build *j, jit_type t, const jit_value *lanes)
{
    (void)t, (void)lanes;
    return refuse_operation(j);
}

jit_value lanes_op_extract(struct jit_build *j, jit_value vector, jit_value index)
{
    (void)vector, (void)index;
    return refuse_operation(j);
}

jit_value lanes_op_insert(struct jit_build *j, jit_value vector, jit_value index, jit_value scalar)
{
    (void)vector, (void)index, (void)scalar;
    return refuse_operation(j);
}

jit_value lanes_op_concat(struct jit_build *j, jit_value a, jit_value b)
{
    (void)a, (void)b;
    return refuse_operation(j);
}

jit_value lanes_op_bank_read(struct jit_build *j, jit_type t, size_t offset, unsigned stride,
                             unsigned count, jit_value index)
{
    (void)t, (void)offset, (void)stride, (void)count, (void)index;
    return refuse_operation(j);
}

void lanes_op_bank_write(struct jit_build *j, size_t offset, unsigned stride, unsigned count,
                         jit_value index, jit_value value)
{
    (void)offset, (void)stride, (void)count, (void)index, (void)value;
    refuse_operation(j);
}

jit_value lanes_op_cpu_read(struct jit_build *j, jit_type t, size_t offset)
{
    (void)t, (void)offset;
    return refuse_operation(j);
}

jit_value lanes_op_read_pc(struct jit_build *j, jit_type t)
{
    (void)t;
    return refuse_operation(j);
}

void lanes_op_write_pc(struct jit_build *j, jit_value pc)
{
    (void)pc;
    refuse_operation(j);
}

void lanes_op_set_mode(struct jit_build *j, jit_value mode)
{
    (void)mode;
    refuse_operation(j);
}

void lanes_op_interpret(struct jit_build *j, const struct insn *i)
{
    (void)i;
    refuse_operation(j);
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* struct lanes_value.make of a call. */
static void make_call(struct jit_build *j, struct lanes_value *v)
{
    jit_value made = lanes_numeric(j, v->callee->name, v->args);

    if (!made) {
        lanes_fail_op(j, v->callee->name);
        made = lanes_wrap(j, j->l->GetUndef(lanes_type(j, v->callee->result)), true);
    }
    v->v = lanes_value_of(made)->v;
    v->uniform = lanes_value_of(made)->uniform;
}

void lanes_op_call(struct jit_build *j, const struct jit_callee *callee, const jit_value *args,
                   jit_value *results)
{
    struct lanes_value *v = lanes_keep(j, sizeof(*v));

    v->make = make_call;
    v->callee = callee;
    if (callee->count > sizeof(v->args) / sizeof(*v->args))
        lanes_fail_op(j, callee->name);
    for (unsigned i = 0; i < callee->count && i < sizeof(v->args) / sizeof(*v->args); i++)
        v->args[i] = lanes_value_of(args[i]);
    if (results)
        results[0] = (jit_value)(void *)v;
}

const struct jit_backend lanes_backend = {
#define JIT_OPERATION(result, name, params, args) .op_##name = lanes_op_##name,
#include "runtime/jit/ops.inc"
};
