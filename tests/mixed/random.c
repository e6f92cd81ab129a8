/*
 * Random programs on the CPU of mixed/, against model.c: after stretches of random length, which
 * cut blocks and decode contexts anywhere, all visible state must be equal. Between stretches pages
 * are remapped or unmapped; programs overwrite themselves.
 *
 *     mixed_random interp|quick|llvm|both [PROGRAMS [SEED]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/base/random.h"
#include "runtime/cpu/group.h"
#include "runtime/jit/internal.h"
#include "tests/mixed/model.h"

extern const struct cpu_isa mixed_isa;

#define RAM UINT64_C(0x80000000)

enum {
    STRETCHES = 60,
    MAX_STRETCH = 120,
    CODE = 0x10000, /* three pages of code; further ones at both ends of the address space */
    DATA = 0x20000,
    HANDLER = 0x30000,
};

/* Offsets in cpu->state, as mixed.ac has them. */
enum { AT_R = 0, AT_Z = 68, AT_IT = 69, AT_CAUSE = 72, AT_BACK = 76 };

struct test {
    struct log log;
    struct bus *bus;
    struct cpu_group group;
    struct cpu *cpu;
    struct jit *jit; /* NULL: the interpreter alone */
    struct model m;
    uint64_t random;
    uint64_t seed;
};

static uint32_t draw_below(struct test *t, uint32_t below)
{
    return (uint32_t)(random_next(&t->random) >> 16) % below;
}

/* ---- programs -------------------------------------------------------------------------------- */

/* The distance of a jump, at most `most` units either way. */
static uint32_t jump_distance(struct test *t, uint32_t unit, uint32_t most)
{
    return (uint32_t)((int32_t)draw_below(t, 2 * most + 1) - (int32_t)most) * unit;
}

static uint32_t low_register(struct test *t)
{
    return draw_below(t, 12);
}

/* Base register and distance of an access: to data, across into a page of code, or to any code. */
static uint32_t access_place(struct test *t)
{
    if (draw_below(t, 4))
        return 13u << 16 | draw_below(t, 256);
    return draw_below(t, 2) ? 12u << 16 | draw_below(t, 3)
                            : (1 + draw_below(t, 8)) << 16 | draw_below(t, 256);
}

/* A random op rd rn imm in the fields of `wide`, from which the words of other ISAs are built. */
static uint32_t random_operation(struct test *t)
{
    static const uint8_t usual[] = {1, 1, 1, 2, 2, 2, 4, 4, 4, 5, 6, 6, 7, 7, 8, 3, 10, 0};
    uint32_t op = usual[draw_below(t, sizeof(usual))], rd = low_register(t), rn = low_register(t);
    uint32_t imm = draw_below(t, 4) ? draw_below(t, 16) : draw_below(t, 0x10000);

    if (op == 3 || op == 4)
        return op << 24 | (op == 4 ? rn << 16 : 0) | (jump_distance(t, 4, 12) & 0xffff);
    if (op == 5)
        return op << 24 | (1 + draw_below(t, 8)) << 16 | draw_below(t, 4);
    if (op == 6 || op == 7)
        return op << 24 | rd << 20 | access_place(t);
    if (op == 8)
        return op << 24 | imm;
    if (op == 10)
        return op << 24 | rd << 20;
    return op << 24 | rd << 20 | rn << 16 | imm;
}

static unsigned dense_word(struct test *t, uint16_t out[2])
{
    uint32_t w = random_operation(t), op = w >> 24, rd = w >> 20 & 15, rn = w >> 16 & 15;

    if (!draw_below(t, 6)) {
        out[0] = (uint16_t)(0xb000 | (1 + draw_below(t, 3)) << 10 | (1 + draw_below(t, 15)) << 6);
        return 1;
    }
    if (!draw_below(t, 12)) {
        out[0] = (uint16_t)(0xc000 | rd << 8);
        return 1;
    }
    if (op == 3 && draw_below(t, 2)) {
        w = 0xe9000000 | (jump_distance(t, 1, 24) & 0xffffff);
    } else if ((op == 1 || op == 2 || op == 4 || op == 6 || op == 7) && draw_below(t, 2)) {
        w = 0xf0000000 | op << 24 | rd << 20 | rn << 16 |
            (op == 4 ? jump_distance(t, 2, 24) & 0xffff : w & 0xffff);
    } else {
        out[0] = (uint16_t)(op << 12 | rd << 8 | rn << 4 | (w & 15));
        if (op == 3)
            out[0] = (uint16_t)(0x3000 | (jump_distance(t, 1, 24) & 0xfff));
        else if (op == 4)
            out[0] = (uint16_t)(0x4000 | rn << 8 | (jump_distance(t, 1, 24) & 0xff));
        else if (op == 8)
            out[0] = (uint16_t)(0x8000 | (w & 0xfff));
        else if (op == 10)
            out[0] = (uint16_t)(0xa000 | rd << 8);
        else if (!op && draw_below(t, 2))
            out[0] = 0x9000;
        return 1;
    }
    out[0] = (uint16_t)(w >> 16);
    out[1] = (uint16_t)w;
    return 2;
}

