/*
 * Semihosting: a program without an operating system calls the host by an instruction that a
 * debugger would catch. The host has a console, files and the time, and ends the program.
 * -semihosting serves these calls.
 *
 * The platform gives what differs between architectures (platform.h): the conduit of the trap, the
 * words around it in memory, and the argument registers. The first register holds the operation and
 * then the result, the second register the operation's parameter.
 */
#ifndef RUNTIME_MACHINE_SEMIHOSTING_H
#define RUNTIME_MACHINE_SEMIHOSTING_H

#include "runtime/machine/machine.h"

struct semihosting;

/* NULL: the platform has no semihosting. Release with semihosting_free(). */
struct semihosting *semihosting_new(struct machine *m, struct error *err);
void semihosting_free(struct semihosting *s); /* NULL is allowed */

/* Serves the call; false: it is no semihosting call. */
bool semihosting_call(struct semihosting *s, struct cpu *cpu, uint32_t conduit);

#endif
