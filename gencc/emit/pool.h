/*
 * Pieces of generated C that are alike are written once.
 */
#ifndef GENCC_EMIT_POOL_H
#define GENCC_EMIT_POOL_H

#include "common/arena.h"
#include "common/vec.h"

#include <stdint.h>

struct pooled {
    uint64_t hash;
    const char *text;
    const char *name;
};

/* Empty when all zero. */
struct pool {
    VEC(struct pooled) pieces;
};

/* The name under which a piece of this text is in the pool: the one of the first that came with it, and
 * `name` for a new one, which the caller then writes. The text does not hold the name. */
const char *pool_name(struct arena *a, struct pool *p, const char *name, const char *text);
/* Likewise of the body of a function: how its variables and labels are numbered makes no difference. */
const char *pool_function(struct arena *a, struct pool *p, const char *name, const char *text);

#endif
