/*
 * The engine on the thread that runs the guest: counting executions, asking for translations,
 * putting them in place and taking them away.
 *
 * While a block is cold its first handler is count_block(), which passes on to the real one. A
 * translation takes that place: a trace of the quick tier at once, a region of LLVM's when it is
 * ready. Either is killed when any of its blocks dies, and freed where no CPU can be inside of it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "runtime/jit/quick/target.h"

enum {
    SAMPLE_RUNS = 8, /* executions that one sample in a trace stands for */
    WARM_PART = 8,   /* a block that has seen so much of the threshold is worth including */
    MAX_DEAD = 64,   /* killed regions that may wait to be freed */
    EVICT_PART = 4,  /* of the code, when there is too much */
};

/* ---- regions --------------------------------------------------------------------------------- */

void region_free(struct region *r)
{
    for (unsigned n = 0; n < r->source_count; n++)
        free(r->sources[n].insns);
    for (size_t n = 0; n < r->copies.len; n++)
        free(r->copies.data[n]);
    vec_free(&r->copies);
    quick_free(r->quick);
    if (r->entry)
        arena_give(&r->jit->arena, r->chunk);
    free(r->sources);
    free(r);
}

static void leave_block(struct block *b, const struct region *r)
{
    struct member **link = (struct member **)&b->translations, *m;

    while (*link && (*link)->region != r)
        link = &(*link)->next;
    m = *link;
    if (m) {
        *link = m->next;
        free(m);
    }
}

static void leave_blocks(const struct region *r)
{
    for (unsigned n = 0; n < r->source_count; n++)
        leave_block(r->sources[n].block, r);
}

static void count_block(struct cpu *cpu, const struct insn *i);

void kill_region(struct region *r)
{
    struct block *entry = r->sources[0].block;

    if (atomic_load_explicit(&r->killed, memory_order_relaxed))
        return;
    atomic_store_explicit(&r->killed, true, memory_order_relaxed);
    r->jit->dead_count++;
    r->jit->counters.killed++;
    if (r->live) {
        block_insn(entry, 0)->fn = count_block;
        entry->heat = 0;
        if (r->quick)
            entry->host = r->jit->quick->thunks.unlinked;
    }
    r->live = false;
    if (r->quick)
        quick_disconnect(r);
    leave_blocks(r);
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

static void unlink_region(struct jit *jit, struct region *r)
{
    *(r->all_prev ? &r->all_prev->all_next : &jit->newest) = r->all_next;
    *(r->all_next ? &r->all_next->all_prev : &jit->oldest) = r->all_prev;
    jit->counters.bytes -= r->text_size;
}

/* Frees killed regions. No CPU is inside of one. */
static void free_dead(struct jit *jit)
{
    for (struct region *r = jit->oldest, *next; r; r = next) {
        next = r->all_prev;
        if (!r->done || !atomic_load_explicit(&r->killed, memory_order_relaxed))
            continue;
        unlink_region(jit, r);
        region_free(r);
        jit->dead_count--;
    }
}

/* The oldest part of the code goes. */
static void evict(struct jit *jit)
{
    uint64_t bytes = jit->counters.bytes / EVICT_PART;

    for (struct region *r = jit->oldest; r && bytes; r = r->all_prev) {
        bytes -= r->text_size < bytes ? r->text_size : bytes;
        kill_region(r);
    }
    free_dead(jit);
}

/* ---- translations arrive --------------------------------------------------------------------- */

static void note_perf(struct jit *jit, const struct region *r)
{
    if (!jit->perf_map)
        return;
    fprintf(jit->perf_map, "%" PRIxPTR " %zx %s_%" PRIx64 "\n", (uintptr_t)r->entry, r->text_size,
            r->quick ? "quick" : "guest", r->pc);
    fflush(jit->perf_map);
}

static void fail(struct jit *jit, struct region *r)
{
    jit->counters.failed++;
    log_printf(jit->log, LOG_UNIMP, "jit: the code at %#" PRIx64 " is not translated: %s\n", r->pc,
               r->failure);
    kill_region(r);
}

/* The block's own translation from now on. */
static void put_in_place(struct jit *jit, struct region *r, insn_fn *fn)
{
    r->live = true;
    block_insn(r->sources[0].block, 0)->fn = fn;
    note_perf(jit, r);
    jit_list_code(jit, r);
}

static void install(struct jit *jit, struct region *r)
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
        fail(jit, r);
        return;
    }
    if (trace)
        kill_region(trace);
    if (atomic_load_explicit(&r->killed, memory_order_relaxed)) /* with all others */
        return;
    jit->counters.regions++;
    jit->counters.blocks += r->built;
    jit->counters.insns += r->insn_count;
    jit->counters.interpreted += r->interpreted;
    put_in_place(jit, r, (insn_fn *)(uintptr_t)r->entry);
}

