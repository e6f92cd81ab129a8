/*
 * Inline memory accesses and intrinsics, for the generated code of CPUs. Arithmetic is in
 * common/arithmetic.h.
 */
#ifndef RUNTIME_CPU_EXEC_H
#define RUNTIME_CPU_EXEC_H

#include "common/arithmetic.h"
#include "runtime/base/polynomial.h"
#include "runtime/cpu/layout.h"

#define CPU_LIKELY(x)   __builtin_expect(!!(x), 1)
#define CPU_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* The first parameters of every generated function. */
#define CPU_ARGS \
    struct cpu *cpu __attribute__((unused)), const struct insn *i __attribute__((unused))

/* Address of the instruction being executed. */
#define CPU_PC(cpu, i) ((cpu)->block_pc + (i)->offset)

/* ---- guest memory ---------------------------------------------------------------------------- */

/* The slow path: accesses of 1 to 16 bytes at any address; they leave the instruction on a
 * fault. */
uint64_t cpu_read_slow(struct cpu *cpu, const struct insn *i, unsigned iface, uint64_t va,
                       unsigned size);
void cpu_write_slow(struct cpu *cpu, const struct insn *i, unsigned iface, uint64_t va,
                    unsigned size, uint64_t value);
uint128_t cpu_read128_slow(struct cpu *cpu, const struct insn *i, unsigned iface, uint64_t va);
void cpu_write128_slow(struct cpu *cpu, const struct insn *i, unsigned iface, uint64_t va,
                       uint128_t value);
/* Leaves the instruction if a write to [va, va + size) would fault; changes nothing. */
void cpu_probe_write(struct cpu *cpu, const struct insn *i, unsigned iface, uint64_t va,
                     unsigned size);

/* The soft TLB entry that an address may be in. */
static inline const struct tlb_entry *cpu_tlb(const struct cpu *cpu, unsigned iface, uint64_t va)
{
    return &cpu->iface[iface]->entry[(va >> CPU_PAGE_BITS) & (TLB_SIZE - 1)];
}

#define CPU_MEMORY(bits, type)                                                                \
    static inline type cpu_read##bits(struct cpu *cpu, const struct insn *i, unsigned iface,  \
                                      uint64_t va)                                            \
    {                                                                                         \
        const struct tlb_entry *e = cpu_tlb(cpu, iface, va);                                  \
        type value;                                                                           \
                                                                                              \
        if (CPU_UNLIKELY(va - e->read_tag > CPU_PAGE_SIZE - sizeof(value)))                   \
            return (type)cpu_read_slow(cpu, i, iface, va, sizeof(value));                     \
        memcpy(&value, (const void *)(uintptr_t)(va + e->addend), sizeof(value));             \
        return value;                                                                         \
    }                                                                                         \
    static inline void cpu_write##bits(struct cpu *cpu, const struct insn *i, unsigned iface, \
                                       uint64_t va, type value)                               \
    {                                                                                         \
        const struct tlb_entry *e = cpu_tlb(cpu, iface, va);                                  \
                                                                                              \
        if (CPU_UNLIKELY(va - e->write_tag > CPU_PAGE_SIZE - sizeof(value))) {                \
            cpu_write_slow(cpu, i, iface, va, sizeof(value), value);                          \
            return;                                                                           \
        }                                                                                     \
        memcpy((void *)(uintptr_t)(va + e->addend), &value, sizeof(value));                   \
    }
CPU_MEMORY(8, uint8_t)
CPU_MEMORY(16, uint16_t)
CPU_MEMORY(32, uint32_t)
CPU_MEMORY(64, uint64_t)

static inline uint128_t cpu_read128(struct cpu *cpu, const struct insn *i, unsigned iface,
                                    uint64_t va)
{
    const struct tlb_entry *e = cpu_tlb(cpu, iface, va);
    uint128_t value;

    if (CPU_UNLIKELY(va - e->read_tag > CPU_PAGE_SIZE - sizeof(value)))
        return cpu_read128_slow(cpu, i, iface, va);
    memcpy(&value, (const void *)(uintptr_t)(va + e->addend), sizeof(value));
    return value;
}

static inline void cpu_write128(struct cpu *cpu, const struct insn *i, unsigned iface, uint64_t va,
                                uint128_t value)
{
    const struct tlb_entry *e = cpu_tlb(cpu, iface, va);

    if (CPU_UNLIKELY(va - e->write_tag > CPU_PAGE_SIZE - sizeof(value))) {
        cpu_write128_slow(cpu, i, iface, va, value);
        return;
    }
    memcpy((void *)(uintptr_t)(va + e->addend), &value, sizeof(value));
}

/*
 * Exclusive access as in published models. A reservation is of one address. It ends when it is
 * tested, with a write under it, and at the end of the CPU's turn, since other CPUs may write then.
 */
static inline void cpu_reserve(struct cpu *cpu, uint64_t va)
{
    cpu->reserved = true;
    cpu->reservation = va;
}

