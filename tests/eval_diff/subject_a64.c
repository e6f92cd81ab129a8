/* Random registers, addresses and words of A64 for the comparison. */
#include "tests/eval_diff/inputs.h"

#include <string.h>

extern const struct cpu_isa armv8a_isa;

/* ---- registers ------------------------------------------------------------------------------- */

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

/* So that table walks find tables. */
static void random_tables(struct random *random, const struct model *m, struct situation *s)
{
    for (unsigned i = 0; i < 2; i++) {
        if (one_in(random, 2))
            put_register(m, s, i ? "TTBR1_EL1" : "TTBR0_EL1", 0,
                         MEMORY + 4096 * random_below(random, 2) + (random_next(random) << 48));
    }
}

/* Sets the slots of the description that do not take every value; see armv8a.ac. */
static void random_slots(struct random *random, const struct model *m, struct situation *s)
{
    static const char *const bits[] = {"NF",    "ZF", "CF", "VF",      "EL",
                                       "SPSEL", "SS", "IL", "STEPPED", "EXCL_VALID"};

    for (unsigned i = 0; i < sizeof(bits) / sizeof(*bits); i++)
        put_register(m, s, bits[i], 0, random_below(random, 2));
    put_register(m, s, "DAIF", 0, random_below(random, 16));
    put_register(m, s, "EXCL_SIZE", 0, 1u << random_below(random, 5));
    put_register(m, s, "EXCL_ADDR", 0, random_address(random));
    put_register(m, s, "X", 32, 0); /* the zero register */
    put_register(m, s, "FPCR", 0, one_in(random, 2) ? 0 : (uint64_t)random_below(random, 32) << 22);
    put_register(m, s, "FPSR", 0, random_next(random) & 0x0800009f);
    s->ring = s->state[model_view(m, "EL")->offset];
}

static void random_registers(struct random *random, const struct model *m, struct situation *s)
{
    const struct reg_view *x = model_view(m, "X"), *v = model_view(m, "V");

    for (unsigned i = 0; i < x->count; i++)
        put_register(m, s, "X", i, random_integer(random));
    for (unsigned i = 0; i < v->count; i++)
        random_vector(random, s->state + v->offset + i * v->reg_stride);
    random_tables(random, m, s);
    random_slots(random, m, s);
}

/* ---- addresses ------------------------------------------------------------------------------- */

static unsigned register_of(const struct form *form, const char *name, uint32_t word)
{
    const struct field *f = format_field(form->instr->format, name);

    return f ? (unsigned)field_extract(f, word) : 32;
}

static void aim_access(struct random *random, const struct model *m, const struct form *form,
                       uint32_t word, struct situation *s)
{
    unsigned rn = register_of(form, "rn", word), rm = register_of(form, "rm", word);
    uint64_t address = random_address(random);

    if (one_in(random, 12))
        return;
    if (rn == 32) { /* DC ZVA, SYS: the address is in Rt */
        put_register(m, s, "X", register_of(form, "rt", word) & 31, address);
        return;
    }
    if (rm < 31)
        put_register(m, s, "X", rm, random_below(random, 32) - 16u * random_below(random, 2));
    put_register(m, s, "X", rn, address - (uint64_t)computed_field(form, "offset", word));
    if (one_in(random, 2))
        put_register(m, s, "EXCL_ADDR", 0, address);
}

/* ---- words ----------------------------------------------------------------------------------- */

static uint32_t make_likely(struct random *random, const struct model *m, const struct form *form,
                            uint32_t word)
{
    const char *name = form->instr->name;

    if (!strcmp(name, "mrs") || !strcmp(name, "msr")) {
        const struct sysreg *r = m->sysregs.data[random_below(random, m->sysregs.len)];

        return (word & ~UINT32_C(0x1fffe0)) | r->code << 5;
    }
    if (!strcmp(name, "sys")) {
        uint32_t op1 = one_in(random, 3) ? 3 : 0, crn = 7 + random_below(random, 2);

        return (word & ~UINT32_C(0x7f000)) | op1 << 16 | crn << 12;
    }
    if (has_class(form, "load") && (word & 0x3b000000) == 0x18000000) {
        uint32_t words = random_below(random, 1024) - 512;

        return (word & ~UINT32_C(0xffffe0)) | (words & 0x7ffff) << 5;
    }
    return word;
}

const struct subject subject = {
    .cpu = &armv8a_isa,
    .isa = "a64",
    .lines = 7,
    .random_registers = random_registers,
    .aim = aim_access,
    .likely_word = make_likely,
};
