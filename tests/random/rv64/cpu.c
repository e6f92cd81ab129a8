/* RV64GC, for the comparison with qemu-riscv64. */
#include "runtime/cpu/group.h"
#include "runtime/cpu/layout.h"
#include "tests/random/protocol.h"
#include "tests/random/arch_cpu.h"

#include <signal.h>

extern const struct cpu_isa rv64_isa;

/* ---- state ----------------------------------------------------------------------------------- */

#define PART(member) offsetof(struct state, member)

static const struct state_part parts[] = {
    {"x", "X0", PART(x), 32, 8, 0, 0},
    {"f", "F0", PART(f), 32, 8, 0, 0},
    {"fflags", "FFLAGS", PART(fcsr), 1, 8, 0, 31},
    {"frm", "FRM", PART(fcsr), 1, 8, 5, 7},
};

/* ---- the CPU --------------------------------------------------------------------------------- */

/* II.3.1.6 mstatus: floating point is on. */
static void enter_user(struct cpu *cpu)
{
    cpu_register_set(cpu, "mstatus", 1 << 13);
    cpu_register_set(cpu, "PRIV", 0);
}

/* II.3.1.15 mcause */
static int signal_of(uint32_t klass)
{
    enum {
        FETCH_MISALIGNED = 0,
        ILLEGAL = 2,
        BREAKPOINT = 3,
        LOAD_MISALIGNED = 4,
        STORE_MISALIGNED = 6
    };

    switch (klass) {
    case BREAKPOINT:
        return SIGTRAP;
    case ILLEGAL:
        return SIGILL;
    case FETCH_MISALIGNED:
    case LOAD_MISALIGNED:
    case STORE_MISALIGNED:
        return SIGBUS;
    default:
        return 0;
    }
}

const struct arch_cpu arch_cpu = {
    .isa = &rv64_isa,
    .parts = parts,
    .part_count = sizeof(parts) / sizeof(parts[0]),
    .breakpoint = 0x00100073,
    .enter_user = enter_user,
    .signal_of = signal_of,
};
