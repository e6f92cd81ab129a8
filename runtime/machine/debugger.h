/* The GDB server of a machine: registers as the platform describes them, and stopping the CPUs. */
#ifndef RUNTIME_MACHINE_DEBUGGER_H
#define RUNTIME_MACHINE_DEBUGGER_H

#include "runtime/machine/machine.h"

/* Opens the port of -gdb and sets m->debugger. False: the port or the platform's text is bad. */
bool debugger_new(struct machine *m, struct error *err);

/* To be called before the CPUs are freed. NULL is allowed. */
void debugger_free(struct debugger *d);

/*
 * Serves GDB's requests. True: the CPUs may run their next turn. False: the function has waited for
 * GDB, or stopped the machine.
 */
bool debugger_serve(struct machine *m);

/* Whether a client is connected; and whether it wants to end what it waits for, or is gone. */
bool debugger_is_connected(const struct machine *m);
bool debugger_is_interrupted(struct machine *m);

#endif
