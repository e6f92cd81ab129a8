// Table 5.10: a baseline GEMM (Polybench's, square) and what was changed in it, from the table's descriptions. Sums are
// made in memory, as in polybench.cl. MORE: how often B and G do more, written out; TILE: steps between barriers.
#ifndef TYPE
#define TYPE float
#endif
#ifndef MORE
#define MORE TIMES_8
#endif
#ifndef TILE
#define TILE 8
#endif
#define TIMES_2(what) what what
#define TIMES_8(what) TIMES_2(TIMES_2(TIMES_2(what)))
#define TIMES_128(what) TIMES_8(TIMES_2(TIMES_8(what)))
#define TIMES_256(what) TIMES_2(TIMES_128(what))
#define TIMES_512(what) TIMES_2(TIMES_256(what))

// A, E (in poor groups), F and H (of float4), I (of int).
__kernel void baseline(__global const TYPE *a, __global const TYPE *b, __global TYPE *c, int n)
{
    int j = get_global_id(0), i = get_global_id(1);

    if (i < n && j < n) {
        c[i * n + j] = 0;
        for (int k = 0; k < n; k++)
            c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}

// B and G: each product goes through MORE multiplications and additions that leave it (1 * x + 0), which the compiler
// does not know.
__kernel void arithmetic(__global const TYPE *a, __global const TYPE *b, __global TYPE *c, int n, float one, float none)
{
    int j = get_global_id(0), i = get_global_id(1);

    if (i < n && j < n) {
        c[i * n + j] = 0;
        for (int k = 0; k < n; k++) {
            TYPE x = a[i * n + k] * b[k * n + j];

            MORE(x = fma(x, one, none);)
            c[i * n + j] += x;
        }
    }
}

// C
__kernel void barrier_inner(__global const TYPE *a, __global const TYPE *b, __global TYPE *c, int n)
{
    int j = get_global_id(0), i = get_global_id(1);

    c[i * n + j] = 0;
    for (int k = 0; k < n; k++) {
        c[i * n + j] += a[i * n + k] * b[k * n + j];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// D and J (in small groups)
__kernel void barrier_outer(__global const TYPE *a, __global const TYPE *b, __global TYPE *c, int n)
{
    int j = get_global_id(0), i = get_global_id(1);

    c[i * n + j] = 0;
    for (int t = 0; t < n; t += TILE) {
        for (int k = t; k < t + TILE; k++)
            c[i * n + j] += a[i * n + k] * b[k * n + j];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// K: neighbours go different ways in each step.
__kernel void divergent(__global const TYPE *a, __global const TYPE *b, __global TYPE *c, int n)
{
    int j = get_global_id(0), i = get_global_id(1);

    c[i * n + j] = 0;
    for (int k = 0; k < n; k++) {
        if (j & 1)
            c[i * n + j] += a[i * n + k] * b[k * n + j];
        else
            c[i * n + j] -= -a[i * n + k] * b[k * n + j];
    }
}
