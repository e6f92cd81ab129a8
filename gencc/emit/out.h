/*
 * What all parts of the emitter know, and the files they write.
 */
#ifndef GENCC_EMIT_OUT_H
#define GENCC_EMIT_OUT_H

#include "gencc/emit/options.h"
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
    bool failed;
};

/* A C file being written, in memory first. */
struct out {
    FILE *f;
    char *text;
    size_t size;
    const char *name;
};

bool out_open(struct emit *e, struct out *o, const char *name);
/* Writes the file if its content differs from what is there. */
bool out_close(struct emit *e, struct out *o);

#endif
