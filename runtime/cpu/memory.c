/* Guest memory accesses that inline code does not serve: the slow path, and accesses without side
 * effects for debuggers and firmware. */
#include "runtime/cpu/common.h"
#include "runtime/cpu/points.h"

static _Noreturn void raise_fault(struct cpu *cpu, const struct insn *i, uint64_t va,
                                  enum cpu_access access, uint32_t code)
{
    cpu_memory_fault(cpu, i, va, access, code);
}

static unsigned iface_ring(const struct cpu *cpu, unsigned iface)
{
    return (unsigned)(cpu->iface[iface] - cpu->tlbs) % CPU_RINGS;
}

/* The physical address of an access that stays in its page; leaves the instruction when it
 * faults. */
static uint64_t resolve_access(struct cpu *cpu, const struct insn *i, unsigned iface, uint64_t va,
                               bool misaligned, enum cpu_access access)
{
    uint64_t info;
    uint32_t code;

    if (!tlb_find(cpu, iface_ring(cpu, iface), va, access, &info, &code))
        raise_fault(cpu, i, va, access, code);
    if (misaligned && (info & TRANSLATE_DEVICE))
        raise_fault(cpu, i, va, access, CPU_FAULT_ALIGNMENT);
    return tlb_address(info, va);
}

/* As resolve_access(); also faults where the bus has no region. */
static uint64_t resolve_mapped(struct cpu *cpu, const struct insn *i, unsigned iface, uint64_t va,
                               bool misaligned, enum cpu_access access)
{
    uint64_t pa = resolve_access(cpu, i, iface, va, misaligned, access);

    if (!bus_find(cpu->bus, pa))
        raise_fault(cpu, i, va, access, CPU_FAULT_EXTERNAL);
    return pa;
}

/* How many bytes of the access lie in its first page. */
static unsigned bytes_in_first_page(uint64_t va, unsigned size)
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

/* ---- one device access ----------------------------------------------------------------------- */

static void device_read(struct cpu *cpu, const struct insn *i, uint64_t va, uint64_t pa,
                        unsigned size, uint64_t *value)
{
    cpu->counters.mmio_reads++;
    if (!bus_read(cpu->bus, pa, size, value, cpu->number))
        raise_fault(cpu, i, va, CPU_READ, CPU_FAULT_EXTERNAL);
}

static void device_write(struct cpu *cpu, const struct insn *i, uint64_t va, uint64_t pa,
                         unsigned size, uint64_t value)
{
    cpu->counters.mmio_writes++;
    if (!bus_write(cpu->bus, pa, size, value, cpu->number))
        raise_fault(cpu, i, va, CPU_WRITE, CPU_FAULT_EXTERNAL);
}

static void add_delay(struct cpu *cpu, uint64_t pa, unsigned size, enum cpu_access access)
{
    if (cpu->delays)
        cpu->delayed_ps += cpu->delays->access(cpu->delays->opaque, pa, size, access);
}

/* ---- bytes of one page: up to 16 at a known physical address --------------------------------- */

static void read_bytes(struct cpu *cpu, const struct insn *i, uint64_t va, uint64_t pa,
                       unsigned size, uint8_t *out)
{
    const uint8_t *host = memory_at(cpu, pa, false);
    uint64_t value;

    if (host) {
        add_delay(cpu, pa, size, CPU_READ);
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
        if (cpu->code && code_written(cpu->code, pa, size))
            cpu->counters.code_writes++;
        add_delay(cpu, pa, size, CPU_WRITE);
        memcpy(host, in, size);
    } else if (size == 1 || size == 2 || size == 4 || size == 8) {
        device_write(cpu, i, va, pa, size, le_get(in, size));
    } else {
        unsigned part = size == 16 ? 8 : 1;

        for (unsigned done = 0; done < size; done += part)
            write_bytes(cpu, i, va + done, pa + done, part, in + done);
    }
}

