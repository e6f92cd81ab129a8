/*
 * An Armv7-A CPU with 2 MB of memory, for tests of its system state.
 */
#ifndef TESTS_ARMV7A_BENCH_H
#define TESTS_ARMV7A_BENCH_H

#include "tests/isa_bench/isa_bench.h"

#define RAM      UINT32_C(0x80000000)
#define RAM_SIZE UINT32_C(0x200000)

/* CPSR.M, and the masks */
enum {
    MODE_USER = 0x10,
    MODE_FIQ,
    MODE_IRQ,
    MODE_SVC,
    MODE_ABORT = 0x17,
    MODE_UNDEFINED = 0x1b,
    MODE_SYSTEM = 0x1f,
    CPSR_F = 0x40,
    CPSR_I = 0x80,
    CPSR_A = 0x100,
};

/* Sets *state to a bench in its reset state, with empty memory. A set-up function for cmocka. */
int bench_setup(void **state);

/* Returns CPSR as MRS reads it. */
uint32_t get_cpsr(struct bench *b);
/* Writes CPSR's control byte (mode and masks) by MSR. */
void enter_mode(struct bench *b, unsigned mode_and_masks);

/* Returns the word at guest address `at`. */
uint32_t peek(struct bench *b, uint32_t at);

/* Executes `count` instructions, the first of them at `pc`. */
void run(struct bench *b, uint32_t pc, unsigned count);
/* Puts `count` words at CODE and executes them. */
void run_words(struct bench *b, const uint32_t *words, unsigned count);
#define CODE UINT32_C(0x80001000)
#define RUN(b, ...)                               \
    run_words(b, (const uint32_t[]){__VA_ARGS__}, \
              sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

#endif
