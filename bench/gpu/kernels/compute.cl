// Arithmetic, and threads that part.

__kernel void mandelbrot(__global uint *out, int width, int limit, float left, float top, float step)
{
    int x = get_global_id(0), y = get_global_id(1), n = 0;
    float cr = fma((float)x, step, left), ci = fma((float)y, step, top), zr = 0, zi = 0;

    while (n < limit && fma(zr, zr, zi * zi) < 4.0f) {
        float t = fma(zr, zr, fma(-zi, zi, cr));

        zi = fma(2 * zr, zi, ci);
        zr = t;
        n++;
    }
    out[y * width + x] = n;
}

// Steps of Collatz's sequence to 1: each thread has its own.
__kernel void divergent(__global const uint *in, __global uint *out)
{
    size_t i = get_global_id(0);
    uint n = (in[i] & 0xffff) + 1, steps = 0;

    while (n != 1 && steps < 1000) {
        if (n & 1)
            n = 3 * n + 1;
        else
            n >>= 1;
        steps++;
    }
    out[i] = steps;
}

__kernel void nbody(__global const float4 *in, __global float4 *out, int n, float soft)
{
    int i = get_global_id(0);
    float4 me = in[i];
    float ax = 0, ay = 0, az = 0;

    for (int k = 0; k < n; k++) {
        float4 you = in[k];
        float dx = you.x - me.x, dy = you.y - me.y, dz = you.z - me.z;
        float r = rsqrt(fma(dx, dx, fma(dy, dy, fma(dz, dz, soft))));
        float f = you.w * r * r * r;

        ax = fma(dx, f, ax);
        ay = fma(dy, f, ay);
        az = fma(dz, f, az);
    }
    out[i] = (float4)(ax, ay, az, me.w);
}

// The normal distribution, by Abramowitz and Stegun 26.2.17.
float normal(float d)
{
    float k = 1 / fma(0.2316419f, fabs(d), 1.0f);
    float p = k * fma(k, fma(k, fma(k, fma(k, 1.330274429f, -1.821255978f), 1.781477937f), -0.356563782f),
                      0.319381530f);
    float tail = 0.39894228f * exp(-0.5f * d * d) * p;

    return d > 0 ? 1 - tail : tail;
}

__kernel void black_scholes(__global const float *price, __global const float *strike,
                            __global const float *years, __global float *call, __global float *put,
                            float rate, float volatility)
{
    size_t i = get_global_id(0);
    float s = 5 + 25 * price[i], x = 1 + 99 * strike[i], t = 0.25f + 9.75f * years[i];
    float root = volatility * sqrt(t);
    float d1 = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / root;
    float n1 = normal(d1), n2 = normal(d1 - root), e = x * exp(-rate * t);

    call[i] = s * n1 - e * n2;
    put[i] = e * (1 - n2) - s * (1 - n1);
}
