/*
 * Elementary functions, against values worked out by hand and against the host's C library in
 * extended precision, except where its result is too near the middle between two floats.
 */
#include "tests/bifrost_fp/numbers.h"

#include <math.h>
#include <stdbool.h>

#include "runtime/gpu/numeric/elementary.h"

enum { TRIES = 400000 };

typedef float function(float x);
typedef long double referee(long double x);

static const struct {
    function *f;
    const char *name;
    float x, y;
} by_hand[] = {
    {gpu_exp2, "exp2", 0, 1},
    {gpu_exp2, "exp2", -0.0f, 1},
    {gpu_exp2, "exp2", 10, 1024},
    {gpu_exp2, "exp2", 0.5f, 0x1.6a09e6p0f}, /* sqrt 2 = 1.41421356237… */
    {gpu_exp2, "exp2", -149, 0x1p-149f},
    {gpu_exp2, "exp2", -150, 0}, /* half of the least float, rounded to even */
    {gpu_exp2, "exp2", -0x1.2bfffep7f, 0x1p-149f},
    {gpu_exp2, "exp2", 127, 0x1p127f},
    {gpu_exp2, "exp2", 0x1.fffffep6f, 0x1.ffff4ep127f}, /* 2^128 (1 - 2^-17 ln 2 + …) */
    {gpu_exp2, "exp2", 128, INFINITY},
    {gpu_exp2, "exp2", INFINITY, INFINITY},
    {gpu_exp2, "exp2", -INFINITY, 0},
    {gpu_log2, "log2", 1, 0},
    {gpu_log2, "log2", 8, 3},
    {gpu_log2, "log2", 0x1p-149f, -149},
    {gpu_log2, "log2", 10, 0x1.a934f0p1f},              /* 3.32192809489 */
    {gpu_log2, "log2", 0x1.000002p0f, 0x1.715474p-23f}, /* 2^-23 / ln 2 (1 - 2^-24) */
    {gpu_log2, "log2", 0, -INFINITY},
    {gpu_log2, "log2", -0.0f, -INFINITY},
    {gpu_log2, "log2", INFINITY, INFINITY},
    {gpu_sinpi, "sinpi", 0, 0},
    {gpu_sinpi, "sinpi", 0.5f, 1},
    {gpu_sinpi, "sinpi", -0.5f, -1},
    {gpu_sinpi, "sinpi", 1.5f, -1},
    {gpu_sinpi, "sinpi", 0.25f, 0x1.6a09e6p-1f},  /* sqrt 1/2 */
    {gpu_sinpi, "sinpi", 0x1p-149f, 0x1.8p-148f}, /* 3.14 of the least float */
    {gpu_sinpi, "sinpi", 8388609.5f * 2, 0},
    {gpu_cospi, "cospi", 0, 1},
    {gpu_cospi, "cospi", 0x1p-30f, 1},
    {gpu_cospi, "cospi", 1, -1},
    {gpu_cospi, "cospi", 0.5f, 0},
    {gpu_cospi, "cospi", 0.25f, 0x1.6a09e6p-1f},
    {gpu_cospi, "cospi", 0x1p100f, 1},
};

static void test_values(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof(by_hand) / sizeof(*by_hand); i++) {
        float y = by_hand[i].f(by_hand[i].x);

        if (y != by_hand[i].y)
            fail_msg("%s(%a) is %a, not %a", by_hand[i].name, (double)by_hand[i].x, (double)y,
                     (double)by_hand[i].y);
    }
    assert_true(isnan(gpu_exp2(NAN)) && isnan(gpu_log2(NAN)) && isnan(gpu_log2(-1)));
    assert_true(isnan(gpu_sinpi(INFINITY)) && isnan(gpu_cospi(-INFINITY)) && isnan(gpu_sinpi(NAN)));
    assert_true(signbit(gpu_sinpi(-0.0f)));
}

/*
 * Whether the float that `exact` rounds to is certain: `exact` is at least 2^-14 steps from the
 * middle of two floats.
 */
