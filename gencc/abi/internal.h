/*
 * What the files that read an ABI share.
 */
#ifndef GENCC_ABI_INTERNAL_H
#define GENCC_ABI_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "gencc/abi/abi.h"
#include "gencc/abi/facts.h"
#include "gencc/front/abi_ast.h"

/* An ABI that is being read. In the generated C, arrays precede the structure that names them. */
struct abi {
    const struct model *m;
    struct arena *a;
    struct diag *d;
    FILE *arrays, *members;  /* C of the arrays, and of the structure's members */
    unsigned set_bytes;      /* size of a set of signals */
    bool even_pairs;         /* `wide` arguments begin in an even register */
    unsigned frames;         /* frames read: bit 0: for handlers without siginfo, 1: with it */
    const char *frame;       /* C of the frame that was read last */
    VEC(const char *) seen;  /* first words of the statements that were read */
    struct abi_facts *facts; /* receives the frame's layout (frame.c) */
};

/* A statement that is being read. */
struct words {
    struct abi *abi;
    const struct abi_node *node;
    unsigned at; /* index of the next word */
    bool failed; /* an error was reported; no other one is */
};

/* ---- reader.c -------------------------------------------------------------------------------- */

/* Reports "expected WANTED" at the next word. */
void words_error(struct words *w, const char *wanted);
/* Reads the next word if it is this name or sign; returns whether it is. */
bool words_accept(struct words *w, const char *text);
/* Reads the next word, which must be this name or sign; otherwise reports an error. */
void words_expect(struct words *w, const char *text);
/* Whether all words are read, or an error was reported. */
bool words_at_end(const struct words *w);
/* Read the next word as a name, a text in quotes, a number from `least` to `most` (which may have a
 * sign `-`), or an unsigned number. After an error they return "" or 0. */
const struct abi_word *words_name(struct words *w);
const char *words_text(struct words *w);
int64_t words_number(struct words *w, int64_t least, int64_t most);
uint64_t words_value(struct words *w);
/* Reports an error if words are left, or if the statement has a block and `block` is false, or
 * has none and `block` is true. */
void words_finish(struct words *w, bool block);
typedef void statement_fn(struct words *w, void *opaque);
/* Ends the statement, which must have a block, and calls `fn` for each statement of the block. */
void words_block(struct words *w, statement_fn *fn, void *opaque);
/* Reports that there is no `what` of this name, and the most similar one of `candidates`, an array
 * that NULL ends. */
void words_unknown(struct words *w, const struct abi_word *name, const char *what,
                   const char *const *candidates);

/* ---- registers.c ----------------------------------------------------------------------------- */

/* Reads the name of a register, and reports an error if the description has none of this name. */
const char *words_register(struct words *w);
/* Whether the description has `count` consecutive registers of a bank from the one named on; if
 * `count` is 1, any register or system register of this name will do. */
bool has_registers(const struct abi *abi, const char *name, unsigned count);
/* Statements that name registers of calls, and `start { REGISTER = VALUE; … }` */
void read_registers(struct words *w);
void read_start(struct words *w);

/* ---- abi.c ----------------------------------------------------------------------------------- */

/* Checks the whole ABI and lays out the frame of handlers with siginfo. Returns false after
 * reporting errors. */
bool abi_read_frame(const struct model *m, struct abi_facts *facts);

/* ---- the other files ------------------------------------------------------------------------- */

/* frame.c: `frame [plain] align N return OFFSET { … }` */
void read_frame(struct words *w);
/* calls.c: `calls { … }` */
void read_calls(struct words *w);
/* structs.c: `struct NAME { … }` */
void read_struct(struct words *w);
/* tables.c: `table NAME { … }` */
void read_table(struct words *w);
/* tables.c: reads the name of a signal and returns the host's number of it; after an error 0. */
int words_signal(struct words *w);

#endif
