/*
 * Virtio block device. VIRTIO 1.2, section 5.2.
 *
 * Bounds      a request: the bytes of its chain, or one range of MAX_SECTORS. Towards the bound of
 *             an event (virtio_mmio.c) a range counts as the bytes that it names, a flush as
 *             FLUSH_BYTES
 */
#include <inttypes.h>
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/dev/virtio.h"

#define DEVICE_ID   2u
#define SECTOR      DISK_SECTOR
#define SEG_MAX     126u    /* buffers per request, which fill half a queue */
#define MAX_SECTORS 0x8000u /* 16 MB, of one discard or write-zeroes range */
#define FLUSH_BYTES (UINT64_C(16) << 20)
#define SERIAL      "gencc"

/* Feature bits, section 5.2.3 */
enum { F_SEG_MAX = 2, F_RO = 5, F_FLUSH = 9, F_DISCARD = 13, F_WRITE_ZEROES = 14 };

/* Requests and their status, section 5.2.6 */
enum { T_IN = 0, T_OUT = 1, T_FLUSH = 4, T_GET_ID = 8, T_DISCARD = 11, T_WRITE_ZEROES = 13 };
enum { S_OK = 0, S_IOERR = 1, S_UNSUPP = 2 };

#define REQUEST_HEADER 16u
#define RANGE_BYTES    16u /* size of a discard or write-zeroes request */
#define ID_BYTES       20u

struct virtio_blk {
    struct virtio_function function;
    struct disk *disk;
};

static struct virtio_blk *blk_of(struct virtio_function *f)
{
    return (struct virtio_blk *)(void *)f;
}

/* ---- requests -------------------------------------------------------------------------------- */

/* Whether `len` bytes from `sector` on are on the disk and whole sectors. */
static bool on_disk(const struct virtio_blk *blk, uint64_t sector, uint64_t len)
{
    uint64_t size = disk_size(blk->disk);

    return len % SECTOR == 0 && len <= size && sector <= (size - len) / SECTOR;
}

/* Reads or writes the data of a request, buffer by buffer. */
static unsigned transfer_data(struct virtio_blk *blk, const struct virtio_chain *c, bool in,
                              uint64_t sector)
{
    uint64_t at = in ? 0 : REQUEST_HEADER;
    uint64_t end = in ? c->in_len - 1 : c->out_len;
    uint64_t place = sector * SECTOR;

    if (!on_disk(blk, sector, end - at))
        return S_IOERR;
    while (at < end) {
        uint64_t len = end - at, addr;
        uint8_t *bytes = virtio_span(c, in, at, &len, &addr);

        if (!bytes)
            return S_IOERR;
        if (in)
            bus_touched(blk->function.env->bus, addr, len);
        if (!(in ? disk_read(blk->disk, bytes, len, place)
                 : disk_write(blk->disk, bytes, len, place)))
            return S_IOERR;
        at += len;
        place += len;
    }
    return S_OK;
}

static unsigned clear_range(struct virtio_blk *blk, const struct virtio_chain *c)
{
    uint8_t range[RANGE_BYTES];
    uint64_t sector, len;

    if (disk_read_only(blk->disk) ||
        virtio_get(c, REQUEST_HEADER, range, sizeof(range)) != sizeof(range))
        return S_IOERR;
    sector = le_get(range, 8);
    len = le_get(range + 8, 4) * SECTOR;
    if (len / SECTOR > MAX_SECTORS || !on_disk(blk, sector, len))
        return S_IOERR;
    virtio_charge(blk->function.transport, len);
    return !len || disk_zero(blk->disk, len, sector * SECTOR) ? S_OK : S_IOERR;
}

static unsigned get_id(struct virtio_blk *blk, const struct virtio_chain *c)
{
    uint8_t id[ID_BYTES] = SERIAL;

    if (c->in_len < sizeof(id) + 1)
        return S_IOERR;
    virtio_put(blk->function.transport, c, 0, id, sizeof(id));
    return S_OK;
}

static unsigned run_request(struct virtio_blk *blk, const struct virtio_chain *c, uint32_t type,
                            uint64_t sector)
{
    switch (type) {
    case T_IN:
        return transfer_data(blk, c, true, sector);
    case T_OUT:
        return disk_read_only(blk->disk) ? S_IOERR : transfer_data(blk, c, false, sector);
    case T_FLUSH:
        virtio_charge(blk->function.transport, FLUSH_BYTES);
        return disk_flush(blk->disk) ? S_OK : S_IOERR;
    case T_GET_ID:
        return get_id(blk, c);
    case T_DISCARD:
    case T_WRITE_ZEROES:
        return clear_range(blk, c);
    }
    return S_UNSUPP;
}

static uint32_t serve_chain(struct virtio_function *f, unsigned queue, const struct virtio_chain *c)
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
    status = (uint8_t)run_request(blk_of(f), c, type, sector);
    log_printf(f->env->log, LOG_BLOCK,
               "%s: request %" PRIu32 ", sector %" PRIu64 ", %" PRIu64 "+%" PRIu64
               " bytes: status %u\n",
               f->env->name, type, sector, c->out_len, c->in_len, status);
    virtio_put(f->transport, c, c->in_len - 1, &status, 1);
    return (uint32_t)c->in_len;
}

/* ---- features and configuration, section 5.2.4 ----------------------------------------------- */

static uint64_t get_features(struct virtio_function *f)
{
    uint64_t bits = UINT64_C(1) << F_SEG_MAX | UINT64_C(1) << F_FLUSH;

    if (disk_read_only(blk_of(f)->disk))
        return bits | UINT64_C(1) << F_RO;
    return bits | UINT64_C(1) << F_DISCARD | UINT64_C(1) << F_WRITE_ZEROES;
}

static size_t get_config(struct virtio_function *f, uint8_t bytes[VIRTIO_MAX_CONFIG])
{
    le_put(bytes, 8, disk_size(blk_of(f)->disk) / SECTOR);
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

static void destroy_virtio_blk(struct virtio_function *f)
{
    struct virtio_blk *blk = blk_of(f);

    disk_close(blk->disk);
    free(blk);
}

static const struct virtio_function_class blk_class = {
    .name = "virtio-blk",
    .device_id = DEVICE_ID,
    .queue_count = 1,
    .features = get_features,
    .config = get_config,
    .serve = serve_chain,
    .destroy = destroy_virtio_blk,
};

struct virtio_function *virtio_blk_new(struct disk *disk)
{
    struct virtio_blk *blk = xcalloc(1, sizeof(*blk));

    blk->function.cls = &blk_class;
    blk->disk = disk;
    return &blk->function;
}
