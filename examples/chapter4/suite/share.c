/* What programs with kernels share. */
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct range line(size_t global, size_t local)
{
    return (struct range){1, {global}, {local}};
}

struct range plane(size_t width, size_t height, size_t local_width, size_t local_height)
{
    return (struct range){2, {width, height}, {local_width, local_height}};
}

static cl_kernel kernel_of(struct suite *s, const char *name)
{
    unsigned i = 0;
    cl_int status;

    while (i < MAX_KERNELS - 1 && s->kernels[i].name && strcmp(s->kernels[i].name, name))
        i++;
    if (!s->kernels[i].name) {
        s->kernels[i].name = name;
        s->kernels[i].kernel = clCreateKernel(s->program, name, &status);
        compute_check(status, name);
    }
    return s->kernels[i].kernel;
}

void suite_run(struct suite *s, const char *name, struct range range,
               const struct argument *arguments, size_t count)
{
    cl_kernel kernel = kernel_of(s, name);

    for (cl_uint i = 0; i < count; i++)
        compute_check(clSetKernelArg(kernel, i, arguments[i].bytes, arguments[i].value), name);
    compute_check(clEnqueueNDRangeKernel(s->compute.queue, kernel, range.dimensions, NULL,
                                         range.global, range.local, 0, NULL, NULL),
                  name);
    compute_check(clFinish(s->compute.queue), name);
    s->launches++;
}

void *suite_memory(size_t bytes)
{
    void *memory = calloc(1, bytes);

    if (!memory) {
        fprintf(stderr, "suite: no memory for %zu bytes\n", bytes);
        exit(1);
    }
    return memory;
}

cl_mem suite_buffer(struct suite *s, const void *data, size_t bytes)
{
    void *zeros = data ? NULL : suite_memory(bytes);
    cl_mem buffer = compute_buffer(&s->compute, (void *)(data ? data : zeros), bytes);

    free(zeros);
    return buffer;
}

void suite_read(struct suite *s, cl_mem buffer, void *to, size_t bytes)
{
    compute_check(compute_read(&s->compute, buffer, to, bytes), "clEnqueueReadBuffer");
}

void suite_write(struct suite *s, cl_mem buffer, const void *from, size_t bytes)
{
    compute_check(
        clEnqueueWriteBuffer(s->compute.queue, buffer, CL_TRUE, 0, bytes, from, 0, NULL, NULL),
        "clEnqueueWriteBuffer");
}

void *suite_take(struct suite *s, cl_mem buffer, size_t bytes)
{
    void *memory = suite_memory(bytes);

    suite_read(s, buffer, memory, bytes);
    clReleaseMemObject(buffer);
    return memory;
}

uint32_t *suite_words(struct suite *s, size_t n)
{
    uint32_t *words = suite_memory(n * sizeof(*words)), x = s->random;

    for (size_t i = 0; i < n; i++) {
        x = x * 1664525u + 1013904223u;
        words[i] = x ^ x >> 16;
    }
    s->random = x;
    return words;
}

float *suite_floats(struct suite *s, size_t n)
{
    uint32_t *words = suite_words(s, n);
    float *floats = suite_memory(n * sizeof(*floats));

    for (size_t i = 0; i < n; i++)
        floats[i] = (float)(words[i] >> 8) * 0x1p-24f;
    free(words);
    return floats;
}

size_t wrong_floats(const float *got, const float *wanted, size_t n, float tolerance)
{
    size_t wrong = 0;

    for (size_t i = 0; i < n; i++)
        wrong += !(fabsf(got[i] - wanted[i]) <= tolerance * fmaxf(fabsf(wanted[i]), 1));
    return wrong;
}

size_t wrong_words(const uint32_t *got, const uint32_t *wanted, size_t n)
{
    size_t wrong = 0;

    for (size_t i = 0; i < n; i++)
        wrong += got[i] != wanted[i];
    return wrong;
}

void suite_load(struct suite *s, const char *folder, const char *file)
{
    static char source[65536];
    char path[4096];
    size_t length;
    FILE *in;

    snprintf(path, sizeof(path), "%s/%s", folder, file);
    in = fopen(path, "r");
    length = in ? fread(source, 1, sizeof(source) - 1, in) : 0;
    if (!length) {
        fprintf(stderr, "suite: %s cannot be read\n", path);
        exit(1);
    }
    fclose(in);
    source[length] = 0;
    s->program = compute_program(&s->compute, source, "");
}

void suite_unload(struct suite *s)
{
    for (unsigned i = 0; i < MAX_KERNELS && s->kernels[i].name; i++)
        clReleaseKernel(s->kernels[i].kernel);
    clReleaseProgram(s->program);
}
