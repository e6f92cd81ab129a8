/*
 * How long kernels take by the clock of the machine: time [ROUNDS]
 *
 * An empty kernel tells what the driver needs for one; a kernel of the same size that computes in a loop tells what
 * the GPU does, beyond that. Prints the best of three of each, in nanoseconds.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "opencl.h"

enum { THREADS = 4096, TRIES = 3 };

/* Of a kernel that does nothing at all Mesa makes no code, and the GPU faults. */
static const char empty[] = "kernel void empty(global uint *out, uint rounds)\n"
                            "{\n"
                            "    if (!rounds)\n"
                            "        out[0] = 1;\n"
                            "}\n";

/* Each round needs the one before. */
static const char loop[] = "kernel void loop(global uint *out, uint rounds)\n"
                           "{\n"
                           "    uint v = get_global_id(0);\n"
                           "    for (uint i = 0; i < rounds; i++)\n"
                           "        v = v * 1664525 + 1013904223;\n"
                           "    out[get_global_id(0)] = v;\n"
                           "}\n";

static uint64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t best(struct compute *c, cl_kernel kernel, cl_mem out, cl_uint rounds)
{
    size_t threads = THREADS;
    uint64_t least = UINT64_MAX;

    compute_check(clSetKernelArg(kernel, 0, sizeof(out), &out), "clSetKernelArg");
    compute_check(clSetKernelArg(kernel, 1, sizeof(rounds), &rounds), "clSetKernelArg");
    for (unsigned i = 0; i < TRIES; i++) {
        uint64_t begin = now(), took;

        compute_check(
            clEnqueueNDRangeKernel(c->queue, kernel, 1, NULL, &threads, NULL, 0, NULL, NULL),
            "clEnqueueNDRangeKernel");
        compute_check(clFinish(c->queue), "clFinish");
        took = now() - begin;
        least = took < least ? took : least;
    }
    return least;
}

int main(int argc, char **argv)
{
    cl_uint rounds = argc > 1 ? (cl_uint)strtoul(argv[1], NULL, 0) : 20000;
    static uint32_t got[THREADS];
    struct compute c = compute_open();
    cl_kernel kernels[] = {compute_kernel(&c, empty, "empty"), compute_kernel(&c, loop, "loop")};
    cl_mem out = compute_buffer(&c, NULL, sizeof(got));
    unsigned long long driver = best(&c, kernels[0], out, rounds);
    unsigned long long took = best(&c, kernels[1], out, rounds);
    unsigned wrong = 0;

    compute_check(compute_read(&c, out, got, sizeof(got)), "clEnqueueReadBuffer");
    for (uint32_t i = 0; i < THREADS; i++) {
        uint32_t v = i;

        for (cl_uint k = 0; k < rounds; k++)
            v = v * 1664525 + 1013904223;
        wrong += v != got[i];
    }
    printf("time: empty %llu ns, loop %llu ns, %u wrong\n", driver, took, wrong);
    compute_close(&c);
    return wrong != 0;
}
