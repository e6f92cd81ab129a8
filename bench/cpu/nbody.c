/* Scalar double precision with divisions and square roots: planets around a sun. */
#include <math.h>

#include "bench.h"

struct body {
    double x[3], v[3], mass;
};

static void step_bodies(struct body *b, int count, double dt)
{
    for (int i = 0; i < count; i++) {
        for (int j = i + 1; j < count; j++) {
            double d[3], square = 0, pull;

            for (int k = 0; k < 3; k++) {
                d[k] = b[i].x[k] - b[j].x[k];
                square += d[k] * d[k];
            }
            pull = dt / (square * sqrt(square));
            for (int k = 0; k < 3; k++) {
                b[i].v[k] -= d[k] * b[j].mass * pull;
                b[j].v[k] += d[k] * b[i].mass * pull;
            }
        }
    }
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++)
            b[i].x[k] += dt * b[i].v[k];
    }
}

static double total_energy(const struct body *b, int count)
{
    double e = 0;

    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++)
            e += 0.5 * b[i].mass * b[i].v[k] * b[i].v[k];
        for (int j = i + 1; j < count; j++) {
            double square = 0;

            for (int k = 0; k < 3; k++)
                square += (b[i].x[k] - b[j].x[k]) * (b[i].x[k] - b[j].x[k]);
            e -= b[i].mass * b[j].mass / sqrt(square);
        }
    }
    return e;
}

int main(int argc, char **argv)
{
    unsigned steps = 20000 * bench_rounds(argc, argv);
    enum { COUNT = 5 };
    struct body b[COUNT];

    for (int n = 0; n < COUNT; n++) {
        double far = 2.5 * n * n + n, fast = n ? sqrt(40 / far) : 0;

        b[n] = (struct body){{far * cos(n), far * sin(n), 0.1 * n},
                             {-fast * sin(n), fast * cos(n), 0.01 * n},
                             n ? 0.03 / n : 40};
    }
    printf("%.12f\n", total_energy(b, COUNT));
    while (steps--)
        step_bodies(b, COUNT, 0.001);
    printf("%.12f\n", total_energy(b, COUNT));
    return 0;
}
