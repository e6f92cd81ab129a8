/*
 * Files of constants: behaviour files that hold enumerations and nothing else, so that C can have the
 * same names.
 *
 *     typename colour = uint32;    // the enumeration
 *     const colour RED = 1;        // one of its constants, which have its type
 */
#ifndef GENCC_MODEL_ENUMS_H
#define GENCC_MODEL_ENUMS_H

#include "gencc/front/ast.h"

struct enum_value {
    const struct ast_def *ast;
    uint32_t value; /* 31 bits, what an enumeration of C surely holds */
};

struct enumeration {
    const struct ast_def *ast; /* the typename */
    VEC(struct enum_value) values;
};

struct enums {
    VEC(struct enumeration *) all; /* in the order of the file */
};

/* The enumerations of a file that ast_parse_behaviours() has read; constants may use others of the
 * file. Reports, counted in `d`, what is no constant of an enumeration or no name in C. */
struct enums *enums_build(struct diag *d, const struct ast_isa *file);

#endif
