/*
 * Decoding of blocks, by this test's own ISA: instructions of 2, 4 or 6 bytes, a decode context and
 * two modes. Compared with an interpreter on three pages, and block by block.
 */
#include "common/asm_text.h"
#include "tests/cpu/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/cpu/internal.h"

/*
 * The upper four bits of the first unit are the operation, the others its number n. c is the decode
 * context, which each instruction lowers by one; in context c, x7 is first set to 8 x7 + c.
 */
enum {
    UNDEFINED,
    INC,     /* x1 += n */
    LONG,    /* x2 = 3 x2 + the second unit */
    LONGER,  /* x3 = 5 x3 + the second and third unit */
    JUMP,    /* to n units after this one, -2048 to 2047 */
    CONTEXT, /* the next instruction has context n */
    MODE,    /* mode n, and x4 = 7 x4 + the previous mode */
    KINDS
};

#define UNIT(kind, n) ((uint16_t)((kind) << 12 | ((n)&0xfff)))

static unsigned units_of(unsigned kind)
{
    return kind == LONG ? 2 : kind == LONGER ? 3 : 1;
}

/* ---- the ISA --------------------------------------------------------------------------------- */

struct strip {
    struct insn base;
    uint8_t context;
    uint16_t stride;
    int32_t n;
    uint32_t more;
};

#define S(i)    ((const struct strip *)(const void *)(i))
#define XS(cpu) (toy_state(cpu)->x)

enum { CONTEXT_AT = offsetof(struct toy, saved_step) };

static void begin_insn(struct cpu *cpu, const struct insn *i)
{
    if (S(i)->context)
        XS(cpu)[7] = 8 * XS(cpu)[7] + S(i)->context;
}

static void go_on(struct cpu *cpu, const struct insn *i)
{
    const struct insn *n = (const void *)((const char *)i + S(i)->stride);

    n->fn(cpu, n);
}

static void do_undefined(struct cpu *cpu, const struct insn *i)
{
    cpu_undefined(cpu, i);
}

static void do_inc(struct cpu *cpu, const struct insn *i)
{
    begin_insn(cpu, i);
    XS(cpu)[1] += (uint64_t)S(i)->n;
    go_on(cpu, i);
}

static void do_long(struct cpu *cpu, const struct insn *i)
{
    begin_insn(cpu, i);
    XS(cpu)[2] = 3 * XS(cpu)[2] + S(i)->more;
    go_on(cpu, i);
}

static void do_longer(struct cpu *cpu, const struct insn *i)
{
    begin_insn(cpu, i);
    XS(cpu)[3] = 5 * XS(cpu)[3] + S(i)->more;
    go_on(cpu, i);
}

static void do_context(struct cpu *cpu, const struct insn *i)
{
    begin_insn(cpu, i);
    go_on(cpu, i);
}

static void do_jump(struct cpu *cpu, const struct insn *i)
{
    begin_insn(cpu, i);
    cpu->pc = CPU_PC(cpu, i) + (uint64_t)(2 * (int64_t)S(i)->n);
}

static void do_mode(struct cpu *cpu, const struct insn *i)
{
    begin_insn(cpu, i);
    XS(cpu)[4] = 7 * XS(cpu)[4] + cpu->mode;
    cpu_set_mode(cpu, S(i)->n & 1);
    cpu->pc = CPU_PC(cpu, i) + 2;
}

static unsigned decode_strip(struct cpu *cpu, struct cpu_fetch *at, struct insn *out)
{
    static insn_fn *const fns[KINDS] = {do_undefined, do_inc,     do_long, do_longer,
                                        do_jump,      do_context, do_mode};
    struct strip *s = (struct strip *)(void *)out;
    unsigned word = (unsigned)le_get(at->bytes, 2), kind = word >> 12 < KINDS ? word >> 12 : 0;

    out->bytes = 2 * units_of(kind) & 15;
    if (at->available < out->bytes)
        return DECODE_MORE;
    out->fn = fns[kind];
    out->word = word;
    out->form = (uint16_t)kind;
    s->n = (int32_t)((word & 0xfff) ^ 0x800) - 0x800;
    s->more = (uint32_t)le_get(at->bytes + 2, out->bytes - 2u);
    s->stride = (uint16_t)cpu->isa->decoders[cpu->mode].insn_bytes;
    at->next_context = kind == CONTEXT ? s->n & 7 : at->context ? at->context - 1 : 0;
    return kind == JUMP || kind == MODE || kind == UNDEFINED ? DECODE_ENDS_BLOCK : 0;
}

