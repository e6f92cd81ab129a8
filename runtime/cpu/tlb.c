/*
 * The soft TLB and the jump cache: filling, and flushing at a cost that is proportional to what was
 * filled.
 *
 * An entry's info holds the result of translate_address(). Its tags are for inline accesses and
 * match only where the slow path has nothing to do: in memory that takes no time, without device
 * attribute (but see TLB_ALIGNED), without code in the page for writes, and without watchpoints.
 * The tag for writes matches only where that for reads does, so that a translated load and store of
 * one place need one look-up (runtime/jit/quick/addend.c).
 */
#include <inttypes.h>

#include "runtime/cpu/common.h"
#include "runtime/cpu/idle.h"
#include "runtime/cpu/large.h"
#include "runtime/cpu/points.h"

/* Runs `body` with the index `slot` of each set bit of the words. */
#define FOR_EACH_BIT(slot, words, body)                                    \
    for (unsigned word_ = 0; word_ < TLB_SIZE / 64; word_++) {             \
        for (uint64_t bits_ = (words)[word_]; bits_; bits_ &= bits_ - 1) { \
            unsigned slot = word_ * 64 + (unsigned)__builtin_ctzll(bits_); \
            body                                                           \
        }                                                                  \
    }

/* Flushes between two at which jump_pages.bloom is computed anew. */
enum { BLOOM_FLUSHES = 1024 };

static unsigned slot_of(uint64_t va)
{
    return (unsigned)(va >> CPU_PAGE_BITS) & (TLB_SIZE - 1);
}

static uint64_t bit_of(unsigned slot)
{
    return UINT64_C(1) << (slot % 64);
}

/* A tag that no access matches: pages that are looked for in this slot, and the same with
 * TLB_ALIGNED flipped, have other indices. */
static uint64_t no_tag(unsigned slot)
{
    return (uint64_t)(slot ^ 2) << CPU_PAGE_BITS;
}

static bool is_filled(const struct tlb *t, unsigned slot)
{
    return t->filled[slot / 64] & bit_of(slot);
}

static void drop_entry(struct tlb *t, unsigned slot)
{
    t->entry[slot].read_tag = t->entry[slot].write_tag = no_tag(slot);
    t->va[slot] = TLB_EMPTY;
    t->filled[slot / 64] &= ~bit_of(slot);
    t->large[slot / 64] &= ~bit_of(slot);
}

void tlb_use(struct tlb *t)
{
    if (t->in_use)
        return;
    t->in_use = true;
    /* In a zeroed table only the tags of the entries of pages 0 and TLB_ALIGNED could match. The
     * other entries are not touched, so that they take no host memory before they are filled. */
    drop_entry(t, slot_of(0));
    drop_entry(t, slot_of(TLB_ALIGNED));
}

/* Sets an entry's tags by its info, memory and watchpoints. */
static void retag_entry(struct cpu *cpu, struct tlb *t, unsigned slot)
{
    struct tlb_entry *e = &t->entry[slot];
    const struct bus_region *r = bus_find(cpu->bus, e->info);
    uint64_t va = t->va[slot], none = no_tag(slot);
    uint64_t page = e->info & ~CPU_PAGE_MASK;
    uint64_t read = none, write = none;

    if (r && r->kind != BUS_MMIO) {
        uint64_t offset = page - r->base;
        uint64_t tag = e->info & TRANSLATE_DEVICE ? va ^ TLB_ALIGNED : va;

        e->addend = (uintptr_t)(r->host + offset) - (uintptr_t)va;
        if (e->info & TRANSLATE_READ)
            read = tag;
        if ((e->info & TRANSLATE_WRITE) && r->kind == BUS_RAM &&
            !(r->page_flags[offset >> BUS_PAGE_BITS] & BUS_PAGE_CODE)) {
            write = tag;
            r->page_flags[offset >> BUS_PAGE_BITS] |= BUS_PAGE_SERVED;
        }
        if (cpu->delays)
            read = write = none;
        if (cpu->points.watches && points_watch_page(cpu, va))
            read = write = none;
        if (cpu->debug && debug_watched(cpu->debug, va, CPU_PAGE_SIZE, CPU_READ))
            read = none;
        if (cpu->debug && debug_watched(cpu->debug, va, CPU_PAGE_SIZE, CPU_WRITE))
            write = none;
    }
    e->read_tag = read;
    e->write_tag = read == none ? none : write;
}

