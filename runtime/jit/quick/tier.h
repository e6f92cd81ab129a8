/*
 * The quick tier at run time: entering, leaving and linking traces, and the C functions that traces
 * call. The engine makes and kills traces (engine.c, installed.c).
 */
#ifndef RUNTIME_JIT_QUICK_TIER_H
#define RUNTIME_JIT_QUICK_TIER_H

#include "runtime/base/program_image.h"
#include "runtime/jit/quick/quick.h"

/* Code that is made once (target.h). */
struct q_thunks {
    struct chunk *chunk; /* chunk of the arena */
    /* Runs translated code from `host` until it leaves, with cpu->pc and ticks set. cpu->region_pc
     * must be set before; cpu->left_base - cpu->ticks ticks may be used. */
    void (*enter)(struct cpu *cpu, const void *host);
    const void *leave;        /* jump target: with cpu->pc set, returns to the caller of enter() */
    const void *unlinked;     /* jump target: the same with cpu->pc = cpu->region_pc */
    const void *lookup;       /* jump target: continues at cpu->region_pc, by the jump cache */
    const void *search;       /* jump target: the same after a miss of the jump cache */
    const void *handler;      /* called with a struct q_site: calls an instruction's handler; all
                             guest state is in memory, all registers may change */
    const void *trap;         /* called with a struct q_site: changes no register except as the site
                             says; returns, or continues where C says */
    const void *trap_general; /* as `trap`, but vector registers may change */
    const void *link; /* called with a Q_SITE_LINK: all guest state is in memory; continues where
                             C says */
    /* By cpu_table(): what q_target.check_mapped() calls; NULL: the host has none. */
    const void *mapped[CPU_BANKS * CPU_RINGS];
};

/* jit->quick */
struct q_tier {
    struct jit *jit;
    struct q_thunks thunks;
    insn_fn *run; /* quick_run(): first handler of blocks with a trace */
    /* Every SAMPLE_TICKS ticks in translated code, the running trace gets a sample. Inside of
     * translated code the next sample is due when cpu->ticks reaches sample_at, outside sample_left
     * ticks remain. */
    uint64_t sample_left, sample_at;
    struct q_work *work[ARENA_USERS]; /* translate.c: of the threads that translate */
    struct q_worker *worker;          /* worker.c; NULL: the guest's thread translates */
    unsigned features;                /* that translated code may use: q_buffer.features */
    bool faults;                      /* quick_catch_faults() has been called */
    bool was_inexact; /* the last exception of floats was an inexact result, and no other */
    bool traps;       /* exceptions of floats can leave a trace: q_target.has_traps() */
    bool asked_traps; /* `traps` is known: the first trace asks */
    bool may_retry;   /* some block has failed_traps: at cpu->ticks retry_at they are looked at */
    uint64_t retry_at;
    unsigned hot; /* samples after which LLVM translates a trace; 0: never */
    /* The last exit without a trace at its target, where cpu->ticks and region_pc were these; NULL:
     * none. */
    const struct q_exit *came_by;
    uint64_t came_ticks, came_pc;
    bool came_back; /* the block that is to be translated follows one that is not before it */
    /* The program, if traces are kept for later runs, so that addresses in them are noted; else
     * NULL. */
    const struct program_image *image;
};

enum { SAMPLE_TICKS = 20000 };

/* Makes jit->quick; false with *err when this host cannot have it. */
bool quick_start(struct jit *jit, struct error *err);
/* Frees jit->quick; nothing for NULL. */
void quick_stop(struct jit *jit);

/*
 * translate.c: translates the trace of r->job, on any thread, but on one at a time. Sets
 * r->job->code, r->entry, code, chunk, code_size and text_size; or else r->failure.
 */
void quick_translate(struct jit *jit, struct region *r, enum arena_user user);
/* Whether exceptions of floats can leave traces here; the first call tries. */
bool quick_has_traps(struct q_tier *t);
/* A copy, in the trace's tables, of an instruction that runs alone. */
const struct insn *quick_copy_alone(struct q_code *code, const struct region *r, unsigned source,
                                    unsigned index);
void quick_free_work(struct q_work *w);

/* ---- run.c ----------------------------------------------------------------------------------- */

/* First handler of a block with a trace: runs translated code. */
void quick_run(struct cpu *cpu, const struct insn *i);
/* Ticks that translated code may use from the exact cpu->ticks on; sets cpu->left_base. */
uint64_t quick_refill(struct q_tier *q, struct cpu *cpu);
/* Gives the running trace a sample, and requests LLVM's translation when it has q->hot of them. */
void quick_sample(struct q_tier *q, struct cpu *cpu, struct region *r);

/* ---- retry.c --------------------------------------------------------------------------------- */

/* Notes that a block's failed_traps was set now. */
void quick_retry_later(struct q_tier *q, const struct block *b);
/* Takes failed_traps back where it is old, and kills the traces with these blocks. No CPU is
 * inside of one. */
void quick_retry(struct q_tier *q, const struct cpu *cpu);

/* ---- patch.c --------------------------------------------------------------------------------- */

/* Makes a jump in the piece of memory lead to `to`. False: it is not changed, as in arena_own(). */
bool quick_patch_jump(struct arena *a, struct chunk *chunk, uint8_t *jump, const void *to,
                      bool must);
/* Makes an exit's own jump lead to `to`. False: it is not changed, as in arena_own(). */
bool quick_patch_exit(const struct q_exit *e, const void *to, bool must);

/* ---- link.c ---------------------------------------------------------------------------------- */

