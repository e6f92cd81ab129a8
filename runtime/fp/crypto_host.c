/*
 * AES and SHA-256 by the host's own instructions, where it has them. x86's instructions do the same
 * steps as Arm's, with another order of words. On Arm hosts the kernel tells which there are.
 */
#include <stdbool.h>

#include "runtime/fp/arm_crypto.h"
#include "runtime/fp/crypto_ops.h"
#include "runtime/fp/crypto_plain.h"

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>

#define AES __attribute__((target("aes,sse4.1")))
#define SHA __attribute__((target("sha,sse4.1")))

static bool has_aes(void)
{
    return __builtin_cpu_supports("aes") && __builtin_cpu_supports("sse4.1");
}

/* Whether CPUID reports SHA. CPUID is executed once per process, since hypervisors trap it, which
 * takes microseconds. */
static bool sha_found;

/* __builtin_cpu_supports() of clang 14 does not know SHA. */
__attribute__((constructor)) static void find_sha(void)
{
    unsigned a, b, c, d;

    sha_found = __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_SHA;
}

static bool has_sha(void)
{
    return sha_found && __builtin_cpu_supports("sse4.1");
}

static inline __m128i join_halves(uint64_t lo, uint64_t hi)
{
    return _mm_set_epi64x((long long)hi, (long long)lo);
}

static inline void split_halves(__m128i v, uint64_t *lo, uint64_t *hi)
{
    uint64_t words[2];

    _mm_storeu_si128((__m128i *)(void *)words, v);
    *lo = words[0];
    *hi = words[1];
}

/* x86's last round substitutes and shifts, then adds the key; Arm adds the key before. */
AES static void host_aese(uint64_t state_lo, uint64_t state_hi, uint64_t key_lo, uint64_t key_hi,
                          uint64_t *r_lo, uint64_t *r_hi)
{
    __m128i state = join_halves(state_lo ^ key_lo, state_hi ^ key_hi);

    split_halves(_mm_aesenclast_si128(state, _mm_setzero_si128()), r_lo, r_hi);
}

AES static void host_aesd(uint64_t state_lo, uint64_t state_hi, uint64_t key_lo, uint64_t key_hi,
                          uint64_t *r_lo, uint64_t *r_hi)
{
    __m128i state = join_halves(state_lo ^ key_lo, state_hi ^ key_hi);

    split_halves(_mm_aesdeclast_si128(state, _mm_setzero_si128()), r_lo, r_hi);
}

/* A whole round, on the inverse of its substitution and shift, leaves the mixing of columns. */
AES static void host_aesmc(uint64_t lo, uint64_t hi, uint64_t *r_lo, uint64_t *r_hi)
{
    __m128i state = _mm_aesdeclast_si128(join_halves(lo, hi), _mm_setzero_si128());

    split_halves(_mm_aesenc_si128(state, _mm_setzero_si128()), r_lo, r_hi);
}

AES static void host_aesimc(uint64_t lo, uint64_t hi, uint64_t *r_lo, uint64_t *r_hi)
{
    split_halves(_mm_aesimc_si128(join_halves(lo, hi)), r_lo, r_hi);
}

/* Shuffles: SWAP_PAIRS makes b, a, d, c of the words a, b, c, d. */
enum { SWAP_PAIRS = 0xb1, HIGH_PAIR = 0x0e };

/* Four rounds. x86 orders the hash as f, e, b, a and h, g, d, c; two rounds compute a new first
 * half, and the old first half becomes the second. */
SHA static void four_rounds(__m128i abcd, __m128i efgh, __m128i wk, __m128i *feba, __m128i *hgdc)
{
    __m128i first, second;

    abcd = _mm_shuffle_epi32(abcd, SWAP_PAIRS);
    efgh = _mm_shuffle_epi32(efgh, SWAP_PAIRS);
    first = _mm_unpacklo_epi64(efgh, abcd);
    second = _mm_unpackhi_epi64(efgh, abcd);
    *hgdc = _mm_sha256rnds2_epu32(second, first, wk);
    *feba = _mm_sha256rnds2_epu32(first, *hgdc, _mm_shuffle_epi32(wk, HIGH_PAIR));
}

