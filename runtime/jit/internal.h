/*
 * Declarations for the files of this room: regions, memory for code, the engine.
 *
 * A region is a hot guest block with the blocks that were seen to follow it. It becomes one host
 * function, which replaces the block's first handler. The thread that runs the guest makes regions
 * (engine.c, gather.c) with copies of everything that translation needs; compile threads (queue.c)
 * make host code of them (region.c, build*.c, compile.c, object.c). A trace of the quick tier is
 * also a struct region; a thread of its own translates it, or the guest's (quick/worker.c).
 */
#ifndef RUNTIME_JIT_INTERNAL_H
#define RUNTIME_JIT_INTERNAL_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>

#include "runtime/base/bits.h"
#include "common/vec.h"
#include "runtime/cpu/exec.h"
#include "runtime/cpu/tier.h"
#include "runtime/jit/backend.h"
#include "runtime/jit/build.h"
#include "runtime/jit/jit.h"

enum {
    REGION_MAX_BLOCKS = 64,
    REGION_MAX_INSNS = 512,
    REGION_MAX_SLOTS = 256, /* guest registers that one region holds in variables */
    TRACE_MAX_BLOCKS = 16,
    TRACE_MAX_INSNS = 128,
    UNROLL_MAX_INSNS = 72,
};

/* ---- slots of an ISA (isa.c) ----------------------------------------------------------------- */

/* A run of bytes of cpu->state that is one variable in a region: a register and all that overlap
 * it. */
struct slot {
    uint32_t offset;
    uint16_t size; /* 1, 2, 4, 8 or 16 */
};

struct isa_map {
    const struct cpu_isa *isa;
    VEC(struct slot) slots;
    struct slot zero, sink; /* always 0; never read. Size 0: the ISA has none */
    uint16_t *slot_at;      /* by byte of the state: slot number + 1, or 0 */
    /* Slots from this number on are halves (tag PARTS) of others, for translations that have them
     * apart, which have no slot that lies over them. part_at: as slot_at. */
    size_t first_part;
    uint16_t *part_at;
    struct isa_map *next;
};

/* The slots of an ISA; free them with isa_map_free(). */
struct isa_map *isa_map_new(const struct cpu_isa *isa);
void isa_map_free(struct isa_map *m);
/* The translator of the instruction's form; NULL: it has none. */
insn_translate_fn *isa_map_translator(const struct isa_map *m, const struct insn *i);

/* ---- memory for code (arena.c) --------------------------------------------------------------- */

/* All memory of an arena lies in one range of less than 2 GB, so that relative branches reach all
 * of it. It is mapped twice: addresses here are those where code runs; it is writable `write` bytes
 * further on, and only there. */
struct chunk;
/* Who takes pieces of the same chunks one after the other. A piece is taken larger than it needs to
 * be, and trimmed, which has no effect when another one has been taken behind it meanwhile. */
enum arena_user {
    ARENA_GUEST,  /* the guest's thread, and those of LLVM */
    ARENA_TRACES, /* the thread that translates traces */
    ARENA_USERS,
};
struct arena { /* for all threads */
    pthread_mutex_t lock;
    struct chunk *chunks, *current[ARENA_USERS];
    uint8_t *base;   /* start of the reserved range; NULL: none */
    size_t size;     /* of the range, of which these come first: */
    size_t mapped;   /* memory is mapped */
    size_t used;     /* is given to chunks */
    size_t shared;   /* may be shared with another process, since a fork */
    size_t enlarged; /* has large pages, unless the host refused */
    ptrdiff_t write; /* distance from where code runs to where the same bytes are written */
    size_t live;     /* bytes of chunks in use */
};
/* Reserves addresses and returns the number of bytes, at most max; 0: the host refuses. */
size_t arena_init(struct arena *a, size_t max);
void arena_drop(struct arena *a);
/* What pieces are multiples of: enough for the quick tier's vectors behind its code, and little,
 * since most pieces are bridges of some 100 bytes. */
