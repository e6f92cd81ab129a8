/*
 * Makes accesses and jumps reach something; see aim.h.
 */
#include "gencc/test/aim.h"

#include <string.h>

#include "gencc/test/step.h"

enum { FIELD_TRIES = 60 };

/* What the step does wrong: an address that should be another one. */
struct miss {
    uint64_t is, wanted;
};

static bool is_jump(const struct machine *m)
{
    return m->w.leaving == WENT_ON;
}

/* Chooses an address for the access or jump that has missed. */
static struct miss find_miss(struct generator *g, const struct program *p)
{
    const struct machine *m = g->m;
    const struct step *s = &p->step[p->count];
    unsigned unit = m->isa[g->mode]->fetch_bits / 8;
    unsigned next = s->at + s->bytes, left = (PAGE_BYTES - next) / unit;

    if (is_jump(m))
        return (struct miss){m->w.pc,
                             m->code_at + next + unit * random_below(&g->random, left + 1)};
    return (struct miss){m->w.va,
                         m->memory_at + 256 + 16 * random_below(&g->random, 200) +
                             (random_below(&g->random, 8) ? 0 : random_below(&g->random, 16))};
}

/* Executes the last `depth` steps and this one again, from the state before them. */
static bool redo(struct generator *g, struct program *p, unsigned depth)
{
    unsigned last = p->count;

    machine_load(g->m, &p->step[last - depth].before);
    for (unsigned n = last - depth; n <= last; n++) {
        struct step *s = &p->step[n];
        unsigned width;

        s->form = machine_decode(g->m, &s->word, &width);
        if (!s->form || width / 8 != s->bytes)
            return false;
        execute_step(g, s);
        if (n < last &&
            (g->m->w.leaving != WENT_ON || g->m->w.pc != g->m->code_at + p->step[n + 1].at))
            return false;
    }
    return goes_on(g, p, p->step[last].at);
}

/* ---- registers ------------------------------------------------------------------------------- */

static uint8_t *part_bytes(const struct carried *part, uint8_t *state)
{
    return state + part->place.view->offset + part->place.index * part->place.view->reg_stride;
}

/* Whether the step uses the register, and no step before it has. */
static bool is_fresh(const struct program *p, unsigned step, unsigned part)
{
    for (unsigned n = 0; n < step; n++)
        if (p->step[n].touched[part])
            return false;
    return p->step[step].touched[part];
}

static void set_before(struct program *p, unsigned last, const struct carried *part, uint64_t value)
{
    unsigned bytes = part->place.bytes < 8 ? part->place.bytes : 8;

    memcpy(part_bytes(part, p->before.state), &value, bytes);
    for (unsigned n = 0; n <= last; n++)
        memcpy(part_bytes(part, p->step[n].before.state), &value, bytes);
}

static bool aim_registers(struct generator *g, struct program *p, unsigned depth, struct miss miss)
{
    unsigned count = g->frame->parts.len < MAX_PARTS ? g->frame->parts.len : MAX_PARTS;
    unsigned first = random_below(&g->random, count);

    for (unsigned k = 0; k < count; k++) {
        unsigned n = (first + k) % count;
        const struct carried *part = &g->frame->parts.data[n];
        uint64_t old = 0;

        if (part->control || part->lost || part->kind != ABI_REGISTER || part->place.bytes > 8 ||
            !is_fresh(p, p->count - depth, n))
            continue;
        memcpy(&old, part_bytes(part, p->before.state), part->place.bytes);
        set_before(p, p->count, part, old + (miss.wanted - miss.is));
        if (redo(g, p, depth))
            return true;
        set_before(p, p->count, part, old);
        redo(g, p, depth);
    }
    return false;
}

/* ---- fields ---------------------------------------------------------------------------------- */

static u128 other_word(struct generator *g, const struct step *s)
{
    u128 word = s->word;

    vec_for_each (&s->form->instr->format->fields, f) {
        u128 mask = field_mask(*f), value;

        if ((*f)->computed || (*f)->width == 0)
            continue;
        switch (random_below(&g->random, 4)) {
        case 0:
            value = 0;
            break;
        case 1:
            value = random_below(&g->random, 8);
            break;
        default:
            continue;
        }
        word = (word & ~mask) | (value << (*f)->lsb & mask);
    }
    return word;
}

static bool aim_fields(struct generator *g, struct program *p, unsigned depth)
{
    struct step *s = &p->step[p->count - depth];
    const struct isa *isa = g->m->isa[g->mode];
    const struct form *form = s->form;
    unsigned width = s->bytes * 8;
    u128 original = s->word;

    for (unsigned n = 0; form && n < FIELD_TRIES; n++) {
        u128 word = other_word(g, s);

        if (text_decode(g->m->text[g->mode], word, width) != form)
            continue;
        isa_word_store(isa, g->m->code + s->at, word, width);
        if (redo(g, p, depth) && s->form == form)
            return true;
        isa_word_store(isa, g->m->code + s->at, original, width);
        s->word = original;
        s->form = (struct form *)(uintptr_t)form;
    }
    redo(g, p, depth);
    return false;
}

bool aim(struct generator *g, struct program *p)
{
    enum leaving leaving = g->m->w.leaving;
    struct miss miss;

    if (leaving != WENT_ON && leaving != MISSED && leaving != STRAYED)
        return false;
    miss = find_miss(g, p);
    for (unsigned depth = 0; depth < 2 && depth <= p->count; depth++)
        if (aim_registers(g, p, depth, miss) ||
            (leaving == WENT_ON && p->step[p->count - depth].form && aim_fields(g, p, depth)))
            return true;
    return false;
}
