/*
 * The physical address space of a machine: RAM, ROM and device regions, and every access to them
 * that is not inline in generated or translated code.
 *
 * Regions never overlap. All numbers are little-endian; those of a device that has the other order
 * are reversed on their way (bus_reverse_bytes()). One host thread uses the bus; RAM itself
 * may be read and written by others (GPU workers) through bus_ram_ptr().
 */
#ifndef RUNTIME_MEM_BUS_H
#define RUNTIME_MEM_BUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"

struct log;

#define BUS_PAGE_BITS 12
#define BUS_PAGE_SIZE (UINT64_C(1) << BUS_PAGE_BITS)

/* `cpu` of an access that does not come from a CPU (DMA, debugger, loader). */
#define BUS_NO_CPU 0xffu

/* Flags of a RAM or ROM page, one byte per page. */
enum bus_page_flag {
    BUS_PAGE_CODE = 1,   /* some CPU holds decoded blocks of this page */
    BUS_PAGE_SERVED = 2, /* some CPU's soft TLB lets inline code write to it */
};

/*
 * A device's registers. `offset` is from the region's base and naturally aligned to `size`, and
 * `offset + size` is inside the region; `size` is 1, 2, 4 or 8 and lies in min_size..max_size. A
 * wider access becomes several, lowest offset first. A narrower one becomes one of min_size at the
 * aligned offset: reads are reduced to the requested bytes, writes carry the bytes in their lane
 * with zeros beside them, as from an APB bridge without byte strobes. `cpu` is the number of the
 * CPU (0-based), or BUS_NO_CPU.
 */
struct mmio_ops {
    uint64_t (*read)(void *dev, uint64_t offset, unsigned size, unsigned cpu);
    void (*write)(void *dev, uint64_t offset, uint64_t value, unsigned size, unsigned cpu);
    unsigned min_size, max_size; /* 0: 1 and 8 */
};

enum bus_kind { BUS_RAM, BUS_ROM, BUS_MMIO };

/* Physical addresses from `base` on. */
struct bus_range {
    uint64_t base, size;
};

struct bus_region {
    uint64_t base, size;        /* base + size does not wrap; RAM and ROM are page-aligned */
    enum bus_kind kind;         /* ROM: guest writes are ignored and logged */
    char *name;                 /* for logs and statistics */
    uint8_t *host;              /* RAM, ROM: `size` bytes */
    bool host_is_borrowed;      /* `host` is memory of the caller of bus_add_host_ram() */
    uint8_t *page_flags;        /* RAM, ROM: enum bus_page_flag, one byte per page */
    const struct mmio_ops *ops; /* MMIO */
    void *dev;                  /* MMIO */
    bool reversed;              /* MMIO: the device's numbers are big-endian */
    uint64_t reads, writes;     /* MMIO: accesses so far */
};

struct bus {
    struct bus_region **regions; /* sorted by base */
    size_t count;
    struct bus_region *last; /* the region of the latest lookup, NULL at first */
    struct log *log;
    uint64_t generation; /* counts changes of the map; caches of regions check it */

    /*
     * Called before bytes of a page with BUS_PAGE_CODE change. runtime/cpu drops its blocks of the
     * page and clears the flag with bus_clear_code(). NULL: there is no decoded code.
     */
    void (*on_code_write)(void *opaque, uint64_t pa, uint64_t len);
    void *code_opaque;

    /*
     * Called when BUS_PAGE_CODE of the page at `pa` is set (on) or cleared. Where code writes to
     * RAM without the bus (flat memory), this makes the page read-only on the host in between. The
     * code caches then drop all code of a page when any byte of it changes. With `on`, it may drop
     * all code of the bus. NULL: all writes go through the bus.
     */
    void (*protect)(void *opaque, uint64_t pa, bool on);
    void *protect_opaque;

    /* Two addresses may be of the same memory, as in user mode: a write by one is not noticed as a
     * change of code at the other. */
    bool aliased;

    uint64_t faults; /* number of the guest's accesses to addresses without a region */
    void *reported;  /* pages that were reported on guest_errors */
};

/* An empty bus. `log` (may be NULL) must outlive it. Release with bus_free(). */
struct bus *bus_new(struct log *log);

/* Releases the bus, its regions and their RAM; devices belong to their creators. NULL is allowed.
 */
