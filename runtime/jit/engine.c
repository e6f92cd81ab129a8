/*
 * The engine on the thread that runs the guest: counting executions, making regions, putting
 * translations in place and taking them away.
 *
 * While a block is cold its first handler is count_block(), which passes on to the real one. A
 * translation takes that place; a region is killed when any of its blocks dies, and freed where no
 * CPU can be inside of it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "runtime/jit/internal.h"

enum {
    WARM_PART = 8,       /* a block that has seen so much of the threshold is worth including */
    WAY_MAX_BLOCKS = 12, /* of a region without a loop */
    SMALL_LOOP = 48,     /* instructions of a loop that is always translated as a whole */
    MAX_COPIES = 2,      /* of a block, in larger loops */
    MAX_DEAD = 64,       /* killed regions that may wait to be freed */
    EVICT_PART = 4,      /* of the code, when there is too much */
};

/* A block's membership in a region. */
struct member {
    struct region *region;
    struct member *next;
};

/* ---- regions --------------------------------------------------------------------------------- */

void region_free(struct region *r)
{
    for (unsigned n = 0; n < r->source_count; n++)
        free(r->sources[n].insns);
    for (size_t n = 0; n < r->copies.len; n++)
        free(r->copies.data[n]);
    vec_free(&r->copies);
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

static void join_block(struct block *b, struct region *r)
{
    struct member *m = xcalloc(1, sizeof(*m));

    m->region = r;
    m->next = b->translations;
    b->translations = m;
}

static void count_block(struct cpu *cpu, const struct insn *i);

static void kill_region(struct region *r)
{
    struct block *entry = r->sources[0].block;

    if (atomic_load_explicit(&r->killed, memory_order_relaxed))
        return;
    atomic_store_explicit(&r->killed, true, memory_order_relaxed);
    r->jit->dead_count++;
    r->jit->counters.killed++;
    if (r->live) {
        block_insn(entry, 0, 0)->fn = count_block;
        entry->heat = 0;
    }
    r->live = false;
    for (unsigned n = 0; n < r->source_count; n++)
        leave_block(r->sources[n].block, r);
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
    fprintf(jit->perf_map, "%" PRIxPTR " %zx guest_%" PRIx64 "\n", (uintptr_t)r->entry,
            r->text_size, r->pc);
    fflush(jit->perf_map);
}

static void install(struct jit *jit, struct region *r)
{
    struct block *entry = r->sources[0].block;

    r->done = true;
    jit->counters.bytes += r->text_size;
    jit->counters.build_ns += r->build_ns;
    jit->counters.optimise_ns += r->optimise_ns;
    jit->counters.emit_ns += r->emit_ns;
    if (atomic_load_explicit(&r->killed, memory_order_relaxed))
        return;
    if (!r->entry) {
        jit->counters.failed++;
        log_printf(jit->log, LOG_UNIMP, "jit: the code at %#" PRIx64 " is not translated: %s\n",
                   r->pc, r->failure);
        block_insn(entry, 0, 0)->fn = entry->first;
        kill_region(r);
        return;
    }
    jit->counters.regions++;
    jit->counters.blocks += r->built;
    jit->counters.insns += r->insn_count;
    jit->counters.interpreted += r->interpreted;
    r->live = true;
    block_insn(entry, 0, 0)->fn = (insn_fn *)(uintptr_t)r->entry;
    note_perf(jit, r);
    jit_list_code(jit, r);
}

static void install_finished(struct jit *jit)
{
    for (struct region *r = queue_finished(jit), *next; r; r = next) {
        next = r->queue_next;
        install(jit, r);
    }
    if (arena_bytes(&jit->arena) > jit->options.budget)
        evict(jit);
    if (jit->dead_count > MAX_DEAD)
        free_dead(jit);
}

/* ---- making regions -------------------------------------------------------------------------- */

/* A block that the guest reaches at `pc`, from a block of the region; NULL: none that is known. */
static struct block *block_at(struct cpu *cpu, uint64_t pc, const struct source *from,
                              int64_t distance)
{
    const struct jump_entry *e = &cpu->jumps[jump_index(pc)];
    uint64_t pa = from->pa + (uint64_t)distance;

    if (e->pc == pc && e->key == cpu->key)
        return e->block;
    if ((pa ^ from->pa) & ~CPU_PAGE_MASK)
        return NULL;
    return code_block_at(cpu, pa, from->block->key);
}

/* The source at that distance, or -1. */
static int source_number(const struct region *r, int64_t delta)
{
    for (unsigned n = 0; n < r->source_count; n++) {
        if (r->sources[n].delta == delta)
            return (int)n;
    }
    return -1;
}

static bool is_worth(const struct jit *jit, const struct region *r, const struct block *b)
{
    return b && !b->dead && !b->checked && b->key == r->sources[0].block->key &&
           b->heat >= jit->options.threshold / WARM_PART &&
           r->insn_count + b->count <= REGION_MAX_INSNS;
}

static void add_source(struct region *r, struct block *b, int64_t delta)
{
    struct source *s = &r->sources[r->source_count++];

    *s = (struct source){
        .block = b, .delta = delta, .pa = b->pa, .count = b->count, .bytes = b->bytes};
    for (unsigned k = 0; k < BLOCK_NEXT; k++)
        s->next[k] = b->next_seen[k] ? b->next[k] : 0;
    r->insn_count += b->count;
}

/* Whether a region begins there. */
static bool is_entry(const struct block *b)
{
    for (const struct member *m = b->translations; m; m = m->next) {
        if (m->region->sources[0].block == b)
            return true;
    }
    return false;
}

bool block_is_translated(const struct block *b)
{
    for (const struct member *m = b->translations; m; m = m->next) {
        if (m->region->sources[0].block == b && m->region->live)
            return true;
    }
    return false;
}

/* Whether few regions have the block: code must not multiply. */
static bool is_rare(const struct block *b)
{
    unsigned count = 0;

    for (const struct member *m = b->translations; m; m = m->next)
        count++;
    return count < MAX_COPIES;
}

/* Marks the blocks from which the guest comes back to the entry. */
static void find_loop(const struct region *r, bool *loops)
{
    bool changed = true;

    loops[0] = true;
    while (changed) {
        changed = false;
        for (unsigned n = 0; n < r->source_count; n++) {
            const struct source *s = &r->sources[n];

            for (unsigned k = 0; k < BLOCK_NEXT && !loops[n]; k++) {
                int to = s->next[k] ? source_number(r, s->delta + s->next[k]) : -1;

                loops[n] = to >= 0 && loops[to];
                changed |= loops[n];
            }
        }
    }
}

/*
 * Keeps what belongs together: the loop that the entry is in; without one, a way of some length that
 * ends where other regions begin. What is left out becomes a region of its own when it is hot.
 */
static void select_sources(struct region *r)
{
    bool loops[REGION_MAX_BLOCKS] = {false};
    unsigned size = 0, looping = 0, kept = 1;

    find_loop(r, loops);
    for (unsigned n = 0; n < r->source_count; n++) {
        looping += loops[n];
        size += loops[n] ? r->sources[n].count : 0;
    }
    r->insn_count = r->sources[0].count;
    for (unsigned n = 1; n < r->source_count; n++) {
        const struct source *s = &r->sources[n];
        bool keep = looping > 1 ? loops[n] && (size <= SMALL_LOOP || is_rare(s->block))
                                : kept < WAY_MAX_BLOCKS && !is_entry(s->block);

        if (!keep)
            continue;
        r->insn_count += s->count;
        r->sources[kept++] = *s;
    }
    r->source_count = kept;
}

/* The blocks that follow, breadth first. */
static void gather(struct jit *jit, struct cpu *cpu, struct region *r)
{
    for (unsigned n = 0; n < r->source_count; n++) {
        for (unsigned k = 0; k < BLOCK_NEXT && r->source_count < REGION_MAX_BLOCKS; k++) {
            const struct source *s = &r->sources[n];
            int64_t delta = s->delta + s->next[k];
            struct block *b;

            if (!s->next[k] || source_number(r, delta) >= 0)
                continue;
            b = block_at(cpu, r->pc + (uint64_t)delta, s, s->next[k]);
            if (is_worth(jit, r, b))
                add_source(r, b, delta);
        }
    }
}

static struct isa_map *map_of(struct jit *jit, const struct cpu_isa *isa)
{
    struct isa_map *m = jit->maps;

    while (m && m->isa != isa)
        m = m->next;
    if (!m) {
        m = isa_map_new(isa);
        m->next = jit->maps;
        jit->maps = m;
    }
    return m;
}

/* Translation sees copies: the guest goes on meanwhile. */
static void copy_insns(struct region *r)
{
    size_t stride = r->map->isa->insn_bytes;

    for (unsigned n = 0; n < r->source_count; n++) {
        struct source *s = &r->sources[n];

        s->insns = xcalloc(s->count, stride);
        memcpy(s->insns, s->block->insns, s->count * stride);
        ((struct insn *)(void *)s->insns)->fn = s->block->first;
        join_block(s->block, r);
    }
}

static struct region *make_region(struct jit *jit, struct cpu *cpu, struct block *entry)
{
    struct region *r = xcalloc(1, sizeof(*r));

    r->jit = jit;
    r->map = map_of(jit, code_isa_of(entry));
    r->sources = xcalloc(REGION_MAX_BLOCKS, sizeof(*r->sources));
    r->pc = cpu->block_pc;
    r->mode = (uint8_t)cpu->mode;
    r->ring = entry->ring;
    memcpy(r->features, cpu->features, sizeof(r->features));
    add_source(r, entry, 0);
    gather(jit, cpu, r);
    select_sources(r);
    copy_insns(r);
    r->all_next = jit->newest;
    *(jit->newest ? &jit->newest->all_prev : &jit->oldest) = r;
    jit->newest = r;
    return r;
}

static void ask(struct jit *jit, struct cpu *cpu, struct block *b)
{
    struct region *r;

    if (!queue_has_room(jit)) {
        b->heat -= b->heat / 2;
        return;
    }
    r = make_region(jit, cpu, b);
    queue_add(jit, r);
    if (jit->options.sync)
        install_finished(jit);
}

/* ---- counting -------------------------------------------------------------------------------- */

/* Remembers where a block went on: the two places that were seen most, more or less. */
static void note_next(struct block *b, int64_t distance)
{
    unsigned k = 0;

    if (distance != (int32_t)distance || !distance)
        return;
    while (k < BLOCK_NEXT && b->next_seen[k] && b->next[k] != distance)
        k++;
    if (k == BLOCK_NEXT) {
        k = b->next_seen[0] > b->next_seen[1];
        if (--b->next_seen[k])
            return;
    }
    b->next[k] = (int32_t)distance;
    b->next_seen[k]++;
}

/* A block that waits for its translation and is twice as hot as before goes to the front. */
static void hurry(struct jit *jit, const struct block *b)
{
    for (const struct member *m = b->translations; m; m = m->next) {
        if (m->region->sources[0].block == b && !m->region->done)
            queue_hurry(jit, m->region);
    }
}

/* The block is warm: where does it come from, and is it time to translate it? */
__attribute__((noinline)) static void count_warm(struct cpu *cpu, const struct insn *i)
{
    struct block *b = cpu->block;
    struct jit *jit = b->tier->opaque;

    if (atomic_load_explicit(&jit->has_finished, memory_order_acquire))
        install_finished(jit);
    if (jit->last_cpu == cpu && cpu->insns - b->count == jit->last_insns)
        note_next(jit->last, (int64_t)(cpu->block_pc - jit->last_pc));
    jit->last_cpu = cpu;
    jit->last = b;
    jit->last_pc = cpu->block_pc;
    jit->last_insns = cpu->insns;
    if (b->heat == jit->options.threshold)
        ask(jit, cpu, b);
    else if (b->heat > jit->options.threshold && !(b->heat & (b->heat - 1)))
        hurry(jit, b);
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
    if (CPU_UNLIKELY(cpu->attention || e->pc != pc || e->key != cpu->key ||
                     (int64_t)(cpu->stop_at - cpu->insns) < (int64_t)b->count))
        return;
    cpu->block = b;
    cpu->block_pc = pc;
    cpu->insns += b->count;
    ++*block_runs(b, cpu->slot);
    block_insn(b, 0, 0)->fn(cpu, block_insn(b, 0, 0));
}

/* ---- what the code cache tells --------------------------------------------------------------- */

static void on_added(void *opaque, struct block *b)
{
    (void)opaque;
    if (!b->checked)
        block_insn(b, 0, 0)->fn = count_block;
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

        unlink_region(jit, r);
        region_free(r);
    }
    for (struct isa_map *m = jit->maps, *next; m; m = next) {
        next = m->next;
        isa_map_free(m);
    }
    if (jit->perf_map)
        fclose(jit->perf_map);
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

struct jit *jit_new(struct code_cache *code, struct log *log, const struct jit_options *o,
                    struct error *err)
{
    struct jit *jit = xcalloc(1, sizeof(*jit));

    jit->options = *o;
    jit->warm_from = o->threshold / 2;
    jit->log = log;
    jit->cache = code;
    jit->tier = (struct code_tier){.opaque = jit,
                                   .added = on_added,
                                   .dropped = on_dropped,
                                   .reclaim = on_reclaim,
                                   .close = on_close};
    queue_start(jit);
    arena_init(&jit->arena);
    if (!code_set_tier(code, &jit->tier)) {
        queue_stop(jit);
        arena_drop(&jit->arena);
        free(jit);
        return error_null(err, "this bus has no code cache that could be translated");
    }
    if (o->perf_map)
        open_perf_map(jit);
    return jit;
}
