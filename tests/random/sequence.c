/* Makes random sequences of instructions: units of a random word and its preparations. */

#include "tests/random/sequence.h"
#include "tests/random/arch_words.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_UNITS = 64 };

/* ---- words ----------------------------------------------------------------------------------- */

uint32_t below(struct generator *g, uint32_t n)
{
    return random_below(&g->random, n);
}

bool one_in(struct generator *g, uint32_t n)
{
    return below(g, n) == 0;
}

void put_random(struct unit *u, uint32_t word, unsigned bytes)
{
    if (u->count < UNIT_WORDS)
        u->counted[u->count] = true;
    put(u, word);
    u->bytes[u->count - 1] = bytes;
}

void put(struct unit *u, uint32_t word)
{
    if (u->count == UNIT_WORDS)
        return;
    u->words[u->count] = word;
    u->bytes[u->count++] = 4;
}

const struct field *field_of(const struct form *form, const char *name)
{
    return format_field(form->instr->format, name);
}

uint32_t get_field(const struct field *f, uint32_t word)
{
    return (uint32_t)field_extract(f, word);
}

uint32_t set_field(const struct field *f, uint32_t word, uint32_t value)
{
    uint32_t mask = f->width >= 32 ? UINT32_MAX : (UINT32_C(1) << f->width) - 1;

    return (word & ~(mask << f->lsb)) | (value & mask) << f->lsb;
}

uint32_t with_field(const struct form *form, const char *name, uint32_t word, uint32_t value)
{
    const struct field *f = field_of(form, name);

    return f && !f->computed ? set_field(f, word, value) : word;
}

int64_t computed_field(const struct form *form, const char *name, uint32_t word)
{
    const struct field *f = field_of(form, name);
    u128 fields[64] = {0};
    struct ir_machine machine = {.word = word, .fields = fields};
    struct ir_data argument, result;

    argument.lane[0] = word;
    if (!f || form->instr->format->fields.len > 64 ||
        ir_eval(&machine, form->decode, &argument, &result) != IR_DONE)
        return 0;
    return (int64_t)fields[f->index];
}

unsigned register_of(const struct form *form, const char *name, uint32_t word, unsigned none)
{
    const struct field *f = field_of(form, name);

    if (!f)
        return none;
    return f->computed ? (unsigned)computed_field(form, name, word) : get_field(f, word);
}

unsigned form_bytes(const struct form *form)
{
    return form->instr->format->width / 8;
}

/*
 * Takes registers from four, so that instructions use each other's results. Returns the word as it
 * is if that makes another form of it.
 */
static uint32_t narrow(const struct generator *g, const struct form *form, uint32_t word)
{
    static const char *const names[] = {"rd",  "rt",  "rt2", "rn", "rm", "ra",
                                        "rs1", "rs2", "rs3", "vd", "vn", "vm"};
    uint32_t narrowed = word;

    for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
        const struct field *f = field_of(form, names[i]);

        if (f && !f->computed && f->width >= 4)
            narrowed = set_field(f, narrowed, 8 | (get_field(f, word) & 3));
    }
    return text_decode(g->text, narrowed, form->instr->format->width) == form ? narrowed : word;
}

bool word_of(struct generator *g, struct form *form, uint32_t *word)
{
    u128 wide;

    for (unsigned tries = 0; tries < 50; tries++) {
        if (!random_word(&g->words, form, &wide))
            return false;
        *word = g->narrow ? narrow(g, form, (uint32_t)wide) : (uint32_t)wide;
        if (arch_words.mend)
            *word = arch_words.mend(g, form, *word);
        if (!left_out_find(g->left_out, form, *word))
            return true;
    }
    return false;
}

struct form *any_form(struct generator *g)
{
    return g->forms[below(g, g->count)];
}

/* ---- sequences ------------------------------------------------------------------------------- */

void put_code(struct request *r, unsigned half, struct instruction i)
{
    if (i.bytes == 2) {
        r->code[half] = (uint16_t)i.word;
    } else {
        r->code[half] = (uint16_t)(i.word >> (HIGH_FIRST ? 16 : 0));
        r->code[half + 1] = (uint16_t)(i.word >> (HIGH_FIRST ? 0 : 16));
    }
}

