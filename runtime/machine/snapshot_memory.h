/*
 * Memory and disks in snapshots: the pages of RAM that are not zero, and the clusters of disks that
 * the guest wrote; where it writes the file itself, all clusters that are not zero. A snapshot with
 * a parent has only the units that differ from the parent's.
 */
#ifndef RUNTIME_MACHINE_SNAPSHOT_MEMORY_H
#define RUNTIME_MACHINE_SNAPSHOT_MEMORY_H

#include "runtime/machine/machine.h"
#include "runtime/machine/snapshot_file.h"

/* ---- what is known of a snapshot's memory ---------------------------------------------------- */

/* A hash for each page and cluster of a snapshot, by which the units that have changed since are
 * found. */
struct snapshot_hashes {
    uint64_t *ram; /* by page, over all regions; 0: the page is zero */
    VEC(uint64_t *)
    disks; /* by cluster; 0: the cluster is the file's, or zero in a disk whose file
                              the guest writes */
};

/* The hashes of a machine whose memory is zero and whose disks were not written. */
struct snapshot_hashes *snapshot_hashes_new(const struct machine *m);
void snapshot_hashes_free(struct snapshot_hashes *h);

/* ---- saving ---------------------------------------------------------------------------------- */

/* Adds the units that differ from `h`, which becomes the hashes of the machine as it is. */
bool snapshot_save_memory(struct machine *m, struct snapshot_hashes *h, struct snapshot_writer *w,
                          struct error *err);

/* ---- loading --------------------------------------------------------------------------------- */

/* The memory of a snapshot, beside that of the machine. */
struct snapshot_memory;

/* Zero memory and unwritten disks. NULL: no memory. */
struct snapshot_memory *snapshot_memory_new(struct machine *m, struct error *err);
void snapshot_memory_free(struct snapshot_memory *s);
/* Sets the units of a file: first those of a snapshot without a parent, then of its child. */
bool snapshot_memory_add(struct snapshot_memory *s, const struct snapshot_reader *r,
                         struct error *err);
/* Its RAM, at the machine's addresses. */
struct bus *snapshot_memory_bus(struct snapshot_memory *s);
/* Makes it the machine's, at the host addresses that the machine's memory has. *hashes, to be
 * freed, are its. False: a disk's file cannot be written. */
bool snapshot_memory_apply(struct snapshot_memory *s, struct snapshot_hashes **hashes,
                           struct error *err);

#endif