static bool disasm_strip(const struct cpu_fetch *at, uint64_t address, struct asm_out *out)
{
    static const char *const names[KINDS] = {"",     "inc",     "long", "longer",
                                             "jump", "context", "mode"};
    unsigned word = (unsigned)le_get(at->bytes, 2), kind = word >> 12;

    if (!kind || kind >= KINDS || at->available < 2 * units_of(kind))
        return false;
    snprintf(out->text, out->size, "%s %u at %x in %u, next %u", names[kind], word & 0xfff,
             (unsigned)address, at->context, at->next_context);
    return true;
}

static struct bench *strip_bench(void)
{
    static struct cpu_decoder decoders[2];
    static struct cpu_isa isa;

    decoders[0] = (struct cpu_decoder){.name = "strip",
                                       .unit_bytes = 2,
                                       .max_bytes = 6,
                                       .insn_bytes = sizeof(struct strip),
                                       .has_context = true,
                                       .context = CONTEXT_AT,
                                       .context_at = offsetof(struct strip, context),
                                       .decode = decode_strip,
                                       .disasm = disasm_strip};
    decoders[1] = decoders[0];
    decoders[1].insn_bytes = sizeof(struct strip) + 24;
    isa = toy_isa;
    isa.decoders = decoders;
    isa.decoder_count = 2;
    return bench_new_of(&isa, 1);
}

static void put_units(struct bench *b, uint64_t pa, const uint16_t *units, size_t count)
{
    assert_true(bus_load(b->bus, pa, units, count * 2));
}

#define UNITS(b, pa, ...) \
    put_units(b, pa, (const uint16_t[]){__VA_ARGS__}, sizeof((const uint16_t[]){__VA_ARGS__}) / 2)

/* ---- beside an interpreter ------------------------------------------------------------------- */

struct plain {
    uint64_t x[8], pc;
    unsigned context, mode;
};

static void step_plain(struct plain *p, const uint16_t *units, uint64_t base)
{
    const uint16_t *u = units + (p->pc - base) / 2;
    unsigned kind = u[0] >> 12, c = p->context;
    int n = (int)((u[0] & 0xfff) ^ 0x800) - 0x800;

    if (c)
        p->x[7] = 8 * p->x[7] + c;
    p->context = kind == CONTEXT ? n & 7 : c ? c - 1 : 0;
    p->pc += 2 * units_of(kind);
    if (kind == INC)
        p->x[1] += (uint64_t)(int64_t)n;
    else if (kind == LONG)
        p->x[2] = 3 * p->x[2] + u[1];
    else if (kind == LONGER)
        p->x[3] = 5 * p->x[3] + (u[1] | (uint32_t)u[2] << 16);
    else if (kind == JUMP)
        p->pc += (uint64_t)(2 * (int64_t)n - 2);
    if (kind == MODE) {
        p->x[4] = 7 * p->x[4] + p->mode;
        p->mode = n & 1;
    }
}

static uint32_t drawn;

static unsigned draw_below(unsigned below)
{
    drawn = drawn * 1664525 + 1013904223;
    return (drawn >> 8) % below;
}

enum { PROGRAM = 400 };

/*
 * A program of instructions of all kinds: the last one jumps to the first, others one or two units
 * ahead to an instruction.
 */
