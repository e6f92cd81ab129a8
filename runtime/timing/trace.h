/*
 * The execution of a GPU's job as far as its time depends on it. A trace holds one stream per row
 * of lanes of each work-group; a row is one warp, or several that the host runs together. The
 * stream names the executed bundles, their active lanes, and the memory that they accessed. It is
 * made by struct timing_writer, read by models per warp with struct timing_cursor, and stored in
 * files (file.h). docs/understand/time-model.md describes the format.
 *
 * A row's stream is a sequence of records of numbers, 7 bits per byte, the last byte below 0x80.
 * The first number of a record is kind + 4 * n:
 *
 *     RUN     n consecutive bundles; then the place of the first: zigzag, from the bundle behind
 *             the record before
 *     MEMORY  one bundle with n / 2 accesses; then its place, then each access. n is odd if an
 *             access has lanes of its own
 *     LANES   the lanes n are active from now on; before the first such record the row's lowest
 *             `lanes` are. n = 0: two numbers follow, the size in bytes of the preceding records
 *             that are repeated, and the number of repetitions. These records are RUN, MEMORY and
 *             the AGAIN of a RUN; the bundle behind the last of them is that behind which the first
 *             begins
 *     AGAIN   the RUN before is repeated n times; n = 0: the warps with active lanes are at a
 *             barrier
 *
 * An access is enum timing_access + 8 * shape + 64 * own + 128 * (bytes - 1). If `own` is 1, its
 * lanes follow, as a subset of the active ones. Then follows the address of lane 0, whether it
 * takes part or not (LIST: of the first lane that does). It is zigzag from the last address in one
 * of eight places, initially 0. The number of the place is that of the bundle plus that of the
 * access in it, modulo 8. By shape,
 *
 *     SAME    all lanes have this address
 *     SIDE    each lane is `bytes` behind the one before
 *     STRIDE  another distance, which follows: zigzag
 *     BLOCKS  blocks of 2^n lanes: n follows, then the distance from lane to lane in a block, and
 *             that from block to block: zigzag
 *     LIST    the addresses of the lanes behind the first follow: zigzag, from the one before
 */
#ifndef RUNTIME_TIMING_TRACE_H
#define RUNTIME_TIMING_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"
#include "common/vec.h"

enum { TIMING_ROW_LANES = 32 };

/* The pipe of a bundle's word. */
enum timing_pipe {
    TIMING_PIPE_ARITHMETIC,
    TIMING_PIPE_MEMORY,
    TIMING_PIPE_CONTROL,
    TIMING_PIPE_TEXTURE,
    TIMING_PIPES
};

/* Global memory, local memory of the work-group, memory of the thread. */
enum timing_access {
    TIMING_LOAD,
    TIMING_STORE,
    TIMING_ATOMIC,
    TIMING_GROUP_LOAD,
    TIMING_GROUP_STORE,
    TIMING_THREAD_LOAD,
    TIMING_THREAD_STORE,
    TIMING_GROUP_ATOMIC,
    TIMING_ACCESSES
};

enum { TIMING_SLOTS = 8, TIMING_NO_SLOT = 255 };
/* A bundle has at most this many bytes: a model that fetches code visits each of its lines. */
enum { TIMING_BUNDLE_BYTES = 4096 };

struct timing_bundle {
    uint64_t address;
    uint32_t bytes;
    uint8_t stages;
    uint8_t words[TIMING_PIPES];
    /* scoreboard slot that is occupied until its messages are answered; NO_SLOT: none, so the next
     * bundle waits for them */
    uint8_t slot;
    uint8_t waits; /* bit s: slot s must be free before the next bundle begins */
    uint8_t unused[5];
};

struct timing_row {
    uint8_t *data;
    size_t bytes;
    unsigned lanes; /* lanes that began */
};

struct timing_group {
    uint64_t index;
    unsigned row_count;
    struct timing_row *rows;
};

