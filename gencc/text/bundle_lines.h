/*
 * The source of a program of bundles, taken apart: bundles, their lines, and labels between them.
 */
#ifndef GENCC_TEXT_BUNDLE_LINES_H
#define GENCC_TEXT_BUNDLE_LINES_H

#include "gencc/text/bundle_asm.h"

enum { SOURCE_MAX_ERRORS = 20, SOURCE_MAX_LINE = 1024 };

struct source_label {
    const char *name;
    unsigned bundle; /* that it stands before */
    unsigned line;
};

/* Zero-initialise, then set what stands first. */
struct source_lines {
    struct arena *arena;
    const struct bundle *c;
    const char *comment; /* begins one; or NULL */
    const char *file;    /* its name in messages */
    FILE *messages;      /* where they go; or NULL */
    /* What was read. */
    VEC(struct source_bundle *) bundles;
    VEC(struct source_label) labels;
    unsigned errors;
    bool open;     /* a bundle is being read */
    bool in_words; /* behind what opens it */
};

/* Reads all lines. False after errors, which have been reported. */
bool source_lines_read(struct source_lines *s, FILE *in);

/* Reports an error in a line, and counts it. */
void source_error(struct source_lines *s, unsigned line, unsigned column, const char *message);

#endif
