/*
 * The registers as a solver sees them: views that overlap are one array of cells, or one cell.
 */
#ifndef GENCC_EXPORT_CELLS_H
#define GENCC_EXPORT_CELLS_H

#include "gencc/export/term.h"
#include "gencc/model/model.h"

/* Views that overlap, directly or through others */
struct cell_group {
    const char *name;       /* name of its first view */
    unsigned offset, bytes; /* in the state */
    unsigned cell;          /* bytes of a cell */
    unsigned count;         /* number of cells */
    VEC(const struct reg_view *) views;
};

struct cells {
    VEC(struct cell_group) groups;
    const unsigned *group_of; /* by view->index */
};

/* Groups all views of the state. */
struct cells *cells_of(struct arena *a, const struct model *m);

/* The sort of a group: an array if it has several cells. */
struct sort cells_sort(const struct cell_group *g);

/* A register, or a part of it that lies in one cell */
struct cell_place {
    const struct cell_group *group;
    const struct term *index; /* of the cell; NULL if there is only one */
    const struct term *shift; /* in bits, as wide as the cell; NULL: `low` is the place */
    unsigned low, bits;
};

/* Number of the parts that an access of `bytes` bytes to a register of the view consists of. */
unsigned cells_parts(const struct cells *c, const struct reg_view *v, unsigned bytes);
/* The place of part `part`. `index` is the number of the register, any bits; NULL for a slot. */
struct cell_place cells_place(struct terms *t, const struct cells *c, const struct reg_view *v,
                              const struct term *index, unsigned part, unsigned bytes);

/* The value of a place, and the group's value after a write to it. `now` is the group's value. */
const struct term *cells_read(struct terms *t, const struct cell_place *p, const struct term *now);
const struct term *cells_write(struct terms *t, const struct cell_place *p, const struct term *now,
                               const struct term *value);

#endif
