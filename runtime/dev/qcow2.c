/*
 * Reading qcow2 images: a table of level 1 has the places of tables of level 2, which have the
 * places of clusters. One table and one unpacked cluster are kept.
 *
 * Bounds      memory: MAX_L1 entries, a table, two clusters of at most 2 MB; a call: its bytes, and
 *             the clusters that hold them
 * Manual      QEMU's docs/interop/qcow2.txt
 */
#include "runtime/dev/qcow2_internal.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/base/host_file.h"

#define MARK     UINT32_C(0x514649fb)
#define SECTOR   512u
#define MIN_BITS 9
#define MAX_BITS 21
#define MAX_L1   (UINT32_C(1) << 22)
#define WINDOW   (-12) /* of raw deflate, for zlib */

enum { CORRUPT = 2, EXTERNAL = 4, COMPRESSION_TYPE = 8, EXTENDED = 16 };

/* ---- opening --------------------------------------------------------------------------------- */

bool qcow2_is(int fd)
{
    uint8_t mark[4];

    return host_read_at(fd, mark, sizeof(mark), 0) && be_get(mark, 4) == MARK;
}

/* What the image has that is not read; NULL: nothing. */
static const char *refusal_of(const uint8_t *head)
{
    uint64_t version = be_get(head + QCOW2_VERSION, 4), features = 0, bits;

    if (version != 2 && version != 3)
        return "its version is neither 2 nor 3";
    if (version == 3)
        features = be_get(head + QCOW2_FEATURES, 8);
    bits = be_get(head + QCOW2_CLUSTER_BITS, 4);
    if (be_get(head + QCOW2_ENCRYPTION, 4))
        return "it is encrypted";
    if (features & CORRUPT)
        return "it is marked as corrupt";
    if (features & EXTERNAL)
        return "its data is in another file";
    if (features & EXTENDED)
        return "it has extended L2 entries";
    if (features & ~(uint64_t)(QCOW2_DIRTY | COMPRESSION_TYPE))
        return "it has a feature that is not known";
    if (features & COMPRESSION_TYPE && be_get(head + QCOW2_HEADER_LENGTH, 4) > QCOW2_COMPRESSION &&
        head[QCOW2_COMPRESSION])
        return "it is compressed by zstd";
    if (bits < MIN_BITS || bits > MAX_BITS)
        return "its clusters are neither 512 bytes nor larger, up to 2 MB";
    if (!be_get(head + QCOW2_SIZE, 8) || be_get(head + QCOW2_L1_SIZE, 4) > MAX_L1)
        return "its size is 0, or too large";
    return NULL;
}

static bool read_l1(struct qcow2 *q, uint64_t at, struct error *err)
{
    uint8_t *bytes = xcalloc(q->l1_count + 1, 8);
    bool ok = host_read_at(q->fd, bytes, 8 * (uint64_t)q->l1_count, at);

    q->l1 = xcalloc(q->l1_count + 1, sizeof(*q->l1));
    for (uint32_t i = 0; ok && i < q->l1_count; i++)
        q->l1[i] = be_get(bytes + 8 * (size_t)i, 8) & QCOW2_PLACE;
    free(bytes);
    return ok || error_set(err, "the image cannot be read");
}

struct qcow2 *qcow2_open(int fd, struct error *err)
{
    uint8_t head[QCOW2_HEAD];
    struct qcow2 *q;
    const char *refused;

    if (!host_read_at(fd, head, sizeof(head), 0))
        return error_null(err, "the image cannot be read");
    refused = refusal_of(head);
    if (refused)
        return error_null(err, "this qcow2 image cannot be used: %s", refused);
    q = xcalloc(1, sizeof(*q));
    q->fd = fd;
    q->bits = (unsigned)be_get(head + QCOW2_CLUSTER_BITS, 4);
    q->zeros = be_get(head + QCOW2_VERSION, 4) == 3;
    q->size = be_get(head + QCOW2_SIZE, 8);
    q->l1_count = (uint32_t)be_get(head + QCOW2_L1_SIZE, 4);
    q->table_at = q->unpacked_from = QCOW2_NOTHING;
    q->table = xcalloc(1, qcow2_cluster_bytes(q));
    if (!read_l1(q, be_get(head + QCOW2_L1_PLACE, 8), err)) {
        qcow2_close(q);
        return NULL;
    }
    return q;
}

void qcow2_close(struct qcow2 *q)
{
    if (!q)
        return;
    free(q->l1);
    free(q->table);
    free(q->unpacked);
    free(q->packed);
    free(q->counts);
    free(q->block);
    free(q->whole);
    free(q);
}

