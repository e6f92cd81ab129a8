/*
 * Draws of frames: what each one gave the tiler, and what became of it in the fragment jobs.
 *
 * Bounds      MAX_DRAWS draws and MAX_FRAMES frames are kept; later ones are left out. report.json
 *             has the first REPORT_FRAMES frames, with FRAME_DRAWS draws of each
 */
#include <inttypes.h>
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/gpu/graphics_watch.h"
#include "runtime/report/internal.h"

enum { MAX_DRAWS = 65536, MAX_FRAMES = 65536, FRAME_DRAWS = 1024, ADDRESS_TEXT = 24 };

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
    unsigned first_draw, draws; /* of report_draws.draws */
    bool has_picture;           /* of its overdraw */
};

struct report_draws {
    struct gpu_graphics_watch watch;
    VEC(struct gpu_primitives_note) made; /* by tiler jobs, for frames to come; the newest last */
    VEC(struct draw) draws;
    VEC(struct frame) frames;
    unsigned frame; /* number of the frame that is being drawn */
    unsigned start; /* its first draw */
    struct report_overdraw *overdraw;
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
        vec_push(&d->frames, (struct frame){.descriptor = n->descriptor,
                                            .width = n->width,
                                            .height = n->height,
                                            .targets = n->targets,
                                            .first_draw = d->start});
    if (d->frame < d->frames.len) {
        struct frame *f = &d->frames.data[d->frame];

        f->written_bytes += n->written_bytes;
        f->draws = d->draws.len - d->start;
        f->has_picture = report_overdraw_take(d->overdraw, n, d->frame);
    }
    if (!n->last)
        return;
    d->frame++;
    d->start = d->draws.len;
}

struct report_draws *report_draws_new(const char *folder, struct gpu_cores *c)
{
    struct report_draws *d = xcalloc(1, sizeof(*d));

    d->overdraw = report_overdraw_new(folder);
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
    report_overdraw_free(d->overdraw);
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

bool report_draws_good(const struct report_draws *d, struct error *err)
{
    return !d || report_overdraw_good(d->overdraw, err);
}

/* ---- report.json ----------------------------------------------------------------------------- */

static json_t *address_json(uint64_t address)
{
    char text[ADDRESS_TEXT];

    snprintf(text, sizeof(text), "0x%" PRIx64, address);
    return json_string(text);
}

/* A frame shader has no number and no address. */
static json_t *draw_json(const struct draw *draw)
{
    json_t *o = json_object();

    if (draw->address) {
        json_object_set_new(o, "draw", json_integer((json_int_t)draw->number));
        json_object_set_new(o, "address", address_json(draw->address));
    }
    json_object_set_new(o, "shader", address_json(draw->shader));
    json_object_set_new(o, "vertices", json_integer((json_int_t)draw->made.vertices));
#define VALUE(field, name) \
    json_object_set_new(o, name, json_integer((json_int_t)draw->counts.field));
    GPU_DRAW_COUNTS(VALUE)
#undef VALUE
    return o;
}

unsigned report_frame_count(const struct report *r)
{
    return r->draws ? r->draws->frames.len : 0;
}

json_t *report_frame_json(const struct report *r, unsigned number)
{
    const struct report_draws *d = r->draws;
    const struct frame *f = &d->frames.data[number];
    json_t *draws = json_array(), *o;
    uint64_t fragments = 0;
    char name[32];

    for (unsigned i = 0; i < f->draws; i++) {
        const struct draw *draw = &d->draws.data[f->first_draw + i];

        fragments += draw->counts.fragments;
        if (i < FRAME_DRAWS)
            json_array_append_new(draws, draw_json(draw));
    }
    o = json_pack("{so sI sI sI sI sI sI so}", "descriptor", address_json(f->descriptor), "width",
                  (json_int_t)f->width, "height", (json_int_t)f->height, "targets",
                  (json_int_t)f->targets, "written_bytes", (json_int_t)f->written_bytes,
                  "fragments", (json_int_t)fragments, "draw_count", (json_int_t)f->draws, "draws",
                  draws);
    if (f->has_picture) {
        snprintf(name, sizeof(name), "overdraw-%u.png", number);
        json_object_set_new(o, "overdraw", json_string(name));
    }
    return o;
}
