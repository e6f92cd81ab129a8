/* Operations of build.h as LLVM's instructions, with selects where LLVM's result is undefined. */
#include "runtime/jit/arithmetic.h"

#include <string.h>

#include "runtime/base/polynomial.h"

/* ---- types and values ------------------------------------------------------------------------ */

static bool is_vector(const struct llvm_place *p, LLVMTypeRef t)
{
    return p->l->GetTypeKind(t) == LLVMVectorTypeKind;
}

LLVMTypeRef llvm_lane_type(const struct llvm_place *p, jit_type t)
{
    unsigned bits = jit_type_bits(t);

    if (!jit_type_is_float(t))
        return p->l->IntTypeInContext(p->x, bits);
    return bits == 32 ? p->l->FloatTypeInContext(p->x) : p->l->DoubleTypeInContext(p->x);
}

LLVMTypeRef llvm_scalar_type(const struct llvm_place *p, LLVMTypeRef t)
{
    return is_vector(p, t) ? p->l->GetElementType(t) : t;
}

/* Width in bits of an integer, or of a lane of a vector of integers. */
static unsigned width_of(const struct llvm_place *p, LLVMTypeRef t)
{
    return p->l->GetIntTypeWidth(llvm_scalar_type(p, t));
}

/* Vectors of constants with more lanes are made by LLVM's folding, which takes longer. */
enum { MANY_LANES = 64 };

LLVMValueRef llvm_in_lanes(const struct llvm_place *p, LLVMValueRef scalar, unsigned lanes)
{
    const struct llvm *l = p->l;
    LLVMTypeRef index = l->IntTypeInContext(p->x, 32);
    LLVMValueRef constants[MANY_LANES], undef, v;

    if (lanes <= MANY_LANES && l->IsConstant(scalar)) {
        for (unsigned n = 0; n < lanes; n++)
            constants[n] = scalar;
        return l->ConstVector(constants, lanes);
    }
    undef = l->GetUndef(l->VectorType(l->TypeOf(scalar), lanes));
    v = l->BuildInsertElement(p->b, undef, scalar, l->ConstInt(index, 0, false), "");
    return l->BuildShuffleVector(p->b, v, undef, l->ConstNull(l->VectorType(index, lanes)), "");
}

/* The integer `v` in the shape of `t`. */
static LLVMValueRef const_in_shape(const struct llvm_place *p, LLVMTypeRef t, uint64_t v)
{
    LLVMValueRef scalar = p->l->ConstInt(llvm_scalar_type(p, t), v, false);

    return is_vector(p, t) ? llvm_in_lanes(p, scalar, p->l->GetVectorSize(t)) : scalar;
}

LLVMValueRef llvm_resize(const struct llvm_place *p, LLVMValueRef v, LLVMTypeRef t)
{
    unsigned from = width_of(p, p->l->TypeOf(v)), to = width_of(p, t);

    if (from == to)
        return v;
    return from < to ? p->l->BuildZExt(p->b, v, t, "") : p->l->BuildTrunc(p->b, v, t, "");
}

LLVMValueRef llvm_intrinsic(const struct llvm_place *p, const char *name, LLVMTypeRef *types,
                            unsigned n, LLVMValueRef *args)
{
    unsigned id = p->l->LookupIntrinsicID(name, strlen(name)), count = 0;

    while (types[count])
        count++;
    return p->l->BuildCall2(p->b, p->l->IntrinsicGetType(p->x, id, types, count),
                            p->l->GetIntrinsicDeclaration(p->module, id, types, count), args, n,
                            "");
}

/* Calls an intrinsic whose operands and result have one type. */
static LLVMValueRef call_intrinsic(const struct llvm_place *p, const char *name, unsigned n,
                                   LLVMValueRef *args)
{
    LLVMTypeRef types[] = {p->l->TypeOf(args[0]), NULL};

    return llvm_intrinsic(p, name, types, n, args);
}

/* Calls an intrinsic such as ctlz with false as its last operand, so that no input gives poison. */
static LLVMValueRef intrinsic_with_flag(const struct llvm_place *p, const char *name,
                                        LLVMValueRef a)
{
    LLVMValueRef args[] = {a, p->l->ConstInt(p->l->IntTypeInContext(p->x, 1), 0, false)};

    return call_intrinsic(p, name, 2, args);
}

/* ---- unary ----------------------------------------------------------------------------------- */

