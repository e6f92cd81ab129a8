/*
 * What the files of layouts share. Private to model/.
 */
#ifndef GENCC_MODEL_LAYOUT_INTERNAL_H
#define GENCC_MODEL_LAYOUT_INTERNAL_H

#include "gencc/model/layout.h"

enum { LAYOUT_MAX_BYTES = 4096, LAYOUT_MAX_ARRAY = 1024 };

/* The versions given by `if`, or `all` if there is none. Reports versions not in `all`; `what`
 * names the object in messages. */
version_set layout_versions(struct layouts *l, const struct ast_versions *v, version_set all,
                            const char *what);

/* Evaluates an expression of numbers and constants; returns false after reporting. Names of
 * `values` (may be NULL) are constants too. */
bool layout_value(struct layouts *l, const struct ast_expr *e, const struct lay_enum *values,
                  s128 *out);
/* Evaluates a number from 0 to `max`; reports others and returns 0 for them. */
uint64_t layout_uint(struct layouts *l, const struct ast_expr *e, uint64_t max);

/* Set the parameters of the time models and of the power model. A value that the GPU gives has
 * precedence over an inherited one, and this over the default. */
void gpu_numbers_begin(struct gpu *g);
void gpu_numbers_set(struct layouts *l, struct gpu *g);
/* Sets the operating points to those that the GPU gives. Without any, they are inherited if
 * clock_mhz is inherited, too; otherwise the GPU has one point, of clock_mhz and `voltage`. Called
 * after properties and parameters are set. */
void gpu_points_set(struct layouts *l, struct gpu *g, bool own_clock);

/* The value of that name, or NULL. */
const struct lay_value *enum_find(const struct lay_enum *e, const char *name);

/* Records a name that the C code will define (in capitals, without the prefix); reports names
 * recorded before. */
void layout_c_name(struct layouts *l, struct src_pos pos, const char *name);

/* Resolves, checks and orders the fields of all layouts (layout_fields.c). */
void layouts_resolve(struct layouts *l);
/* Builds the blocks of registers (layout_registers.c). */
void layouts_registers(struct layouts *l);

#endif
