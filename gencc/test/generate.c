/*
 * Makes random programs; see generate.h.
 */
#include "gencc/test/generate.h"

#include <string.h>

#include "gencc/test/aim.h"
#include "gencc/test/step.h"

enum { TRIES = 80, RARE = 40 };

/* ---- forms ----------------------------------------------------------------------------------- */

static bool is_wanted(const struct generator *g, const struct form *form)
{
    if (g->only && !names_match(g->only, form))
        return false;
    vec_for_each (&g->left_out.rules, rule)
        if (!rule->condition && rule->forms[form->index])
            return false;
    vec_for_each (&form->instr->features, f)
        if (!g->m->w.features[(*f)->index % MAX_FEATURES])
            return false;
    return true;
}

bool generator_prepare(struct generator *g, unsigned mode)
{
    struct isa *isa = g->m->isa[mode];
    struct arena *a = g->m->model->arena;

    g->mode = mode;
    g->words = (struct words){g->m->text[mode], random_next(&g->random) | 1};
    g->counts = arena_alloc(a, (isa->forms.len + 1) * sizeof(*g->counts));
    memset(g->counts, 0, (isa->forms.len + 1) * sizeof(*g->counts));
    vec_for_each (&isa->instrs, i) {
        bool any = false;

        vec_for_each (&(*i)->forms, form)
            if (is_wanted(g, *form)) {
                vec_push_in(a, &g->forms, *form);
                any = true;
            }
        if (any)
            vec_push_in(a, &g->instrs, *i);
    }
    return g->forms.len > 0;
}

/* Half of the draws choose a form, half an instruction and then one of its forms. */
static struct form *draw_form(struct generator *g)
{
    const struct instr *i;
    struct form *form;

    if (random_next(&g->random) & 1)
        return g->forms.data[random_below(&g->random, g->forms.len)];
    i = g->instrs.data[random_below(&g->random, g->instrs.len)];
    form = i->forms.data[random_below(&g->random, i->forms.len)];
    return is_wanted(g, form) ? form : g->forms.data[random_below(&g->random, g->forms.len)];
}

/* ---- states ---------------------------------------------------------------------------------- */

static u128 random_value(struct random *r, unsigned bytes)
{
    uint64_t floats[3];
    u128 value;

    switch (random_below(r, 4)) {
    case 0:
        random_floats(r, bytes >= 8 ? 64 : 32, floats);
        value = floats[0] | (u128)floats[1] << 64;
        break;
    case 1:
        random_floats(r, 32, floats);
        value = (floats[0] & UINT32_MAX) | floats[1] << 32;
        value |= value << 64;
        break;
    default:
        value = random_integer(r) | (u128)random_integer(r) << 64;
        break;
    }
    return bytes < 16 ? value & (((u128)1 << 8 * bytes) - 1) : value;
}

static void random_state(struct generator *g)
{
    struct machine *m = g->m;

    vec_for_each (&g->frame->parts, p) {
        u128 value;

        if (p->lost || p->kind == ABI_PC ||
            (p->control && p->kind == ABI_REGISTER && random_below(&g->random, 4)))
            continue;
        value = random_value(&g->random, p->bytes) & p->bits;
        frame_set_part(g->frame, p, value | (frame_part(g->frame, p) & ~p->bits));
    }
    for (unsigned n = 0; n < PAGE_BYTES; n += 8) {
        uint64_t value = random_next(&g->random);

        memcpy(m->w.memory + n, &value, 8);
    }
}

/* ---- programs -------------------------------------------------------------------------------- */

/* Whether the last step, which does not simply go on, is wanted all the same. */
static bool is_accepted(struct generator *g, const struct form *form)
{
    const struct machine *m = g->m;

    switch (m->w.leaving) {
    case TOOK_EXCEPTION:
        return m->w.number != m->facts->call_class && !random_below(&g->random, 4);
    case TOOK_FAULT:
    case MISSED:
    case WAS_UNDEFINED:
        return !form || !random_below(&g->random, RARE);
    case UNSUPPORTED:
        g->counts[form->index].unsupported = m->w.broke;
        return false;
    default:
        return false;
    }
}

