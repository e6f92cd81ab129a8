// Neighbours in pictures and volumes.

__kernel void sobel(__global const uchar *in, __global uchar *out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1), at = y * width + x;
    int gx, gy;

    if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
        out[at] = 0;
        return;
    }
    gx = in[at - width + 1] + 2 * in[at + 1] + in[at + width + 1] - in[at - width - 1] -
         2 * in[at - 1] - in[at + width - 1];
    gy = in[at + width - 1] + 2 * in[at + width] + in[at + width + 1] - in[at - width - 1] -
         2 * in[at - width] - in[at - width + 1];
    out[at] = min((int)(abs(gx) + abs(gy)), 255);
}

__kernel void stencil3d(__global const float *in, __global float *out, int nx, int ny, int nz,
                        float c0, float c1)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int at = (z * ny + y) * nx + x;
    float sum;

    if (x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1) {
        out[at] = in[at];
        return;
    }
    sum = in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx] + in[at - nx * ny] + in[at + nx * ny];
    out[at] = fma(c1, sum, c0 * in[at]);
}

#define TILE 16

__kernel void transpose(__global const uint *in, __global uint *out, int width, int height)
{
    __local uint tile[TILE][TILE + 1];
    int lx = get_local_id(0), ly = get_local_id(1);
    int x = get_group_id(0) * TILE, y = get_group_id(1) * TILE;

    tile[ly][lx] = in[(y + ly) * width + x + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(x + ly) * height + y + lx] = tile[lx][ly];
}
