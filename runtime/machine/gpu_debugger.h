/* The server of GDB for the shaders of the board's GPU (-gpu-gdb). */
#ifndef RUNTIME_MACHINE_GPU_DEBUGGER_H
#define RUNTIME_MACHINE_GPU_DEBUGGER_H

#include "runtime/machine/machine.h"

/* Opens the port of -gpu-gdb and sets m->gpu_debugger. */
bool gpu_debugger_new(struct machine *m, struct error *err);
/* To be called before the devices are freed. */
void gpu_debugger_free(struct machine *m);

/* Between two turns: serves GDB's requests, without waiting. False: GDB holds the machine. */
bool gpu_debugger_serve(struct machine *m);

#endif
