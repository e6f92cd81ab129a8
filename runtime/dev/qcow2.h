/*
 * Images of QEMU's format qcow2 (version 2 and 3), also with a backing file, which the caller
 * opens. What is not read is refused by name: encryption, an external file of data, extended L2
 * entries, zstd. So is what is not written: an image with snapshots of its own, bitmaps, or counts
 * of references of other than 16 bits.
 */
#ifndef RUNTIME_DEV_QCOW2_H
#define RUNTIME_DEV_QCOW2_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/error.h"

struct qcow2;

/* Whether the file begins with the format's mark. */
bool qcow2_is(int fd);

/* Opens the image in a file, which stays the caller's. NULL: *err says why, without the name. */
struct qcow2 *qcow2_open(int fd, struct error *err);
/* NULL is allowed. */
void qcow2_close(struct qcow2 *q);

enum { QCOW2_NAME = 1024, QCOW2_FORMAT = 16 };

/* Says which file has what this image has not: its name as in the image, "" where there is none,
 * and its format's, "" where that is not said. */
bool qcow2_read_backing(const struct qcow2 *q, char name[QCOW2_NAME], char format[QCOW2_FORMAT],
                        struct error *err);

/* What the image has not is read from here, and is 0 behind `size`. */
struct qcow2_backing {
    void *opaque;
    bool (*read)(void *opaque, uint8_t *to, uint64_t len, uint64_t at);
    uint64_t size;
};
/* Has what the image has not be read from `backing`, which is copied; before the image is read. */
void qcow2_set_backing(struct qcow2 *q, const struct qcow2_backing *backing);

/* Bytes of the disk, not 0. */
uint64_t qcow2_size(const struct qcow2 *q);

/* Reads `len` bytes at `at`; false: the host refuses, or the image is damaged. What is behind the
 * end of the disk is 0. */
bool qcow2_read(struct qcow2 *q, uint8_t *to, uint64_t len, uint64_t at);

/* Prepares an image, just opened, for being written; its file must be open for that, too. Once. */
bool qcow2_allow_writing(struct qcow2 *q, struct error *err);
/* Writes `len` bytes at `at`, on the disk. false: the host refuses, or the image is damaged; a part
 * may be written. */
bool qcow2_write(struct qcow2 *q, const uint8_t *from, uint64_t len, uint64_t at);
/* Writes zeros, and adds no clusters for them. */
bool qcow2_zero(struct qcow2 *q, uint64_t len, uint64_t at);

#endif
