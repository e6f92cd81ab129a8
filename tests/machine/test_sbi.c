/*
 * SBI calls on two harts of the toy instruction set, made as a kernel in supervisor mode makes
 * them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/prelude/cpu.h"
#include "riscv_board.h"
#include "runtime/dev/chardev.h"
#include "runtime/machine/firmware.h"
#include "tests/cpu/toy_isa.h"

extern const struct firmware_class firmware_sbi;

#define RAM UINT64_C(0x80000000)
#define ALL UINT64_MAX

enum { BASE = 0x10, TIME = 0x54494d45, IPI = 0x735049, RFENCE = 0x52464e43, HSM = 0x48534d };
enum { SRST = 0x53525354, DBCN = 0x4442434e };

static const char *tree; /* harts.dtb */

struct bench {
    struct machine m;
    void *fw;
    uint64_t port[DEVICE_MAX_CPUS][4]; /* enum riscv_port_reg */
};

static void write_port(void *opaque, unsigned cpu, uint32_t reg, uint64_t value)
{
    struct bench *b = opaque;

    b->port[cpu][reg] = value;
}

static void add_cpu(struct bench *b, unsigned n, struct error *err)
{
    static const char *const nodes[] = {"/cpus/cpu@2", "/cpus/cpu@5"};
    struct machine *m = &b->m;

    m->cpus[n] = cpu_new(&toy_isa, n, m->bus, &m->clock, &m->log, err);
    assert_non_null(m->cpus[n]);
    m->cpus[n]->devices[CPU_PORT_TIMER] = (struct cpu_device){.opaque = b, .write = write_port};
    m->cpu_nodes[n] = dt_find(m->dt, nodes[n]);
    assert_non_null(m->cpu_nodes[n]);
}

static void name_registers(struct platform_info *info)
{
    for (info->arg_count = 0; info->arg_count < PLATFORM_ARGS; info->arg_count++) {
        char name[8];

        snprintf(name, sizeof(name), "X%u", info->arg_count);
        assert_true(cpu_register_find(&toy_isa, name, &info->args[info->arg_count]));
    }
    info->results[0] = info->args[0];
    info->results[1] = info->args[1];
    info->result_count = 2;
}

static int setup(void **state)
{
    struct bench *b = calloc(1, sizeof(*b));
    struct machine *m = &b->m;
    struct chardev_host host = {.clock = &m->clock};
    struct error err = {""};

    clock_init(&m->clock);
    m->bus = bus_new(&m->log);
    assert_non_null(bus_add_ram(m->bus, "ram", RAM, 0x10000, &err));
    m->dt = dt_load(tree, &err);
    assert_true(m->dt && dt_index(m->dt, &err));
    name_registers(&m->info);
    m->cpu_count = 2;
    for (unsigned n = 0; n < 2; n++)
        add_cpu(b, n, &err);
    assert_true(cpu_group_init(&m->group, m->cpus, 2, m->bus, &m->clock, &err));
    vec_push(&m->chardevs, chardev_open("memory", &host, &err));
    cpu_reset(m->cpus[0]);
    cpu_set_power(m->cpus[0], true);
    b->fw = firmware_sbi.create(m, dt_find(m->dt, "/sbi"), &err);
    assert_non_null(b->fw);
    *state = b;
    return 0;
}

static int teardown(void **state)
{
    struct bench *b = *state;

    firmware_sbi.destroy(b->fw);
    cpu_group_free(&b->m.group);
    cpu_free(b->m.cpus[0]);
    cpu_free(b->m.cpus[1]);
    chardev_close(b->m.chardevs.data[0]);
    vec_free(&b->m.chardevs);
    dt_free(b->m.dt);
    bus_free(b->m.bus);
    clock_free(&b->m.clock);
    free(b);
    return 0;
}

/*
 * Makes an SBI call with four arguments on the first hart. Returns the call's error; result_value()
 * returns its value.
 */
#define ecall(b, extension, function, ...) \
    call_with(b, extension, function, (const uint64_t[4]){__VA_ARGS__})
static int64_t call_with(struct bench *b, uint64_t extension, uint64_t function,
                         const uint64_t a[4])
{
    const uint64_t args[] = {a[0], a[1], a[2], a[3], 0, 0, function, extension};

    platform_set_args(&b->m.info, b->m.cpus[0], args, 8);
    assert_true(firmware_sbi.call(b->fw, b->m.cpus[0], RISCV_CONDUIT_ECALL, 0));
    return (int64_t)toy_state(b->m.cpus[0])->x[0];
}

static uint64_t result_value(struct bench *b)
{
    return toy_state(b->m.cpus[0])->x[1];
}

