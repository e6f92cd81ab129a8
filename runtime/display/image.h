/*
 * Images: the frame of a display controller as pixels of the host, and PNG files.
 */
#ifndef RUNTIME_DISPLAY_IMAGE_H
#define RUNTIME_DISPLAY_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/error.h"
#include "runtime/mem/bus.h"

#define IMAGE_MAX_SIDE 4096u /* pixels; larger sizes of a controller are cut */

/* A colour's bits in a pixel; width 0: the colour is absent. */
struct frame_channel {
    uint8_t shift, width; /* shift + width <= 32, width <= 8 */
};

/* A picture over the frame, cut at its edges. */
struct frame_cursor {
    int32_t x, y;           /* of its top left corner, in the frame */
    uint32_t width, height; /* pixels; 0: there is none */
    /* 0xaarrggbb, line by line, where the colours are multiplied by the alpha already */
    const uint32_t *pixels;
};

/* A frame buffer in guest memory, or in a device's own. */
struct frame {
    uint64_t address;       /* address of the first line */
    const uint8_t *host;    /* the first line in the device's memory; NULL: it is at `address` */
    uint32_t width, height; /* pixels */
    int64_t stride;         /* bytes from a line to the next */
    unsigned bits;          /* bits per pixel: 1, 2, 4, 8, 16, 24 or 32 */
    /* The first pixel of a byte is in its high bits; of a pixel with several bytes, the most
     * significant byte comes first. */
    bool big_endian;
    struct frame_channel red, green, blue;
    /* 0xrrggbb by the value of a pixel of up to 8 bits; NULL: direct colours */
    const uint32_t *palette;
    struct frame_cursor cursor;
};

/* Pixels are 0xrrggbb, line by line. Zero is an empty image. */
struct image {
    uint32_t width, height;
    uint32_t *pixels;
};

/* Makes the image an all black one of this size; sides above IMAGE_MAX_SIDE are cut. */
void image_resize(struct image *image, uint32_t width, uint32_t height);

/* Makes the image what the frame holds; lines that are not in memory are black. */
void image_from_frame(struct image *image, const struct frame *frame, struct bus *bus);

/* Writes a PNG file with 8 bits per colour; equal images give equal bytes. */
bool image_write_png(const struct image *image, const char *path, struct error *err);

/* Releases the pixels. */
void image_free(struct image *image);

#endif