/* ---- accesses of 1 to 16 bytes --------------------------------------------------------------- */

/*
 * The parts of an access: `first` bytes at pa[0], and the rest, when it crosses into another page,
 * at pa[1]. find_parts() takes all faults and watchpoints of the access.
 */
struct access_parts {
    unsigned first;
    uint64_t pa[2];
};

static struct access_parts find_parts(struct cpu *cpu, const struct insn *i, unsigned iface,
                                      uint64_t va, unsigned size, enum cpu_access access)
{
    struct access_parts p = {.first = bytes_in_first_page(va, size)};

    cpu->current = i;
    if (p.first == size) {
        p.pa[0] = resolve_access(cpu, i, iface, va, va & (size - 1), access);
    } else {
        p.pa[0] = resolve_mapped(cpu, i, iface, va, true, access);
        p.pa[1] = resolve_mapped(cpu, i, iface, cpu_wrap(cpu->isa, va + p.first), true, access);
    }
    if (cpu->points.watches)
        points_check_watch(cpu, i, va, size, access, iface_ring(cpu, iface));
    if (cpu->debug)
        debug_check_watch(cpu, i, va, size, access);
    return p;
}

static void read_slow(struct cpu *cpu, const struct insn *i, unsigned iface, uint64_t va,
                      unsigned size, uint8_t *out)
{
    struct access_parts p = find_parts(cpu, i, iface, va, size, CPU_READ);

    read_bytes(cpu, i, va, p.pa[0], p.first, out);
    if (p.first < size)
        read_bytes(cpu, i, va + p.first, p.pa[1], size - p.first, out + p.first);
}

static void write_slow(struct cpu *cpu, const struct insn *i, unsigned iface, uint64_t va,
                       unsigned size, const uint8_t *in)
{
    struct access_parts p = find_parts(cpu, i, iface, va, size, CPU_WRITE);
    unsigned ring = iface_ring(cpu, iface);

    write_bytes(cpu, i, va, p.pa[0], p.first, in);
    tlb_retag(cpu, ring, va); /* the page may have lost its code */
    if (p.first < size) {
        write_bytes(cpu, i, va + p.first, p.pa[1], size - p.first, in + p.first);
        tlb_retag(cpu, ring, cpu_wrap(cpu->isa, va + p.first));
    }
}

uint64_t cpu_read_slow(struct cpu *cpu, const struct insn *i, unsigned iface, uint64_t va,
                       unsigned size)
{
    uint64_t value = 0;

    read_slow(cpu, i, iface, va, size, (uint8_t *)&value);
    return value;
}

void cpu_write_slow(struct cpu *cpu, const struct insn *i, unsigned iface, uint64_t va,
                    unsigned size, uint64_t value)
{
    write_slow(cpu, i, iface, va, size, (const uint8_t *)&value);
}

uint128_t cpu_read128_slow(struct cpu *cpu, const struct insn *i, unsigned iface, uint64_t va)
{
    uint128_t value = 0;

    read_slow(cpu, i, iface, va, sizeof(value), (uint8_t *)&value);
    return value;
}

void cpu_write128_slow(struct cpu *cpu, const struct insn *i, unsigned iface, uint64_t va,
                       uint128_t value)
{
    write_slow(cpu, i, iface, va, sizeof(value), (const uint8_t *)&value);
}

void cpu_probe_write(struct cpu *cpu, const struct insn *i, unsigned iface, uint64_t va,
                     unsigned size)
{
    uint64_t last = va + (size ? size - 1 : 0);

    cpu->current = i;
    resolve_mapped(cpu, i, iface, va, false, CPU_WRITE);
    /* Page by page; sizes are small constants of descriptions. */
    for (uint64_t page = va & ~CPU_PAGE_MASK; page != (last & ~CPU_PAGE_MASK);) {
        page += CPU_PAGE_SIZE;
        resolve_mapped(cpu, i, iface, page, false, CPU_WRITE);
    }
}

