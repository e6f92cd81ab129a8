/*
 * Tables from names to things: hash maps in an arena, insertion and lookup only.
 */
#ifndef GENCC_FRONT_NAMES_H
#define GENCC_FRONT_NAMES_H

#include "common/arena.h"

#include <stdbool.h>

struct name_entry;

/* Zero-initialise it. Names and values are kept by reference. */
struct name_map {
    struct name_entry *entries;
    unsigned count, room;
};

/* Returns the value of `name`, or NULL when it is not in the map. */
void *name_map_get(const struct name_map *m, const char *name);

/* Sets the value of `name`, which must not be NULL; returns the value it had before, or NULL. */
void *name_map_put(struct arena *a, struct name_map *m, const char *name, void *value);

/* Whether C would take the name for a keyword. */
bool name_is_c_word(const char *name);

/* What the name is in C: itself, or with an underscore behind it when it is a keyword there. */
const char *name_in_c(struct arena *a, const char *name);

#endif
