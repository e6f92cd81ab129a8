/* What reading (qcow2.c) and writing (qcow2_write.c) of qcow2 images share. */
#ifndef RUNTIME_DEV_QCOW2_INTERNAL_H
#define RUNTIME_DEV_QCOW2_INTERNAL_H

#include "runtime/dev/qcow2.h"

#define QCOW2_PLACE   UINT64_C(0x00fffffffffffe00) /* bits of an entry: where a cluster is */
#define QCOW2_PACKED  (UINT64_C(1) << 62)
#define QCOW2_ZERO    UINT64_C(1) /* version 3 */
#define QCOW2_NOTHING 0           /* no table, no cluster: no entry is 0 that says where one is */

/* Places in the header. */
enum {
    QCOW2_VERSION = 4,
    QCOW2_BACKING = 8,
    QCOW2_BACKING_LENGTH = 16,
    QCOW2_CLUSTER_BITS = 20,
    QCOW2_SIZE = 24,
    QCOW2_ENCRYPTION = 32,
    QCOW2_L1_SIZE = 36,
    QCOW2_L1_PLACE = 40,
    QCOW2_COUNTS_PLACE = 48,
    QCOW2_COUNTS_CLUSTERS = 56,
    QCOW2_SNAPSHOTS = 60,
    QCOW2_FEATURES = 72,  /* without which an image cannot be read */
    QCOW2_AUTOCLEAR = 88, /* to be cleared by who writes and does not know them */
    QCOW2_COUNTS_ORDER = 96,
    QCOW2_HEADER_LENGTH = 100,
    QCOW2_COMPRESSION = 104,
    QCOW2_HEAD = 112,
};

enum { QCOW2_DIRTY = 1 };

struct qcow2 {
    int fd;
    unsigned bits; /* log2 of a cluster's bytes */
    bool zeros;    /* entries may have QCOW2_ZERO */
    uint64_t size;
    struct qcow2_backing backing; /* `read` NULL: none */
    uint64_t *l1;
    uint32_t l1_count;
    uint64_t table_at; /* of `table`, as in the file; QCOW2_NOTHING: none */
    uint8_t *table;
    uint64_t unpacked_from; /* entry of `unpacked`; QCOW2_NOTHING: none */
    uint8_t *unpacked, *packed;
    /* for writing */
    uint64_t l1_at, end; /* place in the file; where the next cluster is added */
    uint64_t counts_at;  /* place of the table of blocks of reference counts */
    uint64_t *counts;    /* that table; NULL: the image is only read */
    uint64_t counts_entries;
    uint64_t block_at; /* of `block`; QCOW2_NOTHING: none */
    uint8_t *block, *whole;
};

/* Finds the entry of the cluster at `at`; 0: there is none. */
bool qcow2_find_entry(struct qcow2 *q, uint64_t at, uint64_t *entry);
/* Whether the image says what the cluster of the entry has. */
bool qcow2_has(const struct qcow2 *q, uint64_t entry);
/* Where in the file a packed cluster is, and its bytes there, at most. */
void qcow2_packed_range(const struct qcow2 *q, uint64_t entry, uint64_t *at, uint64_t *len);

static inline uint64_t qcow2_cluster_bytes(const struct qcow2 *q)
{
    return UINT64_C(1) << q->bits;
}

#endif
