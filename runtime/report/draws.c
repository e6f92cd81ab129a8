/*
 * Draws of frames: what each one gave the tiler, and what became of it in the fragment jobs.
 *
 * Bounds      MAX_DRAWS draws and MAX_FRAMES frames are kept; later ones are left out
 */
#include <inttypes.h>
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/gpu/graphics_watch.h"
#include "runtime/report/internal.h"

enum { MAX_DRAWS = 65536, MAX_FRAMES = 65536 };

struct draw {
    unsigned frame, number;
    uint64_t address, shader;
    struct gpu_primitives_note made; /* zero: no tiler job was seen, as with a FRAGMENT job alone */
    struct gpu_draw_counts counts;
};

struct frame {
    uint64_t descriptor, written_bytes;
    uint32_t width, height;
    unsigned targets;
};

struct report_draws {
    struct gpu_graphics_watch watch;
    VEC(struct gpu_primitives_note) made; /* by tiler jobs, for frames to come; the newest last */
    VEC(struct draw) draws;
    VEC(struct frame) frames;
    unsigned frame; /* number of the frame that is being drawn */
    unsigned start; /* its first draw */
};

static void note_primitives(void *opaque, const struct gpu_primitives_note *n)
{
    struct report_draws *d = opaque;

    vec_for_each (&d->made, m) {
        if (m->draw == n->draw) {
            *m = *n;
            return;
        }
    }
    if (d->made.len < MAX_DRAWS)
        vec_push(&d->made, *n);
}

/* What a tiler job made for the draw, which is then forgotten. */
static struct gpu_primitives_note take_made(struct report_draws *d, uint64_t address)
{
    struct gpu_primitives_note none = {0}, found;

    for (unsigned i = 0; i < d->made.len; i++) {
        if (d->made.data[i].draw != address)
            continue;
        found = d->made.data[i];
        d->made.data[i] = d->made.data[--d->made.len];
        return found;
    }
    return none;
}

static void add_counts(struct gpu_draw_counts *to, const struct gpu_draw_counts *c)
{
#define ADD(field, name) to->field += c->field;
    GPU_DRAW_COUNTS(ADD)
#undef ADD
}

static void note_draw(void *opaque, const struct gpu_draw_note *n)
{
    struct report_draws *d = opaque;

    for (unsigned i = d->start; i < d->draws.len; i++) {
        struct draw *known = &d->draws.data[i];

        if (known->address == n->draw && known->number == n->number && known->shader == n->shader) {
            add_counts(&known->counts, &n->counts);
            return;
        }
    }
    if (d->draws.len < MAX_DRAWS)
        vec_push(&d->draws, (struct draw){d->frame, n->number, n->draw, n->shader,
                                          take_made(d, n->draw), n->counts});
}

static void note_frame(void *opaque, const struct gpu_frame_note *n)
{
    struct report_draws *d = opaque;

    if (d->frame == d->frames.len && d->frames.len < MAX_FRAMES)
        vec_push(&d->frames, (struct frame){n->descriptor, 0, n->width, n->height, n->targets});
    if (d->frame < d->frames.len)
        d->frames.data[d->frame].written_bytes += n->written_bytes;
    if (!n->last)
        return;
    d->frame++;
    d->start = d->draws.len;
}

struct report_draws *report_draws_new(struct gpu_cores *c)
{
    struct report_draws *d = xcalloc(1, sizeof(*d));

    d->watch = (struct gpu_graphics_watch){
        .opaque = d, .primitives = note_primitives, .draw = note_draw, .frame = note_frame};
    gpu_cores_watch_graphics(c, &d->watch);
    return d;
}

void report_draws_free(struct report_draws *d)
{
    if (!d)
        return;
    vec_free(&d->made);
    vec_free(&d->draws);
    vec_free(&d->frames);
    free(d);
}

bool report_write_draws(const struct report *r, FILE *out)
{
    const struct report_draws *d = r->draws;

    fputs("frame,draw,address,shader,vertices", out);
#define NAME(field, name) fputs("," name, out);
    GPU_DRAW_COUNTS(NAME)
#undef NAME
    for (unsigned i = 0; d && i < d->draws.len; i++) {
        const struct draw *draw = &d->draws.data[i];

        if (draw->address)
            fprintf(out, "\n%u,%u,0x%" PRIx64, draw->frame, draw->number, draw->address);
        else
            fprintf(out, "\n%u,frame shader,", draw->frame);
        fprintf(out, ",0x%" PRIx64 ",%" PRIu64, draw->shader, draw->made.vertices);
#define VALUE(field, name) fprintf(out, ",%" PRIu64, draw->counts.field);
        GPU_DRAW_COUNTS(VALUE)
#undef VALUE
    }
    fputc('\n', out);
    return !ferror(out);
}

bool report_write_frames(const struct report *r, FILE *out)
{
    const struct report_draws *d = r->draws;

    fputs("frame,descriptor,width,height,targets,written_bytes", out);
    for (unsigned i = 0; d && i < d->frames.len; i++) {
        const struct frame *f = &d->frames.data[i];

        fprintf(out, "\n%u,0x%" PRIx64 ",%" PRIu32 ",%" PRIu32 ",%u,%" PRIu64, i, f->descriptor,
                f->width, f->height, f->targets, f->written_bytes);
    }
    fputc('\n', out);
    return !ferror(out);
}
