/* How T32 instructions are drawn and prepared. */
#include "tests/random/arch_words.h"

#include <string.h>

#include "tests/random/a32/random_state.h"

enum { SP = 13, PC = 15, SCRATCH = 7, MAX_BLOCK = 4 };

/* ---- words ----------------------------------------------------------------------------------- */

/* Appends a preparation of 16 bits. */
static void put_16(struct unit *u, uint32_t word)
{
    put(u, word);
    u->bytes[u->count - 1] = 2;
}

/* A3.5.3: an immediate of 12 bits in the second half and bit 26: MOVW, MOVT, ADDW. */
static uint32_t immediate_12(uint32_t value)
{
    return (value >> 11 & 1) << 26 | (value >> 8 & 7) << 12 | (value & 0xff);
}

static void put_half(struct unit *u, uint32_t opcode, unsigned reg, uint32_t half)
{
    put(u, opcode | half >> 12 << 16 | immediate_12(half & 0xfff) | reg << 8);
}

/* MOVW and MOVT: reg = value; SP through another register. */
static void put_value(struct unit *u, unsigned reg, uint32_t value)
{
    unsigned to = reg == SP ? SCRATCH : reg;

    put_half(u, 0xf2400000u, to, value & 0xffff);
    put_half(u, 0xf2c00000u, to, value >> 16);
    if (reg == SP)
        put_16(u, 0x4685 | SCRATCH << 3); /* mov sp, r7 */
}

static bool starts_with(const struct form *form, const char *name)
{
    return !strncmp(form->instr->name, name, strlen(name));
}

/* Makes the index register small whatever its shift is. */
static void put_index(struct generator *g, struct unit *u, const struct form *form, uint32_t word)
{
    unsigned rm = register_of(form, "rm", word, PC);

    /* in these forms SP means the transfer's size */
    if (rm != PC && !(rm == SP && starts_with(form, "v")))
        put_value(u, rm, below(g, 32));
}

static bool is_exclusive(const struct form *form)
{
    return starts_with(form, "ldrex") || starts_with(form, "strex");
}

static uint32_t target_address(struct generator *g, const struct form *form)
{
    uint32_t address = (uint32_t)MIDDLE - REACH + below(g, 2 * REACH);
    bool several = starts_with(form, "ldm") || starts_with(form, "stm") ||
                   starts_with(form, "pop") || starts_with(form, "push") ||
                   starts_with(form, "ldrd") || starts_with(form, "strd");

    if (is_exclusive(form))
        return address & ~7u;
    if (starts_with(form, "v"))
        return address & ~31u; /* the largest alignment, since QEMU 7.2 checks only half of it */
    if (several)
        return one_in(g, 20) ? address : address & ~7u;
    return one_in(g, 2) ? address & ~3u : address;
}

/* Prepares the registers of a load or store. */
static void prepare_access(struct generator *g, struct unit *u, const struct form *form,
                           uint32_t word)
{
    unsigned rn = register_of(form, "rn", word, PC);
    uint32_t address = target_address(g, form);

    if (one_in(g, 50) && !is_exclusive(form))
        address = NOWHERE;
    if (rn != PC)
        put_value(u, rn, address - (uint32_t)computed_field(form, "offset", word));
    put_index(g, u, form, word); /* last, since SP is prepared through another register */
}

static const uint32_t CLREX = 0xf3bf8f2f;

/* In most cases precedes an exclusive store by a load of its size; always adds a CLREX after it. */
static void put_exclusive(struct generator *g, struct unit *u, const struct form *form,
                          uint32_t word)
{
    unsigned rn = register_of(form, "rn", word, PC), rt = rn / 2 == 1 ? 4 : 2;
    bool load = word >> 20 & 1, is_word = starts_with(form, "strex_w");

    prepare_access(g, u, form, word);
    if (!load && !one_in(g, 8)) {
        uint32_t exclusive = (word & (is_word ? 0xffff00ffu : 0xffff00f0u)) | 1u << 20 | rt << 12;

        exclusive |= starts_with(form, "strexd") ? (rt + 1) << 8 : 0xf00;
        put_random(u, is_word ? exclusive : exclusive | 0xf, 4);
    }
    put_random(u, word, 4);
    put(u, CLREX);
}

/* A branch through a register to another unit, whose address MOV and ADDW compute from the PC. */
static void put_indirect(struct generator *g, struct unit *u, const struct form *form,
                         uint32_t word)
{
    unsigned rm = register_of(form, "rm", word, PC);

    (void)g;
    put_16(u, 0x4678 | (rm & 8) << 4 | (rm & 7)); /* mov rm, pc */
    u->jump = (int)u->count;
    put(u, 0xf2000000u | rm << 16 | rm << 8);
    put_random(u, word, form_bytes(form));
}

/* ---- IT blocks ------------------------------------------------------------------------------- */

static bool is_class(const struct form *form, const char *klass)
{
    return !strcmp(form->instr->klass, klass);
}

/* Neither memory access nor control flow, and any values of its registers are fine. */
static bool is_plain(const struct form *form)
{
    return strcmp(form->instr->name, "vmsr_fpscr") && !is_class(form, "load") &&
           !is_class(form, "store") && !is_class(form, "branch") && !is_class(form, "system") &&
           !is_class(form, "other");
}

/* Whether the word decodes to the same form within an IT block of this state. */
static bool decodes_alike(struct generator *g, const struct form *form, uint32_t word,
                          unsigned state)
{
    unsigned width = form->instr->format->width;
    u128 wide = word | isa_context_bits(g->isa, state);

    return text_decode(g->text, wide, width) == form;
}

