#include "gencc/ir/ir.h"
#include "gencc/ir/pure.h"

#include <string.h>

static const struct intrinsic {
    const char *name, *signature;
    unsigned flags;
} table[] = {
#define IR_INTRINSIC(name, signature, flags) {name, signature, flags},
#include "gencc/ir/intrinsics.inc"
#undef IR_INTRINSIC
};

static struct ir_type read_type(const char *text, size_t len, struct ir_type word)
{
    struct ir_type t = IR_T_VOID;

    if (len == 4 && !memcmp(text, "word", 4))
        return word;
    ir_type_parse(text, len, &t);
    return t;
}

/* One parameter, without the separators around it. */
static void add_param(struct arena *a, struct ir_callee *c, const char *text, size_t len,
                      struct ir_type word)
{
    bool ref = text[len - 1] == '&';

    if (len == 4 && !memcmp(text, "text", 4)) {
        c->nparams_text++;
        return;
    }
    vec_push(a, &c->params, read_type(text, len - ref, word));
    vec_push(a, &c->by_ref, ref);
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

struct ir_callee *ir_intrinsic(struct arena *a, const char *name, struct ir_type word)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct ir_callee *c;

        if (strcmp(table[i].name, name))
            continue;
        c = arena_new(a, struct ir_callee);
        c->name = table[i].name;
        c->flags = table[i].flags;
        c->pure = ir_pure_find(c->name);
        read_signature(a, c, table[i].signature, word);
        return c;
    }
    return NULL;
}
