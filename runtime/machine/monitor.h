/* Commands to a machine that is stopped by a debugger: what GDB's `monitor` knows. */
#ifndef RUNTIME_MACHINE_MONITOR_H
#define RUNTIME_MACHINE_MONITOR_H

#include <stdio.h>

#include "runtime/machine/machine.h"

/*
 * Does what the line says, for `cpu` where it is about one, and prints the answer, or what is wrong
 * with the line. `machine` is a struct machine. Between turns only.
 */
void monitor_command(void *machine, struct cpu *cpu, const char *line, FILE *out);

#endif
