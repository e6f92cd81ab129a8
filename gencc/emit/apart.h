/* Emission of several ISAs in parallel, one process per ISA. */
#ifndef GENCC_EMIT_APART_H
#define GENCC_EMIT_APART_H

#include "gencc/emit/out.h"

/* Runs `isa` for each ISA in a child process, which writes its files. Findings that tables and
 * headers need are copied back. Returns false if that is not possible or an ISA failed. Nothing is
 * copied or reported then: the caller runs all ISAs in order, with messages. */
bool emit_apart(struct emit *e, unsigned count, bool (*isa)(struct emit *e));

#endif