LLVMValueRef llvm_arith_unary(const struct llvm_place *p, enum jit_op op, jit_type t,
                              LLVMValueRef a)
{
    bool is_float = jit_type_is_float(t);

    switch (op) {
    case JIT_NEG:
        return is_float ? p->l->BuildFNeg(p->b, a, "") : p->l->BuildNeg(p->b, a, "");
    case JIT_NOT:
        return p->l->BuildNot(p->b, a, "");
    case JIT_ABS:
        return is_float ? call_intrinsic(p, "llvm.fabs", 1, &a)
                        : intrinsic_with_flag(p, "llvm.abs", a);
    case JIT_SQRT:
        return call_intrinsic(p, "llvm.sqrt", 1, &a);
    case JIT_ROUND_EVEN:
        return call_intrinsic(p, "llvm.roundeven", 1, &a);
    case JIT_ROUND_UP:
        return call_intrinsic(p, "llvm.ceil", 1, &a);
    case JIT_ROUND_DOWN:
        return call_intrinsic(p, "llvm.floor", 1, &a);
    case JIT_ROUND_ZERO:
        return call_intrinsic(p, "llvm.trunc", 1, &a);
    case JIT_CLZ: /* the width for 0 */
        return intrinsic_with_flag(p, "llvm.ctlz", a);
    case JIT_CTZ:
        return intrinsic_with_flag(p, "llvm.cttz", a);
    case JIT_POPCOUNT:
        return call_intrinsic(p, "llvm.ctpop", 1, &a);
    case JIT_BITREV:
        return call_intrinsic(p, "llvm.bitreverse", 1, &a);
    case JIT_BSWAP:
        return call_intrinsic(p, "llvm.bswap", 1, &a);
    default:
        return NULL;
    }
}

/* ---- binary ---------------------------------------------------------------------------------- */

/* Division that never traps: the divisor is replaced by 1 where a select chooses another result. */
static LLVMValueRef build_divide(const struct llvm_place *p, bool div, jit_type t, LLVMValueRef a,
                                 LLVMValueRef b)
{
    const struct llvm *l = p->l;
    LLVMTypeRef type = l->TypeOf(a);
    LLVMValueRef zero, one, by_zero, special, q;

    if (jit_type_is_float(t))
        return div ? l->BuildFDiv(p->b, a, b, "") : l->BuildFRem(p->b, a, b, "");
    zero = const_in_shape(p, type, 0);
    one = const_in_shape(p, type, 1);
    by_zero = l->BuildICmp(p->b, LLVMIntEQ, b, zero, "");
    if (!jit_type_is_signed(t)) {
        b = l->BuildSelect(p->b, by_zero, one, b, "");
        q = div ? l->BuildUDiv(p->b, a, b, "") : l->BuildURem(p->b, a, b, "");
        return l->BuildSelect(p->b, by_zero, div ? zero : a, q, "");
    }
    special = l->BuildICmp(p->b, LLVMIntEQ, b, l->BuildNot(p->b, zero, ""), "");
    b = l->BuildSelect(p->b, l->BuildOr(p->b, by_zero, special, ""), one, b, "");
    q = div ? l->BuildSDiv(p->b, a, b, "") : l->BuildSRem(p->b, a, b, "");
    /* A quotient by -1 is the negation; the remainder, by the replaced divisor 1, is 0 already. */
    if (div)
        q = l->BuildSelect(p->b, special, l->BuildNeg(p->b, a, ""), q, "");
    return l->BuildSelect(p->b, by_zero, div ? zero : a, q, "");
}

/* A shift amount in the shifted value's type; amounts that are too large stay too large. */
static LLVMValueRef shift_amount(const struct llvm_place *p, LLVMTypeRef t, LLVMValueRef n)
{
    const struct llvm *l = p->l;
    LLVMTypeRef own = l->TypeOf(n);
    unsigned width = width_of(p, t);

    if (width_of(p, own) > width) {
        LLVMValueRef limit = const_in_shape(p, own, width);

        n = l->BuildSelect(p->b, l->BuildICmp(p->b, LLVMIntULT, n, limit, ""), n, limit, "");
    }
    n = llvm_resize(p, n, is_vector(p, own) ? t : llvm_scalar_type(p, t));
    return is_vector(p, t) && !is_vector(p, own) ? llvm_in_lanes(p, n, l->GetVectorSize(t)) : n;
}

static LLVMValueRef build_shift(const struct llvm_place *p, enum jit_op op, jit_type t,
                                LLVMValueRef a, LLVMValueRef n)
{
    const struct llvm *l = p->l;
    LLVMTypeRef type = l->TypeOf(a);
    unsigned width = jit_type_bits(t);
    bool known = l->IsAConstantInt(n) && width_of(p, l->TypeOf(n)) <= 64 &&
                 l->ConstIntGetZExtValue(n) < width;
    LLVMValueRef fits, v, top = const_in_shape(p, type, width - 1);

    n = shift_amount(p, type, n);
    fits = l->BuildICmp(p->b, LLVMIntULT, n, const_in_shape(p, type, width), "");
    if (op == JIT_SHR && jit_type_is_signed(t))
        return l->BuildAShr(p->b, a, known ? n : l->BuildSelect(p->b, fits, n, top, ""), "");
    v = known ? n : l->BuildAnd(p->b, n, top, "");
    v = op == JIT_SHL ? l->BuildShl(p->b, a, v, "") : l->BuildLShr(p->b, a, v, "");
    return known ? v : l->BuildSelect(p->b, fits, v, const_in_shape(p, type, 0), "");
}

