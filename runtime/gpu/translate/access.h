/* An access of a row of lanes as it is built: between memory.c and strided.c. */
#ifndef RUNTIME_GPU_TRANSLATE_ACCESS_H
#define RUNTIME_GPU_TRANSLATE_ACCESS_H

#include "runtime/gpu/translate/internal.h"

enum { ACCESS_WAYS = 6 };

/* Ways that lead to its end. */
struct access {
    unsigned bytes;
    bool write;
    LLVMTypeRef lane;  /* integer of as many bytes */
    LLVMValueRef bits; /* lanes that access, as an integer */
    jit_value address;
    /* Where the next way begins; the way lane by lane; the end of all. */
    LLVMBasicBlockRef apart, slow, end;
    LLVMValueRef entry, host; /* of the table; the first byte */
    LLVMBasicBlockRef from[ACCESS_WAYS];
    LLVMValueRef value[ACCESS_WAYS]; /* of a read, from there */
    unsigned ways;
};

void access_go_if(struct jit_build *j, LLVMValueRef cond, LLVMBasicBlockRef otherwise);
/* Goes on where all lanes access, each `step` bytes behind the one before it; returns the first lane's address. */
LLVMValueRef access_require_step(struct jit_build *j, const struct access *a, unsigned step,
                                 LLVMBasicBlockRef otherwise);
/* Finds the host's memory of `bytes` bytes at va; goes on only where the table has them all. */
void access_probe(struct jit_build *j, struct access *a, LLVMValueRef va, unsigned bytes,
                  LLVMBasicBlockRef otherwise);
/* Counts so many accesses of lanes. */
void access_count(struct jit_build *j, const struct access *a, LLVMValueRef lanes);
/* The end of one way: what it read. */
void access_way(struct jit_build *j, struct access *a, LLVMValueRef value);
/* The host's memory as a pointer to a type. */
LLVMValueRef access_host(struct jit_build *j, const struct access *a, LLVMTypeRef t);

/* Ways for lanes that read one address, or access one part in two or four of what lies side by side. */
void access_read_strided(struct jit_build *j, struct access *a);
void access_write_strided(struct jit_build *j, struct access *a, LLVMValueRef v);

#endif
