/*
 * Special cases of the manual's floating-point functions (DDI 0487, shared/functions/float) and of
 * its tables for each instruction, worked out by hand: a value and the flags of FPSR each.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/fp/fp.h"

#define RN 0u
#define RP (1u << FP_CONTROL_ROUND_SHIFT)
#define RM (2u << FP_CONTROL_ROUND_SHIFT)
#define RZ (3u << FP_CONTROL_ROUND_SHIFT)
#define FZ FP_CONTROL_FLUSH
#define DN FP_CONTROL_DEFAULT_NAN

#define IOC FP_FLAG_INVALID
#define DZC FP_FLAG_DIVIDE_BY_ZERO
#define OFC FP_FLAG_OVERFLOW
#define UFC FP_FLAG_UNDERFLOW
#define IXC FP_FLAG_INEXACT
#define IDC FP_FLAG_INPUT_DENORMAL

/* Single precision. */
#define ZERO   0x00000000u
#define MZERO  0x80000000u
#define ONE    0x3f800000u
#define MONE   0xbf800000u
#define TWO    0x40000000u
#define THREE  0x40400000u
#define INF    0x7f800000u
#define MINF   0xff800000u
#define MAX    0x7f7fffffu
#define MMAX   0xff7fffffu
#define MINNRM 0x00800000u
#define DENORM 0x00000001u
#define DNAN   0x7fc00000u
#define QNAN1  0x7fc00011u
#define QNAN2  0xffc00022u
#define SNAN1  0x7f800011u
#define SNAN2  0xff800022u
/* SNAN1 and SNAN2, made quiet. */
#define SNAN1_QUIET 0x7fc00011u
#define SNAN2_QUIET 0xffc00022u

/* Double precision. */
#define DONE  0x3ff0000000000000u
#define DINF  0x7ff0000000000000u
#define DDNAN 0x7ff8000000000000u

/* A call of a function whose last parameters are FPCR and FPSR. */
#define CHECK(result, flags, fpcr, function, ...)                     \
    do {                                                              \
        uint32_t fpsr = 0;                                            \
                                                                      \
        assert_int_equal(function(__VA_ARGS__, fpcr, &fpsr), result); \
        assert_int_equal(fpsr, flags);                                \
    } while (0)

static void test_flags_accumulate(void **state)
{
    uint32_t fpsr = (1u << 27) | DZC;

    (void)state;
    fp32_add(ONE, 0x33000000, RN, &fpsr);
    assert_int_equal(fpsr, (1u << 27) | DZC | IXC);
    fp32_add(INF, MINF, RN, &fpsr);
    assert_int_equal(fpsr, (1u << 27) | DZC | IXC | IOC);
}

/* Between the greatest subnormal number and the least normal one. */
static void test_tiny_after(void **state)
{
    const uint32_t after = FP_CONTROL_TINY_AFTER;

    (void)state;
    /* (1 - 2^-26) 2^-126 would be rounded up to 2^-126 whatever the least exponent; */
    CHECK(MINNRM, UFC | IXC, RN, fp64_to_fp32, 0x380ffffff8000000u);
    CHECK(MINNRM, IXC, after, fp64_to_fp32, 0x380ffffff8000000u);
    CHECK(0x007fffff, UFC | IXC, after | RZ, fp64_to_fp32, 0x380ffffff8000000u);
    CHECK(MINNRM, IXC, after | RP, fp64_to_fp32, 0x380ffffff8000000u);
    /* (1 - 2^-24) 2^-126 only because it is subnormal. */
    CHECK(MINNRM, UFC | IXC, after, fp64_to_fp32, 0x380fffffe0000000u);
    CHECK(0x007fffff, 0, after, fp64_to_fp32, 0x380fffffc0000000u);
    CHECK(ZERO, UFC | IXC, after, fp32_mul, DENORM, DENORM);
}

