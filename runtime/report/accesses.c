/*
 * What the traced work-groups of a job accessed: per bundle how well the lanes of a warp share
 * lines, and per buffer how much of it was touched. Groups are taken one after the other, and their
 * warps too, so that distances between uses are those of a machine that runs one warp at a time.
 *
 * Groups are taken evenly from the sample, so that they have about one access of a warp per
 * TOUCH_SHARE bundles that the job executed.
 *
 * Bounds      no further group of a job after MAX_TOUCHES accesses of warps; MAX_KINDS different
 *             accesses (struct report_access); MAX_LINES lines of buffers
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/report/internal.h"

enum {
    MAX_TOUCHES = 1 << 18,
    LEAST_TOUCHES = 1 << 12,
    TOUCH_SHARE = 512,
    MAX_KINDS = 4096,
    MAX_LINES = 1 << 20,
    PAGE_SHIFT = 12,
    MANY_STRIDES = 64
};

/* A distance larger than any address space, in bytes. */
#define FAR (UINT64_C(1) << 48)

/* A hash set of numbers below UINT64_MAX. */
struct set {
    uint64_t *keys; /* plus one */
    size_t count, capacity;
};

struct report_accesses {
    unsigned line_shift;
    const struct report_open *open;
    const struct timing_job *job;
    uint64_t touches, groups;
    VEC(struct report_access) accesses;
    uint32_t *last; /* by bundle: number of its last access, plus one */
    VEC(struct report_buffer) buffers;
    struct set lines, pages;
    struct report_reuser *reuser;
};

/* ---- sets ------------------------------------------------------------------------------------ */

static uint64_t *look_up(uint64_t *keys, size_t capacity, uint64_t key)
{
    size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (capacity - 1);

    while (keys[at] && keys[at] != key)
        at = (at + 1) & (capacity - 1);
    return &keys[at];
}

/* Adds a number; returns whether it was not there. */
static bool set_add(struct set *s, uint64_t number)
{
    uint64_t *at;

    if (s->count == MAX_LINES)
        return false;
    if (2 * s->count >= s->capacity) {
        size_t capacity = s->capacity ? 2 * s->capacity : 1024;
        uint64_t *keys = xcalloc(capacity, sizeof(*keys));

        for (size_t i = 0; i < s->capacity; i++)
            if (s->keys[i])
                *look_up(keys, capacity, s->keys[i]) = s->keys[i];
        free(s->keys);
        s->keys = keys;
        s->capacity = capacity;
    }
    at = look_up(s->keys, s->capacity, number + 1);
    if (*at)
        return false;
    *at = number + 1;
    s->count++;
    return true;
}

/* ---- buffers --------------------------------------------------------------------------------- */

/* The pointer at or next below the address; NULL: none. */
static const struct report_pointer *pointer_to(const struct report_open *o, uint64_t address)
{
    const struct report_pointer *found = NULL;

    for (unsigned i = 0; i < o->pointer_count && o->pointers[i].address <= address; i++)
        found = &o->pointers[i];
    return found;
}

static struct report_buffer *buffer_of(struct report_accesses *a, const struct report_pointer *p)
{
    vec_for_each (&a->buffers, b)
        if (b->pointer == p->pointer)
            return b;
    vec_push(&a->buffers, (struct report_buffer){.pointer = p->pointer, .address = p->address});
    return &a->buffers.data[a->buffers.len - 1];
}

static bool is_global(enum timing_access kind)
{
    return kind == TIMING_LOAD || kind == TIMING_STORE || kind == TIMING_ATOMIC;
}

/* ---- accesses -------------------------------------------------------------------------------- */

/* The entry for a bundle's accesses with the kind and size of *t to a buffer; NULL: no room. */
static struct report_access *access_of(struct report_accesses *a, uint32_t bundle,
                                       const struct timing_touch *t, uint32_t pointer)
{
    uint64_t place = a->job->bundles.data[bundle].address - a->job->shader;
    struct report_access *it = a->last[bundle] ? &a->accesses.data[a->last[bundle] - 1] : NULL;

    if (it && it->kind == t->access && it->bytes == t->bytes && it->pointer == pointer)
        return it;
    for (size_t i = 0; i < a->accesses.len; i++) {
        it = &a->accesses.data[i];
        if (it->place != place || it->kind != t->access || it->bytes != t->bytes ||
            it->pointer != pointer)
            continue;
        a->last[bundle] = (uint32_t)i + 1;
        return it;
    }
    if (a->accesses.len == MAX_KINDS)
        return NULL;
    vec_push(&a->accesses,
             (struct report_access){
                 .place = place, .kind = t->access, .bytes = t->bytes, .pointer = pointer});
    a->last[bundle] = (uint32_t)a->accesses.len;
    return &a->accesses.data[a->accesses.len - 1];
}

