/*
 * The state that all parts of the emitter share, and the files that they write.
 */
#ifndef GENCC_EMIT_OUT_H
#define GENCC_EMIT_OUT_H

#include "gencc/emit/options.h"
#include "gencc/emit/pool.h"
#include "gencc/ir/ir.h"
#include "gencc/model/model.h"

struct dialect;

/* A run of the emitter, for one ISA. */
struct emit {
    struct isa *isa;
    struct model *model;
    struct arena *arena;
    struct diag *diag;
    const struct emit_options *opt;
    const char *prefix;               /* prefix of all global names: the ISA's */
    const char *capital_prefix;       /* the prefix in capitals */
    const struct dialect *dialect;    /* dialect of functions that are no handlers */
    VEC(struct ir_func *) behaviours; /* behaviours of handlers; their helpers are needed */
    VEC(struct ir_type) vectors;      /* vector types in use */
    unsigned max_operand_bytes;
    bool *translated; /* by form: it has a translator; NULL: none has */
    bool failed;
};

/* A C file that is being written, in memory at first. */
struct out {
    FILE *f;
    char *text;
    size_t size;
    const char *name;
};

/* A piece of C that is written for the pool. */
struct piece {
    FILE *f;
    char *text; /* set by piece_close; the caller frees it */
    size_t size;
};

/* Opens a piece. False after reporting. */
bool piece_open(struct emit *e, struct piece *p);
/* Closes a piece and returns its text. */
const char *piece_close(struct piece *p);

/* The file, of those with handlers, that has a form's. It depends only on the instruction's name,
 * so that a new instruction changes one file. */
unsigned part_of(const struct emit *e, const struct form *form);

/* Begins a C file in memory. False after reporting. */
bool out_open(struct emit *e, struct out *o, const char *name);
/* Writes the file if its content has changed. */
bool out_close(struct emit *e, struct out *o);

#endif
