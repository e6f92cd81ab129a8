/*
 * Internals of the checks.
 *
 *     check.c     jobs, and the work-groups of a job
 *     groups.c    rows of a work-group, from barrier to barrier
 *     rows.c      accesses of rows
 *     cells.c     who accessed a piece of memory last: races
 *     updates.c   loads that begin an update by an atomic operation
 *     order.c     atomic operations that order work-groups
 *     written.c   private and local memory that nobody wrote
 *     buffers.c   accesses beside buffers
 *     findings.c  what was found, once per pair of instructions
 *     values.c    stores of the same value
 *     print.c     findings as text
 */
#ifndef RUNTIME_CHECK_INTERNAL_H
#define RUNTIME_CHECK_INTERNAL_H

#include "common/vec.h"
#include "runtime/check/check.h"
#include "runtime/timing/trace.h"

/* ---- accesses -------------------------------------------------------------------------------- */

enum check_memory { CHECK_GLOBAL, CHECK_LOCAL, CHECK_PRIVATE };

enum {
    CHECK_MANY_ITEMS = UINT16_MAX, /* in place of a work-item: several of its work-group */
    CHECK_NO_BUNDLE = UINT16_MAX,
};

/* When which work-item accessed something. */
struct check_moment {
    uint32_t group;  /* number of its work-group plus one; 0: never */
    uint32_t step;   /* number of the record in the row's stream */
    uint16_t epoch;  /* barriers that its row has passed */
    uint16_t item;   /* number in the work-group */
    uint16_t bundle; /* index into timing_job.bundles */
    bool atomic;
};

/* One work-item's part of an access. */
struct check_access {
    struct check_moment at;
    enum check_memory memory;
    bool store;
    uint64_t group; /* index of the work-group; set when it is kept in a finding */
    uint64_t address;
    uint32_t bytes;
};

/* ---- findings -------------------------------------------------------------------------------- */

enum check_kind {
    CHECK_RACE,        /* between work-items of one work-group */
    CHECK_GROUPS_RACE, /* between work-groups */
    CHECK_UNWRITTEN,   /* a read of what nobody wrote */
    CHECK_OUTSIDE,     /* beside a buffer */
    CHECK_MISALIGNED,
    CHECK_PART_OF_WARP,   /* a barrier with some of a warp's work-items */
    CHECK_BARRIER_MISSED, /* work-items end while others wait at a barrier */
    CHECK_OTHER_BARRIER,  /* work-items wait at different barriers */
};

/* The number of stores whose values are compared, per finding. */
enum { CHECK_KEYS = 4096 };

/* What the accesses that one finding counts have in common. */
struct check_alike {
    uint64_t shader;
    uint64_t bundle[2]; /* addresses of the instructions; 0: none */
    enum check_kind kind;
    enum check_memory memory;
    bool stores[2];
};

struct check_finding {
    enum check_kind kind;
    size_t job;               /* index into check.jobs */
    struct check_access a, b; /* the first example: `a` was met earlier */
    struct check_alike alike;
    uint64_t count;              /* accesses or barriers that were found like this */
    uint64_t last_group, groups; /* groups in which it occurred */
    bool by_value;               /* no race if all stores are of the same value */
    VEC(uint32_t) keys;          /* of these stores: indices into check.keys */
};

/* A byte to which several work-items store, perhaps the same value. */
struct check_key {
    uint64_t address;
    uint64_t group;      /* UINT64_MAX: all groups */
    uint32_t job, epoch; /* UINT32_MAX: all epochs */
    enum check_memory memory;
    bool seen, differs;
    uint8_t value;
};

/* ---- a job ----------------------------------------------------------------------------------- */

struct check_span {
    uint64_t va, bytes;
};

struct check_job {
    uint64_t header, shader;
    uint32_t size[3], groups[3]; /* work-items of a group, and groups, by dimension */
    uint64_t local_base, local_bytes, thread_base, thread_bytes;
    uint32_t threads;
    VEC(struct check_span) uniforms; /* memory of uniform buffers */
    uint64_t checked, total;         /* work-groups */
};

/* Who accessed a word, or a byte. */
struct check_cell {
    struct check_moment store, load;
    struct check_moment other_load; /* the last load of another group than load.group */
};

/* A page of global memory to which the job stores. */
struct check_page {
    uint64_t number;
    unsigned shift; /* log2 of the bytes per cell: 0 or 2 */
    struct check_cell *cells;
};

struct check_atomic {
    uint64_t address;
    struct check_moment first, last;
};
struct check_order {
    VEC(struct check_atomic) atomics; /* of a group, by time of the first */
};

/* The vectors of a line of 64 bytes. */
enum { CHECK_VECTORS = 4 };
/* Which bytes of a line were written in the group whose number is `group` - 1, and which of its
 * vectors were loaded before: indices into check.early, plus one. */