static void make_program(uint16_t *units)
{
    unsigned at = 0;

    while (at < PROGRAM - 1) {
        unsigned kind = draw_below(20), left = PROGRAM - 1 - at;

        kind = kind < 10 ? INC : kind < 13 ? LONG : kind < 15 ? LONGER : kind - 11;
        if (kind >= KINDS || units_of(kind) > left)
            kind = INC;
        units[at] = UNIT(kind, draw_below(0x1000));
        if (kind == JUMP)
            units[at] = UNIT(kind, 1);
        for (unsigned n = 1; n < units_of(kind); n++)
            units[at + n] = (uint16_t)draw_below(0x10000);
        at += units_of(kind);
    }
    units[at] = UNIT(JUMP, -(int)at);
}

static void expect_same(struct bench *b, const struct plain *p)
{
    const struct cpu *cpu = b->cpu[0];

    for (unsigned n = 1; n < 8; n++)
        assert_int_equal(XS(b->cpu[0])[n], p->x[n]);
    assert_int_equal(cpu->pc, p->pc);
    assert_int_equal(cpu->state[CONTEXT_AT], p->context);
    assert_int_equal(cpu->mode, p->mode);
}

/* Results do not depend on how a run is cut, or where pages end in the program. */
static void programs_run_as_they_are_read(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed < 60; seed++) {
        struct bench *b = strip_bench();
        uint64_t base = RAM + 0x2000 - 12 * seed;
        uint16_t units[PROGRAM];
        struct plain p = {.pc = base};

        drawn = seed;
        make_program(units);
        put_units(b, base, units, PROGRAM);
        b->cpu[0]->pc = base;
        for (unsigned turn = 0; turn < 60; turn++) {
            unsigned budget = 1 + draw_below(turn & 1 ? 300 : 12);

            assert_int_equal(cpu_run(b->cpu[0], budget), budget);
            for (unsigned n = 0; n < budget; n++)
                step_plain(&p, units, base);
            expect_same(b, &p);
        }
        bench_free(b);
    }
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static struct block *block_at(struct bench *b, uint64_t pc, unsigned context)
{
    struct cpu *cpu = b->cpu[0];
    struct fetch_fault fault;

    assert_true(code_attach(cpu));
    cpu->state[CONTEXT_AT] = (uint8_t)context;
    cpu->pc = pc;
    cpu->key = code_key(cpu);
    return code_find(cpu, NULL, &fault);
}

static void expect_block(const struct block *block, unsigned count, unsigned bytes,
                         bool interpreted)
{
    assert_non_null(block);
    assert_int_equal(block->count, count);
    assert_int_equal(block->bytes, bytes);
    assert_int_equal(block->ticks, count);
    assert_int_equal(block->interpreted, interpreted);
}

/*
 * A block ends in a context only if it began in one; otherwise the first instruction outside ends
 * it.
 */
static void blocks_and_contexts(void **state)
{
    struct bench *b = strip_bench();
    uint16_t many[100];

    (void)state;
    UNITS(b, RAM, UNIT(INC, 1), UNIT(CONTEXT, 2), UNIT(INC, 1), UNIT(INC, 1), UNIT(INC, 1),
          UNIT(JUMP, 1));
    expect_block(block_at(b, RAM, 0), 6, 12, false);
    expect_block(block_at(b, RAM + 4, 2), 2, 4, true);
    expect_block(block_at(b, RAM + 6, 1), 1, 2, true);
    /* A block that ends in a context stands alone, and a block without one ends before it. */
    UNITS(b, RAM + 0x100, UNIT(INC, 1), UNIT(CONTEXT, 2), UNIT(JUMP, 1), UNIT(INC, 1));
    expect_block(block_at(b, RAM + 0x100, 0), 1, 2, false);
    expect_block(block_at(b, RAM + 0x102, 0), 1, 2, true);
    expect_block(block_at(b, RAM + 0x104, 2), 1, 2, true);
    UNITS(b, RAM + 0x200, UNIT(CONTEXT, 1), UNIT(JUMP, 1));
    expect_block(block_at(b, RAM + 0x200, 0), 2, 4, false);
    /* The longest block, with a context begun by its last instruction, and by the next one. */
    for (unsigned n = 0; n < 100; n++)
        many[n] = UNIT(INC, n);
    many[63] = UNIT(CONTEXT, 3);
    put_units(b, RAM + 0x300, many, 100);
    expect_block(block_at(b, RAM + 0x300, 0), 63, 126, false);
    many[63] = UNIT(INC, 3);
    many[64] = UNIT(CONTEXT, 3);
    put_units(b, RAM + 0x400, many, 100);
    expect_block(block_at(b, RAM + 0x400, 0), 64, 128, false);
    /* At the end of a page. */
    UNITS(b, RAM + 0xffc, UNIT(INC, 1), UNIT(CONTEXT, 1), UNIT(INC, 1));
    expect_block(block_at(b, RAM + 0xffc, 0), 1, 2, false);
    expect_block(block_at(b, RAM + 0xffe, 0), 1, 2, true);
    bench_free(b);
}

