/* Half precision and integers, against the compiler's _Float16 and the C library. */
#include "tests/bifrost_fp/numbers.h"

#include <math.h>

static uint32_t half_bits(_Float16 h)
{
    uint16_t bits;
    memcpy(&bits, &h, sizeof(bits));
    return bits;
}

static _Float16 half_of(uint32_t bits)
{
    uint16_t narrow = (uint16_t)bits;
    _Float16 h;
    memcpy(&h, &narrow, sizeof(h));
    return h;
}

static void test_widening(void **state)
{
    (void)state;
    for (uint32_t h = 0; h < 0x10000; h++) {
        float got = gpu_f16_to_f32(h | 0xabcd0000), expected = (float)half_of(h);
        same_float(got, expected, "gpu_f16_to_f32", expected, 0, 0);
        if (is_nan32(gpu_bits(got)))
            assert_true(gpu_bits(got) & 0x400000);
    }
}

static void check_narrowing(uint32_t bits)
{
    float x = gpu_float(bits);
    uint32_t got = gpu_f32_to_f16(x), expected = is_nan32(bits) ? 0x7e00 : half_bits((_Float16)x);
    if (got != expected)
        fail_msg("gpu_f32_to_f16(%a): %04x, expected %04x", (double)x, got, expected);
    if (gpu_f32_to_f16_mode(x, GPU_ROUND_EVEN) != expected)
        fail_msg("gpu_f32_to_f16_mode(%a, even): %04x", (double)x,
                 gpu_f32_to_f16_mode(x, GPU_ROUND_EVEN));
}

static void test_narrowing(void **state)
{
    (void)state;
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 1009)
        check_narrowing((uint32_t)bits);
    /*
     * Each half-precision number, the middle between it and the next, and the neighbours of both.
     */
    for (uint32_t h = 0; h < 0x10000; h++) {
        uint32_t bits = gpu_bits((float)half_of(h));
        float middle = ((float)half_of(h) + (float)half_of(h + 1)) / 2;
        for (uint32_t i = 0; i < 5; i++) {
            check_narrowing(bits + i - 2);
            check_narrowing(gpu_bits(middle) + i - 2);
        }
    }
}

/* Checks the halves on both sides of |x|: infinity follows the largest one. */
static void check_directed(float x)
{
    double size = fabs((double)x);
    uint32_t sign = gpu_bits(x) >> 31, low = 0, high = 0x7c00;
    while (high - low > 1) { /* low <= size < high, infinity being 2^16 */
        uint32_t middle = (low + high) / 2;
        if ((double)half_of(middle) <= size)
            low = middle;
        else
            high = middle;
    }
    double below = (double)half_of(low), above = high == 0x7c00 ? 65536 : (double)half_of(high);
    uint32_t exact = below == size, nearer_above = size - below >= above - size;
    uint32_t toward = low, away = exact ? low : high;
    struct {
        uint8_t mode;
        uint32_t expected;
    } tries[] = {
        {GPU_ROUND_UP, sign ? toward : away},
        {GPU_ROUND_DOWN, sign ? away : toward},
        {GPU_ROUND_ZERO, toward},
        {GPU_ROUND_AWAY, !exact && nearer_above ? high : low},
    };
    for (unsigned i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
        uint32_t got = gpu_f32_to_f16_mode(x, tries[i].mode);
        uint32_t expected = (isinf(x) ? 0x7c00 : tries[i].expected) | sign << 15;
        if (got != expected)
            fail_msg("gpu_f32_to_f16_mode(%a, %u): %04x, expected %04x", (double)x, tries[i].mode,
                     got, expected);
    }
}

static void test_directed(void **state)
{
    uint64_t random = 1;
    (void)state;
    for (unsigned i = 0; i < 1000000; i++) {
        float x = any_float(&random);
        if (!isnan(x))
            check_directed(x);
        check_directed((float)((int64_t)draw_u64(&random) >> 40) * 0x1p-30f);
    }
    for (uint32_t h = 0; h < 0x7c00; h++) {
        float middle = ((float)half_of(h) + (float)half_of(h + 1)) / 2;
        check_directed((float)half_of(h));
        check_directed(h == 0x7bff ? 65520 : middle);
        check_directed(h == 0x7bff ? -65520 : -middle);
    }
    assert_int_equal(gpu_f32_to_f16_mode(gpu_float(0xffc12345), GPU_ROUND_UP), 0x7e00);
}

static double round_by_mode(double x, uint8_t mode)
{
    switch (mode) {
    case GPU_ROUND_UP:
        return ceil(x);
    case GPU_ROUND_DOWN:
        return floor(x);
    case GPU_ROUND_ZERO:
        return trunc(x);
    case GPU_ROUND_AWAY:
        return round(x);
    default:
        return rint(x);
    }
}

static void test_integers(void **state)
{
    uint64_t random = 2;
    (void)state;
    for (unsigned i = 0; i < 2000000; i++) {
        float x = any_float(&random);
        if (i & 1)
            x = (float)((int64_t)draw_u64(&random) >> (random & 31)) * 0x1p-32f;
        if (i % 16 == 0)
            x = (float)((int32_t)draw_u64(&random) >> 20) * 0.5f;
        for (uint8_t mode = GPU_ROUND_EVEN; mode <= GPU_ROUND_AWAY; mode++) {
            double r = round_by_mode((double)x, mode);
            same_float(gpu_round_integral(x, mode), (float)r, "gpu_round_integral", x, mode, 0);
            int64_t s = isnan(x)      ? 0
                        : r >= 0x1p31 ? INT32_MAX
                        : r < -0x1p31 ? INT32_MIN
                                      : (int64_t)r;
            int64_t u = isnan(x) || r < 0 ? 0 : r >= 0x1p32 ? UINT32_MAX : (int64_t)r;
            if (gpu_f32_to_s32(x, mode) != s || gpu_f32_to_u32(x, mode) != u)
                fail_msg("%a to integer, mode %u: %d and %u, expected %ld and %ld", (double)x, mode,
                         gpu_f32_to_s32(x, mode), gpu_f32_to_u32(x, mode), (long)s, (long)u);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_widening),
        cmocka_unit_test(test_narrowing),
        cmocka_unit_test(test_directed),
        cmocka_unit_test(test_integers),
    };
    return cmocka_run_group_tests_name("bifrost_fp.convert", tests, NULL, NULL);
}
