/*
 * Going back in a run (docs/use/reverse.md): -reverse. The machine is saved in memory every some
 * million instructions, and what comes from outside is kept in its journal. To go back is to
 * restore the last saved state before the wanted place, and to run again from there: the run is the
 * same.
 *
 * While the machine is back in its past (journal_is_past()), its input is the journal's, and its
 * output is not written again. Where it was before, life goes on.
 */
#ifndef RUNTIME_MACHINE_HISTORY_H
#define RUNTIME_MACHINE_HISTORY_H

#include "runtime/machine/machine.h"

/* Begins the history at the present state, with -reverse. False: the machine cannot be saved. */
bool history_open(struct machine *m, struct error *err);
/* Ends it, if there is one. */
void history_close(struct machine *m);

/* Goes to the begin of the first turn at or after a virtual time in the history. */
bool history_go_to(struct machine *m, uint64_t ns, struct error *err);
/* Stops of reverse-continue at shaders' writes to this physical memory too; 0 bytes: at no such
 * memory any more. False: there is none. */
bool history_watch_gpu(struct machine *m, uint64_t pa, uint64_t bytes, struct error *err);
/* Prints which bundle of a shader wrote where a watchpoint stopped last, with as many bundles
 * before and behind it. False: none did. */
bool history_print_writer(const struct machine *m, uint64_t around, FILE *out);
/* Prints what is kept. */
void history_print(const struct machine *m, FILE *out);

#endif
