/*
 * The most frequently called functions of runtime/gpu/numeric, built from operations. Instructions
 * that call other functions are left to their handlers.
 */
#include "runtime/gpu/translate/internal.h"

#include <string.h>

#include "runtime/gpu/numeric/bits.h"

typedef const struct lanes_value *const *numeric_args;

static jit_value argument_at(numeric_args a, unsigned n)
{
    return (jit_value)(uintptr_t)a[n];
}

static jit_value const_u32(struct jit_build *j, uint32_t v)
{
    return jit_const(j, JIT_U32, v);
}

static jit_value binary_op(struct jit_build *j, enum jit_op o, jit_value a, jit_value b)
{
    return jit_binary(j, o, JIT_U32, a, b);
}

static jit_value op_f(struct jit_build *j, enum jit_op o, jit_value a, jit_value b)
{
    return jit_binary(j, o, JIT_F32, a, b);
}

static jit_value to_float(struct jit_build *j, jit_value bits)
{
    return jit_bitcast(j, JIT_F32, bits);
}

static jit_value to_bits(struct jit_build *j, jit_value f)
{
    return jit_bitcast(j, JIT_U32, f);
}

enum { HALVES = 16 /* lanes whose halves are converted by the host's instructions */ };

/* Whether the host converts the halves of all lanes, to what half.h says, but for NaNs that
 * become narrow. LLVM's own conversions would be taken apart: it compares halves in place of the
 * words that they become, lane by lane. */
static bool host_converts_halves(struct jit_build *j, jit_value v)
{
    return j->lanes == HALVES && strstr(j->t->features, "+f16c") && !lanes_is_uniform(j, v);
}

static bool converts_all_at_once(const struct jit_build *j)
{
    return strstr(j->t->features, "+avx512f") != NULL;
}

/* Calls an intrinsic of the host that is not for several types. */
static LLVMValueRef host_intrinsic(struct jit_build *j, const char *name, unsigned n,
                                   LLVMValueRef *args)
{
    unsigned id = j->l->LookupIntrinsicID(name, strlen(name));

    return j->l->BuildCall2(j->b, j->l->IntrinsicGetType(j->x, id, NULL, 0),
                            j->l->GetIntrinsicDeclaration(j->module, id, NULL, 0), args, n, "");
}

enum { ALL_LANES = 0xffff, ROUND_AS_SET = 4 };

/* Elements from `first` on of one or two vectors as one vector. */
static LLVMValueRef take(struct jit_build *j, LLVMValueRef a, LLVMValueRef b, unsigned first,
                         unsigned count)
{
    LLVMValueRef which[HALVES];

    for (unsigned n = 0; n < count; n++)
        which[n] = lanes_int(j->i32, first + n, j);
    return j->l->BuildShuffleVector(j->b, a, b ? b : j->l->GetUndef(j->l->TypeOf(a)),
                                    j->l->ConstVector(which, count), "");
}

/* Eight halves in single precision. LLVM has its own conversion in place of this intrinsic. */
static LLVMValueRef widen_eight(struct jit_build *j, LLVMValueRef v)
{
    static const char text[] = "vcvtph2ps $1, $0", where[] = "=x,x";
    LLVMTypeRef from = j->l->TypeOf(v), to = j->l->VectorType(j->f32, HALVES / 2);
    LLVMTypeRef type = j->l->FunctionType(to, &from, 1, false);
    LLVMValueRef call = j->l->GetInlineAsm(type, (char *)(uintptr_t)text, sizeof(text) - 1,
                                           (char *)(uintptr_t)where, sizeof(where) - 1, false,
                                           false, LLVMInlineAsmDialectATT, false);

    return j->l->BuildCall2(j->b, type, call, &v, 1, "");
}

static LLVMValueRef narrow_eight(struct jit_build *j, LLVMValueRef v)
{
    LLVMValueRef args[] = {v, lanes_int(j->i32, ROUND_AS_SET, j)};

    return host_intrinsic(j, "llvm.x86.vcvtps2ph.256", 2, args);
}

/* The low 16 bits of a word, as a half, in single precision. */
static jit_value widen_in_host(struct jit_build *j, jit_value h)
{
    LLVMTypeRef halves = lanes_vector(j, j->i16), floats = lanes_vector(j, j->f32);
    LLVMValueRef v = j->l->BuildTrunc(j->b, lanes_scalar(j, h), halves, ""), high;
    LLVMValueRef args[] = {v, j->l->ConstNull(floats), lanes_int(j->i16, ALL_LANES, j),
                           lanes_int(j->i32, ROUND_AS_SET, j)};

    if (!converts_all_at_once(j)) {
        high = widen_eight(j, take(j, v, NULL, HALVES / 2, HALVES / 2));
        v = widen_eight(j, take(j, v, NULL, 0, HALVES / 2));
        return lanes_wrap(j, take(j, v, high, 0, HALVES), false);
    }
    return lanes_wrap(j, host_intrinsic(j, "llvm.x86.avx512.mask.vcvtph2ps.512", 4, args), false);
}

