/*
 * The frames of a run as PNG files: -png.
 *
 * Bounds      IMAGE_MAX_SIDE pixels per side, MAX_FILES files
 */
#include <stdlib.h>
#include <string.h>

#include "common/vec.h"
#include "programs/mali-run/run.h"
#include "runtime/base/alloc.h"
#include "runtime/display/image.h"
#include "runtime/gpu/graphics_watch.h"

enum { TARGETS = 8, MAX_FILES = 1000 };

struct run_frames {
    const char *path;
    struct gpu_graphics_watch watch;
    struct image image[TARGETS]; /* targets of the present frame; without pixels: not written */
    unsigned frames, files;
    struct error err; /* the first error */
};

/* The name of file number `n`, from 1 on: the path, or the path with -n before its ending. */
static char *name_of_file(const char *path, unsigned n)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    size_t stem = dot && dot > (slash ? slash + 1 : path) ? (size_t)(dot - path) : strlen(path);
    char *name = NULL;

    if (n == 1)
        return xstrdup(path);
    return asprintf(&name, "%.*s-%u%s", (int)stem, path, n, path + stem) < 0 ? NULL : name;
}

static void begin_frame(struct run_frames *f, const struct gpu_frame_note *n)
{
    for (unsigned i = 0; i < TARGETS; i++) {
        struct image *image = &f->image[i];

        free(image->pixels);
        *image = (struct image){0};
        if (!n->colors[i])
            continue;
        image->width = n->width < IMAGE_MAX_SIDE ? n->width : IMAGE_MAX_SIDE;
        image->height = n->height < IMAGE_MAX_SIDE ? n->height : IMAGE_MAX_SIDE;
        image->pixels = xcalloc((size_t)image->width * image->height + 1, sizeof(*image->pixels));
    }
}

static void copy_part(struct image *to, const struct gpu_frame_note *n, const uint32_t *colors)
{
    for (uint32_t y = 0; y < n->rows && n->top + y < to->height; y++)
        for (uint32_t x = 0; x < n->columns && n->left + x < to->width; x++)
            to->pixels[(size_t)(n->top + y) * to->width + n->left + x] =
                colors[(size_t)y * n->columns + x];
}

static void write_target(struct run_frames *f, unsigned target)
{
    const struct image *image = &f->image[target];
    char *name;

    if (f->files == MAX_FILES || f->err.text[0])
        return;
    name = name_of_file(f->path, ++f->files);
    if (image_write_png(image, name, &f->err))
        printf("%s: frame %u, target %u, %u x %u\n", name, f->frames, target, image->width,
               image->height);
    free(name);
}

static void take_frame(void *opaque, const struct gpu_frame_note *n)
{
    struct run_frames *f = opaque;

    if (n->first) {
        begin_frame(f, n);
        f->frames++;
    }
    for (unsigned i = 0; i < n->targets && i < TARGETS; i++) {
        if (!n->colors[i] || !f->image[i].pixels)
            continue;
        copy_part(&f->image[i], n, n->colors[i]);
        if (n->last)
            write_target(f, i);
    }
}

struct run_frames *run_frames_new(const char *path, struct gpu_cores *c)
{
    struct run_frames *f = xcalloc(1, sizeof(*f));

    f->path = path;
    f->watch = (struct gpu_graphics_watch){.opaque = f, .frame = take_frame};
    gpu_cores_watch_graphics(c, &f->watch);
    return f;
}

bool run_frames_finish(const struct run_frames *f, struct error *err)
{
    if (f->err.text[0])
        return error_set(err, "%s", f->err.text);
    return f->files || error_set(err, "-png %.200s: no frame with colours was drawn", f->path);
}

void run_frames_free(struct run_frames *f)
{
    if (!f)
        return;
    for (unsigned i = 0; i < TARGETS; i++)
        free(f->image[i].pixels);
    free(f);
}
