/*
 * Source files, positions and diagnostics.
 *
 * A diagnostic is printed as
 *     file:line:column: error: text
 *      12 | the source line
 *         |     ^~~~
 * and several are reported in one run. Warnings end in their names, [-Wname], by which they are
 * switched off or made to fail; otherwise they do not change the exit status.
 */
#ifndef GENCC_FRONT_DIAG_H
#define GENCC_FRONT_DIAG_H

#include "common/arena.h"
#include "common/vec.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct source_file {
    const char *path; /* as the user would write it */
    const char *text; /* whole file, NUL-terminated */
    size_t length;
    const char *const *lines; /* their starts, or NULL: excerpt.h finds them */
    unsigned line_count;
};

/* Where something stands. Lines and columns count from 1; length is in bytes, at least 1. A
 * position with file == NULL is "nowhere" (made by the compiler itself). */
struct src_pos {
    const struct source_file *file;
    uint32_t line, column, length;
};

/* Whether two positions are the same place of the same file, which several ISAs may have read. */
bool src_same_place(struct src_pos x, struct src_pos y);

/* Whether `x` stands before `y` in the file of both. */
static inline bool src_before(struct src_pos x, struct src_pos y)
{
    return x.line < y.line || (x.line == y.line && x.column < y.column);
}

/* Each warning of warnings.inc. */
enum warning {
#define WARNING(id, name, meaning) WARN_##id,
#include "gencc/front/warnings.inc"
#undef WARNING
    WARN_COUNT,
};

struct warning_info {
    const char *name, *meaning;
};
extern const struct warning_info warnings_known[WARN_COUNT];

/* What has been found of a place whose code is compiled more than once. */
struct verdict;

/* For who takes messages and files himself, as an editor does. */
struct diag_hooks {
    /* kind: "error", "warning" or "note". */
    void (*message)(void *context, const char *kind, struct src_pos pos, const char *text);
    /* The text of a file in place of what is on disk, or NULL. It must live as long as the arena. */
    const char *(*text)(void *context, const char *path, size_t *length);
    /* A file that was read. */
    void (*file)(void *context, const struct source_file *file);
};

/* A definition, or an item of an ISA, that has an error in it. */
struct diag_item {
    const struct source_file *file;
    const char *from, *to; /* in its text */
    unsigned line, end;    /* its first, and that behind its last */
};

struct diag {
    struct arena *arena;
    FILE *out;                      /* where messages go, stderr usually */
    const struct diag_hooks *hooks; /* or NULL */
    void *hook_context;
    unsigned errors, warnings;
    unsigned silent;            /* of the errors, those that follow from others and are not shown */
    VEC(struct src_pos) places; /* of the first errors, where there is an arena */
    VEC(struct diag_item) items; /* those of earlier stages' errors, as diag_stage() found them */
    unsigned fatal;              /* of the warnings, those that fail */
    bool off[WARN_COUNT];        /* -Wno-name */
    bool fail[WARN_COUNT];       /* -Werror=name: it is called an error, and counts as `fatal` */
    VEC(struct verdict) verdicts;
    unsigned *verdict_table; /* their numbers + 1 by place, open addressing */
    unsigned verdict_room;
    unsigned max_errors;     /* stop printing after so many, and after so many warnings; 0 = 20 */
    bool unreadable;         /* a file could not be read */
    bool muted;              /* the last message was not printed, so its notes are not either */
    VEC(const char *) files; /* what was read, some more than once */
};

/* Reports at `pos`. Text says what is wrong and what was expected; no trailing newline. */
void diag_error(struct diag *d, struct src_pos pos, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void diag_warning(struct diag *d, enum warning w, struct src_pos pos, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Adds to the message before: "note: the other definition is here". */
void diag_note(struct diag *d, struct src_pos pos, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The nearest name to `wrong` among those offered (edit distance), for "did you mean"; or NULL. */
struct name_guess {
    const char *wrong, *best;
    unsigned distance;
};
void name_guess_offer(struct name_guess *g, const char *candidate);

/* Says that a further stage begins: what it misses may be what earlier ones could not read, if they
 * reported errors. */
void diag_stage(struct diag *d);
/* An error that counts and is not shown, as an earlier one is its cause. */
void diag_follows(struct diag *d);
/* Reports that the name g->wrong is unknown; the text is followed by the guess, if there is one. It is
 * not shown when the name also stands in an item in which an earlier stage found an error: it may well be
 * declared there. */
void diag_unknown(struct diag *d, struct src_pos pos, const struct name_guess *g, const char *fmt,
                  ...) __attribute__((format(printf, 4, 5)));

/* Takes an option -Wname, -Wno-name, -Werror, -Werror=name or -Wno-error=name. False when it is no
 * such option or there is no warning of that name. */
bool diag_option(struct diag *d, const char *option);

/* Says what one compilation of the code at `pos` shows. Helpers are compiled once for each set of
 * template arguments, behaviours once for each row of a family, shared files once for each ISA:
 * a warning is due only where all of them were wrong. */
void diag_judge(struct diag *d, enum warning w, struct src_pos pos, bool wrong, const char *fmt,
                ...) __attribute__((format(printf, 5, 6)));
/* Reports what diag_judge() found wrong each time, in the order of files and lines, and forgets it. */
void diag_settle(struct diag *d);

/* Reads a whole file into the arena. Returns NULL after reporting at `from` (or plainly when that
 * is nowhere) when it cannot be read, is larger than 64 MiB, or holds a NUL byte. */
struct source_file *source_read(struct diag *d, const char *path, struct src_pos from);

/* The name of a file in the folder that ends in `end`, holds the text and has not been read, for a
 * hint; NULL when there is none. */
const char *source_unread(struct diag *d, const char *folder, const char *end, const char *text);

#endif
