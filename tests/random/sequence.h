/*
 * Random sequences of instructions, and the state they start from.
 */
#ifndef TESTS_RANDOM_SEQUENCE_H
#define TESTS_RANDOM_SEQUENCE_H

#include "protocol.h"
#include "gencc/referee/operands.h"
#include "gencc/referee/words.h"

enum {
    UNIT_WORDS = 24,
    REACH = 448, /* accesses lie within so many bytes of MIDDLE */
};

struct instruction {
    uint32_t word;
    unsigned bytes;
};

/* Instructions that belong together: preparations, then what they are for. A jump lands on the
 * first of a unit. */
struct unit {
    uint32_t words[UNIT_WORDS];
    unsigned bytes[UNIT_WORDS];
    bool counted[UNIT_WORDS]; /* a random instruction, not one that prepares for another */
    unsigned count;
    int jump;                /* the instruction that names another unit, or -1 */
    bool anywhere;           /* it reads there, and need not go forward */
    bool near;               /* it reaches no further than the next unit */
    const struct form *form; /* of the jump, for arch_words.aim; NULL: as it likes */
    const struct field *to;  /* field of the jump, for arch_words.aim; NULL: as it likes */
    unsigned off_by;         /* bytes added to the target of a jump through a register */
};

struct generator {
    struct isa *isa;
    struct text *text;
    struct form **forms; /* those that are generated */
    unsigned count;
    struct form ***by_instr; /* the same by instruction: each a list that ends with NULL */
    unsigned instrs;
    bool all;       /* the CPU has every feature */
    unsigned *made; /* by form->index: words made */
    unsigned isa_forms;
    struct random random;
    struct words words;
};

/* A sequence under construction or finished. */
struct sequence {
    struct request request;
    uint16_t at[MAX_HALVES]; /* where its instructions begin, in units of 16 bits */
    bool counted[MAX_HALVES];
    unsigned count; /* instructions */
};

/* Chooses among the forms of the ISA whose or whose instruction's name matches the pattern `only`
 * (NULL: all). Words of features that the CPU has not are drawn now and then: they are undefined. With
 * `all` it has every one. False when there is no form, or no memory. */
bool generator_init(struct generator *g, struct isa *isa, struct text *text, const char *only,
                    bool all);
void generator_free(struct generator *g);

/* Makes sequence `number` of a seed, of about `units` random instructions. */
void make_sequence(struct generator *g, uint64_t seed, uint64_t number, unsigned units,
                   struct sequence *s);

/* An instruction at a place of a request's code; reading it. */
void put_code(struct request *r, unsigned half, struct instruction i);
struct instruction get_code(const struct request *r, unsigned half);

/* ---- for architectures ----------------------------------------------------------------------- */

uint32_t below(struct generator *g, uint32_t n);
bool one_in(struct generator *g, uint32_t n);

/* Appends a preparation of 4 bytes, or a random instruction of the form's width. */
void put(struct unit *u, uint32_t word);
void put_random(struct unit *u, uint32_t word, unsigned bytes);

const struct field *field_of(const struct form *form, const char *name);
uint32_t get_field(const struct field *f, uint32_t word);
uint32_t set_field(const struct field *f, uint32_t word, uint32_t value);
/* With a field that the form may have, or not. */
uint32_t with_field(const struct form *form, const char *name, uint32_t word, uint32_t value);
/* A field that is computed when the word is decoded; 0: the form has none of that name. */
int64_t computed_field(const struct form *form, const char *name, uint32_t word);

/* A register that a field names, or that the form always uses; `none` when it has no such field. */
unsigned register_of(const struct form *form, const char *name, uint32_t word, unsigned none);

/* Whether the CPU has what the form is a part of. */
bool is_there(const struct generator *g, const struct form *form);
unsigned form_bytes(const struct form *form);
/* A random word of the form that is not left out; false when there is none. */
bool word_of(struct generator *g, struct form *form, uint32_t *word);
/* Any form that is generated. */
struct form *any_form(struct generator *g);

/* A register of 16 bytes: numbers of all formats. */
void random_vector(struct generator *g, uint64_t v[2]);

#endif
