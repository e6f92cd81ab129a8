/* Reserving host addresses for flat guest memory. */
#include "runtime/mem/flat.h"

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/base/sanitizer.h"
#include "runtime/mem/bus.h"

/* Base of flat memory, and the bytes reserved below it and from it on; flat.h says why. */
#if WITH_ADDRESS_SANITIZER || !defined(__x86_64__)
#define FLAT_BASE  (UINT64_C(1) << 46)
#define FLAT_BELOW (UINT64_C(1) << 40)
#else
#define FLAT_BASE  (UINT64_C(1) << 30)
#define FLAT_BELOW (FLAT_BASE - 0x10000)
#endif
#define FLAT_ABOVE (UINT64_C(1) << FLAT_BITS)

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

uint8_t *reservation_flat(struct reservation *r)
{
    uint8_t *base = (uint8_t *)(uintptr_t)FLAT_BASE;

    if (sysconf(_SC_PAGESIZE) != (long)BUS_PAGE_SIZE ||
        !reservation_make(r, base - FLAT_BELOW, FLAT_BELOW + FLAT_ABOVE))
        return NULL;
    return base;
}
