/*
 * Intrinsics that generated code calls, besides memory accesses. Functions without an instruction
 * argument are only called by instructions that end their block.
 */
#include "runtime/cpu/internal.h"

#include <inttypes.h>

/* ---- execution state ------------------------------------------------------------------------- */

void cpu_set_feature(struct cpu *cpu, uint32_t feature, uint32_t value)
{
    if (feature >= CPU_MAX_FEATURES || cpu->features[feature] == value)
        return;
    cpu->features[feature] = value;
    cpu->attention |= CPU_ATT_KEY;
}

void cpu_set_ring(struct cpu *cpu, uint32_t ring)
{
    if (ring >= CPU_RINGS) {
        log_printf(cpu->log, LOG_UNIMP, "cpu%u: there is no ring %" PRIu32 "\n", cpu->number, ring);
        ring = CPU_RINGS - 1;
    }
    if (ring == cpu->ring)
        return;
    cpu->ring = ring;
    cpu->attention |= CPU_ATT_KEY;
    cpu_select_tables(cpu);
}

void cpu_set_mode(struct cpu *cpu, uint32_t mode)
{
    if (mode >= cpu->isa->decoder_count) {
        log_printf(cpu->log, LOG_UNIMP, "cpu%u: there is no ISA %" PRIu32 "\n", cpu->number, mode);
        return;
    }
    if (mode == cpu->mode)
        return;
    cpu->mode = mode;
    cpu->attention |= CPU_ATT_KEY;
}

void cpu_set_single_step(struct cpu *cpu, uint32_t on)
{
    cpu->single_step = on;
    if (on)
        cpu->attention |= CPU_ATT_STEP;
    else
        cpu->attention &= ~(uint32_t)CPU_ATT_STEP;
}

/* ---- waiting --------------------------------------------------------------------------------- */

void cpu_halt(struct cpu *cpu)
{
    if (cpu->lines)
        return;
    cpu->halted = true;
    cpu->attention |= CPU_ATT_HALT;
}

void cpu_wait_event(struct cpu *cpu)
{
    if (cpu->event)
        cpu->event = false;
    else
        cpu->attention |= CPU_ATT_EVENT;
}

void cpu_broadcast_event(struct cpu *cpu, uint32_t all)
{
    const struct cpu_group *g = cpu->group;

    cpu->event = true;
    for (unsigned n = 0; all && g && n < g->count; n++)
        g->cpu[n]->event = true;
}

void cpu_yield(struct cpu *cpu)
{
    /* With no other CPU to run, waiting would only make time pass faster than the guest expects. */
    if (cpu->group && group_is_shared(cpu->group))
        cpu->attention |= CPU_ATT_EVENT;
}

/* ---- counting -------------------------------------------------------------------------------- */

uint64_t cpu_instruction_count(struct cpu *cpu, const struct insn *i)
{
    cpu->current = i;
    return cpu_insns_now(cpu);
}

/* ---- devices and firmware -------------------------------------------------------------------- */

static const struct cpu_device *device_of_port(struct cpu *cpu, uint32_t dev)
{
    if (dev < ARRAY_SIZE(cpu->devices))
        return &cpu->devices[dev];
    log_printf(cpu->log, LOG_UNIMP, "cpu%u: there is no device %" PRIu32 " on the CPU's port\n",
               cpu->number, dev);
    return NULL;
}

uint64_t cpu_device_read(struct cpu *cpu, const struct insn *i, uint32_t dev, uint32_t reg)
{
    const struct cpu_device *d = device_of_port(cpu, dev);

    cpu->current = i;
    return d && d->read ? d->read(d->opaque, cpu->number, reg) : 0;
}

void cpu_device_write(struct cpu *cpu, const struct insn *i, uint32_t dev, uint32_t reg,
                      uint64_t value)
{
    const struct cpu_device *d = device_of_port(cpu, dev);

    cpu->current = i;
    if (d && d->write)
        d->write(d->opaque, cpu->number, reg, value);
}

uint8_t cpu_has_device(const struct cpu *cpu, uint32_t dev)
{
    return dev < ARRAY_SIZE(cpu->devices) && (cpu->devices[dev].read || cpu->devices[dev].write);
}

uint8_t cpu_firmware(struct cpu *cpu, const struct insn *i, uint32_t conduit, uint32_t imm)
{
    bool served;

    cpu->current = i;
    cpu->repeated = cpu->repeats;
    cpu->repeats = false;
    served = cpu->hooks.firmware && cpu->hooks.firmware(cpu, conduit, imm);
    if (cpu->restarted || cpu->repeats) {
        cpu->left.why = cpu->restarted ? LEAVE_RESTART : LEAVE_REPEAT;
        cpu_leave(cpu, i);
    }
    return served;
}

/* ---- translation caches ---------------------------------------------------------------------- */

void cpu_flush_all(struct cpu *cpu, uint32_t all_cpus)
{
    const struct cpu_group *g = cpu->group;

    cpu_tlb_flush(cpu, true);
    for (unsigned n = 0; all_cpus && g && n < g->count; n++) {
        if (g->cpu[n] != cpu)
            cpu_tlb_flush(g->cpu[n], true);
    }
}

/* Flushes all entries that are not global, since entries do not record their address space. */
void cpu_flush_asid(struct cpu *cpu, uint32_t asid, uint32_t all_cpus)
{
    const struct cpu_group *g = cpu->group;

    (void)asid;
    cpu_tlb_flush(cpu, false);
    for (unsigned n = 0; all_cpus && g && n < g->count; n++) {
        if (g->cpu[n] != cpu)
            cpu_tlb_flush(g->cpu[n], false);
    }
}

void cpu_flush_va(struct cpu *cpu, uint64_t va, uint32_t all_cpus)
{
    const struct cpu_group *g = cpu->group;

    cpu_tlb_flush_page(cpu, va);
    for (unsigned n = 0; all_cpus && g && n < g->count; n++) {
        if (g->cpu[n] != cpu)
            cpu_tlb_flush_page(g->cpu[n], va);
    }
}

void cpu_code_changed(struct cpu *cpu, uint64_t va)
{
    struct bus *bus = cpu->bus;
    uint64_t page = va & ~(uint64_t)CPU_PAGE_MASK;

    if (bus->aliased && bus_has_code(bus, page, CPU_PAGE_SIZE))
        bus->on_code_write(bus->code_opaque, page, CPU_PAGE_SIZE);
}