SHA static void host_sha256h(uint64_t abcd_lo, uint64_t abcd_hi, uint64_t efgh_lo, uint64_t efgh_hi,
                             uint64_t wk_lo, uint64_t wk_hi, uint64_t *r_lo, uint64_t *r_hi)
{
    __m128i feba, hgdc;

    four_rounds(join_halves(abcd_lo, abcd_hi), join_halves(efgh_lo, efgh_hi),
                join_halves(wk_lo, wk_hi), &feba, &hgdc);
    split_halves(_mm_shuffle_epi32(_mm_unpackhi_epi64(feba, hgdc), SWAP_PAIRS), r_lo, r_hi);
}

SHA static void host_sha256h2(uint64_t efgh_lo, uint64_t efgh_hi, uint64_t abcd_lo,
                              uint64_t abcd_hi, uint64_t wk_lo, uint64_t wk_hi, uint64_t *r_lo,
                              uint64_t *r_hi)
{
    __m128i feba, hgdc;

    four_rounds(join_halves(abcd_lo, abcd_hi), join_halves(efgh_lo, efgh_hi),
                join_halves(wk_lo, wk_hi), &feba, &hgdc);
    split_halves(_mm_shuffle_epi32(_mm_unpacklo_epi64(feba, hgdc), SWAP_PAIRS), r_lo, r_hi);
}

SHA static void host_sha256su0(uint64_t d_lo, uint64_t d_hi, uint64_t n_lo, uint64_t n_hi,
                               uint64_t *r_lo, uint64_t *r_hi)
{
    split_halves(_mm_sha256msg1_epu32(join_halves(d_lo, d_hi), join_halves(n_lo, n_hi)), r_lo,
                 r_hi);
}

SHA static void host_sha256su1(uint64_t d_lo, uint64_t d_hi, uint64_t n_lo, uint64_t n_hi,
                               uint64_t m_lo, uint64_t m_hi, uint64_t *r_lo, uint64_t *r_hi)
{
    __m128i m = join_halves(m_lo, m_hi), middle = _mm_alignr_epi8(m, join_halves(n_lo, n_hi), 4);

    split_halves(_mm_sha256msg2_epu32(_mm_add_epi32(join_halves(d_lo, d_hi), middle), m), r_lo,
                 r_hi);
}

#elif defined(__aarch64__)
#include <arm_neon.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>

/* In assembly, since a compiler that was not told to use these instructions everywhere may hide the
 * functions for them. */
#define AES ".arch_extension aes\n\t"
#define SHA ".arch_extension sha2\n\t"

static bool has_aes(void)
{
    return getauxval(AT_HWCAP) & HWCAP_AES;
}

static bool has_sha(void)
{
    return getauxval(AT_HWCAP) & HWCAP_SHA2;
}

static inline uint64x2_t join_halves(uint64_t lo, uint64_t hi)
{
    return vcombine_u64(vcreate_u64(lo), vcreate_u64(hi));
}

static inline void split_halves(uint64x2_t v, uint64_t *lo, uint64_t *hi)
{
    *lo = vgetq_lane_u64(v, 0);
    *hi = vgetq_lane_u64(v, 1);
}

static void host_aese(uint64_t state_lo, uint64_t state_hi, uint64_t key_lo, uint64_t key_hi,
                      uint64_t *r_lo, uint64_t *r_hi)
{
    uint64x2_t state = join_halves(state_lo, state_hi), key = join_halves(key_lo, key_hi);

    __asm__(AES "aese %0.16b, %1.16b" : "+w"(state) : "w"(key));
    split_halves(state, r_lo, r_hi);
}

static void host_aesd(uint64_t state_lo, uint64_t state_hi, uint64_t key_lo, uint64_t key_hi,
                      uint64_t *r_lo, uint64_t *r_hi)
{
    uint64x2_t state = join_halves(state_lo, state_hi), key = join_halves(key_lo, key_hi);

    __asm__(AES "aesd %0.16b, %1.16b" : "+w"(state) : "w"(key));
    split_halves(state, r_lo, r_hi);
}

