/* Jobs of translation: made on the guest's thread, for the one that translates. */
#include "runtime/jit/quick/job.h"

#include "runtime/base/alloc.h"
#include "runtime/jit/quick/kept.h"

static void note_block(struct q_block_facts *to, const struct block *b)
{
    *to = (struct q_block_facts){.failed_guards = b->failed_guards,
                                 .failed_merges = b->failed_merges,
                                 .aligned = b->aligned,
                                 .large = b->large,
                                 .misses = b->misses,
                                 .odds = block_odds(b)};
    to->has_usual = block_usual_next(b, &to->usual);
}

/* Whether exceptions of floats leave the trace, since they are rare in all of its blocks. */
static bool may_trap(const struct jit *jit, const struct region *r)
{
    bool can = quick_has_traps(jit->quick);

    for (unsigned n = 0; n < r->source_count; n++) {
        if (r->sources[n].block->failed_traps)
            return false;
    }
    return can;
}

/* The exit by which the CPU came here, if it came from a trace. */
static const struct q_exit *exit_before(const struct q_tier *t, const struct region *r,
                                        const struct cpu *cpu)
{
    const struct q_exit *e = t->came_by;

    return e && e->early && t->came_pc == cpu->block_pc &&
                   t->came_ticks + r->sources[0].ticks == cpu->ticks && e->from->map == r->map &&
                   e->from->flat == r->flat
               ? e
               : NULL;
}

/* ---- copies ---------------------------------------------------------------------------------- */

enum { ALIGNED = 16 };

/* Copies what lies at *from to *at, and lets *from be the copy. */
static void copy_bytes(uint8_t **at, const void **from, size_t bytes)
{
    if (bytes)
        memcpy(*at, *from, bytes);
    *from = *at;
    *at += (bytes + ALIGNED - 1) & ~(size_t)(ALIGNED - 1);
}

static size_t insn_bytes(const struct region *r, const struct source *s)
{
    return (size_t)s->count * r->stride;
}

/* Copies the map of the exit that led here. A register that has the extension of 32 bits in a host
 * register can be passed on there. */
static void copy_map(struct q_job *job, struct q_map_entry *to, const struct q_exit *from)
{
    const struct q_code *code = from->from->quick;
    const struct isa_map *map = from->from->map;

    memcpy(to, code->maps.data + from->map, (from->dirty + from->clean) * sizeof(*to));
    for (uint32_t n = 0; n < from->dirty; n++) {
        const struct q_expr *x =
            to[n].at.kind == Q_IN_EXPR ? &code->exprs.data[to[n].at.index] : NULL;

        if (x && q_extends_host(x) && map->slots.data[to[n].slot].size == 8)
            to[n].at = (struct q_where){.kind = Q_IN_HOST, .host = x->a.host, .index = 64};
    }
    job->from = to;
    job->from_dirty = from->dirty;
    job->from_clean = from->clean;
}

/* Bytes of all other copies, each of which is aligned. */
static size_t copied_bytes(const struct region *r)
{
    size_t bytes = r->map->isa->state_bytes + (2 + r->source_count) * (ALIGNED - 1);

    for (unsigned n = 0; n < r->source_count; n++)
        bytes += insn_bytes(r, &r->sources[n]);
    return bytes;
}

static void copy_all(struct q_job *job, uint8_t *at, struct region *r)
{
    const void *from = job->state;

    at += -(uintptr_t)at % ALIGNED;
    copy_bytes(&at, &from, r->map->isa->state_bytes);
    job->state = from;
    for (unsigned n = 0; n < r->source_count; n++) {
        from = r->sources[n].block->insns;
        copy_bytes(&at, &from, insn_bytes(r, &r->sources[n]));
        r->sources[n].insns = (uint8_t *)(uintptr_t)from;
        ((struct insn *)(void *)r->sources[n].insns)->fn = r->sources[n].block->first;
    }
}

/* ---- jobs ------------------------------------------------------------------------------------ */

void quick_make_job(struct jit *jit, struct region *r, const struct cpu *cpu, bool copies)
{
    struct q_tier *t = jit->quick;
    const struct q_exit *from;
    struct q_job *job;
    struct error why;
    size_t map_bytes;

    if (r->flat && !quick_catch_faults(t, &why))
        r->flat = false;
    from = exit_before(t, r, cpu);
    map_bytes = from ? (from->dirty + from->clean) * sizeof(struct q_map_entry) : 0;
    job = r->job = xcalloc(1, sizeof(*job) + map_bytes + (copies ? ALIGNED + copied_bytes(r) : 0));
    job->region = r;
    job->state = cpu->state;
    job->came_back = t->came_back;
    job->traps = may_trap(jit, r);
    if (from)
        copy_map(job, (struct q_map_entry *)(void *)job->copies, from);
    for (unsigned n = 0; n < r->source_count; n++)
        note_block(&job->blocks[n], r->sources[n].block);
    job->is_kept = jit->kept && kept_key(jit, cpu, r->sources[0].block, r->pc, &job->key);
    if (copies)
        copy_all(job, job->copies + map_bytes, r);
}

void quick_free_job(struct q_job *job)
{
    if (!job)
        return;
    for (unsigned n = 0; n < job->region->source_count; n++)
        job->region->sources[n].insns = NULL;
    free(job);
}
