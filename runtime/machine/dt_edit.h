/*
 * The edits that a board's firmware would make to the device tree before it starts a kernel. Each
 * works on the blob; make a new index with dt_index() afterwards.
 */
#ifndef RUNTIME_MACHINE_DT_EDIT_H
#define RUNTIME_MACHINE_DT_EDIT_H

#include "runtime/base/alloc.h"
#include "runtime/base/vec.h"
#include "runtime/machine/dt.h"

/*
 * Merges an overlay whose fragments name their targets by target-path; nodes of the overlay that
 * are no fragments are ignored (dt_overlay.c). It may refer to its own nodes, if dtc lists where (its
 * source is a /plugin/), and to the board's by labels, of which its node /gencc/labels says what they
 * are. A reference that would be to another node is an error.
 */
bool dt_overlay(struct dt *dt, const void *overlay, size_t len, struct error *err);

/* Sets a property of one cell. */
bool dt_set_cell(struct dt *dt, const char *path, const char *name, uint32_t value,
                 struct error *err);
/* Sets the status of the node at `path` (section 2.3.4 of the specification). */
bool dt_set_status(struct dt *dt, const char *path, const char *status, struct error *err);

/* Sets a property of the node at `path` to one string. */
bool dt_set_string(struct dt *dt, const char *path, const char *name, const char *value,
                   struct error *err);

/* Removes the node and what is below it. */
bool dt_remove(struct dt *dt, const char *path, struct error *err);

/* Nodes of the index, in its order. */
typedef VEC(const struct dt_node *) dt_node_list;

/* The same edits to many nodes, which the tree may have thousands of: one new index is made, in here, and
 * pointers to nodes become stale. */
bool dt_set_status_of(struct dt *dt, const dt_node_list *nodes, const char *status,
                      struct error *err);
bool dt_remove_nodes(struct dt *dt, const dt_node_list *nodes, struct error *err);

struct dt_bank {
    uint64_t base, size;
};

/* Makes the first memory node list these banks, and removes the others (section 3.4). */
bool dt_set_memory(struct dt *dt, const struct dt_bank *banks, unsigned count, struct error *err);

/* What goes into /chosen (section 3.6); properties that are left out stay as they are. */
struct dt_chosen {
    const char *bootargs;              /* NULL: keep the tree's */
    uint64_t initrd_start, initrd_end; /* equal: none */
    const void *rng_seed, *kaslr_seed; /* NULL: none; kaslr_seed is 8 bytes */
    size_t rng_seed_len;
};
bool dt_set_chosen(struct dt *dt, const struct dt_chosen *chosen, struct error *err);

#endif