struct instruction get_code(const struct request *r, unsigned half)
{
    struct instruction i = {r->code[half], instruction_bytes(r->code[half])};

    if (i.bytes == 4)
        i.word = HIGH_FIRST ? i.word << 16 | r->code[half + 1]
                            : (uint32_t)r->code[half + 1] << 16 | i.word;
    return i;
}

/* The distance of a jump: to one of the units after it, or to the end. */
static int jump_distance(struct generator *g, const struct unit *u, unsigned at,
                         const unsigned *starts, unsigned self, unsigned units)
{
    unsigned further = units - self, step = u->near || one_in(g, 2) ? 1 : 1 + below(g, further);

    if (u->anywhere)
        return ((int)below(g, starts[units] + 1) & ~(int)(ALIGNMENT / 2 - 1)) - (int)at;
    return (int)starts[self + step] - (int)at;
}

static void lay_out(struct generator *g, const struct unit *units, unsigned count,
                    struct sequence *s)
{
    unsigned starts[MAX_UNITS + 2] = {0}, at = 0;

    for (unsigned i = 0; i < count; i++) {
        starts[i + 1] = starts[i];
        for (unsigned k = 0; k < units[i].count; k++)
            starts[i + 1] += units[i].bytes[k] / 2;
    }
    for (unsigned i = 0; i < count; i++) {
        const struct unit *u = &units[i];

        for (unsigned k = 0; k < u->count; k++) {
            uint32_t word = u->words[k];

            if ((int)k == u->jump)
                word = arch_words.aim(
                    u, word, 2 * (u->back ? -(int)at : jump_distance(g, u, at, starts, i, count)));
            put_code(&s->request, at, (struct instruction){word, u->bytes[k]});
            s->counted[at] = u->counted[k];
            s->at[s->count++] = (uint16_t)at;
            at += u->bytes[k] / 2;
        }
    }
    put_code(&s->request, at, arch_words.jump_to_stub(at));
    s->request.halves = at;
}

void random_vector(struct generator *g, uint64_t v[2])
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

/* Makes a unit of a word that the description leaves undefined. */
static void make_undefined(struct generator *g, struct unit *u)
{
    uint32_t word;

    *u = (struct unit){.jump = -1};
    if (arch_words.undefined(g, &word))
        put_random(u, word, 4);
}

/* Whether the CPU has the features of a form. */
bool is_there(const struct generator *g, const struct form *form)
{
    vec_for_each (&form->instr->features, f) {
        if (!(*f)->value && !g->all)
            return false;
    }
    return true;
}

/* Makes the unit of one random instruction. */
static void make_unit(struct generator *g, struct form *form, struct unit *u)
{
    uint32_t word;

    *u = (struct unit){.jump = -1};
    if (!word_of(g, form, &word))
        return;
    if (!is_there(g, form)) {
        if (one_in(g, 20))
            put_random(u, word, form_bytes(form));
        return;
    }
    g->made[form->index]++;
    arch_words.make_unit(g, form, word, u);
}

static struct form *draw_form(struct generator *g)
{
    struct form **list = g->by_instr[below(g, g->instrs)];
    unsigned n = 0;

    while (list[n])
        n++;
    return one_in(g, 2) ? g->forms[below(g, g->count)] : list[below(g, n)];
}

static struct form *draw_often(struct generator *g)
{
    const struct matching *m = &g->often[below(g, g->often_count)];

    return m->forms[below(g, m->count)];
}

static void draw_unit(struct generator *g, struct unit *u)
{
    /* the referee's CPU with every feature has more than the description */
    if (!g->all && one_in(g, 200))
        make_undefined(g, u);
    else if (g->often_count && !one_in(g, 4))
        make_unit(g, draw_often(g), u);
    else
        make_unit(g, draw_form(g), u);
}

/* Makes the unit that jumps to the start as long as there are turns left. */
static void make_loop(struct generator *g, struct unit *u, struct request *r)
{
    uint32_t turns = 2 + below(g, MAX_TURNS - 1);

    *u = (struct unit){.back = true};
    arch_words.put_loop(g, u);
    u->jump = (int)u->count - 1;
    memcpy(r->memory + MEMORY_BYTES / 2 + TURNS_AT, &turns, sizeof(turns));
}

