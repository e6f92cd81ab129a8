/*
 * Measures the overhead per block, by equal instructions in blocks of two lengths, and the cost of
 * loads and stores that the inline TLB serves.
 *
 *     bench_blocks [MILLIONS OF INSTRUCTIONS]
 */
#include "tests/cpu/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/*
 * Returns the ns per instruction of a loop of `blocks` blocks, each with `length` instructions `op`
 * and a jump: the least of several runs, since the host is shared.
 */
static double measure_blocks(uint32_t op, unsigned length, unsigned blocks, uint64_t insns)
{
    struct bench *b = bench_new(1);
    double from, took, best = 1e9;
    unsigned n = 0;

    for (unsigned block = 0; block < blocks; block++) {
        for (unsigned k = 1; k < length; k++)
            CODE(b, RAM + 4 * n++, op);
        CODE(b, RAM + 4 * n, toy_word(TOY_B, 0, 0, block + 1 < blocks ? 1 : -(int)n));
        n++;
    }
    X(b, 5) = DATA;
    cpu_run(b->cpu[0], 10000);
    for (unsigned run = 0; run < 400; run++) {
        from = now_ns();
        cpu_run(b->cpu[0], insns / 400);
        took = (now_ns() - from) / (double)(insns / 400);
        best = took < best ? took : best;
    }
    bench_free(b);
    return best;
}

int main(int argc, char **argv)
{
    uint64_t insns = (argc > 1 ? strtoull(argv[1], NULL, 0) : 100) * 1000000;
    uint32_t add = toy_word(TOY_ADDI, 1, 1, 1);
    double two, eleven, load, store;

    for (unsigned blocks = 1; blocks <= 64; blocks *= 8) {
        /* A block of n costs n * insn + block. */
        two = measure_blocks(add, 2, blocks, insns) * 2;
        eleven = measure_blocks(add, 11, blocks, insns) * 11;
        printf("%2u blocks: instruction %.2f ns, block %.2f ns (%.0f M instructions/s in blocks "
               "of 5)\n",
               blocks, (eleven - two) / 9, two - 2 * (eleven - two) / 9,
               1e3 / measure_blocks(add, 5, blocks, insns));
    }
    load = measure_blocks(toy_word(TOY_LD64, 1, 5, 8), 32, 1, insns);
    store = measure_blocks(toy_word(TOY_ST64, 1, 5, 8), 32, 1, insns);
    printf("load %.2f ns, store %.2f ns\n", load, store);
    return 0;
}
