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

/* The value that one piece of the syntax was read as. */
struct operand {
    const struct map_entry *entry; /* entry of the piece's map */
    int64_t number;   /* otherwise the value, or a list's bits; of %a, %p: less the address */
    const char *text; /* start in the line; not of a map's list */
    size_t length;
};

/* A text of a map. Texts are sorted in the order in which they are tried. */
struct match_text {
    const char *text;
    size_t length;
    const struct map_entry *entry;
};
struct match_table {
    unsigned count;
    struct match_text *at;
};

/* The key of a map that the bundle decides, and the text that it is to read as. */
struct text_key {
    const struct asm_map *map;
    int64_t key;
    const char *text;
    size_t length;
    bool as_written; /* decimal and hexadecimal numbers are not exchanged */
};

/* Callbacks of the bundle around a word, which decides how some maps of the word's line read. */
struct text_around {
    void *opaque;
    /* A number in the word is preferred to a constant, however it is written. */
    bool own_numbers;
    /* Whether the bundle decides the texts of the map. */
    bool (*decides)(void *opaque, const struct asm_map *map);
    /* Finds where the map's texts that begin at `p` of `line` may end. Returns the number of ends,
     * at most MATCH_MAX_ENDS. `own` has the map's own texts. */
    unsigned (*ends)(void *opaque, const struct asm_map *map, const struct match_table *own,
                     const char *line, const char *p, const char **ends);
    /* Finds keys of the map that read as the text. Returns their number, at most `room`; room + 1
     * if keys must be tried one by one. */
    unsigned (*keys)(void *opaque, const struct asm_map *map, const char *text, size_t length,
                     int64_t *keys, unsigned room);
    /* Whether the map's key reads as nothing, in any bundle. */
    bool (*silent)(void *opaque, const struct asm_map *map, int64_t key);
    /* noting: whether the map's keys can be tried one by one by `with`. with: settles what the key
     * needs to read as the text, then calls `go_on`; if that returns false, the notes are dropped.
     * *otherwise is set if only the notation of a number differs. */
    bool (*can_note)(void *opaque, const struct asm_map *map);
    bool (*with_key)(void *opaque, const struct text_key *k, bool *otherwise,
                     bool (*go_on)(void *data), void *data);
    /* Whether the map's key reads as the text in the bundle. */
    bool (*reads)(void *opaque, const struct asm_map *map, int64_t key, const char *text,
                  size_t length);
    /* Begins trying a word: `reads` may take notes, which give_up drops. */
    void (*begin)(void *opaque);
    void (*give_up)(void *opaque);
};

struct matcher {
    const struct asm_syntax *syntax;
    const struct match_table *tables; /* by map->index */
    const char *line;
    uint64_t address;
    const struct asm_sysregs *sysregs;
    /* Called for each reading of the whole line; true ends the search. */
    bool (*found)(void *opaque, const struct matcher *m);
    void *opaque;
    unsigned max_found;               /* limit of readings */
    const struct text_around *around; /* NULL: no bundle */
    struct asm_names *names;          /* NULL: numbers are plain; else expressions */
    bool as_written;                  /* decimal and hexadecimal numbers are not exchanged */
    /* Results. */
    bool depends_on_address; /* some reading has a number relative to the address */
    bool notation_differs;   /* some number failed by `as_written`; the caller clears it */
    struct operand operands[MATCH_MAX_PIECES]; /* by piece */
    size_t furthest;                           /* characters of the line that were read */
};

/* Sorts the texts of a map into a table, in the arena. */
struct match_table match_table_of(struct arena *a, const struct asm_map *map);

/* Tries all readings of m->line. Returns true if `found` did. */
bool match_line(struct matcher *m);

/* Reads literal text, or a number, at `p` of m->line. Returns its end; NULL if `p` has something
 * else. */
const char *match_text(struct matcher *m, const char *p, const char *text);
const char *match_number(struct matcher *m, const char *p, const struct asm_piece *piece,
                         int64_t *value);
/* Whether the number at `p` has the notation of its kind, decimal or hexadecimal. */
bool match_number_as_printed(const char *p, enum asm_number kind);

static inline bool match_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

#endif
