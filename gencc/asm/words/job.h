/*
 * The state of assembling one line, shared by the files of the assembler.
 */
#ifndef GENCC_ASM_WORDS_JOB_H
#define GENCC_ASM_WORDS_JOB_H

#include "gencc/asm/words/index.h"
#include "gencc/disasm/text.h"
#include "gencc/disasm/syntax.h"

enum {
    ASM_MAX_LINE = 512,         /* characters per statement */
    ASM_MAX_READINGS = 64,      /* readings of a line by one asm line */
    ASM_MAX_KEYS = 32,          /* keys per map that the bundle decides */
    ASM_MESSAGE_TRIALS = 20000, /* evaluations per message */
};

struct text_asm {
    struct line_index index;
    struct match_table *tables; /* by map->index */
    size_t reached_length;      /* characters of the last line that could be read */
    size_t error_offset;        /* offset of the error in the last line */
    bool depends_on_address;    /* the last line's word depends on its address */
};

/* A piece whose text is decided by the bundle around the word. */
struct asm_decided {
    const struct asm_map *map;
    struct word_expr *expr;
    const char *text;
    size_t length;
    int64_t keys[ASM_MAX_KEYS];
    unsigned count, chosen; /* count > ASM_MAX_KEYS: all keys must be tried */
    bool proved;            /* reads as written whatever the open bits are */
    unsigned demand;        /* index of the key's demand */
};

/* The assembly of one line. */
struct asm_job {
    struct text *text;
    const char *statement;
    uint64_t address;
    struct line *line; /* asm line that is tried */
    struct matcher matcher;
    struct demand demands[SOLVE_MAX_DEMANDS];
    unsigned count, open_count;       /* number of demands; the first `open` are not met yet */
    unsigned undemanded_piece;        /* 1 + index of a piece without demands; 0: none */
    const struct text_around *around; /* NULL: not within a bundle */
    struct asm_decided decided[MATCH_MAX_PIECES];
    unsigned decided_count;
    struct solver *solver; /* running solver, for a word within a bundle */
    unsigned strangers;
    struct form *form; /* form that is tried, for a word within a bundle */
    struct bits start; /* bits of the word that are known from the line */
    bool has_match;    /* some asm line matches the line */
    const struct asm_syntax *closest;
    size_t closest_at;
    /* Result: the best word so far. */
    bool found, same_syntax; /* same: the disassembler prints it by the same asm line */
    u128 word;
    unsigned width;
};

/* Attempts to find a word for a reading of the line: the matcher's `found`, with the job as
 * `opaque`. True ends the search. */
bool asm_try_reading(void *opaque, const struct matcher *m);

/* Collects the demands of a reading on the word. Demands of the pieces that are `proved` (NULL:
 * none) come last. */
bool asm_collect_demands(struct asm_job *j, const struct matcher *m, const bool *proved);

/* Tries all asm lines whose start is a prefix of the mnemonic, the longest start first. */
void asm_try_all(struct asm_job *j, const char *mnemonic, size_t length);

/* Writes why the line has no word. If a single operand is the reason, the message names it and its
 * valid range. */
void asm_explain(struct asm_job *j, const char *mnemonic, size_t length, char *err, size_t n);

#endif
