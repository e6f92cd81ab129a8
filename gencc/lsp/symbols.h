/*
 * Declarations of a description with their places, and the declaration that a word in a file refers
 * to.
 */
#ifndef GENCC_LSP_SYMBOLS_H
#define GENCC_LSP_SYMBOLS_H

#include "gencc/front/names.h"
#include "gencc/lsp/project.h"

enum symbol_kind {
    SYMBOL_HELPER,
    SYMBOL_CONSTANT,
    SYMBOL_TYPE,
    SYMBOL_SYSREG,
    SYMBOL_BEHAVIOUR, /* execute(NAME) and similar */
    SYMBOL_INSTRUCTION,
    SYMBOL_FORMAT,
    SYMBOL_FIELD,
    SYMBOL_MAP,
    SYMBOL_FAMILY,
    SYMBOL_REGISTER,
    SYMBOL_MEMORY,
    SYMBOL_FEATURE,
    SYMBOL_GPU,
    SYMBOL_LOCAL, /* parameter or variable */
};

/* A part of a file with names of its own: a definition or a block */
struct scope {
    const struct source_file *file;
    size_t from, to;
    const char *name; /* name that it defines */
    enum symbol_kind kind;
    const char *format; /* blocks of instructions: format whose fields are visible too; or NULL */
};

struct symbol {
    enum symbol_kind kind;
    const char *name, *isa; /* isa NULL: all ISAs */
    const struct source_file *file;
    size_t at;                 /* offset of the name */
    const struct scope *scope; /* scope of locals and fields; else NULL */
    const char *detail;        /* a line about it; NULL: its source line */
};

typedef VEC(const struct symbol *) symbol_list;

struct symbols {
    struct arena *a;
    const struct root *root;
    VEC(struct symbol *) all;
    VEC(struct scope *) scopes;
};

/* All declarations of a root, in its arena. */
struct symbols *symbols_of(struct root *r);

/* A word with a meaning: in code, after a % or in braces in a string, or a field of a picture.
 * Words of comments and other strings have none. */
struct word {
    size_t from, to;
    enum { WORD_CODE, WORD_MAP, WORD_EXPRESSION, WORD_PICTURE } where;
};
/* Calls `take` for each word of a text, in order, until it returns false. */
void words_each(const char *text, bool (*take)(void *context, const struct word *w), void *context);
/* Finds the word at a byte, or directly before it; returns false if there is none. */
bool word_at(const char *text, size_t offset, struct word *out);

/* The declaration that the word refers to, or NULL. */
const struct symbol *symbol_meant(const struct symbols *s, const struct source_file *file,
                                  const struct word *w);
/* The innermost scope around a byte, or NULL. */
const struct scope *scope_at(const struct symbols *s, const struct source_file *file, size_t at);
/* Whether both are the same thing; an instruction and its behaviour are. */
bool symbol_same(const struct symbol *x, const struct symbol *y);
/* Calls `take` for each field that `inst.` has in the behaviour of that name. */
void fields_of_behaviour(const struct symbols *s, const char *behaviour,
                         void (*take)(void *context, const struct symbol *field), void *context);

/* All declarations that must have the same name as `x`: for a field, those of encodings that share
 * a behaviour, transitively; otherwise `x`. */
void symbols_of_one_name(const struct symbols *s, const struct symbol *x, symbol_list *out);
/* Whether the field is a key of a family, or an ac_field, which all formats have. */
bool field_is_shared(const struct symbols *s, const char *name);

/* A word for the kind, for readers. */
const char *symbol_kind_name(enum symbol_kind kind);

#endif
