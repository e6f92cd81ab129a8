/* C functions that traces call: the slow path of memory accesses, handlers of instructions,
 * deoptimisation and exits. */
#include <inttypes.h>
#include <stdio.h>

#include "runtime/cpu/large.h"
#include "runtime/jit/quick/kept.h"
#include "runtime/jit/quick/target.h"

enum {
    DEOPT_MAX = 64,       /* deoptimisations at one site before its rate is checked */
    DEOPT_RARE = 20000,   /* mean ticks between two with which it may stay */
    DEOPT_RAREST = 2000,  /* DEOPT_RARE where all translatable paths are translated */
    FLOATS_MAX = 8,       /* exceptions of floats at one site before their rate is checked */
    FLOATS_RARE = 250000, /* mean ticks between two with which it may stay: the host's signal takes
                             as long as 10,000 instructions */
    TURNS = 64,           /* turns of a trace that is no loop, after which their rate is checked */
    MAX_TURNS = 4096,     /* turns after which it stays as it is; a multiple of TURNS */
    RARE_TURNS = 8,       /* it stays at once if turns take less than 1 / RARE_TURNS of the time */
    INEXACT_MAX = 8,      /* traces of a block that may die by an inexact result */
    ALIGNED_SOME =
        8, /* traps for memory that must be aligned, after which the next translation handles
                            it inline */
    ALIGNED_MAX = 64, /* alignment traps after which the trace is translated anew */
    LARGE_SOME = 32,  /* traps in large pages, after which later translations look these up */
    LARGE_MAX = 256,  /* such traps, after which the trace is translated anew */
};

/* ---- the guest's state ----------------------------------------------------------------------- */

/* `terms`: the values of the terms before it. */
static uint64_t owed_value(const struct q_frame *f, const uint64_t *terms, struct q_owed_value v)
{
    switch (v.kind) {
    case Q_OWED_KEPT:
        return f->owed_values[v.value];
    case Q_OWED_TERM:
        return terms[v.value];
    case Q_OWED_CONST:
        break;
    }
    return v.value;
}

/* Evaluates each term once, however many others use it. */
static void evaluate_terms(const struct q_frame *f, uint64_t *terms)
{
    for (uint32_t n = 0; n < f->owed->term_count; n++) {
        const struct q_owed_term *t = &f->owed->terms[n];
        struct q_operation o = {t->op, t->sub, t->type, t->imm};

        terms[n] = quick_evaluate(o, owed_value(f, terms, t->a), owed_value(f, terms, t->b), 0);
    }
}

/* Whether a register that the bridge owes has not been written yet where the site is. */
static bool is_due(const struct q_site *s, unsigned slot)
{
    const struct q_code *code = s->region->quick;

    for (uint32_t n = 0; n < code->late.len; n++) {
        if (code->late.data[n].slot == slot)
            return s->node < code->late.data[n].write;
    }
    return false;
}

/* Stores what the bridge owes by which the CPU came to the trace. f->owed is of another trace if
 * this one has no late registers. */
static void pay(struct cpu *cpu, const struct q_site *s, const struct q_frame *f)
{
    uint64_t terms[Q_OWED_TERMS];

    if (!s->region->quick->late.len || !f->owed)
        return;
    evaluate_terms(f, terms);
    for (uint32_t n = 0; n < f->owed->count; n++) {
        const struct q_debt *d = &f->owed->debts[n];
        const struct slot *slot = &s->region->map->slots.data[d->slot];
        struct q_vec value = {{owed_value(f, terms, d->value)}};

        if (!is_due(s, d->slot))
            continue;
        quick_copy(cpu->state + slot->offset, &value, slot->size);
    }
}

