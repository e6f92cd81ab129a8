/* A bench with toy CPUs, RAM, a device and a clock, for the tests of this folder. */
#ifndef TESTS_CPU_BENCH_H
#define TESTS_CPU_BENCH_H

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/base/bits.h"
#include "tests/cpu/toy_isa.h"

#define RAM      UINT64_C(0x80000000)
#define RAM_SIZE UINT64_C(0x400000)
#define DEVICE   UINT64_C(0x10000000)
#define ROM      UINT64_C(0x20000000)
#define DATA     (RAM + 0x100000)
#define TABLE    (RAM + 0x200000) /* page table */
#define VECTOR   (RAM + 0x8000)
#define NOWHERE  UINT64_C(0x70000000)

enum { MAX_CPUS = 4 };

struct bench {
    struct log log;
    struct bus *bus;
    struct clock clock;
    struct cpu *cpu[MAX_CPUS];
    struct cpu_group group;
    unsigned cpus;
    uint64_t device[16]; /* registers of the device, 8 bytes each */
    uint64_t last_offset, last_size, last_cpu, accesses;
    uint64_t seen_ns; /* clock_now() at the last access to the device or the port */
    uint64_t seen_insns;
};

/*
 * Makes `cpus` CPUs: CPU 0 is powered and starts at RAM in ring 1, the others are off. All are in
 * b->group.
 */
struct bench *bench_new(unsigned cpus);
/* Makes a bench of another ISA with the toy ISA's state. `isa` is borrowed. */
struct bench *bench_new_of(const struct cpu_isa *isa, unsigned cpus);
void bench_free(struct bench *b);

/* Writes words at a physical address. */
void bench_code(struct bench *b, uint64_t pa, const uint32_t *words, size_t count);
#define CODE(b, pa, ...)                               \
    bench_code(b, pa, (const uint32_t[]){__VA_ARGS__}, \
               sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* Returns the 64 bits at a physical address. */
uint64_t bench_get(struct bench *b, uint64_t pa);
/* Writes 64 bits at a physical address. */
void bench_put(struct bench *b, uint64_t pa, uint64_t value);
/* Maps virtual page `va` to `pa` with TOY_PTE_* flags; takes effect when TTBR is TABLE. */
void bench_map(struct bench *b, uint64_t va, uint64_t pa, unsigned flags);

#define X(b, n) (toy_state((b)->cpu[0])->x[n])

#endif
