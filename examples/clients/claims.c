/*
 * A libOpenCL.so in front of the guest's own, for programs that use features which panfrost or
 * Rusticl lack:
 *
 * - Queues that measure time (CL_QUEUE_PROFILING_ENABLE). Linux's panfrost 1.2 has no clock for it,
 *   and Mesa refuses such queues with CL_INVALID_QUEUE_PROPERTIES (-35). Here they are made without
 *   the property, and all times are 0.
 * - Work-groups that do not divide the global size. Their support is reported, since Arm's
 *   libraries do not start otherwise; a kernel launched so has work-groups of the
 *   implementation's choice.
 *
 * With CLAIMS_LAUNCHES in the environment each launch is a line of the standard error: `launch
 * KERNEL GLOBAL LOCAL`, sizes as the program asks for them.
 *
 * A program that is linked with libOpenCL.so.1 takes it by LD_PRELOAD, one that opens libOpenCL.so
 * by LD_LIBRARY_PATH. All other calls go to libOpenCL.so.1, which it needs.
 */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PROPERTIES = 32, MAX_DIMENSIONS = 3 };

/* Looks up a function of the guest's own library. */
static void *own_function(const char *name)
{
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW);
    void *function = library ? dlsym(library, name) : NULL;

    if (!function) {
        fprintf(stderr, "claims: libOpenCL.so.1 has no %s: %s\n", name, dlerror());
        exit(2);
    }
    return function;
}

#define OWN(name)                       \
    ({                                  \
        static __typeof__(&name) own_;  \
                                        \
        if (!own_)                      \
            own_ = own_function(#name); \
        own_;                           \
    })

/* ---- queues ---------------------------------------------------------------------------------- */

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device,
                                      cl_command_queue_properties properties, cl_int *error)
{
    return OWN(clCreateCommandQueue)(
        context, device, properties & ~(cl_command_queue_properties)CL_QUEUE_PROFILING_ENABLE,
        error);
}

cl_command_queue clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                    const cl_queue_properties *properties,
                                                    cl_int *error)
{
    cl_queue_properties changed[2 * MAX_PROPERTIES + 1] = {0};

    for (int i = 0; properties && properties[2 * i] && i < MAX_PROPERTIES; i++) {
        changed[2 * i] = properties[2 * i];
        changed[2 * i + 1] = properties[2 * i + 1];
        if (properties[2 * i] == CL_QUEUE_PROPERTIES)
            changed[2 * i + 1] &= ~(cl_queue_properties)CL_QUEUE_PROFILING_ENABLE;
    }
    return OWN(clCreateCommandQueueWithProperties)(context, device, properties ? changed : NULL,
                                                   error);
}

cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info what, size_t bytes, void *value,
                               size_t *needed)
{
    static const cl_ulong never;
    cl_int error = OWN(clGetEventProfilingInfo)(event, what, bytes, value, needed);

    if (error != CL_PROFILING_INFO_NOT_AVAILABLE)
        return error;
    if (needed)
        *needed = sizeof(never);
    if (value && bytes >= sizeof(never))
        memcpy(value, &never, sizeof(never));
    return value && bytes < sizeof(never) ? CL_INVALID_VALUE : CL_SUCCESS;
}

/* ---- work-groups ----------------------------------------------------------------------------- */

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t bytes, void *value,
                       size_t *needed)
{
    static const cl_bool yes = CL_TRUE;
    cl_int error = OWN(clGetDeviceInfo)(device, what, bytes, value, needed);

    if (what == CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT && !error && value)
        memcpy(value, &yes, sizeof(yes));
    return error;
}

static void print_size(const size_t *size, cl_uint dimensions)
{
    for (cl_uint i = 0; size && i < dimensions; i++)
        fprintf(stderr, "%c%zu", i ? 'x' : ' ', size[i]);
    if (!size)
        fputs(" any", stderr);
}

static void print_launch(cl_kernel kernel, cl_uint dimensions, const size_t *global,
                         const size_t *local)
{
    char name[256] = "?";

    OWN(clGetKernelInfo)(kernel, CL_KERNEL_FUNCTION_NAME, sizeof(name), name, NULL);
    fprintf(stderr, "launch %s", name);
    print_size(global, dimensions);
    print_size(local, dimensions);
    fputc('\n', stderr);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t *offset, const size_t *global, const size_t *local,
                              cl_uint count, const cl_event *list, cl_event *event)
{
    if (getenv("CLAIMS_LAUNCHES"))
        print_launch(kernel, dimensions, global, local);
    for (cl_uint i = 0; global && local && i < dimensions && i < MAX_DIMENSIONS; i++)
        if (local[i] && global[i] % local[i])
            local = NULL;
    return OWN(clEnqueueNDRangeKernel)(queue, kernel, dimensions, offset, global, local, count,
                                       list, event);
}