/* Reads all values before storing any, since some are in memory that others overwrite. */
static void store_map(struct cpu *cpu, const struct q_site *s, const struct q_frame *f)
{
    const struct region *r = s->region;
    const struct q_map_entry *m = &r->quick->maps.data[s->map];
    struct q_vec values[REGION_MAX_SLOTS];

    if (s->kind == Q_SITE_READ || s->kind == Q_SITE_WRITE || s->kind == Q_SITE_DEOPT)
        pay(cpu, s, f);
    for (uint32_t n = 0; n < s->map_count; n++)
        values[n] = quick_value(r, cpu, f, m[n].at);
    for (uint32_t n = 0; n < s->map_count; n++) {
        const struct slot *slot = &r->map->slots.data[m[n].slot];

        quick_copy(cpu->state + slot->offset, &values[n], slot->size);
    }
}

/* The map of an access, which is stored only when registers are read: most accesses do not
 * fault. */
struct pending {
    const struct q_site *site;
    const struct q_frame *frame;
};

static void store_pending(struct cpu *cpu, const void *arg)
{
    const struct pending *p = arg;

    store_map(cpu, p->site, p->frame);
}

static const struct source *source_of(const struct q_site *s)
{
    return &s->region->sources[s->source];
}

/* The site's instruction in its block. */
static const struct insn *insn_of(const struct q_site *s)
{
    return block_insn(source_of(s)->block, s->index);
}

/* Sets cpu->region_pc, which traces of flat memory do not store, since they run at one address
 * only. */
static void set_address(struct cpu *cpu, const struct region *r)
{
    if (r->flat)
        cpu->region_pc = r->pc;
}

/* Sets the CPU's members as they are when the dispatch loop runs the instruction. */
static void set_context(struct cpu *cpu, const struct q_site *s)
{
    cpu->block = source_of(s)->block;
    cpu->block_pc = cpu->region_pc + (uint64_t)source_of(s)->delta;
    cpu->alone = NULL;
}

/* ---- kinds of sites -------------------------------------------------------------------------- */

static void put_result(struct q_frame *f, unsigned host, struct q_vec v)
{
    if (host >= Q_V)
        f->vector[host - Q_V] = v;
    else
        f->general[host] = v.w[0];
}

static void read_memory(struct cpu *cpu, const struct q_site *s, struct q_frame *f, uint64_t va)
{
    struct q_vec v = {{0}};

    set_context(cpu, s);
    if (s->halves) {
        v.w[0] = cpu_read_slow(cpu, insn_of(s), s->iface, va, sizeof(v.w[0]));
        v.w[1] = cpu_read_slow(cpu, insn_of(s), s->iface, va + sizeof(v.w[0]), sizeof(v.w[1]));
    } else if (s->bytes == sizeof(v)) {
        uint128_t wide = cpu_read128_slow(cpu, insn_of(s), s->iface, va);

        memcpy(&v, &wide, sizeof(v));
    } else {
        v.w[0] = cpu_read_slow(cpu, insn_of(s), s->iface, va, s->bytes);
        if (s->with_sign)
            v.w[0] = (uint64_t)int64_extend(v.w[0], s->bytes * 8u);
    }
    put_result(f, s->value.host, v);
}

static void write_memory(struct cpu *cpu, const struct q_site *s, const struct q_frame *f,
                         uint64_t va)
{
    struct q_vec v = quick_value(s->region, cpu, f, s->value);

    set_context(cpu, s);
    if (s->halves) {
        cpu_write_slow(cpu, insn_of(s), s->iface, va, sizeof(v.w[0]), v.w[0]);
        cpu_write_slow(cpu, insn_of(s), s->iface, va + sizeof(v.w[0]), sizeof(v.w[1]), v.w[1]);
    } else if (s->bytes == sizeof(v)) {
        uint128_t wide;

        memcpy(&wide, &v, sizeof(v));
        cpu_write128_slow(cpu, insn_of(s), s->iface, va, wide);
    } else {
        cpu_write_slow(cpu, insn_of(s), s->iface, va, s->bytes, v.w[0]);
    }
}