struct timing_job {
    uint64_t header, shader; /* addresses */
    uint32_t group_threads;
    uint32_t warp_width, row_width; /* in lanes; a row consists of whole warps */
    uint64_t group_total;           /* groups of the job, of which `groups` is a sample */
    uint64_t cores;                 /* bits of the cores that ran it; 0: all. Not in files */
    uint64_t executed;              /* bundles, by warps of all groups; 0: not known */
    VEC(struct timing_bundle) bundles;
    VEC(struct timing_group) groups; /* by index */
    uint8_t *raw; /* buffer of all rows' data; NULL: each row has an allocation of its own */
};

/* A sample of at most `most` groups consists of every step-th group from the first on; returns
 * step. */
uint64_t timing_sample_step(uint64_t group_total, uint64_t most);

/* Thins out the groups of a job that was read, so that at most `most` are left; `most` 0: all. */
void timing_job_sample(struct timing_job *job, uint64_t most);
/* Frees the members of *job. */
void timing_job_release(struct timing_job *job);
/* Checks every stream. Cursors can follow a job that passes. */
bool timing_job_check(const struct timing_job *job, struct error *err);
/* Counts of executed words, without empty ones. */
struct timing_work {
    uint64_t instructions; /* executed by warps */
    uint64_t arithmetic;   /* executed by active lanes, in the pipe of that name */
};
/* Counts the words executed by the groups of the trace. */
struct timing_work timing_job_work(const struct timing_job *job);
/* Number of warps of a row. */
static inline unsigned timing_row_warps(const struct timing_job *job, const struct timing_row *row)
{
    return (row->lanes + job->warp_width - 1) / job->warp_width;
}

/* Shapes of an access. */
enum timing_shape_of_access {
    TIMING_SAME,
    TIMING_SIDE,
    TIMING_STRIDE,
    TIMING_BLOCKS,
    TIMING_LIST,
    TIMING_SHAPES
};

struct timing_touch {
    enum timing_access access;
    enum timing_shape_of_access shape;
    uint32_t lanes;                  /* lanes of the row that access, one bit each */
    uint32_t bytes;                  /* bytes per lane */
    uint64_t base;                   /* address of lane 0; LIST: of the first accessing lane */
    uint64_t stride, far;            /* distance from lane to lane, from block to block */
    unsigned block;                  /* log2 of the lanes per block */
    uint64_t list[TIMING_ROW_LANES]; /* LIST: address by lane */
};

