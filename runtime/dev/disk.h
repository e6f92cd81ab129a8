/*
 * A disk on a raw file of the host, on a block device, or on a qcow2 image, for every device that
 * holds one. Ranges are in bytes; callers check that they are on the disk.
 */
#ifndef RUNTIME_DEV_DISK_H
#define RUNTIME_DEV_DISK_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/error.h"

#define DISK_SECTOR 512u /* a disk has a whole number of these */

struct disk;

/*
 * Whether the file has no mark of an image format that must be unpacked. A file that cannot be read
 * is left to disk_open(). False: err names the format, and the command that makes a raw image of
 * it.
 */
bool disk_file_is_raw(const char *path, struct error *err);

/*
 * Opens the file, which nothing else may write meanwhile. `snapshot`: writes are kept in memory
 * and lost at the end; the file is then only read. NULL on failure.
 */
struct disk *disk_open(const char *path, bool read_only, bool snapshot, struct error *err);

/* Whether the file is an image of format qcow2. */
bool disk_file_is_qcow2(const char *path);
/* The same for such an image. */
struct disk *disk_open_qcow2(const char *path, bool read_only, bool snapshot, struct error *err);

/* Closes the disk. NULL is allowed. */
void disk_close(struct disk *disk);

/* Bytes, not 0, a multiple of DISK_SECTOR. */
uint64_t disk_size(const struct disk *disk);
bool disk_read_only(const struct disk *disk);

/* Reads `len` bytes at `at`; false: the host refuses. Bytes past the end of a file that shrank are
 * 0. The part before the place that fails may be done. */
bool disk_read(struct disk *disk, uint8_t *to, uint64_t len, uint64_t at);
bool disk_write(struct disk *disk, const uint8_t *from, uint64_t len, uint64_t at);

/* Writes zeros, as a hole where the host can. */
bool disk_zero(struct disk *disk, uint64_t len, uint64_t at);

/* Bytes of a cluster, the unit in which a disk with `snapshot` keeps what was written. */
#define DISK_CLUSTER 65536u
/* Number of clusters of a disk with `snapshot`, for snapshots of a machine; 0 for other disks. */
uint64_t disk_clusters(const struct disk *disk);
/* Whether cluster `n` was written; *bytes is its content, NULL: zeros. */
bool disk_cluster(const struct disk *disk, uint64_t n, const uint8_t **bytes);
/* Sets cluster `n`, as if it had been written; NULL: zeros. */
void disk_set_cluster(struct disk *disk, uint64_t n, const uint8_t *bytes);
/* Makes all clusters those of the file. */
void disk_forget_writes(struct disk *disk);
/* Whether what the guest writes changes the file itself. */
bool disk_writes_file(const struct disk *disk);
/* Number of clusters of such a disk; 0 for other disks. */
uint64_t disk_file_clusters(const struct disk *disk);
/* Whether cluster `n` of it may have been written since the last call for it, or since
 * disk_suspect_all(). */
bool disk_may_differ(struct disk *disk, uint64_t n);
void disk_suspect_all(struct disk *disk);
/* Reads cluster `n` of it; past the end of the disk are zeros. */
bool disk_get_cluster(struct disk *disk, uint64_t n, uint8_t bytes[DISK_CLUSTER]);
/* Writes it; NULL: zeros. */
bool disk_put_cluster(struct disk *disk, uint64_t n, const uint8_t *bytes);
/* A number that differs when the file was changed since: of its size and time of change. For a disk
 * whose file the guest writes: its size. */
uint64_t disk_file_mark(const struct disk *disk);
/* The file's name. */
const char *disk_name(const struct disk *disk);

/* Returns when all written data is on the host's disk. */
bool disk_flush(struct disk *disk);

#endif
