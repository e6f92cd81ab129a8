/* Random sequences of instructions, and the state that they start from. */
#ifndef TESTS_RANDOM_SEQUENCE_H
#define TESTS_RANDOM_SEQUENCE_H

#include "tests/random/warm_up.h"
#include "gencc/referee/operands.h"
#include "gencc/referee/words.h"
#include "gencc/test/left_out.h"

enum {
    UNIT_WORDS = 24,
    REACH = 448, /* accesses are within REACH bytes of MIDDLE */
    /* the turns that are left of a sequence that is a loop: where no access reaches from MIDDLE */
    TURNS_AT = 1024,
    MAX_OFTEN = 8, /* patterns of forms that are drawn more often */
};

struct instruction {
    uint32_t word;
    unsigned bytes;
};

/* An instruction with its preparations before it. Jumps land on the first instruction of a unit. */
struct unit {
    uint32_t words[UNIT_WORDS];
    unsigned bytes[UNIT_WORDS];
    bool counted[UNIT_WORDS]; /* whether it is the random instruction, not a preparation */
    unsigned count;
    int jump;      /* index of the instruction that jumps to another unit, or -1 */
    bool anywhere; /* a literal load, not a jump: its target may be anywhere in the code */
    bool near;     /* the jump reaches no further than the next unit */
    bool back;     /* the jump goes to the start of the sequence */
    const struct form *form; /* form of the jump, for arch_words.aim; NULL: any */
    const struct field *to;  /* field of the jump, for arch_words.aim; NULL: any */
    unsigned off_by;         /* bytes added to the target of an indirect jump */
};

/* Forms that a pattern matches. */
struct matching {
    struct form **forms;
    unsigned count;
};

struct generator {
    struct isa *isa;
    struct text *text;
    struct form **forms; /* the selected forms */
    unsigned count;
    struct form ***by_instr; /* the selected forms, one list per instruction, ended by NULL */
    unsigned instrs;
    struct matching often[MAX_OFTEN]; /* three of four units are of one of these, evenly */
    unsigned often_count;
    bool all;       /* the CPU has every feature */
    bool narrow;    /* the sequence uses few registers */
    unsigned *made; /* words made, by form->index */
    unsigned isa_forms;
    struct random random;
    struct words words;
    const struct left_out *left_out;
};

/* A sequence, finished or being made. */
struct sequence {
    struct request request;
    struct warm_up warm_up;
    uint16_t at[MAX_HALVES]; /* start of each instruction, in units of 16 bits */
    bool counted[MAX_HALVES];
    unsigned count; /* number of instructions */
};

/*
 * Selects the forms of the ISA whose name, or whose instruction's name, matches the pattern `only`
 * (NULL: all). Words of features that the CPU lacks are drawn sometimes: they are undefined. With
 * `all` the CPU has every feature. Words that `left_out`, which is borrowed, has a rule for are not
 * drawn. Returns false if no form matches or memory is exhausted.
 */
bool generator_init(struct generator *g, struct isa *isa, struct text *text,
                    const struct left_out *left_out, const char *only, bool all);
void generator_free(struct generator *g);

/*
 * Draws selected forms more often: those of a class, of an instruction or of a name that a pattern
 * matches. `patterns` are separated by commas; the same one may stand there several times. Returns
 * false if a pattern matches no form, there are too many, or memory is exhausted.
 */
bool generator_often(struct generator *g, const char *patterns);

/* Makes sequence `number` of a seed, of about `units` random instructions. */
void make_sequence(struct generator *g, uint64_t seed, uint64_t number, unsigned units,
                   struct sequence *s);

/*
 * Draws how the quick tier is warmed up: from the request itself, from other registers, so that
 * other branches are taken, or from ordinary floats, so that special ones come unexpectedly.
 */
void make_warm_up(struct generator *g, const struct request *request, struct warm_up *w);

/* Write and read an instruction at a place of a request's code. */
void put_code(struct request *r, unsigned half, struct instruction i);
struct instruction get_code(const struct request *r, unsigned half);

/* ---- for architectures ----------------------------------------------------------------------- */

/* Random numbers: one below n, and true with a probability of 1 in n. */
uint32_t below(struct generator *g, uint32_t n);
bool one_in(struct generator *g, uint32_t n);

/* Append a preparation of 4 bytes, or the random instruction of the form's width. */
void put(struct unit *u, uint32_t word);
void put_random(struct unit *u, uint32_t word, unsigned bytes);

/* Find, read and write a field of a form's word; field_of() returns NULL if there is none. */
const struct field *field_of(const struct form *form, const char *name);
uint32_t get_field(const struct field *f, uint32_t word);
uint32_t set_field(const struct field *f, uint32_t word, uint32_t value);
/* Returns the word with a field set, if the form has that field. */
uint32_t with_field(const struct form *form, const char *name, uint32_t word, uint32_t value);
/* Returns a field that decoding computes; 0 if the form has none of that name. */
int64_t computed_field(const struct form *form, const char *name, uint32_t word);

/*
 * Returns the register that a field names, or that the form always uses; `none` if there is no such
 * field.
 */
unsigned register_of(const struct form *form, const char *name, uint32_t word, unsigned none);

/* Whether the CPU has the features of a form. */
bool is_there(const struct generator *g, const struct form *form);
unsigned form_bytes(const struct form *form);
/* Draws a random word of the form that is not left out. Returns false if it found none. */
bool word_of(struct generator *g, struct form *form, uint32_t *word);
/* Returns one of the selected forms. */
struct form *any_form(struct generator *g);

/* Fills a register of 16 bytes with numbers of all formats. */
void random_vector(struct generator *g, uint64_t v[2]);

#endif
