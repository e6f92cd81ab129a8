// Kernels that wait for memory, and the two microbenchmarks of seed 002, 5.3.5.

// Each thread reads a line of its own, `stride` elements behind that of the thread before.
__kernel void strided(__global const float *in, __global float *out, uint stride, uint mask)
{
    uint i = get_global_id(0);

    out[i] = in[i * stride & mask];
}

// Each thread reads one element anywhere.
__kernel void gather(__global const float *in, __global const uint *index, __global float *out, uint mask)
{
    uint i = get_global_id(0);

    out[i] = in[index[i] & mask];
}

#ifdef LOADS
// Listing 5.1: one thread of a warp loads LOADS lines. There each is stored to the same place, which compilers
// may leave out; here their sum is.
__kernel void misses(__global const float *in, __global float *out, uint warps)
{
    uint i = get_global_id(0);

    if (i % 4 == 0) {
        float sum = 0;

#pragma unroll
        for (uint k = 0; k < LOADS; k++)
            sum += in[16 * (i + k * warps * 4)];
        out[i] = sum;
    }
}
#endif

// Figure 5.14: one thread adds vectors, in a loop and in straight code.
__kernel void add_loop(__global const float *a, __global const float *b, __global float *c, uint count)
{
#pragma nounroll
    for (uint i = 0; i < count; i++)
        c[i] = a[i] + b[i];
}

#ifdef HUNDREDS
#define ONE(i)     c[i] = a[i] + b[i];
#define TEN(i)     ONE(i) ONE(i + 1) ONE(i + 2) ONE(i + 3) ONE(i + 4) ONE(i + 5) ONE(i + 6) ONE(i + 7) ONE(i + 8) ONE(i + 9)
#define HUNDRED(i) TEN(i) TEN(i + 10) TEN(i + 20) TEN(i + 30) TEN(i + 40) TEN(i + 50) TEN(i + 60) TEN(i + 70) TEN(i + 80) TEN(i + 90)
__kernel void add_straight(__global const volatile float *a, __global const volatile float *b, __global volatile float *c)
{
    HUNDRED(0) HUNDRED(100) HUNDRED(200) HUNDRED(300) HUNDRED(400)
    HUNDRED(500) HUNDRED(600) HUNDRED(700) HUNDRED(800) HUNDRED(900)
#if HUNDREDS > 10
    HUNDRED(1000) HUNDRED(1100) HUNDRED(1200) HUNDRED(1300) HUNDRED(1400)
#endif
#if HUNDREDS > 15
    HUNDRED(1500) HUNDRED(1600) HUNDRED(1700) HUNDRED(1800) HUNDRED(1900)
#endif
}
#endif
