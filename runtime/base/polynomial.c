/* Products of polynomials, by the host's own instruction where it has one. */
#include "runtime/base/polynomial.h"

#ifdef __x86_64__
#include <immintrin.h>

bool cpu_has_polymul64(void)
{
    return __builtin_cpu_supports("pclmul");
}

__attribute__((target("pclmul,sse2"))) static uint128_t host_product(uint64_t a, uint64_t b)
{
    __m128i product =
        _mm_clmulepi64_si128(_mm_set_epi64x(0, (long long)a), _mm_set_epi64x(0, (long long)b), 0);
    uint64_t halves[2];

    _mm_storeu_si128((__m128i *)(void *)halves, product);
    return (uint128_t)halves[1] << 64 | halves[0];
}

#elif defined(__aarch64__)
#include <arm_neon.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>

bool cpu_has_polymul64(void)
{
    return getauxval(AT_HWCAP) & HWCAP_PMULL;
}

/* In assembly, since a compiler that was not told to use the instruction everywhere may hide its
 * function. */
static uint128_t host_product(uint64_t a, uint64_t b)
{
    uint64x2_t product;

    __asm__(".arch_extension aes\n\tpmull %0.1q, %1.1d, %2.1d"
            : "=w"(product)
            : "w"(vcreate_u64(a)), "w"(vcreate_u64(b)));
    return (uint128_t)vgetq_lane_u64(product, 1) << 64 | vgetq_lane_u64(product, 0);
}

#else
bool cpu_has_polymul64(void)
{
    return false;
}

#define host_product cpu_polymul64_plain
#endif

uint128_t cpu_polymul64_plain(uint64_t a, uint64_t b)
{
    uint128_t product = 0;

    for (unsigned n = 0; n < 64; n++) {
        if (b >> n & 1)
            product ^= (uint128_t)a << n;
    }
    return product;
}

uint128_t cpu_polymul64(uint64_t a, uint64_t b)
{
    return cpu_has_polymul64() ? host_product(a, b) : cpu_polymul64_plain(a, b);
}

uint16_t cpu_polymul8(uint8_t a, uint8_t b)
{
    return (uint16_t)cpu_polymul64_plain(a, b);
}
