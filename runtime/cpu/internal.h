/* What the files of the CPU room share with each other and with nobody else. */
#ifndef RUNTIME_CPU_INTERNAL_H
#define RUNTIME_CPU_INTERNAL_H

#include "runtime/base/bits.h"
#include "runtime/base/vec.h"
#include "runtime/cpu/group.h"
#include "runtime/cpu/exec.h"
#include "runtime/cpu/tier.h"

/* ---- decoded code (code.c, decode.c) --------------------------------------------------------- */

enum {
    CODE_MAX_KEYS = 4096,  /* more identities of code than this: forget them all */
    CODE_GRANULE_BITS = 6, /* a page's bytes that hold code are known in units of 64 */
};

struct code_isa;

/* A 4 KB page of guest memory that has blocks. */
struct code_page {
    uint64_t pfn;
    uint64_t mask; /* bit a granule: covered by a block */
    struct block *blocks;
    VEC(struct block *) tails; /* of other pages, which end in this one */
    struct code_page *next;
};

/* What the cache knows of one ISA: its classes of instructions and how often each ran. */
struct code_isa {
    const struct cpu_isa *isa;
    unsigned class_count;
    const char **class_name; /* borrowed from the forms */
    uint16_t *form_class;    /* by form; class_count when out of range is never stored */
    uint64_t *counts;        /* [slot][ring][class] */
    struct code_isa *next;
};

/* An identity of code: what decoding depends on besides the word. */
struct code_key {
    struct code_isa *isa;
    uint32_t mode, ring, bank, context;
    uint32_t features[CPU_MAX_FEATURES];
    struct cpu_stops stops;
};

/* A place in the table of blocks, which are found by linear search from the first place that a hash of
 * their name says. */
struct code_place {
    uint64_t name; /* of the physical address and the key */
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
    struct block *dead;
    size_t bytes, dead_bytes, budget;
    struct code_isa *isas;
    uint64_t flushes;
    const struct code_tier *tier; /* NULL: interpreted only */
    bool uncounted;               /* no statistics of executions */
    uint64_t folded; /* ticks of all CPUs when the blocks' counters were last added up */
};

/* The code cache of a bus, made by the first who asks; NULL when somebody else listens for code
 * writes there. Each call is one use; code_release() ends it. */
struct code_cache *code_acquire(struct bus *bus);
void code_release(struct code_cache *code);

/* Connects a CPU with its bus's cache, if it is not yet; false as code_acquire(). */
bool code_attach(struct cpu *cpu);
void code_detach(struct cpu *cpu);

/* Bits 15:0 of cpu->key for the CPU's ring, mode and features now. */
uint16_t code_key(struct cpu *cpu);
/* Number of the soft TLB that code with such a key, never 0, is fetched by. */
static inline unsigned code_key_table(const struct code_cache *code, uint16_t key)
{
    const struct code_key *k = &code->keys.data[key - 1];

    return cpu_table(k->bank, k->ring);
}

/* An instruction that cannot be fetched: the address, and the fault's code. */
struct fetch_fault {
    uint64_t va;
    uint32_t code;
};

/* Always false. */
static inline bool fetch_failed(struct fetch_fault *fault, uint64_t va, uint32_t code)
{
    *fault = (struct fetch_fault){va, code};
    return false;
}

/* Translates an address that is fetched from; false with *fault. */
static inline bool code_fetch(struct cpu *cpu, uint64_t va, uint64_t *info,
                              struct fetch_fault *fault);

/*
 * The block at cpu->pc, decoded if need be and entered into the jump cache; NULL when the fetch
 * fails, with *fault. Not from inside of a block.
 */
struct block *code_find(struct cpu *cpu, struct fetch_fault *fault);

/* The block if all but its last instruction take less than `left` ticks, more than 0. Else a copy of
 * as many instructions as begin within them, valid until the next call or decode; one execution of it
 * is already counted. */
struct block *code_prefix(struct cpu *cpu, struct block *b, int64_t left);

/* Guest memory [pa, pa + len), inside one page, is about to change; true when code was dropped:
 * what it held, or all of the page (see bus.protect). */
bool code_written(struct code_cache *code, uint64_t pa, uint64_t len);

/* Drops everything; may be called from inside of a block. */
void code_flush(struct code_cache *code);

/* Adds `times` executions of instructions from..to-1 of a block to the statistics. */
void code_count(struct block *b, unsigned slot, unsigned from, unsigned to, uint64_t times);

/* Instructions of class and ring that the CPUs of a slot executed. */
uint64_t code_class_total(struct code_cache *code, struct code_isa *isa, unsigned slot,
                          unsigned ring, unsigned klass);
struct code_isa *code_isa_find(struct code_cache *code, const struct cpu_isa *isa);

/* decode.c: a new block, which no table holds, of the code at a physical address that is mapped at
 * cpu->pc; NULL with *fault when there is no memory, or an instruction goes on in a page that cannot
 * be fetched from. */
struct block *block_decode(struct cpu *cpu, struct code_isa *isa, uint64_t pa,
                           struct fetch_fault *fault);