/* A number rounded to a half, to nearest and ties to even, as a word. */
static jit_value narrow_in_host(struct jit_build *j, jit_value x)
{
    LLVMTypeRef halves = lanes_vector(j, j->i16);
    LLVMValueRef args[] = {lanes_scalar(j, x), lanes_int(j->i32, ROUND_AS_SET, j),
                           j->l->ConstNull(halves), lanes_int(j->i16, ALL_LANES, j)};
    LLVMValueRef v = args[0], high;

    if (converts_all_at_once(j)) {
        v = host_intrinsic(j, "llvm.x86.avx512.mask.vcvtps2ph.512", 4, args);
    } else {
        high = narrow_eight(j, take(j, v, NULL, HALVES / 2, HALVES / 2));
        v = take(j, narrow_eight(j, take(j, v, NULL, 0, HALVES / 2)), high, 0, HALVES);
    }
    return lanes_wrap(j, j->l->BuildZExt(j->b, v, lanes_vector(j, j->i32), ""), false);
}

/* gpu_f16_to_f32() of half.h, by integer operations. */
static jit_value widen_by_parts(struct jit_build *j, jit_value h)
{
    jit_value size =
        binary_op(j, JIT_SHL, binary_op(j, JIT_AND, h, const_u32(j, 0x7fff)), const_u32(j, 13));
    jit_value sign =
        binary_op(j, JIT_SHL, binary_op(j, JIT_AND, h, const_u32(j, 0x8000)), const_u32(j, 16));
    jit_value normal = binary_op(j, JIT_ADD, size, const_u32(j, 112u << 23));
    jit_value subnormal = to_bits(
        j, op_f(j, JIT_SUB, to_float(j, binary_op(j, JIT_ADD, size, const_u32(j, 113u << 23))),
                to_float(j, const_u32(j, 113u << 23))));
    jit_value quiet = jit_select(j, binary_op(j, JIT_GT, size, const_u32(j, 31u << 23)),
                                 const_u32(j, 0x400000), const_u32(j, 0));
    jit_value special =
        binary_op(j, JIT_OR, binary_op(j, JIT_OR, size, const_u32(j, GPU_F32_INFINITY)), quiet);
    jit_value v =
        jit_select(j, binary_op(j, JIT_GE, size, const_u32(j, 31u << 23)), special, normal);

    v = jit_select(j, binary_op(j, JIT_LT, size, const_u32(j, 1u << 23)), subnormal, v);
    return to_float(j, binary_op(j, JIT_OR, v, sign));
}

/* gpu_f16_to_f32() of half.h. */
static jit_value widen_half(struct jit_build *j, numeric_args a)
{
    jit_value h = argument_at(a, 0);

    return host_converts_halves(j, h) ? widen_in_host(j, h) : widen_by_parts(j, h);
}

/* A number that is no NaN, rounded to a half by integer operations. */
static jit_value narrow_by_parts(struct jit_build *j, jit_value bits)
{
    jit_value sign =
        binary_op(j, JIT_AND, binary_op(j, JIT_SHR, bits, const_u32(j, 16)), const_u32(j, 0x8000));
    jit_value size = binary_op(j, JIT_AND, bits, const_u32(j, ~GPU_F32_SIGN));
    jit_value odd =
        binary_op(j, JIT_AND, binary_op(j, JIT_SHR, size, const_u32(j, 13)), const_u32(j, 1));
    jit_value normal = binary_op(j, JIT_ADD, binary_op(j, JIT_SUB, size, const_u32(j, 112u << 23)),
                                 const_u32(j, 0xfff));
    jit_value half = to_float(j, const_u32(j, 0x3f000000));
    jit_value subnormal =
        binary_op(j, JIT_SUB, to_bits(j, op_f(j, JIT_ADD, to_float(j, size), half)),
                  const_u32(j, 0x3f000000));
    jit_value v;

    normal = binary_op(j, JIT_SHR, binary_op(j, JIT_ADD, normal, odd), const_u32(j, 13));
    v = jit_select(j, binary_op(j, JIT_LT, size, const_u32(j, 113u << 23)), subnormal, normal);
    v = jit_select(j, binary_op(j, JIT_GE, size, const_u32(j, 143u << 23)),
                   const_u32(j, GPU_F16_INFINITY), v);
    return binary_op(j, JIT_OR, v, sign);
}

