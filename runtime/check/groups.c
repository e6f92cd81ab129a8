/*
 * A work-group's rows, from barrier to barrier. Rows between two barriers may run in any order, so
 * they are followed one after the other.
 *
 * A row's warps may reach a barrier at different times. Its stream is in the order of execution, so
 * the first record of a warp that waits is behind the barrier.
 */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/check/internal.h"

struct row {
    struct timing_cursor cursor;
    uint32_t began, waiting; /* lanes */
    uint32_t step, bundle;   /* number of the record, bundle that was executed last */
    uint32_t barrier;        /* bundle behind which its warps wait */
    bool pending, ended;     /* the cursor's event was not followed yet; the stream has ended */
};

struct walk {
    struct check *c;
    const struct timing_group *group;
    struct row *rows;
    uint32_t number, epoch;
};

/* ---- accesses -------------------------------------------------------------------------------- */

static struct check_moment moment_of(const struct walk *w, unsigned row, uint32_t bundle)
{
    return (struct check_moment){
        .group = w->number + 1,
        .step = w->rows[row].step,
        .epoch = (uint16_t)w->epoch,
        .bundle = bundle < CHECK_NO_BUNDLE ? (uint16_t)bundle : CHECK_NO_BUNDLE,
    };
}

static void follow_lane(struct check *c, const struct check_access *a)
{
    if (a->memory != CHECK_GLOBAL)
        check_written_access(c, a);
    if (a->memory != CHECK_PRIVATE)
        check_cells_access(c, a);
    if (a->memory == CHECK_GLOBAL && a->at.atomic)
        check_order_add(c, a);
}

/* Whether the lanes read global memory that nobody stores to. It is only looked for if they are
 * near each other. */
static bool is_constant(const struct check *c, const struct timing_touch *t)
{
    enum { NEAR = 1 << 18 };
    uint64_t low = UINT64_MAX, high = 0;

    if (t->access != TIMING_LOAD)
        return false;
    for (uint32_t left = t->lanes; left; left &= left - 1) {
        uint64_t at = timing_touch_at(t, (unsigned)__builtin_ctz(left));

        low = at < low ? at : low;
        high = at > high ? at : high;
    }
    return high - low < NEAR && check_cells_unused(c, low, high + t->bytes - 1);
}

static void follow_touch(const struct walk *w, unsigned row, uint32_t bundle,
                         const struct timing_touch *t)
{
    struct check_access a = {
        .at = moment_of(w, row, bundle),
        .memory = check_memory_of(t->access),
        .store = check_is_store(t->access),
        .bytes = t->bytes,
    };

    a.at.atomic = check_is_atomic(t->access);
    check_buffers_touch(w->c, t, row, &a.at,
                        w->rows[row].cursor.accesses >=
                            w->c->trace->bundles.data[bundle].words[TIMING_PIPE_MEMORY]);
    if (is_constant(w->c, t))
        return;
    for (uint32_t left = t->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);

        a.at.item = (uint16_t)(row * w->c->trace->row_width + lane);
        a.address = timing_touch_at(t, lane);
        follow_lane(w->c, &a);
    }
}

/* ---- barriers -------------------------------------------------------------------------------- */

/* The lanes of the row's warps that have some of `lanes`. */
static uint32_t whole_warps(const struct walk *w, const struct row *r, uint32_t lanes)
{
    unsigned width = w->c->trace->warp_width;
    uint32_t warp = width >= 32 ? UINT32_MAX : (1u << width) - 1, out = 0;

    for (unsigned at = 0; at < 32; at += width, warp = width >= 32 ? 0 : warp << width)
        if (lanes & warp)
            out |= warp;
    return out & r->began;
}

static struct check_access barrier_of(const struct walk *w, unsigned row, uint32_t lanes)
{
    struct check_access a = {.at = moment_of(w, row, w->rows[row].barrier)};

    a.at.item = (uint16_t)(row * w->c->trace->row_width + (unsigned)__builtin_ctz(lanes));
    return a;
}

static void reach_barrier(const struct walk *w, unsigned row)
{
    struct row *r = &w->rows[row];
    uint32_t lanes = r->cursor.lanes & r->began, all = whole_warps(w, r, lanes);

    r->waiting |= all;
    r->barrier = r->bundle;
    if (lanes != all) {
        struct check_access a = barrier_of(w, row, lanes), b = barrier_of(w, row, all & ~lanes);

        check_add(w->c, CHECK_PART_OF_WARP, &a, &b);
    }
}

/* Follows a row to the next barrier or its end. */
static void follow_row(const struct walk *w, unsigned row)
{
    struct row *r = &w->rows[row];
    struct timing_touch t;

    while (!r->ended) {
        if (!r->pending)
            timing_cursor_next(&r->cursor);
        r->pending = false;
        if (r->cursor.event == TIMING_END) {
            r->ended = true;
            return;
        }
        if (r->cursor.lanes & r->waiting) {
            r->pending = true;
            return;
        }
        r->step++;
        if (r->cursor.event == TIMING_BARRIER) {
            reach_barrier(w, row);
            continue;
        }
        r->bundle = r->cursor.first + r->cursor.count - 1;
        while (r->cursor.event == TIMING_MEMORY && timing_cursor_access(&r->cursor, &t))
            follow_touch(w, row, r->cursor.first, &t);
    }
}

/* Compares the barriers at which rows wait. */
static void compare_barriers(const struct walk *w)
{
    const struct row *waits = NULL;
    struct check_access a = {0}, b;

    for (unsigned i = 0; i < w->group->row_count; i++) {
        const struct row *r = &w->rows[i];

        if (!r->waiting)
            continue;
        b = barrier_of(w, i, r->waiting);
        if (waits && r->barrier != waits->barrier)
            check_add(w->c, CHECK_OTHER_BARRIER, &a, &b);
        if (!waits) {
            waits = r;
            a = b;
        }
    }
    for (unsigned i = 0; waits && i < w->group->row_count; i++) {
        uint32_t missing = w->rows[i].began & ~w->rows[i].waiting;

        if (!missing)
            continue;
        b = barrier_of(w, i, missing);
        b.at.bundle = CHECK_NO_BUNDLE;
        check_add(w->c, CHECK_BARRIER_MISSED, &a, &b);
    }
}

/* Whether a row goes on behind the barrier. */
static bool pass_barrier(struct walk *w)
{
    bool goes_on = false;

    for (unsigned i = 0; i < w->group->row_count; i++) {
        goes_on |= !w->rows[i].ended;
        w->rows[i].waiting = 0;
    }
    w->epoch++;
    return goes_on;
}

static uint32_t low_lanes(unsigned n)
{
    return n >= 32 ? UINT32_MAX : (1u << n) - 1;
}

void check_group(struct check *c, const struct timing_group *g, uint32_t number)
{
    struct walk w = {.c = c, .group = g, .number = number};

    w.rows = xcalloc(g->row_count + 1, sizeof(*w.rows));
    for (unsigned i = 0; i < g->row_count; i++) {
        timing_cursor_begin(&w.rows[i].cursor, c->trace, &g->rows[i], 0);
        w.rows[i].cursor.warp_lanes = UINT32_MAX;
        w.rows[i].began = low_lanes(g->rows[i].lanes);
    }
    do {
        for (unsigned i = 0; i < g->row_count; i++)
            follow_row(&w, i);
        compare_barriers(&w);
    } while (pass_barrier(&w));
    check_written_group(c);
    free(w.rows);
}
