/* Writes streams of rows. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/timing/stream.h"
#include "runtime/timing/trace.h"

static void put_number(struct timing_writer *w, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        vec_push(&w->out, (uint8_t)(v | 0x80));
    vec_push(&w->out, (uint8_t)v);
}

static void put_signed(struct timing_writer *w, uint64_t from, uint64_t to)
{
    int64_t d = (int64_t)(to - from);

    put_number(w, ((uint64_t)d << 1) ^ (uint64_t)(d >> 63));
}

static void flush_held(struct timing_writer *w)
{
    if (!w->previous_run.count)
        return;
    put_number(w, RECORD_RUN | (uint64_t)w->previous_run.count << 2);
    put_signed(w, w->next, w->previous_run.first);
    w->next = w->previous_run.first + w->previous_run.count;
    if (w->previous_run.repetitions)
        put_number(w, RECORD_AGAIN | w->previous_run.repetitions << 2);
    w->previous_run.count = 0;
}

/* Ends the current run. If it equals the run before, that is repeated instead. */
static void end_run(struct timing_writer *w)
{
    if (!w->run.count)
        return;
    if (w->previous_run.count == w->run.count && w->previous_run.first == w->run.first &&
        w->previous_run.repetitions < UINT32_MAX) {
        w->previous_run.repetitions++;
    } else {
        flush_held(w);
        w->previous_run = w->run;
    }
    w->run.count = 0;
}

static void flush_run(struct timing_writer *w)
{
    end_run(w);
    flush_held(w);
}

void timing_writer_begin(struct timing_writer *w, uint32_t lanes)
{
    w->out.len = w->touched.len = 0;
    w->run.count = w->previous_run.count = 0;
    w->open.lanes = 0;
    w->next = 0;
    w->pass = (struct timing_pass){0};
    memset(w->place, 0, sizeof(w->place));
    for (unsigned i = 0; i < TIMING_PLACES; i++)
        w->known[i].shape = TIMING_LIST;
    w->lanes = lanes;
}

/* ---- accesses of lanes ----------------------------------------------------------------------- */

/* Whether base, distances and blocks give the addresses of all lanes. */
static bool shape_fits(const struct timing_touch *t, const uint64_t *address)
{
    uint64_t wrong = 0;

    for (uint32_t left = t->lanes; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);

        wrong |= address[l] ^ timing_touch_at(t, l);
    }
    return !wrong;
}

/* Finds blocks: they are as long as the first lanes advance by the first distance, and begin at
 * lane 0. */
static bool find_blocks(struct timing_touch *t, const uint64_t *address)
{
    unsigned first = 1;

    while (first < TIMING_ROW_LANES && t->lanes >> first & 1 &&
           address[first] == t->base + first * t->stride)
        first++;
    if (first < 2 || first & (first - 1) || first == TIMING_ROW_LANES || !(t->lanes >> first & 1))
        return false;
    t->block = (unsigned)__builtin_ctz(first);
    t->far = address[first] - t->base;
    return shape_fits(t, address);
}

static enum timing_shape_of_access shape_of_stride(const struct timing_touch *t)
{
    return !t->stride ? TIMING_SAME : t->stride == t->bytes ? TIMING_SIDE : TIMING_STRIDE;
}

/* Determines the shape of the addresses of two or more lanes. */
static void shape_of(struct timing_touch *t, const uint64_t *address)
{
    unsigned first = (unsigned)__builtin_ctz(t->lanes);
    unsigned second = (unsigned)__builtin_ctz(t->lanes & (t->lanes - 1));

    t->stride = (address[second] - address[first]) / (second - first);
    t->base = address[first] - first * t->stride;
    if (shape_fits(t, address))
        t->shape = shape_of_stride(t);
    else
        t->shape = (t->lanes & 3) == 3 && find_blocks(t, address) ? TIMING_BLOCKS : TIMING_LIST;
}

enum { WHOLE_ROW = 0xffff };

/* Whether a whole row has the shape of the bundle's last access, which is frequent. */
static bool is_known(struct timing_writer *w, struct timing_touch *t, const uint64_t *address)
{
    const struct timing_known *k = &w->known[(w->bundle + w->touched.len) % TIMING_PLACES];
    uint64_t wrong = 0;

    if (t->lanes != WHOLE_ROW || k->shape == TIMING_LIST || k->bytes != t->bytes)
        return false;
    for (unsigned l = 0; l < 16; l++) /* a loop that the compiler vectorises */
        wrong |= (address[l] - address[0]) ^ k->offset[l];
    if (wrong)
        return false;
    t->base = address[0];
    t->stride = k->stride;
    t->far = k->far;
    t->block = k->block;
    t->shape = k->shape;
    return true;
}

