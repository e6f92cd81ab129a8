/*
 * Registers of a machine by name; see registers.h.
 */
#include "gencc/test/registers.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Whether the name is the view's, or the bank's with the number of a register behind it. */
static bool is_view(const struct reg_view *v, const char *name, unsigned *index)
{
    size_t length = strlen(v->name);
    char *end;

    *index = 0;
    if (!v->is_bank)
        return strcasecmp(v->name, name) == 0;
    if (strncasecmp(v->name, name, length) != 0 || !isdigit((unsigned char)name[length]))
        return false;
    *index = (unsigned)strtoul(name + length, &end, 10);
    return !*end && *index < v->count;
}

static bool find_view(const struct machine *m, const char *name, bool bank, struct place *place)
{
    vec_for_each (&m->model->views, v) {
        if ((*v)->is_bank == bank && !(*v)->sysreg && is_view(*v, name, &place->index)) {
            place->view = *v;
            place->bytes = (*v)->type.bits / 8u * (*v)->type.lanes;
            return true;
        }
    }
    return false;
}

static bool find_sysreg(const struct machine *m, const char *name, struct place *place)
{
    vec_for_each (&m->model->sysregs, r) {
        if (strcasecmp((*r)->name, name) == 0) {
            *place =
                (struct place){(*r)->has_storage ? (*r)->view : NULL, 0, *r, (*r)->type.bits / 8};
            return true;
        }
    }
    return false;
}

bool place_find(const struct machine *m, const char *name, struct place *place)
{
    *place = (struct place){0};
    return find_view(m, name, false, place) || find_sysreg(m, name, place) ||
           find_view(m, name, true, place);
}

u128 place_read(struct machine *m, const struct place *place)
{
    u128 value = 0;
    uint64_t read = 0;

    if (place->sysreg && place->sysreg->read_fn) {
        machine_call(m, place->sysreg->read_fn, 0, NULL, &read);
        return read;
    }
    if (place->view)
        memcpy(&value, m->state + place->view->offset + place->index * place->view->reg_stride,
               place->bytes);
    return value;
}

bool place_write(struct machine *m, const struct place *place, u128 value)
{
    uint64_t argument = (uint64_t)value;

    if (place->sysreg && place->sysreg->write_fn)
        return machine_call(m, place->sysreg->write_fn, 1, &argument, NULL);
    if (!place->view)
        return false;
    if (place->sysreg)
        value = (value & place->sysreg->mask) | (place->sysreg->reset & ~place->sysreg->mask);
    memcpy(m->state + place->view->offset + place->index * place->view->reg_stride, &value,
           place->bytes);
    return true;
}

const char *machine_reset(struct machine *m)
{
    const struct ir_func *reset;

    memset(m->state, 0, m->model->state_bytes);
    memset(&m->w, 0, sizeof(m->w));
    vec_for_each (&m->model->features, f)
        m->w.features[(*f)->index % MAX_FEATURES] = (*f)->value;
    vec_for_each (&m->model->sysregs, r)
        if ((*r)->has_storage && (*r)->view)
            memcpy(m->state + (*r)->view->offset, &(*r)->reset, (*r)->view->type.bits / 8);
    reset = machine_export(m, "reset");
    if (reset && !machine_call(m, reset, 0, NULL, NULL))
        return "reset() of the description cannot be evaluated";
    m->w.mode = m->w.ring = 0;
    for (unsigned n = 0; m->facts && n < m->facts->settings.len; n++) {
        const struct abi_setting *s = &m->facts->settings.data[n];
        struct place place;

        if (!place_find(m, s->name, &place) || !place_write(m, &place, s->value))
            return arena_printf(m->model->arena, "register %s cannot be set", s->name);
    }
    return NULL;
}
