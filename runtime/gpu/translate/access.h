/* An access of a row of lanes as it is built: between memory.c, read.c and strided.c. */
#ifndef RUNTIME_GPU_TRANSLATE_ACCESS_H
#define RUNTIME_GPU_TRANSLATE_ACCESS_H

#include "runtime/gpu/translate/internal.h"

enum { ACCESS_WAYS = 6, ACCESS_MAX_PARTS = 4 };

/* Lanes of two pages, as the first two that the table has. */
struct access_pages {
    LLVMValueRef first; /* vector of i1: lanes of the first page; NULL: all are in one */
    LLVMValueRef at;    /* vector of the host's addresses, as integers */
};

/* Memory that was found in the table. */
struct access_found {
    LLVMValueRef entry, host; /* of the table; the first byte */
    struct access_pages pages;
    LLVMValueRef room; /* the instruction whose second operand says how much must be there */
    unsigned bytes;    /* so much must */
    unsigned grown;    /* so much more, for words behind the first */
};

struct access;
struct access_way;
/* Builds the read of the word that is so many bytes behind the access's address. */
typedef LLVMValueRef access_word_fn(struct jit_build *j, const struct access *a,
                                    struct access_way *way, unsigned ahead);

/* A way of reading, to whose end words behind the first can be added. */
struct access_way {
    access_word_fn *word;
    LLVMBasicBlockRef from;
    LLVMValueRef value;
    struct access_found found;
    unsigned parts; /* of which each lane reads one; else 0 */
    /* All parts of all lanes, and those behind them; NULL: not read yet. */
    LLVMValueRef chunk[ACCESS_MAX_PARTS];
};

struct access {
    unsigned bytes;
    bool write;
    unsigned counter;                /* enum gpu_access_counter: what it counts as */
    LLVMTypeRef lane;                /* integer of as many bytes */
    LLVMValueRef active, mask, bits; /* lanes that there are, that come there, that access */
    jit_value address;
    /* Where the next way begins; the way lane by lane; the end of all. */
    LLVMBasicBlockRef apart, slow, end;
    struct access_found found;
    /* Of a read. */
    struct access_way way[ACCESS_WAYS];
    unsigned ways;
};

/* ---- memory.c -------------------------------------------------------------------------------- */

struct access access_begin(struct jit_build *j, unsigned bits, bool write, jit_value address);
void access_go_if(struct jit_build *j, LLVMValueRef cond, LLVMBasicBlockRef otherwise);
/* Goes on where all lanes access, each `step` bytes behind the one before it; returns the first lane's address. */
LLVMValueRef access_require_step(struct jit_build *j, const struct access *a, unsigned step,
                                 LLVMBasicBlockRef otherwise);
/* Finds the host's memory of `bytes` bytes at va; goes on only where the table has them all. */
void access_probe(struct jit_build *j, struct access *a, LLVMValueRef va, unsigned bytes,
                  LLVMBasicBlockRef otherwise);
/* Begins the way of lanes apart; goes on where their words are in one page or two that the table has. */
void access_require_pages(struct jit_build *j, struct access *a);
/* Whether it is a read of narrow integers, which hosts do not gather: the words that they are in are, which are so aligned. */
bool access_by_words(const struct access *a);
/* llvm.masked.gather, or scatter of what is stored, of the lanes that access. */
LLVMValueRef access_transfer(struct jit_build *j, const struct access *a, LLVMValueRef at,
                             LLVMValueRef store);
/*
 * Counts a word of all lanes that access, as the kind of page that the bundle met when it was recorded: the table is asked
 * for pages of that kind alone. All lanes' are a number of the bundle, which costs nothing; the way lane by lane counts what it
 * meets, and takes that back.
 */
void access_count(struct jit_build *j, const struct access *a);
/* The operand that tells that way of the access: enum of row.h. */
LLVMValueRef access_what(struct jit_build *j, const struct access *a);
/* The lanes that access, as handlers take them. */
LLVMValueRef access_bits32(struct jit_build *j, const struct access *a);
/* Leaves the bundle's address to whom a fault is told. */
void access_note_address(struct jit_build *j);
/* A value in memory of its own. */
LLVMValueRef access_in_memory(struct jit_build *j, LLVMValueRef v);
/* The end of one way. */
void access_end(struct jit_build *j, struct access *a);
/* The host's memory, so many bytes on, as a pointer to a type. */
LLVMValueRef access_host(struct jit_build *j, const struct access_found *found, unsigned ahead,
                         LLVMTypeRef t);

/* ---- read.c ---------------------------------------------------------------------------------- */

/* One way of reading, whose memory is found; of `parts` of each lane, else 0. */
void access_way(struct jit_build *j, struct access *a, access_word_fn *word, unsigned parts);
/* One word for all lanes. */
access_word_fn access_one_word;

/* ---- strided.c ------------------------------------------------------------------------------- */

/* Ways for lanes that read one address, or access one part in two or four of what lies side by side. */
void access_read_strided(struct jit_build *j, struct access *a);
void access_write_strided(struct jit_build *j, struct access *a, LLVMValueRef v);

#endif
