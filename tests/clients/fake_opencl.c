/* A libOpenCL.so.1 in place of the guest's, which records the calls that it receives. */
#include "fake_opencl.h"

#include <stdio.h>

struct fake_seen fake_seen;

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device,
                                      cl_command_queue_properties properties, cl_int *error)
{
    (void)context, (void)device, (void)error;
    fake_seen.queue = properties;
    return NULL;
}

cl_command_queue clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                    const cl_queue_properties *properties,
                                                    cl_int *error)
{
    (void)context, (void)device, (void)error;
    fake_seen.count = 0;
    while (properties && properties[fake_seen.count] && fake_seen.count < FAKE_PROPERTIES - 2) {
        fake_seen.properties[fake_seen.count] = properties[fake_seen.count];
        fake_seen.properties[fake_seen.count + 1] = properties[fake_seen.count + 1];
        fake_seen.count += 2;
    }
    return NULL;
}

cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info what, size_t bytes, void *value,
                               size_t *needed)
{
    (void)event, (void)what, (void)bytes, (void)value, (void)needed;
    return fake_seen.profiling;
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t bytes, void *value,
                       size_t *needed)
{
    (void)device, (void)what, (void)needed;
    if (value && bytes >= sizeof(cl_bool))
        *(cl_bool *)value = CL_FALSE;
    return CL_SUCCESS;
}

cl_int clGetKernelInfo(cl_kernel kernel, cl_kernel_info what, size_t bytes, void *value,
                       size_t *needed)
{
    (void)kernel, (void)needed;
    if (what == CL_KERNEL_FUNCTION_NAME)
        snprintf(value, bytes, "some_kernel");
    return CL_SUCCESS;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t *offset, const size_t *global, const size_t *local,
                              cl_uint count, const cl_event *list, cl_event *event)
{
    (void)queue, (void)kernel, (void)dimensions, (void)offset, (void)global, (void)count;
    (void)list, (void)event;
    fake_seen.local = local;
    return CL_SUCCESS;
}

cl_int clFinish(cl_command_queue queue)
{
    (void)queue;
    return FAKE_FINISH;
}
