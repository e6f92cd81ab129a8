/* Linux/arm64: declarations that the files of this ABI share. */
#ifndef RUNTIME_USER_ABI_AARCH64_H
#define RUNTIME_USER_ABI_AARCH64_H

#include "runtime/user/abi.h"

/* Offsets of registers in cpu_state(cpu), found by name; vectors have 16 bytes. */
struct aarch64_registers {
    unsigned x[31], v[32];
};
extern struct aarch64_registers aarch64_registers;

static inline uint64_t *aarch64_x(struct cpu *cpu, unsigned n)
{
    return (uint64_t *)(void *)(cpu_state(cpu) + aarch64_registers.x[n]);
}

static inline void *aarch64_v(struct cpu *cpu, unsigned n)
{
    return cpu_state(cpu) + aarch64_registers.v[n];
}

/* Fills the page with the code that returns from handlers without a restorer. */
void aarch64_fill_page(void *page);

extern const struct user_frames aarch64_frames;

#endif
