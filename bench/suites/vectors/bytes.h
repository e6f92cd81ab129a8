/* What the drivers of libraries share: bytes that look random, the same on each machine, and the
 * sum that a driver prints. */
#ifndef BENCH_SUITES_VECTORS_BYTES_H
#define BENCH_SUITES_VECTORS_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static inline void fill_bytes(uint8_t *bytes, size_t count)
{
    uint64_t state = 1;

    for (size_t k = 0; k < count; k++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        bytes[k] = state >> 56;
    }
}

/* A picture of `channels` bytes a pixel: smooth, with some noise. */
static inline void fill_picture(uint8_t *pixels, int width, int height, int channels)
{
    fill_bytes(pixels, (size_t)width * height * channels);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width * channels; x++) {
            uint8_t *p = &pixels[(size_t)y * width * channels + x];

            *p = (x / channels * (x % channels + 1) + y * 2 + *p % 16) / 4;
        }
}

static inline void print_sum(const void *data, size_t count)
{
    const uint8_t *bytes = data;
    uint64_t sum = 0;

    for (size_t k = 0; k < count; k++)
        sum = sum * 31 + bytes[k];
    printf("%016llx\n", (unsigned long long)sum);
}

#endif
