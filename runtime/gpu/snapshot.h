/*
 * Memory snapshots of a GPU: ELF files that hold its memory just before a chain of jobs is submitted,
 * and files that say what must be in memory afterwards.
 *
 * A snapshot is an ELF64 core file without a machine: the entry point is the address of the first
 * job header, e_flags the product id (upper half) and revision, each PT_LOAD a piece of GPU memory,
 * and a note "MALI" of type 1 holds JSON (what was submitted; `left_out`: memory that the file should
 * have and has not, in words). In a file of expectations each PT_LOAD is a range to compare, and the
 * note an array with the type and tolerance of each.
 */
#ifndef RUNTIME_GPU_SNAPSHOT_H
#define RUNTIME_GPU_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/base/error.h"
#include "runtime/gpu/compute.h"

/* ---- memory ---------------------------------------------------------------------------------- */

/* Memory that is mapped in an address space. */
struct gpu_snapshot_range {
    uint64_t va, bytes; /* whole pages */
    bool write, execute;
};

/* A piece of GPU memory. */
struct gpu_snapshot_segment {
    uint64_t va, bytes; /* whole pages */
    uint8_t *host;
    bool read, write, execute;
};

/* A chain to run. */
struct gpu_snapshot_submit {
    uint64_t head;         /* address of its first job header */
    uint32_t requirements; /* as the driver's interface counts them; bit 0: fragment jobs */
};

struct gpu_snapshot {
    uint32_t product, revision;
    struct gpu_snapshot_segment *segments; /* by address, not overlapping */
    size_t segment_count;
    struct gpu_snapshot_submit *submits; /* in order; at least one */
    size_t submit_count;
    struct gpu_address_space space; /* the memory as the GPU sees it; belongs to the snapshot */
    /* Memory that the address space had and the file has not, in words; NULL: none. */
    char *left_out;
};

/* One without memory and chains, to be filled. */
struct gpu_snapshot *gpu_snapshot_new(void);
/* Adds memory behind all that is there: zeros. Returns the host's, which belongs to the snapshot; NULL: there
 * is not enough. */
uint8_t *gpu_snapshot_add(struct gpu_snapshot *s, const struct gpu_snapshot_range *range,
                          bool read);
void gpu_snapshot_free(struct gpu_snapshot *s);

struct gpu_snapshot_kept;

/* ---- reading --------------------------------------------------------------------------------- */

/* Reads a file, or one that is in memory already (`name` for messages). Memory beyond what the file
 * holds is zero and costs nothing until it is written. NULL: *err says why. */
struct gpu_snapshot *gpu_snapshot_read(const char *path, struct error *err);
struct gpu_snapshot *gpu_snapshot_parse(const uint8_t *file, size_t bytes, const char *name,
                                        struct error *err);

/* The memory as it is, for gpu_snapshot_restore(); the caller frees it with gpu_snapshot_kept_free(), which allows
 * NULL. Host memory that the snapshot has stays where it is. */
struct gpu_snapshot_kept *gpu_snapshot_keep(const struct gpu_snapshot *s);
/* Makes the memory what it was when it was kept; nothing of the snapshot may run. What was added since becomes
 * zero. Translations made before are void. */
void gpu_snapshot_restore(struct gpu_snapshot *s, const struct gpu_snapshot_kept *kept);
void gpu_snapshot_kept_free(struct gpu_snapshot_kept *kept);

/* Compares memory with what the file at `path` expects. Prints the first differences to `out`. On
 * success *differences says how many elements differ; false: the file is no good, *err says why. */
bool gpu_snapshot_compare(const struct gpu_snapshot *s, const char *path, FILE *out,
                          uint64_t *differences, struct error *err);

/* ---- writing --------------------------------------------------------------------------------- */

/* What goes into a snapshot. */
struct gpu_snapshot_content {
    const struct gpu_address_space *as;
    const struct gpu_snapshot_range *ranges; /* in the order of their addresses */
    size_t count;
    uint32_t product, revision;
    struct gpu_snapshot_submit submit;
    const char *left_out; /* memory of the address space that is not in the ranges, in words; NULL:
                             there is none */
};

/*
 * Writes a snapshot file. Adjacent ranges with the same rights become one piece; pages of zeros at the
 * end of a piece are not stored. *bytes says how large the file is; one that would be larger than
 * `max_bytes` is not written. false: there is no file, *err says why.
 */
bool gpu_snapshot_write(const char *path, const struct gpu_snapshot_content *content,
                        uint64_t max_bytes, uint64_t *bytes, struct error *err);

#endif