uint64_t qcow2_size(const struct qcow2 *q)
{
    return q->size;
}

/* ---- reading --------------------------------------------------------------------------------- */

bool qcow2_find_entry(struct qcow2 *q, uint64_t at, uint64_t *entry)
{
    uint64_t cluster = at >> q->bits, low = cluster & (qcow2_cluster_bytes(q) / 8 - 1);
    uint64_t high = cluster >> (q->bits - 3), table;

    *entry = 0;
    table = high < q->l1_count ? q->l1[high] : 0;
    if (!table)
        return true;
    if (table != q->table_at) {
        q->table_at = QCOW2_NOTHING;
        if (!host_read_at(q->fd, q->table, qcow2_cluster_bytes(q), table))
            return false;
        q->table_at = table;
    }
    *entry = be_get(q->table + 8 * low, 8);
    return true;
}

/* Unpacks a cluster of raw deflate, whose end is in the last of its sectors. */
static bool inflate_cluster(struct qcow2 *q, uint64_t len)
{
    z_stream z = {.next_in = q->packed,
                  .avail_in = (uInt)len,
                  .next_out = q->unpacked,
                  .avail_out = (uInt)qcow2_cluster_bytes(q)};
    int end;

    if (inflateInit2(&z, WINDOW) != Z_OK)
        return false;
    end = inflate(&z, Z_FINISH);
    inflateEnd(&z);
    return (end == Z_STREAM_END || end == Z_BUF_ERROR) && !z.avail_out;
}

void qcow2_packed_range(const struct qcow2 *q, uint64_t entry, uint64_t *at, uint64_t *len)
{
    unsigned split = 62 - (q->bits - 8);
    uint64_t sectors = ((entry & (QCOW2_PACKED - 1)) >> split) + 1;

    *at = entry & ((UINT64_C(1) << split) - 1);
    *len = sectors * SECTOR - *at % SECTOR;
}

static bool unpack(struct qcow2 *q, uint64_t entry)
{
    uint64_t at, len;

    if (q->unpacked_from == entry)
        return true;
    qcow2_packed_range(q, entry, &at, &len);
    if (!q->unpacked) {
        q->unpacked = xcalloc(1, qcow2_cluster_bytes(q));
        q->packed = xcalloc(1, 2 * qcow2_cluster_bytes(q) + SECTOR);
    }
    q->unpacked_from = QCOW2_NOTHING;
    if (len > 2 * qcow2_cluster_bytes(q) + SECTOR || !host_read_at(q->fd, q->packed, len, at) ||
        !inflate_cluster(q, len))
        return false;
    q->unpacked_from = entry;
    return true;
}

bool qcow2_has(const struct qcow2 *q, uint64_t entry)
{
    return entry & (QCOW2_PACKED | QCOW2_PLACE) || (q->zeros && entry & QCOW2_ZERO);
}

/* Reads what the image has not. */
static bool read_behind(const struct qcow2 *q, uint8_t *to, uint64_t len, uint64_t at)
{
    uint64_t end = q->backing.read ? q->backing.size : 0, n;

    end = end < q->size ? end : q->size;
    n = at >= end ? 0 : end - at < len ? end - at : len;
    memset(to + n, 0, len - n);
    return !n || q->backing.read(q->backing.opaque, to, n, at);
}

/* Reads a range within a cluster. */
static bool read_cluster(struct qcow2 *q, uint8_t *to, uint64_t len, uint64_t at)
{
    uint64_t offset = at & (qcow2_cluster_bytes(q) - 1), entry;

    if (!qcow2_find_entry(q, at, &entry))
        return false;
    if (!qcow2_has(q, entry))
        return read_behind(q, to, len, at);
    if (entry & QCOW2_PACKED) {
        if (!unpack(q, entry))
            return false;
        memcpy(to, q->unpacked + offset, len);
        return true;
    }
    if (q->zeros && entry & QCOW2_ZERO) {
        memset(to, 0, len);
        return true;
    }
    return host_read_at(q->fd, to, len, (entry & QCOW2_PLACE) + offset);
}

bool qcow2_read(struct qcow2 *q, uint8_t *to, uint64_t len, uint64_t at)
{
    while (len) {
        uint64_t room = qcow2_cluster_bytes(q) - (at & (qcow2_cluster_bytes(q) - 1));
        uint64_t n = len < room ? len : room;

        if (!read_cluster(q, to, n, at))
            return false;
        to += n;
        at += n;
        len -= n;
    }
    return true;
}