void tlb_retag(struct cpu *cpu, unsigned ring, uint64_t va)
{
    struct tlb *t = &cpu->tlbs[cpu_table(cpu->bank, ring)];
    unsigned slot = slot_of(va);

    if (is_filled(t, slot) && t->va[slot] == (va & ~CPU_PAGE_MASK))
        retag_entry(cpu, t, slot);
}

void tlb_retag_page(struct cpu *cpu, uint64_t va)
{
    unsigned slot = slot_of(va);

    cpu->retags++;
    for (unsigned n = 0; n < ARRAY_SIZE(cpu->tlbs); n++) {
        struct tlb *t = &cpu->tlbs[n];

        large_drop(cpu, n, va);
        if (t->in_use && is_filled(t, slot))
            retag_entry(cpu, t, slot);
    }
}

void tlb_retag_all(struct cpu *cpu)
{
    cpu->retags++;
    for (unsigned n = 0; n < ARRAY_SIZE(cpu->tlbs); n++) {
        struct tlb *t = &cpu->tlbs[n];

        if (!t->in_use)
            continue;
        large_drop_all(cpu, n);
        FOR_EACH_BIT(slot, t->filled, { retag_entry(cpu, t, slot); })
    }
}

/* Translates an address by the hook, else by the description; without either it is physical. */
static uint32_t translate_address(struct cpu *cpu, unsigned ring, uint64_t va,
                                  enum cpu_access access, uint64_t *pa, uint32_t *flags)
{
    translate_fn *fn = cpu->hooks.translate ? cpu->hooks.translate : cpu->isa->translate;

    *pa = va;
    *flags = TRANSLATE_READ | TRANSLATE_WRITE | TRANSLATE_EXEC;
    if (!fn)
        return 0;
    cpu_settle(cpu);
    *flags = 0;
    cpu->counters.walks++;
    cpu->common.read_count = 0;
    return fn(cpu, va, access, ring, pa, flags);
}

/* Whether both addresses lie in the same page of 1 << shift bytes. */
static bool same_page(const struct cpu *cpu, uint64_t a, uint64_t b, unsigned shift)
{
    uint64_t differ = (a ^ b) & cpu->page_names;

    return shift > 63 || !(differ >> shift);
}

/* Index of the bit in tlb.near for the 1 << TLB_LARGE_BITS bytes around an address. */
static unsigned near_of(const struct cpu *cpu, uint64_t va)
{
    uint64_t around = (va & cpu->page_names) >> TLB_LARGE_BITS;

    return (unsigned)((around * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - TLB_NEAR_BITS));
}

static void add_large(const struct cpu *cpu, struct tlb *t, unsigned slot, uint64_t va,
                      unsigned shift)
{
    uint64_t mask = shift < 64 ? (UINT64_C(1) << shift) - 1 : UINT64_MAX;
    uint64_t low = va & ~mask & cpu->page_names, high = (va | mask) & cpu->page_names;
    unsigned near = near_of(cpu, va);

    t->large[slot / 64] |= bit_of(slot);
    t->near[near / 64] |= bit_of(near);
    t->large_most = t->large_most > shift ? t->large_most : shift;
    t->large_low = t->large_high && t->large_low < low ? t->large_low : low;
    t->large_high = t->large_high > high ? t->large_high : high;
}

/* Whether the address may lie in a large page. */
static bool is_near_large(const struct cpu *cpu, const struct tlb *t, uint64_t va)
{
    unsigned near = near_of(cpu, va);

    if (!t->large_high || (va & cpu->page_names) < t->large_low ||
        (va & cpu->page_names) > t->large_high)
        return false;
    return t->large_most > TLB_LARGE_BITS || (t->near[near / 64] & bit_of(near));
}

