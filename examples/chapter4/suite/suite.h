/*
 * What the programs of the suite share (table 4.2 of seed 002): launches that are counted, buffers,
 * random numbers, comparisons. Each program is rewritten from what its suite says that it computes,
 * and compares the result with its own on the CPU.
 */
#ifndef EXAMPLES_CHAPTER4_SUITE_H
#define EXAMPLES_CHAPTER4_SUITE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "opencl.h"

enum { MAX_KERNELS = 16 };

struct suite {
    struct compute compute;
    cl_program program;
    struct {
        const char *name;
        cl_kernel kernel;
    } kernels[MAX_KERNELS];
    unsigned launches;
    uint32_t random;
};

struct range {
    cl_uint dimensions;
    size_t global[3], local[3];
};

struct argument {
    size_t bytes;
    const void *value;
};

/* Arguments of a kernel. */
#define INT(v)    ((struct argument){sizeof(cl_int), &(cl_int){(cl_int)(v)}})
#define FLOAT(v)  ((struct argument){sizeof(cl_float), &(cl_float){(v)}})
#define BUFFER(b) ((struct argument){sizeof(cl_mem), &(b)})
#define LOCAL(n)  ((struct argument){(n), NULL})
#define RUN(s, kernel, range, ...)                                      \
    suite_run(s, kernel, range, (const struct argument[]){__VA_ARGS__}, \
              sizeof((struct argument[]){__VA_ARGS__}) / sizeof(struct argument))

/* Threads of a launch in one dimension, and in two. */
struct range line(size_t global, size_t local);
struct range plane(size_t width, size_t height, size_t local_width, size_t local_height);

void suite_run(struct suite *s, const char *kernel, struct range range,
               const struct argument *arguments, size_t count);

/* The program of a file in a folder; its end, with all kernels. */
void suite_load(struct suite *s, const char *folder, const char *file);
void suite_unload(struct suite *s);

/* A buffer of `bytes`, with what `data` points to, or zeros if it is NULL. */
cl_mem suite_buffer(struct suite *s, const void *data, size_t bytes);

/* What a buffer holds, in memory to be freed; the buffer is released. */
void *suite_take(struct suite *s, cl_mem buffer, size_t bytes);
void suite_read(struct suite *s, cl_mem buffer, void *to, size_t bytes);
void suite_write(struct suite *s, cl_mem buffer, const void *from, size_t bytes);

/* n random words or floats from 0 on and less than 1, in memory to be freed. */
uint32_t *suite_words(struct suite *s, size_t n);
float *suite_floats(struct suite *s, size_t n);
void *suite_memory(size_t bytes);

/* How many of n values are not what they must be: floats within `tolerance` times the value, but at
 * least times 1. */
size_t wrong_floats(const float *got, const float *wanted, size_t n, float tolerance);
size_t wrong_words(const uint32_t *got, const uint32_t *wanted, size_t n);

/* The programs: each returns how many values are wrong. `n` is its size. */
#define PROGRAMS(X)                                                   \
    X(BackPropagation, "science.cl", back_propagation, 1024, 65536)   \
    X(BFS, "science.cl", breadth_first_search, 2500, 1257001)         \
    X(BinarySearch, "arrays.cl", binary_search, 65536, 16777216)      \
    X(BinomialOption, "numbers.cl", binomial_option, 32, 512)         \
    X(BitonicSort, "arrays.cl", bitonic_sort, 256, 2048)              \
    X(cutcp, "science.cl", cutoff_potential, 16, 67)                  \
    X(DCT, "images.cl", cosine_transform, 64, 1000)                   \
    X(DwtHaar1D, "images.cl", haar_transform, 4096, 8388608)          \
    X(FloydWarshall, "arrays.cl", floyd_warshall, 32, 256)            \
    X(MatrixTranspose, "arrays.cl", matrix_transpose, 64, 3008)       \
    X(NearestNeighbor, "science.cl", nearest_neighbor, 1024, 42764)   \
    X(RecursiveGaussian, "images.cl", recursive_gaussian, 64, 1536)   \
    X(Reduction, "arrays.cl", reduction, 8192, 9999360)               \
    X(ScanLargeArrays, "arrays.cl", scan_large_arrays, 4096, 1048576) \
    X(SGEMM, "numbers.cl", parboil_sgemm, 32, 128)                    \
    X(SobelFilter, "images.cl", sobel_filter, 64, 1536)               \
    X(SPMV, "science.cl", sparse_product, 128, 1138)                  \
    X(Stencil, "science.cl", stencil, 3, 100)                         \
    X(URNG, "images.cl", uniform_noise, 64, 1536)                     \
    X(clBLAS, "numbers.cl", blocked_sgemm, 64, 1024)

#define DECLARE(name, file, function, small, thesis) size_t function(struct suite *s, unsigned n);
PROGRAMS(DECLARE)
#undef DECLARE

#endif
