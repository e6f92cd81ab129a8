// BinomialOption: four options a group, whose threads are the leaves of a lattice; each step back takes a leaf less.
__kernel void binomial_option(__global const float4 *random, __global float4 *prices, __local float4 *a, __local float4 *b, int steps)
{
    int id = get_local_id(0), option = get_group_id(0);
    float4 r = random[option], stock = r * 30.0f + (1.0f - r) * 5.0f, strike = r * 100.0f + (1.0f - r) * 1.0f;
    float4 years = r * 10.0f + (1.0f - r) * 0.25f, dt = years / (float)steps, move = 0.3f * sqrt(dt);
    float4 interest = exp(0.02f * dt), up = exp(move), down = 1.0f / up;
    float4 weight_up = (interest - down) / (up - down) / interest, weight_down = 1.0f / interest - weight_up;

    a[id] = fmax(stock * exp(move * (2.0f * id - steps)) - strike, 0.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = steps; j > 0; j -= 2) {
        if (id < j)
            b[id] = weight_up * a[id + 1] + weight_down * a[id];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < j - 1)
            a[id] = weight_up * b[id + 1] + weight_down * b[id];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (id == 0)
        prices[option] = a[0];
}

// SGEMM of Parboil: C = A B by columns, B transposed; a thread sums 16 elements of a row, with a piece of B in local memory.
enum { ROWS = 64, WIDE = 16, DEEP = ROWS / WIDE };

__kernel void parboil_sgemm(__global const float *a, __global const float *b, __global float *c, int m, int n, int k)
{
    __local float piece[DEEP][WIDE];
    int id = get_local_id(0), row = get_group_id(0) * ROWS + id, left = get_group_id(1) * WIDE;
    float sums[WIDE] = {0};

    for (int t = 0; t < k; t += DEEP) {
        piece[id / WIDE][id % WIDE] = b[(t + id / WIDE) * n + left + id % WIDE];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int d = 0; d < DEEP; d++) {
            float from_a = a[(t + d) * m + row];

            for (int w = 0; w < WIDE; w++)
                sums[w] += from_a * piece[d][w];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int w = 0; w < WIDE; w++)
        c[(left + w) * m + row] = sums[w];
}

// clBLAS's: blocks of 4 x 4 in registers, tiles of 32 x 32 of 16 steps in local memory.
enum { TILE = 32, STEPS = 16, BLOCK = 4 };

__kernel void blocked_sgemm(__global const float *a, __global const float *b, __global float *c, int n)
{
    __local float a_tile[STEPS][TILE], b_tile[STEPS][TILE];
    int x = get_local_id(0), y = get_local_id(1), self = y * (TILE / BLOCK) + x;
    int top = get_group_id(0) * TILE, left = get_group_id(1) * TILE;
    float sums[BLOCK][BLOCK] = {{0}};

    for (int t = 0; t < n; t += STEPS) {
        for (int l = 0, at = self; l < STEPS * BLOCK * BLOCK / TILE; l++, at += TILE * TILE / (BLOCK * BLOCK)) {
            a_tile[at / TILE][at % TILE] = a[(t + at / TILE) * n + top + at % TILE];
            b_tile[at / TILE][at % TILE] = b[(t + at / TILE) * n + left + at % TILE];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < STEPS; k++)
            for (int i = 0; i < BLOCK; i++)
                for (int j = 0; j < BLOCK; j++)
                    sums[i][j] += a_tile[k][BLOCK * x + i] * b_tile[k][BLOCK * y + j];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int j = 0; j < BLOCK; j++)
        for (int i = 0; i < BLOCK; i++)
            c[(left + BLOCK * y + j) * n + top + BLOCK * x + i] = sums[i][j];
}
