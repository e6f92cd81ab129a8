/*
 * Compressed blocks of texels: BC1 to BC7, ETC2 and EAC, and ASTC.
 *
 *     block.c      formats, and texels of a block     etc.c            ETC2 and EAC
 *     astc.c       a texel of an ASTC block           astc_numbers.c   its sequences of integers
 *     astc_mode.c  layout of its bits                 astc_color.c     its end points
 *     bc.c         BC1 to BC5                      bptc.c           BC7
 *     bptc_float.c BC6H
 *
 * Facts: Khronos Data Format Specification 1.3, chapters 18 to 20 (BC), 21 (ETC2) and 23 (ASTC).
 */
#ifndef RUNTIME_GPU_TEXTURE_BLOCK_H
#define RUNTIME_GPU_TEXTURE_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/gpu/texture/texel.h"

enum gpu_block_codec {
    GPU_BLOCK_NONE, /* texels are not compressed */
    GPU_BLOCK_BC1,
    GPU_BLOCK_BC2,
    GPU_BLOCK_BC3,
    GPU_BLOCK_BC4,
    GPU_BLOCK_BC4_SIGNED,
    GPU_BLOCK_BC5,
    GPU_BLOCK_BC5_SIGNED,
    GPU_BLOCK_BC6H,
    GPU_BLOCK_BC6H_SIGNED,
    GPU_BLOCK_BC7,
    GPU_BLOCK_ETC2_RGB,
    GPU_BLOCK_ETC2_RGB_A1, /* texels may be transparent */
    GPU_BLOCK_ETC2_RGBA,
    GPU_BLOCK_EAC_R,
    GPU_BLOCK_EAC_RG,
    GPU_BLOCK_EAC_SIGNED_R,
    GPU_BLOCK_EAC_SIGNED_RG,
    GPU_BLOCK_ASTC,
    GPU_BLOCK_ASTC_3D,
};

enum { GPU_BLOCK_MAX_BYTES = 16 };

/* The blocks of a texture. */
struct gpu_blocks {
    enum gpu_block_codec codec;
    uint8_t size[3]; /* texels per axis; for ASTC, each surface's pointer tells them */
    bool srgb;       /* ASTC: the format has sRGB values */
    bool wide;       /* ASTC: values have 16 bits, else 8 */
};

/* Reads a descriptor's pixel format, if texels of that format are compressed: *f receives the order
 * of its components and the bytes of a block. false: they are not. */
bool gpu_blocks_read(unsigned architecture, uint32_t bits, struct gpu_texel_format *f,
                     struct gpu_blocks *b);
/* Sets the size of ASTC blocks by the low bits of a surface's pointer. */
void gpu_blocks_set_size(struct gpu_blocks *b, uint64_t pointer);
/* Decodes red, green, blue, alpha of texel x, y, z of a block. sRGB values are not converted. */
void gpu_block_decode(const struct gpu_blocks *b, const uint8_t *raw, const unsigned at[3],
                      double v[4]);

/* ---- between the files ----------------------------------------------------------------------- */

/* Decodes texel x, y (0 … 3) of a block of BC1 to BC5. */
void gpu_bc_decode(enum gpu_block_codec codec, const uint8_t *raw, unsigned x, unsigned y,
                   double v[4]);
/* Decodes texel x, y (0 … 3) of a block of ETC2 or EAC. */
void gpu_etc_decode(enum gpu_block_codec codec, const uint8_t *raw, unsigned x, unsigned y,
                    double v[4]);
/* Decodes a texel of an ASTC block. */
void gpu_astc_decode(const struct gpu_blocks *b, const uint8_t *raw, const unsigned at[3],
                     double v[4]);

/* The bits of an ASTC block, as a number. */
__extension__ typedef unsigned __int128 gpu_astc_bits;

static inline unsigned gpu_astc_field(gpu_astc_bits bits, unsigned at, unsigned width)
{
    return at < 128 ? (unsigned)(bits >> at) & ((1u << width) - 1) : 0;
}

enum { GPU_ASTC_PARTITIONS = 4, GPU_ASTC_WEIGHTS = 64, GPU_ASTC_COLORS = 18 };

/* The range of integers in a sequence: `bits` bits each, and a trit (0 … 2) or a quint (0 … 4). */
struct gpu_astc_range {
    uint8_t bits;
    bool trit, quint;
};

/* What an ASTC block holds. */
struct gpu_astc_mode {
    bool solid;       /* all texels have one colour */
    unsigned size[3]; /* weights per axis */
    unsigned planes;  /* 2: one component has weights of its own */
    unsigned second;  /* with two planes: the component that has the second one */
    struct gpu_astc_range weight_range, color_range;
    unsigned weights, weight_bits; /* number of weights, and of their bits */
    unsigned partitions, partition_seed;
    unsigned endpoints[GPU_ASTC_PARTITIONS]; /* how each partition's end points are coded */
    unsigned colors, colors_at;              /* number of end points' values; their first bit */
    unsigned color_bits;                     /* bits for them */
};

/* Reads the mode of a block. false: the block is not legal, or not of low dynamic range. */
bool gpu_astc_mode_read(gpu_astc_bits bits, bool volume, const uint8_t size[3],
                        struct gpu_astc_mode *m);
/* Number of bits of a sequence of `count` integers. */
unsigned gpu_astc_sequence_bits(struct gpu_astc_range r, unsigned count);
/* Number of the integers that a range has. */
unsigned gpu_astc_range_size(struct gpu_astc_range r);
/* Reads the integers of a sequence from the lowest `length` bits. */
void gpu_astc_sequence_read(gpu_astc_bits bits, unsigned length, struct gpu_astc_range r,
                            unsigned count, uint8_t *out);
/* Converts an integer of a sequence to a weight (0 … 64), to a value of a colour (0 … 255). */
unsigned gpu_astc_weight(struct gpu_astc_range r, unsigned v);
unsigned gpu_astc_color(struct gpu_astc_range r, unsigned v);
/* Decodes a pair of end points, coded as `mode`. false: they are of high dynamic range. */
bool gpu_astc_endpoints(unsigned mode, const int v[8], int low[4], int high[4]);

#endif
