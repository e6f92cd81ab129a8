/*
 * Traces that are kept for later runs of the same program, in a folder of the user's
 * (runtime/base/file_cache.h). A run's file has a record of each trace: its code with the places
 * where addresses go (fixes.c), its tables, and the guest instructions that it was made of.
 *
 * A trace of a record is taken when its first block runs for the second time, if all of its blocks
 * are there and have the same instructions. So results do not depend on what is in a file.
 */
#ifndef RUNTIME_JIT_QUICK_KEPT_H
#define RUNTIME_JIT_QUICK_KEPT_H

#include "runtime/base/file_cache.h"
#include "runtime/jit/quick/tier.h"

/* ---- records (kept_record.c) ----------------------------------------------------------------- */

/* A guest block of a record. */
struct kept_source {
    struct file_key insns; /* of its decoded instructions */
    int64_t delta;
    uint32_t count, ticks, bytes, skips; /* as in struct source */
};

/* A site or an exit, without this run's addresses. */
struct kept_site {
    struct q_site site;
    uint32_t exit; /* LINK: number of its exit */
};
struct kept_exit {
    int64_t delta;
    uint32_t jump, unlinked, stores; /* offsets in the code */
    uint32_t early;                  /* the same; UINT32_MAX: none */
    uint32_t by_cache;               /* the same, of an exit to a computed address */
    struct q_where address;          /* of such an exit */
    uint32_t map, dirty, clean, ahead;
    bool same_page;
};

/* The tables behind a record's head, in this order, each at a multiple of 8 bytes. */
enum kept_table {
    KEPT_SOURCES,   /* struct kept_source */
    KEPT_FIXES,     /* struct q_fix */
    KEPT_SITES,     /* struct kept_site */
    KEPT_EXITS,     /* struct kept_exit */
    KEPT_MAPS,      /* struct q_map_entry */
    KEPT_EXPRS,     /* struct q_expr */
    KEPT_CONSTANTS, /* struct q_vec */
    KEPT_FAULTS,    /* struct q_fault */
    KEPT_ENTRY,     /* struct q_entry */
    KEPT_DEAD,      /* uint64_t */
    KEPT_CODE,      /* bytes */
    KEPT_TABLES
};

struct kept_head {
    struct file_key key; /* of the first block, and of what else the code depends on */
    uint32_t bytes;      /* of the record, a multiple of 8 */
    uint32_t age;        /* number of files since it was made or taken */
    uint32_t counts[KEPT_TABLES];
    uint32_t head, inner; /* offsets in the code; inner: UINT32_MAX if there is none */
    uint32_t built, interpreted, first_ticks;
    bool inexact, traps, loops;
};

/* A record whose sizes are sound: its head and tables. */
struct kept_view {
    const struct kept_head *head;
    const void *table[KEPT_TABLES];
};

/* The key of a trace that begins with the block, which the CPU reaches at pc; false: such traces
 * are not kept. */
bool kept_key(const struct jit *jit, const struct cpu *cpu, const struct block *b, uint64_t pc,
              struct file_key *key);
/* A record of a trace that was just translated, to be released with free(); NULL: it cannot be
 * kept. */
struct kept_head *kept_record_of(const struct region *r, const struct file_key *key);
/* Finds the tables of a record in `size` bytes. False: they do not fit, or a number in them is out
 * of range. */
bool kept_view_of(const void *record, size_t size, const struct program_image *image,
                  struct kept_view *v);
/* The tables of a record that kept_view_of() found sound, or that kept_record_of() made. */
struct kept_view kept_tables_of(const struct kept_head *head);
/* A new trace of a record, with its code in place, as quick_translate() leaves it. NULL: the
 * guest's blocks are not there, or are others. */
struct region *kept_trace_of(struct jit *jit, struct cpu *cpu, struct block *b,
                             const struct kept_view *v);

/* ---- all records of a run (kept.c) ----------------------------------------------------------- */

/* Reads the file of options.program into jit->kept, if options say so. False with *err: the folder
 * cannot be used. */
bool kept_start(struct jit *jit, struct error *err);
/* A trace of an earlier run that begins with the block, which the CPU is about to run; NULL:
 * none. */
struct region *kept_take(struct jit *jit, struct cpu *cpu, struct block *b);
/* Keeps a trace that was just translated, under the key that kept_key() had for it. */
void kept_add(struct jit *jit, const struct region *r, const struct file_key *key);
/* Forgets the record of a trace that was not worth being made. */
void kept_drop(struct jit *jit, const struct region *r);
/* Does not write the file at the end: another process does. */
void kept_leave(struct jit *jit);
/* Writes the file, if enough of it is new, and frees jit->kept. */
void kept_stop(struct jit *jit);

#endif
