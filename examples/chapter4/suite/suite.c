/*
 * Programs of table 4.2 of seed 002: suite FOLDER SIZE [NAME...]
 *
 * SIZE is `small`, `thesis`, or a number, of which each program's own size says what it is. FOLDER has the kernels. Prints a line for
 * each: how many launches, how many values are wrong. The status is 1 if any is.
 */
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct program {
    const char *name, *file;
    size_t (*run)(struct suite *s, unsigned n);
    unsigned small, thesis;
} programs[] = {
#define ROW(name, file, function, small, thesis) {#name, file, function, small, thesis},
    PROGRAMS(ROW)
#undef ROW
};

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

static bool run(const struct compute *compute, const char *folder, const struct program *p,
                unsigned n)
{
    static char source[65536];
    struct suite s = {.compute = *compute, .random = 1};
    char path[4096];
    size_t length, wrong;
    FILE *in;

    snprintf(path, sizeof(path), "%s/%s", folder, p->file);
    in = fopen(path, "r");
    length = in ? fread(source, 1, sizeof(source) - 1, in) : 0;
    if (!length) {
        fprintf(stderr, "suite: %s cannot be read\n", path);
        exit(1);
    }
    fclose(in);
    source[length] = 0;
    s.program = compute_program(&s.compute, source, "");
    wrong = p->run(&s, n);
    for (unsigned i = 0; i < MAX_KERNELS && s.kernels[i].name; i++)
        clReleaseKernel(s.kernels[i].kernel);
    clReleaseProgram(s.program);
    printf("%s: size %u, %u launches, %zu wrong: %s\n", p->name, n, s.launches, wrong,
           wrong ? "FAILED" : "ok");
    fflush(stdout);
    return !wrong;
}

int main(int argc, char **argv)
{
    unsigned wrong = 0, size = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 0;
    struct compute compute;

    if (argc < 3) {
        fprintf(stderr, "suite FOLDER small|thesis|N [NAME...]\n");
        return 2;
    }
    compute = compute_open();
    for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
        const struct program *p = &programs[i];
        bool chosen = argc == 3;

        for (int k = 3; k < argc; k++)
            chosen |= !strcmp(argv[k], p->name);
        if (chosen)
            wrong += !run(&compute, argv[1], p,
                          size                        ? size
                          : !strcmp(argv[2], "small") ? p->small
                                                      : p->thesis);
    }
    compute_close(&compute);
    return wrong != 0;
}
