/*
 * Memory in the detailed model. Accesses of a bundle go through the core's load/store or texture
 * pipe, then to the core's L1, to L2 and to memory. Each of these handles one request after the
 * other. A request is followed to its end when it is made; requests are made in the order of their
 * times.
 *
 * A dirty line is written back when it leaves its cache. The groups of a sample (timing_cut.whole)
 * may leave all their dirty lines in caches that the whole job would fill many times. In a sample a
 * line is therefore written back when it becomes dirty.
 */
#include "runtime/timing/model_internal.h"

/* Reserves a unit that handles one request at a time, for `ticks` from time `at` on or later.
 * Returns when the request begins. */
static uint64_t take_turn(uint64_t *free_at, uint64_t at, uint64_t ticks)
{
    uint64_t begin = *free_at > at ? *free_at : at;

    *free_at = begin + ticks;
    return begin;
}

static uint64_t line_ticks(const struct timing_params *p, uint64_t bandwidth)
{
    return bandwidth ? p->line_bytes * TIMING_TICKS / bandwidth : 0;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* ---- L2 and memory --------------------------------------------------------------------------- */

static void write_to_memory(struct model *m, uint64_t at)
{
    struct beyond *b = m->beyond;

    take_turn(&b->memory_free, at, b->dram_line);
    m->out->dram_writes++;
}

/* The time at which a line that misses in L2 at `at` arrives from memory. */
static uint64_t fetch_line(struct model *m, uint64_t at)
{
    struct beyond *b = m->beyond;
    unsigned place;
    uint64_t begin = timing_fills_place(&b->fills, at, &place), end;

    end = take_turn(&b->memory_free, begin, b->dram_line) + m->p->l2_miss_latency;
    timing_fills_keep(&b->fills, place, end);
    m->out->dram_reads++;
    return end;
}

/* Requests a line from L2 at time `at`; returns the time of the answer. Whole lines are written
 * without being read first. */
static uint64_t ask_l2(struct model *m, uint64_t line, uint64_t at, bool write, bool whole,
                       enum timing_cause *from)
{
    struct beyond *b = m->beyond;
    uint64_t begin = take_turn(&b->l2_free, at, b->l2_line), left, end;
    bool hit, written;
    struct timing_fill *f = timing_fills_touch(&b->fills, line ^ m->space, &hit, &written, &left);

    ++*(write ? &m->out->l2_writes : &m->out->l2_reads);
    if (written && !m->cut.whole)
        write_to_memory(m, begin);
    *from = hit ? TIMING_L2 : TIMING_DRAM;
    end = begin + m->p->l1_miss_latency;
    if (!hit && whole && f)
        f->ready = begin;
    else if (!hit && whole)
        write_to_memory(m, begin);
    else if (!hit)
        end = max_u64(end, fetch_line(m, begin));
    if (!f)
        return end;
    if (!hit && !whole) {
        f->ready = end;
        f->from = TIMING_DRAM;
    } else if (f->ready > end) { /* the line is still on its way */
        end = f->ready;
        *from = TIMING_DRAM;
    }
    if (m->cut.whole && write && !f->dirty)
        write_to_memory(m, begin);
    f->dirty |= write;
    return end;
}

/* ---- a core ---------------------------------------------------------------------------------- */

static void leave_l1(struct model *m, uint64_t line, uint64_t at)
{
    enum timing_cause from;

    ask_l2(m, line, at, true, true, &from);
}

static uint64_t miss_l1(struct model *m, struct core *c, uint64_t line, uint64_t at,
                        enum timing_cause *from)
{
    unsigned place;
    uint64_t begin = timing_fills_place(&c->fills, at, &place), end;

    end = ask_l2(m, line, begin, false, false, from);
    timing_fills_keep(&c->fills, place, end);
    return end;
}

static uint64_t store_line(struct model *m, struct core *c, uint64_t line, uint64_t at)
{
    enum timing_cause from;
    uint64_t left;
    bool hit, written;
    struct timing_fill *f = timing_fills_touch(&c->fills, line, &hit, &written, &left);

    if (written && !m->cut.whole)
        leave_l1(m, left, at);
    if (m->cut.whole && f && !f->dirty)
        leave_l1(m, line, at);
    if (!f)
        ask_l2(m, line, at, true, false, &from);
    else if (!hit)
        f->ready = at;
    if (f)
        f->dirty = true;
    return at + m->p->store_exposed;
}

static uint64_t load_line(struct model *m, struct core *c, uint64_t line, uint64_t at,
                          enum timing_cause *from)
{
    uint64_t left, end = at + m->p->load_exposed;
    bool hit, written;
    struct timing_fill *f = timing_fills_touch(&c->fills, line, &hit, &written, &left);

    *from = TIMING_L1;
    if (written && !m->cut.whole)
        leave_l1(m, left, at);
    if (!hit) {
        end = max_u64(end, miss_l1(m, c, line, at, from));
        if (f) {
            f->ready = end;
            f->from = (uint8_t)*from;
        }
    } else if (f->ready > end) {
        end = f->ready;
        *from = (enum timing_cause)f->from;
    }
    return end;
}

/* A request of a line that leaves the pipe at `at`; returns the time of the answer. */
static uint64_t request_line(struct model *m, struct core *c, enum timing_access access,
                             uint64_t line, uint64_t at, enum timing_cause *from)
{
    m->out->requests++;
    *from = TIMING_L1;
    if (access == TIMING_ATOMIC)
        return ask_l2(m, line, at, true, false, from);
    return timing_is_store(access) ? store_line(m, c, line, at) : load_line(m, c, line, at, from);
}

/* The time at which the first request leaves the texture pipe; the others follow. */
static uint64_t enter_texture(struct model *m, struct core *c, const struct timing_bundle *b)
{
    return take_turn(&c->texture_free, m->now, m->p->texture_issue * b->words[TIMING_PIPE_TEXTURE]);
}

uint64_t timing_detailed_memory(struct model *m, struct warp *w, enum timing_cause *cause)
{
    const struct timing_bundle *b = &m->job->bundles.data[w->bundle];
    struct core *c = &m->cores[m->groups.data[w->group].core];
    bool texture = b->words[TIMING_PIPE_TEXTURE];
    uint64_t at = texture ? enter_texture(m, c, b) : m->now, end = m->now, before = UINT64_MAX;

    *cause = TIMING_L1;
    timing_collect(m, &w->cursor);
    for (size_t i = 0; i < m->accessed_lines.len; i++) {
        enum timing_access access = timing_asked_access(m->accessed_lines.data[i]);
        uint64_t line = timing_asked_line(m, w, m->accessed_lines.data[i]), answer;
        enum timing_cause from;

        if (line == before)
            continue;
        before = line;
        if (m->p->memory_issue && !texture)
            answer = request_line(m, c, access, line,
                                  take_turn(&c->memory_free, m->now, m->p->memory_issue), &from);
        else
            answer = request_line(m, c, access, line, at, &from);
        at += m->p->memory_issue && !texture ? 0 : TIMING_TICKS;
        answer += texture ? m->p->texture_latency : 0;
        if (answer >= end) {
            end = answer;
            *cause = from;
        }
    }
    return end - m->now;
}

uint64_t timing_detailed_barrier(struct model *m, uint32_t core)
{
    uint64_t ticks = m->p->barrier_issue;

    return ticks ? take_turn(&m->cores[core].memory_free, m->now, ticks) + ticks : m->now;
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static uint32_t lines_of(const struct timing_params *p, uint64_t bytes)
{
    uint64_t n = bytes / p->line_bytes;

    return n < TIMING_CACHE_INFINITE ? (uint32_t)n : TIMING_CACHE_INFINITE;
}

void timing_beyond_begin(struct beyond *b, const struct timing_params *p)
{
    *b = (struct beyond){.l2_line = line_ticks(p, p->l2_bandwidth),
                         .dram_line = line_ticks(p, p->dram_bandwidth)};
    timing_fills_init(&b->fills, lines_of(p, p->l2_bytes), (uint32_t)p->l2_ways,
                      (unsigned)p->l2_misses);
}

void timing_beyond_end(struct beyond *b)
{
    timing_fills_release(&b->fills);
}

void timing_detailed_begin(struct model *m)
{
    const struct timing_params *p = m->p;

    for (unsigned i = 0; i < m->shape->cores; i++)
        timing_fills_init(&m->cores[i].fills, lines_of(p, p->l1_bytes), (uint32_t)p->l1_ways,
                          (unsigned)p->l1_misses);
}

void timing_detailed_end(struct model *m)
{
    for (unsigned i = 0; i < m->shape->cores; i++) {
        m->out->l1_hits += m->cores[i].fills.hits;
        m->out->l1_misses += m->cores[i].fills.misses;
        timing_fills_release(&m->cores[i].fills);
    }
    m->out->l2_hits = m->beyond->fills.hits;
    m->out->l2_misses = m->beyond->fills.misses;
}
