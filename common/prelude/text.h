/* The prelude in GenC: constants that every description has without declaring them. */
#ifndef COMMON_PRELUDE_TEXT_H
#define COMMON_PRELUDE_TEXT_H

#include <stddef.h>

/* Text of a behaviour file that contains constants only, and its length */
extern const char prelude_text[];
extern const size_t prelude_length;

#endif
