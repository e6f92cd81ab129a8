/*
 * Images of QEMU's format qcow2 (version 2 and 3), to be read. What is not read is refused by name:
 * a backing file, encryption, an external file of data, extended L2 entries, zstd.
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

/* Bytes of the disk, not 0. */
uint64_t qcow2_size(const struct qcow2 *q);

/* Reads `len` bytes at `at`; false: the host refuses, or the image is damaged. What is behind the
 * end of the disk is 0. */
bool qcow2_read(struct qcow2 *q, uint8_t *to, uint64_t len, uint64_t at);

#endif
