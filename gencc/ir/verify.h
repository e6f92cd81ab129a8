/*
 * Inside the verifier.
 */
#ifndef GENCC_IR_VERIFY_H
#define GENCC_IR_VERIFY_H

#include "gencc/ir/ir.h"

struct ir_verifier {
    struct diag *d;
    const struct ir_func *f;
    const struct ir_block *block; /* the one that is looked at */
    struct arena scratch;
    unsigned *index;                /* by block->id: place in f->blocks + 1, 0 = none */
    unsigned *preds;                /* by place in f->blocks: number of predecessors */
    const struct ir_value **values; /* by value->id */
    unsigned *place;                /* by value->id: place in its block */
    uint64_t *doms;                 /* by place in f->blocks: set of dominators, `words` long */
    unsigned words;
};

/* Reports and returns false. `v` is NULL for the block, and that too for the function. */
bool ir_bad(struct ir_verifier *c, const struct ir_value *v, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Checks operand count, types and what else belongs to the operation alone. */
bool ir_verify_types(struct ir_verifier *c, const struct ir_value *v);

#endif
