/*
 * What the files of the builder of bundles share. Private to model/.
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
/* Adds the columns of ac_table as helpers. Must precede the collection of definitions. */
void build_tables(struct isa_builder *ib);
/* Builds the ISA's ac_bundle. */
void build_bundle(struct isa_builder *ib);

/* ---- bundle_helper.c ------------------------------------------------------------------------- */
/* Make nodes of a syntax tree, of depth 1. */
struct ast_expr *ast_new_expr(struct arena *a, enum ast_expr_kind kind, struct src_pos pos);
struct ast_stmt *ast_new_stmt(struct arena *a, enum ast_stmt_kind kind, struct ast_expr *expr,
                              struct src_pos pos);
/* Makes a helper with `body` (at most 3 deep) and no parameters yet. */
struct ast_def *ast_new_helper(struct arena *a, const char *name, struct ir_type result,
                               struct ast_stmt *body, struct src_pos pos);
/* Appends a parameter to a helper. */
void ast_add_param(struct arena *a, struct ast_def *d, const char *name, struct ir_type type);
/* Adds an exported helper to the ISA that returns the value of `e`; it has no parameters yet. */
struct ast_def *bundle_helper(struct bundle_builder *b, const char *name, struct ir_type result,
                              struct ast_expr *e);

/* ---- bundle_grain.c ----------------------------------------------------------------------- */
/* Builds the grains that others follow. */
void build_grains(struct bundle_builder *b);
/* Resolves a piece of a picture; returns false after reporting. */
bool build_bundle_piece(struct bundle_builder *b, const struct ast_bundle_piece *ast,
                        struct bundle_piece *p);

/* ---- bundle_string.c ------------------------------------------------------------------------- */
/* Builds whole grains and sequences. */
void build_strings(struct bundle_builder *b);

/* ---- bundle_order.c -------------------------------------------------------------------------- */
/* Links the grains and follows every path through them. Checks three things: each bit is stored
 * once, all stages are complete, and alternatives differ in literal bits. */
void order_grains(struct bundle_builder *b);

/* ---- bundle_text.c --------------------------------------------------------------------------- */
/* Declares the names of texts as maps. Must precede the building of asm lines. */
void declare_texts(struct bundle_builder *b);
/* Builds the texts of the bundle. */
void build_texts(struct bundle_builder *b);

#endif
