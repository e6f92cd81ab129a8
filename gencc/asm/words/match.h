/*
 * Reading a line of assembly against one asm line of the description.
 *
 * White space: where the syntax has some, the line may have any amount, or none unless two words
 * would run together; where the syntax has none, the line may have some except inside a word.
 * Letters match in either case. Maps are tried longest text first.
 */
#ifndef GENCC_ASM_WORDS_MATCH_H
#define GENCC_ASM_WORDS_MATCH_H

#include "gencc/model/model.h"
#include "gencc/asm/words/expr.h"
#include "common/asm_text.h"

enum { MATCH_MAX_PIECES = 128, MATCH_MAX_ENDS = 16 };

/* What one piece of the syntax was read as. */
struct operand {
    const struct map_entry *entry; /* of a map */
    int64_t number;   /* else the value, or the bits of a list; of %a and %p less the address */
    const char *text; /* where in the line it stands; not of a map's list */
    size_t length;
};

/* The texts of a map in the order they are tried. */
struct match_text {
    const char *text;
    size_t length;
    const struct map_entry *entry;
};
struct match_table {
    unsigned count;
    struct match_text *at;
};

/* What is around a word and decides how some maps of its lines read: a bundle. */
struct text_around {
    void *opaque;
    /* A number in the word is taken before one that is noted, however it is written. */
    bool own_numbers;
    /* Whether it decides the texts of that map. */
    bool (*decides)(void *opaque, const struct asm_map *map);
    /* Where its texts may end that begin at `p` of `line`: how many, at most MATCH_MAX_ENDS. `own` is what the
     * map says by itself. */
    unsigned (*ends)(void *opaque, const struct asm_map *map, const struct match_table *own,
                     const char *line, const char *p, const char **ends);
    /* Keys of the map that read as that text: how many, at most `room`; room + 1 when only trying tells. */
    unsigned (*keys)(void *opaque, const struct asm_map *map, const char *text, size_t length,
                     int64_t *keys, unsigned room);
    /* Whether the map's key reads as nothing, whatever is around. */
    bool (*silent)(void *opaque, const struct asm_map *map, int64_t key);
    /* Whether the map's keys can be tried one by one, and notes be taken of one: if it reads as that text `go_on` is
     * asked, and when that says no the notes are dropped. `as_written`: it must not have a decimal number for a
     * hexadecimal one, nor the reverse; *otherwise is set where that is all that is wrong. */
    bool (*noting)(void *opaque, const struct asm_map *map);
    bool (*with)(void *opaque, const struct asm_map *map, int64_t key, const char *text,
                 size_t length, bool as_written, bool *otherwise, bool (*go_on)(void *data),
                 void *data);
    /* Whether the map's key reads as that text here. */
    bool (*reads)(void *opaque, const struct asm_map *map, int64_t key, const char *text,
                  size_t length);
    /* A word is tried from here on: `reads` may take notes, which are dropped when it is given up. */
    void (*begin)(void *opaque);
    void (*give_up)(void *opaque);
};

struct matcher {
    const struct asm_syntax *syntax;
    const struct match_table *tables; /* by map->index */
    const char *line;
    uint64_t address;
    const struct asm_sysregs *sysregs;
    /* Called for each way to read the whole line; true ends the search. */
    bool (*found)(void *opaque, const struct matcher *m);
    void *opaque;
    unsigned max_found;               /* ways to read it that are looked at */
    const struct text_around *around; /* or NULL */
    struct asm_names *names;          /* or NULL: numbers are plain; else expressions */
    bool as_written; /* take no hexadecimal number for a decimal one, nor the reverse */
    /* Results. */
    bool placed;    /* a number counts from the address, in some way the line was read */
    bool otherwise; /* something was not taken for that; the caller clears it */
    struct operand operands[MATCH_MAX_PIECES]; /* by piece */
    size_t furthest;                           /* characters of the line that were understood */
};

/* Sorts the texts of a map, in the arena. */
struct match_table match_table_of(struct arena *a, const struct asm_map *map);

/* Tries all ways to read m->line. Returns true when `found` did. */
bool match_line(struct matcher *m);

/* Reads literal text, or a number, at `p` of m->line: where it ends, NULL when there is something else. */
const char *match_text(struct matcher *m, const char *p, const char *text);
const char *match_number(struct matcher *m, const char *p, enum asm_number kind, int64_t *value);
/* Whether the number at `p` is written as that kind is printed, decimal or hexadecimal. */
bool match_number_as_printed(const char *p, enum asm_number kind);

static inline bool match_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

#endif
