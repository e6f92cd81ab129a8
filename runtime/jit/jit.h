/*
 * The tiers above the interpreter: guest code that runs often is translated to host code,
 * through translators that gencc generates from the same description as the interpreter. What the
 * guest sees is the same in both, the number of instructions at every interrupt included.
 *
 *     struct jit_options o = jit_defaults();
 *     struct jit *jit = jit_new(group->code, log, &o, &err);
 *
 * One engine serves all CPUs that share a bus; it ends with their code cache. All functions belong
 * to the thread that runs these CPUs.
 */
#ifndef RUNTIME_JIT_JIT_H
#define RUNTIME_JIT_JIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/base/error.h"
struct code_cache;
struct log;
struct stats;

struct jit;

enum jit_tier {
    JIT_TIER_BOTH,  /* first translated quickly, then, what runs very often, by LLVM */
    JIT_TIER_QUICK, /* quickly only */
    JIT_TIER_LLVM,
};

struct jit_options {
    bool enabled; /* code is translated */
    bool asked;   /* by -accel jit, so that it is an error if it cannot be */
    enum jit_tier tier;
    unsigned quick_threshold; /* executions of a block before it is translated quickly: 1 or more */
    unsigned threshold;       /* the same for LLVM: roughly, where the quick tier runs it before */
    unsigned threads;         /* that translate in the background, at least 1 */
    bool sync;                /* translate at once, while the guest waits: reproducible */
    bool dump;                /* write what translations are made of to stderr */
    bool handlers;            /* translations only call the interpreter's handlers: for tests */
    bool perf_map;            /* write /tmp/perf-PID.map for perf(1) */
    size_t budget;            /* bytes of host code; more: the oldest translations go */
};

struct jit_counters {
    uint64_t traces, trace_insns;            /* translated by the quick tier */
    uint64_t trace_handlers;                 /* instructions in traces that call their handler */
    uint64_t links;                          /* traces connected */
    uint64_t deopts;                         /* times that a trace was left for the interpreter */
    uint64_t trace_ns;                       /* host time of the quick tier's translation */
    uint64_t regions, blocks, insns;         /* translated by LLVM */
    uint64_t failed, killed;                 /* not translatable; code changed or was evicted */
    uint64_t interpreted;                    /* instructions in regions that call their handler */
    uint64_t bytes;                          /* of host code now */
    uint64_t build_ns, optimise_ns, emit_ns; /* processor time of translation, by step */
};

/* Translation by the quick tier, in builds that have it. */
struct jit_options jit_defaults(void);

/* By enum jit_tier, as option -jit-tier has them. */
extern const char *const jit_tier_names[3];

/* Applies an option of options.inc, named without a dash, to *o; `value` is NULL for those without
 * one. */
bool jit_option(struct jit_options *o, const char *name, const char *value, struct error *err);

/* Whether this build translates at all, and with LLVM. */
bool jit_available(void);
bool jit_has_llvm(void);

/*
 * Starts translating what a code cache holds, from now on. Blocks known so far are dropped. LLVM
 * itself is loaded by the first compile thread; when it cannot be, that is reported in the log and
 * the guest goes on without. NULL with *err when neither this build nor this host can translate.
 */
struct jit *jit_new(struct code_cache *code, struct log *log, const struct jit_options *o,
                    struct error *err);

/* What programs call: *out is NULL where code is interpreted, because the options want that, or
 * because this host cannot translate and nobody has asked for it, which is said on standard error.
 * False with an error: one has. */
bool jit_open(struct jit **out, struct code_cache *code, struct log *log,
              const struct jit_options *o, struct error *err);

/* Around fork(): compile threads finish what they have begun and wait; they go on in the parent
 * (child false), and are made anew in the child. `jit` may be NULL. */
void jit_before_fork(struct jit *jit);
void jit_after_fork(struct jit *jit, bool child);

/* Registers the engine's counters under "jit". `jit` may be NULL. */
void jit_register_stats(struct jit *jit, struct stats *stats);

/* Writes DIR/hot.txt, a table of the blocks in which most instructions were executed and whether they
 * are translated. Before stats_write(), which empties the blocks' counters. `jit` may be NULL:
 * nothing. */
bool jit_write_hot(struct jit *jit, const char *dir, struct error *err);

#endif
