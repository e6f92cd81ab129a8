/*
 * The part of the comparison that depends on the CPU: its registers, and the signals by which Linux
 * reports its exceptions. One per program: cpu.c in the architecture's folder.
 */
#ifndef TESTS_RANDOM_ARCH_CPU_H
#define TESTS_RANDOM_ARCH_CPU_H

#include <stddef.h>
#include <stdint.h>

struct cpu;
struct cpu_isa;

/* A member of struct state, or bits of one: a register of the description or a bank of them. */
struct state_part {
    const char *name; /* for messages; elements of a bank get a number */
    const char *reg;  /* name in the description: of a bank's first register */
    size_t offset;    /* in struct state */
    unsigned count;   /* number of elements */
    unsigned bytes;   /* bytes of an element, up to 16 */
    unsigned shift;   /* position of the register in the member … */
    uint64_t mask;    /* … and its bits; 0: the whole member */
};

struct arch_cpu {
    const struct cpu_isa *isa;
    const struct state_part *parts; /* the first two are the integer and the vector registers */
    unsigned part_count;
    uint32_t breakpoint; /* breakpoint instruction, at CODE + STUB */

    /* Puts a reset CPU in user mode, set up as by Linux. */
    void (*enter_user)(struct cpu *cpu);
    /*
     * Returns the signal that Linux raises for an exception class; SIGTRAP at CODE + STUB ends a
     * sequence.
     */
    int (*signal_of)(uint32_t klass);
    /* Returns the address that an access uses. NULL: the same. */
    uint64_t (*address)(uint64_t va);
    /*
     * Called when an instruction was skipped, and when a sequence begins or is left early. NULL:
     * only the PC changes.
     */
    void (*skipped)(struct cpu *cpu);
    void (*begins)(struct cpu *cpu);
};

extern const struct arch_cpu arch_cpu;

#endif
