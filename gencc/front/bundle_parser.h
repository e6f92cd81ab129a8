/*
 * Functions that the grammar calls while it reads ac_bundle and ac_table. Private to front/.
 */
#ifndef GENCC_FRONT_BUNDLE_PARSER_H
#define GENCC_FRONT_BUNDLE_PARSER_H

#include "gencc/front/bundle_ast.h"
#include "gencc/front/parser.h"

/* Statements of ac_bundle. */
void bundle_begin(struct parser *p, struct src_pos pos);
void bundle_names(struct parser *p, const struct token *bundle, const struct token *stage);
void bundle_header(struct parser *p, const struct token *format);
void bundle_block(struct parser *p, const struct token *format);
void bundle_unit(struct parser *p, const struct token *name, const struct token *isa,
                 const struct token *mark);
void bundle_stages(struct parser *p, const struct token *count);
/* Numbers of a bundle: bits per grain; parts per instruction; stages until a result is in its
 * register; registers that are counted per program and slots per register. Then the texts around
 * the words. */
void bundle_grains(struct parser *p, const struct token *bits);
void bundle_parts(struct parser *p, const struct token *count);
void bundle_results(struct parser *p, const struct token *stages);
void bundle_registers(struct parser *p, const struct token *count, const struct token *slots);
void bundle_open(struct parser *p, const struct token *text);
void bundle_close(struct parser *p, const struct token *text);
void bundle_constants(struct parser *p, const struct token *count, const struct token *high,
                      const struct token *low);
/* Names a field of the block that the assembler decides before the others. */
void bundle_decide(struct parser *p, const struct token *field);
/* Declares that `field` of a header repeats what `of` says in the next bundle; in the last bundle
 * it is `last`. */
void bundle_follow(struct parser *p, const struct token *field, const struct token *of,
                   const struct token *last);
/* Begins a text of the header, if `key` is NULL, or of a map of the units. Its asm lines follow. */
void bundle_text(struct parser *p, const struct token *name, const struct token *key,
                 const struct token *context);

/* Statements of a grain, in the order in which they are written. */
void grain_begin(struct parser *p, const struct token *name);
void grain_order(struct parser *p, const struct token *word);
void grain_after(struct parser *p, const struct token *name);
void grain_picture(struct parser *p, const struct token *picture);
void grain_where(struct parser *p, struct ast_expr *condition);
void grain_modifier(struct parser *p, struct src_pos pos, const struct token *constant,
                    struct ast_expr *value);
void grain_positions(struct parser *p, const struct token *field);
void grain_position(struct parser *p, struct src_pos pos, const struct token *key,
                    const struct token *first, const struct token *stages);

/* Statements of a sequence. */
void sequence_begin(struct parser *p, const struct token *name);
void sequence_bytes(struct parser *p, struct ast_expr *bytes);
void sequence_align(struct parser *p, const struct token *bits);
void sequence_take(struct parser *p, const struct token *picture, struct ast_expr *condition);

/* ac_table: its columns and rows. */
void table_begin(struct parser *p, const struct token *name, const struct token *key);
void table_column(struct parser *p, const struct token *name);
void table_row(struct parser *p, struct src_pos pos, struct expr_list *keys,
               struct expr_list *values);
void table_end(struct parser *p);

#endif