/* gpu_f32_to_f16() of half.h. */
static jit_value narrow_to_half(struct jit_build *j, numeric_args a)
{
    jit_value x = argument_at(a, 0);
    jit_value v =
        host_converts_halves(j, x) ? narrow_in_host(j, x) : narrow_by_parts(j, to_bits(j, x));

    return jit_select(j, op_f(j, JIT_EQ, x, x), v, const_u32(j, GPU_F16_NAN));
}

/* gpu_fma() of round.h. */
static jit_value fused_multiply_add(struct jit_build *j, numeric_args a)
{
    return jit_fma(j, JIT_F32, argument_at(a, 0), argument_at(a, 1), argument_at(a, 2));
}

/* Whether a value is known to be the float with these bits. */
static bool is_float(struct jit_build *j, jit_value v, uint32_t bits)
{
    LLVMValueRef x = lanes_scalar(j, to_bits(j, v));

    return lanes_is_uniform(j, v) && j->l->IsAConstantInt(x) &&
           j->l->ConstIntGetZExtValue(x) == bits;
}

/* gpu_limit(). Most results have no limits, which LLVM does not see in two comparisons. */
static jit_value limit_value(struct jit_build *j, numeric_args a)
{
    jit_value x = argument_at(a, 0), low = argument_at(a, 1), high = argument_at(a, 2);
    jit_value r = x;

    if (!is_float(j, low, GPU_F32_SIGN | GPU_F32_INFINITY))
        r = jit_select(j, op_f(j, JIT_GT, r, low), r, low);
    if (!is_float(j, high, GPU_F32_INFINITY))
        r = jit_select(j, op_f(j, JIT_LT, r, high), r, high);
    return jit_select(j, op_f(j, JIT_EQ, x, x), r, argument_at(a, 3));
}

/* Whether the second argument is known to be this rounding mode. */
static bool has_rounding_mode(struct jit_build *j, numeric_args a, unsigned mode)
{
    LLVMValueRef v = lanes_scalar(j, argument_at(a, 1));

    return lanes_is_uniform(j, argument_at(a, 1)) && j->l->IsAConstantInt(v) &&
           j->l->ConstIntGetZExtValue(v) == mode;
}

/* gpu_wide_round() to nearest, ties to even; NULL for other modes. */
static jit_value round_wide(struct jit_build *j, numeric_args a)
{
    return has_rounding_mode(j, a, GPU_ROUND_EVEN)
               ? jit_convert(j, JIT_F32, JIT_F64, argument_at(a, 0))
               : NULL;
}

/* gpu_f32_to_s32() and gpu_f32_to_u32() toward zero; NULL for other modes. */
static jit_value to_signed(struct jit_build *j, numeric_args a)
{
    return has_rounding_mode(j, a, GPU_ROUND_ZERO)
               ? jit_convert(j, JIT_S32, JIT_F32, argument_at(a, 0))
               : NULL;
}

static jit_value to_unsigned(struct jit_build *j, numeric_args a)
{
    return has_rounding_mode(j, a, GPU_ROUND_ZERO)
               ? jit_convert(j, JIT_U32, JIT_F32, argument_at(a, 0))
               : NULL;
}

/* 1 / sqrt(x), rounded twice as a double and once as a float. */
static jit_value root_and_division(struct jit_build *j, numeric_args a)
{
    jit_value one = jit_convert(j, JIT_F64, JIT_F32, to_float(j, const_u32(j, 0x3f800000)));
    jit_value root =
        jit_unary(j, JIT_SQRT, JIT_F64, jit_convert(j, JIT_F64, JIT_F32, argument_at(a, 0)));

    return jit_convert(j, JIT_F32, JIT_F64, jit_binary(j, JIT_DIV, JIT_F64, one, root));
}

/* `v` in eight lanes. */
static LLVMValueRef eight_numbers(struct jit_build *j, LLVMTypeRef type, double v)
{
    LLVMValueRef lanes[HALVES / 2];

    for (unsigned n = 0; n < HALVES / 2; n++)
        lanes[n] = j->l->ConstReal(type, v);
    return j->l->ConstVector(lanes, HALVES / 2);
}

