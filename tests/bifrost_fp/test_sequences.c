/*
 * The instruction sequences that Mesa emits for transcendental functions, with the numeric
 * functions behind each, against the C library in double precision. Limits are OpenCL's for the
 * full profile where it has any, in units of the last place (ulp).
 */
#include "tests/bifrost_fp/numbers.h"

#include <float.h>
#include <math.h>

enum { TRIES = 1000000 };

/* Distance in units of the last place of the expected number. */
static double ulps_between(float got, double expected)
{
    if (isnan(got) || isnan(expected))
        return isnan(got) && isnan(expected) ? 0 : INFINITY;
    if (isinf(expected) || fabs(expected) > (double)__FLT_MAX__)
        return isinf(got) && (got > 0) == (expected > 0) ? 0 : INFINITY;
    int e = expected == 0 ? -149 : ilogb(expected) - 23;
    return fabs((double)got - expected) / scalbn(1, e < -149 ? -149 : e);
}

static float fma_rscale(float a, float b, float c, int32_t e)
{
    double wide = gpu_wide_add((double)a * (double)b, (double)c, GPU_ROUND_EVEN);
    return gpu_wide_round(gpu_wide_scale(wide, e), GPU_ROUND_EVEN);
}

/* FMA_RSCALE.n */
static float rscale_n(float a, float b, float c, int32_t e)
{
    return a == 0 || b == 0 ? fma_rscale(0, 1, c, e) : fma_rscale(a, b, c, e);
}

static float clamp_between(float x, float low, float high)
{
    x = x > low ? x : low;
    return x < high ? x : high;
}

/* ---- G71: tables ----------------------------------------------------------------------------- */

static float table_rcp(float x)
{
    float f = gpu_split_fraction(x, GPU_SPLIT_PLAIN), x1 = 1 / f;
    float t = rscale_n(f, -x1, 1, 0);
    return fma_rscale(t, x1, x1, -gpu_split_exponent(x, GPU_SPLIT_PLAIN));
}

static float table_rsq(float x)
{
    float f = gpu_split_fraction(x, GPU_SPLIT_ROOT), x1 = gpu_reciprocal_root(f);
    float t1 = x1 * x1, t2 = rscale_n(f, -t1, 1, -1);
    return rscale_n(t2, x1, x1, -gpu_split_exponent(x, GPU_SPLIT_ROOT));
}

static float table_exp2(float x)
{
    const float bias = 786432;
    float t1 = clamp_between(x + bias, 0, INFINITY), t2 = t1 - bias,
          a2 = clamp_between(x - t2, -1, 1);
    float whole = gpu_exp2_sixteenth(gpu_bits(t1));
    int32_t e = (int32_t)(gpu_bits(t1) - gpu_bits(bias)) >> 4;
    float p = gpu_fma(a2, gpu_float(0x3d635635), gpu_float(0x3e75fffa));
    p = a2 * gpu_fma(p, a2, gpu_float(0x3f317218));
    float r = clamp_between(fma_rscale(p, whole, whole, e), 0, INFINITY);
    return isnan(x) ? x : r > x ? r : x; /* FMAX.nan_propagate */
}

static float table_log2(float x)
{
    float f = gpu_split_fraction(x, GPU_SPLIT_LOG);
    float e = (float)gpu_split_exponent(x, GPU_SPLIT_LOG);
    float r = gpu_log_reduction(x), x1 = e + gpu_log_of_reduction(x, 0);
    float y = gpu_fma(f, r, -1), log = y * gpu_fma(y, -0.5f, 1);
    return x1 + log * (float)(1 / M_LN2);
}

static float table_sin_cos(float x, int cosine)
{
    const float bias = 786432;
    float u = gpu_fma(x, 2.0f / 3.14159f, bias);
    float e = gpu_fma(u - bias, (float)(-3.14159f / 2.0), x);
    float s = gpu_sin_step(gpu_bits(u)), c = gpu_cos_step(gpu_bits(u));
    float half = fma_rscale(e, e, -0.0f, -1), quadratic = -half * (cosine ? c : s);
    return clamp_between(gpu_fma(e, cosine ? -s : c, quadratic), -1, 1) + (cosine ? c : s);
}

/* ---- The others: one instruction does most --------------------------------------------------- */

static float fast_exp2(float x)
{
    float scaled = fma_rscale(x, 1, -0.0f, 24);
    return gpu_exp2_fixed(gpu_f32_to_s32(scaled, GPU_ROUND_EVEN), scaled);
}

static float fast_log2(float x)
{
    float e = (float)gpu_split_exponent(x, GPU_SPLIT_LOG);
    float scaled = isinf(x) ? x : gpu_split_fraction(x, GPU_SPLIT_LOG); /* FADD_LSCALE */
    return gpu_fma(gpu_log_difference(x), -1 + scaled, e);
}

/* ---- Comparing ------------------------------------------------------------------------------- */

static double exact_inverse(double x)
{
    return 1 / x;
}

static double inverse_root(double x)
{
    return x < 0 ? NAN : 1 / sqrt(x);
}

static float fast_rcp(float x)
{
    return 1 / x;
}

static float table_sin(float x)
{
    return table_sin_cos(x, 0);
}

static float table_cos(float x)
{
    return table_sin_cos(x, 1);
}

/*
 * Prints the worst error over all kinds of numbers in [low, high], NaNs included; fails above
 * `limit` ulp.
 */
