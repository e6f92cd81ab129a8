/*
 * The frames of a run as PNG files: the colours that they store (-png), and how many fragments were
 * shaded per pixel (-overdraw).
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
#include "runtime/report/frame_image.h"

enum { TARGETS = 8, MAX_FILES = 1000 };

/* Pictures of one kind: FILE.png, FILE-2.png, … */
struct pictures {
    const char *option, *path; /* path NULL: not wanted */
    unsigned files;
};

struct run_frames {
    struct pictures colors, overdraw;
    struct gpu_graphics_watch watch;
    struct image image[TARGETS]; /* targets of the present frame; without pixels: not written */
    struct image times;          /* overdraw */
    unsigned frames;
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
        image_free(&f->image[i]);
        if (n->colors[i] && f->colors.path)
            image_resize(&f->image[i], n->width, n->height);
    }
    image_free(&f->times);
    if (f->overdraw.path)
        image_resize(&f->times, n->width, n->height);
}

static void write_picture(struct run_frames *f, struct pictures *kind, const struct image *image,
                          const char *what)
{
    char *name;

    if (kind->files == MAX_FILES || f->err.text[0])
        return;
    name = name_of_file(kind->path, ++kind->files);
    if (image_write_png(image, name, &f->err))
        printf("%s: frame %u, %s, %u x %u\n", name, f->frames, what, image->width, image->height);
    free(name);
}

static void take_frame(void *opaque, const struct gpu_frame_note *n)
{
    static const char *const targets[TARGETS] = {"target 0", "target 1", "target 2", "target 3",
                                                 "target 4", "target 5", "target 6", "target 7"};
    struct run_frames *f = opaque;

    if (n->first) {
        begin_frame(f, n);
        f->frames++;
    }
    for (unsigned i = 0; i < n->targets && i < TARGETS; i++) {
        if (!n->colors[i] || !f->image[i].pixels)
            continue;
        frame_image_copy(&f->image[i], n, n->colors[i]);
        if (n->last)
            write_picture(f, &f->colors, &f->image[i], targets[i]);
    }
    if (!f->overdraw.path)
        return;
    frame_image_overdraw(&f->times, n);
    if (n->last)
        write_picture(f, &f->overdraw, &f->times, "overdraw");
}

struct run_frames *run_frames_new(const char *colors, const char *overdraw, struct gpu_cores *c)
{
    struct run_frames *f = xcalloc(1, sizeof(*f));

    f->colors = (struct pictures){.option = "-png", .path = colors};
    f->overdraw = (struct pictures){.option = "-overdraw", .path = overdraw};
    f->watch = (struct gpu_graphics_watch){.opaque = f, .frame = take_frame};
    gpu_cores_watch_graphics(c, &f->watch);
    return f;
}

static bool has_files(const struct pictures *kind, const char *what, struct error *err)
{
    return !kind->path || kind->files ||
           error_set(err, "%s %.200s: %s was drawn", kind->option, kind->path, what);
}

bool run_frames_finish(const struct run_frames *f, struct error *err)
{
    if (f->err.text[0])
        return error_set(err, "%s", f->err.text);
    return has_files(&f->colors, "no frame with colours", err) &&
           has_files(&f->overdraw, "no frame", err);
}

void run_frames_free(struct run_frames *f)
{
    if (!f)
        return;
    for (unsigned i = 0; i < TARGETS; i++)
        image_free(&f->image[i]);
    image_free(&f->times);
    free(f);
}