uint64_t quick_handle(struct cpu *cpu, const struct q_site *s, uint64_t left)
{
    struct q_tier *q = s->region->jit->quick;
    const struct insn *i = s->object;

    cpu->ticks = cpu->left_base - left;
    if (s->kind == Q_SITE_MODE) {
        cpu_change_mode(cpu, s->mode); /* blocks of another mode have another key */
        return cpu->attention ? quick_refill(q, cpu) : left;
    }
    q->sample_left = q->sample_at - cpu->ticks; /* the instruction may end in an exception */
    set_address(cpu, s->region);
    set_context(cpu, s);
    cpu->alone = i;
    i->fn(cpu, i);
    cpu->alone = NULL;
    return quick_refill(q, cpu);
}

/* Ends a trace that one site leaves often; -jit-dump gets the reason, and what follows of it. */
static void kill_for(const struct q_site *s, const char *reason)
{
    const struct region *r = s->region;
    const struct insn *i = insn_of(s);

    if (r->jit->options.dump)
        fprintf(stderr, "trace %#" PRIx64 " ends: %s: %s\n", r->pc,
                r->map->isa->forms[i->form].name, reason);
    kept_drop(r->jit, r);
    kill_region(s->region);
}

/* Lets later traces with the block test floats, for some time (retry.c). */
static void fail_traps(const struct cpu *cpu, struct q_tier *q, struct block *b)
{
    b->failed_traps = true;
    b->trapped_ticks = cpu->ticks;
    quick_retry_later(q, b);
}

/* Counts an exception of floats. When they are frequent, traces with the block test results. A
 * trace that inexact results leave dies by the first, whose handler sets the guest's flag. */
static void count_trap(struct cpu *cpu, struct q_site *s, const struct q_frame *f)
{
    struct block *b = source_of(s)->block;
    struct q_tier *q = s->region->jit->quick;

    s->region->jit->counters.deopts++;
    if (q_target.was_inexact ? q_target.was_inexact(f) : q->was_inexact) {
        if (++b->inexact >= INEXACT_MAX)
            fail_traps(cpu, q, b);
        kill_for(s, b->failed_traps ? "inexact results, often: floats are tested"
                                    : "an inexact result: the flag is set now");
        return;
    }
    if (!s->traps++)
        s->first_trap_ticks = cpu->ticks;
    if (s->traps < FLOATS_MAX)
        return;
    if (cpu->ticks - s->first_trap_ticks < (uint64_t)FLOATS_MAX * FLOATS_RARE) {
        fail_traps(cpu, q, b);
        kill_for(s, "exceptions of floats, often: floats are tested");
    }
    s->traps = 0;
}

/* Counts a deoptimisation. When they are frequent, the next translation has all paths of the
 * instruction; when they still are, it leaves the instruction to its handler. */
static void count_deopt(struct cpu *cpu, struct q_site *s)
{
    struct block *b;
    uint64_t bit = UINT64_C(1) << s->index, limit;

    s->region->jit->counters.deopts++;
    if (!s->traps++)
        s->first_trap_ticks = cpu->ticks;
    if (s->traps < DEOPT_MAX)
        return;
    b = source_of(s)->block;
    limit = s->all_ways ? DEOPT_RAREST : DEOPT_RARE;
    if (cpu->ticks - s->first_trap_ticks < DEOPT_MAX * limit) {
        b->failed_guards |= bit;
        b->failed_merges |= s->all_ways ? bit : 0;
        kill_for(s, s->all_ways ? "a guard fails often, with all paths: left to the handler"
                                : "a guard fails often: all paths are translated");
    }
    s->traps = 0;
}

/* Counts where a shared look-up has missed, before the site's map is stored. When that is frequent,
 * the next translation looks in large_table first if that helps, else it tests. */
