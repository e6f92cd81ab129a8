/*
 * C types of IR types.
 */
#include "gencc/emit/ctype.h"

static bool is_representable(struct ir_type t)
{
    unsigned bytes = ir_bytes(t);

    return t.bits <= 64 && (bytes & (bytes - 1)) == 0;
}

static void note_vector(struct emit *e, struct ir_type t)
{
    vec_for_each (&e->vectors, v)
        if (ir_type_eq(*v, t))
            return;
    if (!is_representable(t)) {
        char name[32];

        fprintf(e->diag->out, "gencc: error: the C compiler has no vector like %s\n",
                ir_type_name(t, name));
        e->diag->errors++;
        e->failed = true;
    }
    vec_push_in(e->arena, &e->vectors, t);
}

const char *ctype(struct emit *e, struct ir_type t)
{
    static const char letters[] = {[IR_UINT] = 'u', [IR_SINT] = 's', [IR_FLOAT] = 'f'};

    if (ir_is_void(t))
        return "void";
    if (ir_is_vector(t)) {
        note_vector(e, t);
        return arena_printf(e->arena, "%c%ux%u", letters[t.base], t.bits, t.lanes);
    }
    if (t.base == IR_FLOAT)
        return t.bits == 32 ? "float" : "double";
    return arena_printf(e->arena, "%sint%u_t", t.base == IR_UINT ? "u" : "", t.bits);
}

const char *ctype_memory(struct emit *e, struct ir_type t)
{
    if (ir_is_vector(t))
        return arena_printf(e->arena, "%s_m", ctype(e, t));
    return t.bits == 128 ? "uint128_m" : ctype(e, t);
}

void emit_vector_types(struct emit *e, FILE *o)
{
    vec_for_each (&e->vectors, t)
        fprintf(o, "CPU_VECTOR(%s, %s, %u);\n", ctype(e, *t), ctype(e, ir_lane(*t)), ir_bytes(*t));
    fputc('\n', o);
}

struct ir_type narrow_type(const struct ir_value *v)
{
    struct ir_type t = v->type;
    struct ir_range r;

    if (t.base != IR_UINT || ir_is_vector(t))
        return t;
    r = ir_value_range(v);
    for (unsigned bits = 8; bits < t.bits; bits *= 2)
        if (!(r.max >> bits))
            return ir_type(IR_UINT, bits, 1);
    return t;
}
