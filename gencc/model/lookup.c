/*
 * Lookups in the model by name, word or pattern.
 */
#include "gencc/model/internal.h"

#include <string.h>

struct isa *model_isa(const struct model *m, const char *name)
{
    vec_for_each (&m->isas, i)
        if (strcmp((*i)->name, name) == 0)
            return *i;
    return NULL;
}

struct reg_view *model_view(const struct model *m, const char *name)
{
    return name_map_get(&m->view_names, name);
}

struct feature *model_feature(const struct model *m, const char *name)
{
    return name_map_get(&m->feature_names, name);
}

struct asm_map *isa_map(const struct isa *isa, const char *name)
{
    return name_map_get(&isa->map_names, name);
}

struct field *format_field(const struct format *f, const char *name)
{
    vec_for_each (&f->fields, it)
        if (strcmp((*it)->name, name) == 0)
            return *it;
    return NULL;
}

bool pattern_matches(const struct pattern *p, u128 word)
{
    if ((word & p->mask) != p->value)
        return false;
    vec_for_each (&p->nots, n)
        if ((word & n->mask) == n->value)
            return false;
    return true;
}

const struct decode_node *isa_decode(const struct isa *isa, u128 word, unsigned width)
{
    const struct decode_node *n = NULL;

    for (unsigned i = 0; i < isa->widths.len; i++)
        if (isa->widths.data[i] == width)
            n = isa->trees.data[i];
    while (n && n->kind == DECODE_SWITCH)
        n = n->children[(unsigned)(word >> n->shift) & ((1u << n->width) - 1)];
    return n && n->kind == DECODE_LEAF ? n : NULL;
}
