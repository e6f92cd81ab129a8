/*
 * What changed between two descriptions. Each is turned into a list of things with a text (an
 * encoding, a behaviour, a register …); then the lists are compared.
 */
#ifndef GENCC_DIFF_DIFF_H
#define GENCC_DIFF_DIFF_H

#include "gencc/front/layout.h"
#include "gencc/model/model.h"

enum thing_kind {
    THING_ARCHITECTURE,
    THING_REGISTER,
    THING_SYSTEM_REGISTER,
    THING_ISA,
    THING_MAP,
    THING_FAMILY,
    THING_ENCODING,
    THING_BEHAVIOUR,
    THING_LAYOUTS,
    THING_ENUMERATION,
    THING_LAYOUT,
    THING_CONSTANT,
    THING_GPU,
};

struct thing {
    enum thing_kind kind;
    const char *isa;  /* or "" */
    const char *name; /* unique of its kind in its ISA */
    const char *text; /* lines; equal texts mean the same */
};

typedef VEC(struct thing) thing_list;

/* The order of things in a list: below, above or equal to 0. */
int diff_order(const struct thing *x, const struct thing *y);

/* Everything in a model that a user of the description could see, sorted. */
void diff_collect(struct arena *a, const struct model *m, thing_list *out);

/* The same of a file of descriptors and registers, or of GPUs. */
void diff_collect_layouts(struct arena *a, const struct ast_layout_file *file, thing_list *out);

/* Prints what is only in one of them, and what differs, with its lines. Returns how many things. */
unsigned diff_print(FILE *out, struct arena *a, const thing_list *old, const thing_list *new);

#endif
