/*
 * What generated code is written in terms of: inline memory access, intrinsics, arithmetic whose
 * results the IR defines and C does not.
 */
#ifndef RUNTIME_CPU_EXEC_H
#define RUNTIME_CPU_EXEC_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/cpu/cpu.h"

typedef unsigned __int128 uint128_t;
typedef __int128 int128_t;

/* Registers are stored without regard to the alignment a wide type would like. */
typedef uint128_t uint128_m __attribute__((aligned(1), may_alias));
#define CPU_VECTOR(name, lane, bytes)                      \
    typedef lane name __attribute__((vector_size(bytes))); \
    typedef lane name##_m __attribute__((vector_size(bytes), aligned(1), may_alias))

/* Shifts of lanes by amounts that may reach or pass the width: 0 then. */
#define CPU_SHL_LANES(T, a, n, bits)                                                     \
    ({                                                                                   \
        T shl_n_ = (T)(n);                                                               \
        ((T)((T)(a) << (shl_n_ & ((T){} + ((bits)-1))))) & (T)(shl_n_ < (T){} + (bits)); \
    })
#define CPU_SHR_LANES(T, a, n, bits)                                                     \
    ({                                                                                   \
        T shr_n_ = (T)(n);                                                               \
        ((T)((T)(a) >> (shr_n_ & ((T){} + ((bits)-1))))) & (T)(shr_n_ < (T){} + (bits)); \
    })
#define CPU_ROR_LANES(T, a, n, bits)                                            \
    ({                                                                          \
        T ror_a_ = (T)(a), ror_n_ = (T)(n) & ((T){} + ((bits)-1));              \
        ror_a_ >> ror_n_ | ror_a_ << (((T){} - ror_n_) & ((T){} + ((bits)-1))); \
    })
#define CPU_ROL_LANES(T, a, n, bits) CPU_ROR_LANES(T, a, (T){} - (T)(n), bits)
#define CPU_MIN_LANES(T, n, max)                                                       \
    ({                                                                                 \
        T min_n_ = (T)(n), min_max_ = (T){} + (max), min_lt_ = (T)(min_n_ < min_max_); \
        (min_n_ & min_lt_) | (min_max_ & ~min_lt_);                                    \
    })

/* A shift amount that narrower lanes can hold: what is too large stays too large. */
static inline uint8_t cpu_min_amount(uint64_t n)
{
    return n > 255 ? 255 : (uint8_t)n;
}

#define CPU_LIKELY(x)   __builtin_expect(!!(x), 1)
#define CPU_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* The first parameters of every generated function. */
#define CPU_ARGS \
    struct cpu *cpu __attribute__((unused)), const struct insn *i __attribute__((unused))

/* Address of the instruction being executed. */
#define CPU_PC(cpu, i) ((cpu)->block_pc + (i)->offset)

/* ---- guest memory ---------------------------------------------------------------------------- */

uint64_t cpu_read_slow(struct cpu *cpu, const struct insn *i, unsigned iface, uint64_t va,
                       unsigned size);
void cpu_write_slow(struct cpu *cpu, const struct insn *i, unsigned iface, uint64_t va,
                    unsigned size, uint64_t value);
uint128_t cpu_read128_slow(struct cpu *cpu, const struct insn *i, unsigned iface, uint64_t va);
void cpu_write128_slow(struct cpu *cpu, const struct insn *i, unsigned iface, uint64_t va,
                       uint128_t value);
void cpu_probe_write(struct cpu *cpu, const struct insn *i, unsigned iface, uint64_t va,
                     unsigned size);

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
        if (CPU_UNLIKELY(va - e->read_tag > CPU_PAGE_SIZE - sizeof value))                    \
            return (type)cpu_read_slow(cpu, i, iface, va, sizeof value);                      \
        memcpy(&value, (const void *)(uintptr_t)(va + e->addend), sizeof value);              \
        return value;                                                                         \
    }                                                                                         \
    static inline void cpu_write##bits(struct cpu *cpu, const struct insn *i, unsigned iface, \
                                       uint64_t va, type value)                               \
    {                                                                                         \
        const struct tlb_entry *e = cpu_tlb(cpu, iface, va);                                  \
                                                                                              \
        if (CPU_UNLIKELY(va - e->write_tag > CPU_PAGE_SIZE - sizeof value)) {                 \
            cpu_write_slow(cpu, i, iface, va, sizeof value, value);                           \
            return;                                                                           \
        }                                                                                     \
        memcpy((void *)(uintptr_t)(va + e->addend), &value, sizeof value);                    \
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

    if (CPU_UNLIKELY(va - e->read_tag > CPU_PAGE_SIZE - sizeof value))
        return cpu_read128_slow(cpu, i, iface, va);
    memcpy(&value, (const void *)(uintptr_t)(va + e->addend), sizeof value);
    return value;
}

static inline void cpu_write128(struct cpu *cpu, const struct insn *i, unsigned iface, uint64_t va,
                                uint128_t value)
{
    const struct tlb_entry *e = cpu_tlb(cpu, iface, va);

    if (CPU_UNLIKELY(va - e->write_tag > CPU_PAGE_SIZE - sizeof value)) {
        cpu_write128_slow(cpu, i, iface, va, value);
        return;
    }
    memcpy((void *)(uintptr_t)(va + e->addend), &value, sizeof value);
}

