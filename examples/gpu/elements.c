/* Vectors of small and large elements, and atomic operations, on the GPU. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl.h"

enum { BYTES = 4096, BINS = 16, GROUP = 64 };

static uint32_t random_word(void)
{
    static uint32_t state = 2463534242u;

    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
}

/* ---- vectors: what one element becomes ------------------------------------------------------- */

static void char_of(const void *a, const void *b, void *to)
{
    int8_t x = *(const int8_t *)a, y = *(const int8_t *)b;

    *(int8_t *)to = (int8_t)((x * 3 + (y >> 2)) ^ (x > y ? x : y));
}

static void uchar_of(const void *a, const void *b, void *to)
{
    uint8_t x = *(const uint8_t *)a, y = *(const uint8_t *)b;

    *(uint8_t *)to = (uint8_t)((x - y * 5) | x << 3);
}

static void short_of(const void *a, const void *b, void *to)
{
    int16_t x = *(const int16_t *)a, y = *(const int16_t *)b;

    *(int16_t *)to = (int16_t)(x * y + (x >> 3) - (x < y ? x : y));
}

static void int_of(const void *a, const void *b, void *to)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    *(uint32_t *)to = x * y + ~x;
}

static void ulong_of(const void *a, const void *b, void *to)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    *(uint64_t *)to = x * y + (x >> 7);
}

/* Halves here are multiples of 1/16 below 128, so that nothing is rounded. */
static double half_value(uint16_t h)
{
    double v = (h & 0x3ff) | 0x400;

    for (int e = (h >> 10 & 31) - 25; e; e += e < 0 ? 1 : -1)
        v = e < 0 ? v / 2 : v * 2;
    return h & 0x7fff ? h >> 15 ? -v : v : 0;
}

static uint16_t half_bits(double v)
{
    unsigned e = 25, sign = v < 0 ? 0x8000 : 0;

    v = v < 0 ? -v : v;
    if (v == 0)
        return 0;
    for (; v < 1024; v *= 2)
        e--;
    return (uint16_t)(sign | e << 10 | ((unsigned)v & 0x3ff));
}

static void half_of(const void *a, const void *b, void *to)
{
    double x = half_value(*(const uint16_t *)a), y = half_value(*(const uint16_t *)b);

    *(uint16_t *)to = half_bits(x * y + x);
}

static const struct vector {
    const char *name, *type, *expression;
    size_t vector_bytes, element_bytes;
    void (*reference)(const void *a, const void *b, void *to);
} vectors[] = {
    {"char16", "char16", "to[i] = (a[i] * (char)3 + (b[i] >> (char16)2)) ^ max(a[i], b[i])", 16, 1,
     char_of},
    {"uchar4", "uchar4", "to[i] = (a[i] - b[i] * (uchar)5) | (a[i] << (uchar4)3)", 4, 1, uchar_of},
    {"uchar", "uchar", "to[i] = (a[i] - b[i] * 5) | (a[i] << 3)", 1, 1, uchar_of},
    {"short8", "short8", "to[i] = a[i] * b[i] + (a[i] >> (short8)3) - min(a[i], b[i])", 16, 2,
     short_of},
    {"short2", "short2", "to[i] = a[i] * b[i] + (a[i] >> (short2)3) - min(a[i], b[i])", 4, 2,
     short_of},
    {"uint4", "uint4", "to[i] = a[i] * b[i] + ~a[i]", 16, 4, int_of},
    {"ulong2", "ulong2", "to[i] = a[i] * b[i] + (a[i] >> (ulong2)7)", 16, 8, ulong_of},
    {"half4 in memory", "ushort4",
     "float4 x = vload_half4(i, (global const half *)a), y = vload_half4(i, (global const half "
     "*)b);"
     " vstore_half4(x * y + x, i, (global half *)to)",
     8, 2, half_of},
    {"half8", "half8", "to[i] = a[i] * b[i] + a[i]", 16, 2, half_of},
    {"half", "half", "to[i] = a[i] * b[i] + a[i]", 2, 2, half_of},
};

static void fill_random(const struct vector *v, uint8_t *data)
{
    if (v->reference == half_of) {
        for (size_t i = 0; i < BYTES / sizeof(uint16_t); i++)
            ((uint16_t *)(void *)data)[i] = half_bits((int)(random_word() % 63) / 4.0 - 7.75);
        return;
    }
    for (size_t i = 0; i < BYTES / sizeof(uint32_t); i++)
        ((uint32_t *)(void *)data)[i] = random_word();
}

/* Number of wrong elements. */
static size_t compare_elements(const struct vector *v, const uint8_t *a, const uint8_t *b,
                               const uint8_t *got)
{
    size_t wrong = 0;

    for (size_t at = 0; at < BYTES; at += v->element_bytes) {
        uint64_t want = 0;

        v->reference(a + at, b + at, &want);
        if (!memcmp(got + at, &want, v->element_bytes))
            continue;
        if (!wrong++) {
            uint64_t have = 0;

            memcpy(&have, got + at, v->element_bytes);
            printf("%s: element %zu is %#llx, not %#llx\n", v->name, at / v->element_bytes,
                   (unsigned long long)have, (unsigned long long)want);
        }
    }
    return wrong;
}

