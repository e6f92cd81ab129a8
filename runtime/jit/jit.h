/*
 * The tiers above the interpreter: hot guest code is translated to host code, by translators that
 * gencc generates from the same description as the interpreter. The guest cannot observe a
 * difference; even the number of instructions at every interrupt is the same.
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
    JIT_TIER_BOTH,  /* first by the quick tier; the hottest code then by LLVM */
    JIT_TIER_QUICK, /* by the quick tier only */
    JIT_TIER_LLVM,
};

enum { JIT_CACHE_MAX = 512 }; /* bytes of a folder's path */

struct jit_options {
    bool enabled;      /* code is translated */
    bool jit_required; /* -accel jit was given: it is an error if translation is not available */
    enum jit_tier tier;
    unsigned
        quick_threshold; /* executions of a block before the quick tier translates it; 0: few if
                                 the guest need not wait for that, otherwise more */
    unsigned threshold;  /* executions before LLVM translates; approximate in traces */
    unsigned threads;    /* of LLVM, in the background, at least 1 */
    bool sync;           /* translate at once, while the guest waits: reproducible */
    bool dump;           /* print the nodes or the IR of translations to stderr */
    bool handlers;       /* translations only call handlers: for tests */
    bool base;           /* the quick tier uses no optional instructions of the host: for tests */
    bool perf_map;       /* write /tmp/perf-PID.map for perf(1) */
    size_t budget;       /* bytes of host code; beyond, the oldest translations are evicted */
    /* Folder that keeps traces for later runs; "on": the user's; "" or "off": none. */
    char cache[JIT_CACHE_MAX];
    const char *program; /* with `cache`: what is run, of which each has a file; may be NULL */
};

struct jit_counters {
    uint64_t traces, trace_insns;    /* translated by the quick tier */
    uint64_t trace_handlers;         /* instructions in traces left to their handlers */
    uint64_t links;                  /* exits linked to traces */
    uint64_t bridges;                /* of these, with guest registers in host registers */
    uint64_t deopts;                 /* times that a trace was left for the interpreter */
    uint64_t trace_ns;               /* processor time of the quick tier's translation */
    uint64_t regions, blocks, insns; /* translated by LLVM */
    uint64_t failed,
        killed;           /* regions not translatable; regions whose code changed or was evicted */
    uint64_t interpreted; /* instructions in regions left to their handlers */
    uint64_t bytes;       /* size of all host code now */
    uint64_t kept;        /* traces taken from earlier runs, without translation */
    uint64_t kept_others; /* times that such a trace was of other instructions, or lacked blocks */
    uint64_t build_ns, optimise_ns, emit_ns; /* processor time of translation, by step */
};

/* Default options: translation by the quick tier, in builds that have it. */
struct jit_options jit_defaults(void);

/* Names of enum jit_tier in option -jit-tier. */
extern const char *const jit_tier_names[3];

/* Applies an option of options.inc, named without a dash, to *o; `value` is NULL for those without
 * one. */
bool jit_option(struct jit_options *o, const char *name, const char *value, struct error *err);

/* Whether this build can translate, and whether it has LLVM. */
bool jit_available(void);
bool jit_has_llvm(void);

/*
 * Translates the hot code of a code cache from now on. Existing blocks are dropped. LLVM itself is
 * loaded by the first compile thread; if it cannot be loaded, the log says so, and the guest runs
 * without it. NULL with *err when this build or this host cannot translate.
 */
struct jit *jit_new(struct code_cache *code, struct log *log, const struct jit_options *o,
                    struct error *err);

/* jit_new() for programs. *out is NULL when code is interpreted: by the options, or because this
 * host cannot translate and neither o->jit_required nor o->cache asks for it, which is reported on
 * standard error. False with *err: it cannot, and one of them does; or the cache cannot be used. */
bool jit_open(struct jit **out, struct code_cache *code, struct log *log,
              const struct jit_options *o, struct error *err);

/* To be called around fork(). Compile threads finish their current work and wait. Afterwards they
 * continue in the parent (child false), and are made anew in the child. `jit` may be NULL. */
void jit_before_fork(struct jit *jit);
void jit_after_fork(struct jit *jit, bool child);

/* Registers the engine's counters under "jit". `jit` may be NULL. */
void jit_register_stats(struct jit *jit, struct stats *stats);

/* Writes DIR/hot.txt, a table of the blocks with the most executed instructions, and whether they
 * are translated. To be called before stats_write(), which clears the blocks' counters. Does
 * nothing if `jit` is NULL. */
bool jit_write_hot(struct jit *jit, const char *dir, struct error *err);

#endif
