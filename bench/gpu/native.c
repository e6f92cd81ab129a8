/*
 * The matrix multiplication of the sgemm snapshot on the host's OpenCL, timed: native N KERNEL.cl
 * prints the seconds of one run and the device's name. One thread: set POCL_MAX_PTHREAD_COUNT=1.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LOCAL = 8, MAX_SOURCE = 65536 };

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static cl_kernel build(cl_context context, cl_device_id device, const char *path)
{
    static char source[MAX_SOURCE];
    const char *text = source;
    FILE *f = fopen(path, "r");
    cl_program program;

    if (!f)
        return NULL;
    source[fread(source, 1, sizeof(source) - 1, f)] = 0;
    fclose(f);
    program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL))
        return NULL;
    return clCreateKernel(program, "sgemm", NULL);
}

/* Runs the kernel twice, the first time to warm up; seconds of the second, or 0. */
static double measure(cl_context context, cl_device_id device, cl_kernel kernel, cl_int n)
{
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    size_t bytes = (size_t)n * (size_t)n * sizeof(float);
    float *data = calloc(1, bytes), alpha = 0.5f;
    size_t global[2] = {(size_t)n, (size_t)n}, local[2] = {LOCAL, LOCAL};
    double start = 0;
    cl_mem m[3];

    if (!data)
        return 0;
    for (size_t i = 0; i < bytes / sizeof(float); i++)
        data[i] = (float)(i % 16) / 8 - 1;
    clSetKernelArg(kernel, 0, sizeof(n), &n);
    for (cl_uint i = 0; i < 3; i++) {
        m[i] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, bytes, data, NULL);
        clSetKernelArg(kernel, 1 + i, sizeof(m[i]), &m[i]);
    }
    free(data);
    clSetKernelArg(kernel, 4, sizeof(alpha), &alpha);
    for (unsigned i = 0; i < 2; i++) {
        start = seconds();
        if (clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL) ||
            clFinish(queue))
            return 0;
    }
    return seconds() - start;
}

int main(int argc, char **argv)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_kernel kernel;
    char name[256] = "";
    double took;

    if (argc != 3 || clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return 2;
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof(name) - 1, name, NULL);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    kernel = build(context, device, argv[2]);
    took = kernel ? measure(context, device, kernel, atoi(argv[1])) : 0;
    printf("%.6f %s\n", took, name);
    return took > 0 ? 0 : 1;
}
