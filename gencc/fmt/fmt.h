/*
 * Layout of GenC files (`gencc fmt`): indentation by braces, aligned pictures, no blanks at ends of
 * lines. Words, their order, line breaks and other blanks within lines stay.
 */
#ifndef GENCC_FMT_FMT_H
#define GENCC_FMT_FMT_H

#include "common/arena.h"

#include <stddef.h>

/* Returns the text laid out, in the arena. The layout of the result is the result itself. */
const char *fmt_text(struct arena *a, const char *text, size_t length);

#endif
