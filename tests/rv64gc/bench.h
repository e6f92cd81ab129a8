/*
 * A hart with some RAM, in machine mode: what the tests of the RV64GC description start from.
 */
#ifndef TESTS_RV64GC_BENCH_H
#define TESTS_RV64GC_BENCH_H

#include "tests/isa_bench/isa_bench.h"

#define RAM      UINT64_C(0x80000000)
#define RAM_SIZE 0x200000
#define CODE     (RAM + 0x1000)
#define HANDLER  (RAM + 0x2000) /* of machine mode; supervisor mode's is 0x100 behind */

/* For cmocka: both trap vectors are set, and the timer on the port is b->port. */
int bench_setup(void **state);

/* Puts the word at CODE and runs it in a mode: 0, 1 or 3. */
void run_in(struct bench *b, unsigned mode, uint32_t word);

/* The mode, after a trap where it went: the cause, the PC, the value. */
#define assert_trapped(b, mode, handler, cause_is, value_is)                   \
    do {                                                                       \
        assert_int_equal(get(b, "PRIV"), mode);                                \
        assert_int_equal((b)->cpu->pc, handler);                               \
        assert_int_equal(get(b, (mode) == 3 ? "MCAUSE" : "SCAUSE"), cause_is); \
        assert_int_equal(get(b, (mode) == 3 ? "MTVAL" : "STVAL"), value_is);   \
        assert_int_equal(get(b, (mode) == 3 ? "MEPC" : "SEPC"), CODE);         \
    } while (0)

#endif
