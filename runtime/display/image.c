/* Images of a screen in memory, and how a frame buffer becomes one. */

#include "runtime/display/image.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"

void image_resize(struct image *image, uint32_t width, uint32_t height)
{
    width = width < IMAGE_MAX_SIDE ? width : IMAGE_MAX_SIDE;
    height = height < IMAGE_MAX_SIDE ? height : IMAGE_MAX_SIDE;
    free(image->pixels);
    image->width = width;
    image->height = height;
    image->pixels = xcalloc((size_t)width * height + 1, sizeof(*image->pixels));
}

void image_free(struct image *image)
{
    free(image->pixels);
    *image = (struct image){0};
}

/* ---- from frame buffers ---------------------------------------------------------------------- */

/* Pixel `n` of a line. */
static uint32_t pixel_at(const struct frame *f, const uint8_t *line, uint32_t n)
{
    unsigned bytes = f->bits / 8;
    uint32_t value = 0;

    if (!bytes) {
        unsigned per_byte = 8 / f->bits, place = n % per_byte;

        place = f->big_endian ? per_byte - 1 - place : place;
        return line[n / per_byte] >> place * f->bits & ((1u << f->bits) - 1);
    }
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint32_t)line[(size_t)n * bytes + i] << 8 * (f->big_endian ? bytes - 1 - i : i);
    return value;
}

/* Extends a channel to 8 bits, by repeating its bits to the right. */
static uint32_t widen_channel(struct frame_channel c, uint32_t pixel)
{
    uint32_t value = pixel >> c.shift & ((1u << c.width) - 1), wide = 0;

    if (!c.width)
        return 0;
    for (int at = 8 - c.width; at > -c.width; at -= c.width)
        wide |= at >= 0 ? value << at : value >> -at;
    return wide;
}

static uint32_t colour_of(const struct frame *f, uint32_t pixel)
{
    if (f->palette && f->bits <= 8)
        return f->palette[pixel];
    return widen_channel(f->red, pixel) << 16 | widen_channel(f->green, pixel) << 8 |
           widen_channel(f->blue, pixel);
}

/* Converts a line. Screens have long runs of one colour. */
static void convert_line(const struct frame *f, const uint8_t *line, uint32_t width, uint32_t *to)
{
    uint32_t last = 0, colour = colour_of(f, 0);

    for (uint32_t x = 0; x < width; x++) {
        uint32_t pixel = pixel_at(f, line, x);

        if (pixel != last)
            colour = colour_of(f, pixel);
        last = pixel;
        to[x] = colour;
    }
}

/* Line `y`, of `len` bytes; NULL: it is not in memory. */
static const uint8_t *line_of(const struct frame *frame, struct bus *bus, uint32_t y, uint64_t len)
{
    int64_t offset = frame->stride * (int64_t)y;

    if (frame->host)
        return frame->host + offset;
    return bus_ram_ptr(bus, frame->address + (uint64_t)offset, len);
}

/* One colour of a cursor's pixel over that of the image. A cursor's colour may be above its alpha:
 * the sum is then cut. */
static uint32_t blend_channel(uint32_t over, uint32_t under, unsigned shift)
{
    uint32_t rest = 255 - (over >> 24);
    uint32_t sum = (over >> shift & 0xff) + ((under >> shift & 0xff) * rest + 127) / 255;

    return (sum < 255 ? sum : 255) << shift;
}

static void draw_cursor(struct image *image, const struct frame_cursor *c)
{
    for (uint32_t y = 0; y < c->height; y++) {
        for (uint32_t x = 0; x < c->width; x++) {
            int64_t to_x = (int64_t)c->x + x, to_y = (int64_t)c->y + y;
            uint32_t over = c->pixels[(size_t)y * c->width + x], *to;

            if (to_x < 0 || to_y < 0 || to_x >= image->width || to_y >= image->height)
                continue;
            to = &image->pixels[(size_t)to_y * image->width + (size_t)to_x];
            *to = blend_channel(over, *to, 16) | blend_channel(over, *to, 8) |
                  blend_channel(over, *to, 0);
        }
    }
}

void image_from_frame(struct image *image, const struct frame *frame, struct bus *bus)
{
    uint32_t width = frame->width < IMAGE_MAX_SIDE ? frame->width : IMAGE_MAX_SIDE;
    uint32_t height = frame->height < IMAGE_MAX_SIDE ? frame->height : IMAGE_MAX_SIDE;
    uint64_t len = ((uint64_t)width * frame->bits + 7) / 8;

    if (image->width != width || image->height != height || !image->pixels)
        image_resize(image, width, height);
    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *line = line_of(frame, bus, y, len);
        uint32_t *to = image->pixels + (size_t)y * width;

        if (line)
            convert_line(frame, line, width, to);
        else
            memset(to, 0, width * sizeof(*to));
    }
    draw_cursor(image, &frame->cursor);
}