/* Memory stays bounded. No CPU is inside of a translation. */
static void tidy(struct jit *jit)
{
    if (arena_bytes(&jit->arena) > jit->options.budget)
        evict(jit);
    if (jit->dead_count > MAX_DEAD)
        free_dead(jit);
}

void jit_install_finished(struct jit *jit)
{
    for (struct region *r = queue_finished(jit), *next; r; r = next) {
        next = r->queue_next;
        install(jit, r);
    }
    tidy(jit);
}

/* ---- asking for translations ----------------------------------------------------------------- */

bool block_is_translated(const struct block *b)
{
    for (const struct member *m = b->translations; m; m = m->next) {
        if (m->region->sources[0].block == b && m->region->live)
            return true;
    }
    return false;
}

/* Whether LLVM has been asked for the block's translation already. */
static bool is_asked(const struct block *b)
{
    for (const struct member *m = b->translations; m; m = m->next) {
        if (m->region->sources[0].block == b && !m->region->quick)
            return true;
    }
    return false;
}

void jit_ask(struct jit *jit, struct cpu *cpu, struct block *b, uint64_t pc)
{
    if (!is_asked(b))
        queue_add(jit, region_gather(jit, cpu, b, pc));
}

/* In the quick tier, a trace that begins with the block; false: it has none. */
static bool make_trace(struct jit *jit, struct cpu *cpu, struct block *b)
{
    struct region *r = trace_gather(jit, cpu, b, cpu->block_pc);
    bool ok = quick_translate(jit, r, cpu);

    r->done = true;
    jit->counters.bytes += r->text_size;
    jit->counters.trace_ns += r->build_ns + r->emit_ns;
    if (!ok) {
        fail(jit, r);
        return false;
    }
    jit->counters.traces++;
    jit->counters.trace_insns += r->insn_count;
    jit->counters.trace_handlers += r->interpreted;
    b->host = r->quick->head;
    put_in_place(jit, r, quick_run);
    tidy(jit);
    return true;
}

/* ---- counting -------------------------------------------------------------------------------- */

/* A block that waits for its translation and is twice as hot as before goes to the front. */
static void hurry(struct jit *jit, const struct block *b)
{
    for (const struct member *m = b->translations; m; m = m->next) {
        if (m->region->sources[0].block == b && !m->region->done)
            queue_hurry(jit, m->region);
    }
}

static void ask_llvm(struct jit *jit, struct cpu *cpu, struct block *b)
{
    if (!queue_has_room(jit)) {
        b->heat -= b->heat / 2;
        return;
    }
    jit_ask(jit, cpu, b, cpu->block_pc);
    if (jit->options.sync)
        jit_install_finished(jit);
}

/* Is it time to translate the block? */
static void consider(struct jit *jit, struct cpu *cpu, struct block *b)
{
    const struct jit_options *o = &jit->options;

    if (jit->quick && b->heat == o->quick_threshold && !make_trace(jit, cpu, b) &&
        o->tier == JIT_TIER_QUICK)
        block_insn(b, 0)->fn = b->first;
    if (o->tier == JIT_TIER_QUICK || quick_trace_of(b))
        return;
    if (b->heat == o->threshold)
        ask_llvm(jit, cpu, b);
    else if (b->heat > o->threshold && !(b->heat & (b->heat - 1)))
        hurry(jit, b);
}

/* The block is warm: where does it come from, and is it time to translate it? */
__attribute__((noinline)) static void count_warm(struct cpu *cpu, const struct insn *i)
{
    struct block *b = cpu->block;
    struct jit *jit = b->tier->opaque;

    if (atomic_load_explicit(&jit->has_finished, memory_order_acquire))
        jit_install_finished(jit);
    if (jit->last_cpu == cpu && cpu->ticks - b->ticks == jit->last_ticks)
        block_note_next(jit->last, (int64_t)(cpu->block_pc - jit->last_pc));
    jit->last_cpu = cpu;
    jit->last = b;
    jit->last_pc = cpu->block_pc;
    jit->last_ticks = cpu->ticks;
    consider(jit, cpu, b);
    if (i->fn != count_block)
        i->fn(cpu, i);
    else
        b->first(cpu, i);
}

