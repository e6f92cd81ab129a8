/*
 * Saving and loading of memory and disks.
 *
 * Whether a page has changed is known by its hash, since nothing records the writes of CPUs. Pages
 * that the host never gave memory for are zero, and are not read.
 *
 * A snapshot is loaded into fresh mappings, which then take the place of the machine's RAM. So
 * nothing changes before all of it is checked, and no page has to be cleared or copied.
 */
#include "runtime/machine/snapshot_memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/dev/disk.h"
#include "runtime/machine/host_pages.h"
#include "runtime/machine/snapshot_units.h"

#define HUGE_PAGE ((uint64_t)2 << 20)

static bool is_memory(const struct bus_region *r)
{
    return r->kind != BUS_MMIO && !r->host_is_borrowed;
}

static uint64_t pages_of(const struct bus_region *r)
{
    return is_memory(r) ? r->size >> BUS_PAGE_BITS : 0;
}

static uint64_t clusters_of(const struct disk *disk)
{
    return disk_writes_file(disk) ? disk_file_clusters(disk) : disk_clusters(disk);
}

/* ---- hashes ---------------------------------------------------------------------------------- */

enum { HASH_ZEROS = 1 }; /* of a disk's cluster of zeros */

/* A hash of `len` bytes, a multiple of 32; neither 0 nor HASH_ZEROS. Four lanes keep a processor's
 * multiplier busy. */
static uint64_t hash_unit(const uint8_t *bytes, size_t len)
{
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t lane[4] = {1, 2, 3, 4}, sum = 0;

    for (size_t i = 0; i < len; i += 32)
        for (unsigned l = 0; l < 4; l++) {
            uint64_t v;

            memcpy(&v, bytes + i + 8 * l, 8);
            lane[l] = (lane[l] ^ v) * factor;
            lane[l] = lane[l] << 31 | lane[l] >> 33;
        }
    for (unsigned l = 0; l < 4; l++) {
        sum = (sum ^ lane[l]) * factor;
        sum ^= sum >> 29;
    }
    return sum | 2;
}

struct snapshot_hashes *snapshot_hashes_new(const struct machine *m)
{
    struct snapshot_hashes *h = xcalloc(1, sizeof(*h));
    uint64_t pages = 0;

    for (size_t n = 0; n < m->bus->count; n++)
        pages += pages_of(m->bus->regions[n]);
    h->ram = xcalloc(pages + 1, sizeof(*h->ram));
    vec_for_each (&m->disks, disk) {
        vec_push(&h->disks, xcalloc(clusters_of(*disk) + 1, sizeof(uint64_t)));
        disk_suspect_all(*disk);
    }
    return h;
}

void snapshot_hashes_free(struct snapshot_hashes *h)
{
    if (!h)
        return;
    vec_for_each (&h->disks, disk)
        free(*disk);
    vec_free(&h->disks);
    free(h->ram);
    free(h);
}

/* ---- saving ---------------------------------------------------------------------------------- */

static bool save_region(const struct bus_region *r, uint64_t *hash, struct unit_writer *u,
                        struct error *err)
{
    struct host_pages map;
    bool ok = true;

    host_pages_open(&map);
    for (uint64_t at = 0; at < r->size && ok; at += BUS_PAGE_SIZE, hash++) {
        const uint8_t *page = r->host + at;
        bool zero = !host_page_is_used(&map, page) || bytes_are_zero(page, BUS_PAGE_SIZE);
        uint64_t now = zero ? 0 : hash_unit(page, BUS_PAGE_SIZE);

        if (now != *hash)
            ok = unit_writer_add(u, (r->base + at) >> BUS_PAGE_BITS, zero ? NULL : page, err);
        *hash = now;
    }
    host_pages_close(&map);
    return ok;
}

static bool save_ram(struct machine *m, uint64_t *hash, struct snapshot_writer *w,
                     struct error *err)
{
    struct unit_writer u;
    bool ok = true;

