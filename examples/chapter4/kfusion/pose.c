/* Poses of a camera: rigid transformations as 4 x 4 matrices. */
#include "pose.h"

#include <math.h>
#include <string.h>

struct pose pose_at(float x, float y, float z)
{
    return (struct pose){{1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z, 0, 0, 0, 1}};
}

struct pose pose_product(const struct pose *a, const struct pose *b)
{
    struct pose c = {{0}};

    for (int i = 0; i < 64; i++)
        c.m[i / 4 % 16] += a->m[i / 16 * 4 + i % 4] * b->m[i % 4 * 4 + i / 4 % 4];
    return c;
}

struct pose pose_inverse(const struct pose *a)
{
    struct pose b = pose_at(0, 0, 0);

    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            b.m[4 * i + j] = a->m[4 * j + i];
            b.m[4 * i + 3] -= a->m[4 * j + i] * a->m[4 * j + 3];
        }
    }
    return b;
}

/* By the series of the exponential: twists are small. */
struct pose pose_of_twist(const double t[6])
{
    double w[16] = {0, -t[5], t[4], t[0], t[5], 0, -t[3], t[1], -t[4], t[3], 0, t[2]};
    double term[16] = {0}, sum[16] = {0};
    struct pose p;

    for (int i = 0; i < 4; i++)
        term[5 * i] = sum[5 * i] = 1;
    for (int k = 1; k < 20; k++) {
        double next[16] = {0};

        for (int i = 0; i < 64; i++)
            next[i / 4] += term[i / 16 * 4 + i % 4] * w[i % 4 * 4 + i / 4 % 4] / k;
        memcpy(term, next, sizeof(term));
        for (int i = 0; i < 16; i++)
            sum[i] += term[i];
    }
    for (int i = 0; i < 16; i++)
        p.m[i] = (float)sum[i];
    return p;
}

/* Gauss and Jordan with the largest pivot; a direction that nothing determines stays 0. */
void solve(const double sums[32], double twist[6])
{
    double a[6][7];

    for (int i = 0, k = 7; i < 6; i++) {
        a[i][6] = sums[1 + i];
        for (int j = i; j < 6; j++)
            a[i][j] = a[j][i] = sums[k++];
    }
    memset(twist, 0, 6 * sizeof(*twist));
    for (int c = 0; c < 6; c++) {
        int best = c;

        for (int r = c; r < 6; r++)
            best = fabs(a[r][c]) > fabs(a[best][c]) ? r : best;
        for (int j = 0; j < 7; j++) {
            double t = a[c][j];

            a[c][j] = a[best][j];
            a[best][j] = t;
        }
        if (fabs(a[c][c]) < 1e-9)
            return;
        for (int r = 0; r < 6; r++) {
            double f = a[r][c] / a[c][c];

            for (int j = c; j < 7 && r != c; j++)
                a[r][j] -= f * a[c][j];
        }
    }
    for (int i = 0; i < 6; i++)
        twist[i] = a[i][6] / a[i][i];
}
