/* The Cortex-A15 in A32, for the comparison with qemu-arm. */
#include "runtime/cpu/group.h"
#include "runtime/cpu/layout.h"
#include "tests/random/protocol.h"
#include "tests/random/arch_cpu.h"

#include <signal.h>

extern const struct cpu_isa armv7a_isa;

#ifdef RANDOM_T32
#define BREAKPOINT_WORD 0x0000be00
#else
#define BREAKPOINT_WORD 0xe1200070
#endif

/* ---- state ----------------------------------------------------------------------------------- */

#define PART(member) offsetof(struct state, member)

static const struct state_part parts[] = {
    {"r", "R0", PART(r), 15, 4, 0, 0},
    {"d", "VD0", PART(d), 32, 8, 0, 0},
    {"n", "NF", PART(cpsr), 1, 4, 31, 1},
    {"z", "ZF", PART(cpsr), 1, 4, 30, 1},
    {"c", "CF", PART(cpsr), 1, 4, 29, 1},
    {"v", "VF", PART(cpsr), 1, 4, 28, 1},
    {"q", "QF", PART(cpsr), 1, 4, 27, 1},
    {"ge", "GE", PART(cpsr), 1, 4, 16, 15},
    {"fpcr", "FPCR", PART(fpscr), 1, 4, 0, FPSCR_CONTROL},
    {"fpsr", "FPSR", PART(fpscr), 1, 4, 0, FPSCR_CUMULATIVE},
    {"fpn", "FPN", PART(fpscr), 1, 4, 31, 1},
    {"fpz", "FPZ", PART(fpscr), 1, 4, 30, 1},
    {"fpc", "FPC", PART(fpscr), 1, 4, 29, 1},
    {"fpv", "FPV", PART(fpscr), 1, 4, 28, 1},
};

/* ---- the CPU --------------------------------------------------------------------------------- */

/* User mode; coprocessors 10 and 11 are on (CPACR, FPEXC). */
static void enter_user(struct cpu *cpu)
{
    cpu_register_set(cpu, "MODE", 0x10);
    cpu_register_set(cpu, "AIF", 0);
    cpu_register_set(cpu, "FPEXC", 1u << 30);
    cpu_register_set(cpu, "CPACR", 0xf << 20);
}

/* Selects the instruction set by its number in the description. */
static void begin_sequence(struct cpu *cpu)
{
    enum { MODE_A32, MODE_T32 };

#ifdef RANDOM_T32
    cpu->mode = MODE_T32;
#else
    cpu->mode = MODE_A32;
#endif
    cpu_register_set(cpu, "ITSTATE", 0);
    cpu->attention |= CPU_ATT_KEY;
}

/* A2.5.2: an IT block continues after the skipped instruction. */
static void skip_instruction(struct cpu *cpu)
{
    uint64_t it = cpu_register_get(cpu, "ITSTATE");

    cpu_register_set(cpu, "ITSTATE", it & 7 ? (it & 0xe0) | (it << 1 & 0x1f) : 0);
}

static int signal_of(uint32_t klass)
{
    enum { BKPT = 2 };

    return klass == BKPT ? SIGTRAP : 0;
}

const struct arch_cpu arch_cpu = {
    .isa = &armv7a_isa,
    .parts = parts,
    .part_count = sizeof(parts) / sizeof(parts[0]),
    .breakpoint = BREAKPOINT_WORD,
    .enter_user = enter_user,
    .signal_of = signal_of,
    .skipped = skip_instruction,
    .begins = begin_sequence,
};