static void test_base(void **state)
{
    static const uint64_t there[] = {BASE, TIME, IPI, RFENCE, HSM, SRST, DBCN, 0, 1, 8};
    static const uint64_t absent[] = {3, 0x504d55, UINT64_C(0x100000000) + BASE};
    struct bench *b = *state;

    assert_int_equal(ecall(b, BASE, 0, 1, 2, 3, 4), 0);
    assert_int_equal(result_value(b), 0x02000000); /* version 2.0 */
    for (size_t i = 0; i < sizeof(there) / sizeof(*there); i++) {
        assert_int_equal(ecall(b, BASE, 3, there[i], 7, 0, 0), 0);
        assert_int_equal(result_value(b), 1);
    }
    for (size_t i = 0; i < sizeof(absent) / sizeof(*absent); i++) {
        assert_int_equal(ecall(b, BASE, 3, absent[i], 7, 0, 0), 0);
        assert_int_equal(result_value(b), 0);
        assert_int_equal(ecall(b, absent[i], 0, 0, 0, 0, 0), -2);
    }
    assert_int_equal(ecall(b, BASE, 7, 0, 0, 0, 0), -2);
    assert_false(firmware_sbi.call(b->fw, b->m.cpus[0], RISCV_CONDUIT_ECALL + 1, 0));
}

static void test_timer(void **state)
{
    struct bench *b = *state;

    assert_int_equal(ecall(b, TIME, 0, 12345, 0, 0, 0), 0);
    assert_int_equal(b->port[0][RISCV_PORT_STIMECMP], 12345);
    assert_int_equal(b->port[1][RISCV_PORT_STIMECMP], 0);
    assert_int_equal(ecall(b, TIME, 1, 9, 0, 0, 0), -2);
    assert_int_equal(ecall(b, 0, 0, 77, 5, 0, 0), 0); /* a legacy call, which leaves a1 unchanged */
    assert_int_equal(b->port[0][RISCV_PORT_STIMECMP], 77);
    assert_int_equal(result_value(b), 5);
}

/* Bit n of the mask is hart base + n; the harts are 2 and 5. */
static void test_ipi(void **state)
{
    struct bench *b = *state;

    assert_int_equal(ecall(b, IPI, 0, 1, 5, 0, 0), 0);
    assert_int_equal(b->port[0][RISCV_PORT_SSIP], 0);
    assert_int_equal(b->port[1][RISCV_PORT_SSIP], 1);
    assert_int_equal(ecall(b, IPI, 0, 1 << 2, 0, 0, 0), 0);
    assert_int_equal(b->port[0][RISCV_PORT_SSIP], 1);
    memset(b->port, 0, sizeof(b->port));
    /* hart 6 does not exist: no hart is interrupted */
    assert_int_equal(ecall(b, IPI, 0, 3, 5, 0, 0), -3);
    assert_int_equal(b->port[1][RISCV_PORT_SSIP], 0);
    assert_int_equal(ecall(b, IPI, 0, 0, ALL, 0, 0), 0);
    assert_int_equal(b->port[0][RISCV_PORT_SSIP] + b->port[1][RISCV_PORT_SSIP], 2);
}

static unsigned count_tlb_flushes(const struct bench *b, unsigned n)
{
    return (unsigned)b->m.cpus[n]->counters.tlb_flushes;
}

static void test_fences(void **state)
{
    struct bench *b = *state;

    for (unsigned function = 1; function <= 2; function++) {
        unsigned before = count_tlb_flushes(b, 1), mine = count_tlb_flushes(b, 0);

        assert_int_equal(ecall(b, RFENCE, function, 1, 5, 0, 0), 0);
        assert_int_equal(count_tlb_flushes(b, 1), before + 1);
        assert_int_equal(ecall(b, RFENCE, function, 1, 5, 0x1000, ALL), 0);
        assert_int_equal(count_tlb_flushes(b, 1), before + 2);
        assert_int_equal(ecall(b, RFENCE, function, 1, 5, 0x1000, 0x2001), 0);
        assert_int_equal(count_tlb_flushes(b, 1), before + 5); /* three pages */
        assert_int_equal(ecall(b, RFENCE, function, 1, 5, 0, UINT64_C(1) << 40), 0);
        assert_int_equal(count_tlb_flushes(b, 1), before + 6);
        assert_int_equal(count_tlb_flushes(b, 0), mine);
    }
    assert_int_equal(ecall(b, RFENCE, 0, 0, ALL, 0, 0), 0);
    assert_int_equal(result_value(b), 0);
    assert_int_equal(ecall(b, RFENCE, 3, 1, 5, 0, 0), -2);
    assert_int_equal(ecall(b, RFENCE, 1, 1, 6, 0, 0), -3);
}

