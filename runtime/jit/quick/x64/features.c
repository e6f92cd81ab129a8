/* What the host has, by CPUID and what the operating system has switched on. */
#include <cpuid.h>

#include "runtime/jit/quick/x64/host.h"

/* By CPUID, since not all compilers' __builtin_cpu_supports() has LZCNT. */
static bool has_lzcnt(void)
{
    unsigned a, b, c, d;

    return __get_cpuid(0x80000001, &a, &b, &c, &d) && c & bit_LZCNT;
}

bool x64_is_supported(struct error *err)
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("pclmul") && has_lzcnt())
        return true;
    return error_set(err,
                     "the quick tier needs AVX2, FMA, BMI1, BMI2, LZCNT, PCLMULQDQ and POPCNT");
}

/* AVX-512 as of the processors that have all of X64_AVX512: others have it with a lower clock, or
 * less of it. */
unsigned x64_find_features(void)
{
    const unsigned wanted = bit_GFNI | bit_VAES | bit_VPCLMULQDQ | bit_AVX512BITALG;
    unsigned a, b, c, d;

    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (c & wanted) != wanted)
        return 0;
    return __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd") &&
                   __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2")
               ? X64_AVX512
               : 0;
}
