/* Packs clauses by the description's table of quadwords: the inverse of the generated unpacking. */
#ifndef TESTS_BIFROST_CLAUSE_PACK_H
#define TESTS_BIFROST_CLAUSE_PACK_H

#include "gencc/model/bundle.h"
#include "runtime/gpu/isa.h"

enum { MAX_QUADWORDS = 16 };

/* Returns the value of a quadword's field that does not follow from the quadword's position. */
typedef unsigned pack_field_fn(void *opaque, const struct field *f);

/*
 * Packs `in`, without its `modifier`, `address` and `bytes`. Returns the number of quadwords, or 0
 * if no sequence of quadwords holds this number of tuples and constants.
 */
unsigned pack_clause(const struct bundle *c, const struct gpu_bundle *in, pack_field_fn *field,
                     void *opaque, u128 *out);

#endif
