/* Operations of build.h as LLVM's instructions, with what makes them total. */
#include "runtime/jit/opaque.h"
#include "runtime/jit/llvm_build.h"

#include <stdio.h>

static bool is_vector(struct jit_build *j, LLVMValueRef v)
{
    return j->l->GetTypeKind(j->l->TypeOf(v)) == LLVMVectorTypeKind;
}

static bool is_float(jit_type t)
{
    return type_base(t) == JIT_FLOAT;
}

static bool is_signed(jit_type t)
{
    return type_base(t) == JIT_SINT;
}

/* ---- constants ------------------------------------------------------------------------------- */

/* A vector with the scalar in every lane; the scalar itself for other types. */
static LLVMValueRef in_lanes(struct jit_build *j, LLVMTypeRef t, LLVMValueRef scalar)
{
    LLVMValueRef lanes[64];
    unsigned n;

    if (j->l->GetTypeKind(t) != LLVMVectorTypeKind)
        return scalar;
    n = j->l->GetVectorSize(t);
    if (n > 64) {
        build_fail(j, "a vector has more than 64 lanes");
        return j->l->GetUndef(t);
    }
    for (unsigned k = 0; k < n; k++)
        lanes[k] = scalar;
    return j->l->ConstVector(lanes, n);
}

/* An integer in every lane of an integer type. */
static LLVMValueRef number(struct jit_build *j, LLVMTypeRef t, uint64_t v)
{
    return in_lanes(j, t, build_int(j, build_scalar_type(j, t), v));
}

jit_value llvm_const128(struct jit_build *j, jit_type t, uint64_t high, uint64_t low)
{
    uint64_t words[2] = {low, high};
    LLVMTypeRef type = build_type(j, t);
    LLVMValueRef v;

    if (is_float(t))
        v = j->l->ConstBitCast(build_int(j, type_width(t) == 32 ? j->i32 : j->i64, low),
                               build_lane_type(j, t));
    else if (type_width(t) == 128)
        v = j->l->ConstIntOfArbitraryPrecision(j->i128, 2, words);
    else
        v = build_int(j, build_lane_type(j, t), low);
    return in_lanes(j, type, v);
}

jit_value llvm_const(struct jit_build *j, jit_type t, uint64_t bits)
{
    bool negative = is_signed(t) && type_width(t) == 128 && bits >> 63;

    return llvm_const128(j, t, negative ? UINT64_MAX : 0, bits);
}

uint32_t llvm_feature(const struct jit_build *j, unsigned feature)
{
    return feature < CPU_MAX_FEATURES ? j->r->features[feature] : 0;
}

uint8_t llvm_mode(const struct jit_build *j)
{
    return j->r->mode;
}

/* ---- helpers --------------------------------------------------------------------------------- */

static LLVMValueRef intrinsic1(struct jit_build *j, const char *name, LLVMValueRef a)
{
    LLVMTypeRef t = j->l->TypeOf(a);

    return build_intrinsic(j, name, 1, &t, 1, &a);
}

/* Leading or trailing zeros; the width for 0. */
static LLVMValueRef count_zeros(struct jit_build *j, const char *name, LLVMValueRef a)
{
    LLVMTypeRef t = j->l->TypeOf(a);
    LLVMValueRef args[] = {a, build_int(j, j->i1, 0)};

    return build_intrinsic(j, name, 1, &t, 2, args);
}

/* A comparison's i1 as GenC's result: uint8, or lanes of all ones. */
static LLVMValueRef comparison_result(struct jit_build *j, LLVMValueRef bit, LLVMTypeRef operand)
{
    LLVMTypeRef lane;

    if (j->l->GetTypeKind(operand) != LLVMVectorTypeKind)
        return j->l->BuildZExt(j->b, bit, j->i8, "");
    lane = build_scalar_type(j, operand);
    lane = lane == j->f32 ? j->i32 : lane == j->f64 ? j->i64 : lane;
    return j->l->BuildSExt(j->b, bit, j->l->VectorType(lane, j->l->GetVectorSize(operand)), "");
}

/* ---- unary ----------------------------------------------------------------------------------- */