    unit_writer_open(&u, w, "ram", BUS_PAGE_SIZE);
    for (size_t n = 0; n < m->bus->count && ok; n++) {
        const struct bus_region *r = m->bus->regions[n];

        if (is_memory(r))
            ok = save_region(r, hash, &u, err);
        hash += pages_of(r);
    }
    return unit_writer_close(&u, ok, err);
}

static bool save_disk(struct disk *disk, unsigned n, uint64_t *hash, struct snapshot_writer *w,
                      struct error *err)
{
    char prefix[SNAPSHOT_NAME];
    struct unit_writer u;
    bool ok = true;

    snprintf(prefix, sizeof(prefix), "disk%u", n);
    unit_writer_open(&u, w, prefix, DISK_CLUSTER);
    for (uint64_t i = 0; i < disk_clusters(disk) && ok; i++) {
        const uint8_t *bytes;
        bool written = disk_cluster(disk, i, &bytes);
        uint64_t now = !written ? 0 : !bytes ? HASH_ZEROS : hash_unit(bytes, DISK_CLUSTER);

        if (written && now != hash[i])
            ok = unit_writer_add(&u, i, bytes, err);
        hash[i] = now;
    }
    return unit_writer_close(&u, ok, err);
}

/* The same for a disk whose file the guest writes: what may have changed is read. The writer takes
 * the bytes of its units when it has most of them, so there are buffers for one more. */
static bool save_file_disk(struct disk *disk, unsigned n, uint64_t *hash, struct snapshot_writer *w,
                           struct error *err)
{
    char prefix[SNAPSHOT_NAME];
    struct unit_writer u;
    uint8_t *buffers;
    size_t turn = 0;
    bool ok = true;

    snprintf(prefix, sizeof(prefix), "disk%u", n);
    unit_writer_open(&u, w, prefix, DISK_CLUSTER);
    buffers = xcalloc(u.most + 1, DISK_CLUSTER);
    for (uint64_t i = 0; i < disk_file_clusters(disk) && ok; i++) {
        uint8_t *bytes = buffers + turn % (u.most + 1) * DISK_CLUSTER;
        bool zero;
        uint64_t now;

        if (!disk_may_differ(disk, i))
            continue;
        if (!disk_get_cluster(disk, i, bytes)) {
            ok = error_set(err, "%.150s: it cannot be read", disk_name(disk));
            break;
        }
        zero = bytes_are_zero(bytes, DISK_CLUSTER);
        now = zero ? 0 : hash_unit(bytes, DISK_CLUSTER);
        if (now != hash[i])
            ok = unit_writer_add(&u, i, zero ? NULL : bytes, err);
        turn += now != hash[i] && !zero;
        hash[i] = now;
    }
    ok = unit_writer_close(&u, ok, err);
    free(buffers);
    return ok;
}

bool snapshot_save_memory(struct machine *m, struct snapshot_hashes *h, struct snapshot_writer *w,
                          struct error *err)
{
    for (unsigned n = 0; n < m->disks.len; n++) {
        struct disk *disk = m->disks.data[n];

        if (!(disk_writes_file(disk) ? save_file_disk : save_disk)(disk, n, h->disks.data[n], w,
                                                                   err))
            return false;
    }
    return save_ram(m, h->ram, w, err);
}

/* ---- loading --------------------------------------------------------------------------------- */

/* The memory that is to take the place of a region's. */
struct shadow {
    const struct bus_region *of;
    uint8_t *mapping; /* as the host gave it */
    uint8_t *host;
    uint64_t first; /* number of its first page among all pages */
    bool applied;
};

struct snapshot_memory {
    struct machine *m;
    struct bus *bus;
    VEC(struct shadow) shadows;
    struct snapshot_hashes *hashes;
    VEC(uint8_t **) disks; /* content of clusters; NULL: none, zero, or as the file has it */
};

