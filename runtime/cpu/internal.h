/* Declarations for the files of this room: code cache, soft TLB, leaving, groups, debugger. */
#ifndef RUNTIME_CPU_INTERNAL_H
#define RUNTIME_CPU_INTERNAL_H

#include "runtime/base/bits.h"
#include "common/vec.h"
#include "runtime/cpu/group.h"
#include "runtime/cpu/exec.h"
#include "runtime/cpu/pool.h"
#include "runtime/cpu/tier.h"

/* ---- decoded code (code.c, decode.c, block.c) ------------------------------------------------ */

enum {
    CPU_MAX_DECODED =
        896, /* bytes of a decoded instruction: a block is a piece of a pool (pool.h) */
    CODE_MAX_KEYS = 4096,  /* keys of a code cache; with more, all keys and code are dropped */
    CODE_GRANULE_BITS = 6, /* pages record in granules of 64 bytes where they hold code */
};

struct code_isa;

/* What walks have read for common pages in 4 KB of guest memory. */
struct code_tables {
    unsigned writes; /* so far; after MOST_WRITES it is taken for a page of data (code.c) */
    uint64_t upper;  /* bit n: granule n, and then read further tables */
    /* By 8 bytes: the page whose walk read them last, an odd number if there are more; 0: none. */
    uint64_t page[CPU_PAGE_SIZE / 8];
};

/* A 4 KB page of guest memory that has blocks, or tables. */
struct code_page {
    uint64_t pfn;
    uint64_t mask; /* bit n: granule n is covered by a block */
    struct block *blocks;
    VEC(struct block *) tails;  /* blocks that begin in another page and end in this one */
    struct code_tables *tables; /* NULL: no walk has read it for a common page (common.h) */
    struct code_page *next;
};

/* An ISA in a code cache: its statistics classes, and the executed instructions of each. */
struct code_isa {
    const struct cpu_isa *isa;
    unsigned class_count;
    const char **class_name; /* borrowed from the forms */
    uint16_t *form_class;    /* by form: its class, below class_count */
    uint64_t *counts;        /* [slot][ring][class] */
    struct code_isa *next;
};

/* A key: everything that decoding depends on besides the word. */
struct code_key {
    struct code_isa *isa;
    uint32_t mode, ring, bank, context;
    uint32_t features[CPU_MAX_FEATURES];
    struct cpu_stops stops;
};

/* A place in the table of blocks. Blocks are found by linear search from the place that is the hash
 * of their name. */
struct code_place {
    uint64_t name; /* mixed from the physical address and the key */
    struct block *block;
};

struct code_cache {
    struct bus *bus;
    unsigned users; /* CPUs and groups that hold it */
    VEC(struct cpu *) cpus;
    VEC(struct code_key) keys; /* key n is number n + 1 */
    struct code_place *table;
    size_t table_size, block_count; /* table_size: a power of two */
    struct code_page **pages;
    size_t pages_size, page_count;
    struct block *dropped_blocks;
    struct pool pool; /* memory of blocks */
    size_t bytes, dead_bytes, budget;
    struct code_isa *isas;
    uint64_t flushes;
    uint32_t stamps;              /* how many have been given (stamp.h) */
    const struct code_tier *tier; /* NULL: interpreted only */
    bool uncounted;               /* no statistics of executions */
    VEC(uint64_t) tables;         /* pages that walks have read, to be noted (code_note_tables()) */
    /* ticks of all CPUs when the blocks' counters were last added to the statistics */
    uint64_t folded;
};

/* The code cache of a bus, made by the first call; NULL when the bus has another listener for
 * writes to code. Each call is one use, which code_release() ends. */
struct code_cache *code_acquire(struct bus *bus);
void code_release(struct code_cache *code);

/* Connects a CPU with its bus's cache, unless it is connected. False when code_acquire() fails. */
bool code_attach(struct cpu *cpu);
void code_detach(struct cpu *cpu);
/* code_detach() of a CPU that ends, so that its jump cache may keep blocks. */
void code_leave(struct cpu *cpu);
/* Sets whether executions are counted. Drops all blocks if that changes; not from inside of one. */
void code_set_counting(struct code_cache *code, bool on);

/* Bits 15:0 of cpu->key for the CPU's current ring, mode and features. */
uint16_t code_key(struct cpu *cpu);

/* The fault of an instruction fetch: the address, and enum cpu_fault or the description's code. */
struct fetch_fault {
    uint64_t va;
    uint32_t code;
};

/* Sets *fault; always false. */
static inline bool fetch_failed(struct fetch_fault *fault, uint64_t va, uint32_t code)
{
    *fault = (struct fetch_fault){va, code};
    return false;
}