static LLVMValueRef absolute(struct jit_build *j, jit_type t, LLVMValueRef a)
{
    LLVMTypeRef type = j->l->TypeOf(a);
    LLVMValueRef args[] = {a, build_int(j, j->i1, 0)};

    if (is_float(t))
        return intrinsic1(j, "llvm.fabs", a);
    return build_intrinsic(j, "llvm.abs", 1, &type, 2, args);
}

jit_value llvm_unary(struct jit_build *j, enum jit_op op, jit_type t, jit_value a)
{
    switch (op) {
    case JIT_NEG:
        return is_float(t) ? j->l->BuildFNeg(j->b, a, "") : j->l->BuildNeg(j->b, a, "");
    case JIT_NOT:
        return j->l->BuildNot(j->b, a, "");
    case JIT_ABS:
        return absolute(j, t, a);
    case JIT_SQRT:
        return intrinsic1(j, "llvm.sqrt", a);
    case JIT_CLZ:
        return count_zeros(j, "llvm.ctlz", a);
    case JIT_CTZ:
        return count_zeros(j, "llvm.cttz", a);
    case JIT_POPCOUNT:
        return intrinsic1(j, "llvm.ctpop", a);
    case JIT_BITREV:
        return intrinsic1(j, "llvm.bitreverse", a);
    case JIT_BSWAP:
        return intrinsic1(j, "llvm.bswap", a);
    default:
        build_fail(j, "jit_unary: not a unary operation");
        return a;
    }
}

/* ---- binary ---------------------------------------------------------------------------------- */

/* Division that never traps: the divisor is replaced by 1 where a select chooses another result. */
static LLVMValueRef divide(struct jit_build *j, bool div, jit_type t, LLVMValueRef a,
                           LLVMValueRef b)
{
    const struct llvm *l = j->l;
    LLVMTypeRef type = l->TypeOf(a);
    LLVMValueRef zero, one, by_zero, special, q;

    if (is_float(t))
        return div ? l->BuildFDiv(j->b, a, b, "") : l->BuildFRem(j->b, a, b, "");
    zero = number(j, type, 0);
    one = number(j, type, 1);
    by_zero = l->BuildICmp(j->b, LLVMIntEQ, b, zero, "");
    if (!is_signed(t)) {
        b = l->BuildSelect(j->b, by_zero, one, b, "");
        q = div ? l->BuildUDiv(j->b, a, b, "") : l->BuildURem(j->b, a, b, "");
        return l->BuildSelect(j->b, by_zero, div ? zero : a, q, "");
    }
    special = l->BuildICmp(j->b, LLVMIntEQ, b, l->BuildNot(j->b, zero, ""), "");
    b = l->BuildSelect(j->b, l->BuildOr(j->b, by_zero, special, ""), one, b, "");
    q = div ? l->BuildSDiv(j->b, a, b, "") : l->BuildSRem(j->b, a, b, "");
    /* A quotient by -1 is the negation; the remainder, by the replaced divisor 1, is 0 already. */
    if (div)
        q = l->BuildSelect(j->b, special, l->BuildNeg(j->b, a, ""), q, "");
    return l->BuildSelect(j->b, by_zero, div ? zero : a, q, "");
}

/* A shift amount in the shifted value's type; amounts that are too large stay too large. */
static LLVMValueRef amount(struct jit_build *j, LLVMTypeRef t, LLVMValueRef n)
{
    const struct llvm *l = j->l;
    LLVMTypeRef lane = build_scalar_type(j, t), own = l->TypeOf(n);
    unsigned width = type_bits(lane, j), have = type_bits(build_scalar_type(j, own), j);
    bool vector = l->GetTypeKind(own) == LLVMVectorTypeKind;
    LLVMValueRef limit;

    if (have > width) {
        limit = number(j, own, width);
        n = l->BuildSelect(j->b, l->BuildICmp(j->b, LLVMIntULT, n, limit, ""), n, limit, "");
    }
    n = build_resize(j, n, vector ? t : lane);
    if (!vector && l->GetTypeKind(t) == LLVMVectorTypeKind) {
        LLVMTypeRef mask = l->VectorType(j->i32, l->GetVectorSize(t));

        n = l->BuildInsertElement(j->b, l->GetUndef(t), n, build_int(j, j->i32, 0), "");
        n = l->BuildShuffleVector(j->b, n, l->GetUndef(t), l->ConstNull(mask), "");
    }
    return n;
}

