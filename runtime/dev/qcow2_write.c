/*
 * Writing to qcow2 images. New clusters are added at the end of the file. The count of a cluster is
 * set first, then its content, and last what refers to it: a run that is killed loses clusters at
 * most, which `qemu-img check -r leaks` finds.
 *
 * Only images without snapshots of their own are written, so no cluster is shared, but those of the
 * file that hold several packed ones.
 *
 * Bounds      memory: MAX_COUNTS of the table of counts, two clusters; a call: its bytes, and the
 *             clusters that hold them, a table and two blocks of counts for each
 * Manual      QEMU's docs/interop/qcow2.txt
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/base/host_file.h"
#include "runtime/dev/qcow2_internal.h"

#define COPIED      (UINT64_C(1) << 63) /* of an entry: its cluster is not shared */
#define COUNT_ORDER 4u                  /* log2 of a count's bits */
#define MAX_COUNTS  (UINT64_C(8) << 20) /* bytes, as in QEMU */

/* ---- opening --------------------------------------------------------------------------------- */

static const char *refusal_of(const uint8_t *head)
{
    bool old = be_get(head + QCOW2_VERSION, 4) == 2;

    if (be_get(head + QCOW2_SNAPSHOTS, 4))
        return "it has snapshots of its own";
    if (!old && be_get(head + QCOW2_FEATURES, 8) & QCOW2_DIRTY)
        return "its counts of references are not up to date";
    if (!old && be_get(head + QCOW2_AUTOCLEAR, 8))
        return "it has bitmaps, or others that writing would make wrong";
    if (!old && be_get(head + QCOW2_COUNTS_ORDER, 4) != COUNT_ORDER)
        return "its counts of references have not 16 bits";
    return NULL;
}

/* Counts in a block. */
static uint64_t per_block(const struct qcow2 *q)
{
    return qcow2_cluster_bytes(q) / 2;
}

/* Whether the tables have room for all that can be written. */
static bool has_room(const struct qcow2 *q)
{
    uint64_t per_table = qcow2_cluster_bytes(q) / 8;
    uint64_t clusters = (q->size + qcow2_cluster_bytes(q) - 1) >> q->bits;
    uint64_t tables = (clusters + per_table - 1) / per_table;
    uint64_t all = (q->end >> q->bits) + clusters + tables;

    all += all / (per_block(q) - 1) + 4; /* blocks of counts */
    return q->l1_count >= tables && all <= q->counts_entries * per_block(q);
}

static bool read_counts(struct qcow2 *q, const uint8_t *head)
{
    uint64_t size = be_get(head + QCOW2_COUNTS_CLUSTERS, 4) << q->bits;
    uint8_t *bytes;
    bool ok;

    if (!size || size > MAX_COUNTS)
        return false;
    bytes = xcalloc(size, 1);
    q->counts_at = be_get(head + QCOW2_COUNTS_PLACE, 8);
    q->counts_entries = size / 8;
    q->counts = xcalloc(q->counts_entries, sizeof(*q->counts));
    ok = host_read_at(q->fd, bytes, size, q->counts_at);
    for (uint64_t i = 0; ok && i < q->counts_entries; i++)
        q->counts[i] = be_get(bytes + 8 * i, 8) & QCOW2_PLACE;
    free(bytes);
    return ok;
}

bool qcow2_allow_writing(struct qcow2 *q, struct error *err)
{
    uint8_t head[QCOW2_HEAD];
    const char *refused;
    struct stat st;

    if (!host_read_at(q->fd, head, sizeof(head), 0) || fstat(q->fd, &st))
        return error_set(err, "the image cannot be read");
    q->l1_at = be_get(head + QCOW2_L1_PLACE, 8);
    q->end = align_up((uint64_t)st.st_size, qcow2_cluster_bytes(q));
    q->block_at = QCOW2_NOTHING;
    q->block = xcalloc(1, qcow2_cluster_bytes(q));
    q->whole = xcalloc(1, qcow2_cluster_bytes(q));
    refused = refusal_of(head);
    if (!refused && (!read_counts(q, head) || !has_room(q)))
        refused = "its tables have no room for the whole disk";
    return !refused ||
           error_set(err,
                     "this qcow2 image cannot be written: %s (snapshot=on, readonly=on: it is "
                     "only read)",
                     refused);
}

/* ---- counts of references -------------------------------------------------------------------- */

static bool change_count(struct qcow2 *q, uint64_t cluster, int by);

static bool write_number(const struct qcow2 *q, uint64_t at, unsigned size, uint64_t value)
{
    uint8_t bytes[8];

    be_put(bytes, size, value);
    return host_write_at(q->fd, bytes, size, at);
}

/* Adds the block of counts `n`, which counts itself if it can. */
static bool add_block(struct qcow2 *q, uint64_t n)
{
    uint64_t at = q->end, cluster = at >> q->bits;
    bool own = cluster / per_block(q) == n;

    q->end += qcow2_cluster_bytes(q);
    q->block_at = QCOW2_NOTHING;
    memset(q->block, 0, qcow2_cluster_bytes(q));
    if (own)
        be_put(q->block + 2 * (cluster % per_block(q)), 2, 1);
    if (!host_write_at(q->fd, q->block, qcow2_cluster_bytes(q), at) ||
        !write_number(q, q->counts_at + 8 * n, 8, at))
        return false;
    q->counts[n] = q->block_at = at;
    return own || change_count(q, cluster, 1);
}

static bool load_block(struct qcow2 *q, uint64_t at)
{
    if (q->block_at == at)
        return true;
    q->block_at = QCOW2_NOTHING;
    if (at >= q->end || !host_read_at(q->fd, q->block, qcow2_cluster_bytes(q), at))
        return false;
    q->block_at = at;
    return true;
}

