/*
 * What the parts that check layouts share.
 */
#ifndef GENCC_MODEL_LAYOUT_INTERNAL_H
#define GENCC_MODEL_LAYOUT_INTERNAL_H

#include "gencc/model/layout.h"

enum { LAYOUT_MAX_BYTES = 4096, LAYOUT_MAX_ARRAY = 1024 };

/* The versions written behind an `if`, or `all` when there is none; reports versions that are not
 * in `all`, naming what they are for. */
version_set layout_versions(struct layouts *l, const struct ast_versions *v, version_set all,
                            const char *what);

/* The value of an expression of numbers and constants; false after reporting. Names of `values`
 * (may be NULL) are known too. */
bool layout_value(struct layouts *l, const struct ast_expr *e, const struct lay_enum *values,
                  s128 *out);
/* The same, reported when it is not from 0 to `max`; 0 then. */
uint64_t layout_uint(struct layouts *l, const struct ast_expr *e, uint64_t max);

/* Timing parameters that no file has given; what a GPU's own gives, over what it inherited. */
void gpu_timing_begin(struct gpu *g);
void gpu_timing_set(struct layouts *l, struct gpu *g);

/* The value of that name, or NULL. */
const struct lay_value *enum_find(const struct lay_enum *e, const char *name);

/* Notes a name that the C code will define (without the prefix); reports it when there is one of
 * that name already. Notes it in capitals. */
void layout_c_name(struct layouts *l, struct src_pos pos, const char *name);

/* layout_fields.c: resolves and checks the fields of all layouts; orders them. */
void layouts_resolve(struct layouts *l);
/* layout_registers.c */
void layouts_registers(struct layouts *l);

#endif
