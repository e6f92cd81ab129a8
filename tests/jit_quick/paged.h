/*
 * A CPU whose code the quick tier translates soon, with pages as the test gives them. An access
 * without one stops it.
 */
#ifndef TESTS_JIT_QUICK_PAGED_H
#define TESTS_JIT_QUICK_PAGED_H

#include "tests/isa_bench/isa_bench.h"

/* The access that stopped the CPU last: its virtual address and its instruction's; 0: none. */
struct paged_fault {
    uint64_t va, pc;
};
extern struct paged_fault fault;

/*
 * Makes a bench of an A64 CPU that is on, with `bytes` of memory from address 0, each word of which
 * holds its own address.
 */
struct bench *paged_new(uint64_t bytes, translate_fn *translate);

/* Puts instructions at a physical address. */
void poke_code(struct bench *b, uint64_t at, const uint32_t *words, unsigned count);

#endif
