/*
 * What a GPU's job did, as far as time depends on it: for each row of lanes of each work-group, which are those of
 * one warp or of several that the host works on together, which bundles it executed, with which lanes, and what
 * memory they touched. Who executes makes it (struct timing_writer), models read it, each warp for itself (struct
 * timing_cursor); a file holds it (file.h). docs/understand/time-model.md has the format.
 *
 * A row's stream is a string of records of numbers, 7 bits a byte, the last one below 0x80. The first
 * number of a record is kind + 4 * n:
 *
 *     RUN     n bundles one behind the other, then where the first is: zigzag, from the bundle behind
 *             the record before
 *     MEMORY  one bundle with n / 2 accesses, then where it is, then each access. n is odd where an access has
 *             lanes of its own
 *     LANES   from now on the lanes n are active; before the first such record the row's lowest
 *             `lanes` are. n = 0: two numbers follow, the bytes of the records before that happen again, and how many
 *             times more. These are RUN, MEMORY and the AGAIN of a RUN; the bundle behind the last of them is that
 *             behind which the first begins
 *     AGAIN   the RUN before happens n more times; n = 0: the warps that have active lanes are at a barrier
 *
 * An access is enum timing_access + 8 * shape + 64 * own + 128 * (bytes - 1), then, if `own` is 1, its lanes, of the
 * active ones, then the address of lane 0, whether it takes part or not (LIST: of its first lane): zigzag,
 * from what was last there of eight places, the one whose number is that of the bundle plus that of the access in
 * it, modulo 8. Each starts with 0. By shape,
 *
 *     SAME    all lanes have this address
 *     SIDE    each lane is `bytes` behind the one before
 *     STRIDE  another distance, which follows: zigzag
 *     BLOCKS  blocks of 2^n lanes: n follows, the distance from lane to lane in a block, and that from block to block:
 *             zigzag
 *     LIST    the addresses of the lanes behind the first follow: zigzag, from the one before
 */
#ifndef RUNTIME_TIMING_TRACE_H
#define RUNTIME_TIMING_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"
#include "runtime/base/vec.h"

enum { TIMING_ROW_LANES = 32 };

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

enum { TIMING_SLOTS = 8, TIMING_NO_SLOT = 255 };

struct timing_bundle {
    uint64_t address;
    uint32_t bytes;
    uint8_t stages;
    uint8_t words[TIMING_PIPES];
    uint8_t
        slot; /* of the scoreboard that is taken until its messages are answered; NO_SLOT: there is none, and
                    * the bundle behind waits for them */
    uint8_t waits; /* bit a slot: the bundle behind begins when it is free */
    uint8_t unused[5];
};

struct timing_row {
    uint8_t *data;
    size_t bytes;
    unsigned lanes; /* that began */
};

struct timing_group {
    uint64_t index;
    unsigned row_count;
    struct timing_row *rows;
};

struct timing_job {
    uint64_t header, shader; /* addresses */
    uint32_t group_threads;
    uint32_t warp_width, row_width; /* lanes; a row's are those of whole warps */
    uint64_t group_total;           /* groups of the job; those that are here are a sample */
    VEC(struct timing_bundle) bundles;
    VEC(struct timing_group) groups; /* by index */
    uint8_t *raw; /* in which the rows' data lie; NULL: each is an allocation of its own */
};

/* Every step-th group, beginning with the first, is in a sample of at most so many. */
uint64_t timing_sample_step(uint64_t group_total, uint64_t most);

/* Releases what it holds, not itself. */
void timing_job_release(struct timing_job *job);
/* Checks every stream: what passes, cursors can follow. */
bool timing_job_check(const struct timing_job *job, struct error *err);
/* What was executed: words that are not empty. */
struct timing_work {
    uint64_t instructions; /* of warps */
    uint64_t arithmetic;   /* of active lanes, those that go by the pipe of that name */
};
struct timing_work timing_job_work(const struct timing_job *job);
/* Warps of a row. */
static inline unsigned timing_row_warps(const struct timing_job *job, const struct timing_row *row)
{
    return (row->lanes + job->warp_width - 1) / job->warp_width;
}

/* An access of lanes. */
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
    uint32_t lanes;                  /* bit a lane of the row */
    uint32_t bytes;                  /* of each lane */
    uint64_t base;                   /* of lane 0; LIST: of the first */
    uint64_t stride, far;            /* from lane to lane, from block to block */
    unsigned block;                  /* lanes of a block: 2^block */
    uint64_t list[TIMING_ROW_LANES]; /* LIST: by lane */
};

