/*
 * The words with a meaning, for editors.
 */
#ifndef GENCC_FRONT_KEYWORDS_H
#define GENCC_FRONT_KEYWORDS_H

#include <stdbool.h>

/* The word of that number, counted from 0: of architecture and layout files, or of behaviour files; NULL
 * behind the last. */
const char *front_keyword(bool arch, unsigned number);

#endif
