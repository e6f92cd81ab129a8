/*
 * The edits that a board's firmware would make to the device tree before it starts a kernel. They
 * change the blob; call dt_index() afterwards for a new index.
 */
#ifndef RUNTIME_MACHINE_DT_EDIT_H
#define RUNTIME_MACHINE_DT_EDIT_H

#include "runtime/base/alloc.h"
#include "common/vec.h"
#include "runtime/machine/dt.h"

/*
 * Merges an overlay whose fragments name their targets by target-path (dt_overlay.c). Nodes of the
 * overlay that are no fragments are ignored. References to nodes of the overlay need a source that
 * is a /plugin/, so that dtc lists the references. References to nodes of the board need a label
 * that the overlay's node /gencc/labels lists with its path. Any other reference is an error.
 */
bool dt_overlay(struct dt *dt, const void *overlay, size_t len, struct error *err);

/* Sets a property of the node at `path` to one cell. */
bool dt_set_cell(struct dt *dt, const char *path, const char *name, uint32_t value,
                 struct error *err);
/* Sets the status of the node at `path` (section 2.3.4 of the specification). */
bool dt_set_status(struct dt *dt, const char *path, const char *status, struct error *err);

/* Sets a property of the node at `path` to one string. */
bool dt_set_string(struct dt *dt, const char *path, const char *name, const char *value,
                   struct error *err);

/* An operating point of the kernel's binding opp-v2. */
struct dt_operating_point {
    uint64_t hz;
    uint32_t microvolt, microwatt;
};
/* Gives the node at `path` a table of operating points, and makes it a cooling device. The tree is
 * indexed anew. */
bool dt_add_operating_points(struct dt *dt, const char *path,
                             const struct dt_operating_point *points, unsigned count,
                             struct error *err);

/* Removes the node and all nodes below it. */
bool dt_remove(struct dt *dt, const char *path, struct error *err);

/* Nodes of the index, in its order. */
typedef VEC(const struct dt_node *) dt_node_list;

/* Edits of many nodes. The tree is indexed once, since it may have thousands of nodes; pointers to
 * nodes become stale. */
bool dt_set_status_of(struct dt *dt, const dt_node_list *nodes, const char *status,
                      struct error *err);
bool dt_remove_nodes(struct dt *dt, const dt_node_list *nodes, struct error *err);

struct dt_bank {
    uint64_t base, size;
};

/* Sets the first memory node's banks, and removes the other memory nodes (section 3.4). */
bool dt_set_memory(struct dt *dt, const struct dt_bank *banks, unsigned count, struct error *err);

/* Properties of /chosen (section 3.6); a property that is not given keeps its value. */
struct dt_chosen {
    const char *bootargs;              /* NULL: keep the tree's */
    uint64_t initrd_start, initrd_end; /* equal: none */
    const void *rng_seed, *kaslr_seed; /* NULL: none; kaslr_seed is 8 bytes */
    size_t rng_seed_len;
};
/* Sets the properties of /chosen, which is added if the tree has none. */
bool dt_set_chosen(struct dt *dt, const struct dt_chosen *chosen, struct error *err);

#endif