static void test_ties_away(void **state)
{
    const uint32_t away = FP_CONTROL_TIES_AWAY;

    (void)state;
    CHECK(ONE, IXC, RN, fp32_add, ONE, 0x33800000);
    CHECK(ONE + 1, IXC, away, fp32_add, ONE, 0x33800000);
    CHECK(MONE + 1, IXC, away, fp32_sub, MONE, 0x33800000);
    CHECK(ONE, IXC, away | RZ, fp32_add, ONE, 0x337fffff);
    CHECK(INF, OFC | IXC, away, fp32_add, MAX, MAX);
    CHECK(ZERO, 0, away, fp32_add, ONE, MONE);
}

/* A signalling NaN wins over a quiet one, the first over the second. */
static void test_nan_order(void **state)
{
    (void)state;
    CHECK(SNAN1_QUIET, IOC, RN, fp32_add, SNAN1, SNAN2);
    CHECK(SNAN2_QUIET, IOC, RN, fp32_add, QNAN1, SNAN2);
    CHECK(QNAN1, 0, RN, fp32_add, QNAN1, QNAN2);
    CHECK(QNAN2, 0, RN, fp32_add, ONE, QNAN2);
    CHECK(DNAN, 0, DN, fp32_add, QNAN1, QNAN2);
    CHECK(DNAN, IOC, DN, fp32_add, ONE, SNAN2);
    CHECK(QNAN2, 0, RN, fp32_sub, ONE, QNAN2);
    CHECK(SNAN1_QUIET, IOC, RN, fp32_sqrt, SNAN1);
    CHECK(0xfff8000000000001u, IOC, RN, fp64_mul, 0xfff0000000000001u, DDNAN);
    /* A flushed operand raises IDC even next to a NaN. */
    CHECK(QNAN1, IDC, FZ, fp32_mul, DENORM, QNAN1);
}

static void test_add(void **state)
{
    (void)state;
    CHECK(DNAN, IOC, RN, fp32_add, INF, MINF);
    CHECK(DNAN, IOC, RN, fp32_sub, INF, INF);
    CHECK(MINF, 0, RN, fp32_sub, ONE, INF);
    CHECK(ZERO, 0, RN, fp32_add, ONE, MONE);
    CHECK(MZERO, 0, RM, fp32_add, ONE, MONE);
    CHECK(MZERO, 0, RN, fp32_add, MZERO, MZERO);
    CHECK(ZERO, 0, RN, fp32_add, ZERO, MZERO);
    CHECK(MZERO, 0, RM, fp32_sub, ZERO, ZERO);
    CHECK(INF, OFC | IXC, RN, fp32_add, MAX, MAX);
    CHECK(MAX, OFC | IXC, RZ, fp32_add, MAX, MAX);
    CHECK(MAX, OFC | IXC, RM, fp32_add, MAX, MAX);
    CHECK(MMAX, OFC | IXC, RP, fp32_add, MMAX, MMAX);
    CHECK(MINF, OFC | IXC, RM, fp32_add, MMAX, MMAX);
    /* Denormal sums are exact: no underflow, unless flushed. */
    CHECK(2, 0, RN, fp32_add, DENORM, DENORM);
    CHECK(ZERO, IDC, FZ, fp32_add, DENORM, DENORM);
    CHECK(ZERO, UFC, FZ, fp32_sub, MINNRM + 1, MINNRM);
    /* Ties go to even. */
    CHECK(ONE, IXC, RN, fp32_add, ONE, 0x33800000);
    CHECK(ONE + 2, IXC, RN, fp32_add, ONE + 1, 0x33800000);
    CHECK(ONE + 1, IXC, RP, fp32_add, ONE, DENORM);
}

static void test_mul(void **state)
{
    (void)state;
    CHECK(DNAN, IOC, RN, fp32_mul, INF, ZERO);
    CHECK(DNAN, IOC, RN, fp32_mul, MZERO, INF);
    CHECK(TWO, 0, RN, fp32_mulx, INF, ZERO);
    CHECK(0xc0000000, 0, RN, fp32_mulx, MZERO, INF);
    CHECK(MZERO, 0, RN, fp32_mul, MONE, ZERO);
    CHECK(INF, OFC | IXC, RN, fp32_mul, MAX, TWO);
    /* 2^-126 - 2^-150 is tiny before rounding, though it rounds to the least normal number. */
    CHECK(MINNRM, UFC | IXC, RN, fp32_mul, 0x3f7fffff, MINNRM);
    CHECK(ZERO, UFC, FZ, fp32_mul, 0x3f7fffff, MINNRM);
    CHECK(0x00400000, 0, RN, fp32_mul, MINNRM, 0x3f000000);
    CHECK(DENORM, UFC | IXC, RP, fp32_mul, DENORM, DENORM);
    CHECK(ZERO, UFC | IXC, RN, fp32_mul, DENORM, 0x3f000000);
}

