/* The OpenCL device, programs and buffers of the examples: see opencl.h. */
#include "opencl.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_PLATFORMS = 8 };

void compute_check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: OpenCL error %d\n", what, status);
    exit(1);
}

static cl_command_queue open_queue(const struct compute *c, const cl_queue_properties *properties)
{
    cl_int status;
    cl_command_queue queue =
        clCreateCommandQueueWithProperties(c->context, c->device, properties, &status);

    compute_check(status, "clCreateCommandQueueWithProperties");
    return queue;
}

struct compute compute_open(void)
{
    cl_platform_id platforms[MAX_PLATFORMS];
    struct compute c = {0};
    char name[128] = "", version[128] = "";
    cl_uint count = 0;
    cl_int status;

    compute_check(clGetPlatformIDs(MAX_PLATFORMS, platforms, &count), "clGetPlatformIDs");
    for (cl_uint i = 0; i < count && !c.device; i++)
        clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_GPU, 1, &c.device, NULL);
    for (cl_uint i = 0; i < count && !c.device; i++)
        clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &c.device, NULL);
    if (!c.device) {
        fputs("no device that speaks OpenCL (RUSTICL_ENABLE=panfrost set? panfrost loaded?)\n",
              stderr);
        exit(1);
    }
    clGetDeviceInfo(c.device, CL_DEVICE_NAME, sizeof(name), name, NULL);
    clGetDeviceInfo(c.device, CL_DEVICE_VERSION, sizeof(version), version, NULL);
    printf("device: %s, %s\n", name, version);
    c.context = clCreateContext(NULL, 1, &c.device, NULL, NULL, &status);
    compute_check(status, "clCreateContext");
    c.queue = open_queue(&c, NULL);
    return c;
}

void compute_profile(struct compute *c)
{
    static const cl_queue_properties profiling[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE,
                                                    0};

    clReleaseCommandQueue(c->queue);
    c->queue = open_queue(c, profiling);
}

void compute_close(struct compute *c)
{
    clReleaseCommandQueue(c->queue);
    clReleaseContext(c->context);
}

cl_program compute_program(struct compute *c, const char *source, const char *options)
{
    cl_int status;
    cl_program program = clCreateProgramWithSource(c->context, 1, &source, NULL, &status);

    compute_check(status, "clCreateProgramWithSource");
    status = clBuildProgram(program, 1, &c->device, options, NULL, NULL);
    if (status != CL_SUCCESS) {
        char log[4096] = "";

        clGetProgramBuildInfo(program, c->device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    compute_check(status, "clBuildProgram");
    return program;
}

cl_kernel compute_kernel(struct compute *c, const char *source, const char *name)
{
    cl_int status;
    cl_program program = compute_program(c, source, "");
    cl_kernel kernel = clCreateKernel(program, name, &status);

    compute_check(status, "clCreateKernel");
    clReleaseProgram(program);
    return kernel;
}

cl_mem compute_buffer(struct compute *c, const void *data, size_t bytes)
{
    cl_int status;
    cl_mem buffer = clCreateBuffer(c->context, CL_MEM_READ_WRITE, bytes, NULL, &status);

    compute_check(status, "clCreateBuffer");
    if (data)
        compute_check(
            clEnqueueWriteBuffer(c->queue, buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL),
            "clEnqueueWriteBuffer");
    return buffer;
}

cl_int compute_read(struct compute *c, cl_mem buffer, void *data, size_t bytes)
{
    return clEnqueueReadBuffer(c->queue, buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL);
}
