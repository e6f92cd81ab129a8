/* The host's side of an address space (space_host.h): reserving, mapping and protecting memory. */
#include "runtime/user/space_host.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include "runtime/mem/bus.h"

#define PAGE CPU_PAGE_SIZE

/* Smallest number of guest address bits that is tried. */
enum { LEAST_BITS = 32 };

/* Areas from this size on get large host pages, for fewer misses of the host's TLB. */
#define LARGE (UINT64_C(4) << 20)

/* ---- the reservation ------------------------------------------------------------------------- */

/* The addresses below SPACE_LOWEST are no memory: nothing can be mapped there. */
static bool give_to_bus(struct space *s, unsigned bits, uint8_t *host, struct error *err)
{
    s->host = host;
    s->size = UINT64_C(1) << bits;
    s->bus->aliased = true; /* by shared mappings */
    if (bus_add_host_ram(s->bus, "memory", SPACE_LOWEST, s->size - SPACE_LOWEST,
                         host + SPACE_LOWEST, err))
        return true;
    host_release(s);
    return false;
}

static void on_code(void *opaque, uint64_t pa, bool on);

static bool reserve_flat(struct space *s, unsigned bits, struct error *err)
{
    uint8_t *base;

    if (!reservation_flat(&s->reserved, SPACE_LOWEST, &base) || !give_to_bus(s, bits, base, err))
        return false;
    s->flat = true;
    s->bus->protect = on_code;
    s->bus->protect_opaque = s;
    return true;
}

void space_set_flat(const struct space *s, struct cpu *cpu)
{
    if (s->flat)
        cpu_set_flat(cpu, (uintptr_t)s->host);
    else
        cpu_clear_flat(cpu);
}

bool host_reserve(struct space *s, unsigned bits, bool flat, struct error *err)
{
    if (sysconf(_SC_PAGESIZE) != (long)PAGE)
        return error_set(err, "user mode needs a host whose pages have 4 KB");
    if (flat && reserve_flat(s, bits, err))
        return true;
    do { /* fewer addresses than the architecture has, but not fewer than it needs */
        if (reservation_make(&s->reserved, NULL, UINT64_C(1) << bits) &&
            give_to_bus(s, bits, s->reserved.at, err))
            return true;
    } while (bits-- > LEAST_BITS);
    return error_set(err, "the host has no room for 4 GB of addresses: %s", strerror(errno));
}

void host_release(struct space *s)
{
    reservation_free(&s->reserved);
    if (s->flat)
        s->bus->protect = NULL;
    s->flat = false;
}

/* ---- permissions ----------------------------------------------------------------------------- */

/* Executable guest memory is readable, as on CPUs that have no permission to execute only. */
static int host_prot(int prot)
{
    return (prot ? PROT_READ : PROT_NONE) | (prot & PROT_WRITE);
}

/* Gives up flat memory, when the host has too many mappings to protect single pages. All code is
 * dropped, since translations access flat memory. */
static void give_up(struct space *s)
{
    s->flat = false;
    s->bus->protect = NULL;
    for (unsigned n = 0; n < s->group->count; n++)
        cpu_clear_flat(s->group->cpu[n]);
    vec_for_each (&s->areas, a) {
        if (a->prot & PROT_WRITE) /* joins mappings, and so needs no new ones */
            mprotect(s->host + a->start, a->end - a->start, host_prot(a->prot));
    }
    if (s->group->count)
        cpu_code_flush(s->group->cpu[0]);
    log_printf(s->bus->log, LOG_MMU, "no flat memory any more: the host has too many mappings\n");
}

/* struct bus.protect */
static void on_code(void *opaque, uint64_t pa, bool on)
{
    struct space *s = opaque;
    const struct area *a = space_find(s, pa);

    if (a && (a->prot & PROT_WRITE) &&
        mprotect(s->host + pa, PAGE, on ? PROT_READ : host_prot(a->prot)))
        give_up(s);
}

/* Makes those pages of a writable area that have code read-only. */
static void protect_code(struct space *s, const struct area *a)
{
    const uint8_t *flags = bus_page_flags(s->bus, a->start);
    uint64_t pages = (a->end - a->start) / PAGE;

    for (uint64_t n = 0, from; s->flat && n < pages; n++) {
        for (from = n; n < pages && (flags[n] & BUS_PAGE_CODE);)
            n++;
        if (n > from && mprotect(s->host + a->start + from * PAGE, (n - from) * PAGE, PROT_READ))
            give_up(s);
    }
}

