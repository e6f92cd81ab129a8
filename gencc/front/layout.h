/*
 * The syntax tree of descriptor layouts, registers and GPUs (AC_LAYOUTS, AC_GPU), as written: names
 * are not resolved, nothing is checked.
 */
#ifndef GENCC_FRONT_LAYOUT_H
#define GENCC_FRONT_LAYOUT_H

#include "gencc/front/ast.h"

struct ast_range { /* 6..7, or 6: from and to are the same */
    struct src_pos pos;
    unsigned from, to;
};

struct ast_versions { /* `if 4, 6..7`; empty: all */
    VEC(struct ast_range) ranges;
};

struct ast_repeat { /* [count] or [count stride bytes] */
    struct src_pos pos;
    bool given;
    unsigned count, stride;
    bool has_stride;
};

struct ast_lay_value { /* a value of an enumeration */
    struct src_pos pos;
    const char *name;
    struct ast_expr *value;
    struct ast_versions versions;
};

struct ast_lay_enum {
    struct src_pos pos;
    const char *name;
    VEC(struct ast_lay_value) values;
};

enum ast_mod_kind {
    AST_MOD_PLUS,    /* + n: the stored number is smaller by n */
    AST_MOD_SHIFT,   /* << n: the stored number is shifted right by n */
    AST_MOD_LOG2,    /* log2: the logarithm is stored */
    AST_MOD_DEFAULT, /* = value: the default */
    AST_MOD_MUST,    /* must = value: the only valid value */
};

struct ast_modifier {
    struct src_pos pos;
    enum ast_mod_kind kind;
    struct ast_expr *value; /* NULL for log2 */
};

struct ast_lay_field {
    struct src_pos pos, type_pos, width_pos, place_pos;
    const char *name;
    const char *type;   /* NULL: reserved bits, which contain modifiers.at[0].value */
    bool is_overlay;    /* may share bits with other fields; any value is valid */
    unsigned width;     /* bits; 0: not given */
    unsigned word, bit; /* place of the lowest bit: 32-bit word, and bit in it */
    struct ast_repeat repeat;
    VEC(struct ast_modifier) modifiers;
    struct ast_versions versions;
};

struct ast_lay_size {
    struct src_pos pos;
    unsigned bytes;
    struct ast_versions versions;
};

struct ast_layout {
    struct src_pos pos;
    const char *name;
    VEC(struct ast_lay_size) sizes;
    VEC(struct ast_lay_field) fields;
};

struct ast_reg_field { /* name @ bit; or name : [enumeration] width @ bit; */
    struct src_pos pos, type_pos, width_pos, place_pos;
    const char *name, *type; /* type NULL: none */
    unsigned width, bit;
};

struct ast_register {
    struct src_pos pos, access_pos, place_pos;
    const char *name, *access;
    unsigned offset; /* in bytes, from the block's base */
    struct ast_repeat repeat;
    VEC(struct ast_reg_field) fields;
};

struct ast_registers { /* a block of registers */
    struct src_pos pos;
    const char *name;
    unsigned base; /* in bytes */
    struct ast_repeat repeat;
    VEC(struct ast_register) registers;
};

struct ast_lay_const {
    struct src_pos pos;
    const char *name;
    struct ast_type *type;
    struct ast_expr *value;
};

struct ast_layouts {
    struct src_pos pos;
    const char *name, *path;
    struct src_pos versions_pos; /* file NULL: ac_versions is missing */
    struct ast_versions versions;
    VEC(struct ast_lay_enum *) enums;
    VEC(struct ast_layout *) layouts;
    VEC(struct ast_registers *) blocks;
    VEC(struct ast_lay_const) consts;
};

struct ast_gpu_property { /* name value; */
    struct src_pos pos;
    const char *name;
    struct ast_expr *value;
};

struct ast_gpu_register { /* register NAME[index] = value; */
    struct src_pos pos;
    const char *name;
    bool has_index;
    unsigned index;
    struct ast_expr *value;
};

struct ast_gpu_number { /* timing NAME = value UNIT "source"; power NAME = value UNIT "source"; */
    struct src_pos pos, unit_pos;
    const char *name, *unit, *source;
    struct ast_expr *value;
};

struct ast_gpu_point { /* point MHZ MHz = MILLIVOLT mV "source"; */
    struct src_pos pos;
    struct ast_expr *mhz, *millivolt;
    const char *source;
};

struct ast_gpu {
    struct src_pos pos;
    const char *name;
    VEC(struct ast_gpu_number) timing, power;
    VEC(struct ast_gpu_point) points;
    VEC(struct ast_gpu_property) properties;
    VEC(struct ast_gpu_register) registers;
};

/* Contents of a file of AC_LAYOUTS or AC_GPU */
struct ast_layout_file {
    struct ast_layouts *layouts; /* NULL: the file has none */
    VEC(struct ast_gpu *) gpus;
};

/* Parses a file and those it includes, which are looked up in the folder of the including file.
 * Returns NULL only if the file itself cannot be read; otherwise what could be parsed, with errors
 * counted in `d`. */
struct ast_layout_file *ast_parse_layouts(struct diag *d, const char *path);

#endif
