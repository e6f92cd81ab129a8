/* Linux/riscv64: declarations that the files of this ABI share. */
#ifndef RUNTIME_USER_ABI_RISCV64_H
#define RUNTIME_USER_ABI_RISCV64_H

#include "runtime/user/abi.h"

/* Offsets of registers in cpu_state(cpu), found by name: x0 to x31, and floating point. */
struct riscv64_registers {
    unsigned x[32], f[32];
};
extern struct riscv64_registers riscv64_registers;

static inline uint64_t *riscv64_x(struct cpu *cpu, unsigned n)
{
    return (uint64_t *)(void *)(cpu_state(cpu) + riscv64_registers.x[n]);
}

static inline uint64_t *riscv64_f(struct cpu *cpu, unsigned n)
{
    return (uint64_t *)(void *)(cpu_state(cpu) + riscv64_registers.f[n]);
}

/* Register numbers in the calling convention. */
enum { RISCV64_RA = 1, RISCV64_SP = 2, RISCV64_TP = 4, RISCV64_A0 = 10, RISCV64_A7 = 17 };

/* Fills the page with the code that returns from handlers. */
void riscv64_fill_page(void *page);
extern const struct user_frames riscv64_frames;

#endif
