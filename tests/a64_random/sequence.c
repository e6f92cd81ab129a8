#include "tests/a64_random/sequence.h"
#include "tests/a64_random/left_out.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_UNITS = 64,
    UNIT_WORDS = 24,
    REACH = 448, /* accesses lie within so many bytes of MIDDLE */
    ZR = 31,
};

/* Instructions that belong together: preparations, then what they are for. A jump lands on the
 * first word of a unit. */
struct unit {
    uint32_t words[UNIT_WORDS];
    bool counted[UNIT_WORDS];
    unsigned count;
    int jump;               /* word that jumps to another unit, or -1 */
    const struct field *to; /* its field, in words; NULL: an ADR */
    unsigned off_by;        /* bytes added to the target of an ADR */
};

#define MSR_FPCR UINT32_C(0xd51b4400)

/* ---- words ----------------------------------------------------------------------------------- */

static uint32_t below(struct generator *g, uint32_t n)
{
    return random_below(&g->random, n);
}

static bool one_in(struct generator *g, uint32_t n)
{
    return below(g, n) == 0;
}

static void put(struct unit *u, uint32_t word)
{
    if (u->count < UNIT_WORDS)
        u->words[u->count++] = word;
}

static void put_random(struct unit *u, uint32_t word)
{
    if (u->count < UNIT_WORDS)
        u->counted[u->count] = true;
    put(u, word);
}

static const struct field *field_of(const struct form *form, const char *name)
{
    return format_field(form->instr->format, name);
}

static uint32_t get_field(const struct field *f, uint32_t word)
{
    return (uint32_t)field_extract(f, word);
}

static uint32_t set_field(const struct field *f, uint32_t word, uint32_t value)
{
    uint32_t mask = f->width >= 32 ? UINT32_MAX : (UINT32_C(1) << f->width) - 1;

    return (word & ~(mask << f->lsb)) | (value & mask) << f->lsb;
}

static uint32_t with_field(const struct form *form, const char *name, uint32_t word, uint32_t value)
{
    const struct field *f = field_of(form, name);

    return f && !f->computed ? set_field(f, word, value) : word;
}

/* Registers that should be one, and system registers that exist, are rare among random words. */
static uint32_t mend(struct generator *g, const struct form *form, uint32_t word)
{
    static const uint16_t sysregs[] = {0xda10, 0xda20, 0xda21, 0xd801, 0xd807};
    const char *name = form->instr->name;

    if ((word & 0x3f000000) == 0x08000000) {
        if (!(word & UINT32_C(1) << 21))
            word = with_field(form, "rt2", word, ZR);
        if (word & UINT32_C(1) << 23 || word & UINT32_C(1) << 22)
            word = with_field(form, "rs", word, ZR);
    }
    if (!strcmp(name, "mrs") || !strcmp(name, "msr"))
        word = (word & ~UINT32_C(0x1fffe0)) | (uint32_t)sysregs[below(g, 5)] << 5;
    return word;
}

/* A random word of the form that is not left out; false when there is none. */
static bool word_of(struct generator *g, struct form *form, uint32_t *word)
{
    u128 wide;

    for (unsigned tries = 0; tries < 50; tries++) {
        if (!random_word(&g->words, form, &wide))
            return false;
        *word = mend(g, form, (uint32_t)wide);
        if (!left_out(form->instr, *word))
            return true;
    }
    return false;
}

/* ---- preparations ---------------------------------------------------------------------------- */

/* reg = a single bit; 31 is SP. */
static void put_bit(struct unit *u, unsigned reg, uint64_t bit)
{
    put(u, UINT32_C(0xb24003e0) | (uint32_t)(__builtin_clzll(bit) + 1) << 16 | reg);
}

/* reg = address, which is less than 16 MB from `middle`. */
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
 * A value for MSR FPCR. Bits 21:20 and 18:16 (Stride, Len) hold what AArch32's FPSCR has there; they
 * are RES0 without AArch32, which the description does not have and the referee does.
 */