/* Stands in front of a block that is not translated. */
static void count_block(struct cpu *cpu, const struct insn *i)
{
    struct block *b = cpu->block;
    const struct jit *jit = b->tier->opaque;

    if (CPU_LIKELY(++b->heat < jit->warm_from))
        b->first(cpu, i);
    else
        count_warm(cpu, i);
}

void jit_leave(struct cpu *cpu, const struct insn *i)
{
    uint64_t pc = cpu->pc;
    const struct jump_entry *e = &cpu->jumps[jump_index(pc)];
    struct block *b = e->block;

    (void)i;
    if (CPU_UNLIKELY(cpu->attention || e->pc != pc || e->key != cpu->key || !block_fits(cpu, b)))
        return;
    cpu->block = b;
    cpu->block_pc = pc;
    block_account(cpu, b);
    if (cpu->counts)
        ++*block_runs(b, cpu->slot);
    block_insn(b, 0)->fn(cpu, block_insn(b, 0));
}

/* ---- what the code cache tells --------------------------------------------------------------- */

static void on_added(void *opaque, struct block *b)
{
    const struct jit *jit = opaque;

    b->host = jit->quick ? jit->quick->thunks.unlinked : NULL;
    if (!b->checked && !b->interpreted)
        block_insn(b, 0)->fn = count_block;
}

static void on_dropped(void *opaque, struct block *b)
{
    struct jit *jit = opaque;

    while (b->translations)
        kill_region(((struct member *)b->translations)->region);
    if (jit->last == b)
        jit->last_cpu = NULL;
}

static void on_reclaim(void *opaque)
{
    struct jit *jit = opaque;

    jit->last_cpu = NULL;
    free_dead(jit);
}

static void on_close(void *opaque)
{
    struct jit *jit = opaque;

    queue_stop(jit);
    while (jit->oldest) {
        struct region *r = jit->oldest;

        if (!atomic_load_explicit(&r->killed, memory_order_relaxed))
            leave_blocks(r);
        unlink_region(jit, r);
        region_free(r);
    }
    for (struct isa_map *m = jit->maps, *next; m; m = next) {
        next = m->next;
        isa_map_free(m);
    }
    if (jit->perf_map)
        fclose(jit->perf_map);
    quick_stop(jit);
    arena_drop(&jit->arena);
    free(jit);
}

/* ---- life ------------------------------------------------------------------------------------ */

static void open_perf_map(struct jit *jit)
{
    char path[64];

    snprintf(path, sizeof(path), "/tmp/perf-%ld.map", (long)getpid());
    jit->perf_map = fopen(path, "w");
}

/* Which tiers there are, and when a block is due for them. */
static bool choose_tiers(struct jit *jit, struct error *err)
{
    struct jit_options *o = &jit->options;
    struct error why;

    if (o->tier == JIT_TIER_BOTH && !jit_has_llvm())
        o->tier = JIT_TIER_QUICK;
    if (o->tier != JIT_TIER_LLVM && !quick_start(jit, &why)) {
        if (!jit_has_llvm())
            return error_set(err, "%s", why.text);
        o->tier = JIT_TIER_LLVM;
    }
    if (jit->quick) {
        jit->warm_from = 1;
        jit->worth = o->quick_threshold / 2;
        if (o->tier == JIT_TIER_BOTH)
            jit->quick->hot = (o->threshold + SAMPLE_RUNS - 1) / SAMPLE_RUNS;
    } else {
        jit->warm_from = o->threshold / 2;
        jit->worth = o->threshold / WARM_PART;
    }
    return true;
}

struct jit *jit_new(struct code_cache *code, struct log *log, const struct jit_options *o,
                    struct error *err)
{
    struct jit *jit = xcalloc(1, sizeof(*jit));
    size_t room;
    bool ok;

    jit->options = *o;
    jit->counts = code_counts(code);
    jit->log = log;
    jit->cache = code;
    jit->tier = (struct code_tier){.opaque = jit,
                                   .added = on_added,
                                   .dropped = on_dropped,
                                   .reclaim = on_reclaim,
                                   .close = on_close};
    queue_start(jit);
    room = arena_init(&jit->arena, q_target.reach) / 4 * 3;
    if (jit->options.budget > room)
        jit->options.budget = room;
    ok = room ? choose_tiers(jit, err) : error_set(err, "the host gives no memory for code");
    if (ok && !code_set_tier(code, &jit->tier))
        ok = error_set(err, "this bus has no code cache that could be translated");
    if (!ok) {
        queue_stop(jit);
        quick_stop(jit);
        arena_drop(&jit->arena);
        free(jit);
        return NULL;
    }
    if (o->perf_map)
        open_perf_map(jit);
    return jit;
}
