/*
 * The outputs of the compiler: C for a simulator.
 */
#ifndef GENCC_EMIT_EMIT_H
#define GENCC_EMIT_EMIT_H

#include "gencc/emit/options.h"
#include "gencc/model/model.h"

/* The names of the files that emit_model writes, without folder, for build systems. They depend
 * only on the options and the names of architecture and ISAs. `n` receives their number. */
/* The name of the description's struct cpu_isa, without `_isa`. */
const char *emit_cpu_name(const struct model *m);

const char *const *emit_file_names(const struct model *m, const struct emit_options *opt,
                                   unsigned *n);

/* Writes the C of a lowered architecture. For each ISA of a CPU: <isa>_internal.h (registers,
 * operands), <isa>_helpers.c, <isa>_exec_N.c (handlers), <isa>_decode.c, <isa>_disasm.c, and with
 * opt->jit <isa>_jit.h, <isa>_jit.c, <isa>_jit_N.c (translators); for all together <isa>_isa.c
 * (tables). Where a CPU has several ISAs, <arch>_isa.c and <arch>_<isa>_… Of lanes, all of these
 * but translators for each ISA; of an ISA of bundles, <isa>_bundle.c. A file whose content would
 * not change is left alone. False after reporting. */
bool emit_model(struct model *m, const struct emit_options *opt);

#endif
