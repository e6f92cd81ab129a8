/*
 * What the parts of the model builder share. Private to model/.
 */
#ifndef GENCC_MODEL_INTERNAL_H
#define GENCC_MODEL_INTERNAL_H

#include "gencc/model/model.h"

/* The architecture being built. */
struct builder {
    struct model *m;
    struct arena *a;
    struct diag *d;
    const struct ast_arch *ast;
    bool published;  /* all ISAs are purely in the published form */
    bool incomplete; /* parsing had errors: what seems missing may just not have been read */
    struct name_map constants, typenames; /* struct ast_setting of the ARCH_CTOR */
};

/* One ISA of it. */
struct isa_builder {
    struct builder *b;
    struct isa *isa;
    const struct ast_isa *ast;
    struct name_map constants, typedefs, executes, decodes, specials; /* struct ast_def */
    struct name_map family_names;                                     /* struct family */
    struct name_map form_names;                                       /* struct form */
    struct name_map behaviours; /* names that instructions use, with the struct instr */
};

/* ---- constants.c ----------------------------------------------------------------------------- */
/* Evaluates a constant expression; `ib` may be NULL. Returns false after reporting at the place
 * that is no constant. */
bool const_eval(const struct builder *b, const struct isa_builder *ib, const struct ast_expr *e,
                s128 *value);
/* The same, which must lie within 0 … 2^bits - 1. `what` names it in the message. */
bool const_bits(const struct builder *b, const struct isa_builder *ib, const struct ast_expr *e,
                unsigned bits, const char *what, u128 *value);
/* Makes the constants and type names of the prelude and of the ISA's behaviours known. */
void collect_constants(struct isa_builder *ib);
/* Resolves a written type; names of parameters are not known here. */
bool resolve_type(const struct builder *b, const struct isa_builder *ib, const struct ast_type *t,
                  struct ir_type *out);
/* `ones` low bits set; at most 128. */
u128 low_bits(unsigned ones);
/* The smallest unsigned type that holds so many bits. */
struct ir_type type_of_width(unsigned bits);

/* ---- state.c, sysregs.c, maps.c, syntax.c ---------------------------------------------------- */
void build_state(struct builder *b);
/* A further register space at the end of the blob. */
struct reg_space *add_space(struct builder *b, unsigned bytes, unsigned align);
struct reg_view *add_view(struct builder *b, const char *name, struct src_pos pos,
                          struct ir_type type);
void build_sysregs(struct builder *b);
void build_maps(struct isa_builder *ib);
void build_syntax(struct isa_builder *ib, struct instr *instr);

/* ---- words.c --------------------------------------------------------------------------------- */
/* The widths of words, and the context. */
void build_words(struct isa_builder *ib);
/* Whether instructions have the widths that their first units say. */
void check_widths(struct isa_builder *ib);

/* ---- formats.c, families.c, encodings.c ------------------------------------------------------ */
void build_formats(struct isa_builder *ib);
/* The format of an instruction; a copy of its own when its block adds fields. NULL when unknown. */
struct format *format_of(struct isa_builder *ib, const struct ast_instr *instr);
/* Adds the ISA's ac_field fields to the formats whose behaviours use them. */
void add_isa_fields(struct isa_builder *ib);
/* In a published ISA an assembly string may print a field that only other formats have: it is 0. */
void borrow_for_text(struct isa_builder *ib, struct format *f, const struct ast_expr *e);
void build_families(struct isa_builder *ib);
void build_instrs(struct isa_builder *ib);
/* Makes the forms of an instruction: itself, or one a row of its family. */
void build_forms(struct isa_builder *ib, struct instr *instr);

/* ---- pattern.c ------------------------------------------------------------------------------- */
/* Adds (word & mask) == value. Returns false when the pattern can no longer match. */
bool pattern_fix(struct pattern *p, u128 mask, u128 value);
/* Adds (word & mask) != value. */
void pattern_exclude(struct arena *a, struct pattern *p, u128 mask, u128 value);
/* Simplifies the exclusions; returns false when no word can match. */
bool pattern_simplify(struct pattern *p);
/* The words both match; false when there are none. */
bool pattern_intersect(struct arena *a, const struct pattern *x, const struct pattern *y,
                       struct pattern *out);
/* A word that matches; false when there is none. */
bool pattern_example(struct arena *a, const struct pattern *p, u128 *word);
/* True when every word of `p` matches one of the `count` patterns in `cover`. May say no although
 * it is so where exclusions are involved. */
bool pattern_covered(struct arena *a, const struct pattern *p, const struct pattern *const *cover,
                     unsigned count);
unsigned count_bits(u128 x);

/* ---- where.c, overlap.c, decode.c ------------------------------------------------------------ */
/* True when the `where` conditions let no word of `both` be taken by both instructions; otherwise
 * `example` is one that they may both take. */
bool where_separates(const struct isa_builder *ib, const struct instr *x, const struct instr *y,
                     const struct pattern *both, u128 *example);
/* True when the form takes every word its patterns match. */
bool form_unconditional(const struct form *f);
void check_overlaps(struct isa_builder *ib);
void build_trees(struct isa_builder *ib);

#endif