static void test_div(void **state)
{
    (void)state;
    CHECK(DNAN, IOC, RN, fp32_div, ZERO, MZERO);
    CHECK(DNAN, IOC, RN, fp32_div, INF, MINF);
    CHECK(MINF, DZC, RN, fp32_div, ONE, MZERO);
    CHECK(MINF, 0, RN, fp32_div, INF, MZERO);
    CHECK(MZERO, 0, RN, fp32_div, MONE, INF);
    CHECK(INF, IDC | DZC, FZ, fp32_div, ONE, DENORM);
    CHECK(0x3eaaaaab, IXC, RN, fp32_div, ONE, THREE);
    CHECK(0x3eaaaaaa, IXC, RZ, fp32_div, ONE, THREE);
}

static void test_muladd(void **state)
{
    (void)state;
    /* Infinity times zero wins over a quiet NaN to be added, not over a signalling one. */
    CHECK(DNAN, IOC, RN, fp32_muladd, QNAN1, INF, ZERO);
    CHECK(SNAN1_QUIET, IOC, RN, fp32_muladd, SNAN1, INF, ZERO);
    CHECK(QNAN1, 0, RN, fp32_muladd, QNAN1, QNAN2, ONE);
    CHECK(SNAN2_QUIET, IOC, RN, fp32_muladd, QNAN1, ONE, SNAN2);
    CHECK(DNAN, IOC, RN, fp32_muladd, MINF, INF, ONE);
    CHECK(INF, 0, RN, fp32_muladd, INF, INF, ONE);
    CHECK(ZERO, 0, RN, fp32_muladd, MONE, ONE, ONE);
    CHECK(MZERO, 0, RM, fp32_muladd, MONE, ONE, ONE);
    CHECK(MZERO, 0, RN, fp32_muladd, MZERO, MZERO, ONE);
    /* (1 + 2^-23)^2 - (1 + 2^-22) is 2^-46: lost if the product were rounded. */
    CHECK(0x28800000, 0, RN, fp32_muladd, 0xbf800002, ONE + 1, ONE + 1);
    CHECK(0x3970000000000000u, 0, RN, fp64_muladd, 0xbff0000000000002u, DONE + 1, DONE + 1);
}

static void test_sqrt(void **state)
{
    (void)state;
    CHECK(MZERO, 0, RN, fp32_sqrt, MZERO);
    CHECK(DNAN, IOC, RN, fp32_sqrt, MONE);
    CHECK(DNAN, IOC, RN, fp32_sqrt, MINF);
    CHECK(INF, 0, RN, fp32_sqrt, INF);
    CHECK(TWO, 0, RN, fp32_sqrt, 0x40800000);
    CHECK(0x3fb504f3, IXC, RN, fp32_sqrt, TWO);
    CHECK(0x3fb504f4, IXC, RP, fp32_sqrt, TWO);
    CHECK(0x5fefffffffffffffu, IXC, RN, fp64_sqrt, 0x7fefffffffffffffu);
    CHECK(0x5ff0000000000000u, IXC, RP, fp64_sqrt, 0x7fefffffffffffffu);
    CHECK(MZERO, IDC, FZ, fp32_sqrt, 0x80000001);
}

