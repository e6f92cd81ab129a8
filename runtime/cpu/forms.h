/*
 * Decoding by the tables that gencc makes of an ISA: forms, what of a word decides between the handlers
 * of one, and functions that compute operands. Forms whose operands are computed alike share these.
 */
#ifndef RUNTIME_CPU_FORMS_H
#define RUNTIME_CPU_FORMS_H

#include "common/prelude/decode_tree.h"
#include "runtime/cpu/isa.h"

enum {
    FORM_MAX_FIELDS = 64, /* computed fields of a form */
    FORM_NONE = 0xff,     /* as a feature or field: none */
};

/* Computes fields of a word; false: the word is not of the form after all. */
typedef uint8_t form_fields_fn(struct cpu *cpu, uint64_t word, uint64_t *fields);
/* Computes a handler's operands, which stand behind `out`. */
typedef void form_operands_fn(struct cpu *cpu, uint64_t word, const uint64_t *fields,
                              struct insn *out);

/* One of a form's handlers: for words with certain bits, while a feature has a certain value. */
struct form_handler {
    insn_fn *fn;
    form_operands_fn *operands; /* NULL: it has none */
    uint64_t mask, value;
    uint8_t feature, feature_value; /* or FORM_NONE */
    bool ends_block;
};

struct form_decoder {
    form_fields_fn *fields; /* NULL: there is nothing to compute or to refuse */
    uint16_t handlers;      /* number of its first */
    uint8_t handler_count;  /* the first that fits is taken; 0: the form cannot be decoded */
    uint8_t
        next_context;  /* the field that says the context of the next instruction, or FORM_NONE */
    uint16_t features; /* place in form_table.features of those it needs, FORM_NONE behind them */
};

struct form_table {
    const struct form_decoder *forms;
    const struct form_handler *handlers;
    const uint8_t *features;
    const uint16_t *first; /* number of the ISA's first form in cpu_isa.forms */
    unsigned count;        /* the number behind the last one's is that of an undefined word */
};

/* Decodes a word, with its context above it, into handler, operands and form; undefined ones too.
 * Returns enum decode_flag. */
unsigned form_decode(const struct form_table *t, const struct decode_tree *tree, struct cpu *cpu,
                     struct cpu_fetch *at, uint64_t word, struct insn *out);
/* Likewise of a word of a width that no instruction has. */
unsigned form_undefined(const struct form_table *t, struct insn *out);

#endif
