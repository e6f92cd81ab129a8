/*
 * Takes back that a block's floats are tested or left to handlers because they often raised
 * exceptions: a program may compute with denormal numbers or NaNs for a short time only. After some
 * time the block's traces are made again, with traps. Where exceptions are still frequent, that
 * costs about as much as 500,000 ticks, so the next attempt is after four times as long.
 */
#include "runtime/jit/quick/tier.h"

enum {
    FIRST_RETRY = 16 * 1000 * 1000, /* ticks until the first attempt: about 10 ms */
    MAX_RETRIES = 6,                /* attempts, after each of which the time is longer */
    RETRY_SHIFT = 2,                /* log2 of how many times */
};

static uint64_t patience_of(const struct block *b)
{
    return (uint64_t)FIRST_RETRY << RETRY_SHIFT * b->retries;
}

/* Lets quick_retry() be called then, or earlier if another block asked for that. */
static void retry_at(struct q_tier *q, uint64_t ticks)
{
    if (!q->may_retry || (int64_t)(ticks - q->retry_at) < 0)
        q->retry_at = ticks;
    q->may_retry = true;
}

void quick_retry_later(struct q_tier *q, const struct block *b)
{
    if (b->retries < MAX_RETRIES)
        retry_at(q, b->trapped_ticks + patience_of(b));
}

static bool is_due(const struct cpu *cpu, const struct block *b)
{
    return b->failed_traps && b->retries < MAX_RETRIES &&
           cpu->ticks - b->trapped_ticks >= patience_of(b);
}

static void forget_traps(struct q_tier *q, const struct cpu *cpu, struct block *b)
{
    if (is_due(cpu, b)) {
        b->failed_traps = false;
        b->trapped_ticks = cpu->ticks;
        b->retries++;
    } else if (b->failed_traps) {
        quick_retry_later(q, b);
    }
}

/* Whether a block's failed_traps has just been taken back. */
static bool is_forgotten(const struct cpu *cpu, const struct block *b)
{
    return b->retries && !b->failed_traps && b->trapped_ticks == cpu->ticks;
}

static bool has_forgotten(const struct cpu *cpu, const struct region *r)
{
    for (unsigned n = 0; n < r->source_count; n++) {
        if (is_forgotten(cpu, r->sources[n].block))
            return true;
    }
    return false;
}

/* Lets all guards of the trace's blocks be tried again: where floats are tested, guards of other
 * blocks may have failed by the same values. */
static void forget_guards(const struct region *r)
{
    for (unsigned n = 0; n < r->source_count; n++)
        r->sources[n].block->failed_guards = r->sources[n].block->failed_merges = 0;
}

/* A killed trace may have blocks that were freed since. */
static bool is_killed(struct region *r)
{
    return atomic_load_explicit(&r->killed, memory_order_relaxed);
}

void quick_retry(struct q_tier *q, const struct cpu *cpu)
{
    q->may_retry = false;
    for (struct region *r = q->jit->newest; r; r = r->all_next) {
        for (unsigned n = 0; !is_killed(r) && n < r->source_count; n++)
            forget_traps(q, cpu, r->sources[n].block);
    }
    for (struct region *r = q->jit->newest; r; r = r->all_next) {
        if (is_killed(r) || !has_forgotten(cpu, r))
            continue;
        forget_guards(r);
        kill_region(r);
    }
}
