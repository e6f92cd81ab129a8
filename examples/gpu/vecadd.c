/* Adds two vectors of integers on the GPU: vecadd [COUNT] */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "opencl.h"

static const char source[] = "kernel void vecadd(global const uint *a, global const uint *b,\n"
                             "                   global uint *sum)\n"
                             "{\n"
                             "    size_t i = get_global_id(0);\n"
                             "    sum[i] = a[i] + b[i];\n"
                             "}\n";

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? strtoul(argv[1], NULL, 0) : 4096, bytes = count * sizeof(uint32_t);
    uint32_t *a = calloc(count, 4), *b = calloc(count, 4), *sum = calloc(count, 4);
    struct compute c = compute_open();
    cl_kernel kernel = compute_kernel(&c, source, "vecadd");
    size_t wrong = 0;
    cl_mem buffers[3];

    for (size_t i = 0; i < count; i++) {
        a[i] = (uint32_t)(i * 2654435761u);
        b[i] = (uint32_t)(i * i);
    }
    buffers[0] = compute_buffer(&c, a, bytes);
    buffers[1] = compute_buffer(&c, b, bytes);
    buffers[2] = compute_buffer(&c, NULL, bytes);
    for (cl_uint i = 0; i < 3; i++)
        compute_check(clSetKernelArg(kernel, i, sizeof(buffers[i]), &buffers[i]), "clSetKernelArg");
    compute_check(clEnqueueNDRangeKernel(c.queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL),
                  "clEnqueueNDRangeKernel");
    compute_check(compute_read(&c, buffers[2], sum, bytes), "clEnqueueReadBuffer");
    for (size_t i = 0; i < count; i++)
        wrong += sum[i] != a[i] + b[i];
    printf("vecadd: %zu elements, %zu wrong, last %u: %s\n", count, wrong, sum[count - 1],
           wrong ? "FAILED" : "ok");
    compute_close(&c);
    free(a);
    free(b);
    free(sum);
    return wrong != 0;
}