/* a * b + c */
static LLVMValueRef fused(struct jit_build *j, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    LLVMValueRef args[] = {a, b, c};

    return lanes_intrinsic(j, "llvm.fma", j->l->TypeOf(a), 3, args);
}

/* (1 - e)^-1/2 - 1 */
static LLVMValueRef root_series(struct jit_build *j, LLVMValueRef e)
{
    static const double factors[] = {35.0 / 128, 5.0 / 16, 3.0 / 8, 1.0 / 2};
    LLVMValueRef sum = eight_numbers(j, j->f64, 63.0 / 256);

    for (unsigned n = 0; n < sizeof(factors) / sizeof(*factors); n++)
        sum = fused(j, e, sum, eight_numbers(j, j->f64, factors[n]));
    return j->l->BuildFMul(j->b, e, sum, "");
}

/* The host's estimate of 1 / sqrt(x), whose relative error is less than 2^-11; it takes subnormal
 * numbers for zeros, which are therefore made larger. */
static LLVMValueRef estimate_roots(struct jit_build *j, LLVMValueRef x)
{
    const struct llvm *l = j->l;
    LLVMValueRef small = l->BuildFCmp(j->b, LLVMRealOLT, x, eight_numbers(j, j->f32, 0x1p-126), "");
    LLVMValueRef large = l->BuildFMul(j->b, x, eight_numbers(j, j->f32, 0x1p24), ""), r;

    x = l->BuildSelect(j->b, small, large, x, "");
    r = host_intrinsic(j, "llvm.x86.avx.rsqrt.ps.256", 1, &x);
    return l->BuildSelect(j->b, small, l->BuildFMul(j->b, r, eight_numbers(j, j->f32, 0x1p12), ""),
                          r, "");
}

/*
 * 1 / sqrt(x) of eight floats, from the estimate r: with e = 1 - x r^2, it is r (1 - e)^-1/2, as
 * doubles. The error is less than 2^-52.9, as that of a root and a division is less than 2^-52. No
 * 1 / sqrt(x) of a float is nearer than 2^-51.8 to the middle of two floats (tests/bifrost_fp), so
 * both round to the same one. The estimate is the result where x is no positive number: e is a NaN.
 */
static LLVMValueRef eight_roots(struct jit_build *j, LLVMValueRef floats)
{
    const struct llvm *l = j->l;
    LLVMTypeRef doubles = l->VectorType(j->f64, HALVES / 2);
    LLVMValueRef x = l->BuildFPExt(j->b, floats, doubles, ""), e, better;
    LLVMValueRef r = l->BuildFPExt(j->b, estimate_roots(j, floats), doubles, "");

    e = fused(j, l->BuildFNeg(j->b, l->BuildFMul(j->b, x, r, ""), ""), r,
              eight_numbers(j, j->f64, 1));
    better = fused(j, r, root_series(j, e), r);
    r = l->BuildSelect(j->b, l->BuildFCmp(j->b, LLVMRealORD, e, e, ""), better, r, "");
    return l->BuildFPTrunc(j->b, r, l->TypeOf(floats), "");
}

static jit_value roots_in_host(struct jit_build *j, jit_value x)
{
    LLVMValueRef v = lanes_scalar(j, x), low, high;

    low = eight_roots(j, take(j, v, NULL, 0, HALVES / 2));
    high = eight_roots(j, take(j, v, NULL, HALVES / 2, HALVES / 2));
    return lanes_wrap(j, take(j, low, high, 0, HALVES), false);
}

/* gpu_reciprocal_root() of approx.h. Vectors of four doubles are divided as fast as this. */
static jit_value reciprocal_root(struct jit_build *j, numeric_args a)
{
    if (j->lanes == HALVES && converts_all_at_once(j) && !lanes_is_uniform(j, argument_at(a, 0)))
        return roots_in_host(j, argument_at(a, 0));
    return root_and_division(j, a);
}

jit_value lanes_numeric(struct jit_build *j, const char *name, numeric_args args)
{
    static const struct {
        const char *name;
        jit_value (*build)(struct jit_build *j, numeric_args args);
    } known[] = {
        {"gpu_f16_to_f32", widen_half},
        {"gpu_f32_to_f16", narrow_to_half},
        {"gpu_f32_to_s32", to_signed},
        {"gpu_f32_to_u32", to_unsigned},
        {"gpu_fma", fused_multiply_add},
        {"gpu_limit", limit_value},
        {"gpu_reciprocal_root", reciprocal_root},
        {"gpu_wide_round", round_wide},
    };

    for (unsigned i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (!strcmp(known[i].name, name))
            return known[i].build(j, args);
    return NULL;
}
