/* Copies of an ISA whose instructions take other ticks than in the description, for kinds of
 * CPU. */
#ifndef RUNTIME_CPU_TICKS_H
#define RUNTIME_CPU_TICKS_H

#include "runtime/cpu/isa.h"

/* Ticks of a class of instructions, 1 to 65,535; 0: those of the description. */
typedef uint16_t ticks_of_class_fn(const void *opaque, const char *klass);

/* A copy of the ISA, for cpu_new(), in which each class takes ticks(opaque, class). Free it with
 * cpu_isa_free() after its CPUs and their group. */
const struct cpu_isa *cpu_isa_with_ticks(const struct cpu_isa *isa, ticks_of_class_fn *ticks,
                                         const void *opaque);
/* NULL is allowed. */
void cpu_isa_free(const struct cpu_isa *isa);

/* Whether the ISA has an instruction of the class. */
bool cpu_isa_has_class(const struct cpu_isa *isa, const char *klass);

#endif
