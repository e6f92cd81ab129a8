/*
 * Assembly text, written by disassembly functions. It depends on libc only, so that gencc and the
 * generated simulators print the same text from the same tables.
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

/* A row of a table: the text for a key. Several keys are packed into one number, see
 * gencc/disasm/maps.h. */
struct asm_entry {
    int64_t key;
    const char *text;
};

/* A map of the description, sorted by key, with one entry per key */
struct asm_table {
    const char *name;
    unsigned count;
    const struct asm_entry *at;
};

/* The system registers of an architecture. A code packs the encoding fields, the first in the
 * highest bits. */
enum { ASM_SYSREG_FIELDS = 8, ASM_PAGE_BYTES = 4096, ASM_ALIGNED_BYTES = 4 };

/* A region of targets: 2^bits bytes, of which a jump replaces the low bits of the address behind
 * it. asm_put_region() gets it packed above the offset of the target. */
enum { ASM_REGION_BITS_AT = 56, ASM_REGION_AHEAD_AT = 48 };

/* Start of the region of 2^bits bytes that contains address + ahead. */
static inline uint64_t asm_region_of(uint64_t address, unsigned bits, unsigned ahead)
{
    return (address + ahead) & ~(((uint64_t)1 << bits) - 1);
}

/* What stands above the offset of a target in its region. */
static inline uint64_t asm_region_packed(unsigned bits, unsigned ahead)
{
    return (uint64_t)bits << ASM_REGION_BITS_AT | (uint64_t)ahead << ASM_REGION_AHEAD_AT;
}

struct asm_sysregs {
    struct asm_table names; /* lower case */
    /* number of encoding fields, at most ASM_SYSREG_FIELDS */
    unsigned fields;
    uint8_t widths[ASM_SYSREG_FIELDS]; /* bits per field, the first in the highest bits */
    /* text before each field's number in names such as s3_0_c1_c0_0 */
    const char *prefixes[ASM_SYSREG_FIELDS];
};

/* Receives the text. Initialise it to zero, then set `text`, `size` and what else is used. The text
 * is always terminated. A text that does not fit is cut off, and its end shows it: "...". */
struct asm_out {
    char *text;
    size_t size;                       /* bytes of the buffer, at least 1 */
    size_t length;                     /* characters written */
    bool cut;                          /* the text did not fit */
    uint64_t address;                  /* address of the instruction */
    unsigned addr_bits;                /* width of an address; 0: 64 */
    const struct asm_sysregs *sysregs; /* NULL: none */
    /* NULL, or writes the text for a map's key instead of the map; returns false to use the map. */
    bool (*resolve)(struct asm_out *o, const char *map, int64_t key);
    void *resolve_data;
};

/* How the words of a form are printed */
enum { ASM_MAX_FIELDS = 64 };
struct asm_form {
    uint8_t (*fields)(decode_word word,
                      /* Computes the fields; returns false if the word is not of the form. NULL: no
                       * computed fields. */
                      uint64_t *fields);
    uint8_t (*text)(decode_word word, const uint64_t *fields, struct asm_out *out); /* or NULL */
};

/* Number formats. The second column has the names of the IR's asm_number intrinsic;
 * asm_put_<name>() writes the format. */
#define ASM_FORMATS(X)                                                                            \
    X(DEC, dec)           /* signed decimal */                                                    \
    X(UNSIGNED, unsigned) /* unsigned decimal */                                                  \
    X(HEX, hex)           /* 0x…, of the 64-bit two's complement */                             \
    X(ADDRESS, address)   /* address of the instruction + value, 0x… */                         \
    X(PAGE, page)         /* as ADDRESS, relative to the instruction's 4 KB page */               \
    X(ALIGNED, aligned) /* as ADDRESS, relative to the instruction's address rounded down to 4 */ \
    X(REGION, region)   /* as ADDRESS, relative to the 256 MB of the address 4 bytes behind */    \
    X(FLOAT, float)     /* the bits of a double */                                                \
    X(DECIMAL, decimal) /* bits of a double, as C's %.17g */                                      \
    X(SINGLE, single)   /* the bits of a float, as C's %f */                                      \
    X(WORD, word)       /* 0x and eight digits */                                                 \
    X(BITS, bits)       /* numbers of the set bits: 0, 3 */                                       \
    X(GENERAL, general) /* the bits of a double, as C's %g */                                     \
    X(CAPITAL, capital) /* 0x…, upper case */                                                   \
    X(SYSREG, sysreg)   /* name of the system register with that code */

enum asm_format {
#define X(NAME, name) ASM_FORMAT_##NAME,
    ASM_FORMATS(X)
#undef X
        ASM_FORMAT_COUNT
};

/* Appends text. */
void asm_put_text(struct asm_out *o, const char *text);
/* Appends a number of 128 bits in hexadecimal. */
void asm_put_wide(struct asm_out *o, uint64_t high, uint64_t low);

/* Appends a number in one of the formats. */
#define X(NAME, name) void asm_put_##name(struct asm_out *o, int64_t value);
ASM_FORMATS(X)
#undef X
/* Appends a number in the given format. */
void asm_put_number(struct asm_out *o, enum asm_format format, int64_t value);

/* Appends the table's text for the key; nothing if there is none. */
void asm_put_map(struct asm_out *o, const struct asm_table *t, int64_t key);

/* Appends the table's texts for the numbers of the set bits, separated by ", ". */
void asm_put_list(struct asm_out *o, const struct asm_table *t, int64_t bits);

/* Writes the text of a word. The tree gives the forms that the word may have; returns false if it
 * has none. */
bool asm_disassemble(const struct decode_tree *tree, const struct asm_form *forms, decode_word word,
                     struct asm_out *out);

/* Returns the text for a key, or NULL. */
const char *asm_table_find(const struct asm_table *t, int64_t key);

/* Parses the name of a system register, `length` characters, in either form and case. Returns false
 * if it is no such name. */
bool asm_sysreg_parse(const struct asm_sysregs *s, const char *name, size_t length, int64_t *code);

#endif
