/*
 * Textures: images that a shader reads by a texture's and a sampler's descriptor.
 *
 *     texel.c       formats of texels          descriptor.c  textures and samplers of a job
 *     address.c     address of a texel         fetch.c       one texel
 *     afbc.c        compressed surfaces        block.h       compressed blocks of texels
 *     wrap.c        coordinates beyond         sample.c      a request: levels, filters, results
 *     yuv.c         texels of video
 */
#ifndef RUNTIME_GPU_TEXTURE_TEXTURE_H
#define RUNTIME_GPU_TEXTURE_TEXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mali_layout.h"
#include "runtime/gpu/texture/block.h"
#include "runtime/gpu/texture/texel.h"

struct gpu_address_space;
struct gpu_fault;
struct gpu_op;
struct gpu_warp;

/* The planes of a texture of video. */
struct gpu_yuv {
    uint8_t planes, rows; /* 0: it is none; rows per row of chroma */
    const uint8_t *order; /* red, green, blue, alpha: of luma, chroma, chroma, 1 */
};

struct gpu_texture {
    struct gpu_texel_format format; /* with `blocks`: that of texels, and the bytes of a block */
    struct gpu_blocks blocks;
    struct gpu_yuv yuv;
    const char *refused; /* the part that is not modelled; NULL: none */
    uint32_t pixels;     /* the descriptor's format, encoded as in attributes */
    uint32_t dimension;  /* enum mali_texture_dimension */
    uint32_t size[3];    /* size of level 0, in texels */
    uint32_t layers, levels, samples;
    uint32_t minimum_lod, maximum_lod; /* in MALI_LOD_ONE */
    uint8_t swizzle[4];                /* as gpu_texel_format.from */
    uint64_t surfaces;                 /* address of the array of surfaces */
    bool tiled, compressed;
};

struct gpu_sampler {
    uint32_t wrap[3]; /* enum mali_wrap_mode, of x, y, z */
    bool normalized, seamless, magnify_nearest, minify_nearest, linear_values;
    uint32_t mipmap_mode, compare_function; /* enum mali_mipmap_mode, mali_compare_function */
    int32_t minimum_lod, maximum_lod, bias, cutoff; /* in MALI_LOD_ONE */
    unsigned anisotropy; /* most samples of a pixel's footprint; 0, 1: the filter is isotropic */
    uint32_t border[4];
};

/* The textures and samplers of a job. */
struct gpu_textures {
    struct gpu_texture *texture;
    struct gpu_sampler *sampler;
    unsigned texture_count, sampler_count;
    uint64_t samplers; /* address of samplers' descriptors, also of those beyond the count */
};

/* Operands of a request. Descriptions use the numbers. */
enum gpu_texture_operand {
    GPU_TEXTURE_INDEX,
    GPU_TEXTURE_SAMPLER,
    GPU_TEXTURE_X, /* coordinates: fp32, or integers for a fetch */
    GPU_TEXTURE_Y,
    GPU_TEXTURE_Z,
    GPU_TEXTURE_FACE, /* face of a cube */
    GPU_TEXTURE_LAYER,
    GPU_TEXTURE_LEVEL,        /* integer, for a fetch */
    GPU_TEXTURE_LOD,          /* level of detail: 16 bits, signed, in 1/256 */
    GPU_TEXTURE_BIASED,       /* not 0: the sampler's bias is added */
    GPU_TEXTURE_OFFSETS,      /* x, y, z: 8 bits each, signed; top 8 bits: index of the sample */
    GPU_TEXTURE_REFERENCE,    /* reference of the comparison, fp32 */
    GPU_TEXTURE_COMPARES,     /* not 0: texels are compared with the reference */
    GPU_TEXTURE_FORMAT,       /* format of results: enum gpu_register_format */
    GPU_TEXTURE_CLAMP,        /* clamping of results: enum gpu_texture_clamp */
    GPU_TEXTURE_COMPONENT,    /* component that is gathered */
    GPU_TEXTURE_DERIVATIVE_X, /* derivatives of x, y, z along the screen's x: fp32 */
    GPU_TEXTURE_DERIVATIVE_Y = GPU_TEXTURE_DERIVATIVE_X + 3, /* along the screen's y */
    GPU_TEXTURE_UNCLAMPED = GPU_TEXTURE_DERIVATIVE_Y + 3,    /* not 0: no clamping of detail */
    /* enum gpu_texture_computed: in fragment shaders, the level of detail is computed, plus LOD */
    GPU_TEXTURE_COMPUTED,
    GPU_TEXTURE_SKIPS, /* not 0: helpers of a quad do not need the results, which become 0 */
    GPU_TEXTURE_OPERANDS,
};

/* What the level of detail is computed from. */
enum gpu_texture_computed {
    GPU_TEXTURE_NOT_COMPUTED,
    GPU_TEXTURE_BY_STEPS, /* the derivatives */
    /* The derivatives are coordinates of the quad's neighbours along the screen's x and y. In a
     * cube, the upper three bits of x are the face's number. */
    GPU_TEXTURE_BY_PLACES,
};

enum gpu_texture_clamp {
    GPU_TEXTURE_CLAMP_NONE,
    GPU_TEXTURE_CLAMP_POSITIVE, /* at least 0 */
    GPU_TEXTURE_CLAMP_SIGNED,   /* -1 … 1 */
    GPU_TEXTURE_CLAMP_UNSIGNED, /* 0 … 1 */
};

