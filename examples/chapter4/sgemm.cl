// C = A B in six steps, each made of the one before as the published tutorial describes them (C. Nugteren, "OpenCL SGEMM
// tuning for Kepler"); written from that description. Matrices are square, of n rows, and stored by columns. A work-group
// computes a tile of C. Kernels 5 and 6 take B transposed, as `transpose` makes it.
#ifndef TILE
#define TILE 16 // rows and columns of a tile: kernels 1 to 4
#endif
#ifndef WORK
#define WORK 8 // elements of C per thread: kernels 3 and 5; in each direction: kernel 6
#endif
#ifndef DEPTH
#define DEPTH 16 // steps of the sum that are in local memory at once: kernels 5 and 6
#endif
#ifndef ROWS
#define ROWS 32 // of a tile: kernels 5 and 6
#endif
#ifndef COLUMNS
#define COLUMNS 64
#endif
#define LANES 4
#define MATRICES __global const float *a, __global const float *b, __global float *c, int n

// 1. One thread per element, everything from global memory.
__kernel void sgemm1(MATRICES)
{
    int row = get_global_id(0), column = get_global_id(1);
    float sum = 0;

    for (int k = 0; k < n; k++)
        sum += a[k * n + row] * b[column * n + k];
    c[column * n + row] = sum;
}

// 2. Tiles of A and B are copied to local memory, one element of each per thread.
__kernel void sgemm2(MATRICES)
{
    __local float a_tile[TILE][TILE], b_tile[TILE][TILE];
    int row = get_local_id(0), column = get_local_id(1);
    int global_row = TILE * get_group_id(0) + row, global_column = TILE * get_group_id(1) + column;
    float sum = 0;

    for (int t = 0; t < n; t += TILE) {
        a_tile[column][row] = a[(t + column) * n + global_row];
        b_tile[column][row] = b[global_column * n + t + row];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            sum += a_tile[k][row] * b_tile[column][k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[global_column * n + global_row] = sum;
}

// 3. A thread computes WORK elements of a row, so that what it reads of A's tile serves WORK times.
__kernel void sgemm3(MATRICES)
{
    __local float a_tile[TILE][TILE], b_tile[TILE][TILE];
    int row = get_local_id(0), column = get_local_id(1);
    int global_row = TILE * get_group_id(0) + row, global_column = TILE * get_group_id(1) + column;
    float sum[WORK] = {0};

    for (int t = 0; t < n; t += TILE) {
        for (int w = 0; w < WORK; w++) {
            int at = column + w * (TILE / WORK);

            a_tile[at][row] = a[(t + at) * n + global_row];
            b_tile[at][row] = b[(global_column + w * (TILE / WORK)) * n + t + row];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            for (int w = 0; w < WORK; w++)
                sum[w] += a_tile[k][row] * b_tile[column + w * (TILE / WORK)][k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int w = 0; w < WORK; w++)
        c[(global_column + w * (TILE / WORK)) * n + global_row] = sum[w];
}

// 4. Wider data: a thread computes LANES rows of a column as one vector, and all memory is read and written by vectors.
__kernel void sgemm4(__global const float4 *a, __global const float4 *b, __global float4 *c, int n)
{
    __local float4 a_tile[TILE][TILE / LANES], b_tile[TILE][TILE / LANES];
    int row = get_local_id(0), column = get_local_id(1), stride = n / LANES;
    int global_row = TILE / LANES * get_group_id(0) + row, global_column = TILE * get_group_id(1) + column;
    float4 sum = 0;

    for (int t = 0; t < n; t += TILE) {
        a_tile[column][row] = a[(t + column) * stride + global_row];
        b_tile[column][row] = b[global_column * stride + t / LANES + row];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE / LANES; k++) {
            float4 factors = b_tile[column][k];

            sum += a_tile[LANES * k][row] * factors.x;
            sum += a_tile[LANES * k + 1][row] * factors.y;
            sum += a_tile[LANES * k + 2][row] * factors.z;
            sum += a_tile[LANES * k + 3][row] * factors.w;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[global_column * stride + global_row] = sum;
}

// What kernels 5 and 6 need first: B by rows, through local memory so that reads and writes are both of neighbours.
__kernel void transpose(__global const float *from, __global float *to, int n)
{
    __local float tile[TILE][TILE];
    int x = get_local_id(0), y = get_local_id(1), left = TILE * get_group_id(0), top = TILE * get_group_id(1);

    tile[y][x] = from[(top + y) * n + left + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    to[(left + y) * n + top + x] = tile[x][y];
}

// By all threads of a work-group; how often each copies an element is known to the compiler.
#define COPY_TILES(threads)                                                                                  \
    for (int l = 0, at = self; l < ROWS * DEPTH / (threads); l++, at += threads)                             \
        a_tile[at / ROWS][at % ROWS] = a[(t + at / ROWS) * n + top + at % ROWS];                             \
    for (int l = 0, at = self; l < COLUMNS * DEPTH / (threads); l++, at += threads)                          \
        b_tile[at % COLUMNS][at / COLUMNS] = b[(t + at / COLUMNS) * n + left + at % COLUMNS];

// 5. B comes transposed, and tiles need not be square: ROWS x DEPTH of A, DEPTH x COLUMNS of B; as 3 otherwise.
__kernel void sgemm5(MATRICES)
{
    __local float a_tile[DEPTH][ROWS], b_tile[COLUMNS][DEPTH + 2];
    int row = get_local_id(0), column = get_local_id(1), self = column * ROWS + row;
    int top = ROWS * get_group_id(0), left = COLUMNS * get_group_id(1);
    float sum[WORK] = {0};

    for (int t = 0; t < n; t += DEPTH) {
        COPY_TILES(ROWS * COLUMNS / WORK)
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < DEPTH; k++)
            for (int w = 0; w < WORK; w++)
                sum[w] += a_tile[k][row] * b_tile[column + w * (COLUMNS / WORK)][k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int w = 0; w < WORK; w++)
        c[(left + column + w * (COLUMNS / WORK)) * n + top + row] = sum[w];
}

// 6. Blocks in registers: a thread computes WORK x WORK elements, for which each step reads WORK of A and WORK of B.
__kernel void sgemm6(MATRICES)
{
    __local float a_tile[DEPTH][ROWS], b_tile[COLUMNS][DEPTH + 2];
    int row = get_local_id(0), column = get_local_id(1), self = column * (ROWS / WORK) + row;
    int top = ROWS * get_group_id(0), left = COLUMNS * get_group_id(1);
    float sum[WORK][WORK] = {{0}};

    for (int t = 0; t < n; t += DEPTH) {
        COPY_TILES(ROWS * COLUMNS / (WORK * WORK))
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < DEPTH; k++) {
            float factor[WORK];

            for (int w = 0; w < WORK; w++)
                factor[w] = b_tile[column + w * (COLUMNS / WORK)][k];
            for (int r = 0; r < WORK; r++) {
                float from_a = a_tile[k][row + r * (ROWS / WORK)];

                for (int w = 0; w < WORK; w++)
                    sum[r][w] += from_a * factor[w];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int r = 0; r < WORK; r++)
        for (int w = 0; w < WORK; w++)
            c[(left + column + w * (COLUMNS / WORK)) * n + top + row + r * (ROWS / WORK)] = sum[r][w];
}
