/* Sums and products in every rounding mode, against the host's FPU and the C library. */
#include "tests/bifrost_fp/numbers.h"

#include <fenv.h>
#include <math.h>

enum { TRIES = 1000000 };

static const int host_mode[] = {
    [GPU_ROUND_EVEN] = FE_TONEAREST,
    [GPU_ROUND_UP] = FE_UPWARD,
    [GPU_ROUND_DOWN] = FE_DOWNWARD,
    [GPU_ROUND_ZERO] = FE_TOWARDZERO,
};

static float host_fma(float a, float b, float c, int mode)
{
    volatile float r;
    fesetround(mode);
    r = fmaf(a, b, c);
    fesetround(FE_TONEAREST);
    return r;
}

static float host_add(float a, float b, int mode)
{
    volatile float x = a, y = b, r;
    fesetround(mode);
    r = x + y;
    fesetround(FE_TONEAREST);
    return r;
}

static float host_scaled(float a, int e, int mode)
{
    volatile float r;
    fesetround(mode);
    r = scalbnf(a, e);
    fesetround(FE_TONEAREST);
    return r;
}

static void test_sum(void **state)
{
    uint64_t random = 3;
    (void)state;
    for (unsigned i = 0; i < TRIES; i++) {
        float a = any_float(&random), b = i % 64 ? any_float(&random) : -a;
        for (uint8_t mode = GPU_ROUND_EVEN; mode <= GPU_ROUND_ZERO; mode++)
            same_float(gpu_wide_round(gpu_wide_add((double)a, (double)b, mode), mode),
                       host_add(a, b, host_mode[mode]), "sum", a, b, mode);
    }
}

static void test_fma(void **state)
{
    uint64_t random = 4;
    (void)state;
    for (unsigned i = 0; i < TRIES; i++) {
        float a = any_float(&random), b = any_float(&random);
        float c = i % 4 ? any_float(&random) : -(a * b);
        for (uint8_t mode = GPU_ROUND_EVEN; mode <= GPU_ROUND_ZERO; mode++) {
            double wide = gpu_wide_add((double)a * (double)b, (double)c, mode);
            same_float(gpu_wide_round(wide, mode), host_fma(a, b, c, host_mode[mode]), "fma", a, b,
                       c);
        }
        same_float(gpu_fma(a, b, c), host_fma(a, b, c, FE_TONEAREST), "gpu_fma", a, b, c);
    }
}

static void test_scale(void **state)
{
    uint64_t random = 5;
    (void)state;
    for (unsigned i = 0; i < TRIES; i++) {
        float a = any_float(&random);
        int32_t e = (int32_t)(draw_u64(&random) % 700) - 350;
        if (i % 64 == 0)
            e = (int32_t)draw_u64(&random);
        for (uint8_t mode = GPU_ROUND_EVEN; mode <= GPU_ROUND_ZERO; mode++)
            same_float(gpu_wide_round(gpu_wide_scale((double)a, e), mode),
                       host_scaled(a, e, host_mode[mode]), "scale", a, (float)e, mode);
    }
}

/* Rounding to nearest with ties away, and rounding to odd, follow from the two neighbours. */
static void test_away_and_odd(void **state)
{
    uint64_t random = 6;
    (void)state;
    for (unsigned i = 0; i < TRIES; i++) {
        float a = any_float(&random), b = any_float(&random);
        if (isnan(a + b) || isinf(a) || isinf(b))
            continue;
        double wide = gpu_wide_add((double)a, (double)b, GPU_ROUND_EVEN);
        float low = host_add(a, b, FE_TOWARDZERO);
        float up = host_add(a, b, FE_UPWARD), down = host_add(a, b, FE_DOWNWARD);
        float high = low == up ? down : up;
        /*
         * Distances of the sum to both neighbours, exact since all three are close to each other.
         */
        double to_low = fabs(wide - (double)low), to_high = fabs((double)high - wide);
        float away = up == down || to_low < to_high ? low : high;
        float odd = up == down ? up : gpu_bits(low) & 1 ? low : high;
        if (isinf(high))
            odd = low;
        if (!isinf(high))
            same_float(gpu_wide_round(wide, GPU_ROUND_AWAY), away, "away", a, b, 0);
        same_float(gpu_wide_round(wide, GPU_ROUND_ODD), odd, "odd", a, b, 0);
    }
}

/* The wide sum itself, since its two roundings give the same as one. */
static void test_half_fma(void **state)
{
    uint64_t random = 7;
    (void)state;
    for (unsigned i = 0; i < TRIES; i++) {
        float a = gpu_f16_to_f32((uint32_t)draw_u64(&random));
        float b = gpu_f16_to_f32((uint32_t)draw_u64(&random));
        float c = gpu_f16_to_f32((uint32_t)draw_u64(&random));
        double wide = gpu_wide_add((double)a * (double)b, (double)c, GPU_ROUND_EVEN);
        uint32_t got = gpu_f32_to_f16(gpu_wide_round(wide, GPU_ROUND_ODD));
        _Float16 expected = (_Float16)((__float128)a * (__float128)b + (__float128)c);
        same_float(gpu_f16_to_f32(got), (float)expected, "half fma", a, b, c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sum),      cmocka_unit_test(test_fma),
        cmocka_unit_test(test_scale),    cmocka_unit_test(test_away_and_odd),
        cmocka_unit_test(test_half_fma),
    };
    return cmocka_run_group_tests_name("bifrost_fp.round", tests, NULL, NULL);
}
