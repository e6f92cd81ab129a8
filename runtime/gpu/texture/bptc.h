/* Blocks of BC6H and BC7 (BPTC), of 16 bytes: what both have, and their texels. */
#ifndef RUNTIME_GPU_TEXTURE_BPTC_H
#define RUNTIME_GPU_TEXTURE_BPTC_H

#include <stdbool.h>
#include <stdint.h>

/* A block's indices: the first one's place in bits, their width, and the partition of its
 * texels. */
struct gpu_bptc_indices {
    unsigned at, width, subsets, partition;
};

/* `width` bits of a block from bit `at` on; at + width is at most 128. */
unsigned gpu_bptc_field(const uint8_t *raw, unsigned at, unsigned width);
/* The subset of a texel (0 … 15) in a partition (0 … 63) into 1 to 3 subsets. */
unsigned gpu_bptc_subset(unsigned subsets, unsigned partition, unsigned texel);
/* The index of a texel. */
unsigned gpu_bptc_index(const uint8_t *raw, const struct gpu_bptc_indices *n, unsigned texel);
/* The weight (0 … 64) of the second end point, of an index of 2, 3 or 4 bits. */
unsigned gpu_bptc_weight(unsigned width, unsigned index);

/* Decode a texel's red, green, blue, alpha. Of blocks that are reserved all are 0, but alpha of
 * BC6H, which is 1. */
void gpu_bc7_decode(const uint8_t *raw, unsigned texel, double v[4]);
void gpu_bc6h_decode(const uint8_t *raw, unsigned texel, bool is_signed, double v[4]);

#endif
