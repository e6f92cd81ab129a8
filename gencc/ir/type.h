/*
 * Types of the intermediate representation: integers with a sign, floats, vectors of both. The
 * lowering splits structures into their members.
 */
#ifndef GENCC_IR_TYPE_H
#define GENCC_IR_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ir_base { IR_VOID, IR_UINT, IR_SINT, IR_FLOAT };

struct ir_type {
    uint8_t base;
    uint8_t bits;   /* width of a lane: 8, 16, 32, 64, 128 */
    uint16_t lanes; /* 1 for a scalar */
};

static inline struct ir_type ir_type(enum ir_base base, unsigned bits, unsigned lanes)
{
    return (struct ir_type){(uint8_t)base, (uint8_t)bits, (uint16_t)lanes};
}

#define IR_T_VOID ir_type(IR_VOID, 0, 0)
#define IR_T_U8   ir_type(IR_UINT, 8, 1)
#define IR_T_U16  ir_type(IR_UINT, 16, 1)
#define IR_T_U32  ir_type(IR_UINT, 32, 1)
#define IR_T_U64  ir_type(IR_UINT, 64, 1)
#define IR_T_U128 ir_type(IR_UINT, 128, 1)
#define IR_T_S32  ir_type(IR_SINT, 32, 1)
#define IR_T_S64  ir_type(IR_SINT, 64, 1)

static inline bool ir_type_eq(struct ir_type a, struct ir_type b)
{
    return a.base == b.base && a.bits == b.bits && a.lanes == b.lanes;
}
static inline bool ir_is_void(struct ir_type t)
{
    return t.base == IR_VOID;
}
static inline bool ir_is_int(struct ir_type t)
{
    return t.base == IR_UINT || t.base == IR_SINT;
}
static inline bool ir_is_vector(struct ir_type t)
{
    return t.lanes > 1;
}
static inline struct ir_type ir_lane(struct ir_type t)
{
    return ir_type((enum ir_base)t.base, t.bits, 1);
}
static inline struct ir_type ir_with_lanes(struct ir_type t, unsigned lanes)
{
    return ir_type((enum ir_base)t.base, t.bits, lanes);
}
static inline struct ir_type ir_with_base(struct ir_type t, enum ir_base base)
{
    return ir_type(base, t.bits, t.lanes);
}
static inline unsigned ir_bytes(struct ir_type t)
{
    return t.bits / 8u * t.lanes;
}

/* Writes GenC's name of the type ("uint8[16]", "void") into buf, which holds at least 24 bytes. */
const char *ir_type_name(struct ir_type t, char *buf);

/* Reads a type as written by ir_type_name(). Returns false if `text` is no type or has more than 64
 * lanes (IR_MAX_LANES). */
bool ir_type_parse(const char *text, size_t len, struct ir_type *out);

/* Whether values may have the type: integers of 8 to 128 bits, float, double; 1 to 64 lanes. */
bool ir_type_valid(struct ir_type t);

#endif
