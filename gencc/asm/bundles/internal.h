/*
 * What the parts of the bundles' assembler share: words (words.c), blocks (block.c), whole bundles
 * (asm.c).
 */
#ifndef GENCC_ASM_BUNDLES_INTERNAL_H
#define GENCC_ASM_BUNDLES_INTERNAL_H

#include "gencc/asm/bundles/asm.h"
#include "gencc/asm/bundles/pool.h"
#include "gencc/asm/bundles/reading.h"

enum { MAX_BUNDLE_TEXT = 4096, MAX_WANTS = 128, REFUSED_BITS = 13, WORD_ERROR = 512 };

/* A piece of a line that the block of its stage, or of the next, decides. */
struct want {
    unsigned stage, unit;
    const struct asm_map *map;
    const struct bundle_text *text;
    const char *at; /* of readings_string */
};

/* What is settled while a bundle is assembled, and taken back when a way is given up. */
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
    struct source_bundle split; /* the same with its header taken out of the first word's line */
    unsigned words;             /* of its lines; behind them is the footer */
    struct bundle_pool said;    /* what it says of constants */
    struct notes now, kept;
    bool probing;      /* blocks are not settled yet: any key will do, and wants are collected */
    bool packing;      /* all but storing the bundle went well */
    unsigned unsuited; /* … and this is why that did not (bundle_pack) */
    bool next_later;   /* the same of the next stage's block alone */
    struct want wants[MAX_WANTS];
    unsigned want_count, want_kept;
    bool whole; /* comments must not be left out of a key's text */
    unsigned slot_stage[MAX_BUNDLE_LINES], slot_unit[MAX_BUNDLE_LINES];
    bool slot_own[MAX_BUNDLE_LINES];     /* how its number was taken */
    uint32_t allowed[BUNDLE_MAX_STAGES]; /* units that a stage may have */
    uint8_t *state;                      /* registers, for depend.c */
    uint64_t *refused;                   /* what words could not be had with (block.c) */
    uint8_t *out;                        /* where it is stored, and how much that is */
    size_t bytes;
    unsigned deepest; /* line for which places were sought, with all those before it placed */
    bool clash;       /* words were placed, but no bundle holds them together */
    bool word_failed; /* some line was no word of the unit that was tried */
    char word_err[WORD_ERROR]; /* … and why not, of the last one */
    char *err;
    size_t err_size;
    const struct source_line *err_line;
    size_t err_at; /* characters of it before what is wrong */
};

/* ---- words.c --------------------------------------------------------------------------------- */

/* The callbacks by which a word is assembled with what is around it. */
struct text_around bundle_around(struct bundle_asm *ba);
/* Whether a piece reads as the text in the present place; a constant is settled for it. */
enum site_reads {
    SITE_DIFFERS,
    SITE_NO_WAY, /* it is a constant, which cannot be so if it is changed as a fresh one is now */
    SITE_OTHER,  /* … that would have to be changed otherwise */
    SITE_TAKEN,  /* it would, but for what is settled of constants */
    SITE_READS,
    SITE_SETTLED, /* by a constant */
};
enum site_reads bundle_site_reads(struct bundle_asm *ba, const struct reading_site *site,
                                  const char *text);
/* Assembles a line as a word of the present unit and stage; ba->word_err says why it cannot. `own_numbers`: a number
 * in the word is taken before a constant, however it is written. */
bool bundle_assemble_word(struct bundle_asm *ba, const char *line, bool own_numbers);
/* The line behind the unit's mark, or behind its name and a colon; NULL when it is of another unit. */
const char *bundle_line_of_unit(const struct bundle_asm *ba, const char *line, unsigned unit);

static inline struct text *bundle_unit_text(const struct bundle_asm *ba)
{
    return ba->tc->unit[ba->tc->at_unit];
}

/* ---- header.c -------------------------------------------------------------------------------- */

/* Notes what the header's line says, or where no line of its own is the header's what the first word's line begins
 * with, and makes what is left the source. False: the header's line is none. */
bool bundle_take_header(struct bundle_asm *ba, const struct source_bundle *s, struct notes *start);

/* ---- depend.c -------------------------------------------------------------------------------- */

/* Whether the word of a line that has its place reads a register that a word above writes, but before that is there;
 * or whether its unit does not have the operation. */
bool bundle_suits_badly(struct bundle_asm *ba, unsigned line);

/* ---- footer.c -------------------------------------------------------------------------------- */

/* How many lines of the source are words; the others are the footer's, and what they say of constants is put into
 * the pool. */
unsigned bundle_take_footer(struct bundle_asm *ba, struct bundle_pool *pool);
/* Stores the placed words with constants and header as they are noted, and fields of the header that are open as the
 * footer's lines want. Returns the bytes, 0 when there is no way. */
size_t bundle_pack_with_footer(struct bundle_asm *ba);

/* ---- block.c --------------------------------------------------------------------------------- */

/* Finds blocks with which all pieces read as they should, and the rest goes well, too: `complete` is asked then. */
bool bundle_settle_blocks(struct bundle_asm *ba, bool (*complete)(struct bundle_asm *ba));

#endif