/* Rotates by the amount modulo the width: by its low bits, since the width is a power of two. */
static LLVMValueRef build_rotate(const struct llvm_place *p, bool left, LLVMValueRef a,
                                 LLVMValueRef n)
{
    LLVMTypeRef type = p->l->TypeOf(a);
    LLVMValueRef args[3] = {a, a};

    n = p->l->BuildAnd(p->b, n, const_in_shape(p, p->l->TypeOf(n), width_of(p, type) - 1), "");
    args[2] = shift_amount(p, type, n);
    return call_intrinsic(p, left ? "llvm.fshl" : "llvm.fshr", 3, args);
}

static LLVMValueRef high_half(const struct llvm_place *p, bool with_sign, LLVMValueRef a,
                              LLVMValueRef b)
{
    const struct llvm *l = p->l;
    LLVMTypeRef wide = l->IntTypeInContext(p->x, 128);
    LLVMValueRef x = with_sign ? l->BuildSExt(p->b, a, wide, "") : l->BuildZExt(p->b, a, wide, "");
    LLVMValueRef y = with_sign ? l->BuildSExt(p->b, b, wide, "") : l->BuildZExt(p->b, b, wide, "");
    LLVMValueRef product = l->BuildMul(p->b, x, y, "");

    return l->BuildTrunc(p->b, l->BuildLShr(p->b, product, const_in_shape(p, wide, 64), ""),
                         l->TypeOf(a), "");
}

/* By the host's instruction; NULL if it has none. */
static LLVMValueRef polynomial_product(const struct llvm_place *p, LLVMValueRef a, LLVMValueRef b)
{
#ifdef __x86_64__
    const struct llvm *l = p->l;
    LLVMTypeRef lanes = l->VectorType(l->IntTypeInContext(p->x, 64), 2), none[] = {NULL};
    LLVMValueRef args[] = {l->BuildBitCast(p->b, a, lanes, ""), l->BuildBitCast(p->b, b, lanes, ""),
                           l->ConstInt(l->IntTypeInContext(p->x, 8), 0, false)};

    if (cpu_has_polymul64())
        return l->BuildBitCast(p->b, llvm_intrinsic(p, "llvm.x86.pclmulqdq", none, 3, args),
                               l->TypeOf(a), "");
#else
    (void)p, (void)a, (void)b;
#endif
    return NULL;
}

LLVMValueRef llvm_arith_binary(const struct llvm_place *p, enum jit_op op, jit_type t,
                               LLVMValueRef a, LLVMValueRef b)
{
    const struct llvm *l = p->l;
    bool is_float = jit_type_is_float(t);

    switch (op) {
    case JIT_ADD:
        return is_float ? l->BuildFAdd(p->b, a, b, "") : l->BuildAdd(p->b, a, b, "");
    case JIT_SUB:
        return is_float ? l->BuildFSub(p->b, a, b, "") : l->BuildSub(p->b, a, b, "");
    case JIT_MUL:
        return is_float ? l->BuildFMul(p->b, a, b, "") : l->BuildMul(p->b, a, b, "");
    case JIT_AND:
        return l->BuildAnd(p->b, a, b, "");
    case JIT_OR:
        return l->BuildOr(p->b, a, b, "");
    case JIT_XOR:
        return l->BuildXor(p->b, a, b, "");
    case JIT_DIV:
    case JIT_MOD:
        return build_divide(p, op == JIT_DIV, t, a, b);
    case JIT_UMULH:
    case JIT_SMULH:
        return high_half(p, op == JIT_SMULH, a, b);
    case JIT_POLYMUL:
        return polynomial_product(p, a, b);
    case JIT_SHL:
    case JIT_SHR:
        return build_shift(p, op, t, a, b);
    case JIT_ROL:
    case JIT_ROR:
        return build_rotate(p, op == JIT_ROL, a, b);
    default:
        return NULL;
    }
}