struct check_line {
    uint32_t group;
    uint32_t early[CHECK_VECTORS];
    uint64_t bytes;
};
struct check_lines {
    struct check_line *line;
    size_t count;
};

enum { CHECK_PAGE_SHIFT = 12 };

struct check {
    const struct gpu_isa *isa;
    const struct gpu_address_space *as;
    struct check_buffer *buffers;
    size_t buffer_count;
    VEC(struct check_job) jobs;
    VEC(struct check_finding) findings;
    uint32_t *found; /* a table of indices into `findings`, plus one; by hash */
    size_t found_capacity;
    VEC(struct check_key) keys;
    uint32_t *key_table;
    size_t key_capacity;
    /* the job whose trace is being read */
    const struct timing_job *trace;
    struct check_job *job;
    struct check_page *pages; /* a table by hash */
    size_t page_count, page_capacity;
    size_t cell_bytes;
    bool has_atomics;
    bool cells_full; /* no room for more cells: some pages are not checked */
    struct check_cell *local;
    uint64_t local_bytes; /* those that have cells */
    unsigned local_shift; /* log2 of the bytes per cell of local memory */
    struct check_lines local_written, thread_written;
    /* Loads of vectors of private memory that nobody wrote. `bytes` is 0: the vector was then
     * stored by the same work-item. */
    VEC(struct check_access) early;
    struct check_order *order; /* by number of the group in the trace */
    uint64_t group_count;
    bool *begins_update; /* by bundle */
};

/* ---- rows.c ---------------------------------------------------------------------------------- */

enum check_memory check_memory_of(enum timing_access access);
bool check_is_store(enum timing_access access);
bool check_is_atomic(enum timing_access access);
/* Reads the accesses of a row, of all its warps. */
struct check_row_reader {
    struct timing_cursor cursor;
    struct timing_touch touch;
};
void check_row_begin(struct check_row_reader *r, const struct timing_job *job,
                     const struct timing_row *row);
/* Reads the next access; false: there is none. */
bool check_row_next(struct check_row_reader *r);

/* ---- groups.c -------------------------------------------------------------------------------- */

/* Checks a group of the job. */
void check_group(struct check *c, const struct timing_group *g, uint32_t number);

/* ---- cells.c --------------------------------------------------------------------------------- */

/* Prepares the memory of a job: pages to which it stores, and the size of their cells. */
void check_cells_begin(struct check *c);
void check_cells_end(struct check *c);
/* Compares an access with those before it. */
void check_cells_access(struct check *c, const struct check_access *a);
/* Whether no group stores to the bytes. */
bool check_cells_unused(const struct check *c, uint64_t first, uint64_t last);

/* ---- updates.c ------------------------------------------------------------------------------- */

/* Determines which loads begin an update. */
void check_updates_begin(struct check *c);
void check_updates_end(struct check *c);

/* ---- order.c --------------------------------------------------------------------------------- */

void check_order_add(struct check *c, const struct check_access *a);
/* Whether an atomic operation of both groups orders `before`, of another group, and `now`. */
bool check_ordered(const struct check *c, const struct check_moment *before,
                   const struct check_moment *now);

/* ---- written.c ------------------------------------------------------------------------------- */

void check_written_begin(struct check *c);
void check_written_end(struct check *c);
void check_written_access(struct check *c, const struct check_access *a);
/* Ends a group. */
void check_written_group(struct check *c);

/* ---- buffers.c ------------------------------------------------------------------------------- */

/* Checks an access of all lanes of *t, by row `row` of the group. `now` has no work-item. `apart`:
 * it is surely one access; adjacent ones of a bundle may be one in the trace. */
void check_buffers_touch(struct check *c, const struct timing_touch *t, unsigned row,
                         const struct check_moment *now, bool apart);
/* The buffer in whose area an address lies, beside all buffers; NULL: none. */
const struct check_buffer *check_buffer_beside(const struct check *c, uint64_t va);
/* The buffer that holds an address; NULL: none. */
const struct check_buffer *check_buffer_of(const struct check *c, uint64_t va);

/* ---- findings.c ------------------------------------------------------------------------------ */

/* Adds a finding, or counts it. `b` may be NULL. Returns it until the next call. */
struct check_finding *check_add(struct check *c, enum check_kind kind, const struct check_access *a,
                                const struct check_access *b);
void check_findings_free(struct check *c);

/* ---- values.c -------------------------------------------------------------------------------- */

/* Asks for the values that are stored to a byte. */
void check_want_value(struct check *c, struct check_finding *f, const struct check_access *a,
                      uint64_t address);
/* Whether the stores of a finding were all of the same value. */
bool check_same_values(const struct check *c, const struct check_finding *f);

#endif
