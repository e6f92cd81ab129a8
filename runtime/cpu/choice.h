/*
 * Option -cpu of machines and user mode: the kind of CPU, and its optional features. Its value is
 * [NAME,]FEATURE=on|off[,...].
 */
#ifndef RUNTIME_CPU_CHOICE_H
#define RUNTIME_CPU_CHOICE_H

#include <stdio.h>

#include "runtime/base/error.h"
#include "runtime/cpu/isa.h"

/* The kind, where it is offered, that has every optional feature except those set to off. */
#define CPU_CHOICE_MAX "max"

struct cpu_choice {
    const char *name; /* an offered kind; NULL: none was given */
    uint32_t on, off; /* bit f: feature f is set to on, or to off; never both */
};

/*
 * Reads the option's value `text`; NULL: the option was not given. `names`, the offered kinds, ends
 * with NULL. False: a name is unknown, and the message lists the known ones.
 */
bool cpu_choice_read(struct cpu_choice *choice, const struct cpu_isa *isa, const char *const *names,
                     const char *text, struct error *err);

/* Sets the features of a new CPU, for now and after each reset. The caller does what else its kind
 * needs. */
void cpu_choice_apply(const struct cpu_choice *choice, struct cpu *cpu);

/* Prints the kinds, and the optional features with one line each. */
void cpu_choice_help(const struct cpu_isa *isa, const char *const *names, FILE *out);

#endif