static void count_miss(struct cpu *cpu, struct q_site *s, const struct q_frame *f)
{
    uint64_t va = quick_value(s->region, cpu, f, s->address).w[0];
    uint64_t bit = UINT64_C(1) << s->index;
    struct block *b = source_of(s)->block;

    s->region->jit->counters.deopts++;
    if (!s->traps++)
        s->first_trap_ticks = cpu->ticks;
    if (!s->large && q_target.look_up && large_serves(cpu, s->iface, va, s->writes) &&
        ++s->large_traps == LARGE_SOME) {
        b->large |= bit;
        kill_for(s, "accesses of many large pages: these are looked up first");
        return;
    }
    if (s->traps < DEOPT_MAX)
        return;
    if (cpu->ticks - s->first_trap_ticks < (uint64_t)DEOPT_MAX * DEOPT_RARE) {
        b->misses |= bit;
        kill_for(s, "a shared look-up misses often: its accesses test it");
    }
    s->traps = 0;
}

/* Lets the interpreter run the rest of the block. */
static const void *leave_to_interpreter(struct cpu *cpu, const struct q_site *s)
{
    const struct insn *i = insn_of(s);

    set_context(cpu, s);
    if (s->index)
        i->fn(cpu, i);
    else
        source_of(s)->block->first(cpu, i);
    return s->region->jit->quick->thunks.leave;
}

static const void *deoptimise_block(struct cpu *cpu, struct q_site *s, const struct q_frame *f)
{
    if (s->floats)
        count_trap(cpu, s, f);
    else if (!s->shared)
        count_deopt(cpu, s);
    return leave_to_interpreter(cpu, s);
}

/* Runs the trace's first block by the interpreter, if it fits into the budget without those behind
 * it for which the head takes ticks: the dispatch loop would enter the trace again and again. */
static bool run_first(struct cpu *cpu, const struct q_site *s)
{
    struct block *b = source_of(s)->block;

    if (s->source || cpu->attention || !block_fits(cpu, b))
        return false;
    set_context(cpu, s);
    block_account(cpu, b);
    if (cpu->counts)
        ++*block_runs(b, cpu->slot);
    b->first(cpu, block_insn(b, 0));
    return true;
}

/* Handles a used-up budget at a block's head. The trace continues if only a sample was due. */
static const void *stop_at_head(struct cpu *cpu, struct q_site *s, const struct q_frame *f)
{
    struct region *r = s->region;
    struct q_tier *q = r->jit->quick;
    uint64_t pc;

    if (q->hot && !cpu->attention && cpu->ticks + s->ahead > q->sample_at)
        quick_sample(q, cpu, r);
    if (!cpu->attention && (int64_t)(cpu->stop_at - cpu->ticks) >= (int64_t)s->ahead &&
        !atomic_load_explicit(&r->killed, memory_order_relaxed) &&
        !atomic_load_explicit(&r->jit->has_finished, memory_order_relaxed)) {
        quick_refill(q, cpu);
        return NULL;
    }
    if (run_first(cpu, s))
        return q->thunks.leave;
    pc = cpu->region_pc + (uint64_t)source_of(s)->delta;
    if (s->chosen)
        pc = quick_value(r, cpu, f, s->address).w[0];
    store_map(cpu, s, f);
    cpu->pc = pc;
    return q->thunks.leave;
}

/* The target of an exit, minus the trace's first address. A computed one is in cpu->region_pc, and
 * counts only if it is in the page of the block that the exit leaves, or in flat memory. */
static int64_t delta_of(const struct cpu *cpu, const struct q_site *s, const struct q_exit *e)
{
    const struct source *from = source_of(s);

    if (!e->cases)
        return e->delta;
    if (s->region->flat)
        return (int64_t)(cpu->region_pc - s->region->pc);
    return from->delta + (int64_t)(cpu->region_pc & CPU_PAGE_MASK) -
           (int64_t)(from->pa & CPU_PAGE_MASK);
}

static bool is_same_page(const struct source *from, const struct region *to)
{
    return from->pa >> CPU_PAGE_BITS == to->sources[0].pa >> CPU_PAGE_BITS;
}

