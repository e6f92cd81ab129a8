/*
 * The physical address space of a machine: RAM, ROM and device regions, and every access to them
 * that does not go through a CPU's inline TLB.
 *
 * Regions never overlap. All numbers are little-endian. One host thread uses the bus; RAM itself
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

/* `cpu` of an access that no CPU made (DMA, debugger, loader). */
#define BUS_NO_CPU 0xffu

/* Flags of a RAM page, one byte a page. */
enum bus_page_flag {
    BUS_PAGE_CODE = 1,   /* some CPU holds decoded blocks of this page */
    BUS_PAGE_SERVED = 2, /* some CPU may write to it without asking the runtime */
};

/*
 * A device's registers. `offset` is from the region's base and naturally aligned to `size`, and
 * `offset + size` is inside the region; `size` is 1, 2, 4 or 8 and lies in min_size..max_size.
 * A wider access arrives as several, lowest offset first. A narrower one arrives as one of min_size
 * at the aligned offset: reads are cut to the bytes asked for, writes carry the bytes in their
 * lane with zeros beside them (what an APB bridge without byte strobes does).
 * `cpu` is the number of the CPU (0-based), or BUS_NO_CPU.
 */
struct mmio_ops {
    uint64_t (*read)(void *dev, uint64_t offset, unsigned size, unsigned cpu);
    void (*write)(void *dev, uint64_t offset, uint64_t value, unsigned size, unsigned cpu);
    unsigned min_size, max_size; /* 0: 1 and 8 */
};

enum bus_kind { BUS_RAM, BUS_ROM, BUS_MMIO };

struct bus_region {
    uint64_t base, size;        /* base + size does not wrap; RAM and ROM are page-aligned */
    enum bus_kind kind;         /* ROM: guest writes are ignored and logged */
    char *name;                 /* for logs and statistics */
    uint8_t *host;              /* RAM, ROM: `size` bytes */
    bool borrowed;              /* `host` belongs to somebody else */
    uint8_t *page_flags;        /* RAM, ROM: enum bus_page_flag, a byte a page */
    const struct mmio_ops *ops; /* MMIO */
    void *dev;                  /* MMIO */
    uint64_t reads, writes;     /* MMIO: accesses so far */
};

struct bus {
    struct bus_region **regions; /* sorted by base */
    size_t count;
    struct bus_region *last; /* the region of the latest lookup, NULL at first */
    struct log *log;
    uint64_t generation; /* counts changes of the map; caches of regions check it */

    /*
     * Called before bytes of a page with BUS_PAGE_CODE change. The CPU room drops its blocks of the
     * page and clears the flag with bus_clear_code(). NULL: nobody cares.
     */
    void (*on_code_write)(void *opaque, uint64_t pa, uint64_t len);
    void *code_opaque;

    /*
     * Called when a page, whose first address is `pa`, has got BUS_PAGE_CODE (on) or lost it. Who
     * lets others write to RAM past the bus makes the page read-only for them in between; the code
     * caches then drop all code of a page when any byte of it changes. NULL: nobody does. It may
     * drop all code of the bus when `on`.
     */
    void (*protect)(void *opaque, uint64_t pa, bool on);
    void *protect_opaque;

    uint64_t faults; /* accesses to addresses where nothing is */
    void *reported;  /* pages already reported on guest_errors */
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
 * As bus_add_ram(), with `size` bytes of host memory of the caller's, which must outlive the bus.
 * What is not readable or writable there must not be accessed through the bus.
 */
const struct bus_region *bus_add_host_ram(struct bus *bus, const char *name, uint64_t base,
                                          uint64_t size, uint8_t *host, struct error *err);

/*
 * As bus_add_ram(), read-only for the guest, holding `len` <= `size` bytes of `image` (may be NULL)
 * and zeros.
 */
const struct bus_region *bus_add_rom(struct bus *bus, const char *name, uint64_t base,
                                     uint64_t size, const void *image, size_t len,
                                     struct error *err);

/* Adds device registers; base and size are free. `ops` and `dev` must outlive the bus. */
const struct bus_region *bus_add_mmio(struct bus *bus, const char *name, uint64_t base,
                                      uint64_t size, const struct mmio_ops *ops, void *dev,
                                      struct error *err);

/* The search behind bus_find(). */
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
 * One access of 1, 2, 4 or 8 bytes as a CPU makes it. False is an external abort: nothing is
 * there, or a device was addressed with a misaligned address; `*value` is then 0. Accesses to RAM
 * may be misaligned and may cross into the next region. Each unmapped page is logged once.
 */
bool bus_read(struct bus *bus, uint64_t pa, unsigned size, uint64_t *value, unsigned cpu);
bool bus_write(struct bus *bus, uint64_t pa, unsigned size, uint64_t value, unsigned cpu);

/*
 * DMA and debugger copies of any length. Only RAM and ROM (reads) are reached: devices are not, so
 * that a guest cannot make a device drive itself. False when a part was not there: such bytes read
 * as zero, and writes to them are dropped.
 */
bool bus_copy_from(struct bus *bus, uint64_t pa, void *buf, uint64_t len);
bool bus_copy_to(struct bus *bus, uint64_t pa, const void *buf, uint64_t len);

/*
 * Loader's copy: as bus_copy_to(), but ROM is written too. False when a part is not memory.
 */
bool bus_load(struct bus *bus, uint64_t pa, const void *buf, uint64_t len);

/*
 * The host address of `len` bytes of RAM at `pa`, or NULL unless all of them lie in one RAM region
 * (len 0 is NULL). Who writes through it calls bus_touched() first.
 */
void *bus_ram_ptr(struct bus *bus, uint64_t pa, uint64_t len);

/* Tells the code caches that `len` bytes of memory at `pa` are about to change. */
void bus_touched(struct bus *bus, uint64_t pa, uint64_t len);

/* Sets or clears BUS_PAGE_CODE of the RAM or ROM page that holds `pa`; elsewhere does nothing. */
void bus_mark_code(struct bus *bus, uint64_t pa);
void bus_clear_code(struct bus *bus, uint64_t pa);

/* The flag byte of the page that holds `pa`, for the CPU's inline TLB; NULL outside memory. */
uint8_t *bus_page_flags(struct bus *bus, uint64_t pa);

/* Whether any page that [pa, pa + len) touches has BUS_PAGE_CODE. */
bool bus_has_code(struct bus *bus, uint64_t pa, uint64_t len);

#endif