static LLVMValueRef shift(struct jit_build *j, enum jit_op op, jit_type t, LLVMValueRef a,
                          LLVMValueRef n)
{
    const struct llvm *l = j->l;
    LLVMTypeRef type = l->TypeOf(a);
    unsigned width = type_width(t);
    bool known = l->IsAConstantInt(n) && type_bits(l->TypeOf(n), j) <= 64 &&
                 l->ConstIntGetZExtValue(n) < width;
    LLVMValueRef fits, v, top = number(j, type, width - 1);

    n = amount(j, type, n);
    fits = l->BuildICmp(j->b, LLVMIntULT, n, number(j, type, width), "");
    if (op == JIT_SHR && is_signed(t))
        return l->BuildAShr(j->b, a, known ? n : l->BuildSelect(j->b, fits, n, top, ""), "");
    v = known ? n : l->BuildAnd(j->b, n, top, "");
    v = op == JIT_SHL ? l->BuildShl(j->b, a, v, "") : l->BuildLShr(j->b, a, v, "");
    return known ? v : l->BuildSelect(j->b, fits, v, number(j, type, 0), "");
}

/* Rotates by the amount modulo the width: by its low bits, since the width is a power of two. */
static LLVMValueRef rotate(struct jit_build *j, bool left, LLVMValueRef a, LLVMValueRef n)
{
    LLVMTypeRef type = j->l->TypeOf(a), own = j->l->TypeOf(n);
    unsigned width = type_bits(build_scalar_type(j, type), j);
    LLVMValueRef args[3] = {a, a};

    n = j->l->BuildAnd(j->b, n, number(j, own, width - 1), "");
    args[2] = amount(j, type, n);
    return build_intrinsic(j, left ? "llvm.fshl" : "llvm.fshr", 1, &type, 3, args);
}

static LLVMValueRef compare(struct jit_build *j, enum jit_op op, jit_type t, LLVMValueRef a,
                            LLVMValueRef b)
{
    static const LLVMRealPredicate real[] = {LLVMRealOEQ, LLVMRealUNE, LLVMRealOLT,
                                             LLVMRealOLE, LLVMRealOGT, LLVMRealOGE};
    static const LLVMIntPredicate with_sign[] = {LLVMIntEQ,  LLVMIntNE,  LLVMIntSLT,
                                                 LLVMIntSLE, LLVMIntSGT, LLVMIntSGE};
    static const LLVMIntPredicate without[] = {LLVMIntEQ,  LLVMIntNE,  LLVMIntULT,
                                               LLVMIntULE, LLVMIntUGT, LLVMIntUGE};
    unsigned n = op - JIT_EQ;
    LLVMValueRef bit;

    if (is_float(t))
        bit = j->l->BuildFCmp(j->b, real[n], a, b, "");
    else
        bit = j->l->BuildICmp(j->b, is_signed(t) ? with_sign[n] : without[n], a, b, "");
    return comparison_result(j, bit, j->l->TypeOf(a));
}

static LLVMValueRef high_half(struct jit_build *j, bool with_sign, LLVMValueRef a, LLVMValueRef b)
{
    const struct llvm *l = j->l;
    LLVMValueRef x =
        with_sign ? l->BuildSExt(j->b, a, j->i128, "") : l->BuildZExt(j->b, a, j->i128, "");
    LLVMValueRef y =
        with_sign ? l->BuildSExt(j->b, b, j->i128, "") : l->BuildZExt(j->b, b, j->i128, "");
    LLVMValueRef p = l->BuildMul(j->b, x, y, "");

    return l->BuildTrunc(j->b, l->BuildLShr(j->b, p, build_int(j, j->i128, 64), ""), j->i64, "");
}

/* Folds constants that are added to the PC into one, so that branch targets stay known. */
static LLVMValueRef add_to_pc(struct jit_build *j, enum jit_op op, LLVMValueRef a, LLVMValueRef b)
{
    int64_t delta, more;

    if (op == JIT_ADD && j->l->IsAConstantInt(a)) {
        LLVMValueRef swap = a;

        a = b;
        b = swap;
    }
    if (j->l->TypeOf(a) != j->i64 || !j->l->IsAConstantInt(b) || !build_known_pc(j, a, &delta))
        return NULL;
    more = j->l->ConstIntGetSExtValue(b);
    return build_pc(
        j, (int64_t)((uint64_t)delta + (op == JIT_ADD ? (uint64_t)more : -(uint64_t)more)));
}

