/*
 * Forms warps of another width. A new warp consists of strands; a strand is the lanes that the warp
 * takes from one row of the trace. A strand's cursor returns what these lanes executed, in the
 * order in which they would execute it alone. In each step the strands at the lowest address run
 * together, up to the address at which another strand waits.
 *
 * Bounds      memory: MAX_REFORMED bytes of streams per job
 *             time: a step takes a record of a strand, or the part of a record up to the address at
 *             which another strand waits
 */
#include "runtime/timing/reform.h"

#include <inttypes.h>
#include <stdlib.h>

#include "runtime/base/alloc.h"

enum { MAX_REFORMED = 1 << 30 };

struct strand {
    struct timing_cursor cursor;
    unsigned from, to; /* first lane in the row and in the new warp */
    uint32_t at;       /* next bundle of the cursor's record */
    uint64_t times;    /* executions of the record's bundles that are left */
    bool runs;         /* is part of the current step */
};

/* An access of several strands. */
struct access {
    enum timing_access access;
    uint32_t lanes, bytes;
    uint64_t address[TIMING_ROW_LANES];
};

struct reform {
    const struct timing_job *job;
    unsigned width;
    struct timing_writer writer;
    struct strand strand[TIMING_ROW_LANES];
    unsigned strands;
    VEC(struct access) accesses; /* accesses of the current step */
    uint64_t bytes;              /* bytes of the streams so far */
};

/* A step: bundles that the strands at the lowest address execute together. */
struct step {
    uint32_t bundle, count; /* first bundle, number of bundles */
    uint64_t times;
    uint32_t lanes; /* lanes of the new warp */
    bool memory;
};

static uint32_t lanes_of(const struct strand *s, uint32_t row_lanes)
{
    return (row_lanes & s->cursor.warp_lanes) >> s->from << s->to;
}

static void take_event(struct strand *s)
{
    timing_cursor_next(&s->cursor);
    s->at = s->cursor.first;
    s->times = s->cursor.times;
}

static bool has_bundles(const struct strand *s)
{
    return s->cursor.event == TIMING_RUN || s->cursor.event == TIMING_MEMORY;
}

/* ---- choosing a step ------------------------------------------------------------------------- */

static uint64_t address_of(const struct reform *r, uint32_t bundle)
{
    return r->job->bundles.data[bundle].address;
}

/* Finds the bundle at the lowest address. false: all strands have ended. */
static bool find_lowest(const struct reform *r, uint32_t *out)
{
    bool found = false;

    for (unsigned i = 0; i < r->strands; i++) {
        const struct strand *s = &r->strand[i];

        if (has_bundles(s) && (!found || address_of(r, s->at) < address_of(r, *out))) {
            *out = s->at;
            found = true;
        }
    }
    return found;
}

/* Limits a step to the bundles before the address at which other strands wait. */
static void stop_at_waiting(const struct reform *r, struct step *step)
{
    uint64_t waiting = UINT64_MAX;
    uint32_t n = 1;

    for (unsigned i = 0; i < r->strands; i++) {
        const struct strand *s = &r->strand[i];

        if (has_bundles(s) && !s->runs && address_of(r, s->at) < waiting)
            waiting = address_of(r, s->at);
    }
    if (waiting == UINT64_MAX)
        return;
    while (n < step->count && address_of(r, step->bundle + n) < waiting)
        n++;
    step->count = n;
}

static bool choose_step(struct reform *r, struct step *step)
{
    *step = (struct step){.count = UINT32_MAX, .times = UINT64_MAX};
    if (!find_lowest(r, &step->bundle))
        return false;
    for (unsigned i = 0; i < r->strands; i++) {
        struct strand *s = &r->strand[i];
        uint32_t left = s->cursor.first + s->cursor.count - s->at;

        s->runs = has_bundles(s) && s->at == step->bundle;
        if (!s->runs)
            continue;
        step->lanes |= lanes_of(s, s->cursor.lanes);
        step->memory |= s->cursor.event == TIMING_MEMORY;
        step->count = left < step->count ? left : step->count;
        step->times = s->times < step->times ? s->times : step->times;
    }
    stop_at_waiting(r, step);
    for (unsigned i = 0; i < r->strands; i++)
        if (r->strand[i].runs &&
            (r->strand[i].cursor.first != step->bundle || r->strand[i].cursor.count != step->count))
            step->times = 1; /* the step is a part of a strand's record */
    return true;
}

/* ---- accesses -------------------------------------------------------------------------------- */

/* The access to which a strand's `lanes` are added: the first from number *at on that has the kind
 * and size of *t and none of these lanes. A new access is made if there is none. */
static struct access *access_for(struct reform *r, const struct timing_touch *t, uint32_t lanes,
                                 size_t *at)
{
    for (; *at < r->accesses.len; ++*at) {
        struct access *a = &r->accesses.data[*at];

        if (a->access == t->access && a->bytes == t->bytes && !(a->lanes & lanes))
            return a;
    }
    vec_push(&r->accesses, (struct access){.access = t->access, .bytes = t->bytes});
    return &r->accesses.data[*at];
}

static void collect_accesses(struct reform *r, struct strand *s)
{
    struct timing_touch t;
    size_t at = 0;

    while (timing_cursor_access(&s->cursor, &t)) {
        struct access *a = access_for(r, &t, lanes_of(s, t.lanes), &at);

        a->lanes |= lanes_of(s, t.lanes);
        for (uint32_t left = t.lanes; left; left &= left - 1) {
            unsigned l = (unsigned)__builtin_ctz(left);

            a->address[l - s->from + s->to] = timing_touch_at(&t, l);
        }
    }
}