static unsigned low_word(struct test *t, uint16_t out[2])
{
    uint32_t w = random_operation(t), rd = w >> 20 & 15, rn = w >> 16 & 15;

    if (!draw_below(t, 3)) {
        out[0] = (uint16_t)(draw_below(t, 64) << 10 | rn << 6 | rd << 2 | 1);
        return 1;
    }
    if (!draw_below(t, 5)) {
        out[0] = (uint16_t)((jump_distance(t, 1, 24) & 0xff) << 8 | rn << 4 | 2);
        return 1;
    }
    w = w << 16 | rn << 12 | rd << 8 | (w >> 24) << 2 | 3;
    out[0] = (uint16_t)w;
    out[1] = (uint16_t)(w >> 16);
    return 2;
}

/* Fills a frame with words of one ISA. */
static void fill_frame(struct test *t, unsigned frame, unsigned mode)
{
    uint8_t *to = t->m.memory + frame * PAGE;
    unsigned at = 0;

    while (at < PAGE) {
        uint16_t units[2];
        unsigned n = 1;

        if (mode == MODE_WIDE) {
            uint32_t w = random_operation(t);

            units[0] = (uint16_t)w;
            units[1] = (uint16_t)(w >> 16);
            n = 2;
        } else {
            n = (mode == MODE_DENSE ? dense_word : low_word)(t, units);
        }
        for (unsigned k = 0; k < n && at < PAGE; k++, at += 2)
            le_put(to + at, 2, units[k]);
    }
}

/* Often makes the last instruction of a page cross into the next one. */
static void put_crossing(struct test *t, unsigned frame, unsigned next, unsigned mode)
{
    uint16_t units[2];

    if (mode == MODE_WIDE || !draw_below(t, 4))
        return;
    while ((mode == MODE_DENSE ? dense_word : low_word)(t, units) != 2)
        ;
    le_put(t->m.memory + frame * PAGE + PAGE - 2, 2, units[0]);
    le_put(t->m.memory + next * PAGE, 2, units[1]);
}

/* A loop across the end of a page, so that traces contain it. */
static uint32_t near_the_end(struct test *t, uint32_t page)
{
    return page + PAGE - 2 - 2 * draw_below(t, 12);
}

static void make_program(struct test *t)
{
    static const struct mapping pages[MAPPINGS] = {
        {CODE, 0, true}, {CODE + PAGE, 1, true}, {CODE + 2 * PAGE, 2, true},
        {DATA, 3, true}, {HANDLER, 4, false},    {0xfffff000, 5, true},
        {0, 6, true},    {0, -1, false}};
    unsigned mode = draw_below(t, MODES);
    struct met met = t->m.met;

    t->m = (struct model){.met = met, .mode = (uint8_t)mode};
    memcpy(t->m.map, pages, sizeof(pages));
    for (unsigned n = 0; n < FRAMES; n++)
        fill_frame(t, n, draw_below(t, 8) ? mode : draw_below(t, MODES));
    put_crossing(t, 0, 1, mode);
    put_crossing(t, 1, 2, mode);
    put_crossing(t, 5, 6, mode);
    /* The handler counts, and returns to after the instruction. */
    le_put(t->m.memory + 4 * PAGE, 4, 0x01bb0001);
    le_put(t->m.memory + 4 * PAGE + 4, 4, 0x09000000);
    for (unsigned n = 1; n < 9; n++)
        t->m.r[n] = draw_below(t, 3) ? CODE + 2 * draw_below(t, 3 * PAGE / 2)
                                     : near_the_end(t, draw_below(t, 2) ? CODE : 0xfffff000);
    t->m.r[9] = draw_below(t, 8);
    t->m.r[12] = (uint32_t[]){CODE + PAGE, CODE + 2 * PAGE, 0}[draw_below(t, 3)];
    t->m.r[13] = DATA + draw_below(t, PAGE - 128);
    t->m.r[14] = mode == MODE_WIDE ? 4 : 2;
    t->m.r[15] = HANDLER;
    t->m.pc = t->m.r[1 + draw_below(t, 8)] & (mode == MODE_WIDE ? ~3u : ~1u);
}

/*
 * A loop over an instruction that crosses into the second page of code, whose immediate the loop
 * itself increments.
 */
