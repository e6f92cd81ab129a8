/*
 * Output files that are only touched when their content changes, so that builds do little.
 */
#ifndef GENCC_EMIT_FILE_H
#define GENCC_EMIT_FILE_H

#include "gencc/front/diag.h"

/* Writes `size` bytes to `dir`/`name`, making the folder when it is missing; leaves the file alone
 * when it holds them already. False after reporting. */
bool file_update(struct diag *d, const char *dir, const char *name, const char *text, size_t size);

#endif
