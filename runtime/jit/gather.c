/*
 * Chooses the guest blocks of a translation, by the successors that the interpreter has recorded:
 * regions for LLVM, and traces for the quick tier.
 */
#include "runtime/base/alloc.h"
#include "runtime/jit/internal.h"

enum {
    WAY_MAX_BLOCKS = 12, /* blocks of a region without a loop */
    SMALL_LOOP = 48,     /* instructions of a loop that is always translated as a whole */
    MAX_COPIES = 2,      /* copies of a block in larger loops */
    SMALL_BLOCK = 12,    /* instructions of a trace's first block that may be in others, too */
    FLAT_TICKS = 40000,  /* a trace ends at others if its first block runs as rarely */
    TESTED_TICKS = 500,  /* what accesses share is tested if the first block runs as rarely */
    WAY_ODDS = 700,      /* least odds, of BLOCK_ALWAYS, of reaching the last block of a trace */
    LOOP_ODDS = 256,     /* least odds of going round a trace that is a loop */
    SKIP_ODDS = 960,     /* odds from which on a branch over few instructions is predictable */
    MAX_SKIP = 3,        /* instructions that are done in any case */
};

void block_note_next(struct block *b, int64_t distance)
{
    unsigned k = 0;

    if (distance != (int32_t)distance)
        return;
    while (k < BLOCK_NEXT && b->next_seen[k] && b->next[k] != distance)
        k++;
    if (k == BLOCK_NEXT) {
        b->next_others++;
        k = b->next_seen[0] > b->next_seen[1];
        if (--b->next_seen[k])
            return;
    }
    b->next[k] = (int32_t)distance;
    b->next_seen[k]++;
}

/* Adds the region to the lists of its blocks: of the first one at the front, of others behind the
 * front, where quick_trace_of() finds the trace that begins with the block at once. */
static void join_blocks(struct region *r)
{
    for (unsigned n = 0; n < r->source_count; n++) {
        struct source *s = &r->sources[n];
        struct member *first = s->block->translations;

        s->member = (struct member){.region = r, .next = n && first ? first->next : first};
        if (n && first)
            first->next = &s->member;
        else
            s->block->translations = &s->member;
    }
}

struct block *block_near(struct cpu *cpu, uint64_t pc, const struct block *from, int64_t distance)
{
    const struct jump_entry *e = &cpu->jumps[jump_index(pc)];
    uint64_t pa = from->pa + (uint64_t)distance;

    if (e->pc == pc && e->key == cpu->key)
        return e->block;
    if ((pa ^ from->pa) & ~CPU_PAGE_MASK)
        return NULL;
    return code_block_at(cpu, pa, from->key);
}

/* Index of the source with that delta, or -1. */
static int source_number(const struct region *r, int64_t delta)
{
    for (unsigned n = 0; n < r->source_count; n++) {
        if (r->sources[n].delta == delta)
            return (int)n;
    }
    return -1;
}

static bool is_worth(const struct region *r, const struct block *b)
{
    return b && !b->dead && !b->checked && !b->interpreted && b->key == r->sources[0].block->key &&
           b->heat >= r->least_heat && r->insn_count + b->count <= REGION_MAX_INSNS;
}

static void add_source(struct region *r, struct block *b, int64_t delta)
{
    struct source *s = &r->sources[r->source_count++];

    *s = (struct source){.block = b,
                         .delta = delta,
                         .pa = b->pa,
                         .count = b->count,
                         .ticks = b->ticks,
                         .bytes = b->bytes};
    for (unsigned k = 0; k < BLOCK_NEXT; k++)
        s->next[k] = b->next_seen[k] ? b->next[k] : 0;
    r->insn_count += b->count;
}

/* Whether a trace, or else a region of LLVM, begins with the block. */
static bool is_entry(const struct block *b, bool trace)
{
    for (const struct member *m = b->translations; m; m = m->next) {
        if (m->region->sources[0].block == b && trace == m->region->is_trace)
            return true;
    }
    return false;
}

/* Whether few regions have the block, so that another one does not multiply code. */
static bool is_rare(const struct block *b)
{
    unsigned count = 0;

    for (const struct member *m = b->translations; m; m = m->next)
        count += !m->region->is_trace;
    return count < MAX_COPIES;
}

/* Marks the sources from which the entry is reached again. */
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
 * Keeps the sources of the loop that the entry is in. Without a loop, keeps up to WAY_MAX_BLOCKS,
 * ending where other regions begin. Blocks that are left out become regions of their own when they
 * are hot.
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
                                : kept < WAY_MAX_BLOCKS && !is_entry(s->block, false);

        if (!keep)
            continue;
        r->insn_count += s->count;
        r->sources[kept++] = *s;
    }
    r->source_count = kept;
}

