/* Integer arithmetic and rotation: SHA-256 of a buffer (FIPS 180-4). */
#include <math.h>

#include "bench.h"

#define ROR(x, n) ((x) >> (n) | (x) << (32 - (n)))

static uint32_t table[64];

/* The round constants: 32 bits of the fractions of cube roots of the first 64 primes. */
static void make_table(void)
{
    unsigned count = 0;

    for (uint32_t p = 2; count < 64; p++) {
        uint32_t d = 2;

        while (d * d <= p && p % d)
            d++;
        if (d * d > p)
            table[count++] = (uint32_t)(uint64_t)ldexp(cbrt(p), 32);
    }
}

static void hash_block(uint32_t h[8], const uint8_t *data)
{
    uint32_t w[64], s[8];

    for (unsigned n = 0; n < 16; n++) {
        memcpy(&w[n], data + 4 * n, 4);
        w[n] = __builtin_bswap32(w[n]);
    }
    for (unsigned n = 16; n < 64; n++) {
        uint32_t a = w[n - 15], b = w[n - 2];

        w[n] = w[n - 16] + (ROR(a, 7) ^ ROR(a, 18) ^ a >> 3) + w[n - 7] +
               (ROR(b, 17) ^ ROR(b, 19) ^ b >> 10);
    }
    memcpy(s, h, sizeof(s));
    for (unsigned n = 0; n < 64; n++) {
        uint32_t e = s[4], a = s[0];
        uint32_t t1 = s[7] + (ROR(e, 6) ^ ROR(e, 11) ^ ROR(e, 25)) + ((e & s[5]) ^ (~e & s[6])) +
                      table[n] + w[n];
        uint32_t t2 =
            (ROR(a, 2) ^ ROR(a, 13) ^ ROR(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));

        memmove(s + 1, s, 7 * sizeof(*s));
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (unsigned n = 0; n < 8; n++)
        h[n] += s[n];
}

int main(int argc, char **argv)
{
    unsigned rounds = bench_rounds(argc, argv);
    uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    static uint8_t data[1 << 18];
    uint64_t seed = 1;

    make_table();
    for (size_t n = 0; n < sizeof(data); n++)
        data[n] = (uint8_t)bench_random(&seed);
    while (rounds--) {
        for (size_t n = 0; n < sizeof(data); n += 64)
            hash_block(h, data + n);
    }
    for (unsigned n = 0; n < 8; n++)
        printf("%08x", h[n]);
    putchar('\n');
    return 0;
}