static bool is_plain(long double exact, float nearest)
{
    long double other = nextafterf(nearest, exact > nearest ? INFINITY : -INFINITY);
    long double step = fabsl(other - nearest), off = fabsl(exact - nearest);

    return off < step * (0.5L - 0x1p-14L);
}

static void compare_with_host(function *f, referee *exact, const char *name, float x)
{
    long double y = exact((long double)x);
    float want = (float)y, got = f(x);

    if (!isfinite(want) || !is_plain(y, want))
        return;
    if (want != got)
        fail_msg("%s(%a) is %a, not %a", name, (double)x, (double)got, (double)want);
}

static const long double pi = 3.14159265358979323846264338327950288L;

static long double exact_sinpi(long double x)
{
    return sinl(pi * fmodl(x, 2));
}

static long double exact_cospi(long double x)
{
    return cosl(pi * fmodl(x, 2));
}

/* A random number of random exponent from 2^low to 2^high, of either sign. */
static float draw_float(uint64_t *random, int low, int high)
{
    uint64_t bits = draw_u64(random);
    float x =
        scalbnf(1 + (float)(bits & 0x7fffff) * 0x1p-23f, low + (int)(bits >> 40) % (high - low));

    return bits >> 31 & 1 ? -x : x;
}

static void test_against_host(void **state)
{
    uint64_t random = 11;

    (void)state;
    for (unsigned i = 0; i < TRIES; i++) {
        compare_with_host(gpu_exp2, exp2l, "exp2", draw_float(&random, -26, 8));
        compare_with_host(gpu_log2, log2l, "log2", fabsf(draw_float(&random, -149, 127)));
        compare_with_host(gpu_log2, log2l, "log2", 1 + draw_float(&random, -23, -1));
        compare_with_host(gpu_sinpi, exact_sinpi, "sinpi", draw_float(&random, -60, 0));
        compare_with_host(gpu_cospi, exact_cospi, "cospi", draw_float(&random, -20, -1));
    }
}

static void test_integers(void **state)
{
    (void)state;
    assert_true(gpu_round_integral_wide(2.5, GPU_ROUND_EVEN) == 2);
    assert_true(gpu_round_integral_wide(3.5, GPU_ROUND_EVEN) == 4);
    assert_true(gpu_round_integral_wide(2.5, GPU_ROUND_AWAY) == 3);
    assert_true(gpu_round_integral_wide(-2.5, GPU_ROUND_AWAY) == -3);
    assert_true(gpu_round_integral_wide(-2.5, GPU_ROUND_UP) == -2);
    assert_true(gpu_round_integral_wide(-2.5, GPU_ROUND_DOWN) == -3);
    assert_true(gpu_round_integral_wide(-2.5, GPU_ROUND_ZERO) == -2);
    assert_int_equal(gpu_f64_to_s64(-1.5, GPU_ROUND_DOWN), -2);
    assert_true(gpu_f64_to_s64(0x1p63, GPU_ROUND_EVEN) == INT64_MAX);
    assert_true(gpu_f64_to_s64(-0x1p63, GPU_ROUND_EVEN) == INT64_MIN);
    assert_true(gpu_f64_to_s64(-0x1.1p63, GPU_ROUND_EVEN) == INT64_MIN);
    assert_int_equal(gpu_f64_to_s64(NAN, GPU_ROUND_EVEN), 0);
    assert_int_equal(gpu_f64_to_u64(-0.75, GPU_ROUND_EVEN), 0);
    assert_int_equal(gpu_f64_to_u64(NAN, GPU_ROUND_EVEN), 0);
    assert_true(gpu_f64_to_u64(0x1p63, GPU_ROUND_EVEN) == (uint64_t)1 << 63);
    assert_true(gpu_f64_to_u64(0x1p64, GPU_ROUND_EVEN) == UINT64_MAX);
    assert_int_equal(gpu_f64_to_u64(2.25, GPU_ROUND_UP), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_against_host),
        cmocka_unit_test(test_integers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
