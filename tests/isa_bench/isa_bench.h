/* A CPU of a description with some RAM, the start of tests of its system state. */
#ifndef TESTS_ISA_BENCH_H
#define TESTS_ISA_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/cpu/group.h"
#include "runtime/cpu/layout.h"

struct bench {
    struct log log;
    struct bus *bus;
    struct clock clock;
    struct cpu *cpu;
    uint64_t port[8]; /* registers of a device on the CPU's port */
};

/* Makes a bench with empty memory; its CPU is not yet reset. */
struct bench *bench_new(const struct cpu_isa *isa, uint64_t ram, uint64_t bytes);
/* A tear-down function for cmocka. */
int bench_teardown(void **state);

/* Connects a device to the CPU's port whose eight registers are b->port. */
void bench_connect(struct bench *b, unsigned port);

/*
 * Read and write a register by its name; system registers as privileged software accesses them. The
 * test fails if there is no such register.
 */
uint64_t get(struct bench *b, const char *name);
void set(struct bench *b, const char *name, uint64_t value);

/* Access memory by its physical address. */
void poke(struct bench *b, uint64_t at, uint32_t word);
void poke64(struct bench *b, uint64_t at, uint64_t value);

#endif
