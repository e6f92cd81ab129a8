/*
 * What the files of the JIT room share with each other.
 *
 * A region is a guest block that runs often, and what follows it along ways that the guest has gone
 * before; it becomes one host function, which stands in place of the block's first handler. The
 * thread that runs the guest makes regions (engine.c) and copies of all that translation needs;
 * compile threads (queue.c) turn them into code (region.c, build*.c, compile.c, object.c).
 */
#ifndef RUNTIME_JIT_INTERNAL_H
#define RUNTIME_JIT_INTERNAL_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>

#include "runtime/base/bits.h"
#include "runtime/base/vec.h"
#include "runtime/cpu/exec.h"
#include "runtime/cpu/tier.h"
#include "runtime/jit/backend.h"
#include "runtime/jit/build.h"
#include "runtime/jit/jit.h"

enum {
    REGION_MAX_BLOCKS = 64,
    REGION_MAX_INSNS = 512,
    REGION_MAX_SLOTS = 256, /* registers one region keeps in variables */
    TRACE_MAX_BLOCKS = 16,
    TRACE_MAX_INSNS = 128,
    UNROLL_MAX_INSNS = 72,
};

/* ---- what is known of an ISA (isa.c) --------------------------------------------------------- */

/* A piece of cpu->state that is one variable in a region: a register with all that overlaps it. */
struct slot {
    uint32_t offset;
    uint16_t size; /* 1, 2, 4, 8 or 16 */
};

struct isa_map {
    const struct cpu_isa *isa;
    VEC(struct slot) slots;
    struct slot zero, sink; /* never anything but 0; never read (size 0: there is none) */
    uint16_t *slot_at;      /* by byte of the state: slot number + 1, or 0 */
    struct isa_map *next;
};

struct isa_map *isa_map_new(const struct cpu_isa *isa);
void isa_map_free(struct isa_map *m);
/* The translator of the instruction's form, or NULL. Handlers of several forms may be one function. */
insn_translate_fn *isa_map_translator(const struct isa_map *m, const struct insn *i);

/* ---- memory for code (arena.c) --------------------------------------------------------------- */

/* All memory of an arena lies in one range of less than 2 GB, so that code in it reaches all other
 * by relative distances. It is mapped twice: addresses are those where code runs; it can be written
 * `write` bytes further on, and only there. */
struct chunk;
struct arena { /* for all threads */
    pthread_mutex_t lock;
    struct chunk *chunks, *current;
    uint8_t *base; /* address space reserved; NULL: none */
    size_t size, mapped;
    ptrdiff_t write; /* from where code runs to where the same bytes are written */
    size_t live;     /* bytes of chunks in use */
};
/* Reserves addresses; returns how many bytes of them there are, at most max; 0: the host refuses. */
size_t arena_init(struct arena *a, size_t max);
void arena_drop(struct arena *a);
/* Memory for code of that size, and the chunk it is from; NULL: there is none. Until the next fork() it
 * may be written to. */
void *arena_take(struct arena *a, size_t size, struct chunk **from);
/* Before code that is there is written to. False: it stays as it is, because the host refuses, or,
 * unless it must be, because a process that has just been forked may end soon. */
bool arena_own(struct arena *a, struct chunk *c, bool must);
/* In both processes, after a fork(). */
void arena_forked(struct arena *a);
/* The piece has another user. */
void arena_share(struct arena *a, struct chunk *from);
/* One use of a piece of the chunk ends. */
void arena_give(struct arena *a, struct chunk *from);
/* Of a piece just taken, only the first bytes are used. */
void arena_trim(struct arena *a, struct chunk *from, void *at, size_t taken, size_t used);
/* Bytes of chunks in use. */
size_t arena_bytes(struct arena *a);

/* ---- regions --------------------------------------------------------------------------------- */

/* A guest block of a region, as translation sees it. */
struct source {
    struct block *block; /* an address: translation does not look into it */
    int64_t delta;       /* virtual address, from the region's first */
    uint64_t pa;
    uint32_t count, ticks, bytes;
    int32_t next[BLOCK_NEXT]; /* as in struct block; 0: none */
    uint8_t *insns;           /* a copy */
};

struct region {
    struct jit *jit;
    const struct isa_map *map;
    struct source *sources; /* [0]: the entry */
    unsigned source_count, insn_count;
    uint32_t features[CPU_MAX_FEATURES];
    uint8_t mode, ring, bank;
    uint16_t stride;     /* bytes from one decoded instruction to the next */
    bool flat;           /* for CPUs with cpu->flat_base: addresses mean the same for ever */
    uintptr_t flat_base; /* cpu->flat_base */
    uint64_t pc;         /* virtual address for which it was asked, for listings */

    atomic_bool killed;   /* a block died: not to be used, or used any more */
    bool done;            /* translation has ended, in whichever way */
    bool live;            /* stands in its entry block */
    struct q_code *quick; /* of a trace, translated by the quick tier; NULL: by LLVM */

    /* What translation leaves behind. */
    void *code;  /* NULL: failed */
    void *entry; /* the function */
    struct chunk *chunk;
    size_t code_size; /* with its constants */
    size_t text_size;
    VEC(void *) copies; /* what the code has the addresses of */
    const void *faults; /* of LLVM's code: where accesses of flat memory are (object.c) */
    size_t fault_bytes;
    char failure[96];
    unsigned built, interpreted; /* blocks in the code; instructions that call their handler */
    uint64_t build_ns, optimise_ns, emit_ns;

    struct region *queue_next;          /* waiting, or translated */
    struct region *all_next, *all_prev; /* every region of the engine */
};

