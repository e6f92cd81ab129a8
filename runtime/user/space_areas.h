/*
 * The list of areas of an address space. Only space.c changes it; space_host.c reads it by
 * space_find().
 */
#ifndef RUNTIME_USER_SPACE_AREAS_H
#define RUNTIME_USER_SPACE_AREAS_H

#include "runtime/user/space.h"

/* Index of the first area that ends above va; the number of areas if none does. */
size_t area_index(const struct space *s, uint64_t va);
/* Inserts the area, whose name is taken over, as number n. */
void area_insert(struct space *s, size_t n, struct area a);
void area_remove(struct space *s, size_t n);
/* Splits the area that contains `va`, so that an area begins at `va`. */
void area_split(struct space *s, uint64_t va);
/* Joins adjacent areas with equal properties in and next to [start, end). */
void area_merge(struct space *s, uint64_t start, uint64_t end);

#endif
