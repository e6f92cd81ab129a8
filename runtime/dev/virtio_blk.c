/*
 * Virtio block device on a raw file of the host. VIRTIO 1.2, section 5.2.
 *
 * With `snapshot` the file is only read; what the guest writes is kept in memory, in clusters.
 *
 * Bounds      a request: the bytes of its chain, or one range of MAX_SECTORS; memory: the disk's size
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/falloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/dev/virtio.h"

#define DEVICE_ID   2u
#define SECTOR      512u
#define CLUSTER     UINT64_C(65536) /* unit of copy on write */
#define SEG_MAX     126u            /* buffers of a request: a queue half full of one */
#define MAX_SECTORS 0x3fffffu       /* of one discard or write-zeroes range */
#define SERIAL      "gencc"

/* Feature bits, section 5.2.3 */
enum { F_SEG_MAX = 2, F_RO = 5, F_FLUSH = 9, F_DISCARD = 13, F_WRITE_ZEROES = 14 };

/* Requests and their status, section 5.2.6 */
enum { T_IN = 0, T_OUT = 1, T_FLUSH = 4, T_GET_ID = 8, T_DISCARD = 11, T_WRITE_ZEROES = 13 };
enum { S_OK = 0, S_IOERR = 1, S_UNSUPP = 2 };

#define REQUEST_HEADER 16u
#define RANGE_BYTES    16u /* of a discard or write-zeroes request */
#define ID_BYTES       20u

struct virtio_blk {
    struct virtio_function function;
    char *path;
    int fd;
    uint64_t size; /* bytes */
    bool read_only;
    uint8_t **clusters; /* snapshot: written clusters; NULL: no snapshot */
};

