/*
 * The tables that gencc generates for decoding: forms, the bits of a word that decide between the
 * handlers of a form, and functions that compute operands. Forms with equal operands share these
 * functions.
 */
#ifndef RUNTIME_CPU_FORMS_H
#define RUNTIME_CPU_FORMS_H

#include "common/prelude/decode_tree.h"
#include "runtime/cpu/isa.h"

enum {
    FORM_MAX_FIELDS = 64, /* computed fields of a form */
    FORM_NONE = 0xff,     /* as a feature or field: none */
};

/* Computes the fields of a word; 0: the word is not of the form after all. */
typedef uint8_t form_fields_fn(struct cpu *cpu, uint64_t word, uint64_t *fields);
/* Computes a handler's operands, which are stored behind *out. */
typedef void form_operands_fn(struct cpu *cpu, uint64_t word, const uint64_t *fields,
                              struct insn *out);

/* A handler of a form, for words with (word & mask) == value while a feature has a value. */
struct form_handler {
    insn_fn *fn;
    form_operands_fn *operands; /* NULL: the handler has no operands */
    uint64_t mask, value;
    uint8_t feature, feature_value; /* or FORM_NONE */
    bool ends_block;
};

struct form_decoder {
    form_fields_fn *fields; /* NULL: there is nothing to compute or to refuse */
    uint16_t handlers;      /* index in form_table.handlers of the first */
    uint8_t handler_count;  /* the first that matches is used; 0: the form is never decoded */
    uint8_t next_context;   /* field with the next instruction's decode context, or FORM_NONE */
    uint16_t features;      /* index in form_table.features of the needed ones, up to FORM_NONE */
};

struct form_table {
    const struct form_decoder *forms;
    const struct form_handler *handlers;
    const uint8_t *features;
    const uint16_t *first; /* index of the ISA's first form in cpu_isa.forms */
    unsigned count;        /* *first + count is the form of undefined words */
};

/* Decodes a word, with its decode context in the bits above it, into handler, operands and form. An
 * undefined word is decoded by form_undefined(). Returns enum decode_flag. */
unsigned form_decode(const struct form_table *t, const struct decode_tree *tree, struct cpu *cpu,
                     struct cpu_fetch *at, uint64_t word, struct insn *out);
/* Decodes a word as undefined, as for widths that no instruction has. Returns enum decode_flag. */
unsigned form_undefined(const struct form_table *t, struct insn *out);

#endif
