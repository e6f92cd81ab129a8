/*
 * Reading a line of assembly against one asm line of the description.
 *
 * White space: where the syntax has some, the line may have any amount, or none unless two words
 * would run together; where the syntax has none, the line may have some except inside a word.
 * Letters match in either case. Maps are tried longest text first.
 */
#ifndef GENCC_TEXT_MATCH_H
#define GENCC_TEXT_MATCH_H

#include "gencc/model/model.h"
#include "gencc/text/asm_text.h"

enum { MATCH_MAX_PIECES = 64 };

/* What one piece of the syntax was read as. */
struct operand {
    const struct map_entry *entry; /* of a map */
    int64_t number;                /* else the value; of %a and %p less the address */
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

struct matcher {
    const struct asm_syntax *syntax;
    const struct match_table *tables; /* by map->index */
    const char *line;
    uint64_t address;
    const struct asm_sysregs *sysregs;
    /* Called for each way to read the whole line; true ends the search. */
    bool (*found)(void *opaque, const struct matcher *m);
    void *opaque;
    unsigned max_found; /* ways to read it that are looked at */
    /* Results. */
    struct operand operands[MATCH_MAX_PIECES]; /* by piece */
    size_t furthest;                           /* characters of the line that were understood */
};

/* Sorts the texts of a map, in the arena. */
struct match_table match_table_of(struct arena *a, const struct asm_map *map);

/* Tries all ways to read m->line. Returns true when `found` did. */
bool match_line(struct matcher *m);

static inline bool match_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

#endif
