/* Saved states of a machine in memory, which share the pages that are equal. */
#ifndef RUNTIME_MACHINE_HISTORY_POINTS_H
#define RUNTIME_MACHINE_HISTORY_POINTS_H

#include "common/vec.h"
#include "runtime/base/state.h"
#include "runtime/machine/machine.h"

struct history_piece;

struct history_point {
    uint64_t turn, ns, insns; /* insns: of all CPUs */
    uint64_t journal;         /* journal_place() */
    uint64_t *ticks;          /* of each CPU */
    struct state_buf state;
    struct history_piece **pages; /* of memory in the order of regions; NULL: zeros */
    size_t page_count;
    struct history_piece **clusters; /* of all disks; NULL: not written */
    size_t cluster_count;
};

struct history_points {
    VEC(struct history_point *) all; /* in the order of turns; the first is the begin */
    uint64_t bytes;                  /* of pages, clusters and state */
};

/* Instructions of all CPUs so far. */
uint64_t history_insns(const struct machine *m);

/* Saves the machine, between two turns. No effect if it is saved at this turn already. */
void history_points_add(struct history_points *points, struct machine *m);
/* Drops states between the first and the last until at most `keep` and `bytes` are left; those far
 * from the last and from the present first, so that distances grow with it. `now`: history_insns()
 * of the present. */
void history_points_thin(struct history_points *points, uint64_t now, uint64_t keep,
                         uint64_t bytes);
void history_points_clear(struct history_points *points);

/* Sets the machine, whose devices were just reset, to the state. False: *err says why, and it
 * cannot go on. */
bool history_point_restore(const struct history_point *point, struct machine *m, struct error *err);

#endif
