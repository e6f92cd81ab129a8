/*
 * The instruction cache of a core. The code of a bundle lies in one or more lines; missing lines
 * are fetched at the same time. If icache_bytes is 0, no code is ever missing.
 */
#include "runtime/timing/model_internal.h"

void timing_code_begin(struct model *m)
{
    uint64_t lines = m->p->icache_bytes / m->p->icache_line_bytes;

    for (unsigned i = 0; i < m->shape->cores && m->p->icache_bytes; i++)
        timing_fills_init(&m->cores[i].code, (uint32_t)lines, (uint32_t)m->p->icache_ways, 0);
}

void timing_code_end(struct model *m)
{
    for (unsigned i = 0; i < m->shape->cores && m->p->icache_bytes; i++)
        timing_fills_release(&m->cores[i].code);
}

/* Fetches a line at tick `at`; returns the tick at which the cache has it. */
static uint64_t fetch_line(struct model *m, struct core *c, uint64_t line, uint64_t at)
{
    uint64_t left;
    bool hit, written;
    struct timing_fill *f = timing_fills_touch(&c->code, line, &hit, &written, &left);

    ++*(hit ? &m->out->code_hits : &m->out->code_misses);
    if (hit)
        return f->ready > at ? f->ready : at;
    at += m->p->icache_miss_latency;
    if (f)
        f->ready = at;
    return at;
}

uint64_t timing_code_fetch(struct model *m, struct core *c, uint32_t bundle, uint64_t at)
{
    const struct timing_bundle *b = &m->job->bundles.data[bundle];
    uint64_t size = m->p->icache_line_bytes, end = at;
    uint64_t last = (b->address + (b->bytes ? b->bytes - 1 : 0)) / size;

    for (uint64_t line = b->address / size; line <= last; line++) {
        uint64_t there = fetch_line(m, c, line, at);

        end = there > end ? there : end;
    }
    return end - at;
}

static uint64_t fetch_once(struct model *m, struct core *c, const struct timing_cursor *run,
                           uint64_t at)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < run->count; i++)
        sum += timing_code_fetch(m, c, run->first + i, at + sum);
    return sum;
}

/* All passes from the second on take the same time, since the engine runs nothing else between
 * them: only two are simulated. */
uint64_t timing_code_fetch_run(struct model *m, struct core *c, const struct timing_cursor *run,
                               uint64_t at)
{
    uint64_t first = fetch_once(m, c, run, at), hits = m->out->code_hits,
             misses = m->out->code_misses, again;

    if (run->times == 1)
        return first;
    again = fetch_once(m, c, run, at + first);
    m->out->code_hits += (m->out->code_hits - hits) * (run->times - 2);
    m->out->code_misses += (m->out->code_misses - misses) * (run->times - 2);
    return first + again * (run->times - 1);
}