static void remember_shape(struct timing_writer *w, const struct timing_touch *t,
                           const uint64_t *address)
{
    struct timing_known *k = &w->known[(w->bundle + w->touched.len) % TIMING_PLACES];

    if (t->lanes != WHOLE_ROW)
        return;
    k->shape = t->shape;
    k->bytes = t->bytes;
    k->stride = t->stride;
    k->far = t->far;
    k->block = t->block;
    for (unsigned l = 0; l < 16; l++)
        k->offset[l] = address[l] - address[0];
}

/* Whether each lane continues where its previous access ended; the two accesses are then merged. */
static bool is_continuation(struct timing_touch *last, const struct timing_touch *t)
{
    if (last->access != t->access || last->lanes != t->lanes ||
        (last->shape == TIMING_LIST) != (t->shape == TIMING_LIST))
        return false;
    if (t->shape != TIMING_LIST)
        return last->stride == t->stride && last->base + last->bytes == t->base &&
               last->block == t->block && last->far == t->far;
    for (uint32_t left = t->lanes; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);

        if (last->list[l] + last->bytes != t->list[l])
            return false;
    }
    return true;
}

static struct timing_touch *last_touch(struct timing_writer *w)
{
    return w->touched.len ? &w->touched.data[w->touched.len - 1] : NULL;
}

/* Room for an access, which is added by counting it. */
static struct timing_touch *next_touch(struct timing_writer *w)
{
    vec_reserve_one(&w->touched);
    return &w->touched.data[w->touched.len];
}

static void add_touch(struct timing_writer *w, struct timing_touch *t)
{
    struct timing_touch *last = last_touch(w);

    if (!last || !is_continuation(last, t)) {
        w->touched.len++;
        return;
    }
    last->bytes += t->bytes;
    if (last->shape < TIMING_BLOCKS)
        last->shape = shape_of_stride(last);
}

static void write_touch(struct timing_writer *w, enum timing_access access, uint32_t lanes,
                        const uint64_t *address, unsigned bytes)
{
    struct timing_touch *t = next_touch(w);

    t->access = access;
    t->lanes = lanes;
    t->bytes = bytes;
    t->shape = TIMING_SAME;
    t->stride = t->far = 0;
    t->block = ONE_BLOCK;
    t->base = address[__builtin_ctz(lanes)];
    if (lanes & (lanes - 1) && !is_known(w, t, address)) {
        shape_of(t, address);
        remember_shape(w, t, address);
    }
    if (t->shape == TIMING_LIST)
        memcpy(t->list, address, (32 - (unsigned)__builtin_clz(lanes)) * sizeof(*address));
    add_touch(w, t);
}

/* ---- lane by lane ---------------------------------------------------------------------------- */

/* Adds the accesses that were collected lane by lane: lanes with equally many bytes make one
 * access. */
static void close_open(struct timing_writer *w)
{
    struct timing_lane_by_lane *o = &w->open;

    while (o->lanes) {
        uint32_t bytes = o->size[__builtin_ctz(o->lanes)], same = 0;

        for (uint32_t left = o->lanes; left; left &= left - 1)
            if (o->size[__builtin_ctz(left)] == bytes)
                same |= left & -left;
        write_touch(w, o->access, same, o->address, bytes);
        o->lanes &= ~same;
    }
}

void timing_writer_access(struct timing_writer *w, enum timing_access access, unsigned lane,
                          uint64_t address, unsigned bytes)
{
    struct timing_lane_by_lane *o = &w->open;

    bytes = bytes ? bytes : 1;
    if (o->lanes && o->access == access && lane == o->last &&
        address == o->address[lane] + o->size[lane]) {
        o->size[lane] += bytes;
        return;
    }
    if (o->lanes && (o->access != access || o->lanes >> lane & 1 || o->bytes != bytes))
        close_open(w);
    if (!o->lanes) {
        o->access = access;
        o->bytes = bytes;
    }
    o->lanes |= 1u << lane;
    o->last = lane;
    o->address[lane] = address;
    o->size[lane] = bytes;
}

void timing_writer_touch(struct timing_writer *w, enum timing_access access, uint32_t lanes,
                         const uint64_t *address, unsigned bytes)
{
    if (w->open.lanes)
        close_open(w);
    if (lanes)
        write_touch(w, access, lanes, address, bytes);
}

void timing_writer_touch_one(struct timing_writer *w, enum timing_access access, uint32_t lanes,
                             uint64_t address, unsigned bytes)
{
    struct timing_touch *t;

    if (w->open.lanes)
        close_open(w);
    if (!lanes)
        return;
    t = next_touch(w);
    t->access = access;
    t->lanes = lanes;
    t->bytes = bytes;
    t->shape = TIMING_SAME;
    t->stride = t->far = 0;
    t->block = ONE_BLOCK;
    t->base = address;
    add_touch(w, t);
}

