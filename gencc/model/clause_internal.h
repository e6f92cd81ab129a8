/*
 * What the parts of the builder of clauses share. Private to model/.
 */
#ifndef GENCC_MODEL_CLAUSE_INTERNAL_H
#define GENCC_MODEL_CLAUSE_INTERNAL_H

#include "gencc/model/clause.h"
#include "gencc/model/internal.h"

struct clause_builder {
    struct isa_builder *ib;
    struct arena *a;
    struct diag *d;
    const struct ast_clause *ast;
    struct clause *c;
};

/* ---- clause.c -------------------------------------------------------------------------------- */
/* Adds the columns of ac_table as helpers; before definitions are looked at. */
void build_tables(struct isa_builder *ib);
void build_clause(struct isa_builder *ib);

/* ---- clause_quadword.c ----------------------------------------------------------------------- */
void build_quadwords(struct clause_builder *b);

/* ---- clause_order.c -------------------------------------------------------------------------- */
/* Links the quadwords and follows every path through them: each bit stored once, all of a tuple
 * there, no two alternatives alike. */
void order_quadwords(struct clause_builder *b);

/* ---- clause_text.c --------------------------------------------------------------------------- */
/* Makes the names of texts known as maps; before asm lines are built. */
void declare_texts(struct clause_builder *b);
void build_texts(struct clause_builder *b);

#endif