enum { ARENA_ALIGN = 16 };

/* Memory for `size` bytes of code, from a multiple of `align` on (a power of two, at least
 * ARENA_ALIGN and at most a page), and its chunk; NULL: there is none. It may be written to until
 * the next fork(). */
void *arena_take(struct arena *a, enum arena_user user, size_t size, size_t align,
                 struct chunk **from);
/* Must be called before existing code of a chunk is changed. False: it may not be changed, since
 * the host refuses or, without `must`, since the chunk is shared after a fork and a copy does not
 * pay yet. */
bool arena_own(struct arena *a, struct chunk *c, bool must);
/* To be called in both processes after fork(). */
void arena_forked(struct arena *a);
/* Asks the host for large pages where code has been put since the last call. May wait for
 * milliseconds; for one thread, which fork() must not find in here. */
void arena_enlarge(struct arena *a);
/* Adds a use of a piece of the chunk. */
void arena_share(struct arena *a, struct chunk *from);
/* Ends one use of a piece of the chunk. */
void arena_give(struct arena *a, struct chunk *from);
/* Gives back the end of a piece that was just taken: only `used` of its `taken` bytes are
 * needed. */
void arena_trim(struct arena *a, struct chunk *from, void *at, size_t taken, size_t used);
/* Bytes of chunks in use. */
size_t arena_bytes(struct arena *a);

/* ---- regions --------------------------------------------------------------------------------- */

/* An entry of the list block->translations: a region that has the block. */
struct member {
    struct region *region;
    struct member *next;
};

/* A guest block of a region, with the copies that translation reads. */
struct source {
    struct member member;
    struct block *block; /* not read by compile threads */
    int64_t delta;       /* virtual address minus that of the region's entry */
    uint64_t pa;
    uint32_t count, ticks, bytes;
    int32_t next[BLOCK_NEXT]; /* as in struct block; 0: none */
    uint32_t skips;           /* traces: the block before skips that many of its first instructions
                                 about as often as not; 0: it does not */
    uint8_t *insns;           /* a copy of the decoded instructions; NULL: those of the block */
};

struct region {
    struct jit *jit;
    const struct isa_map *map;
    struct source *sources; /* [0]: the entry */
    uint64_t pc;            /* virtual address of the entry when it was made, for listings */
    bool flat;              /* for CPUs with flat memory, whose translations never change */
    uint8_t mode, ring, bank;
    uint16_t stride; /* bytes from one decoded instruction to the next */
    unsigned source_count, insn_count;
    uintptr_t flat_base; /* cpu->flat_base */
    uint32_t features[CPU_MAX_FEATURES];
    uint32_t least_heat; /* executions of each block that is included */

    atomic_bool killed;   /* not to be entered any more: a block was dropped, or it was evicted */
    bool done;            /* translation has ended, with or without success */
    bool live;            /* installed in its entry block */
    bool is_trace;        /* of the quick tier; otherwise of LLVM */
    bool is_rare;         /* of the quick tier: what its accesses share is tested (addend.c) */
    struct q_job *job;    /* of a trace, until its translation has ended (quick/job.h) */
    struct q_code *quick; /* tables of a translated trace */

    /* Results of translation. */
    void *code;  /* NULL: failed */
    void *entry; /* the function */
    struct chunk *chunk;
    size_t code_size; /* with its constants */
    size_t text_size;
    VEC(void *) copies; /* data that the code has the addresses of, freed with it */
    const void *faults; /* table of flat accesses in LLVM's code (object.c) */
    size_t fault_bytes;
    char failure[96];
    unsigned built, interpreted; /* blocks in the code; instructions left to their handlers */
    uint64_t build_ns, optimise_ns, emit_ns;

    struct region *queue_next;          /* in the queue, or among finished ones */
    struct region *all_next, *all_prev; /* in the list of all regions of the engine */
    struct region *dead_next;           /* in the list of killed ones */
};