/* ---- records --------------------------------------------------------------------------------- */

static uint8_t *store_number(uint8_t *to, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        *to++ = (uint8_t)(v | 0x80);
    *to++ = (uint8_t)v;
    return to;
}

static uint8_t *store_signed(uint8_t *to, uint64_t from, uint64_t v)
{
    int64_t d = (int64_t)(v - from);

    return store_number(to, ((uint64_t)d << 1) ^ (uint64_t)(d >> 63));
}

static uint8_t *store_list(uint8_t *to, const struct timing_touch *t)
{
    uint64_t at = t->base;

    for (uint32_t left = t->lanes & (t->lanes - 1); left; left &= left - 1) {
        to = store_signed(to, at, t->list[__builtin_ctz(left)]);
        at = t->list[__builtin_ctz(left)];
    }
    return to;
}

static uint8_t *store_touch(uint8_t *to, struct timing_touch *t, uint64_t *place, uint32_t active)
{
    bool own = t->lanes != active;

    if (t->shape == TIMING_LIST)
        t->base = t->list[__builtin_ctz(t->lanes)];
    to = store_number(to, t->access | (uint64_t)t->shape << TOUCH_SHAPE_SHIFT |
                              (own ? TOUCH_OWN_LANES : 0) |
                              (uint64_t)(t->bytes - 1) << TOUCH_BYTES_SHIFT);
    if (own)
        to = store_number(to, t->lanes);
    to = store_signed(to, *place, t->base);
    *place = t->base;
    if (t->shape == TIMING_BLOCKS)
        to = store_number(to, t->block);
    if (t->shape == TIMING_STRIDE || t->shape == TIMING_BLOCKS)
        to = store_signed(to, 0, t->stride);
    if (t->shape == TIMING_BLOCKS)
        to = store_signed(to, 0, t->far);
    return t->shape == TIMING_LIST ? store_list(to, t) : to;
}

enum { NUMBER = 10 }; /* most bytes per number */

static uint8_t *reserve_bytes(struct timing_writer *w, size_t bytes)
{
    vec_reserve(&w->out, w->out.len + bytes);
    return w->out.data + w->out.len;
}

static void put_memory(struct timing_writer *w, uint32_t index)
{
    size_t n = w->touched.len;
    uint8_t *to = reserve_bytes(w, (2 + n * (6 + TIMING_ROW_LANES)) * NUMBER);
    uint64_t own = 0;

    for (size_t i = 0; i < n; i++)
        own |= w->touched.data[i].lanes != w->lanes;
    to = store_number(to, RECORD_MEMORY | (2 * n + own) << 2);
    to = store_signed(to, w->next, index);
    for (size_t i = 0; i < n; i++)
        to = store_touch(to, &w->touched.data[i], &w->place[(index + i) % TIMING_PLACES], w->lanes);
    w->out.len = (unsigned)(to - w->out.data);
    w->touched.len = 0;
    w->next = index + 1;
}

/* ---- passes of loops ------------------------------------------------------------------------- */

static void begin_pass(struct timing_writer *w)
{
    w->pass.start = w->out.len;
    w->pass.next = w->next;
    w->pass.has_accesses = false;
}

/* Writes the number of repetitions of the pass before, in front of the records written since. */
static void close_passes(struct timing_writer *w)
{
    struct timing_pass *p = &w->pass;
    uint8_t record[3 * NUMBER], *to = record;
    size_t bytes;

    if (!p->times)
        return;
    to = store_number(store_number(store_number(to, RECORD_LANES), p->previous_size), p->times);
    bytes = (size_t)(to - record);
    to = reserve_bytes(w, bytes) - w->out.len + p->start;
    memmove(to + bytes, to, w->out.len - p->start);
    memcpy(to, record, bytes);
    w->out.len += (unsigned)bytes;
    p->start += bytes;
    p->times = 0;
}

/* Ends the loop: the next records belong to another. */
static void end_passes(struct timing_writer *w)
{
    close_passes(w);
    w->pass.previous_size = 0;
    begin_pass(w);
}

static bool is_like_before(const struct timing_writer *w, size_t bytes)
{
    const uint8_t *start = w->out.data + w->pass.start;

    return bytes == w->pass.previous_size && w->pass.times < BODY_TIMES &&
           !memcmp(start - bytes, start, bytes);
}

/* Handles a bundle that does not follow the last one. Loops without accesses are written as
 * AGAIN. */
