/* Double precision in a loop whose exit depends on the result. */
#include "bench.h"

int main(int argc, char **argv)
{
    unsigned rounds = bench_rounds(argc, argv);
    uint64_t sum = BENCH_SEED;

    for (unsigned r = 0; r < rounds; r++) {
        for (int y = 0; y < 64; y++) {
            for (int x = 0; x < 96; x++) {
                double cr = x / 32.0 - 2.0 + r * 1e-4, ci = y / 28.0 - 1.14, zr = 0, zi = 0;
                unsigned n = 0;

                while (n < 400 && zr * zr + zi * zi < 4) {
                    double t = zr * zr - zi * zi + cr;

                    zi = 2 * zr * zi + ci;
                    zr = t;
                    n++;
                }
                sum = bench_mix(sum, n);
                if (!r)
                    putchar(n == 400 ? '#' : n > 8 ? '+' : n > 3 ? '.' : ' ');
            }
            if (!r)
                putchar('\n');
        }
    }
    printf("%016llx\n", (unsigned long long)sum);
    return 0;
}
