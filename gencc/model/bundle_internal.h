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

/* ---- bundle_helper.c ------------------------------------------------------------------------- */
/* Nodes of a syntax tree, at `pos`, of depth 1. */
struct ast_expr *ast_new_expr(struct arena *a, enum ast_expr_kind kind, struct src_pos pos);
struct ast_stmt *ast_new_stmt(struct arena *a, enum ast_stmt_kind kind, struct ast_expr *expr,
                              struct src_pos pos);
/* A helper that consists of `body`, without parameters yet. `body` may be 3 deep. */
struct ast_def *ast_new_helper(struct arena *a, const char *name, struct ir_type result,
                               struct ast_stmt *body, struct src_pos pos);
/* Adds a parameter behind those that the helper has. */
void ast_add_param(struct arena *a, struct ast_def *d, const char *name, struct ir_type type);
/* An exported helper of the ISA that returns the value of `e`, without parameters yet. */
struct ast_def *bundle_helper(struct bundle_builder *b, const char *name, struct ir_type result,
                              struct ast_expr *e);

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