void bus_free(struct bus *bus);

/*
 * Adds zero-filled RAM (host memory is only used for pages that are touched). `base` and `size`
 * are multiples of 4096. Returns the region, or NULL when it overlaps another, wraps around, or the
 * host has no room. `name` is copied.
 */
const struct bus_region *bus_add_ram(struct bus *bus, const char *name, uint64_t base,
                                     uint64_t size, struct error *err);

/*
 * As bus_add_ram(), with `size` bytes of the caller's host memory, which must outlive the bus.
 * Parts of it that are not readable or writable must not be accessed through the bus.
 */
const struct bus_region *bus_add_host_ram(struct bus *bus, const char *name, uint64_t base,
                                          uint64_t size, uint8_t *host, struct error *err);

/*
 * As bus_add_ram(), read-only for the guest, holding `len` bytes of `image` (may be NULL), at most
 * those of the range, and zeros.
 */
const struct bus_region *bus_add_rom(struct bus *bus, const char *name, struct bus_range range,
                                     const void *image, size_t len, struct error *err);

/* Adds device registers; the range needs no alignment. `ops` and `dev` must outlive the bus. */
const struct bus_region *bus_add_mmio(struct bus *bus, const char *name, struct bus_range range,
                                      const struct mmio_ops *ops, void *dev, struct error *err);

/* Makes the numbers of a device's region big-endian: each access of the device's functions, of
 * min_size to max_size bytes, has its bytes in reverse order. */
void bus_reverse_bytes(const struct bus_region *region);

/* bus_find() by a search of all regions. */
const struct bus_region *bus_find_slow(struct bus *bus, uint64_t pa);

/* The region that holds the address, or NULL. */
static inline const struct bus_region *bus_find(struct bus *bus, uint64_t pa)
{
    const struct bus_region *r = bus->last;

    if (r && pa - r->base < r->size)
        return r;
    return bus_find_slow(bus, pa);
}

/*
 * One access of 1, 2, 4 or 8 bytes as by a CPU. False is an external abort: there is no region, or
 * a device was accessed at a misaligned address; `*value` is then 0. Accesses to RAM may be
 * misaligned and may cross into the next region. Each unmapped page is logged once.
 */
bool bus_read(struct bus *bus, uint64_t pa, unsigned size, uint64_t *value, unsigned cpu);
bool bus_write(struct bus *bus, uint64_t pa, unsigned size, uint64_t value, unsigned cpu);

/*
 * Copies of any length, for DMA. They access RAM, and ROM for reads, but no devices,
 * so that a guest cannot make a device drive itself. False when a part is neither: its bytes read
 * as zero, and writes to them are dropped.
 */
bool bus_copy_from(struct bus *bus, uint64_t pa, void *buf, uint64_t len);
bool bus_copy_to(struct bus *bus, uint64_t pa, const void *buf, uint64_t len);

/*
 * As bus_copy_from() and bus_copy_to(), for who is no part of the machine, such as debuggers and
 * loaders: where nothing is, is neither counted nor logged. bus_load() writes ROM too.
 */
bool bus_peek(struct bus *bus, uint64_t pa, void *buf, uint64_t len);
bool bus_load(struct bus *bus, uint64_t pa, const void *buf, uint64_t len);

/*
 * The host address of `len` bytes of RAM at `pa`, or NULL unless all of them lie in one RAM region
 * (len 0 gives NULL). Before each write through it, bus_touched() must be called.
 */
void *bus_ram_ptr(struct bus *bus, uint64_t pa, uint64_t len);

/* Announces to the code caches that `len` bytes of memory at `pa` are about to change. */
void bus_touched(struct bus *bus, uint64_t pa, uint64_t len);

/* Sets or clears BUS_PAGE_CODE of the RAM or ROM page that holds `pa`; elsewhere does nothing. */
void bus_mark_code(struct bus *bus, uint64_t pa);
void bus_clear_code(struct bus *bus, uint64_t pa);

/* The flag byte of the page that holds `pa`, for the soft TLBs; NULL outside of memory. */
uint8_t *bus_page_flags(struct bus *bus, uint64_t pa);

/* Whether any page that [pa, pa + len) touches has BUS_PAGE_CODE. */
bool bus_has_code(struct bus *bus, uint64_t pa, uint64_t len);

#endif
