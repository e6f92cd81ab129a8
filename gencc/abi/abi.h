/*
 * Linux's interface to programs of an architecture (ac_abi): checks it, and writes it as the C table
 * of runtime/user. docs/describe/user-mode.md is the reference of its statements.
 */
#ifndef GENCC_ABI_ABI_H
#define GENCC_ABI_ABI_H

#include "gencc/model/model.h"

/* Checks the architecture's ABI, if it has one. Writes `struct user_abi` as C to `out` unless that
 * is NULL; `isa` is the name of its struct cpu_isa. Errors are counted in the model's diag. */
void abi_write(const struct model *m, const char *isa, FILE *out);

#endif
