// The kernel of the sgemm snapshots.
__kernel void sgemm(int n, __global const float *a, __global const float *b, __global float *c,
                    float alpha)
{
    int x = get_global_id(0), y = get_global_id(1);
    float s = 0;

    for (int k = 0; k < n; k++)
        s += a[y * n + k] * b[k * n + x];
    c[y * n + x] = alpha * s;
}