/* Whether a rule leaves out a step of the program, whose initial state may have been changed. */
static bool has_left_out(struct generator *g, struct program *p)
{
    struct snapshot now = {g->m->w, p->after.state};
    bool found = false;

    if (!g->left_out.rules.len)
        return false;
    machine_save(g->m, &now);
    for (unsigned n = 0; n <= p->count && !found; n++) {
        machine_load(g->m, &p->step[n].before);
        found = left_out_find(&g->left_out, p->step[n].form, p->step[n].word);
    }
    machine_load(g->m, &now);
    p->after.state = now.state;
    return found;
}

/* Chooses the instruction at the PC and executes it. Returns false if none was found. */
static bool add_step(struct generator *g, struct program *p)
{
    struct machine *m = g->m;
    struct step *s = &p->step[p->count];
    unsigned at = (unsigned)(m->w.pc - m->code_at);
    const struct isa *isa = m->isa[g->mode];

    machine_save(m, &s->before);
    for (unsigned n = 0; n < TRIES; n++) {
        struct form *form = draw_form(g);
        unsigned width = form->instr->format->width;
        bool neighbour;

        g->counts[form->index].drawn++;
        if (g->counts[form->index].unsupported || !is_free(p, at, width / 8) ||
            !random_word(&g->words, form, &s->word))
            continue;
        machine_load(m, &s->before);
        neighbour = g->undefined && !random_below(&g->random, g->undefined);
        if (neighbour)
            s->word ^= (u128)1 << random_below(&g->random, width);
        isa_word_store(isa, m->code + at, s->word, width);
        /* A decode context may make another instruction of the word. */
        s->form = machine_decode(m, &s->word, &s->bytes);
        if (!neighbour && (!s->form || (s->form != form && !isa->context.slot)))
            continue;
        if (s->form && !is_wanted(g, s->form))
            continue;
        s->bytes /= 8;
        if (left_out_find(&g->left_out, s->form, s->word))
            continue;
        execute_step(g, s);
        if ((goes_on(g, p, at) || aim(g, p) || is_accepted(g, s->form)) && !has_left_out(g, p)) {
            p->count++;
            return true;
        }
    }
    machine_load(m, &s->before);
    return false;
}

/* Fills what is not executed with words of any form. */
static void fill_gaps(struct generator *g, struct program *p)
{
    const struct isa *isa = g->m->isa[g->mode];
    unsigned unit = isa->fetch_bits / 8;

    for (unsigned at = p->start; at < PAGE_BYTES; at += unit) {
        struct form *form = draw_form(g);
        unsigned width = form->instr->format->width;
        u128 word;

        if (is_free(p, at, width / 8) && random_word(&g->words, form, &word)) {
            isa_word_store(isa, g->m->code + at, word, width);
            at += width / 8 - unit;
        }
    }
}

bool generate(struct generator *g, struct program *p)
{
    struct machine *m = g->m;
    unsigned unit = m->isa[g->mode]->fetch_bits / 8;
    unsigned units = 1 + random_below(&g->random, g->length * 4 / (unit < 4 ? unit : 4));

    p->count = 0;
    p->start = PAGE_BYTES - units * unit;
    memset(m->code, 0, PAGE_BYTES);
    m->w.mode = g->mode;
    m->w.pc = m->code_at + p->start;
    random_state(g);
    m->w.mode = g->mode;
    m->w.pc = m->code_at + p->start;
    m->w.leaving = WENT_ON;
    machine_save(m, &p->before);
    while (m->w.pc != m->code_at + PAGE_BYTES && m->w.leaving == WENT_ON)
        if (p->count == MAX_STEPS_OF_PROGRAM || !add_step(g, p)) {
            machine_load(m, &p->before);
            return false;
        }
    fill_gaps(g, p);
    memcpy(p->code, m->code, PAGE_BYTES);
    if (program_run(m, p) && (uint64_t)place_read(m, &g->stack) - g->avoid_at >= g->avoid_bytes)
        return true;
    machine_load(m, &p->before);
    return false;
}