/* Drops the entries of large pages that the address is in. */
static void flush_large(struct cpu *cpu, unsigned table, uint64_t va)
{
    struct tlb *t = &cpu->tlbs[table];

    if (!is_near_large(cpu, t, va))
        return;
    if (t->large_most > TLB_LARGE_BITS)
        large_drop_all(cpu, table);
    else
        large_drop(cpu, table, va);
    FOR_EACH_BIT(slot, t->large, {
        if (same_page(cpu, t->va[slot], va, tlb_page_shift(t->entry[slot].info)))
            drop_entry(t, slot);
    })
}

bool tlb_find(struct cpu *cpu, unsigned ring, uint64_t va, enum cpu_access access, uint64_t *info,
              uint32_t *fault)
{
    unsigned table = cpu_table(cpu->bank, ring), slot = slot_of(va), shift;
    struct tlb *t = &cpu->tlbs[table];
    uint32_t flags;
    uint64_t pa;

    if (tlb_known(cpu, ring, va, access, info))
        return true;
    cpu->counters.tlb_misses++;
    *fault = translate_address(cpu, ring, va, access, &pa, &flags);
    if (*fault) {
        log_printf(cpu->log, LOG_MMU,
                   "cpu%u: %s of %#" PRIx64 " in ring %u faults with code %#" PRIx32 "\n",
                   cpu->number,
                   access == CPU_READ    ? "read"
                   : access == CPU_WRITE ? "write"
                                         : "fetch",
                   va, ring, *fault);
        return false;
    }
    shift = flags >> TRANSLATE_SIZE_SHIFT & 0xff;
    shift = shift > 64 ? 64 : shift;
    if (common_keep(cpu, va, flags))
        flags &= ~(uint32_t)TRANSLATE_NOT_GLOBAL;
    tlb_use(t);
    *info = (pa & ~CPU_PAGE_MASK) | shift << 5 | (flags & 0x1f) | 1u << access;
    drop_entry(t, slot);
    t->entry[slot].info = *info;
    t->va[slot] = va & ~CPU_PAGE_MASK;
    t->filled[slot / 64] |= bit_of(slot);
    if (shift > CPU_PAGE_BITS)
        add_large(cpu, t, slot, va, shift);
    if (*info & TRANSLATE_NOT_GLOBAL)
        idle_note(cpu, table, slot);
    retag_entry(cpu, t, slot);
    if (shift >= TLB_LARGE_BITS)
        large_fill(cpu, table, va, *info, access);
    return true;
}

/* ---- entries of idle address spaces ---------------------------------------------------------- */

bool tlb_take(struct tlb *t, unsigned slot, struct tlb_private *out)
{
    if (!is_filled(t, slot) || !(t->entry[slot].info & TRANSLATE_NOT_GLOBAL))
        return false;
    out->va = t->va[slot];
    out->entry = t->entry[slot];
    drop_entry(t, slot);
    return true;
}

void tlb_put(struct cpu *cpu, unsigned table, const struct tlb_private *in, bool retag)
{
    struct tlb *t = &cpu->tlbs[table];
    unsigned slot = slot_of(in->va), shift = tlb_page_shift(in->entry.info);

    drop_entry(t, slot);
    t->entry[slot] = in->entry;
    t->va[slot] = in->va;
    t->filled[slot / 64] |= bit_of(slot);
    if (shift > CPU_PAGE_BITS)
        add_large(cpu, t, slot, in->va, shift);
    idle_note(cpu, table, slot);
    if (retag)
        retag_entry(cpu, t, slot);
}

/* ---- forgetting ------------------------------------------------------------------------------ */

static void clear_large(struct tlb *t)
{
    t->large_low = t->large_high = 0;
    t->large_most = 0;
    memset(t->near, 0, sizeof(t->near));
}

void tlb_flush_table(struct cpu *cpu, unsigned table, bool global)
{
    struct tlb *t = &cpu->tlbs[table];

    if (!t->in_use)
        return;
    large_drop_all(cpu, table);
    FOR_EACH_BIT(slot, t->filled, {
        if (global || (t->entry[slot].info & TRANSLATE_NOT_GLOBAL))
            drop_entry(t, slot);
    })
    cpu->idle[table].slot_count = 0;
    if (!global)
        return;
    clear_large(t);
    idle_forget(cpu, table);
}