/* A mapping whose large pages begin where those of the region do, so that they can be moved as they
 * are. */
static bool make_shadow(struct shadow *s, struct error *err)
{
    uint64_t phase = (uintptr_t)s->of->host % HUGE_PAGE;

    s->mapping = mmap(NULL, s->of->size + HUGE_PAGE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (s->mapping == MAP_FAILED)
        return error_set(err, "no memory for a snapshot: %s", strerror(errno));
    s->host = s->mapping + (phase - (uintptr_t)s->mapping) % HUGE_PAGE;
    madvise(s->host, s->of->size, MADV_HUGEPAGE); /* a failure only costs speed */
    return true;
}

struct snapshot_memory *snapshot_memory_new(struct machine *m, struct error *err)
{
    struct snapshot_memory *s = xcalloc(1, sizeof(*s));
    uint64_t pages = 0;

    s->m = m;
    s->bus = bus_new(NULL);
    s->hashes = snapshot_hashes_new(m);
    for (size_t n = 0; n < m->bus->count; n++) {
        struct shadow shadow = {.of = m->bus->regions[n], .first = pages};

        if (!is_memory(shadow.of))
            continue;
        if (!make_shadow(&shadow, err)) {
            snapshot_memory_free(s);
            return NULL;
        }
        pages += pages_of(shadow.of);
        vec_push(&s->shadows, shadow);
        if (shadow.of->kind == BUS_RAM)
            bus_add_host_ram(s->bus, shadow.of->name, shadow.of->base, shadow.of->size, shadow.host,
                             err);
    }
    vec_for_each (&m->disks, disk)
        vec_push(&s->disks, xcalloc(clusters_of(*disk) + 1, sizeof(uint8_t *)));
    return s;
}

void snapshot_memory_free(struct snapshot_memory *s)
{
    if (!s)
        return;
    vec_for_each (&s->shadows, shadow) {
        uint64_t before = (uint64_t)(shadow->host - shadow->mapping), size = shadow->of->size;

        /* What has moved away is no longer at its old place, where others may be by now. */
        if (before)
            munmap(shadow->mapping, before);
        if (!shadow->applied)
            munmap(shadow->host, size);
        if (before < HUGE_PAGE)
            munmap(shadow->host + size, HUGE_PAGE - before);
    }
    for (unsigned n = 0; n < s->disks.len; n++) {
        for (uint64_t i = 0; i < clusters_of(s->m->disks.data[n]); i++)
            free(s->disks.data[n][i]);
        free(s->disks.data[n]);
    }
    vec_free(&s->disks);
    vec_free(&s->shadows);
    snapshot_hashes_free(s->hashes);
    bus_free(s->bus);
    free(s);
}

struct bus *snapshot_memory_bus(struct snapshot_memory *s)
{
    return s->bus;
}

/* Called from several threads. */
static bool load_page(void *opaque, uint64_t index, const uint8_t *bytes)
{
    struct snapshot_memory *s = opaque;
    uint64_t pa = index << BUS_PAGE_BITS;

    if (index > UINT64_MAX >> BUS_PAGE_BITS)
        return false;
    vec_for_each (&s->shadows, shadow) {
        uint64_t at = pa - shadow->of->base, *hash;

        if (at >= shadow->of->size)
            continue;
        hash = &s->hashes->ram[shadow->first + (at >> BUS_PAGE_BITS)];
        if (bytes)
            memcpy(shadow->host + at, bytes, BUS_PAGE_SIZE);
        else if (*hash)
            memset(shadow->host + at, 0, BUS_PAGE_SIZE);
        *hash = bytes ? hash_unit(bytes, BUS_PAGE_SIZE) : 0;
        return true;
    }
    return false;
}

struct disk_load {
    struct snapshot_memory *s;
    unsigned disk;
};

/* Whether the file that the guest writes has a cluster already, as most of them are. */
static bool file_has(struct disk *disk, uint64_t n, const uint8_t *bytes)
{
    uint8_t *own;
    bool has;

    if (!disk_writes_file(disk))
        return false;
    own = xcalloc(1, DISK_CLUSTER);
    has = disk_get_cluster(disk, n, own) && !memcmp(own, bytes, DISK_CLUSTER);
    free(own);
    return has;
}

static bool load_cluster(void *opaque, uint64_t index, const uint8_t *bytes)
{
    const struct disk_load *load = opaque;
    struct snapshot_memory *s = load->s;
    struct disk *disk = s->m->disks.data[load->disk];
    uint8_t **cluster = s->disks.data[load->disk] + index;
    uint64_t *hash = s->hashes->disks.data[load->disk] + index;

    if (index >= clusters_of(disk))
        return false;
    free(*cluster);
    *cluster = NULL;
    *hash = bytes ? hash_unit(bytes, DISK_CLUSTER) : disk_writes_file(disk) ? 0 : HASH_ZEROS;
    if (bytes && !file_has(disk, index, bytes))
        *cluster = memcpy(xcalloc(1, DISK_CLUSTER), bytes, DISK_CLUSTER);
    return true;
}

bool snapshot_memory_add(struct snapshot_memory *s, const struct snapshot_reader *r,
                         struct error *err)
{
    const struct unit_reading ram = {r, "ram", BUS_PAGE_SIZE, snapshot_threads(), load_page, s};

    for (unsigned n = 0; n < s->disks.len; n++) {
        struct disk_load load = {s, n};
        char prefix[SNAPSHOT_NAME];
        const struct unit_reading disk = {r, prefix, DISK_CLUSTER, 1, load_cluster, &load};

        snprintf(prefix, sizeof(prefix), "disk%u", n);
        if (!unit_read_all(&disk, err))
            return false;
    }
    return unit_read_all(&ram, err);
}

static void apply_shadow(struct shadow *s)
{
    void *to = s->of->host;
    size_t size = s->of->size;

    s->applied = mremap(s->host, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to;
    /* A host without that: the old content goes, as mremap() may have begun. */
    if (!s->applied && mmap(to, size, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == to)
        memcpy(to, s->host, size);
}

static void apply_disk(struct disk *disk, uint8_t **content, const uint64_t *hash)
{
    disk_forget_writes(disk);
    for (uint64_t i = 0; i < disk_clusters(disk); i++) {
        if (hash[i])
            disk_set_cluster(disk, i, content[i]);
    }
}

/* The same for a disk whose file the guest writes. */
static bool apply_file_disk(struct disk *disk, uint8_t **content, const uint64_t *hash,
                            struct error *err)
{
    uint8_t *own = xcalloc(1, DISK_CLUSTER);
    bool ok = true;

    for (uint64_t i = 0; i < disk_file_clusters(disk) && ok; i++) {
        if (content[i])
            ok = disk_put_cluster(disk, i, content[i]);
        else if (!hash[i])
            ok = disk_get_cluster(disk, i, own) &&
                 (bytes_are_zero(own, DISK_CLUSTER) || disk_put_cluster(disk, i, NULL));
    }
    free(own);
    return ok || error_set(err, "%.150s: it cannot be written", disk_name(disk));
}

bool snapshot_memory_apply(struct snapshot_memory *s, struct snapshot_hashes **hashes,
                           struct error *err)
{
    bool ok = true;

    *hashes = s->hashes;
    s->hashes = NULL;
    vec_for_each (&s->shadows, shadow)
        apply_shadow(shadow);
    for (unsigned n = 0; n < s->disks.len; n++) {
        struct disk *disk = s->m->disks.data[n];
        const uint64_t *hash = (*hashes)->disks.data[n];

        if (disk_writes_file(disk))
            ok = apply_file_disk(disk, s->disks.data[n], hash, err) && ok;
        else
            apply_disk(disk, s->disks.data[n], hash);
    }
    return ok;
}
