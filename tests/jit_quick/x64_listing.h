/*
 * What the files of x64_listing share: it calls every function of the assembler with many operands,
 * and says what each call should have written.
 */
#ifndef TESTS_JIT_QUICK_X64_LISTING_H
#define TESTS_JIT_QUICK_X64_LISTING_H

#include "runtime/jit/quick/x64/assemble.h"

#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

extern struct listing {
    struct q_buffer x;
    uint8_t *mark; /* up to here the text is written */
    FILE *text;
} l;

enum { ALL_MEMS = 16 * 9 * (1 + 15 * 4), SOME_MEMS = 16 * 4 };

/* Operands: every base with every index, scale and kind of displacement; some of all bases. */
extern struct mems {
    struct x64_mem all[ALL_MEMS], some[SOME_MEMS];
    size_t all_count, some_count;
} mems;

/* Says what was assembled since the last call: one instruction, as objdump -M intel writes it. */
__attribute__((format(printf, 1, 2))) void expect(const char *format, ...);

/* ---- text of operands ------------------------------------------------------------------------ */

struct text {
    char s[64];
};

const char *gpr(unsigned bits, unsigned r);
struct text address(struct x64_mem m);            /* [...] */
struct text mem(unsigned bits, struct x64_mem m); /* DWORD PTR [...] and so on */

/* ---- the parts of the listing ---------------------------------------------------------------- */

void list_integers(void);
void list_vectors(void);

#endif
