/*
 * The names of a SLEIGH file: registers, fields of tokens, pcodeops.
 */
#include "gencc/export/sleigh.h"

#include <ctype.h>
#include <string.h>

/* A name that nothing else in the file has: keywords of SLEIGH and all that was named before. */
static const char *fresh(struct sleigh *s, const char *wanted)
{
    const char *name = wanted;
    unsigned n = 2;

    while (name_map_get(&s->field_names, name))
        name = arena_printf(s->arena, "%s_%u", wanted, n++);
    name_map_put(s->arena, &s->field_names, name, s);
    return name;
}

const char *sl_symbol(struct sleigh *s, const char *name)
{
    static const char *const words[] = {
        "abs",        "alignment", "attach",      "big",        "bitrange",       "build",
        "call",       "carry",     "ceil",        "const",      "context",        "cpool",
        "crossbuild", "dec",       "default",     "define",     "delayslot",      "endian",
        "epsilon",    "export",    "float2float", "floor",      "globalset",      "goto",
        "hex",        "if",        "inst_next",   "inst_start", "int2float",      "instruction",
        "is",         "little",    "local",       "lzcount",    "macro",          "names",
        "nan",        "newobject", "noflow",      "offset",     "pcodeop",        "popcount",
        "ram",        "ram_space", "register",    "return",     "round",          "sborrow",
        "scarry",     "sext",      "signed",      "size",       "space",          "sqrt",
        "token",      "trunc",     "type",        "unimpl",     "unique",         "values",
        "variables",  "with",      "wordsize",    "zext",       "register_space", "inst_next2"};
    char *text = arena_strdup(s->arena, name);

    for (size_t i = 0; text[i]; i++)
        if (!isalnum((unsigned char)text[i]))
            text[i] = '_';
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (!strcmp(words[i], text))
            return arena_printf(s->arena, "%s_", text);
    return text;
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* The name that the format gives to the bits; else one by their numbers. */
static const char *wanted_name(struct sl_form *f, unsigned lsb, unsigned bits)
{
    vec_for_each (&f->form->instr->format->fields, it)
        if (!(*it)->computed && (*it)->lsb == lsb && (*it)->width == bits)
            return sl_symbol(f->s, (*it)->name);
    return arena_printf(f->s->arena, "b%u_%u_%u", f->width, lsb + bits - 1, lsb);
}

const char *sl_field(struct sl_form *f, unsigned lsb, unsigned bits, const char *attach)
{
    struct sl_field field = {f->width, lsb, bits, attach, NULL};
    const char *name = wanted_name(f, lsb, bits);

    vec_for_each (&f->s->fields, old)
        if (old->token == f->width && old->lsb == lsb && old->bits == bits &&
            (attach ? old->attach && !strcmp(old->attach, attach) : !old->attach))
            return old->name;
    if (attach)
        name = arena_printf(f->s->arena, "%s_%s", name, *attach == 'v' ? "reg" : "name");
    field.name = fresh(f->s, name);
    vec_push_in(f->s->arena, &f->s->fields, field);
    return field.name;
}

const char *sl_use(struct sl_form *f, const char *symbol)
{
    vec_for_each (&f->uses, u)
        if (!strcmp(*u, symbol))
            return symbol;
    vec_push_in(f->s->arena, &f->uses, symbol);
    return symbol;
}

const char *sl_op(struct sleigh *s, const char *name)
{
    const char *symbol = name_map_get(&s->op_names, name);

    if (symbol)
        return symbol;
    symbol = fresh(s, sl_symbol(s, name));
    name_map_put(s->arena, &s->op_names, name, (void *)symbol);
    vec_push_in(s->arena, &s->ops, symbol);
    return symbol;
}

/* ---- registers ------------------------------------------------------------------------------- */

/* The register space has the byte order of the file: in a big-endian one, the state is mirrored, so
 * that parts of registers remain parts. */
unsigned sl_register_offset(const struct sleigh *s, unsigned state_offset, unsigned bytes)
{
    return s->model->big_endian ? s->model->state_bytes - state_offset - bytes : state_offset;
}

const char *sl_register(struct sleigh *s, const struct reg_view *v, unsigned index)
{
    unsigned bytes = ir_bytes(v->type), at = v->offset + index * v->reg_stride;
    const char *key = arena_printf(s->arena, "%u:%u", at, bytes), *name;

    name = name_map_get(&s->register_names, key);
    if (name)
        return name;
    name = v->is_bank ? arena_printf(s->arena, "%s%u", v->name, index) : v->name;
    name = fresh(s, sl_symbol(s, name));
    name_map_put(s->arena, &s->register_names, key, (void *)name);
    return name;
}

static void print_register(FILE *o, struct sleigh *s, const struct reg_view *v, unsigned index)
{
    unsigned bytes = ir_bytes(v->type), at = v->offset + index * v->reg_stride;
    const char *key = arena_printf(s->arena, "%u:%u", at, bytes);

    if (name_map_get(&s->register_names, key))
        return; /* two views of the same bytes: Ghidra knows one name */
    fprintf(o, "define register offset=0x%x size=%u [ %s ];\n", sl_register_offset(s, at, bytes),
            bytes, sl_register(s, v, index));
}

void sl_print_registers(FILE *o, struct sleigh *s)
{
    const struct model *m = s->model;

    fprintf(o,
            "define endian=%s;\ndefine alignment=%u;\n"
            "define space ram type=ram_space size=%u default;\n"
            "define space register type=register_space size=4;\n\n",
            m->big_endian ? "big" : "little", s->isa->widths.data[0] / 8, m->word_bits / 8);
    vec_for_each (&m->views, v)
        for (unsigned i = 0; i < (*v)->count; i++)
            print_register(o, s, *v, i);
    for (unsigned i = 0; i < m->features.len; i++)
        fprintf(o, "define register offset=0x%x size=4 [ %s ];\n",
                ((m->state_bytes + 63) / 64 + 1) * 64 + 4 * i,
                fresh(s, arena_printf(s->arena, "feature_%s", m->features.data[i]->name)));
}

void sl_print_symbols(FILE *o, struct sleigh *s)
{
    vec_for_each (&s->isa->widths, w) {
        fprintf(o, "\ndefine token word%u (%u)\n", *w, *w);
        vec_for_each (&s->fields, f)
            if (f->token == *w)
                fprintf(o, "    %s = (%u,%u)\n", f->name, f->lsb, f->lsb + f->bits - 1);
        fputs(";\n", o);
    }
    vec_for_each (&s->fields, f) {
        const char *list = f->attach ? strchr(f->attach, '[') : NULL;

        if (list)
            fprintf(o, "attach %.*s[ %s ] %s;\n", (int)(list - f->attach), f->attach, f->name,
                    list);
    }
    fputc('\n', o);
    vec_for_each (&s->ops, op)
        fprintf(o, "define pcodeop %s;\n", *op);
    fputc('\n', o);
}
