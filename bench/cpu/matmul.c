/* Double precision: matrix multiplication, vectorised where the compiler can. */
#include "bench.h"

enum { N = 128 };
static double a[N][N], b[N][N], c[N][N];

int main(int argc, char **argv)
{
    unsigned rounds = bench_rounds(argc, argv);
    uint64_t sum = BENCH_SEED;
    double trace = 0;

    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            a[i][j] = (i * 3 + j) % 17 / 16.0;
            b[i][j] = (i - j) / (double)N;
        }
    }
    while (rounds--) {
        memset(c, 0, sizeof(c));
        for (int i = 0; i < N; i++) {
            for (int k = 0; k < N; k++) {
                for (int j = 0; j < N; j++)
                    c[i][j] += a[i][k] * b[k][j];
            }
        }
        for (int i = 0; i < N; i++)
            trace += c[i][i];
        a[0][0] += 0.125;
        sum = bench_hash(sum, c[N / 2], sizeof(c[0]));
    }
    printf("%.17g %016llx\n", trace, (unsigned long long)sum);
    return 0;
}