/* A2.5.2: the state after an instruction of a block. */
static unsigned advance_it(unsigned state)
{
    return state & 7 ? (state & 0xe0) | (state << 1 & 0x1f) : 0;
}

/* Appends IT, `word` (unless `form` is NULL), and random instructions up to the block's end. */
static void put_block(struct generator *g, struct unit *u, unsigned state, const struct form *form,
                      uint32_t word)
{
    put_random(u, 0xbf00 | state, 2);
    if (form) {
        put_random(u, word, form_bytes(form));
        state = advance_it(state);
    }
    for (unsigned tries = 0; state && u->count < UNIT_WORDS; tries++) {
        struct form *other = any_form(g);

        if (tries == 50) {
            put_16(u, 0xbf00); /* nop */
        } else if (is_plain(other) && word_of(g, other, &word) &&
                   decodes_alike(g, other, word, state)) {
            put_random(u, word, form_bytes(other));
        } else {
            continue;
        }
        state = advance_it(state);
        tries = 0;
    }
}

/* The first state of an IT block: any condition but NV; AL without an else. */
static unsigned random_it(struct generator *g)
{
    unsigned first = below(g, 15);

    return first << 4 | (first == 14 ? 1u << below(g, MAX_BLOCK) : 1 + below(g, 15));
}

/* ---- units ----------------------------------------------------------------------------------- */

static bool is_instruction(const struct form *form, const char *name)
{
    return !strcmp(form->instr->name, name);
}

static void make_branch(struct generator *g, const struct form *form, uint32_t word, struct unit *u)
{
    if (is_instruction(form, "bx_16") || is_instruction(form, "blx_16") ||
        is_instruction(form, "bxj")) {
        put_indirect(g, u, form, word);
        return;
    }
    u->jump = 0;
    u->near = is_instruction(form, "cbz") || is_instruction(form, "b_cond_16");
    u->form = form;
    put_random(u, word, form_bytes(form));
    if (is_instruction(form, "cbz"))
        put_16(u, 0xbf00); /* the shortest possible distance */
}

static void make_unit(struct generator *g, const struct form *form, uint32_t word, struct unit *u)
{
    bool access = is_class(form, "load") || is_class(form, "store");
    unsigned state = random_it(g);

    if (is_class(form, "branch")) {
        make_branch(g, form, word, u);
    } else if (is_instruction(form, "it")) {
        put_block(g, u, word & 0xff, NULL, 0);
    } else if (access && is_exclusive(form)) {
        put_exclusive(g, u, form, word);
    } else {
        if (access)
            prepare_access(g, u, form, word);
        if (is_instruction(form, "vmsr_fpscr"))
            put_value(u, register_of(form, "rt", word, 0), random_fpscr(g));
        if ((access || is_plain(form)) && one_in(g, 4) && decodes_alike(g, form, word, state))
            put_block(g, u, state, form, word);
        else
            put_random(u, word, form_bytes(form));
    }
}

static void put_loop(struct generator *g, struct unit *u)
{
    unsigned base = below(g, SP), turns = (base + 1 + below(g, SP - 1)) % SP;

    put_value(u, base, (uint32_t)MIDDLE + TURNS_AT);
    put(u, 0xf8d00000u | base << 16 | turns << 12); /* ldr */
    put(u, 0xf1b00001u | turns << 16 | turns << 8); /* subs */
    put(u, 0xf8c00000u | base << 16 | turns << 12); /* str */
    put(u, 0xf0408000u);                            /* bne */
}

/* A6.3: permanently undefined. */
static bool make_undefined_word(struct generator *g, uint32_t *word)
{
    *word = 0xf7f0a000u | below(g, 16) << 16 | (1 + below(g, 0xfff));
    return true;
}

static struct instruction jump_to_stub(unsigned half)
{
    return (struct instruction){0xe000u | (((STUB - 2 * half - 4) >> 1) & 0x7ff), 2};
}

/* BNE of a loop, back by less than 4 KB. */
static uint32_t aim_back(uint32_t word, int distance)
{
    uint32_t d = (uint32_t)distance - 4;

    return word | 1u << 26 | (d >> 12 & 0x3f) << 16 | 0x2800 | (d >> 1 & 0x7ff);
}

/* All others go forward, so that the bits of the sign are known. */
static uint32_t aim_jump(const struct unit *u, uint32_t word, int distance)
{
    uint32_t d = (uint32_t)distance - 4;

    if (u->back)
        return aim_back(word, distance);
    if (!u->form)
        return word | immediate_12((uint32_t)distance - 1); /* ADDW after MOV */
    if (is_instruction(u->form, "b_16"))
        return (word & 0xf800) | (d >> 1 & 0x7ff);
    if (is_instruction(u->form, "b_cond_16"))
        return (word & 0xff00) | (d >> 1 & 0xff);
    if (is_instruction(u->form, "cbz"))
        return (word & 0xfd07) | (d >> 6 & 1) << 9 | (d >> 1 & 31) << 3;
    if (is_instruction(u->form, "b_cond_w"))
        return (word & 0xfbc0d000) | (d >> 1 & 0x7ff);
    return (word & 0xf800d000) | 0x2800 | (d >> 1 & 0x7ff); /* B, BL */
}

const struct arch_words arch_words = {
    .isa = "t32",
    .jump_to_stub = jump_to_stub,
    .random_state = a32_random_state,
    .make_unit = make_unit,
    .undefined = make_undefined_word,
    .put_loop = put_loop,
    .aim = aim_jump,
};
