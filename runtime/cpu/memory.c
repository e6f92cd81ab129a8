/* Guest memory accesses that the inline TLB does not serve. */
#include "runtime/cpu/internal.h"

_Noreturn static void fault(struct cpu *cpu, const struct insn *i, uint64_t va,
                            enum cpu_access access, uint32_t code)
{
    cpu_memory_fault(cpu, i, va, access, code);
}

static unsigned iface_ring(const struct cpu *cpu, unsigned iface)
{
    return (unsigned)(cpu->iface[iface] - cpu->tlbs);
}

/* The physical address of an access that stays in its page; leaves through a fault. */
static uint64_t resolve(struct cpu *cpu, const struct insn *i, unsigned iface, uint64_t va,
                        unsigned size, enum cpu_access access)
{
    uint64_t info;
    uint32_t code;

    if (!tlb_find(cpu, iface_ring(cpu, iface), va, access, &info, &code))
        fault(cpu, i, va, access, code);
    if ((info & TRANSLATE_DEVICE) && (va & (size - 1)))
        fault(cpu, i, va, access, CPU_FAULT_ALIGNMENT);
    if (cpu->debug)
        debug_check_watch(cpu, i, va, size, access);
    return tlb_address(info, va);
}

/* How many bytes of the access lie in its first page. */
static unsigned first_part(uint64_t va, unsigned size)
{
    unsigned room = (unsigned)(CPU_PAGE_SIZE - (va & CPU_PAGE_MASK));

    return room < size ? room : size;
}

static uint8_t *memory_at(struct cpu *cpu, uint64_t pa, bool write)
{
    const struct bus_region *r = bus_find(cpu->bus, pa);

    if (!r || r->kind == BUS_MMIO || (write && r->kind == BUS_ROM))
        return NULL;
    return r->host + (pa - r->base);
}

/* ---- one device access ------------------------------------------------------------------------ */

static void device_read(struct cpu *cpu, const struct insn *i, uint64_t va, uint64_t pa,
                        unsigned size, uint64_t *value)
{
    cpu->counters.mmio_reads++;
    if (!bus_read(cpu->bus, pa, size, value, cpu->number))
        fault(cpu, i, va, CPU_READ, CPU_FAULT_EXTERNAL);
}

static void device_write(struct cpu *cpu, const struct insn *i, uint64_t va, uint64_t pa,
                         unsigned size, uint64_t value)
{
    cpu->counters.mmio_writes++;
    if (!bus_write(cpu->bus, pa, size, value, cpu->number))
        fault(cpu, i, va, CPU_WRITE, CPU_FAULT_EXTERNAL);
}

/* ---- bytes of one page: up to 16 at a known physical address ---------------------------------- */

static void read_bytes(struct cpu *cpu, const struct insn *i, uint64_t va, uint64_t pa,
                       unsigned size, uint8_t *out)
{
    const uint8_t *host = memory_at(cpu, pa, false);
    uint64_t value;

    if (host) {
        memcpy(out, host, size);
    } else if (size == 1 || size == 2 || size == 4 || size == 8) {
        device_read(cpu, i, va, pa, size, &value);
        le_put(out, size, value);
    } else {
        unsigned part = size == 16 ? 8 : 1;

        for (unsigned done = 0; done < size; done += part)
            read_bytes(cpu, i, va + done, pa + done, part, out + done);
    }
}

static void write_bytes(struct cpu *cpu, const struct insn *i, uint64_t va, uint64_t pa,
                        unsigned size, const uint8_t *in)
{
    uint8_t *host = memory_at(cpu, pa, true);

    if (host) {
        if (cpu->code)
            code_written(cpu->code, pa, size);
        memcpy(host, in, size);
    } else if (size == 1 || size == 2 || size == 4 || size == 8) {
        device_write(cpu, i, va, pa, size, le_get(in, size));
    } else {
        unsigned part = size == 16 ? 8 : 1;

        for (unsigned done = 0; done < size; done += part)
            write_bytes(cpu, i, va + done, pa + done, part, in + done);
    }
}

/* As resolve(), and something answers there. */
static uint64_t probe(struct cpu *cpu, const struct insn *i, unsigned iface, uint64_t va,
                      unsigned size, enum cpu_access access)
{
    uint64_t pa = resolve(cpu, i, iface, va, size, access);

    if (!bus_find(cpu->bus, pa))
        fault(cpu, i, va, access, CPU_FAULT_EXTERNAL);
    return pa;
}

/* ---- accesses of 1 to 16 bytes ---------------------------------------------------------------- */

/* Misaligned to its page, so that both parts are; a device refuses the whole. */
static void check_device_crossing(struct cpu *cpu, const struct insn *i, unsigned iface,
                                  uint64_t va, enum cpu_access access)
{
    uint64_t info;
    uint32_t code;

    if (!tlb_find(cpu, iface_ring(cpu, iface), va, access, &info, &code))
        fault(cpu, i, va, access, code);
    if (info & TRANSLATE_DEVICE)
        fault(cpu, i, va, access, CPU_FAULT_ALIGNMENT);
}

static void read_slow(struct cpu *cpu, const struct insn *i, unsigned iface, uint64_t va,
                      unsigned size, uint8_t *out)
{
    unsigned first = first_part(va, size);
    uint64_t pa;

    cpu->current = i;
    if (!crosses(va, size)) {
        pa = resolve(cpu, i, iface, va, size, CPU_READ);
        read_bytes(cpu, i, va, pa, size, out);
        return;
    }
    check_device_crossing(cpu, i, iface, va, CPU_READ);
    check_device_crossing(cpu, i, iface, va + first, CPU_READ);
    pa = probe(cpu, i, iface, va, 1, CPU_READ);
    read_bytes(cpu, i, va, pa, first, out);
    pa = probe(cpu, i, iface, va + first, 1, CPU_READ);
    read_bytes(cpu, i, va + first, pa, size - first, out + first);
}

static void write_slow(struct cpu *cpu, const struct insn *i, unsigned iface, uint64_t va,
                       unsigned size, const uint8_t *in)
{
    unsigned first = first_part(va, size), ring = iface_ring(cpu, iface);
    uint64_t pa, second;

    cpu->current = i;
    if (!crosses(va, size)) {
        pa = resolve(cpu, i, iface, va, size, CPU_WRITE);
        write_bytes(cpu, i, va, pa, size, in);
        tlb_retag(cpu, ring, va); /* the page may have lost its code */
        return;
    }
    check_device_crossing(cpu, i, iface, va, CPU_WRITE);
    check_device_crossing(cpu, i, iface, va + first, CPU_WRITE);
    pa = probe(cpu, i, iface, va, 1, CPU_WRITE);
    second = probe(cpu, i, iface, va + first, 1, CPU_WRITE);
    write_bytes(cpu, i, va, pa, first, in);
    write_bytes(cpu, i, va + first, second, size - first, in + first);
    tlb_retag(cpu, ring, va);
    tlb_retag(cpu, ring, va + first);
}
