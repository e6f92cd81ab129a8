/* The C library's string functions, most of them SIMD, and number formatting. */
#include "bench.h"

enum { SIZE = 4096 };

int main(int argc, char **argv)
{
    unsigned rounds = bench_rounds(argc, argv) * 400;
    static char a[SIZE + 64], b[SIZE + 64], number[64];
    uint64_t sum = BENCH_SEED, seed = 17;

    for (unsigned n = 0; n < SIZE; n++)
        a[n] = (char)('a' + bench_random(&seed) % 26);
    while (rounds--) {
        unsigned from = bench_random(&seed) % 64, len = SIZE / 2 + bench_random(&seed) % 1024;
        const char *found;

        memcpy(b, a + from, len);
        b[len] = 0;
        sum = bench_mix(sum, strlen(b));
        sum = bench_mix(sum, (uint64_t)(strchr(b, '\0') - b));
        found = strstr(b, "xyz");
        sum = bench_mix(sum, found ? (uint64_t)(found - b) : 0);
        sum = bench_mix(sum, memcmp(a + from, b, len) ? 1 : 0);
        b[len / 2] ^= 1;
        sum = bench_mix(sum, strncmp(a + from, b, len) < 0);
        memmove(b + 3, b, len - 8);
        memset(b + len / 3, 'q', 100);
        found = memchr(b, 'q', len);
        sum = bench_mix(sum, found ? (uint64_t)(found - b) : 0);
        sum = bench_mix(sum, strcspn(b, "Q!") + strspn(b, "abcdefgh"));
        snprintf(number, sizeof(number), "%u %08x %.6f %s", from, len, len / 7.0, "done");
        sum = bench_hash(sum, number, strlen(number));
        sum = bench_mix(sum, strtoul(number, NULL, 10));
    }
    printf("%016llx\n", (unsigned long long)sum);
    return 0;
}
