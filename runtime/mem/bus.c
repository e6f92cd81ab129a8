/* The physical address space: its map, device registers, copies, and pages with decoded code. */
#include "runtime/mem/bus.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/base/log.h"

#define PAGE_MASK (BUS_PAGE_SIZE - 1)

/*
 * Size of the hash table of unmapped pages that were reported. A new page replaces an old one with
 * the same hash, so a guest that probes all addresses costs no memory.
 */
#define REPORTED_SLOTS 1024

struct bus *bus_new(struct log *log)
{
    struct bus *bus = xcalloc(1, sizeof(*bus));

    bus->log = log;
    bus->reported = xcalloc(REPORTED_SLOTS, sizeof(uint64_t));
    return bus;
}

static void free_region(struct bus_region *r)
{
    if (r->host && !r->host_is_borrowed)
        munmap(r->host, r->size);
    if (r->page_flags)
        munmap(r->page_flags, r->size >> BUS_PAGE_BITS);
    free(r->name);
    free(r);
}

void bus_free(struct bus *bus)
{
    if (!bus)
        return;
    for (size_t i = 0; i < bus->count; i++)
        free_region(bus->regions[i]);
    free(bus->regions);
    free(bus->reported);
    free(bus);
}

/* ---- the map --------------------------------------------------------------------------------- */