/* Adds the blocks that can be reached from the entry, breadth first. */
static void add_successors(struct cpu *cpu, struct region *r)
{
    for (unsigned n = 0; n < r->source_count; n++) {
        for (unsigned k = 0; k < BLOCK_NEXT && r->source_count < REGION_MAX_BLOCKS; k++) {
            const struct source *s = &r->sources[n];
            int64_t delta = s->delta + s->next[k];
            struct block *b;

            if (!s->next[k] || source_number(r, delta) >= 0)
                continue;
            b = block_near(cpu, r->pc + (uint64_t)delta, s->block, s->next[k]);
            if (is_worth(r, b))
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

/* Copies the instructions for the compile threads, as the guest runs on meanwhile. */
static void copy_insns(struct region *r)
{
    for (unsigned n = 0; n < r->source_count; n++) {
        struct source *s = &r->sources[n];

        s->insns = xcalloc(s->count, r->stride);
        memcpy(s->insns, s->block->insns, (size_t)s->count * r->stride);
        ((struct insn *)(void *)s->insns)->fn = s->block->first;
    }
}

/* A region with one block, whose sources are in `room` for the time being. */
static struct region *region_new(struct jit *jit, struct cpu *cpu, struct block *entry, uint64_t pc,
                                 struct source *room)
{
    struct region *r = xcalloc(1, sizeof(*r));

    r->jit = jit;
    r->map = map_of(jit, code_isa_of(entry));
    r->sources = room;
    r->pc = pc;
    r->mode = (uint8_t)cpu->mode;
    r->ring = entry->ring;
    r->stride = entry->stride;
    r->bank = entry->bank;
    r->flat = cpu->flat;
    r->flat_base = cpu->flat_base;
    r->least_heat = jit->least_executions;
    memcpy(r->features, cpu->features, sizeof(r->features));
    add_source(r, entry, 0);
    return r;
}

static void add_to_engine(struct jit *jit, struct region *r)
{
    size_t bytes = r->source_count * sizeof(*r->sources);

    r->sources = memcpy(xcalloc(r->source_count, sizeof(*r->sources)), r->sources, bytes);
    join_blocks(r);
    r->all_next = jit->newest;
    *(jit->newest ? &jit->newest->all_prev : &jit->oldest) = r;
    jit->newest = r;
}

struct region *region_gather(struct jit *jit, struct cpu *cpu, struct block *entry, uint64_t pc)
{
    struct source room[REGION_MAX_BLOCKS];
    struct region *r = region_new(jit, cpu, entry, pc, room);

    add_successors(cpu, r);
    select_sources(r);
    add_to_engine(jit, r);
    copy_insns(r);
    return r;
}

/* ---- traces ---------------------------------------------------------------------------------- */

static unsigned usual_next(const struct block *b)
{
    return b->next_seen[1] > b->next_seen[0];
}

bool block_usual_next(const struct block *b, int64_t *distance)
{
    *distance = b->next[usual_next(b)];
    return b->next_seen[usual_next(b)] != 0;
}

void block_expect_next(struct block *b, int64_t distance)
{
    unsigned k = b->next[1] == distance;

    if (b->next[k] == distance)
        b->next_seen[k] += b->next_seen[!k] + b->next_others;
}

unsigned block_odds(const struct block *b)
{
    uint64_t seen = b->next_seen[usual_next(b)];
    uint64_t all = seen + b->next_seen[!usual_next(b)] + b->next_others;

    return all ? (unsigned)(seen * BLOCK_ALWAYS / all) : BLOCK_ALWAYS;
}

/* Whether the guest usually goes from the trace's end to its start. */
static bool is_loop(const struct region *r)
{
    const struct source *last = &r->sources[r->source_count - 1];
    unsigned k = usual_next(last->block);

    return last->block->next_seen[k] && last->delta + last->block->next[k] == 0;
}

/* Repeats a loop in its trace, so that values carried between iterations stay in registers. */
static void unroll_loop(struct region *r)
{
    unsigned count = r->source_count, insns = r->insn_count;

    while (r->insn_count + insns <= UNROLL_MAX_INSNS &&
           r->source_count + count <= TRACE_MAX_BLOCKS) {
        for (unsigned n = 0; n < count; n++) {
            add_source(r, r->sources[n].block, r->sources[n].delta);
            r->sources[r->source_count - 1].skips = r->sources[n].skips;
        }
    }
}

/* The most frequent successor of the trace's last block; NULL: the trace ends there. */
static struct block *frequent_successor(struct cpu *cpu, const struct region *r, bool is_flat,
                                        int64_t *delta)
{
    const struct source *last = &r->sources[r->source_count - 1];
    const struct block *from = last->block;
    unsigned k = usual_next(from);
    struct block *b;

    if (!from->next_seen[k] || r->source_count == TRACE_MAX_BLOCKS)
        return NULL;
    *delta = last->delta + from->next[k];
    if (source_number(r, *delta) >= 0)
        return NULL;
    b = block_near(cpu, r->pc + (uint64_t)*delta, from, from->next[k]);
    if (!is_worth(r, b) || r->insn_count + b->count > TRACE_MAX_INSNS)
        return NULL;
    if (is_entry(b, false) || ((is_flat || b->count > SMALL_BLOCK) && is_entry(b, true)))
        return NULL;
    return b;
}

/* Whether block `s` is block `t` without its first instructions: their number, or 0. */
static unsigned missing_start(const struct block *t, const struct block *s, int64_t distance)
{
    unsigned count = t->count - s->count;

    return t->count > s->count && count <= MAX_SKIP && t->bytes == s->bytes + distance &&
                   t->ticks == t->count && s->key == t->key && !s->dead && !s->checked
               ? count
               : 0;
}

/* The successor of the trace's last block, if the other one is the same block without a few
 * instructions, and the guest goes both ways: the trace goes both, too. */
static struct block *skipping_successor(const struct jit *jit, struct cpu *cpu,
                                        const struct region *r, int64_t *delta, unsigned *skips)
{
    const struct source *last = &r->sources[r->source_count - 1];
    const struct block *from = last->block, *s;
    unsigned k = from->next[1] < from->next[0];
    struct block *t;

    if (!jit->quick || jit->counts || !from->next_seen[0] || !from->next_seen[1] ||
        block_odds(from) >= SKIP_ODDS || r->source_count == TRACE_MAX_BLOCKS)
        return NULL;
    *delta = last->delta + from->next[k];
    if (source_number(r, *delta) >= 0)
        return NULL;
    t = block_near(cpu, r->pc + (uint64_t)*delta, from, from->next[k]);
    s = block_near(cpu, r->pc + (uint64_t)(last->delta + from->next[!k]), from, from->next[!k]);
    if (!s || !is_worth(r, t) || r->insn_count + t->count > TRACE_MAX_INSNS)
        return NULL;
    *skips = missing_start(t, s, from->next[!k] - from->next[k]);
    return *skips ? t : NULL;
}

/* Adds the block with which the trace continues; false: it ends. */
static bool add_successor(const struct jit *jit, struct cpu *cpu, struct region *r, bool is_flat)
{
    int64_t delta;
    unsigned skips = 0;
    struct block *b = skipping_successor(jit, cpu, r, &delta, &skips);

    if (!b)
        b = frequent_successor(cpu, r, is_flat, &delta);
    if (!b)
        return false;
    add_source(r, b, delta);
    r->sources[r->source_count - 1].skips = skips;
    return true;
}

/* Odds that the trace goes on behind its n-th block. */
static unsigned odds_behind(const struct region *r, unsigned n)
{
    bool both = n + 1 < r->source_count && r->sources[n + 1].skips;

    return both ? BLOCK_ALWAYS : block_odds(r->sources[n].block);
}

static unsigned round_odds(const struct region *r)
{
    unsigned odds = BLOCK_ALWAYS;

    for (unsigned n = 0; n < r->source_count; n++)
        odds = odds * odds_behind(r, n) / BLOCK_ALWAYS;
    return odds;
}

/* Shortens a trace that is no loop to the blocks that are reached with odds of WAY_ODDS. */
static void shorten_trace(struct region *r)
{
    unsigned odds = BLOCK_ALWAYS, n = 0, insns = 0;

    for (; n < r->source_count && odds >= WAY_ODDS; n++) {
        insns += r->sources[n].count;
        if (n + 1 < r->source_count)
            odds = odds * odds_behind(r, n) / BLOCK_ALWAYS;
    }
    r->source_count = n;
    r->insn_count = insns;
}

struct region *trace_of(struct jit *jit, struct cpu *cpu, uint64_t pc, unsigned count,
                        const struct trace_part *parts)
{
    struct source room[TRACE_MAX_BLOCKS];
    struct region *r = region_new(jit, cpu, parts[0].block, pc, room);

    r->is_trace = true;
    for (unsigned n = 1; n < count; n++) {
        add_source(r, parts[n].block, parts[n].delta);
        r->sources[n].skips = parts[n].skips;
    }
    add_to_engine(jit, r);
    return r;
}

bool block_is_rare(const struct cpu *cpu, const struct block *b, uint64_t ticks)
{
    return cpu->ticks - b->warm_ticks > (b->heat - b->heat / 2) * ticks;
}

/*
 * In flat code, such as a compiler's, blocks become hot slowly. There a trace ends where another
 * one begins. Copies of that one would cost more, in translation and in misses of the host's
 * instruction cache, than the jumps that they save.
 */
struct region *trace_gather(struct jit *jit, struct cpu *cpu, struct block *entry, uint64_t pc)
{
    struct source room[TRACE_MAX_BLOCKS];
    struct region *r = region_new(jit, cpu, entry, pc, room);
    bool is_flat = block_is_rare(cpu, entry, FLAT_TICKS);

    r->is_trace = true;
    r->is_rare = block_is_rare(cpu, entry, TESTED_TICKS);
    r->least_heat = entry->heat / 2;
    while (add_successor(jit, cpu, r, is_flat))
        continue;
    if (is_loop(r) && round_odds(r) >= LOOP_ODDS)
        unroll_loop(r);
    else
        shorten_trace(r);
    add_to_engine(jit, r);
    return r;
}
