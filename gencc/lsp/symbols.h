/*
 * What the names of a description stand for: declarations with their places, and which of them a word
 * somewhere in a file means.
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
    SYMBOL_BEHAVIOUR, /* execute(NAME) and the like */
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

/* Part of a file in which names are known that are not elsewhere: a definition, a block. */
struct scope {
    const struct source_file *file;
    size_t from, to;
    const char *name; /* what it defines */
    enum symbol_kind kind;
    const char *format; /* of an instruction's block: whose fields it has too; or NULL */
};

struct symbol {
    enum symbol_kind kind;
    const char *name, *isa; /* isa NULL: of all */
    const struct source_file *file;
    size_t at;                 /* of the name */
    const struct scope *scope; /* of locals and fields; else NULL */
    const char *detail;        /* a line about it, or NULL: what stands there */
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

/* A word of a file, where it has a meaning: in code, behind a % or in braces in a string, as a field of a
 * picture. Words of comments and of other text are none. */
struct word {
    size_t from, to;
    enum { WORD_CODE, WORD_MAP, WORD_EXPRESSION, WORD_PICTURE } where;
};
/* Calls back for each word of a text, in order, until false comes. */
void words_each(const char *text, bool (*take)(void *context, const struct word *w), void *context);
/* The word at or right before a byte; false when there is none. */
bool word_at(const char *text, size_t offset, struct word *out);

/* What a word means; NULL when it has no declaration. */
const struct symbol *symbol_meant(const struct symbols *s, const struct source_file *file,
                                  const struct word *w);
/* The innermost scope around a byte, or NULL. */
const struct scope *scope_at(const struct symbols *s, const struct source_file *file, size_t at);
/* Whether two are the same thing: an instruction and its behaviour are. */
bool symbol_same(const struct symbol *x, const struct symbol *y);
/* The fields that `inst.` has in the behaviour of that name: calls back for each. */
void fields_of_behaviour(const struct symbols *s, const char *behaviour,
                         void (*take)(void *context, const struct symbol *field), void *context);

/* All declarations that must have one name with `x`: of a field those of the encodings that share its
 * behaviour, and so on; else `x`. */
void symbols_of_one_name(const struct symbols *s, const struct symbol *x, symbol_list *out);
/* Whether a family's rows are chosen by fields of that name, or ac_field gives it to all formats. */
bool field_is_shared(const struct symbols *s, const char *name);

const char *symbol_kind_name(enum symbol_kind kind);

#endif
