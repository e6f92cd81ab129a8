/* What fake_opencl.c records of the calls that it receives. */
#ifndef TESTS_CLIENTS_FAKE_OPENCL_H
#define TESTS_CLIENTS_FAKE_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

enum { FAKE_PROPERTIES = 16, FAKE_FINISH = -9 };

extern struct fake_seen {
    cl_command_queue_properties queue;
    cl_queue_properties properties[FAKE_PROPERTIES];
    int count;
    const size_t *local;
    cl_int profiling; /* what clGetEventProfilingInfo returns */
} fake_seen;

#endif
