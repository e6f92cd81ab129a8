/*
 * The engine, on the thread that runs the guest: counts executions of blocks, and has hot blocks
 * translated.
 *
 * The first handler of a cold block is count_block(), which calls the real one. A translation
 * replaces it: a trace of the quick tier at once, a region of LLVM when it is ready (installed.c).
 */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "runtime/base/alloc.h"
#include "runtime/jit/quick/job.h"
#include "runtime/jit/quick/kept.h"
#include "runtime/jit/quick/target.h"
#include "runtime/jit/quick/worker.h"

enum {
    QUICK_THRESHOLD = 150,   /* executions before a block's trace is made while the guest runs on */
    WAITING_THRESHOLD = 300, /* the same while the guest waits */
    /* The same of a block that runs every EARLY_TICKS ticks or more rarely: each of its executions
     * misses the host's caches. */
    EARLY_THRESHOLD = 30,
    EARLY_TICKS = 15000,
    EARLY_WAITING = 32, /* traces in the queue with which no others are asked for so early */
    SAMPLE_RUNS = 8,    /* executions per sample in a trace */
    WAIT_PART = 4,      /* blocks wait for 1 / WAIT_PART of the threshold's executions */
    WARM_PART = 8, /* regions include blocks with 1 / WARM_PART of the threshold's executions */
};

/* ---- asking for translations ----------------------------------------------------------------- */

/* A trace that has the block and is waiting for its translation; NULL: there is none. The block's
 * own one comes before others. */
static struct region *waiting_trace(const struct block *b)
{
    struct region *r = NULL;

    for (const struct member *m = b->translations; m; m = m->next) {
        if (m->region->job && (!r || m->region->sources[0].block == b))
            r = m->region;
    }
    return r;
}

/* Lets a block wait that is in a trace which is being made: once the guest enters that trace, the
 * block may need none of its own. */
static void cool_block(const struct jit *jit, struct block *b)
{
    bool is_early = b->heat <= jit->early_threshold;
    uint32_t threshold = is_early ? jit->early_threshold : jit->options.quick_threshold;
    uint32_t most = threshold - 1 - threshold / WAIT_PART;

    if (b->heat > most && b->heat <= threshold)
        b->heat = most;
}

static void translate_now(struct jit *jit, struct region *r)
{
    quick_translate(jit, r, ARENA_GUEST);
    jit_install_trace(jit, r);
    jit_tidy(jit);
}

/* Leaves the trace to the worker, if there is one. */
static bool leave_to_worker(struct jit *jit, struct region *r)
{
    struct q_worker *worker = jit->quick->worker;

    if (!worker || !worker_add(worker, r))
        return false;
    for (unsigned n = 1; n < r->source_count; n++) {
        if (r->sources[n].block != r->sources[0].block)
            cool_block(jit, r->sources[n].block);
    }
    return true;
}

/* Has a trace made that begins with the block: now, or while the guest runs on. */
static void make_trace(struct jit *jit, struct cpu *cpu, struct block *b)
{
    struct q_worker *worker = jit->quick->worker;
    struct region *r = waiting_trace(b);
    unsigned most = b->heat <= jit->early_threshold ? EARLY_WAITING : WORKER_MAX_WAITING;

    if (r && r->sources[0].block == b)
        return;
    if (r || (worker && !worker_has_room(worker, most))) {
        cool_block(jit, b);
        return;
    }
    r = trace_gather(jit, cpu, b, cpu->block_pc);
    quick_make_job(jit, r, cpu, worker != NULL);
    if (!leave_to_worker(jit, r))
        translate_now(jit, r);
}

/* Makes the trace that begins with the block now, if it is still in the worker's queue: where other
 * programs keep the host's processors busy, the thread may not run for long. */
static void take_over(struct jit *jit, const struct block *b)
{
    struct region *r = waiting_trace(b);

    if (r && r->sources[0].block == b && worker_take(jit->quick->worker, r))
        translate_now(jit, r);
}

/* Installs a trace of an earlier run that begins with the block; false: there is none. */
static bool take_trace(struct jit *jit, struct cpu *cpu, struct block *b)
{
    struct region *r = kept_take(jit, cpu, b);

    if (!r)
        return false;
    r->done = true;
    jit->counters.bytes += r->text_size;
    trace_put(jit, r);
    jit_tidy(jit);
    return true;
}

/* ---- counting -------------------------------------------------------------------------------- */

/* Moves the block's region to the front of the queue, because its executions have doubled. */
static void move_to_front(struct jit *jit, const struct block *b)
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

/* Whether the quick tier is to translate the block at this execution. Loops and what they call have
 * the larger threshold, since they reach it at once, and have better traces by then. */
