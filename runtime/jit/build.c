/* Operations of build.h on values: constants, arithmetic (arithmetic.c), conversions, lanes. */
#include "runtime/jit/opaque.h"
#include "runtime/jit/llvm_build.h"

#include <stdio.h>

static bool is_vector(struct jit_build *j, LLVMValueRef v)
{
    return j->l->GetTypeKind(j->l->TypeOf(v)) == LLVMVectorTypeKind;
}

/* ---- constants ------------------------------------------------------------------------------- */

jit_value llvm_const128(struct jit_build *j, jit_type t, uint64_t high, uint64_t low)
{
    uint64_t words[2] = {low, high};
    LLVMValueRef v;

    if (jit_type_is_float(t))
        v = j->l->ConstBitCast(build_int(j, jit_type_bits(t) == 32 ? j->i32 : j->i64, low),
                               build_lane_type(j, t));
    else if (jit_type_bits(t) == 128)
        v = j->l->ConstIntOfArbitraryPrecision(j->i128, 2, words);
    else
        v = build_int(j, build_lane_type(j, t), low);
    return llvm_splat(j, t, v);
}

jit_value llvm_const(struct jit_build *j, jit_type t, uint64_t bits)
{
    bool negative = jit_type_is_signed(t) && jit_type_bits(t) == 128 && bits >> 63;

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

/* LLVM's code tests results. */
uint8_t llvm_traps(struct jit_build *j, unsigned kinds)
{
    (void)j;
    (void)kinds;
    return 0;
}

void llvm_trap_inexact(struct jit_build *j)
{
    (void)j;
}

void llvm_trap_nans(struct jit_build *j)
{
    (void)j;
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

/* ---- arithmetic ------------------------------------------------------------------------------ */

jit_value llvm_unary(struct jit_build *j, enum jit_op op, jit_type t, jit_value a)
{
    LLVMValueRef v = llvm_arith_unary(&j->place, op, t, a);

    if (!v)
        build_fail(j, "jit_unary: not a unary operation");
    return v ? v : a;
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

jit_value llvm_binary(struct jit_build *j, enum jit_op op, jit_type t, jit_value a, jit_value b)
{
    LLVMValueRef v = NULL;

    if (op >= JIT_EQ && op <= JIT_GE)
        return comparison_result(j, llvm_arith_compare(&j->place, op, t, a, b), j->l->TypeOf(a));
    if ((op == JIT_ADD || op == JIT_SUB) && !jit_type_is_float(t))
        v = add_to_pc(j, op, a, b);
    if (!v)
        v = llvm_arith_binary(&j->place, op, t, a, b);
    if (!v)
        build_fail(j, "jit_binary: not a binary operation");
    return v ? v : a;
}

jit_value llvm_fma(struct jit_build *j, jit_type t, jit_value a, jit_value b, jit_value c)
{
    (void)t;
    return llvm_arith_fma(&j->place, a, b, c);
}

/* ---- select, conversions --------------------------------------------------------------------- */

jit_value llvm_select(struct jit_build *j, jit_value cond, jit_value a, jit_value b)
{
    return j->l->BuildSelect(j->b, llvm_arith_is_set(&j->place, cond), a, b, "");
}

jit_value llvm_convert(struct jit_build *j, jit_type to, jit_type from, jit_value a)
{
    LLVMValueRef v = llvm_arith_convert(&j->place, build_type(j, to), to, from, a);

    /* A float of an integer is hidden. LLVM 14 concludes that a converted unsigned number is not
     * negative, and wrongly applies that to each lane of a bitcast: its InstCombine folds `icmp slt
     * (bitcast (uitofp i32 to double) to <4 x i16>), 0` to false. */
    if (jit_type_is_float(to) && !jit_type_is_float(from))
        return build_opaque(j->l, j->b, j->i32, v).value;
    return v;
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
    return type_lanes(t) > 1 ? llvm_in_lanes(&j->place, scalar, type_lanes(t)) : scalar;
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
        return j->l->BuildAnd(j->b, index, build_int(j, j->l->TypeOf(index), lanes - 1), "");
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
