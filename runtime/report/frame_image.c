#include "runtime/report/frame_image.h"

#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/display/image.h"
#include "runtime/gpu/graphics_watch.h"

void frame_image_copy(struct image *to, const struct gpu_frame_note *part, const uint32_t *colors)
{
    for (uint32_t y = 0; y < part->rows && part->top + y < to->height; y++)
        for (uint32_t x = 0; x < part->columns && part->left + x < to->width; x++)
            to->pixels[(size_t)(part->top + y) * to->width + part->left + x] =
                colors[(size_t)y * part->columns + x];
}

void frame_image_overdraw(struct image *to, const struct gpu_frame_note *part)
{
    size_t count = (size_t)part->columns * part->rows;
    uint32_t *grey = xcalloc(count + 1, sizeof(*grey));

    for (size_t i = 0; i < count; i++)
        grey[i] = (part->overdraw[i] < 8 ? 32u * part->overdraw[i] : 255) * 0x010101;
    frame_image_copy(to, part, grey);
    free(grey);
}