/* Where a lane that takes part touches memory. */
static inline uint64_t timing_touch_at(const struct timing_touch *t, unsigned lane)
{
    if (t->shape == TIMING_LIST)
        return t->list[lane];
    return t->base + (lane & ((1u << t->block) - 1)) * t->stride + (lane >> t->block) * t->far;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Bundles that were executed one behind the other. */
struct timing_run {
    uint32_t first, count; /* 0: there is none */
    uint64_t again;
};

/* An access that is told lane by lane. */
struct timing_lane_by_lane {
    enum timing_access access;
    uint32_t lanes, bytes; /* of a lane's first part */
    unsigned last;         /* lane */
    uint64_t address[TIMING_ROW_LANES];
    uint32_t size[TIMING_ROW_LANES];
};

enum { TIMING_PLACES = 8 };

/* The way through a loop that touches memory: what it writes is often what the one before wrote. */
struct timing_pass {
    size_t start;   /* of what it has written so far */
    size_t before;  /* bytes of the one before, which stand there; 0: it may not happen again */
    uint64_t times; /* that it happened again since, which is not written yet */
    uint32_t next;  /* the bundle behind what stood at its start */
    bool touched;   /* memory */
};

/* The shape that an access had, and how far each of 16 lanes was from the first. */
struct timing_known {
    uint64_t stride, far;
    unsigned block;
    uint32_t bytes;
    enum timing_shape_of_access shape; /* TIMING_LIST: none is known */
    uint64_t offset[16];
};

struct timing_writer {
    VEC(uint8_t) out;
    struct timing_run run;  /* may go on */
    struct timing_run held; /* stands before it, and may happen again */
    struct timing_pass pass;
    uint32_t next; /* the bundle behind what was written */
    uint32_t lanes;
    uint64_t place[TIMING_PLACES];
    uint32_t bundle; /* that is being executed, if who writes says so: `known` is found by it */
    struct timing_known known[TIMING_PLACES]; /* of whole rows */
    VEC(struct timing_touch) touched;         /* by the bundle that is being executed */
    struct timing_lane_by_lane open;
};

/* A row begins with these lanes. */
void timing_writer_begin(struct timing_writer *w, uint32_t lanes);
/* A lane of the bundle that is being executed touches memory. */
void timing_writer_access(struct timing_writer *w, enum timing_access access, unsigned lane,
                          uint64_t address, unsigned bytes);
/* Several do, at the addresses that stand at their numbers; or all at one. */
void timing_writer_touch(struct timing_writer *w, enum timing_access access, uint32_t lanes,
                         const uint64_t *address, unsigned bytes);
void timing_writer_touch_one(struct timing_writer *w, enum timing_access access, uint32_t lanes,
                             uint64_t address, unsigned bytes);
/* It has been executed. */
void timing_writer_bundle(struct timing_writer *w, uint32_t index, uint32_t lanes);
/* So were some, one behind the other, which touched nothing. */
void timing_writer_bundles(struct timing_writer *w, uint32_t first, uint32_t count, uint32_t lanes);
/* The warps that have active lanes wait for the others of their group. */
void timing_writer_barrier(struct timing_writer *w);
/* Where it stands. */
struct timing_mark {
    struct timing_run run, held;
    struct timing_pass pass;
    size_t bytes;
    uint32_t next, lanes;
    uint64_t place[TIMING_PLACES];
};
struct timing_mark timing_writer_mark(const struct timing_writer *w);
/* Whether what was told since was passes like those before, and nothing else. */
bool timing_writer_is_steady(const struct timing_writer *w, const struct timing_mark *since);
/* What was told since happens `times` more, each access as far behind its last as that from the one before: twice at
 * least it was so, and the writer steady. Returns how many it has taken; the rest is to be told. */
uint64_t timing_writer_again(struct timing_writer *w, const struct timing_mark *since,
                             uint64_t times);
/* The row has ended: its stream, which the caller frees. */
void timing_writer_end(struct timing_writer *w, struct timing_row *out);
void timing_writer_release(struct timing_writer *w);

/* ---- reading --------------------------------------------------------------------------------- */

enum timing_event { TIMING_END, TIMING_RUN, TIMING_MEMORY, TIMING_BARRIER };

/* A warp's way through its row's stream. */
struct timing_cursor {
    const uint8_t *at, *end;
    uint32_t mine;  /* bit a lane of the row that is of the warp */
    uint32_t lanes; /* active ones of the row */
    enum timing_event event;
    uint32_t first, count; /* bundles; MEMORY: one */
    uint64_t times;        /* that a RUN happens */
    uint32_t next;
    uint32_t accesses, access; /* MEMORY: of the bundle; number of the next */
    uint64_t place[TIMING_PLACES];
    const uint8_t *body;           /* records that happen again, up to `end`; NULL: none */
    const uint8_t *behind, *whole; /* where it goes on after them, and to where */
    uint64_t passes;               /* that are left */
};

/* Warp number `warp` of the row. */
void timing_cursor_begin(struct timing_cursor *c, const struct timing_job *job,
                         const struct timing_row *row, unsigned warp);
/* The next event. Accesses of the one before must have been read. */
void timing_cursor_next(struct timing_cursor *c);
/* The next access of a MEMORY event that lanes of the warp take part in, with these lanes; false: there is none. */
bool timing_cursor_access(struct timing_cursor *c, struct timing_touch *t);

#endif
