/*
 * Shared by the files of x64_listing, which call every function of the assembler with many operands
 * and give the expected text of each call.
 */
#ifndef TESTS_JIT_QUICK_X64_LISTING_H
#define TESTS_JIT_QUICK_X64_LISTING_H

#include "runtime/jit/quick/x64/assemble.h"

#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

extern struct listing {
    struct q_buffer x;
    uint8_t *mark; /* the text is written up to here */
    FILE *text;
} l;

enum { ALL_MEMS = 16 * 9 * (1 + 15 * 4), SOME_MEMS = 16 * 4 };

/*
 * Memory operands: `all` has every base with every index, scale and kind of displacement; `some`
 * has fewer combinations of every base.
 */
extern struct mems {
    struct x64_mem all[ALL_MEMS], some[SOME_MEMS];
    size_t all_count, some_count;
} mems;

/*
 * Writes the expected text of the code since the last call: one instruction, as objdump -M intel
 * prints it.
 */
__attribute__((format(printf, 1, 2))) void expect(const char *format, ...);

/* ---- text of operands ------------------------------------------------------------------------ */

struct text {
    char s[64];
};

/* Returns the name of a general register of 8 to 64 bits. */
const char *gpr(unsigned bits, unsigned r);
struct text address(struct x64_mem m);            /* "[...]" */
struct text mem(unsigned bits, struct x64_mem m); /* "DWORD PTR [...]" and so on */

/* ---- the parts of the listing ---------------------------------------------------------------- */

/* Call the assembler's functions, and list the expected texts. */
void list_integers(void);
void list_vectors(void);

#endif
