/*
 * Memory and disks in a snapshot: the pages that are not zero, and the clusters of disks that the
 * guest wrote, in sections of up to CHUNK bytes. A section is a number of units, the numbers of
 * these units (with ZERO: all bytes are zero, and none follow), and their bytes.
 *
 * Bounds      a section: CHUNK bytes and its numbers
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/dev/disk.h"
#include "runtime/machine/snapshot.h"

#define CHUNK ((size_t)16 << 20)
#define ZERO  (UINT64_C(1) << 63)

/* ---- sections of units ----------------------------------------------------------------------- */

struct chunk {
    struct snapshot_writer *w;
    const char *name; /* of the sections, before their number */
    unsigned number;
    size_t unit; /* bytes of a unit */
    size_t most, count, filled;
    uint64_t *index;
    uint8_t *bytes;
};

static void chunk_open(struct chunk *c, struct snapshot_writer *w, const char *name, size_t unit)
{
    *c = (struct chunk){.w = w, .name = name, .unit = unit, .most = CHUNK / unit};
    c->index = xcalloc(c->most, sizeof(*c->index));
    c->bytes = xcalloc(c->most, unit);
}

/* Writes the units so far as a section. */
static bool chunk_write(struct chunk *c, struct error *err)
{
    size_t head = 8 + 8 * c->count, size = head + c->filled * c->unit;
    uint8_t *all;
    char name[SNAPSHOT_NAME];
    bool ok;

    if (!c->count)
        return true;
    all = xcalloc(1, size);
    le_put(all, 8, c->count);
    memcpy(all + 8, c->index, 8 * c->count);
    memcpy(all + head, c->bytes, c->filled * c->unit);
    snprintf(name, sizeof(name), "%s.%u", c->name, c->number++);
    ok = snapshot_add(c->w, name, all, size, err);
    free(all);
    c->count = c->filled = 0;
    return ok;
}

/* Adds a unit; `bytes` NULL: zeros. */
static bool chunk_add(struct chunk *c, uint64_t index, const uint8_t *bytes, struct error *err)
{
    if (c->count == c->most && !chunk_write(c, err))
        return false;
    c->index[c->count++] = bytes ? index : index | ZERO;
    if (bytes)
        memcpy(c->bytes + c->unit * c->filled++, bytes, c->unit);
    return true;
}

static bool chunk_close(struct chunk *c, bool ok, struct error *err)
{
    ok = ok && chunk_write(c, err);
    free(c->index);
    free(c->bytes);
    return ok;
}

/* Calls fn for each unit of the sections of that name; `bytes` NULL: zeros. */
typedef bool unit_fn(void *opaque, uint64_t index, const uint8_t *bytes);

static bool read_units(const uint8_t *all, uint64_t size, size_t unit, unit_fn *fn, void *opaque)
{
    uint64_t count = size >= 8 ? le_get(all, 8) : UINT64_MAX, left;
    const uint8_t *at;

    if (size < 8 || count > (size - 8) / 8)
        return false;
    at = all + 8 + 8 * count;
    left = size - 8 - 8 * count;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t index = le_get(all + 8 + 8 * i, 8);
        bool zero = index & ZERO;

        if ((!zero && left < unit) || !fn(opaque, index & ~ZERO, zero ? NULL : at))
            return false;
        at += zero ? 0 : unit;
        left -= zero ? 0 : unit;
    }
    return !left;
}

static bool read_chunks(const struct snapshot_reader *r, const char *prefix, size_t unit,
                        unit_fn *fn, void *opaque, struct error *err)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct snapshot_part *part = &r->parts[i];
        size_t len = strlen(prefix);
        uint8_t *all;
        bool ok;

        if (strncmp(part->name, prefix, len) || part->name[len] != '.')
            continue;
        all = snapshot_read(part, err);
        if (!all)
            return false;
        ok = read_units(all, part->size, unit, fn, opaque);
        free(all);
        if (!ok)
            return error_set(err, "the snapshot's section '%s' is not of this machine", part->name);
    }
    return true;
}

/* ---- RAM ------------------------------------------------------------------------------------- */