/* A source's instruction n. In a trace, the first one's handler may be one of the engine. */
static inline const struct insn *source_insn(const struct region *r, const struct source *s,
                                             size_t n)
{
    const uint8_t *insns = s->insns ? s->insns : s->block->insns;

    return (const struct insn *)(const void *)(insns + n * r->stride);
}

/* gather.c: a new region for LLVM, or a new trace (with r->quick NULL until it is translated), that
 * begins with the block, which the CPU reaches at pc. */
struct region *region_gather(struct jit *jit, struct cpu *cpu, struct block *entry, uint64_t pc);
struct region *trace_gather(struct jit *jit, struct cpu *cpu, struct block *entry, uint64_t pc);
/* A trace of blocks that were chosen before: in an earlier run, say. */
struct trace_part {
    struct block *block;
    int64_t delta; /* as in struct source */
    uint32_t skips;
};
struct region *trace_of(struct jit *jit, struct cpu *cpu, uint64_t pc, unsigned count,
                        const struct trace_part *parts);
/* The block that the guest reaches at `pc`, at a distance from the start of a block that it runs
 * before; NULL: none is known. */
struct block *block_near(struct cpu *cpu, uint64_t pc, const struct block *from, int64_t distance);
/* Whether the block has run every `ticks` ticks at most, in the mean of the second half of its
 * executions. Valid at a threshold, since block.warm_ticks is of half of it. */
bool block_is_rare(const struct cpu *cpu, const struct block *b, uint64_t ticks);
/* Records a successor of a block, at a distance from its start. About the two most frequent are
 * kept. */
void block_note_next(struct block *b, int64_t distance);
enum { BLOCK_ALWAYS = 1024 };
/* The share, in units of 1 / BLOCK_ALWAYS, of the block's most frequent successor. */
unsigned block_odds(const struct block *b);
/* Makes a noted successor of the block its usual one. */
void block_expect_next(struct block *b, int64_t distance);
/* Whether the block's successors have been noted: *distance to the usual one. */
bool block_usual_next(const struct block *b, int64_t *distance);

/* ---- LLVM (compile.c; without.c in a build without) ------------------------------------------ */

struct compiler;     /* LLVM's objects of one compile thread */
struct llvm_library; /* LLVM itself, for all threads */

/* Makes the library's handle, without loading it. */
struct llvm_library *llvm_library_new(void);
void llvm_library_free(struct llvm_library *library);
/* A thread's compiler. Loads LLVM if it is not loaded; NULL with *err when it cannot be. */
struct compiler *compiler_new(struct jit *jit, struct error *err);
void compiler_free(struct compiler *c); /* may be NULL */
/* Translates the regions that are linked by queue_next; each gets its code, or r->failure. */
void compiler_translate(struct compiler *c, struct region *list);
/* Installs the handler of faults of flat accesses in code of LLVM; false: they must not fault. */
bool llvm_catch_faults(struct jit *jit);
void llvm_release_faults(struct jit *jit);
/* Writes host code, disassembled, to log channel out_asm. */
void llvm_list_code(struct jit *jit, const uint8_t *code, size_t size);

/* ---- the engine ------------------------------------------------------------------------------ */

struct jit {
    struct jit_options options;
    uint32_t warm_from;        /* executions after which a block's successors are recorded */
    uint32_t least_executions; /* least executions of a block that regions include */
    uint32_t early_threshold;  /* executions of a rare block before its trace; 0: as others */
    bool counts;               /* translations count executions of blocks */
    bool faults;               /* llvm_catch_faults() has been called */
    struct q_tier *quick;      /* NULL: off */
    struct code_tier tier;
    struct log *log;
    struct code_cache *cache;
    struct isa_map *maps;
    struct region *newest, *oldest; /* all regions, linked by all_next from the newest */
    struct arena arena;
    struct region *dead; /* killed ones, linked by dead_next */
    size_t dead_count;
    bool killing;         /* kill_all() is at work */
    insn_fn *count_block; /* first handler of blocks without a translation (engine.c) */
    FILE *perf_map;
    struct jit_counters counters;

