/* How RV64GC instructions are drawn and prepared. */
#include "tests/random/arch_words.h"

#include <string.h>

/* ---- state ----------------------------------------------------------------------------------- */

/* Single-precision numbers are mostly boxed in ones. */
static uint64_t random_number(struct generator *g)
{
    uint64_t v[2];

    random_vector(g, v);
    return one_in(g, 2) ? v[0] | UINT64_C(0xffffffff) << 32 : v[0];
}

static void random_state(struct generator *g, struct state *s)
{
    s->x[0] = 0;
    for (unsigned i = 1; i < 32; i++)
        s->x[i] = random_integer(&g->random);
    for (unsigned i = 0; i < 32; i++)
        s->f[i] = random_number(g);
    s->fcsr = one_in(g, 2) ? 0 : below(g, 5) << 5;
    s->fcsr |= one_in(g, 2) ? one_in(g, 2) : below(g, 32); /* programs mostly have inexact */
    s->unused = 0;
}

/* ---- words ----------------------------------------------------------------------------------- */

enum { OP_JAL = 0x6f, OP_AMO = 0x2f };

/* lui, and addi: reg = a value of 31 bits. */
static void put_value(struct unit *u, unsigned reg, uint32_t value)
{
    put(u, ((value + 0x800) & 0xfffff000) | reg << 7 | 0x37);
    put(u, (value & 0xfff) << 20 | reg << 15 | reg << 7 | 0x13);
}

static uint64_t target_address(struct generator *g, unsigned alignment)
{
    uint64_t address = MIDDLE - REACH + below(g, 2 * REACH);

    return address & ~(uint64_t)(alignment - 1);
}

/*
 * Loads, stores and atomic instructions, whose addresses are aligned (the referee is lenient). A
 * store-conditional mostly follows a load-reserved of the same address and width, with only
 * register operations between them; a load-reserved is always followed by one.
 */
static void put_access(struct generator *g, struct unit *u, const struct form *form, uint32_t word)
{
    bool atomic = form_bytes(form) == 4 && (word & 0x7f) == OP_AMO;
    unsigned rs1 = register_of(form, "rs1", word, 0), bytes = word >> 12 & 1 ? 8 : 4;
    uint64_t address = target_address(g, atomic ? bytes : one_in(g, 2) ? 8 : 1);
    int64_t offset = computed_field(form, "imm", word);
    bool conditional = atomic && !strcmp(form->instr->name, "sc");
    bool reserves = atomic && !strcmp(form->instr->name, "lr");

    if (one_in(g, 50) && !conditional && !reserves)
        address = NOWHERE;
    if (rs1)
        put_value(u, rs1, (uint32_t)(address - (uint64_t)offset));
    if (conditional && rs1 && !one_in(g, 8)) {
        unsigned rd = 1 + (rs1 + below(g, 30)) % 31; /* any register but zero and rs1 */

        put_random(u, 0x10000000u | rs1 << 15 | (word & 0x7000) | rd << 7 | OP_AMO, 4);
    }
    put_random(u, word, form_bytes(form));
    if (reserves) /* sc zero, zero, (rs1) ends a reservation that no other word may see */
        put(u, 0x18000000u | rs1 << 15 | (word & 0x7000) | OP_AMO);
}

/* auipc and a jump through its register, in most cases to another unit. */
static void put_indirect(struct generator *g, struct unit *u, const struct form *form,
                         uint32_t word)
{
    unsigned rs1 = register_of(form, "rs1", word, 0);
    int64_t offset = computed_field(form, "imm", word);

    if (rs1 && one_in(g, 50)) {
        put_value(u, rs1, NOWHERE);
    } else if (rs1) {
        put(u, rs1 << 7 | 0x17); /* auipc rs1, 0 */
        u->jump = (int)u->count;
        u->off_by = one_in(g, 50) ? 1 : 0; /* bit 0 is ignored */
        put(u, ((uint32_t)-offset & 0xfff) << 20 | rs1 << 15 | rs1 << 7 | 0x13);
    }
    put_random(u, word, form_bytes(form));
}

static bool is_instruction(const struct form *form, const char *name)
{
    return !strcmp(form->instr->name, name);
}

