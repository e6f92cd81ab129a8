/*
 * Formats of texels: conversion between bytes in memory and red, green, blue, alpha.
 *
 * Components are doubles, which represent every 32-bit integer and every fp32 exactly.
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
    GPU_TEXEL_SHARED, /* fractions with a shared exponent, the fourth part */
    GPU_TEXEL_FIXED,  /* signed, with 16 bits of fraction */
};

struct gpu_texel_format {
    unsigned bytes;
    unsigned components; /* number of components in memory */
    enum gpu_texel_kind kind;
    bool srgb;
    struct {
        uint8_t at, bits;
    } part[4];       /* position and width in bits, per component in memory */
    uint8_t from[4]; /* part of r, g, b, a; or GPU_TEXEL_ZERO, GPU_TEXEL_ONE */
};

/* Reads a descriptor's pixel format. false: the format is not modelled. */
bool gpu_texel_format_read(unsigned architecture, uint32_t bits, struct gpu_texel_format *f);
/* Reads the parts of a pixel format that say which component in memory is red, green, blue, alpha,
 * and whether values are sRGB. */
bool gpu_texel_order_read(unsigned architecture, uint32_t bits, struct gpu_texel_format *f);
/* A pixel format's number (enum mali_format). */
uint32_t gpu_texel_format_number(unsigned architecture, uint32_t bits);
/* The name of a pixel format, for messages; a static text. */
const char *gpu_texel_format_name(unsigned architecture, uint32_t bits);

/* Whether components are integers. */
bool gpu_texel_is_integer(const struct gpu_texel_format *f);

/* Whether component k of red, green, blue, alpha is in memory; if not, *otherwise is its value. */
bool gpu_texel_stores(const struct gpu_texel_format *f, unsigned k, double *otherwise);

/* Converts an sRGB value to a linear one. */
double gpu_texel_from_srgb(double v);

/* Decodes red, green, blue and alpha from the texel's bytes. */
void gpu_texel_decode(const struct gpu_texel_format *f, const uint8_t *raw, double v[4]);

/* Encodes the first `count` of red, green, blue, alpha into the texel's bytes; other bits do not
 * change, except a shared exponent and the fractions that depend on it. */
void gpu_texel_encode(const struct gpu_texel_format *f, const double v[4], unsigned count,
                      uint8_t *raw);
/* Whether gpu_texel_encode() of `count` components writes all bits of the texel. */
bool gpu_texel_is_whole(const struct gpu_texel_format *f, unsigned count);

#endif