/* The live trace that begins with the block, or NULL. */
struct region *quick_trace_of(const struct block *b);
/* Notes that an exit is linked to a trace, whose death unlinks it. */
void quick_link(struct q_exit *e, struct region *to);
/* Makes the exit lead to no trace. False: the host refuses the change, so it still leads there. */
bool quick_unlink(struct q_exit *e);
/* Unlinks all exits that lead to the trace, and its own. False: the host refuses to change some. */
bool quick_disconnect(struct region *r);

/* ---- tables.c ------------------------------------------------------------------------------- */

/* Lets a new trace have the room of the spare tables, which then have none. */
void quick_borrow(struct q_code *code, struct q_code *spare);
/* Moves a translated trace's tables into memory of their size; their room is the spare's then. */
void quick_fit(struct q_code *code, struct q_code *spare);
/* Frees tables that are not in q_code.tables. */
void quick_free_tables(struct q_code *code);
/* Frees a trace's tables; NULL is allowed. */
void quick_free(struct q_code *code);

/* ---- bridge.c -------------------------------------------------------------------------------- */

/* Makes a bridge from the exit to the trace that it is linked to. False: it has none, since one of
 * both can have none, or the host has no memory. */
bool quick_bridge(struct q_exit *e, const struct region *to);
/* Takes the exit's bridge away. False: the host refuses to change the jump to it. */
bool quick_unbridge(struct q_exit *e);

/* ---- pin.c ----------------------------------------------------------------------------------- */

/* Links an exit into another page, or such a case, to the trace at cpu->region_pc, which has a
 * valid jump cache entry, or renews its stamp. False: it has no bridge. */
bool quick_pin(struct cpu *cpu, struct q_exit *e, struct region *to);
/* Renews the stamp of a Q_PAGE, if its target has a valid jump cache entry of its block. */
void quick_renew_page(struct cpu *cpu, const struct q_site *s);
/* Links an exit to a known address, now cpu->region_pc, to a trace. An exit to another page is
 * pinned, or leads to the jump cache, unless memory is flat. */
void quick_connect(struct cpu *cpu, struct q_exit *e, struct region *to);

/* ---- cases.c --------------------------------------------------------------------------------- */

/* Makes the address at the trace's first one + delta, now cpu->region_pc, with the trace `to`, a
 * case of an exit to a computed address, if it can be one. same_page: of the guest block that it
 * leaves, or memory is flat. Exits that refuse often go by the jump cache from then on. */
void quick_add_case(struct cpu *cpu, struct q_exit *e, struct region *to, int64_t delta,
                    bool same_page);

/* ---- fault.c --------------------------------------------------------------------------------- */

/* Installs the handler of faults in translated code, which continues by q_code.faults; for the
 * first trace with such accesses. False with *err: the host refuses. */
bool quick_catch_faults(struct q_tier *q, struct error *err);
void quick_release_faults(struct q_tier *q);

/* ---- trap.c ---------------------------------------------------------------------------------- */

/* Handles a site that traps. Returns the host address to continue at; NULL: behind the call. */
const void *quick_trap(struct cpu *cpu, struct q_site *site, struct q_frame *f);
/* Q_SITE_LINK: links the exit if possible; returns the host address to continue at. */
const void *quick_follow(struct cpu *cpu, struct q_site *s, uint64_t left);
/* The host address to continue at for cpu->region_pc, after a miss of the jump cache. */
const void *quick_search(struct cpu *cpu, const struct q_thunks *thunks);
/* Q_SITE_HANDLER: calls the instruction's handler; returns the ticks that may be used from then
 * on. */
uint64_t quick_handle(struct cpu *cpu, const struct q_site *s, uint64_t left);

/* ---- fixes.c --------------------------------------------------------------------------------- */

/* Makes the addresses in code that was copied to region->code those of this run. */
void quick_apply_fixes(const struct region *r);
/* Whether a fix that was read from a file is within its trace: the trace has these numbers of bytes
 * of code, of sites and of blocks, and the program this number of bytes. */
bool quick_fix_is_sound(const struct q_fix *f, size_t code_bytes, size_t sites, size_t blocks,
                        size_t program_bytes);

/* ---- evaluate.c ------------------------------------------------------------------------------ */

/* Q_UNARY, Q_BINARY, Q_SCALED, Q_SELECT, Q_ZEXT or Q_SEXT, with fields as in struct q_node. */
struct q_operation {
    uint8_t op, sub;
    jit_type type;
    uint64_t imm;
};

/* The result of an operation. It is zero above its type's width; a Q_SEXT's is sign-extended to 64
 * bits. Operand bits above the type's width are ignored, except of shift amounts and of Q_SELECT's
 * condition, which have 64 bits. */
uint64_t quick_evaluate(struct q_operation o, uint64_t a, uint64_t b, uint64_t c);

static inline uint64_t quick_evaluate_binary(unsigned op, jit_type t, uint64_t a, uint64_t b)
{
    return quick_evaluate((struct q_operation){Q_BINARY, (uint8_t)op, t, 0}, a, b, 0);
}

/* The value of an integer node if its registers are as at the trace's start when it was translated.
 * False: it depends on more than registers. */
bool quick_value_now(const struct quick *q, uint32_t node, uint64_t *value);

/* memcpy() of a slot, inline for its usual sizes. */
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

/* The value at a location, by the present registers and spill slots of a trace. */
struct q_vec quick_value(const struct region *r, const struct cpu *cpu, const struct q_frame *f,
                         struct q_where at);

#endif
