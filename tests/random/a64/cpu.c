/* The Cortex-A57 in A64, for the comparison with qemu-aarch64. */
#include "runtime/cpu/group.h"
#include "runtime/cpu/layout.h"
#include "tests/random/protocol.h"
#include "tests/random/arch_cpu.h"

#include <signal.h>

extern const struct cpu_isa armv8a_isa;

/* ---- state ----------------------------------------------------------------------------------- */

#define PART(member) offsetof(struct state, member)

static const struct state_part parts[] = {
    {"x", "X0", PART(x), 31, 8, 0, 0},
    {"v", "V0", PART(v), 32, 16, 0, 0},
    {"sp", "SP", PART(sp), 1, 8, 0, 0},
    {"n", "NF", PART(nzcv), 1, 8, 31, 1},
    {"z", "ZF", PART(nzcv), 1, 8, 30, 1},
    {"c", "CF", PART(nzcv), 1, 8, 29, 1},
    {"v", "VF", PART(nzcv), 1, 8, 28, 1},
    {"fpcr", "FPCR", PART(fpcr), 1, 8, 0, 0},
    {"fpsr", "FPSR", PART(fpsr), 1, 8, 0, 0x0fffffff},
    {"fpsr n", "FPN", PART(fpsr), 1, 8, 31, 1},
    {"fpsr z", "FPZ", PART(fpsr), 1, 8, 30, 1},
    {"fpsr c", "FPC", PART(fpsr), 1, 8, 29, 1},
    {"fpsr v", "FPV", PART(fpsr), 1, 8, 28, 1},
};

/* ---- the CPU --------------------------------------------------------------------------------- */

/*
 * Rights that Linux gives EL0: FP and SIMD (CPACR_EL1.FPEN); cache maintenance, CTR_EL0 and DC ZVA
 * (SCTLR_EL1.UCI, UCT, DZE).
 */
static void enter_user(struct cpu *cpu)
{
    cpu_register_set(cpu, "CPACR_EL1", 3 << 20);
    cpu_register_set(cpu, "SCTLR_EL1", 1 << 26 | 1 << 15 | 1 << 14);
    cpu_register_set(cpu, "EL", 0);
    cpu_register_set(cpu, "SPSEL", 0);
}

/* The signal that Linux makes of an exception class. */
static int signal_of(uint32_t klass)
{
    enum { BRK = 0x3c, SYSREG = 0x18, PC_ALIGN = 0x22 };

    return klass == BRK ? SIGTRAP : klass == PC_ALIGN ? SIGBUS : klass == SYSREG ? SIGILL : 0;
}

/* The address without its top byte, which Linux configures to be ignored. */
static uint64_t address_of(uint64_t va)
{
    return (uint64_t)((int64_t)(va << 8) >> 8);
}

const struct arch_cpu arch_cpu = {
    .isa = &armv8a_isa,
    .parts = parts,
    .part_count = sizeof(parts) / sizeof(parts[0]),
    .breakpoint = 0xd4200000,
    .enter_user = enter_user,
    .signal_of = signal_of,
    .address = address_of,
};
