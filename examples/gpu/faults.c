/*
 * Provokes faults of a GPU: faults wild | endless. A kernel writes through a wild pointer, or never
 * ends; then vector addition shows that the next kernel works.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl.h"

static const char wild[] = "kernel void bad(global uint *p, ulong far)\n"
                           "{\n"
                           "    *(global uint *)((ulong)p + far) = 1;\n"
                           "}\n";

static const char endless[] = "kernel void bad(global uint *p, ulong far)\n"
                              "{\n"
                              "    volatile global uint *q = p;\n"
                              "    while (*q != 12345)\n"
                              "        ;\n"
                              "    *p = (uint)far;\n"
                              "}\n";

static const char good[] = "kernel void good(global uint *p, ulong far)\n"
                           "{\n"
                           "    p[get_global_id(0)] = get_global_id(0) * 3 + (uint)far;\n"
                           "}\n";

/* Runs a kernel on 64 work-items and reads `out` back. */
static cl_int run_kernel(struct compute *c, const char *source, const char *name, cl_ulong far,
                         cl_uint out[64])
{
    cl_kernel kernel = compute_kernel(c, source, name);
    cl_mem buffer = compute_buffer(c, out, 64 * sizeof(*out));
    size_t count = 64;
    cl_int status;

    compute_check(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer), "clSetKernelArg");
    compute_check(clSetKernelArg(kernel, 1, sizeof(far), &far), "clSetKernelArg");
    status = clEnqueueNDRangeKernel(c->queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL);
    if (status == CL_SUCCESS)
        status = clFinish(c->queue);
    if (status == CL_SUCCESS)
        status = compute_read(c, buffer, out, 64 * sizeof(*out));
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    return status;
}

/* No memory is mapped at this distance from a buffer. It fits into 32 bits, since Mesa's compiler
 * for Midgard drops the upper bits. */
enum { FAR = 0x60000000 };

int main(int argc, char **argv)
{
    cl_uint out[64] = {0};
    struct compute c;
    cl_int status;
    int wrong = 0;

    if (argc != 2 || (strcmp(argv[1], "wild") && strcmp(argv[1], "endless"))) {
        fputs("usage: faults wild|endless\n", stderr);
        return 2;
    }
    c = compute_open();
    status = run_kernel(&c, strcmp(argv[1], "wild") ? endless : wild, "bad", FAR, out);
    printf("bad kernel: OpenCL status %d\n", status);
    compute_close(&c);

    c = compute_open();
    status = run_kernel(&c, good, "good", 7, out);
    for (cl_uint i = 0; i < 64; i++)
        wrong += out[i] != i * 3 + 7;
    printf("next kernel: OpenCL status %d, %d wrong: %s\n", status, wrong,
           status || wrong ? "FAILED" : "ok");
    compute_close(&c);
    return status || wrong;
}
