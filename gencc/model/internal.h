/*
 * What the files of the model builder share. Private to model/.
 */
#ifndef GENCC_MODEL_INTERNAL_H
#define GENCC_MODEL_INTERNAL_H

#include "gencc/model/model.h"

/* The architecture being built */
struct builder {
    struct model *m;
    struct arena *a;
    struct diag *d;
    const struct ast_arch *ast;
    bool published;  /* all ISAs are in the published form only */
    bool incomplete; /* parsing had errors, so what seems missing may have been unreadable */
    struct name_map constants, typenames; /* struct ast_setting of the ARCH_CTOR */
};

/* The ISA being built */
struct isa_builder {
    struct builder *b;
    struct isa *isa;
    const struct ast_isa *ast;
    struct name_map constants, typedefs, executes, decodes, specials; /* struct ast_def by name */
    struct name_map family_names;                                     /* struct family by name */
    struct name_map form_names;                                       /* struct form by name */
    struct name_map behaviours;    /* struct instr by the name of their behaviour */
    VEC(struct where_held *) held; /* where.c: results of conditions by instruction index */
};

/* ---- constants.c ----------------------------------------------------------------------------- */
/* Evaluates a constant expression; `ib` may be NULL. Returns false after reporting the part that is
 * not constant. */
bool const_eval(const struct builder *b, const struct isa_builder *ib, const struct ast_expr *e,
                s128 *value);
/* Evaluates a constant from 0 to 2^bits - 1 and reports others; `what` names it in messages. */
bool const_bits(const struct builder *b, const struct isa_builder *ib, const struct ast_expr *e,
                unsigned bits, const char *what, u128 *value);
/* Enters the constants and type names of the prelude and of the ISA's behaviour files. */
void collect_constants(struct isa_builder *ib);
/* Resolves a type; names of template parameters are unknown here. Returns false after reporting. */
bool resolve_type(const struct builder *b, const struct isa_builder *ib, const struct ast_type *t,
                  struct ir_type *out);
/* The smallest unsigned type with at least `bits` bits. */
struct ir_type type_of_width(unsigned bits);

/* ---- timing.c -------------------------------------------------------------------------------- */
/* Computes the ticks of each ac_timing; all ISAs must be complete. */
void build_timings(struct builder *b);

/* ---- state.c, sysregs.c, maps.c, syntax.c ---------------------------------------------------- */
/* Lays out the registers of the architecture. */
void build_state(struct builder *b);
/* Adds a register space at the end of the state. */
struct reg_space *add_space(struct builder *b, unsigned bytes, unsigned align);
/* Adds a view of one register; reports a second one of that name and adds it as well. */
struct reg_view *add_view(struct builder *b, const char *name, struct src_pos pos,
                          struct ir_type type);
/* Builds the system registers of all ISAs, with their storage. */
void build_sysregs(struct builder *b);
/* Builds the assembly maps. */
void build_maps(struct isa_builder *ib);
/* Builds the asm lines of an instruction. */
void build_syntax(struct isa_builder *ib, struct instr *instr);

/* ---- words.c --------------------------------------------------------------------------------- */
/* Reports constant next_context values in which no instruction has an encoding. To be called after
 * the instructions are built. */
void check_contexts(struct isa_builder *ib);
/* Builds the widths of words and the decode context. */
void build_words(struct isa_builder *ib);
/* Checks that instructions have the widths that their first units imply. */
void check_widths(struct isa_builder *ib);

/* ---- formats.c, families.c, encodings.c ------------------------------------------------------ */
/* Builds the formats with their fields of the word. */
void build_formats(struct isa_builder *ib);
/* Returns the format of an instruction, or a copy with the fields that its block adds. NULL after
 * reporting an unknown format. */
struct format *format_of(struct isa_builder *ib, const struct ast_instr *instr);
/* Adds the ISA's ac_field fields to the formats that use them. */
void add_isa_fields(struct isa_builder *ib);
/* Published assembly strings may print fields that only other formats have; such a field is added
 * with the value 0. */
void borrow_for_text(struct isa_builder *ib, struct format *f, const struct ast_expr *e);
/* Builds the families and checks their keys. */
void build_families(struct isa_builder *ib);
/* Builds the instructions and their forms. */
void build_instrs(struct isa_builder *ib);
/* Returns the declared family with the name and marks it as used; NULL after an error. */
struct family *family_named(struct isa_builder *ib, const struct ast_param *name);
/* The product of two families: a row for each pair of rows. NULL after an error, at `pos`. */
struct family *family_product(struct isa_builder *ib, struct src_pos pos, struct family *a,
                              struct family *b);
/* Makes the forms of an instruction: one, or one per row of its family. */
void build_forms(struct isa_builder *ib, struct instr *instr);

/* ---- pattern.c ------------------------------------------------------------------------------- */
/* Copies a pattern with its exclusions. */
struct pattern pattern_copy(struct arena *a, const struct pattern *p);
/* Adds (word & mask) == value. Returns false if no word can match any more. */
bool pattern_fix(struct pattern *p, u128 mask, u128 value);
/* Adds (word & mask) != value. */
void pattern_exclude(struct arena *a, struct pattern *p, u128 mask, u128 value);
/* Simplifies the exclusions; returns false if no word can match. */
bool pattern_simplify(struct pattern *p);
/* Intersects two patterns; returns false if no word matches both. */
bool pattern_intersect(struct arena *a, const struct pattern *x, const struct pattern *y,
                       struct pattern *out);
/* Finds a word that matches; returns false if there is none. */
bool pattern_example(struct arena *a, const struct pattern *p, u128 *word);
/* Whether every word of `p` matches one of the `count` patterns of `cover`. With exclusions the
 * result may be false although it is so. */
bool pattern_covered(struct arena *a, const struct pattern *p, const struct pattern *const *cover,
                     unsigned count);

/* ---- where.c, overlap.c, decode.c ------------------------------------------------------------ */
/* Whether the `where` conditions exclude each other on all words of `both`. If not, `example` is a
 * word that both instructions may match. */
bool where_separates(struct isa_builder *ib, const struct instr *x, const struct instr *y,
                     const struct pattern *both, u128 *example);
/* Whether the form accepts every word that its patterns match. */
bool form_unconditional(const struct form *f);
/* Takes from each instruction of an ac_overlap group the words that those before it have. To be
 * called after the instructions are built. */
void apply_overlap_groups(struct isa_builder *ib);
/* Reports overlapping encodings and unreachable forms. */
void check_overlaps(struct isa_builder *ib);
/* Builds the decision tree of each word width. */
void build_trees(struct isa_builder *ib);

#endif
