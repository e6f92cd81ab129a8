/*
 * What the collectors of things share. Private to diff/.
 */
#ifndef GENCC_DIFF_COLLECT_H
#define GENCC_DIFF_COLLECT_H

#include "gencc/diff/diff.h"

#include <stdio.h>

struct collector {
    struct arena *a;
    thing_list *out;
    const char *isa;
    FILE *text; /* text of the current thing */
    char *buffer;
    size_t size;
};

/* collect_begin() opens c->text, where the text of a thing is written; collect_end() adds the
 * thing. */
void collect_begin(struct collector *c);
void collect_end(struct collector *c, enum thing_kind kind, const char *name);
void collect_sort(thing_list *things);

#endif
