/*
 * Which instructions are exported; see export.h.
 */
#include "gencc/export/export.h"

#include <string.h>

static bool has_name(const struct form *form, const char *name)
{
    return !strcmp(form->name, name) || !strcmp(form->instr->name, name);
}

bool export_chosen(const struct export_choice *c, const struct form *form)
{
    for (unsigned i = 0; i < c->count; i++)
        if (has_name(form, c->names[i]))
            return true;
    return !c->count;
}

bool export_check_names(const char *command, const struct isa *isa, const struct export_choice *c)
{
    bool good = true;

    for (unsigned i = 0; i < c->count; i++) {
        bool found = false;

        vec_for_each (&isa->forms, f)
            found |= has_name(*f, c->names[i]);
        if (!found)
            fprintf(stderr, "gencc %s: '%s' has no instruction '%s'\n", command, isa->name,
                    c->names[i]);
        good &= found;
    }
    return good;
}
