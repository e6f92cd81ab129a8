/*
 * Semihosting: a program without an operating system asks the host for a console, files, the time and
 * its end, by an instruction that a debugger would catch. With -semihosting we serve it.
 *
 * What differs from one architecture to the next, the platform says (platform.h): by which conduit its
 * description hands the trap over, what stands around it in memory, and the argument registers, of
 * which the first has the operation and the result, the second its parameter.
 */
#ifndef RUNTIME_MACHINE_SEMIHOSTING_H
#define RUNTIME_MACHINE_SEMIHOSTING_H

#include "runtime/machine/machine.h"

struct semihosting;

/* NULL when the platform says nothing of it. */
struct semihosting *semihosting_new(struct machine *m, struct error *err);
void semihosting_free(struct semihosting *s); /* also of NULL */

/* True when the call was one, and has been served. */
bool semihosting_call(struct semihosting *s, struct cpu *cpu, uint32_t conduit);

#endif