/* Index of the first region that ends above `pa`. */
static size_t lower_bound(const struct bus *bus, uint64_t pa)
{
    size_t low = 0, high = bus->count;

    while (low < high) {
        size_t mid = (low + high) / 2;
        const struct bus_region *r = bus->regions[mid];

        if (r->base + (r->size - 1) < pa)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

const struct bus_region *bus_find_slow(struct bus *bus, uint64_t pa)
{
    size_t i = lower_bound(bus, pa);

    if (i == bus->count || pa < bus->regions[i]->base)
        return NULL;
    bus->last = bus->regions[i];
    return bus->last;
}

/* Adds a region without contents to the map; NULL with *err when it does not fit. */
static struct bus_region *add_region(struct bus *bus, const char *name, struct bus_range range,
                                     enum bus_kind kind, struct error *err)
{
    uint64_t base = range.base, size = range.size;
    struct bus_region *r;
    size_t i;

    if (!size || base + (size - 1) < base)
        return error_null(err, "%s: %#" PRIx64 " bytes at %#" PRIx64 " are no address range", name,
                          size, base);
    if (kind != BUS_MMIO && ((base | size) & PAGE_MASK))
        return error_null(err,
                          "%s: memory of %#" PRIx64 " bytes at %#" PRIx64
                          " is not a whole number of 4 KB pages",
                          name, size, base);
    i = lower_bound(bus, base);
    if (i < bus->count && bus->regions[i]->base <= base + (size - 1))
        return error_null(err, "%s at %#" PRIx64 " overlaps %s at %#" PRIx64, name, base,
                          bus->regions[i]->name, bus->regions[i]->base);
    r = xcalloc(1, sizeof(*r));
    *r = (struct bus_region){.base = base, .size = size, .kind = kind, .name = xstrdup(name)};
    bus->regions = xrealloc(bus->regions, bus->count + 1, sizeof(*bus->regions));
    memmove(bus->regions + i + 1, bus->regions + i, (bus->count - i) * sizeof(*bus->regions));
    bus->regions[i] = r;
    bus->count++;
    bus->generation++;
    return r;
}

static void remove_region(struct bus *bus, struct bus_region *r)
{
    size_t i = lower_bound(bus, r->base);

    bus->count--;
    memmove(bus->regions + i, bus->regions + i + 1, (bus->count - i) * sizeof(*bus->regions));
    free_region(r);
}

/* Zeroed host memory that is backed only where it is touched, or NULL. With `large`, in large
 * pages, which cause fewer host faults while the guest first touches its memory. */
static void *map_lazily(uint64_t size, bool large)
{
    void *host = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (host == MAP_FAILED)
        return NULL;
    if (large)
        madvise(host, size, MADV_HUGEPAGE); /* a failure only costs speed */
    return host;
}

static struct bus_region *add_memory(struct bus *bus, const char *name, struct bus_range range,
                                     enum bus_kind kind, uint8_t *host, struct error *err)
{
    struct bus_region *r = add_region(bus, name, range, kind, err);

    if (!r)
        return NULL;
    r->host_is_borrowed = host != NULL;
    r->host = host ? host : map_lazily(range.size, true);
    r->page_flags = map_lazily(range.size >> BUS_PAGE_BITS, false);
    if (r->host && r->page_flags)
        return r;
    error_set(err, "%s: the host cannot map %" PRIu64 " MB: %s", name, range.size >> 20,
              strerror(errno));
    remove_region(bus, r);
    return NULL;
}

const struct bus_region *bus_add_ram(struct bus *bus, const char *name, uint64_t base,
                                     uint64_t size, struct error *err)
{
    return add_memory(bus, name, (struct bus_range){base, size}, BUS_RAM, NULL, err);
}

const struct bus_region *bus_add_host_ram(struct bus *bus, const char *name, uint64_t base,
                                          uint64_t size, uint8_t *host, struct error *err)
{
    return add_memory(bus, name, (struct bus_range){base, size}, BUS_RAM, host, err);
}

const struct bus_region *bus_add_rom(struct bus *bus, const char *name, struct bus_range range,
                                     const void *image, size_t len, struct error *err)
{
    struct bus_region *r;

    if (len > range.size)
        return error_null(err, "%s: an image of %zu bytes does not fit into %" PRIu64, name, len,
                          range.size);
    r = add_memory(bus, name, range, BUS_ROM, NULL, err);
    if (r && len)
        memcpy(r->host, image, len);
    return r;
}

const struct bus_region *bus_add_mmio(struct bus *bus, const char *name, struct bus_range range,
                                      const struct mmio_ops *ops, void *dev, struct error *err)
{
    struct bus_region *r = add_region(bus, name, range, BUS_MMIO, err);

    if (!r)
        return NULL;
    r->ops = ops;
    r->dev = dev;
    return r;
}

void bus_reverse_bytes(const struct bus_region *region)
{
    ((struct bus_region *)region)->reversed = true;
}

/* ---- faults ---------------------------------------------------------------------------------- */

static void report_unmapped(struct bus *bus, uint64_t pa, const char *what)
{
    uint64_t *reported = bus->reported;
    uint64_t page = pa >> BUS_PAGE_BITS;
    size_t slot = (page * UINT64_C(0x9e3779b97f4a7c15)) >> 54; /* top 10 bits */

    bus->faults++;
    if (!log_enabled(bus->log, LOG_GUEST_ERRORS) || reported[slot] == page + 1)
        return;
    reported[slot] = page + 1;
    log_printf(bus->log, LOG_GUEST_ERRORS,
               "bus: %s at %#" PRIx64 ", where nothing is (page reported once)\n", what, pa);
}

/* ---- device registers ------------------------------------------------------------------------ */

/* bus_find() returns const regions to other files; here their counters are written. */
static struct bus_region *region_at(struct bus *bus, uint64_t pa)
{
    return (struct bus_region *)bus_find(bus, pa);
}

static unsigned min_size(const struct mmio_ops *ops)
{
    return ops->min_size ? ops->min_size : 1;
}

static unsigned max_size(const struct mmio_ops *ops)
{
    return ops->max_size ? ops->max_size : 8;
}

static void log_access(struct bus *bus, const struct bus_region *r, uint64_t offset, unsigned size,
                       const char *arrow, uint64_t value)
{
    log_printf(bus->log, LOG_DEV, "%s: %u bytes at +%#" PRIx64 " %s %#" PRIx64 "\n", r->name, size,
               offset, arrow, value);
}

/* A number of `size` bytes in the device's order of bytes, or in the bus's. */
static uint64_t in_order(const struct bus_region *r, unsigned size, uint64_t value)
{
    return r->reversed ? __builtin_bswap64(value) >> (64 - 8 * size) : value;
}

/* A naturally aligned access of an allowed size that fits the region. */
static uint64_t mmio_read_one(struct bus_region *r, uint64_t offset, unsigned size, unsigned cpu)
{
    uint64_t value = 0;

    if (r->ops->read)
        value = r->ops->read(r->dev, offset, size, cpu);
    return in_order(r, size, size == 8 ? value : value & ((UINT64_C(1) << (8 * size)) - 1));
}

static void mmio_write_one(struct bus_region *r, uint64_t offset, unsigned size, uint64_t value,
                           unsigned cpu)
{
    r->ops->write(r->dev, offset, in_order(r, size, value), size, cpu);
}

static uint64_t mmio_read(struct bus_region *r, uint64_t offset, unsigned size, unsigned cpu)
{
    unsigned least = min_size(r->ops), most = max_size(r->ops);
    uint64_t value = 0;

    r->reads++;
    if (size < least) {
        uint64_t start = align_down(offset, least);

        if (start + least > r->size)
            return 0;
        value = mmio_read_one(r, start, least, cpu) >> (8 * (offset - start));
        return value & ((UINT64_C(1) << (8 * size)) - 1);
    }
    for (unsigned done = 0; done < size; done += most) {
        unsigned part = size < most ? size : most;

        value |= mmio_read_one(r, offset + done, part, cpu) << (8 * done);
    }
    return value;
}

static void mmio_write(struct bus_region *r, uint64_t offset, unsigned size, uint64_t value,
                       unsigned cpu)
{
    unsigned least = min_size(r->ops), most = max_size(r->ops);

    r->writes++;
    if (!r->ops->write)
        return;
    if (size < 8)
        value &= (UINT64_C(1) << (8 * size)) - 1;
    if (size < least) {
        uint64_t start = align_down(offset, least);

        if (start + least <= r->size)
            mmio_write_one(r, start, least, value << (8 * (offset - start)), cpu);
        return;
    }
    for (unsigned done = 0; done < size; done += most) {
        unsigned part = size < most ? size : most;
        uint64_t piece = value >> (8 * done);

        if (part < 8)
            piece &= (UINT64_C(1) << (8 * part)) - 1;
        mmio_write_one(r, offset + done, part, piece, cpu);
    }
}

/* ---- accesses of CPUs ------------------------------------------------------------------------ */

static bool mmio_allowed(struct bus *bus, const struct bus_region *r, uint64_t pa, unsigned size)
{
    if (!((pa - r->base) & (size - 1)) && r->size - (pa - r->base) >= size)
        return true;
    bus->faults++;
    log_printf(bus->log, LOG_GUEST_ERRORS,
               "bus: misaligned access of %u bytes to %s at %#" PRIx64 "\n", size, r->name, pa);
    return false;
}

/* A CPU's access that leaves the region in which it starts: byte by byte. */
static bool read_across(struct bus *bus, uint64_t pa, unsigned size, uint64_t *value, unsigned cpu)
{
    uint64_t byte;

    for (unsigned i = 0; i < size; i++) {
        if (!bus_read(bus, pa + i, 1, &byte, cpu)) {
            *value = 0;
            return false;
        }
        *value |= byte << (8 * i);
    }
    return true;
}

bool bus_read(struct bus *bus, uint64_t pa, unsigned size, uint64_t *value, unsigned cpu)
{
    struct bus_region *r = region_at(bus, pa);

    *value = 0;
    if (!r) {
        report_unmapped(bus, pa, "read");
        return false;
    }
    if (r->kind == BUS_MMIO) {
        if (!mmio_allowed(bus, r, pa, size))
            return false;
        *value = mmio_read(r, pa - r->base, size, cpu);
        log_access(bus, r, pa - r->base, size, "->", *value);
        return true;
    }
    if (r->size - (pa - r->base) < size)
        return read_across(bus, pa, size, value, cpu);
    *value = le_get(r->host + (pa - r->base), size);
    return true;
}

static bool write_across(struct bus *bus, uint64_t pa, unsigned size, uint64_t value, unsigned cpu)
{
    for (unsigned i = 0; i < size; i++) {
        if (!bus_write(bus, pa + i, 1, value >> (8 * i), cpu))
            return false;
    }
    return true;
}

static void touch_region(struct bus *bus, struct bus_region *r, uint64_t pa, uint64_t len)
{
    uint64_t first = (pa - r->base) >> BUS_PAGE_BITS;
    uint64_t last = (pa - r->base + len - 1) >> BUS_PAGE_BITS;

    if (!bus->on_code_write)
        return;
    for (uint64_t page = first; page <= last; page++) {
        uint64_t start = r->base + (page << BUS_PAGE_BITS), end = start + BUS_PAGE_SIZE;
        uint64_t from = pa > start ? pa : start;
        uint64_t to = pa + len < end ? pa + len : end;

        if (r->page_flags[page] & BUS_PAGE_CODE)
            bus->on_code_write(bus->code_opaque, from, to - from);
    }
}

bool bus_write(struct bus *bus, uint64_t pa, unsigned size, uint64_t value, unsigned cpu)
{
    struct bus_region *r = region_at(bus, pa);

    if (!r) {
        report_unmapped(bus, pa, "write");
        return false;
    }
    if (r->kind == BUS_MMIO) {
        if (!mmio_allowed(bus, r, pa, size))
            return false;
        log_access(bus, r, pa - r->base, size, "<-", value);
        mmio_write(r, pa - r->base, size, value, cpu);
        return true;
    }
    if (r->size - (pa - r->base) < size)
        return write_across(bus, pa, size, value, cpu);
    if (r->kind == BUS_ROM) {
        log_printf(bus->log, LOG_GUEST_ERRORS, "bus: write to read-only %s at %#" PRIx64 "\n",
                   r->name, pa);
        return true;
    }
    touch_region(bus, r, pa, size);
    le_put(r->host + (pa - r->base), size, value);
    return true;
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* The memory region at `pa` and how many of `len` bytes lie in it; NULL when it is not memory. */
static struct bus_region *memory_at(struct bus *bus, uint64_t pa, uint64_t len, uint64_t *part)
{
    struct bus_region *r = region_at(bus, pa);
    uint64_t rest;

    if (!r || r->kind == BUS_MMIO) {
        rest = BUS_PAGE_SIZE - (pa & PAGE_MASK);
        r = NULL;
    } else {
        rest = r->size - (pa - r->base);
    }
    *part = len < rest ? len : rest;
    return r;
}

static bool copy_from(struct bus *bus, uint64_t pa, uint8_t *to, uint64_t len, bool guest)
{
    bool ok = true;
    uint64_t part;

    for (; len; pa += part, to += part, len -= part) {
        struct bus_region *r = memory_at(bus, pa, len, &part);

        if (r) {
            memcpy(to, r->host + (pa - r->base), part);
            continue;
        }
        if (guest)
            report_unmapped(bus, pa, "DMA read");
        memset(to, 0, part);
        ok = false;
    }
    return ok;
}

bool bus_copy_from(struct bus *bus, uint64_t pa, void *buf, uint64_t len)
{
    return copy_from(bus, pa, buf, len, true);
}

bool bus_peek(struct bus *bus, uint64_t pa, void *buf, uint64_t len)
{
    return copy_from(bus, pa, buf, len, false);
}

static bool copy_to(struct bus *bus, uint64_t pa, const uint8_t *from, uint64_t len, bool guest)
{
    bool ok = true;
    uint64_t part;

    for (; len; pa += part, from += part, len -= part) {
        struct bus_region *r = memory_at(bus, pa, len, &part);

        if (r && (r->kind == BUS_RAM || !guest)) {
            touch_region(bus, r, pa, part);
            memcpy(r->host + (pa - r->base), from, part);
            continue;
        }
        if (guest)
            report_unmapped(bus, pa, "DMA write");
        ok = false;
    }
    return ok;
}

bool bus_copy_to(struct bus *bus, uint64_t pa, const void *buf, uint64_t len)
{
    return copy_to(bus, pa, buf, len, true);
}

bool bus_load(struct bus *bus, uint64_t pa, const void *buf, uint64_t len)
{
    return copy_to(bus, pa, buf, len, false);
}

void *bus_ram_ptr(struct bus *bus, uint64_t pa, uint64_t len)
{
    const struct bus_region *r = bus_find(bus, pa);

    if (!r || r->kind != BUS_RAM || !len || r->size - (pa - r->base) < len)
        return NULL;
    return r->host + (pa - r->base);
}

/* ---- pages that hold decoded code ------------------------------------------------------------ */

void bus_touched(struct bus *bus, uint64_t pa, uint64_t len)
{
    uint64_t part;

    for (; len; pa += part, len -= part) {
        struct bus_region *r = memory_at(bus, pa, len, &part);

        if (r)
            touch_region(bus, r, pa, part);
    }
}

uint8_t *bus_page_flags(struct bus *bus, uint64_t pa)
{
    const struct bus_region *r = bus_find(bus, pa);

    if (!r || !r->page_flags)
        return NULL;
    return r->page_flags + ((pa - r->base) >> BUS_PAGE_BITS);
}

void bus_mark_code(struct bus *bus, uint64_t pa)
{
    uint8_t *flags = bus_page_flags(bus, pa);

    if (!flags || (*flags & BUS_PAGE_CODE))
        return;
    *flags |= BUS_PAGE_CODE;
    if (bus->protect)
        bus->protect(bus->protect_opaque, align_down(pa, BUS_PAGE_SIZE), true);
}

void bus_clear_code(struct bus *bus, uint64_t pa)
{
    uint8_t *flags = bus_page_flags(bus, pa);

    if (!flags || !(*flags & BUS_PAGE_CODE))
        return;
    *flags &= (uint8_t)~BUS_PAGE_CODE;
    if (bus->protect)
        bus->protect(bus->protect_opaque, align_down(pa, BUS_PAGE_SIZE), false);
}

bool bus_has_code(struct bus *bus, uint64_t pa, uint64_t len)
{
    uint64_t last = align_down(pa + (len ? len - 1 : 0), BUS_PAGE_SIZE);

    for (uint64_t page = align_down(pa, BUS_PAGE_SIZE);; page += BUS_PAGE_SIZE) {
        const uint8_t *flags = bus_page_flags(bus, page);

        if (flags && (*flags & BUS_PAGE_CODE))
            return true;
        if (page == last)
            return false;
    }
}