static void check_worst(const char *what, float (*got)(float), double (*expected)(double),
                        float low, float high, double limit)
{
    uint64_t random = 8;
    double most = 0;
    float at = 0;
    for (unsigned i = 0; i < TRIES; i++) {
        float x = any_float(&random);
        if (i & 1)
            x = low + (float)(draw_u64(&random) >> 40) * 0x1p-24f * (high - low);
        if (x < low || x > high)
            continue;
        double off = ulps_between(got(x), expected((double)x));
        if (off > most) {
            most = off;
            at = x;
        }
    }
    printf("%s: %.3f ulp at %a\n", what, most, (double)at);
    if (most > limit)
        fail_msg("%s(%a): %a, expected %a: %.3f ulp", what, (double)at, (double)got(at),
                 expected((double)at), most);
}

/* In an infinite range only the numbers of any_float() count; the others are NaN. */
static void test_reciprocals(void **state)
{
    (void)state;
    check_worst("table rcp", table_rcp, exact_inverse, -INFINITY, INFINITY, 0.501);
    check_worst("fast rcp", fast_rcp, exact_inverse, -INFINITY, INFINITY, 0.5);
    check_worst("table rsq", table_rsq, inverse_root, -INFINITY, INFINITY, 1.01);
    check_worst("fast rsq", gpu_reciprocal_root, inverse_root, -INFINITY, INFINITY, 0.501);
}

/* Host code rounds 1 / sqrt(x) from another double than gpu_reciprocal_root(), whose relative error
 * is also less than 2^-52 (translate/numeric.c). The middle of two floats is further away. */
static void test_root_middles(void **state)
{
    long double nearest = 1;

    _Static_assert(LDBL_MANT_DIG >= 64, "roots are known well enough");
    (void)state;
    for (uint32_t bits = gpu_bits(1); bits < gpu_bits(4); bits++) {
        long double root = 1 / sqrtl((long double)gpu_float(bits));
        int64_t half = (int64_t)(root * 0x1p25L) | 1; /* middles are odd, in (1/2, 1) */
        long double from = fabsl(root - (long double)half * 0x1p-25L) / root;

        nearest = from < nearest ? from : nearest;
    }
    assert_true(nearest > 0x1p-52L);
}

static void test_powers(void **state)
{
    (void)state;
    check_worst("table exp2", table_exp2, exp2, -INFINITY, INFINITY, 2);
    check_worst("table exp2, -150 to 130", table_exp2, exp2, -150, 130, 2);
    check_worst("fast exp2", fast_exp2, exp2, -INFINITY, INFINITY, 1.01);
    check_worst("fast exp2, -150 to 130", fast_exp2, exp2, -150, 130, 1.01);
}

static void test_logarithms(void **state)
{
    (void)state;
    check_worst("table log2", table_log2, log2, -INFINITY, INFINITY, 2);
    check_worst("table log2, 0.5 to 2", table_log2, log2, 0.5f, 2, 2);
    check_worst("fast log2", fast_log2, log2, -INFINITY, INFINITY, 1.5);
    check_worst("fast log2, 0.5 to 2", fast_log2, log2, 0.5f, 2, 1.5);
}

/* Mesa's constant for pi has six digits, so an error grows with the angle; its series stops at the
 * second power of at most pi / 64. */
static void test_angles(void **state)
{
    uint64_t random = 9;
    (void)state;
    for (unsigned i = 0; i < TRIES; i++) {
        float x = (float)((int64_t)draw_u64(&random) >> 40) * 0x1p-23f * (float)M_PI;
        double limit = 2.1e-5 + 3e-6 * fabs((double)x);
        if (fabs((double)table_sin(x) - sin((double)x)) > limit ||
            fabs((double)table_cos(x) - cos((double)x)) > limit)
            fail_msg("sin, cos(%a): %a, %a, expected %a, %a", (double)x, (double)table_sin(x),
                     (double)table_cos(x), sin((double)x), cos((double)x));
    }
    for (uint32_t n = 0; n < 64; n++) {
        assert_true(fabs((double)gpu_sin_step(n) - sin(n * M_PI / 32)) < 0x1p-25);
        assert_true(fabs((double)gpu_cos_step(n + 64) - cos(n * M_PI / 32)) < 0x1p-25);
    }
}

static void test_split(void **state)
{
    uint64_t random = 10;
    (void)state;
    for (unsigned i = 0; i < TRIES; i++) {
        float x = any_float(&random);
        int e = 0;
        float f = frexpf(x, &e);
        e = isfinite(x) ? e : 0;
        same_float(gpu_split_fraction(x, GPU_SPLIT_PLAIN), f, "fraction", x, 0, 0);
        assert_int_equal(gpu_split_exponent(x, GPU_SPLIT_PLAIN), e);
        if (!isfinite(x) || x == 0)
            continue;
        float root = gpu_split_fraction(x, GPU_SPLIT_ROOT);
        float log = gpu_split_fraction(x, GPU_SPLIT_LOG);
        assert_true(fabsf(root) >= 0.25f && fabsf(root) < 1);
        assert_true(fabsf(log) >= 0.75f && fabsf(log) < 1.5f);
        same_float(ldexpf(root, 2 * gpu_split_exponent(x, GPU_SPLIT_ROOT)), x, "root", x, 0, 0);
        same_float(ldexpf(log, gpu_split_exponent(x, GPU_SPLIT_LOG)), x, "log", x, 0, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_split),        cmocka_unit_test(test_reciprocals),
        cmocka_unit_test(test_root_middles), cmocka_unit_test(test_powers),
        cmocka_unit_test(test_logarithms),   cmocka_unit_test(test_angles),
    };
    return cmocka_run_group_tests_name("bifrost_fp.sequences", tests, NULL, NULL);
}
