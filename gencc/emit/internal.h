/*
 * What the parts of the C emitter share.
 */
#ifndef GENCC_EMIT_INTERNAL_H
#define GENCC_EMIT_INTERNAL_H

#include "gencc/emit/emit.h"
#include "gencc/ir/ir.h"

/* A C file being written, in memory first. */
struct out {
    FILE *f;
    char *text;
    size_t size;
    const char *name;
};

/* How a value is written where it is used. */
enum place {
    PLACE_LOCAL,   /* a C variable vN */
    PLACE_FOLD,    /* its expression, in place */
    PLACE_OPERAND, /* a member of the decoded instruction's operands */
    PLACE_SOURCE,  /* a source of a lane: read before anything else */
};

struct cvalue {
    enum place place;
    unsigned operand;      /* PLACE_OPERAND, PLACE_SOURCE: its number */
    bool skip;             /* not computed in this function at all */
    struct ir_value *call; /* RESULT: the call it belongs to */
};

/* An operand that the decoder computes once. */
struct operand {
    const char *name;
    struct ir_type stored; /* narrowest type that holds it */
    struct ir_value *value;
};

struct handler;

/* What surrounds the C of a function. */
enum cfn_kind {
    CFN_HELPER,     /* T name(struct cpu *cpu, const struct insn *i, params…, outs *…) */
    CFN_HANDLER,    /* void name(struct cpu *cpu, const struct insn *i) */
    CFN_DECODE,     /* uint8_t name(word, fields) */
    CFN_OPERANDS,   /* straight-line: fills operands */
    CFN_DISASM,     /* uint8_t name(word, fields, struct asm_out *) */
    CFN_TRANSLATOR, /* as CFN_HANDLER, without a CPU (jit.h) */
    CFN_LANE,       /* what a handler does for one lane: the body of a loop (lane.h) */
};

struct cfn {
    struct emit *e;
    FILE *o;
    struct ir_func *f;
    enum cfn_kind kind;
    struct cvalue *at; /* by value id */
    VEC(struct operand) operands;
    const char *operands_type;
    bool ends_block;
    bool straight;                 /* CFN_LANE: the function returns what there is to write */
    const struct handler *handler; /* CFN_TRANSLATOR: whose operands hold computed fields */
};

/* One handler: a form, specialised for values of some small fields or features. */
struct handler {
    struct form *form;
    const char *name;
    struct ir_func *f;
    struct ir_func *jit;        /* the same for a translator, with more inlined; NULL: f */
    VEC(struct field *) fields; /* specialised on */
    VEC(u128) values;
    int feature; /* specialised on this feature having its default, or -1 */
    bool ends_block;
    VEC(struct operand) operands;
    const char *operands_type;
    unsigned operand_bytes;
};

struct lane_handler;

struct emit {
    struct isa *isa;
    struct model *model;
    struct arena *arena;
    struct diag *diag;
    const struct emit_options *opt;
    const char *p;                    /* prefix of every global name: the ISA's */
    const char *P;                    /* the same in capitals */
    VEC(struct handler *) handlers;   /* in order of forms */
    VEC(struct lane_handler *) lanes; /* the same for an ISA of lanes */
    VEC(struct ir_type) vectors;      /* vector types in use */
    unsigned max_operand_bytes;
    unsigned translators; /* handlers that have one */
    unsigned max_fields;  /* computed fields of a format, at most */
    bool *tested; /* by form: its decode function decides or computes something for the text */
    bool failed;
};

/* ---- out.c ----------------------------------------------------------------------------------- */
bool out_open(struct emit *e, struct out *o, const char *name);
/* Writes the file if its content differs from what is there. */
bool out_close(struct emit *e, struct out *o);

/* ---- ctype.c --------------------------------------------------------------------------------- */
const char *ctype(struct emit *e, struct ir_type t); /* notes vectors */
/* The type through which registers are accessed. */
const char *ctype_memory(struct emit *e, struct ir_type t);
void emit_vector_types(struct emit *e, FILE *o);
struct ir_type narrow_type(const struct ir_value *v); /* smallest that holds the value */

