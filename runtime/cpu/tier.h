/*
 * What a second way of executing decoded blocks (runtime/jit) shares with the CPU room: the blocks,
 * and being told when they come and go. A tier runs a block by replacing the handler of its first
 * instruction.
 */
#ifndef RUNTIME_CPU_TIER_H
#define RUNTIME_CPU_TIER_H

#include "runtime/cpu/exec.h"

struct code_isa;
struct code_tier;

enum {
    CODE_SLOTS = 8, /* execution counters a block has: CPU n uses number n % CODE_SLOTS */
    BLOCK_NEXT = 2, /* blocks that a tier remembers to have followed */
};

/*
 * Decoded instructions of one page, in execution order, then a sentinel when the last one does not
 * end the block. An instruction that goes on in the next page is a block by itself. A dropped block
 * stays in memory, and in jump caches, until the cache reclaims it; its first handler then only
 * removes the jump cache entry.
 */
struct block {
    uint64_t tail;    /* of the physical page it goes on in, when it crosses */
    size_t allocated; /* bytes of host memory */
    void *memory;     /* where they begin */
    struct code_isa *isa;
    struct block *page_next; /* also links dead blocks */
    insn_fn *inner;   /* the description's, where `first` is one that looks after the context */
    uint32_t bytes;   /* of guest code */
    bool interpreted; /* no tier may have it: it crosses, or begins or ends in a decode context */

    /* The tier's own. */
    /* Bit an instruction: it often takes a way that the quick tier has left out; it does so although
     * no more was left out than had to be. */
    uint64_t rare, rarest;
    uint64_t aligned; /* bit an instruction: accesses memory that wants alignment (TLB_ALIGNED) */
    void *translations;
    const void *host; /* where host code goes to run the block; never NULL with a quick tier */

    /* From here on, what is looked at when a block is interpreted: most are cold, and each line of the host's
     * cache that they take is a miss. So these members take one line. */
    _Alignas(64) uint32_t ticks; /* of time that the instructions take together, at least count */
    uint16_t count;              /* instructions, without the sentinel */
    uint16_t stride;             /* bytes from one to the next */
    uint16_t key;                /* bits 15:0 of cpu->key */
    uint8_t ring, mode, bank;
    bool dead;      /* dropped */
    bool checked;   /* starts at a breakpoint, maybe: never enters a jump cache */
    bool crosses;   /* goes on in the next virtual page */
    uint64_t pa;    /* of the first instruction */
    insn_fn *first; /* handler of the first instruction, whatever stands there now */

    /* The tier's own, too. */
    const struct code_tier *tier; /* NULL: none */
    uint32_t heat;                /* executions that it counted */
    int32_t next[BLOCK_NEXT];     /* where the guest went on: distance in bytes from the start */
    uint32_t next_seen[BLOCK_NEXT];
    int32_t
        after; /* where the block lies that ran after it, in lines of the host's cache: a guess */

    _Alignas(64) uint8_t insns[];
};
_Static_assert(offsetof(struct block, insns) - offsetof(struct block, ticks) == 64,
               "one line of the host's cache, then the instructions");

/* The block is about to run: its instructions and their ticks count as executed. */
static inline void block_account(struct cpu *cpu, const struct block *b)
{
    cpu->ticks += b->ticks;
    if (CPU_UNLIKELY(b->ticks != b->count))
        cpu->over += b->ticks - b->count;
}

/* It did not. */
static inline void block_take_back(struct cpu *cpu, const struct block *b)
{
    cpu->ticks -= b->ticks;
    cpu->over -= b->ticks - b->count;
}

/* Whether the block ends within the budget. */
static inline bool block_fits(const struct cpu *cpu, const struct block *b)
{
    return (int64_t)(cpu->stop_at - cpu->ticks) >= (int64_t)b->ticks;
}

/* How often each CPU ran the block lies in front of it, so that the instructions are at a fixed
 * place. */
static inline uint64_t *block_runs(struct block *b, unsigned slot)
{
    return (uint64_t *)(void *)b - 1 - slot;
}

static inline struct insn *block_insn(struct block *b, size_t n)
{
    return (struct insn *)(void *)(b->insns + b->stride * n);
}

/*
 * The jump cache entry for an address. Those of a page's words of 4 bytes stand close to each other; what
 * begins between them is half the table away. The page's number is mixed in, or functions at the same
 * offset in several pages would all want one entry; not at the bits in which small offsets differ.
 * Translated code computes the same (JUMP_FLIP): for addresses that are multiples of 4 it needs the first
 * two shifts only.
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
    /* A block leaves it and must not be run any more; maybe from inside of a block. The handler of
     * its first instruction is replaced afterwards. */
    void (*dropped)(void *opaque, struct block *b);
    /* All blocks that were dropped are about to be freed; no CPU is inside of one. */
    void (*reclaim)(void *opaque);
    /* The cache ends, and no CPU runs any more: blocks go afterwards, and nobody is told. */
    void (*close)(void *opaque);
};

/* The code cache of a CPU's bus, for CPUs that are in no group; NULL: the bus cannot have one. */
struct code_cache *code_of(struct cpu *cpu);

/* Brings cpu->key up to date when something has changed that it depends on (CPU_ATT_KEY). */
void cpu_find_key(struct cpu *cpu);

/* cpu_set_mode() and then cpu_find_key(); quick where the CPU has gone that way before. */
void cpu_change_mode(struct cpu *cpu, uint32_t mode);

/* Connects a tier with a code cache (cpu_group.code); `tier` is borrowed until close(). Blocks that
 * exist are dropped. Not from inside of a block; false when the cache has a tier already. */
bool code_set_tier(struct code_cache *code, const struct code_tier *tier);

/* The block that starts at a physical address, with a key as in struct block; NULL: none yet. */
struct block *code_block_at(struct cpu *cpu, uint64_t pa, uint16_t key);

/* The block at an address that the jump cache had before translations were forgotten, if it is still the right
 * one, for the CPU in its present state; then the cache has it again. NULL: that takes more to find out. */
struct block *code_again(struct cpu *cpu, uint64_t pc);

/* ISA that a block belongs to. */
const struct cpu_isa *code_isa_of(const struct block *b);

/* Whether the executions of blocks are counted (cpu_group_count). */
bool code_counts(const struct code_cache *code);

/* All blocks of a cache, one call each. */
void code_for_each(struct code_cache *code, void (*fn)(void *opaque, struct block *b),
                   void *opaque);

#endif
