/*
 * A pool in which equal pieces of generated C are written once.
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

/* Zero-initialise. */
struct pool {
    VEC(struct pooled) pieces;
};

/* The name under which a text is in the pool: that of its first occurrence. For a new text it is
 * `name`, and the caller writes the text. The text must not contain the name. */
const char *pool_name(struct arena *a, struct pool *p, const char *name, const char *text);
/* The name under which a function's body is in the pool: bodies are equal that differ only in the
 * numbers of variables and labels. A new body is handled as by pool_name(). */
const char *pool_function(struct arena *a, struct pool *p, const char *name, const char *text);

#endif