static void host_aesmc(uint64_t lo, uint64_t hi, uint64_t *r_lo, uint64_t *r_hi)
{
    uint64x2_t state = join_halves(lo, hi);

    __asm__(AES "aesmc %0.16b, %0.16b" : "+w"(state));
    split_halves(state, r_lo, r_hi);
}

static void host_aesimc(uint64_t lo, uint64_t hi, uint64_t *r_lo, uint64_t *r_hi)
{
    uint64x2_t state = join_halves(lo, hi);

    __asm__(AES "aesimc %0.16b, %0.16b" : "+w"(state));
    split_halves(state, r_lo, r_hi);
}

static void host_sha256h(uint64_t abcd_lo, uint64_t abcd_hi, uint64_t efgh_lo, uint64_t efgh_hi,
                         uint64_t wk_lo, uint64_t wk_hi, uint64_t *r_lo, uint64_t *r_hi)
{
    uint64x2_t abcd = join_halves(abcd_lo, abcd_hi), efgh = join_halves(efgh_lo, efgh_hi),
               wk = join_halves(wk_lo, wk_hi);

    __asm__(SHA "sha256h %q0, %q1, %2.4s" : "+w"(abcd) : "w"(efgh), "w"(wk));
    split_halves(abcd, r_lo, r_hi);
}

static void host_sha256h2(uint64_t efgh_lo, uint64_t efgh_hi, uint64_t abcd_lo, uint64_t abcd_hi,
                          uint64_t wk_lo, uint64_t wk_hi, uint64_t *r_lo, uint64_t *r_hi)
{
    uint64x2_t efgh = join_halves(efgh_lo, efgh_hi), abcd = join_halves(abcd_lo, abcd_hi),
               wk = join_halves(wk_lo, wk_hi);

    __asm__(SHA "sha256h2 %q0, %q1, %2.4s" : "+w"(efgh) : "w"(abcd), "w"(wk));
    split_halves(efgh, r_lo, r_hi);
}

static void host_sha256su0(uint64_t d_lo, uint64_t d_hi, uint64_t n_lo, uint64_t n_hi,
                           uint64_t *r_lo, uint64_t *r_hi)
{
    uint64x2_t d = join_halves(d_lo, d_hi), n = join_halves(n_lo, n_hi);

    __asm__(SHA "sha256su0 %0.4s, %1.4s" : "+w"(d) : "w"(n));
    split_halves(d, r_lo, r_hi);
}

static void host_sha256su1(uint64_t d_lo, uint64_t d_hi, uint64_t n_lo, uint64_t n_hi,
                           uint64_t m_lo, uint64_t m_hi, uint64_t *r_lo, uint64_t *r_hi)
{
    uint64x2_t d = join_halves(d_lo, d_hi), n = join_halves(n_lo, n_hi),
               m = join_halves(m_lo, m_hi);

    __asm__(SHA "sha256su1 %0.4s, %1.4s, %2.4s" : "+w"(d) : "w"(n), "w"(m));
    split_halves(d, r_lo, r_hi);
}

#else
static bool has_aes(void)
{
    return false;
}

static bool has_sha(void)
{
    return false;
}

#define host_aese      plain_aese
#define host_aesd      plain_aesd
#define host_aesmc     plain_aesmc
#define host_aesimc    plain_aesimc
#define host_sha256h   plain_sha256h
#define host_sha256h2  plain_sha256h2
#define host_sha256su0 plain_sha256su0
#define host_sha256su1 plain_sha256su1
#endif

void arm_aese(uint64_t state_lo, uint64_t state_hi, uint64_t key_lo, uint64_t key_hi,
              uint64_t *r_lo, uint64_t *r_hi)
{
    if (has_aes())
        host_aese(state_lo, state_hi, key_lo, key_hi, r_lo, r_hi);
    else
        plain_aese(state_lo, state_hi, key_lo, key_hi, r_lo, r_hi);
}

void arm_aesd(uint64_t state_lo, uint64_t state_hi, uint64_t key_lo, uint64_t key_hi,
              uint64_t *r_lo, uint64_t *r_hi)
{
    if (has_aes())
        host_aesd(state_lo, state_hi, key_lo, key_hi, r_lo, r_hi);
    else
        plain_aesd(state_lo, state_hi, key_lo, key_hi, r_lo, r_hi);
}

