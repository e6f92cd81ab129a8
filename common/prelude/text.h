/* The prelude in GenC: constants that every description has without declaring them. */
#ifndef COMMON_PRELUDE_TEXT_H
#define COMMON_PRELUDE_TEXT_H

#include <stddef.h>

/* A file of behaviours that holds nothing but constants of type uint32, and its length. */
extern const char prelude_text[];
extern const size_t prelude_length;

#endif
