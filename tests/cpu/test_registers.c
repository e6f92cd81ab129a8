/*
 * Registers by name: lookup, sizes, reads, and writes with their side effects.
 */
#include "tests/cpu/bench.h"

#include <string.h>

#define AT(member) offsetof(struct toy, member)

/* The last row is not a register of the ISA. */
static const struct cpu_register rows[] = {
    {"MASK", NULL, AT(masked), 1, 1, 8, 1, 'u', false, 0},
    {"X", NULL, AT(x), 8, 8, 64, 1, 'u', false, 0},
    {"PAIR", NULL, AT(x[8]), 2, 16, 64, 2, 'u', false, 0},
    {"ODD", NULL, AT(x[12]), 1, 2, 9, 0, 'u', false, 0},
    {"WIDE", NULL, AT(x), 1, 0, 64, 1000, 'u', false, 0},
    {"PC", "PC", 0, 1, 8, 64, 1, 'u', false, 0},
    {"KEPT", NULL, AT(x[14]), 1, 8, 64, 1, 'u', true, 1},
    {"MADE", NULL, CPU_NO_STORAGE, 1, 8, 64, 1, 'u', true, 2},
    {"SMALL", NULL, CPU_NO_STORAGE, 1, 4, 32, 1, 'u', true, 3},
    {"TRAPS", NULL, CPU_NO_STORAGE, 1, 8, 64, 1, 'u', true, 9},
    {"NOWHERE", NULL, CPU_NO_STORAGE, 1, 8, 64, 1, 'u', false, 0},
    {"BEHIND", NULL, AT(x), 1, 8, 64, 1, 'u', false, 0},
};

static uint32_t level_seen;
static uint64_t written;

static uint64_t read_sysreg(struct cpu *cpu, uint32_t code, uint32_t level)
{
    level_seen = level;
    if (code == 9)
        cpu_undefined(cpu, NULL);
    return UINT64_C(0x1122334455667700) + code;
}

static void write_sysreg(struct cpu *cpu, uint32_t code, uint32_t level, uint64_t value)
{
    (void)cpu;
    level_seen = level;
    written = value + code;
}

static struct cpu_isa isa;

static struct bench *registers_bench(void)
{
    isa = toy_isa;
    isa.registers = rows;
    isa.register_count = ARRAY_SIZE(rows) - 1;
    isa.sysreg_read = read_sysreg;
    isa.sysreg_write = write_sysreg;
    return bench_new_of(&isa, 1);
}

/* Case does not matter, numbers of a bank have no leading zeros, and slots have no numbers. */
static void names_of_registers(void **state)
{
    static const struct {
        const char *name;
        unsigned row, index;
    } good[] = {{"MASK", 0, 0},  {"mask", 0, 0},  {"X0", 1, 0}, {"x7", 1, 7},
                {"pair0", 2, 0}, {"PAIR1", 2, 1}, {"pc", 5, 0}, {"NOWHERE", 10, 0}};
    static const char *const bad[] = {"X",
                                      "X8",
                                      "X00",
                                      "X01",
                                      "X+1",
                                      "X 1",
                                      "X1x",
                                      "PC0",
                                      "MASK0",
                                      "",
                                      "BEHIND",
                                      "PAIR",
                                      "X4294967296",
                                      "X/",
                                      "X:",
                                      "XX1",
                                      "M",
                                      "X-0",
                                      "X18446744073709551616"};
    struct cpu_view v;

    (void)state;
    bench_free(registers_bench());
    for (size_t n = 0; n < ARRAY_SIZE(good); n++) {
        if (!cpu_register_find(&isa, good[n].name, &v))
            fail_msg("%s", good[n].name);
        assert_ptr_equal(v.reg, &rows[good[n].row]);
        assert_int_equal(v.index, good[n].index);
    }
    for (size_t n = 0; n < ARRAY_SIZE(bad); n++) {
        if (cpu_register_find(&isa, bad[n], &v))
            fail_msg("%s", bad[n]);
    }
}

static unsigned bytes_of(const char *name)
{
    struct cpu_view v;

    assert_true(cpu_register_find(&isa, name, &v));
    return cpu_register_bytes(v);
}

static void sizes_of_registers(void **state)
{
    (void)state;
    bench_free(registers_bench());
    assert_int_equal(bytes_of("MASK"), 1);
    assert_int_equal(bytes_of("X1"), 8);
    assert_int_equal(bytes_of("PAIR1"), 16);
    assert_int_equal(bytes_of("ODD"), 2);
    assert_int_equal(bytes_of("WIDE"), CPU_REGISTER_BYTES);
    assert_int_equal(bytes_of("PC"), 8);
    assert_int_equal(bytes_of("SMALL"), 4);
}

/*
 * A register in the state is read and written there, and nothing beside it; a write may change
 * decoding.
 */