void arm_aesmc(uint64_t lo, uint64_t hi, uint64_t *r_lo, uint64_t *r_hi)
{
    if (has_aes())
        host_aesmc(lo, hi, r_lo, r_hi);
    else
        plain_aesmc(lo, hi, r_lo, r_hi);
}

void arm_aesimc(uint64_t lo, uint64_t hi, uint64_t *r_lo, uint64_t *r_hi)
{
    if (has_aes())
        host_aesimc(lo, hi, r_lo, r_hi);
    else
        plain_aesimc(lo, hi, r_lo, r_hi);
}

void arm_sha256h(uint64_t abcd_lo, uint64_t abcd_hi, uint64_t efgh_lo, uint64_t efgh_hi,
                 uint64_t wk_lo, uint64_t wk_hi, uint64_t *r_lo, uint64_t *r_hi)
{
    if (has_sha())
        host_sha256h(abcd_lo, abcd_hi, efgh_lo, efgh_hi, wk_lo, wk_hi, r_lo, r_hi);
    else
        plain_sha256h(abcd_lo, abcd_hi, efgh_lo, efgh_hi, wk_lo, wk_hi, r_lo, r_hi);
}

void arm_sha256h2(uint64_t efgh_lo, uint64_t efgh_hi, uint64_t abcd_lo, uint64_t abcd_hi,
                  uint64_t wk_lo, uint64_t wk_hi, uint64_t *r_lo, uint64_t *r_hi)
{
    if (has_sha())
        host_sha256h2(efgh_lo, efgh_hi, abcd_lo, abcd_hi, wk_lo, wk_hi, r_lo, r_hi);
    else
        plain_sha256h2(efgh_lo, efgh_hi, abcd_lo, abcd_hi, wk_lo, wk_hi, r_lo, r_hi);
}

void arm_sha256su0(uint64_t d_lo, uint64_t d_hi, uint64_t n_lo, uint64_t n_hi, uint64_t *r_lo,
                   uint64_t *r_hi)
{
    if (has_sha())
        host_sha256su0(d_lo, d_hi, n_lo, n_hi, r_lo, r_hi);
    else
        plain_sha256su0(d_lo, d_hi, n_lo, n_hi, r_lo, r_hi);
}

void arm_sha256su1(uint64_t d_lo, uint64_t d_hi, uint64_t n_lo, uint64_t n_hi, uint64_t m_lo,
                   uint64_t m_hi, uint64_t *r_lo, uint64_t *r_hi)
{
    if (has_sha())
        host_sha256su1(d_lo, d_hi, n_lo, n_hi, m_lo, m_hi, r_lo, r_hi);
    else
        plain_sha256su1(d_lo, d_hi, n_lo, n_hi, m_lo, m_hi, r_lo, r_hi);
}

enum crypto_op crypto_op_of(const void *fn)
{
    static const struct {
        const void *fn;
        enum crypto_op op;
    } known[] = {
        {(const void *)arm_aese, CRYPTO_ENCRYPT},
        {(const void *)arm_aesd, CRYPTO_DECRYPT},
        {(const void *)arm_aesmc, CRYPTO_MIX},
        {(const void *)arm_aesimc, CRYPTO_UNMIX},
        {(const void *)arm_sha256h, CRYPTO_HASH_1},
        {(const void *)arm_sha256h2, CRYPTO_HASH_2},
        {(const void *)arm_sha256su0, CRYPTO_MESSAGE_1},
        {(const void *)arm_sha256su1, CRYPTO_MESSAGE_2},
    };

    for (unsigned n = 0; n < sizeof(known) / sizeof(known[0]); n++)
        if (known[n].fn == fn)
            return (known[n].op >= CRYPTO_HASH_1 ? has_sha() : has_aes()) ? known[n].op
                                                                          : CRYPTO_NONE;
    return CRYPTO_NONE;
}

unsigned crypto_ops_here(void)
{
    return (has_aes() ? 1u : 0) | (has_sha() ? 2u : 0);
}
