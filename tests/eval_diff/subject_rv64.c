/* Random registers, addresses and words of RV64GC for the comparison. */
#include "tests/eval_diff/inputs.h"

#include <string.h>

extern const struct cpu_isa rv64_isa;

/* A double, or a single that is a NaN box, or none. */
static uint64_t random_number(struct random *random)
{
    uint64_t operands[3];

    if (one_in(random, 8))
        return random_next(random);
    if (one_in(random, 2)) {
        random_floats(random, 64, operands);
        return operands[0];
    }
    random_floats(random, 32, operands);
    return operands[0] | UINT64_C(0xffffffff) << 32;
}

static void random_registers(struct random *random, const struct model *m, struct situation *s)
{
    static const unsigned modes[] = {0, 1, 3};
    const struct reg_view *x = model_view(m, "X"), *f = model_view(m, "F");
    unsigned mode = modes[random_below(random, 3)];

    for (unsigned i = 1; i < x->count; i++)
        put_register(m, s, "X", i, random_integer(random));
    for (unsigned i = 0; i < f->count; i++)
        put_register(m, s, "F", i, random_number(random));
    put_register(m, s, "FRM", 0, random_below(random, one_in(random, 8) ? 8 : 5));
    put_register(m, s, "FFLAGS", 0, random_below(random, 32));
    put_register(m, s, "PRIV", 0, mode);
    put_register(m, s, "RES_VALID", 0, random_below(random, 2));
    put_register(m, s, "RES_ADDR", 0, random_address(random));
    put_register(m, s, "RES_VALUE", 0, random_integer(random));
    s->ring = mode == 1 ? 1 + random_below(random, 2) : mode;
}

/* The address is in rs1, but for the immediate of loads and stores; a reservation may be of it. */
static void aim_access(struct random *random, const struct model *m, const struct form *form,
                       uint32_t word, struct situation *s)
{
    const struct field *rs1 = format_field(form->instr->format, "rs1");
    uint64_t address = random_address(random), value = 0;
    unsigned r = rs1 ? (unsigned)field_extract(rs1, word) : 0;

    if (r == 0 || one_in(random, 12))
        return;
    put_register(m, s, "X", r, address - (uint64_t)computed_field(form, "imm", word));
    if (one_in(random, 3))
        return;
    put_register(m, s, "RES_ADDR", 0, address);
    if (address - MEMORY < MEMORY_BYTES - 8)
        memcpy(&value, s->memory + (address - MEMORY), sizeof(value));
    put_register(m, s, "RES_VALUE", 0, value);
}

static uint32_t make_likely(struct random *random, const struct model *m, const struct form *form,
                            uint32_t word)
{
    if (!strncmp(form->instr->name, "csrr", 4)) {
        const struct sysreg *r = m->sysregs.data[random_below(random, m->sysregs.len)];

        return (word & UINT32_C(0xfffff)) | r->code << 20;
    }
    return word;
}

const struct subject subject = {
    .cpu = &rv64_isa,
    .isa = "rv64",
    .lines = 0xaaa,
    .random_registers = random_registers,
    .aim = aim_access,
    .likely_word = make_likely,
};
