/*
 * Decoded blocks, for a tier above the interpreter (runtime/jit): their layout, and callbacks when
 * they come and go. A tier runs a block by replacing the handler of its first instruction.
 */
#ifndef RUNTIME_CPU_TIER_H
#define RUNTIME_CPU_TIER_H

#include "runtime/cpu/exec.h"

struct code_isa;
struct code_tier;

enum {
    CODE_SLOTS = 8, /* execution counters per block: CPU n uses number n % CODE_SLOTS */
    BLOCK_NEXT = 2, /* successors of a block that a tier records */
};

/*
 * Decoded instructions of one page, in execution order, then a sentinel that is reached when the
 * last one does not end the block. An instruction that crosses into the next page is a block of its
 * own. A dropped block stays in memory, and in jump caches, until the cache reclaims it; its first
 * handler then only removes the jump cache entry.
 */
struct block {
    uint64_t tail;      /* physical address of the second page, when it crosses */
    uint32_t allocated; /* bytes of host memory, with the counters */
    uint32_t bytes;     /* length in guest code */
    struct code_isa *isa;
    struct block *page_next; /* also links dead blocks */
    insn_fn *inner; /* the description's first handler, where `first` handles the decode context */
    bool counted;   /* has counters of executions */
    /* tiers do not translate the block: it crosses pages, or begins or ends in a decode context */
    bool interpreted;
    bool failed_traps;  /* of the quick tier: its floats often raise exceptions */
    uint8_t retries;    /* of the quick tier: how often failed_traps was taken back */
    uint8_t inexact;    /* of the quick tier: traces that it killed by an inexact result */
    bool was_turned;    /* of the quick tier: a trace of it was made again, as a loop */
    bool has_no_record; /* of the quick tier: no trace of an earlier run begins with it */

    /* Members of the tier; of the quick tier, one bit per instruction. */
    uint64_t failed_guards; /* set: it often fails a guard that could be a merge */
    uint64_t failed_merges; /* set: it often fails a guard although all possible merges are made */
    uint64_t aligned;       /* set: it accesses memory that must be aligned (TLB_ALIGNED) */
    uint64_t large;         /* set: it accesses many large pages (large.h) */
    uint64_t misses;        /* set: what it shares of the soft TLB is often missing (addend.c) */
    uint64_t trapped_ticks; /* cpu->ticks when failed_traps was set or taken back */
    uint64_t warm_ticks;    /* cpu->ticks when it had half of the executions of a threshold */
    void *translations;
    const void *host; /* host code that runs the block; never NULL with a quick tier. Who changes it
                         calls code_host_changed(). */
    uint32_t next_others; /* successors that were noted while `next` had two others */

    uint32_t jump_at; /* 1 + the index of all jump cache entries that are up to date; 0: none */

    /* The members that interpreting a block reads fill one line of the host's cache: most blocks
     * are cold, and each line costs a miss. */
    _Alignas(64) uint32_t ticks; /* duration of all instructions, at least count */
    uint16_t count;              /* instructions, without the sentinel */
    uint16_t stride;             /* bytes from one to the next */
    uint16_t key;                /* bits 15:0 of cpu->key */
    uint8_t ring, mode, bank;
    bool dead;         /* dropped */
    bool checked;      /* may start at a breakpoint: never enters a jump cache */
    bool crosses_page; /* ends in the next virtual page */
    uint64_t pa;       /* physical address of the first instruction */
    insn_fn *first;    /* handler of the first instruction; insns may have a tier's in its place */

    /* Members of the tier, too. */
    const struct code_tier *tier; /* NULL: none */
    uint32_t heat;                /* executions that it counted */
    int32_t next[BLOCK_NEXT];     /* successors: distance in bytes from the start of this block */
    uint32_t next_seen[BLOCK_NEXT];
    int32_t after; /* lines of the host's cache from here to the last successor; 0: none */

    _Alignas(64) uint8_t insns[];
};
_Static_assert(offsetof(struct block, insns) - offsetof(struct block, ticks) == 64,
               "one line of the host's cache, then the instructions");

