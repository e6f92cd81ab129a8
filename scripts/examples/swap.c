/*
 * For scripts/examples/guilty: swaps two arrays by CLBlast on the GPU, says what is wrong and where
 * the first array is, and stays until a debugger has seen enough.
 */
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 61 };

typedef int swap_fn(size_t n, cl_mem x, size_t x_offset, size_t x_inc, cl_mem y, size_t y_offset,
                    size_t y_inc, cl_command_queue *queue, cl_event *event);

static void *library;

static void *find(const char *name)
{
    void *fn = dlsym(library, name);

    if (!fn) {
        printf("guilty: %s is missing\n", name);
        exit(1);
    }
    return fn;
}

#define CALL(name) ((__typeof__(&name))find(#name))

static cl_mem make(cl_context context, float first)
{
    float values[COUNT];

    for (int i = 0; i < COUNT; i++)
        values[i] = first + (float)i;
    return CALL(clCreateBuffer)(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof(values),
                                values, NULL);
}

/* Where the program has the GPU's memory that holds first, first + 1, …: Mesa gives maps of buffers
 * that are copies. */
static float *find_buffer(float first)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    unsigned long from, to;
    float *found = NULL;
    char line[512];

    while (maps && !found && fgets(line, sizeof(line), maps)) {
        if (!strstr(line, "/dev/dri/") || sscanf(line, "%lx-%lx", &from, &to) != 2)
            continue;
        for (float *at = (float *)from; !found && at + COUNT <= (float *)to; at++)
            found = at[0] == first && at[1] == first + 1 && at[COUNT - 1] == first + COUNT - 1
                        ? at
                        : NULL;
    }
    if (maps)
        fclose(maps);
    return found;
}

static void compare(const char *name, const float *values, float first)
{
    int wrong = 0;

    for (int i = 0; i < COUNT; i++)
        wrong += values[i] != first + (float)i;
    printf("guilty: %s: %d of %d elements are wrong; %s[5] is %g, not %g\n", name, wrong, COUNT,
           name, (double)values[5], (double)first + 5);
}

int main(void)
{
    void *blas = dlopen("libclblast.so.1", RTLD_NOW | RTLD_GLOBAL);
    swap_fn *swap = blas ? (swap_fn *)dlsym(blas, "CLBlastSswap") : NULL;
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_mem x, y;
    float *x_at, *y_at;
    int status;

    library = dlopen("libOpenCL.so.1", RTLD_NOW);
    if (!library || !swap) {
        printf("guilty: %s\n", dlerror());
        return 1;
    }
    if (CALL(clGetPlatformIDs)(1, &platform, NULL) ||
        CALL(clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) {
        printf("guilty: no device\n");
        return 1;
    }
    context = CALL(clCreateContext)(NULL, 1, &device, NULL, NULL, NULL);
    queue = CALL(clCreateCommandQueue)(context, device, 0, NULL);
    x = make(context, 100);
    y = make(context, 200);
    x_at = find_buffer(100);
    y_at = find_buffer(200);
    if (!x_at || !y_at) {
        printf("guilty: the buffers are not mapped\n");
        return 1;
    }
    status = swap(COUNT, x, 0, 1, y, 0, 1, &queue, NULL);
    CALL(clFinish)(queue);
    printf("guilty: CLBlastSswap: status %d\n", status);
    compare("x", x_at, 200);
    compare("y", y_at, 100);
    printf("guilty: x[5] is at %p\n", (void *)&x_at[5]);
    fflush(stdout);
    for (;;)
        *(volatile float *)x_at;
}
