/* Loads examples/clients/claims.c in front of another libOpenCL.so.1, as programs load it. */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_opencl.h"

static void *library;

#define CALL(name) ((__typeof__(&name))dlsym(library, #name))

static struct fake_seen *seen_calls(void)
{
    return dlsym(library, "fake_seen");
}

static int open_library(void **state)
{
    (void)state;
    library = dlopen(getenv("CLAIMS"), RTLD_NOW);
    return library ? 0 : -1;
}

static void test_queues_do_not_measure(void **state)
{
    cl_queue_properties list[] = {
        CL_QUEUE_SIZE, 7, CL_QUEUE_PROPERTIES,
        CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};

    (void)state;
    CALL(clCreateCommandQueue)
    (NULL, NULL, CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, NULL);
    assert_int_equal(seen_calls()->queue, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    CALL(clCreateCommandQueueWithProperties)(NULL, NULL, list, NULL);
    assert_int_equal(seen_calls()->count, 4);
    assert_int_equal(seen_calls()->properties[1], 7);
    assert_int_equal(seen_calls()->properties[3], CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    CALL(clCreateCommandQueueWithProperties)(NULL, NULL, NULL, NULL);
    assert_int_equal(seen_calls()->count, 0);
}

static void test_times_are_zero(void **state)
{
    cl_ulong time = 5;
    size_t needed = 0;

    (void)state;
    seen_calls()->profiling = CL_PROFILING_INFO_NOT_AVAILABLE;
    assert_int_equal(
        CALL(clGetEventProfilingInfo)(NULL, CL_PROFILING_COMMAND_END, sizeof(time), &time, &needed),
        CL_SUCCESS);
    assert_int_equal(time, 0);
    assert_int_equal(needed, sizeof(time));
    assert_int_equal(CALL(clGetEventProfilingInfo)(NULL, CL_PROFILING_COMMAND_END, 1, &time, NULL),
                     CL_INVALID_VALUE);
    seen_calls()->profiling = CL_INVALID_EVENT;
    assert_int_equal(
        CALL(clGetEventProfilingInfo)(NULL, CL_PROFILING_COMMAND_END, sizeof(time), &time, NULL),
        CL_INVALID_EVENT);
}

static void test_groups(void **state)
{
    size_t global[2] = {64, 30}, even[2] = {8, 10}, uneven[2] = {8, 8};
    cl_bool claimed = CL_FALSE, other = CL_TRUE;

    (void)state;
    CALL(clGetDeviceInfo)
    (NULL, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, sizeof(claimed), &claimed, NULL);
    CALL(clGetDeviceInfo)(NULL, CL_DEVICE_IMAGE_SUPPORT, sizeof(other), &other, NULL);
    assert_int_equal(claimed, CL_TRUE);
    assert_int_equal(other, CL_FALSE);
    CALL(clEnqueueNDRangeKernel)(NULL, NULL, 2, NULL, global, even, 0, NULL, NULL);
    assert_ptr_equal(seen_calls()->local, even);
    CALL(clEnqueueNDRangeKernel)(NULL, NULL, 2, NULL, global, uneven, 0, NULL, NULL);
    assert_null(seen_calls()->local);
    CALL(clEnqueueNDRangeKernel)(NULL, NULL, 1, NULL, global, uneven, 0, NULL, NULL);
    assert_ptr_equal(seen_calls()->local, uneven);
}

static void test_launches_are_printed(void **state)
{
    size_t global[3] = {64, 30, 2}, local[3] = {8, 8, 1};
    char said[256] = "";
    int kept = dup(2);
    FILE *file = tmpfile();

    (void)state;
    assert_non_null(file);
    dup2(fileno(file), 2);
    CALL(clEnqueueNDRangeKernel)(NULL, NULL, 1, NULL, global, local, 0, NULL, NULL);
    setenv("CLAIMS_LAUNCHES", "1", 1);
    CALL(clEnqueueNDRangeKernel)(NULL, NULL, 3, NULL, global, local, 0, NULL, NULL);
    CALL(clEnqueueNDRangeKernel)(NULL, NULL, 1, NULL, global, NULL, 0, NULL, NULL);
    unsetenv("CLAIMS_LAUNCHES");
    dup2(kept, 2);
    close(kept);
    rewind(file);
    said[fread(said, 1, sizeof(said) - 1, file)] = 0;
    fclose(file);
    assert_string_equal(said, "launch some_kernel 64x30x2 8x8x1\nlaunch some_kernel 64 any\n");
}

/* Functions that the library lacks are found as well: dlsym() searches its dependencies, too. */
static void test_other_calls(void **state)
{
    (void)state;
    assert_int_equal(CALL(clFinish)(NULL), FAKE_FINISH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queues_do_not_measure),
        cmocka_unit_test(test_times_are_zero),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_launches_are_printed),
        cmocka_unit_test(test_other_calls),
    };

    return cmocka_run_group_tests(tests, open_library, NULL);
}
