/*
 * What the files that read an ABI share.
 */
#ifndef GENCC_ABI_INTERNAL_H
#define GENCC_ABI_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "gencc/abi/abi.h"
#include "gencc/front/abi_ast.h"

/* An ABI that is being read. Arrays stand before the structure whose members name them. */
struct abi {
    const struct model *m;
    struct arena *a;
    struct diag *d;
    FILE *arrays, *members;
    unsigned set_bytes;     /* of a set of signals */
    bool even_pairs;        /* `wide` arguments begin in an even register */
    unsigned frames;        /* bit 0: of handlers without siginfo, 1: with it */
    const char *frame;      /* C of the frame with siginfo */
    VEC(const char *) seen; /* first words of statements that may occur once */
};

/* A statement and how far it is read. After an error nothing more is reported. */
struct words {
    struct abi *abi;
    const struct abi_node *node;
    unsigned at;
    bool failed;
};

/* ---- reader.c -------------------------------------------------------------------------------- */

void words_error(struct words *w, const char *wanted);
/* Whether the next word is this name or sign; if so it is read. */
bool words_accept(struct words *w, const char *text);
/* Reads this name or sign; reports if it is not there. */
void words_expect(struct words *w, const char *text);
bool words_at_end(const struct words *w);
/* Read a name, a text, a number (a sign `-` before it is allowed). After an error: "" or 0. */
const struct abi_word *words_name(struct words *w);
const char *words_text(struct words *w);
int64_t words_number(struct words *w, int64_t least, int64_t most);
uint64_t words_value(struct words *w);
/* Reports words behind the statement, and a block if it must have none, or none if it must. */
void words_finish(struct words *w, bool block);
/* Calls the function for each statement of the block. */
typedef void statement_fn(struct words *w, void *opaque);
void words_block(struct words *w, statement_fn *fn, void *opaque);
/* Reports the name as unknown; `candidates` are all known ones, ended by NULL. */
void words_unknown(struct words *w, const struct abi_word *name, const char *what,
                   const char *const *candidates);

/* ---- registers.c ----------------------------------------------------------------------------- */

/* Reads the name of a register of the description. */
const char *words_register(struct words *w);
/* Whether the description has `count` registers from this one on. */
bool has_registers(const struct abi *abi, const char *name, unsigned count);
/* The statements about registers and about what a program begins with. */
void read_registers(struct words *w);
void read_start(struct words *w);

/* ---- the other files ------------------------------------------------------------------------- */

/* frame.c: `frame [plain] align N return OFFSET { … }` */
void read_frame(struct words *w);
/* calls.c: `calls { … }` */
void read_calls(struct words *w);
/* structs.c: `struct NAME { … }` */
void read_struct(struct words *w);
/* tables.c: `table NAME { … }`, and the host's number of a signal's name */
void read_table(struct words *w);
int words_signal(struct words *w);

#endif