static bool change_count(struct qcow2 *q, uint64_t cluster, int by)
{
    uint64_t n = cluster / per_block(q), at = 2 * (cluster % per_block(q)), count;

    if (n >= q->counts_entries || (!q->counts[n] && !add_block(q, n)) ||
        !load_block(q, q->counts[n]))
        return false;
    count = be_get(q->block + at, 2) + (uint64_t)by;
    if (count > UINT16_MAX)
        return false;
    be_put(q->block + at, 2, count);
    return write_number(q, q->block_at + at, 2, count);
}

/* Adds a cluster to the file, and returns its place; 0: the host refuses. */
static uint64_t add_cluster(struct qcow2 *q)
{
    uint64_t at = q->end;

    q->end += qcow2_cluster_bytes(q);
    return change_count(q, at >> q->bits, 1) ? at : 0;
}

static bool release_packed(struct qcow2 *q, uint64_t entry)
{
    uint64_t at, len;

    qcow2_packed_range(q, entry, &at, &len);
    for (uint64_t c = at >> q->bits; c <= (at + len - 1) >> q->bits; c++) {
        if (!change_count(q, c, -1))
            return false;
    }
    return true;
}

/* ---- clusters -------------------------------------------------------------------------------- */

/* Adds the table of level 2 for `high`, and keeps it. */
static bool add_table(struct qcow2 *q, uint64_t high)
{
    uint64_t at = add_cluster(q);

    q->table_at = QCOW2_NOTHING;
    memset(q->table, 0, qcow2_cluster_bytes(q));
    if (!at || !host_write_at(q->fd, q->table, qcow2_cluster_bytes(q), at) ||
        !write_number(q, q->l1_at + 8 * high, 8, at | COPIED))
        return false;
    q->l1[high] = q->table_at = at;
    return true;
}

/* Sets the entry of the cluster at `at`, whose table qcow2_find_entry() has read, if it exists. */
static bool set_entry(struct qcow2 *q, uint64_t at, uint64_t entry)
{
    uint64_t cluster = at >> q->bits, low = cluster & (qcow2_cluster_bytes(q) / 8 - 1);
    uint64_t high = cluster >> (q->bits - 3);

    if (high >= q->l1_count || (!q->l1[high] && !add_table(q, high)) || q->l1[high] >= q->end)
        return false;
    be_put(q->table + 8 * low, 8, entry);
    return write_number(q, q->l1[high] + 8 * low, 8, entry);
}

/* Whether the cluster is stored as it is. */
static bool is_plain(const struct qcow2 *q, uint64_t entry)
{
    return !(entry & QCOW2_PACKED) && entry & QCOW2_PLACE && !(q->zeros && entry & QCOW2_ZERO);
}

/* Writes a range within a cluster. */
static bool write_cluster(struct qcow2 *q, const uint8_t *from, uint64_t len, uint64_t at)
{
    uint64_t offset = at & (qcow2_cluster_bytes(q) - 1), entry, to;

    if (!qcow2_find_entry(q, at, &entry))
        return false;
    to = entry & QCOW2_PACKED ? 0 : entry & QCOW2_PLACE;
    if (to >= q->end)
        return false;
    if (is_plain(q, entry))
        return host_write_at(q->fd, from, len, to + offset);
    if (!qcow2_read(q, q->whole, qcow2_cluster_bytes(q), at - offset))
        return false;
    memcpy(q->whole + offset, from, len);
    to = to ? to : add_cluster(q);
    return to && host_write_at(q->fd, q->whole, qcow2_cluster_bytes(q), to) &&
           set_entry(q, at, to | COPIED) && (!(entry & QCOW2_PACKED) || release_packed(q, entry));
}

/* Bytes from `at` on in the same cluster, at most `len`. */
static uint64_t in_cluster(const struct qcow2 *q, uint64_t at, uint64_t len)
{
    uint64_t room = qcow2_cluster_bytes(q) - (at & (qcow2_cluster_bytes(q) - 1));

    return len < room ? len : room;
}

bool qcow2_write(struct qcow2 *q, const uint8_t *from, uint64_t len, uint64_t at)
{
    for (uint64_t n; len; from += n, at += n, len -= n) {
        n = in_cluster(q, at, len);
        if (!write_cluster(q, from, n, at))
            return false;
    }
    return true;
}

/* Zeros a range within a cluster that the image has not: without adding one, where the version
 * can. */
static bool hide_backing(struct qcow2 *q, const uint8_t *zeros, uint64_t len, uint64_t at)
{
    bool whole = !(at & (qcow2_cluster_bytes(q) - 1)) &&
                 (len == qcow2_cluster_bytes(q) || at + len >= q->size);

    return whole && q->zeros ? set_entry(q, at, QCOW2_ZERO) : write_cluster(q, zeros, len, at);
}

bool qcow2_zero(struct qcow2 *q, uint64_t len, uint64_t at)
{
    uint8_t *zeros = xcalloc(1, qcow2_cluster_bytes(q));
    bool ok = true;
    uint64_t entry;

    for (uint64_t n; ok && len; at += n, len -= n) {
        n = in_cluster(q, at, len);
        ok = qcow2_find_entry(q, at, &entry);
        if (ok && !qcow2_has(q, entry))
            ok = !q->backing.read || hide_backing(q, zeros, n, at);
        else if (ok && (is_plain(q, entry) || entry & QCOW2_PACKED))
            ok = write_cluster(q, zeros, n, at);
    }
    free(zeros);
    return ok;
}
