/*
 * Source files, positions and diagnostics.
 *
 * A diagnostic is printed as
 *     file:line:column: error: text
 *      12 | the source line
 *         |     ^~~~
 * and several are reported in one run. Warnings do not change the exit status.
 */
#ifndef GENCC_FRONT_DIAG_H
#define GENCC_FRONT_DIAG_H

#include "gencc/base/arena.h"
#include "gencc/base/vec.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct source_file {
    const char *path; /* as the user would write it */
    const char *text; /* whole file, NUL-terminated */
    size_t length;
};

/* Where something stands. Lines and columns count from 1; length is in bytes, at least 1. A
 * position with file == NULL is "nowhere" (made by the compiler itself). */
struct src_pos {
    const struct source_file *file;
    uint32_t line, column, length;
};

/* Whether two positions are the same place of the same file, which several ISAs may have read. */
bool src_same_place(struct src_pos x, struct src_pos y);

struct diag {
    struct arena *arena;
    FILE *out; /* where messages go, stderr usually */
    unsigned errors, warnings;
    unsigned max_errors;     /* stop printing after so many, and after so many warnings; 0 = 50 */
    bool muted;              /* the last message was not printed, so its notes are not either */
    VEC(const char *) files; /* what was read, some more than once */
};

/* Reports at `pos`. Text says what is wrong and what was expected; no trailing newline. */
void diag_error(struct diag *d, struct src_pos pos, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void diag_warning(struct diag *d, struct src_pos pos, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds to the message before: "note: the other definition is here". */
void diag_note(struct diag *d, struct src_pos pos, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The nearest name to `wrong` among those offered (edit distance), for "did you mean"; or NULL. */
struct name_guess {
    const char *wrong, *best;
    unsigned distance;
};
void name_guess_offer(struct name_guess *g, const char *candidate);

/* Reads a whole file into the arena. Returns NULL after reporting at `from` (or plainly when that
 * is nowhere) when it cannot be read, is larger than 64 MiB, or holds a NUL byte. */
struct source_file *source_read(struct diag *d, const char *path, struct src_pos from);

#endif
