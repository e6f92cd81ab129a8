/*
 * Assembly text: what a disassembly function writes with. Only libc is needed, so that gencc and
 * the simulators it makes print the same way from the same tables.
 *
 * Numbers look as GNU binutils prints them for A64: hexadecimal in lower case with 0x, floating
 * point as %.18e, system registers by their lower-case name or as s3_0_c1_c0_0.
 */
#ifndef COMMON_ASM_TEXT_H
#define COMMON_ASM_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/prelude/decode_tree.h"

/* One row of a table: the text for a key. The keys of a stage are packed into one number, see
 * gencc/disasm/maps.h. */
struct asm_entry {
    int64_t key;
    const char *text;
};

/* A map of the description, sorted by key, one entry a key. */
struct asm_table {
    const char *name;
    unsigned count;
    const struct asm_entry *at;
};

/* The system registers of an architecture. A code packs the encoding fields, the first highest. */
enum { ASM_SYSREG_FIELDS = 8, ASM_PAGE_BYTES = 4096, ASM_ALIGNED_BYTES = 4 };
struct asm_sysregs {
    struct asm_table names;                  /* lower case */
    unsigned fields;                         /* encoding fields, at most ASM_SYSREG_FIELDS */
    uint8_t widths[ASM_SYSREG_FIELDS];       /* bits of each, first highest */
    const char *prefixes[ASM_SYSREG_FIELDS]; /* written before each in the form without a name */
};

/* Where text goes. Zero-initialise, then set `text` and `size` (and the rest when used). The text
 * is always terminated; what does not fit is cut off. */
struct asm_out {
    char *text;
    size_t size;                       /* of the buffer, at least 1 */
    size_t length;                     /* characters written */
    bool cut;                          /* something did not fit */
    uint64_t address;                  /* of the instruction */
    unsigned addr_bits;                /* width of an address; 0 means 64 */
    const struct asm_sysregs *sysregs; /* NULL: none */
    /* NULL, or writes the text for a map's key in place of the map; false: leaves it to the map. */
    bool (*resolve)(struct asm_out *o, const char *map, int64_t key);
    void *resolve_data;
};

/* How a form's words become text. */
enum { ASM_MAX_FIELDS = 64 };
struct asm_form {
    uint8_t (*fields)(decode_word word,
                      uint64_t *fields); /* NULL: there are none to compute; false:
                                                           the word is not of the form after all */
    uint8_t (*text)(decode_word word, const uint64_t *fields, struct asm_out *out); /* or NULL */
};

/* Number formats; the names in the second column are those of the IR's asm_number intrinsic, and
 * `asm_put_<name>` is the function. */
#define ASM_FORMATS(X)                                                                       \
    X(DEC, dec)           /* signed decimal */                                               \
    X(UNSIGNED, unsigned) /* unsigned decimal */                                             \
    X(HEX, hex)           /* 0x…, of the 64-bit two's complement */                        \
    X(ADDRESS, address)   /* address of the instruction + value, 0x… */                    \
    X(PAGE, page)         /* the same from the 4 KB page that holds the instruction */       \
    X(ALIGNED, aligned)   /* the same from the multiple of 4 at or before the instruction */ \
    X(FLOAT, float)       /* the bits of a double */                                         \
    X(DECIMAL, decimal)   /* the bits of a double, in few digits: C's %.17g */               \
    X(SINGLE, single)     /* the bits of a float, as C's %f */                               \
    X(WORD, word)         /* 0x and eight digits */                                          \
    X(BITS, bits)         /* the numbers of the bits that are set: 0, 3 */                   \
    X(GENERAL, general)   /* the bits of a double, as C's %g */                              \
    X(CAPITAL, capital)   /* 0x…, upper case */                                            \
    X(SYSREG, sysreg)     /* name of the system register with that code */

enum asm_format {
#define X(NAME, name) ASM_FORMAT_##NAME,
    ASM_FORMATS(X)
#undef X
        ASM_FORMAT_COUNT
};

/* Appends text. */
void asm_put_text(struct asm_out *o, const char *text);
/* 128 bits, hexadecimal. */
void asm_put_wide(struct asm_out *o, uint64_t high, uint64_t low);

/* Appends a number in one of the formats. */
#define X(NAME, name) void asm_put_##name(struct asm_out *o, int64_t value);
ASM_FORMATS(X)
#undef X
void asm_put_number(struct asm_out *o, enum asm_format format, int64_t value);

/* Appends the table's text for the key; a key without entry appends nothing. */
void asm_put_map(struct asm_out *o, const struct asm_table *t, int64_t key);

/* Appends the table's texts for the numbers of the bits that are set, separated by ", ". */
void asm_put_list(struct asm_out *o, const struct asm_table *t, int64_t bits);

/* Writes the text of a word, which the tree says may be of which of the forms; false: of none. */
bool asm_disassemble(const struct decode_tree *tree, const struct asm_form *forms, decode_word word,
                     struct asm_out *out);

/* The text for a key, or NULL. */
const char *asm_table_find(const struct asm_table *t, int64_t key);

/* Reads a system register's name, in either form and either case; `length` characters. Returns
 * false when it is neither. */
bool asm_sysreg_parse(const struct asm_sysregs *s, const char *name, size_t length, int64_t *code);

#endif