void make_sequence(struct generator *g, uint64_t seed, uint64_t number, unsigned units,
                   struct sequence *s)
{
    static struct unit unit[MAX_UNITS + 1];
    unsigned count = 0, halves = 0;

    g->random.state = seed ^ (number + 1) * UINT64_C(0xd1342543de82ef95);
    g->words.random = random_next(&g->random) | 1;
    g->narrow = one_in(g, 2);
    memset(s, 0, sizeof(*s));
    arch_words.random_state(g, &s->request.state);
    for (unsigned i = 0; i < MEMORY_BYTES; i += 8) {
        uint64_t value = random_integer(&g->random);

        memcpy(s->request.memory + i, &value, 8);
    }
    while (count < units && count < MAX_UNITS) {
        draw_unit(g, &unit[count]);
        for (unsigned k = 0; k < unit[count].count; k++)
            halves += unit[count].bytes[k] / 2;
        if (halves > MAX_HALVES - 2 - 2 * UNIT_WORDS)
            break;
        count += unit[count].count != 0;
    }
    if (one_in(g, 4))
        make_loop(g, &unit[count++], &s->request);
    lay_out(g, unit, count, s);
    make_warm_up(g, &s->request, &s->warm_up);
}

/* ---- forms ----------------------------------------------------------------------------------- */

static bool is_wanted(const struct form *form, const char *only)
{
    return !only || fnmatch(only, form->name, 0) == 0 || fnmatch(only, form->instr->name, 0) == 0;
}

static bool add_instr(struct generator *g, struct instr *instr, const char *only)
{
    struct form **list = calloc(instr->forms.len + 1, sizeof(struct form *));
    unsigned n = 0;
    uint32_t word;

    if (!list)
        return false;
    vec_for_each (&instr->forms, form) {
        if (is_wanted(*form, only) && word_of(g, *form, &word))
            list[n++] = g->forms[g->count++] = *form;
    }
    if (n)
        g->by_instr[g->instrs++] = list;
    else
        free(list);
    return true;
}

bool generator_init(struct generator *g, struct isa *isa, struct text *text,
                    const struct left_out *left_out, const char *only, bool all)
{
    bool ok = true;

    *g = (struct generator){.isa = isa,
                            .text = text,
                            .words = {text, 1},
                            .isa_forms = isa->forms.len,
                            .all = all,
                            .left_out = left_out};
    g->forms = calloc(isa->forms.len + 1, sizeof(struct form *));
    g->by_instr = calloc(isa->instrs.len + 1, sizeof(struct form **));
    g->made = calloc(isa->forms.len + 1, sizeof(*g->made));
    ok = g->forms && g->by_instr && g->made;
    for (unsigned i = 0; ok && i < isa->instrs.len; i++)
        ok = add_instr(g, isa->instrs.data[i], only);
    return ok && g->count;
}

/* Adds the selected forms that a pattern matches. */
static bool add_matching(struct generator *g, const char *pattern)
{
    struct matching *m = &g->often[g->often_count];

    if (g->often_count == MAX_OFTEN)
        return false;
    m->forms = calloc(g->count, sizeof(struct form *));
    if (!m->forms)
        return false;
    g->often_count++;
    for (unsigned i = 0; i < g->count; i++) {
        if (is_wanted(g->forms[i], pattern) || !strcmp(g->forms[i]->instr->klass, pattern))
            m->forms[m->count++] = g->forms[i];
    }
    return m->count;
}

bool generator_often(struct generator *g, const char *patterns)
{
    char pattern[64];

    for (const char *at = patterns; *at;) {
        size_t length = strcspn(at, ",");

        if (length >= sizeof(pattern))
            return false;
        memcpy(pattern, at, length);
        pattern[length] = 0;
        if (!add_matching(g, pattern))
            return false;
        at += length + (at[length] == ',');
    }
    return true;
}

void generator_free(struct generator *g)
{
    for (unsigned i = 0; i < g->often_count; i++)
        free(g->often[i].forms);
    for (unsigned i = 0; i < g->instrs; i++)
        free(g->by_instr[i]);
    free(g->by_instr);
    free(g->forms);
    free(g->made);
}
