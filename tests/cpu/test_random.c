/*
 * Random programs, which also rewrite themselves, against a plain interpreter that decodes each
 * word just before executing it. Budgets are random, so that blocks are cut everywhere. Further
 * programs of random words only have to survive. Several programs run one after the other on the
 * same CPU: a new one costs more than a program, and finds no code of an earlier one to forget.
 *
 *     test_random [PROGRAMS] [SEED]
 */
#include "tests/cpu/bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { CODE_WORDS = 256, DATA_BYTES = 4096, VECTOR_WORD = 200, PROGRAMS_PER_BENCH = 20 };

static uint64_t seed;

static uint32_t random_below(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((seed >> 33) % n);
}

/* ---- the referee ----------------------------------------------------------------------------- */

struct model {
    uint64_t x[16], pc, elr, cause;
    uint32_t code[CODE_WORDS];
    uint8_t data[DATA_BYTES + 16];
};

/* Returns the memory at an address; NULL if there is none. */
static uint8_t *memory_at(struct model *m, uint64_t address, unsigned size)
{
    if (address >= DATA && address + size <= DATA + DATA_BYTES + 16)
        return m->data + (address - DATA);
    if (address >= RAM && address + size <= RAM + sizeof(m->code))
        return (uint8_t *)m->code + (address - RAM);
    return NULL;
}

static void take_exception(struct model *m, uint64_t cause)
{
    m->elr = m->pc;
    m->cause = cause;
    m->pc = RAM + VECTOR_WORD * 4;
}

static void access_memory(struct model *m, uint32_t op, uint64_t *reg, uint64_t address)
{
    unsigned size = op == TOY_STC ? 4 : 1u << (op & 3);
    uint8_t *p = memory_at(m, address, size);

    if (!p) {
        take_exception(m, TOY_CAUSE_FAULT);
        return;
    }
    if (op < TOY_ST8) {
        *reg = 0;
        memcpy(reg, p, size);
    } else {
        memcpy(p, reg, size);
    }
    m->pc += 4;
}

static void model_step(struct model *m)
{
    uint32_t word = m->code[(m->pc - RAM) / 4], op = word >> 24;
    uint64_t *rd = &m->x[word >> 20 & 15], rs = m->x[word >> 16 & 15];
    uint64_t imm = (uint64_t)(int64_t)(int16_t)word;

    switch (op) {
    case TOY_NOP:
        break;
    case TOY_ADDI:
        *rd = rs + imm;
        break;
    case TOY_ADD:
        *rd += rs;
        break;
    case TOY_MIX:
        *rd = *rd * 31 + rs;
        break;
    case TOY_B:
        m->pc += imm * 4;
        return;
    case TOY_BNZ:
        m->pc += rs ? imm * 4 : 4;
        return;
    case TOY_SVC:
        take_exception(m, imm & 0xffff);
        return;
    case TOY_UND:
        take_exception(m, TOY_CAUSE_UNDEFINED);
        return;
    case TOY_ERET:
        m->pc = m->elr;
        return;
    default:
        access_memory(m, op, rd, rs + imm);
        return;
    }
    m->pc += 4;
}

/* ---- programs -------------------------------------------------------------------------------- */

/*
 * A random instruction. r13 points to nothing, r14 to the code, r15 to the data; r12 holds words to
 * store into the code; none of these is written. Jumps stay inside; the last word jumps to the
 * first.
 */
static uint32_t random_word(unsigned where)
{
    static const uint8_t loads[] = {TOY_LD8, TOY_LD16, TOY_LD32, TOY_LD64};
    static const uint8_t alu[] = {TOY_NOP, TOY_ADDI, TOY_ADD, TOY_MIX};
    unsigned rd = random_below(12), rs = random_below(16), what = random_below(100);
    int imm = (int)random_below(DATA_BYTES);

    if (where == CODE_WORDS - 1)
        return toy_word(TOY_B, 0, 0, -(CODE_WORDS - 1));
    if (what < 50)
        return toy_word(alu[what % 4], rd, rs, imm);
    if (what < 65)
        return toy_word(loads[what % 4], rd, 15, imm);
    if (what < 80)
        return toy_word(loads[what % 4] + 8, rs, 15, imm);
    if (what < 82)
        return toy_word(loads[what % 4] + 8 * (what & 1), rd, 13, imm);
    if (what < 86)
        return toy_word(TOY_STC, 12, 14, (int)random_below(CODE_WORDS - 1) * 4);
    if (what < 95)
        return toy_word(what & 1 ? TOY_B : TOY_BNZ, 0, rs,
                        (int)random_below(CODE_WORDS) - (int)where);
    if (what < 97)
        return toy_word(TOY_SVC, 0, 0, (int)random_below(0xffff));
    return what < 98 ? toy_word(TOY_UND, 0, 0, 0) : toy_word(TOY_ERET, 0, 0, 0);
}

