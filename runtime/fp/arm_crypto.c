/* AES, SHA-1, SHA-256, polynomial products and CRCs in plain C. */
#include "runtime/fp/arm_crypto.h"

#include <string.h>

#include "runtime/fp/crypto_plain.h"
#include "runtime/fp/crypto_tables.h"

/* Byte i of a 128-bit vector. */
static uint8_t byte_of(uint64_t lo, uint64_t hi, unsigned i)
{
    return (uint8_t)((i < 8 ? lo : hi) >> (i % 8 * 8));
}

/*
 * SubBytes(ShiftRows(state)) of FIPS 197, where the state's column c is bytes 4c..4c+3: row r moves
 * by r columns. `step` 5 shifts left, 13 = -3 mod 16 shifts right: byte i comes from i * step.
 */
static void shift_and_substitute(uint64_t lo, uint64_t hi, unsigned step, const uint8_t *box,
                                 uint64_t *r_lo, uint64_t *r_hi)
{
    uint64_t low = 0, high = 0;

    for (unsigned i = 0; i < 8; i++) {
        unsigned from_low = (i / 4 * 4 + i % 4 * step) % 16;
        unsigned from_high = (i / 4 * 4 + 8 + i % 4 * step) % 16;

        low |= (uint64_t)box[byte_of(lo, hi, from_low)] << (i * 8);
        high |= (uint64_t)box[byte_of(lo, hi, from_high)] << (i * 8);
    }
    *r_lo = low;
    *r_hi = high;
}

void plain_aese(uint64_t state_lo, uint64_t state_hi, uint64_t key_lo, uint64_t key_hi,
                uint64_t *r_lo, uint64_t *r_hi)
{
    shift_and_substitute(state_lo ^ key_lo, state_hi ^ key_hi, 5, crypto_sbox, r_lo, r_hi);
}

void plain_aesd(uint64_t state_lo, uint64_t state_hi, uint64_t key_lo, uint64_t key_hi,
                uint64_t *r_lo, uint64_t *r_hi)
{
    shift_and_substitute(state_lo ^ key_lo, state_hi ^ key_hi, 13, crypto_inverse_sbox, r_lo, r_hi);
}

/* Each byte times x in GF(2^8), eight at a time. */
static uint64_t times_x(uint64_t v)
{
    uint64_t carries = v >> 7 & 0x0101010101010101;

    return (v << 1 & 0xfefefefefefefefe) ^ carries * 0x1b;
}

/* Each 32-bit column rotated right by n bits, so that row r holds what row r + n / 8 held. */
static uint64_t rotate_columns(uint64_t v, unsigned n)
{
    uint32_t low = (uint32_t)v, high = (uint32_t)(v >> 32);

    low = low >> n | low << (32 - n);
    high = high >> n | high << (32 - n);
    return (uint64_t)high << 32 | low;
}

/* Row r becomes 2 r + 3 (r + 1) + (r + 2) + (r + 3). */
static uint64_t mix_columns(uint64_t v)
{
    uint64_t next = rotate_columns(v, 8);

    return times_x(v ^ next) ^ next ^ rotate_columns(v, 16) ^ rotate_columns(v, 24);
}

/* The inverse of mix_columns() is mix_columns() after adding 4 (r + (r + 2)) to each row. */
static uint64_t inverse_mix_columns(uint64_t v)
{
    return mix_columns(v ^ times_x(times_x(v ^ rotate_columns(v, 16))));
}

void plain_aesmc(uint64_t lo, uint64_t hi, uint64_t *r_lo, uint64_t *r_hi)
{
    *r_lo = mix_columns(lo);
    *r_hi = mix_columns(hi);
}

void plain_aesimc(uint64_t lo, uint64_t hi, uint64_t *r_lo, uint64_t *r_hi)
{
    *r_lo = inverse_mix_columns(lo);
    *r_hi = inverse_mix_columns(hi);
}

static uint32_t rotate_left(uint32_t x, unsigned n)
{
    return x << n | x >> (32 - n);
}