/* ---- cexpr.c --------------------------------------------------------------------------------- */
void cexpr(struct cfn *c, const struct ir_value *v);              /* as an operand */
const char *cvalue_type(struct cfn *c, const struct ir_value *v); /* of its variable */
void cexpr_open(struct cfn *c, const struct ir_value *v);         /* its defining expression */
void cregister_write(struct cfn *c, const struct ir_value *v);
void cconst(struct cfn *c, struct ir_type t, u128 bits);
bool is_field_trivial(const struct ir_value *v);

/* ---- cfunc.c --------------------------------------------------------------------------------- */
void cfn_plan(struct cfn *c);
void cfn_body(struct cfn *c);
void cfn_statement(struct cfn *c, struct ir_value *v);
void helper_prototype(struct emit *e, FILE *o, const struct ir_func *f);
/* A comment that says where in the description a function is from. */
void cfn_where_from(FILE *o, const struct ir_func *f);

/* ---- intrinsics.c ---------------------------------------------------------------------------- */
/* C for an intrinsic: $0… arguments, $o output variable; or NULL. */
const char *intrinsic_c(enum ir_intrinsic i);

/* The handler's operand that is a computed field; NULL: it has none. */
const struct operand *jit_field_operand(const struct handler *h, const struct field *f);
/* What is fixed but not in the instruction word, in translators; or NULL. */
const char *jit_fixed_c(enum ir_intrinsic i);

/* ---- operands.c ------------------------------------------------------------------------------ */
/* Finds what of a handler the decoder can compute, as operands. */
void find_operands(struct cfn *c);
/* Whether the decoder can compute a value; after find_operands. */
bool is_decodable(struct ir_value *v);

/* ---- handlers.c ------------------------------------------------------------------------------ */
void make_handlers(struct emit *e);
bool emit_handlers(struct emit *e);
bool emit_helpers(struct emit *e);

/* ---- jit.c ----------------------------------------------------------------------------------- */
/* <isa>_jit_N.c, <isa>_jit.c, <isa>_jit.h: translators. After emit_handlers. */
bool emit_jit(struct emit *e);

/* ---- clause.c -------------------------------------------------------------------------------- */
/* <isa>_clause.c: unpacking, text and helpers of an ISA of clauses. */
bool emit_clause(struct emit *e);

/* ---- decode.c, disasm.c, tables.c ------------------------------------------------------------ */
/* The decision tree as nested switches on `word`; at_leaf writes what stands at a leaf. */
typedef void decode_leaf_fn(struct emit *e, FILE *o, const struct decode_node *n,
                            const char *indent);
/* Computed fields a function reads; a form's decode function without the others, or NULL when it
 * accepts every word. */
uint64_t decode_reads(const struct ir_func *f);
/* Number of values that the computed fields of a format take. */
unsigned decode_field_count(const struct format *f);
/* Writes fields_NAME(), which computes the fields. */
void decode_fields_function(struct emit *e, FILE *o, const struct form *form, struct ir_func *f);
/* Writes statements that compute a value from the word, each value once; the c->at of those that
 * are still to come is `skip`. */
void decode_straight_line(struct cfn *c, struct ir_value *v);
struct ir_func *decode_needed(const struct form *form, uint64_t reads);
void decode_tree(struct emit *e, FILE *o, const struct decode_node *n, unsigned depth,
                 decode_leaf_fn *at_leaf);
/* The forms of a leaf, tried in turn: form_NAME(arguments), and after success `return result`. */
void decode_leaf(FILE *o, const struct decode_node *n, const char *indent, const char *arguments,
                 const char *result);
bool emit_decoder(struct emit *e);
bool emit_disasm(struct emit *e);
/* The tables of an ISA's maps; a function of a word, its computed fields and an asm_out. */
struct text;
void emit_disasm_maps(struct emit *e, FILE *o, const struct text *t);
void emit_disasm_function(struct emit *e, FILE *o, struct ir_func *f, enum cfn_kind kind,
                          const char *head);
bool emit_tables(struct emit *e);
bool emit_header(struct emit *e);
/* Prototypes of the description's external functions that are in use. */
void emit_external_prototypes(struct emit *e, FILE *o);
/* Rows of a table of them: name and address. */
void emit_external_table(struct emit *e, FILE *o);

#endif
