/*
 * Loads a description for a test.
 */
#ifndef GENCC_REFEREE_LOAD_H
#define GENCC_REFEREE_LOAD_H

#include "gencc/disasm/disasm.h"

struct loaded {
    struct arena arena;
    struct diag diag;
    struct model *model;
    struct text *text;
};

/* Reads an architecture file, lowers one ISA and prepares its assembly text. Returns false after
 * printing errors to standard error. */
bool load_text(struct loaded *l, const char *path, const char *isa);

/* Reads an architecture file and lowers one ISA without optimising it or preparing its text. */
bool load_lowered(struct loaded *l, const char *path, const char *isa);

#endif
