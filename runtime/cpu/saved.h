/* CPUs and their group in a snapshot; between turns of the group. */
#ifndef RUNTIME_CPU_SAVED_H
#define RUNTIME_CPU_SAVED_H

#include "runtime/base/state.h"
#include "runtime/cpu/group.h"

/* Whether the CPU is not in the middle of a firmware call (cpu_repeat()). */
bool cpu_can_save(const struct cpu *cpu);

/* Appends the sections of a CPU, which begin with "cpuN". */
void cpu_save(struct cpu *cpu, struct state_buf *buf);

/* Sets the CPU to its sections, and forgets translations. On failure it must be reset. */
bool cpu_load(struct cpu *cpu, const struct state_buf *buf, struct error *err);

/* Whether cpu_load() would succeed; changes nothing. */
bool cpu_check(const struct cpu *cpu, const struct state_buf *buf, struct error *err);

/* The turn that is in progress, in the section "turn". */
void cpu_group_save(const struct cpu_group *g, struct state_buf *buf);
bool cpu_group_load(struct cpu_group *g, const struct state_buf *buf, struct error *err);
/* Whether cpu_group_load() would succeed. */
bool cpu_group_check(const struct state_buf *buf, struct error *err);

#endif
