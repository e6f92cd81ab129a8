/*
 * Checks the helpers that a description of bundles exports and the runtime calls by name. A helper
 * declares the parameters that it needs; they are recognised by their names.
 */
#include "gencc/lower/internal.h"
#include "gencc/model/bundle.h"

#include <string.h>

enum { IN_BUNDLE = 1, IN_PLACE = 2, IN_CONSTANT = 4, IN_PRELOAD = 8, IN_ALL = 15 };

/* Parameters: name, type, width, and the kinds of helpers that may have them */
static const struct {
    const char *name, *type;
    unsigned bits, in;
} values[] = {
    {"unit", "uint32", 32, IN_PLACE},
    {"stage", "uint32", 32, IN_PLACE},
    {"stages", "uint32", 32, IN_PLACE},
    {"selector", "uint32", 32, IN_PLACE},
    {"uniforms", "uint32", 32, IN_PLACE},
    {"traits", "uint32", 32, IN_PLACE},
    {"header", "struct HEADER", 64, IN_PLACE | IN_BUNDLE},
    {"block", "struct BLOCK", 64, IN_PLACE},
    {"next", "struct BLOCK", 64, IN_PLACE},
    {"raw", "uint64", 64, IN_CONSTANT},
    {"modifier", "uint32", 32, IN_CONSTANT},
    {"place", "uint32", 32, IN_CONSTANT},
    {"address", "uint64", 64, IN_ALL & ~IN_PRELOAD},
    {"what", "uint32", 32, IN_PRELOAD},
};

static const struct {
    const char *name;
    unsigned result, in;
    bool required;
} helpers[] = {
    {"operand_place", 64, IN_PLACE, true},  {"result_place", 64, IN_PLACE, true},
    {"staging_place", 32, IN_PLACE, false}, {"constant_value", 32, IN_CONSTANT, false},
    {"bundle_flags", 32, IN_BUNDLE, true},  {"bundle_staging", 32, IN_BUNDLE, false},
    {"preload", 32, IN_PRELOAD, true},
};

/* Width of the parameter that holds a word of the format. */
static unsigned bits_of_word(const struct format *f)
{
    return f && f->width <= 32 ? (f->width <= 8 ? 8 : f->width <= 16 ? 16 : 32) : 64;
}

static unsigned bits_of_value(const struct bundle *c, unsigned value)
{
    if (!strcmp(values[value].name, "header"))
        return bits_of_word(c->header);
    if (!strcmp(values[value].name, "block") || !strcmp(values[value].name, "next"))
        return bits_of_word(c->block);
    return values[value].bits;
}

static void check_param(struct lower *lo, const struct ir_func *f, unsigned k, unsigned in)
{
    const struct bundle *c = lo->isa->bundle;
    struct name_guess guess = {.wrong = f->param_names.data[k]};

    for (unsigned i = 0; i < sizeof(values) / sizeof(*values); i++) {
        unsigned bits = bits_of_value(c, i);

        if (!(values[i].in & in))
            continue;
        name_guess_offer(&guess, values[i].name);
        if (strcmp(values[i].name, f->param_names.data[k]))
            continue;
        if (!ir_type_eq(f->params.data[k], ir_type(IR_UINT, bits, 1)))
            diag_error(lo->diag, f->pos, "the runtime gives '%s' its parameter %s as %s", f->name,
                       values[i].name, values[i].type);
        return;
    }
    diag_unknown(lo->diag, f->pos, &guess, "the runtime has no parameter '%s' of '%s'",
                 f->param_names.data[k], f->name);
}

static void check_helper(struct lower *lo, const struct ir_func *f, unsigned i)
{
    if (f->outs.len || !ir_type_eq(f->result, ir_type(IR_UINT, helpers[i].result, 1)))
        diag_error(lo->diag, f->pos, "the runtime expects a uint%u from '%s'", helpers[i].result,
                   f->name);
    for (unsigned k = 0; k < f->params.len; k++)
        check_param(lo, f, k, helpers[i].in);
}

void lower_check_bundle(struct lower *lo)
{
    for (unsigned i = 0; i < sizeof(helpers) / sizeof(*helpers); i++) {
        const struct ir_func *found = NULL;

        vec_for_each (&lo->isa->exports, f)
            if (!strcmp((*f)->name, helpers[i].name))
                found = *f;
        if (found)
            check_helper(lo, found, i);
        else if (helpers[i].required)
            diag_error(lo->diag, lo->isa->bundle->pos,
                       "the bundle's ISA has no exported helper uint%u %s(…)", helpers[i].result,
                       helpers[i].name);
    }
}