static bool is_memory(const struct bus_region *r)
{
    return r->kind != BUS_MMIO && !r->host_is_borrowed;
}

static bool save_ram(struct machine *m, struct snapshot_writer *w, struct error *err)
{
    struct chunk c;
    bool ok = true;

    chunk_open(&c, w, "ram", BUS_PAGE_SIZE);
    for (size_t n = 0; n < m->bus->count; n++) {
        const struct bus_region *r = m->bus->regions[n];

        for (uint64_t at = 0; is_memory(r) && at < r->size && ok; at += BUS_PAGE_SIZE) {
            if (!bytes_are_zero(r->host + at, BUS_PAGE_SIZE))
                ok = chunk_add(&c, (r->base + at) >> BUS_PAGE_BITS, r->host + at, err);
        }
    }
    return chunk_close(&c, ok, err);
}

struct ram_load {
    struct machine *m;
    bool apply;
};

static bool load_page(void *opaque, uint64_t index, const uint8_t *bytes)
{
    const struct ram_load *load = opaque;
    uint64_t pa = index << BUS_PAGE_BITS;
    const struct bus_region *r;

    if (index > UINT64_MAX >> BUS_PAGE_BITS || !bytes)
        return false;
    r = bus_find(load->m->bus, pa);
    if (!r || !is_memory(r))
        return false;
    if (load->apply)
        memcpy(r->host + (pa - r->base), bytes, BUS_PAGE_SIZE);
    return true;
}

/* Clears memory for a snapshot, which has no pages of zeros. Pages that are zero are not written,
 * so that the host gives no memory for pages that were never used. */
static void clear_ram(struct machine *m)
{
    for (size_t n = 0; n < m->bus->count; n++) {
        const struct bus_region *r = m->bus->regions[n];

        for (uint64_t at = 0; is_memory(r) && at < r->size; at += BUS_PAGE_SIZE) {
            if (!bytes_are_zero(r->host + at, BUS_PAGE_SIZE))
                memset(r->host + at, 0, BUS_PAGE_SIZE);
        }
    }
}

/* ---- disks ----------------------------------------------------------------------------------- */

static bool save_disk(struct disk *disk, unsigned n, struct snapshot_writer *w, struct error *err)
{
    char name[SNAPSHOT_NAME];
    struct chunk c;
    bool ok = true;

    snprintf(name, sizeof(name), "disk%u", n);
    chunk_open(&c, w, name, DISK_CLUSTER);
    for (uint64_t i = 0; i < disk_clusters(disk) && ok; i++) {
        const uint8_t *bytes;

        if (disk_cluster(disk, i, &bytes))
            ok = chunk_add(&c, i, bytes, err);
    }
    return chunk_close(&c, ok, err);
}

struct disk_load {
    struct disk *disk;
    bool apply;
};

static bool load_cluster(void *opaque, uint64_t index, const uint8_t *bytes)
{
    const struct disk_load *load = opaque;

    if (index >= disk_clusters(load->disk))
        return false;
    if (load->apply)
        disk_set_cluster(load->disk, index, bytes);
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

bool snapshot_save_memory(struct machine *m, struct snapshot_writer *w, struct error *err)
{
    for (unsigned n = 0; n < m->disks.len; n++) {
        if (!save_disk(m->disks.data[n], n, w, err))
            return false;
    }
    return save_ram(m, w, err);
}

bool snapshot_load_memory(struct machine *m, const struct snapshot_reader *r, bool apply,
                          struct error *err)
{
    struct ram_load ram = {m, apply};

    if (apply)
        clear_ram(m);
    if (!read_chunks(r, "ram", BUS_PAGE_SIZE, load_page, &ram, err))
        return false;
    for (unsigned n = 0; n < m->disks.len; n++) {
        struct disk_load load = {m->disks.data[n], apply};
        char name[SNAPSHOT_NAME];

        snprintf(name, sizeof(name), "disk%u", n);
        if (apply)
            disk_forget_writes(load.disk);
        if (!read_chunks(r, name, DISK_CLUSTER, load_cluster, &load, err))
            return false;
    }
    return true;
}
