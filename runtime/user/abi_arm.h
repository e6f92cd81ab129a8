/* 32-bit Arm Linux (EABI): declarations that the files of this ABI share. */
#ifndef RUNTIME_USER_ABI_ARM_H
#define RUNTIME_USER_ABI_ARM_H

#include "runtime/user/abi.h"

/* Offsets of registers in cpu_state(cpu), found by name: R0 to R14, D0 to D31. */
struct arm_registers {
    unsigned r[15], d[32];
};
extern struct arm_registers arm_registers;

static inline uint32_t *arm_r(struct cpu *cpu, unsigned n)
{
    return (uint32_t *)(void *)(cpu_state(cpu) + arm_registers.r[n]);
}

static inline uint64_t *arm_d(struct cpu *cpu, unsigned n)
{
    return (uint64_t *)(void *)(cpu_state(cpu) + arm_registers.d[n]);
}

enum { ARM_SP = 13, ARM_LR = 14 };

/* Address of the page that the kernel provides; its helpers have fixed addresses. */
#define ARM_PAGE UINT64_C(0xffff0000)

/* Numbers of the description's instruction sets. */
enum { ARM_MODE_A32, ARM_MODE_T32 };

/* ---- abi_arm_registers.c --------------------------------------------------------------------- */

/* Fills arm_registers; false: the description lacks one of them. */
bool arm_find_registers(struct error *err);
/* Continues at an address, whose bit 0 selects the instruction set: 0: A32, 1: T32. */
void arm_branch(struct cpu *cpu, uint64_t address);
/* The bits of CPSR that User mode sees, in CPSR's layout. */
uint32_t arm_get_cpsr(struct cpu *cpu);
void arm_set_cpsr(struct cpu *cpu, uint32_t cpsr);
uint32_t arm_get_fpscr(struct cpu *cpu);
void arm_set_fpscr(struct cpu *cpu, uint32_t fpscr);

#define ARM_CPSR_MODE 0x1fu
#define ARM_USER_MODE 0x10u
#define ARM_CPSR_T    0x20u
#define ARM_CPSR_IT   0x0600fc00u
#define ARM_FPEXC_ON  0x40000000u

/* abi_arm_page.c: fills the page with the helpers and the code that returns from handlers. */
void arm_fill_page(void *page);
/* Address of the code that returns from a handler with or without siginfo. */
uint32_t arm_return_code(bool with_info);

/* abi_arm_signal.c */
extern const struct user_frames arm_frames;

/* abi_arm_calls.c: rows by number; own_rows begins with the number ARM_OWN_NUMBERS. */
enum { ARM_ROWS = 440, ARM_OWN_NUMBERS = 0xf0000, ARM_OWN_ROWS = 6 };
extern const struct user_row arm_rows[ARM_ROWS];
extern const struct user_row arm_own_rows[ARM_OWN_ROWS];

#endif
