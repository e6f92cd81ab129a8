/*
 * Pictures of overdraw in a report's folder: overdraw-N.png of frame N.
 *
 * Bounds      the first MAX_PICTURES frames with fragments, of at most MAX_PIXELS pixels each
 */
#include "runtime/display/image.h"

#include <stdlib.h>
#include <unistd.h>

#include "runtime/base/alloc.h"
#include "runtime/gpu/graphics_watch.h"
#include "runtime/report/frame_image.h"
#include "runtime/report/internal.h"

enum { MAX_PICTURES = 16, MAX_PIXELS = 1 << 22 };

struct report_overdraw {
    const char *folder;
    struct image image; /* of the present frame; without pixels: there will be no picture of it */
    bool shaded;        /* a fragment of the present frame was shaded */
    unsigned pictures;  /* number of files */
    struct error err;   /* the first error */
};

/* Puts the path of a frame's picture into `path`. Returns whether there is room. */
static bool picture_path(const struct report_overdraw *o, unsigned frame, char *path, size_t size)
{
    return snprintf(path, size, "%s/overdraw-%u.png", o->folder, frame) < (int)size;
}

/* Another report in the folder may have had more frames, whose pictures nothing would replace. */
static void remove_pictures(const struct report_overdraw *o)
{
    char path[4096];

    for (unsigned frame = 0; frame < REPORT_FRAMES; frame++) {
        if (picture_path(o, frame, path, sizeof(path)))
            unlink(path);
    }
}

struct report_overdraw *report_overdraw_new(const char *folder)
{
    struct report_overdraw *o = xcalloc(1, sizeof(*o));

    o->folder = folder;
    remove_pictures(o);
    return o;
}

void report_overdraw_free(struct report_overdraw *o)
{
    if (o)
        image_free(&o->image);
    free(o);
}

static void begin_frame(struct report_overdraw *o, const struct gpu_frame_note *n, unsigned frame)
{
    bool fits = n->width <= IMAGE_MAX_SIDE && n->height <= IMAGE_MAX_SIDE &&
                n->width * n->height <= MAX_PIXELS;

    image_free(&o->image);
    o->shaded = false;
    if (fits && frame < REPORT_FRAMES && o->pictures < MAX_PICTURES)
        image_resize(&o->image, n->width, n->height);
}

static bool write_picture(struct report_overdraw *o, unsigned frame)
{
    char path[4096];

    if (!picture_path(o, frame, path, sizeof(path)))
        return error_set(&o->err, "cannot write %.150s/overdraw-%u.png", o->folder, frame);
    o->pictures++;
    return image_write_png(&o->image, path, &o->err);
}

bool report_overdraw_take(struct report_overdraw *o, const struct gpu_frame_note *n, unsigned frame)
{
    if (n->first)
        begin_frame(o, n, frame);
    if (!o->image.pixels || o->err.text[0])
        return false;
    frame_image_overdraw(&o->image, n);
    for (size_t i = 0; i < (size_t)n->columns * n->rows; i++)
        o->shaded |= n->overdraw[i] > 0;
    return n->last && o->shaded && write_picture(o, frame);
}

bool report_overdraw_good(const struct report_overdraw *o, struct error *err)
{
    return !o->err.text[0] || error_set(err, "%s", o->err.text);
}
