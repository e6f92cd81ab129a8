/*
 * The syntax tree of files of ac_abi(): statements of words, some with a block of statements.
 * gencc/abi interprets them.
 */
#ifndef GENCC_FRONT_ABI_AST_H
#define GENCC_FRONT_ABI_AST_H

#include "common/vec.h"
#include "gencc/front/diag.h"

#include <stdio.h>

enum abi_word_kind { ABI_NAME, ABI_NUMBER, ABI_TEXT, ABI_SIGN };

struct abi_word {
    struct src_pos pos;
    enum abi_word_kind kind;
    const char *text; /* name, text without quotes, or the sign */
    uint64_t value;   /* value of a number */
};

struct abi_node {
    struct src_pos pos; /* place of the first word */
    VEC(struct abi_word) words;
    bool is_block; /* has a block, perhaps an empty one: `items` */
    VEC(struct abi_node *) items;
    struct abi_node *outer; /* the statement around it; NULL: this is the whole ABI */
};

/* Print a statement, or all statements of a block, as text that parses to the same tree; blocks are
 * indented by `indent` steps. */
void abi_print_statement(FILE *out, const struct abi_node *n, unsigned indent);
void abi_print(FILE *out, const struct abi_node *block, unsigned indent);

#endif
