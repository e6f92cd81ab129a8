/*
 * * Installs translations in the place of blocks. Kills them when one of their blocks is dropped,
 * or when there is too much code. Frees them where no CPU can be inside of one.
 */
#include <inttypes.h>
#include <stdio.h>

#include "runtime/jit/quick/job.h"
#include "runtime/jit/quick/kept.h"
#include "runtime/jit/quick/tier.h"

enum {
    MAX_DEAD = 64,  /* killed regions that are kept before all of them are freed */
    EVICT_PART = 4, /* 1 / EVICT_PART of all host code is evicted when there is too much */
};

void region_free(struct region *r)
{
    for (unsigned n = 0; n < r->source_count && !r->is_trace; n++)
        free(r->sources[n].insns);
    for (size_t n = 0; n < r->copies.len; n++)
        free(r->copies.data[n]);
    vec_free(&r->copies);
    quick_free(r->job ? r->job->code : r->quick);
    quick_free_job(r->job);
    if (r->entry)
        arena_give(&r->jit->arena, r->chunk);
    free(r->sources);
    free(r);
}

static void remove_member(struct block *b, const struct region *r)
{
    struct member **link = (struct member **)&b->translations;

    while (*link && (*link)->region != r)
        link = &(*link)->next;
    if (*link)
        *link = (*link)->next;
}

static void region_leave_blocks(const struct region *r)
{
    for (unsigned n = 0; n < r->source_count; n++)
        remove_member(r->sources[n].block, r);
}

static void set_host(const struct jit *jit, struct block *b, const void *host)
{
    b->host = host;
    code_host_changed(jit->cache, b);
}

/* ---- killing and freeing --------------------------------------------------------------------- */

void kill_region(struct region *r)
{
    struct block *entry = r->sources[0].block;
    bool linked;

    if (atomic_load_explicit(&r->killed, memory_order_relaxed))
        return;
    atomic_store_explicit(&r->killed, true, memory_order_relaxed);
    r->dead_next = r->jit->dead;
    r->jit->dead = r;
    r->jit->dead_count++;
    r->jit->counters.killed++;
    if (r->live) {
        block_insn(entry, 0)->fn = r->jit->count_block;
        entry->heat = 0;
        if (r->quick)
            set_host(r->jit, entry, r->jit->quick->thunks.unlinked);
    }
    if (r->is_trace && !r->done) /* its translation is for nothing: the block asks again */
        entry->heat = 0;
    r->live = false;
    linked = r->quick && !quick_disconnect(r);
    region_leave_blocks(r);
    if (linked)
        kill_all(r->jit);
}

void kill_all(struct jit *jit)
{
    if (jit->killing)
        return;
    jit->killing = true;
    for (struct region *r = jit->newest; r; r = r->all_next)
        kill_region(r);
    jit->killing = false;
}

void region_unlink(struct jit *jit, struct region *r)
{
    if (jit->quick && jit->quick->came_by && jit->quick->came_by->from == r)
        jit->quick->came_by = NULL;
    *(r->all_prev ? &r->all_prev->all_next : &jit->newest) = r->all_next;
    *(r->all_next ? &r->all_next->all_prev : &jit->oldest) = r->all_prev;
    jit->counters.bytes -= r->text_size;
}

void jit_free_dead(struct jit *jit)
{
    struct region **link = &jit->dead;

    while (*link) {
        struct region *r = *link;

        if (!r->done) {
            link = &r->dead_next;
            continue;
        }
        *link = r->dead_next;
        region_unlink(jit, r);
        region_free(r);
        jit->dead_count--;
    }
}

/* Kills and frees the oldest translations, 1 / EVICT_PART of all host code. */
static void evict_oldest(struct jit *jit)
{
    uint64_t bytes = jit->counters.bytes / EVICT_PART;

    for (struct region *r = jit->oldest; r && bytes; r = r->all_prev) {
        if (!r->done)
            continue;
        bytes -= r->text_size < bytes ? r->text_size : bytes;
        kill_region(r);
    }
    jit_free_dead(jit);
}

void jit_tidy(struct jit *jit)
{
    if (arena_bytes(&jit->arena) > jit->options.budget)
        evict_oldest(jit);
    if (jit->dead_count > MAX_DEAD)
        jit_free_dead(jit);
}

/* ---- installing ------------------------------------------------------------------------------ */

