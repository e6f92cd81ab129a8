/* Reserving host addresses for flat guest memory. */
#include "runtime/mem/flat.h"

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/base/sanitizer.h"
#include "runtime/mem/bus.h"

/* Lowest host address that Linux lets programs map by default. */
#define LOWEST UINT64_C(0x10000)

/* Bases of flat memory to try in turns, and the first address to reserve; flat.h says why. */
static const struct {
    uint64_t base, from;
} places[] = {
#if WITH_ADDRESS_SANITIZER || !defined(__x86_64__)
    {UINT64_C(1) << 46, (UINT64_C(1) << 46) - (UINT64_C(1) << 40)},
#else
    {0, LOWEST},
    {UINT64_C(1) << 30, LOWEST},
#endif
};

bool reservation_make(struct reservation *r, uint8_t *where, uint64_t bytes)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (where ? MAP_FIXED_NOREPLACE : 0);
    uint8_t *at = mmap(where, bytes, PROT_NONE, flags, -1, 0);

    if (at == MAP_FAILED)
        return false;
    if (where && at != where) { /* Linux before 4.17 treats the address as a hint */
        munmap(at, bytes);
        return false;
    }
    *r = (struct reservation){at, bytes};
    return true;
}

void reservation_free(struct reservation *r)
{
    if (r->at)
        munmap(r->at, r->bytes);
    *r = (struct reservation){0};
}

bool reservation_flat(struct reservation *r, uint64_t least, uint8_t **base)
{
    if (sysconf(_SC_PAGESIZE) != (long)BUS_PAGE_SIZE)
        return false;
    for (size_t n = 0; n < sizeof(places) / sizeof(places[0]); n++) {
        uint64_t at = places[n].base, from = places[n].from;

        if (at + least >= from && reservation_make(r, (uint8_t *)(uintptr_t)from,
                                                   at + (UINT64_C(1) << FLAT_BITS) - from)) {
            *base = (uint8_t *)(uintptr_t)at;
            return true;
        }
    }
    return false;
}