static void test_harts(void **state)
{
    struct bench *b = *state;
    struct cpu *other = b->m.cpus[1];

    assert_int_equal(ecall(b, HSM, 2, 2, 0, 0, 0), 0);
    assert_int_equal(result_value(b), 0); /* started */
    assert_int_equal(ecall(b, HSM, 2, 5, 0, 0, 0), 0);
    assert_int_equal(result_value(b), 1); /* stopped */
    assert_int_equal(ecall(b, HSM, 2, 1, 0, 0, 0), -3);
    assert_int_equal(ecall(b, HSM, 0, 1, RAM, 0, 0), -3);
    assert_int_equal(ecall(b, HSM, 0, 2, RAM, 0, 0), -6);
    assert_int_equal(ecall(b, HSM, 0, 5, RAM + 1, 0, 0), -5);
    assert_false(other->powered);
    toy_state(other)->x[9] = 9;
    assert_int_equal(ecall(b, HSM, 0, 5, RAM + 0x200, 0x1234, 0), 0);
    assert_true(other->powered);
    assert_int_equal(other->pc, RAM + 0x200);
    assert_int_equal(toy_state(other)->x[0], 5); /* number of the started hart */
    assert_int_equal(toy_state(other)->x[1], 0x1234);
    assert_int_equal(toy_state(other)->x[9], 0);
    assert_int_equal(ecall(b, HSM, 3, 1, 0, 0, 0), -3); /* a reserved platform-specific type */
    assert_int_equal(ecall(b, HSM, 3, 0x80000001, 0, 0, 0), -3);
    assert_int_equal(ecall(b, HSM, 3, 0x10000000, 0, 0, 0), -2);
    assert_int_equal(ecall(b, HSM, 3, 0x90000000, 0, 0, 0), -2);
    assert_int_equal(ecall(b, HSM, 3, 0x80000000, RAM + 1, 0, 0), -5);
    assert_false(b->m.cpus[0]->halted);
    assert_int_equal(ecall(b, HSM, 3, 0, 0, 0, 0), 0);
    assert_true(b->m.cpus[0]->halted);
    assert_int_equal(ecall(b, HSM, 1, 0, 0, 0, 0), 0);
    assert_false(b->m.cpus[0]->powered);
    assert_int_equal(ecall(b, HSM, 4, 0, 0, 0, 0), -2);
}

/* Returns the second hart's state, asked for by the first. */
static int second_hart_status(struct bench *b)
{
    assert_int_equal(ecall(b, HSM, 2, 5, 0, 0, 0), 0);
    return (int)result_value(b);
}

/* Calls hart_suspend by the second hart. */
static int64_t suspend_second_hart(struct bench *b, uint64_t type, uint64_t address,
                                   uint64_t opaque)
{
    const uint64_t args[] = {type, address, opaque, 0, 0, 0, 3, HSM};

    platform_set_args(&b->m.info, b->m.cpus[1], args, 8);
    assert_true(firmware_sbi.call(b->fw, b->m.cpus[1], RISCV_CONDUIT_ECALL, 0));
    return (int64_t)toy_state(b->m.cpus[1])->x[0];
}

/*
 * Section 9.3: a suspended hart is SUSPENDED until it resumes. The upper half of the type is
 * ignored.
 */
static void test_suspended(void **state)
{
    struct bench *b = *state;
    struct cpu *other = b->m.cpus[1];

    assert_int_equal(ecall(b, HSM, 0, 5, RAM + 0x200, 0x1234, 0), 0);
    assert_int_equal(second_hart_status(b), 0);
    assert_int_equal(suspend_second_hart(b, UINT64_C(1) << 63, 0, 0), 0);
    assert_true(other->halted);
    assert_int_equal(second_hart_status(b), 4);
    cpu_set_line(other, 3, true);
    cpu_run(other, 1);
    assert_int_equal(second_hart_status(b), 0);
    /* The hart waits, but it was not suspended. */
    cpu_set_line(other, 3, false);
    cpu_halt(other);
    assert_true(other->halted);
    assert_int_equal(second_hart_status(b), 0);
}

