/* A hart with some RAM, in machine mode: the start of the tests of the RV64GC description. */
#ifndef TESTS_RV64GC_BENCH_H
#define TESTS_RV64GC_BENCH_H

#include "tests/isa_bench/isa_bench.h"

#define RAM      UINT64_C(0x80000000)
#define RAM_SIZE 0x200000
#define CODE     (RAM + 0x1000)
/* machine mode's trap vector; supervisor mode's is 0x100 after it */
#define HANDLER (RAM + 0x2000)

/* A set-up function for cmocka: both trap vectors are set, and the timer on the port is b->port. */
int bench_setup(void **state);

/* Puts the word at CODE and runs it in mode 0, 1 or 3. */
void run_in(struct bench *b, unsigned mode, uint32_t word);

/* Checks the state after a trap: mode, handler's PC, cause and value. */
#define assert_trapped(b, mode, handler, cause_is, value_is)                   \
    do {                                                                       \
        assert_int_equal(get(b, "PRIV"), mode);                                \
        assert_int_equal((b)->cpu->pc, handler);                               \
        assert_int_equal(get(b, (mode) == 3 ? "MCAUSE" : "SCAUSE"), cause_is); \
        assert_int_equal(get(b, (mode) == 3 ? "MTVAL" : "STVAL"), value_is);   \
        assert_int_equal(get(b, (mode) == 3 ? "MEPC" : "SEPC"), CODE);         \
    } while (0)

#endif
