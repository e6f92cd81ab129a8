/*
 * Layout of GenC files (`gencc fmt`): indentation by braces, pictures under each other, no blanks at ends
 * of lines. Words and their order stay; so do line breaks, and blanks within a line elsewhere.
 */
#ifndef GENCC_FMT_FMT_H
#define GENCC_FMT_FMT_H

#include "common/arena.h"

#include <stddef.h>

/* The text laid out, in the arena. What it makes of its own result is the same. */
const char *fmt_text(struct arena *a, const char *text, size_t length);

#endif