static void put_fpcr(struct generator *g, struct unit *u, unsigned reg)
{
    uint32_t high = below(g, 0x10000) & ~UINT32_C(0x37);

    if (reg == ZR)
        return;
    put(u, UINT32_C(0xd2a00000) | high << 5 | reg);
    put(u, UINT32_C(0xf2800000) | below(g, 0x10000) << 5 | reg);
    put(u, UINT32_C(0xf2e00000) | below(g, 0x10000) << 5 | reg);
}

/* An index register for the extension that the word has: a small number once extended. */
static void put_index(struct generator *g, struct unit *u, unsigned reg, uint32_t word)
{
    unsigned option = word >> 13 & 7;
    uint32_t value = below(g, 16);
    bool negative = option != 2 && one_in(g, 3);

    if (reg == ZR)
        return;
    put(u, (negative ? 0x92800000 : 0xd2800000) | value << 5 | reg);
    if (!(option & 1)) /* only the lower half counts */
        put(u, UINT32_C(0xf2e00000) | below(g, 0x10000) << 5 | reg);
}

static bool has_offset_register(uint32_t word)
{
    return (word & 0x3b200c00) == 0x38200800;
}

/* The computed field `offset` of a word. */
static int64_t offset_of(const struct form *form, uint32_t word)
{
    const struct field *f = field_of(form, "offset");
    u128 fields[64] = {0};
    struct ir_machine machine = {.word = word, .fields = fields};
    struct ir_data argument, result;

    argument.lane[0] = word;
    if (!f || form->instr->format->fields.count > 64 ||
        ir_eval(&machine, form->decode, &argument, &result) != IR_DONE)
        return 0;
    return (int64_t)fields[f->index];
}

static bool is_exclusive_group(uint32_t word)
{
    return (word & 0x3f000000) == 0x08000000;
}

static unsigned exclusive_bytes(uint32_t word)
{
    return (1u << (word >> 30)) << (word >> 21 & 1);
}