/* The active lanes of one execution of an access by a warp. */
struct lanes {
    unsigned count;
    bool even; /* each lane's address is the previous lane's plus `stride` */
    int64_t stride;
    uint64_t low, high; /* lowest and highest address */
    uint64_t address[TIMING_ROW_LANES];
    unsigned number[TIMING_ROW_LANES];
};

static void count_stride(struct report_access *it, int64_t bytes)
{
    vec_for_each (&it->strides, s)
        if (s->bytes == bytes) {
            s->count++;
            return;
        }
    if (it->strides.len < MANY_STRIDES)
        vec_push(&it->strides, (struct report_stride){bytes, 1});
}

/* Whether the lanes from `first` to `last` have equal distances, by the shape in the trace.
 * Distances between lanes that are not adjacent may be multiples of a stride only modulo 2^64, and
 * such a stride is far. */
static bool is_even(const struct timing_touch *t, unsigned first, unsigned last)
{
    return t->stride + FAR < 2 * FAR &&
           (t->shape <= TIMING_STRIDE ||
            (t->shape == TIMING_BLOCKS && first >> t->block == last >> t->block));
}

/* Sets `even` and `stride` from the lanes' addresses, which are in no known order. */
static void measure_list(struct lanes *l)
{
    l->even = true;
    l->low = l->high = l->address[0];
    if (l->count > 1)
        l->stride =
            (int64_t)(l->address[1] - l->address[0]) / (int64_t)(l->number[1] - l->number[0]);
    for (unsigned i = 1; i < l->count; i++) {
        uint64_t address = l->address[i];

        l->even &= (int64_t)(address - l->address[0]) ==
                   l->stride * (int64_t)(l->number[i] - l->number[0]);
        l->low = l->low < address ? l->low : address;
        l->high = l->high > address ? l->high : address;
    }
}

static void read_addresses(const struct timing_touch *t, struct lanes *l)
{
    l->count = 0;
    for (uint32_t left = t->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);

        l->number[l->count] = lane;
        l->address[l->count++] = timing_touch_at(t, lane);
    }
}

/* Addresses and numbers are set only if the lanes are not even. */
static void read_lanes(const struct timing_touch *t, struct lanes *l)
{
    unsigned first = (unsigned)__builtin_ctz(t->lanes),
             last = 31 - (unsigned)__builtin_clz(t->lanes);

    l->even = is_even(t, first, last);
    if (!l->even) {
        l->stride = 0;
        read_addresses(t, l);
        measure_list(l);
        return;
    }
    l->count = (unsigned)__builtin_popcount(t->lanes);
    l->stride = l->count > 1 ? (int64_t)t->stride : 0;
    l->low = timing_touch_at(t, first);
    l->high = timing_touch_at(t, last);
    if (l->stride < 0) {
        l->low = l->high;
        l->high = timing_touch_at(t, first);
    }
}

/* Classifies the distances from lane to lane. */
static void count_shape(struct report_access *it, const struct timing_touch *t,
                        const struct lanes *l)
{
    if (!l->even) {
        it->shapes[t->shape == TIMING_BLOCKS ? REPORT_BLOCKS : REPORT_LIST]++;
        return;
    }
    if (l->count > 1)
        count_stride(it, l->stride);
    it->shapes[!l->stride                       ? REPORT_SAME
               : l->stride == (int64_t)t->bytes ? REPORT_UNIT
                                                : REPORT_STRIDE]++;
}

/* Adds a line to those of the execution, if it is not among them. Returns their number. */
static unsigned add_line(uint64_t *lines, unsigned count, uint64_t line)
{
    for (unsigned i = count; i-- > 0;)
        if (lines[i] == line)
            return count;
    if (count == TIMING_ROW_LANES)
        return count;
    lines[count] = line;
    return count + 1;
}