LLVMValueRef llvm_arith_compare(const struct llvm_place *p, enum jit_op op, jit_type t,
                                LLVMValueRef a, LLVMValueRef b)
{
    static const LLVMRealPredicate real[] = {LLVMRealOEQ, LLVMRealUNE, LLVMRealOLT,
                                             LLVMRealOLE, LLVMRealOGT, LLVMRealOGE};
    static const LLVMIntPredicate with_sign[] = {LLVMIntEQ,  LLVMIntNE,  LLVMIntSLT,
                                                 LLVMIntSLE, LLVMIntSGT, LLVMIntSGE};
    static const LLVMIntPredicate without[] = {LLVMIntEQ,  LLVMIntNE,  LLVMIntULT,
                                               LLVMIntULE, LLVMIntUGT, LLVMIntUGE};
    unsigned n = op - JIT_EQ;

    if (jit_type_is_float(t))
        return p->l->BuildFCmp(p->b, real[n], a, b, "");
    return p->l->BuildICmp(p->b, jit_type_is_signed(t) ? with_sign[n] : without[n], a, b, "");
}

LLVMValueRef llvm_arith_is_set(const struct llvm_place *p, LLVMValueRef v)
{
    return p->l->BuildICmp(p->b, LLVMIntNE, v, p->l->ConstNull(p->l->TypeOf(v)), "");
}

LLVMValueRef llvm_arith_fma(const struct llvm_place *p, LLVMValueRef a, LLVMValueRef b,
                            LLVMValueRef c)
{
    LLVMValueRef args[] = {a, b, c};

    return call_intrinsic(p, "llvm.fma", 3, args);
}

/* ---- conversions ----------------------------------------------------------------------------- */

/* 2 to the power `n`, negative or not, in the shape of `t`. */
static LLVMValueRef power_in_shape(const struct llvm_place *p, LLVMTypeRef t, unsigned n,
                                   bool negative)
{
    double power = 2 * (double)(1ull << (n - 1));
    LLVMValueRef scalar = p->l->ConstReal(llvm_scalar_type(p, t), negative ? -power : power);

    return llvm_in_lanes(p, scalar, p->l->GetVectorSize(t));
}

/* Vectors of floats to integers as llvm.fptosi.sat and llvm.fptoui.sat do, which LLVM takes apart
 * into lanes: 0 in lanes that are NaN or too large, then the largest and the smallest integer. */
static LLVMValueRef saturate_lanes(const struct llvm_place *p, LLVMTypeRef type, jit_type to,
                                   LLVMValueRef a)
{
    const struct llvm *l = p->l;
    bool is_signed = jit_type_is_signed(to);
    unsigned bits = jit_type_bits(to);
    uint64_t all = UINT64_MAX >> (64 - bits);
    LLVMTypeRef own = l->TypeOf(a);
    LLVMValueRef above = power_in_shape(p, own, bits - is_signed, false);
    LLVMValueRef lowest = is_signed ? power_in_shape(p, own, bits - 1, true) : l->ConstNull(own);
    LLVMValueRef not_low = l->BuildFCmp(p->b, LLVMRealOGE, a, lowest, "");
    LLVMValueRef fits =
        l->BuildAnd(p->b, not_low, l->BuildFCmp(p->b, LLVMRealOLT, a, above, ""), "");
    LLVMValueRef v = l->BuildSelect(p->b, fits, a, l->ConstNull(own), "");

    v = is_signed ? l->BuildFPToSI(p->b, v, type, "") : l->BuildFPToUI(p->b, v, type, "");
    v = l->BuildSelect(p->b, l->BuildFCmp(p->b, LLVMRealOGE, a, above, ""),
                       const_in_shape(p, type, all >> is_signed), v, "");
    return is_signed ? l->BuildSelect(p->b, l->BuildFCmp(p->b, LLVMRealOLT, a, lowest, ""),
                                      const_in_shape(p, type, 1ull << (bits - 1)), v, "")
                     : v;
}

LLVMValueRef llvm_arith_convert(const struct llvm_place *p, LLVMTypeRef type, jit_type to,
                                jit_type from, LLVMValueRef a)
{
    const struct llvm *l = p->l;
    LLVMTypeRef types[] = {type, l->TypeOf(a), NULL};
    bool wider = jit_type_bits(from) < jit_type_bits(to);

    if (jit_type_is_float(from) && jit_type_is_float(to)) {
        if (jit_type_bits(from) == jit_type_bits(to))
            return a;
        return wider ? l->BuildFPExt(p->b, a, type, "") : l->BuildFPTrunc(p->b, a, type, "");
    }
    if (jit_type_is_float(from) && is_vector(p, type))
        return saturate_lanes(p, type, to, a);
    if (jit_type_is_float(from))
        return llvm_intrinsic(p, jit_type_is_signed(to) ? "llvm.fptosi.sat" : "llvm.fptoui.sat",
                              types, 1, &a);
    if (jit_type_is_float(to))
        return jit_type_is_signed(from) ? l->BuildSIToFP(p->b, a, type, "")
                                        : l->BuildUIToFP(p->b, a, type, "");
    if (jit_type_is_signed(from) && wider)
        return l->BuildSExt(p->b, a, type, "");
    return llvm_resize(p, a, type);
}