/* Translates an address for a fetch; false with *fault. */
static inline bool code_fetch(struct cpu *cpu, uint64_t va, uint64_t *info,
                              struct fetch_fault *fault);

/*
 * The block at cpu->pc, decoded if it is not in the cache, and entered into the jump cache; NULL
 * with *fault when the fetch faults. Not from inside of a block. `last`: the block that has just
 * run, whose last successor is tried before the table is searched; NULL: not known. This call may
 * free it.
 */
struct block *code_find(struct cpu *cpu, const struct block *last, struct fetch_fault *fault);

enum { HOST_LINE = 64 }; /* bytes of a line of the host's caches */

/*
 * The block that ran behind `b` the last time, or else b itself. It may have been freed meanwhile,
 * but can be read: a piece of the pool has blocks at one place only, and that in a free piece is
 * dead.
 */
static inline struct block *block_after(const struct block *b)
{
    return (void *)((uintptr_t)b + (uintptr_t)((intptr_t)b->after * HOST_LINE));
}

/* Number of the block's instructions that begin before `left` > 0 ticks have passed, at least 1. */
unsigned code_prefix_count(const struct block *b, int64_t left);
/* The block, or a copy with its first 0 < n < count instructions, valid until the next call or
 * decode; statistics count one execution of the copy. */
struct block *code_head(struct cpu *cpu, struct block *b, unsigned n);

/* Guest memory [pa, pa + len), inside one page, is about to change. Drops the page's blocks if a
 * block covers one of the bytes or, with bus.protect, in any case; true when blocks were
 * dropped. */
bool code_written(struct code_cache *code, uint64_t pa, uint64_t len);

/* Lets writes to the pages in `tables` be noticed, which walks have read for common pages
 * (common.h). Not from inside of a block, since a trace may have looked such a page up for
 * writes. */
void code_note_tables(struct code_cache *code);

