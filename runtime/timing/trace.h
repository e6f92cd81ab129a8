/*
 * What a GPU's job did, as far as time depends on it: for each warp of each work-group which bundles it
 * executed, with which lanes, and what memory they touched. Who executes makes it (struct timing_writer),
 * models read it (struct timing_cursor); a file holds it (file.h). docs/timing.md has the format.
 *
 * A warp's stream is a string of records of numbers, 7 bits a byte, the last one below 0x80. The first
 * number of a record is kind + 4 * n:
 *
 *     RUN     n bundles one behind the other, then where the first is: zigzag, from the bundle behind
 *             the record before
 *     MEMORY  one bundle with n accesses, then where it is, then each access: enum timing_access + 8 *
 *             (segments - 1), and where its first segment is: zigzag, from that of the access before
 *     LANES   from now on the lanes n are active; before the first such record the warp's lowest
 *             `lanes` are
 *     AGAIN   the RUN before happens n more times; n = 0: a barrier
 */
#ifndef RUNTIME_TIMING_TRACE_H
#define RUNTIME_TIMING_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"
#include "runtime/base/vec.h"

enum { TIMING_SEGMENT_BYTES = 16 };

/* By which pipe a word of a bundle goes. */
enum timing_pipe {
    TIMING_PIPE_ARITHMETIC,
    TIMING_PIPE_MEMORY,
    TIMING_PIPE_CONTROL,
    TIMING_PIPE_TEXTURE,
    TIMING_PIPES
};

/* Global memory, memory of the work-group, memory of the thread. */
enum timing_access {
    TIMING_LOAD,
    TIMING_STORE,
    TIMING_ATOMIC,
    TIMING_GROUP_LOAD,
    TIMING_GROUP_STORE,
    TIMING_THREAD_LOAD,
    TIMING_THREAD_STORE,
    TIMING_ACCESSES
};

struct timing_bundle {
    uint64_t address;
    uint32_t bytes;
    uint8_t stages;
    uint8_t words[TIMING_PIPES];
};

struct timing_warp {
    uint8_t *data;
    size_t bytes;
    unsigned lanes; /* that began */
};

struct timing_group {
    uint64_t index;
    unsigned warp_count;
    struct timing_warp *warps;
};

struct timing_job {
    uint64_t header, shader; /* addresses */
    uint32_t group_threads;
    uint32_t warp_width;
    uint64_t group_total; /* groups of the job; those that are here are a sample */
    VEC(struct timing_bundle) bundles;
    VEC(struct timing_group) groups; /* by index */
};

/* Every step-th group, beginning with the first, is in a sample of at most so many. */
uint64_t timing_sample_step(uint64_t group_total, uint64_t most);

/* Releases what it holds, not itself. */
void timing_job_release(struct timing_job *job);
/* Checks every stream: what passes, cursors can follow. */
bool timing_job_check(const struct timing_job *job, struct error *err);
/* Instructions of warps in it: words that are not empty. */
uint64_t timing_job_instructions(const struct timing_job *job);

/* ---- writing --------------------------------------------------------------------------------- */

/* Bundles that were executed one behind the other. */
struct timing_run {
    uint32_t first, count; /* 0: there is none */
    uint64_t again;
};

struct timing_writer {
    VEC(uint8_t) out;
    struct timing_run run;  /* may go on */
    struct timing_run held; /* stands before it, and may happen again */
    uint32_t next;          /* the bundle behind what was written */
    uint32_t lanes;
    uint64_t segment;
    VEC(uint64_t) touched; /* by the bundle that is being executed: segment << 3 | access */
    VEC(uint64_t) lengths; /* room for as many */
};

/* A warp begins with these lanes. */
void timing_writer_begin(struct timing_writer *w, uint32_t lanes);
/* The bundle that is being executed touches memory. */
void timing_writer_access(struct timing_writer *w, enum timing_access access, uint64_t address,
                          unsigned bytes);
/* It has been executed. */
void timing_writer_bundle(struct timing_writer *w, uint32_t index, uint32_t lanes);
/* The warp waits for the others of its group. */
void timing_writer_barrier(struct timing_writer *w);
/* It has ended: its stream, which the caller frees. */
void timing_writer_end(struct timing_writer *w, struct timing_warp *out);
void timing_writer_release(struct timing_writer *w);

/* ---- reading --------------------------------------------------------------------------------- */

enum timing_event { TIMING_END, TIMING_RUN, TIMING_MEMORY, TIMING_BARRIER };

struct timing_cursor {
    const uint8_t *at, *end;
    uint32_t lanes;
    enum timing_event event;
    uint32_t first, count; /* bundles; MEMORY: one */
    uint64_t times;        /* that a RUN happens */
    /* MEMORY: what is left of its accesses. */
    uint32_t accesses;
    enum timing_access access;
    uint64_t segment, segments;
    uint32_t next;
};

void timing_cursor_begin(struct timing_cursor *c, const struct timing_warp *w);
/* The next event. Accesses of the one before must have been read. */
void timing_cursor_next(struct timing_cursor *c);
/* The next access of a MEMORY event; false: there is none. */
bool timing_cursor_access(struct timing_cursor *c);

#endif
