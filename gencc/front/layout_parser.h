/*
 * Functions that the grammar calls while it reads AC_LAYOUTS and AC_GPU. Private to front/.
 */
#ifndef GENCC_FRONT_LAYOUT_PARSER_H
#define GENCC_FRONT_LAYOUT_PARSER_H

#include "gencc/front/parser.h"

/* Statements of AC_LAYOUTS. */
void layouts_begin(struct parser *p, const struct token *name);
void layouts_versions(struct parser *p, struct src_pos pos, const struct ast_versions *versions);
void layouts_include(struct parser *p, const struct token *path);
void layouts_const(struct parser *p, struct ast_type *type, const struct token *name,
                   struct ast_expr *value);

/* Begins an enumeration; its values follow. */
void enum_begin(struct parser *p, const struct token *name);
void enum_value(struct parser *p, const struct token *name, struct ast_expr *value,
                const struct ast_versions *versions);

/* Begins a layout; sizes and fields follow. */
void layout_begin(struct parser *p, const struct token *name);
void layout_size(struct parser *p, struct src_pos pos, unsigned bytes,
                 const struct ast_versions *versions);
/* The value of a number token; reports values above 2^30 - 1 and returns 0 for them. */
unsigned layout_number(struct parser *p, const struct token *t);

/* Parts of a field, in the order in which they are written. */
void layout_field_begin(struct parser *p, const struct token *name);
void layout_field_type(struct parser *p, const struct token *type, bool overlay);
void layout_field_width(struct parser *p, const struct token *t);
void layout_modifier(struct parser *p, struct src_pos pos, enum ast_mod_kind kind,
                     struct ast_expr *value);
void layout_field_place(struct parser *p, struct src_pos pos, const struct token *word,
                        const struct token *bit);
void layout_field_end(struct parser *p, const struct ast_versions *versions);

void registers_begin(struct parser *p, const struct token *name, const struct ast_repeat *repeat,
                     unsigned base);
void register_begin(struct parser *p, const struct token *name, const struct ast_repeat *repeat,
                    const struct token *access, struct src_pos place, unsigned offset);
/* Adds a field to the last register. `type` and `width` may be NULL: an unnamed type, a single
 * bit. */
void register_field(struct parser *p, const struct token *name, const struct token *type,
                    const struct token *width, const struct token *bit);

/* Begins a GPU; properties, parameters of the time models and registers follow. */
void gpu_begin(struct parser *p, const struct token *name);
void gpu_property(struct parser *p, const struct token *name, struct ast_expr *value);
/* Adds a parameter of the time models or of the power model; reports a `word` that is neither
 * "timing" nor "power". */
void gpu_number(struct parser *p, const struct token *word, const struct token *name,
                struct ast_expr *value, const struct token *unit, const struct token *source);
/* Adds an operating point; `words` are "point" and the units. */
void gpu_point(struct parser *p, const struct token words[3], struct ast_expr *mhz,
               struct ast_expr *millivolt, const struct token *source);
void gpu_register(struct parser *p, const struct token *name, const unsigned *index,
                  struct ast_expr *value);

#endif