void tlb_flush_all(struct cpu *cpu)
{
    for (unsigned n = 0; n < ARRAY_SIZE(cpu->tlbs); n++)
        tlb_flush_table(cpu, n, true);
}

static void flush_page(struct cpu *cpu, uint64_t va)
{
    for (unsigned n = 0; n < ARRAY_SIZE(cpu->tlbs); n++) {
        struct tlb *t = &cpu->tlbs[n];
        unsigned own = slot_of(va);

        if (!t->in_use)
            continue;
        if (is_filled(t, own) && same_page(cpu, t->va[own], va, CPU_PAGE_BITS))
            drop_entry(t, own);
        idle_flush_page(cpu, n, va, is_near_large(cpu, t, va), t->large_most > TLB_LARGE_BITS);
        flush_large(cpu, n, va);
    }
    jump_flush_va(cpu, va);
}

void cpu_tlb_flush_page(struct cpu *cpu, uint64_t va)
{
    if (++cpu->counters.tlb_flushes % BLOOM_FLUSHES == 0)
        jump_renew_filter(cpu);
    flush_page(cpu, va);
}

/* Flushes the pages of a list, and empties it. */
static void flush_list(struct cpu *cpu, struct common_list *l)
{
    struct common_list pages = *l;

    l->count = 0;
    if (pages.count > COMMON_PAGES) {
        tlb_flush_all(cpu);
        jump_flush(cpu);
        return;
    }
    for (unsigned n = 0; n < pages.count; n++)
        flush_page(cpu, pages.va[n]);
}

void tlb_drop_waiting(struct cpu *cpu)
{
    if (!cpu->common.waiting.count)
        return;
    flush_list(cpu, &cpu->common.waiting);
    memset(cpu->jump_pages.waiting, 0, sizeof(cpu->jump_pages.waiting));
}

void tlb_drop_stale(struct cpu *cpu)
{
    struct common_pages *c = &cpu->common;

    if (c->stale) {
        c->changed.count = COMMON_PAGES + 1;
        c->from = cpu->ticks + COMMON_PAUSE;
    }
    c->stale = false;
    if (c->changed.count)
        flush_list(cpu, &c->changed);
}

void cpu_tlb_flush(struct cpu *cpu, bool global)
{
    cpu->counters.tlb_flushes++;
    if (!global)
        tlb_drop_stale(cpu);
    for (unsigned n = 0; n < ARRAY_SIZE(cpu->tlbs); n++)
        tlb_flush_table(cpu, n, global);
    for (unsigned n = 0; n < ARRAY_SIZE(cpu->tlbs) && !global; n++)
        idle_forget(cpu, n);
    if (global)
        jump_flush(cpu);
    else
        jump_flush_not_global(cpu);
}

void tlb_protect(struct cpu *cpu, uint64_t pa)
{
    cpu->retags++;
    for (unsigned n = 0; n < ARRAY_SIZE(cpu->tlbs); n++) {
        struct tlb *t = &cpu->tlbs[n];

        if (!t->in_use)
            continue;
        FOR_EACH_BIT(slot, t->filled, {
            if ((t->entry[slot].info & ~CPU_PAGE_MASK) == (pa & ~CPU_PAGE_MASK))
                t->entry[slot].write_tag = no_tag(slot);
        })
        large_protect(cpu, n, pa);
    }
}

/* ---- the jump cache -------------------------------------------------------------------------- */

/* Numbers of entries (struct jump_pages) are told apart modulo this for jump_pages.bloom. */
enum { BLOOM_NUMBERS = 1024 };

static unsigned bloom_of(const struct cpu *cpu, uint64_t va)
{
    uint64_t page = (va & cpu->page_names) >> CPU_PAGE_BITS;

    return (unsigned)((page * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - JUMP_BLOOM_BITS));
}