static LLVMValueRef arithmetic(struct jit_build *j, enum jit_op op, jit_type t, LLVMValueRef a,
                               LLVMValueRef b)
{
    const struct llvm *l = j->l;
    LLVMValueRef pc = NULL;

    switch (op) {
    case JIT_ADD:
        pc = is_float(t) ? l->BuildFAdd(j->b, a, b, "") : add_to_pc(j, op, a, b);
        return pc ? pc : l->BuildAdd(j->b, a, b, "");
    case JIT_SUB:
        pc = is_float(t) ? l->BuildFSub(j->b, a, b, "") : add_to_pc(j, op, a, b);
        return pc ? pc : l->BuildSub(j->b, a, b, "");
    case JIT_MUL:
        return is_float(t) ? l->BuildFMul(j->b, a, b, "") : l->BuildMul(j->b, a, b, "");
    case JIT_AND:
        return l->BuildAnd(j->b, a, b, "");
    case JIT_OR:
        return l->BuildOr(j->b, a, b, "");
    default:
        return l->BuildXor(j->b, a, b, "");
    }
}

jit_value llvm_binary(struct jit_build *j, enum jit_op op, jit_type t, jit_value a, jit_value b)
{
    switch (op) {
    case JIT_ADD:
    case JIT_SUB:
    case JIT_MUL:
    case JIT_AND:
    case JIT_OR:
    case JIT_XOR:
        return arithmetic(j, op, t, a, b);
    case JIT_DIV:
    case JIT_MOD:
        return divide(j, op == JIT_DIV, t, a, b);
    case JIT_UMULH:
    case JIT_SMULH:
        return high_half(j, op == JIT_SMULH, a, b);
    case JIT_SHL:
    case JIT_SHR:
        return shift(j, op, t, a, b);
    case JIT_ROL:
    case JIT_ROR:
        return rotate(j, op == JIT_ROL, a, b);
    case JIT_EQ:
    case JIT_NE:
    case JIT_LT:
    case JIT_LE:
    case JIT_GT:
    case JIT_GE:
        return compare(j, op, t, a, b);
    default:
        build_fail(j, "jit_binary: not a binary operation");
        return a;
    }
}

jit_value llvm_fma(struct jit_build *j, jit_type t, jit_value a, jit_value b, jit_value c)
{
    LLVMTypeRef type = build_type(j, t);
    LLVMValueRef args[] = {a, b, c};

    return build_intrinsic(j, "llvm.fma", 1, &type, 3, args);
}

/* ---- select, conversions --------------------------------------------------------------------- */

jit_value llvm_select(struct jit_build *j, jit_value cond, jit_value a, jit_value b)
{
    LLVMValueRef zero = j->l->ConstNull(j->l->TypeOf(cond));

    return j->l->BuildSelect(j->b, j->l->BuildICmp(j->b, LLVMIntNE, cond, zero, ""), a, b, "");
}

/* Converts an integer to a float, opaquely. LLVM 14 concludes that a converted unsigned number is
 * not negative, and wrongly applies that to each lane of a bitcast: its InstCombine folds `icmp slt
 * (bitcast (uitofp i32 to double) to <4 x i16>), 0` to false. */
static LLVMValueRef from_integer(struct jit_build *j, bool is_signed, LLVMValueRef a,
                                 LLVMTypeRef type)
{
    LLVMValueRef number =
        is_signed ? j->l->BuildSIToFP(j->b, a, type, "") : j->l->BuildUIToFP(j->b, a, type, "");

    return build_opaque(j->l, j->b, j->i32, number).value;
}