static size_t run_vector(struct compute *c, const struct vector *v, int halves)
{
    uint64_t a[BYTES / 8], b[BYTES / 8], to[BYTES / 8];
    size_t count = BYTES / v->vector_bytes, wrong;
    char source[1024];
    cl_kernel kernel;
    cl_mem buffers[3];

    if (!strncmp(v->type, "half", 4) && !halves) {
        printf("%s: the device has no cl_khr_fp16\n", v->name);
        return 0;
    }
    snprintf(source, sizeof(source),
             "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
             "kernel void run(global const %s *a, global const %s *b, global %s *to)\n"
             "{ size_t i = get_global_id(0); %s; }\n",
             v->type, v->type, v->type, v->expression);
    fill_random(v, (uint8_t *)a);
    fill_random(v, (uint8_t *)b);
    kernel = compute_kernel(c, source, "run");
    buffers[0] = compute_buffer(c, a, BYTES);
    buffers[1] = compute_buffer(c, b, BYTES);
    buffers[2] = compute_buffer(c, NULL, BYTES);
    for (cl_uint i = 0; i < 3; i++)
        compute_check(clSetKernelArg(kernel, i, sizeof(buffers[i]), &buffers[i]), "clSetKernelArg");
    compute_check(clEnqueueNDRangeKernel(c->queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL),
                  "clEnqueueNDRangeKernel");
    compute_check(compute_read(c, buffers[2], to, BYTES), "clEnqueueReadBuffer");
    wrong = compare_elements(v, (uint8_t *)a, (uint8_t *)b, (uint8_t *)to);
    printf("%s: %zu wrong\n", v->name, wrong);
    for (cl_uint i = 0; i < 3; i++)
        clReleaseMemObject(buffers[i]);
    clReleaseKernel(kernel);
    return wrong;
}

/* ---- atomic operations ----------------------------------------------------------------------- */

enum { MAXIMUM, MINIMUM, EXCLUSIVE, EITHER, BOTH, SUM, EXTRAS };

static const char counter[] =
    "kernel void count(global const uint *value, global uint *bins, volatile global uint *extra)\n"
    "{\n"
    "    local uint mine[16];\n"
    "    size_t l = get_local_id(0);\n"
    "    uint v = value[get_global_id(0)], old;\n"
    "    if (l < 16)\n"
    "        mine[l] = 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    atomic_inc(&mine[v % 16]);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (l < 16)\n"
    "        atomic_add(&bins[l], mine[l]);\n"
    "    atomic_max(&extra[0], v);\n"
    "    atomic_min(&extra[1], v);\n"
    "    atomic_xor(&extra[2], v);\n"
    "    atomic_or(&extra[3], v);\n"
    "    atomic_and(&extra[4], v | 0xf0);\n"
    "    do\n"
    "        old = extra[5];\n"
    "    while (atomic_cmpxchg(&extra[5], old, old + v) != old);\n"
    "}\n";

static void count_reference(const uint32_t *value, size_t count, uint32_t *bins, uint32_t *extra)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t v = value[i];

        bins[v % BINS]++;
        extra[MAXIMUM] = v > extra[MAXIMUM] ? v : extra[MAXIMUM];
        extra[MINIMUM] = v < extra[MINIMUM] ? v : extra[MINIMUM];
        extra[EXCLUSIVE] ^= v;
        extra[EITHER] |= v;
        extra[BOTH] &= v | 0xf0;
        extra[SUM] += v;
    }
}

static size_t run_atomics(struct compute *c)
{
    uint32_t value[BYTES / 4], bins[BINS] = {0}, extra[EXTRAS] = {0}, got[BINS], got_extra[EXTRAS];
    size_t count = BYTES / 4, group = GROUP, wrong = 0;
    cl_kernel kernel = compute_kernel(c, counter, "count");
    cl_mem buffers[3];

    for (size_t i = 0; i < count; i++)
        value[i] = random_word() & 0xffffff;
    extra[MINIMUM] = extra[BOTH] = UINT32_MAX;
    buffers[0] = compute_buffer(c, value, sizeof(value));
    buffers[1] = compute_buffer(c, bins, sizeof(bins));
    buffers[2] = compute_buffer(c, extra, sizeof(extra));
    for (cl_uint i = 0; i < 3; i++)
        compute_check(clSetKernelArg(kernel, i, sizeof(buffers[i]), &buffers[i]), "clSetKernelArg");
    compute_check(clEnqueueNDRangeKernel(c->queue, kernel, 1, NULL, &count, &group, 0, NULL, NULL),
                  "clEnqueueNDRangeKernel");
    compute_check(compute_read(c, buffers[1], got, sizeof(got)), "clEnqueueReadBuffer");
    compute_check(compute_read(c, buffers[2], got_extra, sizeof(got_extra)), "clEnqueueReadBuffer");
    count_reference(value, count, bins, extra);
    for (size_t i = 0; i < BINS; i++)
        wrong += got[i] != bins[i];
    for (size_t i = 0; i < EXTRAS; i++)
        wrong += got_extra[i] != extra[i];
    printf("atomics: %zu wrong\n", wrong);
    return wrong;
}

int main(void)
{
    struct compute c = compute_open();
    char extensions[4096] = "";
    size_t wrong = 0, n = sizeof(vectors) / sizeof(*vectors);
    int halves;

    clGetDeviceInfo(c.device, CL_DEVICE_EXTENSIONS, sizeof(extensions), extensions, NULL);
    halves = strstr(extensions, "cl_khr_fp16") != NULL;
    for (size_t i = 0; i < n; i++)
        wrong += run_vector(&c, &vectors[i], halves);
    wrong += run_atomics(&c);
    printf("elements: %zu vectors and atomics, %zu wrong: %s\n", n, wrong, wrong ? "FAILED" : "ok");
    compute_close(&c);
    return wrong != 0;
}