/* Ticks of the trace's blocks up to the one that the site leaves. */
static uint64_t ticks_to(const struct q_site *s)
{
    uint64_t ticks = 0;

    for (unsigned n = 0; n <= s->source; n++)
        ticks += s->region->sources[n].ticks;
    return ticks;
}

/*
 * Counts an exit to the start of its own trace, which is no loop. The guest may go round a block
 * later whose first executions it followed by others. The trace is made again if that takes most of
 * the time of TURNS turns. False: the exit is to be linked.
 */
static bool counts_turn(struct cpu *cpu, const struct q_site *s, int64_t delta)
{
    const struct region *r = s->region;
    struct q_code *code = r->quick;
    uint64_t least = (TURNS - 1) * ticks_to(s), took;

    if (delta || code->loops || r->sources[0].block->was_turned || code->turns == MAX_TURNS)
        return false;
    if (code->turns++ % TURNS == 0)
        code->turns_from = cpu->ticks;
    if (code->turns % TURNS)
        return true;
    took = cpu->ticks - code->turns_from;
    if (took > RARE_TURNS * least)
        code->turns = MAX_TURNS;
    if (2 * took > 3 * least)
        return code->turns != MAX_TURNS;
    r->sources[0].block->was_turned = true;
    block_expect_next(source_of(s)->block, -source_of(s)->delta);
    kill_for(s, "the guest goes round it: it is made again, as a loop");
    return true;
}

/* The block at cpu->region_pc, if that is known without a walk. A jump cache entry that a flush has
 * put out of date is renewed: code that runs once per change of the address space would find none
 * else, and its exits would never be connected. */
static struct block *next_block(struct cpu *cpu)
{
    const struct jump_entry *j = &cpu->jumps[jump_index(cpu->region_pc)];

    if (cpu->attention)
        return NULL;
    return j->pc == cpu->region_pc && j->key == cpu->key ? j->block
                                                         : code_again(cpu, cpu->region_pc);
}

/* Makes the target of an exit to a computed address a case, if it can be one. What is in another
 * page counts from where the trace ran, as far as that is known: its bridge compares that. */
static void note_case(struct cpu *cpu, const struct q_site *s, struct region *to)
{
    struct q_exit *e = (struct q_exit *)(uintptr_t)s->object;
    bool same_page = s->region->flat || is_same_page(source_of(s), to);
    uint64_t at = s->region->quick->ran_at ? s->region->quick->ran_at : s->region->pc;
    int64_t delta = same_page ? delta_of(cpu, s, e) : (int64_t)(cpu->region_pc - at);

    quick_add_case(cpu, e, to, delta, same_page);
}

const void *quick_follow(struct cpu *cpu, struct q_site *s, uint64_t left)
{
    struct q_exit *e = (struct q_exit *)(uintptr_t)s->object;
    const struct region *r = s->region;
    struct q_tier *q = r->jit->quick;
    struct block *next;
    struct region *to = NULL;
    int64_t delta = delta_of(cpu, s, e);

    if (r->flat)
        cpu->region_pc = r->pc + (uint64_t)delta;
    if (!e->cases)
        s->region->quick->ran_at = cpu->region_pc - (uint64_t)delta;
    cpu->ticks = cpu->left_base - left;
    next = next_block(cpu);
    if (!e->cases || r->flat)
        block_note_next(source_of(s)->block, delta - source_of(s)->delta);
    if (next && block_insn(next, 0)->fn == quick_run) /* as the interpreter would do next */
        to = quick_trace_of(next);
    if (!to) {
        q->came_by = e;
        q->came_ticks = cpu->ticks;
        q->came_pc = cpu->region_pc;
        return q->thunks.unlinked;
    }
    if (atomic_load_explicit(&r->killed, memory_order_relaxed))
        return to->quick->head;
    if (to == r && !e->cases && counts_turn(cpu, s, delta))
        return r->live ? to->quick->head : q->thunks.unlinked;
    if (e->cases)
        note_case(cpu, s, to);
    else
        quick_connect(cpu, e, to);
    return to->quick->head;
}

