// Kernels of Polybench, from its definitions (C = alpha A B + beta C and so on): as there, sums are made where the
// result stands, in memory. One thread a result; sizes are arguments.

// 2mm: T = alpha A B, then D = T C + beta D.
__kernel void mm2_kernel1(__global float *t, __global const float *a, __global const float *b, int ni, int nj, int nk,
                          float alpha)
{
    int j = get_global_id(0), i = get_global_id(1);

    if (i < ni && j < nj) {
        t[i * nj + j] = 0;
        for (int k = 0; k < nk; k++)
            t[i * nj + j] += alpha * a[i * nk + k] * b[k * nj + j];
    }
}

__kernel void mm2_kernel2(__global const float *t, __global const float *c, __global float *d, int ni, int nl, int nj,
                          float beta)
{
    int j = get_global_id(0), i = get_global_id(1);

    if (i < ni && j < nl) {
        d[i * nl + j] *= beta;
        for (int k = 0; k < nj; k++)
            d[i * nl + j] += t[i * nj + k] * c[k * nl + j];
    }
}

// 3mm: E = A B; its other two products are the same kernel.
__kernel void mm3_kernel1(__global const float *a, __global const float *b, __global float *e, int ni, int nj, int nk)
{
    int j = get_global_id(0), i = get_global_id(1);

    if (i < ni && j < nj) {
        e[i * nj + j] = 0;
        for (int k = 0; k < nk; k++)
            e[i * nj + j] += a[i * nk + k] * b[k * nj + j];
    }
}

__kernel void gemm(__global const float *a, __global const float *b, __global float *c, float alpha, float beta, int ni,
                   int nj, int nk)
{
    int j = get_global_id(0), i = get_global_id(1);

    if (i < ni && j < nj) {
        c[i * nj + j] *= beta;
        for (int k = 0; k < nk; k++)
            c[i * nj + j] += alpha * a[i * nk + k] * b[k * nj + j];
    }
}

// atax: y = At (A x).
__kernel void atax_kernel1(__global const float *a, __global const float *x, __global float *tmp, int nx, int ny)
{
    int i = get_global_id(0);

    if (i < nx) {
        tmp[i] = 0;
        for (int j = 0; j < ny; j++)
            tmp[i] += a[i * ny + j] * x[j];
    }
}

__kernel void atax_kernel2(__global const float *a, __global float *y, __global const float *tmp, int nx, int ny)
{
    int j = get_global_id(0);

    if (j < ny) {
        y[j] = 0;
        for (int i = 0; i < nx; i++)
            y[j] += a[i * ny + j] * tmp[i];
    }
}

// correlation: means and standard deviations of m columns of n values, and the values made of mean 0 and length 1.
__kernel void mean_kernel(__global float *mean, __global const float *data, float count, int m, int n)
{
    int j = get_global_id(0);

    if (j < m) {
        mean[j] = 0;
        for (int i = 0; i < n; i++)
            mean[j] += data[i * m + j];
        mean[j] /= count;
    }
}

__kernel void std_kernel(__global const float *mean, __global float *deviation, __global const float *data, float count,
                         float least, int m, int n)
{
    int j = get_global_id(0);

    if (j < m) {
        deviation[j] = 0;
        for (int i = 0; i < n; i++)
            deviation[j] += (data[i * m + j] - mean[j]) * (data[i * m + j] - mean[j]);
        deviation[j] = sqrt(deviation[j] / count);
        if (deviation[j] <= least)
            deviation[j] = 1;
    }
}

__kernel void reduce_kernel(__global const float *mean, __global const float *deviation, __global float *data,
                            float count, int m, int n)
{
    int j = get_global_id(0), i = get_global_id(1);

    if (i < n && j < m) {
        data[i * m + j] -= mean[j];
        data[i * m + j] /= sqrt(count) * deviation[j];
    }
}

// covariance: only the means are taken off.
__kernel void covariance_reduce(__global const float *mean, __global float *data, int m, int n)
{
    int j = get_global_id(0), i = get_global_id(1);

    if (i < n && j < m)
        data[i * m + j] -= mean[j];
}

// gemver: A += u1 v1t + u2 v2t; x += beta At y + z; w += alpha A x.
__kernel void gemver_kernel1(__global float *a, __global const float *v1, __global const float *v2,
                             __global const float *u1, __global const float *u2, int n)
{
    int j = get_global_id(0), i = get_global_id(1);

    if (i < n && j < n)
        a[i * n + j] += u1[i] * v1[j] + u2[i] * v2[j];
}

__kernel void gemver_kernel2(__global const float *a, __global float *x, __global const float *y,
                             __global const float *z, float beta, int n)
{
    int i = get_global_id(0);

    if (i < n) {
        for (int j = 0; j < n; j++)
            x[i] += beta * a[j * n + i] * y[j];
        x[i] += z[i];
    }
}

__kernel void gemver_kernel3(__global const float *a, __global const float *x, __global float *w, float alpha, int n)
{
    int i = get_global_id(0);

    if (i < n)
        for (int j = 0; j < n; j++)
            w[i] += alpha * a[i * n + j] * x[j];
}

// gesummv: y = alpha A x + beta B x.
__kernel void gesummv(__global const float *a, __global const float *b, __global const float *x, __global float *y,
                      __global float *tmp, float alpha, float beta, int n)
{
    int i = get_global_id(0);

    if (i < n) {
        tmp[i] = 0;
        y[i] = 0;
        for (int j = 0; j < n; j++) {
            tmp[i] += a[i * n + j] * x[j];
            y[i] += b[i * n + j] * x[j];
        }
        y[i] = alpha * tmp[i] + beta * y[i];
    }
}
