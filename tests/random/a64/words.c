/* How A64 instructions are drawn and prepared. */
#include "tests/random/arch_words.h"

#include <string.h>

enum { ZR = 31 };

#define MSR_FPCR UINT32_C(0xd51b4400)

/* ---- state ----------------------------------------------------------------------------------- */

static void random_state(struct generator *g, struct state *s)
{
    for (unsigned i = 0; i < 31; i++)
        s->x[i] = random_integer(&g->random);
    for (unsigned i = 0; i < 32; i++)
        random_vector(g, s->v[i]);
    s->sp = MIDDLE + 16 * below(g, 16);
    s->nzcv = (uint64_t)below(g, 16) << 28;
    s->fpcr = one_in(g, 2) ? 0 : (uint64_t)below(g, 32) << 22;
    if (g->all && one_in(g, 4))
        s->fpcr |= UINT64_C(1) << 19;
    s->fpsr = one_in(g, 2) ? 0 : random_next(&g->random) & 0x0800009f;
    s->fpsr |= one_in(g, 3) ? 0x10 : 0; /* what programs mostly have: inexact */
    s->unused = 0;
}

/* ---- words ----------------------------------------------------------------------------------- */

static bool is_exclusive_group(uint32_t word)
{
    return (word & 0x3f000000) == 0x08000000;
}

/* CAS and CASP, whose encodings are in the group of the exclusives. */
static bool is_compare_and_swap(const struct form *form)
{
    return !strcmp(form->instr->name, "cas") || !strcmp(form->instr->name, "casp");
}

static bool is_atomic(const struct form *form)
{
    return is_compare_and_swap(form) || !strcmp(form->instr->name, "ld_atomic") ||
           !strcmp(form->instr->name, "swp");
}

/* Makes equal registers, and system registers that exist, more frequent than in random words. */
static uint32_t mend_word(struct generator *g, const struct form *form, uint32_t word)
{
    static const uint16_t sysregs[] = {0xda10, 0xda20, 0xda21, 0xd801, 0xd807};
    const char *name = form->instr->name;

    if (is_exclusive_group(word) && !is_compare_and_swap(form)) {
        if (!(word & UINT32_C(1) << 21))
            word = with_field(form, "rt2", word, ZR);
        if (word & UINT32_C(1) << 23 || word & UINT32_C(1) << 22)
            word = with_field(form, "rs", word, ZR);
    }
    if (!strcmp(name, "mrs") || !strcmp(name, "msr"))
        word = (word & ~UINT32_C(0x1fffe0)) | (uint32_t)sysregs[below(g, 5)] << 5;
    return word;
}

/* ---- preparations ---------------------------------------------------------------------------- */

/* reg = a single bit; register 31 is SP. */
static void put_bit(struct unit *u, unsigned reg, uint64_t bit)
{
    put(u, UINT32_C(0xb24003e0) | (uint32_t)(__builtin_clzll(bit) + 1) << 16 | reg);
}

/* reg = address, which is within 16 MB of `middle`. */
static void put_address(struct unit *u, unsigned reg, uint64_t middle, uint64_t address)
{
    int64_t delta = (int64_t)(address - middle);
    uint32_t add = delta < 0 ? 0xd1000000 : 0x91000000;
    uint32_t bytes = (uint32_t)(delta < 0 ? -delta : delta);

    put_bit(u, reg, middle);
    if (bytes >> 12)
        put(u, add | UINT32_C(1) << 22 | (bytes >> 12 & 0xfff) << 10 | reg << 5 | reg);
    if (bytes & 0xfff)
        put(u, add | (bytes & 0xfff) << 10 | reg << 5 | reg);
}

/*
 * A value for MSR FPCR. Bits 21:20 and 18:16 (Stride, Len) hold AArch32's FPSCR fields. They are
 * RES0 without AArch32, which the referee has and the description has not. Bit 19 is FZ16, which
 * exists on the CPU with every feature.
 */
static void put_fpcr(struct generator *g, struct unit *u, unsigned reg)
{
    uint32_t high = below(g, 0x10000) & (g->all ? ~UINT32_C(0x37) : ~UINT32_C(0x3f));

    if (reg == ZR)
        return;
    put(u, UINT32_C(0xd2a00000) | high << 5 | reg);
    put(u, UINT32_C(0xf2800000) | below(g, 0x10000) << 5 | reg);
    put(u, UINT32_C(0xf2e00000) | below(g, 0x10000) << 5 | reg);
}

