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

/* A place in a source file. Lines and columns count from 1; the length is in bytes, at least 1.
 * `file` is NULL for code that the compiler itself made. */
struct src_pos {
    const struct source_file *file;
    uint32_t line, column, length;
};

/* Whether two positions are the same place of the same path. Several ISAs may have read a file,
 * each into a source_file of its own. */
bool src_same_place(struct src_pos x, struct src_pos y);

/* Whether `x` is before `y`; both are in the same file. */
static inline bool src_before(struct src_pos x, struct src_pos y)
{
    return x.line < y.line || (x.line == y.line && x.column < y.column);
}

/* The warnings of warnings.inc */
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

/* Result of the compilations so far of code that is compiled more than once */
struct verdict;

/* Callbacks for programs that handle messages and files themselves, such as a language server. */
struct diag_hooks {
    /* Receives a message; kind is "error", "warning" or "note". */
    void (*message)(void *context, const char *kind, struct src_pos pos, const char *text);
    /* Returns a text that replaces the file on disk, or NULL. The text must live as long as the
     * arena. */
    const char *(*text)(void *context, const char *path, size_t *length);
    /* Called for every file that was read. */
    void (*file)(void *context, const struct source_file *file);
};

/* A definition, or an item of an ISA, that contains an error */
struct diag_item {
    const struct source_file *file;
    const char *from, *to; /* the item's text */
    unsigned line, end;    /* first line, and the line after the last */
};

struct diag {
    struct arena *arena;
    FILE *out;                      /* stream for messages; NULL: stderr */
    const struct diag_hooks *hooks; /* or NULL */
    void *hook_context;
    unsigned errors, warnings;
    /* errors counted but not shown, since an earlier error caused them */
    unsigned hidden;
    VEC(struct src_pos) places; /* places of the first errors; empty without an arena */
    VEC(struct diag_item)
    items;                 /* items with errors of earlier stages, found by diag_end_stage() */
    unsigned fatal;        /* warnings that count as errors */
    bool off[WARN_COUNT];  /* -Wno-name */
    bool on[WARN_COUNT];   /* -Wname: it is asked for */
    bool fail[WARN_COUNT]; /* -Werror=name: printed as an error and counted in `fatal` */
    VEC(struct verdict) verdicts;
    /* open addressing by place; entries are indices into `verdicts` plus 1, 0: free */
    unsigned *verdict_table;
    unsigned verdict_room;
    unsigned max_errors;     /* errors printed at most, and warnings printed at most; 0: 20 */
    bool unreadable;         /* a file could not be read */
    bool muted;              /* the last message was not printed, so its notes are not either */
    VEC(const char *) files; /* paths of files read, possibly repeated */
};

/* Reports an error or a warning at `pos`. The text says what is wrong and what was expected,
 * without a trailing newline. */
void diag_error(struct diag *d, struct src_pos pos, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void diag_warning(struct diag *d, enum warning w, struct src_pos pos, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Adds a note to the previous message, such as "the other definition is here". */
void diag_note(struct diag *d, struct src_pos pos, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The offered name that is nearest to `wrong` by edit distance, for "did you mean"; `best` is NULL
 * if none is near. */
struct name_guess {
    const char *wrong, *best;
    unsigned distance;
};
/* Takes `candidate` (NULL: ignored) as the guess if it is nearer than the best so far. */
void name_guess_offer(struct name_guess *g, const char *candidate);

/* Marks the end of a stage. If the stage reported errors, names that later stages miss may be
 * declared in the text that it could not read; diag_unknown() then stays silent. */
void diag_end_stage(struct diag *d);
/* Counts an error without showing it, because an earlier error is its cause. */
void diag_count_hidden(struct diag *d);
/* Reports that the name g->wrong is unknown, with the guess if there is one. Nothing is shown if
 * the name also occurs in an item in which an earlier stage found an error, since the name may be
 * declared there. */
void diag_unknown(struct diag *d, struct src_pos pos, const struct name_guess *g, const char *fmt,
                  ...) __attribute__((format(printf, 4, 5)));

/* Applies an option -Wname, -Wno-name, -Werror, -Werror=name or -Wno-error=name. Returns false for
 * other options and unknown names. */
bool diag_option(struct diag *d, const char *option);

/* Whether the warning is not reported: it is switched off, or must be asked for and is not. */
bool diag_is_off(const struct diag *d, enum warning w);

/* Records the result of one compilation of the code at `pos`. Helpers are compiled once per set of
 * template arguments, behaviours once per row of a family, shared files once per ISA; the warning
 * is reported only if all of them were wrong. */
void diag_judge(struct diag *d, enum warning w, struct src_pos pos, bool wrong, const char *fmt,
                ...) __attribute__((format(printf, 5, 6)));
/* Reports what diag_judge() found wrong in every compilation, ordered by file and line, and clears
 * the records. */
void diag_report_verdicts(struct diag *d);

/* Reads a whole file into the arena. Returns NULL after reporting at `from` if the file cannot be
 * read, is larger than 64 MiB, or contains a NUL byte. */
struct source_file *source_read(struct diag *d, const char *path, struct src_pos from);

/* Searches `folder` for a file that was not read, whose name ends in `end` and that contains
 * `text`. Returns its name for a hint, or NULL. */
const char *source_unread(struct diag *d, const char *folder, const char *end, const char *text);

#endif
