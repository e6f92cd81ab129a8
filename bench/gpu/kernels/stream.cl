// Arrays read and written once, in order.

__kernel void vecadd(__global const float *a, __global const float *b, __global float *c)
{
    size_t i = get_global_id(0);

    c[i] = a[i] + b[i];
}

__kernel void saxpy(float alpha, __global const float *x, __global float *y)
{
    size_t i = get_global_id(0);

    y[i] = fma(alpha, x[i], y[i]);
}

// A mixer of bits, as hash functions have it.
__kernel void integer_ops(__global const uint *in, __global uint *out, uint rounds)
{
    size_t i = get_global_id(0);
    uint x = in[i], y = x ^ 0x9e3779b9u;

    for (uint r = 0; r < rounds; r++) {
        x = rotate(x, 5u) + (y & 0x5bd1e995u);
        y = (y ^ x >> 15) * 0x85ebca6bu;
        x -= popcount(y) + (y << 3);
        y = max(x, y) - min(x, r);
    }
    out[i] = x ^ y;
}

// Numbers in half precision, four at a time; computed in single.
__kernel void half_conversion(__global const half *in, __global half *out, float scale)
{
    size_t i = get_global_id(0);
    float4 v = vload_half4(i, in);

    vstore_half4(fma(v, (float4)(scale), v * v), i, out);
}