static void test_extremes(void **state)
{
    (void)state;
    CHECK(ZERO, 0, RN, fp32_max, MZERO, ZERO);
    CHECK(MZERO, 0, RN, fp32_min, ZERO, MZERO);
    CHECK(QNAN1, 0, RN, fp32_max, ONE, QNAN1);
    CHECK(ONE, 0, RN, fp32_maxnum, ONE, QNAN1);
    CHECK(ONE, 0, RN, fp32_minnum, QNAN1, ONE);
    CHECK(QNAN1, 0, RN, fp32_minnum, QNAN1, QNAN2);
    CHECK(SNAN1_QUIET, IOC, RN, fp32_maxnum, ONE, SNAN1);
    CHECK(MINF, 0, RN, fp32_maxnum, MINF, QNAN1);
    CHECK(ZERO, IDC, FZ, fp32_max, DENORM, MONE);
    CHECK(DENORM, 0, RN, fp32_max, DENORM, MONE);
}

static void test_compare(void **state)
{
    (void)state;
    CHECK(6, 0, RN, fp32_compare, ZERO, MZERO);
    CHECK(8, 0, RN, fp32_compare, MINF, MMAX);
    CHECK(2, 0, RN, fp32_compare, DENORM, ZERO);
    CHECK(6, IDC, FZ, fp32_compare, DENORM, ZERO);
    CHECK(3, 0, RN, fp32_compare, QNAN1, ONE);
    CHECK(3, IOC, RN, fp32_compare, ONE, SNAN1);
    CHECK(3, IOC, RN, fp32_compare_signal, QNAN1, ONE);
    CHECK(0, 0, RN, fp32_compare_eq, QNAN1, QNAN1);
    CHECK(0, IOC, RN, fp32_compare_eq, SNAN1, ONE);
    CHECK(0, IOC, RN, fp32_compare_ge, QNAN1, QNAN1);
    CHECK(1, 0, RN, fp32_compare_ge, ZERO, MZERO);
    CHECK(0, 0, RN, fp32_compare_gt, ZERO, MZERO);
    CHECK(1, 0, RN, fp64_compare_gt, DINF, DONE);
}

static void test_estimates(void **state)
{
    (void)state;
    CHECK(0x3f7f8000, 0, RN, fp32_recip_estimate, ONE);
    CHECK(INF, DZC, RN, fp32_recip_estimate, ZERO);
    CHECK(MZERO, 0, RN, fp32_recip_estimate, MINF);
    CHECK(INF, OFC | IXC, RN, fp32_recip_estimate, DENORM);
    CHECK(MAX, OFC | IXC, RZ, fp32_recip_estimate, DENORM);
    /* 2^126: its reciprocal is denormal. */
    CHECK(0x007fc000, 0, RN, fp32_recip_estimate, 0x7e800000);
    CHECK(ZERO, UFC, FZ, fp32_recip_estimate, 0x7e800000);
    CHECK(0x3f7f8000, 0, RN, fp32_rsqrt_estimate, ONE);
    CHECK(MINF, DZC, RN, fp32_rsqrt_estimate, MZERO);
    CHECK(DNAN, IOC, RN, fp32_rsqrt_estimate, MONE);
    CHECK(ZERO, 0, RN, fp32_rsqrt_estimate, INF);
    CHECK(0x3feff00000000000u, 0, RN, fp64_rsqrt_estimate, DONE);
    CHECK(0x40000000, 0, RN, fp32_recpx, ONE + 5);
    CHECK(0x7f000000, 0, RN, fp32_recpx, DENORM);
    CHECK(MZERO, 0, RN, fp32_recpx, MINF);
    assert_int_equal(arm_u32_recip_estimate(0x7fffffff), 0xffffffff);
    assert_int_equal(arm_u32_recip_estimate(0x80000000), 0xff800000);
    assert_int_equal(arm_u32_rsqrt_estimate(0x3fffffff), 0xffffffff);
    assert_int_equal(arm_u32_rsqrt_estimate(0x40000000), 0xff800000);
}

