/*
 * Files of constants: behaviour files that contain only enumerations, which C can use under the
 * same names.
 *
 *   typename colour = uint32;    // the enumeration
 *   const colour RED = 1;        // a constant, which has its type
 */
#ifndef GENCC_MODEL_ENUMS_H
#define GENCC_MODEL_ENUMS_H

#include "gencc/front/ast.h"

struct enum_value {
    const struct ast_def *ast;
    uint32_t value; /* 31 bits, which an enumeration of C can always represent */
};

struct enumeration {
    const struct ast_def *ast; /* the typename */
    VEC(struct enum_value) values;
};

struct enums {
    VEC(struct enumeration *) all; /* in the order of the file */
};

/* Builds the enumerations of a file read by ast_parse_behaviours(). Constants may use others of the
 * file. Reports, counted in `d`, definitions that are no constant of an enumeration or whose name
 * is not valid in C. */
struct enums *enums_build(struct diag *d, const struct ast_isa *file);

#endif
