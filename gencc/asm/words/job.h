/*
 * The assembly of one line, between the files of the assembler.
 */
#ifndef GENCC_ASM_WORDS_JOB_H
#define GENCC_ASM_WORDS_JOB_H

#include "gencc/asm/words/index.h"
#include "gencc/disasm/text.h"
#include "gencc/disasm/syntax.h"

enum {
    ASM_MAX_LINE = 512,         /* characters of a statement */
    ASM_MAX_READINGS = 64,      /* ways to read a line by one asm line */
    ASM_MAX_KEYS = 32,          /* of a map that what is around decides */
    ASM_MESSAGE_TRIALS = 20000, /* evaluations for a message */
};

struct text_asm {
    struct line_index index;
    struct match_table *tables; /* by map->index */
    size_t reached;             /* characters of the last line that could be read */
    size_t wrong;               /* … before what its message is about */
    bool placed;                /* the last line's word depends on its address */
};

/* A piece whose text what is around the word decides. */
struct asm_decided {
    const struct asm_map *map;
    struct word_expr *expr;
    const char *text;
    size_t length;
    int64_t keys[ASM_MAX_KEYS];
    unsigned count, chosen; /* count > ASM_MAX_KEYS: only trying tells */
    bool proved;            /* it reads so whatever is still open */
    unsigned demand;        /* the one for the key */
};

/* The assembly of one line. */
struct asm_job {
    struct text *text;
    const char *statement;
    uint64_t address;
    struct line *line; /* asm line being tried */
    struct matcher matcher;
    struct demand demands[SOLVE_MAX_DEMANDS];
    unsigned count, open;             /* the first `open` are still to be met */
    unsigned without;                 /* a piece of which nothing is demanded, from 1; or 0 */
    const struct text_around *around; /* or NULL */
    struct asm_decided decided[MATCH_MAX_PIECES];
    unsigned decided_count;
    struct solver *solver; /* at work, for a word within a bundle */
    unsigned strangers;
    struct form *form; /* of a word within a bundle: the one being tried, … */
    struct bits start; /* … and what the line has said of the word */
    bool readable;     /* some asm line has this form */
    const struct asm_syntax *closest;
    size_t closest_at;
    /* Result: the best word so far. */
    bool found, same; /* same: it is disassembled by the asm line it was read with */
    u128 word;
    unsigned width;
};

/* Demands of the word what the reading says; of the pieces that are `proved` (or NULL) last. */
bool asm_collect_demands(struct asm_job *j, const struct matcher *m, const bool *proved);

/* Tries all asm lines whose start is a prefix of the mnemonic, the longest start first. */
void asm_try_all(struct asm_job *j, const char *mnemonic, size_t length);

/* Says why the line of the job has no word: what stands in the way, if it is one operand, with what that may be. */
void asm_explain(struct asm_job *j, const char *mnemonic, size_t length, char *err, size_t n);

#endif