static void make_unit(struct generator *g, const struct form *form, uint32_t word, struct unit *u)
{
    const char *klass = form->instr->klass;

    if (is_instruction(form, "jalr") || is_instruction(form, "c_jr") ||
        is_instruction(form, "c_jalr")) {
        put_indirect(g, u, form, word);
    } else if (!strcmp(klass, "branch")) {
        u->jump = 0;
        u->form = form;
        u->near = is_instruction(form, "c_beqz") || is_instruction(form, "c_bnez");
        put_random(u, word, form_bytes(form));
    } else if (!strcmp(klass, "load") || !strcmp(klass, "store")) {
        put_access(g, u, form, word);
    } else {
        put_random(u, word, form_bytes(form));
    }
}

static void put_loop(struct generator *g, struct unit *u)
{
    unsigned base = 1 + below(g, 31), turns = 1 + (base + below(g, 30)) % 31;

    put_value(u, base, (uint32_t)MIDDLE + TURNS_AT);
    put(u, base << 15 | 2 << 12 | turns << 7 | 0x03);                /* lw */
    put(u, UINT32_C(0xfff) << 20 | turns << 15 | turns << 7 | 0x13); /* addi */
    put(u, turns << 20 | base << 15 | 2 << 12 | 0x23);               /* sw */
    put(u, turns << 15 | 1 << 12 | 0x63);                            /* bne */
}

/* I.24: no opcode of RV64GC has these bits. */
static bool make_undefined_word(struct generator *g, uint32_t *word)
{
    static const uint32_t opcodes[] = {0x0b, 0x2b, 0x5b, 0x7b}; /* custom-0 to custom-3 */

    *word = ((uint32_t)random_next(&g->random) & ~UINT32_C(0x7f)) | opcodes[below(g, 4)];
    return true;
}

/* I.2.5: the immediates of JAL and of branches. */
static uint32_t jal_word(uint32_t word, int distance)
{
    uint32_t d = (uint32_t)distance;

    return (word & 0xfff) | (d >> 20 & 1) << 31 | (d >> 1 & 0x3ff) << 21 | (d >> 11 & 1) << 20 |
           (d & 0xff000);
}

static uint32_t branch_word(uint32_t word, int distance)
{
    uint32_t d = (uint32_t)distance;

    return (word & 0x01fff07f) | (d >> 12 & 1) << 31 | (d >> 5 & 0x3f) << 25 | (d >> 1 & 15) << 8 |
           (d >> 11 & 1) << 7;
}

/* I.16.4: the immediates of C.J, and of C.BEQZ and C.BNEZ. */
static uint32_t c_j(uint32_t word, int distance)
{
    uint32_t d = (uint32_t)distance;

    return (word & 0xe003) | (d >> 11 & 1) << 12 | (d >> 4 & 1) << 11 | (d >> 8 & 3) << 9 |
           (d >> 10 & 1) << 8 | (d >> 6 & 1) << 7 | (d >> 7 & 1) << 6 | (d >> 1 & 7) << 3 |
           (d >> 5 & 1) << 2;
}

static uint32_t c_branch(uint32_t word, int distance)
{
    uint32_t d = (uint32_t)distance;

    return (word & 0xe383) | (d >> 8 & 1) << 12 | (d >> 3 & 3) << 10 | (d >> 6 & 3) << 5 |
           (d >> 1 & 3) << 3 | (d >> 5 & 1) << 2;
}

static struct instruction jump_to_stub(unsigned half)
{
    return (struct instruction){c_j(0xa001, STUB - 2 * (int)half), 2};
}

static uint32_t aim_jump(const struct unit *u, uint32_t word, int distance)
{
    if (u->back)
        return branch_word(word, distance);
    if (!u->form) /* the addi after an auipc */
        return word + ((uint32_t)(distance + 4 + (int)u->off_by) << 20);
    if (form_bytes(u->form) == 4)
        return (word & 0x7f) == OP_JAL ? jal_word(word, distance) : branch_word(word, distance);
    return is_instruction(u->form, "c_j") ? c_j(word, distance) : c_branch(word, distance);
}

const struct arch_words arch_words = {
    .isa = "rv64",
    .jump_to_stub = jump_to_stub,
    .random_state = random_state,
    .make_unit = make_unit,
    .undefined = make_undefined_word,
    .put_loop = put_loop,
    .boxed = true,
    .aim = aim_jump,
};
