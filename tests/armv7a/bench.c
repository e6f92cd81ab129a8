/* The bench of the Armv7-A tests: sets up the CPU, reads and writes CPSR, and executes words. */

#include "tests/armv7a/bench.h"

extern const struct cpu_isa armv7a_isa;

int bench_setup(void **state)
{
    struct bench *b = bench_new(&armv7a_isa, RAM, RAM_SIZE);

    cpu_reset(b->cpu);
    cpu_set_power(b->cpu, true);
    *state = b;
    return 0;
}

uint32_t peek(struct bench *b, uint32_t at)
{
    uint32_t word;

    assert_true(cpu_memory_read(b->cpu, at, &word, sizeof(word)));
    return word;
}

void run(struct bench *b, uint32_t pc, unsigned count)
{
    b->cpu->pc = pc;
    cpu_run(b->cpu, count);
}

void run_words(struct bench *b, const uint32_t *words, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        poke(b, CODE + 4 * i, words[i]);
    run(b, CODE, count);
}

uint32_t get_cpsr(struct bench *b)
{
    uint64_t r0 = get(b, "R0"), pc = b->cpu->pc, cpsr;

    RUN(b, 0xe10f0000); /* mrs r0, cpsr */
    cpsr = get(b, "R0");
    set(b, "R0", r0);
    b->cpu->pc = pc;
    return (uint32_t)cpsr;
}

void enter_mode(struct bench *b, unsigned mode_and_masks)
{
    uint64_t r0 = get(b, "R0");

    set(b, "R0", mode_and_masks);
    RUN(b, 0xe12ff000); /* msr cpsr_fsxc, r0 */
    /* R0 is not banked: every mode reads and writes the same register. */
    set(b, "R0", r0);
}