/* A source's copy of its instruction n. */
static inline const struct insn *source_insn(const struct region *r, const struct source *s,
                                             size_t n)
{
    return (const struct insn *)(const void *)(s->insns + n * r->stride);
}

/* A block's membership in a region: block->translations. */
struct member {
    struct region *region;
    struct member *next;
};

/* gather.c: a region for LLVM or, without code yet, a trace (then r->quick is NULL still), that
 * begins with the block, which the CPU reaches at pc. */
struct region *region_gather(struct jit *jit, struct cpu *cpu, struct block *entry, uint64_t pc);
struct region *trace_gather(struct jit *jit, struct cpu *cpu, struct block *entry, uint64_t pc);
/* Remembers where a block went on: the two places that were seen most, more or less. */
void block_note_next(struct block *b, int64_t distance);
enum { BLOCK_ALWAYS = 1024 };
/* In how many of BLOCK_ALWAYS times the guest goes on from the block as it usually does. */
unsigned block_odds(const struct block *b);

/* ---- LLVM (compile.c; without.c in a build without) ------------------------------------------ */

struct compiler;     /* what one thread translates with */
struct llvm_library; /* LLVM itself, for all threads */

struct llvm_library *llvm_library_new(void);
void llvm_library_free(struct llvm_library *library);
/* Loads LLVM if nobody has yet; NULL when it cannot be had. */
struct compiler *compiler_new(struct jit *jit, struct error *err);
void compiler_free(struct compiler *c); /* may be NULL */
/* Translates regions that are linked by queue_next, leaving its code in each. */
void compiler_translate(struct compiler *c, struct region *list);
/* From now on accesses of flat memory in code of LLVM may fault; false: they may not. */
bool llvm_catch_faults(struct jit *jit);
void llvm_release_faults(struct jit *jit);
/* Writes host code to log channel out_asm. */
void llvm_list_code(struct jit *jit, const uint8_t *code, size_t size);

/* ---- the engine ------------------------------------------------------------------------------ */

struct jit {
    struct jit_options options;
    uint32_t warm_from;   /* executions from which on it is noted what follows a block */
    uint32_t worth;       /* executions that make a block worth including in a region */
    bool counts;          /* translations count executions of blocks */
    bool faults;          /* llvm_catch_faults() has been called */
    struct q_tier *quick; /* NULL: off */
    struct code_tier tier;
    struct log *log;
    struct code_cache *cache;
    struct isa_map *maps;
    struct region *newest, *oldest; /* all, linked by all_next from the newest */
    struct arena arena;
    size_t dead_count;
    bool killing;         /* kill_all() is at work */
    insn_fn *count_block; /* first handler of blocks without a translation (engine.c) */
    FILE *perf_map;
    struct jit_counters counters;

    /* The block that was counted last: what is counted next has followed it. */
    struct cpu *last_cpu; /* NULL: none */
    struct block *last;
    uint64_t last_pc, last_ticks;

    struct compiler *own; /* of the thread that runs the guest (sync); NULL: none yet */

    /* Shared with compile threads. */
    pthread_mutex_t lock;
    pthread_cond_t work, idle;
    struct region *queue, **queue_end;
    struct region *finished;
    atomic_bool has_finished;
    unsigned busy, waiting; /* threads at work; regions in the queue */
    bool stop, hold;
    pthread_t *threads;
    unsigned thread_count;
    struct llvm_library *llvm;
};

/* queue.c */
void queue_start(struct jit *jit);
void queue_stop(struct jit *jit);
/* Whether another region may be handed in; a region handed in comes back, whatever happens. */
bool queue_has_room(struct jit *jit);
void queue_add(struct jit *jit, struct region *r);
/* Puts a region that still waits before all others. */
void queue_hurry(struct jit *jit, struct region *r);
/* Takes all that have come back, linked by queue_next. */
struct region *queue_finished(struct jit *jit);

/* leave.c: where host code of a region goes when it leaves, with cpu->pc and ticks set: to the next
 * block's handler, or, with attention pending, back to run_blocks(). */
void jit_leave(struct cpu *cpu, const struct insn *i);

/* ---- translations in place (installed.c) ----------------------------------------------------- */

void region_free(struct region *r);
/* Puts a translation in the place of its entry block; fn becomes the block's first handler. */
void region_install(struct jit *jit, struct region *r, insn_fn *fn);
/* Logs why the region cannot be translated, and kills it. */
void region_fail(struct jit *jit, struct region *r);
/* Removes the region from the lists of its blocks. */
void region_leave_blocks(const struct region *r);
/* Removes the region from the engine's list, before it is freed. */
void region_unlink(struct jit *jit, struct region *r);
/* Takes a region out of use; its code stays until no CPU can be inside of it. */
void kill_region(struct region *r);
/* The same with all of them, when their code cannot be changed any more. */
void kill_all(struct jit *jit);
/* Frees killed regions. No CPU is inside of a translation. */
void jit_free_dead(struct jit *jit);
/* Frees killed regions, and evicts the oldest ones, when they are too many. No CPU is inside of a
 * translation. */
void jit_tidy(struct jit *jit);

/* Has LLVM translate a block, which the CPU reaches at pc. Also from inside of a trace. */
void jit_ask(struct jit *jit, struct cpu *cpu, struct block *b, uint64_t pc);
/* Puts the regions that LLVM has finished in place. No CPU is inside of a translation. */
void jit_install_finished(struct jit *jit);
/* Whether the block's own translation stands in its place. */
bool block_is_translated(const struct block *b);

#endif
