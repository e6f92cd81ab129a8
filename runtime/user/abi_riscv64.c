/*
 * Linux/riscv64: registers, exceptions.
 * Sources: Linux arch/riscv/include/uapi/asm; RISC-V Instruction Set Manual, volumes I and II.
 */
#include "runtime/user/abi_riscv64.h"

#include <elf.h>
#include <stdio.h>

#include "runtime/base/bits.h"
#include "runtime/user/user.h"

extern const struct cpu_isa rv64_isa;

/* Found once by init(), the same in all processes. */
struct riscv64_registers riscv64_registers;

static bool init(struct error *err)
{
    struct riscv64_registers *r = &riscv64_registers;

    return user_find_bank("X", ARRAY_SIZE(r->x), r->x, err) &&
           user_find_bank("F", ARRAY_SIZE(r->f), r->f, err);
}

/* ---- the CPU --------------------------------------------------------------------------------- */

/* II.3.1.6 mstatus: floating point is on and initial. II.3.1.11 mcounteren: CY, TM, IR. */
#define MSTATUS  (1u << 13)
#define COUNTERS 7u

/* Enters user mode, with Linux's settings of system registers. */
static void start(struct cpu *cpu)
{
    cpu_register_set(cpu, "mstatus", MSTATUS);
    cpu_register_set(cpu, "mcounteren", COUNTERS);
    cpu_register_set(cpu, "scounteren", COUNTERS);
    cpu_register_set(cpu, "PRIV", 0);
    cpu_set_ring(cpu, 0);
    cpu_state_changed(cpu);
}

/* ---- system calls ---------------------------------------------------------------------------- */

enum { OWN_NUMBERS = 244 };

/* Numbers that asm-generic reserves for architectures. */
static const struct user_row own_rows[] = {
    [259 - OWN_NUMBERS] = {&call_flush_icache},
};

/* ---- exceptions ------------------------------------------------------------------------------ */

/* II.3.1.15 mcause */
enum {
    FETCH_MISALIGNED = 0,
    BREAKPOINT = 3,
    LOAD_MISALIGNED = 4,
    STORE_MISALIGNED = 6,
    ECALL_U = 8,
};

static const struct user_exception exceptions[] = {
    {BREAKPOINT, SIGTRAP, TRAP_BRKPT, false},
    {FETCH_MISALIGNED, SIGBUS, BUS_ADRALN, true},
    {LOAD_MISALIGNED, SIGBUS, BUS_ADRALN, true},
    {STORE_MISALIGNED, SIGBUS, BUS_ADRALN, true},
};

/* ---- the ABI --------------------------------------------------------------------------------- */

static const char *const cpus[] = {"rv64", NULL};

const struct user_abi user_abi = {
    .program = "riscv64-user",
    .machine = "riscv64",
    .elf_machine = EM_RISCV,
    .isa = &rv64_isa,
    .cpus = cpus,
    .word_bytes = 8,
    .address_bits = 38, /* user half of Sv39 */
    .segment_align = CPU_PAGE_SIZE,
    .fill_page = riscv64_fill_page,
    .open = {.directory = 0200000, .nofollow = 0400000, .direct = 040000, .largefile = 0100000},
    .stat = &layout_stat,
    .action = &layout_action,
    .numbers = {{0, USER_GENERIC_COUNT, user_generic_rows},
                {OWN_NUMBERS, ARRAY_SIZE(own_rows), own_rows}},
    .registers = {.number = "X17", {"X10", "X11", "X12", "X13", "X14", "X15"}, "X2", "X4"},
    .call_class = ECALL_U,
    .exception_count = ARRAY_SIZE(exceptions),
    .exceptions = exceptions,
    .init = init,
    .start = start,
    .frames = &riscv64_frames,
};
