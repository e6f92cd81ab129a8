/*
 * The quick tier at run time: how translated traces are entered, left, connected with each other,
 * and what C does for them. The engine (engine.c) makes traces and takes them away.
 */
#ifndef RUNTIME_JIT_QUICK_TIER_H
#define RUNTIME_JIT_QUICK_TIER_H

#include "runtime/jit/quick/quick.h"

/* Code that is made once (target.h). */
struct q_thunks {
    struct chunk *chunk; /* of the arena */
    /* Runs translated code from `host` on until it leaves: cpu->pc and ticks are right then. Before,
     * cpu->region_pc is set, and cpu->left_base - cpu->ticks ticks may be used. */
    void (*enter)(struct cpu *cpu, const void *host);
    const void *leave;        /* jumped to: cpu->pc is set; returns to the caller of enter() */
    const void *unlinked;     /* jumped to: the same with cpu->pc = cpu->region_pc */
    const void *lookup;       /* jumped to: goes on at cpu->region_pc, by the jump cache */
    const void *search;       /* jumped to: the same, when the jump cache does not know */
    const void *handler;      /* called with a struct q_site: runs an instruction's handler; all of
                             the guest's state is in memory, all registers may change */
    const void *trap;         /* called with a struct q_site: changes no register but that the site
                             says so; returns, or goes where C says */
    const void *trap_general; /* likewise, but vector registers may change */
    const void
        *link; /* called with a Q_SITE_LINK: all of the guest's state is in memory; goes where
                             C says */
};

/* jit->quick */
struct q_tier {
    struct jit *jit;
    struct q_thunks thunks;
    /* Every SAMPLE_TICKS ticks in quick code somebody looks which trace it is that runs.
     * Outside of quick code sample_left counts, inside the value of cpu->ticks does. */
    uint64_t sample_left, sample_at;
    struct q_work *work; /* translate.c */
    bool faults;         /* quick_catch_faults() has been called */
    unsigned hot;        /* samples that make a trace worth LLVM's time; 0: none do */
};

enum { SAMPLE_TICKS = 20000 };

/* Makes jit->quick; false when this host cannot have it, with the reason. */
bool quick_start(struct jit *jit, struct error *err);
void quick_stop(struct jit *jit);

/*
 * translate*.c: translates a trace that the CPU is about to enter: fills r->quick, entry, code, chunk,
 * code_size and text_size; false with r->failure.
 */
bool quick_translate(struct jit *jit, struct region *r, const struct cpu *cpu);
void quick_free_work(struct q_work *w);

/* Whether an instruction is to be run by its handler, because it often takes a way that cannot be
 * translated; or is to be translated with all ways that can, because it often takes a rare one. */
static inline bool quick_prefers_handler(const struct block *b, unsigned index)
{
    return index < CPU_MAX_BLOCK && b->rarest >> index & 1;
}
static inline bool quick_wants_all_ways(const struct block *b, unsigned index)
{
    return index < CPU_MAX_BLOCK && b->rare >> index & 1;
}

/* Whether an instruction's accesses look at their alignment, because it often wants memory that asks for
 * it (TLB_ALIGNED). */
static inline bool quick_wants_aligned(const struct block *b, unsigned index)
{
    return index < CPU_MAX_BLOCK && b->aligned >> index & 1;
}

/* ---- run.c ----------------------------------------------------------------------------------- */

/* Stands in front of a block that has a trace. */
void quick_run(struct cpu *cpu, const struct insn *i);
/* How many ticks may be used now, with cpu->ticks right; sets cpu->left_base. */
uint64_t quick_refill(struct q_tier *q, struct cpu *cpu);
/* The budget that ends in the trace is SAMPLE_TICKS long. */
void quick_sample(struct q_tier *q, struct cpu *cpu, struct region *r);

/* ---- link.c ---------------------------------------------------------------------------------- */

/* The live trace that begins with the block, or NULL. */
struct region *quick_trace_of(const struct block *b);
/* fixed: addresses mean the same for ever, in all pages. */
void quick_connect(struct q_exit *e, struct region *to, bool fixed);
/* Unlinks all exits that lead to the trace, and its own. False: the host refuses to change some. */
bool quick_disconnect(struct region *r);
/* Gives back the memory that a trace's tables have in reserve. */
void quick_fit(struct q_code *code);
/* A trace's tables end. */
void quick_free(struct q_code *code);

/* ---- fault.c --------------------------------------------------------------------------------- */

/* From now on faults of translated code go on where q_code.faults says; for the first trace that has
 * some. False: the host does not let us. */
bool quick_catch_faults(struct q_tier *q, struct error *err);
void quick_release_faults(struct q_tier *q);

/* ---- trap.c ---------------------------------------------------------------------------------- */

/* What translated code cannot do. Returns where to go on, NULL: behind the call. */
const void *quick_trap(struct cpu *cpu, struct q_site *site, struct q_frame *f);
/* Q_SITE_LINK: where the guest goes on, from the exit of a trace. */
const void *quick_follow(struct cpu *cpu, struct q_site *s, uint64_t left);
/* Where the guest goes on that the jump cache does not know, at cpu->region_pc. */
const void *quick_search(struct cpu *cpu, const struct q_thunks *thunks);
/* Q_SITE_HANDLER: the instruction's handler runs; returns how many ticks may be used from here
 * on. */
uint64_t quick_handle(struct cpu *cpu, const struct q_site *s, uint64_t left);

/* ---- evaluate.c ------------------------------------------------------------------------------ */

/*
 * The result of Q_UNARY, Q_BINARY, Q_SCALED, Q_SELECT, Q_ZEXT or Q_SEXT (the fields are those of struct
 * q_node), zero above its type's width (a Q_SEXT's: sign-extended to 64 bits). Operands may have
 * anything above their type's width, but for shift amounts and a Q_SELECT's condition, which count as
 * 64 bits.
 */
uint64_t quick_evaluate(enum q_op op, unsigned sub, jit_type t, uint64_t imm, uint64_t a,
                        uint64_t b, uint64_t c);

/* What a value is if the registers that it is computed from are as they were where the trace begins:
 * an integer. False: it depends on more than registers. */
bool quick_value_now(const struct quick *q, uint32_t node, uint64_t *value);

/* memcpy() of the size of a slot, without a call for the usual ones. */
static inline void quick_copy(void *to, const void *from, size_t size)
{
    if (size == 8)
        memcpy(to, from, 8);
    else if (size == 1)
        memcpy(to, from, 1);
    else if (size == 4)
        memcpy(to, from, 4);
    else if (size == 16)
        memcpy(to, from, 16);
    else
        memcpy(to, from, size);
}

/* A value that C finds in a trace: with what registers and spill slots hold now. */
struct q_vec quick_value(const struct region *r, const struct cpu *cpu, const struct q_frame *f,
                         struct q_where at);

#endif