/* Adds the page to jump_pages.large. */
static void add_large_page(struct cpu *cpu, uint64_t va, unsigned shift)
{
    struct jump_pages *p = &cpu->jump_pages;

    for (unsigned i = 0; i < p->large_count && i < JUMP_LARGE; i++) {
        if (p->large[i].shift >= shift && same_page(cpu, p->large[i].va, va, p->large[i].shift))
            return;
    }
    if (p->large_count < JUMP_LARGE) {
        p->large[p->large_count].va = va;
        p->large[p->large_count].shift = shift;
        p->large_count++;
    } else {
        p->large_count = JUMP_LARGE + 1;
    }
}

static void add_to_bloom(struct cpu *cpu, uint64_t va)
{
    unsigned page = bloom_of(cpu, va);

    cpu->jump_pages.bloom[page / 64] |= bit_of(page);
}

/* Records that a jump cache entry must be flushed with the page at `va`. */
static void depend_on_page(struct cpu *cpu, uint64_t va, uint64_t info)
{
    add_to_bloom(cpu, va);
    if (tlb_page_shift(info) > CPU_PAGE_BITS)
        add_large_page(cpu, va, tlb_page_shift(info));
}

/* Makes the block's entries at another place out of date, of all CPUs: code_host_changed() looks at
 * one place only. The same code at two addresses is rare, but for programs that run in turns. */
static void enter_only_at(const struct code_cache *code, struct block *b, unsigned n)
{
    for (size_t k = 0; b->jump_at && k < code->cpus.len; k++) {
        struct jump_entry *e = &code->cpus.data[k]->jumps[b->jump_at - 1];

        if (e->block == b)
            e->key &= 0xffff;
    }
    b->jump_at = n + 1;
}

void jump_enter(struct cpu *cpu, uint64_t pc, struct block *b, const uint64_t info[2])
{
    struct jump_pages *p = &cpu->jump_pages;
    unsigned n = jump_index(pc);
    uint64_t *word = &p->not_global[n / 64];
    bool local = (info[0] | info[1]) & TRANSLATE_NOT_GLOBAL;
    unsigned table = cpu_table(cpu->bank, cpu->ring);

    if (b->jump_at != n + 1)
        enter_only_at(cpu->code, b, n);
    cpu->jumps[n] = (struct jump_entry){.pc = pc, .key = cpu->key, .block = b, .host = b->host};
    *word = local ? *word | bit_of(n) : *word & ~bit_of(n);
    if (local && !b->crosses_page && common_waits(cpu, pc))
        p->waiting[table] = true;
    else if (local)
        p->local[table] = true;
    depend_on_page(cpu, pc, info[0]);
    if (b->crosses_page)
        depend_on_page(cpu, cpu_wrap(cpu->isa, pc + CPU_PAGE_SIZE), info[1]);
}

/* Makes translated code, which branches from block to block by what the jump cache held, look up
 * its next block. */
static void recheck_translated(struct cpu *cpu)
{
    if (cpu->code && cpu->code->tier)
        cpu->attention |= CPU_ATT_CODE;
}

void jump_flush(struct cpu *cpu)
{
    struct jump_pages *p = &cpu->jump_pages;

    recheck_translated(cpu);
    stamp_forget_all(cpu);
    idle_forget_jumps(cpu);
    p->generation++;
    for (unsigned n = 0; n < ARRAY_SIZE(p->number); n++) {
        p->number[n] = p->generation;
        p->local[n] = p->waiting[n] = false;
    }
    p->large_count = 0;
    memset(p->bloom, 0, sizeof(p->bloom));
    memset(p->not_global, 0, sizeof(p->not_global));
    cpu->key = p->generation << 16 | (cpu->key & 0xffff);
}

void jump_forget(struct cpu *cpu)
{
    jump_flush(cpu);
    /* Only entries in use are cleared: pages never written to take no host memory, for many
     * CPUs. */
    for (unsigned n = 0; n < ARRAY_SIZE(cpu->jumps); n++) {
        if (cpu->jumps[n].block)
            cpu->jumps[n] = (struct jump_entry){0};
    }
}

