/*
 * 32-bit Arm Linux: registers in the layouts of the ABI.
 * Source: Arm Architecture Reference Manual, DDI 0406C.
 */
#include "runtime/user/abi_arm.h"

#include "runtime/base/bits.h"
#include "runtime/user/user.h"

/* Found once by arm_find_registers(), the same in all processes. */
struct arm_registers arm_registers;

bool arm_find_registers(struct error *err)
{
    struct arm_registers *r = &arm_registers;

    return user_find_bank("R", ARRAY_SIZE(r->r), r->r, err) &&
           user_find_bank("VD", ARRAY_SIZE(r->d), r->d, err);
}

static void set_thumb(struct cpu *cpu, bool thumb)
{
    cpu_set_mode(cpu, thumb ? ARM_MODE_T32 : ARM_MODE_A32);
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
    uint32_t cpsr = ARM_USER_MODE | (cpu_mode(cpu) == ARM_MODE_T32 ? ARM_CPSR_T : 0);

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