static void handle_jump(struct timing_writer *w)
{
    struct timing_pass *p = &w->pass;
    size_t bytes;

    if (!p->has_accesses)
        return;
    flush_run(w);
    bytes = w->out.len - p->start;
    if (is_like_before(w, bytes)) {
        w->out.len = (unsigned)p->start;
        p->times++;
        p->has_accesses = false;
        return;
    }
    close_passes(w);
    p->previous_size = w->next == p->next && bytes <= BODY_BYTES ? bytes : 0;
    begin_pass(w);
}

static bool is_back(const struct timing_writer *w, uint32_t index)
{
    return index < (w->run.count ? w->run.first + w->run.count : w->next);
}

/* ---- bundles --------------------------------------------------------------------------------- */

static void set_lanes(struct timing_writer *w, uint32_t lanes)
{
    if (lanes == w->lanes)
        return;
    flush_run(w);
    put_number(w, RECORD_LANES | (uint64_t)lanes << 2);
    w->lanes = lanes;
    end_passes(w);
}

void timing_writer_bundles(struct timing_writer *w, uint32_t first, uint32_t count, uint32_t lanes)
{
    if (is_back(w, first))
        handle_jump(w);
    set_lanes(w, lanes);
    if (w->run.count && first == w->run.first + w->run.count) {
        w->run.count += count;
    } else {
        end_run(w);
        w->run = (struct timing_run){.first = first, .count = count};
    }
}

void timing_writer_runs(struct timing_writer *w, uint32_t first, uint32_t count, uint64_t times,
                        uint32_t lanes)
{
    /* the first may extend the run before; the second and third make a run that can be repeated */
    for (unsigned i = 0; i < 3 && times; i++, times--)
        timing_writer_bundles(w, first, count, lanes);
    if (!times)
        return;
    if (w->previous_run.repetitions > UINT32_MAX - times) { /* more than a record can count */
        flush_held(w);
        w->previous_run =
            (struct timing_run){.first = first, .count = count, .repetitions = times - 1};
    } else {
        w->previous_run.repetitions += times;
    }
}

void timing_writer_bundle(struct timing_writer *w, uint32_t index, uint32_t lanes)
{
    if (w->open.lanes)
        close_open(w);
    if (!w->touched.len) {
        timing_writer_bundles(w, index, 1, lanes);
        return;
    }
    if (is_back(w, index))
        handle_jump(w);
    set_lanes(w, lanes);
    flush_run(w);
    put_memory(w, index);
    w->pass.has_accesses = true;
}

void timing_writer_barrier(struct timing_writer *w)
{
    flush_run(w);
    put_number(w, RECORD_AGAIN);
    end_passes(w);
}

/* ---- rounds that are alike ------------------------------------------------------------------- */

struct timing_mark timing_writer_mark(const struct timing_writer *w)
{
    struct timing_mark m = {.run = w->run,
                            .previous_run = w->previous_run,
                            .pass = w->pass,
                            .bytes = w->out.len,
                            .next = w->next,
                            .lanes = w->lanes};

    memcpy(m.place, w->place, sizeof(m.place));
    return m;
}

static bool is_same_run(const struct timing_run *a, const struct timing_run *b)
{
    return a->count == b->count &&
           (!a->count || (a->first == b->first && a->repetitions == b->repetitions));
}

bool timing_writer_is_steady(const struct timing_writer *w, const struct timing_mark *m)
{
    const struct timing_pass *a = &w->pass, *b = &m->pass;

    return a->times > b->times && a->start == b->start && a->previous_size == b->previous_size &&
           a->next == b->next && a->has_accesses == b->has_accesses && w->out.len == m->bytes &&
           w->next == m->next && w->lanes == m->lanes && is_same_run(&w->run, &m->run) &&
           is_same_run(&w->previous_run, &m->previous_run) && !w->touched.len && !w->open.lanes;
}

uint64_t timing_writer_again(struct timing_writer *w, const struct timing_mark *m, uint64_t times)
{
    uint64_t passes = w->pass.times - m->pass.times, most = (BODY_TIMES - w->pass.times) / passes;

    times = times < most ? times : most;
    w->pass.times += times * passes;
    for (unsigned i = 0; i < TIMING_PLACES; i++)
        w->place[i] += times * (w->place[i] - m->place[i]);
    return times;
}

void timing_writer_end(struct timing_writer *w, struct timing_row *out)
{
    flush_run(w);
    close_passes(w);
    out->bytes = w->out.len;
    out->data = xcalloc(w->out.len + 1, 1);
    if (w->out.len)
        memcpy(out->data, w->out.data, w->out.len);
}

void timing_writer_release(struct timing_writer *w)
{
    vec_free(&w->out);
    vec_free(&w->touched);
}