/* Counts the block's instructions and ticks as executed, before it runs. */
static inline void block_account(struct cpu *cpu, const struct block *b)
{
    cpu->ticks += b->ticks;
    if (CPU_UNLIKELY(b->ticks != b->count))
        cpu->over += b->ticks - b->count;
}

/* Takes block_account() back. */
static inline void block_take_back(struct cpu *cpu, const struct block *b)
{
    cpu->ticks -= b->ticks;
    cpu->over -= b->ticks - b->count;
}

/* Whether all of the block is within the budget. */
static inline bool block_fits(const struct cpu *cpu, const struct block *b)
{
    return (int64_t)(cpu->stop_at - cpu->ticks) >= (int64_t)b->ticks;
}

/* A counter of the block's executions, if these are counted. Counters lie in front of the block, so
 * that instructions are at a fixed offset. */
static inline uint64_t *block_runs(struct block *b, unsigned slot)
{
    return (uint64_t *)(void *)b - 1 - slot;
}

static inline struct insn *block_insn(struct block *b, size_t n)
{
    return (struct insn *)(void *)(b->insns + b->stride * n);
}

/*
 * Index of the jump cache entry for an address. The entries of a page's words of 4 bytes lie close
 * to each other; those of addresses between words are half the table away. The page number is mixed
 * into the upper bits, so that functions at equal offsets of several pages have different entries.
 * Translated code computes the same; for multiples of 4 the first two shifts suffice (JUMP_FLIP).
 */
enum { JUMP_SHIFT = 2, JUMP_PAGE = 7, JUMP_FLIP = JUMP_CACHE_BITS - 2 };
static inline unsigned jump_index(uint64_t pc)
{
    return (unsigned)(pc >> JUMP_SHIFT ^ pc >> JUMP_PAGE ^ pc << JUMP_FLIP) &
           ((1 << JUMP_CACHE_BITS) - 1);
}

struct code_tier {
    void *opaque;
    /* A block has entered the cache. */
    void (*added)(void *opaque, struct block *b);
    /* A block leaves the cache and must not be run any more; may be called from inside of a block.
     * The handler of its first instruction is replaced afterwards. */
    void (*dropped)(void *opaque, struct block *b);
    /* All dropped blocks are about to be freed; no CPU is inside of one. */
    void (*reclaim)(void *opaque);
    /* The cache ends, and no CPU runs any more. Blocks are freed afterwards, without further
     * calls. */
    void (*close)(void *opaque);
};

/* The code cache of a CPU's bus, for CPUs in no group; NULL: the bus cannot have one. */
struct code_cache *code_of(struct cpu *cpu);

/* Updates cpu->key if it is out of date (CPU_ATT_KEY). */
void cpu_find_key(struct cpu *cpu);

/* cpu_set_mode() and cpu_find_key(); fast when the CPU has made the same change before. */
void cpu_change_mode(struct cpu *cpu, uint32_t mode);

/* Connects a tier with a code cache (cpu_group.code); `tier` is borrowed until close(). Drops
 * existing blocks. Not from inside of a block; false when the cache already has a tier. */
bool code_set_tier(struct code_cache *code, const struct code_tier *tier);

/* The block that starts at a physical address, by its key; NULL: there is none. */
struct block *code_block_at(struct cpu *cpu, uint64_t pa, uint16_t key);

/* The block of an address's out-of-date jump cache entry, if it is still right for the CPU's
 * present state; the entry is then renewed. NULL: only code_find() can tell. */
struct block *code_again(struct cpu *cpu, uint64_t pc);

/* Tells the jump caches that b->host has changed, before the code that it was is freed. */
void code_host_changed(struct code_cache *code, const struct block *b);

/* The ISA of a block. */
const struct cpu_isa *code_isa_of(const struct block *b);

/* Whether the executions of blocks are counted (cpu_group_count). */
bool code_counts(const struct code_cache *code);

/* Calls fn(opaque, block) for all blocks of a cache. */
void code_for_each(struct code_cache *code, void (*fn)(void *opaque, struct block *b),
                   void *opaque);

#endif
