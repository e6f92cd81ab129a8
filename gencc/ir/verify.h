/*
 * What the files of the verifier share.
 */
#ifndef GENCC_IR_VERIFY_H
#define GENCC_IR_VERIFY_H

#include "gencc/ir/ir.h"

struct ir_verifier {
    struct diag *d;
    const struct ir_func *f;
    const struct ir_block *block; /* block being checked */
    struct arena scratch;
    unsigned *index;                /* by block->id: 1 + place in f->blocks; 0: none */
    unsigned *preds;                /* by place in f->blocks: number of predecessors */
    const struct ir_value **values; /* values by id */
    unsigned *place;                /* by value->id: place in its block */
    /* by place in f->blocks: bit set of dominators, `words` words */
    uint64_t *doms;
    unsigned words;
};

/* Reports a violation and returns false. `v` NULL: of the current block; c->block NULL too: of the
 * function. */
bool ir_reject(struct ir_verifier *c, const struct ir_value *v, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Checks what depends on the operation alone: number and types of operands, union member. */
bool ir_verify_types(struct ir_verifier *c, const struct ir_value *v);

#endif