/* Sets an index register for the word's extension: a small number after it. */
static void put_index(struct generator *g, struct unit *u, unsigned reg, uint32_t word)
{
    unsigned option = word >> 13 & 7;
    uint32_t value = below(g, 16);
    bool negative = option != 2 && one_in(g, 3);

    if (reg == ZR)
        return;
    put(u, (negative ? 0x92800000 : 0xd2800000) | value << 5 | reg);
    if (!(option & 1)) /* only the lower half is used */
        put(u, UINT32_C(0xf2e00000) | below(g, 0x10000) << 5 | reg);
}

static bool has_offset_register(uint32_t word)
{
    return (word & 0x3b200c00) == 0x38200800;
}

static unsigned exclusive_bytes(uint32_t word)
{
    return (1u << (word >> 30)) << (word >> 21 & 1);
}

/* LDAPR must be aligned like LDAR, which the referee does not check. */
static bool is_ldapr(uint32_t word)
{
    return (word & 0x3fe0fc00) == 0x38a0c000;
}

/* The target of a load or store. */
static uint64_t target_address(struct generator *g, uint32_t word)
{
    uint64_t address = MIDDLE - REACH + below(g, 2 * REACH);

    if (is_exclusive_group(word)) {
        bool ordered = word >> 23 & 1;

        if (!(ordered && one_in(g, 16)))
            address &= ~(uint64_t)(exclusive_bytes(word) - 1);
    } else if (is_ldapr(word) || one_in(g, 2)) {
        address &= ~UINT64_C(15);
    }
    return address;
}

/* Sets the base register, and the index if there is one, for the word of a load or store. */
static void put_base(struct generator *g, struct unit *u, const struct form *form, uint32_t word,
                     uint64_t address)
{
    uint64_t middle = address >= NOWHERE ? NOWHERE : MIDDLE;
    const struct field *rm = field_of(form, "rm"), *rn = field_of(form, "rn");

    if (rm && has_offset_register(word))
        put_index(g, u, get_field(rm, word), word);
    put_address(u, get_field(rn, word), middle,
                address - (uint64_t)computed_field(form, "offset", word));
}

/* ---- units ----------------------------------------------------------------------------------- */

/* Neither memory access nor control flow: allowed between an exclusive load and its store. */
static bool is_plain(const struct form *form)
{
    static const char *const others[] = {"load", "store", "branch", "system", "other"};

    for (unsigned i = 0; i < 5; i++) {
        if (!strcmp(form->instr->klass, others[i]))
            return false;
    }
    return true;
}

static const uint32_t CLREX = 0xd5033f5f;

/* A load of the exclusive store's size, and a few other instructions. */
static void put_exclusive_load(struct generator *g, struct unit *u, uint32_t store,
                               uint64_t address)
{
    uint32_t load = (store & 0xc0200000) | 0x085f0000 | below(g, 2) << 15;
    uint32_t rt = below(g, 32), rt2 = store >> 21 & 1 ? (rt + 1 + below(g, 31)) % 32 : ZR;
    uint32_t rn = below(g, 32), filler;

    put_address(u, rn, MIDDLE, address);
    put_random(u, load | rt2 << 10 | rn << 5 | rt, 4);
    for (unsigned n = below(g, 3); n--;) {
        struct form *form = any_form(g);

        if (is_plain(form) && word_of(g, form, &filler))
            put_random(u, filler, 4);
    }
}

static void put_exclusive(struct generator *g, struct unit *u, const struct form *form,
                          uint32_t word)
{
    bool load = word >> 22 & 1;
    uint64_t address = target_address(g, word), other = target_address(g, word);

    if (load && one_in(g, 50))
        address = NOWHERE;
    if (!load && !one_in(g, 8))
        put_exclusive_load(g, u, word, one_in(g, 8) ? other : address);
    put_base(g, u, form, word, address);
    put_random(u, word, 4);
    put(u, CLREX);
}

/* In most cases aligned; compare and swap sometimes finds the compared value. */
static void put_atomic(struct generator *g, struct unit *u, const struct form *form, uint32_t word)
{
    uint64_t address = MIDDLE - REACH + below(g, 2 * REACH);
    uint32_t rn = get_field(field_of(form, "rn"), word);
    bool pair = !strcmp(form->instr->name, "casp");

    if (!one_in(g, 16))
        address &= ~UINT64_C(15);
    if (one_in(g, 50))
        address = NOWHERE;
    put_base(g, u, form, word, address);
    if (is_compare_and_swap(form) && address != NOWHERE && !(address & 15) && one_in(g, 2)) {
        uint32_t rs = get_field(field_of(form, "rs"), word) << pair;

        if (rs != rn && rs + 1 != rn && rs < ZR - 1) /* LDP of the value in memory */
            put(u, 0xa9400000 | (rs + 1) << 10 | rn << 5 | rs);
    }
    put_random(u, word, 4);
}