jit_value llvm_convert(struct jit_build *j, jit_type to, jit_type from, jit_value a)
{
    const struct llvm *l = j->l;
    LLVMTypeRef type = build_type(j, to), types[] = {type, l->TypeOf(a)};

    if (is_float(from) && is_float(to)) {
        if (type_width(from) == type_width(to))
            return a;
        return type_width(from) < type_width(to) ? l->BuildFPExt(j->b, a, type, "")
                                                 : l->BuildFPTrunc(j->b, a, type, "");
    }
    if (is_float(from))
        return build_intrinsic(j, is_signed(to) ? "llvm.fptosi.sat" : "llvm.fptoui.sat", 2, types,
                               1, &a);
    if (is_float(to))
        return from_integer(j, is_signed(from), a, type);
    if (is_signed(from) && type_width(from) < type_width(to))
        return l->BuildSExt(j->b, a, type, "");
    return build_resize(j, a, type);
}

jit_value llvm_bitcast(struct jit_build *j, jit_type to, jit_value a)
{
    LLVMTypeRef type = build_type(j, to);

    if (type_bits(type, j) != type_bits(j->l->TypeOf(a), j)) {
        build_fail(j, "jit_bitcast: sizes differ");
        return j->l->GetUndef(type);
    }
    return j->l->BuildBitCast(j->b, a, type, "");
}

/* ---- lanes ----------------------------------------------------------------------------------- */

jit_value llvm_splat(struct jit_build *j, jit_type t, jit_value scalar)
{
    const struct llvm *l = j->l;
    LLVMTypeRef type = build_type(j, t);
    LLVMValueRef v;

    if (type_lanes(t) <= 1)
        return scalar;
    if (l->IsConstant(scalar))
        return in_lanes(j, type, scalar);
    v = l->BuildInsertElement(j->b, l->GetUndef(type), scalar, build_int(j, j->i32, 0), "");
    return l->BuildShuffleVector(j->b, v, l->GetUndef(type),
                                 l->ConstNull(l->VectorType(j->i32, type_lanes(t))), "");
}

jit_value llvm_build(struct jit_build *j, jit_type t, const jit_value *lanes)
{
    LLVMValueRef v;

    if (type_lanes(t) <= 1)
        return lanes[0];
    v = j->l->GetUndef(build_type(j, t));
    for (unsigned n = 0; n < type_lanes(t); n++)
        v = j->l->BuildInsertElement(j->b, v, lanes[n], build_int(j, j->i32, n), "");
    return v;
}

/* The index modulo the number of lanes. */
static LLVMValueRef lane_index(struct jit_build *j, LLVMValueRef vector, LLVMValueRef index)
{
    unsigned lanes = j->l->GetVectorSize(j->l->TypeOf(vector));
    LLVMTypeRef t = j->l->TypeOf(index);

    if (!(lanes & (lanes - 1))) {
        if (type_bits(t, j) < 8 || lanes > 128)
            index = build_resize(j, index, j->i64);
        return j->l->BuildAnd(j->b, index, number(j, j->l->TypeOf(index), lanes - 1), "");
    }
    index = build_resize(j, index, j->i64);
    return j->l->BuildURem(j->b, index, build_int(j, j->i64, lanes), "");
}

jit_value llvm_extract(struct jit_build *j, jit_value vector, jit_value index)
{
    if (!is_vector(j, vector))
        return vector;
    return j->l->BuildExtractElement(j->b, vector, lane_index(j, vector, index), "");
}

jit_value llvm_insert(struct jit_build *j, jit_value vector, jit_value index, jit_value scalar)
{
    if (!is_vector(j, vector))
        return scalar;
    return j->l->BuildInsertElement(j->b, vector, scalar, lane_index(j, vector, index), "");
}

jit_value llvm_concat(struct jit_build *j, jit_value a, jit_value b)
{
    const struct llvm *l = j->l;
    LLVMTypeRef t = l->TypeOf(a);
    LLVMValueRef mask[128], v;
    unsigned n;

    if (!is_vector(j, a)) {
        v = l->GetUndef(l->VectorType(t, 2));
        v = l->BuildInsertElement(j->b, v, a, build_int(j, j->i32, 0), "");
        return l->BuildInsertElement(j->b, v, b, build_int(j, j->i32, 1), "");
    }
    n = 2 * l->GetVectorSize(t);
    if (n > 128) {
        build_fail(j, "a vector has more than 128 lanes");
        return a;
    }
    for (unsigned k = 0; k < n; k++)
        mask[k] = build_int(j, j->i32, k);
    return l->BuildShuffleVector(j->b, a, b, l->ConstVector(mask, n), "");
}
