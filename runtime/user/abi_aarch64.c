/*
 * Linux/arm64: registers, exceptions.
 * Sources: Linux arch/arm64/include/uapi/asm, include/uapi/asm-generic; Arm ARM DDI 0487.
 */
#include "runtime/user/abi_aarch64.h"

#include <elf.h>
#include <stdio.h>

#include "runtime/base/bits.h"
#include "runtime/user/user.h"

extern const struct cpu_isa armv8a_isa;

/* Found once by init(), the same in all processes. */
struct aarch64_registers aarch64_registers;

static bool init(struct error *err)
{
    struct aarch64_registers *r = &aarch64_registers;

    return user_find_bank("V", ARRAY_SIZE(r->v), r->v, err) &&
           user_find_bank("X", ARRAY_SIZE(r->x), r->x, err);
}

/* ---- the CPU --------------------------------------------------------------------------------- */

/* D17.2.118 SCTLR_EL1: bits that affect EL0, as set by Linux: SA0, DZE, UCT, nTWI, nTWE, UCI. */
#define SCTLR   (1u << 4 | 1u << 14 | 1u << 15 | 1u << 16 | 1u << 18 | 1u << 26)
#define CPACR   (3u << 20) /* FPEN: FP and SIMD are not trapped */
#define CNTKCTL 2u         /* EL0VCTEN */

/* MIDR_EL1 of a Cortex-A57 r1p0. */
#define MIDR 0x411fd070u

/* The generic timer: the device on a CPU's port, its registers, its frequency. */
enum { TIMER_DEVICE = 0, TIMER_FREQUENCY = 0, TIMER_VIRTUAL_COUNT = 2 };
#define TIMER_HZ UINT64_C(62500000)

static uint64_t read_timer(void *opaque, unsigned cpu, uint32_t reg)
{
    const struct cpu *owner = opaque;

    (void)cpu;
    switch (reg) {
    case TIMER_FREQUENCY:
        return TIMER_HZ;
    case TIMER_VIRTUAL_COUNT:
        return clock_ns_to_ticks(clock_now(cpu_clock(owner)), TIMER_HZ);
    default:
        return 0;
    }
}

/* Enters EL0, with Linux's settings of system registers. */
static void start(struct cpu *cpu)
{
    cpu_config(cpu)[0] = MIDR;
    cpu_set_device(cpu, TIMER_DEVICE, (struct cpu_device){.opaque = cpu, .read = read_timer});
    cpu_register_set(cpu, "EL", 0);
    cpu_register_set(cpu, "SPSEL", 0);
    cpu_register_set(cpu, "DAIF", 0);
    cpu_register_set(cpu, "CPACR_EL1", CPACR);
    cpu_register_set(cpu, "SCTLR_EL1", SCTLR);
    cpu_register_set(cpu, "CNTKCTL_EL1", CNTKCTL);
    cpu_set_ring(cpu, 0);
    cpu_state_changed(cpu);
}

/* ---- exceptions ------------------------------------------------------------------------------ */

/* D17.2.37: exception classes. */
enum { SVC = 0x15, PC_ALIGN = 0x22, SP_ALIGN = 0x26, BRK = 0x3c };

static const struct user_exception exceptions[] = {
    {BRK, SIGTRAP, TRAP_BRKPT, false},
    {PC_ALIGN, SIGBUS, BUS_ADRALN, false},
    {SP_ALIGN, SIGBUS, BUS_ADRALN, false},
};

/* ---- the ABI --------------------------------------------------------------------------------- */

static const char *const cpus[] = {"cortex-a57", CPU_CHOICE_MAX, NULL};

const struct user_abi user_abi = {
    .program = "aarch64-user",
    .machine = "aarch64",
    .platform = "aarch64",
    .elf_machine = EM_AARCH64,
    .isa = &armv8a_isa,
    .cpus = cpus,
    .word_bytes = 8,
    .address_bits = 39,
    .tagged = true,
    .segment_align = CPU_PAGE_SIZE,
    .fill_page = aarch64_fill_page,
    .open = {.directory = 040000, .nofollow = 0100000, .direct = 0200000, .largefile = 0400000},
    .stat = &layout_stat,
    .action = &layout_action_restorer,
    .numbers = {{0, USER_GENERIC_COUNT, user_generic_rows}},
    .registers = {.number = "X8", {"X0", "X1", "X2", "X3", "X4", "X5"}, "SP", "TPIDR_EL0"},
    .call_class = SVC,
    .exception_count = ARRAY_SIZE(exceptions),
    .exceptions = exceptions,
    .init = init,
    .start = start,
    .frames = &aarch64_frames,
};
