/* Formats of compressed blocks, and texels of a block. */
#include "runtime/gpu/texture/block.h"

#include "mali_layout.h"
#include "runtime/base/bits.h"
#include "runtime/gpu/texture/bptc.h"

static const struct {
    uint32_t format;
    enum gpu_block_codec codec;
    uint8_t bytes, components;
    enum gpu_texel_kind kind;
    bool wide;
} formats[] = {
    {MALI_FORMAT_BC1_UNORM, GPU_BLOCK_BC1, 8, 4, GPU_TEXEL_UNORM, false},
    {MALI_FORMAT_BC2_UNORM, GPU_BLOCK_BC2, 16, 4, GPU_TEXEL_UNORM, false},
    {MALI_FORMAT_BC3_UNORM, GPU_BLOCK_BC3, 16, 4, GPU_TEXEL_UNORM, false},
    {MALI_FORMAT_BC4_UNORM, GPU_BLOCK_BC4, 8, 1, GPU_TEXEL_UNORM, false},
    {MALI_FORMAT_BC4_SNORM, GPU_BLOCK_BC4_SIGNED, 8, 1, GPU_TEXEL_SNORM, false},
    {MALI_FORMAT_BC5_UNORM, GPU_BLOCK_BC5, 16, 2, GPU_TEXEL_UNORM, false},
    {MALI_FORMAT_BC5_SNORM, GPU_BLOCK_BC5_SIGNED, 16, 2, GPU_TEXEL_SNORM, false},
    {MALI_FORMAT_BC6H_UF16, GPU_BLOCK_BC6H, 16, 3, GPU_TEXEL_FLOAT, false},
    {MALI_FORMAT_BC6H_SF16, GPU_BLOCK_BC6H_SIGNED, 16, 3, GPU_TEXEL_FLOAT, false},
    {MALI_FORMAT_BC7_UNORM, GPU_BLOCK_BC7, 16, 4, GPU_TEXEL_UNORM, false},
    {MALI_FORMAT_ETC2_RGB8, GPU_BLOCK_ETC2_RGB, 8, 3, GPU_TEXEL_UNORM, false},
    {MALI_FORMAT_ETC2_RGB8A1, GPU_BLOCK_ETC2_RGB_A1, 8, 4, GPU_TEXEL_UNORM, false},
    {MALI_FORMAT_ETC2_RGBA8, GPU_BLOCK_ETC2_RGBA, 16, 4, GPU_TEXEL_UNORM, false},
    {MALI_FORMAT_ETC2_R11_UNORM, GPU_BLOCK_EAC_R, 8, 1, GPU_TEXEL_UNORM, false},
    {MALI_FORMAT_ETC2_RG11_UNORM, GPU_BLOCK_EAC_RG, 16, 2, GPU_TEXEL_UNORM, false},
    {MALI_FORMAT_ETC2_R11_SNORM, GPU_BLOCK_EAC_SIGNED_R, 8, 1, GPU_TEXEL_SNORM, false},
    {MALI_FORMAT_ETC2_RG11_SNORM, GPU_BLOCK_EAC_SIGNED_RG, 16, 2, GPU_TEXEL_SNORM, false},
    {MALI_FORMAT_ASTC_2D_LDR, GPU_BLOCK_ASTC, 16, 4, GPU_TEXEL_UNORM, false},
    {MALI_FORMAT_ASTC_2D_HDR, GPU_BLOCK_ASTC, 16, 4, GPU_TEXEL_UNORM, true},
    {MALI_FORMAT_ASTC_2D_NARROW, GPU_BLOCK_ASTC, 16, 4, GPU_TEXEL_UNORM, false},
    {MALI_FORMAT_ASTC_3D_LDR, GPU_BLOCK_ASTC_3D, 16, 4, GPU_TEXEL_UNORM, false},
    {MALI_FORMAT_ASTC_3D_HDR, GPU_BLOCK_ASTC_3D, 16, 4, GPU_TEXEL_UNORM, true},
    {MALI_FORMAT_ASTC_3D_NARROW, GPU_BLOCK_ASTC_3D, 16, 4, GPU_TEXEL_UNORM, false},
};

bool gpu_blocks_read(unsigned architecture, uint32_t bits, struct gpu_texel_format *f,
                     struct gpu_blocks *b)
{
    uint32_t number = gpu_texel_format_number(architecture, bits);

    for (unsigned i = 0; i < ARRAY_SIZE(formats); i++) {
        if (formats[i].format != number)
            continue;
        *f = (struct gpu_texel_format){
            .bytes = formats[i].bytes,
            .components = formats[i].components,
            .kind = formats[i].kind,
        };
        for (unsigned k = 0; k < f->components; k++)
            f->part[k].bits = 8; /* not 0: the component is there */
        *b = (struct gpu_blocks){
            .codec = formats[i].codec, .size = {4, 4, 1}, .wide = formats[i].wide};
        if (!gpu_texel_order_read(architecture, bits, f))
            return false;
        b->srgb = f->srgb;
        return true;
    }
    return false;
}

void gpu_blocks_set_size(struct gpu_blocks *b, uint64_t pointer)
{
    static const uint8_t flat[8] = {4, 5, 6, 6, 8, 8, 10, 12}, volume[4] = {4, 5, 6, 3};

    if (b->codec == GPU_BLOCK_ASTC)
        for (unsigned k = 0; k < 2; k++)
            b->size[k] = flat[pointer >> MALI_ASTC_FLAT_BITS * k & 7];
    if (b->codec == GPU_BLOCK_ASTC_3D)
        for (unsigned k = 0; k < 3; k++)
            b->size[k] = volume[pointer >> MALI_ASTC_VOLUME_BITS * k & 3];
}

void gpu_block_decode(const struct gpu_blocks *b, const uint8_t *raw, const unsigned at[3],
                      double v[4])
{
    if (b->codec >= GPU_BLOCK_ASTC)
        gpu_astc_decode(b, raw, at, v);
    else if (b->codec == GPU_BLOCK_BC7)
        gpu_bc7_decode(raw, at[1] * b->size[0] + at[0], v);
    else if (b->codec == GPU_BLOCK_BC6H || b->codec == GPU_BLOCK_BC6H_SIGNED)
        gpu_bc6h_decode(raw, at[1] * b->size[0] + at[0], b->codec == GPU_BLOCK_BC6H_SIGNED, v);
    else if (b->codec <= GPU_BLOCK_BC5_SIGNED)
        gpu_bc_decode(b->codec, raw, at[0], at[1], v);
    else
        gpu_etc_decode(b->codec, raw, at[0], at[1], v);
}
