/*
 * Linux's interface to programs of an architecture (ac_abi): checks a description of it and writes
 * it as the C table of runtime/user. docs/describe/user-mode.md is the reference of the statements.
 */
#ifndef GENCC_ABI_ABI_H
#define GENCC_ABI_ABI_H

#include "gencc/model/model.h"

/* Checks the ABI of the architecture `m`, if it has one. Writes it as C (`struct user_abi`) to
 * `out` if there are no errors; NULL: only checks. `isa` names the architecture's struct cpu_isa,
 * without the suffix `_isa`. Errors are counted in m->diag. */
void abi_write(const struct model *m, const char *isa, FILE *out);

#endif
