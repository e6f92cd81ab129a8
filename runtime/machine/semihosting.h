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

/*
 * Snapshots hold the open files by name and place; a load opens them again, and one that can no
 * longer be opened is closed for the guest. No call may be under way (cpu_can_save()). Without
 * `apply` a load only checks the bytes.
 */
void semihosting_save(const struct semihosting *s, struct state_buf *buf);
bool semihosting_load(struct semihosting *s, const struct state_buf *buf, bool apply,
                      struct error *err);

#endif
