// C = A B, of n by n matrices.

__kernel void matmul_naive(__global const float *a, __global const float *b, __global float *c,
                           int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    float s = 0;

    for (int k = 0; k < n; k++)
        s = fma(a[y * n + k], b[k * n + x], s);
    c[y * n + x] = s;
}

#define TILE 16

__kernel void matmul_tiled(__global const float *a, __global const float *b, __global float *c,
                           int n)
{
    __local float ta[TILE][TILE], tb[TILE][TILE];
    int lx = get_local_id(0), ly = get_local_id(1);
    int x = get_global_id(0), y = get_global_id(1);
    float s = 0;

    for (int t = 0; t < n; t += TILE) {
        ta[ly][lx] = a[y * n + t + lx];
        tb[ly][lx] = b[(t + ly) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            s = fma(ta[ly][k], tb[k][lx], s);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * n + x] = s;
}

// Four columns a thread.
__kernel void matmul_vec4(__global const float *a, __global const float4 *b, __global float4 *c,
                          int n)
{
    int x = get_global_id(0), y = get_global_id(1), wide = n / 4;
    float4 s = 0;

    for (int k = 0; k < n; k++)
        s = fma((float4)(a[y * n + k]), b[k * wide + x], s);
    c[y * wide + x] = s;
}
