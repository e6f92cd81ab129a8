/* Frames in memory, depth and stencil, triangles: what these tests share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mali_layout.h"
#include "tests/graphics/parts.h"

uint8_t parts_memory[PARTS_BYTES];

static uint32_t translate_page(void *opaque, uint64_t va, enum gpu_access access,
                               struct gpu_page *out)
{
    (void)opaque;
    (void)access;
    if (va >= PARTS_BYTES)
        return 7;
    *out =
        (struct gpu_page){.host = parts_memory, .bytes = PARTS_BYTES, .read = true, .write = true};
    return 0;
}

const struct gpu_address_space parts_space = {.translate = translate_page};

struct gfx_frame parts_frame(unsigned samples)
{
    struct gfx_frame f = {.version = 7,
                          .box = {3, 2, 20, 18},
                          .samples = samples,
                          .places = samples,
                          .targets = 1,
                          .size = {20, 18}};
    struct gfx_target *t = &f.target[0];

    t->tile = gfx_tile_format(MALI_TILE_FORMAT_R8G8B8A8, 4);
    t->memory = gfx_memory_format(7, MALI_COLOR_FORMAT_R8G8B8A8, t->tile);
    t->swizzle = 0 | 1 << 3 | 2 << 6 | 3 << 9;
    t->write = t->clean_write = true;
    t->surface =
        (struct gfx_surface){.base = PARTS_SURFACE, .row_stride = PARTS_ROW, .blocks = GFX_LINEAR};
    f.zs.depth_format = MALI_DEPTH_FORMAT_D24;
    return f;
}

int main(void)
{
    return run_writeback_tests() + run_zs_tests() + run_setup_tests() + run_frame_tests() +
           run_watch_tests() + run_unit_tests();
}