void jump_flush_not_global(struct cpu *cpu)
{
    uint64_t *words = cpu->jump_pages.not_global;

    recheck_translated(cpu);
    stamp_forget_local(cpu);
    for (unsigned w = 0; w < (1 << JUMP_CACHE_BITS) / 64; w++) {
        for (; words[w]; words[w] &= words[w] - 1)
            cpu->jumps[w * 64 + (unsigned)__builtin_ctzll(words[w])].key &= 0xffff;
    }
}

void jump_change(struct cpu *cpu, unsigned table, uint64_t *old, uint64_t new)
{
    struct jump_pages *p = &cpu->jump_pages;

    recheck_translated(cpu);
    if (!p->local[table] && !p->waiting[table])
        return;
    p->local[table] = true;
    *old = p->number[table];
    p->number[table] = new ? new : ++p->generation;
    if (table == cpu_table(cpu->bank, cpu->ring))
        cpu->key = p->number[table] << 16 | (cpu->key & 0xffff);
}

/* How many bytes before the end of a page an instruction may begin that crosses it. */
static unsigned crossing_bytes(const struct cpu_isa *isa)
{
    unsigned most = 0;

    for (unsigned n = 0; n < isa->decoder_count; n++) {
        unsigned own = isa->decoders[n].max_bytes - isa->decoders[n].unit_bytes;

        most = own > most ? own : most;
    }
    return most;
}

/* Flushes jump cache entries of the page, and of instructions that cross into it. */
static void flush_page_entries(struct cpu *cpu, uint64_t va)
{
    unsigned step = cpu_unit_bytes(cpu->isa), before = crossing_bytes(cpu->isa);

    va &= ~CPU_PAGE_MASK;
    recheck_translated(cpu);
    for (uint64_t at = 0; at < CPU_PAGE_SIZE + before; at += step) {
        uint64_t pc = cpu_wrap(cpu->isa, va + at - before);
        struct jump_entry *e = &cpu->jumps[jump_index(pc)];

        if (same_page(cpu, e->pc, pc, CPU_PAGE_BITS))
            e->key &= 0xffff;
    }
}

/* Notes the numbers of entries that are valid, or may be again when an idle space returns. */
static void note_numbers(const struct cpu *cpu, uint64_t *numbers)
{
    for (unsigned n = 0; n < ARRAY_SIZE(cpu->tlbs); n++) {
        uint64_t own = cpu->jump_pages.number[n] % BLOOM_NUMBERS;

        numbers[own / 64] |= bit_of((unsigned)own);
        for (unsigned k = 0; k < IDLE_SPACES; k++) {
            uint64_t idle = cpu->idle[n].idle[k].number % BLOOM_NUMBERS;

            numbers[idle / 64] |= bit_of((unsigned)idle);
        }
    }
}

void jump_renew_filter(struct cpu *cpu)
{
    uint64_t numbers[BLOOM_NUMBERS / 64] = {0};

    note_numbers(cpu, numbers);
    memset(cpu->jump_pages.bloom, 0, sizeof(cpu->jump_pages.bloom));
    for (unsigned n = 0; n < ARRAY_SIZE(cpu->jumps); n++) {
        const struct jump_entry *e = &cpu->jumps[n];
        unsigned number = e->key >> 16 & (BLOOM_NUMBERS - 1);

        if (!(e->key >> 16) || !(numbers[number / 64] & bit_of(number)))
            continue;
        add_to_bloom(cpu, e->pc);
        if (e->block->crosses_page)
            add_to_bloom(cpu, cpu_wrap(cpu->isa, e->pc + CPU_PAGE_SIZE));
    }
}

void jump_flush_va(struct cpu *cpu, uint64_t va)
{
    const struct jump_pages *p = &cpu->jump_pages;
    unsigned page = bloom_of(cpu, va);
    bool large = p->large_count > JUMP_LARGE;

    stamp_forget_page(cpu, va);
    for (unsigned i = 0; i < p->large_count && !large; i++)
        large = same_page(cpu, p->large[i].va, va, p->large[i].shift);
    if (large)
        jump_flush(cpu);
    else if (p->bloom[page / 64] & bit_of(page))
        flush_page_entries(cpu, va);
}
