/*
 * Executes instructions of a description by the evaluator; see machine.h.
 */
#include "gencc/test/machine.h"

#include <string.h>

#include "gencc/referee/evaluate.h"
#include "gencc/test/intrinsics.h"

enum { MAX_STEPS = 1000000, FAULT_ALIGNMENT = 0x40000001 /* CPU_FAULT_ALIGNMENT of the prelude */ };

static struct ir_machine evaluator(struct machine *m)
{
    return (struct ir_machine){
        .opaque = m,
        .state = m->state,
        .touched = m->touched,
        .max_steps = MAX_STEPS,
        .intrinsic = machine_intrinsic,
        .external = machine_external,
    };
}

/* ---- life ------------------------------------------------------------------------------------ */

bool machine_prepare(struct machine *m)
{
    if (m->model->isas.len > MAX_MODES)
        return false;
    for (unsigned n = 0; n < m->model->isas.len; n++) {
        m->isa[n] = m->model->isas.data[n];
        m->text[n] = text_prepare(m->isa[n]);
        if (!m->text[n])
            return false;
    }
    m->state = arena_alloc(m->model->arena, m->model->state_bytes);
    m->touched = arena_alloc(m->model->arena, m->model->state_bytes);
    memset(m->touched, 0, m->model->state_bytes);
    return true;
}

const struct ir_func *machine_export(const struct machine *m, const char *name)
{
    vec_for_each (&m->isa[0]->exports, f)
        if (!strcmp((*f)->name, name))
            return *f;
    return NULL;
}

bool machine_call(struct machine *m, const struct ir_func *f, unsigned count, const uint64_t *args,
                  uint64_t *result)
{
    static struct ir_data data[4], results[4];
    struct ir_machine e = evaluator(m);

    m->w.leaving = WENT_ON;
    m->wrote_pc = false;
    for (unsigned n = 0; n < count && n < 4; n++)
        data[n].lane[0] = args[n];
    if (ir_eval(&e, f, data, results) != IR_DONE)
        return false;
    if (m->wrote_pc)
        m->w.pc = m->next_pc;
    if (result)
        *result = (uint64_t)results[0].lane[0];
    return true;
}

void machine_save(const struct machine *m, struct snapshot *s)
{
    s->w = m->w;
    if (!s->state)
        s->state = arena_alloc(m->model->arena, m->model->state_bytes);
    memcpy(s->state, m->state, m->model->state_bytes);
}

void machine_load(struct machine *m, const struct snapshot *s)
{
    m->w = s->w;
    memcpy(m->state, s->state, m->model->state_bytes);
}

/* ---- an instruction -------------------------------------------------------------------------- */

struct form *machine_decode(struct machine *m, u128 *word, unsigned *width)
{
    const struct isa *isa = m->isa[m->w.mode];
    const struct reg_view *context = isa->context.slot;
    uint64_t at = m->w.pc - m->code_at;

    *width = isa->fetch_bits;
    if (at > PAGE_BYTES - *width / 8)
        return NULL;
    *word = isa_word_load(isa, m->code + at, *width);
    if (isa->word_widths.len) {
        *width = isa_width_of(isa, *word);
        if (at > PAGE_BYTES - *width / 8)
            return NULL;
        *word = isa_word_load(isa, m->code + at, *width);
    }
    m->w.word = (uint32_t)*word;
    if (context)
        *word |= isa_context_bits(isa, m->state[context->offset]);
    return text_decode(m->text[m->w.mode], *word, *width);
}

static bool is_available(const struct machine *m, const struct form *form)
{
    vec_for_each (&form->instr->features, f)
        if (!m->w.features[(*f)->index % MAX_FEATURES])
            return false;
    return true;
}

void machine_step(struct machine *m)
{
    const struct isa *isa = m->isa[m->w.mode];
    struct ir_machine e = evaluator(m);
    unsigned width, next;
    const char *broke;
    u128 word;
    struct form *form;

    m->w.leaving = MISSED;
    m->w.number = 0;
    m->w.va = m->w.pc;
    m->w.broke = NULL;
    if (m->w.pc - m->code_at >= PAGE_BYTES)
        return;
    form = machine_decode(m, &word, &width);
    m->w.leaving = WAS_UNDEFINED;
    if (!form || !is_available(m, form))
        return;
    next = text_next_context(m->text[m->w.mode], form, word);
    m->w.leaving = WENT_ON;
    m->changed_context = m->wrote_pc = false;
    broke = evaluate_form(&e, form, word, NULL);
    if (m->w.leaving == WENT_ON && broke) {
        m->w.leaving = UNSUPPORTED;
        m->w.broke = e.missing ? e.missing : broke;
    }
    if (m->w.leaving != WENT_ON)
        return;
    m->w.pc = m->wrote_pc ? m->next_pc : m->w.pc + width / 8;
    if (m->model->word_bits == 32)
        m->w.pc = (uint32_t)m->w.pc;
    if (isa->context.slot && !m->changed_context)
        m->state[isa->context.slot->offset] = (uint8_t)next;
}

/* ---- signals --------------------------------------------------------------------------------- */

static const char *find_signal(const struct machine *m, bool is_fault)
{
    vec_for_each (&m->facts->exceptions, e)
        if (e->is_fault == is_fault && e->number == m->w.number &&
            (m->w.word & e->mask) == e->value)
            return e->signal;
    return NULL;
}

const char *machine_signal(const struct machine *m)
{
    const char *found = NULL;

    switch (m->w.leaving) {
    case MISSED:
        return "SIGSEGV";
    case TOOK_FAULT:
        found = find_signal(m, true);
        return found ? found : m->w.number == FAULT_ALIGNMENT ? "SIGBUS" : "SIGSEGV";
    case TOOK_EXCEPTION:
        found = find_signal(m, false);
        break;
    case WAS_UNDEFINED:
        vec_for_each (&m->facts->breakpoints, b)
            if (b->mode == m->w.mode && (m->w.word & b->mask) == b->value)
                found = "SIGTRAP";
        break;
    default:
        break;
    }
    return found ? found : "SIGILL";
}
