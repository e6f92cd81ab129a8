/* The GDB server of a machine: what the platform says of registers, and when the CPUs may run. */
#ifndef RUNTIME_MACHINE_DEBUGGER_H
#define RUNTIME_MACHINE_DEBUGGER_H

#include "runtime/machine/machine.h"

/* Serves GDB as -gdb says; sets m->debugger. False when the port or the platform's text is bad. */
bool debugger_new(struct machine *m, struct error *err);

/* Before the CPUs go. NULL is allowed. */
void debugger_free(struct debugger *d);

/*
 * Does what GDB wants; true: the CPUs may have their turn. Otherwise it has waited for GDB, or
 * stopped the machine.
 */
bool debugger_serve(struct machine *m);

#endif
