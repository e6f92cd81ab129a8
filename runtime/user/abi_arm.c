/*
 * 32-bit Arm Linux (EABI): system calls, exceptions, the table of the ABI.
 * Sources: Linux arch/arm/include/uapi/asm; Arm Architecture Reference Manual, DDI 0406C.
 */
#include "runtime/user/abi_arm.h"

#include <elf.h>
#include <stdio.h>
#include <sys/personality.h>

#include "runtime/base/bits.h"
#include "runtime/user/user.h"

extern const struct cpu_isa armv7a_isa;

/* ---- the CPU --------------------------------------------------------------------------------- */

#define CPACR UINT32_C(0x00f00000) /* cp10 and cp11: full access */

/* Enters User mode, with Linux's settings of system registers. */
static void start(struct cpu *cpu)
{
    cpu_register_set(cpu, "MODE", ARM_USER_MODE);
    cpu_register_set(cpu, "AIF", 0);
    cpu_register_set(cpu, "FPEXC", ARM_FPEXC_ON);
    cpu_register_set(cpu, "CPACR", CPACR); /* last: writing it reads the other registers */
    cpu_set_ring(cpu, 0);
    cpu_state_changed(cpu);
}

/* ---- system calls ---------------------------------------------------------------------------- */

static unsigned call_bytes(const struct cpu *cpu)
{
    return cpu_mode(cpu) == ARM_MODE_T32 ? 2 : 4;
}

/* A2.5.2: advances ITSTATE over the call's instruction. */
static void leave_call(struct cpu *cpu)
{
    uint64_t it = cpu_register_get(cpu, "ITSTATE");

    if (it)
        cpu_register_set(cpu, "ITSTATE", it & 7 ? (it & 0xe0) | (it << 1 & 0x1f) : 0);
}

/* ---- exceptions ------------------------------------------------------------------------------ */

/* Exception classes of the description: exceptions.genc. */
enum { CALL = 1, BREAKPOINT = 2 };

static const struct user_exception exceptions[] = {
    {BREAKPOINT, SIGTRAP, TRAP_BRKPT, false},
};

/* arch/arm/kernel/ptrace.c: A32 with any condition; T32 with 16 bits; T32 with 32 bits, whose high
 * half comes first in memory. */
static const struct user_breakpoint breakpoints[] = {
    {ARM_MODE_A32, 4, 0x0fffffff, 0x07f001f0},
    {ARM_MODE_T32, 2, 0xffff, 0xde01},
    {ARM_MODE_T32, 4, 0xffffffff, 0xa000f7f0},
};

/* ---- the ABI --------------------------------------------------------------------------------- */

static const char *const cpus[] = {"cortex-a15", NULL};

const struct user_abi user_abi = {
    .program = "arm-user",
    .machine = "armv7l",
    .platform = "v7l",
    .elf_machine = EM_ARM,
    .isa = &armv7a_isa,
    .cpus = cpus,
    .word_bytes = 4,
    .address_bits = 32,
    .stack_top = ARM_PAGE,
    .exec_by_default = true,
    .personality = ADDR_LIMIT_32BIT,
    .page_address = ARM_PAGE,
    .segment_align = 4 * CPU_PAGE_SIZE,
    .fill_page = arm_fill_page,
    .open = {.directory = 040000, .nofollow = 0100000, .direct = 0200000, .largefile = 0400000},
    .stat = &layout_stat64_arm,
    .action = &layout_action_restorer,
    .numbers = {{0, ARM_ROWS, arm_rows}, {ARM_OWN_NUMBERS, ARM_OWN_ROWS, arm_own_rows}},
    .registers = {.number = "R7", {"R0", "R1", "R2", "R3", "R4", "R5"}, "R13", "TPIDRURO"},
    .call_class = CALL,
    .exception_count = ARRAY_SIZE(exceptions),
    .exceptions = exceptions,
    .breakpoint_count = ARRAY_SIZE(breakpoints),
    .breakpoints = breakpoints,
    .init = arm_find_registers,
    .start = start,
    .branch = arm_branch,
    .call_bytes = call_bytes,
    .leave_call = leave_call,
    .frames = &arm_frames,
};