static void compare_states(struct bench *b, struct model *m, uint64_t done)
{
    struct toy *s = toy_state(b->cpu[0]);
    uint8_t data[DATA_BYTES + 16];
    uint32_t code[CODE_WORDS];
    bool same = b->cpu[0]->pc == m->pc && !memcmp(s->x, m->x, sizeof(m->x)) &&
                s->special[TOY_ELR] == m->elr && s->special[TOY_CAUSE] == m->cause;

    bus_copy_from(b->bus, DATA, data, sizeof(data));
    bus_copy_from(b->bus, RAM, code, sizeof(code));
    same = same && !memcmp(data, m->data, sizeof(data)) && !memcmp(code, m->code, sizeof(code));
    if (same)
        return;
    fprintf(stderr, "after %" PRIu64 " instructions: pc %#" PRIx64 ", should be %#" PRIx64 "\n",
            done, b->cpu[0]->pc, m->pc);
    for (unsigned n = 0; n < 16; n++)
        fprintf(stderr, "r%u %#" PRIx64 ", should be %#" PRIx64 "\n", n, s->x[n], m->x[n]);
    fail();
}

static void one_program(struct bench *b)
{
    struct model *m = calloc(1, sizeof(*m));
    struct toy *s = toy_state(b->cpu[0]);
    uint64_t done = 0;

    for (unsigned n = 0; n < CODE_WORDS; n++)
        m->code[n] = random_word(n);
    for (unsigned n = 0; n < 12; n++)
        m->x[n] = random_below(1000);
    m->x[12] = random_word(0);
    if (m->x[12] >> 24 == TOY_B || m->x[12] >> 24 == TOY_BNZ) /* could lead outside */
        m->x[12] = toy_word(TOY_ADDI, 3, 4, 5);
    m->x[13] = NOWHERE;
    m->x[14] = RAM;
    m->x[15] = DATA;
    m->pc = m->elr = RAM;
    cpu_reset(b->cpu[0]);
    b->cpu[0]->pc = RAM;
    bench_code(b, RAM, m->code, CODE_WORDS);
    assert_true(bus_copy_to(b->bus, DATA, m->data, sizeof(m->data)));
    memcpy(s->x, m->x, sizeof(s->x));
    s->special[TOY_VBAR] = RAM + VECTOR_WORD * 4;
    s->special[TOY_ELR] = RAM;
    while (done < 3000) {
        uint64_t budget = random_below(done % 2 ? 5 : 200);

        assert_int_equal(cpu_run(b->cpu[0], budget), budget);
        done += budget;
        for (; budget; budget--)
            model_step(m);
        compare_states(b, m, done);
    }
    free(m);
}

/* Any words, on two CPUs, with translation sometimes on: no crash, no hang. */
static void one_wild_program(struct bench *b)
{
    for (unsigned n = 0; n < 1024; n++) {
        uint32_t word = random_below(0x38) << 24 | random_below(1 << 24);

        CODE(b, RAM + n * 4, word);
        bench_map(b, n << 12, RAM + (random_below(16) << 12), random_below(128));
    }
    cpu_set_power(b->cpu[1], true);
    for (unsigned cpu = 0; cpu < 2; cpu++) {
        struct toy *s = toy_state(b->cpu[cpu]);

        cpu_reset(b->cpu[cpu]);
        b->cpu[cpu]->pc = RAM;
        s->special[TOY_VBAR] = RAM + random_below(1024) * 4;
        s->special[TOY_TTBR] = random_below(3) ? 0 : TABLE;
        s->masked = (uint8_t)random_below(2);
        for (unsigned n = 0; n < 16; n++)
            s->x[n] = random_below(2) ? RAM + random_below(0x10000) : random_below(0x400000);
    }
    b->group.quantum = 1 + random_below(300);
    for (unsigned n = 0; n < 40; n++) {
        cpu_set_line(b->cpu[n % 2], 1u << random_below(3), random_below(2));
        if (!cpu_group_turn(&b->group))
            break;
    }
}

static unsigned programs = 300;

static void run_programs(unsigned cpus, void (*one)(struct bench *b))
{
    struct bench *b = NULL;

    for (unsigned n = 0; n < programs; n++) {
        if (n % PROGRAMS_PER_BENCH == 0) {
            if (b)
                bench_free(b);
            b = bench_new(cpus);
        }
        one(b);
    }
    if (b)
        bench_free(b);
}

static void programs_agree(void **state)
{
    (void)state;
    run_programs(1, one_program);
}

static void wild_programs_end(void **state)
{
    (void)state;
    run_programs(2, one_wild_program);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_agree),
        cmocka_unit_test(wild_programs_end),
    };

    if (argc > 1)
        programs = (unsigned)strtoul(argv[1], NULL, 0);
    seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    printf("seed %" PRIu64 "\n", seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