static void test_steps(void **state)
{
    (void)state;
    CHECK(ONE, 0, RN, fp32_recip_step_fused, ONE, ONE);
    CHECK(TWO, 0, RN, fp32_recip_step_fused, INF, ZERO);
    CHECK(MINF, 0, RN, fp32_recip_step_fused, INF, ONE);
    CHECK(ONE, 0, RN, fp32_rsqrt_step_fused, ONE, ONE);
    CHECK(0x3fc00000, 0, RN, fp32_rsqrt_step_fused, ZERO, MINF);
    /* The first operand is negated before NaNs are looked at. */
    CHECK(QNAN1 ^ MZERO, 0, RN, fp32_recip_step_fused, QNAN1, ONE);
    CHECK(TWO, 0, FP_CONTROL_STANDARD, fp32_recip_step, INF, ZERO);
    CHECK(0x3fc00000, 0, FP_CONTROL_STANDARD, fp32_rsqrt_step, INF, ZERO);
    CHECK(ONE, 0, FP_CONTROL_STANDARD, fp32_rsqrt_step, ONE, ONE);
}

static void test_round_int(void **state)
{
    const uint32_t half = 0x3f000000, five_halves = 0x40200000;

    (void)state;
    CHECK(ZERO, 0, RN, fp32_round_int, half, FP_ROUND_TIEEVEN, 0);
    CHECK(ZERO, IXC, RN, fp32_round_int, half, FP_ROUND_TIEEVEN, 1);
    CHECK(ONE, 0, RN, fp32_round_int, half, FP_ROUND_TIEAWAY, 0);
    CHECK(TWO, 0, RN, fp32_round_int, five_halves, FP_ROUND_TIEEVEN, 0);
    CHECK(THREE, 0, RN, fp32_round_int, five_halves, FP_ROUND_POSINF, 0);
    CHECK(MZERO, 0, RN, fp32_round_int, 0x80000001, FP_ROUND_POSINF, 0);
    CHECK(MONE, 0, RN, fp32_round_int, 0x80000001, FP_ROUND_NEGINF, 0);
    CHECK(MZERO, IDC, FZ, fp32_round_int, 0x80000001, FP_ROUND_NEGINF, 1);
    CHECK(MINF, 0, RN, fp32_round_int, MINF, FP_ROUND_ZERO, 1);
    CHECK(SNAN1_QUIET, IOC, RN, fp32_round_int, SNAN1, FP_ROUND_ZERO, 1);
}

static void test_to_fixed(void **state)
{
    (void)state;
    CHECK(0, IOC, RN, fp32_to_s32, QNAN1, 0, FP_ROUND_ZERO);
    CHECK(0x7fffffff, IOC, RN, fp32_to_s32, INF, 0, FP_ROUND_ZERO);
    CHECK(0x80000000, IOC, RN, fp32_to_s32, MMAX, 0, FP_ROUND_ZERO);
    CHECK(0x80000000, 0, RN, fp32_to_s32, 0xcf000000, 0, FP_ROUND_ZERO);
    CHECK(0xffffffff, IOC, RN, fp32_to_u32, INF, 0, FP_ROUND_ZERO);
    CHECK(0, IOC, RN, fp32_to_u32, MONE, 0, FP_ROUND_ZERO);
    CHECK(0, IXC, RN, fp32_to_u32, 0xbf000000, 0, FP_ROUND_ZERO);
    CHECK(0, IOC, RN, fp32_to_u32, 0xbf000000, 0, FP_ROUND_TIEAWAY);
    CHECK(0xffffffff, IXC, RN, fp32_to_s32, 0xbf000000, 0, FP_ROUND_TIEAWAY);
    CHECK(UINT64_MAX, IOC, RN, fp64_to_u64, DONE, 64, FP_ROUND_ZERO);
    CHECK(1ull << 63, 0, RN, fp64_to_u64, DONE, 63, FP_ROUND_ZERO);
    CHECK(INT64_MAX, IOC, RN, fp64_to_s64, DONE, 63, FP_ROUND_ZERO);
    CHECK(0x8000, IOC, RN, fp32_to_s16, 0xc7000100, 0, FP_ROUND_ZERO);
    CHECK(0x7fff, IOC, RN, fp32_to_s16, 0x47000000, 0, FP_ROUND_ZERO);
    CHECK(0x8000, 0, RN, fp64_to_u16, DONE, 15, FP_ROUND_ZERO);
    CHECK(0xffff, IOC, RN, fp64_to_u16, DONE, 16, FP_ROUND_ZERO);
    CHECK(0, IDC, FZ, fp32_to_s32, DENORM, 0, FP_ROUND_POSINF);
}

