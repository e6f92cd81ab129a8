/*
 * Recording what comes to the machine from outside, and replaying it (docs/use/replay.md): -record,
 * -replay. Input is taken between two calls of cpu_group_turn(), which are numbered.
 */
#ifndef RUNTIME_MACHINE_REPLAY_H
#define RUNTIME_MACHINE_REPLAY_H

#include "runtime/obs/journal.h"
#include "runtime/machine/machine.h"

/* Opens the journal of -record or -replay, before devices and back ends are made. */
bool machine_open_journal(struct machine *m, struct error *err);
/* Checks that the machine can be recorded, or is the recorded one; when it is complete. */
bool machine_begin_journal(struct machine *m, struct error *err);
/* Ends the journal, which stays until the machine is freed. false: the recording could not be
 * written, or the replay was another run. */
bool machine_end_journal(struct machine *m, struct error *err);

/* Gives a replayed machine the input that came before this turn. Called before each turn, after
 * posted work. */
void machine_replay_input(struct machine *m);
/* Moves the clock since host time has passed. */
void machine_journal_time(struct machine *m, uint64_t now);
/* To be called after cpu_group_turn(), with its result. */
void machine_journal_turned(struct machine *m, bool turned);

/* Lines of NAME=VALUE of what two machines must have in common, to be freed; and whether they do
 * (snapshot.c). `what` is what the first is of: "a snapshot". */
char *machine_describe(const struct machine *m);
bool machine_is_same(const char *what, const char *saved, const char *own, struct error *err);

#endif
