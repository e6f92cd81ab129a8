/* Streams of warps: writing. */
#include <stdlib.h>
#include <string.h>

#include "runtime/timing/stream.h"
#include "runtime/timing/trace.h"

static void put(struct timing_writer *w, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        vec_push(&w->out, (uint8_t)(v | 0x80));
    vec_push(&w->out, (uint8_t)v);
}

static void put_signed(struct timing_writer *w, uint64_t from, uint64_t to)
{
    int64_t d = (int64_t)(to - from);

    put(w, ((uint64_t)d << 1) ^ (uint64_t)(d >> 63));
}

static void flush_held(struct timing_writer *w)
{
    if (!w->held.count)
        return;
    put(w, RECORD_RUN | (uint64_t)w->held.count << 2);
    put_signed(w, w->next, w->held.first);
    w->next = w->held.first + w->held.count;
    if (w->held.again)
        put(w, RECORD_AGAIN | w->held.again << 2);
    w->held.count = 0;
}

/* The run has ended: if it is the one before, that happened once more. */
static void end_run(struct timing_writer *w)
{
    if (!w->run.count)
        return;
    if (w->held.count == w->run.count && w->held.first == w->run.first) {
        w->held.again++;
    } else {
        flush_held(w);
        w->held = w->run;
    }
    w->run.count = 0;
}

static void flush(struct timing_writer *w)
{
    end_run(w);
    flush_held(w);
}

void timing_writer_begin(struct timing_writer *w, uint32_t lanes)
{
    w->out.len = w->touched.len = 0;
    w->run.count = w->held.count = 0;
    w->next = 0;
    w->segment = 0;
    w->lanes = lanes;
}

void timing_writer_access(struct timing_writer *w, enum timing_access access, uint64_t address,
                          unsigned bytes)
{
    uint64_t last = (address + (bytes ? bytes - 1 : 0)) / TIMING_SEGMENT_BYTES;

    for (uint64_t s = address / TIMING_SEGMENT_BYTES; s <= last; s++) {
        uint64_t it = s << 3 | access;

        if (!w->touched.len || w->touched.data[w->touched.len - 1] != it)
            vec_push(&w->touched, it);
    }
}

/* By kind, then by place. */
static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    if ((x & 7) != (y & 7))
        return (x & 7) < (y & 7) ? -1 : 1;
    return x < y ? -1 : x > y;
}

static bool in_order(const uint64_t *t, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (compare(&t[i - 1], &t[i]) > 0)
            return false;
    return true;
}

/* Makes of what was touched runs of neighbours: how many segments each has stands in `length`. */
static size_t coalesce(struct timing_writer *w, uint64_t *length)
{
    uint64_t *t = w->touched.data;
    size_t kept = 0;

    if (!in_order(t, w->touched.len))
        qsort(t, w->touched.len, sizeof(*t), compare);
    for (size_t i = 0; i < w->touched.len; i++) {
        if (kept && t[i] == t[kept - 1] + 8 * (length[kept - 1] - 1))
            continue;
        if (kept && t[i] == t[kept - 1] + 8 * length[kept - 1]) {
            length[kept - 1]++;
            continue;
        }
        length[kept] = 1;
        t[kept++] = t[i];
    }
    return kept;
}

static void put_memory(struct timing_writer *w, uint32_t index)
{
    size_t n;
    uint64_t *length;

    while (w->lengths.cap < w->touched.cap)
        vec_push(&w->lengths, 0);
    length = w->lengths.data;
    n = coalesce(w, length);

    put(w, RECORD_MEMORY | n << 2);
    put_signed(w, w->next, index);
    for (size_t i = 0; i < n; i++) {
        put(w, (w->touched.data[i] & 7) | (length[i] - 1) << 3);
        put_signed(w, w->segment, w->touched.data[i] >> 3);
        w->segment = w->touched.data[i] >> 3;
    }
    w->touched.len = 0;
    w->next = index + 1;
}

void timing_writer_bundle(struct timing_writer *w, uint32_t index, uint32_t lanes)
{
    if (lanes != w->lanes) {
        flush(w);
        put(w, RECORD_LANES | (uint64_t)lanes << 2);
        w->lanes = lanes;
    }
    if (w->touched.len) {
        flush(w);
        put_memory(w, index);
    } else if (w->run.count && index == w->run.first + w->run.count) {
        w->run.count++;
    } else {
        end_run(w);
        w->run = (struct timing_run){.first = index, .count = 1};
    }
}

void timing_writer_barrier(struct timing_writer *w)
{
    flush(w);
    put(w, RECORD_AGAIN);
}

void timing_writer_end(struct timing_writer *w, struct timing_warp *out)
{
    flush(w);
    out->bytes = w->out.len;
    out->data = xcalloc(w->out.len + 1, 1);
    if (w->out.len)
        memcpy(out->data, w->out.data, w->out.len);
}

void timing_writer_release(struct timing_writer *w)
{
    vec_free(&w->out);
    vec_free(&w->touched);
    vec_free(&w->lengths);
}
