/*
 * The AES, SHA, polynomial and CRC helpers on published vectors: FIPS 197 appendix B, FIPS 180-4's
 * "abc", the SP 800-38D field, and the CRC catalogue's check values.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "runtime/fp/arm_crypto.h"
#include "runtime/fp/crypto_plain.h"

struct vector {
    uint64_t lo, hi;
};

/* A vector of bytes as FIPS 197 prints them: the first one in the lowest bits. */
static struct vector from_bytes(const char *bytes)
{
    struct vector v;

    memcpy(&v, bytes, sizeof(v));
    return v;
}

static void assert_vector(struct vector actual, struct vector expected)
{
    assert_int_equal(actual.lo, expected.lo);
    assert_int_equal(actual.hi, expected.hi);
}

/* FIPS 197 appendix B, round 1: after AddRoundKey's inputs, ShiftRows' and MixColumns' outputs. */
static void test_aes_round(void **state)
{
    struct vector input =
        from_bytes("\x32\x43\xf6\xa8\x88\x5a\x30\x8d\x31\x31\x98\xa2\xe0\x37\x07\x34");
    struct vector key =
        from_bytes("\x2b\x7e\x15\x16\x28\xae\xd2\xa6\xab\xf7\x15\x88\x09\xcf\x4f\x3c");
    struct vector shifted =
        from_bytes("\xd4\xbf\x5d\x30\xe0\xb4\x52\xae\xb8\x41\x11\xf1\x1e\x27\x98\xe5");
    struct vector mixed =
        from_bytes("\x04\x66\x81\xe5\xe0\xcb\x19\x9a\x48\xf8\xd3\x7a\x28\x06\x26\x4c");
    struct vector r;

    (void)state;
    arm_aese(input.lo, input.hi, key.lo, key.hi, &r.lo, &r.hi);
    assert_vector(r, shifted);
    arm_aesmc(r.lo, r.hi, &r.lo, &r.hi);
    assert_vector(r, mixed);
    arm_aesimc(r.lo, r.hi, &r.lo, &r.hi);
    assert_vector(r, shifted);
    arm_aesd(r.lo, r.hi, 0, 0, &r.lo, &r.hi);
    assert_vector(r, (struct vector){input.lo ^ key.lo, input.hi ^ key.hi});
}

/* The only block of the message "abc" as sixteen words, element by element. */
static void abc_block(uint32_t w[16])
{
    memset(w, 0, 16 * sizeof(*w));
    w[0] = 0x61626380;
    w[15] = 24;
}

static struct vector vector_of_words(const uint32_t *w)
{
    return (struct vector){w[0] | (uint64_t)w[1] << 32, w[2] | (uint64_t)w[3] << 32};
}

static struct vector add_words(struct vector v, const uint32_t k[4])
{
    uint32_t sum[4] = {(uint32_t)v.lo + k[0], (uint32_t)(v.lo >> 32) + k[1], (uint32_t)v.hi + k[2],
                       (uint32_t)(v.hi >> 32) + k[3]};

    return vector_of_words(sum);
}

static void sha1_four_rounds(int group, struct vector *abcd, uint32_t e, struct vector wk)
{
    struct vector r;

    if (group < 5)
        arm_sha1c(abcd->lo, abcd->hi, e, wk.lo, wk.hi, &r.lo, &r.hi);
    else if (group >= 10 && group < 15)
        arm_sha1m(abcd->lo, abcd->hi, e, wk.lo, wk.hi, &r.lo, &r.hi);
    else
        arm_sha1p(abcd->lo, abcd->hi, e, wk.lo, wk.hi, &r.lo, &r.hi);
    *abcd = r;
}

