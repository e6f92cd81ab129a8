/*
 * The source of a program of bundles, split into bundles, their lines, and labels between them.
 */
#ifndef GENCC_ASM_BUNDLES_LINES_H
#define GENCC_ASM_BUNDLES_LINES_H

#include "gencc/front/diag.h"
#include "gencc/asm/bundles/asm.h"

enum { SOURCE_MAX_ERRORS = 20, SOURCE_MAX_LINE = 2048, SOURCE_MAX_BYTES = 1 << 26 };

struct source_label {
    const char *name;
    unsigned bundle; /* index of the bundle behind it */
    unsigned line;
};

/* Zero-initialise, then set the members above "Results". */
struct source_lines {
    struct arena *arena;
    const struct bundle *c;
    const char *comment; /* begins a comment; NULL: none */
    const char *file;    /* name for messages */
    struct diag *diag;   /* receives messages; NULL: none */
    /* Results. */
    struct source_file source;
    VEC(struct source_bundle *) bundles;
    VEC(struct source_label) labels;
    unsigned errors;
    struct source_hint hint; /* given bytes of the next bundle */
    bool in_bundle;          /* a bundle is being read */
    bool in_words;           /* behind the text that opens the bundle */
};

/* Reads all lines. False after errors, all of them reported. */
bool source_lines_read(struct source_lines *s, FILE *in);

/* ---- report.c -------------------------------------------------------------------------------- */

/* Reports an error in `length` characters of a line and counts it. */
void source_error(struct source_lines *s, unsigned line, unsigned column, unsigned length,
                  const char *message);
/* Adds a note to the previous message. */
void source_note(struct source_lines *s, const char *message);

/* ---- hint.c ---------------------------------------------------------------------------------- */

/* Reads a line that gives the next bundle's bytes: `//= `, then two hexadecimal digits per byte.
 * False: it is another line. Errors in it are reported. */
bool source_hint_read(struct source_lines *s, const char *text, unsigned line);
/* Reports given bytes that no bundle follows. */
void source_hint_end(struct source_lines *s);

#endif
