/* GDB for the shaders of the board's GPU: a process beside the CPUs (-gdb), or a server
 * (-gpu-gdb). */
#ifndef RUNTIME_MACHINE_GPU_DEBUGGER_H
#define RUNTIME_MACHINE_GPU_DEBUGGER_H

#include "runtime/cpu/gdb.h"
#include "runtime/machine/machine.h"

/* The GPU as a process of the session of -gdb, which is called with the server when that is there;
 * no process: the machine has no GPU with shader cores, or -gpu-gdb serves it. */
struct gdb_peer gpu_debugger_peer(struct machine *m);
void gpu_debugger_join(struct machine *m, struct gdb *gdb);

/* Opens the port of -gpu-gdb and sets m->gpu_debugger. */
bool gpu_debugger_new(struct machine *m, struct error *err);
/* To be called before the devices are freed. */
void gpu_debugger_free(struct machine *m);

/* Between two turns: serves GDB's requests to -gpu-gdb, without waiting. False: GDB holds the
 * machine. */
bool gpu_debugger_serve(struct machine *m);

#endif
