/*
 * The table of intrinsics, and callees made from it.
 */
#include "gencc/ir/ir.h"
#include "gencc/ir/pure.h"

#include <string.h>

const struct ir_intrinsic_info ir_intrinsics[IR_I_COUNT] = {
#define IR_INTRINSIC(NAME, name, signature, flags) [IR_I_##NAME] = {name, signature, flags},
#include "gencc/ir/intrinsics.inc"
#undef IR_INTRINSIC
};

static bool text_is(const char *text, size_t len, const char *word)
{
    return len == strlen(word) && !memcmp(text, word, len);
}

static struct ir_type read_type(const char *text, size_t len, struct ir_type word)
{
    struct ir_type t = IR_T_VOID;

    if (text_is(text, len, "word"))
        return word;
    ir_type_parse(text, len, &t);
    return t;
}

/* Adds a parameter from its text in the signature. */
static void add_param(struct arena *a, struct ir_callee *c, const char *text, size_t len,
                      struct ir_type word)
{
    bool ref = text[len - 1] == '&';
    struct ir_type type;

    if (text_is(text, len, "text")) {
        c->nparams_text++;
        return;
    }
    if (text_is(text, len, "memory"))
        c->symbol = IR_SYMBOL_MEMORY;
    if (text_is(text, len, "feature"))
        c->symbol = IR_SYMBOL_FEATURE;
    type = c->symbol && !c->params.len ? IR_T_U32 : read_type(text, len - ref, word);
    vec_push_in(a, &c->params, type);
    vec_push_in(a, &c->by_ref, ref);
}

static void read_signature(struct arena *a, struct ir_callee *c, const char *text,
                           struct ir_type word)
{
    size_t len = strcspn(text, "(");

    c->result = read_type(text, len, word);
    for (text += len + 1; *text != ')' && *text; text += len) {
        text += strspn(text, ", ");
        len = strcspn(text, ",)");
        if (len)
            add_param(a, c, text, len, word);
    }
}

unsigned ir_access_bytes(enum ir_intrinsic i)
{
    static const unsigned char bytes[IR_I_COUNT] = {
        [IR_I_MEM_READ_8] = 1,     [IR_I_MEM_READ_16] = 2,   [IR_I_MEM_READ_32] = 4,
        [IR_I_MEM_READ_64] = 8,    [IR_I_MEM_READ_128] = 16, [IR_I_MEM_WRITE_8] = 1,
        [IR_I_MEM_WRITE_16] = 2,   [IR_I_MEM_WRITE_32] = 4,  [IR_I_MEM_WRITE_64] = 8,
        [IR_I_MEM_WRITE_128] = 16,
    };

    return bytes[i];
}

enum ir_intrinsic ir_intrinsic_find(const char *name)
{
    for (unsigned i = IR_I_NONE + 1; i < IR_I_COUNT; i++)
        if (!strcmp(ir_intrinsics[i].name, name))
            return i;
    return IR_I_NONE;
}

struct ir_callee *ir_intrinsic(struct arena *a, enum ir_intrinsic i, struct ir_type word)
{
    struct ir_callee *c = arena_new(a, struct ir_callee);

    c->name = ir_intrinsics[i].name;
    c->intrinsic = i;
    c->flags = ir_intrinsics[i].flags;
    c->pure = ir_pure(i);
    read_signature(a, c, ir_intrinsics[i].signature, word);
    return c;
}