static void test_from_fixed(void **state)
{
    (void)state;
    CHECK(ZERO, 0, RM, fp32_from_s32, 0, 0);
    CHECK(MONE, 0, RN, fp32_from_s32, UINT32_MAX, 0);
    CHECK(0x4f800000, IXC, RN, fp32_from_u32, UINT32_MAX, 0);
    CHECK(0x4f7fffff, IXC, RZ, fp32_from_u32, UINT32_MAX, 0);
    CHECK(0x5f800000, IXC, RN, fp32_from_u64, UINT64_MAX, 0);
    CHECK(0xc3e0000000000000u, 0, RN, fp64_from_s64, 1ull << 63, 0);
    CHECK(0x3f000000, 0, RN, fp32_from_s32, 1, 1);
    CHECK(0x3bf0000000000000u, 0, RN, fp64_from_u64, 1, 64);
}

static void test_convert(void **state)
{
    const uint32_t ahp = FP_CONTROL_ALTERNATIVE_HALF;

    (void)state;
    CHECK(0x7e00, IOC, RN, fp32_to_fp16, 0x7f800001);
    CHECK(0x7c00, OFC | IXC, RN, fp32_to_fp16, 0x477ff000);
    CHECK(0x7bff, 0, RN, fp32_to_fp16, 0x477fe000);
    CHECK(0x0001, 0, FZ, fp32_to_fp16, 0x33800000);
    CHECK(0x0000, UFC | IXC, RN, fp32_to_fp16, 0x33000000);
    CHECK(0x0000, IDC, FZ, fp32_to_fp16, DENORM);
    /* The alternative format: no infinity, no NaN, one more exponent. */
    CHECK(0x7c00, 0, ahp, fp32_to_fp16, 0x47800000);
    CHECK(0x7fff, IOC, ahp, fp32_to_fp16, INF);
    CHECK(0xffff, IOC, ahp, fp32_to_fp16, MMAX);
    CHECK(0x8000, IOC, ahp, fp32_to_fp16, QNAN2);
    CHECK(0x47800000, 0, ahp, fp16_to_fp32, 0x7c00);
    CHECK(INF, 0, RN, fp16_to_fp32, 0x7c00);
    CHECK(0x7fc02000, IOC, RN, fp16_to_fp32, 0x7c01);
    CHECK(0x33800000, 0, FZ, fp16_to_fp32, 0x0001);
    CHECK(0x3ff0000000000000u, 0, RN, fp16_to_fp64, 0x3c00);
    CHECK(0xfff8000440000000u, 0, RN, fp32_to_fp64, QNAN2);
    CHECK(DDNAN, 0, DN, fp32_to_fp64, QNAN2);
    CHECK(0x36a0000000000000u, 0, RN, fp32_to_fp64, DENORM);
    CHECK(0, IDC, FZ, fp32_to_fp64, DENORM);
    CHECK(ZERO, UFC, FZ, fp64_to_fp32, 0x36a0000000000000u);
    CHECK(ONE, IXC, RN, fp64_to_fp32, DONE + 1);
    /* Round to odd never reaches infinity, and leaves exact results alone. */
    CHECK(ONE + 1, IXC, RN, fp64_to_fp32_odd, DONE + 1);
    CHECK(ONE, 0, RN, fp64_to_fp32_odd, DONE);
    CHECK(MAX, OFC | IXC, RN, fp64_to_fp32_odd, 0x7fefffffffffffffu);
    CHECK(DENORM, UFC | IXC, RN, fp64_to_fp32_odd, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flags_accumulate),
        cmocka_unit_test(test_tiny_after),
        cmocka_unit_test(test_ties_away),
        cmocka_unit_test(test_nan_order),
        cmocka_unit_test(test_add),
        cmocka_unit_test(test_mul),
        cmocka_unit_test(test_div),
        cmocka_unit_test(test_muladd),
        cmocka_unit_test(test_sqrt),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_compare),
        cmocka_unit_test(test_estimates),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_round_int),
        cmocka_unit_test(test_to_fixed),
        cmocka_unit_test(test_from_fixed),
        cmocka_unit_test(test_convert),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
