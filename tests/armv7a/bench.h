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

/* In the state that reset leaves, with an empty memory. For cmocka. */
int bench_setup(void **state);

/* CPSR as MRS reads it, and MSR writes its control byte. */
uint32_t get_cpsr(struct bench *b);
void enter_mode(struct bench *b, unsigned mode_and_masks);

uint32_t peek(struct bench *b, uint32_t at);

/* Executes so many instructions, the first at `pc`; the words lie at RAM + 0x1000 then. */
void run(struct bench *b, uint32_t pc, unsigned count);
void run_words(struct bench *b, const uint32_t *words, unsigned count);
#define CODE UINT32_C(0x80001000)
#define RUN(b, ...)                               \
    run_words(b, (const uint32_t[]){__VA_ARGS__}, \
              sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

#endif
