/*
 * The board's firmware as a kernel sees it: calls by SMC or HVC, as the tree's /psci node says.
 *
 * Source: Arm Power State Coordination Interface, DEN 0022D; SMC Calling Convention, DEN 0028.
 */
#ifndef RUNTIME_MACHINE_FIRMWARE_H
#define RUNTIME_MACHINE_FIRMWARE_H

#include "runtime/machine/machine.h"

/* Connects the CPUs' firmware hook. Without a psci node every call is refused. */
struct firmware *firmware_new(struct machine *m, struct error *err);
void firmware_free(struct firmware *fw);

/* Which version is answered, for the message at the start: "PSCI 1.0 by SMC". */
const char *firmware_describe(const struct firmware *fw);

#endif
