/*
 * The C header of a file of constants.
 */
#ifndef GENCC_EMIT_CONSTANTS_H
#define GENCC_EMIT_CONSTANTS_H

#include "gencc/model/enums.h"

/* Writes the enumerations of `source` to the header `path`. Each name keeps the comment at the end
 * of its line. False after reporting that the file cannot be written. */
bool emit_constants(struct diag *d, const struct enums *enums, const char *source,
                    const char *path);

#endif