static void make_counting_loop(struct test *t)
{
    static const uint16_t rest[] = {
        1,      /* … #1 */
        0x62c0, /* load r2, r12, #0 */
        0x1221, /* addi r2, r2, #1 */
        0x72c0, /* store r2, r12, #0 */
        0x2331, /* subs r3, r3, #1 */
        0x43fa, /* jnz r3, to the first */
        0x3000, /* jump to itself */
    };

    make_program(t);
    le_put(t->m.memory + PAGE - 2, 2, 0xf111); /* addi.w r1, r1, … */
    for (unsigned n = 0; n < sizeof(rest) / sizeof(*rest); n++)
        le_put(t->m.memory + PAGE + 2 * n, 2, rest[n]);
    t->m.mode = MODE_DENSE;
    t->m.pc = CODE + PAGE - 2;
    t->m.r[3] = 1 + draw_below(t, 2000);
    t->m.r[12] = CODE + PAGE;
}

/* ---- the CPU --------------------------------------------------------------------------------- */

static uint32_t translate_address(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t ring,
                                  uint64_t *pa, uint32_t *flags)
{
    const struct test *t = cpu->hooks.opaque;
    const struct mapping *p = va >> 32 ? NULL : model_find(t->m.map, (uint32_t)va);

    (void)ring;
    if (!p || (access == CPU_WRITE && !p->write))
        return MAP_FAULT;
    *pa = RAM + (uint64_t)p->frame * PAGE;
    *flags = TRANSLATE_READ | TRANSLATE_EXEC | (p->write ? TRANSLATE_WRITE : 0) |
             CPU_PAGE_BITS << TRANSLATE_SIZE_SHIFT;
    return 0;
}

static bool start_cpu(struct test *t, const char *tier)
{
    struct jit_options o = jit_defaults();
    struct error err = {0};

    t->bus = bus_new(&t->log);
    if (!bus_add_ram(t->bus, "ram", RAM, FRAMES * PAGE, &err))
        return false;
    t->cpu = cpu_new(&mixed_isa, 0, t->bus, NULL, &t->log, &err);
    if (!t->cpu || !cpu_group_init(&t->group, &t->cpu, 1, t->bus, NULL, &err))
        return false;
    t->cpu->hooks.opaque = t;
    t->cpu->hooks.translate = translate_address;
    cpu_set_power(t->cpu, true);
    if (!strcmp(tier, "interp"))
        return true;
    o.enabled = o.sync = true;
    o.tier = !strcmp(tier, "quick")  ? JIT_TIER_QUICK
             : !strcmp(tier, "llvm") ? JIT_TIER_LLVM
                                     : JIT_TIER_BOTH;
    o.quick_threshold = 2;
    o.threshold = 4;
    t->jit = jit_new(t->group.code, &t->log, &o, &err);
    return t->jit != NULL;
}

static void free_cpu(struct test *t)
{
    cpu_group_free(&t->group);
    cpu_free(t->cpu);
    bus_free(t->bus);
}

static void load_program(struct test *t)
{
    struct cpu *cpu = t->cpu;

    bus_load(t->bus, RAM, t->m.memory, sizeof(t->m.memory));
    cpu_reset(cpu);
    memcpy(cpu->state + AT_R, t->m.r, sizeof(t->m.r));
    cpu->pc = t->m.pc;
    cpu->mode = t->m.mode;
    cpu_state_changed(cpu);
}

static uint32_t word_at(const struct cpu *cpu, unsigned at)
{
    return (uint32_t)le_get(cpu->state + at, 4);
}

/* Returns the name of what differs; NULL: nothing. */
static const char *find_difference(struct test *t, const uint8_t *memory)
{
    const struct cpu *cpu = t->cpu;
    const struct model *m = &t->m;

    if (cpu->pc != m->pc)
        return "PC";
    if (cpu->mode != m->mode)
        return "mode";
    if (memcmp(cpu->state + AT_R, m->r, sizeof(m->r)))
        return "registers";
    if (cpu->state[AT_Z] != m->z)
        return "Z";
    if (cpu->state[AT_IT] != m->it)
        return "IT";
    if (word_at(cpu, AT_CAUSE) != m->cause || word_at(cpu, AT_BACK) != m->back)
        return "what an exception leaves";
    if (cpu_register_get(t->cpu, "LAST") != m->last)
        return "address of a fault";
    return memcmp(memory, m->memory, sizeof(m->memory)) ? "memory" : NULL;
}

