/*
 * What the grammar calls while it reads ac_clause and ac_table. Private to front/.
 */
#ifndef GENCC_FRONT_CLAUSE_PARSER_H
#define GENCC_FRONT_CLAUSE_PARSER_H

#include "gencc/front/clause_ast.h"
#include "gencc/front/parser.h"

void clause_begin(struct parser *p, struct src_pos pos);
void clause_header(struct parser *p, const struct token *format);
void clause_block(struct parser *p, const struct token *format);
void clause_unit(struct parser *p, const struct token *name, const struct token *isa,
                 const struct token *mark);
void clause_tuples(struct parser *p, const struct token *count);
void clause_constants(struct parser *p, const struct token *count, const struct token *high,
                      const struct token *low);
/* A text of the header when `key` is NULL, else of a map of the units. Its asm lines follow. */
void clause_text(struct parser *p, const struct token *name, const struct token *key,
                 const struct token *context);

/* A quadword's parts, in the order they are written. */
void quadword_begin(struct parser *p, const struct token *name);
void quadword_order(struct parser *p, const struct token *word);
void quadword_after(struct parser *p, const struct token *name);
void quadword_picture(struct parser *p, const struct token *picture);
void quadword_modifier(struct parser *p, struct src_pos pos, const struct token *constant,
                       struct ast_expr *value);
void quadword_positions(struct parser *p, const struct token *field);
void quadword_position(struct parser *p, struct src_pos pos, const struct token *key,
                       const struct token *first, const struct token *tuples);

void table_begin(struct parser *p, const struct token *name, const struct token *key);
void table_column(struct parser *p, const struct token *name);
void table_row(struct parser *p, struct src_pos pos, struct expr_list *keys,
               struct expr_list *values);
void table_end(struct parser *p);

#endif
