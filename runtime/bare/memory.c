/*
 * Memory of the bare runner. If the runner translates addresses, host code accesses memory directly
 * where the host permits that (runtime/mem/flat.h), and memory wraps from the CPU's last address to
 * 0. If the description translates, memory is RAM at its physical address.
 */
#include "runtime/bare/bare.h"

#include <sys/mman.h>

#include "runtime/base/bits.h"

uint64_t bare_memory_bytes(const struct bare *b)
{
    return b->megabytes << 20;
}

bool bare_translates(const struct bare *b)
{
    return b->isa->translate && !b->runner_traps;
}

uint64_t bare_bus_address(const struct bare *b, uint64_t address)
{
    if (bare_translates(b))
        return address;
    if (b->io != BARE_NO_IO && (address ^ b->io) < CPU_PAGE_SIZE)
        return bare_memory_bytes(b) + (address & CPU_PAGE_MASK);
    return cpu_wrap(b->isa, address - b->memory);
}

/* ---- flat memory ----------------------------------------------------------------------------- */

/* A write to a page with code costs a host fault and decoding the code again. After MAX_LOST of
 * these writes, code and data are assumed to share pages, and flat memory is given up. */
enum { MAX_LOST = 64 };

/* Makes host code use the soft TLB from now on. */
static void give_up_flat_memory(struct bare *b)
{
    mprotect(b->flat_base + b->memory, bare_memory_bytes(b), PROT_READ | PROT_WRITE);
    b->bus->protect = NULL;
    cpu_clear_flat(b->cpu);
    cpu_code_flush(b->cpu);
}

/* struct bus.protect: makes pages with decoded code read-only on the host. */
static void on_code(void *opaque, uint64_t pa, bool on)
{
    struct bare *b = opaque;
    uint8_t *page = b->flat_base + b->memory + (pa & ~(uint64_t)CPU_PAGE_MASK);

    b->lost_code_count += !on;
    if ((on && b->lost_code_count > MAX_LOST) ||
        mprotect(page, CPU_PAGE_SIZE, on ? PROT_READ : PROT_READ | PROT_WRITE))
        give_up_flat_memory(b);
}

/* Adds flat memory. False: memory lies too high, wraps, or contains the page of device registers,
 * or the host's addresses are not free. */
static bool add_flat_memory(struct bare *b, struct error *err)
{
    uint64_t size = bare_memory_bytes(b);
    uint8_t *base;

    if (bare_translates(b) || b->memory > (UINT64_C(1) << FLAT_BITS) - size ||
        cpu_wrap(b->isa, b->memory + size - 1) < b->memory ||
        (b->io != BARE_NO_IO && b->io - b->memory < size) ||
        !reservation_flat(&b->flat, b->memory, &base))
        return false;
    if (mprotect(base + b->memory, size, PROT_READ | PROT_WRITE) ||
        !bus_add_host_ram(b->bus, "ram", 0, size, base + b->memory, err)) {
        reservation_free(&b->flat);
        return false;
    }
    b->flat_base = base;
    b->bus->protect = on_code;
    b->bus->protect_opaque = b;
    return true;
}

bool bare_add_memory(struct bare *b, struct error *err)
{
    uint64_t base = bare_translates(b) ? b->memory : 0;

    b->bus = bus_new(&b->log);
    return add_flat_memory(b, err) || bus_add_ram(b->bus, "ram", base, bare_memory_bytes(b), err);
}
