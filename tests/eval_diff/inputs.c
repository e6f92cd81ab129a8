/* Random instruction words and machine states. */
#include "tests/eval_diff/inputs.h"

#include "gencc/ir/ir.h"

#include <string.h>

bool one_in(struct random *random, uint32_t n)
{
    return random_below(random, n) == 0;
}

/* ---- words ----------------------------------------------------------------------------------- */

struct isa *subject_isa(const struct model *m)
{
    vec_for_each (&m->isas, isa)
        if (!strcmp((*isa)->name, subject.isa))
            return *isa;
    return NULL;
}

unsigned width_of_bytes(const struct isa *isa, const uint8_t bytes[4])
{
    if (!isa->word_widths.len)
        return isa->fetch_bits;
    return isa_width_of(isa, isa_word_load(isa, bytes, isa->fetch_bits));
}

struct code_bytes bytes_of(const struct isa *isa, const struct form *form, uint32_t word)
{
    struct code_bytes code = {.count = form->instr->format->width / 8};

    isa_word_store(isa, code.byte, word, form->instr->format->width);
    return code;
}

/* ---- registers ------------------------------------------------------------------------------- */

void put_register(const struct model *m, struct situation *s, const char *name, unsigned index,
                  uint64_t value)
{
    const struct reg_view *v = model_view(m, name);

    if (v && index < v->count)
        memcpy(s->state + v->offset + index * v->reg_stride, &value, v->type.bits / 8);
}

/* Any address of memory, a page's end more often than its share. */
uint64_t random_address(struct random *random)
{
    uint64_t page = MEMORY + random_below(random, one_in(random, 4) ? MEMORY_PAGES + 1 : 2) * 4096u;
    uint64_t at = one_in(random, 8) ? 4096 - random_below(random, 20) : random_below(random, 4096);

    return one_in(random, 2) ? (page + at) & ~UINT64_C(15) : page + at;
}

/* System registers hold what they can: reset values, or any of their bits. */
static void random_sysregs(struct random *random, const struct model *m, struct situation *s)
{
    vec_for_each (&m->sysregs, it) {
        const struct sysreg *r = *it;
        uint64_t value = r->reset;

        if (!one_in(random, 3))
            value = (value & ~r->mask) | (random_next(random) & r->mask);
        if (r->has_storage && r->view)
            memcpy(s->state + r->view->offset, &value, r->view->type.bits / 8);
    }
}

/* ---- forms ----------------------------------------------------------------------------------- */

int64_t computed_field(const struct form *form, const char *name, uint32_t word)
{
    static u128 fields[64];
    static struct ir_data argument, result;
    const struct field *f = format_field(form->instr->format, name);
    struct ir_machine machine = {.word = word, .fields = fields};

    argument.lane[0] = word;
    if (!f || form->instr->format->fields.len > 64 ||
        ir_eval(&machine, form->decode, &argument, &result) != IR_DONE)
        return 0;
    return (int64_t)fields[f->index];
}

bool has_class(const struct form *form, const char *name)
{
    return !strcmp(form->instr->klass, name);
}

/* ---- all ------------------------------------------------------------------------------------- */

void random_situation(struct random *random, const struct model *m, const struct form *form,
                      uint32_t word, struct situation *s)
{
    unsigned unit;

    memset(s, 0, sizeof(*s));
    for (unsigned i = 0; i < MEMORY_BYTES; i += 8) {
        uint64_t value = random_next(random);

        memcpy(s->memory + i, &value, 8);
    }
    random_sysregs(random, m, s);
    subject.random_registers(random, m, s);
    put_register(m, s, "PC", 0, 0);
    vec_for_each (&m->features, f)
        s->features[(*f)->index] = one_in(random, 10) ? !(*f)->value : (*f)->value;
    vec_for_each (&form->instr->features, needed)
        s->features[(*needed)->index] = !one_in(random, 10);
    unit = subject_isa(m)->fetch_bits / 8;
    s->pc = CODE + unit * random_below(random, (CODE_BYTES - 4) / unit + 1);
    s->mode = subject.mode;
    s->lines = one_in(random, 4) ? (uint32_t)random_next(random) & subject.lines : 0;
    s->event = one_in(random, 2);
    if (has_class(form, "load") || has_class(form, "store") || has_class(form, "system"))
        subject.aim(random, m, form, word, s);
}

uint32_t likely_word(struct random *random, const struct model *m, const struct form *form,
                     uint32_t word)
{
    return one_in(random, 8) ? word : subject.likely_word(random, m, form, word);
}
