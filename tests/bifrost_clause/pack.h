/*
 * Packs clauses by the description's quadwords: the inverse of what gencc generates.
 */
#ifndef TESTS_BIFROST_CLAUSE_PACK_H
#define TESTS_BIFROST_CLAUSE_PACK_H

#include "gencc/model/bundle.h"
#include "runtime/gpu/isa.h"

enum { MAX_QUADWORDS = 16 };

/* The values of the quadwords' own fields that no position decides. */
typedef unsigned pack_field_fn(void *opaque, const struct field *f);

/* Packs `in`; what it has in `modifier`, `address` and `bytes` is not looked at. Returns the number
 * of quadwords, 0 when no quadwords hold so many tuples and constants. */
unsigned pack_clause(const struct bundle *c, const struct gpu_bundle *in, pack_field_fn *field,
                     void *opaque, u128 *out);

#endif
