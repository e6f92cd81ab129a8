/*
 * The keywords of the languages, for editors.
 */
#ifndef GENCC_FRONT_KEYWORDS_H
#define GENCC_FRONT_KEYWORDS_H

#include <stdbool.h>

/* Returns keyword `number`, counted from 0, of architecture and layout files (`arch`) or of
 * behaviour files; NULL after the last. */
const char *front_keyword(bool arch, unsigned number);

#endif