static bool is_due(const struct jit *jit, const struct cpu *cpu, struct block *b)
{
    uint32_t early = jit->early_threshold, usual = jit->options.quick_threshold;

    if (b->heat == early / 2 || b->heat == usual / 2)
        b->warm_ticks = cpu->ticks;
    return b->heat == usual || (b->heat == early && block_is_rare(cpu, b, EARLY_TICKS));
}

/* Translates the block if its executions have reached a threshold. */
static void translate_if_hot(struct jit *jit, struct cpu *cpu, struct block *b)
{
    const struct jit_options *o = &jit->options;

    if (jit->kept && take_trace(jit, cpu, b))
        return;
    if (jit->quick && is_due(jit, cpu, b))
        make_trace(jit, cpu, b);
    else if (jit->quick && jit->quick->worker && b->heat == 2 * o->quick_threshold)
        take_over(jit, b);
    if (o->tier == JIT_TIER_QUICK || quick_trace_of(b))
        return;
    if (b->heat == o->threshold)
        ask_llvm(jit, cpu, b);
    else if (b->heat > o->threshold && !(b->heat & (b->heat - 1)))
        move_to_front(jit, b);
}

static void count_block(struct cpu *cpu, const struct insn *i);

/* Records the block as successor of the one before, and translates it if it is hot. */
__attribute__((noinline)) static void count_warm(struct cpu *cpu, const struct insn *i)
{
    struct block *b = cpu->block;
    struct jit *jit = b->tier->opaque;
    bool follows;

    if (atomic_load_explicit(&jit->has_finished, memory_order_acquire))
        jit_install_finished(jit);
    follows = jit->last_cpu == cpu && cpu->ticks - b->ticks == jit->last_ticks;
    if (follows)
        block_note_next(jit->last, (int64_t)(cpu->block_pc - jit->last_pc));
    if (jit->quick)
        jit->quick->came_back = follows && cpu->block_pc <= jit->last_pc;
    jit->last_cpu = cpu;
    jit->last = b;
    jit->last_pc = cpu->block_pc;
    jit->last_ticks = cpu->ticks;
    translate_if_hot(jit, cpu, b);
    if (i->fn != count_block)
        i->fn(cpu, i);
    else
        b->first(cpu, i);
}

/* First handler of a block without a translation. */
static void count_block(struct cpu *cpu, const struct insn *i)
{
    struct block *b = cpu->block;
    const struct jit *jit = b->tier->opaque;

    if (CPU_LIKELY(++b->heat < jit->warm_from))
        b->first(cpu, i);
    else
        count_warm(cpu, i);
}

/* ---- callbacks of the code cache ------------------------------------------------------------- */

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
    jit_free_dead(jit);
}

static void stop_worker(struct jit *jit)
{
    if (!jit->quick)
        return;
    worker_free(jit->quick->worker);
    jit->quick->worker = NULL;
}

static void on_close(void *opaque)
{
    struct jit *jit = opaque;

    stop_worker(jit);
    queue_stop(jit);
    kept_stop(jit);
    while (jit->oldest) {
        struct region *r = jit->oldest;

        region_unlink(jit, r);
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

/* Chooses the tiers of this build and host, and their thresholds. */
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
        if (!o->quick_threshold && jit->quick->worker)
            jit->early_threshold = EARLY_THRESHOLD;
        if (!o->quick_threshold)
            o->quick_threshold = jit->quick->worker ? QUICK_THRESHOLD : WAITING_THRESHOLD;
        jit->warm_from = 1;
        jit->least_executions = o->quick_threshold / 2;
        if (o->tier == JIT_TIER_BOTH)
            jit->quick->hot = (o->threshold + SAMPLE_RUNS - 1) / SAMPLE_RUNS;
    } else {
        jit->warm_from = o->threshold / 2;
        jit->least_executions = o->threshold / WARM_PART;
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
    jit->count_block = count_block;
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
    ok = room ? choose_tiers(jit, err) && kept_start(jit, err)
              : error_set(err, "the host gives no memory for code");
    if (ok && !code_set_tier(code, &jit->tier))
        ok = error_set(err, "this bus has no code cache that could be translated");
    if (!ok) {
        stop_worker(jit);
        queue_stop(jit);
        kept_stop(jit);
        quick_stop(jit);
        arena_drop(&jit->arena);
        free(jit);
        return NULL;
    }
    if (o->perf_map)
        open_perf_map(jit);
    return jit;
}

/* ---- fork ------------------------------------------------------------------------------------ */

void jit_before_fork(struct jit *jit)
{
    if (!jit)
        return;
    if (jit->quick)
        worker_before_fork(jit->quick->worker);
    queue_before_fork(jit);
}

void jit_after_fork(struct jit *jit, bool child)
{
    if (!jit)
        return;
    arena_forked(&jit->arena);
    if (child)
        kept_leave(jit);
    queue_after_fork(jit, child);
    if (jit->quick)
        worker_after_fork(jit->quick->worker, child);
}
