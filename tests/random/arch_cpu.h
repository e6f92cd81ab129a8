/*
 * What the comparison has to know of an architecture's CPU: its registers, and what its exceptions
 * mean to a Linux program. One a program, cpu.c in the architecture's folder.
 */
#ifndef TESTS_RANDOM_ARCH_CPU_H
#define TESTS_RANDOM_ARCH_CPU_H

#include <stddef.h>
#include <stdint.h>

struct cpu;
struct cpu_isa;

/* A member of struct state, or bits of one: a register of the description or a bank of them. */
struct state_part {
    const char *name; /* for messages; elements get a number when there are several */
    const char *reg;  /* in the description: a bank's first */
    size_t offset;    /* in struct state */
    unsigned count;   /* elements */
    unsigned bytes;   /* of one, up to 16 */
    unsigned shift;   /* where the register is in the member … */
    uint64_t mask;    /* … and its bits; 0: all, and no other register is in the member */
};

struct arch_cpu {
    const struct cpu_isa *isa;
    const struct state_part *parts; /* the first two: integer and vector registers */
    unsigned part_count;
    uint32_t breakpoint; /* the instruction at CODE + STUB */

    /* Puts a CPU that was reset into user mode, as Linux sets it up. */
    void (*enter_user)(struct cpu *cpu);
    /* The signal that an exception of the class becomes; SIGTRAP at CODE + STUB is the end. */
    int (*signal_of)(uint32_t klass);
    /* What an address names. NULL: itself. */
    uint64_t (*address)(uint64_t va);
    /* An instruction was skipped; a sequence begins, or is left early. NULL: only the PC changes. */
    void (*skipped)(struct cpu *cpu);
    void (*begins)(struct cpu *cpu);
};

extern const struct arch_cpu arch_cpu;

#endif
