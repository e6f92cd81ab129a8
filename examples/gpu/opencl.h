/*
 * Code that the OpenCL examples share: a device, a context and a queue on it, and errors that end
 * the program with the driver's message.
 */
#ifndef EXAMPLES_GPU_OPENCL_H
#define EXAMPLES_GPU_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stddef.h>

struct compute {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
};

/* Opens the first GPU, or without one the first device of any kind; prints its name. */
struct compute compute_open(void);
void compute_close(struct compute *c);

/* Replaces the queue by one whose events record when a command ran. */
void compute_profile(struct compute *c);

/* Compiles a program. */
cl_program compute_program(struct compute *c, const char *source, const char *options);

/* Compiles a program of one kernel. */
cl_kernel compute_kernel(struct compute *c, const char *source, const char *name);

/* Makes a buffer of `bytes` bytes, with the content at `data` unless that is NULL. */
cl_mem compute_buffer(struct compute *c, const void *data, size_t bytes);

/* Copies a buffer's content back, after all queued commands. Returns the OpenCL status. */
cl_int compute_read(struct compute *c, cl_mem buffer, void *data, size_t bytes);

/* Ends the program with status 1 unless `status` is CL_SUCCESS. */
void compute_check(cl_int status, const char *what);

#endif