static void print_states(const struct test *t)
{
    const struct model *m = &t->m;

    printf("        %8s %8s\n", "CPU", "model");
    for (unsigned n = 0; n < 16; n++)
        printf("R%-6u %08x %08x\n", n, word_at(t->cpu, AT_R + 4 * n), m->r[n]);
    printf("PC      %08x %08x\nmode    %8u %8u\nIT      %8x %8x\nZ       %8x %8x\n",
           (uint32_t)t->cpu->pc, m->pc, t->cpu->mode, m->mode, t->cpu->state[AT_IT], m->it,
           t->cpu->state[AT_Z], m->z);
    printf("CAUSE   %08x %08x\nBACK    %08x %08x\nLAST    %08x %08x\n", word_at(t->cpu, AT_CAUSE),
           m->cause, word_at(t->cpu, AT_BACK), m->back, (uint32_t)cpu_register_get(t->cpu, "LAST"),
           m->last);
}

/* Maps a page of code to another frame or unmaps it; an unmapped page gets a frame. */
static void remap_page(struct test *t)
{
    struct mapping *p = &t->m.map[1 + draw_below(t, 2) * 5];

    p->frame = p->frame < 0 || draw_below(t, 2)
                   ? (int)(draw_below(t, 2) ? 1 + draw_below(t, 2) : 6 + draw_below(t, 2))
                   : -1;
    cpu_tlb_flush_page(t->cpu, p->va);
}

/* Continues at a random place of the code, after the program has left it. */
static void redirect_program(struct test *t)
{
    static const uint32_t pages[] = {CODE, CODE + PAGE, 0xfffff000};

    t->m.pc = near_the_end(t, pages[draw_below(t, 3)]);
    t->m.mode = t->m.pc & 2 ? MODE_DENSE + draw_below(t, 2) : draw_below(t, MODES);
    t->m.it = t->m.mode == MODE_DENSE && !draw_below(t, 3) ? (uint8_t)draw_below(t, 256) : 0;
    t->m.r[13] = DATA + draw_below(t, PAGE - 128);
    t->m.r[14] = t->m.mode == MODE_WIDE ? 4 : 2;
    t->m.r[15] = HANDLER;
    memcpy(t->cpu->state + AT_R, t->m.r, sizeof(t->m.r));
    t->cpu->state[AT_IT] = t->m.it;
    t->cpu->pc = t->m.pc;
    t->cpu->mode = t->m.mode;
    t->cpu->attention |= CPU_ATT_KEY;
}

static bool run_program(struct test *t, uint64_t number)
{
    uint8_t *memory = bus_find(t->bus, RAM)->host;
    uint64_t faults = 0;

    t->random = t->seed * 1000003 + number;
    (number % 16 == 5 ? make_counting_loop : make_program)(t);
    load_program(t);
    faults = t->m.met.fetch_faults;
    for (unsigned n = 0; n < STRETCHES; n++) {
        uint32_t ticks = draw_below(t, 4) ? 1 + draw_below(t, MAX_STRETCH) : 1 + draw_below(t, 5);
        const char *wrong;

        if (!draw_below(t, 6))
            remap_page(t);
        if (t->m.met.fetch_faults > faults + 4)
            redirect_program(t);
        faults = t->m.met.fetch_faults;
        for (uint32_t k = 0; k < ticks; k++)
            model_step(&t->m);
        if (cpu_run(t->cpu, ticks) != ticks)
            printf("the CPU did not run for %u ticks\n", ticks);
        wrong = find_difference(t, memory);
        if (!wrong)
            continue;
        printf("program %" PRIu64 ", stretch %u: %s\n", number, n, wrong);
        print_states(t);
        return false;
    }
    return true;
}

/* Without any of these events the test would prove nothing. */
static bool has_met(const struct test *t)
{
    const struct met *m = &t->m.met;

    if (t->jit)
        printf("%" PRIu64 " traces, %" PRIu64 " regions\n", t->jit->counters.traces,
               t->jit->counters.regions);
    if (t->jit && !t->jit->counters.traces && !t->jit->counters.regions)
        return false;
    printf("%" PRIu64 " crossings (%" PRIu64 " into no page), %" PRIu64
           " instructions in a context, %" PRIu64 " exceptions in one, %" PRIu64
           " switches of mode, %" PRIu64 " fetch faults\n",
           m->crossings, m->crossing_faults, m->contexts, m->exceptions_in_context, m->modes,
           m->fetch_faults);
    return m->crossings && m->crossing_faults && m->contexts && m->exceptions_in_context &&
           m->modes && m->fetch_faults;
}

int main(int argc, char **argv)
{
    const char *tier = argc > 1 ? argv[1] : "interp";
    uint64_t programs = argc > 2 ? strtoull(argv[2], NULL, 0) : 300;
    struct test *t = calloc(1, sizeof(*t));
    bool ok;

    t->seed = argc > 3 ? strtoull(argv[3], NULL, 0) : 1;
    ok = start_cpu(t, tier);
    for (uint64_t n = 0; n < programs && ok; n++)
        ok = run_program(t, n);
    ok = ok && has_met(t);
    free_cpu(t);
    free(t);
    return ok ? 0 : 1;
}
