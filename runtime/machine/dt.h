/*
 * A device tree: a flattened blob, and an index of its nodes. Addresses, interrupts and clocks are
 * translated to what the CPUs and the interrupt controller see.
 * Source: Devicetree Specification v0.4, sections named below.
 *
 * The blob is edited first (dt_edit.h) and then indexed; a later edit needs a new index. Files are
 * not trusted: dt_load() refuses a blob that libfdt's full check refuses.
 */
#ifndef RUNTIME_MACHINE_DT_H
#define RUNTIME_MACHINE_DT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"

#define DT_MAX_BLOB  (2u << 20) /* bytes; the limit of arm64 Linux (booting.rst, section 2) */
#define DT_MAX_NODES 65536u
#define DT_MAX_DEPTH 32
#define DT_MAX_CELLS 8 /* most cells of an interrupt specifier or a unit address */

struct dt_node {
    int offset; /* offset in the blob */
    const struct dt_node *parent;
    const char *name;    /* name with unit address; "" for the root */
    const char *path;    /* "/" for the root */
    uint32_t phandle;    /* 0: none */
    bool enabled;        /* status is "okay" or absent, here and in all ancestors */
    unsigned addr_cells; /* #address-cells, #size-cells for its children */
    unsigned size_cells;
};

struct dt {
    void *blob; /* DT_MAX_BLOB bytes allocated */
    struct dt_node *nodes;
    unsigned count; /* nodes, in document order: children follow their parent */
};

/* Reads a file, or copies a blob. NULL when it is not a sound device tree. Release: dt_free(). */
struct dt *dt_load(const char *path, struct error *err);
struct dt *dt_copy(const void *blob, size_t len, struct error *err);
void dt_free(struct dt *dt);

/* Makes the index of the nodes; pointers to nodes of an earlier index become stale. */
bool dt_index(struct dt *dt, struct error *err);

/* Bytes of the packed blob; dt_index() packs it. */
size_t dt_size(const struct dt *dt);

/* ---- nodes: the index must exist ------------------------------------------------------------- */

/* The node of a full path or an alias ("serial0"), or NULL. A path may end in ":OPTIONS", as
 * stdout-path does. */
const struct dt_node *dt_find(const struct dt *dt, const char *path);
const struct dt_node *dt_by_phandle(const struct dt *dt, uint32_t phandle);

/* A property's bytes, or NULL; *len (may be NULL) in bytes. Valid until the next edit. */
const void *dt_prop(const struct dt *dt, const struct dt_node *node, const char *name, size_t *len);

/* The `index`-th cell of a property; false: absent or shorter. */
bool dt_cell(const struct dt *dt, const struct dt_node *node, const char *name, unsigned index,
             uint32_t *value);

/* The string after `after`, a string of the same list (NULL: the first string); NULL: none. */
const char *dt_next_string(const struct dt *dt, const struct dt_node *node, const char *name,
                           const char *after);

/* The `index`-th string of a string list, or NULL. The time is linear in `index`. */
const char *dt_string(const struct dt *dt, const struct dt_node *node, const char *name,
                      unsigned index);

/* Whether `compatible` lists the string. */
bool dt_compatible(const struct dt *dt, const struct dt_node *node, const char *compatible);

/* Whether the node's device_type is `type`: "memory", "cpu" (section 2.3.11). */
bool dt_is_type(const struct dt *dt, const struct dt_node *node, const char *type);

/* The first enabled node that lists `compatible`, after `after` (NULL: from the root), or NULL. */
const struct dt_node *dt_next_compatible(const struct dt *dt, const struct dt_node *after,
                                         const char *compatible);

/* ---- addresses: section 2.3.6 reg, 2.3.8 ranges ---------------------------------------------- */

/*
 * The `index`-th range of `reg` as the CPUs see it. False: there is none, or a bus above the node
 * does not map it (children of an I2C bus, of /cpus).
 */
bool dt_reg(const struct dt *dt, const struct dt_node *node, unsigned index, uint64_t *base,
            uint64_t *size);

/* The `index`-th address of `reg`, not translated (a CPU's affinity value); false: none. */
bool dt_raw_address(const struct dt *dt, const struct dt_node *node, unsigned index,
                    uint64_t *address);

/* ---- interrupts: section 2.4 ----------------------------------------------------------------- */

struct dt_interrupt {
    const struct dt_node *controller;
    unsigned count; /* cells of the specifier */
    uint32_t cells[DT_MAX_CELLS];
};

/* The `index`-th interrupt of a node, translated by interrupt maps. False: there is none, or a
 * property on the way is malformed. */
bool dt_interrupt(const struct dt *dt, const struct dt_node *node, unsigned index,
                  struct dt_interrupt *out);

/* The node's interrupt parent, or NULL. */
const struct dt_node *dt_interrupt_parent(const struct dt *dt, const struct dt_node *node);

/* ---- clocks: clock bindings of the kernel's Documentation ------------------------------------ */

/*
 * Frequency in Hz of the `index`-th entry of `clocks`; 0: not in the tree (clocks that firmware
 * sets). False: there is no such entry.
 */
bool dt_clock(const struct dt *dt, const struct dt_node *node, unsigned index, uint64_t *hz);

#endif
