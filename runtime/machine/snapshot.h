/*
 * Snapshots of a machine (docs/use/snapshots.md): `savevm`, `loadvm`, -loadvm, -snapshot-every.
 *
 * A snapshot is taken between two turns of the CPUs, and does not change the run. All of a file is
 * checked before a machine is changed by it.
 */
#ifndef RUNTIME_MACHINE_SNAPSHOT_H
#define RUNTIME_MACHINE_SNAPSHOT_H

#include <stdio.h>

#include "runtime/base/state.h"
#include "runtime/machine/machine.h"
#include "runtime/machine/snapshot_memory.h"

/* What machine_run() asks each turn, if m->snapshots is not NULL. */
struct machine_snapshots {
    char *wanted;  /* name of the snapshot that is to be taken as soon as it can be; NULL: none */
    char *load;    /* name of the one that is to be loaded; NULL: none */
    uint64_t next; /* virtual time of the next automatic one; CLOCK_NEVER: none */
    /* The snapshot that was saved or loaded last, which becomes the parent of the next one, and the
     * hashes of its memory; NULL: there is none. */
    struct snapshot_hashes *hashes;
    char *name;
    uint64_t identity;
};

/* Made by the first request, or by -snapshot-every; NULL without either. */
struct machine_snapshots *machine_snapshots(struct machine *m);
void machine_free_snapshots(struct machine *m);

/* Serves requests between two turns; prints to standard error what came of them. */
void machine_serve_snapshots(struct machine *m);

/* Whether the machine can be saved now; false: *err says what is in the way, and *later whether
 * that ends by itself. */
bool machine_can_save(const struct machine *m, bool *later, struct error *err);

/* Writes the snapshot; replaces one of the same name. It has what changed since the snapshot that
 * was saved or loaded last, if that is still there. */
bool machine_save(struct machine *m, const char *name, struct error *err);

/* Sets the machine to the snapshot. On failure it is as it was; *broken: it is not, and must be
 * reset, since the host failed. */
bool machine_load(struct machine *m, const char *name, bool *broken, struct error *err);

/* Lists the snapshots of the folder, and deletes one. Its children become those of its parent. */
bool machine_list_snapshots(const struct machine *m, FILE *out, struct error *err);
bool machine_delete_snapshot(const struct machine *m, const char *name, struct error *err);

/* ---- parts ----------------------------------------------------------------------------------- */

/* snapshot_state.c: CPUs, devices, clock, events and statistics. */
void snapshot_save_state(struct machine *m, struct state_buf *buf);
/* `memory` is the RAM of the snapshot. */
bool snapshot_check_state(struct machine *m, const struct state_buf *buf, struct bus *memory,
                          struct error *err);
bool snapshot_load_state(struct machine *m, const struct state_buf *buf, struct error *err);

#endif
