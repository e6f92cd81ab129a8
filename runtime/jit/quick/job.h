/*
 * The translation of a trace as a job. It has all that translation reads of what the guest may
 * change while it runs: decoded instructions, registers, and what is known of the blocks. So a
 * thread of its own can do it (worker.c).
 */
#ifndef RUNTIME_JIT_QUICK_JOB_H
#define RUNTIME_JIT_QUICK_JOB_H

#include "runtime/base/file_cache.h"
#include "runtime/jit/quick/quick.h"

/* What is known of a guest block of the trace. */
struct q_block_facts {
    uint64_t failed_guards, failed_merges, aligned, large, misses; /* as in struct block */
    unsigned odds;                                                 /* block_odds() */
    bool has_usual; /* block_usual_next(), and to where */
    int64_t usual;
};

struct q_job {
    struct region *region;
    const uint8_t *state; /* the guest's registers where the trace begins */
    bool came_back;       /* the CPU comes from a block that is not before the trace's first one */
    bool traps;           /* exceptions of floats may leave the trace */
    bool is_kept;         /* it is to be kept under `key` */
    struct file_key key;
    /* Where the guest's registers are at the exit by which the CPU came: as in struct q_exit.
     * NULL: it came from no trace. */
    const struct q_map_entry *from;
    uint32_t from_dirty, from_clean;
    struct q_code *code; /* the result; NULL: the translation has failed, or has not begun */
    struct q_block_facts blocks[TRACE_MAX_BLOCKS];
    uint8_t copies[]; /* instructions, registers and places */
};

/* Makes the job of a trace that the CPU is about to enter, r->job. With `copies` it stays valid
 * when the guest runs on; otherwise it refers to the guest's own state. */
void quick_make_job(struct jit *jit, struct region *r, const struct cpu *cpu, bool copies);
/* Frees a job without its result; NULL is allowed. */
void quick_free_job(struct q_job *job);

/* Whether an instruction is left to its handler, because it often takes a path that cannot be
 * translated; and whether all translatable paths of it are translated, because it often takes a
 * rare one. */
static inline bool quick_prefers_handler(const struct q_block_facts *b, unsigned index)
{
    return index < CPU_MAX_BLOCK && b->failed_merges >> index & 1;
}
static inline bool quick_wants_all_ways(const struct q_block_facts *b, unsigned index)
{
    return index < CPU_MAX_BLOCK && b->failed_guards >> index & 1;
}

/* Whether an instruction's accesses check their alignment, because it often accesses memory that
 * must be aligned (TLB_ALIGNED). */
static inline bool quick_wants_aligned(const struct q_block_facts *b, unsigned index)
{
    return index < CPU_MAX_BLOCK && b->aligned >> index & 1;
}

/* Whether an instruction's accesses look in large_table first, because they have met many large
 * pages. */
static inline bool quick_wants_large(const struct q_block_facts *b, unsigned index)
{
    return index < CPU_MAX_BLOCK && b->large >> index & 1 && !quick_wants_aligned(b, index);
}

/* Whether accesses that share a look-up with the instruction test its result, because traces that
 * were left on a miss were left often. */
static inline bool quick_wants_tests(const struct q_block_facts *b, unsigned index)
{
    return index < CPU_MAX_BLOCK && b->misses >> index & 1;
}

static inline const struct q_block_facts *q_facts_of(const struct quick *q, unsigned source)
{
    return &q->job->blocks[source];
}

#endif
