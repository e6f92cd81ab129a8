/*
 * Output files that are written only if their content changes, so that builds do little.
 */
#ifndef GENCC_EMIT_FILE_H
#define GENCC_EMIT_FILE_H

#include "gencc/front/diag.h"

/* Writes `size` bytes to `dir`/`name` and makes the folder if it is missing. A file that holds
 * these bytes is not touched. False after reporting. */
bool file_update(struct diag *d, const char *dir, const char *name, const char *text, size_t size);

#endif
