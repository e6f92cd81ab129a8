// Table 5.10: Polybench's GEMM, square (c = alpha a b + beta c, sums made in memory), and what was changed in it, from the
// table's descriptions. MORE: how often B and G do more, written out; TILE: steps between barriers. POINTERS: elements are
// found by pointers that move on from step to step, as some compilers do by themselves; Mesa works out each index anew.
#ifndef TYPE
#define TYPE float
#define FACTOR float
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

#ifdef POINTERS
#define FIND __global const TYPE *a_ik = a + i * n, *b_kj = b + j; __global TYPE *c_ij = c + i * n + j
#define A_IK (*a_ik)
#define B_KJ (*b_kj)
#define C_IJ (*c_ij)
#define STEP k++, a_ik++, b_kj += n
#else
#define FIND
#define A_IK a[i * n + k]
#define B_KJ b[k * n + j]
#define C_IJ c[i * n + j]
#define STEP k++
#endif
#define MATRICES __global const TYPE *a, __global const TYPE *b, __global TYPE *c, FACTOR alpha, FACTOR beta, int n

// A, E (in poor groups), F and H (of float4), I (of int).
__kernel void baseline(MATRICES)
{
    int j = get_global_id(0), i = get_global_id(1);

    if (i < n && j < n) {
        FIND;
        C_IJ *= beta;
        for (int k = 0; k < n; STEP)
            C_IJ += alpha * A_IK * B_KJ;
    }
}

// B and G: each product goes through MORE multiplications and additions that leave it (1 * x + 0), which the compiler
// does not know.
__kernel void arithmetic(MATRICES, float one, float none)
{
    int j = get_global_id(0), i = get_global_id(1);

    if (i < n && j < n) {
        FIND;
        C_IJ *= beta;
        for (int k = 0; k < n; STEP) {
            TYPE x = alpha * A_IK * B_KJ;

            MORE(x = fma(x, one, none);)
            C_IJ += x;
        }
    }
}

// C
__kernel void barrier_inner(MATRICES)
{
    int j = get_global_id(0), i = get_global_id(1);
    FIND;

    C_IJ *= beta;
    for (int k = 0; k < n; STEP) {
        C_IJ += alpha * A_IK * B_KJ;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// D and J (in small groups)
__kernel void barrier_outer(MATRICES)
{
    int j = get_global_id(0), i = get_global_id(1);
    FIND;

    C_IJ *= beta;
    for (int k = 0; k < n;) {
        for (int end = k + TILE; k < end; STEP)
            C_IJ += alpha * A_IK * B_KJ;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// K: neighbours go different ways in each step.
__kernel void divergent(MATRICES)
{
    int j = get_global_id(0), i = get_global_id(1);
    FIND;

    C_IJ *= beta;
    for (int k = 0; k < n; STEP) {
        if (j & 1)
            C_IJ += alpha * A_IK * B_KJ;
        else
            C_IJ -= -alpha * A_IK * B_KJ;
    }
}
