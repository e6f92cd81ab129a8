/*
 * What all parts of the emitter know, and the files they write.
 */
#ifndef GENCC_EMIT_OUT_H
#define GENCC_EMIT_OUT_H

#include "gencc/emit/options.h"
#include "gencc/emit/pool.h"
#include "gencc/ir/ir.h"
#include "gencc/model/model.h"

struct dialect;

/* One run of the emitter: an ISA. */
struct emit {
    struct isa *isa;
    struct model *model;
    struct arena *arena;
    struct diag *diag;
    const struct emit_options *opt;
    const char *p;                    /* prefix of every global name: the ISA's */
    const char *P;                    /* the same in capitals */
    const struct dialect *dialect;    /* of functions that are no handlers */
    VEC(struct ir_func *) behaviours; /* that handlers are made of: helpers they call are needed */
    VEC(struct ir_type) vectors;      /* vector types in use */
    unsigned max_operand_bytes;
    bool *translated; /* by form: it has a translator; NULL: none has */
    bool failed;
};

/* A C file being written, in memory first. */
struct out {
    FILE *f;
    char *text;
    size_t size;
    const char *name;
};

/* A piece of C on its way into the pool. */
struct piece {
    FILE *f;
    char *text; /* once closed; the caller frees it */
    size_t size;
};

/* False after reporting. */
bool piece_open(struct emit *e, struct piece *p);
/* The text. */
const char *piece_close(struct piece *p);

/* Which of the files that handlers are spread over has those of a form. It is found from the name of the
 * instruction alone, so that a new one changes one of the files. */
unsigned part_of(const struct emit *e, const struct form *form);

bool out_open(struct emit *e, struct out *o, const char *name);
/* Writes the file if its content differs from what is there. */
bool out_close(struct emit *e, struct out *o);

#endif
