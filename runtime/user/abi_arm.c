/*
 * 32-bit Arm Linux (EABI): registers, exceptions.
 * Sources: Linux arch/arm/include/uapi/asm; Arm Architecture Reference Manual, DDI 0406C.
 */
#include "runtime/user/abi_arm.h"

#include <elf.h>
#include <stdio.h>
#include <sys/personality.h>

#include "runtime/base/bits.h"
#include "runtime/user/user.h"

extern const struct cpu_isa armv7a_isa;

/* Found once by init(), the same in all processes. */
struct arm_registers arm_registers;

static bool init(struct error *err)
{
    struct arm_registers *r = &arm_registers;

    return user_find_bank("R", ARRAY_SIZE(r->r), r->r, err) &&
           user_find_bank("VD", ARRAY_SIZE(r->d), r->d, err);
}

/* ---- status registers ------------------------------------------------------------------------ */

/* Numbers of the description's instruction sets. */
enum { MODE_A32, MODE_T32 };

static void set_thumb(struct cpu *cpu, bool thumb)
{
    cpu_set_mode(cpu, thumb ? MODE_T32 : MODE_A32);
}

void arm_branch(struct cpu *cpu, uint64_t address)
{
    set_thumb(cpu, address & 1);
    cpu_set_pc(cpu, (uint32_t)address & (address & 1 ? ~1u : ~3u));
}

/* B1.3.3: N, Z, C, V, Q in bits 31:27, GE in 19:16, IT[1:0] in 26:25 and the rest in 15:10, T in
 * 5. */
static const struct {
    const char *name;
    unsigned shift;
} cpsr_flags[] = {{"NF", 31}, {"ZF", 30}, {"CF", 29}, {"VF", 28}, {"QF", 27}};

uint32_t arm_get_cpsr(struct cpu *cpu)
{
    uint32_t it = (uint32_t)cpu_register_get(cpu, "ITSTATE");
    uint32_t cpsr = ARM_USER_MODE | (cpu_mode(cpu) == MODE_T32 ? ARM_CPSR_T : 0);

    for (unsigned n = 0; n < ARRAY_SIZE(cpsr_flags); n++)
        cpsr |= (uint32_t)cpu_register_get(cpu, cpsr_flags[n].name) << cpsr_flags[n].shift;
    return cpsr | (uint32_t)cpu_register_get(cpu, "GE") << 16 | (it & 3) << 25 | (it >> 2) << 10;
}

void arm_set_cpsr(struct cpu *cpu, uint32_t cpsr)
{
    for (unsigned n = 0; n < ARRAY_SIZE(cpsr_flags); n++)
        cpu_register_set(cpu, cpsr_flags[n].name, cpsr >> cpsr_flags[n].shift & 1);
    cpu_register_set(cpu, "GE", cpsr >> 16 & 15);
    cpu_register_set(cpu, "ITSTATE", (cpsr >> 25 & 3) | (cpsr >> 10 & 63) << 2);
    set_thumb(cpu, cpsr & ARM_CPSR_T);
}

/* A2.5.5 FPSCR: the description has registers for its flags, control bits and cumulative bits. */
static const struct {
    const char *name;
    unsigned shift;
} fpscr_flags[] = {{"FPN", 31}, {"FPZ", 30}, {"FPC", 29}, {"FPV", 28}};

#define FPSCR_CONTROL    0x07f79f00u
#define FPSCR_CUMULATIVE 0x0800009fu

uint32_t arm_get_fpscr(struct cpu *cpu)
{
    uint32_t fpscr = (uint32_t)(cpu_register_get(cpu, "FPCR") | cpu_register_get(cpu, "FPSR"));

    for (unsigned n = 0; n < ARRAY_SIZE(fpscr_flags); n++)
        fpscr |= (uint32_t)cpu_register_get(cpu, fpscr_flags[n].name) << fpscr_flags[n].shift;
    return fpscr;
}

void arm_set_fpscr(struct cpu *cpu, uint32_t fpscr)
{
    cpu_register_set(cpu, "FPCR", fpscr & FPSCR_CONTROL);
    cpu_register_set(cpu, "FPSR", fpscr & FPSCR_CUMULATIVE);
    for (unsigned n = 0; n < ARRAY_SIZE(fpscr_flags); n++)
        cpu_register_set(cpu, fpscr_flags[n].name, fpscr >> fpscr_flags[n].shift & 1);
}

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
    return cpu_mode(cpu) == MODE_T32 ? 2 : 4;
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
    {MODE_A32, 4, 0x0fffffff, 0x07f001f0},
    {MODE_T32, 2, 0xffff, 0xde01},
    {MODE_T32, 4, 0xffffffff, 0xa000f7f0},
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
    .init = init,
    .start = start,
    .branch = arm_branch,
    .call_bytes = call_bytes,
    .leave_call = leave_call,
    .frames = &arm_frames,
};