/* SHA-1 of "abc" as a program would compute it with the instructions. */
static void test_sha1(void **state)
{
    static const uint32_t constants[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
    static const uint32_t start[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    static const uint32_t digest[4] = {0xa9993e36, 0x4706816a, 0xba3e2571, 0x7850c26c};
    struct vector w[20], abcd = vector_of_words(start);
    uint32_t block[16], e = 0xc3d2e1f0;

    (void)state;
    abc_block(block);
    for (int i = 0; i < 20; i++) {
        uint32_t k = constants[i / 5], ks[4] = {k, k, k, k};
        struct vector wk;
        uint32_t next_e = arm_sha1h((uint32_t)abcd.lo);

        if (i < 4) {
            w[i] = vector_of_words(block + 4 * i);
        } else {
            arm_sha1su0(w[i - 4].lo, w[i - 4].hi, w[i - 3].lo, w[i - 3].hi, w[i - 2].lo,
                        w[i - 2].hi, &w[i].lo, &w[i].hi);
            arm_sha1su1(w[i].lo, w[i].hi, w[i - 1].lo, w[i - 1].hi, &w[i].lo, &w[i].hi);
        }
        wk = add_words(w[i], ks);
        sha1_four_rounds(i, &abcd, e, wk);
        e = next_e;
    }
    assert_vector(add_words(abcd, start), vector_of_words(digest));
    assert_int_equal(e + 0xc3d2e1f0, 0x9cd0d89d);
}

/* The fractional part of the n-th prime's cube root, by bisection: SHA-256's constants. */
static uint32_t cube_root_fraction(uint32_t prime)
{
    uint64_t root = 0;

    for (uint64_t bit = 1ull << 34; bit != 0; bit >>= 1) {
        unsigned __int128 r = root | bit;

        /* r = 2^32 * root, so that r^3 is compared with prime * 2^96; r < 2^35. */
        if (r * r * r <= (unsigned __int128)prime << 96)
            root |= bit;
    }
    return (uint32_t)root;
}

static void sha256_constants(uint32_t k[64])
{
    uint32_t candidate = 2;

    for (int n = 0; n < 64; candidate++) {
        uint32_t divisor = 2;

        while (candidate % divisor != 0)
            divisor++;
        if (divisor == candidate)
            k[n++] = cube_root_fraction(candidate);
    }
}

/* SHA-256 of "abc" as a program would compute it with the instructions. */
static void test_sha256(void **state)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    static const uint32_t digest[8] = {0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223,
                                       0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad};
    struct vector w[16], x = vector_of_words(start), y = vector_of_words(start + 4);
    uint32_t block[16], k[64];

    (void)state;
    abc_block(block);
    sha256_constants(k);
    for (int i = 0; i < 16; i++) {
        struct vector wk, next_x, next_y;

        if (i < 4) {
            w[i] = vector_of_words(block + 4 * i);
        } else {
            arm_sha256su0(w[i - 4].lo, w[i - 4].hi, w[i - 3].lo, w[i - 3].hi, &w[i].lo, &w[i].hi);
            arm_sha256su1(w[i].lo, w[i].hi, w[i - 2].lo, w[i - 2].hi, w[i - 1].lo, w[i - 1].hi,
                          &w[i].lo, &w[i].hi);
        }
        wk = add_words(w[i], k + 4 * i);
        arm_sha256h(x.lo, x.hi, y.lo, y.hi, wk.lo, wk.hi, &next_x.lo, &next_x.hi);
        arm_sha256h2(y.lo, y.hi, x.lo, x.hi, wk.lo, wk.hi, &next_y.lo, &next_y.hi);
        x = next_x;
        y = next_y;
    }
    assert_vector(add_words(x, start), vector_of_words(digest));
    assert_vector(add_words(y, start + 4), vector_of_words(digest + 4));
}

static uint64_t random_word(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

/* The published vectors are met in C and by the host's instructions; so is everything else. */
static void test_host_as_plain(void **context)
{
    uint64_t state = 1, a[6], host[2], plain[2];

    (void)context;
    for (unsigned n = 0; n < 10000; n++) {
        for (unsigned k = 0; k < 6; k++)
            a[k] = random_word(&state);
#define SAME(name, ...)                              \
    arm_##name(__VA_ARGS__, &host[0], &host[1]);     \
    plain_##name(__VA_ARGS__, &plain[0], &plain[1]); \
    assert_memory_equal(host, plain, sizeof(host))
        SAME(aese, a[0], a[1], a[2], a[3]);
        SAME(aesd, a[0], a[1], a[2], a[3]);
        SAME(aesmc, a[0], a[1]);
        SAME(aesimc, a[0], a[1]);
        SAME(sha256h, a[0], a[1], a[2], a[3], a[4], a[5]);
        SAME(sha256h2, a[0], a[1], a[2], a[3], a[4], a[5]);
        SAME(sha256su0, a[0], a[1], a[2], a[3]);
        SAME(sha256su1, a[0], a[1], a[2], a[3], a[4], a[5]);
#undef SAME
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_aes_round),
        cmocka_unit_test(test_sha1),
        cmocka_unit_test(test_sha256),
        cmocka_unit_test(test_host_as_plain),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