/* Ends the reservation; 1 when it was of this address. */
static inline uint8_t cpu_unreserve(struct cpu *cpu, uint64_t va)
{
    uint8_t held = cpu->reserved && cpu->reservation == va;

    cpu->reserved = false;
    return held;
}

/* Writes if the address is reserved, and ends the reservation; 1 when it was. On a fault it
 * stays. */
#define CPU_WRITE_RESERVED(bits, type)                                                      \
    static inline uint8_t cpu_write_reserved##bits(struct cpu *cpu, const struct insn *i,   \
                                                   unsigned iface, uint64_t va, type value) \
    {                                                                                       \
        if (cpu->reserved && cpu->reservation == va)                                        \
            cpu_write##bits(cpu, i, iface, va, value);                                      \
        return cpu_unreserve(cpu, va);                                                      \
    }
CPU_WRITE_RESERVED(8, uint8_t)
CPU_WRITE_RESERVED(16, uint16_t)
CPU_WRITE_RESERVED(32, uint32_t)
CPU_WRITE_RESERVED(64, uint64_t)
CPU_WRITE_RESERVED(128, uint128_t)

/* Reads `size` <= 8 bytes of physical memory or of a device; 0: nothing is there. */
uint8_t cpu_phys_read(struct cpu *cpu, uint64_t pa, unsigned size, uint64_t *value);
static inline uint8_t cpu_phys_read32(struct cpu *cpu, uint64_t pa, uint32_t *value)
{
    uint64_t wide;
    uint8_t ok = cpu_phys_read(cpu, pa, 4, &wide);

    *value = (uint32_t)wide;
    return ok;
}

/* Writes to RAM and returns 1; elsewhere it does nothing and returns 0. */
uint8_t cpu_phys_write64(struct cpu *cpu, uint64_t pa, uint64_t value);

/* Completes cpu->state by calling cpu->settle, before code that reads it. */
static inline void cpu_settle(struct cpu *cpu)
{
    void (*settle)(struct cpu * cpu, const void *arg) = cpu->settle;

    cpu->settle = NULL;
    if (CPU_UNLIKELY(settle != NULL))
        settle(cpu, cpu->settle_arg);
}

/* ---- leaving an instruction ------------------------------------------------------------------ */

/* Each ends the instruction; cpu_run() then takes the exception (enum cpu_leave). */
_Noreturn void cpu_take_exception(struct cpu *cpu, const struct insn *i, uint32_t klass,
                                  uint32_t code);
_Noreturn void cpu_undefined(struct cpu *cpu, const struct insn *i);
_Noreturn void cpu_memory_fault(struct cpu *cpu, const struct insn *i, uint64_t va, uint32_t access,
                                uint32_t code);

/* ---- intrinsics: gencc/ir/intrinsics.inc defines each ---------------------------------------- */

/* Each is the intrinsic of its name. `i` is the calling instruction. */
void cpu_set_feature(struct cpu *cpu, uint32_t feature, uint32_t value);
static inline void cpu_context_changed(struct cpu *cpu)
{
    cpu->attention |= CPU_ATT_KEY;
}
/* Intrinsics of events, single step, and debug points. */
void cpu_wait_event(struct cpu *cpu);
void cpu_broadcast_event(struct cpu *cpu, uint32_t all);
void cpu_yield(struct cpu *cpu);
void cpu_set_single_step(struct cpu *cpu, uint32_t on);
void cpu_set_breakpoint(struct cpu *cpu, uint32_t number, uint64_t va, uint32_t on);
void cpu_set_watchpoint(struct cpu *cpu, uint32_t number, uint64_t first, uint64_t last,
                        uint32_t on);
uint64_t cpu_instruction_count(struct cpu *cpu, const struct insn *i);
uint64_t cpu_device_read(struct cpu *cpu, const struct insn *i, uint32_t dev, uint32_t reg);
void cpu_device_write(struct cpu *cpu, const struct insn *i, uint32_t dev, uint32_t reg,
                      uint64_t value);
uint8_t cpu_has_device(const struct cpu *cpu, uint32_t dev);
uint8_t cpu_firmware(struct cpu *cpu, const struct insn *i, uint32_t conduit, uint32_t imm);
void cpu_flush_all(struct cpu *cpu, uint32_t all_cpus);
void cpu_flush_asid(struct cpu *cpu, uint32_t asid, uint32_t all_cpus);
void cpu_flush_va(struct cpu *cpu, uint64_t va, uint32_t all_cpus);
/* Code of the address's page may have changed unseen (struct bus.aliased); no address is
 * translated. */
void cpu_code_changed(struct cpu *cpu, uint64_t va);
void cpu_set_address_space(struct cpu *cpu, uint64_t tables, uint64_t space);

static inline void cpu_pend_interrupt(struct cpu *cpu)
{
    if (cpu->lines)
        cpu->attention |= CPU_ATT_IRQ;
}

#endif