const void *quick_search(struct cpu *cpu, const struct q_thunks *thunks)
{
    const struct block *b = cpu->attention ? NULL : code_again(cpu, cpu->region_pc);

    return b ? b->host : thunks->unlinked;
}

/* Whether only the device attribute of its page made the access take the slow path. */
static bool wanted_alignment(const struct cpu *cpu, const struct q_site *s, uint64_t va)
{
    const struct tlb_entry *e = cpu_tlb(cpu, s->iface, va);
    uint64_t tag = s->kind == Q_SITE_READ ? e->read_tag : e->write_tag;
    unsigned bytes = s->halves ? s->bytes / 2u : s->bytes;

    return tag == ((va & ~CPU_PAGE_MASK) ^ TLB_ALIGNED) && !(va & (bytes - 1));
}

/* Counts accesses to memory that must be aligned. It is rare and the check costs time, so only
 * instructions that access such memory have it. */
static void count_aligned(struct cpu *cpu, struct q_site *s, uint64_t va)
{
    if (s->aligned || !wanted_alignment(cpu, s, va) || ++s->traps < ALIGNED_SOME)
        return;
    source_of(s)->block->aligned |= UINT64_C(1) << s->index;
    if (s->traps == ALIGNED_MAX) {
        kill_for(s, "accesses of memory that must be aligned, often: alignment is tested");
        cpu->attention |= CPU_ATT_CODE;
    }
}

/* Counts accesses that the soft TLB did not have although an entry of 2 MB serves them. */
static void count_large(struct cpu *cpu, struct q_site *s, uint64_t va)
{
    if (s->large || !q_target.look_up ||
        !large_serves(cpu, s->iface, va, s->kind == Q_SITE_WRITE) || ++s->large_traps < LARGE_SOME)
        return;
    source_of(s)->block->large |= UINT64_C(1) << s->index;
    if (s->large_traps == LARGE_MAX) {
        kill_for(s, "accesses of many large pages: these are looked up first");
        cpu->attention |= CPU_ATT_CODE;
    }
}

static void access_memory(struct cpu *cpu, struct q_site *s, struct q_frame *f)
{
    uint64_t va = quick_value(s->region, cpu, f, s->address).w[0];

    const struct pending pending = {s, f};

    cpu->settle_arg = &pending;
    cpu->settle = store_pending;
    if (s->kind == Q_SITE_READ)
        read_memory(cpu, s, f, va);
    else
        write_memory(cpu, s, f, va);
    cpu->settle = NULL;
    count_aligned(cpu, s, va);
    count_large(cpu, s, va);
}

const void *quick_trap(struct cpu *cpu, struct q_site *s, struct q_frame *f)
{
    struct q_tier *q = s->region->jit->quick;
    const void *to = NULL;

    if (s->kind == Q_SITE_PAGE) {
        quick_renew_page(cpu, s);
        return NULL;
    }
    set_address(cpu, s->region);
    cpu->ticks = cpu->left_base - f->general[q_target.left] - s->ahead;
    q->sample_left = q->sample_at - cpu->ticks; /* the instruction may end in an exception */
    if (s->kind == Q_SITE_STOP) {
        to = stop_at_head(cpu, s, f);
        f->general[q_target.left] = cpu->left_base - cpu->ticks - (to ? 0 : s->ahead);
        return to;
    }
    if (s->kind == Q_SITE_DEOPT) {
        if (s->shared)
            count_miss(cpu, s, f);
        store_map(cpu, s, f);
        to = deoptimise_block(cpu, s, f);
    } else if (s->ahead) { /* the access may shorten the budget, and later heads do not test it */
        store_map(cpu, s, f);
        to = leave_to_interpreter(cpu, s);
    } else {
        access_memory(cpu, s, f);
    }
    quick_refill(q, cpu);
    f->general[q_target.left] = cpu->left_base - cpu->ticks;
    return to;
}
