/*
 * Outputs of the compiler: C for a simulator.
 */
#ifndef GENCC_EMIT_EMIT_H
#define GENCC_EMIT_EMIT_H

#include "gencc/emit/options.h"
#include "gencc/model/model.h"

/* The names of the files emit_isa writes for an ISA, without the folder, for build systems; they
 * depend on the ISA's name and the options only. `n` receives their number. */
const char *const *emit_file_names(struct arena *a, const struct isa *isa,
                                   const struct emit_options *opt, unsigned *n);

/* Writes the C of a lowered ISA: <isa>_internal.h (registers, operands), <isa>_helpers.c,
 * <isa>_exec_N.c (handlers), <isa>_decode.c, <isa>_disasm.c, <isa>_isa.c (tables), and with opt->jit
 * <isa>_jit.h, <isa>_jit.c, <isa>_jit_N.c (translators); of an ISA of clauses, <isa>_clause.c. A file
 * whose content would not change is left alone. False after reporting. */
bool emit_isa(struct isa *isa, const struct emit_options *opt);

#endif
