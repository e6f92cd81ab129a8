/*
 * The C header of a file of constants.
 */
#ifndef GENCC_EMIT_CONSTANTS_H
#define GENCC_EMIT_CONSTANTS_H

#include "gencc/model/enums.h"

/* Writes the enumerations of `source` to the header `path`, each name with the comment that ends its
 * line there. False after reporting that it cannot be written. */
bool emit_constants(struct diag *d, const struct enums *enums, const char *source,
                    const char *path);

#endif
