/*
 * What the collectors of things share.
 */
#ifndef GENCC_DIFF_COLLECT_H
#define GENCC_DIFF_COLLECT_H

#include "gencc/diff/diff.h"

#include <stdio.h>

struct collector {
    struct arena *a;
    thing_list *out;
    const char *isa;
    FILE *text; /* of the thing being written */
    char *buffer;
    size_t size;
};

/* Between them the text of one thing is written. */
void collect_begin(struct collector *c);
void collect_end(struct collector *c, enum thing_kind kind, const char *name);
void collect_sort(thing_list *things);

#endif
