/*
 * Images of frames that jobs draw. A frame arrives in parts, whole rows of tiles each
 * (runtime/gpu/graphics_watch.h).
 */
#ifndef RUNTIME_REPORT_FRAME_IMAGE_H
#define RUNTIME_REPORT_FRAME_IMAGE_H

#include <stdint.h>

struct gpu_frame_note;
struct image;

/* Copies the colours of a part, 0xrrggbb row by row, to the part's place in the frame's image.
 * Pixels outside the image are left out. */
void frame_image_copy(struct image *to, const struct gpu_frame_note *part, const uint32_t *colors);

/* Draws how often the pixels of a part were shaded, in grey levels: 32 per fragment, white from 8
 * fragments on. */
void frame_image_overdraw(struct image *to, const struct gpu_frame_note *part);

#endif
