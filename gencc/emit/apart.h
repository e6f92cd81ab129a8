/* ISAs written side by side, by a process each. */
#ifndef GENCC_EMIT_APART_H
#define GENCC_EMIT_APART_H

#include "gencc/emit/out.h"

/* Lets `isa` write the files of each in a copy of this process, and takes over what the tables and headers of
 * all need of it. False where that is not possible, or an ISA failed: nothing is taken over and nothing was
 * said, so that the caller does it all itself, in order, with its messages. */
bool emit_apart(struct emit *e, unsigned count, bool (*isa)(struct emit *e));

#endif
