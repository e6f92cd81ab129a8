#include "tests/eval_diff/inputs.h"

#include "gencc/ir/ir.h"

#include <string.h>

static bool one_in(struct random *random, uint32_t n)
{
    return random_below(random, n) == 0;
}

/* ---- registers ------------------------------------------------------------------------------- */

static void put(const struct model *m, struct situation *s, const char *name, unsigned index,
                uint64_t value)
{
    const struct reg_view *v = model_view(m, name);

    if (v && index < v->count)
        memcpy(s->state + v->offset + index * v->reg_stride, &value, v->type.bits / 8);
}

static void random_vector(struct random *random, uint8_t *to)
{
    static const int widths[] = {16, 32, 32, 64, 64};
    int width = widths[random_below(random, 5)];
    uint64_t operands[3];

    for (int i = 0; i < 128 / width; i++) {
        if (i % 2 == 0)
            random_floats(random, width, operands);
        memcpy(to + i * width / 8, &operands[i % 2], (size_t)width / 8);
    }
    if (one_in(random, 4)) {
        operands[0] = random_next(random);
        operands[1] = random_integer(random);
        memcpy(to, operands, 16);
    }
}

/* Any address of memory, a page's end more often than its share. */
static uint64_t random_address(struct random *random)
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
    for (unsigned i = 0; i < 2; i++) { /* so that table walks find tables */
        if (one_in(random, 2))
            put(m, s, i ? "TTBR1_EL1" : "TTBR0_EL1", 0,
                MEMORY + 4096 * random_below(random, 2) + (random_next(random) << 48));
    }
}

/* Those slots of the description that do not take every value; see armv8a.ac. */
static void random_slots(struct random *random, const struct model *m, struct situation *s)
{
    static const char *const bits[] = {"NF",    "ZF", "CF", "VF",      "EL",
                                       "SPSEL", "SS", "IL", "STEPPED", "EXCL_VALID"};

    for (unsigned i = 0; i < sizeof(bits) / sizeof(*bits); i++)
        put(m, s, bits[i], 0, random_below(random, 2));
    put(m, s, "DAIF", 0, random_below(random, 16));
    put(m, s, "EXCL_SIZE", 0, 1u << random_below(random, 5));
    put(m, s, "EXCL_ADDR", 0, random_address(random));
    put(m, s, "X", 32, 0); /* the zero register */
    put(m, s, "PC", 0, 0);
    put(m, s, "FPCR", 0, one_in(random, 2) ? 0 : (uint64_t)random_below(random, 32) << 22);
    put(m, s, "FPSR", 0, random_next(random) & 0x0800009f);
    s->ring = s->state[model_view(m, "EL")->offset];
}

/* ---- addresses ------------------------------------------------------------------------------- */

/* The computed field `offset`, or 0. */
static int64_t offset_of(const struct form *form, uint32_t word)
{
    static u128 fields[64];
    static struct ir_data argument, result;
    const struct field *f = format_field(form->instr->format, "offset");
    struct ir_machine machine = {.word = word, .fields = fields};

    argument.lane[0] = word;
    if (!f || form->instr->format->fields.count > 64 ||
        ir_eval(&machine, form->decode, &argument, &result) != IR_DONE)
        return 0;
    return (int64_t)fields[f->index];
}

static unsigned register_of(const struct form *form, const char *name, uint32_t word)
{
    const struct field *f = format_field(form->instr->format, name);

    return f ? (unsigned)field_extract(f, word) : 32;
}

static void aim(struct random *random, const struct model *m, const struct form *form,
                uint32_t word, struct situation *s)
{
    unsigned rn = register_of(form, "rn", word), rm = register_of(form, "rm", word);
    uint64_t address = random_address(random);

    if (one_in(random, 12))
        return;
    if (rn == 32) { /* DC ZVA, SYS: the address is in Rt */
        put(m, s, "X", register_of(form, "rt", word) & 31, address);
        return;
    }
    if (rm < 31)
        put(m, s, "X", rm, random_below(random, 32) - 16u * random_below(random, 2));
    put(m, s, "X", rn, address - (uint64_t)offset_of(form, word));
    if (one_in(random, 2))
        put(m, s, "EXCL_ADDR", 0, address);
}

static bool is_class(const struct form *form, const char *name)
{
    return !strcmp(form->instr->klass, name);
}

/* ---- all ------------------------------------------------------------------------------------- */

void random_situation(struct random *random, const struct model *m, const struct form *form,
                      uint32_t word, struct situation *s)
{
    const struct reg_view *x = model_view(m, "X"), *v = model_view(m, "V");

    memset(s, 0, sizeof(*s));
    for (unsigned i = 0; i < x->count; i++)
        put(m, s, "X", i, random_integer(random));
    for (unsigned i = 0; i < v->count; i++)
        random_vector(random, s->state + v->offset + i * v->reg_stride);
    for (unsigned i = 0; i < MEMORY_BYTES; i += 8) {
        uint64_t value = random_next(random);

        memcpy(s->memory + i, &value, 8);
    }
    random_sysregs(random, m, s);
    random_slots(random, m, s);
    vec_for_each (&m->features, f)
        s->features[(*f)->index] = one_in(random, 10) ? !(*f)->value : (*f)->value;
    s->pc = CODE + 4 * random_below(random, CODE_BYTES / 4);
    s->lines = one_in(random, 4) ? random_below(random, 8) : 0;
    s->event = one_in(random, 2);
    if (is_class(form, "load") || is_class(form, "store") || is_class(form, "system"))
        aim(random, m, form, word, s);
}

uint32_t likely_word(struct random *random, const struct model *m, const struct form *form,
                     uint32_t word)
{
    const char *name = form->instr->name;

    if (one_in(random, 8))
        return word;
    if (!strcmp(name, "mrs") || !strcmp(name, "msr")) {
        const struct sysreg *r = m->sysregs.at[random_below(random, m->sysregs.count)];

        return (word & ~UINT32_C(0x1fffe0)) | r->code << 5;
    }
    if (!strcmp(name, "sys")) {
        uint32_t op1 = one_in(random, 3) ? 3 : 0, crn = 7 + random_below(random, 2);

        return (word & ~UINT32_C(0x7f000)) | op1 << 16 | crn << 12;
    }
    if (is_class(form, "load") && (word & 0x3b000000) == 0x18000000) {
        uint32_t words = random_below(random, 1024) - 512;

        return (word & ~UINT32_C(0xffffe0)) | (words & 0x7ffff) << 5;
    }
    return word;
}