static inline size_t code_hash(uint64_t x, size_t buckets)
{
    return (size_t)((x * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (buckets - 1);
}

/* Where the page is linked, or would be. */
static inline struct code_page **code_page_link(const struct code_cache *code, uint64_t pfn)
{
    struct code_page **link = &code->pages[code_hash(pfn, code->pages_size)];

    while (*link && (*link)->pfn != pfn)
        link = &(*link)->next;
    return link;
}

/* Drops all blocks; may be called from inside of a block. */
void code_flush(struct code_cache *code);

/* Adds `times` executions of a block's instructions with indices from to to - 1 to the
 * statistics. */
void code_count(struct block *b, unsigned slot, unsigned from, unsigned to, uint64_t times);

/* Number of instructions of a class that the CPUs of a slot executed in a ring. */
uint64_t code_class_total(struct code_cache *code, struct code_isa *isa, unsigned slot,
                          unsigned ring, unsigned klass);
/* Adds the counters of all blocks to code_isa.counts. */
void code_sum_counts(struct code_cache *code);
/* The ISA in the cache; NULL: no CPU of it is connected. */
struct code_isa *code_isa_find(struct code_cache *code, const struct cpu_isa *isa);

/* decode.c: a new block, in no table yet, of the code at physical address pa, which is mapped at
 * cpu->pc. NULL with *fault when there is no memory, or the first instruction crosses into a page
 * that cannot be fetched from. */
struct block *block_decode(struct cpu *cpu, struct code_isa *isa, uint64_t pa,
                           struct fetch_fault *fault);
/* A zeroed block, in the cache's memory, with room for n instructions of insn_bytes each and a
 * sentinel, and with counters if executions are counted. */
struct block *block_new(struct code_cache *code, unsigned insn_bytes, unsigned n);
void block_free(struct code_cache *code, struct block *b);
/* The CPU's scratch block of CPU_MAX_BLOCK instructions. */
struct block *block_scratch(struct cpu *cpu);
void block_free_scratch(struct cpu *cpu);
/* Ticks of the block's first n instructions. */
unsigned block_ticks(const struct block *b, unsigned n);
/* block_ticks() while b->ticks is not set yet. */
unsigned block_sum_ticks(const struct cpu_isa *isa, const struct block *b, unsigned n);
/* First handler of a block whose only instruction ends it, in a decode context: sets the context
 * behind the instruction, then calls the instruction's handler, which may change it. */
void block_end_in_context(struct cpu *cpu, const struct insn *i);
/* Writes the sentinel, number b->count, whose handler continues behind the block in a decode
 * context. */
void block_end(const struct cpu_decoder *d, struct block *b, uint8_t context);
/* The decode context in which an instruction was decoded. */
static inline uint8_t insn_context(const struct cpu_decoder *d, const struct insn *i)
{
    return d->has_context ? ((const uint8_t *)i)[d->context_at] : 0;
}
/* Makes the dropped block's handler remove the jump cache entry by which it is reached. */
void block_kill(struct block *b);

/* ---- jump cache (tlb.c) ---------------------------------------------------------------------- */

/* Enters a block for an address. info: of its page or pages, as of tlb_find(), for flushes. */
void jump_enter(struct cpu *cpu, uint64_t pc, struct block *b, const uint64_t info[2]);
/* Each makes entries out of date: all; those of pages that are not global; those of an address's
 * page. Entries keep their blocks, which code_find() may use again. */
void jump_flush(struct cpu *cpu);
void jump_flush_not_global(struct cpu *cpu);
void jump_flush_va(struct cpu *cpu, uint64_t va);
/* Computes jump_pages.bloom anew, without the pages of spaces that have ended: it would fill up. */
void jump_renew_filter(struct cpu *cpu);
/* Makes a soft TLB's entries of the current address space wait for it, with their number in *old,
 * and those of another space valid: the ones with number `new`; 0: it has none so far. */
void jump_change(struct cpu *cpu, unsigned table, uint64_t *old, uint64_t new);
/* Empties all entries, before blocks are freed or keys are reused. */
void jump_forget(struct cpu *cpu);

/* ---- stamps (stamp.c) ------------------------------------------------------------------------ */

/* Each makes stamps change (stamp.h): all; those that were asked for pages that are not global;
 * all, if one was asked for the address's page. */
void stamp_forget_all(struct cpu *cpu);
void stamp_forget_local(struct cpu *cpu);
void stamp_forget_page(struct cpu *cpu, uint64_t va);
/* Puts a soft TLB's stamp into *old, if it is of the current address space only, and makes `new`
 * that of another space; 0: it has none. */
void stamp_change(struct cpu *cpu, unsigned table, uint32_t *old, uint32_t new);

/* ---- soft TLB (tlb.c) ------------------------------------------------------------------------ */

/*
 * Finds the entry for an access, translating if there is none; *info as in struct tlb_entry. False:
 * the translation faults with *fault. Leaves the instruction when the description's translate()
 * does.
 */
bool tlb_find(struct cpu *cpu, unsigned ring, uint64_t va, enum cpu_access access, uint64_t *info,
              uint32_t *fault);

/* tlb_find() without translating; false: there is no entry. */
static inline bool tlb_known(const struct cpu *cpu, unsigned ring, uint64_t va,
                             enum cpu_access access, uint64_t *info)
{
    const struct tlb *t = &cpu->tlbs[cpu_table(cpu->bank, ring)];
    unsigned slot = (unsigned)(va >> CPU_PAGE_BITS) & (TLB_SIZE - 1);

    *info = t->entry[slot].info;
    return t->va[slot] == (va & ~CPU_PAGE_MASK) && (*info >> access & 1);
}

static inline bool code_fetch(struct cpu *cpu, uint64_t va, uint64_t *info,
                              struct fetch_fault *fault)
{
    fault->va = va;
    return tlb_find(cpu, cpu->ring, va, CPU_FETCH, info, &fault->code);
}

static inline uint64_t tlb_address(uint64_t info, uint64_t va)
{
    return (info & ~CPU_PAGE_MASK) | (va & CPU_PAGE_MASK);
}

static inline unsigned tlb_page_shift(uint64_t info)
{
    return info >> 5 & 0x7f;
}

/* Sets the tags of a valid entry anew, after code or watchpoints of its page have changed. */
void tlb_retag(struct cpu *cpu, unsigned ring, uint64_t va);
/* tlb_retag() in all tables, for the page of an address, or for all entries. */
void tlb_retag_page(struct cpu *cpu, uint64_t va);
void tlb_retag_all(struct cpu *cpu);
/* Makes writes to a physical page, which has code from now on, take the slow path. */
void tlb_protect(struct cpu *cpu, uint64_t pa);
void tlb_flush_all(struct cpu *cpu);
/* Forgets translations if common pages are stale (common.h): another space is current from now on,
 * or the entries of one are flushed. */
void tlb_drop_stale(struct cpu *cpu);
/* Forgets the pages that wait to be common ones (common.h), so that the next walks find them so.
 * After code_note_tables(). */
void tlb_drop_waiting(struct cpu *cpu);
/* Drops all entries of table number `table`, also of idle spaces; or with `global` false those of
 * the current space that are not global. */
void tlb_flush_table(struct cpu *cpu, unsigned table, bool global);
/* A private entry of a soft TLB, outside of it. */
struct tlb_private {
    uint64_t va;
    struct tlb_entry entry;
};

/* Moves an entry out of its slot; false: there is none, or a global one. */
bool tlb_take(struct tlb *t, unsigned slot, struct tlb_private *out);
/* Moves it back. retag: its tags may be out of date. */
void tlb_put(struct cpu *cpu, unsigned table, const struct tlb_private *in, bool retag);
/* Initialises a table before its first use; nothing if that is done. */
void tlb_use(struct tlb *t);

/* ---- entries of 2 MB (large.c) --------------------------------------------------------------- */

/* Initialises the tables of a zeroed CPU. */
void large_init(struct cpu *cpu);
/* Enters the 2 MB around an address, whose page is at least as large, if inline code may access all
 * of them. info: of the page's soft TLB entry. */
void large_fill(struct cpu *cpu, unsigned table, uint64_t va, uint64_t info,
                enum cpu_access access);
/* Enters an entry that was in this slot before. */
void large_put(struct cpu *cpu, unsigned table, unsigned slot, const struct tlb_entry *entry);
/* Drops the entry for an address, or all entries. */
void large_drop(struct cpu *cpu, unsigned table, uint64_t va);
void large_drop_all(struct cpu *cpu, unsigned table);
/* tlb_protect() for the entries of a table. */
void large_protect(struct cpu *cpu, unsigned table, uint64_t pa);

/* ---- address spaces (space.c) ---------------------------------------------------------------- */

/* Sets the memory interfaces' tables by the current ring, and drops their entries of another
 * space. */
void cpu_select_tables(struct cpu *cpu);
/* Makes all banks unused, after state was changed from outside. The caller flushes the tables. */
void cpu_forget_spaces(struct cpu *cpu);

/* ---- leaving (leave.c) ----------------------------------------------------------------------- */

/* Leaves the instruction and jumps to cpu_run(), which handles cpu->left, or to cpu_guard(). `i`
 * may be NULL. */
_Noreturn void cpu_leave(struct cpu *cpu, const struct insn *i);

/* Index in the running block of the instruction that called the runtime. If it is not known, the
 * index of the last instruction, which is right for instructions that end their block. */
unsigned cpu_index_now(const struct cpu *cpu);

/* Calls fn(cpu, arg); false when it was ended by cpu_leave(). */
bool cpu_guard(struct cpu *cpu, void (*fn)(struct cpu *cpu, void *arg), void *arg);

/* ---- group (group_time.c) -------------------------------------------------------------------- */

enum { GROUP_TICK_PS = 1000 /* default length of a tick */, PS_PER_NS = 1000 };

/* Length of the CPU's ticks. */
uint64_t group_tick_ps(const struct cpu_group *g, const struct cpu *cpu);
/* Ticks until the CPU's time reaches the end of the turn. */
uint64_t group_ticks_left(const struct cpu_group *g, const struct cpu *cpu);
/* Hooks of the clock; `opaque` is the group. */
uint64_t group_offset_ns(void *opaque);
void group_sooner(void *opaque, uint64_t when);
/* Sets where the CPU's turn ends. It stops before that at the debugger's goal. */
void cpu_set_turn_end(struct cpu *cpu, uint64_t ticks);

/* Sets the time of a CPU that starts to run again to the present time at least. */
void group_woken(struct cpu *cpu);
/* Whether more than one CPU is on. */
bool group_is_shared(const struct cpu_group *g);

/* ---- debugger (debug.c); all but the first only when cpu->debug is not NULL ------------------ */

/* Whether a breakpoint is at va. */
bool debug_breakpoint_at(const struct debug *d, uint64_t va);
bool debug_is_exact(const struct debug *d);
/* Number of instructions of a block at cpu->pc before one with a breakpoint that is not the
 * first. */
unsigned debug_before_breakpoint(const struct debug *d, const struct cpu *cpu, struct block *b);
/* Whether a breakpoint has the page offset of va. Blocks are shared by virtual addresses, so
 * decoding depends on the offset only. */
bool debug_breakpoint_offset(const struct debug *d, uint64_t va);
/* Whether a watchpoint for this kind of access has an address in [va, va + len). */
bool debug_watched(const struct debug *d, uint64_t va, uint64_t len, enum cpu_access access);
/* Leaves the instruction when the access hits a watchpoint. */
void debug_check_watch(struct cpu *cpu, const struct insn *i, uint64_t va, unsigned size,
                       enum cpu_access access);
/* Reports a stop to the debugger and ends the turn. */
void debug_report(struct cpu *cpu, int why, uint64_t address);

#endif
