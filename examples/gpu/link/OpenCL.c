/* Names to link against in place of the guest's libOpenCL.so.1. */
#define SYMBOL(name) \
    void name(void); \
    void name(void)  \
    {                \
    }
SYMBOL(clBuildProgram)
SYMBOL(clCreateBuffer)
SYMBOL(clCreateCommandQueueWithProperties)
SYMBOL(clCreateContext)
SYMBOL(clCreateImage)
SYMBOL(clCreateKernel)
SYMBOL(clCreateProgramWithSource)
SYMBOL(clCreateSamplerWithProperties)
SYMBOL(clEnqueueNDRangeKernel)
SYMBOL(clEnqueueReadBuffer)
SYMBOL(clEnqueueReadImage)
SYMBOL(clEnqueueWriteBuffer)
SYMBOL(clFinish)
SYMBOL(clGetDeviceIDs)
SYMBOL(clGetDeviceInfo)
SYMBOL(clGetEventProfilingInfo)
SYMBOL(clGetPlatformIDs)
SYMBOL(clGetProgramBuildInfo)
SYMBOL(clReleaseContext)
SYMBOL(clReleaseEvent)
SYMBOL(clReleaseKernel)
SYMBOL(clReleaseMemObject)
SYMBOL(clReleaseProgram)
SYMBOL(clReleaseSampler)
SYMBOL(clReleaseCommandQueue)
SYMBOL(clSetKernelArg)