int64_t host_protect(struct space *s, struct area *a, int prot)
{
    int old = a->prot, failed = 0;

    if (mprotect(s->host + a->start, a->end - a->start, host_prot(prot))) {
        failed = errno;
        mprotect(s->host + a->start, a->end - a->start, host_prot(old));
    } else {
        a->prot = prot;
    }
    if (a->prot & PROT_WRITE)
        protect_code(s, a);
    return -failed;
}

/* ---- mappings -------------------------------------------------------------------------------- */

/* Maps zeros in place of what is there. */
static int64_t map_zeros(struct space *s, uint64_t start, uint64_t end, int prot)
{
    void *at = mmap(s->host + start, end - start, prot,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);

    return at == MAP_FAILED ? -errno : 0;
}

int64_t host_map(struct space *s, struct area *a, int flags, int fd)
{
    int host_flags = a->shared ? MAP_SHARED : MAP_PRIVATE;
    int64_t failed;
    void *at;

    a->backed = fd >= 0 || a->shared;
    host_flags |= fd < 0 ? MAP_ANONYMOUS : 0;
    host_flags |= a->backed ? flags & MAP_NORESERVE : MAP_NORESERVE;
    at = mmap(s->host + a->start, a->end - a->start, host_prot(a->prot), host_flags | MAP_FIXED, fd,
              (off_t)a->offset);
    failed = at == MAP_FAILED ? -errno : 0;
    if (!failed && !a->backed && a->end - a->start >= LARGE)
        madvise(s->host + a->start, a->end - a->start, MADV_HUGEPAGE);
    return failed;
}

int64_t host_attach(struct space *s, struct area *a, int id)
{
    int flags = SHM_REMAP | (a->prot & PROT_WRITE ? 0 : SHM_RDONLY);

    a->backed = true;
    return shmat(id, s->host + a->start, flags) == (void *)-1 ? -errno : 0;
}

int64_t host_unmap(struct space *s, uint64_t start, uint64_t end)
{
    return map_zeros(s, start, end, PROT_NONE);
}

/* host_move() by copying, for memory of several host mappings, which mremap() does not move. */
static int64_t move_by_copy(struct space *s, struct area *a, uint64_t to, uint64_t new_len)
{
    uint64_t old_len = a->end - a->start, keep = old_len < new_len ? old_len : new_len;
    int64_t failed = map_zeros(s, to, to + new_len, PROT_READ | PROT_WRITE);

    if (!failed && mprotect(s->host + a->start, keep, PROT_READ))
        failed = -errno;
    if (failed)
        return failed;
    memcpy(s->host + to, s->host + a->start, keep);
    a->backed = false;
    return mprotect(s->host + to, new_len, host_prot(a->prot)) ? -errno : 0;
}

int64_t host_move(struct space *s, struct area *a, uint64_t to, uint64_t new_len)
{
    uint64_t old_len = a->end - a->start;
    int64_t failed = 0;

    if (mremap(s->host + a->start, old_len, new_len, MREMAP_MAYMOVE | MREMAP_FIXED, s->host + to) ==
        MAP_FAILED)
        failed = a->shared ? -errno : move_by_copy(s, a, to, new_len);
    if (failed) {
        host_unmap(s, to, to + new_len);
        mprotect(s->host + a->start, old_len, host_prot(a->prot));
    } else {
        host_unmap(s, a->start, a->end); /* back to the reserved state */
    }
    return failed;
}

/* ---- files that get shorter ------------------------------------------------------------------ */

bool space_page_lost(struct space *s, const void *host)
{
    uint64_t va = ((uint64_t)(uintptr_t)host - (uintptr_t)s->host) & ~CPU_PAGE_MASK;
    const struct area *a = va < s->size ? space_find(s, va) : NULL;
    int prot;

    if (!a)
        return false;
    prot = host_prot(a->prot);
    if (s->flat && (*bus_page_flags(s->bus, va) & BUS_PAGE_CODE))
        prot &= ~PROT_WRITE;
    return !map_zeros(s, va, va + PAGE, prot);
}
