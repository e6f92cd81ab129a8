/*
 * The syntax tree of files of ac_abi(): statements of words, some with a block of statements. Their
 * meaning is in gencc/abi.
 */
#ifndef GENCC_FRONT_ABI_AST_H
#define GENCC_FRONT_ABI_AST_H

#include "common/vec.h"
#include "gencc/front/diag.h"

enum abi_word_kind { ABI_NAME, ABI_NUMBER, ABI_TEXT, ABI_SIGN };

struct abi_word {
    struct src_pos pos;
    enum abi_word_kind kind;
    const char *text; /* name, text without quotes, or the sign */
    uint64_t value;   /* of a number */
};

struct abi_node {
    struct src_pos pos; /* the first word's */
    VEC(struct abi_word) words;
    bool is_block;
    VEC(struct abi_node *) items;
    struct abi_node *outer; /* NULL: the whole ABI */
};

#endif