/* The lines of an execution; returns their number. */
static unsigned lines_of(const struct report_accesses *a, const struct timing_touch *t,
                         struct lanes *l, uint64_t *lines)
{
    uint64_t first = l->low >> a->line_shift, last = (l->high + t->bytes - 1) >> a->line_shift;
    unsigned count = 0;

    if (first == last) {
        lines[0] = first;
        return 1;
    }
    if (last - first == 1 && l->even) {
        lines[0] = l->stride < 0 ? last : first;
        lines[1] = l->stride < 0 ? first : last;
        return 2;
    }
    if (l->even)
        read_addresses(t, l);
    for (unsigned i = 0; i < l->count; i++) {
        first = l->address[i] >> a->line_shift;
        last = (l->address[i] + t->bytes - 1) >> a->line_shift;
        for (uint64_t line = first; line <= last; line++)
            count = add_line(lines, count, line);
    }
    return count;
}

/* Adds an execution to its buffer. */
static void add_to_buffer(struct report_accesses *a, const struct report_pointer *p,
                          const struct timing_touch *t, const struct lanes *l,
                          const uint64_t *lines, unsigned count)
{
    struct report_buffer *b = buffer_of(a, p);
    uint64_t bytes = (uint64_t)t->bytes * l->count, end = l->high + t->bytes - b->address;

    b->bytes = b->bytes > end ? b->bytes : end;
    *(t->access == TIMING_LOAD ? &b->reads : &b->writes) += l->count;
    *(t->access == TIMING_LOAD ? &b->bytes_read : &b->bytes_written) += bytes;
    for (unsigned i = 0; i < count; i++)
        if (set_add(&a->lines, lines[i])) {
            b->lines++;
            b->pages += set_add(&a->pages, lines[i] << a->line_shift >> PAGE_SHIFT);
        }
}

static void add_touch(struct report_accesses *a, uint32_t bundle, const struct timing_touch *t)
{
    struct lanes l;
    const struct report_pointer *p = NULL;
    uint64_t lines[TIMING_ROW_LANES];
    struct report_access *it;
    unsigned count;

    if (!t->lanes || !t->bytes)
        return;
    read_lanes(t, &l);
    if (is_global(t->access))
        p = pointer_to(a->open, timing_touch_at(t, (unsigned)__builtin_ctz(t->lanes)));
    it = access_of(a, bundle, t, p ? p->pointer : REPORT_NO_POINTER);
    if (!it)
        return;
    it->executions++;
    it->lanes += l.count;
    count_shape(it, t, &l);
    count = lines_of(a, t, &l, lines);
    it->lines += count;
    it->by_lines[count - 1]++;
    for (unsigned i = 0; i < count && is_global(t->access); i++)
        report_reuser_touch(a->reuser, lines[i]);
    if (p)
        add_to_buffer(a, p, t, &l, lines, count);
}

static void add_warp(struct report_accesses *a, const struct timing_row *row, unsigned warp)
{
    struct timing_cursor c;
    struct timing_touch t;

    timing_cursor_begin(&c, a->job, row, warp);
    for (;;) {
        timing_cursor_next(&c);
        if (c.event == TIMING_END)
            return;
        if (c.event != TIMING_MEMORY)
            continue;
        while (timing_cursor_access(&c, &t)) {
            a->touches++;
            add_touch(a, c.first, &t);
        }
    }
}

static void add_group(struct report_accesses *a, const struct timing_group *g)
{
    for (unsigned i = 0; i < g->row_count; i++)
        for (unsigned w = 0; w < timing_row_warps(a->job, &g->rows[i]); w++)
            add_warp(a, &g->rows[i], w);
    a->groups++;
}

/* Accesses of warps at which no further group is taken. */
static uint64_t most_touches(const struct timing_job *job)
{
    uint64_t most = job->executed / TOUCH_SHARE;

    return most < LEAST_TOUCHES ? LEAST_TOUCHES : most > MAX_TOUCHES ? MAX_TOUCHES : most;
}