uint8_t cpu_phys_read(struct cpu *cpu, uint64_t pa, unsigned size, uint64_t *value)
{
    const struct bus_region *r = bus_find(cpu->bus, pa);

    common_note_read(cpu, r, pa, size);
    if (r && r->kind != BUS_MMIO && r->size - (pa - r->base) >= size) {
        *value = le_get(r->host + (pa - r->base), size);
        return 1;
    }
    return !cpu->looks && bus_read(cpu->bus, pa, size, value, cpu->number);
}

uint8_t cpu_phys_write64(struct cpu *cpu, uint64_t pa, uint64_t value)
{
    const struct bus_region *r = bus_find(cpu->bus, pa);

    if (!r || r->kind != BUS_RAM || r->size - (pa - r->base) < sizeof(value))
        return 0;
    return cpu->looks || bus_write(cpu->bus, pa, sizeof(value), value, cpu->number);
}

/* ---- for debugger, firmware and loaders ------------------------------------------------------ */

struct lookup {
    uint64_t va, pa;
    bool ok;
};

/* Tries the CPU's current ring, then all others, the most privileged first. */
static void look_up(struct cpu *cpu, void *arg)
{
    translate_fn *fn = cpu->hooks.translate ? cpu->hooks.translate : cpu->isa->translate;
    struct lookup *l = arg;
    uint32_t flags = 0;

    l->pa = l->va;
    l->ok = !fn || !fn(cpu, l->va, CPU_READ, cpu->ring, &l->pa, &flags);
    for (unsigned ring = CPU_RINGS; !l->ok && ring--;)
        l->ok = !fn(cpu, l->va, CPU_READ, ring, &l->pa, &flags);
}

bool cpu_memory_find(struct cpu *cpu, uint64_t va, uint64_t *pa)
{
    struct lookup l = {.va = va};
    bool done;

    cpu_settle(cpu);
    cpu->looks = true;
    done = cpu_guard(cpu, look_up, &l);
    cpu->looks = false;
    if (!done || !l.ok)
        return false;
    *pa = tlb_address(l.pa, va);
    return true;
}

/* Copies from guest memory to `out`, or from `in` to guest memory; the other is NULL. */
static bool copy_virtual(struct cpu *cpu, uint64_t va, uint8_t *out, const uint8_t *in,
                         uint64_t len)
{
    for (uint64_t done = 0, part; done < len; done += part) {
        uint64_t at = va + done, room = CPU_PAGE_SIZE - (at & CPU_PAGE_MASK);
        uint64_t pa;
        bool ok;

        part = len - done < room ? len - done : room;
        if (!cpu_memory_find(cpu, at, &pa))
            return false;
        ok =
            in ? bus_load(cpu->bus, pa, in + done, part) : bus_peek(cpu->bus, pa, out + done, part);
        if (!ok)
            return false;
    }
    return true;
}

bool cpu_memory_read(struct cpu *cpu, uint64_t va, void *buf, uint64_t len)
{
    return copy_virtual(cpu, va, buf, NULL, len);
}

bool cpu_memory_write(struct cpu *cpu, uint64_t va, const void *buf, uint64_t len)
{
    return copy_virtual(cpu, va, NULL, buf, len);
}

unsigned cpu_instruction_bytes(struct cpu *cpu, uint64_t va)
{
    const struct cpu_decoder *decoder = cpu_decoder(cpu);
    uint8_t bytes[CPU_MAX_INSN_BYTES] = {0};
    struct cpu_fetch at = {.bytes = bytes};
    struct insn *insn = block_insn(block_scratch(cpu), 0);

    while (at.available < decoder->max_bytes &&
           cpu_memory_read(cpu, cpu_wrap(cpu->isa, va + at.available), bytes + at.available,
                           decoder->unit_bytes))
        at.available += decoder->unit_bytes;
    if (!at.available)
        return 0;
    decoder->decode(cpu, &at, insn);
    return insn->bytes;
}
