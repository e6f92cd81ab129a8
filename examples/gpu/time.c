/*
 * Measures how long kernels take by the clock of the machine: time [ROUNDS [profile]]
 *
 * An empty kernel shows the cost of the driver; a kernel of the same size with a loop shows the
 * additional time of the GPU. Prints the best of three runs of each, in nanoseconds. With `profile`
 * it also prints the GPU's time by OpenCL's events, and the number of events whose times are out of
 * order.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "opencl.h"

/* The shortest time of a kernel: for the program, and between its event's start and end. */
struct times {
    unsigned long long program, event;
    unsigned unordered;
};

enum { THREADS = 4096, TRIES = 3 };

/* For a kernel that does nothing at all Mesa makes no code, and the GPU faults. */
static const char empty[] = "kernel void empty(global uint *out, uint rounds)\n"
                            "{\n"
                            "    if (!rounds)\n"
                            "        out[0] = 1;\n"
                            "}\n";

/* Each round depends on the one before. */
static const char loop[] = "kernel void loop(global uint *out, uint rounds)\n"
                           "{\n"
                           "    uint v = get_global_id(0);\n"
                           "    for (uint i = 0; i < rounds; i++)\n"
                           "        v = v * 1664525 + 1013904223;\n"
                           "    out[get_global_id(0)] = v;\n"
                           "}\n";

static uint64_t monotonic_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static cl_ulong event_time(cl_event event, cl_profiling_info which)
{
    cl_ulong ns;

    compute_check(clGetEventProfilingInfo(event, which, sizeof(ns), &ns, NULL),
                  "clGetEventProfilingInfo");
    return ns;
}

/* Adds the times of a finished command's event, and releases the event. */
static void take_event(struct times *t, cl_event event)
{
    cl_ulong queued = event_time(event, CL_PROFILING_COMMAND_QUEUED);
    cl_ulong submitted = event_time(event, CL_PROFILING_COMMAND_SUBMIT);
    cl_ulong start = event_time(event, CL_PROFILING_COMMAND_START);
    cl_ulong end = event_time(event, CL_PROFILING_COMMAND_END);

    t->unordered += queued > submitted || submitted > start || start > end;
    t->event = end - start < t->event ? end - start : t->event;
    compute_check(clReleaseEvent(event), "clReleaseEvent");
}

static struct times measure_best(struct compute *c, cl_kernel kernel, cl_mem out, cl_uint rounds,
                                 int profile)
{
    size_t threads = THREADS;
    struct times t = {UINT64_MAX, UINT64_MAX, 0};

    compute_check(clSetKernelArg(kernel, 0, sizeof(out), &out), "clSetKernelArg");
    compute_check(clSetKernelArg(kernel, 1, sizeof(rounds), &rounds), "clSetKernelArg");
    for (unsigned i = 0; i < TRIES; i++) {
        cl_event event = NULL;
        uint64_t begin = monotonic_ns(), took;

        compute_check(clEnqueueNDRangeKernel(c->queue, kernel, 1, NULL, &threads, NULL, 0, NULL,
                                             profile ? &event : NULL),
                      "clEnqueueNDRangeKernel");
        compute_check(clFinish(c->queue), "clFinish");
        took = monotonic_ns() - begin;
        t.program = took < t.program ? took : t.program;
        if (event)
            take_event(&t, event);
    }
    return t;
}

static unsigned count_wrong(struct compute *c, cl_mem out, cl_uint rounds)
{
    static uint32_t got[THREADS];
    unsigned wrong = 0;

    compute_check(compute_read(c, out, got, sizeof(got)), "clEnqueueReadBuffer");
    for (uint32_t i = 0; i < THREADS; i++) {
        uint32_t v = i;

        for (cl_uint k = 0; k < rounds; k++)
            v = v * 1664525 + 1013904223;
        wrong += v != got[i];
    }
    return wrong;
}

int main(int argc, char **argv)
{
    cl_uint rounds = argc > 1 ? (cl_uint)strtoul(argv[1], NULL, 0) : 20000;
    int profile = argc > 2 && !strcmp(argv[2], "profile");
    struct compute c = compute_open();
    cl_kernel kernels[] = {compute_kernel(&c, empty, "empty"), compute_kernel(&c, loop, "loop")};
    cl_mem out = compute_buffer(&c, NULL, THREADS * sizeof(uint32_t));
    struct times driver, took;
    unsigned wrong;

    if (profile)
        compute_profile(&c);
    driver = measure_best(&c, kernels[0], out, rounds, profile);
    took = measure_best(&c, kernels[1], out, rounds, profile);
    wrong = count_wrong(&c, out, rounds);
    printf("time: empty %llu ns, loop %llu ns, %u wrong\n", driver.program, took.program, wrong);
    if (profile)
        printf("time: events: empty %llu ns, loop %llu ns, %u out of order\n", driver.event,
               took.event, driver.unordered + took.unordered);
    compute_close(&c);
    return wrong != 0;
}
