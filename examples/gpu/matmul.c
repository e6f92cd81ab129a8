/* Multiplies matrices on the GPU, tile by tile through local memory: matmul [N], N a multiple of
 * 8 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "opencl.h"

enum { TILE = 8 };

static const char source[] =
    "kernel void matmul(int n, global const float *a, global const float *b, global float *c)\n"
    "{\n"
    "    local float ta[8][8], tb[8][8];\n"
    "    int x = get_global_id(0), y = get_global_id(1);\n"
    "    int lx = get_local_id(0), ly = get_local_id(1);\n"
    "    float sum = 0;\n"
    "    for (int k = 0; k < n; k += 8) {\n"
    "        ta[ly][lx] = a[y * n + k + lx];\n"
    "        tb[ly][lx] = b[(k + ly) * n + x];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        for (int i = 0; i < 8; i++)\n"
    "            sum += ta[ly][i] * tb[i][lx];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    c[y * n + x] = sum;\n"
    "}\n";

/* Multiplies on the CPU; returns the largest difference relative to the result. */
static float largest_error(const float *a, const float *b, const float *c, size_t n)
{
    float largest = 0;

    for (size_t y = 0; y < n; y++) {
        for (size_t x = 0; x < n; x++) {
            float sum = 0, error;

            for (size_t k = 0; k < n; k++)
                sum += a[y * n + k] * b[k * n + x];
            error = fabsf(c[y * n + x] - sum) / fmaxf(fabsf(sum), 1.0f);
            largest = error > largest ? error : largest;
        }
    }
    return largest;
}

int main(int argc, char **argv)
{
    size_t n = argc > 1 ? strtoul(argv[1], NULL, 0) : 64, bytes = n * n * sizeof(float);
    size_t global[2] = {n, n}, local[2] = {TILE, TILE};
    float *a = malloc(bytes), *b = malloc(bytes), *c = calloc(1, bytes), error;
    struct compute gpu = compute_open();
    cl_kernel kernel = compute_kernel(&gpu, source, "matmul");
    cl_int width = (cl_int)n;
    cl_mem buffers[3];

    for (size_t i = 0; i < n * n; i++) {
        a[i] = (float)(i % 17) * 0.25f - 2.0f;
        b[i] = (float)(i % 13) * 0.5f - 3.0f;
    }
    buffers[0] = compute_buffer(&gpu, a, bytes);
    buffers[1] = compute_buffer(&gpu, b, bytes);
    buffers[2] = compute_buffer(&gpu, NULL, bytes);
    compute_check(clSetKernelArg(kernel, 0, sizeof(width), &width), "clSetKernelArg");
    for (cl_uint i = 0; i < 3; i++)
        compute_check(clSetKernelArg(kernel, i + 1, sizeof(buffers[i]), &buffers[i]),
                      "clSetKernelArg");
    compute_check(clEnqueueNDRangeKernel(gpu.queue, kernel, 2, NULL, global, local, 0, NULL, NULL),
                  "clEnqueueNDRangeKernel");
    compute_check(compute_read(&gpu, buffers[2], c, bytes), "clEnqueueReadBuffer");
    error = largest_error(a, b, c, n);
    printf("matmul: %zu x %zu, c[0]=%g c[last]=%g, largest relative error %.2g: %s\n", n, n,
           (double)c[0], (double)c[n * n - 1], (double)error, error < 1e-5f ? "ok" : "FAILED");
    compute_close(&gpu);
    free(a);
    free(b);
    free(c);
    return !(error < 1e-5f);
}