/* Zeroed room for a block of n instructions of so many bytes, its end and its counters. */
struct block *block_new(unsigned insn_bytes, unsigned n);
void block_free(struct block *b);
/* The CPU's scratch block of CPU_MAX_BLOCK instructions. */
struct block *block_scratch(struct cpu *cpu);
/* Ticks that the block's first n instructions take. */
unsigned block_ticks(const struct block *b, unsigned n);
/* Ticks that the first n instructions take, before b->ticks is known. */
unsigned block_sum_ticks(const struct cpu_isa *isa, const struct block *b, unsigned n);
/* Stands in front of the only instruction of a block, which ends it, in a decode context. What the
 * instruction itself makes of the context counts. */
void block_end_in_context(struct cpu *cpu, const struct insn *i);
/* Makes number b->count the handler that goes on at the next address, in a decode context. */
void block_end(const struct cpu_decoder *d, struct block *b, uint8_t context);
/* The decode context that an instruction was decoded in. */
static inline uint8_t insn_context(const struct cpu_decoder *d, const struct insn *i)
{
    return d->has_context ? ((const uint8_t *)i)[d->context_at] : 0;
}
/* Makes a dropped block's entry remove itself from the jump cache that led to it. */
void block_kill(struct block *b);

/* ---- jump cache ------------------------------------------------------------------------------ */

/* Enters a block at its address; the translation flags of its pages, one or two, say what flushes it. */
void jump_enter(struct cpu *cpu, uint64_t pc, struct block *b, const uint64_t info[2]);
/* No entry, none of pages that are not global (of code in all soft TLBs, or in one), or none of one address's
 * page is right any more. Their blocks stay there, for code_find() to look at. */
void jump_flush(struct cpu *cpu);
void jump_flush_not_global(struct cpu *cpu);
void jump_flush_table(struct cpu *cpu, unsigned table);
void jump_flush_va(struct cpu *cpu, uint64_t va);
/* Blocks, or keys, are about to go: no entry has any. */
void jump_forget(struct cpu *cpu);

/* ---- soft TLB (tlb.c) ------------------------------------------------------------------------ */

/*
 * The entry for an access, filled if need be; false: the translation faults with *fault. May leave
 * the instruction when the description's translate() does.
 */
bool tlb_find(struct cpu *cpu, unsigned ring, uint64_t va, enum cpu_access access, uint64_t *info,
              uint32_t *fault);

/* The same without asking anybody; false: it is not known. */
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

/* Finds the tags of a valid entry anew: what the page holds or who watches it has changed. */
void tlb_retag(struct cpu *cpu, unsigned ring, uint64_t va);
/* The same in all tables: of entries for the page of an address, or of all. */
void tlb_retag_page(struct cpu *cpu, uint64_t va);
void tlb_retag_all(struct cpu *cpu);
/* The physical page holds code from now on: takes it from the inline path for writes. */
void tlb_protect(struct cpu *cpu, uint64_t pa);
void tlb_flush_all(struct cpu *cpu);
/* All entries of a table, or those that are not global. */
void tlb_flush_table(struct tlb *t, bool global);
/* To be called before anything looks at a table. */
void tlb_use(struct tlb *t);

/* ---- address spaces (space.c) ---------------------------------------------------------------- */

/* Points the memory interfaces at the tables of the current ring, and drops from these what belongs to another
 * address space. */
void cpu_select_tables(struct cpu *cpu);
/* Nothing that any table holds can be known again by the tables and spaces that were current. */
void cpu_forget_spaces(struct cpu *cpu);

/* ---- leaving (leave.c) ------------------------------------------------------------------------- */

/* Leaves the instruction for cpu_run(), which reads cpu->left. `i` may be NULL. */
_Noreturn void cpu_leave(struct cpu *cpu, const struct insn *i);

/* Number of the instruction that called the runtime in the running block; the last one when it is
 * not known, which is right for instructions that end their block. */
unsigned cpu_index_now(const struct cpu *cpu);

/* Calls fn(cpu, arg) where nobody may leave; false when it tried to. */
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

/* The CPU starts to run again: not before the time at which that was decided. */
void group_woken(struct cpu *cpu);
/* Whether others could run while this CPU waits. */
bool group_is_shared(const struct cpu_group *g);

/* ---- debugger (debug.c); all but the first only when cpu->debug is not NULL ------------------ */

bool debug_breakpoint_at(const struct debug *d, uint64_t va);
/* Whether any breakpoint has this offset in its page: decoding does not know the virtual address.
 */
bool debug_breakpoint_offset(const struct debug *d, uint64_t va);
/* Whether a watchpoint for the kind of access touches [va, va + len). */
bool debug_watched(const struct debug *d, uint64_t va, uint64_t len, enum cpu_access access);
/* Leaves the instruction when a watchpoint is hit. */
void debug_check_watch(struct cpu *cpu, const struct insn *i, uint64_t va, unsigned size,
                       enum cpu_access access);
/* Reports a stop to the debugger and ends the turn. */
void debug_report(struct cpu *cpu, int why, uint64_t address);

#endif
