/*
 * The lines that a bundle accesses, each once; and the caches and memory of the reassemble model.
 */
#include <stdlib.h>

#include "runtime/timing/model_internal.h"

/* The offset of local and thread memory of a resident group. Traces have the same addresses in each
 * group, but resident groups have memory of their own. */
static uint64_t place_of(const struct model *m, const struct warp *w, enum timing_access access)
{
    const struct resident *g = &m->groups.data[w->group];

    return access < TIMING_GROUP_LOAD ? 0
                                      : ((uint64_t)g->slot * m->shape->cores + g->core + 1) << 44;
}

bool timing_is_store(enum timing_access access)
{
    return access == TIMING_STORE || access == TIMING_GROUP_STORE ||
           access == TIMING_THREAD_STORE || access == TIMING_GROUP_ATOMIC;
}

/* ---- lines that a bundle accesses ------------------------------------------------------------ */

enum { ACCESS_SHIFT = 60 }; /* numbers of lines have fewer bits */

enum timing_access timing_asked_access(uint64_t asked)
{
    return (enum timing_access)(asked >> ACCESS_SHIFT);
}

uint64_t timing_asked_line(const struct model *m, const struct warp *w, uint64_t asked)
{
    return (asked & ((UINT64_C(1) << ACCESS_SHIFT) - 1)) |
           place_of(m, w, timing_asked_access(asked));
}

static inline void add_lines(struct model *m, enum timing_access access, uint64_t line)
{
    uint64_t it = (uint64_t)access << ACCESS_SHIFT | line;

    if (!m->accessed_lines.len || m->accessed_lines.data[m->accessed_lines.len - 1] != it) {
        m->lines_unsorted |=
            m->accessed_lines.len && m->accessed_lines.data[m->accessed_lines.len - 1] > it;
        vec_push(&m->accessed_lines, it);
    }
}

unsigned timing_line_shift(uint64_t line_bytes)
{
    return line_bytes & (line_bytes - 1) ? NO_SHIFT : (unsigned)__builtin_ctzll(line_bytes);
}

static inline uint64_t line_of(const struct model *m, uint64_t address)
{
    return __builtin_expect(m->line_shift == NO_SHIFT, 0) ? address / m->p->line_bytes
                                                          : address >> m->line_shift;
}

static void ask_range(struct model *m, enum timing_access access, uint64_t first, uint64_t bytes)
{
    uint64_t last = line_of(m, first + bytes - 1);

    for (uint64_t line = line_of(m, first); line <= last; line++)
        add_lines(m, access, line);
}

static void ask_lanes(struct model *m, const struct timing_touch *t)
{
    for (uint32_t left = t->lanes; left; left &= left - 1)
        ask_range(m, t->access, timing_touch_at(t, (unsigned)__builtin_ctz(left)), t->bytes);
}

/* The range that all lanes access together, if it is contiguous. */
static bool in_one_piece(const struct timing_touch *t, uint64_t *at, uint64_t *bytes)
{
    unsigned first = (unsigned)__builtin_ctz(t->lanes),
             last = 31 - (unsigned)__builtin_clz(t->lanes);
    uint32_t from_first = t->lanes >> first;

    if (t->shape == TIMING_LIST || first >> t->block != last >> t->block)
        return false;
    *at = timing_touch_at(t, first);
    *bytes = t->bytes;
    if (!t->stride)
        return true;
    *bytes *= last - first + 1;
    return t->stride == t->bytes && !(from_first & (from_first + 1));
}

static int compare_lines(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* Sorts by kind, then by line, and removes duplicates. */
static void sort_lines(struct model *m)
{
    size_t n = m->accessed_lines.len, kept = 0;
    uint64_t *it = m->accessed_lines.data;

    if (!m->lines_unsorted)
        return;
    if (n > 64)
        qsort(it, n, sizeof(*it), compare_lines);
    for (size_t i = 1; i < n && n <= 64; i++) {
        uint64_t v = it[i];
        size_t k = i;

        for (; k && it[k - 1] > v; k--)
            it[k] = it[k - 1];
        it[k] = v;
    }
    for (size_t i = 0; i < n; i++)
        if (!kept || it[kept - 1] != it[i])
            it[kept++] = it[i];
    m->accessed_lines.len = kept;
}

void timing_collect(struct model *m, struct timing_cursor *c)
{
    struct timing_touch t;
    uint64_t at, bytes;

    m->accessed_lines.len = 0;
    m->lines_unsorted = false;
    while (timing_cursor_access(c, &t)) {
        if (in_one_piece(&t, &at, &bytes))
            ask_range(m, t.access, at, bytes);
        else
            ask_lanes(m, &t);
    }
    sort_lines(m);
}

/* ---- reassemble ------------------------------------------------------------------------------ */

/* A request of a line; returns the level that serves it. */
static enum timing_cause access_line(struct model *m, const struct warp *w,
                                     enum timing_access access, uint64_t line)
{
    struct timing_cache *l1 = &m->cores[m->groups.data[w->group].core].l1;

    m->out->requests++;
    if (access != TIMING_ATOMIC && timing_cache_touch(l1, line))
        return TIMING_L1;
    ++*(timing_is_store(access) ? &m->out->l2_writes : &m->out->l2_reads);
    if (timing_cache_touch(&m->l2, line))
        return TIMING_L2;
    ++*(timing_is_store(access) ? &m->out->dram_writes : &m->out->dram_reads);
    return TIMING_DRAM;
}

/* The latency of a request that `level` serves. */
static uint64_t request_latency(const struct model *m, enum timing_cause level,
                                enum timing_access access)
{
    if (timing_is_store(access))
        return m->p->store_latency;
    switch (level) {
    case TIMING_DRAM:
        return m->p->l2_miss_latency;
    case TIMING_L2:
        return m->p->l1_miss_latency;
    default:
        return m->p->l1_hit_latency;
    }
}

uint64_t timing_memory(struct model *m, struct warp *w, enum timing_cause *cause)
{
    uint64_t longest = 0, requests = 0, before = UINT64_MAX;

    *cause = TIMING_L1;
    timing_collect(m, &w->cursor);
    for (size_t i = 0; i < m->accessed_lines.len; i++) {
        enum timing_access access = timing_asked_access(m->accessed_lines.data[i]);
        uint64_t line = timing_asked_line(m, w, m->accessed_lines.data[i]), ticks;
        enum timing_cause level;

        if (line == before)
            continue;
        before = line;
        level = access_line(m, w, access, line);
        ticks = request_latency(m, level, access) + TIMING_TICKS * requests++;
        if (timing_is_store(access))
            level = TIMING_L1;
        if (ticks >= longest) {
            longest = ticks;
            *cause = level;
        }
    }
    return longest;
}
