/*
 * What the description of a clause must export: the runtime calls it by these names and types.
 */
#include "gencc/lower/internal.h"
#include "gencc/model/clause.h"

#include <string.h>

enum { MAX_PARAMS = 5 };

static const struct {
    const char *name;
    unsigned result, params, bits[MAX_PARAMS]; /* a word of more than 32 bits is 64 */
    const char *shape;
} required[] = {
    {"operand_place",
     64,
     4,
     {32, 32, 64, 32},
     "uint64 operand_place(uint32 unit, uint32 selector, struct BLOCK block, uint32 first)"},
    {"result_place",
     32,
     3,
     {32, 64, 32},
     "uint32 result_place(uint32 unit, struct BLOCK next, uint32 last)"},
    {"embedded_constant",
     32,
     5,
     {64, 32, 32, 32, 64},
     "uint32 embedded_constant(uint64 raw, uint32 modifier, uint32 low_bits, uint32 high, uint64 "
     "address)"},
    {"clause_flags", 32, 1, {64}, "uint32 clause_flags(struct HEADER header)"},
    {"clause_staging", 32, 1, {64}, "uint32 clause_staging(struct HEADER header)"},
    {"preload", 32, 1, {32}, "uint32 preload(uint32 what)"},
};

static bool has_shape(const struct ir_func *f, unsigned i)
{
    bool ok = f->params.count == required[i].params && !f->outs.count &&
              ir_type_eq(f->result, ir_type(IR_UINT, required[i].result, 1));

    for (unsigned k = 0; ok && k < f->params.count; k++)
        ok = ir_type_eq(f->params.at[k], ir_type(IR_UINT, required[i].bits[k], 1));
    return ok;
}

void lower_check_clause(struct lower *lo)
{
    for (unsigned i = 0; i < sizeof required / sizeof *required; i++) {
        const struct ir_func *found = NULL;

        vec_for_each (&lo->isa->exports, f)
            if (!strcmp((*f)->name, required[i].name))
                found = *f;
        if (!found)
            diag_error(lo->diag, lo->isa->clause->pos, "the clause's ISA has no exported helper %s",
                       required[i].shape);
        else if (!has_shape(found, i))
            diag_error(lo->diag, found->pos, "the runtime calls this helper as %s",
                       required[i].shape);
    }
}
