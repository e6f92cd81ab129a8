// The other kernels of table 5.8, from published definitions.

// C = A B, columns one behind the other: the first kernel of a well-known tutorial on GEMM.
__kernel void gemm1(int m, int n, int k, __global const float *a, __global const float *b, __global float *c)
{
    int row = get_global_id(0), column = get_global_id(1);
    float sum = 0;

    for (int i = 0; i < k; i++)
        sum += a[i * m + row] * b[column * k + i];
    c[column * m + row] = sum;
}

// Back-propagation: weights from `in` neurons (number 0 is the bias) to `hidden` ones, with a momentum.
__kernel void bpnn_adjust_weights(__global const float *delta, __global const float *out, __global float *weight,
                                  __global float *change, int hidden, float rate, float momentum)
{
    int j = get_global_id(0), i = get_global_id(1), at = i * hidden + j;
    float step = rate * delta[j] * out[i] + momentum * change[at];

    weight[at] += step;
    change[at] = step;
}

// European options by Black and Scholes; the normal distribution as in Abramowitz and Stegun, 26.2.17.
static float4 normal(float4 x)
{
    float4 k = 1.0f / (1.0f + 0.2316419f * fabs(x));
    float4 tail = k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float4 y = 0.39894228040143267794f * exp(-0.5f * x * x) * tail;

    return select(y, 1.0f - y, x >= 0.0f);
}

__kernel void black_scholes(__global const float4 *random, __global float4 *call, __global float4 *put)
{
    int i = get_global_id(0) + get_global_id(1) * get_global_size(0);
    float4 r = random[i];
    float4 price = 10.0f * r + 100.0f * (1.0f - r), strike = 10.0f * r + 100.0f * (1.0f - r) - 1.0f;
    float4 years = 1.0f * r + 10.0f * (1.0f - r), rate = 0.01f * r + 0.05f * (1.0f - r);
    float4 volatility = 0.1f * r + 0.4f * (1.0f - r), spread = volatility * sqrt(years);
    float4 d1 = (log(price / strike) + (rate + 0.5f * volatility * volatility) * years) / spread, d2 = d1 - spread;
    float4 later = strike * exp(-rate * years);

    call[i] = price * normal(d1) - later * normal(d2);
    put[i] = later * normal(-d2) - price * normal(-d1);
}

// Normal random numbers: SFMT of period 2^607 - 1 (Saito and Matsumoto), each thread with a seed of its own, then Box
// and Muller. A thread writes 2 * rounds * 5 vectors.
static uint4 left24(uint4 v)
{
    return (uint4)(v.x << 24, v.y << 24 | v.x >> 8, v.z << 24 | v.y >> 8, v.w << 24 | v.z >> 8);
}

static uint4 right24(uint4 v)
{
    return (uint4)(v.x >> 24 | v.y << 8, v.y >> 24 | v.z << 8, v.z >> 24 | v.w << 8, v.w >> 24);
}

static uint4 recursion(uint4 a, uint4 b, uint4 c, uint4 d)
{
    return a ^ left24(a) ^ (b >> 13 & (uint4)(0xfdff37ff, 0xef7f3f7d, 0xff777b7d, 0x7ff7fb2f)) ^ right24(c) ^ d << 15;
}

static void box_muller(uint4 u, uint4 v, __global float4 *to)
{
    float4 a = (convert_float4(u >> 8) + 0.5f) / 16777216.0f, b = convert_float4(v >> 8) / 16777216.0f;
    float4 r = sqrt(-2.0f * log(a));

    to[0] = r * cos(6.283185307179586f * b);
    to[1] = r * sin(6.283185307179586f * b);
}

static uint next_seed(uint *seed, uint n)
{
    return *seed = 1812433253u * (*seed ^ *seed >> 30) + n;
}

static uint4 next_seeds(uint *seed, uint n)
{
    uint x = next_seed(seed, n), y = next_seed(seed, n + 1), z = next_seed(seed, n + 2), w = next_seed(seed, n + 3);

    return (uint4)(x, y, z, w);
}

__kernel void mersenne_twister(__global const uint *seeds, __global float4 *out, int rounds)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    uint seed = seeds[i];
    uint4 s0, s1, s2, s3, s4;

    s0 = next_seeds(&seed, 1), s1 = next_seeds(&seed, 5), s2 = next_seeds(&seed, 9);
    s3 = next_seeds(&seed, 13), s4 = next_seeds(&seed, 17);
    for (int k = 0; k < rounds; k++) {
        s0 = recursion(s0, s2, s3, s4);
        s1 = recursion(s1, s3, s4, s0);
        s2 = recursion(s2, s4, s0, s1);
        s3 = recursion(s3, s0, s1, s2);
        s4 = recursion(s4, s1, s2, s3);
        box_muller(s0, s1, out + 2 * (2 * k * n + i));
        box_muller(s2, s3, out + 2 * ((2 * k + 1) * n + i));
    }
}

// Each pixel's neighbours (of 8 bits), times a mask of `side` by `side` numbers (of 4); what is outside does not count.
__kernel void simple_convolution(__global uint *out, __global const uint *in, __global const uint *mask, int width,
                                 int height, int side)
{
    int at = get_global_id(0), x = at % width, y = at / width, reach = (side - 1) / 2;
    int left = max(x - reach, 0), right = min(x + reach, width - 1);
    int top = max(y - reach, 0), bottom = min(y + reach, height - 1);
    float sum = 0;

    for (int j = top; j <= bottom; j++)
        for (int i = left; i <= right; i++)
            sum += (float)(in[j * width + i] & 255) * (float)(mask[(j - y + reach) * side + i - x + reach] & 15);
    out[at] = (uint)(sum + 0.5f);
}

// Copies, that differ in how threads and addresses go together.
__kernel void copy1Dfloat4(__global const float4 *in, __global float4 *out)
{
    int i = get_global_id(0);

    out[i] = in[i];
}

__kernel void copy2Dfloat(__global const float *in, __global float *out)
{
    int i = get_global_id(1) * get_global_size(0) + get_global_id(0);

    out[i] = in[i];
}

__kernel void copy2Dfloat4(__global const float4 *in, __global float4 *out)
{
    int i = get_global_id(1) * get_global_size(0) + get_global_id(0);

    out[i] = in[i];
}

// Sixteen threads, turned by one: the first has what is last.
__kernel void copy_no_coal(__global const float *in, __global float *out)
{
    int i = get_global_id(0);

    i = (i & 15) == 0 ? i + 15 : i - 1;
    out[i] = in[i];
}

// Even threads of 64 go backwards between the odd ones, which go forwards.
__kernel void copy_split(__global const float *in, __global float *out)
{
    int i = get_global_id(0);

    if ((i & 1) == 0)
        i = (i & ~63) + 62 - (i & 63);
    out[i] = in[i];
}
