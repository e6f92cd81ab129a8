/*
 * Formats of texels: between bytes in memory and red, green, blue, alpha.
 *
 * A component travels as a double, which holds each integer of 32 bits and each fp32 exactly.
 */
#ifndef RUNTIME_GPU_TEXTURE_TEXEL_H
#define RUNTIME_GPU_TEXTURE_TEXEL_H

#include <stdbool.h>
#include <stdint.h>

enum { GPU_TEXEL_ZERO = 4, GPU_TEXEL_ONE = 5, GPU_TEXEL_MAX_BYTES = 16 };

enum gpu_texel_kind {
    GPU_TEXEL_UNORM,
    GPU_TEXEL_SNORM,
    GPU_TEXEL_UINT,
    GPU_TEXEL_SINT,
    GPU_TEXEL_FLOAT,
    GPU_TEXEL_SHARED, /* fractions; the fourth part is their exponent */
};

struct gpu_texel_format {
    unsigned bytes;
    unsigned components; /* in memory */
    enum gpu_texel_kind kind;
    bool srgb;
    struct {
        uint8_t at, bits;
    } part[4];       /* of each component in memory, in bits */
    uint8_t from[4]; /* r g b a: which of them; GPU_TEXEL_ZERO or GPU_TEXEL_ONE */
};

/* Takes a pixel format of a descriptor apart. false: it is not modelled. */
bool gpu_texel_format_read(unsigned architecture, uint32_t bits, struct gpu_texel_format *f);
/* Its name, for messages; the text stays. */
const char *gpu_texel_format_name(unsigned architecture, uint32_t bits);

/* Whether components are integers. */
bool gpu_texel_is_integer(const struct gpu_texel_format *f);

/* Whether red, green, blue or alpha (k) is in memory; if not, *otherwise is what is read. */
bool gpu_texel_stores(const struct gpu_texel_format *f, unsigned k, double *otherwise);

/* red, green, blue, alpha out of the texel's bytes. */
void gpu_texel_decode(const struct gpu_texel_format *f, const uint8_t *raw, double v[4]);

/* Puts the first `count` of red, green, blue, alpha into the texel's bytes, and leaves the other bits
 * as they are. false: nothing can be stored in this format. */
bool gpu_texel_encode(const struct gpu_texel_format *f, const double v[4], unsigned count,
                      uint8_t *raw);
/* Whether such a store changes all bits. */
bool gpu_texel_is_whole(const struct gpu_texel_format *f, unsigned count);

#endif
