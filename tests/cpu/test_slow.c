/*
 * Accesses that the soft TLB does not serve, in the interpreter and in each tier of translation:
 * hooks that read registers during an access see those of its instruction, and memory that requires
 * alignment checks it.
 *
 *     test_slow interp|quick|llvm
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/cpu/group.h"
#include "runtime/cpu/layout.h"
#include "runtime/jit/jit.h"

extern const struct cpu_isa tick_isa;

#define RAM    UINT64_C(0x80000000)
#define PLAIN  (RAM + 0x8000)
#define DEVICE (RAM + 0x10000) /* memory from here on has device attributes */

enum { ADDI = 1, BNZ = 4, LD = 6 };
enum {
    ROUND = 5 /* ticks of a round */,
    MANY = 5000 /* rounds: enough for translation by each tier */
};

static const char *tier = "interp";

struct bench {
    struct log log;
    struct bus *bus;
    struct cpu *cpu;
    struct cpu_group group;
    struct clock clock;
};

/* What the hooks saw last. */
static struct {
    unsigned walks, faults;
    uint64_t x3, va;
    uint32_t code;
} seen;

static uint64_t *registers_of(struct cpu *cpu)
{
    return (uint64_t *)(void *)cpu->state;
}

static uint32_t translate_address(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t ring,
                                  uint64_t *pa, uint32_t *flags)
{
    (void)ring;
    *pa = va;
    *flags = TRANSLATE_READ | TRANSLATE_WRITE | TRANSLATE_EXEC |
             (va >= DEVICE ? TRANSLATE_DEVICE : 0) | CPU_PAGE_BITS << TRANSLATE_SIZE_SHIFT;
    if (access == CPU_READ) {
        seen.walks++;
        seen.x3 = registers_of(cpu)[3];
    }
    return 0;
}

/* Moves the address to PLAIN, so that the repeated access succeeds. */
static void on_fault(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t code)
{
    (void)access;
    seen.faults++;
    seen.va = va;
    seen.code = code;
    seen.x3 = registers_of(cpu)[3];
    registers_of(cpu)[8] = PLAIN;
}

static struct bench *bench_new(void)
{
    static const uint32_t code[] = {
        ADDI << 24 | 3 << 20 | 3 << 16 | 1, /* x3 = x3 + 1 */
        LD << 24 | 6 << 20 | 8 << 16,       /* x6 = [x8] */
        ADDI << 24 | 3 << 20 | 3 << 16 | 1,
        BNZ << 24 | 1 << 16 | (uint16_t)-3, /* branch to the start, since x1 is not 0 */
    };
    struct bench *b = calloc(1, sizeof(*b));
    struct jit_options o = jit_defaults();
    struct error err = {0};

    memset(&seen, 0, sizeof(seen));
    b->bus = bus_new(&b->log);
    clock_init(&b->clock);
    assert_non_null(bus_add_ram(b->bus, "ram", RAM, 0x20000, &err));
    b->cpu = cpu_new(&tick_isa, 0, b->bus, &b->clock, &b->log, &err);
    assert_non_null(b->cpu);
    b->cpu->hooks.translate = translate_address;
    b->cpu->hooks.memory_fault = on_fault;
    b->cpu->pc = RAM;
    registers_of(b->cpu)[1] = 1;
    assert_true(bus_load(b->bus, RAM, code, sizeof(code)));
    for (uint64_t n = 0; n < 0x100; n++)
        assert_true(bus_load(b->bus, DEVICE + n, &(uint8_t){(uint8_t)n}, 1) &&
                    bus_load(b->bus, PLAIN + n, &(uint8_t){(uint8_t)n}, 1));
    assert_true(cpu_group_init(&b->group, &b->cpu, 1, b->bus, &b->clock, &err));
    cpu_set_power(b->cpu, true);
    if (!strcmp(tier, "interp"))
        return b;
    o.enabled = o.sync = true;
    o.tier = strcmp(tier, "llvm") ? JIT_TIER_QUICK : JIT_TIER_LLVM;
    o.threshold = o.quick_threshold = 4;
    assert_non_null(jit_new(b->group.code, &b->log, &o, &err));
    return b;
}

static void bench_free(struct bench *b)
{
    cpu_group_free(&b->group);
    cpu_free(b->cpu);
    clock_free(&b->clock);
    bus_free(b->bus);
    free(b);
}

/* Runs rounds of the loop with an address at which no access faults. */
static void go_round(struct bench *b, uint64_t address, unsigned rounds)
{
    uint64_t before = registers_of(b->cpu)[3];

    registers_of(b->cpu)[8] = address;
    assert_int_equal(cpu_run(b->cpu, (uint64_t)rounds * ROUND), rounds * ROUND);
    assert_int_equal(b->cpu->pc, RAM);
    assert_int_equal(registers_of(b->cpu)[3], before + 2 * (uint64_t)rounds);
    assert_int_equal(registers_of(b->cpu)[6], UINT64_C(0x0706050403020100) +
                                                  UINT64_C(0x0101010101010101) * (address & 0xff));
}

/* A page-table walk of the description may read any register. */
static void walks_see_registers(void **state)
{
    struct bench *b = bench_new();

    (void)state;
    go_round(b, PLAIN, MANY);
    for (unsigned n = 0; n < 20; n++) {
        uint64_t before = registers_of(b->cpu)[3];
        unsigned walks = seen.walks;

        cpu_tlb_flush(b->cpu, true);
        go_round(b, n % 2 ? PLAIN : DEVICE, 3);
        assert_int_equal(seen.walks, walks + 1);
        assert_int_equal(seen.x3, before + 1);
    }
    bench_free(b);
}

/*
 * A misaligned address faults in memory with device attributes, and only there, whatever ran
 * before.
 */
static void misaligned_device_faults(void **state)
{
    static const uint64_t before[] = {DEVICE, PLAIN, DEVICE + 8, PLAIN + 4, DEVICE};
    struct bench *b = bench_new();
    unsigned faults = 0;

    (void)state;
    for (unsigned n = 0; n < ARRAY_SIZE(before); n++) {
        for (unsigned off = 0; off < 16; off++) {
            uint64_t x3;

            go_round(b, before[n], off ? 2 : MANY);
            go_round(b, PLAIN + off, 1);
            x3 = registers_of(b->cpu)[3];
            if (!(off % 8)) {
                go_round(b, DEVICE + off, 3);
                continue;
            }
            registers_of(b->cpu)[8] = DEVICE + off;
            /* the last instruction begins within the budget */
            assert_int_equal(cpu_run(b->cpu, ROUND), ROUND + 1);
            assert_int_equal(seen.faults, ++faults);
            assert_int_equal(seen.code, CPU_FAULT_ALIGNMENT);
            assert_int_equal(seen.va, DEVICE + off);
            assert_int_equal(seen.x3, x3 + 1);
            assert_int_equal(registers_of(b->cpu)[3], x3 + 2);
            assert_int_equal(b->cpu->pc, RAM);
        }
    }
    bench_free(b);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_see_registers),
        cmocka_unit_test(misaligned_device_faults),
    };

    if (argc > 1)
        tier = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