    /* The block that was counted last, of which the next one may be the successor. */
    struct cpu *last_cpu; /* NULL: none */
    struct block *last;
    uint64_t last_pc, last_ticks;

    struct kept *kept; /* traces of earlier runs (quick/kept.h); NULL: none are kept */

    struct compiler *own; /* compiler of the guest's thread (options.sync); NULL: none yet */

    /* Shared with compile threads. */
    pthread_mutex_t lock;
    pthread_cond_t work, idle;
    struct region *queue, **queue_end;
    struct region *finished;
    atomic_bool has_finished;
    unsigned busy, waiting; /* number of busy threads, and of regions in the queue */
    bool stop, is_paused;
    pthread_t *threads;
    unsigned thread_count;
    struct llvm_library *llvm;
};

/* queue.c */
/* Initialises the queue; ends the threads and frees it. */
void queue_start(struct jit *jit);
void queue_stop(struct jit *jit);
/* The queue's part of jit_before_fork() and jit_after_fork(). */
void queue_before_fork(struct jit *jit);
void queue_after_fork(struct jit *jit, bool child);
/* Whether another region may be added. */
bool queue_has_room(struct jit *jit);
/* Adds a region. queue_finished() returns it later in any case, translated or not. */
void queue_add(struct jit *jit, struct region *r);
/* Lets queue_finished() return regions, linked by queue_next, that others than LLVM have
 * translated. */
void queue_return(struct jit *jit, struct region *list);
/* Moves a region that is still waiting to the front. */
void queue_hurry(struct jit *jit, struct region *r);
/* Takes all finished regions, linked by queue_next. */
struct region *queue_finished(struct jit *jit);

/* leave.c: where host code of a region goes when it leaves, with cpu->pc and ticks set: to the next
 * block's handler, or, with attention pending, back to run_blocks(). */
void jit_leave(struct cpu *cpu, const struct insn *i);

/* ---- translations in place (installed.c) ----------------------------------------------------- */

/* Frees a region that no CPU is inside of, with its code. */
void region_free(struct region *r);
/* Installs a translation: fn becomes the first handler of its entry block. */
void region_install(struct jit *jit, struct region *r, insn_fn *fn);
/* Installs a trace that has code. */
void trace_put(struct jit *jit, struct region *r);
/* Logs why the region cannot be translated, and kills it. */
void region_fail(struct jit *jit, struct region *r);
/* Removes the region from the engine's list, before it is freed. */
void region_unlink(struct jit *jit, struct region *r);
/* Takes a region out of use; its code stays until no CPU can be inside of it. */
void kill_region(struct region *r);
/* Kills all regions, when code that leads to a killed one cannot be changed. */
void kill_all(struct jit *jit);
/* Frees killed regions. No CPU is inside of a translation. */
void jit_free_dead(struct jit *jit);
/* Frees killed regions, and evicts the oldest ones, when they are too many. No CPU is inside of a
 * translation. */
void jit_tidy(struct jit *jit);

/* Requests LLVM's translation of a block, which the CPU reaches at pc. Also from inside of a
 * trace. */
void jit_ask(struct jit *jit, struct cpu *cpu, struct block *b, uint64_t pc);
/* Counts a trace whose translation has ended, and installs it if it has code and none of its blocks
 * has been dropped meanwhile. No CPU is inside of a translation. */
void jit_install_trace(struct jit *jit, struct region *r);
/* Installs the regions and traces that other threads have finished. No CPU is inside of a
 * translation. */
void jit_install_finished(struct jit *jit);
/* Whether a translation that begins with the block is installed. */
bool block_is_translated(const struct block *b);

#endif