static void split_words(uint64_t lo, uint64_t hi, uint32_t words[4])
{
    words[0] = (uint32_t)lo;
    words[1] = (uint32_t)(lo >> 32);
    words[2] = (uint32_t)hi;
    words[3] = (uint32_t)(hi >> 32);
}

static void join_words(const uint32_t words[4], uint64_t *lo, uint64_t *hi)
{
    *lo = words[0] | (uint64_t)words[1] << 32;
    *hi = words[2] | (uint64_t)words[3] << 32;
}

static uint32_t sha_choose(uint32_t x, uint32_t y, uint32_t z)
{
    return ((y ^ z) & x) ^ z;
}

static uint32_t sha_parity(uint32_t x, uint32_t y, uint32_t z)
{
    return x ^ y ^ z;
}

static uint32_t sha_majority(uint32_t x, uint32_t y, uint32_t z)
{
    return (x & y) | ((x | y) & z);
}

static inline void sha1_rounds(uint32_t (*mix)(uint32_t, uint32_t, uint32_t), uint64_t abcd_lo,
                               uint64_t abcd_hi, uint32_t e, uint64_t wk_lo, uint64_t wk_hi,
                               uint64_t *r_lo, uint64_t *r_hi)
{
    uint32_t h[4], wk[4];

    split_words(abcd_lo, abcd_hi, h);
    split_words(wk_lo, wk_hi, wk);
    for (int i = 0; i < 4; i++) {
        uint32_t t = e + rotate_left(h[0], 5) + mix(h[1], h[2], h[3]) + wk[i];

        e = h[3];
        h[3] = h[2];
        h[2] = rotate_left(h[1], 30);
        h[1] = h[0];
        h[0] = t;
    }
    join_words(h, r_lo, r_hi);
}

void arm_sha1c(uint64_t abcd_lo, uint64_t abcd_hi, uint32_t e, uint64_t wk_lo, uint64_t wk_hi,
               uint64_t *r_lo, uint64_t *r_hi)
{
    sha1_rounds(sha_choose, abcd_lo, abcd_hi, e, wk_lo, wk_hi, r_lo, r_hi);
}

void arm_sha1p(uint64_t abcd_lo, uint64_t abcd_hi, uint32_t e, uint64_t wk_lo, uint64_t wk_hi,
               uint64_t *r_lo, uint64_t *r_hi)
{
    sha1_rounds(sha_parity, abcd_lo, abcd_hi, e, wk_lo, wk_hi, r_lo, r_hi);
}

void arm_sha1m(uint64_t abcd_lo, uint64_t abcd_hi, uint32_t e, uint64_t wk_lo, uint64_t wk_hi,
               uint64_t *r_lo, uint64_t *r_hi)
{
    sha1_rounds(sha_majority, abcd_lo, abcd_hi, e, wk_lo, wk_hi, r_lo, r_hi);
}

uint32_t arm_sha1h(uint32_t a)
{
    return rotate_left(a, 30);
}

void arm_sha1su0(uint64_t d_lo, uint64_t d_hi, uint64_t n_lo, uint64_t n_hi, uint64_t m_lo,
                 uint64_t m_hi, uint64_t *r_lo, uint64_t *r_hi)
{
    (void)n_hi;
    *r_lo = d_hi ^ d_lo ^ m_lo;
    *r_hi = n_lo ^ d_hi ^ m_hi;
}

void arm_sha1su1(uint64_t d_lo, uint64_t d_hi, uint64_t n_lo, uint64_t n_hi, uint64_t *r_lo,
                 uint64_t *r_hi)
{
    uint32_t t[4], first;

    split_words(d_lo ^ (n_lo >> 32 | n_hi << 32), d_hi ^ n_hi >> 32, t);
    first = t[0];
    for (int i = 0; i < 4; i++)
        t[i] = rotate_left(t[i], 1);
    t[3] ^= rotate_left(first, 2);
    join_words(t, r_lo, r_hi);
}