/* ---- pages ----------------------------------------------------------------------------------- */

#define VA UINT64_C(0x40000)

/* Two consecutive virtual pages whose second one is elsewhere in memory; a LONGER across them. */
static struct bench *split_bench(void)
{
    struct bench *b = strip_bench();

    bench_map(b, VA, RAM, TOY_PTE_EXEC);
    bench_map(b, VA + 0x1000, RAM + 0x7000, TOY_PTE_EXEC);
    UNITS(b, RAM + 0xffa, UNIT(INC, 1), UNIT(INC, 2), UNIT(LONGER, 0));
    UNITS(b, RAM + 0x7000, 0x1234, 0x5678, UNIT(INC, 4), UNIT(JUMP, 0));
    toy_state(b->cpu[0])->special[TOY_TTBR] = TABLE;
    b->cpu[0]->pc = VA + 0xffa;
    return b;
}

static void an_instruction_across_pages(void **state)
{
    struct bench *b = split_bench();
    struct cpu *cpu = b->cpu[0];
    struct block *block;

    (void)state;
    assert_int_equal(cpu_run(cpu, 4), 4);
    assert_int_equal(XS(cpu)[1], 7);
    assert_int_equal(XS(cpu)[3], 0x56781234);
    expect_block(block_at(b, VA + 0xffa, 0), 2, 4, false);
    block = block_at(b, VA + 0xffe, 0);
    expect_block(block, 1, 6, true);
    assert_true(block->crosses_page);
    assert_int_equal(block->pa, RAM + 0xffe);
    assert_int_equal(block->tail, RAM + 0x7000);
    assert_false(block_at(b, VA + 0x1004, 0)->crosses_page);
    assert_int_equal(block_at(b, VA + 0x1004, 0)->tail, 0);
    /* The second page is written, and then replaced by another one. */
    UNITS(b, RAM + 0x7000, 0x4321);
    cpu->pc = VA + 0xffe;
    XS(cpu)[3] = 0;
    cpu_run(cpu, 1);
    assert_int_equal(XS(cpu)[3], 0x56784321);
    UNITS(b, RAM + 0x9000, 1, 2);
    bench_map(b, VA + 0x1000, RAM + 0x9000, TOY_PTE_EXEC);
    cpu_tlb_flush(cpu, true);
    cpu->pc = VA + 0xffe;
    XS(cpu)[3] = 0;
    cpu_run(cpu, 1);
    assert_int_equal(XS(cpu)[3], 0x20001);
    bench_free(b);
}

