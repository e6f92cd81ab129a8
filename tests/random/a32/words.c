/* How A32 instructions are drawn and prepared. */
#include "tests/random/arch_words.h"

#include <string.h>

#include "tests/random/a32/random_state.h"

enum { SP = 13, PC = 15, ALWAYS = 14 };

/* ---- words ----------------------------------------------------------------------------------- */

/* Makes half of the conditional instructions unconditional. */
static uint32_t mend_word(struct generator *g, const struct form *form, uint32_t word)
{
    return one_in(g, 2) ? with_field(form, "cond", word, ALWAYS) : word;
}

/* MOVW and MOVT: reg = value. */
static void put_value(struct unit *u, unsigned reg, uint32_t value)
{
    uint32_t low = value & 0xffff, high = value >> 16;

    put(u, 0xe3000000u | low >> 12 << 16 | reg << 12 | (low & 0xfff));
    put(u, 0xe3400000u | high >> 12 << 16 | reg << 12 | (high & 0xfff));
}

/* Makes the index register small whatever its shift is. */
static void put_index(struct generator *g, struct unit *u, const struct form *form, uint32_t word)
{
    const struct field *rm = field_of(form, "rm"), *imm5 = field_of(form, "imm5"),
                       *type = field_of(form, "type");
    unsigned amount = imm5 ? get_field(imm5, word) : 0, kind = type ? get_field(type, word) : 0;
    bool far = kind == 0 ? amount > 3 : kind == 3;

    if (!rm || get_field(rm, word) == PC)
        return;
    /* the register field then means the transfer's size */
    if (form->instr->name[0] == 'v' && get_field(rm, word) == SP)
        return;
    put_value(u, get_field(rm, word), far ? 0 : below(g, 32));
}

static bool is_exclusive(const struct form *form)
{
    return !strncmp(form->instr->name, "ldrex", 5) || !strncmp(form->instr->name, "strex", 5);
}

/*
 * Alignment of accesses: exclusives, several registers, and Advanced SIMD's largest alignment,
 * since QEMU 7.2 checks only half of 256 bits.
 */
static unsigned alignment_of(struct generator *g, const struct form *form)
{
    const char *name = form->instr->name;

    if (is_exclusive(form))
        return 8;
    if (!strncmp(name, "ldm", 3) || !strncmp(name, "stm", 3) || !strncmp(name, "ldrd", 4) ||
        !strncmp(name, "strd", 4) || !strncmp(name, "v", 1))
        return one_in(g, 20) && form->instr->name[0] != 'v' ? 1 : 32;
    return one_in(g, 2) ? 4 : 1;
}

static void put_access(struct generator *g, struct unit *u, const struct form *form, uint32_t word)
{
    const struct field *rn = field_of(form, "rn");
    unsigned alignment = alignment_of(g, form);
    uint32_t address = (uint32_t)MIDDLE - REACH + below(g, 2 * REACH);

    address &= ~(alignment - 1);
    if (one_in(g, 50) && !is_exclusive(form))
        address = NOWHERE;
    put_index(g, u, form, word);
    if (rn && get_field(rn, word) != PC)
        put_value(u, get_field(rn, word), address - (uint32_t)computed_field(form, "offset", word));
    put_random(u, word, 4);
}

static const uint32_t CLREX = 0xf57ff01f;

/* In most cases precedes an exclusive store by a load of its size; always adds a CLREX after it. */
static void put_exclusive(struct generator *g, struct unit *u, const struct form *form,
                          uint32_t word)
{
    bool load = word >> 20 & 1;
    unsigned rn = get_field(field_of(form, "rn"), word);
    uint32_t address = ((uint32_t)MIDDLE - REACH + below(g, 2 * REACH)) & ~7u;

    put_value(u, rn, address);
    if (!load && !one_in(g, 8))
        put_random(
            u, (word & 0xfff00000) | 1u << 20 | rn << 16 | (rn / 2 == 1 ? 4 : 2) << 12 | 0xf9f, 4);
    put_random(u, word, 4);
    put(u, CLREX);
}

/*
 * A branch through a register, in most cases to another unit, whose address ADD computes from the
 * PC.
 */
static void put_indirect(struct generator *g, struct unit *u, const struct form *form,
                         uint32_t word)
{
    unsigned rm = get_field(field_of(form, "rm"), word);

    if (rm != PC && one_in(g, 50)) {
        put_value(u, rm, NOWHERE);
    } else if (rm != PC) {
        u->jump = (int)u->count;
        put(u, 0xe28f0000u | rm << 12);
    }
    put_random(u, word, 4);
}

static bool is_instruction(const struct form *form, const char *name)
{
    return !strcmp(form->instr->name, name);
}

static void make_unit(struct generator *g, const struct form *form, uint32_t word, struct unit *u)
{
    const char *klass = form->instr->klass;
    bool access = !strcmp(klass, "load") || !strcmp(klass, "store");

    if (is_instruction(form, "b") || is_instruction(form, "bl")) {
        u->to = field_of(form, "imm24");
        u->jump = 0;
        put_random(u, word, 4);
    } else if (is_instruction(form, "bx") || is_instruction(form, "bxj") ||
               is_instruction(form, "blx_reg")) {
        put_indirect(g, u, form, word);
    } else if (access && is_exclusive(form)) {
        put_exclusive(g, u, form, word);
    } else if (access) {
        put_access(g, u, form, word);
    } else {
        if (is_instruction(form, "vmsr_fpscr"))
            put_value(u, get_field(field_of(form, "rt"), word), random_fpscr(g));
        put_random(u, word, 4);
    }
}

static void put_loop(struct generator *g, struct unit *u)
{
    static const struct field imm24 = {.lsb = 0, .width = 24};
    unsigned base = below(g, PC), turns = (base + 1 + below(g, PC - 1)) % PC;

    put_value(u, base, (uint32_t)MIDDLE + TURNS_AT);
    put(u, 0xe5900000u | base << 16 | turns << 12);  /* ldr */
    put(u, 0xe2500001u | turns << 16 | turns << 12); /* subs */
    put(u, 0xe5800000u | base << 16 | turns << 12);  /* str */
    u->to = &imm24;
    put(u, 0x1a000000u); /* bne */
}

/*
 * A5.4: permanently undefined. Other words that the description leaves undefined are often
 * UNPREDICTABLE.
 */
static bool make_undefined_word(struct generator *g, uint32_t *word)
{
    *word = 0xe7f000f0u | (below(g, 0x1000) << 8) | below(g, 16);
    return *word != 0xe7f001f0u; /* Linux treats this word as a breakpoint */
}

static struct instruction jump_to_stub(unsigned half)
{
    return (struct instruction){0xea000000u | (((STUB - 2 * half - 8) >> 2) & 0xffffff), 4};
}

static uint32_t aim_jump(const struct unit *u, uint32_t word, int distance)
{
    if (u->to)
        return set_field(u->to, word, (uint32_t)(distance - 8) >> 2);
    return word | (distance - 8 < 0 ? 0xc00000u : 0) |
           ((uint32_t)(distance < 8 ? 8 - distance : distance - 8) >> 2) | 0xf00;
}

const struct arch_words arch_words = {
    .isa = "a32",
    .jump_to_stub = jump_to_stub,
    .random_state = a32_random_state,
    .mend = mend_word,
    .make_unit = make_unit,
    .undefined = make_undefined_word,
    .put_loop = put_loop,
    .aim = aim_jump,
};