static void state_registers(void **state)
{
    struct bench *b = registers_bench();
    struct cpu *cpu = b->cpu[0];
    struct toy *s = toy_state(cpu);
    uint8_t value[CPU_REGISTER_BYTES + 1];
    struct cpu_view v;

    (void)state;
    memset(s->x, 0xee, sizeof(s->x));
    cpu->attention = CPU_ATT_IRQ;
    cpu_register_set(cpu, "X3", UINT64_C(0x0123456789abcdef));
    assert_int_equal(s->x[3], UINT64_C(0x0123456789abcdef));
    assert_int_equal(s->x[2], UINT64_C(0xeeeeeeeeeeeeeeee));
    assert_int_equal(s->x[4], UINT64_C(0xeeeeeeeeeeeeeeee));
    assert_int_equal(cpu->attention, CPU_ATT_IRQ | CPU_ATT_KEY);
    cpu_register_set(cpu, "ODD", 0x12345);
    assert_int_equal(s->x[12], UINT64_C(0xeeeeeeeeeeee2345));
    assert_int_equal(cpu_register_get(cpu, "ODD"), 0x2345);
    assert_true(cpu_register_find(&isa, "PAIR1", &v));
    s->x[10] = 1;
    s->x[11] = 2;
    memset(value, 0x55, sizeof(value));
    assert_int_equal(cpu_register_read(cpu, v, value), 16);
    assert_int_equal(value[0], 1);
    assert_int_equal(value[8], 2);
    assert_int_equal(value[16], 0x55);
    memset(value, 0x77, sizeof(value));
    cpu_register_write(cpu, v, value);
    assert_int_equal(s->x[11], UINT64_C(0x7777777777777777));
    assert_int_equal(s->x[9], UINT64_C(0xeeeeeeeeeeeeeeee));
    cpu->attention = 0;
    cpu_register_set(cpu, "PC", RAM + 8);
    assert_int_equal(cpu->pc, RAM + 8);
    assert_int_equal(cpu_register_get(cpu, "PC"), RAM + 8);
    assert_int_equal(cpu->attention, CPU_ATT_KEY);
    cpu_register_set(cpu, "X9", 1); /* no such register */
    assert_int_equal(cpu_register_get(cpu, "X9"), 0);
    bench_free(b);
}

/* A PC of 32 bits wraps around. */
static void narrow_pc(void **state)
{
    struct bench *b = registers_bench();

    (void)state;
    isa.narrow_pc = true;
    cpu_register_set(b->cpu[0], "PC", UINT64_C(0x180000004));
    assert_int_equal(b->cpu[0]->pc, 0x80000004);
    bench_free(b);
}

/*
 * System registers are read and written as by the most privileged software, also where their state
 * is kept.
 */
static void system_registers(void **state)
{
    struct bench *b = registers_bench();
    struct cpu *cpu = b->cpu[0];
    uint8_t value[8];
    struct cpu_view v;

    (void)state;
    toy_state(cpu)->x[14] = 5;
    assert_int_equal(cpu_register_get(cpu, "KEPT"), 5);
    cpu_register_set(cpu, "KEPT", 70);
    assert_int_equal(written, 71);
    assert_int_equal(level_seen, CPU_RINGS - 1);
    assert_int_equal(toy_state(cpu)->x[14], 5); /* the description decides */
    level_seen = 0;
    assert_int_equal(cpu_register_get(cpu, "MADE"), UINT64_C(0x1122334455667702));
    assert_int_equal(level_seen, CPU_RINGS - 1);
    assert_true(cpu_register_find(&isa, "SMALL", &v));
    memset(value, 0x55, sizeof(value));
    assert_int_equal(cpu_register_read(cpu, v, value), 4);
    assert_int_equal(le_get(value, 8), UINT64_C(0x5555555555667703));
    cpu_register_set(cpu, "SMALL", UINT64_C(0x987654321));
    assert_int_equal(written, 0x87654324);
    assert_int_equal(cpu_register_get(cpu, "TRAPS"), 0);
    assert_true(cpu_register_find(&isa, "NOWHERE", &v));
    memset(value, 0x55, sizeof(value));
    assert_int_equal(cpu_register_read(cpu, v, value), 8);
    assert_int_equal(le_get(value, 8), 0);
    cpu_register_write(cpu, v, value); /* is lost */
    isa.sysreg_read = NULL;
    isa.sysreg_write = NULL;
    assert_int_equal(cpu_register_get(cpu, "MADE"), 0);
    cpu_register_set(cpu, "MADE", 1);
    cpu_register_set(cpu, "KEPT", 9);
    assert_int_equal(toy_state(cpu)->x[14], 9);
    bench_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_registers), cmocka_unit_test(sizes_of_registers),
        cmocka_unit_test(state_registers),    cmocka_unit_test(narrow_pc),
        cmocka_unit_test(system_registers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
