/*
 * Shared by the parts of the bundles' assembler: words (words.c), blocks (block.c), whole bundles
 * (asm.c).
 */
#ifndef GENCC_ASM_BUNDLES_INTERNAL_H
#define GENCC_ASM_BUNDLES_INTERNAL_H

#include "gencc/asm/bundles/asm.h"
#include "gencc/asm/bundles/pool.h"
#include "gencc/asm/bundles/reading.h"

enum { MAX_BUNDLE_TEXT = 4096, MAX_WANTS = 128, REFUSED_BITS = 13, WORD_ERROR = 512 };

/* A piece of a line that is decided by the block of its stage, or of the next. */
struct want {
    unsigned stage, unit;
    const struct asm_map *map;
    const struct bundle_text *text;
    const char *at; /* a string of readings_string */
};

/* What is settled while a bundle is assembled; restored on backtracking. */
struct notes {
    struct bundle_pool pool;
    uint64_t header_mask, header;
};

struct bundle_asm {
    struct text *t;
    const struct bundle *c;
    struct text_bundle *tc;
    struct match_table *tables[BUNDLE_MAX_UNITS];
    struct text_around around;
    const struct source_bundle *source;
    struct source_bundle split; /* `source` with the header taken out of the first word's line */
    unsigned words;             /* number of lines that are words; the other lines are the footer */
    struct bundle_pool footer_constants; /* what the footer says of constants */
    struct notes current_notes, kept_notes;
    bool probing; /* blocks are not settled yet: any key is accepted, wants are collected */
    bool packing; /* all but storing the bundle succeeded */
    unsigned unsuited_constant; /* first constant that bundle_pack could not encode */
    bool next_block_open;       /* the next stage's block alone is not settled yet */
    struct want wants[MAX_WANTS];
    unsigned want_count, want_kept;
    bool keeps_comments; /* comments must not be left out of a key's text */
    unsigned slot_stage[MAX_BUNDLE_LINES], slot_unit[MAX_BUNDLE_LINES];
    bool numbers_first[MAX_BUNDLE_LINES];      /* per line: numbers are taken before constants */
    uint32_t allowed_units[BUNDLE_MAX_STAGES]; /* per stage: units that it may have */
    uint8_t *state;                            /* registers, for depend.c */
    uint64_t *refused_words; /* hashes of words that failed to assemble (block.c) */
    uint8_t *out;            /* result, with its number of bytes below */
    size_t bytes;
    unsigned deepest_line;     /* last line for which a place was searched */
    bool has_clash;            /* words were placed, but no bundle holds them together */
    bool word_failed;          /* some line is no word of a unit that was tried */
    char word_err[WORD_ERROR]; /* why the last such line failed */
    char *err;
    size_t err_size;
    const struct source_line *err_line;
    size_t err_at; /* offset of the error in that line, in characters */
};

/* ---- words.c --------------------------------------------------------------------------------- */

/* Callbacks for the assembler of a word within the bundle. */
struct text_around bundle_around(struct bundle_asm *ba);
/* How a piece compares with its text in the present place; a constant is settled if one is
 * needed. */
enum site_reads {
    SITE_DIFFERS,
    SITE_NO_WAY, /* a constant that cannot read so with the modifier of a fresh one */
    SITE_OTHER,  /* a constant that would need another modifier */
    SITE_TAKEN,  /* a constant with conflicting settled bits */
    SITE_READS,
    SITE_SETTLED, /* reads as the text, by a constant */
};
enum site_reads bundle_site_reads(struct bundle_asm *ba, const struct reading_site *site,
                                  const char *text);
/* Assembles a line as a word of the present unit and stage. On failure ba->word_err says why.
 * `own_numbers`: a number in the word is preferred to a constant, however it is written. */
bool bundle_assemble_word(struct bundle_asm *ba, const char *line, bool own_numbers);
/* The line behind the unit's mark, or behind its name and a colon. NULL if the line names another
 * unit. */
const char *bundle_line_of_unit(const struct bundle_asm *ba, const char *line, unsigned unit);

static inline struct text *bundle_unit_text(const struct bundle_asm *ba)
{
    return ba->tc->unit[ba->tc->at_unit];
}

/* ---- header.c -------------------------------------------------------------------------------- */

/* Reads the header from its own line into `start`, or from the beginning of the first word's line.
 * In the second case ba->source becomes the rest. False: the header's line is not valid. */
bool bundle_take_header(struct bundle_asm *ba, const struct source_bundle *s, struct notes *start);

/* ---- depend.c -------------------------------------------------------------------------------- */

/* Whether the word of a placed line reads a register before the result of a word above is in it, or
 * whether its unit lacks the operation. */
bool bundle_suits_badly(struct bundle_asm *ba, unsigned line);

/* ---- footer.c -------------------------------------------------------------------------------- */

/* Returns how many lines of the source are words; the others are the footer. What the footer says
 * of constants is put into the pool. */
unsigned bundle_take_footer(struct bundle_asm *ba, struct bundle_pool *pool);
/* Stores the placed words with the noted constants and header. Open fields of the header are
 * settled by the footer's lines. Returns the number of bytes, 0 if there is no way. */
size_t bundle_pack_with_footer(struct bundle_asm *ba);

/* ---- block.c --------------------------------------------------------------------------------- */

/* Finds blocks with which all pieces read as written and `complete` succeeds. */
bool bundle_settle_blocks(struct bundle_asm *ba, bool (*complete)(struct bundle_asm *ba));

#endif