static void put_access(struct generator *g, struct unit *u, const struct form *form, uint32_t word)
{
    bool ordered = word >> 23 & 1;

    if (is_atomic(form)) {
        put_atomic(g, u, form, word);
        return;
    }
    if (is_exclusive_group(word) && !ordered) {
        put_exclusive(g, u, form, word);
        return;
    }
    put_base(g, u, form, word, one_in(g, 50) ? NOWHERE : target_address(g, word));
    put_random(u, word, 4);
}

/* A jump through a register, in most cases to another unit. */
static void put_indirect(struct generator *g, struct unit *u, const struct form *form,
                         uint32_t word)
{
    uint32_t rn = get_field(field_of(form, "rn"), word);

    if (one_in(g, 50)) {
        put_bit(u, rn == ZR ? 0 : rn, NOWHERE);
    } else if (rn != ZR) {
        u->jump = (int)u->count;
        u->off_by = one_in(g, 50) ? 2 : 0;
        put(u, 0x10000000 | rn);
    }
    put_random(u, word, 4);
}

static const struct field *jump_field(const struct form *form)
{
    static const char *const names[] = {"imm26", "imm19", "imm14"};
    const struct field *f = NULL;

    for (unsigned i = 0; i < 3 && !f; i++)
        f = field_of(form, names[i]);
    return f;
}

static void make_unit(struct generator *g, const struct form *form, uint32_t word, struct unit *u)
{
    const char *klass = form->instr->klass;

    if (!strcmp(klass, "branch") || (jump_field(form) && strcmp(klass, "other"))) {
        /* A literal load reads the code. */
        u->to = jump_field(form);
        if (!u->to) {
            put_indirect(g, u, form, word);
            return;
        }
        u->jump = 0;
        u->anywhere = (word & 0x3b000000) == 0x18000000;
        put_random(u, word, 4);
    } else if (strcmp(klass, "load") && strcmp(klass, "store")) {
        if (!strcmp(form->instr->name, "sys") && !one_in(g, 4)) {
            /* DC CVAC, CVAU, CIVAC and IC IVAU at a valid address. */
            static const uint32_t ops[] = {0xd50b7a20, 0xd50b7b20, 0xd50b7e20, 0xd50b7520};

            word = ops[below(g, 4)] | (word & 31);
            put_address(u, (word & 31) % 31, MIDDLE, target_address(g, word));
        }
        if (word >> 5 == MSR_FPCR >> 5)
            put_fpcr(g, u, word & 31);
        put_random(u, word, 4);
    } else if (field_of(form, "rn")) {
        put_access(g, u, form, word);
    } else { /* DC ZVA */
        uint32_t rt = get_field(field_of(form, "rt"), word);

        if (rt != ZR)
            put_address(u, rt, MIDDLE, target_address(g, word));
        put_random(u, word, 4);
    }
}

static void put_loop(struct generator *g, struct unit *u)
{
    static const struct field imm19 = {.lsb = 5, .width = 19};
    uint32_t base = below(g, 31), turns = (base + 1 + below(g, 30)) % 31;

    put_address(u, base, MIDDLE, MIDDLE + TURNS_AT);
    put(u, 0xb9400000 | base << 5 | turns);  /* ldr */
    put(u, 0x51000400 | turns << 5 | turns); /* sub */
    put(u, 0xb9000000 | base << 5 | turns);  /* str */
    u->to = &imm19;
    put(u, 0x35000000 | turns); /* cbnz */
}

static bool make_undefined_word(struct generator *g, uint32_t *word)
{
    for (unsigned tries = 0; tries < 100; tries++) {
        *word = (uint32_t)random_next(&g->random);
        if (!text_decode(g->text, *word, 32))
            return true;
    }
    return false;
}

static struct instruction jump_to_stub(unsigned half)
{
    return (struct instruction){0x14000000 | ((STUB / 4 - half / 2) & 0x3ffffff), 4};
}

static uint32_t aim_jump(const struct unit *u, uint32_t word, int distance)
{
    if (u->to)
        return set_field(u->to, word, (uint32_t)(distance / 4));
    return word | u->off_by << 29 | (uint32_t)(distance / 4) << 5;
}

const struct arch_words arch_words = {
    .isa = "a64",
    .jump_to_stub = jump_to_stub,
    .random_state = random_state,
    .mend = mend_word,
    .make_unit = make_unit,
    .undefined = make_undefined_word,
    .put_loop = put_loop,
    .aim = aim_jump,
};