static struct virtio_blk *blk_of(struct virtio_function *f)
{
    return (struct virtio_blk *)(void *)f;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* The whole range, or false. Bytes past the end of a file that shrank read as zero. */
static bool read_file(const struct virtio_blk *blk, uint8_t *to, uint64_t len, uint64_t at)
{
    while (len) {
        ssize_t n = pread(blk->fd, to, len, (off_t)at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        if (!n) {
            memset(to, 0, len);
            return true;
        }
        to += n;
        at += (uint64_t)n;
        len -= (uint64_t)n;
    }
    return true;
}

static bool write_file(const struct virtio_blk *blk, const uint8_t *from, uint64_t len, uint64_t at)
{
    while (len) {
        ssize_t n = pwrite(blk->fd, from, len, (off_t)at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        from += n;
        at += (uint64_t)n;
        len -= (uint64_t)n;
    }
    return true;
}

/* How many bytes from `at` on are in its cluster, at most `len`. */
static uint64_t in_cluster(uint64_t at, uint64_t len)
{
    uint64_t left = CLUSTER - at % CLUSTER;

    return len < left ? len : left;
}

static bool read_disk(struct virtio_blk *blk, uint8_t *to, uint64_t len, uint64_t at)
{
    if (!blk->clusters)
        return read_file(blk, to, len, at);
    while (len) {
        uint64_t n = in_cluster(at, len);
        const uint8_t *cluster = blk->clusters[at / CLUSTER];

        if (cluster)
            memcpy(to, cluster + at % CLUSTER, n);
        else if (!read_file(blk, to, n, at))
            return false;
        to += n;
        at += n;
        len -= n;
    }
    return true;
}

/* `from` NULL: zeros. */
static bool write_snapshot(struct virtio_blk *blk, const uint8_t *from, uint64_t len, uint64_t at)
{
    while (len) {
        uint64_t n = in_cluster(at, len);
        uint8_t **cluster = &blk->clusters[at / CLUSTER];

        if (!*cluster) {
            *cluster = xcalloc(1, CLUSTER);
            if (!read_file(blk, *cluster, CLUSTER, align_down(at, CLUSTER)))
                return false;
        }
        if (from) {
            memcpy(*cluster + at % CLUSTER, from, n);
            from += n;
        } else {
            memset(*cluster + at % CLUSTER, 0, n);
        }
        at += n;
        len -= n;
    }
    return true;
}

static bool write_disk(struct virtio_blk *blk, const uint8_t *from, uint64_t len, uint64_t at)
{
    return blk->clusters ? write_snapshot(blk, from, len, at) : write_file(blk, from, len, at);
}

static bool zero_disk(struct virtio_blk *blk, uint64_t len, uint64_t at)
{
    static const uint8_t zeros[SECTOR * 8];

    if (blk->clusters)
        return write_snapshot(blk, NULL, len, at);
    if (!fallocate(blk->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at, (off_t)len))
        return true;
    while (len) {
        uint64_t n = len < sizeof(zeros) ? len : sizeof(zeros);

        if (!write_file(blk, zeros, n, at))
            return false;
        at += n;
        len -= n;
    }
    return true;
}

/* ---- requests -------------------------------------------------------------------------------- */

/* Whether `len` bytes from `sector` on are on the disk and whole sectors. */
static bool on_disk(const struct virtio_blk *blk, uint64_t sector, uint64_t len)
{
    return len % SECTOR == 0 && len <= blk->size && sector <= (blk->size - len) / SECTOR;
}

/* Reads or writes the data of a request, buffer by buffer. */
static unsigned transfer(struct virtio_blk *blk, const struct virtio_chain *c, bool in,
                         uint64_t sector)
{
    uint64_t at = in ? 0 : REQUEST_HEADER;
    uint64_t end = in ? c->in_len - 1 : c->out_len;
    uint64_t disk = sector * SECTOR;

    if (!on_disk(blk, sector, end - at))
        return S_IOERR;
    while (at < end) {
        uint64_t len = end - at, addr;
        uint8_t *bytes = virtio_span(c, in, at, &len, &addr);

        if (!bytes)
            return S_IOERR;
        if (in)
            bus_touched(blk->function.env->bus, addr, len);
        if (!(in ? read_disk(blk, bytes, len, disk) : write_disk(blk, bytes, len, disk)))
            return S_IOERR;
        at += len;
        disk += len;
    }
    return S_OK;
}

static unsigned clear_range(struct virtio_blk *blk, const struct virtio_chain *c)
{
    uint8_t range[RANGE_BYTES];
    uint64_t sector, len;

    if (blk->read_only || virtio_get(c, REQUEST_HEADER, range, sizeof(range)) != sizeof(range))
        return S_IOERR;
    sector = le_get(range, 8);
    len = le_get(range + 8, 4) * SECTOR;
    if (len / SECTOR > MAX_SECTORS || !on_disk(blk, sector, len))
        return S_IOERR;
    return !len || zero_disk(blk, len, sector * SECTOR) ? S_OK : S_IOERR;
}

static unsigned get_id(struct virtio_blk *blk, const struct virtio_chain *c)
{
    uint8_t id[ID_BYTES] = SERIAL;

    if (c->in_len < sizeof(id) + 1)
        return S_IOERR;
    virtio_put(blk->function.transport, c, 0, id, sizeof(id));
    return S_OK;
}

static unsigned run(struct virtio_blk *blk, const struct virtio_chain *c, uint32_t type,
                    uint64_t sector)
{
    switch (type) {
    case T_IN:
        return transfer(blk, c, true, sector);
    case T_OUT:
        return blk->read_only ? S_IOERR : transfer(blk, c, false, sector);
    case T_FLUSH:
        return blk->read_only || blk->clusters || !fdatasync(blk->fd) ? S_OK : S_IOERR;
    case T_GET_ID:
        return get_id(blk, c);
    case T_DISCARD:
    case T_WRITE_ZEROES:
        return clear_range(blk, c);
    }
    return S_UNSUPP;
}

static uint32_t serve(struct virtio_function *f, unsigned queue, const struct virtio_chain *c)
{
    uint8_t header[REQUEST_HEADER], status;
    uint64_t sector;
    uint32_t type;

    (void)queue;
    if (virtio_get(c, 0, header, sizeof(header)) != sizeof(header) || !c->in_len) {
        virtio_broken(f->transport, "a block request without header or status");
        return 0;
    }
    type = (uint32_t)le_get(header, 4);
    sector = le_get(header + 8, 8);
    status = (uint8_t)run(blk_of(f), c, type, sector);
    log_printf(f->env->log, LOG_BLOCK,
               "%s: request %" PRIu32 ", sector %" PRIu64 ", %" PRIu64 "+%" PRIu64
               " bytes: status %u\n",
               f->env->name, type, sector, c->out_len, c->in_len, status);
    virtio_put(f->transport, c, c->in_len - 1, &status, 1);
    return (uint32_t)c->in_len;
}

/* ---- features and configuration, section 5.2.4 ----------------------------------------------- */

static uint64_t features(struct virtio_function *f)
{
    uint64_t bits = UINT64_C(1) << F_SEG_MAX | UINT64_C(1) << F_FLUSH;

    if (blk_of(f)->read_only)
        return bits | UINT64_C(1) << F_RO;
    return bits | UINT64_C(1) << F_DISCARD | UINT64_C(1) << F_WRITE_ZEROES;
}

static size_t config(struct virtio_function *f, uint8_t bytes[VIRTIO_MAX_CONFIG])
{
    le_put(bytes, 8, blk_of(f)->size / SECTOR);
    le_put(bytes + 12, 4, SEG_MAX);
    le_put(bytes + 20, 4, SECTOR);      /* blk_size */
    le_put(bytes + 36, 4, MAX_SECTORS); /* max_discard_sectors */
    le_put(bytes + 40, 4, 1);           /* max_discard_seg */
    le_put(bytes + 44, 4, 1);           /* discard_sector_alignment */
    le_put(bytes + 48, 4, MAX_SECTORS); /* max_write_zeroes_sectors */
    le_put(bytes + 52, 4, 1);           /* max_write_zeroes_seg */
    bytes[56] = 1;                      /* write_zeroes_may_unmap */
    return 60;
}

/* ---- life ------------------------------------------------------------------------------------ */

static void destroy(struct virtio_function *f)
{
    struct virtio_blk *blk = blk_of(f);

    for (uint64_t i = 0; blk->clusters && i <= blk->size / CLUSTER; i++)
        free(blk->clusters[i]);
    free(blk->clusters);
    close(blk->fd);
    free(blk->path);
    free(blk);
}

static const struct virtio_function_class blk_class = {
    .name = "virtio-blk",
    .device_id = DEVICE_ID,
    .queue_count = 1,
    .features = features,
    .config = config,
    .serve = serve,
    .destroy = destroy,
};

/* Two simulators that write one disk would destroy it. */
static bool lock_and_measure(struct virtio_blk *blk, bool shared, struct error *err)
{
    struct stat st;
    off_t end;

    if (fstat(blk->fd, &st) || (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode)))
        return error_set(err, "%s: not a regular file or block device", blk->path);
    if (flock(blk->fd, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB))
        return error_set(err, "%s: in use by another simulator (readonly=on or snapshot=on share)",
                         blk->path);
    end = lseek(blk->fd, 0, SEEK_END);
    if (end <= 0 || end % SECTOR)
        return error_set(err, "%s: a disk must have whole sectors of %u bytes, this has %lld bytes",
                         blk->path, SECTOR, (long long)end);
    blk->size = (uint64_t)end;
    return true;
}

struct virtio_function *virtio_blk_new(const char *path, bool read_only, bool snapshot,
                                       struct error *err)
{
    int fd = open(path, (read_only || snapshot ? O_RDONLY : O_RDWR) | O_CLOEXEC);
    struct virtio_blk *blk;

    if (fd < 0)
        return error_null(err, "%s: %s", path, strerror(errno));
    blk = xcalloc(1, sizeof(*blk));
    blk->function.cls = &blk_class;
    blk->path = xstrdup(path);
    blk->fd = fd;
    blk->read_only = read_only;
    if (!lock_and_measure(blk, read_only || snapshot, err)) {
        destroy(&blk->function);
        return NULL;
    }
    if (snapshot && !read_only)
        blk->clusters = xcalloc(blk->size / CLUSTER + 1, sizeof(*blk->clusters));
    return &blk->function;
}
