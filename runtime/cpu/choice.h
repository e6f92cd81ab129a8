/*
 * -cpu: which kind of CPU, and which of the features that its description leaves open. The value is
 * [NAME,]FEATURE=on|off[,...]; machines and user mode read it here.
 */
#ifndef RUNTIME_CPU_CHOICE_H
#define RUNTIME_CPU_CHOICE_H

#include <stdio.h>

#include "runtime/base/error.h"
#include "runtime/cpu/isa.h"

/* The kind that has every feature which is not switched off, where it is offered. */
#define CPU_CHOICE_MAX "max"

struct cpu_choice {
    const char *name; /* one of those that were offered, or NULL: none was given */
    uint32_t on, off; /* bit a feature; none is in both */
};

/*
 * Reads the value; NULL stands for no option. `names` are the kinds that there are and end with NULL.
 * False: something in it is unknown, and the message lists what is known.
 */
bool cpu_choice_read(struct cpu_choice *choice, const struct cpu_isa *isa, const char *const *names,
                     const char *text, struct error *err);

/* Makes a new CPU one as chosen, from now on and after each reset. The rest of its kind is the caller's. */
void cpu_choice_apply(const struct cpu_choice *choice, struct cpu *cpu);

/* Prints the kinds and the features, a line each. */
void cpu_choice_help(const struct cpu_isa *isa, const char *const *names, FILE *out);

#endif