/* Round n of SHA256hash(). The hash is not moved: word k of round n is v[(k - n) % 8]. */
static inline void sha256_round(uint32_t v[8], unsigned n, uint32_t wk)
{
    const uint32_t a = v[(0 - n) & 7], b = v[(1 - n) & 7], c = v[(2 - n) & 7], e = v[(4 - n) & 7],
                   f = v[(5 - n) & 7], g = v[(6 - n) & 7];
    uint32_t t = v[(7 - n) & 7] + sha_choose(e, f, g) + wk +
                 (rotate_left(e, 26) ^ rotate_left(e, 21) ^ rotate_left(e, 7));

    v[(3 - n) & 7] += t;
    v[(7 - n) & 7] =
        t + sha_majority(a, b, c) + (rotate_left(a, 30) ^ rotate_left(a, 19) ^ rotate_left(a, 10));
}

/* Four rounds on both halves of the hash. */
static inline void sha256_rounds(uint32_t x[4], uint32_t y[4], const uint32_t wk[4])
{
    uint32_t v[8] = {x[0], x[1], x[2], x[3], y[0], y[1], y[2], y[3]};

    sha256_round(v, 0, wk[0]);
    sha256_round(v, 1, wk[1]);
    sha256_round(v, 2, wk[2]);
    sha256_round(v, 3, wk[3]);
    for (unsigned k = 0; k < 4; k++) {
        x[k] = v[k + 4];
        y[k] = v[k];
    }
}

void plain_sha256h(uint64_t abcd_lo, uint64_t abcd_hi, uint64_t efgh_lo, uint64_t efgh_hi,
                   uint64_t wk_lo, uint64_t wk_hi, uint64_t *r_lo, uint64_t *r_hi)
{
    uint32_t x[4], y[4], wk[4];

    split_words(abcd_lo, abcd_hi, x);
    split_words(efgh_lo, efgh_hi, y);
    split_words(wk_lo, wk_hi, wk);
    sha256_rounds(x, y, wk);
    join_words(x, r_lo, r_hi);
}

void plain_sha256h2(uint64_t efgh_lo, uint64_t efgh_hi, uint64_t abcd_lo, uint64_t abcd_hi,
                    uint64_t wk_lo, uint64_t wk_hi, uint64_t *r_lo, uint64_t *r_hi)
{
    uint32_t x[4], y[4], wk[4];

    split_words(abcd_lo, abcd_hi, x);
    split_words(efgh_lo, efgh_hi, y);
    split_words(wk_lo, wk_hi, wk);
    sha256_rounds(x, y, wk);
    join_words(y, r_lo, r_hi);
}

void plain_sha256su0(uint64_t d_lo, uint64_t d_hi, uint64_t n_lo, uint64_t n_hi, uint64_t *r_lo,
                     uint64_t *r_hi)
{
    uint32_t w[4], next[4];

    (void)n_hi;
    split_words(d_lo, d_hi, w);
    split_words(d_lo >> 32 | d_hi << 32, d_hi >> 32 | n_lo << 32, next);
    for (int i = 0; i < 4; i++)
        w[i] += rotate_left(next[i], 25) ^ rotate_left(next[i], 14) ^ next[i] >> 3;
    join_words(w, r_lo, r_hi);
}

static uint32_t sha256_sigma1(uint32_t x)
{
    return rotate_left(x, 15) ^ rotate_left(x, 13) ^ x >> 10;
}

void plain_sha256su1(uint64_t d_lo, uint64_t d_hi, uint64_t n_lo, uint64_t n_hi, uint64_t m_lo,
                     uint64_t m_hi, uint64_t *r_lo, uint64_t *r_hi)
{
    uint32_t w[4], middle[4];

    split_words(d_lo, d_hi, w);
    split_words(n_lo >> 32 | n_hi << 32, n_hi >> 32 | m_lo << 32, middle);
    for (int i = 0; i < 4; i++)
        w[i] += middle[i];
    w[0] += sha256_sigma1((uint32_t)m_hi);
    w[1] += sha256_sigma1((uint32_t)(m_hi >> 32));
    w[2] += sha256_sigma1(w[0]);
    w[3] += sha256_sigma1(w[1]);
    join_words(w, r_lo, r_hi);
}
