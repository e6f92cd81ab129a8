/*
 * What the parts of the builder of bundles share. Private to model/.
 */
#ifndef GENCC_MODEL_BUNDLE_INTERNAL_H
#define GENCC_MODEL_BUNDLE_INTERNAL_H

#include "gencc/model/bundle.h"
#include "gencc/model/internal.h"

struct bundle_builder {
    struct isa_builder *ib;
    struct arena *a;
    struct diag *d;
    const struct ast_bundle *ast;
    struct bundle *c;
};

/* ---- bundle.c -------------------------------------------------------------------------------- */
/* Adds the columns of ac_table as helpers; before definitions are looked at. */
void build_tables(struct isa_builder *ib);
void build_bundle(struct isa_builder *ib);
/* An exported helper that returns the value of `e`; its parameters are to be added. */
struct ast_def *bundle_helper(struct bundle_builder *b, const char *name, struct ir_type result,
                              struct ast_expr *e);
void bundle_helper_param(struct bundle_builder *b, struct ast_def *d, const char *name,
                         struct ir_type type);

/* ---- bundle_grain.c ----------------------------------------------------------------------- */
void build_grains(struct bundle_builder *b);
/* What a piece of a picture is; false after reporting. */
bool build_bundle_piece(struct bundle_builder *b, const struct ast_bundle_piece *ast,
                        struct bundle_piece *p);

/* ---- bundle_string.c ------------------------------------------------------------------------- */
/* Grains that are whole, and sequences. */
void build_strings(struct bundle_builder *b);

/* ---- bundle_order.c -------------------------------------------------------------------------- */
/* Links the grains and follows every path through them: each bit stored once, all of a stage
 * there, no two alternatives alike. */
void order_grains(struct bundle_builder *b);

/* ---- bundle_text.c --------------------------------------------------------------------------- */
/* Makes the names of texts known as maps; before asm lines are built. */
void declare_texts(struct bundle_builder *b);
void build_texts(struct bundle_builder *b);

#endif