/* A fetch fault of the second page reports that page's address, before the instruction begins. */
static void faults_of_the_second_page(void **state)
{
    static const struct {
        uint64_t entry, code;
    } cases[] = {{0, 7},
                 {DEVICE | TOY_PTE_EXEC | TOY_PTE_VALID, CPU_FAULT_EXTERNAL},
                 {NOWHERE | TOY_PTE_EXEC | TOY_PTE_VALID, CPU_FAULT_EXTERNAL}};

    (void)state;
    for (unsigned n = 0; n < ARRAY_SIZE(cases); n++) {
        struct bench *b = split_bench();
        struct toy *s = toy_state(b->cpu[0]);

        bench_put(b, TABLE + (VA / 0x1000 + 1) * 8, cases[n].entry);
        bench_map(b, VECTOR & 0x7ffffff, VECTOR, TOY_PTE_EXEC);
        s->special[TOY_VBAR] = VECTOR & 0x7ffffff;
        UNITS(b, VECTOR, UNIT(INC, 8), UNIT(JUMP, 0));
        assert_int_equal(cpu_run(b->cpu[0], 4), 4);
        assert_int_equal(s->x[1], 3 + 8);
        assert_int_equal(s->special[TOY_ELR], VA + 0xffe);
        assert_int_equal(s->special[TOY_FAULT_VA], VA + 0x1000);
        assert_int_equal(s->special[TOY_FAULT], (uint64_t)CPU_FETCH << 32 | cases[n].code);
        bench_free(b);
    }
}

/* ---- what others ask ------------------------------------------------------------------------- */

/* The number of bytes of an instruction, as far as memory is readable. */
static void bytes_of_instructions(void **state)
{
    struct bench *b = split_bench();
    struct cpu *cpu = b->cpu[0];

    (void)state;
    assert_int_equal(cpu_instruction_bytes(cpu, VA + 0xffa), 2);
    assert_int_equal(cpu_instruction_bytes(cpu, VA + 0xffe), 6);
    UNITS(b, RAM + 0x7008, UNIT(LONG, 0));
    assert_int_equal(cpu_instruction_bytes(cpu, VA + 0x1008), 4);
    bench_put(b, TABLE + (VA / 0x1000 + 1) * 8, 0);
    cpu_tlb_flush(cpu, true);
    assert_int_equal(cpu_instruction_bytes(cpu, VA + 0xffe), 6);
    assert_int_equal(cpu_instruction_bytes(cpu, VA + 0x1000), 0);
    bench_free(b);
}

/* `-d in_asm` lists each block when it is decoded, its instructions in their contexts. */
static void blocks_are_listed(void **state)
{
    struct bench *b = split_bench();
    char text[2000] = "";

    (void)state;
    UNITS(b, RAM + 0xff6, UNIT(CONTEXT, 2), UNIT(INC, 9));
    UNITS(b, RAM + 0x7006, UNIT(UNDEFINED, 0x123));
    b->cpu[0]->pc = VA + 0xff6;
    log_enable(&b->log, LOG_IN_ASM);
    b->log.out = fmemopen(text, sizeof(text), "w");
    b->log.close_out = true;
    cpu_run(b->cpu[0], 6);
    log_close(&b->log);
    b->log.mask = 0;
    assert_string_equal(text, "cpu0: block of ring 1, 4 instructions\n"
                              "0x0000000000040ff6:  5002          context 2 at 40ff6 in 0, next 0\n"
                              "0x0000000000040ff8:  1009          inc 9 at 40ff8 in 2, next 0\n"
                              "0x0000000000040ffa:  1001          inc 1 at 40ffa in 1, next 0\n"
                              "0x0000000000040ffc:  1002          inc 2 at 40ffc in 0, next 0\n"
                              "cpu0: block of ring 1, 1 instructions\n"
                              "0x0000000000040ffe:  000000003000  longer 0 at 40ffe in 0, next 0\n"
                              "cpu0: block of ring 1, 2 instructions\n"
                              "0x0000000000041004:  1004          inc 4 at 41004 in 0, next 0\n"
                              "0x0000000000041006:  0123          (undefined)\n");
    bench_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_run_as_they_are_read),
        cmocka_unit_test(blocks_and_contexts),
        cmocka_unit_test(an_instruction_across_pages),
        cmocka_unit_test(faults_of_the_second_page),
        cmocka_unit_test(bytes_of_instructions),
        cmocka_unit_test(blocks_are_listed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
