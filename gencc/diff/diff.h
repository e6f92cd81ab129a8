/*
 * Differences between two descriptions. Each description becomes a list of things with texts (an
 * encoding, a behaviour, a register …); then the lists are compared.
 */
#ifndef GENCC_DIFF_DIFF_H
#define GENCC_DIFF_DIFF_H

#include "gencc/front/layout.h"
#include "gencc/model/model.h"

enum thing_kind {
    THING_ARCHITECTURE,
    THING_TIMING,
    THING_ABI,
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
    const char *isa;  /* ISA, or "" */
    const char *name; /* unique for its kind and ISA */
    const char *text; /* lines; equal texts mean the same */
};

typedef VEC(struct thing) thing_list;

/* Compares positions of two things in a list: below 0, 0 or above 0. */
int diff_order(const struct thing *x, const struct thing *y);

/* Collects everything of a model that a user of the description can observe, sorted. */
void diff_collect(struct arena *a, const struct model *m, thing_list *out);

/* Collects a file of layouts and registers, or of GPUs. */
void diff_collect_layouts(struct arena *a, const struct ast_layout_file *file, thing_list *out);

/* Prints things that only one list has, and things that differ, with their lines. Returns the
 * number of things printed. */
unsigned diff_print(FILE *out, struct arena *a, const thing_list *old, const thing_list *new);

#endif
