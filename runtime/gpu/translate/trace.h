/* The function of a trace as it is built: between trace.c and apart.c. */
#ifndef RUNTIME_GPU_TRANSLATE_TRACE_H
#define RUNTIME_GPU_TRANSLATE_TRACE_H

#include "runtime/gpu/translate/internal.h"

enum { APART_GROUPS = 8 };

/* Lanes that go on at one address. */
struct apart_group {
    uint64_t address;
    LLVMValueRef bits; /* variable */
};

/* The row's lanes while they are apart. */
struct apart {
    bool on, ended; /* ended: some may have */
    struct apart_group group[APART_GROUPS];
    unsigned count;
    LLVMBasicBlockRef behind; /* the side that is being built; NULL: none */
};

/* A place where the row's state is to be stored or loaded, before a block's end, once it is known what differs. */
struct point {
    LLVMBasicBlockRef block;
    bool load;
};

struct building {
    struct jit_build *j;
    struct gpu_trace *trace;
    LLVMBasicBlockRef start, head, leave, done;
    LLVMBasicBlockRef row; /* where each row begins; NULL: the function is of one */
    LLVMValueRef round, rounds,
        last; /* variables: full rounds, or rows, so far; their limit; bundle */
    struct point *points;
    unsigned point_count, point_capacity;
    struct apart apart;
    bool control;      /* a handler may have changed where the row goes on */
    bool ends_written; /* somewhere all lanes may end after which registers are written */
};

/* ---- trace.c --------------------------------------------------------------------------------- */

/* Leaves the trace at bundle `n`, and how (enum of translate.h). */
void trace_leave(struct building *b, unsigned n, unsigned how);
/* Goes on if the condition holds, else leaves, with the lanes of the bits (NULL: none) branching. */
void trace_go_on_if(struct building *b, LLVMValueRef cond, LLVMValueRef bits, unsigned n);
/* The active lanes of a mask; NULL of NULL. */
LLVMValueRef trace_active(struct jit_build *j, LLVMValueRef mask);
/* What accesses and handlers left to be done at the end of the bundle, 0 for nothing; NULL: there were none. */
LLVMValueRef trace_happened(struct jit_build *j);
/* The address where branching lanes go on, if it is known. */
bool trace_known_target(struct jit_build *j, uint64_t *target);
LLVMValueRef trace_is_none(struct jit_build *j, LLVMValueRef bits);
LLVMValueRef trace_widened(struct jit_build *j, LLVMValueRef bits);
/* Where all lanes of the row that live have ended. */
LLVMBasicBlockRef trace_done(struct building *b);

/* ---- apart.c --------------------------------------------------------------------------------- */

/* The same as go_on() of trace.c where lanes part, are apart, or end while others go on. */
bool apart_go_on(struct building *b, const struct gpu_code *code, const struct gpu_code *next,
                 unsigned n);

#endif