static void note_perf(struct jit *jit, const struct region *r)
{
    if (!jit->perf_map)
        return;
    fprintf(jit->perf_map, "%" PRIxPTR " %zx %s_%" PRIx64 "\n", (uintptr_t)r->entry, r->text_size,
            r->quick ? "quick" : "guest", r->pc);
    fflush(jit->perf_map);
}

static void list_code(struct jit *jit, const struct region *r)
{
    if (!log_enabled(jit->log, LOG_OUT_ASM))
        return;
    log_printf(jit->log, LOG_OUT_ASM, "%s of %u blocks from %#" PRIx64 ", %zu bytes of code\n",
               r->quick ? "quick: trace" : "region", r->quick ? r->source_count : r->built, r->pc,
               r->text_size);
    llvm_list_code(jit, r->quick ? r->code : r->entry, r->text_size);
}

void region_install(struct jit *jit, struct region *r, insn_fn *fn)
{
    r->live = true;
    block_insn(r->sources[0].block, 0)->fn = fn;
    note_perf(jit, r);
    list_code(jit, r);
}

void trace_put(struct jit *jit, struct region *r)
{
    /* On this processor, too: another one may have written the code. */
    __builtin___clear_cache((char *)r->code, (char *)r->code + r->text_size);
    set_host(jit, r->sources[0].block, r->quick->head);
    region_install(jit, r, jit->quick->run);
}

void region_fail(struct jit *jit, struct region *r)
{
    jit->counters.failed++;
    log_printf(jit->log, LOG_UNIMP, "jit: the code at %#" PRIx64 " is not translated: %s\n", r->pc,
               r->failure);
    kill_region(r);
}

void jit_install_trace(struct jit *jit, struct region *r)
{
    struct block *entry = r->sources[0].block;

    r->done = true;
    r->quick = r->job->code;
    jit->counters.bytes += r->text_size;
    jit->counters.trace_ns += r->build_ns + r->emit_ns;
    if (!atomic_load_explicit(&r->killed, memory_order_relaxed)) {
        if (r->entry) {
            jit->counters.traces++;
            jit->counters.trace_insns += r->insn_count;
            jit->counters.trace_handlers += r->interpreted;
            if (r->job->is_kept)
                kept_add(jit, r, &r->job->key);
            trace_put(jit, r);
        } else {
            if (jit->options.tier == JIT_TIER_QUICK)
                block_insn(entry, 0)->fn = entry->first;
            region_fail(jit, r);
        }
    }
    quick_free_job(r->job);
    r->job = NULL;
}

static void install_region(struct jit *jit, struct region *r)
{
    struct block *entry = r->sources[0].block;
    struct region *trace;

    r->done = true;
    jit->counters.bytes += r->text_size;
    jit->counters.build_ns += r->build_ns;
    jit->counters.optimise_ns += r->optimise_ns;
    jit->counters.emit_ns += r->emit_ns;
    if (atomic_load_explicit(&r->killed, memory_order_relaxed))
        return;
    trace = quick_trace_of(entry);
    if (!r->entry) {
        if (!trace)
            block_insn(entry, 0)->fn = entry->first;
        region_fail(jit, r);
        return;
    }
    if (trace)
        kill_region(trace);
    if (atomic_load_explicit(&r->killed, memory_order_relaxed)) /* by kill_all() */
        return;
    jit->counters.regions++;
    jit->counters.blocks += r->built;
    jit->counters.insns += r->insn_count;
    jit->counters.interpreted += r->interpreted;
    region_install(jit, r, (insn_fn *)(uintptr_t)r->entry);
}

void jit_install_finished(struct jit *jit)
{
    for (struct region *r = queue_finished(jit), *next; r; r = next) {
        next = r->queue_next;
        if (r->is_trace)
            jit_install_trace(jit, r);
        else
            install_region(jit, r);
    }
    jit_tidy(jit);
}

/* ---- requests to LLVM ------------------------------------------------------------------------ */

bool block_is_translated(const struct block *b)
{
    for (const struct member *m = b->translations; m; m = m->next) {
        if (m->region->sources[0].block == b && m->region->live)
            return true;
    }
    return false;
}

/* Whether LLVM's translation of the block has been requested. */
static bool is_requested(const struct block *b)
{
    for (const struct member *m = b->translations; m; m = m->next) {
        if (m->region->sources[0].block == b && !m->region->is_trace)
            return true;
    }
    return false;
}

void jit_ask(struct jit *jit, struct cpu *cpu, struct block *b, uint64_t pc)
{
    if (!is_requested(b))
        queue_add(jit, region_gather(jit, cpu, b, pc));
}