/* The address that an accessing lane accesses. */
static inline uint64_t timing_touch_at(const struct timing_touch *t, unsigned lane)
{
    if (t->shape == TIMING_LIST)
        return t->list[lane];
    return t->base + (lane & ((1u << t->block) - 1)) * t->stride + (lane >> t->block) * t->far;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Consecutive bundles. */
struct timing_run {
    uint32_t first, count; /* 0 bundles: no run */
    uint64_t repetitions;
};

/* An access that is written lane by lane. */
struct timing_lane_by_lane {
    enum timing_access access;
    uint32_t lanes, bytes; /* lanes, and bytes of the first part of each */
    unsigned last;         /* last lane */
    uint64_t address[TIMING_ROW_LANES];
    uint32_t size[TIMING_ROW_LANES];
};

enum { TIMING_PLACES = 8 };

/* A pass of a loop that accesses memory. Its records often equal those of the pass before. */
struct timing_pass {
    size_t start; /* start of its records in the stream */
    /* size of the records of the pass before, which precede `start`; 0: they cannot be repeated */
    size_t previous_size;
    uint64_t times;    /* repetitions of the pass before that are not written yet */
    uint32_t next;     /* bundle behind the last bundle before `start` */
    bool has_accesses; /* the pass accessed memory */
};

/* The shape of a bundle's last access, and the distance of each of 16 lanes from the first. */
struct timing_known {
    uint64_t stride, far;
    unsigned block;
    uint32_t bytes;
    enum timing_shape_of_access shape; /* TIMING_LIST: none is known */
    uint64_t offset[16];
};

struct timing_writer {
    VEC(uint8_t) out;
    struct timing_run run;          /* current run, which may be extended */
    struct timing_run previous_run; /* the run before it, which may be repeated */
    struct timing_pass pass;
    uint32_t next; /* bundle behind the last written bundle */
    uint32_t lanes;
    uint64_t place[TIMING_PLACES];
    uint32_t bundle; /* executing bundle, if the caller sets it: the index into `known` */
    struct timing_known known[TIMING_PLACES]; /* last accesses by whole rows */
    VEC(struct timing_touch) touched;         /* accesses of the executing bundle */
    struct timing_lane_by_lane open;
};

/* Begins a row with `lanes` lanes. */
void timing_writer_begin(struct timing_writer *w, uint32_t lanes);
/* Adds an access of a lane of the executing bundle. */
void timing_writer_access(struct timing_writer *w, enum timing_access access, unsigned lane,
                          uint64_t address, unsigned bytes);
/* Adds an access of several lanes at address[lane], or (timing_writer_touch_one()) at one
 * address. */
void timing_writer_touch(struct timing_writer *w, enum timing_access access, uint32_t lanes,
                         const uint64_t *address, unsigned bytes);
void timing_writer_touch_one(struct timing_writer *w, enum timing_access access, uint32_t lanes,
                             uint64_t address, unsigned bytes);
/* Adds an executed bundle, after its accesses. */
void timing_writer_bundle(struct timing_writer *w, uint32_t index, uint32_t lanes);
/* Adds consecutive executed bundles without accesses. */
void timing_writer_bundles(struct timing_writer *w, uint32_t first, uint32_t count, uint32_t lanes);
/* Adds them `times` times, in time that does not depend on that number. */
void timing_writer_runs(struct timing_writer *w, uint32_t first, uint32_t count, uint64_t times,
                        uint32_t lanes);
/* Adds a barrier at which the warps with active lanes wait for the others of their group. */
void timing_writer_barrier(struct timing_writer *w);
/* The state of a writer at some time. */
struct timing_mark {
    struct timing_run run, previous_run;
    struct timing_pass pass;
    size_t bytes;
    uint32_t next, lanes;
    uint64_t place[TIMING_PLACES];
};
/* The current state, as a mark. */
struct timing_mark timing_writer_mark(const struct timing_writer *w);
/* Whether only passes equal to those before were added since the mark. */
bool timing_writer_is_steady(const struct timing_writer *w, const struct timing_mark *since);
/* Repeats what was added since the mark `times` times, with each access advanced by its distance
 * from the pass before. The writer must be steady, and that distance must have occurred at least
 * twice. Returns how many repetitions were added; the caller adds the rest. */
uint64_t timing_writer_again(struct timing_writer *w, const struct timing_mark *since,
                             uint64_t times);
/* Ends the row. The caller frees its stream. */
void timing_writer_end(struct timing_writer *w, struct timing_row *out);
void timing_writer_release(struct timing_writer *w);

/* ---- reading --------------------------------------------------------------------------------- */

enum timing_event { TIMING_END, TIMING_RUN, TIMING_MEMORY, TIMING_BARRIER };

/* A warp's position in its row's stream. */
struct timing_cursor {
    const uint8_t *at, *end;
    uint32_t warp_lanes; /* lanes of the row that belong to the warp */
    uint32_t lanes;      /* active lanes of the row */
    enum timing_event event;
    uint32_t first, count; /* bundles; MEMORY: one */
    uint64_t times;        /* executions of a RUN */
    uint32_t next;
    uint32_t accesses, access; /* MEMORY: accesses of the bundle; number of the next */
    uint64_t place[TIMING_PLACES];
    const uint8_t *body; /* repeated records, up to `end`; NULL: none */
    /* the bytes behind the repeated records */
    const uint8_t *continue_at, *continue_end;
    uint64_t passes_left; /* repetitions that are left */
};

/* Begins with warp number `warp` of the row. */
void timing_cursor_begin(struct timing_cursor *c, const struct timing_job *job,
                         const struct timing_row *row, unsigned warp);
/* Advances to the next event. All accesses of the previous one must have been read. */
void timing_cursor_next(struct timing_cursor *c);
/* The next access of a MEMORY event in which lanes of the warp take part, restricted to them.
 * false: there is none. */
bool timing_cursor_access(struct timing_cursor *c, struct timing_touch *t);

#endif
