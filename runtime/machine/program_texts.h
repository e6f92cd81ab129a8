/*
 * Finds OpenCL C in the memory of the program that submitted a GPU's job. clCreateProgramWithSource
 * copies its text there, and the program has it anyway.
 */
#ifndef RUNTIME_MACHINE_PROGRAM_TEXTS_H
#define RUNTIME_MACHINE_PROGRAM_TEXTS_H

#include "runtime/machine/program_memory.h"

/* Whether the program has mapped the page at that host address. Mesa maps the memory of its
 * kernels' code to write it, so only the program that made a kernel maps its code. */
bool program_maps(struct bus *bus, const struct program_tables *t, const uint8_t *host);

/* Calls `take` for each text that contains "kernel" and ends with a zero byte. Pages that the
 * program may execute are left out. The text is valid during the call. */
void program_texts(struct bus *bus, const struct program_tables *t,
                   void (*take)(void *opaque, const char *text), void *opaque);

#endif