/* Where a load or store goes. */
static uint64_t target_address(struct generator *g, uint32_t word)
{
    uint64_t address = MIDDLE - REACH + below(g, 2 * REACH);

    if (is_exclusive_group(word)) {
        bool ordered = word >> 23 & 1;

        if (!(ordered && one_in(g, 16)))
            address &= ~(uint64_t)(exclusive_bytes(word) - 1);
    } else if (one_in(g, 2)) {
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
    put_address(u, get_field(rn, word), middle, address - (uint64_t)offset_of(form, word));
}

/* ---- units ----------------------------------------------------------------------------------- */

/* Neither memory nor control flow: what may stand between an exclusive load and its store. */
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

/* A load of the size of an exclusive store, and a few instructions. */
static void put_exclusive_load(struct generator *g, struct unit *u, uint32_t store,
                               uint64_t address)
{
    uint32_t load = (store & 0xc0200000) | 0x085f0000 | below(g, 2) << 15;
    uint32_t rt = below(g, 32), rt2 = store >> 21 & 1 ? (rt + 1 + below(g, 31)) % 32 : ZR;
    uint32_t rn = below(g, 32), filler;

    put_address(u, rn, MIDDLE, address);
    put_random(u, load | rt2 << 10 | rn << 5 | rt);
    for (unsigned n = below(g, 3); n--;) {
        struct form *form = g->forms[below(g, g->count)];

        if (is_plain(form) && word_of(g, form, &filler))
            put_random(u, filler);
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
    put_random(u, word);
    put(u, CLREX);
}

static void put_access(struct generator *g, struct unit *u, const struct form *form, uint32_t word)
{
    bool ordered = word >> 23 & 1;

    if (is_exclusive_group(word) && !ordered) {
        put_exclusive(g, u, form, word);
        return;
    }
    put_base(g, u, form, word, one_in(g, 50) ? NOWHERE : target_address(g, word));
    put_random(u, word);
}

/* A jump through a register: mostly to another unit. */
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
    put_random(u, word);
}

static const struct field *jump_field(const struct form *form)
{
    static const char *const names[] = {"imm26", "imm19", "imm14"};
    const struct field *f = NULL;

    for (unsigned i = 0; i < 3 && !f; i++)
        f = field_of(form, names[i]);
    return f;
}

/* Makes the unit of one random instruction. */
static void make_unit(struct generator *g, struct form *form, struct unit *u)
{
    const char *klass = form->instr->klass;
    uint32_t word;

    *u = (struct unit){.jump = -1};
    if (!word_of(g, form, &word))
        return;
    g->made[form->index]++;
    if (!strcmp(klass, "branch") || (jump_field(form) && strcmp(klass, "other"))) {
        /* A literal load reads the code. */
        u->to = jump_field(form);
        if (!u->to) {
            put_indirect(g, u, form, word);
            return;
        }
        u->jump = 0;
        put_random(u, word);
    } else if (strcmp(klass, "load") && strcmp(klass, "store")) {
        if (!strcmp(form->instr->name, "sys") && !one_in(g, 4)) {
            /* DC CVAC, CVAU, CIVAC and IC IVAU at a good address. */
            static const uint32_t ops[] = {0xd50b7a20, 0xd50b7b20, 0xd50b7e20, 0xd50b7520};

            word = ops[below(g, 4)] | (word & 31);
            put_address(u, (word & 31) % 31, MIDDLE, target_address(g, word));
        }
        if (word >> 5 == MSR_FPCR >> 5)
            put_fpcr(g, u, word & 31);
        put_random(u, word);
    } else if (field_of(form, "rn")) {
        put_access(g, u, form, word);
    } else { /* DC ZVA */
        uint32_t rt = get_field(field_of(form, "rt"), word);

        if (rt != ZR)
            put_address(u, rt, MIDDLE, target_address(g, word));
        put_random(u, word);
    }
}

/* A word that the description calls undefined. */
static void make_undefined(struct generator *g, struct unit *u)
{
    *u = (struct unit){.jump = -1};
    for (unsigned tries = 0; tries < 100; tries++) {
        uint32_t word = (uint32_t)random_next(&g->random);

        if (!text_decode(g->text, word, 32)) {
            put_random(u, word);
            return;
        }
    }
}

/* ---- sequences ------------------------------------------------------------------------------- */

uint32_t jump_to_stub(unsigned index)
{
    return 0x14000000 | ((STUB / 4 - index) & 0x3ffffff);
}

/* Turns a jump towards one of the units behind it, or the end. A literal goes anywhere. */
static uint32_t aim(struct generator *g, const struct unit *u, uint32_t word, unsigned at,
                    const unsigned *starts, unsigned self, unsigned units)
{
    unsigned further = units - self, step = one_in(g, 2) ? 1 : 1 + below(g, further);
    int distance = (int)starts[self + step] - (int)at;

    if (u->to && (word & 0x3b000000) == 0x18000000)
        distance = (int)below(g, starts[units] + 1) - (int)at;
    if (u->to)
        return set_field(u->to, word, (uint32_t)distance);
    return word | u->off_by << 29 | (uint32_t)distance << 5;
}

static void lay_out(struct generator *g, const struct unit *units, unsigned count,
                    struct sequence *s)
{
    unsigned starts[MAX_UNITS + 1] = {0};

    for (unsigned i = 0; i < count; i++)
        starts[i + 1] = starts[i] + units[i].count;
    for (unsigned i = 0; i < count; i++) {
        const struct unit *u = &units[i];

        for (unsigned k = 0; k < u->count; k++) {
            unsigned at = starts[i] + k;

            s->request.code[at] = u->words[k];
            s->counted[at] = u->counted[k];
            if ((int)k == u->jump)
                s->request.code[at] = aim(g, u, u->words[k], at, starts, i, count);
        }
    }
    s->request.code[starts[count]] = jump_to_stub(starts[count]);
    s->request.words = starts[count];
}

static void random_vector(struct generator *g, uint64_t v[2])
{
    uint64_t operands[3];
    unsigned kind = below(g, 8);

    v[0] = random_next(&g->random);
    v[1] = random_next(&g->random);
    if (kind < 2) {
        random_floats(&g->random, 64, operands);
        memcpy(v, operands, 16);
    } else if (kind < 6) {
        unsigned width = kind < 5 ? 32 : 16;

        for (unsigned i = 0; i < 128 / width; i++) {
            if (i % 2 == 0)
                random_floats(&g->random, (int)width, operands);
            memcpy((uint8_t *)v + i * width / 8, &operands[i % 2], width / 8);
        }
    } else if (kind == 6) {
        v[0] = random_integer(&g->random);
        v[1] = random_integer(&g->random);
    }
}

static void random_state(struct generator *g, struct state *s)
{
    for (unsigned i = 0; i < 31; i++)
        s->x[i] = random_integer(&g->random);
    for (unsigned i = 0; i < 32; i++)
        random_vector(g, s->v[i]);
    s->sp = MIDDLE + 16 * below(g, 16);
    s->nzcv = (uint64_t)below(g, 16) << 28;
    s->fpcr = one_in(g, 2) ? 0 : (uint64_t)below(g, 32) << 22;
    s->fpsr = one_in(g, 2) ? 0 : random_next(&g->random) & 0x0800009f;
    s->unused = 0;
}

void make_sequence(struct generator *g, uint64_t seed, uint64_t number, unsigned units,
                   struct sequence *s)
{
    static struct unit unit[MAX_UNITS];
    unsigned count = 0, words = 0;

    g->random.state = seed ^ (number + 1) * UINT64_C(0xd1342543de82ef95);
    g->words.random = random_next(&g->random) | 1;
    memset(s, 0, sizeof(*s));
    random_state(g, &s->request.state);
    for (unsigned i = 0; i < MEMORY_BYTES; i += 8) {
        uint64_t value = random_integer(&g->random);

        memcpy(s->request.memory + i, &value, 8);
    }
    while (count < units && count < MAX_UNITS) {
        struct form **list = g->by_instr[below(g, g->instrs)];
        unsigned n = 0;

        while (list[n])
            n++;
        if (one_in(g, 200))
            make_undefined(g, &unit[count]);
        else
            make_unit(g, one_in(g, 2) ? g->forms[below(g, g->count)] : list[below(g, n)],
                      &unit[count]);
        words += unit[count].count;
        if (words > MAX_WORDS - 1 - UNIT_WORDS)
            break;
        count += unit[count].count != 0;
    }
    lay_out(g, unit, count, s);
}

/* ---- forms ----------------------------------------------------------------------------------- */

static bool wanted(const struct form *form, const char *only)
{
    return !only || fnmatch(only, form->name, 0) == 0 || fnmatch(only, form->instr->name, 0) == 0;
}

static bool add_instr(struct generator *g, struct instr *instr, const char *only)
{
    struct form **list = calloc(instr->forms.count + 1, sizeof(struct form *));
    unsigned n = 0;
    uint32_t word;

    if (!list)
        return false;
    vec_for_each (&instr->forms, form) {
        if (wanted(*form, only) && word_of(g, *form, &word))
            list[n++] = g->forms[g->count++] = *form;
    }
    if (n)
        g->by_instr[g->instrs++] = list;
    else
        free(list);
    return true;
}

bool generator_init(struct generator *g, struct isa *isa, struct text *text, const char *only)
{
    bool ok = true;

    *g = (struct generator){.text = text, .words = {text, 1}, .isa_forms = isa->forms.count};
    g->forms = calloc(isa->forms.count + 1, sizeof(struct form *));
    g->by_instr = calloc(isa->instrs.count + 1, sizeof(struct form **));
    g->made = calloc(isa->forms.count + 1, sizeof(*g->made));
    ok = g->forms && g->by_instr && g->made;
    for (unsigned i = 0; ok && i < isa->instrs.count; i++)
        ok = add_instr(g, isa->instrs.at[i], only);
    return ok && g->count;
}

void generator_free(struct generator *g)
{
    for (unsigned i = 0; i < g->instrs; i++)
        free(g->by_instr[i]);
    free(g->by_instr);
    free(g->forms);
    free(g->made);
}
