/*
 * The source of a program of bundles, taken apart: bundles, their lines, and labels between them.
 */
#ifndef GENCC_ASM_BUNDLES_LINES_H
#define GENCC_ASM_BUNDLES_LINES_H

#include "gencc/front/diag.h"
#include "gencc/asm/bundles/asm.h"

enum { SOURCE_MAX_ERRORS = 20, SOURCE_MAX_LINE = 2048, SOURCE_MAX_BYTES = 1 << 26 };

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
    struct diag *diag;   /* where they go; or NULL */
    /* What was read. */
    struct source_file source;
    VEC(struct source_bundle *) bundles;
    VEC(struct source_label) labels;
    unsigned errors;
    struct source_hint hint; /* of the next bundle */
    bool open;               /* a bundle is being read */
    bool in_words;           /* behind what opens it */
};

/* Reads all lines. False after errors, which have been reported. */
bool source_lines_read(struct source_lines *s, FILE *in);

/* Reports an error in `length` characters of a line, and counts it. */
void source_error(struct source_lines *s, unsigned line, unsigned column, unsigned length,
                  const char *message);
/* Adds to the message before. */
void source_note(struct source_lines *s, const char *message);

/* ---- hint.c ---------------------------------------------------------------------------------- */

/* Takes a line that says the next bundle's bytes: `//= `, and behind that two hexadecimal digits for each.
 * False: it is no such line. What is wrong with it is reported. */
bool source_hint_read(struct source_lines *s, const char *text, unsigned line);
/* Reports bytes that no bundle stands behind. */
void source_hint_end(struct source_lines *s);

#endif
