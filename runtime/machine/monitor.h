/* Commands of GDB's `monitor`, for a machine that the debugger has stopped. */
#ifndef RUNTIME_MACHINE_MONITOR_H
#define RUNTIME_MACHINE_MONITOR_H

#include <stdio.h>

#include "runtime/machine/machine.h"

/*
 * Executes the line, for `cpu` if the command is for one CPU, and prints the answer or the error.
 * `machine` is a struct machine. To be called between turns only.
 */
void monitor_command(void *machine, struct cpu *cpu, const char *line, FILE *out);

#endif