enum gpu_texture_operation {
    GPU_TEXTURE_SAMPLE,
    GPU_TEXTURE_FETCH,    /* the texel at integer coordinates; zeros beyond the texture */
    GPU_TEXTURE_GATHER,   /* a component of the four texels that a linear filter would use */
    GPU_TEXTURE_GRADIENT, /* the level of detail, from derivatives */
    GPU_TEXTURE_ADDRESS,  /* a texel's address, by integer coordinates (0: outside), and format */
};

/* The current request of a host thread. */
struct gpu_texture_request {
    uint32_t operand[GPU_TEXTURE_OPERANDS]; /* 0 if not given */
    uint32_t result[4];
};

/* Reads `count` descriptors from `address` on into t. false: *fault names the missing page. */
bool gpu_textures_read(struct gpu_textures *t, unsigned version, const struct gpu_address_space *as,
                       uint64_t address, unsigned count, struct gpu_fault *fault);
bool gpu_samplers_read(struct gpu_textures *t, unsigned version, const struct gpu_address_space *as,
                       uint64_t address, unsigned count, struct gpu_fault *fault);
void gpu_textures_release(struct gpu_textures *t);

/* ---- between the files ----------------------------------------------------------------------- */

/* Offset of texel x, y in a surface. row_stride is the bytes from one row, or row of tiles, to the
 * next; `bytes` those of a texel. */
uint64_t gpu_texel_offset(bool tiled, uint32_t x, uint32_t y, uint64_t row_stride, unsigned bytes);
/* Like gpu_texel_offset() for block x, y of compressed texels. */
uint64_t gpu_block_offset(bool tiled, uint32_t x, uint32_t y, uint64_t row_stride, unsigned bytes);

/* The form of a surface with compressed blocks (AFBC). */
struct gpu_afbc {
    uint64_t headers; /* GPU address of the blocks' headers */
    uint32_t stride;  /* blocks from one row of blocks to the next */
    bool wide;        /* blocks have 32 by 8 texels, else 16 by 16 */
    bool tiled;       /* headers are in tiles of 8 by 8 */
};

enum { GPU_AFBC_TEXELS = 256 }; /* texels per block */

/* Finds texel x, y: *block is the number of its block's header, and of its place in the body; the
 * result is the number of the texel in the block. */
unsigned gpu_afbc_place(const struct gpu_afbc *a, uint32_t x, uint32_t y, uint64_t *block);
/* Writes the header of a block whose texels are not compressed, at `offset` bytes from the first
 * header. */
void gpu_afbc_header(uint8_t header[MALI_AFBC_HEADER_BYTES], uint64_t offset);
/* The offset of a block's texels. 0: all texels have the colour at GPU_AFBC_SOLID. */
uint64_t gpu_afbc_offset(const uint8_t header[MALI_AFBC_HEADER_BYTES]);
enum { GPU_AFBC_SOLID = 8 };

/* Index of texel i after wrapping to an axis of n texels; -1: the border. */
int64_t gpu_texture_wrap(uint32_t mode, int64_t i, uint32_t n);
/* Converts a coordinate to texels, and moves it close to the texture to a place that has the same
 * texels. `normalized`: the coordinate is in units of the size n. */
float gpu_texture_scale(uint32_t mode, float s, uint32_t n, bool normalized);

/* The lane and operation of a request, and its texture and sampler. */
struct gpu_texture_unit {
    struct gpu_warp *w;
    const struct gpu_op *op;
    unsigned lane, version;
    const struct gpu_texture *texture;
    const struct gpu_sampler *sampler; /* NULL for a fetch */
    struct gpu_sampler uncounted;      /* storage of a sampler beyond the job's count */
};

/* A texel's place in a texture. */
struct gpu_texel_place {
    uint32_t x, y, z, layer, face, sample, level;
};

/* Reads a descriptor's pixel format, if it is one of video. false: it is not, or not modelled. */
bool gpu_yuv_read(unsigned architecture, uint32_t bits, struct gpu_texel_format *f,
                  struct gpu_yuv *y);
/* The addresses of the bytes of a texel of video: luma, and two of chroma. */
void gpu_yuv_places(const struct gpu_texture *t, const struct mali_planes *p,
                    const struct gpu_texel_place *at, uint64_t va[3]);

/* Unpacks a sampler's descriptor. */
void gpu_sampler_unpack(struct gpu_sampler *s, unsigned version, const uint8_t *raw);
/* Texels of a level along an axis. */
uint32_t gpu_texture_size(const struct gpu_texture *t, unsigned axis, uint32_t level);
/* The address of the texel at a place inside the texture. */
uint64_t gpu_texture_address(const struct gpu_texture_unit *u, const struct gpu_texel_place *at);
/* Reads that texel; its components are in the order of the texture's format. */
void gpu_texture_fetch(const struct gpu_texture_unit *u, const struct gpu_texel_place *at,
                       double v[4]);
/* Reads and writes a texel's bytes at `va` of GPU memory. */
void gpu_texel_read(struct gpu_warp *w, const struct gpu_op *op, unsigned lane, uint64_t va,
                    unsigned bytes, uint8_t *raw);
void gpu_texel_write(struct gpu_warp *w, const struct gpu_op *op, unsigned lane, uint64_t va,
                     unsigned bytes, const uint8_t *raw);

#endif
