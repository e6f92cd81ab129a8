/*
 * Names and validity of the IR's types.
 */
#include "gencc/ir/ir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *ir_type_name(struct ir_type t, char *buf)
{
    static const char *const prefix[] = {"void", "uint", "sint", "float"};
    enum { NAME_BYTES = 24 };
    int n;

    if (t.base == IR_VOID)
        n = snprintf(buf, NAME_BYTES, "void");
    else if (t.base == IR_FLOAT && t.bits == 32)
        n = snprintf(buf, NAME_BYTES, "float");
    else if (t.base == IR_FLOAT && t.bits == 64)
        n = snprintf(buf, NAME_BYTES, "double");
    else
        n = snprintf(buf, NAME_BYTES, "%s%u", prefix[t.base & 3], t.bits);
    if (t.base != IR_VOID && t.lanes != 1)
        snprintf(buf + n, (size_t)(NAME_BYTES - n), "[%u]", t.lanes);
    return buf;
}

bool ir_type_valid(struct ir_type t)
{
    if (t.lanes < 1 || t.lanes > IR_MAX_LANES)
        return false;
    if (t.base == IR_FLOAT)
        return t.bits == 32 || t.bits == 64;
    return ir_is_int(t) &&
           (t.bits == 8 || t.bits == 16 || t.bits == 32 || t.bits == 64 || t.bits == 128);
}

bool ir_type_parse(const char *text, size_t len, struct ir_type *out)
{
    static const struct {
        const char *name;
        struct ir_type type;
    } scalars[] = {
        {"void", {IR_VOID, 0, 0}},      {"float", {IR_FLOAT, 32, 1}},
        {"double", {IR_FLOAT, 64, 1}},  {"uint8", {IR_UINT, 8, 1}},
        {"uint16", {IR_UINT, 16, 1}},   {"uint32", {IR_UINT, 32, 1}},
        {"uint64", {IR_UINT, 64, 1}},   {"uint128", {IR_UINT, 128, 1}},
        {"sint8", {IR_SINT, 8, 1}},     {"sint16", {IR_SINT, 16, 1}},
        {"sint32", {IR_SINT, 32, 1}},   {"sint64", {IR_SINT, 64, 1}},
        {"sint128", {IR_SINT, 128, 1}},
    };
    const char *bracket = memchr(text, '[', len);
    size_t name_len = bracket ? (size_t)(bracket - text) : len;
    unsigned lanes = 0;

    for (size_t i = 0; i < sizeof(scalars) / sizeof(*scalars); i++) {
        if (strlen(scalars[i].name) != name_len || memcmp(scalars[i].name, text, name_len))
            continue;
        *out = scalars[i].type;
        if (!bracket)
            return true;
        if (text[len - 1] != ']' || ir_is_void(*out))
            return false;
        for (const char *p = bracket + 1; p < text + len - 1; p++) {
            if (*p < '0' || *p > '9' || lanes > IR_MAX_LANES)
                return false;
            lanes = lanes * 10 + (unsigned)(*p - '0');
        }
        *out = ir_with_lanes(*out, lanes);
        return ir_type_valid(*out);
    }
    return false;
}