/* Adds groups at equal distances, which is chosen by the first group's accesses. */
static void add_groups(struct report_accesses *a)
{
    const struct timing_job *job = a->job;
    uint64_t most = most_touches(job), step = 1;

    for (size_t g = 0; g < job->groups.len && a->touches < most; g += step) {
        add_group(a, &job->groups.data[g]);
        if (!g && a->touches * job->groups.len > most)
            step = a->touches * job->groups.len / most;
    }
}

struct report_accesses *report_accesses_of(const struct report_open *o,
                                           const struct timing_job *job, uint64_t line_bytes)
{
    struct report_accesses *a = xcalloc(1, sizeof(*a));

    *a = (struct report_accesses){.line_shift = (unsigned)__builtin_ctzll(line_bytes),
                                  .open = o,
                                  .job = job,
                                  .last = xcalloc(job->bundles.len + 1, sizeof(*a->last)),
                                  .reuser = report_reuser_new()};
    add_groups(a);
    a->open = NULL;
    a->job = NULL;
    return a;
}

void report_accesses_free(struct report_accesses *a)
{
    if (!a)
        return;
    for (size_t i = 0; i < a->accesses.len; i++)
        vec_free(&a->accesses.data[i].strides);
    vec_free(&a->accesses);
    vec_free(&a->buffers);
    free(a->last);
    free(a->lines.keys);
    free(a->pages.keys);
    report_reuser_free(a->reuser);
    free(a);
}

/* ---- a kernel -------------------------------------------------------------------------------- */

static struct report_access *kernel_access(struct report_kernel *k, const struct report_access *a)
{
    vec_for_each (&k->accesses, it)
        if (it->place == a->place && it->kind == a->kind && it->bytes == a->bytes &&
            it->pointer == a->pointer) {
            return it;
        }
    if (k->accesses.len == MAX_KINDS)
        return NULL;
    vec_push(&k->accesses,
             (struct report_access){
                 .place = a->place, .kind = a->kind, .bytes = a->bytes, .pointer = a->pointer});
    return &k->accesses.data[k->accesses.len - 1];
}

static void add_strides(struct report_access *to, const struct report_access *from)
{
    for (size_t i = 0; i < from->strides.len; i++) {
        const struct report_stride *s = &from->strides.data[i];
        bool found = false;

        vec_for_each (&to->strides, it)
            if (it->bytes == s->bytes) {
                it->count += s->count;
                found = true;
            }
        if (!found && to->strides.len < MANY_STRIDES)
            vec_push(&to->strides, *s);
    }
}

static void add_access(struct report_kernel *k, const struct report_access *from)
{
    struct report_access *to = kernel_access(k, from);

    if (!to)
        return;
    to->executions += from->executions;
    to->lanes += from->lanes;
    to->lines += from->lines;
    to->groups += from->groups;
    for (unsigned i = 0; i < TIMING_ROW_LANES; i++)
        to->by_lines[i] += from->by_lines[i];
    for (unsigned i = 0; i < REPORT_SHAPES; i++)
        to->shapes[i] += from->shapes[i];
    add_strides(to, from);
}

static void add_buffer(struct report_kernel *k, const struct report_buffer *from)
{
    vec_for_each (&k->buffers, to)
        if (to->pointer == from->pointer) {
            to->bytes = to->bytes > from->bytes ? to->bytes : from->bytes;
            to->reads += from->reads;
            to->writes += from->writes;
            to->bytes_read += from->bytes_read;
            to->bytes_written += from->bytes_written;
            to->lines += from->lines;
            to->pages += from->pages;
            return;
        }
    vec_push(&k->buffers, *from);
}

void report_accesses_add(struct report_kernel *k, struct report_accesses *a)
{
    const struct report_reuse *reuse = report_reuser_result(a->reuser);

    for (size_t i = 0; i < a->accesses.len; i++) {
        a->accesses.data[i].groups = a->groups;
        add_access(k, &a->accesses.data[i]);
    }
    for (size_t i = 0; i < a->buffers.len; i++)
        add_buffer(k, &a->buffers.data[i]);
    k->reuse.first_uses += reuse->first_uses;
    for (unsigned i = 0; i < REPORT_DISTANCES; i++)
        k->reuse.by_distance[i] += reuse->by_distance[i];
}
