/*
 * The checked model of descriptor layouts, registers and GPU variants, from which gencc emits code.
 */
#ifndef GENCC_MODEL_LAYOUT_H
#define GENCC_MODEL_LAYOUT_H

#include "gencc/front/layout.h"
#include "gencc/front/names.h"

/* A set of versions: bit n is version n. */
typedef uint32_t version_set;

enum { LAYOUT_MAX_VERSION = 31 };

struct lay_value {
    struct src_pos pos;
    const char *name;
    uint32_t value;
    version_set versions;
};

struct lay_enum {
    struct src_pos pos;
    const char *name;
    VEC(struct lay_value) values;
};

enum lay_kind {
    LAY_UINT,
    LAY_INT,     /* two's complement */
    LAY_BOOL,    /* a single bit */
    LAY_FLOAT,   /* IEEE binary32 */
    LAY_ADDRESS, /* an address in GPU memory */
    LAY_PADDED,  /* 8 bits: (2 · bits 7:5 + 1) << bits 4:0 */
    LAY_ENUM,
    LAY_NESTED,
    LAY_RESERVED, /* has no member */
};

/* The C type of a field's member. */
enum lay_member { LAY_U32, LAY_U64, LAY_I32, LAY_I64, LAY_F32, LAY_STRUCT, LAY_NO_MEMBER };

struct lay_field {
    const struct ast_lay_field *ast;
    const char *name;
    const char *member_name; /* name in C */
    enum lay_kind kind;
    enum lay_member member;
    unsigned start, width; /* in bits from the layout's start; width of NESTED is 0 */
    unsigned count;        /* number of elements; 0: not an array */
    unsigned stride;       /* in bits, from element to element */
    unsigned shift;        /* the value is (stored << shift) + plus */
    uint64_t addend;
    bool log2; /* the value is 1 << stored */
    bool is_overlay, has_must, has_default;
    uint64_t required_value, default_value; /* values as in the member; bits of a float */
    version_set versions;
    struct lay_enum *enumeration;
    struct lay_struct *nested;
};

struct lay_struct { /* a layout */
    const struct ast_layout *ast;
    const char *name;
    version_set versions;
    unsigned bytes[LAYOUT_MAX_VERSION + 1]; /* size per version; 0: not in that version */
    unsigned max_bytes;
    /* in the order of the text; a name may occur again for other versions */
    VEC(struct lay_field) fields;
    enum { LAY_NEW, LAY_VISITING, LAY_DONE } state;
};

struct lay_reg_field {
    const struct ast_reg_field *ast;
    const char *name;
    unsigned bit, width;
    struct lay_enum *enumeration; /* or NULL */
};

enum { REG_READ = 1, REG_WRITE = 2 };

struct lay_register {
    const struct ast_register *ast;
    const char *name;
    struct lay_block *block;
    unsigned access; /* REG_READ, REG_WRITE, combined by | */
    unsigned offset; /* in bytes, of the first instance; includes the block's base */
    /* number of instances, and bytes between them; count 1: a single register */
    unsigned count, stride;
    bool repeated; /* declared with [n], or in a block with [n] */
    VEC(struct lay_reg_field) fields;
};

struct lay_block {
    const struct ast_registers *ast;
    const char *name;
    unsigned base, count, stride;
    bool repeated;
};

struct lay_const {
    struct src_pos pos;
    const char *name;
    unsigned bits; /* 32 or 64 */
    uint64_t value;
};

struct layouts {
    const struct ast_layouts *ast;
    struct arena *arena;
    struct diag *diag;
    const char *name, *upper; /* prefixes of C names, without '_' */
    version_set versions;
    VEC(struct lay_enum *) enums;
    VEC(struct lay_struct *) structs; /* nested layouts precede those that contain them */
    VEC(struct lay_block *) blocks;
    VEC(struct lay_register *) registers; /* ordered by offset of the first instance */
    VEC(struct lay_const) consts;
    struct name_map enum_names, struct_names, register_names, const_names;
    struct name_map c_names; /* names in C without prefix; struct src_pos of the definition */
};

/* Checks the tree and builds the model in the arena of `d`, where errors are counted. With errors
 * the model may be incomplete. Returns NULL after reporting that there is no AC_LAYOUTS. */
struct layouts *layouts_build(struct diag *d, const struct ast_layout_file *file);

/* ---- GPU variants ---------------------------------------------------------------------------- */

enum { GPU_MAX_REGISTERS = 64, GPU_MAX_POINTS = 16 }; /* equal to those of runtime/gpu/variant.h */

enum gpu_timing_parameter {
#define TIMING_PARAMETER(name, unit, least, most, unless_given, text) GPU_TIMING_##name,
#include "common/prelude/timing.inc"
#undef TIMING_PARAMETER
    GPU_TIMING_PARAMETERS
};

enum gpu_power_parameter {
#define POWER_PARAMETER(name, unit, least, most, unless_given, text) GPU_POWER_##name,
#include "common/prelude/power.inc"
#undef POWER_PARAMETER
    GPU_POWER_PARAMETERS
};

struct gpu_value { /* a register that reads as a constant */
    struct src_pos pos;
    const struct lay_register *reg;
    unsigned index;
    uint32_t value;
};

struct gpu_number { /* a parameter of the time models or of the power model */
    const char *name, *unit, *source;
    struct src_pos pos;
    uint64_t value; /* in units; cycles are in thousandths */
    bool given;
};

struct gpu_point { /* an operating point */
    struct src_pos pos;
    uint64_t mhz, millivolt;
    const char *source;
};

struct gpu {
    const struct ast_gpu *ast;
    const char *name, *title, *compatible, *isa, *features;
    uint64_t product, revision, architecture, cores, shader_present, warp_width, engines;
    uint64_t max_threads, max_group, clock_mhz, bundle_cycles, stage_cycles, traits;
    uint64_t given_properties; /* bit n: property n of the table in variants.c */
    VEC(struct gpu_value) values;
    struct gpu_number timing[GPU_TIMING_PARAMETERS]; /* in the order of common/prelude/timing.inc */
    struct gpu_number power[GPU_POWER_PARAMETERS];   /* in the order of common/prelude/power.inc */
    VEC(struct gpu_point) points;                    /* slowest first; one of them has clock_mhz */
    enum { GPU_NEW, GPU_VISITING, GPU_DONE } state;
    bool is_valid; /* no error was reported about it */
};

struct gpus {
    struct layouts *layouts;
    VEC(struct gpu *) all;
    struct name_map names;
};

/* Builds the GPUs of several files and checks them against the registers and versions of `l`. */
struct gpus *gpus_build(struct layouts *l, struct ast_layout_file *const *files, unsigned count);

/* A word in a GPU's block: a property, or a parameter of the time models or of the power model */
struct gpu_word {
    const char *name, *unit, *about; /* unit "text": a text without a range */
    uint64_t least, most;
};
/* Returns property or parameter `i`; false after the last. */
bool gpu_property_word(unsigned i, struct gpu_word *out);
bool gpu_timing_word(unsigned i, struct gpu_word *out);
bool gpu_power_word(unsigned i, struct gpu_word *out);

/* Checks that the GPUs whose `isa` is this architecture only use features that it declares. */
void gpus_check_features(const struct gpus *all, const struct ast_arch *arch);

#endif
