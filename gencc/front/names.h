/*
 * Maps from names to pointers: hash tables in an arena, with insertion and lookup only.
 */
#ifndef GENCC_FRONT_NAMES_H
#define GENCC_FRONT_NAMES_H

#include "common/arena.h"

#include <stdbool.h>

struct name_entry;

/* An empty map is all zeros. Names and values are not copied. */
struct name_map {
    struct name_entry *entries;
    unsigned count, room;
};

/* Returns the value of `name`, or NULL when it is not in the map. */
void *name_map_get(const struct name_map *m, const char *name);

/* Sets the value of `name`; `value` must not be NULL. Returns the previous value, or NULL. */
void *name_map_put(struct arena *a, struct name_map *m, const char *name, void *value);

/* Whether the name is a keyword of C, or a macro of compilers. */
bool name_is_c_word(const char *name);

/* The name as an identifier of C: keywords get an underscore appended. */
const char *name_in_c(struct arena *a, const char *name);

#endif
