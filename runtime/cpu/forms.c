/* Decoding of words by the tables that gencc generates. */
#include "runtime/cpu/forms.h"

#include "runtime/cpu/exec.h"

static void raise_undefined(struct cpu *cpu, const struct insn *insn)
{
    cpu_undefined(cpu, insn);
}

unsigned form_undefined(const struct form_table *t, struct insn *out)
{
    out->form = (uint16_t)(*t->first + t->count);
    out->fn = raise_undefined;
    return DECODE_ENDS_BLOCK;
}

static bool has_features(const struct form_table *t, const struct form_decoder *f,
                         const struct cpu *cpu)
{
    for (const uint8_t *feature = t->features + f->features; *feature != FORM_NONE; feature++)
        if (!cpu->features[*feature])
            return false;
    return true;
}

static const struct form_handler *choose_handler(const struct form_table *t,
                                                 const struct form_decoder *f,
                                                 const struct cpu *cpu, uint64_t word)
{
    for (const struct form_handler *h = t->handlers + f->handlers, *end = h + f->handler_count;
         h < end; h++)
        if ((word & h->mask) == h->value &&
            (h->feature == FORM_NONE || cpu->features[h->feature] == h->feature_value))
            return h;
    return NULL;
}

/* Decodes a word as a form; NULL: the word is not of the form. */
static const struct form_handler *decode_as(const struct form_table *t,
                                            const struct form_decoder *f, struct cpu *cpu,
                                            struct cpu_fetch *at, uint64_t word, struct insn *out)
{
    uint64_t fields[FORM_MAX_FIELDS];
    const struct form_handler *h;

    if (!has_features(t, f, cpu) || (f->fields && !f->fields(cpu, word, fields)))
        return NULL;
    h = choose_handler(t, f, cpu, word);
    if (!h)
        return NULL;
    if (f->next_context != FORM_NONE)
        at->next_context = (uint8_t)fields[f->next_context];
    out->form = (uint16_t)(*t->first + (unsigned)(f - t->forms));
    out->fn = h->fn;
    if (h->operands)
        h->operands(cpu, word, fields, out);
    return h;
}

unsigned form_decode(const struct form_table *t, const struct decode_tree *tree, struct cpu *cpu,
                     struct cpu_fetch *at, uint64_t word, struct insn *out)
{
    const struct decode_candidate *c = decode_tree_first(tree, word);

    for (; c; c = decode_tree_next(tree, c, word)) {
        const struct form_handler *h = decode_as(t, t->forms + c->form, cpu, at, word, out);

        if (h)
            return h->ends_block ? DECODE_ENDS_BLOCK : 0;
    }
    return form_undefined(t, out);
}