/* Section 9.4: the hart's state is lost, and it resumes as if it were started. */
static void test_suspended_without_state(void **state)
{
    struct bench *b = *state;
    struct cpu *other = b->m.cpus[1];

    assert_int_equal(ecall(b, HSM, 0, 5, RAM + 0x200, 0x1234, 0), 0);
    toy_state(other)->x[9] = 9;
    assert_int_equal(suspend_second_hart(b, 0x80000000, RAM + 0x300, 0x777), 5);
    assert_int_equal(second_hart_status(b), 4);
    assert_true(other->powered && other->halted);
    assert_int_equal(other->pc, RAM + 0x300);
    assert_int_equal(toy_state(other)->x[0], 5); /* number of the resumed hart */
    assert_int_equal(toy_state(other)->x[1], 0x777);
    assert_int_equal(toy_state(other)->x[9], 0);
}

static void test_reset(void **state)
{
    struct bench *b = *state;

    assert_int_equal(ecall(b, SRST, 1, 0, 0, 0, 0), -2);
    assert_int_equal(ecall(b, SRST, 0, 3, 0, 0, 0), -3);
    assert_false(b->m.stop || b->m.reset_wanted);
    assert_int_equal(ecall(b, SRST, 0, 1, 0, 0, 0), 0);
    assert_true(b->m.reset_wanted);
    assert_false(b->m.stop || b->m.cpus[0]->powered);
    assert_int_equal(ecall(b, SRST, 0, 0, 0, 0, 0), 0);
    assert_true(b->m.stop);
    assert_int_equal(b->m.status, 0);
}

static void test_legacy_shutdown(void **state)
{
    struct bench *b = *state;

    assert_int_equal(ecall(b, 8, 0, 0, 0, 0, 0), 0);
    assert_true(b->m.stop);
}

static void test_console(void **state)
{
    struct bench *b = *state;
    const struct chardev *chr = b->m.chardevs.data[0];
    size_t len;

    assert_true(bus_copy_to(b->m.bus, RAM + 16, "hello", 5));
    assert_int_equal(ecall(b, DBCN, 0, 5, RAM + 16, 0, 0), 0);
    assert_int_equal(result_value(b), 5);
    assert_int_equal(ecall(b, DBCN, 2, '!', 0, 0, 0), 0);
    assert_int_equal(ecall(b, 1, 0, '?', 0, 0, 0), 0);
    assert_string_equal(chardev_output(chr, NULL), "hello!?");
    assert_int_equal(ecall(b, DBCN, 0, 5, RAM + 0x10000 - 4, 0, 0),
                     -3); /* past the end of memory */
    assert_int_equal(ecall(b, DBCN, 0, 5, RAM, 1, 0), -3);
    assert_int_equal(ecall(b, DBCN, 0, ALL, RAM, 0, 0), 0); /* only a part of the text is written */
    assert_int_equal(result_value(b), 4096);
    chardev_output(chr, &len);
    assert_int_equal(len, 7 + 4096);
    assert_int_equal(ecall(b, DBCN, 1, 5, RAM, 0, 0), 0); /* no input */
    assert_int_equal(result_value(b), 0);
    assert_int_equal(ecall(b, 2, 0, 0, 0, 0, 0), -1);
    assert_int_equal(ecall(b, DBCN, 3, 0, 0, 0, 0), -2);
}

/* Every call gets an answer, whatever its arguments. */
static void test_anything(void **state)
{
    static const uint64_t extensions[] = {BASE, TIME, IPI, RFENCE, HSM, SRST, DBCN, 0, 1, 2, 8, 77};
    static const uint64_t values[] = {0, 1, 2, 5, 6, 63, 0x1000, RAM, RAM + 0xfff8, ALL, ALL << 3};
    struct bench *b = *state;
    uint64_t seed = 1;

    for (unsigned i = 0; i < 20000; i++) {
        uint64_t arg[4];

        for (unsigned n = 0; n < 4; n++) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
            arg[n] = values[(seed >> 33) % 11];
        }
        ecall(b, extensions[i % 12], i / 12 % 6, arg[0], arg[1], arg[2], arg[3]);
    }
    assert_true(b->m.stop);
}

/* A platform without registers for a6 and a7 cannot have SBI. */
static void test_too_few_registers(void **state)
{
    struct bench *b = *state;
    struct error err = {""};

    b->m.info.arg_count = 7;
    assert_null(firmware_sbi.create(&b->m, dt_find(b->m.dt, "/sbi"), &err));
    assert_non_null(strstr(err.text, "argument registers"));
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(test_base),
        TEST(test_timer),
        TEST(test_ipi),
        TEST(test_fences),
        TEST(test_harts),
        TEST(test_suspended),
        TEST(test_suspended_without_state),
        TEST(test_reset),
        TEST(test_console),
        TEST(test_legacy_shutdown),
        TEST(test_anything),
        TEST(test_too_few_registers),
    };

    if (argc != 2) {
        fprintf(stderr, "usage: test_sbi harts.dtb\n");
        return 2;
    }
    tree = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
