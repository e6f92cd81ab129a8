/*
 * Memory snapshots of a GPU: ELF files with its memory just before a chain of jobs is submitted,
 * and files with the memory that is expected afterwards.
 *
 * A snapshot is an ELF64 core file without a machine. The entry point is the address of the first
 * job header. e_flags is the product id (upper half) and revision. Each PT_LOAD is a piece of GPU
 * memory. A note "MALI" of type 1 holds JSON: the submitted chains, in `args` and `bos` the
 * kernel's arguments and the driver's allocations where they are known, and in `left_out` a text
 * about memory that the file should have and has not. In a file of expectations each PT_LOAD is a
 * range to compare, and the note is an array with the type and tolerance of each.
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
    uint64_t given; /* bytes from the file; memory behind them is zero until a chain runs */
    bool read, write, execute;
};

/* A chain to run. */
struct gpu_snapshot_submit {
    uint64_t head;         /* address of its first job header */
    uint32_t requirements; /* bits of the driver's interface; bit 0: fragment jobs */
};

/* A buffer that is an argument of the kernel. */
struct gpu_snapshot_buffer {
    unsigned argument; /* the argument's index */
    uint64_t va, bytes;
    uint64_t area_va, area_bytes; /* the driver's allocation, in which nothing else lies */
};

struct gpu_snapshot {
    uint32_t product, revision;
    struct gpu_snapshot_segment *segments; /* by address, without overlap */
    size_t segment_count;
    struct gpu_snapshot_submit *submits; /* in order; at least one */
    size_t submit_count;
    struct gpu_snapshot_buffer *buffers; /* those that the file names */
    size_t buffer_count;
    struct gpu_address_space space; /* the memory as the GPU sees it; belongs to the snapshot */
    /* Text about memory of the address space that the file lacks; NULL: none. */
    char *missing_memory;
};

/* A new snapshot without memory and chains. */
struct gpu_snapshot *gpu_snapshot_new(void);
/* Adds zeroed memory with the highest address so far. Returns its host memory, which belongs to the
 * snapshot; NULL: out of memory. */
uint8_t *gpu_snapshot_add(struct gpu_snapshot *s, const struct gpu_snapshot_range *range,
                          bool read);
void gpu_snapshot_free(struct gpu_snapshot *s);

struct gpu_snapshot_kept;

/* ---- reading --------------------------------------------------------------------------------- */

/* Reads a file, or a file's bytes in memory (`name` is for messages). Memory beyond what the file
 * holds is zero and is allocated when it is written. NULL: *err has the reason. */
struct gpu_snapshot *gpu_snapshot_read(const char *path, struct error *err);
struct gpu_snapshot *gpu_snapshot_parse(const uint8_t *file, size_t bytes, const char *name,
                                        struct error *err);

/* Saves the memory for gpu_snapshot_restore(), before a chain has run: memory that the file does
 * not hold is not looked at, since it is zero and may be gigabytes. The caller frees the result
 * with gpu_snapshot_kept_free(), which allows NULL. The snapshot's host memory keeps its
 * addresses. */
struct gpu_snapshot_kept *gpu_snapshot_keep(const struct gpu_snapshot *s);
/* Restores the saved memory; memory added since becomes zero. No job of the snapshot may be
 * running. Earlier translations become void. */
void gpu_snapshot_restore(struct gpu_snapshot *s, const struct gpu_snapshot_kept *kept);
void gpu_snapshot_kept_free(struct gpu_snapshot_kept *kept);

/* Compares memory with the expectations in the file at `path` and prints the first differences to
 * `out`. *differences becomes the number of differing elements. false: the file is invalid, and
 * *err has the reason. */
bool gpu_snapshot_compare(const struct gpu_snapshot *s, const char *path, FILE *out,
                          uint64_t *differences, struct error *err);

/* ---- writing --------------------------------------------------------------------------------- */

/* The contents of a snapshot to be written. */
struct gpu_snapshot_content {
    const struct gpu_address_space *as;
    const struct gpu_snapshot_range *ranges; /* by address */
    size_t count;
    uint32_t product, revision;
    struct gpu_snapshot_submit submit;
    /* text about memory of the address space outside the ranges; NULL: none */
    const char *missing_memory;
};

/* Makes the folder for snapshots, unless it is there. false: nothing can be written to it. */
bool gpu_snapshot_prepare(const char *folder, struct error *err);

/*
 * Writes a snapshot file. Adjacent ranges with the same rights become one piece. Pages of zeros at
 * the end of a piece are not stored. *bytes becomes the size of the file; a file larger than
 * `max_bytes` is not written. false: there is no file, and *err has the reason.
 */
bool gpu_snapshot_write(const char *path, const struct gpu_snapshot_content *content,
                        uint64_t max_bytes, uint64_t *bytes, struct error *err);

#endif