uint8_t cpu_phys_read(struct cpu *cpu, uint64_t pa, unsigned size, uint64_t *value);
static inline uint8_t cpu_phys_read32(struct cpu *cpu, uint64_t pa, uint32_t *value)
{
    uint64_t wide;
    uint8_t ok = cpu_phys_read(cpu, pa, 4, &wide);

    *value = (uint32_t)wide;
    return ok;
}

/* ---- leaving an instruction ------------------------------------------------------------------ */

_Noreturn void cpu_take_exception(struct cpu *cpu, const struct insn *i, uint32_t klass,
                                  uint32_t code);
_Noreturn void cpu_undefined(struct cpu *cpu, const struct insn *i);
_Noreturn void cpu_memory_fault(struct cpu *cpu, const struct insn *i, uint64_t va, uint32_t access,
                                uint32_t code);

/* ---- intrinsics that reach the runtime: gencc/ir/intrinsics.inc says what each means --------- */

void cpu_set_feature(struct cpu *cpu, uint32_t feature, uint32_t value);
void cpu_set_ring(struct cpu *cpu, uint32_t ring);
void cpu_set_mode(struct cpu *cpu, uint8_t mode);
void cpu_halt(struct cpu *cpu);
void cpu_wait_event(struct cpu *cpu);
void cpu_broadcast_event(struct cpu *cpu, uint32_t all);
void cpu_yield(struct cpu *cpu);
void cpu_set_single_step(struct cpu *cpu, uint32_t on);
uint64_t cpu_device_read(struct cpu *cpu, const struct insn *i, uint32_t dev, uint32_t reg);
void cpu_device_write(struct cpu *cpu, const struct insn *i, uint32_t dev, uint32_t reg,
                      uint64_t value);
uint8_t cpu_firmware(struct cpu *cpu, const struct insn *i, uint32_t conduit, uint32_t imm);
void cpu_flush_all(struct cpu *cpu, uint32_t all_cpus);
void cpu_flush_asid(struct cpu *cpu, uint32_t asid, uint32_t all_cpus);
void cpu_flush_va(struct cpu *cpu, uint64_t va, uint32_t all_cpus);

static inline void cpu_pend_interrupt(struct cpu *cpu)
{
    if (cpu->lines)
        cpu->attention |= CPU_ATT_IRQ;
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static inline float cpu_f32(uint32_t bits)
{
    float f;

    memcpy(&f, &bits, sizeof f);
    return f;
}
static inline uint32_t cpu_bits32(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, sizeof bits);
    return bits;
}
static inline double cpu_f64(uint64_t bits)
{
    double d;

    memcpy(&d, &bits, sizeof d);
    return d;
}
static inline uint64_t cpu_bits64(double d)
{
    uint64_t bits;

    memcpy(&bits, &d, sizeof bits);
    return bits;
}

static inline uint32_t cpu_clz32(uint32_t x)
{
    return x ? (uint32_t)__builtin_clz(x) : 32;
}
static inline uint64_t cpu_clz64(uint64_t x)
{
    return x ? (uint64_t)__builtin_clzll(x) : 64;
}
static inline uint32_t cpu_ctz32(uint32_t x)
{
    return x ? (uint32_t)__builtin_ctz(x) : 32;
}
static inline uint64_t cpu_ctz64(uint64_t x)
{
    return x ? (uint64_t)__builtin_ctzll(x) : 64;
}
static inline uint64_t cpu_bitrev64(uint64_t x)
{
    x = (x >> 1 & UINT64_C(0x5555555555555555)) | (x & UINT64_C(0x5555555555555555)) << 1;
    x = (x >> 2 & UINT64_C(0x3333333333333333)) | (x & UINT64_C(0x3333333333333333)) << 2;
    x = (x >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f)) | (x & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4;
    return __builtin_bswap64(x);
}
static inline uint32_t cpu_bitrev32(uint32_t x)
{
    return (uint32_t)(cpu_bitrev64(x) >> 32);
}
static inline uint64_t cpu_umulh(uint64_t a, uint64_t b)
{
    return (uint64_t)(((uint128_t)a * b) >> 64);
}
static inline uint64_t cpu_smulh(uint64_t a, uint64_t b)
{
    return (uint64_t)(((int128_t)(int64_t)a * (int64_t)b) >> 64);
}
/* Truncation that saturates; NaN is 0. `bits` up to 64. */
static inline uint64_t cpu_to_uint(double d, unsigned bits)
{
    uint64_t max = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;

    if (!(d > 0))
        return 0;
    return d >= ldexp(1.0, (int)bits) ? max : (uint64_t)d;
}
static inline int64_t cpu_to_sint(double d, unsigned bits)
{
    double limit = ldexp(1.0, (int)bits - 1);

    if (d != d)
        return 0;
    if (d >= limit)
        return bits >= 64 ? INT64_MAX : (INT64_C(1) << (bits - 1)) - 1;
    if (d <= -limit)
        return bits >= 64 ? INT64_MIN : -(INT64_C(1) << (bits - 1));
    return (int64_t)d;
}

uint128_t cpu_polymul64(uint64_t a, uint64_t b);
uint16_t cpu_polymul8(uint8_t a, uint8_t b);

#endif
