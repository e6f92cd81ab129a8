/* The bench of the RV64GC tests: trap vectors, the start mode, and runs in a given mode. */

#include "tests/rv64gc/bench.h"

extern const struct cpu_isa rv64_isa;

/* Value for cpu_config(RISCV_CONFIG_START): start in machine mode. */
enum { CONFIG_START = 1, START_MACHINE = 3 };

int bench_setup(void **state)
{
    struct bench *b = bench_new(&rv64_isa, RAM, RAM_SIZE);

    b->cpu->config[CONFIG_START] = START_MACHINE;
    bench_connect(b, CPU_PORT_TIMER);
    cpu_reset(b->cpu);
    cpu_set_power(b->cpu, true);
    set(b, "MTVEC", HANDLER);
    set(b, "STVEC", HANDLER + 0x100);
    *state = b;
    return 0;
}

/* Enters the mode by MRET, so that everything that belongs to a mode change happens. */
void run_in(struct bench *b, unsigned mode, uint32_t word)
{
    uint64_t interrupts = get(b, "MSTATUS") & 8;

    poke(b, CODE, word);
    if (mode != 3 || get(b, "PRIV") != 3) {
        assert_int_equal(get(b, "PRIV"), 3);
        set(b, "MSTATUS",
            (get(b, "MSTATUS") & ~UINT64_C(0x1800)) | (uint64_t)mode << 11 | interrupts << 4);
        set(b, "MEPC", CODE);
        poke(b, CODE - 4, 0x30200073); /* mret */
        b->cpu->pc = CODE - 4;
        cpu_run(b->cpu, 1);
        assert_int_equal(get(b, "PRIV"), mode);
    }
    b->cpu->pc = CODE;
    cpu_run(b->cpu, 1);
}