static void write_accesses(struct reform *r, const struct step *step)
{
    r->accesses.len = 0;
    for (unsigned i = 0; i < r->strands; i++)
        if (r->strand[i].runs && r->strand[i].cursor.event == TIMING_MEMORY)
            collect_accesses(r, &r->strand[i]);
    r->writer.bundle = step->bundle;
    for (size_t i = 0; i < r->accesses.len; i++) {
        const struct access *a = &r->accesses.data[i];

        timing_writer_touch(&r->writer, a->access, a->lanes, a->address, a->bytes);
    }
}

/* ---- warps ----------------------------------------------------------------------------------- */

static void advance_strand(struct strand *s, const struct step *step)
{
    s->at += step->count;
    if (s->at < s->cursor.first + s->cursor.count)
        return;
    s->times -= step->times;
    s->at = s->cursor.first;
    if (!s->times)
        take_event(s);
}

/* Writes a barrier if any strand is at one, and moves these strands behind it. */
static void pass_barriers(struct reform *r)
{
    bool waits = false;

    for (unsigned i = 0; i < r->strands; i++)
        if (r->strand[i].cursor.event == TIMING_BARRIER) {
            waits = true;
            take_event(&r->strand[i]);
        }
    if (waits)
        timing_writer_barrier(&r->writer);
}

static void write_step(struct reform *r, const struct step *step)
{
    if (step->memory) {
        write_accesses(r, step);
        timing_writer_bundle(&r->writer, step->bundle, step->lanes);
    } else {
        timing_writer_runs(&r->writer, step->bundle, step->count, step->times, step->lanes);
    }
    for (unsigned i = 0; i < r->strands; i++)
        if (r->strand[i].runs)
            advance_strand(&r->strand[i], step);
}

static uint32_t low_bits(unsigned n)
{
    return n >= 32 ? UINT32_MAX : (1u << n) - 1;
}

static uint64_t threads_of(const struct timing_job *job, const struct timing_group *g)
{
    return (uint64_t)(g->row_count - 1) * job->row_width + g->rows[g->row_count - 1].lanes;
}

/* Begins the strands of threads `first` to `end` - 1. */
static void begin_strands(struct reform *r, const struct timing_group *g, uint64_t first,
                          uint64_t end)
{
    unsigned width = r->job->row_width;

    r->strands = 0;
    for (uint64_t at = first; at < end;) {
        struct strand *s = &r->strand[r->strands++];
        uint64_t row = at / width, behind = (row + 1) * width < end ? (row + 1) * width : end;

        *s = (struct strand){.from = (unsigned)(at % width), .to = (unsigned)(at - first)};
        timing_cursor_begin(&s->cursor, r->job, &g->rows[row], 0);
        s->cursor.warp_lanes = low_bits((unsigned)(behind - at)) << s->from;
        take_event(s);
        at = behind;
    }
}

static bool write_warp(struct reform *r, const struct timing_group *g, uint64_t first,
                       struct timing_row *out)
{
    uint64_t threads = threads_of(r->job, g);
    uint64_t end = first + r->width < threads ? first + r->width : threads;
    struct step step;

    out->lanes = (unsigned)(end - first);
    begin_strands(r, g, first, end);
    timing_writer_begin(&r->writer, low_bits(out->lanes));
    for (pass_barriers(r); choose_step(r, &step); pass_barriers(r)) {
        write_step(r, &step);
        if (r->bytes + r->writer.out.len > MAX_REFORMED)
            break;
    }
    timing_writer_end(&r->writer, out);
    r->bytes += out->bytes;
    return r->bytes <= MAX_REFORMED;
}

static bool write_group(struct reform *r, const struct timing_group *g, struct timing_job *out,
                        struct error *err)
{
    uint64_t threads = threads_of(r->job, g), warps = (threads + r->width - 1) / r->width;
    struct timing_group made = {.index = g->index};
    bool good = warps <= UINT32_MAX;

    for (unsigned i = 0; i + 1 < g->row_count; i++)
        if (g->rows[i].lanes != r->job->row_width)
            return error_set(err, "a row of work-group %" PRIu64 " is not full", g->index);
    made.rows = xcalloc(good ? warps : 1, sizeof(*made.rows));
    for (uint64_t i = 0; i < warps && good; i++)
        good = write_warp(r, g, i * r->width, &made.rows[made.row_count++]);
    vec_push(&out->groups, made);
    return good || error_set(err, "its warps of %u lanes take too much memory", r->width);
}

bool timing_job_reform(const struct timing_job *job, unsigned width, struct timing_job *out,
                       struct error *err)
{
    struct reform r = {.job = job, .width = width};
    bool good = width >= 1 && width <= TIMING_ROW_LANES;

    *out = (struct timing_job){.header = job->header,
                               .shader = job->shader,
                               .group_threads = job->group_threads,
                               .warp_width = width,
                               .row_width = width,
                               .group_total = job->group_total,
                               .cores = job->cores};
    if (!good)
        return error_set(err, "warps have 1 to %d lanes, not %u", TIMING_ROW_LANES, width);
    for (size_t i = 0; i < job->bundles.len; i++)
        vec_push(&out->bundles, job->bundles.data[i]);
    for (size_t i = 0; i < job->groups.len && good; i++)
        good = write_group(&r, &job->groups.data[i], out, err);
    timing_writer_release(&r.writer);
    vec_free(&r.accesses);
    if (!good)
        timing_job_release(out);
    return good;
}
